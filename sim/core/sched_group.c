/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups with a quota: the bandwidth controller of the fair class.
 *
 * A group's queue on a CPU lives from slices of the group's pool and is charged at ticks,
 * switches and enqueues only, so it can run into debt, which it repays first.  Asking for a slice
 * starts the period timer on the CPU that asks, and there it stays until a period passes in
 * which nobody asked: this is why a stall can depend on the CPU a task happened to run on.
 *
 * Differs from the kernel: no slack timer hands out returned runtime before the period ends.
 *
 * Source: kernel/sched/fair.c, Linux 6.12; throttling at the return to user space: Linux 6.18.
 */
#include <errno.h>
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/core/sched_private.h"

#define SLICE_NS 5000000	/* sched_cfs_bandwidth_slice_us */
#define KEPT_NS 1000000		/* a queue that runs empty keeps this much */
#define QUOTA_MIN_NS 1000000
#define PERIOD_MAX_NS 1000000000

static bool at_exit(const struct rq *rq)
{
	return machine_of_sched(rq->sched)->throttle_at_exit;
}

static struct rq *queue_rq(const struct fair_queue *q)
{
	struct fair_queue *root = q->entity.queue;

	return list_item(root, struct rq, fair);
}

/* With throttling at exit the queue goes on: its tasks stop one by one. */
bool fair_queue_stopped(const struct fair_queue *q)
{
	return q->throttled && !at_exit(queue_rq(q));
}

static void start_timer(struct sched *d, struct sched_group *g)
{
	if (g->timer_active)
		return;
	g->timer_active = true;
	engine_log(d->sim, PROBE_GROUP_TIMER, (uint32_t)g->id, d->sim->cpu);
	if (d->timer_start)
		d->timer_start(g->id, g->period_ns);
}

/* Takes runtime from the pool, so that @target would be left; true: some is left. */
static bool assign(struct rq *rq, struct fair_queue *q, int64_t target)
{
	struct sched_group *g = q->group;
	int64_t want = target - q->runtime_ns, get = want;

	if (g->quota_ns >= 0) {
		start_timer(rq->sched, g);
		get = g->pool_ns < want ? g->pool_ns : want;
		if (get > 0) {
			g->pool_ns -= get;
			g->idle = false;
		} else {
			get = 0;
		}
	}
	q->runtime_ns += get;
	return q->runtime_ns > 0;
}

void group_charge(struct rq *rq, struct fair_queue *q, uint64_t ns)
{
	if (!q->limited)
		return;
	q->runtime_ns -= (int64_t)ns;
	if (q->runtime_ns > 0 || q->throttled)
		return;
	if (!assign(rq, q, SLICE_NS) && q->curr)
		resched(rq);
}

static void tell_all(struct rq *rq, struct fair_queue *q)
{
	list_each(n, &q->tasks) {
		struct sched_task *t = list_item(n, struct sched_task, group_node);

		/* of the running one it is said when it has left */
		if (rq->curr != t)
			group_tell(t);
	}
}

static bool throttle(struct rq *rq, struct fair_queue *q)
{
	struct fair_entity *e = &q->entity;

	if (assign(rq, q, 1))
		return false;
	list_add_tail(&q->throttled_node, &q->group->throttled);
	if (!at_exit(rq) && e->on_queue) {
		fair_queue_del(rq, e->queue, e, true);
		e->queue->nr_tasks -= q->nr_tasks;
	}
	q->throttled = true;
	if (!at_exit(rq))
		tell_all(rq, q);
	return !at_exit(rq);
}

static void unthrottle(struct rq *rq, struct fair_queue *q)
{
	struct fair_entity *e = &q->entity;

	q->throttled = false;
	list_remove(&q->throttled_node);
	charge(rq);
	if (!e->on_queue && q->nr) {
		fair_queue_add(rq, e->queue, e, false);
		e->queue->nr_tasks += q->nr_tasks;
	}
	tell_all(rq, q);
	while (!list_empty(&q->limbo)) {
		struct sched_task *t = list_item(q->limbo.next, struct sched_task, group_node);

		group_leave_limbo(t);
		enqueue(rq, t, true, false);
		check_preempt(rq, t);
	}
	if (!rq->curr && rq->fair.nr)
		resched(rq);
	server_note(rq);
}

bool group_check(struct rq *rq, struct fair_queue *q)
{
	if (!q->limited || q->runtime_ns > 0)
		return false;
	if (q->throttled)
		return !at_exit(rq) && q->entity.on_queue;
	return throttle(rq, q);
}

void group_check_enqueue(struct rq *rq, struct fair_queue *q)
{
	if (!q->limited || q->curr || q->throttled)
		return;
	group_charge(rq, q, 0);
	if (q->runtime_ns <= 0)
		throttle(rq, q);
}

