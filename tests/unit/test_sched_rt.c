/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: real-time tasks, where they run and in which order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/lib/sched_world.h"

#define FIFO BRIDGE_SCHED_FIFO
#define RR BRIDGE_SCHED_RR
#define MS 1000000ull

static struct task *target;
static uint64_t ended[8];
static int nr_ended;

static int one_cpu(void **state)
{
	struct bridge_machine m = { .nr_cpus = 1 };

	(void)state;
	nr_ended = 0;
	sched_world_new(&carrier_fiber, &m);
	return 0;
}

static int two_cpus(void **state)
{
	struct bridge_machine m = { .nr_cpus = 2 };

	(void)state;
	nr_ended = 0;
	sched_world_new(&carrier_fiber, &m);
	return 0;
}

static int down(void **state)
{
	(void)state;
	sim_free(w.sim);
	return 0;
}

static void end(void)
{
	ended[nr_ended++] = now();
}

static void short_burn(void)
{
	burn(1 * MS);
	end();
}

static void long_burn(void)
{
	burn(10 * MS);
	end();
}

static void sleep_then_burn(void)
{
	sleep_ns(3 * MS);
	burn(1 * MS);
	end();
}

static void the_higher_priority_runs_first(void **state)
{
	(void)state;
	spawn("low", FIFO, 10, 1, short_burn);
	spawn("high", FIFO, 20, 1, short_burn);
	assert_int_equal(run_all(), SIM_END_DONE);
	assert_string_equal(order_on(0), "high low idle");
	assert_int_equal(ended[0], SWITCH_NS + 1 * MS);
	assert_int_equal(ended[1], 2 * (SWITCH_NS + 1 * MS));
}

static void equal_priorities_run_in_the_order_they_came(void **state)
{
	(void)state;
	spawn("a", FIFO, 10, 1, short_burn);
	spawn("b", FIFO, 10, 1, short_burn);
	spawn("c", FIFO, 10, 1, short_burn);
	run_all();
	assert_string_equal(order_on(0), "a b c idle");
}

static void a_preempted_task_is_the_first_of_its_priority_again(void **state)
{
	(void)state;
	spawn("high", FIFO, 20, 1, sleep_then_burn);
	spawn("a", FIFO, 10, 1, long_burn);
	spawn("b", FIFO, 10, 1, short_burn);
	run_all();
	assert_string_equal(order_on(0), "high a high a b idle");
}

static void fifo_has_no_slice(void **state)
{
	(void)state;
	spawn("a", FIFO, 10, 1, long_burn);
	spawn("b", FIFO, 10, 1, long_burn);
	run_all();
	assert_string_equal(order_on(0), "a b idle");
}

static void burn_250_ms(void)
{
	burn(250 * MS);
	end();
}

static void rr_takes_turns_of_100_ms(void **state)
{
	(void)state;
	spawn("a", RR, 10, 1, burn_250_ms);
	spawn("b", RR, 10, 1, burn_250_ms);
	run_all();
	assert_string_equal(order_on(0), "a b a b a b idle");
}

static void rr_alone_at_its_priority_runs_on(void **state)
{
	(void)state;
	spawn("a", RR, 10, 1, burn_250_ms);
	spawn("b", RR, 9, 1, burn_250_ms);
	run_all();
	assert_string_equal(order_on(0), "a b idle");
}

static void a_fair_task_waits_for_real_time_ones(void **state)
{
	(void)state;
	spawn("fair", BRIDGE_SCHED_OTHER, 0, 1, short_burn);
	spawn("rt", FIFO, 1, 1, long_burn);
	run_all();
	assert_string_equal(order_on(0), "rt fair idle");
}

static void yields(void)
{
	sched_yield_task(w.sim);
	w.sim->focus->irqs_off = 1;
	sched_schedule(w.sim, PREV_RUNNABLE);
	w.sim->focus->irqs_off = 0;
	burn(1 * MS);
}

static void who_yields_goes_behind_its_equals(void **state)
{
	(void)state;
	spawn("a", FIFO, 10, 1, yields);
	spawn("b", FIFO, 10, 1, short_burn);
	spawn("c", FIFO, 9, 1, short_burn);
	run_all();
	assert_string_equal(order_on(0), "a b a c idle");
}

/* ---- priority inheritance */

