/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: tasks that have to leave their CPU.
 *
 * A running task cannot be moved, so a stopper above all priorities runs on its CPU, whereby the
 * task only waits, and then moves it.  A task with migration disabled stays: instead of it, what
 * keeps it from running is pushed away, or it goes when it enables migration again.
 *
 * Source: push_cpu_stop(), migration_cpu_stop(), affine_move_task() and migrate_enable() of
 * kernel/sched/core.c, Linux 6.12.
 */
#include "sim/base/check.h"
#include "sim/core/sched_private.h"

static void wake_stopper(struct sim *s, struct rq *rq)
{
	engine_cost(s, COST_WAKEUP);
	engine_log(s, PROBE_SCHED_WAKING, rq->stopper->id, 0);
	sched_wake(s, rq->stopper);
}

void sched_stop_push(struct sim *s, struct rq *rq, struct task *t)
{
	rq->push_task = t;
	wake_stopper(s, rq);
}

static void push_away(struct sim *s, struct rq *rq)
{
	struct task *t = rq->push_task;

	rq_lock(s, rq);
	rq->push_task = NULL;
	if (rq_of(s, t) == rq && t->se.queued && rq->curr != t) {
		if (t->se.migrate_disabled) {
			t->se.push_later = true;
		} else {
			t->se.push_later = false;
			rt_push_away(s, rq, t);
		}
	}
	rq->push_busy = false;
	rq_unlock(s, rq);
}

static void move_away(struct sim *s, struct rq *rq)
{
	struct task *t = list_item(rq->moves.next, struct task, se.move);
	struct rq *to;

	rq_lock(s, rq);
	list_remove(&t->se.move);
	t->se.wants_move = false;
	if (rq_of(s, t) == rq && t->se.queued && !t->se.migrate_disabled &&
	    !may_run_on(t, rq->cpu)) {
		to = rq_of_cpu(s, sched_distribute(s, t->se.cpus));
		rq_double_lock(s, rq, to);
		if (rq_of(s, t) == rq && t->se.queued) {
			sched_move(s, t, to->cpu);
			sched_check_preempt(s, to, t);
		}
		rq_unlock(s, to);
	}
	rq_unlock(s, rq);
}

void sched_stopper(struct sim *s)
{
	for (;;) {
		struct rq *rq = rq_of_cpu(s, s->cpu);

		s->focus->irqs_off = 1;
		if (rq->push_task)
			push_away(s, rq);
		else if (!list_empty(&rq->moves))
			move_away(s, rq);
		else
			sched_schedule(s, PREV_INTERRUPTIBLE);
	}
}

/* ---- affinity */

static void ask_to_move(struct sim *s, struct rq *rq, struct task *t)
{
	if (t->se.wants_move)
		return;
	t->se.wants_move = true;
	list_add_tail(&t->se.move, &rq->moves);
	wake_stopper(s, rq);
}

/* Queued, not running, and where it may not run. */
static void move_waiting(struct sim *s, struct rq *rq, struct task *t)
{
	struct rq *to = rq_of_cpu(s, sched_distribute(s, t->se.cpus));

	rq_double_lock(s, rq, to);
	if (rq_of(s, t) == rq && t->se.queued && rq->curr != t) {
		sched_move(s, t, to->cpu);
		sched_check_preempt(s, to, t);
	}
	rq_unlock(s, to);
}

void sched_set_affinity(struct sim *s, struct task *t, uint64_t cpus)
{
	struct rq *rq = task_rq_lock(s, t);
	bool waits = t->se.queued && rq->curr != t, must_go;

	cpus &= sched_all_cpus(s);
	SIM_CHECK(cpus);
	if (waits && cpus != t->se.cpus) {
		sched_deactivate(s, t);
		t->se.cpus = cpus;
		t->se.nr_cpus = (uint32_t)__builtin_popcountll(cpus);
		sched_activate(s, rq, t);
	}
	t->se.cpus = cpus;
	t->se.nr_cpus = (uint32_t)__builtin_popcountll(cpus);
	must_go = t->se.queued && !may_run_on(t, t->se.cpu) && !t->se.migrate_disabled;
	if (must_go && waits && !t->se.on_cpu) {
		move_waiting(s, rq, t);
		must_go = false;
	}
	rq_unlock(s, rq);
	if (!must_go)
		return;
	ask_to_move(s, rq, t);
	if (rq->curr == t && rq->cpu == s->cpu && !s->inhost)
		sched_schedule(s, PREV_PREEMPTED);
}

void sched_migrate_disable(struct sim *s, struct task *t, bool on)
{
	struct rq *rq = rq_of(s, t);

	if (on) {
		t->se.migrate_disabled++;
		return;
	}
	SIM_CHECK(t->se.migrate_disabled);
	if (--t->se.migrate_disabled || !t->se.pinned)
		return;
	t->se.pinned = false;
	if (!may_run_on(t, t->se.cpu)) {
		ask_to_move(s, rq, t);
	} else if (t->se.push_later && !rq->push_busy) {
		rq->push_busy = true;
		sched_stop_push(s, rq, t);
	}
}
