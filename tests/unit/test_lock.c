/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the abstract world: who is lent a priority, in which order waiters come, and misuse.
 */
#include "tests/lib/locks.h"

/* ---- inheritance */

static void low_holds(void)
{
	lock(a);
	burn_ms(5);
	assert_int_equal(low->prio, 99 - 30);
	unlock(a);
	assert_int_equal(low->prio, 99 - 10);
	say("low");
}

static void middle_burns(void)
{
	sleep_ms(2);
	burn_ms(10);
	say("middle");
}

static void an_owner_runs_at_its_waiters_priority_until_it_unlocks(void **state)
{
	(void)state;
	start("abstract", 2);
	locks(BRIDGE_LOCK_MUTEX);
	low = spawn("low", 10, 0, low_holds);
	spawn("middle", 20, 0, middle_burns);
	spawn("high", 30, 1, high_wants);
	assert_int_equal(run(), SIM_END_DONE);
	/* low is preempted at once when it is no longer boosted */
	assert_string_equal(words, "high middle low");
}

static void low_holds_alone(void)
{
	lock(a);
	burn_ms(5);
	assert_int_equal(low->prio, 99 - 10);
	unlock(a);
	say("low");
}

static void without_inheritance_the_waiter_waits_for_the_middle_task_too(void **state)
{
	(void)state;
	start("abstract@vanilla", 2);
	locks(BRIDGE_LOCK_MUTEX);
	low = spawn("low", 10, 0, low_holds_alone);
	spawn("middle", 20, 0, middle_burns);
	spawn("high", 30, 1, high_wants);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "middle low high");
}

static void holds_b_wants_a(void)
{
	sleep_ms(1);
	lock(b);
	lock(a);
	say("link");
	unlock(a);
	unlock(b);
}

static void wants_b(void)
{
	sleep_ms(2);
	lock(b);
	say("high");
	unlock(b);
}

static void a_boost_goes_down_the_chain(void **state)
{
	(void)state;
	start("abstract", 3);
	locks(BRIDGE_LOCK_MUTEX);
	low = spawn("low", 10, 0, low_holds);
	middle = spawn("link", 20, 1, holds_b_wants_a);
	spawn("high", 30, 2, wants_b);
	assert_int_equal(run(), SIM_END_DONE);
	/* low is checked to run at 69, lent by high through the link, which spins and is first */
	assert_string_equal(words, "link low high");
	assert_int_equal(middle->prio, 99 - 20);
}

static void low_holds_boosted_late(void)
{
	lock(a);
	burn_ms(4);
	assert_int_equal(low->prio, 99 - 20);
	burn_ms(4);
	assert_int_equal(low->prio, 99 - 40);
	unlock(a);
}

static void waits_at_20(void)
{
	sleep_ms(1);
	lock(a);
	say("20");
	unlock(a);
}

static void waits_at_30(void)
{
	sleep_ms(2);
	lock(a);
	say("was-10");
	unlock(a);
}

static void raises(void)
{
	sleep_ms(5);
	assert_int_equal(im->set_policy(high, FIFO, 40), 0);
}

static void a_waiter_whose_priority_is_raised_comes_first(void **state)
{
	(void)state;
	start("abstract", 4);
	locks(BRIDGE_LOCK_MUTEX);
	low = spawn("low", 5, 0, low_holds_boosted_late);
	spawn("w20", 20, 1, waits_at_20);
	high = spawn("w10", 10, 2, waits_at_30);
	spawn("raiser", 50, 3, raises);
	assert_int_equal(run(), SIM_END_DONE);
	assert_string_equal(words, "was-10 20");
}

/* ---- order */

static void first(void)
{
	sleep_ms(1);
	lock(a);
	say("first");
	unlock(a);
}

static void second(void)
{
	sleep_ms(2);
	lock(a);
	say("second");
	unlock(a);
}

static void compete(const char *image)
{
	start(image, 3);
	locks(BRIDGE_LOCK_MUTEX);
	spawn("holder", 5, 0, holder);
	spawn("first", 10, 1, first);
	spawn("second", 20, 2, second);
	assert_int_equal(run(), SIM_END_DONE);
}

static void with_rt_the_better_waiter_comes_first(void **state)
{
	(void)state;
	compete("abstract");
	assert_string_equal(words, "second first");
}