static void boosts_target(void)
{
	sleep_ns(1 * MS);
	w.sim->focus->irqs_off = 1;
	sched_setprio(w.sim, target, 99 - 30);
	preempt(w.sim);
	w.sim->focus->irqs_off = 0;
	sleep_ns(5 * MS);
	w.sim->focus->irqs_off = 1;
	sched_setprio(w.sim, target, target->normal_prio);
	w.sim->focus->irqs_off = 0;
	burn(1000);
}

static void a_boosted_task_runs_at_the_lent_priority(void **state)
{
	(void)state;
	spawn("middle", FIFO, 20, 1, long_burn);
	target = spawn("low", FIFO, 10, 1, long_burn);
	spawn("high", FIFO, 40, 1, boosts_target);
	run_all();
	/* boosted at 1 ms, deboosted 5 ms later: then the middle one goes on */
	assert_string_equal(order_on(0), "high middle high low high middle low idle");
}

static void a_deboosted_task_is_the_first_of_its_own_priority(void **state)
{
	(void)state;
	target = spawn("low", FIFO, 10, 1, long_burn);
	spawn("other", FIFO, 10, 1, long_burn);
	spawn("high", FIFO, 40, 1, boosts_target);
	run_all();
	assert_string_equal(order_on(0), "high low high low high low other idle");
}

/* ---- several CPUs */

static void a_second_task_goes_to_the_idle_cpu(void **state)
{
	(void)state;
	spawn("a", FIFO, 10, 3, long_burn);
	spawn("b", FIFO, 10, 3, long_burn);
	run_all();
	assert_string_equal(order_on(1), "a idle");
	assert_string_equal(order_on(0), "b idle");
}

static void burn_2_ms(void)
{
	burn(2 * MS);
}

static void a_preempted_task_is_pushed_to_a_cpu_that_runs_less(void **state)
{
	(void)state;
	spawn("high", FIFO, 30, 1, sleep_then_burn);
	spawn("busy", FIFO, 20, 2, burn_2_ms);
	spawn("low", FIFO, 10, 3, long_burn);
	assert_int_equal(run_all(), SIM_END_DONE);
	/* on CPU 0 until high comes back after 3 ms, then on CPU 1 */
	assert_string_equal(order_on(0), "high low high idle");
	assert_string_equal(order_on(1), "busy idle low idle");
}

static void pinned_tasks_are_not_pushed(void **state)
{
	(void)state;
	spawn("high", FIFO, 30, 1, sleep_then_burn);
	spawn("low", FIFO, 10, 1, long_burn);
	run_all();
	assert_string_equal(order_on(0), "high low high low idle");
	assert_string_equal(order_on(1), "");
}

static void a_cpu_that_gets_free_pulls_a_waiting_task(void **state)
{
	(void)state;
	spawn("a", FIFO, 30, 1, long_burn);
	spawn("b", FIFO, 20, 2, short_burn);
	spawn("c", FIFO, 10, 3, short_burn);
	run_all();
	assert_string_equal(order_on(0), "a idle");
	assert_string_equal(order_on(1), "b c idle");
}

static void holds_migration(void)
{
	w.sim->focus->irqs_off = 1;
	sched_migrate_disable(w.sim, sim_current(w.sim), true);
	w.sim->focus->irqs_off = 0;
	burn(10 * MS);
	w.sim->focus->irqs_off = 1;
	sched_migrate_disable(w.sim, sim_current(w.sim), false);
	preempt(w.sim);
	w.sim->focus->irqs_off = 0;
	burn(1 * MS);
	end();
}

static void with_migration_disabled_a_preempted_task_stays(void **state)
{
	(void)state;
	spawn("high", FIFO, 30, 1, sleep_then_burn);
	spawn("busy", FIFO, 20, 2, burn_2_ms);
	spawn("low", FIFO, 10, 3, holds_migration);
	run_all();
	assert_string_equal(order_on(0), "high low high low idle");
	assert_string_equal(order_on(1), "busy idle");
}

static void burn_5_ms(void)
{
	burn(5 * MS);
}

static void sleep_3_burn_10_ms(void)
{
	sleep_ns(3 * MS);
	burn(10 * MS);
}

