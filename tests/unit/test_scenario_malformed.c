/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Malformed scenarios made by rule: each ends with -EINVAL and one line that names the place.
 *
 * The rules break a file that loads, which each test checks first: otherwise an unrelated mistake
 * in it would let all of them pass.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/scenario/scenario.h"

/* Cut anywhere before the last brace it is no JSON. */
static const char json[] =
	"{\"machine\": {\"cpus\": 2, \"softirq\": {\"thread\": \"ktimers\"}},\n"
	" \"groups\": {\"g\": {\"quota\": \"1ms\", \"period\": \"2ms\", \"timer_cpu\": 1}},\n"
	" \"resources\": {\"e\": {\"type\": \"eventfd\"},\n"
	"   \"ep\": {\"type\": \"epoll\", \"watch\": {\"e\": [\"in\", \"et\"]}}},\n"
	" \"interrupts\": {\"i\": {\"cpu\": 1, \"handler\": {\"write\": \"e\"}}},\n"
	" \"tasks\": {\"t\": {\"group\": \"g\", \"cpus\": [0], \"loop\": -1, \"run\": 5,\n"
	"   \"phases\": {\"p\": {\"epoll_wait\": {\"ref\": \"ep\"}}}}},\n"
	" \"hold\": [{\"lock\": \"&ep->lock\", \"us\": 3}],\n"
	" \"triggers\": [{\"when\": {\"holds\": \"l\"}, \"do\": {\"throttle\": \"t\"}}],\n"
	" \"expect\": {\"*\": {\"verdict\": [\"ok\"], \"max_wait\": {\"t\": \"5ms\"}}}}";

static unsigned int nr_refused;

static int load(const char *text, size_t n, struct diag *d)
{
	struct scenario *s = NULL;
	int err;

	/* at the end of its memory, so that a sanitizer sees a read past it */
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, text, n);
	memset(d, 0x7f, sizeof(*d));
	err = scenario_load_text("bad.json", copy, n, NULL, &s, d);
	free(copy);
	if (!err)
		scenario_free(s);
	else
		assert_null(s);
	return err;
}

static void refused(const char *text, size_t n, const char *rule, size_t i)
{
	struct diag d;
	unsigned int line, column;

	if (load(text, n, &d) != -EINVAL)
		fail_msg("%s, case %zu is taken: %.200s", rule, i, text);
	if (!memchr(d.text, 0, sizeof(d.text)) || strchr(d.text, '\n') ||
	    sscanf(d.text, "bad.json:%u:%u: %*c", &line, &column) != 2 || !line || !column)
		fail_msg("%s, case %zu: %.200s", rule, i, d.text);
	nr_refused++;
}

static void loads(const char *text)
{
	struct diag d;

	if (load(text, strlen(text), &d))
		fail_msg("%s", d.text);
}

static void cut_at_any_byte_it_is_refused(void **state)
{
	(void)state;
	loads(json);
	for (size_t n = 0; n < strlen(json); n += 7)
		refused(json, n, "cut", n);
}

/* Every value of the file in turn is replaced by one of another type. */
static void with_a_value_of_another_type_it_is_refused(void **state)
{
	static const char *const kinds[] = { "[[\"x\"]]", "{\"?\": {\"?\": 1}}" };
	size_t n = strlen(json), nr = 0;
	char text[2 * sizeof(json)];

	(void)state;
	loads(json);
	for (size_t i = 0; i + 2 < n; i++) {
		const char *value = json + i + 2;
		size_t len = *value == '"' ? strcspn(value + 1, "\"") + 2 : strcspn(value, ",}] ");

		if (json[i] != ':' || json[i + 1] != ' ' || *value == '{' || *value == '[')
			continue;
		for (size_t k = 0; k < 2; k++) {
			int size = snprintf(text, sizeof(text), "%.*s%s%s", (int)(i + 2), json, kinds[k],
					    value + len);

			refused(text, (size_t)size, "type", nr++);
		}
	}
	assert_int_equal(nr, 2 * 18);
}

static void with_an_absurd_number_it_is_refused(void **state)
{
	static const char *const places[] = {
		"{\"machine\": {\"cpus\": %s}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"machine\": {\"softirq\": {\"priority\": %s}}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"limits\": {\"events\": %s}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"limits\": {\"memory\": %s}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"groups\": {\"g\": {\"timer_cpu\": %s}}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"interrupts\": {\"i\": {\"count\": %s}}, \"tasks\": {\"t\": {\"run\": 1}}}",
		"{\"tasks\": {\"t\": {\"instance\": %s, \"run\": 1}}}",
		"{\"tasks\": {\"t\": {\"priority\": %s, \"run\": 1}}}",
		"{\"tasks\": {\"t\": {\"loop\": %s, \"run\": 1}}}",
		"{\"tasks\": {\"t\": {\"run\": %s}}}",
		"{\"tasks\": {\"t\": {\"delay\": %s, \"run\": 1}}}",
	};
	static const char *const numbers[] = { "-99", "1e400", "99999999999999999999", "-1e9", "nan",
					       "inf", "1__0", "--5", "0x", "\"\"" };
	char text[300];
	size_t nr = 0;

	(void)state;
	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		snprintf(text, sizeof(text), places[p], p == 3 ? "16" : p == 4 ? "0" : "1");
		loads(text);
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			int n = snprintf(text, sizeof(text), places[p], numbers[i]);

			refused(text, (size_t)n, "number", nr++);
		}
	}
}