static void without_it_who_came_first_does(void **state)
{
	(void)state;
	compete("abstract@vanilla");
	assert_string_equal(words, "first second");
}

static void tries(void)
{
	sleep_ms(1);
	assert_int_equal(op(a, BRIDGE_OP_TRYLOCK), 0);
	sleep_ms(10);
	assert_int_equal(op(a, BRIDGE_OP_TRYLOCK), 1);
	unlock(a);
	say("tried");
}

static void trylock_never_waits(void **state)
{
	static const enum bridge_lock_kind kinds[] = { BRIDGE_LOCK_SPIN, BRIDGE_LOCK_RAW_SPIN,
						       BRIDGE_LOCK_RW, BRIDGE_LOCK_RWSEM,
						       BRIDGE_LOCK_MUTEX, BRIDGE_LOCK_RTMUTEX };
	static const char *const images[] = { "abstract", "abstract@vanilla",
					      "abstract@rt-reader-bias", "abstract@write-only" };

	(void)state;
	for (size_t i = 0; i < 4 * 6; i++) {
		start(images[i / 6], 2);
		locks(kinds[i % 6]);
		spawn("holder", 5, 0, holder);
		spawn("tries", 10, 1, tries);
		assert_int_equal(run(), SIM_END_DONE);
		assert_string_equal(words, "tried");
		stop();
	}
}

/* ---- misuse */

static void unlocks(void)
{
	unlock(a);
}

static void only_the_owner_unlocks(void **state)
{
	(void)state;
	start("abstract", 2);
	locks(BRIDGE_LOCK_MUTEX);
	spawn("holder", 10, 0, holder);
	spawn("stranger", 10, 1, unlocks);
	assert_int_equal(run(), SIM_END_BUG);
	assert_non_null(strstr(sim_bug(s), "does not hold it"));
	assert_string_equal(sim_bug_detail(s), "a");
}

static void what_nobody_holds_is_not_unlocked(void **state)
{
	(void)state;
	start("abstract@vanilla", 1);
	locks(BRIDGE_LOCK_SPIN);
	spawn("stranger", 10, 0, unlocks);
	assert_int_equal(run(), SIM_END_BUG);
	assert_non_null(strstr(sim_bug(s), "nobody holds"));
}

static void a_then_b(void)
{
	lock(a);
	burn_ms(2);
	lock(b);
}

static void b_then_a(void)
{
	lock(b);
	burn_ms(2);
	lock(a);
}

static void two_that_wait_for_each_other_never_end(void **state)
{
	(void)state;
	start("abstract@vanilla", 2);
	locks(BRIDGE_LOCK_MUTEX);
	spawn("x", 10, 0, a_then_b);
	spawn("y", 20, 1, b_then_a);
	assert_int_equal(run(), SIM_END_TIME);
	stop();
	/* with rt each spins, as the top waiter of an owner that runs */
	start("abstract", 2);
	locks(BRIDGE_LOCK_MUTEX);
	spawn("x", 10, 0, a_then_b);
	spawn("y", 20, 1, b_then_a);
	assert_int_equal(run(), SIM_END_EVENTS);
}

static void a_run_after_a_reset_is_the_same(void **state)
{
	uint64_t took[3];

	(void)state;
	start("abstract", 2);
	for (int i = 0; i < 3; i++) {
		if (i)
			assert_int_equal(machine_reset(m), 0);
		s = machine_sim(m);
		words[0] = 0;
		locks(BRIDGE_LOCK_MUTEX);
		low = spawn("low", 10, 0, low_holds);
		spawn("middle", 20, 0, middle_burns);
		spawn("high", 30, 1, high_wants);
		assert_int_equal(run(), SIM_END_DONE);
		assert_string_equal(words, "high middle low");
		took[i] = sim_now(s);
		assert_int_equal(took[i], took[0]);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		T(an_owner_runs_at_its_waiters_priority_until_it_unlocks),
		T(without_inheritance_the_waiter_waits_for_the_middle_task_too),
		T(a_boost_goes_down_the_chain),
		T(a_waiter_whose_priority_is_raised_comes_first),
		T(with_rt_the_better_waiter_comes_first),
		T(without_it_who_came_first_does),
		T(trylock_never_waits),
		T(only_the_owner_unlocks),
		T(what_nobody_holds_is_not_unlocked),
		T(two_that_wait_for_each_other_never_end),
		T(a_run_after_a_reset_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
