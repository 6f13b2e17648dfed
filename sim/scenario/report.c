/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of a run as people read it: verdict first, then why.
 */
#include "sim/scenario/report.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "sim/base/utf8.h"

#define WAITS_SHOWN 8

const char *mode_name(enum lock_mode m)
{
	static const char *const names[] = { [LOCK_EXCLUSIVE] = "exclusive", [LOCK_READ] = "read",
					     [LOCK_WRITE] = "write" };

	return names[m];
}

const char *task_name(const struct run_result *r, int64_t id)
{
	const struct task *t = id < 0 ? NULL : sim_task(r->sim, (uint32_t)id);

	return t ? t->name : "";
}

/* What would move the cursor: control characters, those of two bytes too. */
static bool is_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

/* Prints up to @width columns of @s; how many are left. */
static int print_part(FILE *f, const char *s, int width)
{
	while (*s) {
		int n = utf8_length(s), columns = utf8_columns(s, n);

		if (columns > width)
			break;
		if (!n || is_control(s))
			putc('?', f);
		else
			fwrite(s, 1, (size_t)n, f);
		s += n ? n : 1;
		width -= columns;
	}
	return width;
}

void print_column(FILE *f, const char *s, int width)
{
	fprintf(f, "%*s", print_part(f, s, width), "");
}

static void print_words(FILE *f, const char *s)
{
	print_part(f, s, INT_MAX);
}

static void print_us(FILE *f, uint64_t ns, int width)
{
	fprintf(f, "%*" PRIu64 ".%03u", width, ns / 1000, (unsigned int)(ns % 1000));
}

static void print_chain(FILE *f, const struct chain *c)
{
	if (!c->nr)
		return;
	fprintf(f, "\nBlocking chain%s:\n", c->closed ? " (it comes back to itself)" : "");
	for (int i = 0; i < c->nr; i++) {
		fprintf(f, "  %d. ", i + 1);
		print_words(f, c->edges[i].words);
		putc('\n', f);
	}
}

static void print_wait(FILE *f, const struct run_result *r, const struct wait *w)
{
	const char *holder = task_name(r, w->holder);

	fputs("  ", f);
	print_column(f, task_name(r, w->task), 17);
	print_column(f, sim_lock(r->sim, w->lock)->name, 21);
	print_column(f, mode_name(w->mode), 10);
	print_us(f, w->wait_ns, 10);
	print_us(f, w->inverted_ns, 11);
	fputs("  ", f);
	print_column(f, *holder ? holder : "-", 17);
	fprintf(f, "%s%s\n", w->boosted ? "yes" : "no", w->over ? "" : "  (still waiting)");
}

static void print_waits(FILE *f, const struct run_result *r)
{
	const struct wait *w;
	int nr = detect_waits(r->detect, &w);

	if (!nr)
		return;
	fprintf(f, "\nLongest waits:\n  %-16s %-20s %-9s %14s %14s  %-16s %s\n", "task", "lock", "mode",
		"wait us", "inverted us", "holder", "boosted");
	for (int i = 0; i < nr && i < WAITS_SHOWN; i++)
		print_wait(f, r, &w[i]);
}

static void print_reports(FILE *f, const struct run_result *r)
{
	const struct report *p;
	int nr = detect_reports(r->detect, &p);

	if (nr)
		fprintf(f, "\nReports:\n");
	for (int i = 0; i < nr; i++) {
		fprintf(f, "  at ");
		print_us(f, p[i].at_ns, 0);
		fprintf(f, " us: ");
		print_words(f, p[i].text);
		putc('\n', f);
	}
}

static void print_expectation(FILE *f, const struct run_result *r)
{
	const struct expectation *x = scenario_expects(r->scenario, r->image);

	if (!x || !x->verdicts)
		fputs("the scenario expects nothing of this image\n", f);
	else if (r->expected)
		fputs("as the scenario expects\n", f);
}

void report_text(FILE *f, const struct run_result *r)
{
	enum verdict v = detect_verdict(r->detect);
	const struct detect_counts *c = detect_counts(r->detect);

	fprintf(f, "%s: ", verdict_names[v]);
	print_words(f, r->scenario->name);
	fprintf(f, " on %s, seed %" PRIu64, r->image, r->seed);
	if (v < VERDICT_LIMIT) {
		fprintf(f, ", at ");
		print_us(f, detect_at(r->detect), 0);
		fprintf(f, " us");
	}
	if (!r->expected) {
		fputs("  -- not as expected: ", f);
		print_words(f, r->expectation);
	}
	putc('\n', f);
	if (*detect_words(r->detect)) {
		fputs("  ", f);
		print_words(f, detect_words(r->detect));
		putc('\n', f);
	}
	print_chain(f, detect_chain(r->detect));
	timeline_print(f, r);
	print_waits(f, r);
	print_reports(f, r);
	if (r->printed && *r->printed)
		fprintf(f, "\nKernel messages:\n%s\n", r->printed);
	fprintf(f, "\n%" PRIu64 " events in ", r->events);
	print_us(f, r->sim_ns, 0);
	fprintf(f, " us; %" PRIu64 " switches, %" PRIu64 " waits, %" PRIu64 " boosts, %" PRIu64
		" throttled; %s carrier\n", c->switches, c->waits, c->boosts, c->throttles, r->carrier);
	print_expectation(f, r);
	if (*r->digest)
		fprintf(f, "digest %s\n", r->digest);
}
