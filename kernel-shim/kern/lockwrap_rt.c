/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spinlock_t and rwlock_t on RT, where they sleep.
 */
#include "lockwrap.h"

#include <linux/spinlock.h>

WRAP_LOCK(rt_spin_lock, spinlock_t, LOCK_EXCLUSIVE)
WRAP_TRYLOCK(rt_spin_trylock, spinlock_t, LOCK_EXCLUSIVE)
WRAP_UNLOCK(rt_spin_unlock, spinlock_t, LOCK_EXCLUSIVE)
WRAP_LOCK(rt_read_lock, rwlock_t, LOCK_READ)
WRAP_TRYLOCK(rt_read_trylock, rwlock_t, LOCK_READ)
WRAP_UNLOCK(rt_read_unlock, rwlock_t, LOCK_READ)
WRAP_LOCK(rt_write_lock, rwlock_t, LOCK_WRITE)
WRAP_TRYLOCK(rt_write_trylock, rwlock_t, LOCK_WRITE)
WRAP_UNLOCK(rt_write_unlock, rwlock_t, LOCK_WRITE)
