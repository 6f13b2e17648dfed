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

struct eventq {
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

static inline uint64_t eventq_next_at(const struct eventq *q)
{
	return q->nr ? q->heap[0]->at : UINT64_MAX;
}

static inline void event_init(struct event *e, enum event_kind kind, unsigned int cpu)
{
	*e = (struct event){ .index = -1, .kind = (uint16_t)kind, .cpu = (uint16_t)cpu };
}

#endif
