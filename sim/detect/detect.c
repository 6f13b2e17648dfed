/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream's entrance: what each record changes in the model.
 *
 * Cycles are looked for when a task has really gone to sleep: at the beginning of contention the
 * boost that breaks the cycle has not happened yet.
 */
#include "sim/detect/detect.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

/* As the kernel ships them: khungtaskd, and twice watchdog_thresh. */
#define HUNG_TASK_NS 120000000000ull
#define SOFT_LOCKUP_NS 20000000000ull

struct detect *detect_new(const struct detect_limits *l)
{
	struct detect *d = calloc(1, sizeof(*d));

	SIM_CHECK(d);
	d->limits = *l;
	if (!d->limits.hung_task_ns)
		d->limits.hung_task_ns = HUNG_TASK_NS;
	if (!d->limits.soft_lockup_ns)
		d->limits.soft_lockup_ns = SOFT_LOCKUP_NS;
	d->verdict = VERDICT_OK;
	d->due_ns = SIM_NEVER;
	model_init(d);
	return d;
}

void detect_free(struct detect *d)
{
	if (!d)
		return;
	model_free(d);
	free(d);
}

void detect_found(struct detect *d, const struct sim *s, enum verdict v, uint64_t at_ns,
		  const char *words)
{
	d->sim = s;
	/* told, not settled late: the first one told stays */
	if (v < d->verdict)
		judge(d, v, at_ns, NULL, words ? words : "");
}

/* ---- the scheduler */

/* On a sleeping lock; rtlock waits show as D but are not TASK_UNINTERRUPTIBLE. */
static bool can_hang(const struct detect *d, const struct dtask *t)
{
	enum bridge_lock_kind k;

	if (!t->nr_contentions)
		return false;
	k = sim_lock(d->sim, t->contentions[0].lock)->kind;
	return k != BRIDGE_LOCK_SPIN && k != BRIDGE_LOCK_RAW_SPIN && k != BRIDGE_LOCK_RW;
}

static enum task_state state_of_leaver(struct detect *d, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];

	switch (p->arg) {
	case PREV_DEAD:
		return STATE_DEAD;
	case PREV_UNINTERRUPTIBLE:
		if (can_hang(d, t) && t->blocked_since == SIM_NEVER) {
			t->blocked_since = d->now;
			t->reported = false;
			watchdog_expect(d, d->now + d->limits.hung_task_ns);
		}
		/* fall through */
	case PREV_INTERRUPTIBLE:
		return t->nr_contentions ? STATE_BLOCKED : STATE_ASLEEP;
	default:
		return STATE_RUNNABLE;
	}
}

static void switched(struct detect *d, const struct probe *p)
{
	struct dcpu *c = &d->cpus[p->cpu];

	d->counts.switches++;
	touch(d, &c->watchers);
	c->running = (int)p->object;
	c->since_ns = d->now;
	c->reported = false;
	if (sim_task(d->sim, p->task)->kind != TASK_IDLE)
		set_state(d, p->task, state_of_leaver(d, p), p->cpu);
	if (sim_task(d->sim, p->object)->kind != TASK_IDLE) {
		starved_of_cpu(d, p->object);
		set_state(d, p->object, STATE_RUNNING, p->cpu);
		d->tasks[p->object].blocked_since = SIM_NEVER;
	}
	d->may_close_cycle = true;
}

static void woken(struct detect *d, const struct probe *p)
{
	if (d->tasks[p->object].state == STATE_RUNNING)
		return;
	set_state(d, p->object, STATE_RUNNABLE, (uint32_t)p->arg);
	wait_woken(d, p->object);
}

static void migrated(struct detect *d, const struct probe *p)
{
	d->counts.migrations++;
	touch_task(d, p->object);
	d->tasks[p->object].cpu = (uint32_t)p->arg;
}

/* Lent a real-time priority a task is not throttled any more, and again when it gives it back. */
static void priority_shows(struct detect *d, uint32_t id)
{
	struct dtask *t = &d->tasks[id];
	bool boosted = t->prio < t->base;

	if (t->state == STATE_RUNNABLE || t->state == STATE_THROTTLED) {
		bool throttled = task_throttled(t);

		if (throttled != (t->state == STATE_THROTTLED)) {
			t->boosted = boosted;
			set_state(d, id, STATE_RUNNABLE, t->cpu);
			return;
		}
	}
	if (boosted != t->boosted) {
		t->boosted = boosted;
		note_change(d, id);
	}
}

