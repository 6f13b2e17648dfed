/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine: lets one CPU go on until it uses time, then takes the next event.
 *
 * There is no central loop on a stack of its own: the task that gives up its CPU looks for the
 * next event itself and switches straight to whoever is due, so a step costs one carrier switch
 * and, when nothing else is due before a burn ends, none at all.
 *
 * A CPU is either in focus (its code is being executed) or waits in one of four ways.  Code
 * between two calls of the engine takes no time.
 */
#include "sim/core/engine.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/cost.h"
#include "sim/core/sim_private.h"

static void set_focus(struct sim *s, uint32_t to)
{
	struct cpu *c = cpu_focus(s);

	c->irqs_off = s->focus->irqs_off;
	c->pending = s->focus->pending;
	s->cpu = to;
	c = &s->cpus[to];
	s->focus->cpu = to;
	s->focus->current_task = c->curr->ktask;
	s->focus->irqs_off = c->irqs_off;
	s->focus->pending = c->pending;
}

void engine_irqs_disable(struct sim *s)
{
	s->focus->irqs_off++;
}

void engine_irqs_enable(struct sim *s)
{
	s->focus->irqs_off--;
}

void engine_focus(struct sim *s, unsigned int cpu)
{
	SIM_CHECK(s->inhost);
	set_focus(s, cpu);
}

static void set_pending(struct sim *s, uint32_t cpu, uint32_t bits)
{
	if (cpu == s->cpu)
		s->focus->pending |= bits;
	else
		s->cpus[cpu].pending |= bits;
}

static bool irqs_off(const struct sim *s, uint32_t cpu)
{
	return cpu == s->cpu ? s->focus->irqs_off : s->cpus[cpu].irqs_off;
}

/* An interrupt has come for @c: does it end what the CPU waits for? */
static bool interrupts(struct sim *s, uint32_t n, uint32_t bits)
{
	struct cpu *c = &s->cpus[n];

	set_pending(s, n, bits);
	if (c->wait == CPU_RUNS)
		return false;
	/* An idle CPU sleeps with interrupts off and still wakes, as hlt does. */
	if (c->wait != CPU_IDLE && irqs_off(s, n))
		return false;
	if (c->wait == CPU_BURN)
		eventq_cancel(&s->queue, &c->resume);
	return true;
}

static void start_tick(struct sim *s, struct cpu *c)
{
	if (c->tick.index < 0)
		eventq_set(&s->queue, &c->tick, (s->now / SIM_TICK_NS + 1) * SIM_TICK_NS);
}

static void run_call(struct sim *s, struct event *e)
{
	struct call *c = (struct call *)e;
	engine_call_fn *fn = c->fn;
	void *arg = c->arg;

	c->next_free = s->free_calls;
	s->free_calls = c;
	fn(s, arg);
}

/* Takes one event; true: its CPU goes on. */
static bool take(struct sim *s, struct event *e)
{
	struct cpu *c = &s->cpus[e->cpu];

	switch ((enum event_kind)e->kind) {
	case EVENT_RESUME:
		return true;
	case EVENT_CLOCK:
		return interrupts(s, e->cpu, BRIDGE_IRQ_TIMER);
	case EVENT_TICK:
		eventq_set(&s->queue, e, e->at + SIM_TICK_NS);
		return interrupts(s, e->cpu, BRIDGE_IRQ_TICK);
	case EVENT_IPI: {
		uint32_t bits = c->ipi_bits;

		c->ipi_bits = 0;
		return interrupts(s, e->cpu, bits);
	}
	case EVENT_CALL:
		run_call(s, e);
		return false;
	}
	SIM_CHECK(!"unknown event");
	return false;
}

/* The next CPU to go on, or NULL when the run is over. */
static struct cpu *next_cpu(struct sim *s)
{
	for (;;) {
		struct event *e;

		if (s->end != SIM_END_NONE)
			return NULL;
		if (s->had_scenario && !s->nr_scenario) {
			s->end = SIM_END_DONE;
			return NULL;
		}
		e = eventq_pop(&s->queue);
		if (!e) {
			s->end = SIM_END_QUIET;
			return NULL;
		}
		if (++s->events > s->config.events_max) {
			s->end = SIM_END_EVENTS;
			return NULL;
		}
		if (e->at > s->now)
			s->now = e->at;
		if (take(s, e))
			return &s->cpus[e->cpu];
	}
}

