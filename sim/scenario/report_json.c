/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <string.h>

#include "sim/base/utf8.h"
#include "sim/scenario/report.h"

void json_string(FILE *f, const char *s)
{
	putc('"', f);
	while (*s) {
		unsigned char c = (unsigned char)*s;
		int n = utf8_length(s);

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\u%04x", c);
		else if (!n)
			fputs("\\ufffd", f);
		else
			fwrite(s, 1, (size_t)n, f);
		s += n ? n : 1;
	}
	putc('"', f);
}

void json_member(FILE *f, const char *key, const char *value, const char *end)
{
	json_string(f, key);
	fputs(": ", f);
	json_string(f, value);
	fputs(end, f);
}

static void json_number(FILE *f, const char *key, uint64_t value, const char *end)
{
	fprintf(f, "\"%s\": %" PRIu64 "%s", key, value, end);
}

static void json_chain(FILE *f, const struct chain *c)
{
	fprintf(f, "  \"chain\": [");
	for (int i = 0; i < c->nr; i++) {
		const struct edge *e = &c->edges[i];

		fprintf(f, "%s\n    {", i ? "," : "");
		json_member(f, "waiter", e->waiter, ", ");
		json_member(f, "waits_for", e->waits_for, ", ");
		json_member(f, "kind", edge_names[e->kind], ", ");
		json_member(f, "holder", e->holder, "}");
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
		json_member(f, "task", task_name(r, w[i].task), ", ");
		json_member(f, "lock", sim_lock(r->sim, w[i].lock)->name, ", ");
		json_member(f, "mode", mode_name(w[i].mode), ", ");
		json_number(f, "wait_ns", w[i].wait_ns, ", ");
		json_number(f, "inverted_ns", w[i].inverted_ns, ", ");
		json_member(f, "holder", task_name(r, w[i].holder), ", ");
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
		fprintf(f, "%s\n    {", i ? "," : "");
		json_number(f, "at_ns", p[i].at_ns, ", ");
		json_member(f, "text", p[i].text, "}");
	}
	fprintf(f, "%s]\n", nr ? "\n  " : "");
}

void report_json(FILE *f, const struct run_result *r)
{
	fputs("{\n  ", f);
	json_member(f, "scenario", r->scenario->name, ",\n  ");
	json_member(f, "image", r->image, ",\n  ");
	json_member(f, "locks", r->locks, ",\n  ");
	json_member(f, "verdict", verdict_names[detect_verdict(r->detect)], ",\n  ");
	json_number(f, "at_ns", detect_at(r->detect), ",\n  ");
	json_number(f, "sim_ns", r->sim_ns, ",\n  ");
	json_number(f, "events", r->events, ",\n  ");
	json_number(f, "seed", r->seed, ",\n  ");
	json_member(f, "carrier", r->carrier, ",\n  ");
	json_member(f, "digest", r->digest, ",\n  ");
	json_member(f, "about", detect_words(r->detect), ",\n  ");
	fprintf(f, "\"expected\": %s,\n", r->expected ? "true" : "false");
	json_chain(f, detect_chain(r->detect));
	json_waits(f, r);
	json_reports(f, r);
	fputs("}\n", f);
}
