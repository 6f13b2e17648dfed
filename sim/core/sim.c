/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Life of a machine and what others may ask of it.
 */
#include "sim/core/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/abstract.h"
#include "sim/core/sched_private.h"
#include "sim/core/sim_private.h"

/* Kernel time at the start: late enough that no subtraction from now goes below zero. */
#define SIM_BOOT_NS 1000000000ull

struct sim *sim_new(const struct sim_config *c)
{
	struct sim *s = calloc(1, sizeof(*s));

	SIM_CHECK(s && c->machine.nr_cpus > 0 && c->machine.nr_cpus <= SIM_CPUS_MAX);
	s->config = *c;
	s->inhost = true;
	s->now = SIM_BOOT_NS;
	s->epoch = SIM_NEVER;
	s->focus = &s->own_focus;
	eventq_init(&s->queue);
	for (int i = 0; i < c->machine.nr_cpus; i++) {
		struct cpu *cpu = &s->cpus[i];

		cpu->wait = CPU_BURN;	/* until its idle task runs for the first time */
		cpu->irqs_off = 1;
		event_init(&cpu->resume, EVENT_RESUME, (unsigned int)i);
		event_init(&cpu->clock, EVENT_CLOCK, (unsigned int)i);
		event_init(&cpu->tick, EVENT_TICK, (unsigned int)i);
		event_init(&cpu->ipi, EVENT_IPI, (unsigned int)i);
	}
	memset(s->lock_hash, 0xff, sizeof(s->lock_hash));
	return s;
}

static void free_calls(struct sim *s)
{
	struct event *e;
	struct call *c;

	while ((e = eventq_pop(&s->queue)))
		if (e->kind == EVENT_CALL)
			free((struct call *)e);
	while ((c = s->free_calls)) {
		s->free_calls = c->next_free;
		free(c);
	}
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	snapshot_free(s);
	sched_free(s);
	abstract_free(s);
	free_calls(s);
	for (uint32_t i = 0; i < s->nr_tasks; i++) {
		if (s->tasks[i]->carrier)
			s->config.carrier->destroy(s->tasks[i]->carrier);
		free(s->tasks[i]);
	}
	sim_forget_old_names(s);
	for (uint32_t i = 0; i < s->nr_names; i++)
		free(s->names[i].text);
	free(s->tasks);
	free(s->locks);
	free(s->names);
	free(s->groups);
	free(s->bug_detail);
	eventq_free(&s->queue);
	free(s);
}

void sim_set_oracle(struct sim *s, struct oracle *o)
{
	s->oracle = o;
}

int sim_observe(struct sim *s, probe_fn *fn, void *self)
{
	if (s->nr_observers == SIM_OBSERVERS_MAX)
		return -ENOSPC;
	s->observers[s->nr_observers].fn = fn;
	s->observers[s->nr_observers++].self = self;
	return 0;
}

void sim_clear_observers(struct sim *s)
{
	s->nr_observers = 0;
}

void sim_stop(struct sim *s, enum sim_end why)
{
	if (s->end == SIM_END_NONE)
		s->end = why;
}

static void time_over(struct sim *s, void *arg)
{
	(void)arg;
	sim_stop(s, SIM_END_TIME);
}

void sim_set_epoch(struct sim *s, uint64_t abs_ns)
{
	SIM_CHECK(abs_ns >= s->now);
	s->now = s->epoch = abs_ns;
	s->seq = s->events = 0;
	if (s->config.duration_ns != SIM_NEVER)
		engine_call_at(s, s->config.duration_ns, time_over, NULL);
}

uint64_t sim_now_abs(const struct sim *s)
{
	return s->now;
}

uint64_t sim_now(const struct sim *s)
{
	return s->now > s->epoch ? s->now - s->epoch : 0;
}

uint64_t sim_events(const struct sim *s)
{
	return s->events;
}

unsigned int sim_nr_cpus(const struct sim *s)
{
	return (unsigned int)s->config.machine.nr_cpus;
}

unsigned int sim_cpu(const struct sim *s)
{
	return s->cpu;
}

struct task *sim_current(const struct sim *s)
{
	return s->cpus[s->cpu].curr;
}

struct task *sim_running(const struct sim *s, unsigned int cpu)
{
	return s->cpus[cpu].curr;
}

const char *sim_bug(const struct sim *s)
{
	return s->bug;
}

const char *sim_bug_detail(const struct sim *s)
{
	return s->bug_detail;
}
