/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/scenario/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/scenario/run_private.h"
#include "sim/trace/ftrace.h"

static int no_image(const char *image, const char *why, struct diag *d)
{
	const char *words[65] = { 0 };
	const char *near;
	char **names;
	int nr = image_names(&names);

	for (int i = 0; i < nr && i < 64; i++)
		words[i] = names[i];
	near = nearest_word(image, words);
	diag_at(d, "--kernel", 0, 0, "%s%s%s%s", why, near ? "; did you mean \"" : "",
		near ? near : "", near ? "\"?" : "; lockstep list shows what there is");
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	return -EINVAL;
}

static int check_functions(struct run *r, struct diag *d)
{
	for (size_t i = 0; i < r->sc->nr_triggers; i++) {
		const char *f = r->sc->triggers[i].function;

		if (f && !image_function(r->image, f))
			return diag_at(d, r->sc->file, 0, 0, "trigger: %s has no function \"%s\" (or the "
				       "compiler inlined it)", r->ops->name, f);
	}
	for (size_t i = 0; i < r->sc->nr_holds; i++) {
		const char *f = r->sc->holds[i].function;

		if (f && !image_function(r->image, f))
			return diag_at(d, r->sc->file, 0, 0, "hold: %s has no function \"%s\" (or the "
				       "compiler inlined it)", r->ops->name, f);
	}
	return 0;
}

/* A tree's own scheduler throttles as that kernel does; before 6.18 at once. */
static int check_throttle(struct run *r, struct diag *d)
{
	if (!r->sc->machine.fair_server && !strcmp(r->ops->scheduler, "tree"))
		return diag_at(d, r->sc->file, 0, 0, "fair_server: false: the scheduler of %s has its "
			       "own rule; an image with Lockstep's own does without (%.40s@sched)",
			       r->ops->name, r->ops->name);
	if (!r->sc->machine.throttle_at_exit || r->ops->throttle & BRIDGE_THROTTLE_AT_EXIT)
		return 0;
	return diag_at(d, r->sc->file, 0, 0, "throttle: at-exit: the scheduler of %s throttles at once; "
		       "an image with Lockstep's own does either (%.40s@sched)", r->ops->name,
		       r->ops->name);
}

static bool needs_kernel(const struct steps *steps)
{
	for (size_t i = 0; i < steps->nr; i++)
		if (steps->all[i].kind == STEP_CALL_RCU ||
		    steps->all[i].kind == STEP_SYNCHRONIZE_RCU)
			return true;
	return false;
}

static int refuse(struct run *r, const char *what, const char *name, struct diag *d)
{
	return diag_at(d, r->sc->file, 0, 0, "%s \"%.40s\" needs a kernel, and %s has none; "
		       "lockstep list shows the images", what, name, r->ops->name);
}

/* Files, RCU and the kernel's functions are the kernel's. */
static int check_kernel(struct run *r, struct diag *d)
{
	const struct scenario *sc = r->sc;

	if (r->ops->nr_units)
		return 0;
	for (size_t i = 0; i < sc->nr_resources; i++)
		if (sc->resources[i].type <= RESOURCE_EPOLL)
			return refuse(r, "resource", sc->resources[i].name, d);
	for (size_t i = 0; i < sc->nr_tasks; i++)
		for (size_t p = 0; p < sc->tasks[i].nr_phases; p++)
			if (needs_kernel(&sc->tasks[i].phases[p].steps))
				return refuse(r, "RCU in task", sc->tasks[i].name, d);
	for (size_t i = 0; i < sc->nr_holds; i++)
		if (sc->holds[i].function)
			return refuse(r, "hold in function", sc->holds[i].function, d);
	for (size_t i = 0; i < sc->nr_triggers; i++)
		if (sc->triggers[i].function)
			return refuse(r, "trigger on function", sc->triggers[i].function, d);
	return 0;
}

static void allocate(struct run *r)
{
	const struct scenario *sc = r->sc;

	r->tasks = calloc(sc->nr_tasks + 1, sizeof(r->tasks[0]));
	r->resources = calloc(sc->nr_resources + 1, sizeof(r->resources[0]));
	r->groups = calloc(sc->nr_groups + 1, sizeof(r->groups[0]));
	r->trigger_left = calloc(sc->nr_triggers + 1, sizeof(r->trigger_left[0]));
	r->irq_done = calloc(sc->nr_interrupts + 1, sizeof(r->irq_done[0]));
	r->throttle_seen = calloc(sc->nr_tasks + 1, sizeof(r->throttle_seen[0]));
	r->missed = calloc(sc->nr_tasks + 1, sc->nr_resources + 1);
	for (size_t i = 0; i < sc->nr_triggers; i++)
		if (sc->triggers[i].preempt_ns && !r->preempters)
			r->preempters = calloc((size_t)sc->machine.nr_cpus, sizeof(r->preempters[0]));
	SIM_CHECK(r->missed && r->tasks && r->resources && r->groups && r->trigger_left && r->irq_done &&
		  r->throttle_seen);
}

