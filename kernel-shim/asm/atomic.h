/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atomic operations on the compiler's builtins.  The #define of each name to itself tells the
 * generic fallback headers of either tree that it exists.
 */
#ifndef LOCKSTEP_ASM_ATOMIC_H
#define LOCKSTEP_ASM_ATOMIC_H

#include <linux/types.h>
#include <asm/cmpxchg.h>
#include <asm/barrier.h>

#define ATOMIC64_INIT(i) { (i) }

#define LOCKSTEP_VOID_OP(pfx, type, val, op)                                                      \
	static __always_inline void arch_##pfx##_##op(val i, type *v)                             \
	{                                                                                         \
		__atomic_fetch_##op(&v->counter, i, __ATOMIC_SEQ_CST);                            \
	}                                                                                         \
	static __always_inline val arch_##pfx##_fetch_##op(val i, type *v)                        \
	{                                                                                         \
		return __atomic_fetch_##op(&v->counter, i, __ATOMIC_SEQ_CST);                     \
	}
#define LOCKSTEP_RETURN_OP(pfx, type, val, op)                                                    \
	static __always_inline val arch_##pfx##_##op##_return(val i, type *v)                     \
	{                                                                                         \
		return __atomic_##op##_fetch(&v->counter, i, __ATOMIC_SEQ_CST);                   \
	}
#define LOCKSTEP_ATOMIC(pfx, type, val)                                                           \
	static __always_inline val arch_##pfx##_read(const type *v)                               \
	{                                                                                         \
		return READ_ONCE(v->counter);                                                     \
	}                                                                                         \
	static __always_inline void arch_##pfx##_set(type *v, val i)                              \
	{                                                                                         \
		WRITE_ONCE(v->counter, i);                                                        \
	}                                                                                         \
	LOCKSTEP_VOID_OP(pfx, type, val, add)                                                     \
	LOCKSTEP_VOID_OP(pfx, type, val, sub)                                                     \
	LOCKSTEP_VOID_OP(pfx, type, val, and)                                                     \
	LOCKSTEP_VOID_OP(pfx, type, val, or)                                                      \
	LOCKSTEP_VOID_OP(pfx, type, val, xor)                                                     \
	LOCKSTEP_RETURN_OP(pfx, type, val, add)                                                   \
	LOCKSTEP_RETURN_OP(pfx, type, val, sub)                                                   \
	static __always_inline val arch_##pfx##_xchg(type *v, val n)                              \
	{                                                                                         \
		return arch_xchg(&v->counter, n);                                                 \
	}                                                                                         \
	static __always_inline val arch_##pfx##_cmpxchg(type *v, val o, val n)                    \
	{                                                                                         \
		return arch_cmpxchg(&v->counter, o, n);                                           \
	}

LOCKSTEP_ATOMIC(atomic, atomic_t, int)
LOCKSTEP_ATOMIC(atomic64, atomic64_t, s64)

#define arch_atomic_add_return arch_atomic_add_return
#define arch_atomic_sub_return arch_atomic_sub_return
#define arch_atomic_fetch_add arch_atomic_fetch_add
#define arch_atomic_fetch_sub arch_atomic_fetch_sub
#define arch_atomic_fetch_and arch_atomic_fetch_and
#define arch_atomic_fetch_or arch_atomic_fetch_or
#define arch_atomic_fetch_xor arch_atomic_fetch_xor
#define arch_atomic_xchg arch_atomic_xchg
#define arch_atomic_cmpxchg arch_atomic_cmpxchg
#define arch_atomic64_add_return arch_atomic64_add_return
#define arch_atomic64_sub_return arch_atomic64_sub_return
#define arch_atomic64_fetch_add arch_atomic64_fetch_add
#define arch_atomic64_fetch_sub arch_atomic64_fetch_sub
#define arch_atomic64_fetch_and arch_atomic64_fetch_and
#define arch_atomic64_fetch_or arch_atomic64_fetch_or
#define arch_atomic64_fetch_xor arch_atomic64_fetch_xor
#define arch_atomic64_xchg arch_atomic64_xchg
#define arch_atomic64_cmpxchg arch_atomic64_cmpxchg

#endif
