/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Priority inheritance: the walk along the chain of owners.
 *
 * A task runs at the best of its own priority and those of the top waiters of what it owns.  When
 * that changes while it waits itself, it is moved in the queue it stands in, and the owner of that
 * queue is next; a lock without an owner gets a new top waiter, which must be woken, or the one
 * woken before it would wait for a task that sleeps.
 *
 * Source: Documentation/locking/rt-mutex-design.rst, "High level overview of the PI chain walk",
 * Linux 6.12.
 */
#include "sim/core/sched.h"
#include "sim/lock/private.h"

#define DEPTH_MAX 1024	/* as deep as the kernel follows a chain; a cycle ends there too */
#define PRIO_FAIR 120	/* what a fair waiter stands by, whatever its nice value */
#define RT_PRIOS 100

int pi_waiter_prio(const struct task *t)
{
	return t->prio < RT_PRIOS ? t->prio : PRIO_FAIR;
}

static struct list *owned(struct task *t)
{
	if (!t->abstract.lends) {
		t->abstract.lends = true;
		list_init(&t->abstract.owned);
	}
	return &t->abstract.owned;
}

void pi_own(struct lock_queue *q, struct task *t)
{
	list_add_tail(&q->owned, owned(t));
}

static int best_prio(struct task *t)
{
	int best = t->normal_prio;

	list_each(node, owned(t)) {
		const struct lock_waiter *w = queue_top(list_item(node, struct lock_queue, owned));

		if (w && w->task->prio < best)
			best = w->task->prio;
	}
	return best;
}

void pi_disown(struct sim *s, struct lock_queue *q)
{
	struct task *t = q->owner;
	int prio;

	list_remove(&q->owned);
	prio = best_prio(t);
	if (prio != t->prio)
		sched_setprio(s, t, prio);
}

/* Its place in the queue after a change; true: the owner may have to be lent another priority. */
static bool requeue(struct sim *s, struct lock_waiter *w)
{
	struct lock_queue *q = w->queue;
	struct lock_waiter *before = queue_top(q);

	w->prio = pi_waiter_prio(w->task);
	list_remove(&w->node);
	queue_insert(q, w);
	if (!q->owner && queue_top(q) != before)
		abstract_wake(s, queue_top(q)->task);
	return q->owner && q->lends;
}

void pi_walk(struct sim *s, struct task *owner)
{
	struct task *t = owner;

	for (int depth = 0; t && depth < DEPTH_MAX; depth++) {
		struct lock_waiter *w = t->abstract.blocked_on;
		int prio = best_prio(t);

		if (prio != t->prio)
			sched_setprio(s, t, prio);
		if (!w || w->prio == pi_waiter_prio(t) || !requeue(s, w))
			return;
		t = w->queue->owner;
	}
}

void lock_waiter_changed(struct sim *s, struct task *t)
{
	struct lock_waiter *w = t->abstract.blocked_on;

	if (w && w->prio != pi_waiter_prio(t) && requeue(s, w))
		pi_walk(s, w->queue->owner);
}
