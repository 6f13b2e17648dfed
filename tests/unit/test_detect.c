/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors on streams written by hand: exact verdicts, each with a twin that stays ok.
 */
#include "tests/unit/stream.h"

/* low reads the lock and is preempted by middle until @until_us; high wants to write at 10. */
static void case_p(uint64_t until_us, bool boosted)
{
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(5, 0, LOW, PROBE_SCHED_WAKEUP, MIDDLE, 0);
	switch_to(5, 0, LOW, MIDDLE, PREV_PREEMPTED);
	feed(10, 1, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_WRITE | LCB_RT);
	if (boosted) {
		feed(10, 1, HIGH, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 19));
		switch_to(11, 0, MIDDLE, LOW, PREV_PREEMPTED);
	}
	switch_to(12, 1, HIGH, IDLE1, PREV_UNINTERRUPTIBLE);
	if (!boosted)
		switch_to(until_us, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	feed(until_us + 1, 0, LOW, PROBE_LOCK_RELEASED, rw, LOCK_READ);
	feed(until_us + 2, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 1);
	switch_to(until_us + 3, 1, IDLE1, HIGH, 0);
	feed(until_us + 4, 1, HIGH, PROBE_CONTENTION_END, rw, 0);
	detect_end(d, s, (until_us + 5) * 1000);
}

static void a_writer_behind_a_preempted_reader_is_an_inversion_to_the_ns(void **state)
{
	const struct wait *w;

	(void)state;
	case_p(5010, false);
	assert_int_equal(detect_verdict(d), VERDICT_INVERSION);
	assert_int_equal(detect_at(d), 1010000);	/* 1 ms after it began */
	assert_int_equal(detect_waits(d, &w), 1);
	assert_int_equal(w->wait_ns, 5004000);
	assert_int_equal(w->inverted_ns, 5000000);	/* from 10 us until middle leaves */
	assert_int_equal(w->holder, LOW);
	assert_false(w->boosted);
	assert_int_equal(detect_chain(d)->nr, 2);
	assert_string_equal(detect_chain(d)->edges[0].waiter, "high");
	assert_string_equal(detect_chain(d)->edges[0].waits_for, "&ep->lock");
	assert_string_equal(detect_chain(d)->edges[0].holder, "low");
	assert_string_equal(detect_chain(d)->edges[1].holder, "middle");
}

static void half_the_burst_is_half_the_inversion(void **state)
{
	const struct wait *w;

	(void)state;
	case_p(2510, false);
	assert_int_equal(detect_waits(d, &w), 1);
	assert_int_equal(w->inverted_ns, 2500000);
}

static void a_boost_ends_the_inversion(void **state)
{
	const struct wait *w;

	(void)state;
	case_p(5010, true);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	assert_int_equal(detect_waits(d, &w), 1);
	assert_int_equal(w->inverted_ns, 1000);	/* until low runs */
	assert_true(w->boosted);
}

static void waiting_for_a_running_holder_is_no_inversion(void **state)
{
	(void)state;
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, spin, LCB_RT);
	switch_to(4, 1, HIGH, IDLE1, PREV_UNINTERRUPTIBLE);
	feed(9000, 0, LOW, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	detect_end(d, s, 9001000);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

/* low reads, high waits to write, then low reads again: behind high. */
static void nested(bool admitted)
{
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_WRITE | LCB_RT);
	switch_to(4, 1, HIGH, IDLE1, PREV_UNINTERRUPTIBLE);
	if (admitted) {
		feed(5, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
		return;
	}
	feed(5, 0, LOW, PROBE_CONTENTION_BEGIN, rw, LCB_READ | LCB_RT);
	feed(5, 0, LOW, PROBE_CONTENTION_BEGIN, inner, LCB_RT);
	switch_to(6, 0, LOW, IDLE0, PREV_UNINTERRUPTIBLE);
}

static void a_nested_read_behind_a_writer_is_a_deadlock(void **state)
{
	(void)state;
	nested(false);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 6000);
	assert_true(detect_chain(d)->closed);
	assert_int_equal(detect_chain(d)->nr, 2);
}

