/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors: cycles and chains over spinning waiters, many holders and softirq locks.
 */
#include "tests/unit/stream.h"

/* ---- spinning */

static void spinning_nested_read(bool fair)
{
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_SPIN | LCB_WRITE);
	if (fair)
		feed(5, 0, LOW, PROBE_CONTENTION_BEGIN, rw, LCB_SPIN | LCB_READ);
	else
		feed(5, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
}

static void a_spinning_reader_queues_behind_the_writer_and_deadlocks_when_nested(void **state)
{
	(void)state;
	spinning_nested_read(true);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 5000);
	assert_int_equal(detect_chain(d)->nr, 2);
	assert_string_equal(detect_chain(d)->edges[0].waiter, "low");
	assert_string_equal(detect_chain(d)->edges[0].holder, "high");
	assert_int_equal(detect_chain(d)->edges[1].since_ns, 3000);
}

static void a_reader_that_overtakes_the_spinning_writer_is_fine(void **state)
{
	(void)state;
	spinning_nested_read(false);
	detect_end(d, s, 9000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void two_owners_that_spin_for_each_other_are_a_deadlock_at_the_end(void **state)
{
	(void)state;
	opposite_orders();
	assert_int_equal(detect_verdict(d), VERDICT_OK);	/* one may still give up */
	detect_end(d, s, 100000);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 4000);
}

static void a_waiter_that_gets_edeadlk_is_no_deadlock(void **state)
{
	(void)state;
	opposite_orders();
	feed(5, 1, HIGH, PROBE_CONTENTION_END, spin, -35);
	detect_end(d, s, 100000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void a_mutex_that_stops_spinning_is_one_wait(void **state)
{
	const struct wait *w;

	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, mutex, LCB_MUTEX | LCB_SPIN);
	feed(4, 1, HIGH, PROBE_CONTENTION_BEGIN, mutex, LCB_MUTEX);
	feed(5, 0, LOW, PROBE_LOCK_RELEASED, mutex, LOCK_EXCLUSIVE);
	feed(6, 1, HIGH, PROBE_CONTENTION_END, mutex, 0);
	feed(7, 1, HIGH, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	detect_end(d, s, 100000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	assert_int_equal(detect_waits(d, &w), 1);
	assert_int_equal(w->wait_ns, 3000);
	assert_int_equal(w->nr_overtaken, 0);
	assert_int_equal(detect_counts(d)->handovers, 1);
}

/* ---- many holders, long cycles */

/* Two readers; the first is slow, the second waits for what the writer has. */
static void second_reader(bool waits)
{
	both_run();
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(2, 0, OTHER, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	feed(2, 0, MIDDLE, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	blocks(3, 0, MIDDLE, mutex, LCB_RT, LOW);
	blocks(5, 1, HIGH, rw, LCB_WRITE | LCB_RT, IDLE1);
	if (waits)
		blocks(7, 0, LOW, spin, LCB_RT, IDLE0);
}

static void a_cycle_over_any_one_of_the_readers_is_a_deadlock(void **state)
{
	(void)state;
	second_reader(true);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 8000);
	assert_string_equal(detect_chain(d)->edges[1].holder, "low");
}

static void readers_that_wait_for_others_are_no_deadlock(void **state)
{
	(void)state;
	second_reader(false);
	detect_end(d, s, 9000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void forty_in_a_ring_are_a_deadlock(void **state)
{
	(void)state;
	in_a_ring(40, true);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 81000);
	assert_int_equal(detect_chain(d)->nr, CHAIN_MAX);
	assert_true(detect_chain(d)->closed);
}

static void forty_in_a_row_are_fine_and_the_last_one_counts(void **state)
{
	(void)state;
	in_a_ring(40, false);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	/* a task of a better priority waits for the first of them; the last is displaced */
	switch_to(200, 0, IDLE0, EXTRA + 39, 0);
	switch_to(201, 1, IDLE1, HIGH, 0);
	blocks(202, 1, HIGH, sim_lock_id(s, memory[10]), LCB_RT, IDLE1);
	switch_to(300, 0, EXTRA + 39, MIDDLE, PREV_PREEMPTED);
	switch_to(350, 0, MIDDLE, EXTRA + 39, PREV_INTERRUPTIBLE);
	detect_end(d, s, 400000);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 50000);
}

/* ---- case U: the interrupt thread holds its CPU's softirq lock */

static void case_u(int timer_cpu)
{
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, timer_cpu);
	switch_to(1, 1, IDLE1, LOW, 0);
	feed(2, 1, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	switch_to(3, 1, LOW, IDLE1, PREV_PREEMPTED);
	feed(3, 1, LOW, PROBE_THROTTLE, LOW, 0);
	blocks(4, 0, HIGH, rw, LCB_WRITE | LCB_RT, IRQ);
	feed(6, 0, IRQ, PROBE_LOCK_ACQUIRED, softirq, LOCK_EXCLUSIVE);
	feed(7, 0, IRQ, PROBE_CONTENTION_BEGIN, rw, LCB_READ | LCB_RT);
	blocks(7, 0, IRQ, inner, LCB_RT, TIMERS);
	blocks(9, 0, TIMERS, softirq, LCB_RT, IDLE0);
}

static void a_softirq_lock_before_the_period_timer_is_a_stall(void **state)
{
	static const char *const words[] = {
		"ktimers/0 waits for softirq_ctrl.lock, held by irq/7",
		"irq/7 waits for &ep->lock for reading, behind the waiting writer high",
		"high waits for &ep->lock for writing, held for reading by low",
		"low is throttled until the period timer of CPU 0",
		"the period timer of CPU 0 is served by ktimers/0",
	};

	(void)state;
	case_u(0);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 10000);
	assert_int_equal(detect_chain(d)->nr, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(detect_chain(d)->edges[i].words, words[i]);
}

static void away_from_the_interrupt_it_is_inverted_until_the_refill(void **state)
{
	(void)state;
	case_u(1);
	feed(5003, 1, IDLE1, PROBE_UNTHROTTLE, LOW, 0);
	switch_to(5004, 1, IDLE1, LOW, 0);
	detect_end(d, s, 6000000);
	assert_int_equal(detect_verdict(d), VERDICT_INVERSION);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 4999000);	/* 4 us to 5,003 us */
	assert_int_equal(wait_of(IRQ)->inverted_ns, 4996000);	/* 7 us to 5,003 us */
	assert_int_equal(detect_at(d), 1004000);
}

static void a_period_timer_that_moves_to_the_dead_cpu_closes_the_cycle(void **state)
{
	(void)state;
	case_u(1);
	assert_true(detect_verdict(d) > VERDICT_STALL);
	feed(50, 1, IDLE1, PROBE_GROUP_TIMER, 0, 0);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 50000);
}

/* The throttled holder is lent a priority, and gives it back while it still holds the lock. */
static void a_deboost_into_the_throttled_group_closes_the_cycle(void **state)
{
	(void)state;
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, 0);
	switch_to(1, 1, IDLE1, LOW, 0);
	feed(2, 1, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	switch_to(3, 1, LOW, IDLE1, PREV_PREEMPTED);
	feed(3, 1, LOW, PROBE_THROTTLE, LOW, 0);
	feed(4, 0, TIMERS, PROBE_CONTENTION_BEGIN, spin, LCB_RT);
	feed(4, 0, TIMERS, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 98));
	switch_to(5, 0, TIMERS, IDLE0, D);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	feed(6, 1, IDLE1, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(98, 120));
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 6000);
}

/* ---- left to a waiter that cannot run */

/* high leaves the lock to low, which is throttled; then the timer's thread queues up. */
static void left_to_low(int timer_cpu, bool overtaken, int timers_prio)
{
	sim_task(s, TIMERS)->prio = timers_prio;
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, timer_cpu);
	both_run();
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	blocks(3, 0, LOW, spin, LCB_RT, TIMERS);
	feed(6, 1, HIGH, PROBE_SCHED_WAKEUP, LOW, 0);
	feed(6, 1, HIGH, PROBE_THROTTLE, LOW, 0);
	feed(7, 1, HIGH, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	if (overtaken)
		feed(8, 1, HIGH, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	blocks(9, 0, TIMERS, spin, LCB_RT, IDLE0);
}

static void a_lock_left_to_a_throttled_waiter_of_its_timer_is_a_stall(void **state)
{
	(void)state;
	left_to_low(0, false, 125);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 10000);
	assert_int_equal(detect_chain(d)->nr, 3);
	assert_string_equal(detect_chain(d)->edges[0].words,
			    "ktimers/0 waits for spin, left to low");
	assert_string_equal(detect_chain(d)->edges[1].words,
			    "low is throttled until the period timer of CPU 0");
}

static void left_to_it_with_the_timer_elsewhere_is_fine(void **state)
{
	(void)state;
	left_to_low(1, false, 120);
	detect_end(d, s, 20000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void a_thread_of_better_priority_takes_the_lock_itself(void **state)
{
	(void)state;
	left_to_low(0, false, 98);
	detect_end(d, s, 20000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void a_lock_that_another_took_meanwhile_is_not_left_to_it(void **state)
{
	(void)state;
	left_to_low(0, true, 120);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	detect_end(d, s, 20000);
	assert_int_equal(wait_of(TIMERS)->last_holder, HIGH);
}

static void released_once_more_it_closes_the_cycle(void **state)
{
	(void)state;
	left_to_low(0, true, 120);
	feed(15, 1, HIGH, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 15000);
}

static void an_heir_that_sleeps_again_is_none(void **state)
{
	(void)state;
	left_to_low(1, false, 120);
	assert_int_equal(heir_of(d, spin), LOW);
	switch_to(11, 0, IDLE0, LOW, 0);
	assert_int_equal(heir_of(d, spin), LOW);
	switch_to(12, 0, LOW, IDLE0, D);
	assert_int_equal(heir_of(d, spin), NOBODY);
	feed(13, 1, HIGH, PROBE_SCHED_WAKEUP, TIMERS, 0);
	assert_int_equal(heir_of(d, spin), TIMERS);
}

static void a_rwlock_is_left_to_its_draining_writer(void **state)
{
	(void)state;
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, 0);
	both_run();
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	blocks(3, 0, LOW, rw, LCB_WRITE | LCB_RT, TIMERS);
	feed(5, 0, TIMERS, PROBE_CONTENTION_BEGIN, rw, LCB_READ | LCB_RT);
	blocks(5, 0, TIMERS, inner, LCB_RT, IDLE0);
	feed(8, 1, HIGH, PROBE_SCHED_WAKEUP, LOW, 0);
	feed(8, 1, HIGH, PROBE_THROTTLE, LOW, 0);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	feed(9, 1, HIGH, PROBE_LOCK_RELEASED, rw, LOCK_READ);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_spinning_reader_queues_behind_the_writer_and_deadlocks_when_nested),
		T(a_reader_that_overtakes_the_spinning_writer_is_fine),
		T(two_owners_that_spin_for_each_other_are_a_deadlock_at_the_end),
		T(a_waiter_that_gets_edeadlk_is_no_deadlock),
		T(a_mutex_that_stops_spinning_is_one_wait),
		T(a_cycle_over_any_one_of_the_readers_is_a_deadlock),
		T(readers_that_wait_for_others_are_no_deadlock),
		T(forty_in_a_ring_are_a_deadlock),
		T(forty_in_a_row_are_fine_and_the_last_one_counts),
		T(a_softirq_lock_before_the_period_timer_is_a_stall),
		T(away_from_the_interrupt_it_is_inverted_until_the_refill),
		T(a_period_timer_that_moves_to_the_dead_cpu_closes_the_cycle),
		T(a_deboost_into_the_throttled_group_closes_the_cycle),
		T(a_lock_left_to_a_throttled_waiter_of_its_timer_is_a_stall),
		T(left_to_it_with_the_timer_elsewhere_is_fine),
		T(a_thread_of_better_priority_takes_the_lock_itself),
		T(a_lock_that_another_took_meanwhile_is_not_left_to_it),
		T(released_once_more_it_closes_the_cycle),
		T(an_heir_that_sleeps_again_is_none),
		T(a_rwlock_is_left_to_its_draining_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