static void what_keeps_a_pinned_task_from_running_is_pushed_away_instead(void **state)
{
	(void)state;
	spawn("busy", FIFO, 30, 2, burn_5_ms);
	spawn("free", FIFO, 20, 3, sleep_3_burn_10_ms);
	spawn("low", FIFO, 10, 3, holds_migration);
	run_all();
	/* free preempts low on CPU 0 after 3 ms; after 5 ms CPU 1 asks for it */
	assert_string_equal(order_on(0), "free low free migration low idle");
	assert_string_equal(order_on(1), "busy idle free idle");
}

/* Disables migration in the moment between being chosen to be pushed and the stopper's coming. */
static void stays_at_the_last_moment(void)
{
	sleep_ns(3 * MS);
	while (now() < 5 * MS + SWITCH_NS + 300)
		burn(10);
	w.sim->focus->irqs_off = 1;
	sched_migrate_disable(w.sim, sim_current(w.sim), true);
	w.sim->focus->irqs_off = 0;
	burn(2 * MS);
	w.sim->focus->irqs_off = 1;
	sched_migrate_disable(w.sim, sim_current(w.sim), false);
	preempt(w.sim);
	w.sim->focus->irqs_off = 0;
	burn(5 * MS);
}

static void who_cannot_be_pushed_now_is_pushed_when_it_can(void **state)
{
	(void)state;
	spawn("busy", FIFO, 30, 2, burn_5_ms);
	spawn("free", FIFO, 20, 3, stays_at_the_last_moment);
	spawn("low", FIFO, 10, 3, holds_migration);
	run_all();
	assert_string_equal(order_on(0), "free low free migration free migration low idle");
	assert_string_equal(order_on(1), "busy idle free idle");
}

static void changes_own_affinity(void)
{
	w.sim->focus->irqs_off = 1;
	sched_set_affinity(w.sim, sim_current(w.sim), 2);
	w.sim->focus->irqs_off = 0;
	assert_int_equal(sim_cpu(w.sim), 1);
	burn(1 * MS);
}

static void a_task_leaves_a_cpu_it_may_not_run_on(void **state)
{
	(void)state;
	spawn("a", FIFO, 10, 1, changes_own_affinity);
	assert_int_equal(run_all(), SIM_END_DONE);
	assert_string_equal(order_on(0), "a migration idle");
	assert_string_equal(order_on(1), "a idle");
}

static void wakes_target(void)
{
	burn(1 * MS);
	wake(target);
	burn(1 * MS);
}

static void sleeps_for_a_wake(void)
{
	sleep_until_woken();
	end();
}

static void a_woken_task_of_higher_priority_preempts_its_waker(void **state)
{
	(void)state;
	target = spawn("high", FIFO, 20, 1, sleeps_for_a_wake);
	spawn("low", FIFO, 10, 1, wakes_target);
	run_all();
	assert_string_equal(order_on(0), "high low high low idle");
}

static void sleeps_then_wakes_target(void)
{
	sleep_ns(1 * MS);
	wakes_target();
}

static void a_woken_task_of_lower_priority_waits(void **state)
{
	(void)state;
	target = spawn("low", FIFO, 8, 1, sleeps_for_a_wake);
	spawn("waker", FIFO, 9, 1, sleeps_then_wakes_target);
	run_all();
	assert_string_equal(order_on(0), "waker low idle waker low idle");
}

static void until(uint64_t at)
{
	burn(at - now());
}

static void holds_the_queue_of_cpu_0(void)
{
	until(1 * MS);
	w.sim->focus->irqs_off = 1;
	rq_lock(w.sim, rq_of_cpu(w.sim, 0));
	engine_burn(w.sim, 10000);
	rq_unlock(w.sim, rq_of_cpu(w.sim, 0));
	w.sim->focus->irqs_off = 0;
	burn(1);
}

static void wakes_before_it_sleeps(void)
{
	until(1 * MS + 3000);
	wake(target);
}

static void is_about_to_sleep(void)
{
	me()->woken = false;
	until(1 * MS + 6000);
	w.sim->focus->irqs_off = 1;
	sched_schedule(w.sim, PREV_INTERRUPTIBLE);
	w.sim->focus->irqs_off = 0;
	end();
}

