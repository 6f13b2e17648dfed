/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints of the tree's own scheduler as probe records.
 */
#include "kern.h"

#include <linux/sched/rt.h>
#include <trace/events/sched.h>

#include "trace.h"

void lockstep_trace_switch(bool preempt, struct task_struct *next, unsigned int prev_state)
{
	struct task_struct *prev = current;

	lockstep_log(PROBE_SCHED_SWITCH, lockstep_id(next), lockstep_leaving_as(preempt, prev_state));
	lockstep_look_throttled(prev);
	lockstep_look_throttled(next);
}

void lockstep_trace_wakeup(struct task_struct *p)
{
	lockstep_log(PROBE_SCHED_WAKEUP, lockstep_id(p), task_cpu(p));
	lockstep_look_throttled(p);
}

void lockstep_trace_migrate(struct task_struct *p, int cpu)
{
	lockstep_log(PROBE_SCHED_MIGRATE, lockstep_id(p), cpu);
}

void lockstep_trace_setprio(struct task_struct *p, struct task_struct *pi)
{
	int prio = pi ? min(p->normal_prio, pi->prio) : p->normal_prio;

	if (prio != p->prio)
		lockstep_log(PROBE_SCHED_PI_SETPRIO, lockstep_id(p), PRIO_CHANGE(p->prio, prio));
}
