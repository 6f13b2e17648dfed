/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: SCHED_OTHER, BATCH and IDLE, fair by virtual runtime.
 *
 * Who has had least of the CPU, by weight, runs next.  Sleeping earns at most one slice; a task
 * that goes to another queue takes along how far it was ahead or behind there, since the vruntimes
 * of two queues have nothing to do with each other.
 * Where it approximates EEVDF: no deadlines; a waking task preempts who is ahead of it by more
 * than PREEMPT_NS; load is the number of tasks.
 */
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/core/sched_private.h"

#define SLICE_BASE_NS 750000ull	/* times 1 + log2 of CPUs, at most 4 times, as the kernel scales */
#define PREEMPT_NS 500000
#define WEIGHT_NORMAL 1024u

void fair_init(struct rq *rq)
{
	rq->fair = (struct fair_queue){ 0 };
}

/* A step of nice is a quarter of weight. */
uint32_t fair_weight(int nice)
{
	uint64_t w = (uint64_t)WEIGHT_NORMAL << 20;

	for (; nice > 0; nice--)
		w = w * 4 / 5;
	for (; nice < 0; nice++)
		w = w * 5 / 4;
	return (uint32_t)(w >> 20);
}

static uint64_t slice_ns(const struct sim *s)
{
	uint32_t cpus = sim_nr_cpus(s), log = 0;

	while (cpus >>= 1)
		log++;
	return SLICE_BASE_NS * (1 + (log < 3 ? log : 3));
}

/* ---- the heap */

static bool before(const struct fair_node *a, const struct fair_node *b)
{
	int64_t d = (int64_t)(a->vruntime - b->vruntime);

	return d ? d < 0 : a->seq < b->seq;
}

static void put_at(struct fair_queue *q, uint32_t i, struct fair_node *n)
{
	q->heap[i] = n;
	n->index = (int32_t)i;
}

static void sift_up(struct fair_queue *q, uint32_t i, struct fair_node *n)
{
	while (i && before(n, q->heap[(i - 1) / 2])) {
		put_at(q, i, q->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put_at(q, i, n);
}

static void sift_down(struct fair_queue *q, uint32_t i, struct fair_node *n)
{
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= q->nr)
			break;
		if (child + 1 < q->nr && before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!before(q->heap[child], n))
			break;
		put_at(q, i, q->heap[child]);
		i = child;
	}
	put_at(q, i, n);
}

void fair_insert(struct sim *s, struct fair_queue *q, struct fair_node *n)
{
	SIM_CHECK(n->index < 0);
	if (q->nr == q->room) {
		q->room = q->room ? q->room * 2 : 16;
		q->heap = realloc(q->heap, q->room * sizeof(q->heap[0]));
		SIM_CHECK(q->heap);
	}
	n->seq = s->sched->seq++;
	sift_up(q, q->nr++, n);
}

void fair_remove(struct fair_queue *q, struct fair_node *n)
{
	uint32_t i = (uint32_t)n->index;
	struct fair_node *last = q->heap[--q->nr];

	n->index = -1;
	if (last == n)
		return;
	if (i && before(last, q->heap[(i - 1) / 2]))
		sift_up(q, i, last);
	else
		sift_down(q, i, last);
}

/* The smallest vruntime there is, the running node's included; it never goes back. */
static void update_min(struct fair_queue *q, const struct fair_node *running)
{
	uint64_t v = running->vruntime;

	if (q->nr && (int64_t)(q->heap[0]->vruntime - v) < 0)
		v = q->heap[0]->vruntime;
	if ((int64_t)(v - q->min_vruntime) > 0)
		q->min_vruntime = v;
}

/* ---- the queue of a task, and of its group */

static struct fair_queue *queue_of(struct rq *rq, struct group_cpu *g)
{
	return g ? &g->queue : &rq->fair;
}

void fair_enqueue(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);
	struct fair_queue *q = queue_of(rq, g);
	int64_t ahead = (int64_t)t->se.fair.vruntime, most = (int64_t)slice_ns(s);

	/* off the queue it is relative to what was the least there when it left */
	if (t->se.left_queue == q)
		ahead += (int64_t)(t->se.left_min - q->min_vruntime);
	ahead = ahead < -most ? -most : ahead > most ? most : ahead;
	t->se.fair.vruntime = q->min_vruntime + (uint64_t)ahead;
	rq->nr_fair++;
	if (rq->curr != t)
		fair_insert(s, q, &t->se.fair);
	if (!g)
		return;
	if (!g->nr_queued++)
		g->node.vruntime = rq->fair.min_vruntime;
	if (rq->curr == t)
		g->running = true;
	if (!g->running)
		group_check(s, rq, g);
	group_place(s, rq, g);
}

void fair_dequeue(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);
	struct fair_queue *q = queue_of(rq, g);

	if (t->se.fair.index >= 0)
		fair_remove(q, &t->se.fair);
	else if (g && rq->curr == t)
		g->running = false;
	t->se.limbo = false;
	t->se.fair.vruntime -= q->min_vruntime;
	t->se.left_queue = q;
	t->se.left_min = q->min_vruntime;
	rq->nr_fair--;
	if (!g)
		return;
	if (!--g->nr_queued)
		group_give_back(g);
	group_place(s, rq, g);
}

