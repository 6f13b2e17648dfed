/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of streams written by hand: JSON of any name, columns, and what the timeline shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/utf8.h"
#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/scenario/report.h"

#define MS 1000000ull
#define TEXT_MAX (1u << 20)

enum { LOW, MIDDLE, HIGH, IDLE0, IDLE1, WORKER };
static struct sim *s;
static struct detect *d;
static struct scenario scenario = { .name = (char *)"by-hand" };
static uint64_t seq;
static char lock_memory[2][64], text[TEXT_MAX];
static uint32_t lock;

static void task(const char *name, int prio, enum task_kind kind)
{
	struct task *t = sim_task_new(s, name, kind);

	t->prio = t->normal_prio = prio;
}

static int setup(void **state)
{
	struct sim_config c = { .machine = { .nr_cpus = 2 }, .carrier = &carrier_fiber,
				.duration_ns = SIM_NEVER, .events_max = 1000 };
	struct detect_limits l = { .starve_ns = 1000 * MS, .inversion_ns = MS };

	(void)state;
	s = sim_new(&c);
	d = detect_new(&l);
	seq = 0;
	task("low", 120, TASK_SCENARIO);
	task("middle", 49, TASK_SCENARIO);
	task("high", 19, TASK_SCENARIO);
	task("swapper/0", 140, TASK_IDLE);
	task("swapper/1", 140, TASK_IDLE);
	task("kworker", 120, TASK_KTHREAD);
	sim_lock_name(s, lock_memory[0], BRIDGE_LOCK_RW, "&ep->lock");
	lock = sim_lock_id(s, lock_memory[0]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	detect_free(d);
	sim_free(s);
	return 0;
}

static void feed(uint64_t us, uint32_t cpu, uint32_t who, enum probe_kind kind, uint32_t object,
		 int64_t arg)
{
	struct probe p = { seq++, us * 1000, cpu, who, kind, object, arg };

	detect_feed(d, s, &p);
}

static void switch_to(uint64_t us, uint32_t cpu, uint32_t prev, uint32_t next, int64_t state)
{
	feed(us, cpu, prev, PROBE_SCHED_SWITCH, next, state);
}

/* low reads the lock and is preempted by middle from 2 to 7 ms; high wants to write at 3 ms. */
static struct run_result inversion_of(uint32_t low, uint32_t middle, uint32_t high, bool boosted)
{
	switch_to(1000, 0, IDLE0, low, 0);
	switch_to(1000, 1, IDLE1, high, 0);
	feed(1001, 0, low, PROBE_LOCK_ACQUIRED, lock, LOCK_READ);
	switch_to(2000, 0, low, middle, PREV_PREEMPTED);
	feed(3000, 1, high, PROBE_CONTENTION_BEGIN, lock, LCB_WRITE | LCB_RT);
	switch_to(3000, 1, high, IDLE1, PREV_UNINTERRUPTIBLE);
	if (boosted) {
		feed(3001, 1, high, PROBE_SCHED_PI_SETPRIO, low, PRIO_CHANGE(120, 19));
		switch_to(3002, 0, middle, low, PREV_PREEMPTED);
	} else {
		switch_to(7000, 0, middle, low, PREV_INTERRUPTIBLE);
	}
	feed(7500, 0, low, PROBE_LOCK_RELEASED, lock, LOCK_READ);
	feed(7500, 0, low, PROBE_SCHED_WAKEUP, high, 1);
	switch_to(7501, 1, IDLE1, high, 0);
	feed(7502, 1, high, PROBE_CONTENTION_END, lock, 0);
	switch_to(8000, 0, low, IDLE0, PREV_INTERRUPTIBLE);
	switch_to(8000, 1, high, IDLE1, PREV_INTERRUPTIBLE);
	detect_end(d, s, 10 * MS);
	return (struct run_result){ .scenario = &scenario, .sim = s, .detect = d, .image = "image",
				    .locks = "tree", .carrier = "fiber", .seed = 7,
				    .sim_ns = 10 * MS, .events = seq, .expected = true };
}

static struct run_result inversion(bool boosted)
{
	return inversion_of(LOW, MIDDLE, HIGH, boosted);
}

static const char *print(void (*how)(FILE *, const struct run_result *), struct run_result r)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	how(f, &r);
	fclose(f);
	return text;
}

static const char *json(const char *name)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	json_string(f, name);
	fclose(f);
	return text;
}

static const char *column(const char *name, int width)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	print_column(f, name, width);
	fclose(f);
	return text;
}

