/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queue: all that will happen in virtual time, in the order it will happen.
 *
 * Two events at one instant leave in the order they came.  A heap alone does not promise that,
 * so every event carries a sequence number; without it a replay would depend on the layout of
 * the heap.
 */
#ifndef SIM_CORE_EVENTQ_H
#define SIM_CORE_EVENTQ_H

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_RESUME,	/* a CPU's burn is over */
	EVENT_CLOCK,	/* a CPU's clock event */
	EVENT_TICK,
	EVENT_IPI,	/* pending interrupts arrive */
	EVENT_CALL	/* host callback */
};

/* Part of the structure it belongs to; `index` is its place in the heap, -1: not queued. */
struct event {
	uint64_t at;
	uint64_t seq;
	int32_t index;
	uint16_t kind;
	uint16_t cpu;
};

/* Time and sequence number as one number: one comparison tells who leaves first. */
__extension__ typedef unsigned __int128 eventq_key;

/*
 * A heap whose nodes have four children: half the depth of a binary one.  Keys lie apart from
 * events, so that the keys of four children are one line of the cache.
 */
struct eventq {
	eventq_key *keys;	/* from nr up to room: greater than any event's */
	struct event **heap;
	uint32_t nr, room;
	uint64_t seq;
};

void eventq_init(struct eventq *q);
void eventq_free(struct eventq *q);
/* Queues @e at @at, behind all that is queued for the same time; moves it if it is queued. */
void eventq_set(struct eventq *q, struct event *e, uint64_t at);
void eventq_cancel(struct eventq *q, struct event *e);
/* NULL when empty. */
struct event *eventq_pop(struct eventq *q);
/* Makes @q what @from is, which may not be set or popped; its events are the same ones. */
void eventq_copy(struct eventq *q, const struct eventq *from);

static inline uint64_t eventq_next_at(const struct eventq *q)
{
	return (uint64_t)(q->keys[0] >> 64);	/* UINT64_MAX when empty */
}

static inline void event_init(struct event *e, enum event_kind kind, unsigned int cpu)
{
	*e = (struct event){ .index = -1, .kind = (uint16_t)kind, .cpu = (uint16_t)cpu };
}

#endif