void group_return_runtime(struct fair_queue *q)
{
	int64_t spare = q->runtime_ns - KEPT_NS;

	if (!q->limited || spare <= 0)
		return;
	if (q->group->quota_ns >= 0)
		q->group->pool_ns += spare;
	q->runtime_ns -= spare;
}

void group_tell(struct sched_task *t)
{
	bool now;

	if (!t->group)
		return;
	now = !is_rt(t) &&
	      ((t->in_limbo && !t->queued) || (t->queued && fair_queue_stopped(t->fair.queue)));
	if (now == t->told_throttled)
		return;
	t->told_throttled = now;
	engine_log(t->task->sim, now ? PROBE_THROTTLE : PROBE_UNTHROTTLE, t->task->id,
		   t->group->id);
}

bool group_stops(const struct sched_task *t)
{
	return t->in_limbo && !is_rt(t);
}

/* The task is off its queue and waits for the quota. */
void group_enter_limbo(struct sched_task *t)
{
	list_add_tail(&t->group_node, &t->fair.queue->limbo);
}

void group_leave_limbo(struct sched_task *t)
{
	list_remove(&t->group_node);
	t->in_limbo = false;
	group_tell(t);
}

static void init_queue(struct sched *d, struct sched_group *g, uint32_t cpu)
{
	struct fair_queue *q = &g->queues[cpu];

	fair_queue_init(q);
	q->group = g;
	q->cpu = cpu;
	q->entity.own = q;
	q->entity.queue = &d->rqs[cpu].fair;
	fair_entity_init(&q->entity, ((uint32_t)g->id + 1) << 16 | cpu, GROUP_SHARES);
}

int group_new(struct sim *s, const char *name, int64_t quota_ns, uint64_t period_ns)
{
	struct sched *d = sched_of(s);
	unsigned int cpus = sim_nr_cpus(s);
	struct sched_group *g;
	int err;

	(void)name;
	if (d->nr_groups == GROUPS_MAX)
		return -ENOSPC;
	g = calloc(1, sizeof(*g) + cpus * sizeof(g->queues[0]));
	SIM_CHECK(g);
	free(d->groups[d->nr_groups]);	/* left over from before a reset */
	d->groups[d->nr_groups] = g;
	g->id = (int)d->nr_groups;
	g->quota_ns = -1;
	list_init(&g->throttled);
	for (uint32_t c = 0; c < cpus; c++)
		init_queue(d, g, c);
	err = group_set(s, g->id, quota_ns, period_ns);
	if (err)
		return err;
	return (int)d->nr_groups++;
}

static void refill(struct sched_group *g)
{
	if (g->quota_ns < 0)
		return;
	g->pool_ns += g->quota_ns;
	if (g->pool_ns > g->quota_ns)
		g->pool_ns = g->quota_ns;
}

int group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns)
{
	struct sched *d = sched_of(s);
	struct sched_group *g = d->groups[group];

	if (period_ns < QUOTA_MIN_NS || period_ns > PERIOD_MAX_NS ||
	    (quota_ns >= 0 && quota_ns < QUOTA_MIN_NS))
		return -EINVAL;
	g->quota_ns = quota_ns;
	g->period_ns = period_ns;
	refill(g);
	if (quota_ns >= 0)
		start_timer(d, g);
	for (uint32_t c = 0; c < sim_nr_cpus(s); c++) {
		struct fair_queue *q = &g->queues[c];

		charge(&d->rqs[c]);
		q->limited = quota_ns >= 0;
		q->runtime_ns = 0;
		if (q->throttled)
			unthrottle(&d->rqs[c], q);
	}
	return 0;
}

/* Pays the debts of throttled queues, first come first served. */
static void distribute(struct sched *d, struct sched_group *g)
{
	struct list *n = g->throttled.next;

	while (n != &g->throttled && g->pool_ns > 0) {
		struct fair_queue *q = list_item(n, struct fair_queue, throttled_node);
		int64_t get = -q->runtime_ns + 1;

		n = n->next;
		if (get > g->pool_ns)
			get = g->pool_ns;
		g->pool_ns -= get;
		q->runtime_ns += get;
		if (q->runtime_ns > 0)
			unthrottle(&d->rqs[q->cpu], q);
	}
}

bool group_refill(struct sim *s, int group)
{
	struct sched *d = sched_of(s);
	struct sched_group *g = d->groups[group];
	bool throttled = !list_empty(&g->throttled);

	if (g->quota_ns >= 0)
		refill(g);
	if (g->quota_ns < 0 || (g->idle && !throttled)) {
		g->timer_active = false;
		engine_log(s, PROBE_GROUP_TIMER, (uint32_t)group, -1);
		return false;
	}
	g->idle = !throttled;
	if (throttled)
		distribute(d, g);
	return true;
}
