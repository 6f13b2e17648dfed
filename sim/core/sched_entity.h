/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler's part of a task, inside struct task so that a reset restores it.
 */
#ifndef SIM_CORE_SCHED_ENTITY_H
#define SIM_CORE_SCHED_ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/list.h"

/* What a fair queue orders: a task, or all of a group on one CPU. */
struct fair_node {
	uint64_t vruntime;	/* ns, weighted: what it has had of the CPU */
	uint64_t seq;		/* equal vruntimes leave in the order they came */
	uint32_t weight;	/* 1024: nice 0 */
	int32_t index;		/* in the heap, -1: not queued, or running */
	bool is_group;
};

struct fair_queue;

struct sched_entity {
	uint64_t cpus;		/* affinity, a bit a CPU */
	uint32_t cpu;		/* where it is, or was last */
	uint32_t nr_cpus;	/* in @cpus */
	bool queued;		/* runnable, on the run queue of @cpu */
	bool on_cpu;		/* from before the switch to it until after the one away */
	bool stopper;
	bool started;		/* has been woken once */

	uint32_t migrate_disabled;	/* nesting */
	bool pinned;		/* has been off its CPU with migration disabled */
	bool push_later;	/* to be pushed away when it enables migration */
	bool wants_move;	/* its affinity excludes its CPU: the stopper moves it */
	struct list move;	/* on the stopper's list */

	struct list run;	/* on the list of its priority, also while it runs */
	struct list pushable;	/* RT, waits, may run elsewhere */
	uint32_t slice_ticks;	/* SCHED_RR: left */

	struct fair_node fair;
	const struct fair_queue *left_queue;	/* where it was fair last, */
	uint64_t left_min;			/* and the least vruntime there then */
	uint64_t exec_start_ns;	/* charged until then */
	uint64_t slice_start_ns; /* fair: came to the CPU */
	bool limbo;		/* throttled at its return to user space: queued, not eligible */
	bool told_throttled;	/* as the probes say */
	struct list member;	/* of its group */
};

#endif
