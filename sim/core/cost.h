/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost model: how long things take, in nanoseconds, as a range the oracle draws from.
 *
 * One table serves all images and a scenario cannot change it; seeds differ because of it.
 */
#ifndef SIM_CORE_COST_H
#define SIM_CORE_COST_H

#include <stdint.h>

#include "kernel-shim/bridge.h"

struct cost_range {
	uint32_t lo, hi;	/* ns, both included */
};

extern const struct cost_range cost_table[NR_COSTS];

/* Access-hooked images: at most so many memory accesses before time passes. */
#define COST_ACCESS_DISTANCE_MAX 32

/* Most a busy-waiting CPU sleeps over a change: turns of its loop grow up to this. */
#define COST_RELAX_MAX_NS 400

#endif