static void priority(struct detect *d, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->object];
	int old = PRIO_OLD(p->arg), new = PRIO_NEW(p->arg);

	touch_task(d, p->object);
	if (p->kind == PROBE_SCHED_SETSCHEDULER) {
		t->base = new;
		t->prio = t->prio == old || new < t->prio ? new : t->prio;
	} else {
		t->prio = new;
		d->counts.boosts += new < old;
		d->counts.deboosts += new > old;
		if (new < old && d->tasks[p->task].wait)
			d->tasks[p->task].wait->wait.boosted = true;
	}
	priority_shows(d, p->object);
	d->may_close_cycle = true;
}

static void throttle(struct detect *d, const struct probe *p, bool on)
{
	struct dtask *t = &d->tasks[p->object];

	touch_task(d, p->object);
	t->throttled = on;
	t->group = (int)p->arg;
	d->counts.throttles += on;
	if (on)
		t->throttled_since = d->now;
	/* A task that runs was lent a priority; one that sleeps does not wait for the quota. */
	if (t->state == STATE_RUNNABLE || t->state == STATE_THROTTLED)
		set_state(d, p->object, STATE_RUNNABLE, t->cpu);
	d->may_close_cycle = true;
}

static void group_timer(struct detect *d, const struct probe *p)
{
	if (p->object >= GROUPS_MAX || d->group_cpu[p->object] == (int)p->arg)
		return;
	list_each(node, &d->open)
		touch_wait(d, list_item(node, struct open_wait, all));
	d->group_cpu[p->object] = (int)p->arg;
	d->may_close_cycle = true;
}

static void exited(struct detect *d, const struct probe *p)
{
	set_state(d, p->object, STATE_DEAD, p->cpu);
}

static void rcu_stall(struct detect *d, const struct probe *p)
{
	char text[160];

	snprintf(text, sizeof(text), "RCU stall: the grace period waits for %.31s",
		 sim_task(d->sim, (uint32_t)p->arg)->name);
	report(d, d->now, text);
}

static void apply(struct detect *d, const struct probe *p)
{
	switch ((enum probe_kind)p->kind) {
	case PROBE_SCHED_SWITCH:
		switched(d, p);
		break;
	case PROBE_SCHED_WAKEUP:
		woken(d, p);
		break;
	case PROBE_SCHED_MIGRATE:
		migrated(d, p);
		break;
	case PROBE_SCHED_PI_SETPRIO:
	case PROBE_SCHED_SETSCHEDULER:
		priority(d, p);
		look_for_rescue(d, p->object, p);
		break;
	case PROBE_THROTTLE:
		throttle(d, p, true);
		break;
	case PROBE_UNTHROTTLE:
		throttle(d, p, false);
		look_for_rescue(d, p->object, p);
		break;
	case PROBE_GROUP_TIMER:
		group_timer(d, p);
		break;
	case PROBE_CONTENTION_BEGIN:
		wait_contention_begin(d, p);
		break;
	case PROBE_CONTENTION_END:
		wait_contention_end(d, p);
		break;
	case PROBE_LOCK_ACQUIRED:
		wait_acquired(d, p);
		break;
	case PROBE_LOCK_RELEASED:
		lock_dropped(d, p->object, p->task, (enum lock_mode)p->arg);
		look_for_rescue(d, p->task, p);
		break;
	case PROBE_TASK_EXIT:
		exited(d, p);
		break;
	case PROBE_RCU_STALL:
		rcu_stall(d, p);
		break;
	default:
		break;
	}
}

void detect_feed(struct detect *d, const struct sim *s, const struct probe *p)
{
	d->sim = s;
	d->now = p->at_ns;
	watchdog(d);
	model_need(d, p);
	apply(d, p);
	wait_judge_touched(d, p->task);
}

void detect_probe(void *self, const struct sim *s, const struct probe *p)
{
	detect_feed(self, s, p);
}

void detect_end(struct detect *d, const struct sim *s, uint64_t now_ns)
{
	d->sim = s;
	d->now = now_ns;
	watchdog(d);
	/* Two that spin for each other's lock would do so for ever. */
	list_each(node, &d->open)
		look_for_cycle(d, list_item(node, struct open_wait, all)->wait.task, true, now_ns);
	while (!list_empty(&d->open))
		wait_close(d, list_item(d->open.next, struct open_wait, all), false);
	for (uint32_t i = 0; i < d->nr_tasks; i++)
		if (d->tasks[i].known && sim_task(s, i)->kind == TASK_SCENARIO)
			starved_of_cpu(d, i);
}
