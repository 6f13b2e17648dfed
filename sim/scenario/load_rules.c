/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a scenario says about places in kernel code (holds, triggers) and about its outcome.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/detect/detect.h"
#include "sim/scenario/load.h"

/* ---- hold */

static int hold_lock(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "lock", &((struct hold *)o)->lock);
}

static int hold_function(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "function", &((struct hold *)o)->function);
}

static int hold_task(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_task_ref(l, n, &((struct hold *)o)->task);
}

static int hold_us(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "us", &((struct hold *)o)->ns);
}

static const struct key hold_keys[] = {
	{ "lock", hold_lock, "lock", "by the kernel's name: \"&ep->lock\"" },
	{ "function", hold_function, "function", "that takes the lock; default any" },
	{ "task", hold_task, "task", "default any" },
	{ "us", hold_us, "time", "time burnt with the lock held" },
	{ 0 }
};
const struct mapping mapping_hold = { "hold", hold_keys, "time burnt with a lock held" };

/* One mapping, or a list of them. */
static int each_of(struct loader *l, const yaml_node_t *n, const char *what,
		   int (*fn)(struct loader *l, const yaml_node_t *n))
{
	if (n->type == YAML_MAPPING_NODE)
		return fn(l, n);
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "%s is %s, expected a list", what, doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		int err = fn(l, doc_node(&l->doc, *i));

		if (err)
			return err;
	}
	return 0;
}

static int one_hold(struct loader *l, const yaml_node_t *n)
{
	struct scenario *s = l->s;
	int err;

	s->holds = realloc(s->holds, (s->nr_holds + 1) * sizeof(s->holds[0]));
	SIM_CHECK(s->holds);
	s->holds[s->nr_holds++] = (struct hold){ .task = -1 };
	err = load_mapping(l, n, &mapping_hold, &s->holds[s->nr_holds - 1]);
	if (!err && (!s->holds[s->nr_holds - 1].lock || !s->holds[s->nr_holds - 1].ns))
		return doc_error(&l->doc, n, "hold needs a lock, and us above 0");
	return err;
}

int load_holds(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return each_of(l, n, "hold", one_hold);
}

/* ---- triggers */

static int when_task(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_task_ref(l, n, &((struct trigger *)o)->task);
}

static int when_holds(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "holds", &((struct trigger *)o)->lock);
}

static int when_reaches(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "reaches", &((struct trigger *)o)->function);
}

static int when_after(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "after", &((struct trigger *)o)->after_ns);
}

static const struct key when_keys[] = {
	{ "task", when_task, "task", "default any" },
	{ "holds", when_holds, "lock", "has just taken this lock" },
	{ "reaches", when_reaches, "function",
	  "enters this function; with holds: takes the lock there" },
	{ "after", when_after, "time", "not before" },
	{ 0 }
};
const struct mapping mapping_when = { "when", when_keys, "the place a trigger waits for" };

static int do_wake(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_task_ref(l, n, &((struct trigger *)o)->wake);
}

static int do_throttle(struct loader *l, const yaml_node_t *n, void *o)
{
	struct trigger *t = o;
	int err = load_task_ref(l, n, &t->throttle);

	if (!err && l->s->tasks[t->throttle].spawn.group < 0)
		return doc_error(&l->doc, n, "task \"%s\" cannot be throttled: it is in no group",
				 l->s->tasks[t->throttle].name);
	return err;
}

static int do_interrupt(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_interrupt_ref(l, n, &((struct trigger *)o)->interrupt);
}

static int do_run(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "run", &((struct trigger *)o)->burn_ns);
}

static int do_preempt(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "preempt", &((struct trigger *)o)->preempt_ns);
}

static const struct key do_keys[] = {
	{ "wake", do_wake, "task", "wake it from an interruptible sleep" },
	{ "throttle", do_throttle, "task",
	  "let it, when it is the one there, use the CPU until its group's quota is gone" },
	{ "interrupt", do_interrupt, "interrupt", "raise it" },
	{ "run", do_run, "time", "use the CPU for a time" },
	{ "preempt", do_preempt, "time",
	  "take the CPU away for a time: preempter/N, SCHED_FIFO 99, runs there" },
	{ 0 }
};
const struct mapping mapping_do = { "do", do_keys, "what a trigger does" };

