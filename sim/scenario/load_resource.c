/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resources of a scenario: locks and files.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/load.h"

/* Names by enum resource_type; those after NULL in the enumeration are rt-app's. */
static const char *const type_names[] = { "fifo",  "eventfd",  "timerfd", "epoll", "mutex",
					  "rtmutex", "spinlock", "rwlock",  "rwsem", "futex",
					  "barrier", "condition", "timer", NULL };

struct resource *load_add_resource(struct loader *l, const char *name, enum resource_type type)
{
	struct scenario *s = l->s;
	struct resource *r;

	s->resources = realloc(s->resources, (s->nr_resources + 1) * sizeof(*r));
	SIM_CHECK(s->resources);
	r = &s->resources[s->nr_resources++];
	*r = (struct resource){ .name = strdup(name), .type = type };
	return r;
}

/*
 * rt-app's words: whether a mutex inherits is a switch of the whole file, and a condition goes by
 * any of its events.
 */
static bool read_rtapp_type(struct loader *l, const yaml_node_t *n, struct resource *r)
{
	static const char *const conditions[] = { "wait", "signal", "broadcast", "sync" };
	const char *t = doc_text(n);

	if (t && !strcmp(t, "mutex")) {
		r->type = l->pi ? RESOURCE_RTMUTEX : RESOURCE_FUTEX;
		return true;
	}
	for (size_t i = 0; t && i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		if (!strcmp(t, conditions[i])) {
			r->type = RESOURCE_CONDITION;
			return true;
		}
	}
	return false;
}

static int read_type(struct loader *l, const yaml_node_t *n, void *o)
{
	int w = 0, err;

	if (l->rtapp && read_rtapp_type(l, n, o))
		return 0;
	err = doc_word(&l->doc, n, "type", type_names, &w);
	((struct resource *)o)->type = (enum resource_type)w;
	return err;
}

static int read_first(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "first", &((struct resource *)o)->first_ns);
}

static int read_interval(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "interval", &((struct resource *)o)->interval_ns);
}

static int read_initial(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "initial", 0, INT32_MAX, &v);

	((struct resource *)o)->initial = (uint64_t)v;
	return err;
}

static int read_nonblock(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_bool(&l->doc, n, "nonblock", &((struct resource *)o)->nonblock);
}

static int read_resource_cpu(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_cpu(l, n, "cpu", &((struct resource *)o)->cpu);
}

static int read_watch(struct loader *l, const yaml_node_t *n, void *o)
{
	struct resource *r = o;
	size_t i = (size_t)(r - l->s->resources);

	if (n->type != YAML_MAPPING_NODE)
		return doc_error(&l->doc, n, "watch is %s, expected {file: events}", doc_kind(n));
	l->watch_lists[i] = n;
	return 0;
}

static const struct key resource_keys[] = {
	{ "type", read_type,
	  "fifo | eventfd | timerfd | epoll | mutex | rtmutex | spinlock | rwlock | rwsem | futex | "
	  "barrier | condition | timer",
	  "default rtmutex; locks are the kernel's own, futex is a user mutex without inheritance" },
	{ "first", read_first, "time", "timerfd: first expiry; default the interval" },
	{ "interval", read_interval, "time", "timerfd: period; default none" },
	{ "initial", read_initial, "count", "eventfd: counter at the start" },
	{ "nonblock", read_nonblock, "bool", "fifo, eventfd, timerfd: reads and writes do not wait" },
	{ "cpu", read_resource_cpu, "cpu",
	  "CPU it is made on, where the timer of a timerfd stays; default 0" },
	{ "watch", read_watch, "mapping", "epoll: {file: [in, out, et, oneshot, exclusive]}" },
	{ 0 }
};
const struct mapping mapping_resource = { "resource", resource_keys, "a lock or a file" };

static int one(struct loader *l, const char *name, const yaml_node_t *n, size_t i)
{
	struct resource *r;
	int err;

	(void)i;
	for (size_t k = 0; k < l->s->nr_resources; k++)
		if (!strcmp(l->s->resources[k].name, name))
			return doc_error(&l->doc, n, "a second resource \"%s\"", name);
	if (l->s->nr_resources >= RESOURCES_MAX)
		return doc_error(&l->doc, n, "more than %d resources", RESOURCES_MAX);
	r = load_add_resource(l, name, l->rtapp && !l->pi ? RESOURCE_FUTEX : RESOURCE_RTMUTEX);
	err = load_mapping(l, n, &mapping_resource, r);
	if (!err && r->type == RESOURCE_TIMERFD && !r->first_ns)
		r->first_ns = r->interval_ns;
	return err;
}

int load_resources(struct loader *l, const yaml_node_t *n)
{
	return load_each(l, n, "resources", one);
}

int load_epoll_events(struct loader *l, const yaml_node_t *n, uint32_t *out)
{
	static const char *const words[] = { "in", "out", "et", "oneshot", "exclusive", NULL };
	static const uint32_t bits[] = { 1, 4, 1u << 31, 1u << 30, 1u << 28 };
	int w = 0, err;

	*out = 0;
	if (n->type == YAML_SCALAR_NODE) {
		err = doc_word(&l->doc, n, "events", words, &w);
		*out = bits[w];
		return err;
	}
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "events is %s, expected a list such as [in, et]",
				 doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		err = doc_word(&l->doc, doc_node(&l->doc, *i), "events", words, &w);
		if (err)
			return err;
		*out |= bits[w];
	}
	return 0;
}

static int one_watch_list(struct loader *l, struct resource *r, const yaml_node_t *n)
{
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = doc_node(&l->doc, p->key);
		struct watch *w = &r->watches[r->nr_watches];
		int err;

		if (r->type != RESOURCE_EPOLL)
			return doc_error(&l->doc, key, "only a resource of type epoll can watch");
		if (r->nr_watches == SCENARIO_WATCHES_MAX)
			return doc_error(&l->doc, key, "more than %d watches", SCENARIO_WATCHES_MAX);
		err = load_resource_ref(l, key, &w->fd);
		if (!err && l->s->resources[w->fd].type > RESOURCE_EPOLL)
			return doc_error(&l->doc, key, "\"%s\" is no file", l->s->resources[w->fd].name);
		if (!err)
			err = load_epoll_events(l, doc_node(&l->doc, p->value), &w->events);
		if (err)
			return err;
		r->nr_watches++;
	}
	return 0;
}

int load_watches(struct loader *l)
{
	for (size_t i = 0; i < l->s->nr_resources; i++) {
		int err = l->watch_lists[i] ?
				  one_watch_list(l, &l->s->resources[i], l->watch_lists[i]) : 0;

		if (err)
			return err;
	}
	return 0;
}
