/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: waking, switching and changing tasks, whatever their class.
 *
 * A run queue is plain data of the host and an operation on it takes no time, but a context switch
 * does, and like the kernel's it happens under the queue's lock.  Without locks, taken in the
 * kernel's places and handed on in the order of asking, a wake-up could reach a CPU in the middle
 * of a switch, and who pulls or pushes a task first would be another than in the kernel.
 *
 * Source: the order of things is that of kernel/sched/core.c, Linux 6.12: try_to_wake_up(),
 * __schedule(), rt_mutex_setprio(), __sched_setscheduler(), the stopper's works.
 */
#include "sim/core/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sched_private.h"

void rq_lock(struct sim *s, struct rq *rq)
{
	uint32_t ticket = rq->next_ticket++;

	while (rq->owner_ticket != ticket)
		engine_spin_wait(s, rq);
}

void rq_unlock(struct sim *s, struct rq *rq)
{
	rq->owner_ticket++;
	if (rq->owner_ticket != rq->next_ticket)
		engine_spin_wake(s, rq);
}

struct rq *task_rq_lock(struct sim *s, struct task *t)
{
	for (;;) {
		struct rq *rq = rq_of(s, t);

		rq_lock(s, rq);
		if (rq == rq_of(s, t))
			return rq;
		rq_unlock(s, rq);
	}
}

void rq_double_lock(struct sim *s, struct rq *rq, struct rq *other)
{
	rq_unlock(s, rq);
	rq_lock(s, rq->cpu < other->cpu ? rq : other);
	rq_lock(s, rq->cpu < other->cpu ? other : rq);
}

void sched_init(struct sim *s, const struct sched_world *w)
{
	struct sched *d;

	SIM_CHECK(!s->sched);
	d = calloc(1, sizeof(*d));
	SIM_CHECK(d);
	s->sched = d;
	d->world = w;
	d->rqs = calloc(sim_nr_cpus(s), sizeof(d->rqs[0]));
	SIM_CHECK(d->rqs);
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		d->rqs[i].cpu = i;
		d->rqs[i].look_at_group = -1;
		list_init(&d->rqs[i].moves);
		rt_init(&d->rqs[i]);
		fair_init(&d->rqs[i]);
	}
}

void sched_free(struct sim *s)
{
	struct sched *d = s->sched;

	if (!d)
		return;
	sched_groups_free(s);
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++)
		free(d->rqs[i].fair.heap);
	free(d->groups);
	free(d->rqs);
	free(d);
	s->sched = NULL;
}

void sched_resched(struct sim *s, struct rq *rq)
{
	if (s->sched->world->need_resched(s, rq->curr))
		return;
	s->sched->world->set_need_resched(s, rq->curr, true);
	if (rq->cpu != s->cpu || s->inhost)
		engine_ipi(s, rq->cpu, BRIDGE_IRQ_RESCHED);
}

bool sched_on_cpu(const struct task *t)
{
	return t->se.on_cpu;
}

/* ---- queues, whatever the class */

void sched_account(struct sim *s, struct rq *rq)
{
	struct task *t = rq->curr;
	uint64_t ns = s->now - t->se.exec_start_ns;

	t->se.exec_start_ns = s->now;
	if (t == rq->idle || t->se.stopper || !ns)
		return;
	if (!is_rt(t))
		fair_charge(s, rq, t, ns);
	else if (rq->nr_running > rq->nr_rt)
		rq->rt_used_ns += ns;
}

void sched_enqueue(struct sim *s, struct rq *rq, struct task *t, bool head)
{
	t->se.queued = true;
	if (t->se.stopper)
		return;
	rq->nr_running++;
	if (!is_rt(t)) {
		fair_enqueue(s, rq, t);
		return;
	}
	rt_enqueue(rq, t, head);
	if (rq->curr != t)
		rt_put(rq, t);
}

void sched_dequeue(struct sim *s, struct rq *rq, struct task *t)
{
	t->se.queued = false;
	if (t->se.stopper)
		return;
	rq->nr_running--;
	if (is_rt(t))
		rt_dequeue(rq, t);
	else
		fair_dequeue(s, rq, t);
}

void sched_activate(struct sim *s, struct rq *rq, struct task *t)
{
	sched_enqueue(s, rq, t, false);
}

void sched_deactivate(struct sim *s, struct task *t)
{
	struct rq *rq = rq_of(s, t);

	if (rq->curr == t)
		sched_account(s, rq);
	sched_dequeue(s, rq, t);
}

