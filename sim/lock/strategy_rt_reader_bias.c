/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PREEMPT_RT before mainline 286deb7ec03d (6.4): new readers come in while a writer only waits, so
 * a writer can starve and a nested read cannot deadlock.
 */
#include "sim/lock/private.h"

const struct lock_strategy strategy_rt_reader_bias = {
	.name = "rt-reader-bias",
	.ops = { [BRIDGE_LOCK_SPIN] = &spin_rt_ops, [BRIDGE_LOCK_RAW_SPIN] = &spin_queued_ops,
		 [BRIDGE_LOCK_RW] = &rwlock_bias_ops, [BRIDGE_LOCK_RWSEM] = &rwsem_bias_ops,
		 [BRIDGE_LOCK_MUTEX] = &mutex_rt_ops, [BRIDGE_LOCK_RTMUTEX] = &mutex_rt_ops },
};
