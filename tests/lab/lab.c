/* SPDX-License-Identifier: GPL-2.0-only */
/* What the library of tests itself promises: state, verdicts, hooks. */
#include <lockstep/test.h>

static void take_and_hold(void *lock)
{
	lab_lock(lock);
	lab_burn(lab_ms(5));
	lab_unlock(lock);
}

static void read_and_hold(void *lock)
{
	lab_read_lock(lock);
	lab_burn(lab_ms(5));
	lab_read_unlock(lock);
}

static void just_unlock(void *lock)
{
	lab_unlock(lock);
}

/* Without its debugging the kernel's own mutex says nothing of it. */
LAB_TEST(unlocking_what_is_not_held_is_a_bug, .images = "*vanilla*", .verdict = "bug")
{
	lab_task("stranger", just_unlock, lab_lock_new(LAB_MUTEX, "mine"));
	lab_run();
	lab_check(!"the body is left at a bug");
}

LAB_TEST(a_waiter_lends_its_priority, .cpus = 1, .images = "*-rt*")
{
	struct lab_lock *l = lab_lock_new(LAB_SPINLOCK, "mine");
	struct lab_task *low = lab_task("low", take_and_hold, l, .fifo = 10), *high;

	lab_run_for(lab_ms(1));
	high = lab_task("high", take_and_hold, l, .fifo = 60);
	lab_run_for(lab_ms(1));
	assert_string_equal(lab_owner("mine"), "low");
	assert_string_equal(lab_blocked_on(high), "mine");
	assert_null(lab_blocked_on(low));
	assert_int_equal(lab_prio(low), 99 - 60);
	assert_int_equal(lab_base_prio(low), 99 - 10);
	lab_run();
	assert_true(lab_ended(low) && lab_ended(high));
	assert_null(lab_owner("mine"));
	assert_int_equal(lab_prio(low), 99 - 10);
}

LAB_TEST(readers_are_counted, .cpus = 2)
{
	struct lab_lock *l = lab_lock_new(LAB_RWSEM, "shared");

	lab_task("one", read_and_hold, l, .fifo = 10, .cpus = 1);
	lab_task("two", read_and_hold, l, .fifo = 10, .cpus = 2);
	lab_run_for(lab_ms(1));
	assert_int_equal(lab_readers("shared"), 2);
	lab_run();
	assert_int_equal(lab_readers("shared"), 0);
}

/* Two that take the same two locks the other way round. */
static struct lab_lock *locks[2];

static void take_both(void *first)
{
	lab_lock(first);
	lab_sleep(lab_ms(1));
	lab_lock(locks[first == locks[0]]);
}

LAB_TEST(a_cycle_of_locks_is_a_deadlock, .verdict = "deadlock")
{
	for (int i = 0; i < 2; i++)
		locks[i] = lab_lock_new(LAB_MUTEX, i ? "second" : "first");
	lab_task("one", take_both, locks[0]);
	lab_task("other", take_both, locks[1]);
	lab_run();
	lab_check(!"the body is left at a deadlock");
}

static int nr_taken, nr_entered;

static void count(void *number)
{
	++*(int *)number;
}

LAB_TEST(hooks_see_locks_and_functions)
{
	int fd = lab_eventfd(0);

	nr_taken = nr_entered = 0;
	lab_on_lock("mine", count, &nr_taken);
	lab_on_function("eventfd_write", count, &nr_entered);
	lab_task("taker", take_and_hold, lab_lock_new(LAB_MUTEX, "mine"));
	lab_post(fd);
	lab_post(fd);
	lab_run();
	assert_int_equal(nr_taken, 1);
	assert_int_equal(nr_entered, 2);
}

static void sleep_on_and_on(void *arg)
{
	(void)arg;
	lab_sleep(lab_ms(50));
}

LAB_TEST(running_ends_when_all_is_quiet_or_at_its_time)
{
	struct lab_task *t = lab_task("sleeper", sleep_on_and_on, NULL, .fifo = 10);
	uint64_t before = lab_now();

	lab_run_for(lab_ms(10));
	assert_true(lab_now() - before >= lab_ms(10) && lab_now() - before < lab_us(10100));
	assert_true(lab_sleeps(t));
	assert_string_equal(lab_in_call(t), "nanosleep");
	lab_run();
	assert_true(lab_ended(t) && lab_now() - before >= lab_ms(50));
}

static void write_in_vain(void *arg)
{
	lab_equal(lab_write((int)(intptr_t)arg, "x", 1), -EPIPE);
}

LAB_TEST(a_pipe_without_a_reader_sends_its_writer_a_signal, .one_schedule = true)
{
	struct lab_task *t;
	int p[2];

	lab_pipe(p, 0);
	lab_close(p[0]);
	t = lab_task("writer", write_in_vain, (void *)(intptr_t)p[1]);
	lab_run();
	assert_true(lab_ended(t));
	assert_int_equal(lab_signals(t), 1);
}

LAB_TEST(a_duplicate_has_the_number_that_is_asked_for, .one_schedule = true)
{
	int fd = lab_eventfd(7);

	lab_equal(lab_dup2(fd, -1), -EBADF);
	lab_equal(lab_dup2(-1, fd), -EBADF);
	lab_equal(lab_dup2(fd, 40), 40);
	lab_equal(lab_dup2(40, 40), 40);
	lab_equal(lab_drain(40), 7);
	lab_equal(lab_close(40), 0);
	lab_equal(lab_post(fd), 8);
}