/* The part of the row of @label behind the bar, or NULL. */
static const char *row(const char *all, const char *label)
{
	static char found[256];
	char want[64];

	snprintf(want, sizeof(want), " %s ", label);
	for (const char *line = all; line && *line; line = strchr(line, '\n') + 1) {
		const char *bar = strchr(line, '|'), *at = strstr(line, want);

		if (!bar || !at || at > bar || bar > strchr(line, '\n'))
			continue;
		snprintf(found, sizeof(found), "%.*s", (int)strcspn(bar + 1, "\n"), bar + 1);
		return found;
	}
	return NULL;
}

static size_t count(const char *in, char c)
{
	size_t n = 0;

	for (; *in; in++)
		n += *in == c;
	return n;
}

static void assert_narrow(const char *all)
{
	const char *at = strstr(all, "\nFrom ");
	int columns = 0;

	assert_non_null(at);
	for (at++; *at && strncmp(at, "\n\n", 2);) {
		int n = utf8_length(at);

		assert_true(n > 0);
		columns = *at == '\n' ? 0 : columns + utf8_columns(at, n);
		assert_true(columns <= 100);
		at += n;
	}
}

/* ---- strings */

static void json_strings_are_json_whatever_is_in_a_name(void **state)
{
	(void)state;
	assert_string_equal(json("&ep->lock"), "\"&ep->lock\"");
	assert_string_equal(json("a\"b\\c"), "\"a\\\"b\\\\c\"");
	assert_string_equal(json("a\n\t\x7f"), "\"a\\u000a\\u0009\\u007f\"");
	assert_string_equal(json("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
			    "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* cut in the middle, too long a form, half a pair, past the end, a byte of the middle */
	assert_string_equal(json("x\xe2\x82"), "\"x\\ufffd\\ufffd\"");
	assert_string_equal(json("\xc0\xaf"), "\"\\ufffd\\ufffd\"");
	assert_string_equal(json("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
	assert_string_equal(json("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	assert_string_equal(json("\x80z"), "\"\\ufffdz\"");
}

static void a_column_is_as_wide_as_it_says(void **state)
{
	(void)state;
	assert_string_equal(column("abc", 5), "abc  ");
	assert_string_equal(column("abcdef", 5), "abcde");
	assert_string_equal(column("\xc3\xa4\xc3\xb6", 3), "\xc3\xa4\xc3\xb6 ");
	/* two columns each; the third does not fit */
	assert_string_equal(column("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad", 5),
			    "\xe4\xb8\xad\xe6\x96\x87 ");
	assert_string_equal(column("a\x1b[2Jb\xff", 8), "a?[2Jb? ");
	assert_string_equal(column("\xc2\x9b" "2J", 4), "?2J ");
}

/* ---- the timeline */

static void the_timeline_shows_who_waits_and_who_runs(void **state)
{
	const char *all = print(timeline_print, inversion(false));

	(void)state;
	assert_narrow(all);
	/* the wait of 4.502 ms, a quarter and 100 us on each side; middle has the CPU for 5 ms */
	assert_non_null(strstr(all, "\nFrom 1774 us, a column is 89.142 us:\n"));
	assert_int_equal(count(row(all, "high"), 'b'), 50);
	assert_int_equal(count(row(all, "middle"), '#'), 56);
	assert_int_equal(count(row(all, "low"), '.'), 56);
	assert_int_equal(count(row(all, "low"), '^'), 0);
	assert_int_equal(count(row(all, "CPU 0"), 'm'), 56);
	assert_int_equal(count(row(all, "CPU 1"), 'm'), 0);
}

static void a_boost_shows_at_once(void **state)
{
	const char *all = print(timeline_print, inversion(true));

	(void)state;
	/* from 3.002 ms on; nobody takes the boost away */
	assert_true(count(row(all, "low"), '^') > 50);
	assert_int_equal(count(row(all, "middle"), '#'), 11);
}

static void a_thread_that_only_sleeps_has_no_row(void **state)
{
	const char *all;

	(void)state;
	all = print(timeline_print, inversion(false));
	assert_null(row(all, "kworker"));
	assert_null(row(all, "swapper/0"));
	assert_non_null(row(all, "low"));
}

static void a_thread_that_runs_in_the_window_has_a_row(void **state)
{
	(void)state;
	switch_to(500, 0, IDLE0, WORKER, 0);
	switch_to(1000, 0, WORKER, IDLE0, PREV_INTERRUPTIBLE);
	assert_null(row(print(timeline_print, inversion(false)), "kworker"));
	teardown(NULL);
	setup(NULL);
	feed(900, 0, IDLE0, PROBE_SCHED_WAKEUP, WORKER, 0);
	assert_non_null(row(print(timeline_print, inversion(false)), "kworker"));
}

static void long_and_foreign_names_stay_in_100_columns(void **state)
{
	const char *all;

	(void)state;
	for (int i = 0; i < 40; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s%d", i & 1 ? "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96"
			 "\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad" : "a-name-that-is-longer-than-a-row",
			 i);
		task(name, 120, TASK_SCENARIO);
	}
	all = print(report_text, inversion(false));
	assert_narrow(all);
	/* of 24 rows the chain has the first ones */
	assert_non_null(row(all, "high"));
	assert_non_null(row(all, "low"));
	assert_non_null(strstr(all, "    (19 more tasks left out)\n"));
}

static void the_chain_has_the_first_rows(void **state)
{
	enum { FILLERS = 30, FIRST = WORKER + 1, LAST = FIRST + FILLERS };
	char name[16];
	const char *all;

	(void)state;
	for (int i = 0; i < FILLERS; i++) {
		snprintf(name, sizeof(name), "filler%d", i);
		task(name, 120, TASK_SCENARIO);
		feed(100, 0, IDLE0, PROBE_SCHED_WAKEUP, (uint32_t)(FIRST + i), 0);
	}
	task("last-low", 120, TASK_SCENARIO);
	task("last-middle", 49, TASK_SCENARIO);
	task("last-high", 19, TASK_SCENARIO);
	/* the longest wait is somebody else's */
	feed(200, 0, FIRST, PROBE_CONTENTION_BEGIN, sim_lock_id(s, lock_memory[1]), LCB_RT);
	all = print(timeline_print, inversion_of(LAST, LAST + 1, LAST + 2, false));
	assert_non_null(row(all, "last-low"));
	assert_non_null(row(all, "last-middle"));
	assert_non_null(row(all, "last-high"));
	assert_non_null(row(all, "filler0"));
	assert_null(row(all, "filler29"));
}

static void nothing_happened_is_no_timeline(void **state)
{
	struct run_result r = { .scenario = &scenario, .sim = s, .detect = d, .sim_ns = MS };

	(void)state;
	text[0] = 0;
	assert_string_equal(print(timeline_print, r), "");
}

/* ---- reports */

static void the_text_says_verdict_chain_and_waits(void **state)
{
	const char *all = print(report_text, inversion(false));

	(void)state;
	assert_int_equal(strncmp(all, "inversion: by-hand on image, seed 7, at 4000.000 us\n", 51), 0);
	assert_non_null(strstr(all, "\nBlocking chain:\n  1. high waits for &ep->lock for writing, held "
				    "for reading by low\n  2. low is runnable, middle has CPU 0\n"));
	assert_non_null(strstr(all, "\n  high             &ep->lock            write           4502.000   "
				    "    4000.000  low              no\n"));
	assert_non_null(strstr(all, "the scenario expects nothing of this image\n"));
}

static void a_report_has_its_time_and_text(void **state)
{
	const char *all;

	(void)state;
	feed(500, 0, IDLE0, PROBE_RCU_STALL, 3, LOW);
	all = print(report_text, inversion(false));
	assert_non_null(strstr(all, "\nReports:\n  at 500.000 us: RCU stall"));
	all = print(report_json, inversion(false));
	assert_non_null(strstr(all, "\"reports\": [\n    {\"at_ns\": 500000, \"text\": \"RCU stall"));
}

static void the_json_object_has_every_key_of_the_contract(void **state)
{
	static const char *const parts[] = {
		"{\n  \"scenario\": \"by-hand\",\n  \"image\": \"image\",\n  \"locks\": \"tree\",\n  "
		"\"verdict\": \"inversion\",\n  \"at_ns\": 4000000,\n  \"sim_ns\": 10000000,\n  "
		"\"events\": 13,\n  \"seed\": 7,\n  \"carrier\": \"fiber\",\n  \"digest\": \"\",\n",
		"{\"waiter\": \"high\", \"waits_for\": \"&ep->lock\", \"kind\": \"lock\", \"holder\": "
		"\"low\"}", "{\"task\": \"high\", \"lock\": \"&ep->lock\", \"mode\": \"write\", "
		"\"wait_ns\": 4502000, \"inverted_ns\": 4000000, \"holder\": \"low\", \"boosted\": false}",
		"\"reports\": []\n}\n"
	};
	const char *all = print(report_json, inversion(false));

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_non_null(strstr(all, parts[i]));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(json_strings_are_json_whatever_is_in_a_name),
		T(a_column_is_as_wide_as_it_says),
		T(the_timeline_shows_who_waits_and_who_runs),
		T(a_boost_shows_at_once),
		T(a_thread_that_only_sleeps_has_no_row),
		T(a_thread_that_runs_in_the_window_has_a_row),
		T(long_and_foreign_names_stay_in_100_columns),
		T(the_chain_has_the_first_rows),
		T(nothing_happened_is_no_timeline),
		T(the_text_says_verdict_chain_and_waits),
		T(a_report_has_its_time_and_text),
		T(the_json_object_has_every_key_of_the_contract),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
