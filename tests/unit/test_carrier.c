/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Both carriers: every claim is tried on fibers and on threads.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/carrier.h"

#define MANY 64

static const struct carrier_ops *ops;
static struct carrier *host, *carriers[MANY];
static uint64_t sums[MANY];
static int order[4 * MANY], nr_order;

static void on_both(void (*claim)(void))
{
	const struct carrier_ops *const all[] = { &carrier_fiber, &carrier_pthread };

	for (int i = 0; i < 2; i++) {
		ops = all[i];
		host = ops->host();
		nr_order = 0;
		memset(sums, 0, sizeof(sums));
		claim();
	}
}

/* ---- each has a stack of its own */

/* What it works with lies on its stack across every switch. */
static void count_on_its_stack(void *arg)
{
	volatile uint64_t local[32];
	size_t me = (size_t)(uintptr_t)arg;

	for (size_t i = 0; i < 32; i++)
		local[i] = me * 1000 + i;
	for (;;) {
		sums[me] = 0;
		for (size_t i = 0; i < 32; i++)
			sums[me] += local[i]++;
		/* on to the next one, the last gives back to the host */
		ops->switch_to(carriers[me], me + 1 < MANY ? carriers[me + 1] : host);
	}
}

static void many_in_turn(void)
{
	for (size_t i = 0; i < MANY; i++)
		carriers[i] = ops->create(count_on_its_stack, (void *)(uintptr_t)i);
	for (uint64_t round = 0; round < 5; round++) {
		ops->switch_to(host, carriers[0]);
		for (uint64_t i = 0; i < MANY; i++)
			assert_int_equal(sums[i], 32 * (i * 1000 + round) + 31 * 32 / 2);
	}
	for (int i = 0; i < MANY; i++)
		ops->destroy(carriers[i]);
}

static void many_carriers_switch_among_each_other_and_keep_their_stacks(void **state)
{
	(void)state;
	on_both(many_in_turn);
}

/* ---- giving up */

static void never_gets_past_its_first_switch(void *arg)
{
	order[nr_order++] = (int)(intptr_t)arg;
	ops->switch_to(carriers[0], host);
	order[nr_order++] = -1;
	ops->switch_to(carriers[0], host);
}

static void given_up_and_taken_again(void)
{
	for (int i = 0; i < MANY; i++) {
		carriers[0] = ops->create(never_gets_past_its_first_switch, (void *)(intptr_t)i);
		ops->switch_to(host, carriers[0]);
		ops->destroy(carriers[0]);
	}
	assert_int_equal(nr_order, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(order[i], i);
}

static void a_carrier_given_up_in_the_middle_serves_the_next_task_from_its_start(void **state)
{
	(void)state;
	on_both(given_up_and_taken_again);
}

static void given_up_unused(void)
{
	carriers[0] = ops->create(never_gets_past_its_first_switch, NULL);
	ops->destroy(carriers[0]);
	assert_int_equal(nr_order, 0);
}

static void a_carrier_that_never_ran_can_be_given_up(void **state)
{
	(void)state;
	on_both(given_up_unused);
}

/* ---- saved stacks */

/* Parks deeper in its stack every time. */
static __attribute__((noinline)) int park(int depth)
{
	volatile char room[256];

	room[0] = (char)depth;
	if (depth)
		return park(depth - 1) + room[0];
	ops->switch_to(carriers[0], host);
	return room[0];
}

static void counts(void *arg)
{
	volatile int local = 10;

	(void)arg;
	for (;;) {
		order[nr_order++] = local++;
		park(local - 10);
	}
}

static void a_restored_carrier_goes_on_where_it_was_saved(void **state)
{
	static const int seen[] = { 10, 11, 12, 11, 12, 11 };

	(void)state;
	ops = &carrier_fiber;
	if (!ops->can_restore)
		skip();
	host = ops->host();
	nr_order = 0;
	carriers[0] = ops->create(counts, NULL);
	ops->switch_to(host, carriers[0]);
	ops->save(carriers[0]);
	ops->switch_to(host, carriers[0]);
	ops->switch_to(host, carriers[0]);
	for (int i = 0; i < 2; i++) {
		ops->restore(carriers[0]);
		ops->switch_to(host, carriers[0]);
		if (!i)
			ops->switch_to(host, carriers[0]);
	}
	assert_int_equal(nr_order, 6);
	assert_memory_equal(order, seen, sizeof(seen));
	ops->destroy(carriers[0]);
}

/* ---- stacks end */

#define DEEPEST (600u << 10)	/* bytes: more than either carrier's stack has */
#define STOPPED 42

static char *top;

static __attribute__((noinline)) int descend(int depth)
{
	volatile char room[1024];

	room[0] = (char)depth;
	return depth > 1 << 20 ? 0 : descend(depth + 1) + room[0];
}

static void overflows(void *arg)
{
	char here;

	(void)arg;
	top = &here;
	descend(0);
	_exit(0);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	_exit(top - (char *)info->si_addr < DEEPEST ? STOPPED : 0);
}

static void overflow_in_a_child(void)
{
	int status, child = fork();

	assert_true(child >= 0);
	if (!child) {
		static char stack[64 << 10];
		stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };
		struct sigaction sa = { .sa_sigaction = on_fault,
					.sa_flags = SA_SIGINFO | SA_ONSTACK };

		sigaltstack(&alt, NULL);
		sigaction(SIGSEGV, &sa, NULL);
		/* neighbours whose stacks an overflow without a guard would run through */
		for (int i = 0; i < MANY; i++)
			carriers[i] = ops->create(i == MANY / 2 ? overflows : count_on_its_stack, NULL);
		ops->switch_to(host, carriers[MANY / 2]);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	/* a thread has no stack for the handler and dies of the fault itself */
	assert_true((WIFEXITED(status) && WEXITSTATUS(status) == STOPPED) ||
		    (ops == &carrier_pthread && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
}

static void a_stack_that_is_full_is_a_fault(void **state)
{
	(void)state;
	on_both(overflow_in_a_child);
}

static void carriers_are_known_by_their_names(void **state)
{
	(void)state;
	assert_ptr_equal(carrier_by_name("fiber"), &carrier_fiber);
	assert_ptr_equal(carrier_by_name("pthread"), &carrier_pthread);
	assert_null(carrier_by_name("fibre"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_that_is_full_is_a_fault),
		cmocka_unit_test(many_carriers_switch_among_each_other_and_keep_their_stacks),
		cmocka_unit_test(a_carrier_given_up_in_the_middle_serves_the_next_task_from_its_start),
		cmocka_unit_test(a_carrier_that_never_ran_can_be_given_up),
		cmocka_unit_test(a_restored_carrier_goes_on_where_it_was_saved),
		cmocka_unit_test(carriers_are_known_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
