/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocking chains in words, one sentence an edge.
 */
#include <stdio.h>
#include <string.h>

#include "sim/detect/private.h"

const char *const edge_names[NR_EDGES] = { "lock", "throttle", "softirq", "displaced" };

static const char *lock_words(const struct sim *s, uint32_t lock)
{
	const struct lock *l = sim_lock(s, lock);

	if (l && l->inner_of >= 0)
		l = sim_lock(s, (uint32_t)l->inner_of);
	return l ? l->name : "?";
}

static const char *held_as(const struct detect *d, const struct walk *w, int i)
{
	const struct lock *k = sim_lock(d->sim, w->edges[i].lock);
	const struct dlock *l = &d->locks[k && k->inner_of >= 0 ? (uint32_t)k->inner_of :
								  w->edges[i].lock];
	uint32_t holder = w->tasks[i + 1];

	if (l->draining == (int64_t)holder && l->owner != (int64_t)holder)
		return "behind the waiting writer";
	for (uint32_t r = 0; r < l->nr_readers; r++)
		if (l->readers[r].task == holder)
			return "held for reading by";
	if (heir_of(d, w->edges[i].lock) == (int64_t)holder)
		return "left to";
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

static void lock_edge(const struct detect *d, const struct walk *w, int i, struct edge *e)
{
	const struct sim *s = d->sim;
	const struct dtask *t = &d->tasks[w->tasks[i]];
	const struct lock *k = sim_lock(s, w->edges[i].lock);
	const char *waiter = sim_task(s, w->tasks[i])->name, *lock = lock_words(s, w->edges[i].lock);
	/* The outermost contention says what the task wants. */
	uint32_t flags = t->nr_contentions ? t->contentions[0].flags : w->edges[i].flags;

	snprintf(e->waits_for, sizeof(e->waits_for), "%.47s", lock);
	if (*e->holder)
		snprintf(e->words, sizeof(e->words), "%.31s waits for %.47s%s, %s %.31s", waiter, lock,
			 mode_words(flags, k && k->inner_of >= 0), held_as(d, w, i),
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
	served->since_ns = e->since_ns;
	memcpy(served->waiter, e->holder, sizeof(served->waiter));
	snprintf(served->waits_for, sizeof(served->waits_for), "softirq thread");
	memcpy(served->holder, holder, sizeof(served->holder));
	snprintf(served->words, sizeof(served->words), "the period timer of CPU %d is served by %.31s",
		 w->edges[i].cpu, holder);
}

void chain_words(const struct detect *d, const struct walk *w, struct chain *c)
{
	const struct sim *s = d->sim;

	memset(c, 0, sizeof(*c));
	c->closed = w->closed;
	for (int i = 0; i < w->nr && c->nr < CHAIN_MAX; i++) {
		bool last_open = w->open_ended && i == w->nr - 1;
		struct edge *e = &c->edges[c->nr++];

		e->kind = w->edges[i].kind;
		e->since_ns = w->edges[i].since_ns;
		snprintf(e->waiter, sizeof(e->waiter), "%.47s", sim_task(s, w->tasks[i])->name);
		if (!last_open)
			snprintf(e->holder, sizeof(e->holder), "%.47s",
				 sim_task(s, w->tasks[i + 1])->name);
		switch (e->kind) {
		case EDGE_LOCK:
			lock_edge(d, w, i, e);
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
