/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timeline: the guilty window as characters.
 *
 * A column is a slice of the window and shows what a task was in most of the slice; what it was
 * before the window is known from the last change in front of it.  Rows are few, so whoever is
 * in the chain comes first: a task that blocked long before the verdict changes nothing in the
 * window, and is the one to look at.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/report.h"

#define LABEL 16
#define COLUMNS (TIMELINE_WIDTH - LABEL - 6)	/* "  x " before the label, " |" behind it */
#define TASK_ROWS_MAX 24
#define CPU_ROWS_MAX 16
#define OTHER '*'	/* runs, and has no row */
#define BRIEFLY ':'	/* ran, but was asleep for most of the slice */

/* Running boosted is a state of its own to look at. */
enum { SHOW_BOOSTED = STATE_DEAD + 1, NR_SHOWN };

static const char letters[NR_SHOWN] = {
	[STATE_ASLEEP] = ' ', [STATE_RUNNING] = '#', [STATE_RUNNABLE] = '.', [STATE_BLOCKED] = 'b',
	[STATE_THROTTLED] = 't', [STATE_DEAD] = ' ', [SHOW_BOOSTED] = '^'
};

struct timeline {
	const struct run_result *r;
	struct change *changes;
	uint32_t nr;
	uint64_t begin, end, slice;
	uint8_t *rank;		/* by task: 0 is not shown, smaller ones come first */
	char *mark;		/* by task: its letter in the rows of CPUs, 0 without a row */
	uint32_t left_out;	/* tasks without a row */
};

enum { RANK_NONE, RANK_CHAIN, RANK_WAIT, RANK_SEEN, NR_RANKS };

static void rank_task(struct timeline *l, uint32_t task, uint8_t rank)
{
	if (sim_task(l->r->sim, task)->kind == TASK_IDLE)
		return;
	if (!l->rank[task] || rank < l->rank[task])
		l->rank[task] = rank;
}

static void rank_name(struct timeline *l, const char *name)
{
	for (uint32_t t = 0; t < sim_nr_tasks(l->r->sim); t++)
		if (!strcmp(sim_task(l->r->sim, t)->name, name))
			rank_task(l, t, RANK_CHAIN);
}

/* ---- the window */

static bool in_chain(const struct chain *c, const char *name)
{
	for (int i = 0; i < c->nr; i++)
		if (!strcmp(c->edges[i].waiter, name))
			return true;
	return false;
}

/* A cycle is best seen from the first of its waits that never ended. */
static void choose_window(struct timeline *l)
{
	const struct chain *c = detect_chain(l->r->detect);
	uint64_t first = UINT64_MAX, at = detect_at(l->r->detect), margin;
	const struct wait *w;
	int nr = detect_waits(l->r->detect, &w);

	detect_window(l->r->detect, &l->begin, &l->end);
	for (int i = 0; c->closed && i < nr; i++)
		if (!w[i].over && w[i].begin_ns < first && in_chain(c, task_name(l->r, w[i].task)))
			first = w[i].begin_ns;
	if (first <= at) {
		margin = (at - first) / 2 + 20000;
		l->begin = first > margin ? first - margin : 0;
		l->end = at + margin;
	}
	if (l->end > l->r->sim_ns)
		l->end = l->r->sim_ns;
}

/* ---- who is shown */

static bool is_active(const struct change *c)
{
	return c->state != STATE_ASLEEP && c->state != STATE_DEAD;
}

/* Whoever did anything in the window; many machine threads only ever sleep. */
static void rank_active(struct timeline *l)
{
	bool *before = calloc(sim_nr_tasks(l->r->sim) + 1, sizeof(*before));

	SIM_CHECK(before);
	for (uint32_t i = 0; i < l->nr && l->changes[i].at_ns <= l->end; i++) {
		const struct change *c = &l->changes[i];

		if (c->at_ns < l->begin)
			before[c->task] = is_active(c);
		else if (is_active(c))
			rank_task(l, c->task, RANK_SEEN);
	}
	for (uint32_t t = 0; t < sim_nr_tasks(l->r->sim); t++)
		if (before[t])
			rank_task(l, t, RANK_SEEN);
	free(before);
}

