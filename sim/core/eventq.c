/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/core/eventq.h"

#include <stdlib.h>

#include "sim/base/check.h"

#define EVENTQ_ROOM_MIN 64

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

static void place(struct eventq *q, uint32_t i, struct event *e)
{
	q->heap[i] = e;
	e->index = (int32_t)i;
}

static void sift_up(struct eventq *q, uint32_t i, struct event *e)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / 2;

		if (!before(e, q->heap[parent]))
			break;
		place(q, i, q->heap[parent]);
		i = parent;
	}
	place(q, i, e);
}

static void sift_down(struct eventq *q, uint32_t i, struct event *e)
{
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= q->nr)
			break;
		if (child + 1 < q->nr && before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!before(q->heap[child], e))
			break;
		place(q, i, q->heap[child]);
		i = child;
	}
	place(q, i, e);
}

void eventq_init(struct eventq *q)
{
	*q = (struct eventq){ .room = EVENTQ_ROOM_MIN };
	q->heap = malloc(q->room * sizeof(q->heap[0]));
	SIM_CHECK(q->heap);
}

void eventq_free(struct eventq *q)
{
	free(q->heap);
	q->heap = NULL;
	q->nr = 0;
}

void eventq_set(struct eventq *q, struct event *e, uint64_t at)
{
	if (e->index >= 0)
		eventq_cancel(q, e);
	if (q->nr == q->room) {
		q->room *= 2;
		q->heap = realloc(q->heap, q->room * sizeof(q->heap[0]));
		SIM_CHECK(q->heap);
	}
	e->at = at;
	e->seq = q->seq++;
	sift_up(q, q->nr++, e);
}

void eventq_cancel(struct eventq *q, struct event *e)
{
	uint32_t i = (uint32_t)e->index;
	struct event *last;

	if (e->index < 0)
		return;
	SIM_CHECK(i < q->nr && q->heap[i] == e);
	e->index = -1;
	last = q->heap[--q->nr];
	if (last == e)
		return;
	if (i > 0 && before(last, q->heap[(i - 1) / 2]))
		sift_up(q, i, last);
	else
		sift_down(q, i, last);
}

struct event *eventq_pop(struct eventq *q)
{
	struct event *e;

	if (!q->nr)
		return NULL;
	e = q->heap[0];
	e->index = -1;
	q->nr--;
	if (q->nr)
		sift_down(q, 0, q->heap[q->nr]);
	return e;
}
