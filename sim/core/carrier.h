/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carriers: what a task's stack and registers live on.
 *
 * `fiber` is a hand-written context switch on one thread; `pthread` gives every task a POSIX
 * thread and passes one baton, so that debuggers and sanitizers see ordinary threads.  Only one
 * carrier runs at a time on either.
 */
#ifndef SIM_CORE_CARRIER_H
#define SIM_CORE_CARRIER_H

#include <stdbool.h>

struct carrier;

struct carrier_ops {
	const char *name;
	/* The caller's own context, to which carrier_switch() can return. */
	struct carrier *(*host)(void);
	struct carrier *(*create)(void (*fn)(void *), void *arg);
	void (*switch_to)(struct carrier *from, struct carrier *to);
	/* The carrier is parked and will never be switched to again; its stack is dropped. */
	void (*destroy)(struct carrier *c);
	/* Stacks can be saved and restored (reset by memcpy)? */
	bool can_restore;
	void (*save)(struct carrier *c);
	void (*restore)(struct carrier *c);
};

extern const struct carrier_ops carrier_fiber, carrier_pthread;

const struct carrier_ops *carrier_by_name(const char *name);	/* NULL: none of that name */

#endif