static void rank_tasks(struct timeline *l)
{
	const struct chain *c = detect_chain(l->r->detect);
	const struct wait *w;
	int nr = detect_waits(l->r->detect, &w);

	for (int i = 0; i < c->nr; i++) {
		rank_name(l, c->edges[i].waiter);
		rank_name(l, c->edges[i].holder);
	}
	if (nr) {
		rank_task(l, w[0].task, RANK_WAIT);
		if (w[0].holder >= 0)
			rank_task(l, (uint32_t)w[0].holder, RANK_WAIT);
	}
	rank_active(l);
	for (uint32_t t = 0; t < sim_nr_tasks(l->r->sim); t++)
		if (sim_task(l->r->sim, t)->kind == TASK_SCENARIO && !sim_task(l->r->sim, t)->dead)
			rank_task(l, t, RANK_SEEN);
}

static bool free_mark(const struct timeline *l, char c)
{
	return c > ' ' && c < 0x7f && c != OTHER && c != '|' &&
	       !memchr(l->mark, c, sim_nr_tasks(l->r->sim));
}

/* A letter of its name if there is one left. */
static char choose_mark(const struct timeline *l, const char *name)
{
	static const char any[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (const char *c = name; *c; c++)
		if (free_mark(l, *c))
			return *c;
	for (const char *c = any; *c; c++)
		if (free_mark(l, *c))
			return *c;
	return OTHER;
}

static void choose_rows(struct timeline *l)
{
	uint32_t shown = 0;

	for (uint8_t rank = RANK_CHAIN; rank < NR_RANKS; rank++) {
		for (uint32_t t = 0; t < sim_nr_tasks(l->r->sim); t++) {
			if (l->rank[t] != rank)
				continue;
			if (shown == TASK_ROWS_MAX) {
				l->left_out++;
				continue;
			}
			l->mark[t] = choose_mark(l, sim_task(l->r->sim, t)->name);
			shown++;
		}
	}
}

/* ---- rows of tasks */

struct row {
	uint64_t spent[COLUMNS][NR_SHOWN];	/* ns by state */
};

static void spend(const struct timeline *l, struct row *row, uint64_t from, uint64_t to, int state)
{
	while (from < to) {
		uint64_t column = (from - l->begin) / l->slice;
		uint64_t edge = l->begin + (column + 1) * l->slice;
		uint64_t end = edge < to ? edge : to;

		if (column >= COLUMNS)
			return;
		row->spent[column][state] += end - from;
		from = end;
	}
}

static char letter(const uint64_t spent[NR_SHOWN])
{
	int best = 0;

	for (int i = 1; i < NR_SHOWN; i++)
		if (spent[i] > spent[best])
			best = i;
	if (letters[best] == ' ' && (spent[STATE_RUNNING] || spent[SHOW_BOOSTED]))
		return BRIEFLY;
	return letters[best];
}

static void fill(const struct timeline *l, uint32_t task, struct row *row)
{
	uint64_t at = l->begin;
	int state = STATE_ASLEEP;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct change *c = &l->changes[i];

		if (c->task != task)
			continue;
		if (c->at_ns > l->end)
			break;
		if (c->at_ns > at) {
			spend(l, row, at, c->at_ns, state);
			at = c->at_ns;
		}
		state = c->state == STATE_RUNNING && c->boosted ? SHOW_BOOSTED : c->state;
	}
	spend(l, row, at, l->end, state);
}

static void print_row(FILE *f, const char *label, char mark, const char *line)
{
	fprintf(f, "  %c ", mark);
	print_column(f, label, LABEL);
	fprintf(f, " |%s\n", line);
}