static void nested_too_deep_it_is_refused(void **state)
{
	static const char *const open[] = { "[", "{\"a\": " }, *const close[] = { "]", "}" };
	static const size_t depths[] = { 33, 100, 1000, 100000 };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
			char *text = NULL;
			size_t n = 0;
			FILE *f = open_memstream(&text, &n);

			for (size_t d = 0; d < depths[i]; d++)
				fputs(open[k], f);
			fputc('1', f);
			for (size_t d = 0; d < depths[i]; d++)
				fputs(close[k], f);
			fclose(f);
			refused(text, n, "nesting", depths[i]);
			/* and never closed */
			refused(text, n / 2, "open nesting", depths[i]);
			free(text);
		}
	}
}

static void with_an_alias_it_is_refused(void **state)
{
	static const char *const texts[] = {
		"a: &a 1\nb: *a\ntasks: {t: {run: 1}}\n",
		"tasks: &t {t: {run: 1}}\nhold: *t\n",
		"tasks: &t {t: *t}\n",
		"a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\ntasks: {t: {run: 1}}\n",
		"tasks: {t: {<<: *x}}\n",
		"tasks: {t: {run: *nowhere}}\n",
	};

	(void)state;
	loads("tasks: &t {t: {run: &r 1}}\n");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refused(texts[i], strlen(texts[i]), "alias", i);
}

static void with_bytes_that_are_no_utf8_it_is_refused(void **state)
{
	static const char *const bytes[] = { "\x80", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf8",
					     "\xe2\x82", "\x01", "\x7f\x1b" };
	static const char *const places[] = { "name: x%s\ntasks: {t: {run: 1}}\n",
					      "tasks: {t%s: {run: 1}}\n",
					      "tasks: {t: {run: 1}} # %s\n" };
	char text[100];

	(void)state;
	loads("name: x\xc3\xa9\ntasks: {t\xe2\x82\xac: {run: 1}} # \xf0\x9f\x98\x80\n");
	for (size_t p = 0; p < 3; p++) {
		for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
			int n = snprintf(text, sizeof(text), places[p], bytes[i]);

			refused(text, (size_t)n, "bytes", p * 10 + i);
		}
	}
}

static void with_more_than_memory_should_hold_it_is_refused(void **state)
{
	static const char *const rules[][3] = {
		/* head, line repeated, tail */
		{ "tasks:\n  t:\n    instance: 1000\n", "    run%d: 1\n", "" },
		{ "tasks:\n  t:\n    instance: 1000\n    phases:\n", "      p%d: {}\n", "" },
		{ "tasks:\n", "  t%d: {run: 1}\n", "" },
		{ "tasks: {t: {run: 1}}\nresources:\n", "  r%d: {type: mutex}\n", "" },
		{ "tasks: {t: {run: 1}}\ngroups:\n", "  g%d: {}\n", "" },
		{ "tasks: {t: {run: 1}}\ninterrupts:\n", "  i%d: {}\n", "" },
		{ "tasks:\n  t:\n", "    timer%d: {ref: r%1$d, period: 5}\n", "" },
		{ "tasks: {t: {run: 1}}\nhold: [", "x%d, ", "]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *f = open_memstream(&text, &n);

		fputs(rules[i][0], f);
		for (int k = 0; k < 5000; k++)
			fprintf(f, rules[i][1], k);
		fputs(rules[i][2], f);
		fclose(f);
		refused(text, n, "size", i);
		free(text);
	}
}

static void comments_that_do_not_end_are_refused(void **state)
{
	static const char *const texts[] = { "/*", "/* {\"tasks\": {}}", "{} /*", "//", "/", "/**",
					     "\"/* ", "{\"tasks\": \"\\", "/*/" };

	(void)state;
	loads("/***/{\"tasks\": /* * / */ {\"t\": {\"run\": 1}}} // end");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refused(texts[i], strlen(texts[i]), "comment", i);
}

static void the_rules_made_at_least_200_cases(void **state)
{
	(void)state;
	assert_true(nr_refused >= 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_any_byte_it_is_refused),
		cmocka_unit_test(with_a_value_of_another_type_it_is_refused),
		cmocka_unit_test(with_an_absurd_number_it_is_refused),
		cmocka_unit_test(nested_too_deep_it_is_refused),
		cmocka_unit_test(with_an_alias_it_is_refused),
		cmocka_unit_test(with_bytes_that_are_no_utf8_it_is_refused),
		cmocka_unit_test(with_more_than_memory_should_hold_it_is_refused),
		cmocka_unit_test(comments_that_do_not_end_are_refused),
		cmocka_unit_test(the_rules_made_at_least_200_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
