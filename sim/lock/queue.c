/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue of waiters, and the one way to take what it guards.
 *
 * A released lock has no owner until the top waiter, which has been woken, runs and takes it; in
 * between who is better may come first.  The top waiter spins while the owner runs on another CPU
 * instead of sleeping, so there can be contention without a switch.
 *
 * Source: Documentation/locking/rt-mutex-design.rst and kernel/locking/rtmutex.c, Linux 6.12.
 */
#include "sim/base/check.h"
#include "sim/core/sched.h"
#include "sim/lock/private.h"

#define RT_PRIOS 100

void queue_init(struct lock_queue *q, bool lends, bool steals)
{
	*q = (struct lock_queue){ .lends = lends, .steals = steals };
	list_init(&q->waiters);
	list_init(&q->owned);
}

struct lock_waiter *queue_top(const struct lock_queue *q)
{
	return list_empty(&q->waiters) ? NULL :
					 list_item(q->waiters.next, struct lock_waiter, node);
}

/* By priority, and first come among equals; or first come altogether. */
void queue_insert(struct lock_queue *q, struct lock_waiter *w)
{
	struct list *at = q->waiters.prev;

	while (q->lends && at != &q->waiters &&
	       list_item(at, struct lock_waiter, node)->prio > w->prio)
		at = at->prev;
	list_insert(&w->node, at);
}

/* May @t, which is not queued or is the top waiter, have it now? */
static bool may_take(const struct lock_queue *q, const struct task *t)
{
	const struct lock_waiter *top = queue_top(q);
	int prio = pi_waiter_prio(t);

	if (q->owner)
		return false;
	if (!top || top->task == t)
		return true;
	if (!q->lends)
		return false;
	return prio < top->prio || (q->steals && prio == top->prio && prio >= RT_PRIOS);
}

static void own(struct lock_queue *q, struct task *t)
{
	q->owner = t;
	if (q->lends)
		pi_own(q, t);
}

bool queue_try_take(struct lock_set *set, struct lock_queue *q)
{
	struct task *me = lock_current(set);
	bool taken;

	lock_enter(set);
	taken = may_take(q, me);
	if (taken) {
		own(q, me);
		if (q->lends && queue_top(q))
			pi_walk(set->sim, me);
	}
	lock_exit(set);
	return taken;
}

static bool owner_runs(const struct lock_queue *q, const struct lock_waiter *w)
{
	return q->lends && queue_top(q) == w && q->owner && sched_on_cpu(q->owner) &&
	       !w->task->abstract.need_resched;
}

static void wait(struct lock_set *set, struct lock_queue *q, struct lock_waiter *w)
{
	struct sim *s = set->sim;

	for (;;) {
		abstract_prepare(s);
		if (may_take(q, w->task))
			return;
		if (owner_runs(q, w))
			engine_relax(s);
		else
			abstract_block(s, PREV_UNINTERRUPTIBLE);
	}
}

void queue_take(struct lock_set *set, struct lock_queue *q, uint32_t id, uint32_t flags)
{
	struct sim *s = set->sim;
	struct task *me = lock_current(set);
	struct lock_waiter w = { .task = me, .queue = q };

	if (queue_try_take(set, q))
		return;
	if (abstract_in_irq(s))
		engine_bug(s, "scheduling while atomic", "a lock that sleeps, in an interrupt");
	if (id != LOCK_SILENT)
		engine_log(s, PROBE_CONTENTION_BEGIN, id, flags);
	lock_enter(set);
	w.prio = pi_waiter_prio(me);
	queue_insert(q, &w);
	me->abstract.blocked_on = &w;
	if (q->lends && q->owner)
		pi_walk(s, q->owner);
	lock_exit(set);
	for (;;) {
		wait(set, q, &w);
		lock_enter(set);
		if (may_take(q, me))
			break;
		lock_exit(set);
	}
	list_remove(&w.node);
	me->abstract.blocked_on = NULL;
	own(q, me);
	if (q->lends && queue_top(q))
		pi_walk(s, me);
	lock_exit(set);
	if (id != LOCK_SILENT)
		engine_log(s, PROBE_CONTENTION_END, id, 0);
}

/* Deboost, no owner, wake: in one step, with preemption off. */
void queue_release(struct lock_set *set, struct lock_queue *q)
{
	struct sim *s = set->sim;
	struct lock_waiter *top;
	struct task *next;

	abstract_preempt_disable(s);
	lock_enter(set);
	if (q->lends)
		pi_disown(s, q);
	q->owner = NULL;
	top = queue_top(q);
	next = top ? top->task : NULL;
	lock_exit(set);
	if (next)
		abstract_wake(s, next);
	abstract_preempt_enable(s);
}
