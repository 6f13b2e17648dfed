/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/scenario/report.h"

#include <inttypes.h>
#include <string.h>

#define WAITS_SHOWN 8

static const char *const modes[] = { "exclusive", "read", "write" };

static const char *task_name(const struct run_result *r, int64_t id)
{
	const struct task *t = id < 0 ? NULL : sim_task(r->sim, (uint32_t)id);

	return t ? t->name : "";
}

static void print_ns(FILE *f, uint64_t ns)
{
	fprintf(f, "%" PRIu64 ".%03u us", ns / 1000, (unsigned int)(ns % 1000));
}

static void print_chain(FILE *f, const struct chain *c)
{
	if (!c->nr)
		return;
	fprintf(f, "\nBlocking chain%s:\n", c->closed ? " (it comes back to itself)" : "");
	for (int i = 0; i < c->nr; i++)
		fprintf(f, "  %d. %s\n", i + 1, c->edges[i].words);
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
		fprintf(f, "  %-16.16s %-20.20s %-9s %10" PRIu64 ".%03u %10" PRIu64 ".%03u  %-16.16s %s%s\n",
			task_name(r, w[i].task), sim_lock(r->sim, w[i].lock)->name, modes[w[i].mode],
			w[i].wait_ns / 1000, (unsigned int)(w[i].wait_ns % 1000),
			w[i].inverted_ns / 1000, (unsigned int)(w[i].inverted_ns % 1000),
			*task_name(r, w[i].holder) ? task_name(r, w[i].holder) : "-",
			w[i].boosted ? "yes" : "no", w[i].over ? "" : "  (still waiting)");
}

static void print_reports(FILE *f, const struct run_result *r)
{
	const struct report *p;
	int nr = detect_reports(r->detect, &p);

	if (nr)
		fprintf(f, "\nReports:\n");
	for (int i = 0; i < nr; i++) {
		fprintf(f, "  at ");
		print_ns(f, p[i].at_ns);
		fprintf(f, ": %s\n", p[i].text);
	}
}

void report_text(FILE *f, const struct run_result *r)
{
	enum verdict v = detect_verdict(r->detect);
	const struct detect_counts *c = detect_counts(r->detect);

	fprintf(f, "%s: %s on %s, seed %" PRIu64, verdict_names[v], r->scenario->name, r->image,
		r->seed);
	if (v < VERDICT_LIMIT) {
		fprintf(f, ", at ");
		print_ns(f, detect_at(r->detect));
	}
	fprintf(f, "%s%s\n", r->expected ? "" : "  -- not as expected: ", r->expectation);
	if (*detect_words(r->detect))
		fprintf(f, "  %s\n", detect_words(r->detect));
	print_chain(f, detect_chain(r->detect));
	timeline_print(f, r);
	print_waits(f, r);
	print_reports(f, r);
	if (*r->printed)
		fprintf(f, "\nKernel messages:\n%s\n", r->printed);
	fprintf(f, "\n%" PRIu64 " events in ", r->events);
	print_ns(f, r->sim_ns);
	fprintf(f, "; %" PRIu64 " switches, %" PRIu64 " waits, %" PRIu64 " boosts, %" PRIu64
		" throttled; %s carrier\n", c->switches, c->waits, c->boosts, c->throttles, r->carrier);
	if (*r->digest)
		fprintf(f, "digest %s\n", r->digest);
}

/* ---- JSON */

void json_string(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

static void member(FILE *f, const char *key, const char *value, const char *end)
{
	fprintf(f, "\"%s\": ", key);
	json_string(f, value);
	fputs(end, f);
}

static void json_chain(FILE *f, const struct chain *c)
{
	fprintf(f, "  \"chain\": [");
	for (int i = 0; i < c->nr; i++) {
		const struct edge *e = &c->edges[i];

		fprintf(f, "%s\n    {", i ? "," : "");
		member(f, "waiter", e->waiter, ", ");
		member(f, "waits_for", e->waits_for, ", ");
		member(f, "kind", edge_names[e->kind], ", ");
		member(f, "holder", e->holder, "}");
	}
	fprintf(f, "%s],\n", c->nr ? "\n  " : "");
}

static void json_waits(FILE *f, const struct run_result *r)
{
	const struct wait *w;
	int nr = detect_waits(r->detect, &w);

	fprintf(f, "  \"waits\": [");
	for (int i = 0; i < nr; i++) {
		fprintf(f, "%s\n    {", i ? "," : "");
		member(f, "task", task_name(r, w[i].task), ", ");
		member(f, "lock", sim_lock(r->sim, w[i].lock)->name, ", ");
		member(f, "mode", modes[w[i].mode], ", ");
		fprintf(f, "\"wait_ns\": %" PRIu64 ", \"inverted_ns\": %" PRIu64 ", ", w[i].wait_ns,
			w[i].inverted_ns);
		member(f, "holder", task_name(r, w[i].holder), ", ");
		fprintf(f, "\"boosted\": %s}", w[i].boosted ? "true" : "false");
	}
	fprintf(f, "%s],\n", nr ? "\n  " : "");
}

static void json_reports(FILE *f, const struct run_result *r)
{
	const struct report *p;
	int nr = detect_reports(r->detect, &p);

	fprintf(f, "  \"reports\": [");
	for (int i = 0; i < nr; i++) {
		fprintf(f, "%s\n    {\"at_ns\": %" PRIu64 ", ", i ? "," : "", p[i].at_ns);
		member(f, "text", p[i].text, "}");
	}
	fprintf(f, "%s]\n", nr ? "\n  " : "");
}

void report_json(FILE *f, const struct run_result *r)
{
	fprintf(f, "{\n  ");
	member(f, "scenario", r->scenario->name, ",\n  ");
	member(f, "image", r->image, ",\n  ");
	member(f, "locks", r->locks, ",\n  ");
	member(f, "verdict", verdict_names[detect_verdict(r->detect)], ",\n  ");
	fprintf(f, "\"at_ns\": %" PRIu64 ",\n  \"sim_ns\": %" PRIu64 ",\n  \"events\": %" PRIu64
		",\n  \"seed\": %" PRIu64 ",\n  ", detect_at(r->detect), r->sim_ns, r->events, r->seed);
	member(f, "carrier", r->carrier, ",\n  ");
	member(f, "digest", r->digest, ",\n  ");
	member(f, "about", detect_words(r->detect), ",\n  ");
	fprintf(f, "\"expected\": %s,\n", r->expected ? "true" : "false");
	json_chain(f, detect_chain(r->detect));
	json_waits(f, r);
	json_reports(f, r);
	fprintf(f, "}\n");
}
