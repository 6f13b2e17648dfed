/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals of programs: dispositions are kept here, pending and blocked ones by the image.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/private.h"

static bool ignored(const struct process *p, int sig)
{
	if (p->actions[sig].sa_handler == SIG_IGN)
		return true;
	return p->actions[sig].sa_handler == SIG_DFL &&
	       (sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT);
}

void signal_send(struct thread *t, int sig)
{
	if (!t->ended && (sig == SIGKILL || !ignored(t->proc, sig)))
		ex.im->signal(t->task, sig);
}

bool signal_reaches(int sig)
{
	struct thread *t = self_thread();
	struct sigaction a = t->proc->actions[sig];
	siginfo_t info = { .si_signo = sig };

	if (t->proc->dying)
		return false;	/* on its way out */
	if (a.sa_handler == SIG_IGN)
		return true;
	if (a.sa_handler == SIG_DFL)
		process_exit(sig);
	if (a.sa_flags & (int)SA_RESETHAND)
		t->proc->actions[sig].sa_handler = SIG_DFL;
	t->spun_ns = 0;
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(sig, &info, NULL);
	else
		a.sa_handler(sig);
	return a.sa_flags & SA_RESTART;
}

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct process *p = self_thread()->proc;

	if (sig <= 0 || sig >= SIGNALS || sig == SIGKILL || sig == SIGSTOP)
		return (int)ret_errno(-EINVAL);
	if (old)
		*old = p->actions[sig];
	if (act)
		p->actions[sig] = *act;
	return 0;
}

void (*__wrap_signal(int sig, void (*handler)(int)))(int);
void (*__wrap_signal(int sig, void (*handler)(int)))(int)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	return __wrap_sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t now = ex.im->block_signals(~0ull), want = now, bits = 0;

	if (set)
		memcpy(&bits, set, sizeof(bits));
	if (set)
		want = how == SIG_BLOCK ? now | bits : how == SIG_UNBLOCK ? now & ~bits : bits;
	ex.im->block_signals(want);
	if (old) {
		sigemptyset(old);
		memcpy(old, &now, sizeof(now));
	}
	ex.im->user_signals();
	may_die();
	return 0;
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return __wrap_pthread_sigmask(how, set, old);
}

int __wrap_pthread_kill(pthread_t thread, int sig);
int __wrap_pthread_kill(pthread_t thread, int sig)
{
	struct thread *t = (struct thread *)thread;

	if (t->ended)
		return ESRCH;
	engine_cost(ex.sim, COST_SYSCALL);
	if (sig)
		signal_send(t, sig);
	ex.im->user_signals();
	may_die();
	return 0;
}

static void send_to_process(struct process *p, int sig)
{
	if (sig == SIGKILL)
		process_kill(p, SIGKILL);
	else if (sig)
		signal_send(p->leader, sig);
}

int __wrap_kill(int pid, int sig);
int __wrap_kill(int pid, int sig)
{
	int found = 0;

	engine_cost(ex.sim, COST_SYSCALL);
	for (struct process *p = ex.processes; p; p = p->next) {
		if (p->ended || (p->pid != pid && p->pid != -pid))
			continue;
		send_to_process(p, sig);
		found++;
	}
	ex.im->user_signals();
	return (int)ret_errno(found ? 0 : -ESRCH);
}

int __wrap_raise(int sig);
int __wrap_raise(int sig)
{
	return __wrap_pthread_kill((pthread_t)self_thread(), sig);
}

int __wrap_pause(void);
int __wrap_pause(void)
{
	return (int)ret_errno(enter(SYS_PAUSE, 0, 0, 0, 0, 0, 0));
}

unsigned int __wrap_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds)
{
	struct process *p = self_thread()->proc;
	uint64_t now = sim_now_abs(ex.sim), left = p->alarm_at > now ? p->alarm_at - now : 0;

	p->alarm_at = seconds ? now + seconds * 1000000000ull : 0;
	if (seconds)
		process_alarms();
	return (unsigned int)((left + 999999999) / 1000000000);
}
