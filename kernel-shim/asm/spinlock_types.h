/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_SPINLOCK_TYPES_H
#define LOCKSTEP_ASM_SPINLOCK_TYPES_H

#ifdef CONFIG_QUEUED_SPINLOCKS
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
