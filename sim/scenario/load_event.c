/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of tasks and interrupt handlers.
 *
 * As in rt-app the type of an event is the longest known prefix of its key, so that keys can be
 * told apart: run0, run1, lock_a.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/load.h"

enum argument {
	ARG_TIME,	/* a time */
	ARG_REF,	/* a resource, or a mapping with ref */
	ARG_TASK,
	ARG_NONE,	/* anything; ignored */
	ARG_POLICY,
	ARG_REFUSED
};

struct event_type {
	const char *name;
	enum step_kind kind;
	enum argument argument;
	const char *help;
};

static const struct event_type types[] = {
	{ "run", STEP_RUN, ARG_TIME, "use the CPU for a time" },
	{ "runtime", STEP_RUN, ARG_TIME, "as run" },
	{ "memrun", STEP_RUN, ARG_TIME, "as run: memory has no meaning in virtual time" },
	{ "sleep", STEP_SLEEP, ARG_TIME, "sleep for a time" },
	{ "timer", STEP_TIMER, ARG_REF, "{ref, period}: sleep to the next period" },
	{ "yield", STEP_YIELD, ARG_NONE, "sched_yield()" },
	{ "lock", STEP_LOCK, ARG_REF, "take a lock; {ref, mode: read | write, try: bool}" },
	{ "unlock", STEP_UNLOCK, ARG_REF, "release it; {ref, mode: read | write}" },
	{ "epoll_wait", STEP_EPOLL_WAIT, ARG_REF, "{ref, maxevents: 1, timeout: ms, -1 for ever}" },
	{ "epoll_ctl", STEP_EPOLL_CTL, ARG_REF, "{ref, op: add | del | mod, fd, events}" },
	{ "read", STEP_READ, ARG_REF, "read from a file; {ref, bytes}" },
	{ "read_ready", STEP_READ_READY, ARG_REF, "read every file the last epoll_wait returned" },
	{ "write", STEP_WRITE, ARG_REF, "write to a file; {ref, bytes}" },
	{ "close", STEP_CLOSE, ARG_REF, "close a file" },
	{ "suspend", STEP_SUSPEND, ARG_NONE, "sleep until another task resumes this one" },
	{ "resume", STEP_RESUME, ARG_TASK, "resume a task" },
	{ "barrier", STEP_BARRIER, ARG_REF, "wait until all users of the barrier are there" },
	{ "wait", STEP_WAIT, ARG_REF, "{ref, mutex}: wait for a condition" },
	{ "sync", STEP_WAIT, ARG_REF, "{ref, mutex}: signal a condition, then wait for it" },
	{ "signal", STEP_SIGNAL, ARG_REF, "wake one that waits for the condition" },
	{ "broad", STEP_BROADCAST, ARG_REF, "wake all that wait for the condition" },
	{ "synchronize_rcu", STEP_SYNCHRONIZE_RCU, ARG_NONE, "wait for a grace period" },
	{ "call_rcu", STEP_CALL_RCU, ARG_NONE, "start a grace period" },
	{ "set_policy", STEP_POLICY, ARG_POLICY, "{policy, priority}: sched_setscheduler()" },
	{ "mem", STEP_RUN, ARG_REFUSED, "refused: bytes have no duration in virtual time; use run" },
	{ "iorun", STEP_RUN, ARG_REFUSED, "refused: there is no device; use sleep or run" },
	{ "fork", STEP_RUN, ARG_REFUSED, "refused: write the task out, with instance" },
	{ "sem_wait", STEP_RUN, ARG_REFUSED, "refused: use suspend and resume" },
	{ "sem_post", STEP_RUN, ARG_REFUSED, "refused: use suspend and resume" },
};

#define NR_TYPES (sizeof(types) / sizeof(types[0]))

static const struct event_type *type_of(const char *key)
{
	const struct event_type *best = NULL;

	for (size_t i = 0; i < NR_TYPES; i++) {
		size_t n = strlen(types[i].name);

		if (!strncmp(key, types[i].name, n) && (!best || n > strlen(best->name)))
			best = &types[i];
	}
	return best;
}

bool load_is_event(const char *key)
{
	return type_of(key) != NULL;
}

