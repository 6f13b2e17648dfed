/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading scenarios: the top level, the machine and what refers to what.
 *
 * Names are collected before anything that may refer to them is read, so order in the file does
 * not matter.
 */
#include "sim/scenario/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/check.h"

#define FILE_MAX (4u << 20)
#define EVENTS_MAX_DEFAULT 20000000
#define MEMORY_MAX_DEFAULT (256u << 20)

int load_mapping(struct loader *l, const yaml_node_t *n, const struct mapping *m, void *object)
{
	int err = doc_map(&l->doc, n, m->what);
	const char *words[64];
	bool seen[64] = { false };
	size_t nr = 0;

	for (; m->keys[nr].name; nr++)
		words[nr] = m->keys[nr].name;
	words[nr] = NULL;
	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = doc_node(&l->doc, p->key);
		const char *name = doc_text(key), *near;
		size_t i = 0;

		if (!name)
			return doc_error(&l->doc, key, "a key of %s is %s, expected a word", m->what,
					 doc_kind(key));
		while (i < nr && strcmp(words[i], name))
			i++;
		if (i == nr) {
			near = nearest_word(name, words);
			return doc_error(&l->doc, key, "%s has no key \"%.40s\"%s%s%s", m->what, name,
					 near ? "; did you mean \"" : "", near ? near : "",
					 near ? "\"?" : "; see lockstep scenario --schema");
		}
		if (seen[i])
			return doc_error(&l->doc, key, "a second \"%s\" in %s", name, m->what);
		seen[i] = true;
		err = m->keys[i].read(l, doc_node(&l->doc, p->value), object);
		if (err)
			return err;
	}
	return 0;
}

int load_each(struct loader *l, const yaml_node_t *n, const char *what,
	      int (*fn)(struct loader *l, const char *name, const yaml_node_t *value, size_t i))
{
	int err = doc_map(&l->doc, n, what);
	size_t i = 0;

	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = doc_node(&l->doc, p->key);
		const char *name = doc_text(key);

		if (!name || !*name || strlen(name) > 31)
			return doc_error(&l->doc, key, "a name in %s must have 1 to 31 characters", what);
		err = fn(l, name, doc_node(&l->doc, p->value), i++);
		if (err)
			return err;
	}
	return 0;
}

/* ---- references */

/* Every table of named things begins with its name. */
static int find(struct loader *l, const yaml_node_t *n, const char *what, const void *table,
		size_t size, size_t nr, int *out)
{
	const char *t = doc_text(n), *words[1024], *near;

	if (!t)
		return doc_error(&l->doc, n, "%s is %s, expected a name", what, doc_kind(n));
	for (size_t i = 0; i < nr; i++) {
		const char *name = *(char *const *)((const char *)table + i * size);

		if (!strcmp(name, t)) {
			*out = (int)i;
			return 0;
		}
		if (i < 1023)
			words[i] = name;
	}
	words[nr < 1023 ? nr : 1023] = NULL;
	near = nearest_word(t, words);
	return doc_error(&l->doc, n, "no %s \"%.40s\"%s%s%s", what, t,
			 near ? "; did you mean \"" : " is defined", near ? near : "",
			 near ? "\"?" : "");
}

int load_resource_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	return find(l, n, "resource", l->s->resources, sizeof(l->s->resources[0]),
		    l->s->nr_resources, out);
}

int load_task_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	return find(l, n, "task", l->s->tasks, sizeof(l->s->tasks[0]), l->s->nr_tasks, out);
}

int load_group_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	return find(l, n, "group", l->s->groups, sizeof(l->s->groups[0]), l->s->nr_groups, out);
}

int load_interrupt_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	return find(l, n, "interrupt", l->s->interrupts, sizeof(l->s->interrupts[0]),
		    l->s->nr_interrupts, out);
}

int load_implicit(struct loader *l, const yaml_node_t *n, const char *name,
		  enum resource_type type, int *out)
{
	for (size_t i = 0; i < l->s->nr_resources; i++) {
		if (!strcmp(l->s->resources[i].name, name)) {
			*out = (int)i;
			return 0;
		}
	}
	if (strlen(name) > 31 || !*name)
		return doc_error(&l->doc, n, "a name of a resource must have 1 to 31 characters");
	if (l->s->nr_resources >= RESOURCES_MAX)
		return doc_error(&l->doc, n, "more than %d resources", RESOURCES_MAX);
	load_add_resource(l, name, type);
	*out = (int)l->s->nr_resources - 1;
	return 0;
}

