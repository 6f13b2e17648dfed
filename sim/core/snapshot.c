/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshot of a booted machine, so that the next run starts with a copy instead of a boot.
 *
 * Saved are the used parts of the tables and the CPUs; tasks made later are dropped with their
 * stacks.  Events of CPUs lie inside struct cpu and the heap points at them, so heap and CPUs
 * are copied together and every pointer stays right.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sched_private.h"
#include "sim/core/sim_private.h"

struct sim_snapshot {
	struct sim sim;		/* its tables' pointers are not used */
	struct eventq queue;
	struct task *tasks;
	struct lock_entry *locks;
	uint32_t *instances;	/* by name */
	struct rq *rqs;		/* simulated scheduler, or NULL */
};

static void *copy(const void *p, size_t n)
{
	void *d = malloc(n ? n : 1);

	SIM_CHECK(d);
	if (n)
		memcpy(d, p, n);
	return d;
}

void snapshot_free(struct sim *s)
{
	struct sim_snapshot *n = s->snapshot;

	if (!n)
		return;
	eventq_free(&n->queue);
	free(n->tasks);
	free(n->locks);
	free(n->instances);
	free(n->rqs);
	free(n);
	s->snapshot = NULL;
}

void sim_snapshot(struct sim *s)
{
	struct sim_snapshot *n = calloc(1, sizeof(*n));

	SIM_CHECK(n && s->inhost && s->config.carrier->can_restore);
	snapshot_free(s);
	for (uint32_t i = 0; i < s->queue.nr; i++)
		SIM_CHECK(s->queue.heap[i]->kind != EVENT_CALL);
	n->sim = *s;
	eventq_init(&n->queue);
	eventq_copy(&n->queue, &s->queue);
	n->tasks = malloc((s->nr_tasks + 1) * sizeof(n->tasks[0]));
	SIM_CHECK(n->tasks);
	for (uint32_t i = 0; i < s->nr_tasks; i++) {
		n->tasks[i] = *s->tasks[i];
		s->config.carrier->save(s->tasks[i]->carrier);
	}
	n->locks = copy(s->locks, s->nr_locks * sizeof(s->locks[0]));
	n->instances = malloc((s->nr_names + 1) * sizeof(n->instances[0]));
	SIM_CHECK(n->instances);
	for (uint32_t i = 0; i < s->nr_names; i++)
		n->instances[i] = s->names[i].instances;
	n->rqs = sched_save(s);
	s->snapshot = n;
}

/* Calls still queued go back to their list; the heap is copied over afterwards. */
static void drop_calls(struct sim *s)
{
	for (uint32_t i = 0; i < s->queue.nr; i++) {
		struct call *c = (struct call *)s->queue.heap[i];

		if (c->event.kind != EVENT_CALL)
			continue;
		c->next_free = s->free_calls;
		s->free_calls = c;
	}
}

static void restore_tasks(struct sim *s, const struct sim_snapshot *n)
{
	for (uint32_t i = n->sim.nr_tasks; i < s->nr_tasks; i++) {
		if (s->tasks[i]->carrier)
			s->config.carrier->destroy(s->tasks[i]->carrier);
		free(s->tasks[i]);
	}
	for (uint32_t i = 0; i < n->sim.nr_tasks; i++) {
		*s->tasks[i] = n->tasks[i];
		s->config.carrier->restore(s->tasks[i]->carrier);
	}
}

static void restore_names(struct sim *s, const struct sim_snapshot *n)
{
	if (s->nr_old_names < s->nr_names)
		s->nr_old_names = s->nr_names;
	for (uint32_t i = 0; i < n->sim.nr_names; i++)
		s->names[i].instances = n->instances[i];
}

void sim_restore(struct sim *s)
{
	struct sim_snapshot *n = s->snapshot;

	SIM_CHECK(n && s->inhost);
	drop_calls(s);
	restore_tasks(s, n);
	restore_names(s, n);
	free(s->bug_detail);
	sim_locks_restore(s, n->locks, n->sim.nr_locks);
	eventq_copy(&s->queue, &n->queue);
	memcpy(s->cpus, n->sim.cpus, sim_nr_cpus(s) * sizeof(s->cpus[0]));
	sched_restore(s, n->rqs);
	s->own_focus = n->sim.own_focus;
	s->end = SIM_END_NONE;
	s->now = n->sim.now;
	s->epoch = n->sim.epoch;
	s->seq = n->sim.seq;
	s->events = n->sim.events;
	s->cpu = n->sim.cpu;
	s->nr_spinning = n->sim.nr_spinning;
	s->nr_scenario = n->sim.nr_scenario;
	s->had_scenario = n->sim.had_scenario;
	s->nr_tasks = n->sim.nr_tasks;
	s->nr_names = n->sim.nr_names;
	s->nr_groups = n->sim.nr_groups;
	s->bug = NULL;
	s->bug_detail = NULL;
}
