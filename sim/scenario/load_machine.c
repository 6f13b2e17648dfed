/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine of a scenario: CPUs, soft interrupts, limits, groups and interrupts.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/load.h"

/* ---- machine */

#define MACHINE(o) ((struct scenario *)(o))

static int read_cpus(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "cpus", 1, BRIDGE_CPUS_MAX, &v);

	MACHINE(o)->machine.nr_cpus = (int)v;
	return err;
}

static int read_image(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "image", &MACHINE(o)->image);
}

static int read_duration(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "duration", &MACHINE(o)->duration_ns);
}

static int read_rcu_stall(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "rcu_stall", &MACHINE(o)->machine.rcu_stall_ns);
}

static int read_throttle(struct loader *l, const yaml_node_t *n, void *o)
{
	static const char *const words[] = { "at-once", "at-exit", NULL };
	int w = 0, err = doc_word(&l->doc, n, "throttle", words, &w);

	MACHINE(o)->machine.throttle_at_exit = w == 1;
	return err;
}

static int read_fair_server(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_bool(&l->doc, n, "fair_server", &MACHINE(o)->machine.fair_server);
}

static int read_softirq_thread(struct loader *l, const yaml_node_t *n, void *o)
{
	static const char *const words[] = { "ksoftirqd", "ktimers", NULL };
	int err = doc_word(&l->doc, n, "thread", words, &MACHINE(o)->machine.softirq);

	if (!err && MACHINE(o)->machine.softirq == BRIDGE_SOFTIRQ_KTIMERS &&
	    !MACHINE(o)->machine.softirq_priority)
		MACHINE(o)->machine.softirq_priority = 1;
	return err;
}

static int read_softirq_priority(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "priority", 0, 99, &v);

	MACHINE(o)->machine.softirq_priority = (int)v;
	return err;
}

static const struct key softirq_keys[] = {
	{ "thread", read_softirq_thread, "ksoftirqd | ktimers",
	  "who serves soft timers; ktimers/N is SCHED_FIFO 1, ksoftirqd/N SCHED_OTHER" },
	{ "priority", read_softirq_priority, "0-99",
	  "SCHED_FIFO priority of that thread, 0: SCHED_OTHER" },
	{ 0 }
};
const struct mapping mapping_softirq = { "softirq", softirq_keys, "soft interrupt threads" };

static int read_softirq(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_softirq, o);
}

static const struct key machine_keys[] = {
	{ "cpus", read_cpus, "1-64",
	  "number of CPUs; default 1 (rt-app files: as many as their tasks name)" },
	{ "image", read_image, "image", "kernel image used when --kernel names none" },
	{ "duration", read_duration, "time", "virtual time the run lasts; default 10s" },
	{ "softirq", read_softirq, "mapping", "soft interrupt threads" },
	{ "throttle", read_throttle, "at-once | at-exit",
	  "when a task of a group without quota is taken off its CPU" },
	{ "fair_server", read_fair_server, "bool",
	  "real-time tasks leave waiting fair ones 50 ms of a second; default true, as kernels do" },
	{ "rcu_stall", read_rcu_stall, "time", "timeout of the RCU stall report; default 21s" },
	{ 0 }
};
const struct mapping mapping_machine = { "machine", machine_keys, "the simulated machine" };

int load_machine(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_machine, o);
}

/* ---- limits */

static int read_events(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "events", 1, 1000000000, &v);

	MACHINE(o)->events_max = (uint64_t)v;
	return err;
}

static int read_memory(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "memory", 16, 4096, &v);

	MACHINE(o)->memory_max = (size_t)v << 20;
	return err;
}

static int read_starve(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "starve", &MACHINE(o)->starve_ns);
}

static int read_inversion(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "inversion", &MACHINE(o)->inversion_ns);
}

