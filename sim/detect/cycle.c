/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cycles: a depth-first search over all that a task waits for.
 *
 * A writer waits for every reader, so one reader that waits for the writer is enough; following
 * a single path would miss it behind a reader that is merely slow.
 */
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

/* A task on the path and the edge that leaves it. */
struct step {
	uint32_t task, next;
	struct link edge;
};

/*
 * A task that still runs on has not blocked: the priority it lends may yet break the cycle.  Of
 * a lock that only spins that is as much waiting as there will be.
 */
static bool really_waits(const struct dtask *t)
{
	uint32_t flags;

	if (!t->nr_contentions || t->state != STATE_RUNNING)
		return true;
	flags = t->contentions[t->nr_contentions - 1].flags;
	return flags & LCB_SPIN && !(flags & LCB_RT);
}

static void push(struct detect *d, uint32_t depth, uint32_t task)
{
	if (depth >= d->room_path) {
		d->room_path = d->room_path ? d->room_path * 2 : 32;
		d->path = realloc(d->path, d->room_path * sizeof(d->path[0]));
		SIM_CHECK(d->path);
	}
	d->path[depth] = (struct step){ .task = task };
	d->tasks[task].visit = d->visit;
}

static void as_walk(const struct detect *d, uint32_t depth, struct walk *w)
{
	*w = (struct walk){ .closed = true };
	for (uint32_t i = 0; i <= depth && w->nr < CHAIN_MAX; i++) {
		w->tasks[w->nr] = d->path[i].task;
		w->edges[w->nr++] = d->path[i].edge;
	}
	/* of a longer cycle the beginning is shown */
	w->tasks[w->nr] = (uint32_t)w->edges[w->nr - 1].holder;
}

bool cycle_find(struct detect *d, uint32_t task, bool spinning, struct walk *w)
{
	uint32_t depth = 0;

	d->visit++;
	push(d, 0, task);
	for (;;) {
		struct step *p = &d->path[depth];
		bool waits = spinning || really_waits(&d->tasks[p->task]);

		if (!waits || !chain_edge(d, p->task, p->next++, &p->edge)) {
			if (!depth--)
				return false;
			continue;
		}
		if (p->edge.holder < 0)
			continue;
		if (p->edge.holder == (int64_t)task) {
			as_walk(d, depth, w);
			return true;
		}
		if (d->tasks[p->edge.holder].visit != d->visit)
			push(d, ++depth, (uint32_t)p->edge.holder);
	}
}
