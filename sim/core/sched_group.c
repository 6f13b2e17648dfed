/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: groups with a CPU quota.
 *
 * A CPU's part of a group takes slices of runtime from the pool that the period timer refills, is
 * charged wherever time is accounted, and is throttled when its running task is put.  With
 * throttling at the return to user space (6.18) the part stays where it is, and each task leaves
 * by itself when it is done in the kernel: a lock holder is never stopped.
 *
 * Source: the bandwidth part of kernel/sched/fair.c, Linux 6.12.  Left out: the slack timer, which
 * hands back unused runtime a few milliseconds before the next refill would.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sched_private.h"

#define SLICE_NS 5000000	/* taken from the pool at once */
#define KEEP_NS 1000000		/* a part without tasks keeps so much */
#define GROUPS_MAX 4096

struct group_cpu *group_cpu_of(struct sim *s, const struct task *t, uint32_t cpu)
{
	return t->group < 0 ? NULL : &s->sched->groups[t->group]->cpus[cpu];
}

static bool stopped(const struct sim *s, const struct group_cpu *g)
{
	return g->throttled && !s->config.machine.throttle_at_exit;
}

void group_place(struct sim *s, struct rq *rq, struct group_cpu *g)
{
	bool wanted = g->queue.nr && !g->running && !stopped(s, g);

	if (wanted && g->node.index < 0)
		fair_insert(s, &rq->fair, &g->node);
	else if (!wanted && g->node.index >= 0)
		fair_remove(&rq->fair, &g->node);
}

/* ---- runtime */

static void start_timer(struct sim *s, struct sched_group *g)
{
	if (g->timer_active)
		return;
	g->timer_active = true;
	s->sched->world->start_period_timer(s, g->index, g->period_ns);
}

/* Takes from the pool until the part has @target_ns; false: nothing is left to run on. */
static bool take(struct sim *s, struct group_cpu *c, int64_t target_ns)
{
	struct sched_group *g = c->group;
	int64_t want = target_ns - c->runtime_left_ns;

	if (g->quota_ns >= 0) {
		start_timer(s, g);
		if (want > g->pool_ns)
			want = g->pool_ns;
		g->pool_ns -= want;
		if (want > 0)
			g->idle = false;
	}
	c->runtime_left_ns += want;
	return c->runtime_left_ns > 0;
}

void group_charge(struct sim *s, struct rq *rq, struct group_cpu *c, uint64_t ns)
{
	if (c->group->quota_ns < 0)
		return;
	c->runtime_left_ns -= (int64_t)ns;
	if (c->runtime_left_ns > 0 || c->throttled)
		return;
	if (!take(s, c, SLICE_NS) && c->running)
		sched_resched(s, rq);
}

void group_check(struct sim *s, struct rq *rq, struct group_cpu *c)
{
	struct sched_group *g = c->group;

	if (g->quota_ns < 0 || c->throttled)
		return;
	if (c->runtime_left_ns <= 0)
		take(s, c, SLICE_NS);
	if (c->runtime_left_ns > 0)
		return;
	c->throttled = true;
	list_add_tail(&c->throttled_node, &g->throttled);
	rq->look_at_group = g->index;
}

void group_give_back(struct group_cpu *c)
{
	int64_t more = c->runtime_left_ns - KEEP_NS;

	if (c->group->quota_ns < 0 || more <= 0)
		return;
	c->group->pool_ns += more;
	c->runtime_left_ns -= more;
}

/* ---- who is throttled */

static bool is_throttled(struct sim *s, const struct task *t)
{
	if (!t->se.queued || is_rt(t))
		return false;
	return t->se.limbo || stopped(s, group_cpu_of(s, t, t->se.cpu));
}

void group_tell(struct sim *s, int group)
{
	list_each(node, &s->sched->groups[group]->members) {
		struct task *t = list_item(node, struct task, se.member);
		bool now = is_throttled(s, t);

		if (now == t->se.told_throttled)
			continue;
		t->se.told_throttled = now;
		engine_log(s, now ? PROBE_THROTTLE : PROBE_UNTHROTTLE, t->id, group);
	}
}

/* Tasks that left at their return to user space come back. */
static void leave_limbo(struct sim *s, struct rq *rq, struct group_cpu *c)
{
	list_each(node, &c->group->members) {
		struct task *t = list_item(node, struct task, se.member);

		if (!t->se.limbo || t->se.cpu != rq->cpu)
			continue;
		t->se.limbo = false;
		if (rq->curr != t && t->se.fair.index < 0)
			fair_insert(s, &c->queue, &t->se.fair);
	}
}