/* For --schema: the events as keys. */
static int no_read(struct loader *l, const yaml_node_t *n, void *o)
{
	(void)o;
	return doc_error(&l->doc, n, "an event is read by its prefix");
}

static struct key event_keys[NR_TYPES + 1];
const struct mapping mapping_event = { "event", event_keys, "what a task does, in order" };

__attribute__((constructor)) static void fill_event_keys(void)
{
	for (size_t i = 0; i < NR_TYPES; i++)
		event_keys[i] = (struct key){ types[i].name, no_read,
					      types[i].argument == ARG_TIME ? "time" : "see help",
					      types[i].help };
}

static enum resource_type implied(const struct loader *l, enum step_kind kind)
{
	switch (kind) {
	case STEP_TIMER:
		return RESOURCE_TIMER;
	case STEP_BARRIER:
		return RESOURCE_BARRIER;
	case STEP_WAIT:
	case STEP_SIGNAL:
	case STEP_BROADCAST:
		return RESOURCE_CONDITION;
	default:
		return l->pi ? RESOURCE_RTMUTEX : RESOURCE_FUTEX;
	}
}

/* rt-app's timers, conditions and barriers are made by using them; so are locks of its files. */
static int reference(struct loader *l, const yaml_node_t *n, struct step *s)
{
	const char *t = doc_text(n);
	char unique[64];

	if (!t)
		return doc_error(&l->doc, n, "ref is %s, expected a name", doc_kind(n));
	if (s->kind == STEP_TIMER && !strncmp(t, "unique", 6)) {
		snprintf(unique, sizeof(unique), "%.24s@%d", t, l->task);
		return load_implicit(l, n, unique, RESOURCE_TIMER, &s->ref);
	}
	if (l->rtapp || implied(l, s->kind) >= RESOURCE_BARRIER)
		return load_implicit(l, n, t, implied(l, s->kind), &s->ref);
	return load_resource_ref(l, n, &s->ref);
}

static int field(struct loader *l, const char *key, const yaml_node_t *kn, const yaml_node_t *v,
		 struct step *s)
{
	static const char *const modes[] = { "write", "read", NULL };
	static const char *const ops[] = { "add", "del", "mod", NULL };
	static const char *const keys[] = { "ref", "mode", "try", "maxevents", "timeout", "op", "fd",
					    "events", "bytes", "period", "mutex", NULL };
	int64_t i = 0;
	int w = 0, err;
	const char *near;

