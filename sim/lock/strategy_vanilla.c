/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Without PREEMPT_RT: spinlocks and rwlocks spin in the order of coming, mutexes and rwsems sleep in
 * that order; only an rt_mutex lends priorities.
 *
 * Simpler than the kernel's: a mutex's waiters do not spin on its owner, and nobody takes it from
 * under the waiter that was woken.
 */
#include "sim/lock/private.h"

const struct lock_strategy strategy_vanilla = {
	.name = "vanilla",
	.ops = { [BRIDGE_LOCK_SPIN] = &spin_queued_ops, [BRIDGE_LOCK_RAW_SPIN] = &spin_queued_ops,
		 [BRIDGE_LOCK_RW] = &rw_queued_ops, [BRIDGE_LOCK_RWSEM] = &rwsem_fifo_ops,
		 [BRIDGE_LOCK_MUTEX] = &mutex_fifo_ops, [BRIDGE_LOCK_RTMUTEX] = &mutex_rt_ops },
};
