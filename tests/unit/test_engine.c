/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine on a machine without a kernel: who goes on when, to the nanosecond, on both carriers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/oracle.h"
#include "tests/lib/world.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define EXPECT_NOTES(...)                                                                         \
	do {                                                                                      \
		const struct world_note want[] = { __VA_ARGS__ };                                 \
                                                                                                  \
		assert_int_equal(world.nr, ARRAY_SIZE(want));                                     \
		for (size_t i = 0; i < ARRAY_SIZE(want); i++) {                                   \
			assert_int_equal(world.notes[i].cpu, want[i].cpu);                        \
			assert_int_equal(world.notes[i].at, want[i].at);                          \
			assert_int_equal(world.notes[i].what, want[i].what);                      \
		}                                                                                 \
	} while (0)

static const struct carrier_ops *carrier;

static int on_fibers(void **state)
{
	(void)state;
	carrier = &carrier_fiber;
	return 0;
}

static int on_threads(void **state)
{
	(void)state;
	carrier = &carrier_pthread;
	return 0;
}

static int cleanup(void **state)
{
	(void)state;
	sim_free(world.sim);
	world.sim = NULL;
	return 0;
}

static void done(struct sim *s)
{
	engine_finish(s, SIM_END_DONE);
}

/* Interrupts are off at first, as after power-on. */
static void enable(struct sim *s)
{
	s->focus->irqs_off = 0;
	engine_burn(s, 0);
}

/* ---- time */

static void steps_of_100(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		engine_burn(arg, 100);
		note(i);
	}
	world_idle(arg);
}

static void steps_of_150(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		engine_burn(arg, 150);
		note(i);
	}
	world_idle(arg);
}

static void cpus_go_on_by_time_and_at_equal_times_in_order_of_asking(void **state)
{
	void (*const fn[])(void *) = { steps_of_100, steps_of_150 };

	(void)state;
	world_new(carrier, 2, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_QUIET);
	/* at 300 CPU 1 comes first: it asked for its burn at 150, CPU 0 at 200 */
	EXPECT_NOTES({ 0, 100, 1 }, { 1, 150, 1 }, { 0, 200, 2 }, { 1, 300, 2 }, { 0, 300, 3 });
}

static void interrupted(void *arg)
{
	struct sim *s = arg;

	enable(s);
	engine_set_event(s, 0, world.start + 40);
	engine_burn(s, 100);
	note(1);
	done(s);
}

static void an_interrupted_burn_pays_the_rest_later(void **state)
{
	void (*const fn[])(void *) = { interrupted };

	(void)state;
	world_new(carrier, 1, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 0, 40, -BRIDGE_IRQ_TIMER }, { 0, 100 + IRQ_NS, 1 });
}

static void uninterruptible(void *arg)
{
	struct sim *s = arg;

	engine_set_event(s, 0, world.start + 40);
	engine_burn(s, 100);
	note(1);
	enable(s);
	note(2);
	done(s);
}

static void with_interrupts_off_they_come_when_they_are_enabled(void **state)
{
	void (*const fn[])(void *) = { uninterruptible };

	(void)state;
	world_new(carrier, 1, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 0, 100, 1 }, { 0, 100, -BRIDGE_IRQ_TIMER }, { 0, 100 + IRQ_NS, 2 });
}

static void cancels_its_event(void *arg)
{
	struct sim *s = arg;

	enable(s);
	engine_set_event(s, 0, world.start + 40);
	engine_set_event(s, 0, SIM_NEVER);
	engine_burn(s, 100);
	note(1);
	done(s);
}

static void a_cancelled_clock_event_does_not_come(void **state)
{
	void (*const fn[])(void *) = { cancels_its_event };

	(void)state;
	world_new(carrier, 1, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 0, 100, 1 });
}

/* ---- other CPUs */

static void sends_twice(void *arg)
{
	struct sim *s = arg;

	engine_burn(s, 10);
	engine_ipi(s, 1, BRIDGE_IRQ_RESCHED);
	engine_ipi(s, 1, BRIDGE_IRQ_CALL);
	engine_burn(s, 5000);
	done(s);
}

static void an_idle_cpu_takes_two_interrupts_sent_at_once_as_one(void **state)
{
	void (*const fn[])(void *) = { sends_twice, world_idle };
	uint64_t at = 10 + cost_table[COST_IPI].lo;

	(void)state;
	world_new(carrier, 2, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 1, at, -(BRIDGE_IRQ_RESCHED | BRIDGE_IRQ_CALL) });
}

static int spun_on;

static void spins(void *arg)
{
	engine_spin_wait(arg, &spun_on);
	note(1);
	world_idle(arg);
}

