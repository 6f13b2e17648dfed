/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the runtime of kernel images promises: grace periods, and records of the right lock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/image/image.h"

#define MS 1000000ull

static const struct bridge_image *im;
static struct sim *sim;
static void *lock;
static uint64_t first_done, second_done;
static int acquired, released, gp_started, gp_ended;

static void sleep_ns(uint64_t ns)
{
	long arg[6] = { (long)ns };

	im->syscall(SYS_NANOSLEEP, arg);
}

static void wait_at_once(void)
{
	im->synchronize_rcu();
	first_done = sim_now(sim);
}

static void wait_1_ms_later(void)
{
	sleep_ns(MS);
	im->synchronize_rcu();
	second_done = sim_now(sim);
}

/* A spinlock section is a read section on RT. */
static void read_for_50_ms(void)
{
	lock = im->lock_new(BRIDGE_LOCK_SPIN, "lock");
	im->lock_op(lock, BRIDGE_LOCK_SPIN, BRIDGE_OP_LOCK);
	engine_burn(sim, 50 * MS);
	im->lock_op(lock, BRIDGE_LOCK_SPIN, BRIDGE_OP_UNLOCK);
	first_done = sim_now(sim);
}

static void use_raw_lock(void)
{
	lock = im->lock_new(BRIDGE_LOCK_RAW_SPIN, "counted");
	im->lock_op(lock, BRIDGE_LOCK_RAW_SPIN, BRIDGE_OP_LOCK);
	im->lock_op(lock, BRIDGE_LOCK_RAW_SPIN, BRIDGE_OP_UNLOCK);
	assert_int_equal(im->lock_op(lock, BRIDGE_LOCK_RAW_SPIN, BRIDGE_OP_TRYLOCK), 1);
	im->lock_op(lock, BRIDGE_LOCK_RAW_SPIN, BRIDGE_OP_UNLOCK);
}

static void take_turns(void)
{
	if (!lock)
		lock = im->lock_new(BRIDGE_LOCK_RTMUTEX, "counted");
	for (int i = 0; i < 3; i++) {
		im->lock_op(lock, BRIDGE_LOCK_RTMUTEX, BRIDGE_OP_LOCK);
		engine_burn(sim, MS);
		im->lock_op(lock, BRIDGE_LOCK_RTMUTEX, BRIDGE_OP_UNLOCK);
	}
}

static void count(void *self, const struct sim *s, const struct probe *p)
{
	(void)self;
	if (p->kind == PROBE_LOCK_ACQUIRED || p->kind == PROBE_LOCK_RELEASED) {
		if (!strcmp(sim_lock(s, p->object)->name, "counted"))
			(*(p->kind == PROBE_LOCK_ACQUIRED ? &acquired : &released))++;
	}
	gp_started += p->kind == PROBE_RCU_GP_START;
	gp_ended += p->kind == PROBE_RCU_GP_END;
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static void spawn(const char *name, uint64_t cpus, void (*body)(void))
{
	struct bridge_spawn s = { .name = name, .cpus = cpus, .policy = BRIDGE_SCHED_FIFO,
				  .priority = 50, .group = -1 };
	struct task *t = sim_task_new(sim, name, TASK_SCENARIO);

	t->body = (void *)body;
	assert_int_equal(im->spawn(t, &s), 0);
	im->start(t);
}

static void run(const char *name, void (*first)(void), void (*second)(void))
{
	struct machine_hooks hooks = { .task_main = task_main };
	struct sim_config c = { .machine = { .nr_cpus = 2, .rcu_stall_ns = 21000 * MS },
				.carrier = &carrier_fiber, .duration_ns = 1000 * MS,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct oracle_random oracle;
	struct machine *m;
	struct image *img;
	char why[300];

	if (image_open(name, &img, why, sizeof(why)) ||
	    machine_new(img, &c, &m, why, sizeof(why)))
		fail_msg("%s", why);
	sim = machine_sim(m);
	im = machine_image(m);
	machine_set_hooks(m, &hooks);
	oracle_random_init(&oracle, 1);
	sim_set_oracle(sim, &oracle.base);
	sim_observe(sim, count, NULL);
	lock = NULL;
	first_done = second_done = 0;
	acquired = released = gp_started = gp_ended = 0;
	spawn("first", 1, first);
	if (second)
		spawn("second", 2, second);
	if (machine_run(m) != SIM_END_DONE || sim_bug(sim))
		fail_msg("%s: did not come to its end", name);
	machine_free(m);
}

static void on_every_image(void (*check)(const char *name))
{
	char **names;
	int nr = image_names(&names);

	assert_true(nr >= 4);
	for (int i = 0; i < nr; i++) {
		if (strncmp(names[i], "abstract", 8))	/* has no kernel */
			check(names[i]);
		free(names[i]);
	}
	free(names);
}

static void both_waits_end(const char *name)
{
	run(name, wait_at_once, wait_1_ms_later);
	assert_in_range(first_done, 4 * MS, 6 * MS);
	assert_in_range(second_done, 8 * MS, 11 * MS);
	assert_int_equal(gp_started, 2);
	assert_int_equal(gp_ended, 2);
}

static void a_wait_that_starts_within_a_grace_period_ends_with_the_next(void **state)
{
	(void)state;
	on_every_image(both_waits_end);
}

static void the_wait_outlasts_the_reader(const char *name)
{
	if (!strstr(name, "-rt"))
		return;
	run(name, read_for_50_ms, wait_1_ms_later);
	assert_in_range(first_done, 50 * MS, 51 * MS);
	assert_in_range(second_done, first_done, first_done + 5 * MS);
}

static void a_grace_period_waits_for_the_reader_that_was_inside(void **state)
{
	(void)state;
	on_every_image(the_wait_outlasts_the_reader);
}

static void raw_lock_is_told(const char *name)
{
	run(name, use_raw_lock, NULL);
	assert_int_equal(acquired, 2);
	assert_int_equal(released, 2);
}

static void a_raw_spinlock_of_a_scenario_leaves_records_on_every_image(void **state)
{
	(void)state;
	on_every_image(raw_lock_is_told);
}

/* Its first word is a raw spinlock that goes through functions which are told of as well. */
static void only_the_mutex_is_told(const char *name)
{
	run(name, take_turns, take_turns);
	assert_int_equal(acquired, 6);
	assert_int_equal(released, 6);
}

static void the_wait_lock_of_an_rtmutex_is_not_taken_for_the_mutex(void **state)
{
	(void)state;
	on_every_image(only_the_mutex_is_told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_that_starts_within_a_grace_period_ends_with_the_next),
		cmocka_unit_test(a_grace_period_waits_for_the_reader_that_was_inside),
		cmocka_unit_test(a_raw_spinlock_of_a_scenario_leaves_records_on_every_image),
		cmocka_unit_test(the_wait_lock_of_an_rtmutex_is_not_taken_for_the_mutex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