	if (!strcmp(key, "ref"))
		return reference(l, v, s);
	if (!strcmp(key, "mode")) {
		/* rt-app's timer has a mode too: relative or absolute */
		if (s->kind == STEP_TIMER)
			return 0;
		err = doc_word(&l->doc, v, "mode", modes, &w);
		s->read = w == 1;
		return err;
	}
	if (!strcmp(key, "try"))
		return doc_bool(&l->doc, v, "try", &s->try_only);
	if (!strcmp(key, "maxevents")) {
		err = doc_int(&l->doc, v, "maxevents", 1, 64, &i);
		s->count = (uint64_t)i;
		return err;
	}
	if (!strcmp(key, "timeout"))
		return doc_int(&l->doc, v, "timeout", -1, INT32_MAX, &s->timeout_ms);
	if (!strcmp(key, "op")) {
		err = doc_word(&l->doc, v, "op", ops, &w);
		s->op = w + 1;
		return err;
	}
	if (!strcmp(key, "fd"))
		return load_resource_ref(l, v, &s->fd);
	if (!strcmp(key, "mutex"))
		return l->rtapp ? load_implicit(l, v, doc_text(v) ? doc_text(v) : "",
						implied(l, STEP_LOCK), &s->fd) :
				  load_resource_ref(l, v, &s->fd);
	if (!strcmp(key, "events"))
		return load_epoll_events(l, v, &s->events);
	if (!strcmp(key, "bytes")) {
		err = doc_int(&l->doc, v, "bytes", 1, 65536, &i);
		s->count = (uint64_t)i;
		return err;
	}
	if (!strcmp(key, "period"))
		return doc_time(&l->doc, v, "period", &s->ns);
	near = nearest_word(key, keys);
	return doc_error(&l->doc, kn, "this event has no key \"%.40s\"%s%s%s", key,
			 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int fields(struct loader *l, const yaml_node_t *v, struct step *s)
{
	s->ref = s->fd = -1;
	if (v->type == YAML_SCALAR_NODE)
		return reference(l, v, s);
	if (v->type != YAML_MAPPING_NODE)
		return doc_error(&l->doc, v, "this event is %s, expected a name or a mapping with ref",
				 doc_kind(v));
	for (yaml_node_pair_t *p = v->data.mapping.pairs.start; p < v->data.mapping.pairs.top; p++) {
		const yaml_node_t *kn = doc_node(&l->doc, p->key);
		int err = field(l, doc_text(kn) ? doc_text(kn) : "", kn,
				doc_node(&l->doc, p->value), s);

		if (err)
			return err;
	}
	return s->ref >= 0 ? 0 : doc_error(&l->doc, v, "this event has no ref");
}

static bool is_lock(const struct resource *r)
{
	return r->type >= RESOURCE_MUTEX && r->type <= RESOURCE_FUTEX;
}

/* The type that an event of rt-app's own kind needs. */
static int need(struct loader *l, const yaml_node_t *v, const struct resource *r,
		enum resource_type type, const char *what)
{
	return r->type == type ? 0 : doc_error(&l->doc, v, "\"%s\" is no %s", r->name, what);
}

static int check_lock(struct loader *l, const yaml_node_t *v, const struct step *s)
{
	const struct resource *r = &l->s->resources[s->ref];

	if (!is_lock(r))
		return doc_error(&l->doc, v, "\"%s\" is no lock", r->name);
	if (s->read && r->type != RESOURCE_RWLOCK && r->type != RESOURCE_RWSEM)
		return doc_error(&l->doc, v, "\"%s\" cannot be taken for reading", r->name);
	if (s->try_only && r->type == RESOURCE_FUTEX)
		return doc_error(&l->doc, v, "\"%s\" is a futex, which has no try", r->name);
	if (l->in_handler && r->type == RESOURCE_FUTEX)
		return doc_error(&l->doc, v,
				 "\"%s\" is a futex, which no interrupt handler can take", r->name);
	return 0;
}

static int check_epoll(struct loader *l, const yaml_node_t *v, const struct step *s)
{
	const struct resource *r = &l->s->resources[s->ref];

	if (r->type != RESOURCE_EPOLL)
		return doc_error(&l->doc, v, "\"%s\" is no epoll", r->name);
	if (s->kind != STEP_EPOLL_CTL)
		return 0;
	if (s->fd < 0 || !s->op)
		return doc_error(&l->doc, v, "epoll_ctl needs op and fd");
	if (l->s->resources[s->fd].type > RESOURCE_EPOLL)
		return doc_error(&l->doc, v, "\"%s\" is no file", l->s->resources[s->fd].name);
	return 0;
}

static int check_wait(struct loader *l, const yaml_node_t *v, const struct step *s)
{
	if (s->fd < 0)
		return doc_error(&l->doc, v, "this event needs a mutex");
	if (!is_lock(&l->s->resources[s->fd]))
		return doc_error(&l->doc, v, "\"%s\" is no lock", l->s->resources[s->fd].name);
	return need(l, v, &l->s->resources[s->ref], RESOURCE_CONDITION, "condition");
}

/* Is the resource of a kind that the event can use? */
static int check_kind(struct loader *l, const yaml_node_t *v, const struct step *s)
{
	const struct resource *r = &l->s->resources[s->ref];

	switch (s->kind) {
	case STEP_LOCK:
	case STEP_UNLOCK:
		return check_lock(l, v, s);
	case STEP_EPOLL_WAIT:
	case STEP_EPOLL_CTL:
	case STEP_READ_READY:
		return check_epoll(l, v, s);
	case STEP_READ:
		return r->type <= RESOURCE_TIMERFD ? 0 :
			doc_error(&l->doc, v, "\"%s\" cannot be read", r->name);
	case STEP_WRITE:
		return r->type <= RESOURCE_EVENTFD ? 0 :
			doc_error(&l->doc, v, "\"%s\" cannot be written", r->name);
	case STEP_CLOSE:
		return r->type <= RESOURCE_EPOLL ? 0 :
			doc_error(&l->doc, v, "\"%s\" is no file", r->name);
	case STEP_WAIT:
		return check_wait(l, v, s);
	case STEP_SIGNAL:
	case STEP_BROADCAST:
		return need(l, v, r, RESOURCE_CONDITION, "condition");
	case STEP_BARRIER:
		return need(l, v, r, RESOURCE_BARRIER, "barrier");
	case STEP_TIMER:
		if (!s->ns)
			return doc_error(&l->doc, v, "timer needs a period above 0");
		return need(l, v, r, RESOURCE_TIMER, "timer");
	default:
		return 0;
	}
}

/* What sleeps, or belongs to a task, has no place in an interrupt handler. */
static bool fits_handler(enum step_kind kind)
{
	switch (kind) {
	case STEP_RUN:
	case STEP_LOCK:
	case STEP_UNLOCK:
	case STEP_READ:
	case STEP_WRITE:
	case STEP_RESUME:
	case STEP_SIGNAL:
	case STEP_BROADCAST:
	case STEP_CALL_RCU:
		return true;
	default:
		return false;
	}
}

static int policy_fields(struct loader *l, const yaml_node_t *v, struct step *s)
{
	int err = doc_map(&l->doc, v, "set_policy");
	int64_t i = 0;

	for (yaml_node_pair_t *p = err ? NULL : v->data.mapping.pairs.start;
	     p && p < v->data.mapping.pairs.top && !err; p++) {
		const yaml_node_t *kn = doc_node(&l->doc, p->key), *vn = doc_node(&l->doc, p->value);
		const char *key = doc_text(kn);

		if (key && !strcmp(key, "policy"))
			err = load_policy(l, vn, &s->policy);
		else if (key && !strcmp(key, "priority"))
			err = doc_int(&l->doc, vn, "priority", -20, 99, &i);
		else
			err = doc_error(&l->doc, kn, "set_policy has the keys policy and priority");
	}
	s->priority = (int)i;
	if (!err && s->policy == BRIDGE_SCHED_DEADLINE)
		err = doc_error(&l->doc, v, "set_policy cannot set SCHED_DEADLINE; give the task "
				"that policy");
	return err ? err : load_check_priority(l, v, s->policy, &s->priority);
}

static int add_step(struct loader *l, const yaml_node_t *n, struct steps *steps,
		    const struct step *s)
{
	int err = load_count_step(l, n);

	if (err)
		return err;
	if (steps->nr == steps->room) {
		steps->room = steps->room ? steps->room * 2 : 8;
		steps->all = realloc(steps->all, steps->room * sizeof(*s));
		SIM_CHECK(steps->all);
	}
	steps->all[steps->nr++] = *s;
	return 0;
}

int load_event(struct loader *l, const char *key, const yaml_node_t *kn, const yaml_node_t *v,
	       struct steps *steps)
{
	const struct event_type *t = type_of(key);
	struct step s = { .ref = -1, .fd = -1, .timeout_ms = -1 };
	int err = 0;

	if (!t)
		return doc_error(&l->doc, kn, "no event begins with \"%.40s\"; see lockstep scenario "
				 "--schema", key);
	s.kind = t->kind;
	if (l->in_handler && t->argument != ARG_REFUSED && !fits_handler(s.kind))
		return doc_error(&l->doc, kn, "\"%s\" has no place in an interrupt handler, "
				 "which must not sleep", t->name);
	switch (t->argument) {
	case ARG_TIME:
		err = doc_time(&l->doc, v, key, &s.ns);
		break;
	case ARG_REF:
		err = fields(l, v, &s);
		if (!err)
			err = check_kind(l, v, &s);
		break;
	case ARG_TASK:
		err = load_task_ref(l, v, &s.ref);
		break;
	case ARG_POLICY:
		err = policy_fields(l, v, &s);
		break;
	case ARG_NONE:
		break;
	case ARG_REFUSED:
		return doc_error(&l->doc, kn, "\"%s\" is %s", t->name, t->help);
	}
	if (err)
		return err;
	if (!strcmp(t->name, "sync")) {	/* rt-app: signal, then wait */
		struct step signal = s;

		signal.kind = STEP_SIGNAL;
		err = add_step(l, kn, steps, &signal);
	}
	return err ? err : add_step(l, kn, steps, &s);
}
