/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lockstep's simulated RT scheduler: what it offers beside the bridge's table.
 *
 * The protocol of a switch, with interrupts off: pick(), log SCHED_SWITCH, pay COST_SWITCH,
 * engine_switch(), and, as the first thing the task does that has come, switched().  Between
 * pick() and engine_switch() the leaving task still stands on its stack; it can be woken, but no
 * other CPU gets it.
 *
 * Logged here: SCHED_MIGRATE, THROTTLE, UNTHROTTLE, GROUP_TIMER.  Waking, wake-up, switch and
 * changes of priority are the caller's to log.
 */
#ifndef SIM_CORE_SCHED_H
#define SIM_CORE_SCHED_H

#include "sim/core/sim.h"

/* The table images and the abstract world call. */
extern const struct bridge_sched sched_ops;

/* Tells the kernel side that the task at @ktask has to be rescheduled, or no longer. */
typedef void sched_flag_fn(void *ktask, bool on);

/* Before the first task; @flag may be NULL.  The machine's options come from struct sim. */
void sched_boot(struct sim *s, sched_flag_fn *flag);
void sched_free(struct sim *s);

/* A reset is a copy: saves, or puts back, all of the scheduler's state (sim/core/snapshot.c). */
void sched_save(struct sim *s);
void sched_restore(struct sim *s);

bool sched_need_resched(const struct sim *s, unsigned int cpu);
/* On a run queue, running included; throttled tasks are. */
bool sched_queued(const struct task *t);

/* Kernel priority that a policy and its number give. */
int sched_prio_of(int policy, int priority);

#endif
