/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated machine is sequentially consistent, and there a barrier is none.  Threads of a
 * native image need real ones.
 */
#ifndef LOCKSTEP_ASM_BARRIER_H
#define LOCKSTEP_ASM_BARRIER_H

#ifdef LOCKSTEP_NATIVE
#define mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define __smp_mb() mb()
#define __smp_rmb() rmb()
#define __smp_wmb() wmb()
#define __smp_store_mb(var, value)                                                                \
	do {                                                                                      \
		typeof(var) __value = (value);                                                    \
		(void)__atomic_exchange_n(&(var), __value, __ATOMIC_SEQ_CST);                     \
	} while (0)
#define __smp_store_release(p, value)                                                             \
	do {                                                                                      \
		typeof(*(p)) __value = (value);                                                   \
		__atomic_store_n((p), __value, __ATOMIC_RELEASE);                                 \
	} while (0)
#define __smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#endif

#include <asm-generic/barrier.h>

#endif
