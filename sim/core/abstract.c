/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The abstract world: idle tasks, interrupts, sleeping and waking.
 *
 * A task that is woken is told so by a flag besides the scheduler: it may be about to sleep, and
 * what it waited for has come before it gave up the CPU.  The scheduler asks for the flag once its
 * queue is locked.
 */
#include "sim/core/abstract.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sched.h"
#include "sim/core/sim_private.h"

#define LINES_MAX 32
#define PRIO_NONE 140

struct line {
	bool used, pending;
	struct task *thread;	/* NULL: its handler runs in hard interrupt context */
};

struct period {
	struct event event;
	uint64_t ns;
};

struct abstract {
	struct abstract_hooks hooks;
	struct eventq timers[SIM_CPUS_MAX];	/* EVENT_RESUME: a task's, EVENT_CALL: a period's */
	struct line lines[LINES_MAX];
	struct period *periods;		/* by group */
	uint32_t nr_periods;
	uint32_t in_irq[SIM_CPUS_MAX];
};

static struct task *current_task(const struct sim *s)
{
	return s->cpus[s->cpu].curr;
}

/* ---- what the scheduler asks */

static void set_need_resched(struct sim *s, struct task *t, bool on)
{
	(void)s;
	t->abstract.need_resched = on;
}

static bool need_resched(const struct sim *s, const struct task *t)
{
	(void)s;
	return t->abstract.need_resched;
}

static bool still_sleeps(const struct sim *s, const struct task *t)
{
	(void)s;
	return !t->abstract.woken;
}

static void set_on_cpu(struct sim *s, struct task *t, int cpu)
{
	(void)s;
	(void)t;
	(void)cpu;
}

static void set_clock(struct sim *s)
{
	engine_set_event(s, s->cpu, eventq_next_at(&s->abstract->timers[s->cpu]));
}

static void start_period_timer(struct sim *s, int group, uint64_t period_ns)
{
	struct period *p = &s->abstract->periods[group];

	p->ns = period_ns;
	p->event.cpu = (uint16_t)s->cpu;
	eventq_set(&s->abstract->timers[s->cpu], &p->event, s->now + period_ns);
	engine_log(s, PROBE_GROUP_TIMER, (uint32_t)group, s->cpu);
	set_clock(s);
}

static const struct sched_world sched_world = {
	.set_need_resched = set_need_resched,
	.need_resched = need_resched,
	.still_sleeps = still_sleeps,
	.set_on_cpu = set_on_cpu,
	.start_period_timer = start_period_timer,
};

/* ---- waking and sleeping */

void abstract_wake(struct sim *s, struct task *t)
{
	uint32_t off = s->focus->irqs_off;

	s->focus->irqs_off = 1;
	engine_cost(s, COST_WAKEUP);
	engine_log(s, PROBE_SCHED_WAKING, t->id, 0);
	t->abstract.woken = true;
	sched_wake(s, t);
	s->focus->irqs_off = off;
	if (!abstract_in_irq(s)) {
		abstract_preempt_disable(s);
		abstract_preempt_enable(s);
	}
}

void abstract_prepare(struct sim *s)
{
	current_task(s)->abstract.woken = false;
}

static void leave_cpu(struct sim *s, unsigned int state)
{
	s->focus->irqs_off = 1;
	sched_schedule(s, state);
	s->focus->irqs_off = 0;
	engine_burn(s, 0);	/* what is pending */
}

void abstract_block(struct sim *s, unsigned int state)
{
	if (!current_task(s)->abstract.woken)
		leave_cpu(s, state);
}

void abstract_preempt_disable(struct sim *s)
{
	current_task(s)->abstract.preempt_off++;
}

void abstract_preempt_enable(struct sim *s)
{
	struct task *t = current_task(s);

	if (--t->abstract.preempt_off || s->focus->irqs_off || s->inhost)
		return;
	while (t->abstract.need_resched)
		leave_cpu(s, PREV_PREEMPTED);
}

