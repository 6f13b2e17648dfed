/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/core/cost.h"

/*
 * Orders of magnitude of a present x86 server; what matters is their proportion and that they
 * vary.  A lock's fast path is one uncontended atomic operation up to a cache-line transfer; a
 * context switch and a wake-up are those of a PREEMPT_RT kernel; a reschedule interrupt takes
 * about as long as cross-socket latency measurements show.
 */
const struct cost_range cost_table[NR_COSTS] = {
	[COST_LOCK] = { 10, 60 },
	[COST_SWITCH] = { 600, 1400 },
	[COST_WAKEUP] = { 300, 900 },
	[COST_IRQ] = { 400, 1200 },
	[COST_SYSCALL] = { 80, 240 },
	[COST_COPY] = { 20, 80 },
	[COST_IPI] = { 500, 2000 },
	[COST_ACCESS] = { 0, 200 },
	[COST_STEP] = { 20, 100 },
	[COST_RELAX] = { 20, 40 },
};
