/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocking chains: from a waiter over locks, throttling and softirq threads to the last task.
 *
 * A rwlock or rw_semaphore on RT is two locks: readers count, writers hold an inner rtmutex.
 * Who has the inner one is nowhere in the stream and follows from what is: a write holder, a
 * writer that waits for readers to drain, or a reader between its two contentions.
 */
#include <stdio.h>
#include <string.h>

#include "sim/detect/private.h"

const char *const edge_names[NR_EDGES] = { "lock", "throttle", "softirq", "displaced" };

bool task_throttled(const struct dtask *t)
{
	/* Lent a real-time priority it has left the fair class and its group's quota. */
	return t->throttled && t->prio >= 100;
}

/* How much a holder looks like the reason for waiting. */
static int guilt(const struct detect *d, uint32_t task)
{
	const struct dtask *t = &d->tasks[task];

	if (t->nr_contentions)
		return 3;
	if (task_throttled(t))
		return 2;
	return t->state == STATE_RUNNING ? 0 : 1;
}

static int64_t worst_reader(const struct detect *d, const struct dlock *l, uint32_t from)
{
	int64_t found = NOBODY;

	for (uint32_t i = 0; i < l->nr_readers; i++)
		if (found < 0 || guilt(d, l->readers[i].task) > guilt(d, (uint32_t)found))
			found = l->readers[i].task;
	(void)from;
	return found;
}

static int64_t inner_owner(const struct dlock *l)
{
	if (l->owner >= 0)
		return l->owner;
	return l->draining >= 0 ? l->draining : l->inner_reader;
}

static int64_t holder_of(const struct detect *d, const struct sim *s, uint32_t waiter,
			 const struct contention *c)
{
	const struct lock *k = sim_lock(s, c->lock);
	const struct dlock *l = &d->locks[c->lock];
	int64_t h;

	if (k && k->inner_of >= 0) {
		h = inner_owner(&d->locks[k->inner_of]);
		return h == (int64_t)waiter ? NOBODY : h;
	}
	if (c->flags & LCB_WRITE)
		return l->owner >= 0 ? l->owner : worst_reader(d, l, waiter);
	if (c->flags & LCB_READ)
		return inner_owner(l);
	if (l->owner >= 0)
		return l->owner;
	return worst_reader(d, l, waiter);
}

static int64_t named_task(const struct sim *s, const char *prefix, int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), "%s/%d", prefix, cpu);
	for (uint32_t i = 0; i < sim_nr_tasks(s); i++)
		if (!strcmp(sim_task(s, i)->name, name))
			return i;
	return NOBODY;
}

static int64_t timer_thread(const struct sim *s, int cpu)
{
	int64_t t = named_task(s, "ktimers", cpu);

	return t >= 0 ? t : named_task(s, "ksoftirqd", cpu);
}

static bool add(struct walk *w, enum edge_kind kind, uint32_t lock, uint32_t flags, int cpu,
		int64_t holder)
{
	w->edges[w->nr].kind = kind;
	w->edges[w->nr].lock = lock;
	w->edges[w->nr].flags = flags;
	w->edges[w->nr].cpu = cpu;
	w->nr++;
	if (holder < 0) {
		w->open_ended = true;
		return false;
	}
	for (int i = 0; i < w->nr; i++)
		if (w->tasks[i] == (uint32_t)holder)
			w->closed = true;
	w->tasks[w->nr] = (uint32_t)holder;
	return !w->closed && w->nr < CHAIN_MAX;
}

/* A reader that has the inner lock waits for nobody any more, though its contention is open. */
static bool on_its_way(const struct detect *d, uint32_t task)
{
	const struct dtask *t = &d->tasks[task];
	const struct contention *c = &t->contentions[t->nr_contentions - 1];

	return c->flags & LCB_READ && d->locks[c->lock].inner_reader == (int64_t)task;
}

/* Adds the edge that leaves @task; false: the chain ends with it. */
static bool step(const struct detect *d, const struct sim *s, uint32_t task, bool all,
		 struct walk *w)
{
	const struct dtask *t = &d->tasks[task];

	if (t->nr_contentions && !on_its_way(d, task)) {
		const struct contention *c = &t->contentions[t->nr_contentions - 1];

		return add(w, EDGE_LOCK, c->lock, c->flags, 0, holder_of(d, s, task, c));
	}
	if (task_throttled(t)) {
		int cpu = t->group >= 0 && t->group < 64 ? d->group_cpu[t->group] : -1;

		if (!all || cpu < 0)
			return false;
		/* two edges in one: the timer, and the thread that serves it */
		return add(w, EDGE_THROTTLE, 0, 0, cpu, timer_thread(s, cpu));
	}
	if (all && t->state == STATE_RUNNABLE && d->running[t->cpu] != (int)task &&
	    d->running[t->cpu] >= 0 && sim_task(s, (uint32_t)d->running[t->cpu])->kind != TASK_IDLE) {
		add(w, EDGE_DISPLACED, 0, 0, (int)t->cpu, d->running[t->cpu]);
		return false;
	}
	return false;
}