void abstract_enter_kernel(struct sim *s)
{
	current_task(s)->abstract.in_kernel++;
}

void abstract_leave_kernel(struct sim *s)
{
	struct task *t = current_task(s);
	bool leaves;

	SIM_CHECK(t->abstract.in_kernel);
	if (--t->abstract.in_kernel || abstract_in_irq(s))
		return;
	s->focus->irqs_off = 1;
	leaves = sched_return_to_user(s);
	s->focus->irqs_off = 0;
	if (leaves)
		leave_cpu(s, PREV_PREEMPTED);
}

bool abstract_in_irq(const struct sim *s)
{
	return s->abstract->in_irq[s->cpu];
}

void abstract_sleep(struct sim *s, uint64_t ns)
{
	struct task *t = current_task(s);
	struct abstract_task *a = &t->abstract;

	engine_cost(s, COST_SYSCALL);
	abstract_prepare(s);
	a->interruptible = true;
	s->focus->irqs_off = 1;
	a->timer.cpu = (uint16_t)s->cpu;
	eventq_set(&s->abstract->timers[s->cpu], &a->timer, s->now + ns);
	set_clock(s);
	s->focus->irqs_off = 0;
	abstract_block(s, PREV_INTERRUPTIBLE);
	a->interruptible = false;
	eventq_cancel(&s->abstract->timers[a->timer.cpu], &a->timer);
}

void abstract_sleep_on(struct sim *s, const bool *flag)
{
	struct abstract_task *a = &current_task(s)->abstract;

	engine_cost(s, COST_SYSCALL);
	for (;;) {
		abstract_prepare(s);
		a->interruptible = true;
		if (*flag)
			break;
		abstract_block(s, PREV_INTERRUPTIBLE);
	}
	a->interruptible = false;
}

void abstract_yield(struct sim *s)
{
	engine_cost(s, COST_SYSCALL);
	s->focus->irqs_off = 1;
	sched_yield_task(s);
	leave_cpu(s, PREV_RUNNABLE);
}

void abstract_end_sleep(struct sim *s, struct task *t)
{
	if (t->abstract.interruptible && !t->abstract.woken)
		abstract_wake(s, t);
}

/* ---- interrupts */

static void expire(struct sim *s)
{
	struct eventq *q = &s->abstract->timers[s->cpu];

	while (eventq_next_at(q) <= s->now) {
		struct event *e = eventq_pop(q);
		struct task *t;

		if (e->kind == EVENT_CALL) {
			struct period *p = list_item(e, struct period, event);

			if (sched_group_refill(s, (int)(p - s->abstract->periods), 1))
				eventq_set(q, e, e->at + p->ns);
			continue;
		}
		t = list_item(e, struct task, abstract.timer);
		if (!t->abstract.woken)
			abstract_wake(s, t);
	}
	set_clock(s);
}

static void take_lines(struct sim *s)
{
	int line;

	while ((line = engine_next_line(s, s->cpu)) >= 0) {
		struct line *l = &s->abstract->lines[line];

		engine_log(s, PROBE_IRQ_ENTRY, (uint32_t)line, 0);
		if (l->thread) {
			l->pending = true;
			abstract_wake(s, l->thread);
		} else {
			s->abstract->hooks.irq_handler(s->abstract->hooks.self, line);
		}
		engine_log(s, PROBE_IRQ_EXIT, (uint32_t)line, 0);
	}
}

/* Preemption of what was interrupted, and throttling that waited for user space. */
static void leave_irq(struct sim *s)
{
	struct task *t = current_task(s);

	if (t->abstract.preempt_off || t->kind == TASK_IDLE)
		return;
	for (;;) {
		bool leaves = !t->abstract.in_kernel && sched_return_to_user(s);

		if (!leaves && !t->abstract.need_resched)
			return;
		sched_schedule(s, PREV_PREEMPTED);
	}
}

