/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeping locks with readers: readers are counted, a writer owns the queue.
 *
 *  read:    while readers are favoured, one more.  Otherwise through the queue, which lends the
 *           reader's priority to the writer that owns it, and out again.
 *  write:   takes the queue, ends the favour, waits until the last reader has left.
 *  unread:  the last one wakes the writer that waits for it.
 *
 * Where the queue is an rt_mutex of its own, inside, waits for it are told apart from waits for
 * readers; otherwise there is one wait for the whole.
 *
 * Nobody knows who the readers are, so none of them is ever lent a priority.
 *
 * Source: kernel/locking/rwbase_rt.c, Linux 6.12.  With reader bias (before 6.4) a reader comes in
 * as long as no writer has the lock.
 */
#include "sim/base/check.h"
#include "sim/lock/private.h"

static bool admits(const struct sim_lock *l, bool biased)
{
	return biased ? !l->rw.written : l->rw.bias;
}

static void take_read(struct sim_lock *l, bool biased, uint32_t flags)
{
	struct sim *s = l->set->sim;

	if (admits(l, biased)) {
		l->rw.readers++;
		return;
	}
	engine_log(s, PROBE_CONTENTION_BEGIN, l->id, LCB_READ | flags);
	queue_take(l->set, &l->queue, l->ops->lends ? l->inner_id : LOCK_SILENT, flags);
	l->rw.readers++;
	queue_release(l->set, &l->queue);
	engine_log(s, PROBE_CONTENTION_END, l->id, 0);
}

static void release_read(struct sim_lock *l)
{
	if (!--l->rw.readers && l->rw.drains)
		abstract_wake(l->set->sim, l->rw.drains);
}

static void drain(struct sim_lock *l)
{
	struct sim *s = l->set->sim;

	l->rw.drains = lock_current(l->set);
	for (;;) {
		abstract_prepare(s);
		if (!l->rw.readers)
			break;
		abstract_block(s, PREV_UNINTERRUPTIBLE);
	}
	l->rw.drains = NULL;
}

static void take_write(struct sim_lock *l, uint32_t flags)
{
	struct sim *s = l->set->sim;
	bool inner = l->ops->lends, waits = l->queue.owner || l->rw.readers;

	if (inner)
		queue_take(l->set, &l->queue, l->inner_id, flags);
	waits = inner ? l->rw.readers : waits;
	if (waits)
		engine_log(s, PROBE_CONTENTION_BEGIN, l->id, LCB_WRITE | flags);
	if (!inner)
		queue_take(l->set, &l->queue, LOCK_SILENT, 0);
	l->rw.bias = false;
	if (l->rw.readers)
		drain(l);
	l->rw.written = true;
	if (waits)
		engine_log(s, PROBE_CONTENTION_END, l->id, 0);
}

static void release_write(struct sim_lock *l)
{
	l->rw.written = false;
	l->rw.bias = true;
	queue_release(l->set, &l->queue);
}

static bool try_write(struct sim_lock *l)
{
	if (l->rw.readers || !queue_try_take(l->set, &l->queue))
		return false;
	l->rw.bias = false;
	l->rw.written = true;
	return true;
}

static bool try_read(struct sim_lock *l)
{
	bool in = admits(l, false);

	l->rw.readers += in;
	return in;
}

static bool try_read_biased(struct sim_lock *l)
{
	bool in = admits(l, true);

	l->rw.readers += in;
	return in;
}

static void read_rt(struct sim_lock *l)
{
	take_read(l, false, LCB_RT);
}

static void read_biased(struct sim_lock *l)
{
	take_read(l, true, LCB_RT);
}

static void read_fifo(struct sim_lock *l)
{
	take_read(l, false, 0);
}

static void write_rt(struct sim_lock *l)
{
	take_write(l, LCB_RT);
}

static void write_fifo(struct sim_lock *l)
{
	take_write(l, 0);
}

#define RW(read, try, write) \
	.try_take = try_write, .take = write, .release = release_write, .try_read = try, \
	.take_read = read, .release_read = release_read

const struct lock_ops rwlock_rt_ops = {
	.lends = true, .steals = true, .pins = true, RW(read_rt, try_read, write_rt)
};
const struct lock_ops rwsem_rt_ops = { .lends = true, RW(read_rt, try_read, write_rt) };
const struct lock_ops rwlock_bias_ops = {
	.lends = true, .steals = true, .pins = true, RW(read_biased, try_read_biased, write_rt)
};
const struct lock_ops rwsem_bias_ops = {
	.lends = true, RW(read_biased, try_read_biased, write_rt)
};
/* without PREEMPT_RT: first come, no priority is lent */
const struct lock_ops rwsem_fifo_ops = { RW(read_fifo, try_read, write_fifo) };
