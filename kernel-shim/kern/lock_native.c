/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spinlocks of real threads.
 *
 * A raw one is an atomic word.  A waiter gives its CPU away now and then: the owner is a thread,
 * and the host may have preempted it.  Spinlocks that sleep (RT) are pthread mutexes with priority
 * inheritance, inside of an RCU read section as in the kernel's own.
 */
#include "kern.h"

#include <linux/rcupdate.h>
#include <linux/spinlock.h>

void arch_spin_lock(arch_spinlock_t *l)
{
	while (__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE))
		while (READ_ONCE(l->locked))
			cpu_relax();
}

int arch_spin_trylock(arch_spinlock_t *l)
{
	return !__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE);
}

void arch_spin_unlock(arch_spinlock_t *l)
{
	__atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE);
}

#ifdef CONFIG_PREEMPT_RT
static struct bridge_mutex *mutex_of(spinlock_t *l)
{
	return &l->lock.wait_lock.raw_lock.mutex;
}

void rt_spin_lock(spinlock_t *l)
{
	host->native->mutex_lock(mutex_of(l));
	rcu_read_lock();
}

int rt_spin_trylock(spinlock_t *l)
{
	if (!host->native->mutex_trylock(mutex_of(l)))
		return 0;
	rcu_read_lock();
	return 1;
}

void rt_spin_unlock(spinlock_t *l)
{
	rcu_read_unlock();
	host->native->mutex_unlock(mutex_of(l));
}
#endif
