/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: new tasks, and changes of priority and policy.
 *
 * A queued task is taken off its queue, changed and put back; one whose priority sinks comes
 * first among those of its new priority, since it has not given up the CPU by itself.
 *
 * Source: rt_mutex_setprio(), __sched_setscheduler() and check_class_changed() of kernel/sched,
 * Linux 6.12.
 */
#include "sim/base/check.h"
#include "sim/core/sched_private.h"

static void init_entity(struct task *t, uint64_t cpus, uint32_t cpu)
{
	struct sched_entity *e = &t->se;

	*e = (struct sched_entity){ .cpus = cpus, .cpu = cpu, .fair = { .index = -1 } };
	e->nr_cpus = (uint32_t)__builtin_popcountll(cpus);
	e->slice_ticks = RR_SLICE_TICKS;
	list_init(&e->run);
	list_init(&e->pushable);
	list_init(&e->move);
	list_init(&e->member);
}

static int normal_prio(int policy, int priority)
{
	if (policy == BRIDGE_SCHED_FIFO || policy == BRIDGE_SCHED_RR)
		return RT_PRIOS - 1 - priority;
	return policy == BRIDGE_SCHED_IDLE ? PRIO_LOWEST - 1 : PRIO_NORMAL + priority;
}

static void set_params(struct task *t, int policy, int priority, int lent)
{
	t->policy = policy;
	t->normal_prio = normal_prio(policy, priority);
	t->prio = t->normal_prio < lent ? t->normal_prio : lent;
	t->se.fair.weight = policy == BRIDGE_SCHED_IDLE ? 3 :
			    t->normal_prio >= RT_PRIOS ? fair_weight(t->normal_prio - PRIO_NORMAL) :
							 fair_weight(0);
}

void sched_attach(struct sim *s, struct task *t, const struct bridge_spawn *spec)
{
	uint64_t cpus = spec->cpus & sched_all_cpus(s);

	SIM_CHECK(cpus);
	init_entity(t, cpus, s->cpu);
	/* the kernel changes the affinity of a task just forked, and chooses a CPU on the way */
	if (cpus != sched_all_cpus(s))
		sched_distribute(s, cpus);
	set_params(t, spec->policy, spec->priority, PRIO_LOWEST);
	t->group = spec->group;
	if (spec->group >= 0)
		list_add_tail(&t->se.member, &s->sched->groups[spec->group]->members);
}

void sched_attach_idle(struct sim *s, struct task *t, unsigned int cpu)
{
	struct rq *rq = rq_of_cpu(s, cpu);

	init_entity(t, 1ull << cpu, cpu);
	t->prio = t->normal_prio = PRIO_LOWEST;
	t->se.on_cpu = true;
	rq->idle = rq->curr = t;
	s->sched->world->set_on_cpu(s, t, (int)cpu);
}

void sched_attach_stopper(struct sim *s, struct task *t, unsigned int cpu)
{
	init_entity(t, 1ull << cpu, cpu);
	t->prio = t->normal_prio = 0;
	t->policy = BRIDGE_SCHED_FIFO;
	t->se.stopper = true;
	rq_of_cpu(s, cpu)->stopper = t;
}

/* ---- changes */

static void changed_class(struct sim *s, struct rq *rq, struct task *t, bool was_rt, int old)
{
	if (!t->se.queued)
		return;
	if (was_rt && !is_rt(t) && !rq->nr_rt)
		rq->want_pull = true;
	if (!is_rt(t)) {
		if (!was_rt)
			return;
		if (rq->curr == t)
			sched_resched(s, rq);
		else
			sched_check_preempt(s, rq, t);
		return;
	}
	if (rq->curr != t) {
		if (!was_rt && t->se.nr_cpus > 1 && rt_best(rq) < RT_PRIOS)
			rq->want_push = true;
		if (sched_class_of(rq, rq->curr) && t->prio < rq->curr->prio)
			sched_resched(s, rq);
		return;
	}
	if (!was_rt)
		return;
	if (old < t->prio)
		rq->want_pull = true;
	if (t->prio > rt_best(rq))
		sched_resched(s, rq);
}

/* Takes @t off its queue, changes it and puts it back. */
static void change(struct sim *s, struct rq *rq, struct task *t, int policy, int priority, int prio,
		   int lent)
{
	bool queued = t->se.queued, running = rq->curr == t, was_rt = is_rt(t);
	int old = t->prio;

	if (running)
		sched_account(s, rq);
	if (queued)
		sched_dequeue(s, rq, t);
	if (prio >= 0)
		t->prio = prio;
	else
		set_params(t, policy, priority, lent);
	if (queued)
		sched_enqueue(s, rq, t, old < t->prio);
	if (running)
		sched_set_next(s, rq, t, false);
	changed_class(s, rq, t, was_rt, old);
	if (t->group >= 0)
		group_tell(s, t->group);
	sched_run_callbacks(s, rq);
}

void sched_setprio(struct sim *s, struct task *t, int prio)
{
	struct rq *rq = task_rq_lock(s, t);
	int old = t->prio;

	if (old != prio) {
		engine_log(s, PROBE_SCHED_PI_SETPRIO, t->id, PRIO_CHANGE(old, prio));
		t->prio = old;	/* the record has set it, and the queue still knows the old one */
		change(s, rq, t, 0, 0, prio, PRIO_LOWEST);
	}
	rq_unlock(s, rq);
}

void sched_set_policy(struct sim *s, struct task *t, int policy, int priority, int lent)
{
	struct rq *rq = task_rq_lock(s, t);

	change(s, rq, t, policy, priority, -1, lent);
	rq_unlock(s, rq);
}

void sched_yield_task(struct sim *s)
{
	struct rq *rq = rq_of_cpu(s, s->cpu);
	struct task *t = rq->curr;

	rq_lock(s, rq);
	if (is_rt(t) && !t->se.stopper)
		rt_requeue(rq, t, false);
	else if (t != rq->idle && !t->se.stopper)
		fair_yield(s, rq, t);
	rq_unlock(s, rq);
}