int run_open(const struct scenario *sc, const char *image, const char *carrier, struct run **out,
	     struct diag *d)
{
	struct sim_config c = { .machine = sc->machine, .carrier = carrier_by_name(carrier),
				.duration_ns = sc->duration_ns, .events_max = sc->events_max,
				.memory_max = sc->memory_max };
	struct run *r;
	char why[300];
	int err;

	if (!c.carrier)
		return diag_at(d, "--carrier", 0, 0, "\"%s\" is unknown, expected fiber or pthread",
			       carrier);
	r = calloc(1, sizeof(*r));
	SIM_CHECK(r);
	r->sc = sc;
	r->carrier = c.carrier->name;
	err = image_open(image, &r->image, why, sizeof(why));
	if (err) {
		free(r);
		return no_image(image, why, d);
	}
	r->ops = image_ops(r->image);
	err = check_kernel(r, d);
	if (!err)
		err = check_throttle(r, d);
	if (!err)
		err = check_functions(r, d);
	if (!err) {
		allocate(r);
		err = machine_new(r->image, &c, &r->machine, why, sizeof(why));
		if (err)
			diag_at(d, "--kernel", 0, 0, "%s", why);
	}
	if (err) {
		run_close(r);
		return -EINVAL;
	}
	r->fresh = true;
	*out = r;
	return 0;
}

void run_close(struct run *r)
{
	if (!r)
		return;
	machine_free(r->machine);
	free(r->tasks);
	free(r->resources);
	free(r->groups);
	free(r->trigger_left);
	free(r->irq_done);
	free(r->throttle_seen);
	free(r->preempters);
	free(r->missed);
	free(r);
}

static int spawn(struct run *r, struct task *t, const struct bridge_spawn *spec, struct diag *d)
{
	struct bridge_spawn s = *spec;
	int err;

	if (s.group >= 0)
		s.group = r->groups[s.group];
	t->group = s.group;
	err = r->ops->spawn(t, &s);
	if (err)
		return diag_at(d, r->sc->file, 0, 0, "task \"%s\" is refused by the kernel: %s", s.name,
			       strerror(-err));
	/* what an image's scheduler will say of it */
	t->normal_prio = s.policy == BRIDGE_SCHED_FIFO || s.policy == BRIDGE_SCHED_RR ?
				 99 - s.priority : s.policy == BRIDGE_SCHED_DEADLINE ? -1 :
				 120 + s.priority;
	t->prio = t->normal_prio;
	t->policy = s.policy;
	engine_log(r->sim, PROBE_TASK_NEW, t->id, t->prio);
	return 0;
}

static void clear(struct run *r)
{
	const struct scenario *sc = r->sc;

	memset(r->resources, 0, sc->nr_resources * sizeof(r->resources[0]));
	memset(r->missed, 0, sc->nr_tasks * sc->nr_resources);
	memset(r->irq_done, 0, sc->nr_interrupts * sizeof(r->irq_done[0]));
	memset(r->throttle_seen, 0, sc->nr_tasks * sizeof(r->throttle_seen[0]));
	for (size_t i = 0; i < sc->nr_triggers; i++)
		r->trigger_left[i] = sc->triggers[i].count;
}

static void count_barriers(struct run *r)
{
	for (size_t i = 0; i < r->sc->nr_resources; i++) {
		if (r->sc->resources[i].type != RESOURCE_BARRIER)
			continue;
		for (size_t t = 0; t < r->sc->nr_tasks; t++) {
			bool uses = false;

			for (size_t p = 0; p < r->sc->tasks[t].nr_phases; p++) {
				const struct steps *s = &r->sc->tasks[t].phases[p].steps;

				for (size_t k = 0; k < s->nr; k++)
					uses |= s->all[k].kind == STEP_BARRIER &&
						s->all[k].ref == (int)i;
			}
			r->resources[i].nr_users += uses;
		}
	}
}