static void print_task(FILE *f, const struct timeline *l, uint32_t task)
{
	struct row *row = calloc(1, sizeof(*row));
	char line[COLUMNS + 1];

	SIM_CHECK(row);
	fill(l, task, row);
	for (int column = 0; column < COLUMNS; column++)
		line[column] = letter(row->spent[column]);
	line[COLUMNS] = 0;
	print_row(f, sim_task(l->r->sim, task)->name, l->mark[task], line);
	free(row);
}

/* ---- rows of CPUs */

static char mark_of(const struct timeline *l, uint32_t task)
{
	return l->mark[task] ? l->mark[task] : OTHER;
}

/* The task that ran last in each slice, or at its beginning; false: none in the window. */
static bool fill_cpu(const struct timeline *l, unsigned int cpu, char line[COLUMNS + 1])
{
	int64_t running = -1;
	bool any = false;
	uint32_t i = 0;

	for (int column = 0; column < COLUMNS; column++) {
		uint64_t from = l->begin + (uint64_t)column * l->slice, edge = from + l->slice;
		char mark = ' ';

		for (; i < l->nr && l->changes[i].at_ns < edge; i++) {
			const struct change *c = &l->changes[i];

			if (running >= 0 && c->at_ns > from)
				mark = mark_of(l, (uint32_t)running);
			if (c->state == STATE_RUNNING && c->cpu == cpu)
				running = c->task;
			else if (running == (int64_t)c->task)
				running = -1;
		}
		if (running >= 0 && from < l->end)
			mark = mark_of(l, (uint32_t)running);
		line[column] = mark;
		any |= mark != ' ';
	}
	line[COLUMNS] = 0;
	return any;
}

static void print_cpus(FILE *f, const struct timeline *l)
{
	unsigned int nr = sim_nr_cpus(l->r->sim), shown = 0, left_out = 0;
	char line[COLUMNS + 1], label[LABEL + 1];

	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		bool busy = fill_cpu(l, cpu, line);

		if (!busy && nr > 4)
			continue;
		if (shown == CPU_ROWS_MAX) {
			left_out++;
			continue;
		}
		snprintf(label, sizeof(label), "CPU %u", cpu);
		print_row(f, label, ' ', line);
		shown++;
	}
	if (shown + left_out < nr)
		fprintf(f, "    (%u idle CPUs left out)\n", nr - shown - left_out);
	if (left_out)
		fprintf(f, "    (%u more CPUs left out)\n", left_out);
}

static void print_all(FILE *f, const struct timeline *l)
{
	fprintf(f, "\nFrom %" PRIu64 " us, a column is %" PRIu64 ".%03u us:\n"
		"  tasks: # running  : briefly  ^ boosted  . runnable  b blocked  t throttled; "
		"CPUs: letter of task\n",
		l->begin / 1000, l->slice / 1000, (unsigned int)(l->slice % 1000));
	print_cpus(f, l);
	for (uint32_t t = 0; t < sim_nr_tasks(l->r->sim); t++)
		if (l->mark[t])
			print_task(f, l, t);
	if (l->left_out)
		fprintf(f, "    (%u more tasks left out)\n", l->left_out);
}

void timeline_print(FILE *f, const struct run_result *r)
{
	struct timeline l = { .r = r };
	unsigned int nr_tasks = sim_nr_tasks(r->sim);

	l.changes = malloc(CHANGES_MAX * sizeof(l.changes[0]));
	l.rank = calloc(nr_tasks + 1, 1);
	l.mark = calloc(nr_tasks + 1, 1);
	SIM_CHECK(l.changes && l.rank && l.mark);
	choose_window(&l);
	l.nr = detect_changes(r->detect, l.changes, CHANGES_MAX);
	if (l.end > l.begin && l.nr) {
		l.slice = (l.end - l.begin + COLUMNS - 1) / COLUMNS;
		rank_tasks(&l);
		choose_rows(&l);
		print_all(f, &l);
	}
	free(l.changes);
	free(l.rank);
	free(l.mark);
}
