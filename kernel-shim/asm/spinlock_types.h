/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_SPINLOCK_TYPES_H
#define LOCKSTEP_ASM_SPINLOCK_TYPES_H

#if defined(LOCKSTEP_NATIVE)
#include "kernel-shim/bridge.h"

/*
 * A spinlock_t of RT is a sleeping lock whose first member is a raw one.  Of real threads it is a
 * pthread mutex, which finds its room here, since every lock is initialised by way of this.
 */
typedef struct {
	unsigned int locked;
#ifdef CONFIG_PREEMPT_RT
	struct bridge_mutex mutex;
#endif
} arch_spinlock_t;
#ifdef CONFIG_PREEMPT_RT
#define __ARCH_SPIN_LOCK_UNLOCKED { 0, BRIDGE_MUTEX_UNLOCKED }
typedef struct {
	int count;		/* of a type that RT does not use */
} arch_rwlock_t;
#define __ARCH_RW_LOCK_UNLOCKED { 0 }
#else
#define __ARCH_SPIN_LOCK_UNLOCKED { 0 }
#include <asm-generic/qrwlock_types.h>
#endif

#elif defined(CONFIG_QUEUED_SPINLOCKS)
#include <asm-generic/qspinlock_types.h>
#include <asm-generic/qrwlock_types.h>
#else
/* A ticket lock: CPUs that wait are parked by the engine and served in order. */
typedef struct {
	unsigned short next, owner;
} arch_spinlock_t;
#define __ARCH_SPIN_LOCK_UNLOCKED { 0, 0 }

typedef struct {
	int count;	/* readers, or -1 */
} arch_rwlock_t;
#define __ARCH_RW_LOCK_UNLOCKED { 0 }
#endif

#endif