/* Above all others, one a CPU: a trigger resumes the one of its CPU. */
static int make_preempters(struct run *r, struct diag *d)
{
	char name[32];

	for (int i = 0; i < r->sc->machine.nr_cpus; i++) {
		struct run_task *p = &r->preempters[i];
		struct bridge_spawn spec = { .name = name, .cpus = 1ull << i, .group = -1,
					     .policy = BRIDGE_SCHED_FIFO, .priority = 99 };

		snprintf(name, sizeof(name), "preempter/%d", i);
		*p = (struct run_task){ .run = r, .index = -1, .waits_in = -1, .preempts = true };
		p->task = sim_task_new(r->sim, name, TASK_KTHREAD);
		p->task->body = p;
		if (spawn(r, p->task, &spec, d))
			return -EINVAL;
	}
	return 0;
}

static int prepare(struct run *r, struct diag *d)
{
	const struct scenario *sc = r->sc;
	struct bridge_spawn init = { .name = "init", .cpus = ~0ull, .policy = BRIDGE_SCHED_FIFO,
				     .priority = 99, .group = -1 };
	struct task *t;

	clear(r);
	count_barriers(r);
	run_hooks(r);
	if (sc->machine.nr_cpus < 64)
		init.cpus = (1ull << sc->machine.nr_cpus) - 1;
	for (size_t i = 0; i < sc->nr_groups; i++) {
		r->groups[i] = r->ops->group_new(sc->groups[i].name, -1, sc->groups[i].period_ns);
		sim_group_named(r->sim, sc->groups[i].name);
		if (r->groups[i] < 0)
			return diag_at(d, sc->file, 0, 0, "group \"%s\" is refused by the kernel: %s",
				       sc->groups[i].name, strerror(-r->groups[i]));
	}
	for (size_t i = 0; i < sc->nr_tasks; i++) {
		int err;

		t = sim_task_new(r->sim, sc->tasks[i].name, TASK_SCENARIO);
		r->tasks[i] = (struct run_task){ .run = r, .spec = &sc->tasks[i], .task = t,
						 .index = (int)i, .waits_in = -1,
						 .cpus = sc->tasks[i].spawn.cpus,
						 .missed = r->missed + i * sc->nr_resources };
		t->body = &r->tasks[i];
		err = spawn(r, t, &sc->tasks[i].spawn, d);
		if (err)
			return err;
	}
	for (size_t i = 0; i < sc->nr_interrupts; i++) {
		const struct interrupt *irq = &sc->interrupts[i];

		if (r->ops->irq_new((int)i, irq->cpu,
				    irq->threaded ? BRIDGE_IRQ_THREADED : BRIDGE_IRQ_HARD,
				    irq->priority, irq->name))
			return diag_at(d, sc->file, 0, 0, "interrupt \"%s\" is refused", irq->name);
	}
	if (r->preempters && make_preempters(r, d))
		return -EINVAL;
	t = sim_task_new(r->sim, "init", TASK_SCENARIO);
	if (spawn(r, t, &init, d))
		return -EINVAL;
	r->ops->start(t);
	return 0;
}

int run_once(struct run *r, uint64_t seed, struct ftrace *trace, struct run_result *out,
	     struct diag *d)
{
	struct detect_limits limits = { .starve_ns = r->sc->starve_ns,
					.inversion_ns = r->sc->inversion_ns };
	enum sim_end end;
	int err;

	if (!r->fresh && machine_reset(r->machine))
		return diag_at(d, "--kernel", 0, 0, "%s: does not boot again", r->ops->name);
	r->fresh = false;
	r->sim = machine_sim(r->machine);
	machine_select(r->machine);
	oracle_random_init(&r->oracle, seed);
	sim_set_oracle(r->sim, &r->oracle.base);
	*out = (struct run_result){ .scenario = r->sc, .sim = r->sim, .image = r->ops->name,
				    .locks = r->ops->locks, .carrier = r->carrier, .seed = seed };
	out->detect = detect_new(&limits);
	sim_clear_observers(r->sim);
	SIM_CHECK(!sim_observe(r->sim, detect_probe, out->detect));
	SIM_CHECK(!sim_observe(r->sim, run_watch_throttling, r));
	if (trace)
		SIM_CHECK(!sim_observe(r->sim, ftrace_probe, trace));
	err = prepare(r, d);
	if (err) {
		run_result_free(out);
		return err;
	}
	end = machine_run(r->machine);
	out->sim_ns = sim_now(r->sim);
	out->events = sim_events(r->sim);
	detect_end(out->detect, r->sim, out->sim_ns);
	run_judge(r, end, out);
	out->printed = machine_printed(r->machine);
	return 0;
}

void run_result_free(struct run_result *out)
{
	detect_free(out->detect);
	out->detect = NULL;
}
