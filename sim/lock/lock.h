/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the abstract world, by strategy.
 *
 * A strategy is a table of functions, one for each kind of lock; a new one is a file and a line in
 * lock.c.  All share one queue of waiters with one way to take it and one walk of the PI chain
 * (queue.c, pi.c); readers and writers share rw.c.
 */
#ifndef SIM_LOCK_LOCK_H
#define SIM_LOCK_LOCK_H

#include "sim/core/sim.h"

struct sim_lock;
struct lock_set;	/* all locks of one machine */

/* How commands name them: rt, rt-reader-bias ...; NULL: none of that name. */
struct lock_strategy;
const struct lock_strategy *lock_strategy(const char *name);
const struct lock_strategy *lock_strategy_at(unsigned int i);	/* NULL: no more */
const char *lock_strategy_name(const struct lock_strategy *y);

struct lock_set *lock_set_new(struct sim *s, const struct lock_strategy *y);
void lock_set_clear(struct lock_set *set);	/* drops all locks */
void lock_set_free(struct lock_set *set);

struct sim_lock *lock_new(struct lock_set *set, enum bridge_lock_kind kind, const char *name);
/*
 * On a task: 1 taken or released, 0 trylock failed.  Misuse (a stranger unlocks, a lock is
 * unlocked twice or taken again by its owner) ends the run with the verdict bug.
 */
int lock_op(struct sim_lock *l, enum bridge_lock_op op);

/* Told of every lock taken: triggers and holds; may burn. */
typedef void lock_hook_fn(void *self, uint32_t lock, unsigned int mode);
void lock_set_hook(struct lock_set *set, lock_hook_fn *fn, void *self);

/* A task's own priority has changed while it waits: its place in the queue, and whom it boosts. */
void lock_waiter_changed(struct sim *s, struct task *t);

#endif
