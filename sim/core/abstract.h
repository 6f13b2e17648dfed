/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The abstract world: a machine without any kernel code, for scenarios that need no kernel tree.
 *
 * Tasks run on the simulated scheduler, sleep by a clock, take interrupts and wake each other.
 * Locks are in sim/lock.  All timers are hard ones of the CPU that starts them: there are no soft
 * interrupts, so what depends on them (case K) needs an image.
 */
#ifndef SIM_CORE_ABSTRACT_H
#define SIM_CORE_ABSTRACT_H

#include "sim/core/sim.h"

/* What the world asks of the runner. */
struct abstract_hooks {
	void *self;
	void (*task_main)(void *self, struct task *t);
	void (*irq_handler)(void *self, int line);
};

/* Makes idle tasks and stoppers; sim_run() brings them to rest. */
void abstract_boot(struct sim *s);
void abstract_set_hooks(struct sim *s, const struct abstract_hooks *h);
/* What the run before has made is dropped; sim_restore() follows. */
void abstract_reset(struct sim *s);
void abstract_free(struct sim *s);

/* As in struct bridge_image; 0 or -errno. */
int abstract_spawn(struct sim *s, struct task *t, const struct bridge_spawn *spec);
void abstract_start(struct sim *s, struct task *t);
int abstract_set_policy(struct sim *s, struct task *t, int policy, int priority);
int abstract_set_affinity(struct sim *s, struct task *t, uint64_t cpus);
int abstract_group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns);
int abstract_irq_new(struct sim *s, int line, int cpu, bool threaded, int priority,
		     const char *name);

/* On a task. */
void abstract_sleep(struct sim *s, uint64_t ns);	/* until then, or until it is ended */
void abstract_sleep_on(struct sim *s, const bool *flag);	/* until it is set */
void abstract_yield(struct sim *s);
void abstract_end_sleep(struct sim *s, struct task *t);	/* an interruptible one */
void abstract_preempt_disable(struct sim *s);
void abstract_preempt_enable(struct sim *s);	/* reschedules if it has to */
void abstract_enter_kernel(struct sim *s);
void abstract_leave_kernel(struct sim *s);
bool abstract_in_irq(const struct sim *s);
/*
 * Sleeping until somebody wakes: prepare, look once more whether to sleep, block.  In between
 * nothing is lost.  @state: enum prev_state.
 */
void abstract_prepare(struct sim *s);
void abstract_block(struct sim *s, unsigned int state);
void abstract_wake(struct sim *s, struct task *t);

#endif
