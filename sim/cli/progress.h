/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a long command is and how long it will take, on stderr, for people who wait.
 */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	double since, shown;
	uint64_t done, all;	/* runs */
	bool wanted, visible;
};

void progress_begin(struct progress *p, uint64_t all);
/* One more run is done, of @what. */
void progress_step(struct progress *p, const char *what);
void progress_end(const struct progress *p);

#endif
