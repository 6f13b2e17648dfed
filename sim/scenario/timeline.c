/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timeline: the guilty window as characters.
 *
 * A column is a slice of the window and shows what a task was in most of the slice; what it was
 * before the window is known from the last change in front of it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/report.h"

#define COLUMNS 80
#define ROWS_MAX 24

struct row {
	uint32_t task;
	uint64_t spent[COLUMNS][8];	/* ns by state; 6: running boosted */
};

/* Running boosted is a state of its own to look at. */
enum { SHOW_BOOSTED = 6 };

static const char letters[] = { [STATE_ASLEEP] = ' ', [STATE_RUNNING] = '#', [STATE_RUNNABLE] = '.',
				[STATE_BLOCKED] = 'b', [STATE_THROTTLED] = 't', [STATE_DEAD] = ' ',
				[SHOW_BOOSTED] = '^' };

static void spend(struct row *row, uint64_t from, uint64_t to, uint64_t begin, uint64_t slice,
		  int state)
{
	while (from < to) {
		uint64_t column = (from - begin) / slice, edge = begin + (column + 1) * slice;
		uint64_t end = edge < to ? edge : to;

		if (column >= COLUMNS)
			return;
		row->spent[column][state] += end - from;
		from = end;
	}
}

static char letter(const uint64_t spent[8])
{
	int best = -1;

	for (int i = 0; i < 7; i++)
		if (spent[i] && (best < 0 || spent[i] > spent[best]))
			best = i;
	return best < 0 ? ' ' : letters[best];
}

static void fill(struct row *row, const struct change *c, uint32_t nr, uint64_t begin,
		 uint64_t end, uint64_t slice)
{
	uint64_t at = begin;
	int state = STATE_ASLEEP;

	for (uint32_t i = 0; i < nr; i++) {
		if (c[i].task != row->task)
			continue;
		if (c[i].at_ns > end)
			break;
		if (c[i].at_ns > at) {
			spend(row, at, c[i].at_ns, begin, slice, state);
			at = c[i].at_ns;
		}
		state = c[i].state == STATE_RUNNING && c[i].boosted ? SHOW_BOOSTED : c[i].state;
	}
	spend(row, at, end, begin, slice, state);
}

static void print_cpu(FILE *f, const struct run_result *r, unsigned int cpu, const struct change *c,
		      uint32_t nr, uint64_t begin, uint64_t slice)
{
	char line[COLUMNS + 1];
	int64_t running = -1;
	uint32_t i = 0;

	for (int column = 0; column < COLUMNS; column++) {
		uint64_t edge = begin + (uint64_t)(column + 1) * slice;
		char mark = ' ';

		if (running >= 0)
			mark = sim_task(r->sim, (uint32_t)running)->name[0];
		for (; i < nr && c[i].at_ns < edge; i++) {
			if (c[i].state == STATE_RUNNING && c[i].cpu == cpu)
				running = c[i].task;
			else if (running == (int64_t)c[i].task)
				running = -1;
			if (running >= 0 && c[i].at_ns >= begin)
				mark = sim_task(r->sim, (uint32_t)running)->name[0];
		}
		line[column] = mark;
	}
	line[COLUMNS] = 0;
	fprintf(f, "  CPU %-2u         |%s\n", cpu, line);
}

static bool seen(const struct change *c, uint32_t nr, uint32_t task, uint64_t begin, uint64_t end)
{
	for (uint32_t i = 0; i < nr; i++)
		if (c[i].task == task && c[i].at_ns >= begin && c[i].at_ns <= end)
			return true;
	return false;
}

void timeline_print(FILE *f, const struct run_result *r)
{
	struct change *c = malloc(CHANGES_MAX * sizeof(*c));
	struct row *row = malloc(sizeof(*row));
	uint64_t begin, end, slice;
	uint32_t nr, shown = 0;

	SIM_CHECK(c && row);
	detect_window(r->detect, &begin, &end);
	if (end > r->sim_ns)
		end = r->sim_ns;
	nr = detect_changes(r->detect, c, CHANGES_MAX);
	if (end <= begin || !nr) {
		free(c);
		free(row);
		return;
	}
	slice = (end - begin + COLUMNS - 1) / COLUMNS;
	fprintf(f, "\nFrom %" PRIu64 " us, a column is %" PRIu64 ".%03u us:\n"
		"  # running  ^ running boosted  . runnable  b blocked  t throttled; CPUs by first letter\n",
		begin / 1000, slice / 1000, (unsigned int)(slice % 1000));
	for (unsigned int cpu = 0; cpu < sim_nr_cpus(r->sim) && cpu < 8; cpu++)
		print_cpu(f, r, cpu, c, nr, begin, slice);
	for (uint32_t t = 0; t < sim_nr_tasks(r->sim) && shown < ROWS_MAX; t++) {
		if (sim_task(r->sim, t)->kind == TASK_IDLE)
			continue;
		if (sim_task(r->sim, t)->kind != TASK_SCENARIO && !seen(c, nr, t, begin, end))
			continue;
		memset(row, 0, sizeof(*row));
		row->task = t;
		fill(row, c, nr, begin, end, slice);
		fprintf(f, "  %-14.14s |", sim_task(r->sim, t)->name);
		for (int column = 0; column < COLUMNS; column++)
			putc(letter(row->spent[column]), f);
		putc('\n', f);
		shown++;
	}
	free(c);
	free(row);
}
