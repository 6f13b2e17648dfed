/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated RT scheduler: FIFO, RR, a simple fair class with group quota, idle.
 *
 * Serves kernel images built without the tree's kernel/sched (@sched) and the abstract world,
 * which needs no kernel tree.  It decides who runs where and tells it in probe records
 * (sched_switch, sched_wakeup, sched_migrate_task, sched_pi_setprio, throttle); what its caller
 * does is in struct sched_world.
 *
 * Rules for callers: all are called on a CPU of the machine with interrupts off, or on the host
 * before the machine runs.  A run queue is locked while its CPU switches, so every call but the
 * questions at the end may let other CPUs go on.
 */
#ifndef SIM_CORE_SCHED_H
#define SIM_CORE_SCHED_H

#include "sim/core/sim.h"

/* What the scheduler asks of the world it serves. */
struct sched_world {
	/* TIF_NEED_RESCHED of a task: it calls sched_schedule() as soon as it may be preempted. */
	void (*set_need_resched)(struct sim *s, struct task *t, bool on);
	bool (*need_resched)(const struct sim *s, const struct task *t);
	/* Asked under the queue's lock of a task about to sleep: false, it has been woken. */
	bool (*still_sleeps)(const struct sim *s, const struct task *t);
	/* The task has come to this CPU, or has left it (-1). */
	void (*set_on_cpu)(struct sim *s, struct task *t, int cpu);
	/*
	 * Starts a group's period timer on this CPU: the next whole period from now, then each,
	 * until sched_group_refill() says false.
	 */
	void (*start_period_timer)(struct sim *s, int group, uint64_t period_ns);
};

/* Once for a machine, before the first task. */
void sched_init(struct sim *s, const struct sched_world *w);

/* The idle task of @cpu, also its current task. */
void sched_attach_idle(struct sim *s, struct task *t, unsigned int cpu);
/* A new task; not runnable before sched_wake(). */
void sched_attach(struct sim *s, struct task *t, const struct bridge_spawn *spec);
/*
 * The stopper of @cpu, above all priorities: the caller makes a task that is attached here, woken
 * once and whose body is sched_stopper(), which does not return.
 */
void sched_attach_stopper(struct sim *s, struct task *t, unsigned int cpu);
void sched_stopper(struct sim *s);

/*
 * Makes @t runnable on a CPU of the scheduler's choice and tells sched_wakeup; of a task that is
 * about to sleep, but still runs, it only tells it (its state is the caller's).
 */
void sched_wake(struct sim *s, struct task *t);
/*
 * The current task leaves this CPU; asleep unless @state (enum prev_state) is PREV_RUNNABLE or
 * PREV_PREEMPTED.  Returns when it runs again.  Clears its need_resched.
 */
void sched_schedule(struct sim *s, unsigned int state);
/* The first thing a task does on its stack; the rest of the switch to it. */
void sched_tail(struct sim *s);

/* Effective priority, lent by PI.  Tells sched_pi_setprio. */
void sched_setprio(struct sim *s, struct task *t, int prio);
/* sched_setscheduler(); @lent: best priority of its PI waiters, 140: none. */
void sched_set_policy(struct sim *s, struct task *t, int policy, int priority, int lent);
/* May sleep until the stopper has moved the task. */
void sched_set_affinity(struct sim *s, struct task *t, uint64_t cpus);
void sched_migrate_disable(struct sim *s, struct task *t, bool on);
/* Behind others of its priority; sched_schedule(PREV_RUNNABLE) follows. */
void sched_yield_task(struct sim *s);
/* The tick of this CPU. */
void sched_tick(struct sim *s);
/* On the way back to user space: a throttling that waited for it.  True: call sched_schedule(). */
bool sched_return_to_user(struct sim *s);

/* Groups with a CPU quota (-1: none); dense index or -errno. */
int sched_group_new(struct sim *s, int64_t quota_ns, uint64_t period_ns);
int sched_group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns);
/* The period timer has expired @overruns times; false: it is not needed any more. */
bool sched_group_refill(struct sim *s, int group, uint64_t overruns);

bool sched_on_cpu(const struct task *t);

#endif
