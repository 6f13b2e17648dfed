/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_SPINLOCK_H
#define LOCKSTEP_ASM_SPINLOCK_H

#ifdef CONFIG_QUEUED_SPINLOCKS
#include <asm-generic/qspinlock.h>
#include <asm-generic/qrwlock.h>
#else
void arch_spin_lock(arch_spinlock_t *l);
int arch_spin_trylock(arch_spinlock_t *l);
void arch_spin_unlock(arch_spinlock_t *l);
#ifdef LOCKSTEP_NATIVE
#define arch_spin_is_locked(l) (READ_ONCE((l)->locked) != 0)
#define arch_spin_is_contended(l) 0		/* nobody counts who waits */
#define arch_spin_value_unlocked(l) (!(l).locked)
#ifdef CONFIG_QUEUED_RWLOCKS
#include <asm-generic/qrwlock.h>
#endif
#else
#define arch_spin_is_locked(l) ((l)->next != (l)->owner)
#define arch_spin_is_contended(l) ((unsigned short)((l)->next - (l)->owner) > 1)
#define arch_spin_value_unlocked(l) ((l).next == (l).owner)
#endif
#endif

#endif
