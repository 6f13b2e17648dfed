/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine: the only place where virtual time moves and where another CPU goes on.
 *
 * All of it is called on a task (on the CPU in focus) unless it says otherwise.
 */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

#include "sim/core/sim.h"

/* The world the machine runs: a kernel image, or sim/core's own abstract kernel. */
struct world_ops {
	void (*do_irq)(struct sim *s);	/* on the interrupted task's stack */
};

void engine_set_world(struct sim *s, const struct world_ops *w, struct bridge_focus *focus);

/* Uses the CPU; interrupts and preemption happen in between. */
void engine_burn(struct sim *s, uint64_t ns);
/* Uses the CPU for a cost drawn from its range. */
void engine_cost(struct sim *s, enum bridge_cost kind);
/* An access-hooked image has used up its accesses: the next distance, and time passes. */
void engine_access(struct sim *s);
void engine_idle(struct sim *s);
void engine_relax(struct sim *s);
void engine_spin_wait(struct sim *s, const void *lock);
void engine_spin_wake(struct sim *s, const void *lock);
void engine_switch(struct sim *s, struct task *prev, struct task *next);
void engine_set_event(struct sim *s, unsigned int cpu, uint64_t at_ns);
void engine_ipi(struct sim *s, unsigned int cpu, uint32_t irqs);
void engine_log(struct sim *s, unsigned int kind, uint32_t object, int64_t arg);
uint32_t engine_choose(struct sim *s, uint32_t n);

/* Interrupts of this CPU off and on again, nested; what is pending waits for the next burn. */
void engine_irqs_disable(struct sim *s);
void engine_irqs_enable(struct sim *s);

/* On the host, with all CPUs at rest: what is done next is done as on @cpu. */
void engine_focus(struct sim *s, unsigned int cpu);

/* Host callbacks in virtual time: run between two steps, on no task; they must not block. */
typedef void engine_call_fn(struct sim *s, void *arg);
void engine_call_at(struct sim *s, uint64_t at_ns, engine_call_fn *fn, void *arg);

/* Raises device interrupt `line` on `cpu` (any context). */
void engine_raise_line(struct sim *s, unsigned int cpu, int line);
int engine_next_line(struct sim *s, unsigned int cpu);	/* or -1 */

/* Tasks, locks and names (sim/core/task.c, lockname.c). */
struct task *sim_task_new(struct sim *s, const char *name, enum task_kind kind);
void sim_task_bind(struct sim *s, struct task *t, void *ktask, void (*entry)(void *), void *arg);
void sim_set_idle(struct sim *s, unsigned int cpu, struct task *t);
void sim_task_exit(struct sim *s, struct task *t);
uint32_t sim_name_id(struct sim *s, const char *name);
void sim_lock_name(struct sim *s, const void *addr, enum bridge_lock_kind k, const char *name);
void sim_lock_forget(struct sim *s, const void *addr, size_t n);
uint32_t sim_lock_id(struct sim *s, const void *addr);	/* names it when first seen */
/* The id, unless nobody has named or used the lock (or the rwlock it is the inner one of). */
bool sim_lock_find(struct sim *s, const void *addr, uint32_t *id);
/* Named as a lock that spins: the first word of a sleeping one is its wait_lock. */
bool sim_lock_spins(struct sim *s, const void *addr);
int sim_group_named(struct sim *s, const char *name);	/* dense index */

/* Ends the run; in a task's context it does not return. */
_Noreturn void engine_finish(struct sim *s, enum sim_end why);
/* Verdict `bug`: a bug ends the run, a warning lets it go on; the first one is kept. */
void engine_bug(struct sim *s, const char *what, const char *detail);
void engine_warn(struct sim *s, const char *what, const char *detail);

/*
 * The machine as it is now, all CPUs idle, to come back to: a reset is a copy.  The caller saves
 * what it owns itself (an image's data and heap) at the same moment.
 */
void sim_snapshot(struct sim *s);
void sim_restore(struct sim *s);
/* Virtual time zero of what is shown is @abs_ns (absolute, not before now). */
void sim_set_epoch(struct sim *s, uint64_t abs_ns);
uint64_t sim_now_abs(const struct sim *s);

#endif