static void set_cpu(struct sim *s, struct task *t, uint32_t cpu)
{
	if (t->se.cpu == cpu)
		return;
	engine_log(s, PROBE_SCHED_MIGRATE, t->id, cpu);
	t->se.cpu = cpu;
}

void sched_move(struct sim *s, struct task *t, uint32_t cpu)
{
	struct rq *to = rq_of_cpu(s, cpu);

	sched_deactivate(s, t);
	set_cpu(s, t, cpu);
	sched_activate(s, to, t);
}

uint32_t sched_distribute(struct sim *s, uint64_t cpus)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);

	for (uint32_t i = 1; i <= sim_nr_cpus(s); i++) {
		uint32_t cpu = (rq->distribute_prev + i) % sim_nr_cpus(s);

		if (cpus & (1ull << cpu)) {
			rq->distribute_prev = cpu;
			return cpu;
		}
	}
	SIM_CHECK(!"a task may run nowhere");
	return 0;
}

/* ---- waking */

static uint32_t first_cpu(uint64_t cpus)
{
	return (uint32_t)__builtin_ctzll(cpus);
}

static uint32_t select_cpu(struct sim *s, struct task *t)
{
	uint32_t cpu;

	if (t->se.stopper || t->se.pinned)
		return t->se.cpu;
	if (t->se.nr_cpus == 1 || t->se.migrate_disabled)
		return may_run_on(t, t->se.cpu) ? t->se.cpu : first_cpu(t->se.cpus);
	cpu = is_rt(t) ? rt_select_cpu(s, t) : fair_select_cpu(s, t);
	return may_run_on(t, cpu) ? cpu : first_cpu(t->se.cpus);
}

int sched_class_of(const struct rq *rq, const struct task *t)
{
	if (t->se.stopper)
		return 0;
	if (t == rq->idle)
		return 3;
	return is_rt(t) ? 1 : 2;
}

void sched_check_preempt(struct sim *s, struct rq *rq, struct task *t)
{
	int mine = sched_class_of(rq, t), current = sched_class_of(rq, rq->curr);

	if (mine < current)
		sched_resched(s, rq);
	else if (mine == current && mine == 1)
		rt_preempt(s, rq, t);
	else if (mine == current && mine == 2)
		fair_preempt(s, rq, t);
}

/* A task that is about to sleep, or waits for the CPU: it stays where it is. */
static bool wake_queued(struct sim *s, struct task *t)
{
	struct rq *rq = task_rq_lock(s, t);
	bool queued = t->se.queued;

	if (queued) {
		if (!t->se.on_cpu)
			sched_check_preempt(s, rq, t);
		engine_log(s, PROBE_SCHED_WAKEUP, t->id, t->se.cpu);
	}
	rq_unlock(s, rq);
	return queued;
}

void sched_wake(struct sim *s, struct task *t)
{
	struct sched_entity *e = &t->se;
	struct rq *rq;

	if (e->queued && wake_queued(s, t))
		return;
	while (e->on_cpu && !s->inhost)
		engine_relax(s);
	if (e->started) {
		set_cpu(s, t, select_cpu(s, t));
	} else {
		e->cpu = select_cpu(s, t);
		e->started = true;
	}
	rq = rq_of(s, t);
	rq_lock(s, rq);
	sched_account(s, rq);
	sched_activate(s, rq, t);
	sched_check_preempt(s, rq, t);
	engine_log(s, PROBE_SCHED_WAKEUP, t->id, e->cpu);
	if (t->group >= 0)
		group_tell(s, t->group);
	if (is_rt(t) && !e->stopper)
		rt_woken(s, rq, t);
	rq_unlock(s, rq);
}

/* ---- switching */

static void put_prev(struct sim *s, struct rq *rq, struct task *t)
{
	if (t == rq->idle || t->se.stopper || !t->se.queued)
		return;
	if (is_rt(t))
		rt_put(rq, t);
	else
		fair_put(s, rq, t);
}

void sched_set_next(struct sim *s, struct rq *rq, struct task *t, bool first)
{
	t->se.exec_start_ns = s->now;
	if (t == rq->idle || t->se.stopper)
		return;
	if (is_rt(t))
		rt_set_next(rq, t, first);
	else
		fair_set_next(s, rq, t);
}

static struct task *pick(struct sim *s, struct rq *rq, struct task *prev)
{
	struct task *t;

