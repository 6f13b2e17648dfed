/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PREEMPT_RT since 6.4: sleeping locks lend priorities; readers are counted, never boosted, and a
 * new one waits as soon as a writer does.
 */
#include "sim/lock/private.h"

const struct lock_strategy strategy_rt = {
	.name = "rt",
	.ops = { [BRIDGE_LOCK_SPIN] = &spin_rt_ops, [BRIDGE_LOCK_RAW_SPIN] = &spin_queued_ops,
		 [BRIDGE_LOCK_RW] = &rwlock_rt_ops, [BRIDGE_LOCK_RWSEM] = &rwsem_rt_ops,
		 [BRIDGE_LOCK_MUTEX] = &mutex_rt_ops, [BRIDGE_LOCK_RTMUTEX] = &mutex_rt_ops },
};