static void a_nested_read_that_gets_in_is_fine(void **state)
{
	(void)state;
	nested(true);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

/* Case K: the reader of the lock is throttled, the timer thread blocks behind the writer. */
static void case_k(int timer_cpu)
{
	sim_group_named(s, "limited");
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, timer_cpu);
	switch_to(1, 1, IDLE1, LOW, 0);
	feed(2, 1, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	switch_to(3, 1, LOW, IDLE1, PREV_PREEMPTED);
	feed(3, 1, LOW, PROBE_THROTTLE, LOW, 0);
	switch_to(4, 0, IDLE0, HIGH, 0);
	feed(5, 0, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_WRITE | LCB_RT);
	switch_to(6, 0, HIGH, TIMERS, PREV_UNINTERRUPTIBLE);
	assert_int_equal(detect_verdict(d), VERDICT_OK);	/* the refill may still come */
	feed(7, 0, TIMERS, PROBE_CONTENTION_BEGIN, rw, LCB_READ | LCB_RT);
	feed(7, 0, TIMERS, PROBE_CONTENTION_BEGIN, inner, LCB_RT);
	switch_to(8, 0, TIMERS, IDLE0, PREV_UNINTERRUPTIBLE);
}

static void a_throttled_reader_before_the_thread_of_its_timer_is_a_stall(void **state)
{
	const struct edge *e = detect_chain(d)->edges;

	(void)state;
	case_k(0);
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_at(d), 8000);
	assert_int_equal(detect_chain(d)->nr, 4);
	assert_string_equal(e[0].waiter, "ktimers/0");
	assert_string_equal(e[0].holder, "high");
	assert_string_equal(e[1].waiter, "high");
	assert_string_equal(e[1].holder, "low");
	assert_int_equal(e[2].kind, EDGE_THROTTLE);
	assert_int_equal(e[3].kind, EDGE_SOFTIRQ);
	assert_string_equal(e[3].holder, "ktimers/0");
}

static void with_the_timer_elsewhere_it_is_no_stall(void **state)
{
	(void)state;
	case_k(1);
	assert_true(detect_verdict(d) > VERDICT_STALL);
}

static void a_stall_that_is_broken_stays_the_verdict_and_names_the_rescuer(void **state)
{
	const struct report *r;

	(void)state;
	case_k(0);
	feed(500, 1, IDLE1, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 98));
	assert_int_equal(detect_verdict(d), VERDICT_STALL);
	assert_int_equal(detect_reports(d, &r), 1);
	assert_int_equal(r->at_ns, 500000);
	assert_non_null(strstr(r->text, "boost of low by swapper/1"));
}

static void opposite_orders_are_a_deadlock(void **state)
{
	(void)state;
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, rw, LOCK_WRITE);
	feed(3, 0, LOW, PROBE_CONTENTION_BEGIN, inner, LCB_RT);
	switch_to(4, 0, LOW, IDLE0, PREV_UNINTERRUPTIBLE);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
	feed(5, 1, HIGH, PROBE_CONTENTION_BEGIN, spin, LCB_RT);
	switch_to(6, 1, HIGH, IDLE1, PREV_UNINTERRUPTIBLE);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	assert_int_equal(detect_at(d), 6000);
}

static void starve(bool overtaken)
{
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(1, 1, IDLE1, HIGH, 0);
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_WRITE | LCB_RT);
	if (overtaken)
		feed(900, 0, MIDDLE, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	detect_end(d, s, 1500000000);
}

static void a_waiter_overtaken_for_more_than_a_second_starves(void **state)
{
	(void)state;
	starve(true);
	assert_int_equal(detect_verdict(d), VERDICT_STARVATION);
	assert_int_equal(detect_at(d), 1000003000);
}

static void a_long_hold_alone_is_no_starvation(void **state)
{
	(void)state;
	starve(false);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_writer_behind_a_preempted_reader_is_an_inversion_to_the_ns),
		T(half_the_burst_is_half_the_inversion),
		T(a_boost_ends_the_inversion),
		T(waiting_for_a_running_holder_is_no_inversion),
		T(a_nested_read_behind_a_writer_is_a_deadlock),
		T(a_nested_read_that_gets_in_is_fine),
		T(a_throttled_reader_before_the_thread_of_its_timer_is_a_stall),
		T(with_the_timer_elsewhere_it_is_no_stall),
		T(a_stall_that_is_broken_stays_the_verdict_and_names_the_rescuer),
		T(opposite_orders_are_a_deadlock),
		T(a_waiter_overtaken_for_more_than_a_second_starves),
		T(a_long_hold_alone_is_no_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
