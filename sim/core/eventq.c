/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heap of four children a node.
 *
 * Behind the last event the keys are NOTHING, so a node with fewer than four children is
 * compared like any other: without branches, since which of them is least cannot be guessed.
 */
#include "sim/core/eventq.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

#define EVENTQ_ROOM_MIN 64	/* events; a multiple of CHILDREN, as all sizes are */
#define CHILDREN 4
#define NOTHING (~(eventq_key)0)

static inline void place(struct eventq *q, uint32_t i, eventq_key key, struct event *e)
{
	q->keys[i] = key;
	q->heap[i] = e;
	e->index = (int32_t)i;
}

static void sift_up(struct eventq *q, uint32_t i, eventq_key key, struct event *e)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / CHILDREN;

		if (key > q->keys[parent])
			break;
		place(q, i, q->keys[parent], q->heap[parent]);
		i = parent;
	}
	place(q, i, key, e);
}

/* The child of least key, of the four that begin at @c. */
static inline uint32_t least(const eventq_key *k, uint32_t c)
{
	uint32_t a = c + (k[c + 1] < k[c]), b = c + 2 + (k[c + 3] < k[c + 2]);

	return a + ((b - a) & -(uint32_t)(k[b] < k[a]));
}

static void sift_down(struct eventq *q, uint32_t i, eventq_key key, struct event *e)
{
	for (;;) {
		uint32_t child = CHILDREN * i + 1;

		if (child >= q->nr)
			break;
		child = least(q->keys, child);
		if (key < q->keys[child])
			break;
		place(q, i, q->keys[child], q->heap[child]);
		i = child;
	}
	place(q, i, key, e);
}

static void set_room(struct eventq *q, uint32_t room)
{
	/* the children of the last event may lie behind the room for events */
	q->keys = realloc(q->keys, (room + CHILDREN) * sizeof(q->keys[0]));
	q->heap = realloc(q->heap, room * sizeof(q->heap[0]));
	SIM_CHECK(q->keys && q->heap);
	for (uint32_t i = q->nr; i < room + CHILDREN; i++)
		q->keys[i] = NOTHING;
	q->room = room;
}

void eventq_init(struct eventq *q)
{
	*q = (struct eventq){ 0 };
	set_room(q, EVENTQ_ROOM_MIN);
}

void eventq_free(struct eventq *q)
{
	free(q->keys);
	free(q->heap);
	*q = (struct eventq){ 0 };
}

void eventq_set(struct eventq *q, struct event *e, uint64_t at)
{
	if (e->index >= 0)
		eventq_cancel(q, e);
	if (q->nr == q->room)
		set_room(q, 2 * q->room);
	e->at = at;
	e->seq = q->seq++;
	sift_up(q, q->nr++, (eventq_key)at << 64 | e->seq, e);
}

/* Takes the last event off its place, to be put elsewhere. */
static struct event *take_last(struct eventq *q, eventq_key *key)
{
	struct event *last = q->heap[--q->nr];

	*key = q->keys[q->nr];
	q->keys[q->nr] = NOTHING;
	return last;
}

void eventq_cancel(struct eventq *q, struct event *e)
{
	uint32_t i = (uint32_t)e->index;
	struct event *last;
	eventq_key key;

	if (e->index < 0)
		return;
	SIM_CHECK(i < q->nr && q->heap[i] == e);
	e->index = -1;
	last = take_last(q, &key);
	if (last == e)
		return;
	if (i > 0 && key < q->keys[(i - 1) / CHILDREN])
		sift_up(q, i, key, last);
	else
		sift_down(q, i, key, last);
}

struct event *eventq_pop(struct eventq *q)
{
	struct event *e, *last;
	eventq_key key;

	if (!q->nr)
		return NULL;
	e = q->heap[0];
	e->index = -1;
	last = take_last(q, &key);
	if (last != e)
		sift_down(q, 0, key, last);
	return e;
}

void eventq_copy(struct eventq *q, const struct eventq *from)
{
	uint32_t nr = q->nr;

	if (q->room < from->nr)
		set_room(q, from->room);
	memcpy(q->keys, from->keys, from->nr * sizeof(q->keys[0]));
	memcpy(q->heap, from->heap, from->nr * sizeof(q->heap[0]));
	for (uint32_t i = from->nr; i < nr; i++)
		q->keys[i] = NOTHING;
	q->nr = from->nr;
	q->seq = from->seq;
}
