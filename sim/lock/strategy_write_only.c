/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The 2021 RFC: readers take the write side, so whoever holds the lock is known and boosted.
 */
#include "sim/lock/private.h"

const struct lock_strategy strategy_write_only = {
	.name = "write-only",
	.ops = { [BRIDGE_LOCK_SPIN] = &spin_rt_ops, [BRIDGE_LOCK_RAW_SPIN] = &spin_queued_ops,
		 [BRIDGE_LOCK_RW] = &spin_rt_ops, [BRIDGE_LOCK_RWSEM] = &mutex_rt_ops,
		 [BRIDGE_LOCK_MUTEX] = &mutex_rt_ops, [BRIDGE_LOCK_RTMUTEX] = &mutex_rt_ops },
};
