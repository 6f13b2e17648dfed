/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fair class: earliest eligible virtual deadline first, with groups as entities of their own.
 *
 * An entity is eligible while it has had no more than its share, that is while its virtual
 * runtime is not past the weighted average; of those the earliest deadline runs, and until its
 * slice is over it is not displaced by an equal.
 *
 * Differs from the kernel: the weight of a group on a CPU follows the weights queued there and
 * not decayed load averages, and a task that goes to sleep with a debt is not kept in the tree:
 * what the average gains while it sleeps is subtracted when it comes back.
 *
 * Source: kernel/sched/fair.c, Linux 6.12.
 */
#include "sim/base/check.h"
#include "sim/core/sched_private.h"

/* The share of CPU each nice level has, nice -20 first: 1.25 from one to the next. */
static const uint32_t nice_weights[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
	1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
	110,   87,    70,    56,    45,    36,    29,    23,    18,    15
};

uint32_t fair_weight(int policy, int nice)
{
	if (policy == BRIDGE_SCHED_IDLE)
		return IDLE_WEIGHT;
	SIM_CHECK(nice >= -20 && nice < 20);
	return nice_weights[nice + 20];
}

void fair_queue_init(struct fair_queue *q)
{
	list_init(&q->tasks);
	list_init(&q->limbo);
	list_init(&q->throttled_node);
}

void fair_entity_init(struct fair_entity *e, uint32_t number, uint32_t weight)
{
	uint32_t x = number * 0x9e3779b9u + 0x7f4a7c15u;

	x ^= x >> 16;
	x *= 0x85ebca6bu;
	e->shape = x ^ x >> 13;
	e->weight = weight;
}

static int64_t vdelta(uint64_t ns, const struct fair_entity *e)
{
	return (int64_t)(e->weight == NICE_0_WEIGHT ? ns : ns * NICE_0_WEIGHT / e->weight);
}

static struct fair_entity *running(const struct fair_queue *q)
{
	return q->curr && q->curr->on_queue ? q->curr : NULL;
}

/* The weighted average of all virtual runtimes; sums are kept relative to it from now on. */
static int64_t average(struct fair_queue *q)
{
	const struct fair_entity *curr = running(q);
	int64_t sum = q->sum, weight = (int64_t)q->load, delta = 0;

	if (curr) {
		sum += (int64_t)curr->weight * (curr->vruntime - q->zero);
		weight += curr->weight;
	}
	if (weight) {
		if (sum < 0)
			sum -= weight - 1;	/* rounds towards minus infinity */
		delta = sum / weight;
	}
	q->zero += delta;
	q->sum -= (int64_t)q->load * delta;
	return q->zero;
}

static bool eligible(const struct fair_queue *q, int64_t vruntime)
{
	const struct fair_entity *curr = running(q);
	int64_t sum = q->sum, weight = (int64_t)q->load;

	if (curr) {
		sum += (int64_t)curr->weight * (curr->vruntime - q->zero);
		weight += curr->weight;
	}
	return sum >= (vruntime - q->zero) * weight;
}

static struct fair_entity *first_eligible(const struct fair_queue *q)
{
	struct fair_entity *e = q->root;

	while (e) {
		if (e->left && eligible(q, e->left->vruntime_min)) {
			e = e->left;
			continue;
		}
		if (eligible(q, e->vruntime))
			return e;
		e = e->right;
	}
	return NULL;
}

/* Who should run of a queue, the running one included. */
struct fair_entity *fair_best(struct fair_queue *q)
{
	struct fair_entity *curr = running(q), *best;

	if (q->nr == 1)
		return curr ? curr : tree_first(q);
	if (curr && !eligible(q, curr->vruntime))
		curr = NULL;
	if (curr && curr->protected)
		return curr;
	best = first_eligible(q);
	if (!best || (curr && curr->deadline < best->deadline))
		best = curr;
	return best ? best : tree_first(q);
}

static uint64_t slice_of(const struct rq *rq)
{
	return rq->sched->slice_ns;
}

/* True when its slice is over. */
static bool renew_deadline(struct rq *rq, struct fair_entity *e)
{
	if (e->vruntime < e->deadline)
		return false;
	e->slice_ns = slice_of(rq);
	e->deadline = e->vruntime + vdelta(e->slice_ns, e);
	e->protected = false;
	return true;
}