static void do_irq(struct sim *s)
{
	while (s->focus->pending && !s->focus->irqs_off) {
		uint32_t bits = s->focus->pending;

		s->focus->pending = 0;
		s->focus->irqs_off = 1;
		s->abstract->in_irq[s->cpu]++;
		engine_cost(s, COST_IRQ);
		if (bits & BRIDGE_IRQ_TIMER)
			expire(s);
		if (bits & BRIDGE_IRQ_TICK)
			sched_tick(s);
		if (bits & BRIDGE_IRQ_LINE)
			take_lines(s);
		s->abstract->in_irq[s->cpu]--;
		leave_irq(s);
		s->focus->irqs_off = 0;
	}
}

static const struct world_ops world = { .do_irq = do_irq };

/* ---- tasks */

static void idle_main(void *arg)
{
	struct task *t = arg;
	struct sim *s = t->sim;

	for (;;) {
		s->focus->irqs_off = 1;
		while (t->abstract.need_resched)
			sched_schedule(s, PREV_RUNNABLE);
		engine_idle(s);
		s->focus->irqs_off = 0;
		engine_burn(s, 0);
	}
}

static void task_entry(void *arg)
{
	struct task *t = arg;
	struct sim *s = t->sim;

	sched_tail(s);
	s->focus->irqs_off = 0;
	engine_burn(s, 0);
	if (t->se.stopper)
		sched_stopper(s);
	else
		s->abstract->hooks.task_main(s->abstract->hooks.self, t);
	sim_task_exit(s, t);
	abstract_prepare(s);
	leave_cpu(s, PREV_DEAD);
}

static void irq_thread(void *arg)
{
	struct task *t = arg;
	struct sim *s = t->sim;
	struct line *l = t->body;

	sched_tail(s);
	s->focus->irqs_off = 0;
	engine_burn(s, 0);
	for (;;) {
		abstract_prepare(s);
		if (!l->pending) {
			abstract_block(s, PREV_INTERRUPTIBLE);
			continue;
		}
		l->pending = false;
		abstract_enter_kernel(s);
		s->abstract->hooks.irq_handler(s->abstract->hooks.self,
					       (int)(l - s->abstract->lines));
		abstract_leave_kernel(s);
	}
}

static struct task *thread(struct sim *s, enum task_kind kind, const char *name,
			   void (*entry)(void *))
{
	struct task *t = sim_task_new(s, name, kind);

	event_init(&t->abstract.timer, EVENT_RESUME, 0);
	sim_task_bind(s, t, NULL, entry, t);
	return t;
}

static bool valid(int policy, int priority)
{
	if (policy == BRIDGE_SCHED_FIFO || policy == BRIDGE_SCHED_RR)
		return priority > 0 && priority < 100;
	return policy != BRIDGE_SCHED_DEADLINE && priority >= -20 && priority < 20;
}

int abstract_spawn(struct sim *s, struct task *t, const struct bridge_spawn *spec)
{
	if (spec->policy == BRIDGE_SCHED_DEADLINE)
		return -EOPNOTSUPP;
	if (!valid(spec->policy, spec->priority) || !spec->cpus)
		return -EINVAL;
	event_init(&t->abstract.timer, EVENT_RESUME, 0);
	sim_task_bind(s, t, NULL, task_entry, t);
	sched_attach(s, t, spec);
	return 0;
}

void abstract_start(struct sim *s, struct task *t)
{
	uint32_t off = s->focus->irqs_off;

	s->focus->irqs_off = 1;
	sched_wake(s, t);
	s->focus->irqs_off = off;
	/* Called from outside the machine: this CPU sleeps and would not see the flag. */
	engine_ipi(s, s->cpu, BRIDGE_IRQ_RESCHED);
}