void chain_walk(const struct detect *d, const struct sim *s, uint32_t task, bool all,
		struct walk *w)
{
	w->nr = 0;
	w->closed = w->open_ended = false;
	w->tasks[0] = task;
	while (step(d, s, w->tasks[w->nr], all, w))
		;
	/* A task that displaces is no holder: two that take turns on a CPU are no cycle. */
	if (w->closed && w->edges[w->nr - 1].kind == EDGE_DISPLACED)
		w->closed = false;
}

static const char *lock_words(const struct sim *s, uint32_t lock)
{
	const struct lock *l = sim_lock(s, lock);

	if (l && l->inner_of >= 0)
		l = sim_lock(s, (uint32_t)l->inner_of);
	return l ? l->name : "?";
}

static const char *held_as(const struct detect *d, const struct sim *s, const struct walk *w,
			   int i)
{
	const struct lock *k = sim_lock(s, w->edges[i].lock);
	const struct dlock *l = &d->locks[k && k->inner_of >= 0 ? (uint32_t)k->inner_of :
								  w->edges[i].lock];
	uint32_t holder = w->tasks[i + 1];

	if (l->draining == (int64_t)holder && l->owner != (int64_t)holder)
		return "behind the waiting writer";
	for (uint32_t r = 0; r < l->nr_readers; r++)
		if (l->readers[r].task == holder)
			return "held for reading by";
	return "held by";
}

static const char *mode_words(uint32_t flags, bool inner)
{
	if (flags & LCB_WRITE)
		return " for writing";
	if (flags & LCB_READ || inner)
		return flags & LCB_READ ? " for reading" : "";
	return "";
}

static void lock_edge(const struct detect *d, const struct sim *s, const struct walk *w, int i,
		      struct edge *e)
{
	const struct dtask *t = &d->tasks[w->tasks[i]];
	const struct lock *k = sim_lock(s, w->edges[i].lock);
	const char *waiter = sim_task(s, w->tasks[i])->name, *lock = lock_words(s, w->edges[i].lock);
	/* The outermost contention says what the task wants. */
	uint32_t flags = t->nr_contentions ? t->contentions[0].flags : w->edges[i].flags;

	snprintf(e->waits_for, sizeof(e->waits_for), "%.47s", lock);
	if (*e->holder)
		snprintf(e->words, sizeof(e->words), "%.31s waits for %.47s%s, %s %.31s", waiter, lock,
			 mode_words(flags, k && k->inner_of >= 0), held_as(d, s, w, i),
			 sim_task(s, w->tasks[i + 1])->name);
	else
		snprintf(e->words, sizeof(e->words), "%.31s waits for %.47s%s", waiter, lock,
			 mode_words(flags, false));
}

/* Throttling is shown as two edges: the wait for the timer and who serves it. */
static void throttle_edges(const struct walk *w, int i, const char *waiter, struct chain *c,
			   struct edge *e)
{
	struct edge *served = c->nr < CHAIN_MAX ? &c->edges[c->nr] : NULL;
	char holder[NAME_MAX_LEN];

	memcpy(holder, e->holder, sizeof(holder));
	snprintf(e->waits_for, sizeof(e->waits_for), "period timer of CPU %d", w->edges[i].cpu);
	snprintf(e->holder, sizeof(e->holder), "period timer of CPU %d", w->edges[i].cpu);
	snprintf(e->words, sizeof(e->words), "%.31s is throttled until the period timer of CPU %d",
		 waiter, w->edges[i].cpu);
	if (!served || !*holder)
		return;
	c->nr++;
	served->kind = EDGE_SOFTIRQ;
	memcpy(served->waiter, e->holder, sizeof(served->waiter));
	snprintf(served->waits_for, sizeof(served->waits_for), "softirq thread");
	memcpy(served->holder, holder, sizeof(served->holder));
	snprintf(served->words, sizeof(served->words), "the period timer of CPU %d is served by %.31s",
		 w->edges[i].cpu, holder);
}

void chain_words(const struct detect *d, const struct sim *s, const struct walk *w,
		 struct chain *c)
{
	memset(c, 0, sizeof(*c));
	c->closed = w->closed;
	for (int i = 0; i < w->nr && c->nr < CHAIN_MAX; i++) {
		bool last_open = w->open_ended && i == w->nr - 1;
		struct edge *e = &c->edges[c->nr++];

		e->kind = w->edges[i].kind;
		snprintf(e->waiter, sizeof(e->waiter), "%.47s", sim_task(s, w->tasks[i])->name);
		if (!last_open)
			snprintf(e->holder, sizeof(e->holder), "%.47s",
				 sim_task(s, w->tasks[i + 1])->name);
		switch (e->kind) {
		case EDGE_LOCK:
			lock_edge(d, s, w, i, e);
			break;
		case EDGE_THROTTLE:
			throttle_edges(w, i, sim_task(s, w->tasks[i])->name, c, e);
			break;
		default:
			snprintf(e->waits_for, sizeof(e->waits_for), "CPU %d", w->edges[i].cpu);
			snprintf(e->words, sizeof(e->words), "%.31s is runnable, %.31s has CPU %d",
				 sim_task(s, w->tasks[i])->name, sim_task(s, w->tasks[i + 1])->name,
				 w->edges[i].cpu);
			break;
		}
	}
}
