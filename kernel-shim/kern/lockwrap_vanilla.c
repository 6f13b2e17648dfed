/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spinlock_t and rwlock_t where they spin.  Raw spinlocks go through the same functions, and the
 * scheduler's own would drown a trace, so only locks that were initialised by name are told.
 */
#include "lockwrap.h"

#include <linux/spinlock.h>

static bool told(const void *lock)
{
	return host->lock_known(host->sim, lock);
}

/* A record is made while the lock is held, a cost before or after: interrupts may be off. */
#define WRAP_VOID(fn, type, mode)                                                                 \
	void __real_##fn(type *l);                                                                \
	void __wrap_##fn(type *l);                                                                \
	void __wrap_##fn(type *l)                                                                 \
	{                                                                                         \
		bool named = told(l);                                                             \
                                                                                                  \
		if (named)                                                                        \
			lockstep_cost(COST_LOCK);                                                 \
		__real_##fn(l);                                                                   \
		if (named)                                                                        \
			lockstep_acquired(l, mode, __builtin_return_address(0));                  \
	}
#define WRAP_FLAGS(fn, type, mode)                                                                \
	unsigned long __real_##fn(type *l);                                                       \
	unsigned long __wrap_##fn(type *l);                                                       \
	unsigned long __wrap_##fn(type *l)                                                        \
	{                                                                                         \
		bool named = told(l);                                                             \
		unsigned long flags;                                                              \
                                                                                                  \
		if (named)                                                                        \
			lockstep_cost(COST_LOCK);                                                 \
		flags = __real_##fn(l);                                                           \
		if (named)                                                                        \
			lockstep_acquired(l, mode, __builtin_return_address(0));                  \
		return flags;                                                                     \
	}
#define WRAP_TRY(fn, type, mode)                                                                  \
	int __real_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l);                                                                 \
	int __wrap_##fn(type *l)                                                                  \
	{                                                                                         \
		int ret = __real_##fn(l);                                                         \
                                                                                                  \
		if (ret && told(l))                                                               \
			lockstep_acquired(l, mode, __builtin_return_address(0));                  \
		return ret;                                                                       \
	}
#define WRAP_RELEASE(fn, type, mode)                                                              \
	void __real_##fn(type *l);                                                                \
	void __wrap_##fn(type *l);                                                                \
	void __wrap_##fn(type *l)                                                                 \
	{                                                                                         \
		if (told(l)) {                                                                    \
			lockstep_cost(COST_LOCK);                                                 \
			lockstep_released(l, mode);                                               \
		}                                                                                 \
		__real_##fn(l);                                                                   \
	}
#define WRAP_RESTORE(fn, type, mode)                                                              \
	void __real_##fn(type *l, unsigned long flags);                                           \
	void __wrap_##fn(type *l, unsigned long flags);                                           \
	void __wrap_##fn(type *l, unsigned long flags)                                            \
	{                                                                                         \
		if (told(l)) {                                                                    \
			lockstep_cost(COST_LOCK);                                                 \
			lockstep_released(l, mode);                                               \
		}                                                                                 \
		__real_##fn(l, flags);                                                            \
	}
#define WRAP_FAMILY(op, type, mode)                                                               \
	WRAP_VOID(_raw_##op##_lock, type, mode)                                                   \
	WRAP_VOID(_raw_##op##_lock_irq, type, mode)                                               \
	WRAP_VOID(_raw_##op##_lock_bh, type, mode)                                                \
	WRAP_FLAGS(_raw_##op##_lock_irqsave, type, mode)                                          \
	WRAP_TRY(_raw_##op##_trylock, type, mode)                                                 \
	WRAP_RELEASE(_raw_##op##_unlock, type, mode)                                              \
	WRAP_RELEASE(_raw_##op##_unlock_irq, type, mode)                                          \
	WRAP_RELEASE(_raw_##op##_unlock_bh, type, mode)                                           \
	WRAP_RESTORE(_raw_##op##_unlock_irqrestore, type, mode)

WRAP_FAMILY(spin, raw_spinlock_t, LOCK_EXCLUSIVE)
WRAP_FAMILY(read, rwlock_t, LOCK_READ)
WRAP_FAMILY(write, rwlock_t, LOCK_WRITE)