static void releases(void *arg)
{
	struct sim *s = arg;

	engine_burn(s, 70);
	engine_spin_wake(s, arg);	/* another lock: nobody waits for it */
	engine_burn(s, 10);
	engine_spin_wake(s, &spun_on);
	engine_burn(s, 100);
	done(s);
}

static void a_spinning_cpu_goes_on_when_its_lock_is_released(void **state)
{
	void (*const fn[])(void *) = { spins, releases };

	(void)state;
	world_new(carrier, 2, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 0, 80, 1 });
}

/* As a raw spinlock is waited for: interrupts off. */
static void spins_with_interrupts_off(void *arg)
{
	struct sim *s = arg;

	s->focus->irqs_off = 1;
	engine_spin_wait(s, &spun_on);
	note(1);
	enable(s);
	world_idle(s);
}

static void interrupts_and_releases(void *arg)
{
	struct sim *s = arg;

	engine_ipi(s, 0, BRIDGE_IRQ_CALL);
	engine_burn(s, 5000);
	engine_spin_wake(s, &spun_on);
	engine_burn(s, 100);
	done(s);
}

static void an_interrupt_does_not_end_a_spin_with_interrupts_off(void **state)
{
	void (*const fn[])(void *) = { spins_with_interrupts_off, interrupts_and_releases };

	(void)state;
	world_new(carrier, 2, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_DONE);
	EXPECT_NOTES({ 0, 5000, 1 }, { 0, 5000, -BRIDGE_IRQ_CALL });
}

static uint32_t choose_last(struct oracle *o, uint32_t n)
{
	(void)o;
	return n - 1;
}

static void relaxes(void *arg)
{
	for (int i = 0; i < 7; i++) {
		engine_relax(arg);
		note(i);
	}
	done(arg);
}

static void turns_of_a_busy_wait_grow_up_to_a_limit(void **state)
{
	void (*const fn[])(void *) = { relaxes };
	struct oracle last = { choose_last };

	(void)state;
	for (int most = 0; most < 2; most++) {
		uint64_t first = most ? cost_table[COST_RELAX].hi : cost_table[COST_RELAX].lo, at = 0;

		world_new(carrier, 1, fn);
		sim_set_oracle(world.sim, most ? &last : NULL);
		assert_int_equal(sim_run(world.sim), SIM_END_DONE);
		for (int i = 0; i < 7; i++) {
			uint64_t turn = first << (i < 4 ? i : 4);

			at += turn < COST_RELAX_MAX_NS ? turn : COST_RELAX_MAX_NS;
			assert_int_equal(world.notes[i].at, at);
		}
		sim_free(world.sim);
	}
	world.sim = NULL;
}

/* ---- tasks */

static struct task *second;

static void gives_way(void *arg)
{
	struct sim *s = arg;

	engine_burn(s, 10);
	engine_switch(s, world.first[0], second);
	note(1);
	done(s);
}

static void comes_and_goes(void *arg)
{
	struct sim *s = arg;

	note(2);
	engine_burn(s, 20);
	engine_switch(s, second, world.first[0]);
	world_idle(s);
}

static void a_task_goes_on_where_it_left_its_cpu(void **state)
{
	void (*const fn[])(void *) = { gives_way };
	struct sim *s = world_new(carrier, 1, fn);

	(void)state;
	second = sim_task_new(s, "second", TASK_SCENARIO);
	sim_task_bind(s, second, NULL, comes_and_goes, s);
	assert_int_equal(sim_run(s), SIM_END_DONE);
	EXPECT_NOTES({ 0, 10, 2 }, { 0, 30, 1 });
}

/* ---- calls and lines */

static void called(struct sim *s, void *arg)
{
	(void)s;
	note((int)(intptr_t)arg);
}

static void raises(struct sim *s, void *arg)
{
	engine_raise_line(s, 0, (int)(intptr_t)arg);
}

static void host_calls_come_between_steps_in_the_order_they_were_asked_for(void **state)
{
	void (*const fn[])(void *) = { steps_of_100 };
	struct sim *s = world_new(carrier, 1, fn);

	(void)state;
	sim_set_epoch(s, world.start);
	engine_call_at(s, 250, called, (void *)12);
	engine_call_at(s, 50, called, (void *)10);
	engine_call_at(s, 250, called, (void *)13);
	assert_int_equal(sim_run(s), SIM_END_QUIET);
	EXPECT_NOTES({ 0, 50, 10 }, { 0, 100, 1 }, { 0, 200, 2 }, { 0, 250, 12 }, { 0, 250, 13 },
		     { 0, 300, 3 });
}