static void unthrottle(struct sim *s, struct group_cpu *c)
{
	struct rq *rq = rq_of_cpu(s, c->cpu);

	rq_lock(s, rq);
	if (c->throttled) {
		c->throttled = false;
		list_remove(&c->throttled_node);
		leave_limbo(s, rq, c);
		if ((int64_t)(c->node.vruntime - rq->fair.min_vruntime) < 0)
			c->node.vruntime = rq->fair.min_vruntime;
		group_place(s, rq, c);
		if (rq->curr == rq->idle && rq->nr_running)
			sched_resched(s, rq);
	}
	rq_unlock(s, rq);
}

/* Gives each throttled part just enough to go on, in the order of throttling. */
static void distribute(struct sim *s, struct sched_group *g)
{
	struct list *node = g->throttled.next;

	while (node != &g->throttled && g->pool_ns > 0) {
		struct group_cpu *c = list_item(node, struct group_cpu, throttled_node);
		int64_t want = 1 - c->runtime_left_ns;

		node = node->next;
		if (want > g->pool_ns)
			want = g->pool_ns;
		g->pool_ns -= want;
		c->runtime_left_ns += want;
		if (c->runtime_left_ns > 0)
			unthrottle(s, c);
	}
}

bool sched_group_refill(struct sim *s, int group, uint64_t overruns)
{
	struct sched_group *g = s->sched->groups[group];
	bool throttled = !list_empty(&g->throttled);

	(void)overruns;	/* a pool holds one period's quota, however many went by */
	if (g->quota_ns < 0)
		goto stop;
	g->pool_ns = g->quota_ns;
	if (g->idle && !throttled)
		goto stop;
	if (!throttled) {
		g->idle = true;
		return true;
	}
	distribute(s, g);
	g->idle = false;
	group_tell(s, group);
	return true;
stop:
	g->timer_active = false;
	return false;
}

/* ---- making them */

int sched_group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns)
{
	struct sched_group *g = s->sched->groups[group];

	g->quota_ns = quota_ns;
	g->period_ns = period_ns;
	g->pool_ns = quota_ns < 0 ? 0 : quota_ns;
	if (quota_ns >= 0)
		start_timer(s, g);
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		g->cpus[i].runtime_left_ns = 0;
		unthrottle(s, &g->cpus[i]);
	}
	group_tell(s, group);
	return 0;
}

/* An object of the run before the last reset serves again. */
static struct sched_group *group_object(struct sim *s)
{
	struct sched *d = s->sched;
	struct sched_group *g;

	if (d->nr_groups == d->room_groups) {
		uint32_t room = d->room_groups ? d->room_groups * 2 : 8;

		d->groups = realloc(d->groups, room * sizeof(d->groups[0]));
		SIM_CHECK(d->groups);
		memset(d->groups + d->room_groups, 0,
		       (room - d->room_groups) * sizeof(d->groups[0]));
		d->room_groups = room;
	}
	g = d->groups[d->nr_groups];
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	SIM_CHECK(g);
	g->cpus = calloc(sim_nr_cpus(s), sizeof(g->cpus[0]));
	SIM_CHECK(g->cpus);
	return d->groups[d->nr_groups] = g;
}

int sched_group_new(struct sim *s, int64_t quota_ns, uint64_t period_ns)
{
	struct sched_group *g;
	int index = (int)s->sched->nr_groups;

	if (index == GROUPS_MAX)
		return -ENOSPC;
	g = group_object(s);
	s->sched->nr_groups++;
	*g = (struct sched_group){ .index = index, .quota_ns = quota_ns, .period_ns = period_ns,
				   .cpus = g->cpus };
	list_init(&g->throttled);
	list_init(&g->members);
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct fair_queue q = g->cpus[i].queue;

		g->cpus[i] = (struct group_cpu){ .group = g, .cpu = i };
		g->cpus[i].node = (struct fair_node){ .weight = fair_weight(0), .index = -1,
						      .is_group = true };
		g->cpus[i].queue.heap = q.heap;
		g->cpus[i].queue.room = q.room;
		list_init(&g->cpus[i].throttled_node);
	}
	sched_group_set(s, index, quota_ns, period_ns);
	return index;
}

void sched_groups_free(struct sim *s)
{
	for (uint32_t i = 0; i < s->sched->room_groups; i++) {
		struct sched_group *g = s->sched->groups[i];

		if (!g)
			continue;
		for (uint32_t k = 0; k < sim_nr_cpus(s); k++)
			free(g->cpus[k].queue.heap);
		free(g->cpus);
		free(g);
	}
}
