/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/base/check.h"
#include "sim/base/diag.h"
#include "sim/base/list.h"

/* ---- list */

struct item {
	int value;
	struct list node;
};

static int values(struct list *head)
{
	int v = 0;

	list_each(node, head)
		v = 10 * v + list_item(node, struct item, node)->value;
	return v;
}

static void nodes_are_walked_in_the_order_they_were_put(void **state)
{
	struct item a = { .value = 1 }, b = { .value = 2 }, c = { .value = 3 }, d = { .value = 4 };
	struct list head;

	(void)state;
	list_init(&head);
	assert_true(list_empty(&head));
	list_add_tail(&b.node, &head);
	list_add_tail(&c.node, &head);
	list_add_head(&a.node, &head);
	list_insert(&d.node, &b.node);
	assert_int_equal(values(&head), 1243);
	assert_false(list_empty(&head));
}

static void taking_a_node_off_twice_does_no_harm(void **state)
{
	struct item a = { .value = 1 }, b = { .value = 2 };
	struct list head;

	(void)state;
	list_init(&head);
	list_add_tail(&a.node, &head);
	list_add_tail(&b.node, &head);
	list_remove(&a.node);
	list_remove(&a.node);
	assert_int_equal(values(&head), 2);
	assert_true(list_empty(&a.node));
	list_add_tail(&a.node, &head);
	assert_int_equal(values(&head), 21);
}

/* ---- diagnostics */

static void a_message_says_where(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(diag_at(&d, "a.yaml", 3, 14, "found %d", 5), -EINVAL);
	assert_string_equal(d.text, "a.yaml:3:14: found 5");
	diag_at(&d, "--seed", 0, 0, "none");
	assert_string_equal(d.text, "--seed: none");
}

static void a_message_is_one_line_of_valid_characters(void **state)
{
	struct diag d;

	(void)state;
	diag_at(&d, "f", 1, 1, "%s", "a\nb\tc\x7f \xff \xc3\xa9 \xe2\x82");
	assert_string_equal(d.text, "f:1:1: a?b?c? ? \xc3\xa9 ??");
}

static void a_message_cut_in_the_middle_of_a_character_ends_before_it(void **state)
{
	char many[2 * sizeof(struct diag)];
	struct diag d;

	(void)state;
	for (size_t shift = 0; shift < 2; shift++) {
		memset(many, 'x', sizeof(many));
		for (size_t i = shift; i + 2 < sizeof(many); i += 2)
			memcpy(many + i, "\xc3\xa9", 2);
		many[sizeof(many) - 1] = 0;
		diag_at(&d, "f", 1, 1, "%s", many);
		assert_int_equal(strlen(d.text), sizeof(d.text) - 1);
		assert_true(!strcmp(d.text + sizeof(d.text) - 3, "\xc3\xa9") ||
			    d.text[sizeof(d.text) - 2] == '?');
	}
}

static void the_nearest_word_is_named_if_it_is_near(void **state)
{
	static const char *const words[] = { "duration", "cpus", "softirq", NULL };
	char longest[200];

	(void)state;
	assert_string_equal(nearest_word("duratoin", words), "duration");
	assert_string_equal(nearest_word("cpu", words), "cpus");
	assert_string_equal(nearest_word("cpus", words), "cpus");
	assert_null(nearest_word("resources", words));
	memset(longest, 'c', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	assert_null(nearest_word(longest, words));
}

/* ---- checks */

static void what_must_hold_and_does_not_ends_the_program(void **state)
{
	int status, child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		struct rlimit none = { 0 };

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		close(2);
		SIM_CHECK(child == 0);	/* holds */
		SIM_CHECK(child == 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_walked_in_the_order_they_were_put),
		cmocka_unit_test(taking_a_node_off_twice_does_no_harm),
		cmocka_unit_test(a_message_says_where),
		cmocka_unit_test(a_message_is_one_line_of_valid_characters),
		cmocka_unit_test(a_message_cut_in_the_middle_of_a_character_ends_before_it),
		cmocka_unit_test(the_nearest_word_is_named_if_it_is_near),
		cmocka_unit_test(what_must_hold_and_does_not_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