static void a_line_that_is_pending_already_is_one_interrupt(void **state)
{
	void (*const fn[])(void *) = { world_idle };
	struct sim *s = world_new(carrier, 1, fn);

	(void)state;
	sim_set_epoch(s, world.start);
	engine_call_at(s, 50, raises, (void *)3);
	engine_call_at(s, 50, raises, (void *)3);
	engine_call_at(s, 50, raises, (void *)1);
	assert_int_equal(sim_run(s), SIM_END_QUIET);
	EXPECT_NOTES({ 0, 50, -BRIDGE_IRQ_LINE });
	assert_int_equal(engine_next_line(s, 0), 3);
	assert_int_equal(engine_next_line(s, 0), 1);
	assert_int_equal(engine_next_line(s, 0), -1);
}

/* ---- ends */

static void burns_for_ever(void *arg)
{
	for (;;)
		engine_burn(arg, 10);
}

static void an_endless_run_ends_when_its_events_are_used_up(void **state)
{
	void (*const fn[])(void *) = { burns_for_ever };

	(void)state;
	world_new(carrier, 1, fn);
	assert_int_equal(sim_run(world.sim), SIM_END_EVENTS);
	assert_int_equal(sim_events(world.sim), 100001);
}

static void stops(struct sim *s, void *arg)
{
	(void)arg;
	sim_stop(s, SIM_END_TIME);
	sim_stop(s, SIM_END_MEMORY);
}

static void the_first_reason_to_stop_is_kept(void **state)
{
	void (*const fn[])(void *) = { burns_for_ever };

	(void)state;
	world_new(carrier, 1, fn);
	sim_set_epoch(world.sim, world.start);
	engine_call_at(world.sim, 1000, stops, NULL);
	assert_int_equal(sim_run(world.sim), SIM_END_TIME);
	assert_int_equal(sim_now(world.sim), 1000);
}

/* ---- costs */

static void pays(void *arg)
{
	for (int i = 0; i < NR_COSTS; i++)
		engine_cost(arg, (enum bridge_cost)i);
	done(arg);
}

static void a_cost_is_the_least_of_its_range_without_an_oracle_and_in_it_with_one(void **state)
{
	void (*const fn[])(void *) = { pays };
	uint64_t least = 0, most = 0, first = 0, now;

	(void)state;
	for (int i = 0; i < NR_COSTS; i++) {
		assert_true(cost_table[i].lo <= cost_table[i].hi && cost_table[i].hi);
		least += cost_table[i].lo;
		most += cost_table[i].hi;
	}
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct oracle_random o;

		world_new(carrier, 1, fn);
		oracle_random_init(&o, seed);
		if (seed)
			sim_set_oracle(world.sim, &o.base);
		assert_int_equal(sim_run(world.sim), SIM_END_DONE);
		now = sim_now_abs(world.sim) - world.start;
		assert_true(now >= least && now <= most);
		assert_true(seed || now == least);
		assert_true(now != first);	/* seeds differ */
		first = now;
		sim_free(world.sim);
	}
	world.sim = NULL;
}

int main(void)
{
#define ON_BOTH(name)                                                                             \
	{ #name "/fiber", name, on_fibers, cleanup, NULL },                                       \
	{ #name "/pthread", name, on_threads, cleanup, NULL }
	const struct CMUnitTest tests[] = {
		ON_BOTH(cpus_go_on_by_time_and_at_equal_times_in_order_of_asking),
		ON_BOTH(an_interrupted_burn_pays_the_rest_later),
		ON_BOTH(with_interrupts_off_they_come_when_they_are_enabled),
		ON_BOTH(a_cancelled_clock_event_does_not_come),
		ON_BOTH(an_idle_cpu_takes_two_interrupts_sent_at_once_as_one),
		ON_BOTH(a_spinning_cpu_goes_on_when_its_lock_is_released),
		ON_BOTH(an_interrupt_does_not_end_a_spin_with_interrupts_off),
		ON_BOTH(turns_of_a_busy_wait_grow_up_to_a_limit),
		ON_BOTH(a_task_goes_on_where_it_left_its_cpu),
		ON_BOTH(host_calls_come_between_steps_in_the_order_they_were_asked_for),
		ON_BOTH(a_line_that_is_pending_already_is_one_interrupt),
		ON_BOTH(an_endless_run_ends_when_its_events_are_used_up),
		ON_BOTH(the_first_reason_to_stop_is_kept),
		ON_BOTH(a_cost_is_the_least_of_its_range_without_an_oracle_and_in_it_with_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
