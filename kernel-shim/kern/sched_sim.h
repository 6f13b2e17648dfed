/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_SCHED_SIM_H
#define LOCKSTEP_KERN_SCHED_SIM_H

struct task_struct;

int try_to_wake_up(struct task_struct *p, unsigned int mask, int wake_flags);

/*
 * Is @p, whose pi_lock is held, in one of the states @mask?  On RT the state it had before it
 * waited for a lock counts as well: then it need not sleep when it has the lock.
 */
bool lockstep_in_state(struct task_struct *p, unsigned int mask);

#endif
