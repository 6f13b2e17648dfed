/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's tracepoints as probe records.
 */
#include "kern.h"

#include <linux/hrtimer.h>
#include <linux/sched/rt.h>
#include <trace/events/lock.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>

#include "trace.h"

unsigned int lockstep_leaving_as(bool preempt, unsigned int state)
{
	if (preempt)
		return PREV_PREEMPTED;
	if (state & TASK_DEAD)
		return PREV_DEAD;
	if (state & TASK_INTERRUPTIBLE)
		return PREV_INTERRUPTIBLE;
	/* TASK_RTLOCK_WAIT and the rest of the uninterruptible states show as D */
	return state ? PREV_UNINTERRUPTIBLE : PREV_RUNNABLE;
}

void lockstep_trace_waking(struct task_struct *p)
{
	lockstep_cost(COST_WAKEUP);
	lockstep_log(PROBE_SCHED_WAKING, lockstep_id(p), 0);
}

/* Waits nest, and only their begin tells a wait_lock from the lock around it. */
void lockstep_contention_begin(void *lock, unsigned int flags)
{
	struct lockstep_task *t = lockstep_of(current);
	bool raw = flags & LCB_F_SPIN && !(flags & LCB_F_MUTEX) &&
		   !host->lock_known(host->sim, lock);

	if (raw && t->nr_raw < LOCKSTEP_RAW_MAX)
		t->raw[t->nr_raw++] = lock;
	lockstep_log(PROBE_CONTENTION_BEGIN,
		     raw ? lockstep_raw_id(lock) : host->lock_id(host->sim, lock), flags);
}

void lockstep_contention_end(void *lock, int ret)
{
	struct lockstep_task *t = lockstep_of(current);
	bool raw = t->nr_raw && t->raw[t->nr_raw - 1] == lock;

	if (raw)
		t->nr_raw--;
	lockstep_log(PROBE_CONTENTION_END,
		     raw ? lockstep_raw_id(lock) : host->lock_id(host->sim, lock), ret);
}

void lockstep_hrtimer_start(struct hrtimer *timer)
{
	int group = lockstep_period_timer_group(timer);

	if (group >= 0)
		lockstep_log(PROBE_GROUP_TIMER, group, timer->base->cpu_base->cpu);
	lockstep_log(PROBE_HRTIMER_START, host->symbol_id(host->sim, timer->function),
		     hrtimer_get_expires(timer));
}

void lockstep_hrtimer_entry(struct hrtimer *timer)
{
	lockstep_log(PROBE_HRTIMER_ENTRY, host->symbol_id(host->sim, timer->function),
		     lockstep_period_timer_group(timer));
}

void lockstep_hrtimer_exit(struct hrtimer *timer)
{
	int group = lockstep_period_timer_group(timer);

	lockstep_log(PROBE_HRTIMER_EXIT, host->symbol_id(host->sim, timer->function), group);
	if (group >= 0)
		lockstep_period_timer_done(group);
}
