/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors: what part of a wait is inversion, who owns a lock when, and starvation.
 */
#include "tests/unit/stream.h"

/* ---- inversion */

static void throttled_holder(int waiter_base)
{
	feed(0, 0, IDLE0, PROBE_GROUP_TIMER, 0, 1);
	sim_task(s, HIGH)->prio = sim_task(s, HIGH)->normal_prio = waiter_base;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	switch_to(3, 0, LOW, IDLE0, PREV_PREEMPTED);
	feed(3, 0, LOW, PROBE_THROTTLE, LOW, 0);
	blocks(4, 1, HIGH, spin, LCB_RT, IDLE1);
	feed(900, 0, IDLE0, PROBE_UNTHROTTLE, LOW, 0);
	detect_end(d, s, 1000000);
}

static void waiting_for_a_throttled_holder_of_lower_priority_is_inversion(void **state)
{
	(void)state;
	throttled_holder(119);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 896000);
}

static void waiting_for_a_throttled_holder_of_equal_priority_is_none(void **state)
{
	(void)state;
	throttled_holder(120);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 0);
	assert_int_equal(wait_of(HIGH)->wait_ns, 996000);
}

static void displaced_by(uint32_t by)
{
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	switch_to(3, 0, LOW, by, PREV_PREEMPTED);
	blocks(4, 1, HIGH, spin, LCB_RT, IDLE1);
	feed(104, 0, by, PROBE_SCHED_SETSCHEDULER, by, PRIO_CHANGE(49, 9));
	switch_to(200, 0, by, LOW, PREV_INTERRUPTIBLE);
	detect_end(d, s, 300000);
}

static void only_a_displacing_task_below_the_waiter_inverts(void **state)
{
	(void)state;
	displaced_by(MIDDLE);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 100000);	/* until middle outranks high */
}

/* Two readers run; the second one is preempted. */
static void the_reader_that_is_kept_from_its_cpu_counts(void **state)
{
	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(2, 1, OTHER, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	blocks(3, 1, HIGH, rw, LCB_WRITE | LCB_RT, OTHER);
	switch_to(10, 1, OTHER, MIDDLE, PREV_PREEMPTED);
	switch_to(30, 1, MIDDLE, OTHER, PREV_INTERRUPTIBLE);
	detect_end(d, s, 40000);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 20000);
}

/* middle keeps low from its CPU while it asks for low's lock: it waits itself. */
static void a_task_of_the_chain_displaces_nobody(void **state)
{
	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	switch_to(3, 0, LOW, MIDDLE, PREV_PREEMPTED);
	feed(4, 0, MIDDLE, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	blocks(5, 1, HIGH, mutex, LCB_RT, IDLE1);
	feed(10, 0, MIDDLE, PROBE_CONTENTION_BEGIN, spin, LCB_RT);
	switch_to(20, 0, MIDDLE, LOW, D);
	detect_end(d, s, 30000);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 0);
}