int abstract_set_policy(struct sim *s, struct task *t, int policy, int priority)
{
	int old = t->normal_prio;

	if (policy == BRIDGE_SCHED_DEADLINE)
		return -EOPNOTSUPP;
	if (!valid(policy, priority))
		return -EINVAL;
	s->focus->irqs_off = 1;
	sched_set_policy(s, t, policy, priority, t->prio < old ? t->prio : PRIO_NONE);
	s->focus->irqs_off = 0;
	if (old != t->normal_prio)
		engine_log(s, PROBE_SCHED_SETSCHEDULER, t->id, PRIO_CHANGE(old, t->normal_prio));
	abstract_preempt_disable(s);
	abstract_preempt_enable(s);
	return 0;
}

int abstract_set_affinity(struct sim *s, struct task *t, uint64_t cpus)
{
	s->focus->irqs_off = 1;
	sched_set_affinity(s, t, cpus);
	s->focus->irqs_off = 0;
	engine_burn(s, 0);
	return 0;
}

int abstract_group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns)
{
	uint32_t off = s->focus->irqs_off;
	struct period *p;
	int err;

	if ((uint32_t)group >= s->abstract->nr_periods) {
		SIM_CHECK(s->inhost);
		s->abstract->nr_periods = (uint32_t)group + 1;
		s->abstract->periods = realloc(s->abstract->periods,
					       s->abstract->nr_periods * sizeof(*p));
		SIM_CHECK(s->abstract->periods);
		p = &s->abstract->periods[group];
		event_init(&p->event, EVENT_CALL, 0);
		return 0;
	}
	s->focus->irqs_off = 1;
	err = sched_group_set(s, group, quota_ns, period_ns);
	s->focus->irqs_off = off;
	return err;
}

int abstract_irq_new(struct sim *s, int line, int cpu, bool threaded, int priority,
		     const char *name)
{
	struct bridge_spawn spec = { .cpus = 1ull << cpu, .policy = BRIDGE_SCHED_FIFO,
				     .priority = priority, .group = -1 };
	struct line *l;
	char comm[32];

	if (line < 0 || line >= LINES_MAX || s->abstract->lines[line].used)
		return -EINVAL;
	l = &s->abstract->lines[line];
	l->used = true;
	if (!threaded)
		return 0;
	snprintf(comm, sizeof(comm), "irq/%d-%.20s", line, name);
	l->thread = thread(s, TASK_KTHREAD, comm, irq_thread);
	l->thread->body = l;
	sched_attach(s, l->thread, &spec);
	abstract_start(s, l->thread);
	return 0;
}

/* ---- life */

void abstract_set_hooks(struct sim *s, const struct abstract_hooks *h)
{
	s->abstract->hooks = *h;
}

void abstract_boot(struct sim *s)
{
	char name[32];

	SIM_CHECK(!s->abstract);
	s->abstract = calloc(1, sizeof(*s->abstract));
	SIM_CHECK(s->abstract);
	engine_set_world(s, &world, NULL);
	sched_init(s, &sched_world);
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct task *t;

		eventq_init(&s->abstract->timers[i]);
		snprintf(name, sizeof(name), "swapper/%u", i);
		t = thread(s, TASK_KTHREAD, name, idle_main);
		t->prio = t->normal_prio = PRIO_NONE;
		sim_set_idle(s, i, t);
		sched_attach_idle(s, t, i);
	}
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct task *t;

		snprintf(name, sizeof(name), "migration/%u", i);
		t = thread(s, TASK_KTHREAD, name, task_entry);
		sched_attach_stopper(s, t, i);
		sched_wake(s, t);
	}
}

void abstract_reset(struct sim *s)
{
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++)
		while (eventq_pop(&s->abstract->timers[i]))
			;
	memset(s->abstract->lines, 0, sizeof(s->abstract->lines));
	memset(s->abstract->in_irq, 0, sizeof(s->abstract->in_irq));
	s->abstract->nr_periods = 0;
}

void abstract_free(struct sim *s)
{
	if (!s->abstract)
		return;
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++)
		eventq_free(&s->abstract->timers[i]);
	free(s->abstract->periods);
	free(s->abstract);
	s->abstract = NULL;
}
