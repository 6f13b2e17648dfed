/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of one machine: made, taken and released through here, whatever their strategy.
 *
 * Every operation takes time, is a probe record, and is told to who aims at it; a release is told
 * before it happens, since a woken waiter may take the lock at once and say so.
 */
#include "sim/lock/lock.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sched.h"
#include "sim/lock/private.h"

/* Where probe records look for the inner rtmutex of a rwlock: behind its address. */
#define INNER 8

static const struct lock_strategy *const strategies[] = {
	&strategy_rt, &strategy_rt_reader_bias, &strategy_vanilla, &strategy_write_only
};

#define NR_STRATEGIES (sizeof(strategies) / sizeof(strategies[0]))

const struct lock_strategy *lock_strategy_at(unsigned int i)
{
	return i < NR_STRATEGIES ? strategies[i] : NULL;
}

const struct lock_strategy *lock_strategy(const char *name)
{
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		if (!strcmp(strategies[i]->name, name))
			return strategies[i];
	return NULL;
}

const char *lock_strategy_name(const struct lock_strategy *y)
{
	return y->name;
}

struct lock_set *lock_set_new(struct sim *s, const struct lock_strategy *y)
{
	struct lock_set *set = calloc(1, sizeof(*set));

	SIM_CHECK(set);
	set->sim = s;
	set->strategy = y;
	return set;
}

void lock_set_clear(struct lock_set *set)
{
	struct sim_lock *l;

	while ((l = set->locks)) {
		set->locks = l->next;
		free(l);
	}
	set->next_ticket = set->owner_ticket = 0;
}

void lock_set_free(struct lock_set *set)
{
	if (!set)
		return;
	lock_set_clear(set);
	free(set);
}

void lock_set_hook(struct lock_set *set, lock_hook_fn *fn, void *self)
{
	set->hook = fn;
	set->self = self;
}

struct sim_lock *lock_new(struct lock_set *set, enum bridge_lock_kind kind, const char *name)
{
	struct sim *s = set->sim;
	struct sim_lock *l = calloc(1, sizeof(*l));

	SIM_CHECK(l && kind < BRIDGE_LOCK_WAITQUEUE);
	l->set = set;
	l->kind = kind;
	l->ops = set->strategy->ops[kind];
	l->rw.bias = true;
	queue_init(&l->queue, l->ops->lends, l->ops->steals);
	sim_lock_name(s, l, kind, name);
	l->id = sim_lock_id(s, l);
	l->inner_id = l->ops->take_read && l->ops->lends ? sim_lock_id(s, (char *)l + INNER) : l->id;
	l->next = set->locks;
	set->locks = l;
	return l;
}

void lock_enter(struct lock_set *set)
{
	uint32_t ticket;

	abstract_preempt_disable(set->sim);
	engine_irqs_disable(set->sim);
	ticket = set->next_ticket++;
	while (set->owner_ticket != ticket)
		engine_spin_wait(set->sim, set);
}

void lock_exit(struct lock_set *set)
{
	set->owner_ticket++;
	engine_spin_wake(set->sim, set);
	engine_irqs_enable(set->sim);
	abstract_preempt_enable(set->sim);
}

/* ---- operations */

static enum lock_mode mode_of(const struct sim_lock *l, bool read)
{
	if (l->kind != BRIDGE_LOCK_RW && l->kind != BRIDGE_LOCK_RWSEM)
		return LOCK_EXCLUSIVE;
	return read ? LOCK_READ : LOCK_WRITE;
}

static void taken(struct sim_lock *l, bool shared, enum lock_mode mode)
{
	struct lock_set *set = l->set;

	if (shared)
		l->nr_readers++;
	else
		l->owner = lock_current(set);
	/* an rt_mutex is what user space holds through a futex */
	if (l->kind != BRIDGE_LOCK_RTMUTEX)
		abstract_enter_kernel(set->sim);
	if (l->ops->pins)
		sched_migrate_disable(set->sim, lock_current(set), true);
	engine_log(set->sim, PROBE_LOCK_ACQUIRED, l->id, mode);
	if (set->hook)
		set->hook(set->self, l->id, mode);
}

static void misused(struct sim_lock *l, const char *what)
{
	engine_bug(l->set->sim, what, sim_lock(l->set->sim, l->id)->name);
}

static int release(struct sim_lock *l, bool shared, enum lock_mode mode)
{
	struct sim *s = l->set->sim;

	engine_cost(s, COST_LOCK);
	if (shared ? !l->nr_readers : !l->owner)
		misused(l, "a lock that nobody holds is unlocked");
	if (!shared && l->owner != lock_current(l->set))
		misused(l, "a lock is unlocked by a task that does not hold it");
	engine_log(s, PROBE_LOCK_RELEASED, l->id, mode);
	if (shared)
		l->nr_readers--;
	else
		l->owner = NULL;
	(shared ? l->ops->release_read : l->ops->release)(l);
	if (l->ops->pins) {
		engine_irqs_disable(s);
		sched_migrate_disable(s, lock_current(l->set), false);
		engine_irqs_enable(s);
	}
	if (l->kind != BRIDGE_LOCK_RTMUTEX)
		abstract_leave_kernel(s);
	return 1;
}

int lock_op(struct sim_lock *l, enum bridge_lock_op op)
{
	bool read = op >= BRIDGE_OP_READ_LOCK, shared = read && l->ops->take_read;
	enum lock_mode mode = mode_of(l, read);

	if (op == BRIDGE_OP_UNLOCK || op == BRIDGE_OP_READ_UNLOCK)
		return release(l, shared, mode);
	engine_cost(l->set->sim, COST_LOCK);
	if (op == BRIDGE_OP_TRYLOCK || op == BRIDGE_OP_READ_TRYLOCK) {
		if (!(shared ? l->ops->try_read : l->ops->try_take)(l))
			return 0;
	} else {
		(shared ? l->ops->take_read : l->ops->take)(l);
	}
	taken(l, shared, mode);
	return 1;
}
