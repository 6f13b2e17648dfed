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

#define FIND(table, nr, n, what)                                                                  \
	do {                                                                                      \
		const char *t = doc_text(n), *words[1024], *near;                                 \
		size_t i = 0;                                                                     \
                                                                                                  \
		if (!t)                                                                           \
			return doc_error(&l->doc, n, "%s is %s, expected a name", what,           \
					 doc_kind(n));                                            \
		for (i = 0; i < (nr) && i < 1023; i++) {                                          \
			if (!strcmp((table)[i].name, t)) {                                        \
				*out = (int)i;                                                    \
				return 0;                                                         \
			}                                                                         \
			words[i] = (table)[i].name;                                               \
		}                                                                                 \
		words[i] = NULL;                                                                  \
		near = nearest_word(t, words);                                                    \
		return doc_error(&l->doc, n, "no %s \"%.40s\"%s%s%s", what, t,                    \
				 near ? "; did you mean \"" : " is defined", near ? near : "",    \
				 near ? "\"?" : "");                                              \
	} while (0)

int load_resource_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	FIND(l->s->resources, l->s->nr_resources, n, "resource");
}

int load_task_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	FIND(l->s->tasks, l->s->nr_tasks, n, "task");
}

int load_group_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	FIND(l->s->groups, l->s->nr_groups, n, "group");
}

int load_interrupt_ref(struct loader *l, const yaml_node_t *n, int *out)
{
	FIND(l->s->interrupts, l->s->nr_interrupts, n, "interrupt");
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
	if (l->s->nr_resources >= 512)
		return doc_error(&l->doc, n, "more than 512 resources");
	load_add_resource(l, name, type);
	*out = (int)l->s->nr_resources - 1;
	return 0;
}

int load_cpu_list(struct loader *l, const yaml_node_t *n, uint64_t *out)
{
	int64_t cpu;
	int err;

	*out = 0;
	if (n->type == YAML_SCALAR_NODE) {
		err = doc_int(&l->doc, n, "cpu", 0, BRIDGE_CPUS_MAX - 1, &cpu);
		*out = err ? 0 : 1ull << cpu;
		return err;
	}
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "cpus is %s, expected a list of CPU numbers", doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		err = doc_int(&l->doc, doc_node(&l->doc, *i), "cpu", 0, BRIDGE_CPUS_MAX - 1, &cpu);
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
	{ "triggers", load_triggers, "list of trigger", "actions at a place in kernel code" },
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

static int load_top(struct loader *l)
{
	const yaml_node_t *root = yaml_document_get_root_node(&l->doc.yaml), *n;
	int err = doc_map(&l->doc, root, "the scenario");

	if (err)
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
	n = child(l, root, "tasks");
	if (!n)
		return doc_error(&l->doc, root, "no tasks; expected the key \"tasks\"");
	err = load_task_names(l, n);
	if (!err)
		err = load_mapping(l, root, &mapping_top, l->s);
	return err ? err : load_watches(l);
}

/* ---- --set */

static int apply_set(struct loader *l, const char *set)
{
	yaml_document_t *y = &l->doc.yaml;
	yaml_node_t *n = yaml_document_get_root_node(y);
	const char *value = strchr(set, '='), *path = set;

	if (!value || value == set)
		return diag_at(l->doc.diag, "--set", 0, 0, "%.60s: expected key=value", set);
	for (;;) {
		size_t len = strcspn(path, ".=");
		bool last = path + len == value;
		char key[64];
		int id = 0;

		snprintf(key, sizeof(key), "%.*s", (int)(len < 63 ? len : 63), path);
		if (n->type != YAML_MAPPING_NODE)
			return diag_at(l->doc.diag, "--set", 0, 0, "%.60s: \"%s\" is in no mapping", set,
				       key);
		for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
		     p < n->data.mapping.pairs.top; p++) {
			const char *t = doc_text(doc_node(&l->doc, p->key));

			if (t && !strcmp(t, key)) {
				id = p->value;
				if (last)
					p->value = yaml_document_add_scalar(y, NULL,
						(yaml_char_t *)value + 1, -1,
						YAML_PLAIN_SCALAR_STYLE);
				break;
			}
		}
		if (last && id)
			return 0;
		if (!id) {
			int self = (int)(n - y->nodes.start) + 1;
			int k = yaml_document_add_scalar(y, NULL, (yaml_char_t *)key, -1,
							 YAML_PLAIN_SCALAR_STYLE);

			id = last ? yaml_document_add_scalar(y, NULL, (yaml_char_t *)value + 1, -1,
							     YAML_PLAIN_SCALAR_STYLE) :
				    yaml_document_add_mapping(y, NULL, YAML_BLOCK_MAPPING_STYLE);
			yaml_document_append_mapping_pair(y, self, k, id);
			if (last)
				return 0;
		}
		n = doc_node(&l->doc, id);
		path += len + 1;
	}
}

