/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks by name: what initialises a lock tells the host what it is called.
 */
#include "kern.h"

#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

void lockstep_name_spinlock(spinlock_t *lock, const char *name);
void lockstep_name_rwlock(rwlock_t *lock, const char *name);
void lockstep_name_raw(raw_spinlock_t *lock, const char *name);
void lockstep_name_mutex(struct mutex *lock, const char *name);

static void named(const void *lock, enum bridge_lock_kind kind, const char *name)
{
	host->lock_name(host->sim, lock, kind, name);
}

void lockstep_name_spinlock(spinlock_t *lock, const char *name)
{
	named(lock, BRIDGE_LOCK_SPIN, name);
}

void lockstep_name_rwlock(rwlock_t *lock, const char *name)
{
	named(lock, BRIDGE_LOCK_RW, name);
}

void lockstep_name_raw(raw_spinlock_t *lock, const char *name)
{
	named(lockstep_raw_key(lock), BRIDGE_LOCK_RAW_SPIN, name);
}

void lockstep_name_mutex(struct mutex *lock, const char *name)
{
	named(lock, BRIDGE_LOCK_MUTEX, name);
}

/* One that was never initialised by name is part of another lock, or a static one. */
u32 lockstep_raw_id(const void *lock)
{
	const void *key = lockstep_raw_key(lock);

	if (!host->lock_known(host->sim, key))
		named(key, BRIDGE_LOCK_RAW_SPIN, NULL);
	return host->lock_id(host->sim, key);
}

#define WRAP_INIT(fn, type, kind, address)                                                        \
	void __real_##fn(type *l, const char *name, struct lock_class_key *key);                  \
	void __wrap_##fn(type *l, const char *name, struct lock_class_key *key);                  \
	void __wrap_##fn(type *l, const char *name, struct lock_class_key *key)                   \
	{                                                                                         \
		__real_##fn(l, name, key);                                                        \
		named(address, kind, name);                                                       \
	}

WRAP_INIT(__init_rwsem, struct rw_semaphore, BRIDGE_LOCK_RWSEM, l)
WRAP_INIT(__rt_mutex_init, struct rt_mutex, BRIDGE_LOCK_RTMUTEX, l)
/* a wait queue goes by the name of its head, and so does the lock inside it */
WRAP_INIT(__init_waitqueue_head, struct wait_queue_head, BRIDGE_LOCK_WAITQUEUE, &l->lock)
