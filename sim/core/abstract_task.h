/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The abstract world's part of a task, inside struct task so that a reset restores it.
 */
#ifndef SIM_CORE_ABSTRACT_TASK_H
#define SIM_CORE_ABSTRACT_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/list.h"
#include "sim/core/eventq.h"

struct lock_waiter;

struct abstract_task {
	bool need_resched;
	bool woken;		/* since it began to go to sleep */
	bool interruptible;	/* what it sleeps in may be ended from outside */
	uint32_t preempt_off;	/* nesting */
	uint32_t in_kernel;	/* kernel locks held: not in user space meanwhile */
	struct event timer;	/* ends its sleep */
	/* sim/lock: */
	struct lock_waiter *blocked_on;
	struct list owned;	/* queues it owns that lend priorities; set up when first used */
	bool lends;		/* @owned is set up */
};

#endif
