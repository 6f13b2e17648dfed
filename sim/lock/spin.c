/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spinning locks: preemption is off, a CPU that has to wait is parked.
 *
 * Waiters queue up in the order of coming, readers and writers alike; a reader in interrupt context
 * does not queue behind a writer that only waits, or it could wait for the task it interrupted.
 *
 * Source: kernel/locking/qspinlock.c and qrwlock.c, Linux 6.12.
 */
#include "sim/lock/private.h"

static bool turn(const struct sim_lock *l, uint32_t ticket)
{
	return l->spin.owner == ticket;
}

static void spin(struct sim_lock *l)
{
	engine_spin_wait(l->set->sim, l);
}

static void next_turn(struct sim_lock *l)
{
	l->spin.owner++;
	engine_spin_wake(l->set->sim, l);
}

/* Exclusive: waits for its turn, then for those who are in. */
static void take(struct sim_lock *l, uint32_t flags)
{
	struct sim *s = l->set->sim;
	uint32_t ticket = l->spin.next++;

	abstract_preempt_disable(s);
	if (!turn(l, ticket) || l->spin.readers || l->spin.written) {
		engine_log(s, PROBE_CONTENTION_BEGIN, l->id, flags);
		while (!turn(l, ticket) || l->spin.readers || l->spin.written)
			spin(l);
		engine_log(s, PROBE_CONTENTION_END, l->id, 0);
	}
	l->spin.written = true;
	next_turn(l);
}

static bool try_take(struct sim_lock *l)
{
	if (l->spin.next != l->spin.owner || l->spin.readers || l->spin.written)
		return false;
	abstract_preempt_disable(l->set->sim);
	l->spin.written = true;
	return true;
}

static void release(struct sim_lock *l)
{
	l->spin.written = false;
	engine_spin_wake(l->set->sim, l);
	abstract_preempt_enable(l->set->sim);
}

static void take_spin(struct sim_lock *l)
{
	take(l, LCB_SPIN);
}

static void take_write(struct sim_lock *l)
{
	take(l, LCB_SPIN | LCB_WRITE);
}

static void take_read(struct sim_lock *l)
{
	struct sim *s = l->set->sim;
	bool queues = !abstract_in_irq(s);
	uint32_t ticket = queues ? l->spin.next++ : 0;

	abstract_preempt_disable(s);
	if ((queues && !turn(l, ticket)) || l->spin.written) {
		engine_log(s, PROBE_CONTENTION_BEGIN, l->id, LCB_SPIN | LCB_READ);
		while ((queues && !turn(l, ticket)) || l->spin.written)
			spin(l);
		engine_log(s, PROBE_CONTENTION_END, l->id, 0);
	}
	l->spin.readers++;
	if (queues)
		next_turn(l);
}

static bool try_read(struct sim_lock *l)
{
	if (l->spin.next != l->spin.owner || l->spin.written)
		return false;
	abstract_preempt_disable(l->set->sim);
	l->spin.readers++;
	return true;
}

static void release_read(struct sim_lock *l)
{
	l->spin.readers--;
	engine_spin_wake(l->set->sim, l);
	abstract_preempt_enable(l->set->sim);
}

const struct lock_ops spin_queued_ops = {
	.try_take = try_take, .take = take_spin, .release = release,
};
const struct lock_ops rw_queued_ops = {
	.try_take = try_take, .take = take_write, .release = release, .try_read = try_read,
	.take_read = take_read, .release_read = release_read,
};