/* Lets whoever is due go on; returns when this CPU goes on again. */
static void dispatch(struct sim *s)
{
	struct carrier *from = s->inhost ? s->host : cpu_focus(s)->curr->carrier;
	struct cpu *me = cpu_focus(s), *next = next_cpu(s);

	if (!next) {
		if (s->inhost)
			return;
		s->inhost = true;
		s->config.carrier->switch_to(from, s->host);
		return;
	}
	if (next->wait == CPU_SPIN)
		s->nr_spinning--;
	if (next->wait == CPU_IDLE)
		start_tick(s, next);
	next->wait = CPU_RUNS;
	if (next == me && !s->inhost)
		return;
	s->inhost = false;
	set_focus(s, (uint32_t)(next - s->cpus));
	if (next->curr->carrier != from)
		s->config.carrier->switch_to(from, next->curr->carrier);
}

static void wait_for(struct sim *s, enum cpu_wait kind)
{
	cpu_focus(s)->wait = kind;
	dispatch(s);
}

static inline void take_irqs(struct sim *s)
{
	if (s->focus->pending && !s->focus->irqs_off)
		s->world->do_irq(s);
}

void engine_burn(struct sim *s, uint64_t ns)
{
	if (s->inhost)
		return;
	cpu_focus(s)->relaxed = 0;
	for (;;) {
		uint64_t start;

		take_irqs(s);
		if (!ns)
			return;
		start = s->now;
		if (eventq_next_at(&s->queue) > start + ns && s->end == SIM_END_NONE) {
			s->now = start + ns;
			if (++s->events > s->config.events_max)
				s->end = SIM_END_EVENTS;
			return;
		}
		eventq_set(&s->queue, &cpu_focus(s)->resume, start + ns);
		wait_for(s, CPU_BURN);
		ns -= s->now - start;
	}
}

void engine_cost(struct sim *s, enum bridge_cost kind)
{
	const struct cost_range *r = &cost_table[kind];

	if (s->inhost)
		return;
	engine_burn(s, r->lo + (s->oracle ? engine_choose(s, r->hi - r->lo + 1) : 0));
}

/* Before there is an oracle the machine boots, and on the host nobody else can go on. */
void engine_access(struct sim *s)
{
	if (s->inhost || !s->oracle)
		return;
	s->focus->access_left = engine_choose(s, COST_ACCESS_DISTANCE_MAX);
	engine_cost(s, COST_ACCESS);
}

void engine_idle(struct sim *s)
{
	SIM_CHECK(!s->inhost);
	cpu_focus(s)->relaxed = 0;
	if (s->focus->pending)
		return;
	eventq_cancel(&s->queue, &cpu_focus(s)->tick);
	wait_for(s, CPU_IDLE);
}

/* Turns of a loop without any other step grow: what it waits for takes time. */
void engine_relax(struct sim *s)
{
	const struct cost_range *r = &cost_table[COST_RELAX];
	uint32_t turns, ns;

	SIM_CHECK(!s->inhost);
	turns = cpu_focus(s)->relaxed;
	ns = r->lo + (s->oracle ? engine_choose(s, r->hi - r->lo + 1) : 0);
	ns <<= turns < 4 ? turns : 4;
	engine_burn(s, ns < COST_RELAX_MAX_NS ? ns : COST_RELAX_MAX_NS);
	cpu_focus(s)->relaxed = turns + 1;
}

void engine_spin_wait(struct sim *s, const void *lock)
{
	SIM_CHECK(!s->inhost);
	cpu_focus(s)->spin_lock = lock;
	s->nr_spinning++;
	wait_for(s, CPU_SPIN);
	take_irqs(s);
}

void engine_spin_wake(struct sim *s, const void *lock)
{
	if (!s->nr_spinning)
		return;
	for (uint32_t i = 0; i < sim_nr_cpus(s); i++) {
		struct cpu *c = &s->cpus[i];

		if (c->wait == CPU_SPIN && c->spin_lock == lock && c->resume.index < 0)
			eventq_set(&s->queue, &c->resume, s->now);
	}
}

void engine_switch(struct sim *s, struct task *prev, struct task *next)
{
	struct cpu *c = cpu_focus(s);

	SIM_CHECK(c->curr == prev && next->carrier);
	if (prev == next)
		return;
	s->events++;
	c->relaxed = 0;
	c->curr = next;
	s->focus->current_task = next->ktask;
	s->config.carrier->switch_to(prev->carrier, next->carrier);
}

void engine_set_event(struct sim *s, unsigned int cpu, uint64_t at_ns)
{
	struct event *e = &s->cpus[cpu].clock;

	if (at_ns == SIM_NEVER)
		eventq_cancel(&s->queue, e);
	else
		eventq_set(&s->queue, e, at_ns > s->now ? at_ns : s->now);
}

