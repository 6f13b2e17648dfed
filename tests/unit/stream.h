/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors on streams written by hand: a machine of two CPUs that nothing runs on, its tasks and
 * locks, and the records that most streams are made of.
 */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/detect/detect.h"
#include "sim/detect/private.h"

enum { LOW, MIDDLE, HIGH, IDLE0, IDLE1, TIMERS, OTHER, IRQ, EXTRA };
#define NR_LOCKS_MADE 64
#define NR_EXTRA 64
#define D PREV_UNINTERRUPTIBLE

static struct sim *s;
static struct detect *d;
static uint64_t seq;
static char memory[NR_LOCKS_MADE][64];
static uint32_t rw, inner, spin, softirq, mutex;

static inline void task(const char *name, int prio, enum task_kind kind)
{
	struct task *t = sim_task_new(s, name, kind);

	t->prio = t->normal_prio = prio;
}

static inline uint32_t lock(int i, enum bridge_lock_kind kind, const char *name)
{
	sim_lock_name(s, memory[i], kind, name);
	return sim_lock_id(s, memory[i]);
}

static inline int setup(void **state)
{
	struct sim_config c = { .machine = { .nr_cpus = 2 }, .carrier = &carrier_fiber,
				.duration_ns = SIM_NEVER, .events_max = 1000 };
	struct detect_limits l = { .starve_ns = 1000000000, .inversion_ns = 1000000 };
	char name[16];

	(void)state;
	s = sim_new(&c);
	d = detect_new(&l);
	seq = 0;
	task("low", 120, TASK_SCENARIO);
	task("middle", 49, TASK_SCENARIO);
	task("high", 19, TASK_SCENARIO);
	task("swapper/0", 140, TASK_IDLE);
	task("swapper/1", 140, TASK_IDLE);
	task("ktimers/0", 98, TASK_KTHREAD);
	task("other", 120, TASK_SCENARIO);
	task("irq/7", 49, TASK_KTHREAD);
	for (int i = 0; i < NR_EXTRA; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		task(name, 90, TASK_SCENARIO);
	}
	rw = lock(0, BRIDGE_LOCK_RW, "&ep->lock");
	inner = sim_lock_id(s, memory[0] + 8);
	spin = lock(1, BRIDGE_LOCK_SPIN, "spin");
	softirq = lock(2, BRIDGE_LOCK_SPIN, "softirq_ctrl.lock");
	mutex = lock(3, BRIDGE_LOCK_MUTEX, "mutex");
	sim_group_named(s, "limited");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	detect_free(d);
	sim_free(s);
	return 0;
}

static inline void feed(uint64_t us, uint32_t cpu, uint32_t who, enum probe_kind kind, uint32_t object,
		 int64_t arg)
{
	struct probe p = { seq++, us * 1000, cpu, who, kind, object, arg };

	detect_feed(d, s, &p);
}

static inline void switch_to(uint64_t us, uint32_t cpu, uint32_t prev, uint32_t next, int64_t state)
{
	feed(us, cpu, prev, PROBE_SCHED_SWITCH, next, state);
}

static inline void both_run(void)
{
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
}

static inline void blocks(uint64_t us, uint32_t cpu, uint32_t who, uint32_t on, int64_t flags,
		   uint32_t idle)
{
	feed(us, cpu, who, PROBE_CONTENTION_BEGIN, on, flags);
	switch_to(us + 1, cpu, who, idle, D);
}

static inline const struct wait *wait_of(uint32_t id)
{
	const struct wait *w;
	int nr = detect_waits(d, &w);

	for (int i = 0; i < nr; i++)
		if (w[i].task == id)
			return &w[i];
	return NULL;
}

static inline void opposite_orders(void)
{
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	feed(3, 0, LOW, PROBE_CONTENTION_BEGIN, mutex, LCB_RT);
	feed(4, 1, HIGH, PROBE_CONTENTION_BEGIN, spin, LCB_RT);
}

/* Each holds its own lock and wants the next one's. */
static inline void in_a_ring(int nr, bool closed)
{
	for (int i = 0; i < nr; i++) {
		uint32_t l = lock(10 + i, BRIDGE_LOCK_SPIN, "fork");

		feed(1, 0, EXTRA + (uint32_t)i, PROBE_LOCK_ACQUIRED, l, LOCK_EXCLUSIVE);
	}
	for (int i = 0; i < nr - !closed; i++)
		blocks(2 + (uint64_t)i * 2, 0, EXTRA + (uint32_t)i,
		       sim_lock_id(s, memory[10 + (i + 1) % nr]), LCB_RT, IDLE0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