static void waiting_behind_one_that_was_woken_and_cannot_run_is_inversion(void **state)
{
	(void)state;
	both_run();
	feed(2, 1, HIGH, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	blocks(3, 0, LOW, spin, LCB_RT, MIDDLE);
	feed(6, 1, HIGH, PROBE_SCHED_WAKEUP, LOW, 0);
	feed(6, 1, HIGH, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	feed(7, 1, HIGH, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 19));
	blocks(8, 1, HIGH, spin, LCB_RT, IDLE1);
	switch_to(50, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	detect_end(d, s, 60000);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 42000);
	assert_int_equal(wait_of(HIGH)->holder, LOW);
}

/* The lock is handed over, and the new owner is preempted before it can say lock_acquired. */
static void preempted_after_contention(bool said)
{
	both_run();
	feed(2, 1, OTHER, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	blocks(3, 0, LOW, spin, LCB_RT, IDLE0);
	blocks(5, 1, HIGH, spin, LCB_RT, OTHER);
	feed(7, 1, OTHER, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	switch_to(8, 0, IDLE0, LOW, 0);
	feed(9, 0, LOW, PROBE_CONTENTION_END, spin, 0);
	if (said)
		feed(9, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	switch_to(10, 0, LOW, MIDDLE, PREV_PREEMPTED);
	switch_to(60, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	if (!said)
		feed(60, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	detect_end(d, s, 70000);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 50000);
	assert_int_equal(wait_of(HIGH)->holder, OTHER);
	assert_int_equal(wait_of(HIGH)->last_holder, LOW);
	assert_int_equal(wait_of(HIGH)->nr_overtaken, 1);
}

static void ownership_begins_when_contention_ends(void **state)
{
	(void)state;
	preempted_after_contention(false);
}

static void ownership_that_was_told_counts_the_same(void **state)
{
	(void)state;
	preempted_after_contention(true);
}

static void the_same_for_a_reader_between_its_two_contentions(void **state)
{
	(void)state;
	both_run();
	feed(2, 1, OTHER, PROBE_LOCK_ACQUIRED, rw, LOCK_WRITE);
	feed(3, 0, LOW, PROBE_CONTENTION_BEGIN, rw, LCB_READ | LCB_RT);
	blocks(3, 0, LOW, inner, LCB_RT, IDLE0);
	feed(5, 1, OTHER, PROBE_LOCK_RELEASED, rw, LOCK_WRITE);
	switch_to(6, 0, IDLE0, LOW, 0);
	feed(6, 0, LOW, PROBE_CONTENTION_END, inner, 0);
	blocks(7, 1, HIGH, inner, LCB_RT, IDLE1);
	switch_to(10, 0, LOW, MIDDLE, PREV_PREEMPTED);
	switch_to(40, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	feed(40, 0, LOW, PROBE_CONTENTION_END, rw, 0);
	feed(41, 1, IDLE1, PROBE_SCHED_WAKEUP, HIGH, 1);
	switch_to(41, 1, IDLE1, HIGH, 0);
	feed(42, 1, HIGH, PROBE_CONTENTION_END, inner, 0);
	/* low has not said lock_acquired, but the writer finds it */
	switch_to(43, 0, LOW, MIDDLE, PREV_PREEMPTED);
	blocks(44, 1, HIGH, rw, LCB_WRITE | LCB_RT, IDLE1);
	switch_to(54, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	feed(54, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(55, 0, LOW, PROBE_LOCK_RELEASED, rw, LOCK_READ);
	assert_int_equal(d->locks[rw].nr_readers, 0);	/* counted once */
	feed(56, 1, HIGH, PROBE_CONTENTION_END, rw, 0);
	assert_int_equal(wait_of(HIGH)->inverted_ns, 30000);
	assert_int_equal(d->counts.inverted_ns, 40000);	/* of both waits */
}

/* Two waits pass the limit; the one that passed it later changes first. */
static void of_two_inversions_the_earlier_is_the_verdict(void **state)
{
	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(2, 1, OTHER, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	switch_to(3, 0, LOW, MIDDLE, PREV_PREEMPTED);
	blocks(10, 1, HIGH, spin, LCB_RT, OTHER);
	switch_to(12, 1, OTHER, EXTRA + 1, PREV_PREEMPTED);
	blocks(20, 1, IRQ, mutex, LCB_RT, EXTRA + 1);
	switch_to(5000, 1, EXTRA + 1, OTHER, PREV_INTERRUPTIBLE);
	assert_int_equal(detect_at(d), 1020000);
	switch_to(6000, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	assert_int_equal(detect_verdict(d), VERDICT_INVERSION);
	assert_int_equal(detect_at(d), 1010000);
	assert_string_equal(detect_chain(d)->edges[0].waiter, "high");
}

/* ---- starvation */

static void overtaken_late_it_starves_from_then_on(void **state)
{
	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, rw, LCB_WRITE | LCB_RT);
	feed(1200000, 0, MIDDLE, PROBE_LOCK_ACQUIRED, rw, LOCK_READ);
	detect_end(d, s, 1500000000);
	assert_int_equal(detect_verdict(d), VERDICT_STARVATION);
	assert_int_equal(detect_at(d), 1200000000);
}

static void kept_from_the_cpu(bool throttled)
{
	switch_to(1, 0, IDLE0, LOW, 0);
	switch_to(2, 0, LOW, MIDDLE, PREV_PREEMPTED);
	if (throttled)
		feed(2, 0, MIDDLE, PROBE_THROTTLE, LOW, 0);
	switch_to(1000003, 0, MIDDLE, LOW, PREV_INTERRUPTIBLE);
	detect_end(d, s, 1000004000);
}

static void a_runnable_task_kept_from_its_cpu_for_a_second_starves(void **state)
{
	(void)state;
	kept_from_the_cpu(false);
	assert_int_equal(detect_verdict(d), VERDICT_STARVATION);
	assert_int_equal(detect_at(d), 1000002000);
}

static void a_throttled_task_does_not_starve(void **state)
{
	(void)state;
	kept_from_the_cpu(true);
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(waiting_for_a_throttled_holder_of_lower_priority_is_inversion),
		T(waiting_for_a_throttled_holder_of_equal_priority_is_none),
		T(only_a_displacing_task_below_the_waiter_inverts),
		T(the_reader_that_is_kept_from_its_cpu_counts),
		T(a_task_of_the_chain_displaces_nobody),
		T(waiting_behind_one_that_was_woken_and_cannot_run_is_inversion),
		T(ownership_begins_when_contention_ends),
		T(ownership_that_was_told_counts_the_same),
		T(the_same_for_a_reader_between_its_two_contentions),
		T(of_two_inversions_the_earlier_is_the_verdict),
		T(overtaken_late_it_starves_from_then_on),
		T(a_runnable_task_kept_from_its_cpu_for_a_second_starves),
		T(a_throttled_task_does_not_starve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
