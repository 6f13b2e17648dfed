/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks of a scenario, in rt-app's layout: events inline or in phases.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/load.h"

static struct scenario_task *task_of(struct loader *l)
{
	return &l->s->tasks[l->task];
}

int load_policy(struct loader *l, const yaml_node_t *n, int *policy)
{
	static const char *const words[] = { "SCHED_OTHER", "SCHED_FIFO", "SCHED_RR", "SCHED_BATCH",
					     "SCHED_IDLE", "SCHED_DEADLINE", NULL };
	static const int policies[] = { BRIDGE_SCHED_OTHER, BRIDGE_SCHED_FIFO, BRIDGE_SCHED_RR,
					BRIDGE_SCHED_BATCH, BRIDGE_SCHED_IDLE, BRIDGE_SCHED_DEADLINE };
	int w = 0, err = doc_word(&l->doc, n, "policy", words, &w);

	*policy = policies[w];
	return err;
}

static int read_policy(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_policy(l, n, &task_of(l)->spawn.policy);
}

static int read_priority(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "priority", -20, 99, &v);

	(void)o;
	task_of(l)->spawn.priority = (int)v;
	return err;
}

static int read_task_cpus(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_cpu_list(l, n, &task_of(l)->spawn.cpus);
}

static int read_group(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_group_ref(l, n, &task_of(l)->spawn.group);
}

static int read_delay(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_time(&l->doc, n, "delay", &task_of(l)->delay_ns);
}

static int read_task_loop(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_int(&l->doc, n, "loop", -1, INT32_MAX, &task_of(l)->loop);
}

static int read_nothing(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)l;
	(void)n;
	(void)o;
	return 0;
}

static int read_dl_runtime(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_time(&l->doc, n, "dl-runtime", &task_of(l)->spawn.dl_runtime_ns);
}

static int read_dl_deadline(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_time(&l->doc, n, "dl-deadline", &task_of(l)->spawn.dl_deadline_ns);
}

static int read_dl_period(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_time(&l->doc, n, "dl-period", &task_of(l)->spawn.dl_period_ns);
}

static struct phase *add_phase(struct scenario_task *t, const char *name)
{
	t->phases = realloc(t->phases, (t->nr_phases + 1) * sizeof(t->phases[0]));
	SIM_CHECK(t->phases);
	t->phases[t->nr_phases] = (struct phase){ .name = strdup(name), .loop = 1 };
	return &t->phases[t->nr_phases++];
}

static int read_phase_loop(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_int(&l->doc, n, "loop", -1, INT32_MAX, &((struct phase *)o)->loop);
}

static int read_phase_cpus(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_cpu_list(l, n, &((struct phase *)o)->cpus);
}

static const struct key phase_keys[] = {
	{ "loop", read_phase_loop, "count", "how often; -1: for ever; default 1" },
	{ "cpus", read_phase_cpus, "list", "CPUs it may run on meanwhile; default the task's own" },
	{ "taskgroup", read_nothing, "path", "accepted from rt-app; the task's own holds" },
	{ 0 }
};
const struct mapping mapping_phase = { "phase", phase_keys, "events that repeat together" };

/* Keys of the table and events may be mixed: both in tasks and in phases. */
static int mixed(struct loader *l, const yaml_node_t *n, const struct mapping *m, void *object,
		 struct steps *steps)
{
	const char *words[64];
	bool seen[64] = { false };
	size_t nr = 0;
	int err = doc_map(&l->doc, n, m->what);

	for (; m->keys[nr].name; nr++)
		words[nr] = m->keys[nr].name;
	words[nr] = NULL;
	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const yaml_node_t *kn = doc_node(&l->doc, p->key), *vn = doc_node(&l->doc, p->value);
		const char *key = doc_text(kn), *near;
		size_t i = 0;

		if (!key)
			return doc_error(&l->doc, kn, "a key of a %s is %s, expected a word", m->what,
					 doc_kind(kn));
		while (i < nr && strcmp(words[i], key))
			i++;
		if (i < nr && seen[i]) {
			err = doc_error(&l->doc, kn, "a second \"%s\" in a %s", key, m->what);
		} else if (i < nr) {
			seen[i] = true;
			err = m->keys[i].read(l, vn, object);
		} else if (load_is_event(key)) {
			err = load_event(l, key, kn, vn, steps);
		} else {
			near = nearest_word(key, words);
			err = doc_error(&l->doc, kn, "a %s has no key or event \"%.40s\"%s%s%s", m->what,
					key, near ? "; did you mean \"" : "", near ? near : "",
					near ? "\"?" : "; see lockstep scenario --schema");
		}
		if (err)
			return err;
	}
	return 0;
}

static int one_phase(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	int err = load_count_step(l, n);
	struct phase *p;

	(void)i;
	if (err)
		return err;
	p = add_phase(task_of(l), name);
	return mixed(l, n, &mapping_phase, p, &p->steps);
}

static int read_phases(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_each(l, n, "phases", one_phase);
}