	/* Who leaves makes room for a task that waits elsewhere. */
	if ((is_rt(prev) || prev->se.stopper) && !prev->se.queued && rt_best(rq) > prev->prio)
		rt_pull(s, rq);
	put_prev(s, rq, prev);
	if (rq->stopper && rq->stopper->se.queued)
		return rq->stopper;
	if (rq->nr_rt && !rq->rt_held_back)
		return rt_first(rq);
	t = fair_pick(rq);
	if (!t && fair_pull(s, rq))
		t = fair_pick(rq);
	if (!t && rq->nr_rt)
		t = rt_first(rq);	/* held back for nobody */
	return t ? t : rq->idle;
}

void sched_run_callbacks(struct sim *s, struct rq *rq)
{
	if (rq->want_pull) {
		rq->want_pull = false;
		rt_pull(s, rq);
	}
	if (rq->want_push) {
		rq->want_push = false;
		rt_push(s, rq);
	}
}

/* What changed about throttling while the next task was chosen, told behind the switch. */
static void tell_groups(struct sim *s, struct rq *rq)
{
	int group = rq->look_at_group;

	rq->look_at_group = -1;
	if (group >= 0)
		group_tell(s, group);
}

void sched_tail(struct sim *s)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);
	struct task *prev = rq->prev;

	rq->prev = NULL;
	if (prev && prev != rq->curr) {
		prev->se.on_cpu = false;
		s->sched->world->set_on_cpu(s, prev, -1);
	}
	sched_run_callbacks(s, rq);
	rq_unlock(s, rq);
}

void sched_schedule(struct sim *s, unsigned int state)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);
	struct task *prev = rq->curr, *next;

	rq_lock(s, rq);
	if (prev->se.migrate_disabled)
		prev->se.pinned = true;
	sched_account(s, rq);
	if (state != PREV_RUNNABLE && state != PREV_PREEMPTED && prev != rq->idle) {
		/* who woke it while the lock was waited for has only told so */
		if (prev->se.stopper || s->sched->world->still_sleeps(s, prev))
			sched_dequeue(s, rq, prev);
		else
			state = PREV_RUNNABLE;
	}
	next = pick(s, rq, prev);
	s->sched->world->set_need_resched(s, prev, false);
	sched_set_next(s, rq, next, true);
	if (next == prev) {
		tell_groups(s, rq);
		sched_run_callbacks(s, rq);
		rq_unlock(s, rq);
		return;
	}
	engine_log(s, PROBE_SCHED_SWITCH, next->id, state);
	tell_groups(s, rq);
	rq->curr = next;
	rq->prev = prev;
	next->se.on_cpu = true;
	s->sched->world->set_on_cpu(s, next, (int)rq->cpu);
	engine_cost(s, COST_SWITCH);
	engine_switch(s, prev, next);
	sched_tail(s);
}

void sched_tick(struct sim *s)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);
	struct task *t = rq->curr;

	rq_lock(s, rq);
	sched_account(s, rq);
	if (t != rq->idle && !t->se.stopper) {
		rt_tick(s, rq, t);
		if (!is_rt(t))
			fair_tick(s, rq, t);
	}
	rq_unlock(s, rq);
}

bool sched_return_to_user(struct sim *s)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);
	struct task *t = rq->curr;
	struct group_cpu *g = group_cpu_of(s, t, rq->cpu);
	bool leaves;

	if (!s->config.machine.throttle_at_exit || !g || is_rt(t))
		return false;
	rq_lock(s, rq);
	sched_account(s, rq);
	leaves = g->throttled && !t->se.limbo;
	if (leaves) {
		t->se.limbo = true;
		rq->look_at_group = t->group;
	}
	rq_unlock(s, rq);
	return leaves;
}

/* ---- snapshot: a machine at rest has nothing queued and no group */

struct rq *sched_save(const struct sim *s)
{
	size_t n = sim_nr_cpus(s) * sizeof(struct rq);
	struct rq *rqs;

	if (!s->sched)
		return NULL;
	rqs = malloc(n);
	SIM_CHECK(rqs && !s->sched->nr_groups);
	return memcpy(rqs, s->sched->rqs, n);
}

/* Heaps and groups keep their memory: the next run wants as much. */
void sched_restore(struct sim *s, const struct rq *rqs)
{
	for (uint32_t i = 0; rqs && i < sim_nr_cpus(s); i++) {
		struct rq *rq = &s->sched->rqs[i];
		struct fair_queue grown = rq->fair;

		*rq = rqs[i];
		rq->fair.heap = grown.heap;
		rq->fair.room = grown.room;
	}
	if (rqs)
		s->sched->nr_groups = 0;
}