static const struct key limits_keys[] = {
	{ "events", read_events, "count", "events a run may have; default 20000000" },
	{ "memory", read_memory, "16-4096", "MiB the machine may have; default 256" },
	{ "starve", read_starve, "time", "waits overtaken for longer are starvation; default 1s" },
	{ "inversion", read_inversion, "time", "inverted waits above it are an inversion; default 1ms" },
	{ 0 }
};
const struct mapping mapping_limits = { "limits", limits_keys, "limits of a run" };

int load_limits(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_limits, o);
}

/* ---- rt-app's global section */

int load_ignore(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)l;
	(void)n;
	(void)o;
	return 0;
}

static int read_global_duration(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "duration", -1, 100000, &v);

	if (!err && v >= 0)
		MACHINE(o)->duration_ns = (uint64_t)v * 1000000000u;
	return err;
}

static int read_pi(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_bool(&l->doc, n, "pi_enabled", &l->pi);
}

static int read_default_policy(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_policy(l, n, &l->default_policy);
}

static const struct key global_keys[] = {
	{ "duration", read_global_duration, "seconds", "as machine.duration; -1: the default" },
	{ "pi_enabled", read_pi, "true | false", "mutexes inherit priority; default false" },
	{ "default_policy", read_default_policy, "policy", "of tasks that name none" },
	{ "calibration", load_ignore, "word", "no meaning in virtual time" },
	{ "lock_pages", load_ignore, "bool", "no meaning in virtual time" },
	{ "logdir", load_ignore, "path", "no meaning: use --trace" },
	{ "log_basename", load_ignore, "word", "no meaning: use --trace" },
	{ "log_size", load_ignore, "word", "no meaning: use --trace" },
	{ "ftrace", load_ignore, "word", "no meaning: use --trace" },
	{ "gnuplot", load_ignore, "bool", "no meaning in virtual time" },
	{ "io_device", load_ignore, "path", "no meaning in virtual time" },
	{ "mem_buffer_size", load_ignore, "bytes", "no meaning in virtual time" },
	{ "cumulative_slack", load_ignore, "bool", "no meaning in virtual time" },
	{ 0 }
};
const struct mapping mapping_global = { "global", global_keys, "rt-app's global section" };

int load_global(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_global, o);
}

/* ---- groups and interrupts */

static int read_quota(struct loader *l, const yaml_node_t *n, void *o)
{
	struct group *g = o;
	uint64_t ns = 0;
	int err;

	if (doc_text(n) && !strcmp(doc_text(n), "max")) {
		g->quota_ns = -1;
		return 0;
	}
	err = doc_time(&l->doc, n, "quota", &ns);
	if (!err && ns < 1000000)
		return doc_error(&l->doc, n, "quota is below 1ms, the least the kernel takes");
	g->quota_ns = (int64_t)ns;
	return err;
}

static int read_period(struct loader *l, const yaml_node_t *n, void *o)
{
	struct group *g = o;
	int err = doc_time(&l->doc, n, "period", &g->period_ns);

	if (!err && (g->period_ns < 1000000 || g->period_ns > 1000000000))
		return doc_error(&l->doc, n, "period is outside 1ms to 1s, what the kernel takes");
	return err;
}

static int read_timer_cpu(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_cpu(l, n, "timer_cpu", &((struct group *)o)->timer_cpu);
}

static const struct key group_keys[] = {
	{ "quota", read_quota, "time | max", "CPU time per period (cpu.max)" },
	{ "period", read_period, "time", "default 100ms" },
	{ "timer_cpu", read_timer_cpu, "cpu",
	  "CPU that writes cpu.max, where the period timer sits at first; default 0" },
	{ 0 }
};
const struct mapping mapping_group = { "group", group_keys, "a cgroup with a CPU quota" };