int load_count_step(struct loader *l, const yaml_node_t *n)
{
	if (++l->nr_steps > STEPS_MAX)
		return doc_error(&l->doc, n,
				 "more than %d events and phases in all tasks and instances",
				 STEPS_MAX);
	return 0;
}

int load_cpu(struct loader *l, const yaml_node_t *n, const char *what, int *out)
{
	int64_t cpu = 0;
	int last = l->s->machine.nr_cpus - 1, err;

	err = doc_int(&l->doc, n, what, 0, BRIDGE_CPUS_MAX - 1, &cpu);
	if (!err && cpu > last)
		return doc_error(&l->doc, n,
				 "%s is %d, expected a CPU of the machine (machine.cpus): %s%d",
				 what, (int)cpu, last ? "0 to " : "", last);
	*out = (int)cpu;
	return err;
}

int load_cpu_list(struct loader *l, const yaml_node_t *n, uint64_t *out)
{
	int err, cpu;

	*out = 0;
	if (n->type == YAML_SCALAR_NODE) {
		err = load_cpu(l, n, "cpu", &cpu);
		*out = err ? 0 : 1ull << cpu;
		return err;
	}
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "cpus is %s, expected a list of CPU numbers", doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		err = load_cpu(l, doc_node(&l->doc, *i), "cpu", &cpu);
		if (err)
			return err;
		*out |= 1ull << cpu;
	}
	return *out ? 0 : doc_error(&l->doc, n, "cpus is empty, expected at least one CPU number");
}

#define MACHINE(o) ((struct scenario *)(o))

/* ---- top */

static int read_name(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "name", &MACHINE(o)->name);
}

static int read_tasks(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_each(l, n, "tasks", load_task);
}

static const struct key top_keys[] = {
	{ "name", read_name, "text", "default: the file's name" },
	{ "source", load_ignore, "text", "where the case comes from" },
	{ "machine", load_ignore, "mapping", "the simulated machine" },
	{ "global", load_ignore, "mapping", "rt-app's global section" },
	{ "groups", load_ignore, "mapping of group", "cgroups with a CPU quota" },
	{ "resources", load_ignore, "mapping of resource", "locks and files" },
	{ "interrupts", load_interrupts, "mapping of interrupt", "device interrupts" },
	{ "tasks", read_tasks, "mapping of task", "the tasks; required" },
	{ "hold", load_holds, "list of hold", "time burnt at a place in kernel code" },
	{ "triggers", load_ignore, "list of trigger", "actions at a place in kernel code" },
	{ "limits", load_limits, "mapping", "limits of a run" },
	{ "expect", load_expectations, "mapping of expect", "what must come out, by image" },
	{ 0 }
};
const struct mapping mapping_top = { "the scenario", top_keys, "top level of a file" };

static const yaml_node_t *child(struct loader *l, const yaml_node_t *n, const char *name)
{
	if (n->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const char *t = doc_text(doc_node(&l->doc, p->key));

		if (t && !strcmp(t, name))
			return doc_node(&l->doc, p->value);
	}
	return NULL;
}

/* A plain rt-app file says nothing of the machine: it has the CPUs that its tasks name. */
static int count_cpus(struct loader *l, const yaml_node_t *tasks)
{
	uint64_t all = 1, cpus;
	int err = doc_map(&l->doc, tasks, "tasks");

	l->s->machine.nr_cpus = BRIDGE_CPUS_MAX;
	for (yaml_node_pair_t *p = err ? NULL : tasks->data.mapping.pairs.start;
	     p && p < tasks->data.mapping.pairs.top && !err; p++) {
		const yaml_node_t *n = child(l, doc_node(&l->doc, p->value), "cpus");

		err = n ? load_cpu_list(l, n, &cpus) : 0;
		if (n)
			all |= cpus;
	}
	l->s->machine.nr_cpus = 64 - __builtin_clzll(all);
	return err;
}

