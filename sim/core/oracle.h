/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The oracle: who answers whenever more than one thing could happen.
 *
 * Costs, phases, start offsets and ties are all asked here and nowhere else, so a replay is a
 * list of answers and an explorer is just another oracle.
 */
#ifndef SIM_CORE_ORACLE_H
#define SIM_CORE_ORACLE_H

#include <stdint.h>

struct oracle {
	/* 0 .. n-1; n is at least 1 */
	uint32_t (*choose)(struct oracle *o, uint32_t n);
};

/* Seeded random answers: xoshiro256** seeded by splitmix64. */
struct oracle_random {
	struct oracle base;
	uint64_t state[4];
};
void oracle_random_init(struct oracle_random *o, uint64_t seed);

#endif
