/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the abstract world: readers and writers, and locks that spin.
 */
#include "tests/lib/locks.h"

/* ---- readers and writers */

static void reads_long(void)
{
	op(a, BRIDGE_OP_READ_LOCK);
	burn_ms(5);
	op(a, BRIDGE_OP_READ_UNLOCK);
	say("reader");
}

static void writes(void)
{
	sleep_ms(1);
	lock(a);
	say("writer");
	unlock(a);
}

static void reads_late(void)
{
	sleep_ms(2);
	op(a, BRIDGE_OP_READ_LOCK);
	say("late");
	op(a, BRIDGE_OP_READ_UNLOCK);
}

static void late_reader(const char *image, enum bridge_lock_kind k)
{
	start(image, 3);
	locks(k);
	spawn("reader", 10, 0, reads_long);
	spawn("writer", 20, 1, writes);
	spawn("late", 30, 2, reads_late);
	assert_int_equal(run(), SIM_END_DONE);
}

static void a_new_reader_waits_behind_a_waiting_writer(void **state)
{
	(void)state;
	late_reader("abstract", BRIDGE_LOCK_RW);
	assert_string_equal(words, "reader writer late");
	stop();
	late_reader("abstract", BRIDGE_LOCK_RWSEM);
	assert_string_equal(words, "reader writer late");
	stop();
	late_reader("abstract@vanilla", BRIDGE_LOCK_RW);
	assert_string_equal(words, "reader writer late");
}

static void with_reader_bias_it_passes_the_writer(void **state)
{
	(void)state;
	late_reader("abstract@rt-reader-bias", BRIDGE_LOCK_RW);
	assert_string_equal(words, "late reader writer");
}

static void readers_share(void **state)
{
	(void)state;
	start("abstract", 2);
	locks(BRIDGE_LOCK_RW);
	spawn("reader", 10, 0, reads_long);
	spawn("late", 10, 1, reads_late);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "late reader");
}

static void low_reads(void)
{
	op(a, BRIDGE_OP_READ_LOCK);
	burn_ms(5);
	assert_int_equal(low->prio, high ? 99 - 10 : 99 - 30);
	op(a, BRIDGE_OP_READ_UNLOCK);
}

static void a_reader_is_not_boosted(void **state)
{
	(void)state;
	start("abstract", 2);
	locks(BRIDGE_LOCK_RW);
	low = spawn("low", 10, 0, low_reads);
	high = spawn("high", 30, 1, high_wants);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "high");
}

static void write_only_boosts_it(void **state)
{
	(void)state;
	start("abstract@write-only", 2);
	locks(BRIDGE_LOCK_RW);
	low = spawn("low", 10, 0, low_reads);
	spawn("high", 30, 1, high_wants);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "high");
}

static void low_writes(void)
{
	lock(a);
	burn_ms(5);
	assert_int_equal(low->prio, 99 - 30);
	unlock(a);
	say("low");
}

static void high_reads(void)
{
	sleep_ms(2);
	op(a, BRIDGE_OP_READ_LOCK);
	say("high");
	op(a, BRIDGE_OP_READ_UNLOCK);
}

static void a_blocked_reader_boosts_the_writer(void **state)
{
	(void)state;
	start("abstract", 2);
	locks(BRIDGE_LOCK_RW);
	low = spawn("low", 10, 0, low_writes);
	spawn("high", 30, 1, high_reads);
	assert_int_equal(run(), SIM_END_DONE);
	assert_int_equal(low->prio, 99 - 10);
}

static void writes_first(void)
{
	lock(a);
	burn_ms(5);
	unlock(a);
}

static void reads_after_it(void)
{
	sleep_ms(1);
	op(a, BRIDGE_OP_READ_LOCK);
	burn_ms(5);
	say("reader");
	op(a, BRIDGE_OP_READ_UNLOCK);
}

static void writes_last(void)
{
	sleep_ms(7);
	lock(a);
	say("writer");
	unlock(a);
}

static void a_reader_that_had_to_wait_is_waited_for(void **state)
{
	static const char *const images[] = { "abstract", "abstract@rt-reader-bias",
					      "abstract@vanilla", "abstract@write-only" };

	(void)state;
	for (int i = 0; i < 8; i++) {
		start(images[i / 2], 3);
		locks(i % 2 ? BRIDGE_LOCK_RWSEM : BRIDGE_LOCK_RW);
		spawn("first", 10, 0, writes_first);
		spawn("reader", 20, 1, reads_after_it);
		spawn("last", 30, 2, writes_last);
		assert_int_equal(run(), SIM_END_DONE);
		assert_string_equal(words, "reader writer");
		stop();
	}
}

/* ---- spinning */

static void spins_then_wakes(void)
{
	lock(a);
	burn_ms(5);
	say("unlocks");
	unlock(a);
	burn_ms(1);
	say("low");
}

static void comes_in_between(void)
{
	sleep_ms(2);
	say("high");
}

static void nobody_preempts_who_holds_a_spinning_lock(void **state)
{
	(void)state;
	start("abstract@vanilla", 1);
	locks(BRIDGE_LOCK_SPIN);
	spawn("low", 10, 0, spins_then_wakes);
	spawn("high", 30, 0, comes_in_between);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "unlocks high low");
}

static void with_rt_its_holder_is_preempted(void **state)
{
	(void)state;
	start("abstract", 1);
	locks(BRIDGE_LOCK_SPIN);
	spawn("low", 10, 0, spins_then_wakes);
	spawn("high", 30, 0, comes_in_between);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "high unlocks low");
}

static void raises_line(void)
{
	sleep_ms(2);
	engine_raise_line(s, 0, 0);
	burn_ms(1);
}

static void a_reader_in_an_interrupt_passes_the_waiting_writer(void **state)
{
	(void)state;
	start("abstract@vanilla", 3);
	locks(BRIDGE_LOCK_RW);
	assert_int_equal(im->irq_new(0, 0, BRIDGE_IRQ_HARD, 0, "nic"), 0);
	spawn("reader", 10, 0, reads_long);
	spawn("writer", 20, 1, writes);
	spawn("device", 30, 2, raises_line);
	assert_int_equal(run(), SIM_END_DONE);
	/* it interrupts the very reader the writer waits for */
	assert_string_equal(words, "irq-reads reader writer");
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		T(a_new_reader_waits_behind_a_waiting_writer),
		T(with_reader_bias_it_passes_the_writer),
		T(readers_share),
		T(a_reader_that_had_to_wait_is_waited_for),
		T(a_reader_is_not_boosted),
		T(write_only_boosts_it),
		T(a_blocked_reader_boosts_the_writer),
		T(nobody_preempts_who_holds_a_spinning_lock),
		T(with_rt_its_holder_is_preempted),
		T(a_reader_in_an_interrupt_passes_the_waiting_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
