/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine with the simulated scheduler and no kernel, for tests: tasks burn, sleep and wake.
 *
 * Without an oracle every cost is the least of its range, so tests can expect exact times.
 */
#ifndef TESTS_LIB_SCHED_WORLD_H
#define TESTS_LIB_SCHED_WORLD_H

#include <string.h>

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/core/cost.h"
#include "sim/core/sched.h"
#include "sim/core/sched_private.h"

#define WORLD_TASKS 1100
#define SWITCH_NS 600	/* least cost of a switch */

struct world_task {
	struct task *task;
	void (*body)(void);
	bool need_resched, woken;
	bool in_kernel;		/* no return to user space meanwhile */
	uint64_t wake_at;	/* 0: does not sleep by the clock */
};

struct world_switch {
	uint32_t cpu, next;
	uint64_t at;
	int64_t state;
};

static struct sched_world_state {
	struct sim *sim;
	struct world_task tasks[WORLD_TASKS];
	struct world_switch switches[4096];
	int nr_switches;
	uint64_t start, timer_at[64], period_ns[64];	/* of groups */
	uint32_t timer_cpu[64];
	int nr_timers, nr_throttles, nr_unthrottles;
	uint64_t burned[WORLD_TASKS];
} w;

static inline struct world_task *me(void)
{
	return &w.tasks[sim_current(w.sim)->id];
}

static inline uint64_t now(void)
{
	return sim_now_abs(w.sim) - w.start;
}

static inline void world_set_need_resched(struct sim *s, struct task *t, bool on)
{
	(void)s;
	w.tasks[t->id].need_resched = on;
}

static inline bool world_need_resched(const struct sim *s, const struct task *t)
{
	(void)s;
	return w.tasks[t->id].need_resched;
}

static inline bool world_still_sleeps(const struct sim *s, const struct task *t)
{
	(void)s;
	return !w.tasks[t->id].woken;
}

static inline void world_set_on_cpu(struct sim *s, struct task *t, int cpu)
{
	(void)s;
	(void)t;
	(void)cpu;
}

/* The clock of a CPU: its earliest sleeper or period timer. */
static inline void world_set_clock(struct sim *s)
{
	uint64_t at = SIM_NEVER;

	for (uint32_t i = 0; i < sim_nr_tasks(s); i++)
		if (w.tasks[i].wake_at && w.tasks[i].task->se.cpu == s->cpu &&
		    w.tasks[i].wake_at < at)
			at = w.tasks[i].wake_at;
	for (int g = 0; g < w.nr_timers; g++)
		if (w.timer_at[g] && w.timer_cpu[g] == s->cpu && w.timer_at[g] < at)
			at = w.timer_at[g];
	engine_set_event(s, s->cpu, at);
}

static inline void world_start_period_timer(struct sim *s, int group, uint64_t period_ns)
{
	if (w.nr_timers <= group)
		w.nr_timers = group + 1;
	w.period_ns[group] = period_ns;
	w.timer_cpu[group] = s->cpu;
	w.timer_at[group] = sim_now_abs(s) + period_ns;
	world_set_clock(s);
}

static const struct sched_world sched_test_world = {
	.set_need_resched = world_set_need_resched,
	.need_resched = world_need_resched,
	.still_sleeps = world_still_sleeps,
	.set_on_cpu = world_set_on_cpu,
	.start_period_timer = world_start_period_timer,
};

static inline void world_clock_irq(struct sim *s)
{
	for (uint32_t i = 0; i < sim_nr_tasks(s); i++) {
		struct world_task *t = &w.tasks[i];

		if (t->wake_at && t->task->se.cpu == s->cpu && t->wake_at <= sim_now_abs(s)) {
			t->wake_at = 0;
			t->woken = true;
			sched_wake(s, t->task);
		}
	}
	for (int g = 0; g < w.nr_timers; g++) {
		if (!w.timer_at[g] || w.timer_cpu[g] != s->cpu || w.timer_at[g] > sim_now_abs(s))
			continue;
		w.timer_at[g] += w.period_ns[g];
		if (!sched_group_refill(s, g, 1))
			w.timer_at[g] = 0;
	}
	world_set_clock(s);
}

static inline void preempt(struct sim *s)
{
	while (me()->need_resched && sim_current(s)->kind != TASK_IDLE)
		sched_schedule(s, PREV_PREEMPTED);
	while (sim_current(s)->kind != TASK_IDLE && !me()->in_kernel && sched_return_to_user(s))
		sched_schedule(s, PREV_PREEMPTED);
}

static inline void sched_world_irq(struct sim *s)
{
	while (s->focus->pending) {
		uint32_t bits = s->focus->pending;

		s->focus->pending = 0;
		s->focus->irqs_off = 1;
		if (bits & BRIDGE_IRQ_TIMER)
			world_clock_irq(s);
		if (bits & BRIDGE_IRQ_TICK)
			sched_tick(s);
		preempt(s);
	}
	s->focus->irqs_off = 0;
}

static const struct world_ops sched_world_ops = { .do_irq = sched_world_irq };

/* ---- what bodies call */

static inline void burn(uint64_t ns)
{
	w.burned[sim_current(w.sim)->id] += ns;
	engine_burn(w.sim, ns);
}

