/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: SCHED_FIFO and SCHED_RR, and on which CPU such tasks run.
 *
 * The running task stays on the list of its priority; who waits and may run elsewhere is on a
 * second list, in the order of having begun to wait.  The two orders differ: a preempted task is
 * the first of its priority to run again and the last to be pushed away.
 *
 * Source: kernel/sched/rt.c and cpupri.c, Linux 6.12.
 */
#include "sim/base/check.h"
#include "sim/core/sched_private.h"

#define PUSH_TRIES 3	/* as often a CPU is looked for before a task stays */

/* ---- lists by priority */

static void lists_init(struct prio_lists *l)
{
	for (int i = 0; i < RT_PRIOS; i++)
		list_init(&l->list[i]);
}

static void lists_add(struct prio_lists *l, struct list *node, int prio, bool head)
{
	if (head)
		list_add_head(node, &l->list[prio]);
	else
		list_add_tail(node, &l->list[prio]);
	l->bits[prio / 64] |= 1ull << (prio % 64);
}

static void lists_remove(struct prio_lists *l, struct list *node, int prio)
{
	list_remove(node);
	if (list_empty(&l->list[prio]))
		l->bits[prio / 64] &= ~(1ull << (prio % 64));
}

/* Best priority that is @prio or worse, RT_PRIOS: none. */
static int lists_best(const struct prio_lists *l, int prio)
{
	for (int w = prio / 64; w < 2; w++) {
		uint64_t bits = l->bits[w];

		if (w == prio / 64)
			bits &= ~0ull << (prio % 64);
		if (bits)
			return w * 64 + __builtin_ctzll(bits);
	}
	return RT_PRIOS;
}

/* ---- the queue */

void rt_init(struct rq *rq)
{
	lists_init(&rq->rt);
	lists_init(&rq->pushable);
}

void rt_enqueue(struct rq *rq, struct task *t, bool head)
{
	lists_add(&rq->rt, &t->se.run, t->prio, head);
	rq->nr_rt++;
}

static void not_pushable(struct rq *rq, struct task *t)
{
	if (!list_empty(&t->se.pushable))
		lists_remove(&rq->pushable, &t->se.pushable, t->prio);
}

void rt_dequeue(struct rq *rq, struct task *t)
{
	lists_remove(&rq->rt, &t->se.run, t->prio);
	not_pushable(rq, t);
	rq->nr_rt--;
}

void rt_requeue(struct rq *rq, struct task *t, bool head)
{
	lists_remove(&rq->rt, &t->se.run, t->prio);
	lists_add(&rq->rt, &t->se.run, t->prio, head);
}

void rt_put(struct rq *rq, struct task *t)
{
	if (t->se.nr_cpus < 2)
		return;
	not_pushable(rq, t);
	lists_add(&rq->pushable, &t->se.pushable, t->prio, false);
}

static bool has_pushable(const struct rq *rq)
{
	return rq->pushable.bits[0] | rq->pushable.bits[1];
}

void rt_set_next(struct rq *rq, struct task *t, bool first)
{
	not_pushable(rq, t);
	if (first && has_pushable(rq))
		rq->want_push = true;
}

int rt_best(const struct rq *rq)
{
	return lists_best(&rq->rt, 0);
}

struct task *rt_first(struct rq *rq)
{
	return list_item(rq->rt.list[rt_best(rq)].next, struct task, se.run);
}

/* ---- which CPU */

/* The CPUs allowed to @t that run what matters least, if it matters less than @t. */
static uint64_t lowest_cpus(struct sim *s, const struct task *t)
{
	uint64_t cpus = 0;
	int lowest = t->prio;

	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		int best = rt_best(rq_of_cpu(s, i));

		/* the least of all real-time priorities counts as none */
		if (best > RT_PRIOS - 1)
			best = RT_PRIOS - 1;
		if (!may_run_on(t, i) || best < lowest || best <= t->prio)
			continue;
		if (best > lowest)
			cpus = 0;
		lowest = best;
		cpus |= 1ull << i;
	}
	return cpus;
}

static int find_lowest(struct sim *s, const struct task *t)
{
	uint64_t cpus;

	if (t->se.nr_cpus == 1)
		return -1;
	cpus = lowest_cpus(s, t);
	if (!cpus)
		return -1;
	if (cpus & (1ull << t->se.cpu))
		return (int)t->se.cpu;
	if (cpus & (1ull << s->cpu))
		return (int)s->cpu;
	return (int)sched_distribute(s, cpus);
}

uint32_t rt_select_cpu(struct sim *s, struct task *t)
{
	struct rq *rq = rq_of(s, t);
	struct task *curr = rq->curr;
	int cpu;

	if (!(is_rt(curr) && (curr->se.nr_cpus < 2 || curr->prio <= t->prio)))
		return t->se.cpu;
	cpu = find_lowest(s, t);
	return cpu >= 0 && t->prio < rt_best(rq_of_cpu(s, (uint32_t)cpu)) ? (uint32_t)cpu :
									    t->se.cpu;
}

static struct task *first_pushable(struct rq *rq)
{
	int prio = lists_best(&rq->pushable, 0);

	if (prio == RT_PRIOS)
		return NULL;
	return list_item(rq->pushable.list[prio].next, struct task, se.pushable);
}

