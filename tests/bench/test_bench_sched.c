/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an event costs with the simulated scheduler, by number of tasks; scons bench prints it,
 * scons check only proves that the measured work is done.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "sim/core/oracle.h"
#include "tests/lib/sched_world.h"

#define ROUNDS 5
#define CPUS 4
#define EVERY 5		/* so many tasks of a ring share one token */

static bool full;
static uint32_t first_id, nr_ring;

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Passes a token round a ring of real-time tasks: a wake-up, a sleep, two switches. */
static void ring(void)
{
	uint32_t mine = sim_current(w.sim)->id - first_id;

	if (mine % EVERY)
		sleep_until_woken();
	for (;;) {
		struct task *next = sim_task(w.sim, first_id + (mine + 1) % nr_ring);

		burn(500);
		engine_cost(w.sim, COST_WAKEUP);
		wake(next);
		sleep_until_woken();
	}
}

static void fair(void)
{
	for (;;) {
		burn(20000);
		sched_yield_task(w.sim);
		w.sim->focus->irqs_off = 1;
		sched_schedule(w.sim, PREV_RUNNABLE);
		w.sim->focus->irqs_off = 0;
	}
}

/* Half of the tasks pass tokens, half are fair and always runnable. */
static double event_ns(int nr, uint64_t events)
{
	struct bridge_machine m = { .nr_cpus = CPUS };
	struct oracle_random o;
	double start;

	sched_world_new(&carrier_fiber, &m);
	sim_clear_observers(w.sim);
	oracle_random_init(&o, 1);
	sim_set_oracle(w.sim, &o.base);
	nr_ring = (uint32_t)nr / 2;
	first_id = sim_nr_tasks(w.sim);
	for (int i = 0; i < nr; i++)
		spawn("t", i < nr / 2 ? BRIDGE_SCHED_FIFO : BRIDGE_SCHED_OTHER,
		      i < nr / 2 ? 1 + i % 50 : 0, ~0ull, i < nr / 2 ? ring : fair);
	w.sim->config.events_max = w.sim->events + events;
	start = cpu_ns();
	assert_int_equal(run_all(), SIM_END_EVENTS);
	start = (cpu_ns() - start) / (double)events;
	sim_free(w.sim);
	return start;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void tokens_go_round_and_fair_tasks_take_turns(void **state)
{
	uint64_t n = full ? 2000000 : 10000;
	double ten = INFINITY, hundred = INFINITY, thousand = INFINITY;

	(void)state;
	for (int i = 0; i < (full ? ROUNDS : 1); i++) {
		ten = least(ten, event_ns(10, n));
		hundred = least(hundred, event_ns(100, n));
		thousand = least(thousand, event_ns(1000, n));
	}
	if (full)
		printf("simulated scheduler: %.0f ns an event at 10 tasks on %d CPUs, %.2f times that at "
		       "100, %.2f times at 1,000\n", ten, CPUS, hundred / ten, thousand / ten);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_go_round_and_fair_tasks_take_turns),
	};

	full = argc > 1 && !strcmp(argv[1], "full");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
