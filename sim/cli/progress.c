/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of long commands: nothing in the first seconds, and nothing but on a terminal.
 */
#include "sim/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_S 2.0	/* what takes no longer says nothing */
#define REFRESH_S 0.2

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_begin(struct progress *p, uint64_t all)
{
	*p = (struct progress){ .since = now_s(), .all = all, .wanted = isatty(STDERR_FILENO) };
}

void progress_step(struct progress *p, const char *what)
{
	double now, took;

	p->done++;
	if (!p->wanted)
		return;
	now = now_s();
	took = now - p->since;
	if (took < QUIET_S || now - p->shown < REFRESH_S)
		return;
	p->shown = now;
	p->visible = true;
	fprintf(stderr, "\r%s: run %" PRIu64 " of %" PRIu64 ", %.0f s left \033[K", what, p->done,
		p->all, took / (double)p->done * (double)(p->all - p->done));
}

void progress_end(const struct progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
}
