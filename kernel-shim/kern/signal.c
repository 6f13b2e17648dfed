/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals, as far as system calls see them: a pending one ends an interruptible sleep, a mask holds
 * it back, and on the way to user space it reaches the task.
 *
 * What a signal then does is the host's business.  Each task has signals of its own; there are no
 * process-wide ones and no queues.
 *
 * Source: kernel/signal.c and kernel/entry/common.c, Linux 6.12.
 */
#include "kern.h"

#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "signal.h"

/* Nobody holds back SIGKILL. */
#define UNBLOCKABLE (1ull << (SIGKILL - 1))

static void recalc(struct task_struct *p)
{
	if (lockstep_of(p)->signals & ~p->blocked.sig[0])
		set_tsk_thread_flag(p, TIF_SIGPENDING);
	else
		clear_tsk_thread_flag(p, TIF_SIGPENDING);
}

void __set_current_blocked(const sigset_t *set)
{
	current->blocked = *set;
	recalc(current);
}

uint64_t lockstep_sigmask(uint64_t blocked)
{
	uint64_t before = current->blocked.sig[0];

	current->blocked.sig[0] = blocked & ~UNBLOCKABLE;
	recalc(current);
	return before;
}

/* What epoll_pwait() and ppoll() do with their mask: it holds until they return. */
int set_user_sigmask(const sigset_t __user *from, size_t size)
{
	sigset_t mask;

	if (!from)
		return 0;
	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, from, sizeof(mask)))
		return -EFAULT;
	set_restore_sigmask();
	current->saved_sigmask = current->blocked;
	__set_current_blocked(&mask);
	return 0;
}

void lockstep_signal(struct task *t, int sig)
{
	struct task_struct *p = lockstep_task_of(t);

	lockstep_of(p)->signals |= 1ull << (sig - 1);
	recalc(p);
	if (signal_pending(p))
		wake_up_state(p, TASK_INTERRUPTIBLE);
}

/* A unit's own, as the SIGPIPE of a pipe without readers. */
int send_sig(int sig, struct task_struct *p, int priv)
{
	lockstep_signal(lockstep_of(p)->host, sig);
	return 0;
}

static bool restarts(long ret)
{
	return ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
	       ret == -ERESTART_RESTARTBLOCK;
}

/* A handler runs with its own signal blocked, and behind it the mask is as the call found it. */
static bool deliver(void)
{
	struct lockstep_task *t = lockstep_of(current);
	u64 due, before = current->blocked.sig[0];
	bool restart = true;

	if (test_and_clear_restore_sigmask())
		before = current->saved_sigmask.sig[0];
	while ((due = t->signals & ~current->blocked.sig[0])) {
		int sig = __ffs64(due) + 1;

		t->signals &= ~(1ull << (sig - 1));
		lockstep_sigmask(current->blocked.sig[0] | (1ull << (sig - 1)));
		restart &= host->signal(host->sim, sig);
		lockstep_sigmask(before);
	}
	return restart;
}

bool lockstep_take_signals(long *ret)
{
	bool handled = signal_pending(current);
	bool restart = !handled || deliver();

	if (!restarts(*ret))
		return false;
	if (!handled)
		return true;
	/* poll() and pause() are over when a handler has run, the others may go on */
	if (restart && (*ret == -ERESTARTSYS || *ret == -ERESTARTNOINTR))
		return true;
	*ret = -EINTR;
	return false;
}

void lockstep_user_signals(void)
{
	if (signal_pending(current))
		deliver();
}

/* ---- user space that waits for user space */

void lockstep_sleep_on(const bool *flag, uint64_t until_ns)
{
	ktime_t until = until_ns;

	lockstep_of(current)->in_kernel++;
	lockstep_cost(COST_SYSCALL);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(*flag) || signal_pending(current))
			break;
		if (until_ns == U64_MAX)
			schedule();
		else if (!schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS))
			break;
	}
	__set_current_state(TASK_RUNNING);
	lockstep_leave_kernel();
	lockstep_user_signals();
}

void lockstep_wake(struct task *t)
{
	wake_up_state(lockstep_task_of(t), TASK_INTERRUPTIBLE);
}
