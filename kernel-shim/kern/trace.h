/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_TRACE_H
#define LOCKSTEP_KERN_TRACE_H

struct task_struct;

/* Tells the host when @p has become throttled or is no more. */
void lockstep_look_throttled(struct task_struct *p);

#endif