void fair_charge(struct rq *rq, uint64_t ns)
{
	for (struct fair_entity *e = &rq->curr->fair; e; e = e->parent) {
		struct fair_queue *q = e->queue;
		bool over;

		e->vruntime += vdelta(ns, e);
		over = renew_deadline(rq, e);
		average(q);
		if (q->group)
			group_charge(rq, q, ns);
		if (over && q->nr > 1)
			resched(rq);
	}
}

static int64_t clamp_lag(const struct rq *rq, const struct fair_entity *e, int64_t lag)
{
	uint64_t slice = e->slice_ns ? e->slice_ns : slice_of(rq);
	int64_t limit = vdelta(2 * slice > SIM_TICK_NS ? 2 * slice : SIM_TICK_NS, e);

	return lag > limit ? limit : lag < -limit ? -limit : lag;
}

/* Where an entity that joins stands: its lag is kept, whatever its own weight moves. */
static void place(struct rq *rq, struct fair_queue *q, struct fair_entity *e, bool initial)
{
	int64_t average_v = average(q), lag = 0, slice;

	e->slice_ns = slice_of(rq);
	slice = vdelta(e->slice_ns, e);
	if (q->nr) {
		int64_t load = (int64_t)q->load + (running(q) ? q->curr->weight : 0);

		lag = e->vlag;
		if (e->asleep && lag < 0) {
			/* the average went on without it */
			int64_t left = average_v - e->vruntime;

			lag = left > 0 ? 0 : left > lag ? left : lag;
		}
		lag = lag * (load + e->weight) / (load ? load : 1);
	}
	e->asleep = false;
	e->vruntime = average_v - lag;
	if (e->relative_deadline) {
		e->relative_deadline = false;
		e->deadline += e->vruntime;
		return;
	}
	e->deadline = e->vruntime + (initial ? slice / 2 : slice);
}

static uint32_t group_weight(const struct fair_queue *q)
{
	uint64_t w = q->group->weight ? GROUP_SHARES * q->weight / q->group->weight : GROUP_SHARES;

	return w < GROUP_SHARES_MIN ? GROUP_SHARES_MIN : w > GROUP_SHARES ? GROUP_SHARES :
	       (uint32_t)w;
}

/* Changes a weight and leaves the entity's lag, in time, as it is. */
void fair_reweight(struct rq *rq, struct fair_entity *e, uint32_t weight)
{
	struct fair_queue *q = e->queue;
	bool in_tree = e->on_queue && q->curr != e;
	int64_t old = e->weight, new = weight, v;

	if (old == new)
		return;
	if (!e->on_queue) {
		e->vlag = e->vlag * old / new;
		e->weight = weight;
		return;
	}
	v = average(q);
	if (in_tree)
		tree_remove(q, e);
	e->vruntime = v - clamp_lag(rq, e, v - e->vruntime) * old / new;
	e->deadline = v + (e->deadline - v) * old / new;
	q->weight += weight - e->weight;
	if (q->group)
		q->group->weight += weight - e->weight;
	e->weight = weight;
	if (in_tree)
		tree_insert(q, e);
}

void fair_queue_add(struct rq *rq, struct fair_queue *q, struct fair_entity *e, bool initial)
{
	if (e->own)
		fair_reweight(rq, e, group_weight(e->own));
	place(rq, q, e, initial);
	q->nr++;
	q->weight += e->weight;
	if (q->group)
		q->group->weight += e->weight;
	if (q->curr != e)
		tree_insert(q, e);
	e->on_queue = true;
	if (q->nr == 1 && q->group)
		group_check_enqueue(rq, q);
}

void fair_queue_del(struct rq *rq, struct fair_queue *q, struct fair_entity *e, bool sleep)
{
	e->vlag = clamp_lag(rq, e, average(q) - e->vruntime);
	e->asleep = sleep;
	if (!sleep) {
		e->deadline -= e->vruntime;
		e->relative_deadline = true;
	}
	if (q->curr != e)
		tree_remove(q, e);
	e->on_queue = false;
	q->nr--;
	q->weight -= e->weight;
	if (q->group) {
		q->group->weight -= e->weight;
		if (!q->nr)
			group_return_runtime(q);
	}
}

