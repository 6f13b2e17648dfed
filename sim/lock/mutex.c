/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exclusive sleeping locks: the queue alone.
 */
#include "sim/lock/private.h"

static bool try_take(struct sim_lock *l)
{
	return queue_try_take(l->set, &l->queue);
}

static void release(struct sim_lock *l)
{
	queue_release(l->set, &l->queue);
}

static void take_rt(struct sim_lock *l)
{
	queue_take(l->set, &l->queue, l->id, LCB_RT);
}

static void take_fifo(struct sim_lock *l)
{
	queue_take(l->set, &l->queue, l->id, LCB_MUTEX);
}

/* spinlock_t of PREEMPT_RT */
const struct lock_ops spin_rt_ops = {
	.lends = true, .steals = true, .pins = true,
	.try_take = try_take, .take = take_rt, .release = release,
};

/* mutex of PREEMPT_RT, and rt_mutex everywhere */
const struct lock_ops mutex_rt_ops = {
	.lends = true,
	.try_take = try_take, .take = take_rt, .release = release,
};

/* mutex without PREEMPT_RT: first come, no priority is lent */
const struct lock_ops mutex_fifo_ops = {
	.try_take = try_take, .take = take_fifo, .release = release,
};