void engine_ipi(struct sim *s, unsigned int cpu, uint32_t irqs)
{
	const struct cost_range *r = &cost_table[COST_IPI];
	struct cpu *c = &s->cpus[cpu];
	uint32_t ns;

	if (cpu == s->cpu && !s->inhost) {
		set_pending(s, cpu, irqs);
		return;
	}
	c->ipi_bits |= irqs;
	if (c->ipi.index >= 0)
		return;
	ns = s->inhost ? 0 : r->lo + (s->oracle ? engine_choose(s, r->hi - r->lo + 1) : 0);
	eventq_set(&s->queue, &c->ipi, s->now + ns);
}

void engine_call_at(struct sim *s, uint64_t at_ns, engine_call_fn *fn, void *arg)
{
	struct call *c = s->free_calls;
	uint64_t at = s->epoch + at_ns;

	if (c) {
		s->free_calls = c->next_free;
	} else {
		c = malloc(sizeof(*c));
		SIM_CHECK(c);
	}
	event_init(&c->event, EVENT_CALL, 0);
	c->fn = fn;
	c->arg = arg;
	eventq_set(&s->queue, &c->event, at > s->now ? at : s->now);
}

void engine_raise_line(struct sim *s, unsigned int cpu, int line)
{
	struct cpu *c = &s->cpus[cpu];

	for (uint32_t i = 0; i < c->nr_lines; i++)
		if (c->lines[i] == line)
			return;	/* still pending: a level-triggered line is one interrupt */
	SIM_CHECK(c->nr_lines < SIM_LINES_MAX);
	c->lines[c->nr_lines++] = line;
	if (cpu == s->cpu && c->wait == CPU_RUNS && !s->inhost) {
		set_pending(s, cpu, BRIDGE_IRQ_LINE);
		return;
	}
	c->ipi_bits |= BRIDGE_IRQ_LINE;
	if (c->ipi.index < 0)
		eventq_set(&s->queue, &c->ipi, s->now);
}

int engine_next_line(struct sim *s, unsigned int cpu)
{
	struct cpu *c = &s->cpus[cpu];
	int line;

	if (!c->nr_lines)
		return -1;
	line = c->lines[0];
	memmove(c->lines, c->lines + 1, --c->nr_lines * sizeof(c->lines[0]));
	return line;
}

uint32_t engine_choose(struct sim *s, uint32_t n)
{
	SIM_CHECK(n);
	return n == 1 || !s->oracle ? 0 : s->oracle->choose(s->oracle, n);
}

static void note_priority(struct task *t, unsigned int kind, int prio)
{
	if (kind == PROBE_SCHED_PI_SETPRIO) {
		t->prio = prio;
	} else {
		if (t->prio == t->normal_prio || prio < t->prio)
			t->prio = prio;
		t->normal_prio = prio;
	}
}

void engine_log(struct sim *s, unsigned int kind, uint32_t object, int64_t arg)
{
	const struct cpu *c = cpu_focus(s);
	struct probe p;

	if (s->now < s->epoch)
		return;
	if (kind == PROBE_SCHED_PI_SETPRIO || kind == PROBE_SCHED_SETSCHEDULER)
		note_priority(s->tasks[object], kind, PRIO_NEW(arg));
	p.seq = s->seq++;
	if (!s->nr_observers)
		return;
	p.at_ns = s->now - s->epoch;
	p.cpu = s->cpu;
	p.task = c->curr ? c->curr->id : 0;
	p.kind = kind;
	p.object = object;
	p.arg = arg;
	for (uint32_t i = 0; i < s->nr_observers; i++)
		s->observers[i].fn(s->observers[i].self, s, &p);
}

void engine_set_world(struct sim *s, const struct world_ops *w, struct bridge_focus *focus)
{
	s->world = w;
	s->focus = focus ? focus : &s->own_focus;
	s->focus->irqs_off = 1;
}

void engine_finish(struct sim *s, enum sim_end why)
{
	if (s->end == SIM_END_NONE)
		s->end = why;
	SIM_CHECK(!s->inhost);
	s->inhost = true;
	s->config.carrier->switch_to(cpu_focus(s)->curr->carrier, s->host);
	abort();	/* a finished run is never switched back to */
}

static void remember_bug(struct sim *s, const char *what, const char *detail)
{
	if (s->bug)
		return;
	s->bug = what;
	s->bug_detail = detail ? strdup(detail) : NULL;
}

void engine_warn(struct sim *s, const char *what, const char *detail)
{
	remember_bug(s, what, detail);
}

void engine_bug(struct sim *s, const char *what, const char *detail)
{
	remember_bug(s, what, detail);
	if (s->inhost)
		s->end = SIM_END_BUG;
	else
		engine_finish(s, SIM_END_BUG);
}

enum sim_end sim_run(struct sim *s)
{
	s->end = SIM_END_NONE;
	s->inhost = true;
	s->host = s->config.carrier->host();
	do
		dispatch(s);
	while (s->end == SIM_END_NONE);
	return s->end;
}