/* The groups above have one task more or less, up to a throttled one. */
static void count_tasks(struct rq *rq, struct fair_entity *e, int delta)
{
	for (; e; e = e->parent) {
		e->queue->nr_tasks += (uint32_t)delta;
		if (fair_queue_stopped(e->queue))
			return;
		if (e->own && e->on_queue)
			fair_reweight(rq, e, group_weight(e->own));
	}
}

void fair_enqueue(struct rq *rq, struct sched_task *t, bool wakeup)
{
	struct fair_entity *e = &t->fair;
	bool initial = !t->started;

	(void)wakeup;
	if (t->group)
		list_add_tail(&t->group_node, &e->queue->tasks);
	for (; e && !e->on_queue; e = e->parent) {
		fair_queue_add(rq, e->queue, e, initial);
		initial = false;
		e->queue->nr_tasks++;
		if (fair_queue_stopped(e->queue))
			return;
	}
	count_tasks(rq, e, 1);
}

void fair_dequeue(struct rq *rq, struct sched_task *t, bool sleep)
{
	struct fair_entity *e = &t->fair;

	list_remove(&t->group_node);
	while (e) {
		struct fair_queue *q = e->queue;

		fair_queue_del(rq, q, e, sleep);
		q->nr_tasks--;
		e = e->parent;
		if (fair_queue_stopped(q))
			return;
		if (q->nr)
			break;	/* the group has others */
		sleep = true;
	}
	count_tasks(rq, e, -1);
}

/* The task stops being the running one of its queues. */
void fair_put(struct rq *rq, struct sched_task *t)
{
	for (struct fair_entity *e = &t->fair; e; e = e->parent) {
		struct fair_queue *q = e->queue;

		SIM_CHECK(q->curr == e);
		if (q->group)
			group_check(rq, q);
		if (e->on_queue)
			tree_insert(q, e);
		q->curr = NULL;
	}
}

void fair_set(struct rq *rq, struct sched_task *t)
{
	for (struct fair_entity *e = &t->fair; e; e = e->parent) {
		struct fair_queue *q = e->queue;

		if (e->on_queue) {
			tree_remove(q, e);
			e->protected = true;
		}
		SIM_CHECK(!q->curr);
		q->curr = e;
		if (q->group)
			group_charge(rq, q, 0);
	}
}

struct sched_task *fair_pick(struct rq *rq)
{
	struct fair_entity *e;
	struct fair_queue *q;

again:
	q = &rq->fair;
	if (!q->nr)
		return NULL;
	do {
		if (q->group && group_check(rq, q))
			goto again;
		e = fair_best(q);
		q = e->own;
	} while (q);
	return list_item(e, struct sched_task, fair);
}

void fair_yield(struct rq *rq, struct sched_task *t)
{
	struct fair_entity *e = &t->fair;

	if (rq->fair.nr_tasks + rq->nr_rt < 2)
		return;
	if (!eligible(e->queue, e->vruntime))
		return;
	e->vruntime = e->deadline;
	renew_deadline(rq, e);
}

static bool is_idle_entity(const struct fair_entity *e)
{
	return !e->own && list_item(e, struct sched_task, fair)->policy == BRIDGE_SCHED_IDLE;
}

/* Does a task that has become runnable displace the running one, fair too? */
bool fair_preempts(struct rq *rq, const struct sched_task *t)
{
	const struct fair_entity *new = &t->fair;
	struct fair_entity *old = &rq->curr->fair;

	if (fair_queue_stopped(new->queue) || rq->need_resched)
		return false;
	if (old->queue != new->queue) {
		if (old->parent)
			old = old->parent;
		if (new->parent)
			new = new->parent;
	}
	if (old == new)
		return false;
	if (is_idle_entity(old) != is_idle_entity(new)) {
		if (is_idle_entity(old))
			old->protected = false;
		return is_idle_entity(old);
	}
	if (t->policy != BRIDGE_SCHED_OTHER)
		return false;
	return fair_best(new->queue) == new;
}
