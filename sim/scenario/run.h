/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running a scenario: one image, any number of seeds.
 */
#ifndef SIM_SCENARIO_RUN_H
#define SIM_SCENARIO_RUN_H

#include "sim/detect/detect.h"
#include "sim/scenario/scenario.h"

struct run;
struct ftrace;

struct run_result {
	const struct scenario *scenario;
	const struct sim *sim;
	struct detect *detect;		/* freed by run_result_free() */
	const char *image, *locks, *carrier;
	uint64_t seed, sim_ns, events;
	char digest[65];		/* "" when it was not asked for */
	bool expected;
	char expectation[256];		/* why not, when it was not as expected */
	const char *printed;		/* kernel messages */
};

/* Boots the image for the scenario.  0, or -EINVAL with a line in @d. */
int run_open(const struct scenario *sc, const char *image, const char *carrier, struct run **out,
	     struct diag *d);
void run_close(struct run *r);
/*
 * One run.  @trace: where the probe stream goes too, or NULL.  The result lives until the next
 * run or run_close().
 */
int run_once(struct run *r, uint64_t seed, struct ftrace *trace, struct run_result *out,
	     struct diag *d);
void run_result_free(struct run_result *out);

#endif
