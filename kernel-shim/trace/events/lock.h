/* SPDX-License-Identifier: GPL-2.0-only */
/* Lock contention as probe records; the flags are the kernel's. */
#ifndef LOCKSTEP_TRACE_LOCK_H
#define LOCKSTEP_TRACE_LOCK_H

#include <linux/sched.h>

#define LCB_F_SPIN (1U << 0)
#define LCB_F_READ (1U << 1)
#define LCB_F_WRITE (1U << 2)
#define LCB_F_RT (1U << 3)
#define LCB_F_PERCPU (1U << 4)
#define LCB_F_MUTEX (1U << 5)

#ifdef LOCKSTEP_NATIVE
#define lockstep_contention_begin(lock, flags) do { } while (0)
#define lockstep_contention_end(lock, ret) do { } while (0)
#else
void lockstep_contention_begin(void *lock, unsigned int flags);
void lockstep_contention_end(void *lock, int ret);
#endif

#define trace_contention_begin(lock, flags) lockstep_contention_begin((void *)(lock), flags)
/* of no interest: lock_released says the same, also without a waiter */
#define trace_contended_release(lock) do { } while (0)
#define trace_contended_release_enabled() false
#define trace_call__contended_release(lock) do { } while (0)
#define trace_contention_end(lock, ret) lockstep_contention_end((void *)(lock), ret)

/* mutex.c exports its tracepoints; these are none. */
#ifndef EXPORT_TRACEPOINT_SYMBOL_GPL
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)
#endif

#endif
