/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_TRACE_H
#define LOCKSTEP_KERN_TRACE_H

struct task_struct;

/* enum prev_state of a task that leaves its CPU in @state */
unsigned int lockstep_leaving_as(bool preempt, unsigned int state);
/* A wake-up begins: it takes time. */
void lockstep_trace_waking(struct task_struct *p);

/* Tells the host when @p has become throttled or is no more. */
void lockstep_look_throttled(struct task_struct *p);

#endif
