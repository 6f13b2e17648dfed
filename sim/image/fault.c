/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults of kernel code become verdicts, and stacks become words.
 *
 * A signal handler may do next to nothing, so it only bends the interrupted context: when the
 * signal returns, the task finds itself in a function that reports the bug and ends the run.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "sim/base/check.h"
#include "sim/core/sanitizer.h"
#include "sim/image/private.h"

#define FRAMES_MAX 48
#define FRAME_MAX (128u << 10)	/* bytes: a larger step is no frame */
#define ALT_STACK (64u << 10)
#define WATCH_S 2	/* CPU time in which the engine must have been called */

static struct machine *guarded;
static uint64_t nr_guarded;	/* runs so far: after a reset events are counted anew */
static struct {
	const char *what;
	const void *pc, *addr;
	void *const *fp;
} fault;

void stack_words(const struct image *img, const void *pc, void *const *fp, char *out, size_t n)
{
	size_t len = 0;

	out[0] = 0;
	for (int i = 0; i < FRAMES_MAX; i++) {
		const char *name = pc ? image_symbol(img, pc) : NULL;
		void *const *up;

		if (name && len < n)
			len += (size_t)snprintf(out + len, n - len, "%s%s", len ? " < " : "", name);
		if (!fp || ((uintptr_t)fp & 7))
			break;
		up = fp[0];
		pc = fp[1] ? (const char *)fp[1] - 1 : NULL;	/* inside the call */
		if (up <= fp || (size_t)((const char *)up - (const char *)fp) > FRAME_MAX)
			up = NULL;
		if (!fp[1])
			break;
		fp = up;
	}
}

/* Runs on the task whose code has faulted. */
static void fault_landing(void)
{
	struct machine *m = guarded;
	char words[1024], detail[1200];

	stack_words(m->image, fault.pc, fault.fp, words, sizeof(words));
	snprintf(detail, sizeof(detail), "in %s", *words ? words : "unknown code");
	engine_bug(m->sim, fault.what, detail);
	abort();
}

static bool in_image(const struct machine *m, const greg_t *r)
{
	return m && image_symbol(m->image, (const void *)r[REG_RIP]);
}

static void land(greg_t *r, const char *what)
{
	fault.pc = (const void *)r[REG_RIP];
	fault.fp = (void *const *)r[REG_RBP];
	fault.what = what;
	r[REG_RSP] = ((r[REG_RSP] - 512) & ~(greg_t)15) - 8;
	r[REG_RIP] = (greg_t)(uintptr_t)fault_landing;
}

/* Kernel code that never calls the engine would hang the lab. */
static void on_watch(int sig, siginfo_t *info, void *context)
{
	static uint64_t events, runs;
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct machine *m = guarded;
	uint64_t events_before = events, runs_before = runs;

	(void)sig;
	(void)info;
	events = m ? sim_events(m->sim) : 0;
	runs = nr_guarded;
	if (m && events == events_before && runs == runs_before && in_image(m, r))
		land(r, "endless loop");
}

static const char *words_of(int sig, const void *addr)
{
	const uint64_t pattern = ARENA_POISON * 0x0101010101010101ull;
	uint64_t a = (uint64_t)(uintptr_t)addr;

	if (sig == SIGFPE)
		return "division by zero";
	if (sig == SIGILL || sig == SIGTRAP)
		return "BUG";
	if (a >= pattern - 4096 && a <= pattern + 4096)
		return "use after free: a freed pointer was followed";
	if (a < 4096)
		return "NULL pointer dereference";
	return "bad memory access";
}

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))
static struct sigaction others[NR_SIGNALS];	/* whose the signals were before */

/* Not the kernel's: the instruction faults again, and whoever was there before sees it. */
static void give_back(int sig)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		if (signals[i] == sig)
			sigaction(sig, &others[i], NULL);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *r = u->uc_mcontext.gregs;
	struct machine *m = guarded;

	/* Not a fault at all: the first write to saved memory. */
	if (sig == SIGSEGV && pages_fault(info->si_addr))
		return;
	/* The kernel touches bad user memory: it goes on behind the instruction and says so. */
	if (m && m->image->ops && (const void *)r[REG_RIP] == m->image->ops->copy_insn &&
	    (sig == SIGSEGV || sig == SIGBUS)) {
		r[REG_RIP] = (greg_t)(uintptr_t)m->image->ops->copy_fixup;
		return;
	}
	if (!in_image(m, r)) {
		give_back(sig);
		return;
	}
	fault.addr = info->si_addr;
	/* A non-canonical address is not reported: it is in one of the registers. */
	if (sig == SIGSEGV && !info->si_addr)
		for (int i = 0; i < REG_RIP; i++)
			if ((uint64_t)r[i] >> 48 == 0x6b6b)
				fault.addr = (const void *)(uintptr_t)(ARENA_POISON *
								       0x0101010101010101ull);
	land(r, words_of(sig, fault.addr));
}

void fault_catch(void)
{
	static char alt_stack[ALT_STACK];	/* for faults of a stack that is full */
	struct sigaction now, sa = { .sa_sigaction = on_fault,
				     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	struct sigaction watch = { .sa_sigaction = on_watch,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	struct itimerval every = { .it_interval.tv_sec = WATCH_S, .it_value.tv_sec = WATCH_S };
	stack_t alt = { .ss_sp = alt_stack, .ss_size = ALT_STACK };

	/* Test frameworks put handlers of their own in their place. */
	SIM_CHECK(!sigaction(SIGSEGV, NULL, &now));
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault)
		return;
	SIM_CHECK(!sigaltstack(&alt, NULL));
	for (size_t i = 0; i < NR_SIGNALS; i++)
		SIM_CHECK(!sigaction(signals[i], &sa, &others[i]));
	SIM_CHECK(!sigaction(SIGVTALRM, &watch, NULL) && !setitimer(ITIMER_VIRTUAL, &every, NULL));
}

void fault_guard(struct machine *m)
{
	nr_guarded++;
	guarded = m;
}

void fault_unguard(void)
{
	guarded = NULL;
}
