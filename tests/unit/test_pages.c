/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/image/pages.h"

#define PAGE 4096
#define NR 8

static char *memory;

static int setup(void **state)
{
	(void)state;
	memory = mmap(NULL, NR * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	for (int i = 0; i < NR * PAGE; i++)
		memory[i] = (char)(i * 7 + i / PAGE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(memory, NR * PAGE);
	return 0;
}

static void expect_as_saved(size_t start, size_t len)
{
	for (size_t i = start; i < start + len; i++)
		assert_int_equal(memory[i], (char)(i * 7 + i / PAGE));
}

static void all_that_was_written_comes_back_every_time(void **state)
{
	struct pages *p = pages_save(memory, NR * PAGE);

	(void)state;
	for (int round = 0; round < 20; round++) {
		/* other places every time, page borders among them */
		for (int k = 0; k < 5; k++)
			memory[(round * 1021 + k * 6007) % (NR * PAGE)] ^= 0x55;
		memory[PAGE * (round % NR)] ^= 1;
		memory[PAGE * (round % NR) + PAGE - 1] ^= 1;
		pages_restore(p);
		expect_as_saved(0, NR * PAGE);
	}
	pages_free(p);
}

static void only_pages_that_were_written_are_copied(void **state)
{
	struct pages *p = pages_save(memory, NR * PAGE);

	(void)state;
	memset(memory, 1, NR * PAGE);
	pages_restore(p);	/* copies all of it and watches from now on */
	expect_as_saved(0, NR * PAGE);
	assert_int_equal(pages_written(p), 0);
	memory[2 * PAGE + 5] = memory[2 * PAGE + 6];
	memory[5 * PAGE] = 0;
	assert_int_equal(pages_written(p), 2);
	for (int i = 0; i < 3; i++) {
		pages_restore(p);
		assert_int_equal(pages_written(p), 2);
		expect_as_saved(0, NR * PAGE);
	}
	pages_free(p);
}

static void reading_is_no_writing(void **state)
{
	struct pages *p = pages_save(memory, NR * PAGE);

	(void)state;
	pages_restore(p);
	expect_as_saved(0, NR * PAGE);
	assert_int_equal(pages_written(p), 0);
	pages_free(p);
}

static void what_lies_before_and_behind_is_left_alone(void **state)
{
	size_t start = PAGE + 100, len = 3 * PAGE + 50;
	struct pages *p = pages_save(memory + start, len);

	(void)state;
	for (int round = 0; round < 3; round++) {
		memset(memory, 'x', NR * PAGE);
		pages_restore(p);
		expect_as_saved(start, len);
		for (size_t i = 0; i < NR * PAGE; i++)
			assert_true(memory[i] == 'x' || (i >= start && i < start + len));
	}
	pages_free(p);
}

static void forgotten_memory_is_writable_and_stays_as_it_is(void **state)
{
	struct pages *p = pages_save(memory, NR * PAGE), *q;

	(void)state;
	pages_restore(p);
	memory[0] = 'a';
	pages_free(p);
	assert_int_equal(memory[0], 'a');
	memset(memory, 'b', NR * PAGE);
	assert_false(pages_fault(memory));
	assert_false(pages_fault(memory + 3 * PAGE));
	q = pages_save(memory, NR * PAGE);
	memory[9] = 'c';
	pages_restore(q);
	assert_int_equal(memory[9], 'b');
	pages_free(q);
	pages_free(NULL);
}

/* It must not make a real fault look like a first write; who saw faults before sees them again. */
static void a_write_to_anything_else_is_a_fault_as_before(void **state)
{
	struct pages *p = pages_save(memory, 2 * PAGE);
	int status, child;

	(void)state;
	signal(SIGSEGV, SIG_DFL);
	pages_restore(p);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct rlimit none = { 0 };

		setrlimit(RLIMIT_CORE, &none);
		close(2);
		memory[0] = 1;
		mprotect(memory + 4 * PAGE, PAGE, PROT_READ);
		memory[4 * PAGE] = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	pages_free(p);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(all_that_was_written_comes_back_every_time),
		T(only_pages_that_were_written_are_copied),
		T(reading_is_no_writing),
		T(what_lies_before_and_behind_is_left_alone),
		T(forgotten_memory_is_writable_and_stays_as_it_is),
		T(a_write_to_anything_else_is_a_fault_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