void fair_put(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);

	if (!t->se.limbo)
		fair_insert(s, queue_of(rq, g), &t->se.fair);
	if (!g)
		return;
	g->running = false;
	group_check(s, rq, g);
	group_place(s, rq, g);
}

void fair_set_next(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);

	if (t->se.fair.index >= 0)
		fair_remove(queue_of(rq, g), &t->se.fair);
	t->se.slice_start_ns = s->now;
	if (!g)
		return;
	g->running = true;
	group_place(s, rq, g);
}

struct task *fair_pick(struct rq *rq)
{
	struct fair_node *n = rq->fair.nr ? rq->fair.heap[0] : NULL;

	if (n && n->is_group)
		n = list_item(n, struct group_cpu, node)->queue.heap[0];
	return n ? task_of_node(n) : NULL;
}

void fair_charge(struct sim *s, struct rq *rq, struct task *t, uint64_t ns)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);

	t->se.fair.vruntime += ns * WEIGHT_NORMAL / t->se.fair.weight;
	update_min(queue_of(rq, g), &t->se.fair);
	if (!g)
		return;
	g->node.vruntime += ns;
	update_min(&rq->fair, &g->node);
	group_charge(s, rq, g, ns);
}

/* ---- preemption */

/* Two nodes of one queue by which @a and @b compare: their own, or their groups'. */
static void comparable(struct sim *s, struct rq *rq, struct task *a, struct task *b,
		       struct fair_node **na, struct fair_node **nb)
{
	struct group_cpu *ga = group_cpu_of(s, a, rq->cpu), *gb = group_cpu_of(s, b, rq->cpu);

	*na = ga && ga != gb ? &ga->node : &a->se.fair;
	*nb = gb && ga != gb ? &gb->node : &b->se.fair;
}

void fair_preempt(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);
	struct fair_node *mine, *current;

	if (t->se.limbo || (g && g->throttled && !s->config.machine.throttle_at_exit))
		return;
	comparable(s, rq, t, rq->curr, &mine, &current);
	if ((int64_t)(current->vruntime - mine->vruntime) > PREEMPT_NS ||
	    (rq->curr->policy == BRIDGE_SCHED_IDLE && t->policy != BRIDGE_SCHED_IDLE))
		sched_resched(s, rq);
}

void fair_tick(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);

	if (s->now - t->se.slice_start_ns < slice_ns(s))
		return;
	if (rq->fair.nr || (g && g->queue.nr))
		sched_resched(s, rq);
}

void fair_yield(struct sim *s, struct rq *rq, struct task *t)
{
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);
	struct fair_queue *q = queue_of(rq, g);

	if (q->nr && (int64_t)(q->heap[0]->vruntime - t->se.fair.vruntime) > 0)
		t->se.fair.vruntime = q->heap[0]->vruntime;
	if (g && rq->fair.nr && (int64_t)(rq->fair.heap[0]->vruntime - g->node.vruntime) > 0)
		g->node.vruntime = rq->fair.heap[0]->vruntime;
}

/* ---- which CPU */

static bool is_idle(const struct rq *rq)
{
	return rq->curr == rq->idle && !rq->nr_running;
}

uint32_t fair_select_cpu(struct sim *s, struct task *t)
{
	uint32_t n = sim_nr_cpus(s), best = t->se.cpu;

	if (may_run_on(t, best) && is_idle(rq_of_cpu(s, best)))
		return best;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t cpu = (t->se.cpu + i) % n;

		if (!may_run_on(t, cpu))
			continue;
		if (is_idle(rq_of_cpu(s, cpu)))
			return cpu;
		if (!may_run_on(t, best) ||
		    (!t->se.started &&
		     rq_of_cpu(s, cpu)->nr_running < rq_of_cpu(s, best)->nr_running))
			best = cpu;
	}
	return best;
}

static bool may_come(struct sim *s, struct task *t, uint32_t cpu)
{
	struct group_cpu *g = group_cpu_of(s, t, t->se.cpu), *to = group_cpu_of(s, t, cpu);

	return may_run_on(t, cpu) && !t->se.on_cpu && !t->se.migrate_disabled &&
	       !(g && (g->throttled || to->throttled));
}

/* A task of the queue that may run on @cpu, the one that would wait longest first. */
static struct task *find_task(struct sim *s, struct fair_queue *q, uint32_t cpu)
{
	for (uint32_t i = q->nr; i-- > 0;) {
		struct fair_node *n = q->heap[i];
		struct task *t;

		if (n->is_group)
			t = find_task(s, &list_item(n, struct group_cpu, node)->queue, cpu);
		else
			t = may_come(s, task_of_node(n), cpu) ? task_of_node(n) : NULL;
		if (t)
			return t;
	}
	return NULL;
}

bool fair_pull(struct sim *s, struct rq *rq)
{
	struct rq *busiest = NULL;
	struct task *t;

	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct rq *from = rq_of_cpu(s, i);

		if (from != rq && from->nr_running > 1 && from->nr_fair &&
		    (!busiest || from->nr_running > busiest->nr_running))
			busiest = from;
	}
	if (!busiest)
		return false;
	rq_double_lock(s, rq, busiest);
	t = find_task(s, &busiest->fair, rq->cpu);
	if (t)
		sched_move(s, t, rq->cpu);
	rq_unlock(s, busiest);
	return t;
}