static int trigger_when(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_when, o);
}

static int trigger_do(struct loader *l, const yaml_node_t *n, void *o)
{
	return load_mapping(l, n, &mapping_do, o);
}

static int trigger_count(struct loader *l, const yaml_node_t *n, void *o)
{
	int64_t v = 0;
	int err = doc_int(&l->doc, n, "count", 1, INT32_MAX, &v);

	((struct trigger *)o)->count = (uint64_t)v;
	return err;
}

static const struct key trigger_keys[] = {
	{ "when", trigger_when, "mapping", "the place" },
	{ "do", trigger_do, "mapping", "the action" },
	{ "count", trigger_count, "count", "how often; default 1" },
	{ 0 }
};
const struct mapping mapping_trigger = { "trigger", trigger_keys,
					 "aims at a narrow window: when a task is there, do that" };

static int one_trigger(struct loader *l, const yaml_node_t *n)
{
	struct scenario *s = l->s;
	struct trigger *t;
	int err;

	s->triggers = realloc(s->triggers, (s->nr_triggers + 1) * sizeof(*t));
	SIM_CHECK(s->triggers);
	t = &s->triggers[s->nr_triggers++];
	*t = (struct trigger){ .task = -1, .wake = -1, .throttle = -1, .interrupt = -1, .count = 1 };
	err = load_mapping(l, n, &mapping_trigger, t);
	if (!err && !t->lock && !t->function)
		return doc_error(&l->doc, n, "a trigger needs when: {holds: lock} or {reaches: function}");
	if (!err && t->wake < 0 && t->throttle < 0 && t->interrupt < 0 && !t->burn_ns &&
	    !t->preempt_ns)
		return doc_error(&l->doc, n, "a trigger needs do: {wake, throttle, interrupt, run or "
				 "preempt}");
	return err;
}

int load_triggers(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return each_of(l, n, "triggers", one_trigger);
}

/* ---- expect */

static int one_verdict(struct loader *l, const yaml_node_t *n, struct expectation *x)
{
	int w = 0, err = doc_word(&l->doc, n, "verdict", verdict_names, &w);

	x->verdicts |= 1u << w;
	return err;
}

static int expect_verdict(struct loader *l, const yaml_node_t *n, void *o)
{
	struct expectation *x = o;

	if (n->type == YAML_SCALAR_NODE)
		return one_verdict(l, n, x);
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "verdict is %s, expected a word or a list", doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		int err = one_verdict(l, doc_node(&l->doc, *i), x);

		if (err)
			return err;
	}
	return 0;
}

static int expect_max_wait(struct loader *l, const yaml_node_t *n, void *o)
{
	struct expectation *x = o;
	int err = doc_map(&l->doc, n, "max_wait");

	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		if (x->nr_max_wait == 8)
			return doc_error(&l->doc, n, "more than 8 tasks in max_wait");
		err = load_task_ref(l, doc_node(&l->doc, p->key), &x->max_wait[x->nr_max_wait].task);
		if (!err)
			err = doc_time(&l->doc, doc_node(&l->doc, p->value), "max_wait",
				       &x->max_wait[x->nr_max_wait].ns);
		if (err)
			return err;
		x->nr_max_wait++;
	}
	return 0;
}

static int expect_max_gap(struct loader *l, const yaml_node_t *n, void *o)
{
	struct expectation *x = o;
	int err = doc_map(&l->doc, n, "max_gap");

	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		if (x->nr_max_gap == 8)
			return doc_error(&l->doc, n, "more than 8 tasks in max_gap");
		err = load_task_ref(l, doc_node(&l->doc, p->key), &x->max_gap[x->nr_max_gap].task);
		if (!err)
			err = doc_time(&l->doc, doc_node(&l->doc, p->value), "max_gap",
				       &x->max_gap[x->nr_max_gap].ns);
		if (err)
			return err;
		x->nr_max_gap++;
	}
	return 0;
}

