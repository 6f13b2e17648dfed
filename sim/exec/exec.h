/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ordinary programs on a simulated machine: their threads are tasks, their system calls enter a
 * kernel image.
 */
#ifndef SIM_EXEC_EXEC_H
#define SIM_EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/diag.h"

#define EXEC_PROGRAMS_MAX 8
#define EXEC_GROUPS_MAX 8

struct exec_group {
	char name[32];		/* program, without folder and .lab */
	int64_t quota_ns;
	uint64_t period_ns;
};

struct exec_config {
	const char *image, *carrier;
	uint64_t seed, duration_ns;
	int cpus;
	uint64_t irq_period_ns, irq_ns;	/* an interrupt thread on each CPU; period 0: none */
	struct exec_group groups[EXEC_GROUPS_MAX];
	int nr_groups;
	char **programs[EXEC_PROGRAMS_MAX];	/* argv of each, ending with NULL */
	int nr_programs;
};

struct exec_result {
	int status;		/* of the first program that did not end with 0, else 0 */
	bool ok;		/* the verdict, and every program has ended */
	char digest[65];
};

/* 0, or -EINVAL with a line in @d.  What is wrong is told on stderr, stdout is the programs'. */
int exec_run(const struct exec_config *c, struct exec_result *out, struct diag *d);

#endif
