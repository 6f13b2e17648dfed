/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks, groups and names: tables of dense ids.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sim_private.h"

static void *grow(void *p, uint32_t nr, uint32_t *room, size_t size)
{
	if (nr < *room)
		return p;
	*room = *room ? *room * 2 : 64;
	p = realloc(p, *room * size);
	SIM_CHECK(p);
	return p;
}

struct task *sim_task_new(struct sim *s, const char *name, enum task_kind kind)
{
	struct task *t = calloc(1, sizeof(*t));

	SIM_CHECK(t && s->nr_tasks < SIM_TASKS_MAX);
	s->tasks = grow(s->tasks, s->nr_tasks, &s->room_tasks, sizeof(s->tasks[0]));
	t->sim = s;
	t->id = s->nr_tasks;
	memcpy(t->name, name, strnlen(name, sizeof(t->name) - 1));
	t->kind = kind;
	t->group = -1;
	t->prio = t->normal_prio = 120;
	s->tasks[s->nr_tasks++] = t;
	if (kind == TASK_SCENARIO) {
		s->nr_scenario++;
		s->had_scenario = true;
	}
	return t;
}

void sim_task_bind(struct sim *s, struct task *t, void *ktask, void (*entry)(void *), void *arg)
{
	SIM_CHECK(!t->carrier);
	t->ktask = ktask;
	t->entry = entry;
	t->arg = arg;
	t->carrier = s->config.carrier->create(entry, arg);
}

void sim_set_idle(struct sim *s, unsigned int cpu, struct task *t)
{
	struct cpu *c = &s->cpus[cpu];

	SIM_CHECK(!c->curr && t->carrier);
	t->kind = TASK_IDLE;
	c->curr = t;
	if (cpu == s->cpu)
		s->focus->current_task = t->ktask;
	eventq_set(&s->queue, &c->resume, s->now);
}

void sim_task_exit(struct sim *s, struct task *t)
{
	if (t->dead)
		return;
	t->dead = true;
	engine_log(s, PROBE_TASK_EXIT, t->id, 0);
	if (t->kind == TASK_SCENARIO)
		s->nr_scenario--;
}

unsigned int sim_nr_tasks(const struct sim *s)
{
	return s->nr_tasks;
}

struct task *sim_task(const struct sim *s, uint32_t id)
{
	return id < s->nr_tasks ? s->tasks[id] : NULL;
}

/*
 * Names are few (functions, lock classes, groups): a scan is enough behind the cache.
 *
 * After a reset runs say the same names in the same order, so the texts of the run before stay
 * where they were, from nr_names to nr_old_names, as long as this run says the same.  Texts are
 * unique: the one that comes next is not among those before it.
 */
static uint32_t find_name(struct sim *s, const char *name)
{
	uint32_t nr = s->nr_names;

	if (nr < s->nr_old_names && !strcmp(s->names[nr].text, name)) {
		s->names[nr].instances = 0;
		return s->nr_names++;
	}
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(s->names[i].text, name))
			return i;
	sim_forget_old_names(s);
	s->names = grow(s->names, nr, &s->room_names, sizeof(s->names[0]));
	s->names[nr] = (struct name_entry){ .text = strdup(name) };
	SIM_CHECK(s->names[nr].text);
	return s->nr_names++;
}

void sim_forget_old_names(struct sim *s)
{
	for (uint32_t i = s->nr_names; i < s->nr_old_names; i++)
		free(s->names[i].text);
	s->nr_old_names = 0;
}

uint32_t sim_name_id(struct sim *s, const char *name)
{
	uint32_t slot = (uint32_t)((uintptr_t)name >> 3) % NAME_CACHE, id;

	/* A pointer hit still compares the text: the caller may reuse its buffer. */
	if (s->name_cache[slot].ptr == name) {
		id = s->name_cache[slot].id;
		if (id < s->nr_names && !strcmp(s->names[id].text, name))
			return id;
	}
	id = find_name(s, name);
	s->name_cache[slot].ptr = name;
	s->name_cache[slot].id = id;
	return id;
}

const char *sim_name(const struct sim *s, uint32_t id)
{
	return id < s->nr_names ? s->names[id].text : "?";
}

int sim_group_named(struct sim *s, const char *name)
{
	s->groups = grow(s->groups, s->nr_groups, &s->room_groups, sizeof(s->groups[0]));
	s->groups[s->nr_groups] = sim_name_id(s, name);
	return (int)s->nr_groups++;
}

const char *sim_group_name(const struct sim *s, int group)
{
	if (group < 0 || (uint32_t)group >= s->nr_groups)
		return "?";
	return sim_name(s, s->groups[group]);
}
