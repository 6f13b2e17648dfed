/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler's tracepoints as probe records.  The tree's header declares them all as
 * no-ops (tracepoints are off); those that the lab wants are redirected here.
 */
#include <linux/mm_types.h>
#include_next <trace/events/sched.h>
#ifndef LOCKSTEP_TRACE_SCHED_H
#define LOCKSTEP_TRACE_SCHED_H

void lockstep_trace_switch(bool preempt, struct task_struct *next, unsigned int prev_state);
void lockstep_trace_waking(struct task_struct *p);
void lockstep_trace_wakeup(struct task_struct *p);
void lockstep_trace_migrate(struct task_struct *p, int cpu);
void lockstep_trace_setprio(struct task_struct *p, struct task_struct *pi);

#define trace_sched_switch(preempt, prev, next, state) lockstep_trace_switch(preempt, next, state)
#define trace_sched_waking(p) lockstep_trace_waking(p)
#define trace_sched_wakeup(p) lockstep_trace_wakeup(p)
#define trace_sched_wakeup_new(p) lockstep_trace_wakeup(p)
#define trace_sched_migrate_task(p, cpu) lockstep_trace_migrate(p, cpu)
#define trace_sched_pi_setprio(p, pi) lockstep_trace_setprio(p, pi)

#endif
