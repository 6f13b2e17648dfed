/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pre-included behind the kernel's headers: locks get the name they are initialised under.
 * Only LOCKDEP keeps names in the kernel; rwsems and wait queues carry theirs through their init
 * functions, which are wrapped (kern/lockname.c).
 */
#ifndef LOCKSTEP_NAMES_H
#define LOCKSTEP_NAMES_H

#include <linux/mutex.h>
#include <linux/spinlock.h>

#ifdef LOCKSTEP_NATIVE		/* nobody asks for names */
#define lockstep_name_raw(lock, name) do { } while (0)
#else
void lockstep_name_spinlock(spinlock_t *lock, const char *name);
void lockstep_name_rwlock(rwlock_t *lock, const char *name);
void lockstep_name_raw(raw_spinlock_t *lock, const char *name);
void lockstep_name_mutex(struct mutex *lock, const char *name);

#undef raw_spin_lock_init
#define raw_spin_lock_init(l)                                                                     \
	do {                                                                                      \
		*(l) = __RAW_SPIN_LOCK_UNLOCKED(l);                                               \
		lockstep_name_raw(l, #l);                                                         \
	} while (0)

#undef mutex_init
#define mutex_init(l)                                                                             \
	do {                                                                                      \
		static struct lock_class_key key;                                                 \
		__mutex_init(l, #l, &key);                                                        \
		lockstep_name_mutex(l, #l);                                                       \
	} while (0)

#undef spin_lock_init
#undef rwlock_init
#ifdef CONFIG_PREEMPT_RT
#define spin_lock_init(l)                                                                         \
	do {                                                                                      \
		rt_mutex_base_init(&(l)->lock);                                                   \
		lockstep_name_spinlock(l, #l);                                                    \
	} while (0)
#define rwlock_init(l)                                                                            \
	do {                                                                                      \
		init_rwbase_rt(&(l)->rwbase);                                                     \
		lockstep_name_rwlock(l, #l);                                                      \
	} while (0)
#else
#define spin_lock_init(l)                                                                         \
	do {                                                                                      \
		*(l) = __SPIN_LOCK_UNLOCKED(l);                                                   \
		lockstep_name_spinlock(l, #l);                                                    \
	} while (0)
#define rwlock_init(l)                                                                            \
	do {                                                                                      \
		*(l) = __RW_LOCK_UNLOCKED(l);                                                     \
		lockstep_name_rwlock(l, #l);                                                      \
	} while (0)
#endif
#endif

#endif
