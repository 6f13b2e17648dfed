/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocking chains: from a waiter over locks, throttling and softirq threads to the last task.
 *
 * A rwlock or rw_semaphore on RT is two locks: readers count, writers hold an inner rtmutex.
 * Who has the inner one is nowhere in the stream and follows from what is: a write holder, a
 * writer that waits for readers to drain, or a reader between its two contentions.
 *
 * An unlock leaves the lock to the waiter that it wakes, and the lock has no owner until that one
 * runs.  If it cannot run (throttled, displaced), the others wait for it all the same, but for
 * those of a better priority: they become the top waiter and take it.
 *
 * A writer waits for all readers.  A chain is one path, so it goes on with the reader that looks
 * most like the reason; cycles are looked for along all of them (cycle.c).
 */
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

bool task_throttled(const struct dtask *t)
{
	/* Asleep it waits for something else, and it may run to the end of a system call. */
	if (t->state != STATE_RUNNABLE && t->state != STATE_THROTTLED)
		return false;
	/* Lent a real-time priority it has left the fair class and its group's quota. */
	return t->throttled && t->prio >= 100;
}

static const struct contention *innermost(const struct dtask *t)
{
	return &t->contentions[t->nr_contentions - 1];
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

static int64_t worst_reader(const struct detect *d, const struct dlock *l)
{
	int64_t found = NOBODY;

	for (uint32_t i = 0; i < l->nr_readers; i++)
		if (found < 0 || guilt(d, l->readers[i].task) > guilt(d, (uint32_t)found))
			found = l->readers[i].task;
	return found;
}

static int64_t inner_owner(const struct dlock *l)
{
	if (l->owner >= 0)
		return l->owner;
	return l->draining >= 0 ? l->draining : l->inner_reader;
}

static bool held(const struct detect *d, uint32_t lock)
{
	int32_t outer = sim_lock(d->sim, lock)->inner_of;
	const struct dlock *l = &d->locks[lock];

	if (outer >= 0)
		return inner_owner(&d->locks[outer]) >= 0;
	return l->owner >= 0 || l->nr_readers;
}

int64_t heir_of(const struct detect *d, uint32_t lock)
{
	int64_t id = d->locks[lock].woken;
	const struct dtask *t;

	if (id < 0 || held(d, lock))
		return NOBODY;
	t = &d->tasks[id];
	/* asleep again, since another one was faster */
	if (!t->nr_contentions || innermost(t)->lock != lock || t->state == STATE_BLOCKED)
		return NOBODY;
	return id;
}

/* As locks order their waiters: the fair class is one priority. */
static int queued_as(const struct dtask *t)
{
	return t->prio < 100 ? t->prio : 120;
}

/* The one task that has to leave first, or NOBODY: readers may be many. */
static int64_t sole_holder(const struct detect *d, uint32_t waiter, const struct contention *c)
{
	int32_t outer = sim_lock(d->sim, c->lock)->inner_of;
	const struct dlock *l = &d->locks[outer >= 0 ? (uint32_t)outer : c->lock];
	int64_t h = l->owner;

	if (outer >= 0 || (c->flags & LCB_READ && c->flags & LCB_RT))
		h = inner_owner(l);
	/* A reader that does not sleep queues behind a writer that came before. */
	else if (h < 0 && c->flags & LCB_READ && l->draining >= 0 &&
		 d->tasks[l->draining].contentions[0].since_ns <= c->since_ns)
		h = l->draining;
	if (h < 0) {
		h = heir_of(d, c->lock);
		if (h >= 0 && queued_as(&d->tasks[waiter]) < queued_as(&d->tasks[h]))
			return NOBODY;
	}
	/* its own claim to the lock is no reason to wait; owning it is */
	return h == (int64_t)waiter && l->owner != h ? NOBODY : h;
}

/* It waits for nobody any more but to run, though its contention is open. */
static bool on_its_way(const struct detect *d, uint32_t task)
{
	const struct contention *c = innermost(&d->tasks[task]);

	if (c->flags & LCB_READ && d->locks[c->lock].inner_reader == (int64_t)task)
		return true;
	return heir_of(d, c->lock) == (int64_t)task;
}

static bool waits_for_lock(const struct detect *d, uint32_t task)
{
	return d->tasks[task].nr_contentions && !on_its_way(d, task);
}

static int64_t timer_thread(const struct detect *d, int cpu)
{
	const struct dcpu *c = &d->cpus[cpu];

	return c->ktimers >= 0 ? c->ktimers : c->ksoftirqd;
}

static bool throttle_edge(const struct detect *d, const struct dtask *t, struct link *e)
{
	int cpu = t->group >= 0 && t->group < GROUPS_MAX ? d->group_cpu[t->group] : NOBODY;

	if (cpu < 0)
		return false;
	/* two edges in one: the timer, and the thread that serves it */
	*e = (struct link){ .kind = EDGE_THROTTLE, .cpu = cpu, .holder = timer_thread(d, cpu),
			    .since_ns = t->throttled_since };
	return true;
}

bool chain_edge(const struct detect *d, uint32_t task, uint32_t i, struct link *e)
{
	const struct dtask *t = &d->tasks[task];
	const struct contention *c;
	const struct dlock *l;

	if (!waits_for_lock(d, task))
		return !i && task_throttled(t) && throttle_edge(d, t, e);
	c = innermost(t);
	*e = (struct link){ .kind = EDGE_LOCK, .lock = c->lock, .flags = c->flags,
			    .holder = sole_holder(d, task, c), .since_ns = c->since_ns };
	l = &d->locks[c->lock];
	if (e->holder >= 0 || c->flags & LCB_READ || !l->nr_readers)
		return !i;
	if (i >= l->nr_readers)
		return false;
	e->holder = l->readers[i].task;
	return true;
}

/* The edge that a chain goes on with. */
static bool worst_edge(const struct detect *d, uint32_t task, struct link *e)
{
	const struct dlock *l;

	if (!chain_edge(d, task, 0, e))
		return false;
	if (e->kind != EDGE_LOCK || e->holder < 0)
		return true;
	l = &d->locks[e->lock];
	if (l->nr_readers && l->owner < 0 && !(e->flags & LCB_READ) &&
	    sim_lock(d->sim, e->lock)->inner_of < 0)
		e->holder = worst_reader(d, l);
	return true;
}

/* Who has the CPU that @task would like to have; NOBODY: the idle task. */
static int64_t displacer(const struct detect *d, uint32_t task)
{
	const struct dtask *t = &d->tasks[task];
	int64_t has = d->cpus[t->cpu].running;

	if (t->state != STATE_RUNNABLE || has < 0 || has == (int64_t)task ||
	    sim_task(d->sim, (uint32_t)has)->kind == TASK_IDLE)
		return NOBODY;
	return has;
}

static void displaced(const struct detect *d, uint32_t task, struct walk *w)
{
	const struct dtask *t = &d->tasks[task];
	int64_t by = displacer(d, task);

	if (by < 0)
		return;
	w->edges[w->nr] = (struct link){ .kind = EDGE_DISPLACED, .cpu = (int)t->cpu, .holder = by,
					 .since_ns = t->runnable_since };
	w->tasks[++w->nr] = (uint32_t)by;
}

void chain_walk(const struct detect *d, uint32_t task, struct walk *w)
{
	*w = (struct walk){ .tasks = { task } };
	while (w->nr < CHAIN_MAX && worst_edge(d, w->tasks[w->nr], &w->edges[w->nr])) {
		int64_t holder = w->edges[w->nr++].holder;

		w->open_ended = holder < 0;
		if (w->open_ended)
			return;
		for (int i = 0; i < w->nr; i++)
			w->closed |= w->tasks[i] == (uint32_t)holder;
		w->tasks[w->nr] = (uint32_t)holder;
		if (w->closed)
			return;
	}
	if (w->nr < CHAIN_MAX)
		displaced(d, w->tasks[w->nr], w);
}

/* ---- standing */

static void come_through(struct detect *d, struct list *head)
{
	struct heads *h = &d->heads;

	if (h->nr == h->room) {
		h->room = h->room ? h->room * 2 : 32;
		h->at = realloc(h->at, h->room * sizeof(*h->at));
		SIM_CHECK(h->at);
	}
	h->at[h->nr++] = head;
}

static void come_through_lock(struct detect *d, uint32_t lock)
{
	int32_t outer = sim_lock(d->sim, lock)->inner_of;
	struct dlock *l = &d->locks[lock];

	come_through(d, &l->watchers);
	if (outer >= 0)
		come_through(d, &d->locks[outer].watchers);
	/* any of them may become the one to look at */
	for (uint32_t i = 0; i < l->nr_readers; i++)
		come_through(d, &d->tasks[l->readers[i].task].watchers);
	if (l->woken >= 0)
		come_through(d, &d->tasks[l->woken].watchers);
}

static int64_t last_of(struct detect *d, uint32_t task, struct standing *st)
{
	uint64_t visit = ++d->visit;
	struct link e;

	for (;;) {
		come_through(d, &d->tasks[task].watchers);
		d->tasks[task].visit = visit;
		if (!d->tasks[task].nr_contentions)
			return task;
		come_through_lock(d, innermost(&d->tasks[task])->lock);
		if (!waits_for_lock(d, task))
			return task;
		if (!worst_edge(d, task, &e) || e.holder < 0)
			return NOBODY;
		if (st->holder < 0)
			st->holder = e.holder;
		if (d->tasks[e.holder].visit == visit)
			return NOBODY;
		task = (uint32_t)e.holder;
	}
}

void chain_standing(struct detect *d, uint32_t task, struct standing *st)
{
	int base = d->tasks[task].base;
	const struct dtask *t;

	d->heads.nr = 0;
	*st = (struct standing){ .holder = NOBODY, .displacing = NOBODY };
	st->last = last_of(d, task, st);
	if (st->last < 0)
		return;
	t = &d->tasks[st->last];
	if (t->state == STATE_RUNNABLE)
		come_through(d, &d->cpus[t->cpu].watchers);
	st->displacing = displacer(d, (uint32_t)st->last);
	if (st->displacing >= 0)
		come_through(d, &d->tasks[st->displacing].watchers);
	if (t->base <= base)
		return;
	if (task_throttled(t))
		st->inverted = true;
	else if (st->displacing >= 0 && d->tasks[st->displacing].visit != d->visit)
		st->inverted = d->tasks[st->displacing].base > base;
}
