/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine without a kernel, for tests of sim/core: each CPU runs one function from the start.
 *
 * Interrupts are counted and cleared, and take IRQ_NS; without an oracle every cost is the least
 * of its range, so tests can expect exact times.
 */
#ifndef TESTS_LIB_WORLD_H
#define TESTS_LIB_WORLD_H

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/core/cost.h"
#include "sim/core/engine.h"
#include "sim/core/sim_private.h"

#define IRQ_NS 30

/* What happened: filled by note(), in order. */
struct world_note {
	uint32_t cpu;
	uint64_t at;	/* ns since the machine was made */
	int what;
};

static struct world {
	struct sim *sim;
	struct world_note notes[256];
	int nr;
	uint32_t irqs;		/* all bits that came */
	uint64_t start;
	struct task *first[SIM_CPUS_MAX];
} world;

static inline void note(int what)
{
	SIM_CHECK(world.nr < 256);
	world.notes[world.nr++] = (struct world_note){ sim_cpu(world.sim),
						       sim_now_abs(world.sim) - world.start, what };
}

static inline void world_irq(struct sim *s)
{
	world.irqs |= s->focus->pending;
	note(-(int)s->focus->pending);
	s->focus->pending = 0;
	s->focus->irqs_off = 1;
	engine_burn(s, IRQ_NS);
	s->focus->irqs_off = 0;
}

static const struct world_ops world_ops = { .do_irq = world_irq };

/* Sleeps for ever, taking what interrupts come. */
static inline void world_idle(void *arg)
{
	struct sim *s = arg;

	for (;;) {
		s->focus->irqs_off = 1;
		engine_idle(s);
		s->focus->irqs_off = 0;
		engine_burn(s, 0);
	}
}

static inline struct sim *world_new(const struct carrier_ops *carrier, int cpus,
				    void (*const fn[])(void *))
{
	struct sim_config c = { .machine = { .nr_cpus = cpus }, .carrier = carrier,
				.duration_ns = SIM_NEVER, .events_max = 100000 };

	world = (struct world){ .sim = sim_new(&c) };
	engine_set_world(world.sim, &world_ops, NULL);
	world.start = sim_now_abs(world.sim);
	for (int i = 0; i < cpus; i++) {
		world.first[i] = sim_task_new(world.sim, "first", TASK_IDLE);
		sim_task_bind(world.sim, world.first[i], NULL, fn[i], world.sim);
		sim_set_idle(world.sim, (unsigned int)i, world.first[i]);
	}
	return world.sim;
}

#endif