static int expect_chain(struct loader *l, const yaml_node_t *n, void *o)
{
	struct expectation *x = o;

	if (n->type != YAML_SEQUENCE_NODE)
		return doc_error(&l->doc, n, "chain is %s, expected a list of names", doc_kind(n));
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		int err;

		if (x->nr_chain == 8)
			return doc_error(&l->doc, n, "more than 8 names in chain");
		err = doc_string(&l->doc, doc_node(&l->doc, *i), "chain", &x->chain[x->nr_chain++]);
		if (err)
			return err;
	}
	return 0;
}

/* ---- expected waits */

static int wait_lock(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "lock", &((struct expected_wait *)o)->lock);
}

static int wait_holder(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_string(&l->doc, n, "holder", &((struct expected_wait *)o)->holder);
}

static int wait_min(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "min", &((struct expected_wait *)o)->min_ns);
}

static int wait_max(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "max", &((struct expected_wait *)o)->max_ns);
}

static int wait_inverted(struct loader *l, const yaml_node_t *n, void *o)
{
	return doc_time(&l->doc, n, "inverted", &((struct expected_wait *)o)->inverted_ns);
}

static const struct key wait_keys[] = {
	{ "lock", wait_lock, "lock", "by name; default any" },
	{ "holder", wait_holder, "name", "who had it when the wait began; default any" },
	{ "min", wait_min, "time", "at least so long" },
	{ "max", wait_max, "time", "at most" },
	{ "inverted", wait_inverted, "time", "at least so much of it was inversion" },
	{ 0 }
};
const struct mapping mapping_wait = {
	"wait", wait_keys, "a wait that must be among the 64 longest of the run"
};

static int expect_waits(struct loader *l, const yaml_node_t *n, void *o)
{
	struct expectation *x = o;
	int err = doc_map(&l->doc, n, "waits");

	if (err)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		struct expected_wait *w;

		if (x->nr_waits == 8)
			return doc_error(&l->doc, n, "more than 8 tasks in waits");
		w = &x->waits[x->nr_waits++];
		err = load_task_ref(l, doc_node(&l->doc, p->key), &w->task);
		if (!err)
			err = load_mapping(l, doc_node(&l->doc, p->value), &mapping_wait, w);
		if (err)
			return err;
	}
	return 0;
}

static const struct key expect_keys[] = {
	{ "verdict", expect_verdict, "verdict, or a list of them",
	  "bug, deadlock, stall, lost-wakeup, starvation, inversion, late, limit, ok" },
	{ "max_wait", expect_max_wait, "{task: time}",
	  "longest wait allowed on any lock; beyond it the verdict is at least late" },
	{ "max_gap", expect_max_gap, "{task: time}",
	  "longest time allowed between two returns of its epoll_wait; beyond it, late" },
	{ "waits", expect_waits, "{task: wait}", "waits there must be" },
	{ "chain", expect_chain, "list of names", "tasks and locks the blocking chain must name" },
	{ 0 }
};
const struct mapping mapping_expect = {
	"expect", expect_keys, "by image name or pattern (6.1-*), with or without @parts; a verdict alone is enough"
};

static int one_expectation(struct loader *l, const char *image, const yaml_node_t *n, size_t i)
{
	struct scenario *s = l->s;
	struct expectation *x;

	(void)i;
	s->expectations = realloc(s->expectations, (s->nr_expectations + 1) * sizeof(*x));
	SIM_CHECK(s->expectations);
	x = &s->expectations[s->nr_expectations++];
	*x = (struct expectation){ .image = strdup(image) };
	if (n->type != YAML_MAPPING_NODE)
		return expect_verdict(l, n, x);
	return load_mapping(l, n, &mapping_expect, x);
}

int load_expectations(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return load_each(l, n, "expect", one_expectation);
}