static int read_one_group(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	struct scenario *s = l->s;
	struct group *g;

	(void)i;
	for (size_t k = 0; k < s->nr_groups; k++)
		if (!strcmp(s->groups[k].name, name))
			return doc_error(&l->doc, n, "a second group \"%s\"", name);
	if (s->nr_groups == 64)
		return doc_error(&l->doc, n, "more than 64 groups");
	s->groups = realloc(s->groups, (s->nr_groups + 1) * sizeof(*g));
	SIM_CHECK(s->groups);
	g = &s->groups[s->nr_groups++];
	*g = (struct group){ .name = strdup(name), .quota_ns = -1, .period_ns = 100000000 };
	return load_mapping(l, n, &mapping_group, g);
}

int load_groups(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_each(l, n, "groups", read_one_group);
}

static int read_irq_cpu(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_cpu(l, n, "cpu", &((struct interrupt *)o)->cpu);
}

static int read_irq_threaded(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_bool(&l->doc, n, "threaded", &((struct interrupt *)o)->threaded);
}

static int read_irq_priority(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "priority", 1, 99, &v);

	((struct interrupt *)o)->priority = (int)v;
	return err;
}

static int read_irq_first(struct loader *l, const yaml_node_t *n, void *o)
{
	((struct interrupt *)o)->timed = true;
	return doc_time(&l->doc, n, "first", &((struct interrupt *)o)->first_ns);
}

static int read_irq_period(struct loader *l, const yaml_node_t *n, void *o)
{
	((struct interrupt *)o)->timed = true;
	return doc_time(&l->doc, n, "period", &((struct interrupt *)o)->period_ns);
}

static int read_irq_count(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "count", 1, 1000000000, &v);

	((struct interrupt *)o)->count = (uint64_t)v;
	return err;
}

static int read_irq_handler(struct loader *l, const yaml_node_t *n, void *o)
{
	struct interrupt *irq = o;
	int err = doc_map(&l->doc, n, "handler");

	l->in_handler = true;
	for (yaml_node_pair_t *p = err ? NULL : n->data.mapping.pairs.start;
	     p && p < n->data.mapping.pairs.top && !err; p++) {
		const yaml_node_t *key = doc_node(&l->doc, p->key);

		err = load_event(l, doc_text(key) ? doc_text(key) : "", key,
				 doc_node(&l->doc, p->value), &irq->handler);
	}
	l->in_handler = false;
	return err;
}

static const struct key interrupt_keys[] = {
	{ "cpu", read_irq_cpu, "cpu", "CPU it is delivered to; default 0" },
	{ "threaded", read_irq_threaded, "bool",
	  "handler in a thread with bottom halves off (forced threading); default true" },
	{ "priority", read_irq_priority, "1-99", "SCHED_FIFO priority of the thread; default 50" },
	{ "first", read_irq_first, "time", "when it comes first" },
	{ "period", read_irq_period, "time", "time between two; 0: once" },
	{ "count", read_irq_count, "count", "how many; default without end" },
	{ "handler", read_irq_handler, "events", "what the handler does; it may not sleep" },
	{ 0 }
};
const struct mapping mapping_interrupt = { "interrupt", interrupt_keys, "a device interrupt" };

int load_name_one_interrupt(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	struct scenario *s = l->s;

	(void)i;
	for (size_t k = 0; k < s->nr_interrupts; k++)
		if (!strcmp(s->interrupts[k].name, name))
			return doc_error(&l->doc, n, "a second interrupt \"%s\"", name);
	if (s->nr_interrupts == 16)
		return doc_error(&l->doc, n, "more than 16 interrupts");
	s->interrupts = realloc(s->interrupts, (s->nr_interrupts + 1) * sizeof(s->interrupts[0]));
	SIM_CHECK(s->interrupts);
	s->interrupts[s->nr_interrupts++] = (struct interrupt){ .name = strdup(name),
								.threaded = true, .priority = 50 };
	return 0;
}

static int read_one_interrupt(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	(void)name;
	return load_mapping(l, n, &mapping_interrupt, &l->s->interrupts[i]);
}

int load_interrupts(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_each(l, n, "interrupts", read_one_interrupt);
}