static inline void sleep_until_woken(void)
{
	w.sim->focus->irqs_off = 1;
	me()->woken = false;
	sched_schedule(w.sim, PREV_INTERRUPTIBLE);
	w.sim->focus->irqs_off = 0;
	engine_burn(w.sim, 0);
}

static inline void sleep_ns(uint64_t ns)
{
	w.sim->focus->irqs_off = 1;
	me()->wake_at = sim_now_abs(w.sim) + ns;
	world_set_clock(w.sim);
	sleep_until_woken();
}

static inline void wake(struct task *t)
{
	w.sim->focus->irqs_off = 1;
	w.tasks[t->id].woken = true;
	sched_wake(w.sim, t);
	preempt(w.sim);
	w.sim->focus->irqs_off = 0;
	engine_burn(w.sim, 0);
}

/* ---- making it */

static inline void world_entry(void *arg)
{
	struct world_task *t = arg;

	sched_tail(w.sim);
	w.sim->focus->irqs_off = 0;
	engine_burn(w.sim, 0);
	t->body();
	sim_task_exit(w.sim, t->task);
	w.sim->focus->irqs_off = 1;
	t->woken = false;
	sched_schedule(w.sim, PREV_DEAD);
}

static inline void world_idle_main(void *arg)
{
	struct sim *s = arg;

	for (;;) {
		s->focus->irqs_off = 1;
		while (me()->need_resched)
			sched_schedule(s, PREV_RUNNABLE);
		engine_idle(s);
		s->focus->irqs_off = 0;
		engine_burn(s, 0);
	}
}

static inline void world_stopper(void)
{
	sched_stopper(w.sim);
}

static inline void world_see(void *self, const struct sim *s, const struct probe *p)
{
	(void)self;
	(void)s;
	if (p->kind == PROBE_SCHED_SWITCH && w.nr_switches < 4096)
		w.switches[w.nr_switches++] =
			(struct world_switch){ p->cpu, p->object, p->at_ns, p->arg };
	w.nr_throttles += p->kind == PROBE_THROTTLE;
	w.nr_unthrottles += p->kind == PROBE_UNTHROTTLE;
}

static inline struct task *make(const char *name, enum task_kind kind, void (*body)(void))
{
	struct task *t = sim_task_new(w.sim, name, kind);

	SIM_CHECK(t->id < WORLD_TASKS);
	w.tasks[t->id] = (struct world_task){ .task = t, .body = body };
	return t;
}

static inline void sched_world_new(const struct carrier_ops *carrier,
				   const struct bridge_machine *m)
{
	struct sim_config c = { .machine = *m, .carrier = carrier, .duration_ns = SIM_NEVER,
				.events_max = 10000000 };

	memset(&w, 0, sizeof(w));
	w.sim = sim_new(&c);
	engine_set_world(w.sim, &sched_world_ops, NULL);
	sched_init(w.sim, &sched_test_world);
	w.start = sim_now_abs(w.sim);
	for (int i = 0; i < m->nr_cpus; i++) {
		struct task *idle = make("idle", TASK_IDLE, NULL);

		sim_task_bind(w.sim, idle, NULL, world_idle_main, w.sim);
		sim_set_idle(w.sim, (unsigned int)i, idle);
		sched_attach_idle(w.sim, idle, (unsigned int)i);
	}
	for (int i = 0; i < m->nr_cpus; i++) {
		struct task *stop = make("migration", TASK_KTHREAD, world_stopper);

		sim_task_bind(w.sim, stop, NULL, world_entry, &w.tasks[stop->id]);
		sched_attach_stopper(w.sim, stop, (unsigned int)i);
		sched_wake(w.sim, stop);
	}
	SIM_CHECK(sim_run(w.sim) == SIM_END_QUIET);
	w.start = sim_now_abs(w.sim);
	sim_set_epoch(w.sim, w.start);
	SIM_CHECK(!sim_observe(w.sim, world_see, NULL));
}

static inline struct task *spawn_in(const char *name, int policy, int priority, uint64_t cpus,
				    int group, void (*body)(void))
{
	struct bridge_spawn spec = { .name = name, .cpus = cpus, .policy = policy,
				     .priority = priority, .group = group };
	struct task *t = make(name, TASK_SCENARIO, body);

	sim_task_bind(w.sim, t, NULL, world_entry, &w.tasks[t->id]);
	sched_attach(w.sim, t, &spec);
	return t;
}

/* A task that is runnable from the start. */
static inline struct task *spawn(const char *name, int policy, int priority, uint64_t cpus,
				 void (*body)(void))
{
	struct task *t = spawn_in(name, policy, priority, cpus, -1, body);

	sched_wake(w.sim, t);
	return t;
}

static inline enum sim_end run_all(void)
{
	return sim_run(w.sim);
}

/* Names of the tasks that came to @cpu, in order: "a b idle". */
static inline const char *order_on(uint32_t cpu)
{
	static char text[4096];
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < w.nr_switches; i++)
		if (w.switches[i].cpu == cpu)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
					      sim_task(w.sim, w.switches[i].next)->name);
	return text;
}

#endif