static const struct key task_keys[] = {
	{ "policy", read_policy,
	  "SCHED_OTHER | SCHED_FIFO | SCHED_RR | SCHED_BATCH | SCHED_IDLE | SCHED_DEADLINE",
	  "default SCHED_OTHER" },
	{ "priority", read_priority, "-20 to 99",
	  "nice of SCHED_OTHER (default 0), 1-99 of SCHED_FIFO and RR (default 10)" },
	{ "cpus", read_task_cpus, "list", "CPUs it may run on; default all" },
	{ "group", read_group, "group", "cgroup it belongs to" },
	{ "delay", read_delay, "time", "sleep before it begins" },
	{ "loop", read_task_loop, "count", "how often its phases repeat; -1: for ever; default 1 "
					   "(rt-app files: for ever)" },
	{ "instance", read_nothing, "count", "how many such tasks; their names get -0, -1 ..." },
	{ "phases", read_phases, "mapping of phase", "events in groups" },
	{ "dl-runtime", read_dl_runtime, "time", "SCHED_DEADLINE" },
	{ "dl-deadline", read_dl_deadline, "time", "SCHED_DEADLINE" },
	{ "dl-period", read_dl_period, "time", "SCHED_DEADLINE" },
	{ "taskgroup", read_nothing, "path", "accepted from rt-app; use group" },
	{ "nodes_membind", read_nothing, "list", "no meaning here" },
	{ "util_min", read_nothing, "number", "no meaning here" },
	{ "util_max", read_nothing, "number", "no meaning here" },
	{ 0 }
};
const struct mapping mapping_task = { "task", task_keys, "a task; events may stand beside keys" };

int load_check_priority(struct loader *l, const yaml_node_t *n, int policy, int *priority)
{
	bool rt = policy == BRIDGE_SCHED_FIFO || policy == BRIDGE_SCHED_RR;

	if (rt && !*priority)
		*priority = 10;
	if (rt && *priority < 1)
		return doc_error(&l->doc, n, "priority is %d, expected 1 to 99 for a real-time task",
				 *priority);
	if (!rt && *priority > 19)
		return doc_error(&l->doc, n, "priority is %d, expected a nice value of -20 to 19",
				 *priority);
	return 0;
}

/* As the kernel and rt-app have it: no deadline, then it is the period; no period: the deadline. */
static int check_deadline(struct loader *l, const yaml_node_t *n, struct bridge_spawn *s)
{
	if (s->policy != BRIDGE_SCHED_DEADLINE)
		return 0;
	if (!s->dl_deadline_ns)
		s->dl_deadline_ns = s->dl_period_ns;
	if (!s->dl_period_ns)
		s->dl_period_ns = s->dl_deadline_ns;
	if (!s->dl_runtime_ns || s->dl_runtime_ns > s->dl_deadline_ns ||
	    s->dl_deadline_ns > s->dl_period_ns)
		return doc_error(&l->doc, n, "SCHED_DEADLINE needs 0 < dl-runtime <= dl-deadline <= "
				 "dl-period");
	return 0;
}

/* Every instance is read anew: each owns what it has. */
int load_task(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	(void)i;
	for (size_t k = 0; k < l->s->nr_tasks; k++) {
		struct scenario_task *t = &l->s->tasks[k];
		struct steps inline_steps = { 0 };
		int err;

		if (strcmp(t->origin, name))
			continue;
		l->task = (int)k;
		err = mixed(l, n, &mapping_task, t, &inline_steps);
		if (inline_steps.nr)
			add_phase(task_of(l), "events")->steps = inline_steps;
		else
			free(inline_steps.all);
		t = task_of(l);
		if (!err)
			err = load_check_priority(l, n, t->spawn.policy, &t->spawn.priority);
		if (!err)
			err = check_deadline(l, n, &t->spawn);
		t->spawn.name = t->name;
		if (err)
			return err;
		if (!t->nr_phases)
			add_phase(t, "nothing");
	}
	return 0;
}

static int name_one(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	struct scenario *s = l->s;
	int64_t instances = 1;
	char full[64];
	int err = doc_map(&l->doc, n, "task");

	(void)i;
	for (yaml_node_pair_t *p = err ? NULL : n->data.mapping.pairs.start;
	     p && p < n->data.mapping.pairs.top && !err; p++) {
		const char *key = doc_text(doc_node(&l->doc, p->key));

		if (key && !strcmp(key, "instance"))
			err = doc_int(&l->doc, doc_node(&l->doc, p->value), "instance", 0,
				      SCENARIO_TASKS_MAX, &instances);
	}
	if (err)
		return err;
	if (s->nr_tasks + (size_t)instances > SCENARIO_TASKS_MAX)
		return doc_error(&l->doc, n, "more than %d tasks", SCENARIO_TASKS_MAX);
	for (int64_t k = 0; k < instances; k++) {
		if (instances > 1)
			snprintf(full, sizeof(full), "%s-%d", name, (int)k);
		else
			snprintf(full, sizeof(full), "%s", name);
		for (size_t j = 0; j < s->nr_tasks; j++)
			if (!strcmp(s->tasks[j].name, full))
				return doc_error(&l->doc, n, "a second task \"%s\"", full);
		s->tasks = realloc(s->tasks, (s->nr_tasks + 1) * sizeof(s->tasks[0]));
		SIM_CHECK(s->tasks);
		s->tasks[s->nr_tasks++] = (struct scenario_task){
			.name = strdup(full), .origin = strdup(name),
			.spawn = { .group = -1, .policy = l->default_policy },
			.loop = l->rtapp ? -1 : 1 };
	}
	return 0;
}

int load_task_names(struct loader *l, const yaml_node_t *n)
{
	return load_each(l, n, "tasks", name_one);
}
