/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds, triggers and interrupts: what happens at a place in kernel code, or at a time.
 */
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/run_private.h"

/* Start offsets are drawn from this range: real programs never start at the same instant. */
#define START_SPREAD_NS 100000
#define THROTTLE_STEP_NS 20000

/* "&ep->lock" names every instance of it, "&ep->lock#2" the second one. */
static bool is_lock(const struct run *r, uint32_t lock, const char *name)
{
	const char *full = sim_lock(r->sim, lock)->name;
	size_t n = strlen(name);

	return !strncmp(full, name, n) && (!full[n] || full[n] == '#');
}

static bool is_task(const struct run *r, int index)
{
	return index < 0 || sim_current(r->sim) == r->tasks[index].task;
}

void run_watch_throttling(void *self, const struct sim *s, const struct probe *p)
{
	struct run *r = self;

	(void)s;
	if (p->kind != PROBE_THROTTLE)
		return;
	for (size_t i = 0; i < r->sc->nr_tasks; i++)
		if (r->tasks[i].task->id == p->object)
			r->throttle_seen[i] = true;
}

/* The task here uses up what is left of its group's quota: the real throttle follows. */
static void use_up_quota(struct run *r, int index)
{
	int group;

	if (!is_task(r, index))
		return;
	group = r->sc->tasks[index].spawn.group;
	if (group < 0 || r->sc->groups[group].quota_ns < 0)
		return;
	r->throttle_seen[index] = false;
	/* Time is charged at ticks; boosted out of its group it is never throttled. */
	for (int64_t left = r->sc->groups[group].quota_ns + 2 * (int64_t)SIM_TICK_NS;
	     left > 0 && !r->throttle_seen[index]; left -= THROTTLE_STEP_NS)
		engine_burn(r->sim, THROTTLE_STEP_NS);
}

static void act(struct run *r, size_t i)
{
	const struct trigger *t = &r->sc->triggers[i];

	if (!r->trigger_left[i] || sim_now(r->sim) < t->after_ns)
		return;
	r->trigger_left[i]--;
	if (t->interrupt >= 0)
		engine_raise_line(r->sim, (unsigned int)r->sc->interrupts[t->interrupt].cpu,
				  t->interrupt);
	if (t->wake >= 0) {
		r->tasks[t->wake].resumed = true;	/* if it was suspended */
		r->ops->wake(r->tasks[t->wake].task);
	}
	if (t->burn_ns)
		engine_burn(r->sim, t->burn_ns);
	if (t->preempt_ns) {
		struct run_task *p = &r->preempters[sim_cpu(r->sim)];

		p->preempt_ns = t->preempt_ns;
		run_resume(r, p);
	}
	if (t->throttle >= 0)
		use_up_quota(r, t->throttle);
}

static void lock_hook(void *self, uint32_t lock, unsigned int mode, bool acquired,
		      const char *function)
{
	struct run *r = self;

	(void)mode;
	if (!acquired)
		return;
	for (size_t i = 0; i < r->sc->nr_holds; i++) {
		const struct hold *h = &r->sc->holds[i];

		if (is_task(r, h->task) && is_lock(r, lock, h->lock) &&
		    (!h->function || (function && !strcmp(function, h->function))))
			engine_burn(r->sim, h->ns);
	}
	for (size_t i = 0; i < r->sc->nr_triggers; i++) {
		const struct trigger *t = &r->sc->triggers[i];

		if (t->lock && is_task(r, t->task) && is_lock(r, lock, t->lock) &&
		    (!t->function || (function && !strcmp(function, t->function))))
			act(r, i);
	}
}

static void function_hook(void *self, const char *function)
{
	struct run *r = self;

	for (size_t i = 0; i < r->sc->nr_triggers; i++) {
		const struct trigger *t = &r->sc->triggers[i];

		if (!t->lock && is_task(r, t->task) && !strcmp(function, t->function)) {
			engine_log(r->sim, PROBE_FUNCTION, sim_name_id(r->sim, function), 0);
			act(r, i);
		}
	}
}

static void irq_handler(void *self, int line)
{
	struct run *r = self;
	struct run_task dummy = { .run = r, .task = sim_current(r->sim), .waits_in = -1 };

	run_steps(r, &dummy, &r->sc->interrupts[line].handler);
}

/* A phase may have CPUs of its own. */
static void go_to(struct run *r, struct run_task *t, uint64_t cpus)
{
	if (!cpus)
		cpus = t->spec->spawn.cpus;
	if (cpus == t->cpus)
		return;
	t->cpus = cpus;
	r->ops->set_affinity(t->task, cpus);
}

static void task_main(void *self, struct task *task)
{
	struct run *r = self;
	struct run_task *t = task->body;

	if (!t) {
		run_setup(r, task);
		return;
	}
	while (t->preempts) {
		run_wait_resumed(r, t);
		engine_burn(r->sim, t->preempt_ns);
	}
	run_call(r, SYS_NANOSLEEP,
		 (long)(t->spec->delay_ns + engine_choose(r->sim, START_SPREAD_NS)), 0, 0, 0);
	for (int64_t loop = t->spec->loop; loop; loop -= loop > 0) {
		for (size_t p = 0; p < t->spec->nr_phases; p++) {
			go_to(r, t, t->spec->phases[p].cpus);
			for (int64_t n = t->spec->phases[p].loop; n; n -= n > 0) {
				/* a turn takes time even when nothing is in it: it must end */
				engine_cost(r->sim, COST_STEP);
				run_steps(r, t, &t->spec->phases[p].steps);
			}
		}
	}
}

void run_hooks(struct run *r)
{
	struct machine_hooks h = { .self = r, .task_main = task_main, .irq_handler = irq_handler };

	if (r->sc->nr_holds || r->sc->nr_triggers)
		h.lock_hook = lock_hook;
	r->ops->focus->fentry_on = 0;
	for (size_t i = 0; i < r->sc->nr_triggers; i++) {
		if (r->sc->triggers[i].lock)
			continue;
		h.function_hook = function_hook;
		r->ops->focus->fentry_on = 1;
	}
	machine_set_hooks(r->machine, &h);
}

/* ---- interrupts that come by the clock */

static void raise(struct sim *s, void *arg)
{
	struct run *r = arg;

	/* Lines are few: whoever is due now is found by asking all. */
	for (size_t i = 0; i < r->sc->nr_interrupts; i++) {
		const struct interrupt *irq = &r->sc->interrupts[i];
		uint64_t due = irq->first_ns + r->irq_done[i] * irq->period_ns;
		uint64_t all = irq->count ? irq->count : irq->period_ns ? UINT64_MAX : 1;

		if (!irq->timed || r->irq_done[i] >= all || due > sim_now(s))
			continue;
		engine_raise_line(s, (unsigned int)irq->cpu, (int)i);
		if (++r->irq_done[i] < all)
			engine_call_at(s, due + irq->period_ns, raise, r);
	}
}

void run_start_interrupts(struct run *r)
{
	for (size_t i = 0; i < r->sc->nr_interrupts; i++)
		if (r->sc->interrupts[i].timed)
			engine_call_at(r->sim, r->sc->interrupts[i].first_ns, raise, r);
}
