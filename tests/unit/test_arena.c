/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/sanitizer.h"
#include "sim/image/arena.h"

static struct arena a;

static int setup(void **state)
{
	(void)state;
	arena_init(&a, 0, 16u << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_fini(&a);
	return 0;
}

static void *get(size_t n)
{
	enum arena_error err;
	void *p = arena_alloc(&a, n, &err);

	assert_non_null(p);
	assert_int_equal(err, ARENA_OK);
	return p;
}

static void memory_is_zeroed_aligned_and_at_the_same_address_every_time(void **state)
{
	char *p = get(100), *q = get(5000);

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	assert_int_equal((uintptr_t)p % 64, 0);
	assert_int_equal((uintptr_t)q % 64, 0);
	assert_int_equal(arena_size(&a, p), 100);
	arena_fini(&a);
	arena_init(&a, 0, 16u << 20);
	assert_ptr_equal(get(100), p);
	assert_ptr_equal(get(5000), q);
}

static void a_second_free_and_a_stranger_are_told_apart(void **state)
{
	char *p = get(40), local[64];

	(void)state;
	assert_int_equal(arena_free(&a, p), ARENA_OK);
	assert_int_equal(arena_size(&a, p), 0);
	assert_int_equal(arena_free(&a, p), ARENA_DOUBLE_FREE);
	assert_int_equal(arena_free(&a, local), ARENA_BAD_FREE);
	assert_int_equal(arena_free(&a, get(40)), ARENA_OK);
}

#ifndef SIM_ASAN	/* which sees the write itself */
static void a_write_to_freed_memory_is_found(void **state)
{
	char *p = get(200);

	(void)state;
	assert_int_equal(arena_free(&a, p), ARENA_OK);
	assert_int_equal(arena_check(&a), ARENA_OK);
	p[17] = 1;
	assert_int_equal(arena_check(&a), ARENA_USE_AFTER_FREE);
}
#endif

#ifndef SIM_ASAN	/* its machines boot anew instead */
static void what_came_after_a_mark_is_gone_after_going_back(void **state)
{
	char *p = get(64), *q;
	struct arena_mark *m;

	(void)state;
	strcpy(p, "before");
	m = arena_save(&a);
	strcpy(p, "after");
	q = get(64);
	arena_restore(&a, m);
	assert_string_equal(p, "before");
	assert_ptr_equal(get(64), q);
	arena_mark_free(m);
}
#endif

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(memory_is_zeroed_aligned_and_at_the_same_address_every_time),
		T(a_second_free_and_a_stranger_are_told_apart),
#ifndef SIM_ASAN
		T(a_write_to_freed_memory_is_found),
		T(what_came_after_a_mark_is_gone_after_going_back),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
