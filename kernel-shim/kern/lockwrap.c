/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeping locks that RT and other kernels have alike.
 */
#include "lockwrap.h"

#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>

WRAP_LOCK(mutex_lock, struct mutex, LOCK_EXCLUSIVE)
WRAP_LOCK_INT(mutex_lock_interruptible, struct mutex, LOCK_EXCLUSIVE)
WRAP_LOCK_INT(mutex_lock_killable, struct mutex, LOCK_EXCLUSIVE)
WRAP_TRYLOCK(mutex_trylock, struct mutex, LOCK_EXCLUSIVE)
WRAP_UNLOCK(mutex_unlock, struct mutex, LOCK_EXCLUSIVE)

WRAP_LOCK(rt_mutex_lock, struct rt_mutex, LOCK_EXCLUSIVE)
WRAP_TRYLOCK(rt_mutex_trylock, struct rt_mutex, LOCK_EXCLUSIVE)
WRAP_UNLOCK(rt_mutex_unlock, struct rt_mutex, LOCK_EXCLUSIVE)

WRAP_LOCK(down_read, struct rw_semaphore, LOCK_READ)
WRAP_TRYLOCK(down_read_trylock, struct rw_semaphore, LOCK_READ)
WRAP_UNLOCK(up_read, struct rw_semaphore, LOCK_READ)
WRAP_LOCK(down_write, struct rw_semaphore, LOCK_WRITE)
WRAP_TRYLOCK(down_write_trylock, struct rw_semaphore, LOCK_WRITE)
WRAP_UNLOCK(up_write, struct rw_semaphore, LOCK_WRITE)
