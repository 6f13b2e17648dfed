/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the trace writer: a record becomes the text of one event.
 */
#ifndef SIM_TRACE_PRIVATE_H
#define SIM_TRACE_PRIVATE_H

#include "sim/core/sim.h"
#include "sim/trace/line.h"

/* Where each task was last: events name CPUs that a record does not carry. */
struct ftrace_places {
	uint16_t cpu[SIM_TASKS_MAX];
};

/* "sched_switch: prev_comm=..." */
void ftrace_event(struct line *l, const struct sim *s, const struct probe *p,
		  struct ftrace_places *places);

/* As readers know tasks: idle is 0 on every CPU, others count from 1. */
static inline uint32_t ftrace_pid(const struct task *t)
{
	return t->kind == TASK_IDLE ? 0 : t->id + 1;
}

#endif
