/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler: fair tasks and groups with a quota.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/lib/sched_world.h"

#define OTHER BRIDGE_SCHED_OTHER
#define FIFO BRIDGE_SCHED_FIFO
#define MS 1000000ull

static struct task *target;
static uint64_t ended[8];
static int nr_ended, group;

static void machine(int cpus, bool at_exit)
{
	struct bridge_machine m = { .nr_cpus = cpus, .throttle_at_exit = at_exit };

	nr_ended = 0;
	sched_world_new(&carrier_fiber, &m);
}

static int one_cpu(void **state)
{
	(void)state;
	machine(1, false);
	return 0;
}

static int two_cpus(void **state)
{
	(void)state;
	machine(2, false);
	return 0;
}

static int at_exit(void **state)
{
	(void)state;
	machine(1, true);
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

static void burn_30_ms(void)
{
	burn(30 * MS);
	end();
}

static void for_ever(void)
{
	for (;;)
		burn(100000);
}

static void sleep_then_stop(void)
{
	sleep_ns(100 * MS);
	end();
	sim_stop(w.sim, SIM_END_TIME);
}

static void two_tasks_have_half_the_cpu_each(void **state)
{
	(void)state;
	spawn("a", OTHER, 0, 1, burn_30_ms);
	spawn("b", OTHER, 0, 1, burn_30_ms);
	run_all();
	/* both end near the end, and no further apart than two slices of a tick */
	assert_in_range(ended[0], 52 * MS, 60 * MS);
	assert_in_range(ended[1], 60 * MS, 61 * MS);
}

static void a_step_of_nice_is_a_quarter_of_the_time(void **state)
{
	struct task *a, *b;

	(void)state;
	a = spawn("a", OTHER, 0, 1, for_ever);
	b = spawn("b", OTHER, 5, 1, for_ever);
	spawn("stop", FIFO, 1, 1, sleep_then_stop);
	run_all();
	/* weights 1024 and 335: 75 ms and 25 ms, give or take a tick */
	assert_in_range(w.burned[a->id], 70 * MS, 81 * MS);
	assert_in_range(w.burned[b->id], 19 * MS, 30 * MS);
}

static void wakes_often(void)
{
	for (int i = 0; i < 20; i++) {
		uint64_t due = now() + 2 * MS;

		sleep_ns(2 * MS);
		assert_in_range(now(), due, due + MS);
		burn(50000);
	}
	end();
	sim_stop(w.sim, SIM_END_TIME);
}

static void a_task_that_sleeps_much_preempts_a_hog(void **state)
{
	(void)state;
	spawn("hog", OTHER, 0, 1, for_ever);
	spawn("sleeper", OTHER, 0, 1, wakes_often);
	run_all();
	assert_int_equal(nr_ended, 1);
}

static void new_tasks_go_to_idle_cpus(void **state)
{
	(void)state;
	spawn("a", OTHER, 0, 3, burn_30_ms);
	spawn("b", OTHER, 0, 3, burn_30_ms);
	run_all();
	assert_in_range(ended[1], 30 * MS, 31 * MS);
}

static void becomes_idle_often(void)
{
	for (int i = 0; i < 20; i++) {
		burn(10000);
		sleep_ns(1 * MS);
	}
}

static void a_cpu_that_gets_idle_takes_a_waiting_task(void **state)
{
	(void)state;
	spawn("rt", FIFO, 1, 2, burn_30_ms);
	spawn("there", OTHER, 0, 2, becomes_idle_often);
	spawn("a", OTHER, 0, 1, burn_30_ms);
	spawn("c", OTHER, 0, 3, burn_30_ms);
	run_all();
	/* c begins beside a, where less waits, and leaves when it waits as CPU 1 gets idle */
	assert_in_range(now(), 45 * MS, 52 * MS);
}

/* ---- groups */

static struct task *hog_in_group(int64_t quota_ns)
{
	struct task *t;

	group = sched_group_new(w.sim, quota_ns, 10 * MS);
	t = spawn_in("hog", OTHER, 0, 1, group, for_ever);
	sched_wake(w.sim, t);
	spawn("stop", FIFO, 1, 1, sleep_then_stop);
	return t;
}

static void a_group_has_its_quota_in_each_period(void **state)
{
	struct task *t;

	(void)state;
	t = hog_in_group(3 * MS);
	run_all();
	/* accounted at ticks of 4 ms: what is too much in one period lacks in the next */
	assert_in_range(w.burned[t->id], 29 * MS, 35 * MS);
	assert_in_range(w.nr_throttles, 5, 10);
	assert_in_range(w.nr_unthrottles, w.nr_throttles - 1, w.nr_throttles);
}

static void without_a_quota_nothing_is_throttled(void **state)
{
	struct task *t;

	(void)state;
	t = hog_in_group(-1);
	run_all();
	assert_in_range(w.burned[t->id], 99 * MS, 100 * MS);
	assert_int_equal(w.nr_throttles, 0);
}

static void a_sibling_that_only_waits_is_throttled_too(void **state)
{
	(void)state;
	group = sched_group_new(w.sim, 1 * MS, 50 * MS);
	sched_wake(w.sim, spawn_in("a", OTHER, 0, 1, group, for_ever));
	sched_wake(w.sim, spawn_in("b", OTHER, 0, 1, group, for_ever));
	spawn("stop", FIFO, 1, 1, sleep_then_stop);
	run_all();
	/* both, at the tick after 4 ms: a debt of 3 ms, longer than the run */
	assert_int_equal(w.nr_throttles, 2);
	assert_int_equal(w.nr_unthrottles, 0);
}

static void boost_and_deboost(void)
{
	sleep_ns(20 * MS);
	w.sim->focus->irqs_off = 1;
	sched_setprio(w.sim, target, 50);
	w.sim->focus->irqs_off = 0;
	w.burned[target->id] = 0;
	sleep_ns(10 * MS);
	assert_in_range(w.burned[target->id], 9 * MS, 10 * MS);
	w.sim->focus->irqs_off = 1;
	sched_setprio(w.sim, target, target->normal_prio);
	w.sim->focus->irqs_off = 0;
	w.burned[target->id] = 0;
	sleep_ns(10 * MS);
	assert_int_equal(w.burned[target->id], 0);
	end();
	sim_stop(w.sim, SIM_END_TIME);
}

static void a_boost_takes_a_task_out_of_its_throttled_group(void **state)
{
	(void)state;
	group = sched_group_new(w.sim, 1 * MS, 1000 * MS);
	target = spawn_in("hog", OTHER, 0, 1, group, for_ever);
	sched_wake(w.sim, target);
	spawn("booster", FIFO, 90, 1, boost_and_deboost);
	run_all();
	assert_int_equal(nr_ended, 1);
}

static void in_kernel_then_out(void)
{
	me()->in_kernel = true;
	burn(20 * MS);
	end();
	w.sim->focus->irqs_off = 1;
	me()->in_kernel = false;
	preempt(w.sim);
	w.sim->focus->irqs_off = 0;
	end();
	burn(1000);
}

static void at_exit_a_task_in_the_kernel_is_not_throttled(void **state)
{
	(void)state;
	group = sched_group_new(w.sim, 1 * MS, 100 * MS);
	sched_wake(w.sim, spawn_in("holder", OTHER, 0, 1, group, in_kernel_then_out));
	assert_int_equal(run_all(), SIM_END_DONE);
	/* it runs 20 ms at a stretch, and then waits until its debt is paid, 1 ms a period */
	assert_in_range(ended[0], 20 * MS, 21 * MS);
	assert_in_range(ended[1], 1900 * MS, 2001 * MS);
	assert_int_equal(w.nr_throttles, 1);
	assert_int_equal(w.nr_unthrottles, 1);
}

static void at_once_a_task_in_the_kernel_is_throttled(void **state)
{
	(void)state;
	group = sched_group_new(w.sim, 1 * MS, 100 * MS);
	sched_wake(w.sim, spawn_in("holder", OTHER, 0, 1, group, in_kernel_then_out));
	run_all();
	assert_in_range(ended[0], 100 * MS, 2000 * MS);
}

static void at_exit_a_task_in_user_space_is_throttled(void **state)
{
	struct task *t;

	(void)state;
	t = hog_in_group(3 * MS);
	run_all();
	assert_in_range(w.burned[t->id], 29 * MS, 35 * MS);
}

static void the_period_timer_stops_when_nobody_wants_runtime(void **state)
{
	(void)state;
	group = sched_group_new(w.sim, 5 * MS, 10 * MS);
	sched_wake(w.sim, spawn_in("once", OTHER, 0, 1, group, end));
	assert_int_equal(run_all(), SIM_END_DONE);
	spawn("stop", FIFO, 1, 1, sleep_then_stop);
	run_all();
	assert_int_equal(w.timer_at[group], 0);
}

int main(void)
{
#define ONE(f) cmocka_unit_test_setup_teardown(f, one_cpu, down)
#define TWO(f) cmocka_unit_test_setup_teardown(f, two_cpus, down)
#define EXIT(f) cmocka_unit_test_setup_teardown(f, at_exit, down)
	const struct CMUnitTest tests[] = {
		ONE(two_tasks_have_half_the_cpu_each),
		ONE(a_step_of_nice_is_a_quarter_of_the_time),
		ONE(a_task_that_sleeps_much_preempts_a_hog),
		TWO(new_tasks_go_to_idle_cpus),
		TWO(a_cpu_that_gets_idle_takes_a_waiting_task),
		ONE(a_group_has_its_quota_in_each_period),
		ONE(without_a_quota_nothing_is_throttled),
		ONE(a_sibling_that_only_waits_is_throttled_too),
		ONE(a_boost_takes_a_task_out_of_its_throttled_group),
		EXIT(at_exit_a_task_in_the_kernel_is_not_throttled),
		ONE(at_once_a_task_in_the_kernel_is_throttled),
		EXIT(at_exit_a_task_in_user_space_is_throttled),
		ONE(the_period_timer_stops_when_nobody_wants_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
