/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the abstract world: who gets them, in which order, and who is lent a priority.
 *
 * Without an oracle every cost is the least of its range.  Tasks write down what happens to them
 * in a log of words, which tests compare.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/image/image.h"

#define MS 1000000ull
#define FIFO BRIDGE_SCHED_FIFO

static struct machine *m;
static struct sim *s;
static const struct bridge_image *im;
static void *a, *b, *c;			/* locks of the test */
static struct task *low, *middle, *high;
static char words[1024];
static enum bridge_lock_kind kind;

static void say(const char *word)
{
	size_t n = strlen(words);

	snprintf(words + n, sizeof(words) - n, "%s%s", n ? " " : "", word);
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static void irq_handler(void *self, int line)
{
	(void)self;
	(void)line;
	im->lock_op(a, kind, BRIDGE_OP_READ_LOCK);
	say("irq-reads");
	im->lock_op(a, kind, BRIDGE_OP_READ_UNLOCK);
}

static void start(const char *image, int cpus)
{
	struct machine_hooks hooks = { .task_main = task_main, .irq_handler = irq_handler };
	struct sim_config config = { .machine = { .nr_cpus = cpus }, .carrier = &carrier_fiber,
				     .duration_ns = 1000 * MS, .events_max = 1000000,
				     .memory_max = 64u << 20 };
	struct image *img;
	char why[300] = "";

	words[0] = 0;
	low = middle = high = NULL;
	assert_int_equal(image_open(image, &img, why, sizeof(why)), 0);
	assert_int_equal(machine_new(img, &config, &m, why, sizeof(why)), 0);
	machine_set_hooks(m, &hooks);
	machine_select(m);
	im = machine_image(m);
	s = machine_sim(m);
	kind = BRIDGE_LOCK_MUTEX;
}

static void locks(enum bridge_lock_kind k)
{
	kind = k;
	a = im->lock_new(k, "a");
	b = im->lock_new(k, "b");
	c = im->lock_new(k, "c");
}

static struct task *spawn(const char *name, int priority, int cpu, void (*body)(void))
{
	struct bridge_spawn spec = { .name = name, .cpus = 1ull << cpu, .policy = FIFO,
				     .priority = priority, .group = -1 };
	struct task *t = sim_task_new(s, name, TASK_SCENARIO);

	t->body = (void *)body;
	assert_int_equal(im->spawn(t, &spec), 0);
	im->start(t);
	return t;
}

static enum sim_end run(void)
{
	enum sim_end end = machine_run(m);

	return end;
}

static void stop(void)
{
	machine_free(m);
	m = NULL;
}

static int teardown(void **state)
{
	(void)state;
	stop();
	return 0;
}

/* ---- what bodies call */

static void sleep_ms(uint64_t ms)
{
	long arg[6] = { (long)(ms * MS) };

	im->syscall(SYS_NANOSLEEP, arg);
}

static void burn_ms(uint64_t ms)
{
	engine_burn(s, ms * MS);
}

static int op(void *lock, enum bridge_lock_op o)
{
	return im->lock_op(lock, kind, o);
}

static void lock(void *l)
{
	assert_int_equal(op(l, BRIDGE_OP_LOCK), 1);
}

static void unlock(void *l)
{
	op(l, BRIDGE_OP_UNLOCK);
}

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

static void high_wants(void)
{
	sleep_ms(3);
	lock(a);
	say("high");
	unlock(a);
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

static void holder(void)
{
	lock(a);
	burn_ms(9);
	unlock(a);
}

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
	assert_int_equal(im->irq_new(0, 0, false, 0, "nic"), 0);
	spawn("reader", 10, 0, reads_long);
	spawn("writer", 20, 1, writes);
	spawn("device", 30, 2, raises_line);
	assert_int_equal(run(), SIM_END_DONE);
	/* it interrupts the very reader the writer waits for */
	assert_string_equal(words, "irq-reads reader writer");
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
		T(a_new_reader_waits_behind_a_waiting_writer),
		T(with_reader_bias_it_passes_the_writer),
		T(readers_share),
		T(a_reader_is_not_boosted),
		T(write_only_boosts_it),
		T(a_blocked_reader_boosts_the_writer),
		T(nobody_preempts_who_holds_a_spinning_lock),
		T(with_rt_its_holder_is_preempted),
		T(a_reader_in_an_interrupt_passes_the_waiting_writer),
		T(only_the_owner_unlocks),
		T(what_nobody_holds_is_not_unlocked),
		T(two_that_wait_for_each_other_never_end),
		T(a_run_after_a_reset_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