/* ---- whole files */

static void set_defaults(struct scenario *s)
{
	s->machine.nr_cpus = 1;
	s->machine.rcu_stall_ns = 21000000000ull;
	s->duration_ns = 10000000000ull;
	s->events_max = EVENTS_MAX_DEFAULT;
	s->memory_max = MEMORY_MAX_DEFAULT;
	s->starve_ns = 1000000000;
	s->inversion_ns = 1000000;
}

static int check_whole(struct loader *l)
{
	struct scenario *s = l->s;
	const yaml_node_t *root = yaml_document_get_root_node(&l->doc.yaml);
	uint64_t all = s->machine.nr_cpus == 64 ? ~0ull : (1ull << s->machine.nr_cpus) - 1;

	for (size_t i = 0; i < s->nr_tasks; i++) {
		struct scenario_task *t = &s->tasks[i];

		if (!t->spawn.cpus)
			t->spawn.cpus = all;
		if (t->spawn.cpus & ~all)
			return doc_error(&l->doc, root, "task \"%s\" runs on a CPU the machine has not; "
					 "it has %d", t->name, s->machine.nr_cpus);
	}
	for (size_t i = 0; i < s->nr_interrupts; i++)
		if (s->interrupts[i].cpu >= s->machine.nr_cpus)
			return doc_error(&l->doc, root, "interrupt \"%s\" is on a CPU the machine has "
					 "not", s->interrupts[i].name);
	for (size_t i = 0; i < s->nr_groups; i++)
		if (s->groups[i].timer_cpu >= s->machine.nr_cpus)
			return doc_error(&l->doc, root, "group \"%s\" has its timer on a CPU the machine "
					 "has not", s->groups[i].name);
	return s->nr_tasks ? 0 : doc_error(&l->doc, root, "no tasks; expected at least one");
}

int scenario_load_text(const char *name, const char *text, size_t n, const char *const *sets,
		       struct scenario **out, struct diag *d)
{
	struct loader l = { .doc = { .file = name, .diag = d } };
	const char *base = strrchr(name, '/');
	size_t len = strlen(name);
	int err = doc_parse(&l.doc, text, n);

	if (err)
		return err;
	l.s = calloc(1, sizeof(*l.s));
	SIM_CHECK(l.s);
	set_defaults(l.s);
	l.s->file = strdup(name);
	l.s->name = strdup(base ? base + 1 : name);
	if (strrchr(l.s->name, '.'))
		*strrchr(l.s->name, '.') = 0;
	l.rtapp = len > 5 && !strcmp(name + len - 5, ".json");
	for (; sets && *sets && !err; sets++)
		err = apply_set(&l, *sets);
	if (!err)
		err = load_top(&l);
	if (!err)
		err = check_whole(&l);
	doc_free(&l.doc);
	if (err)
		scenario_free(l.s);
	else
		*out = l.s;
	return err;
}

/* rt-app's reader takes comments in JSON: blank them, keeping lines and columns. */
static void blank_comments(char *text, size_t n)
{
	bool string = false;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"' && (!i || text[i - 1] != '\\'))
			string = !string;
		if (string || text[i] != '/' || i + 1 >= n || text[i + 1] != '*')
			continue;
		while (i < n && !(text[i] == '*' && i + 1 < n && text[i + 1] == '/')) {
			if (text[i] != '\n')
				text[i] = ' ';
			i++;
		}
		if (i + 1 < n)
			text[i] = text[i + 1] = ' ';
	}
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
	if (strlen(path) > 5 && !strcmp(path + strlen(path) - 5, ".json"))
		blank_comments(text, n);
	err = scenario_load_text(path, text, n, sets, out, d);
	free(text);
	return err;
}