static void a_wake_up_that_waits_for_the_same_queue_is_not_lost(void **state)
{
	struct bridge_machine m = { .nr_cpus = 3 };

	(void)state;
	nr_ended = 0;
	sched_world_new(&carrier_fiber, &m);
	target = spawn("sleeper", FIFO, 10, 1, is_about_to_sleep);
	spawn("holder", FIFO, 10, 2, holds_the_queue_of_cpu_0);
	spawn("waker", FIFO, 10, 4, wakes_before_it_sleeps);
	assert_int_equal(run_all(), SIM_END_DONE);
	assert_int_equal(nr_ended, 1);
	sim_free(w.sim);
}

/* ---- many */

static void all_cpus_and_a_thousand_tasks_run_to_their_end(void **state)
{
	struct bridge_machine m = { .nr_cpus = 64 };

	(void)state;
	sched_world_new(&carrier_fiber, &m);
	for (int i = 0; i < 900; i++)
		spawn("t", i % 3 ? FIFO : RR, 1 + i % 99, ~0ull, yields);
	assert_int_equal(run_all(), SIM_END_DONE);
	assert_in_range(now(), 900 / 64 * 1 * MS, 900 / 64 * 1 * MS + 3 * MS);
	sim_free(w.sim);
}

static void burn_1500_ms(void)
{
	burn(1500 * MS);
}

static void without_the_rule_they_leave_them_nothing(void **state)
{
	struct bridge_machine m = { .nr_cpus = 1 };

	(void)state;
	sched_world_new(&carrier_fiber, &m);
	nr_ended = 0;
	spawn("hog", FIFO, 10, 1, burn_1500_ms);
	spawn("fair", BRIDGE_SCHED_OTHER, 0, 1, long_burn);
	run_all();
	assert_string_equal(order_on(0), "hog fair idle");
	sim_free(w.sim);
}

static void rt_tasks_leave_fair_ones_50_ms_of_a_second(void **state)
{
	struct bridge_machine m = { .nr_cpus = 1, .fair_server = true };
	(void)state;
	sched_world_new(&carrier_fiber, &m);
	nr_ended = 0;
	spawn("hog", FIFO, 10, 1, burn_1500_ms);
	spawn("fair", BRIDGE_SCHED_OTHER, 0, 1, long_burn);
	run_all();
	assert_string_equal(order_on(0), "hog fair hog idle");
	/* when the hog has had 950 ms, at a tick */
	assert_in_range(ended[0], 960 * MS, 970 * MS);
	sim_free(w.sim);
}

int main(void)
{
#define ONE(f) cmocka_unit_test_setup_teardown(f, one_cpu, down)
#define TWO(f) cmocka_unit_test_setup_teardown(f, two_cpus, down)
	const struct CMUnitTest tests[] = {
		ONE(the_higher_priority_runs_first),
		ONE(equal_priorities_run_in_the_order_they_came),
		ONE(a_preempted_task_is_the_first_of_its_priority_again),
		ONE(fifo_has_no_slice),
		ONE(rr_takes_turns_of_100_ms),
		ONE(rr_alone_at_its_priority_runs_on),
		ONE(a_fair_task_waits_for_real_time_ones),
		ONE(who_yields_goes_behind_its_equals),
		ONE(a_boosted_task_runs_at_the_lent_priority),
		ONE(a_deboosted_task_is_the_first_of_its_own_priority),
		ONE(a_woken_task_of_higher_priority_preempts_its_waker),
		ONE(a_woken_task_of_lower_priority_waits),
		TWO(a_second_task_goes_to_the_idle_cpu),
		TWO(a_preempted_task_is_pushed_to_a_cpu_that_runs_less),
		TWO(pinned_tasks_are_not_pushed),
		TWO(a_cpu_that_gets_free_pulls_a_waiting_task),
		TWO(with_migration_disabled_a_preempted_task_stays),
		TWO(what_keeps_a_pinned_task_from_running_is_pushed_away_instead),
		TWO(who_cannot_be_pushed_now_is_pushed_when_it_can),
		TWO(a_task_leaves_a_cpu_it_may_not_run_on),
		cmocka_unit_test(a_wake_up_that_waits_for_the_same_queue_is_not_lost),
		cmocka_unit_test(all_cpus_and_a_thousand_tasks_run_to_their_end),
		cmocka_unit_test(rt_tasks_leave_fair_ones_50_ms_of_a_second),
		cmocka_unit_test(without_the_rule_they_leave_them_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
