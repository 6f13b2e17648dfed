/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lock entry points, wrapped at link time: each operation takes time, is a scheduling point and
 * a probe record.  Fast paths are inline in the kernel and would pass unseen otherwise.
 */
#ifndef LOCKSTEP_LOCKWRAP_H
#define LOCKSTEP_LOCKWRAP_H

#include "kern.h"

static inline void lockstep_acquired(void *lock, enum lock_mode mode, const void *caller)
{
	u32 id = host->lock_id(host->sim, lock);

	lockstep_log(PROBE_LOCK_ACQUIRED, id, mode);
	host->lock_hook(host->sim, id, mode, true, caller);
}

static inline void lockstep_released(void *lock, enum lock_mode mode)
{
	lockstep_log(PROBE_LOCK_RELEASED, host->lock_id(host->sim, lock), mode);
}

/* void lock(type *) */
#define WRAP_LOCK(fn, type, mode)                                                                 \
	void __real_##fn(type *l);                                                                \
	void __wrap_##fn(type *l);                                                                \
	void __wrap_##fn(type *l)                                                                 \
	{                                                                                         \
		lockstep_cost(COST_LOCK);                                                         \
		__real_##fn(l);                                                                   \
		lockstep_acquired(l, mode, __builtin_return_address(0));                          \
	}

/* int lock(type *), 0 when taken */
#define WRAP_LOCK_INT(fn, type, mode)                                                             \
	int __real_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l)                                                                  \
	{                                                                                         \
		int ret;                                                                          \
                                                                                                  \
		lockstep_cost(COST_LOCK);                                                         \
		ret = __real_##fn(l);                                                             \
		if (!ret)                                                                         \
			lockstep_acquired(l, mode, __builtin_return_address(0));                  \
		return ret;                                                                       \
	}

/* int trylock(type *), 1 when taken */
#define WRAP_TRYLOCK(fn, type, mode)                                                              \
	int __real_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l)                                                                  \
	{                                                                                         \
		int ret;                                                                          \
                                                                                                  \
		lockstep_cost(COST_LOCK);                                                         \
		ret = __real_##fn(l);                                                             \
		if (ret)                                                                          \
			lockstep_acquired(l, mode, __builtin_return_address(0));                  \
		return ret;                                                                       \
	}

/*
 * The release is told before it happens: inside, a woken waiter may take the lock and say so.
 */
#define WRAP_UNLOCK(fn, type, mode)                                                               \
	void __real_##fn(type *l);                                                                \
	void __wrap_##fn(type *l);                                                                \
	void __wrap_##fn(type *l)                                                                 \
	{                                                                                         \
		lockstep_cost(COST_LOCK);                                                         \
		lockstep_released(l, mode);                                                       \
		__real_##fn(l);                                                                   \
	}

#endif