static int load_top(struct loader *l)
{
	const yaml_node_t *root = yaml_document_get_root_node(&l->doc.yaml), *n, *tasks;
	int err = doc_map(&l->doc, root, "the scenario");

	if (err)
		return err;
	tasks = child(l, root, "tasks");
	if (!tasks)
		return doc_error(&l->doc, root, "no tasks; expected the key \"tasks\"");
	n = child(l, root, "machine");
	if (l->rtapp && !(n && child(l, n, "cpus")) && (err = count_cpus(l, tasks)))
		return err;
	if ((n = child(l, root, "global")) && (err = load_global(l, n, l->s)))
		return err;
	if ((n = child(l, root, "machine")) && (err = load_machine(l, n, l->s)))
		return err;
	if ((n = child(l, root, "groups")) && (err = load_groups(l, n, l->s)))
		return err;
	if ((n = child(l, root, "resources")) && (err = load_resources(l, n)))
		return err;
	if ((n = child(l, root, "interrupts")) &&
	    (err = load_each(l, n, "interrupts", load_name_one_interrupt)))
		return err;
	err = load_task_names(l, tasks);
	if (!err)
		err = load_mapping(l, root, &mapping_top, l->s);
	/* a trigger may ask which group a task is in */
	if (!err && (n = child(l, root, "triggers")))
		err = load_triggers(l, n, l->s);
	if (!err && !l->s->nr_tasks)
		err = doc_error(&l->doc, tasks, "no tasks; expected at least one");
	return err ? err : load_watches(l);
}

/* ---- whole files */

static void set_defaults(struct scenario *s)
{
	s->machine.nr_cpus = 1;
	s->machine.rcu_stall_ns = 21000000000ull;
	s->machine.fair_server = true;
	s->duration_ns = 10000000000ull;
	s->events_max = EVENTS_MAX_DEFAULT;
	s->memory_max = MEMORY_MAX_DEFAULT;
	s->starve_ns = 1000000000;
	s->inversion_ns = 1000000;
}

static void fill_in_cpus(struct scenario *s)
{
	uint64_t all = s->machine.nr_cpus == 64 ? ~0ull : (1ull << s->machine.nr_cpus) - 1;

	for (size_t i = 0; i < s->nr_tasks; i++)
		if (!s->tasks[i].spawn.cpus)
			s->tasks[i].spawn.cpus = all;
}

int scenario_load_text(const char *name, const char *text, size_t n, const char *const *sets,
		       struct scenario **out, struct diag *d)
{
	struct loader l = { .doc = { .file = name, .diag = d } };
	const char *base = strrchr(name, '/');
	size_t len = strlen(name);
	char *copy = NULL;
	int err;

	l.rtapp = len > 5 && !strcmp(name + len - 5, ".json");
	if (l.rtapp) {
		copy = malloc(n + 1);
		SIM_CHECK(copy);
		memcpy(copy, text, n);
		doc_blank_comments(copy, n);
	}
	err = doc_parse(&l.doc, copy ? copy : text, n);
	free(copy);
	if (err)
		return err;
	l.s = calloc(1, sizeof(*l.s));
	SIM_CHECK(l.s);
	set_defaults(l.s);
	l.s->file = strdup(name);
	l.s->name = strdup(base ? base + 1 : name);
	if (strrchr(l.s->name, '.'))
		*strrchr(l.s->name, '.') = 0;
	for (; sets && *sets && !err; sets++)
		err = load_set(&l, *sets);
	if (!err)
		err = load_top(&l);
	doc_free(&l.doc);
	if (err) {
		scenario_free(l.s);
	} else {
		fill_in_cpus(l.s);
		*out = l.s;
	}
	return err;
}

int scenario_load(const char *path, const char *const *sets, struct scenario **out,
		  struct diag *d)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	size_t n;
	char *text;
	int err;

	if (!f)
		return diag_at(d, path, 0, 0, "cannot be opened: %s", strerror(errno));
	if (fstat(fileno(f), &st) || S_ISDIR(st.st_mode)) {
		fclose(f);
		return diag_at(d, path, 0, 0, "is no file");
	}
	text = malloc(FILE_MAX + 1);
	SIM_CHECK(text);
	n = fread(text, 1, FILE_MAX + 1, f);
	fclose(f);
	if (n > FILE_MAX) {
		free(text);
		return diag_at(d, path, 0, 0, "is larger than 4 MiB");
	}
	err = scenario_load_text(path, text, n, sets, out, d);
	free(text);
	return err;
}