/* The queue of a CPU that takes @t, locked; NULL: none, or @t is no longer to be pushed. */
static struct rq *find_queue(struct sim *s, struct rq *rq, struct task *t)
{
	for (int tries = 0; tries < PUSH_TRIES; tries++) {
		int cpu = find_lowest(s, t);
		struct rq *to;

		if (cpu < 0 || (uint32_t)cpu == rq->cpu)
			return NULL;
		to = rq_of_cpu(s, (uint32_t)cpu);
		if (rt_best(to) <= t->prio)
			return NULL;
		rq_double_lock(s, rq, to);
		if (!t->se.migrate_disabled && may_run_on(t, to->cpu) && t == first_pushable(rq) &&
		    rt_best(to) > t->prio)
			return to;
		rq_unlock(s, to);
		if (t->se.migrate_disabled || !may_run_on(t, (uint32_t)cpu) ||
		    t != first_pushable(rq))
			return NULL;
	}
	return NULL;
}

bool rt_push_away(struct sim *s, struct rq *rq, struct task *t)
{
	struct rq *to = find_queue(s, rq, t);

	if (!to)
		return false;
	if (rq_of(s, t) == rq) {
		sched_move(s, t, to->cpu);
		sched_resched(s, to);
	}
	rq_unlock(s, to);
	return true;
}

/* Pushes one task; false: that is all. */
static bool push_one(struct sim *s, struct rq *rq)
{
	struct task *t = first_pushable(rq), *again;

	while (t) {
		if (t->prio < rq->curr->prio) {
			sched_resched(s, rq);
			return false;
		}
		if (t->se.migrate_disabled)
			return false;
		if (rt_push_away(s, rq, t))
			return true;
		again = first_pushable(rq);
		if (again == t)
			return false;
		t = again;
	}
	return false;
}

void rt_push(struct sim *s, struct rq *rq)
{
	while (push_one(s, rq))
		;
}

/* The best task of @rq that waits and may run on @cpu. */
static struct task *best_for(struct rq *rq, uint32_t cpu)
{
	for (int prio = lists_best(&rq->pushable, 0); prio < RT_PRIOS;
	     prio = lists_best(&rq->pushable, prio + 1)) {
		list_each(node, &rq->pushable.list[prio]) {
			struct task *t = list_item(node, struct task, se.pushable);

			if (!t->se.on_cpu && may_run_on(t, cpu))
				return t;
		}
	}
	return NULL;
}

static bool may_be_pushed(const struct rq *rq, const struct task *t)
{
	return !rq->push_busy && t->se.nr_cpus > 1 && !t->se.migrate_disabled &&
	       !t->se.stopper && t != rq->idle;
}

/* True: something better than what is here has come; *@stop: who is to make room for it. */
static bool pull_from(struct sim *s, struct rq *rq, struct rq *from, struct task **stop)
{
	struct task *t = best_for(from, rq->cpu);

	if (!t || t->prio >= rt_best(rq) || t->prio < from->curr->prio)
		return false;
	if (!t->se.migrate_disabled) {
		sched_move(s, t, rq->cpu);
		return true;
	}
	/* It cannot move, so what keeps it from running there is moved here. */
	if (may_be_pushed(from, from->curr)) {
		*stop = from->curr;
		from->push_busy = true;
	}
	return false;
}

void rt_pull(struct sim *s, struct rq *rq)
{
	bool came = false;

	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct rq *from = rq_of_cpu(s, i);
		struct task *stop = NULL;

		if (from == rq || !has_pushable(from) ||
		    lists_best(&from->pushable, 0) >= rt_best(rq))
			continue;
		rq_double_lock(s, rq, from);
		came |= pull_from(s, rq, from, &stop);
		rq_unlock(s, from);
		if (!stop)
			continue;
		rq_unlock(s, rq);
		sched_stop_push(s, from, stop);
		rq_lock(s, rq);
	}
	if (came)
		sched_resched(s, rq);
}

/* ---- preemption */

void rt_woken(struct sim *s, struct rq *rq, struct task *t)
{
	struct task *curr = rq->curr;

	if (!t->se.on_cpu && !s->sched->world->need_resched(s, curr) && t->se.nr_cpus > 1 &&
	    is_rt(curr) && (curr->se.nr_cpus < 2 || curr->prio <= t->prio))
		rt_push(s, rq);
}

void rt_preempt(struct sim *s, struct rq *rq, struct task *t)
{
	struct task *curr = rq->curr;

	if (t->prio < curr->prio) {
		sched_resched(s, rq);
		return;
	}
	if (t->prio > curr->prio || s->sched->world->need_resched(s, curr))
		return;
	/* Of two equals the one that can go elsewhere makes room for the one that cannot. */
	if (curr->se.nr_cpus == 1 || !lowest_cpus(s, curr))
		return;
	if (t->se.nr_cpus != 1 && lowest_cpus(s, t))
		return;
	rt_requeue(rq, t, true);
	sched_resched(s, rq);
}

static void keep_back(struct sim *s, struct rq *rq)
{
	const struct bridge_machine *m = &s->config.machine;
	uint64_t window = s->now / 1000000000ull;

	if (!m->fair_server)
		return;
	if (rq->rt_window != window) {
		rq->rt_window = window;
		rq->rt_used_ns = 0;
		if (rq->rt_held_back)
			sched_resched(s, rq);
		rq->rt_held_back = false;
	}
	if (rq->rt_used_ns > 950000000ull && !rq->rt_held_back) {
		rq->rt_held_back = true;
		sched_resched(s, rq);
	}
}

void rt_tick(struct sim *s, struct rq *rq, struct task *t)
{
	keep_back(s, rq);
	if (t && is_rt(t) && t->policy == BRIDGE_SCHED_RR) {
		if (--t->se.slice_ticks)
			return;
		t->se.slice_ticks = RR_SLICE_TICKS;
		if (t->se.run.next != t->se.run.prev) {
			rt_requeue(rq, t, false);
			sched_resched(s, rq);
		}
	}
}
