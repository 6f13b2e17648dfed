/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access hooks: what a unit compiled with -fsanitize=thread calls before every memory access, so
 * that another CPU can go on between any two of them.
 *
 * These are the compiler's names with bodies of ours; libtsan has no part in it.  The hook comes
 * before the access and an atomic operation is done here, after it, in one piece: memory stays
 * sequentially consistent.  This file and the rest of the shim are compiled without hooks, else
 * the engine's own bookkeeping would be torn apart.  The sets of gcc 12 and clang 14 for accesses
 * of 1 to 16 bytes and atomics of 1 to 8; a name one of them adds is missing at link time.
 */
#include "kern.h"

static noinline void due(void)
{
	host->access(host->sim);
}

static __always_inline void access(void)
{
	if (likely(lockstep_focus.access_left))
		lockstep_focus.access_left--;
	else
		due();
}

/* ---- plain and volatile accesses: the compiled code does them itself */

#define HOOK(name)                                                                                \
	void __tsan_##name(void *p);                                                              \
	void __tsan_##name(void *p)                                                               \
	{                                                                                         \
		access();                                                                         \
	}
#define HOOKS(size)                                                                               \
	HOOK(read##size)                                                                          \
	HOOK(write##size)                                                                         \
	HOOK(unaligned_read##size)                                                                \
	HOOK(unaligned_write##size)                                                               \
	HOOK(volatile_read##size)                                                                 \
	HOOK(volatile_write##size)                                                                \
	HOOK(unaligned_volatile_read##size)                                                       \
	HOOK(unaligned_volatile_write##size)
#define HOOK_RANGE(name)                                                                          \
	void __tsan_##name(void *p, unsigned long n);                                             \
	void __tsan_##name(void *p, unsigned long n)                                              \
	{                                                                                         \
		access();                                                                         \
	}

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK_RANGE(read_range)
HOOK_RANGE(write_range)

/* clang: once a file, from a constructor, which an image does not run */
void __tsan_init(void);
void __tsan_init(void)
{
}

/* ---- atomic operations; the orders asked for are at most the one given */

#define FETCH(bits, type, op)                                                                     \
	type __tsan_atomic##bits##_fetch_##op(volatile type *p, type v, int order);               \
	type __tsan_atomic##bits##_fetch_##op(volatile type *p, type v, int order)                \
	{                                                                                         \
		access();                                                                         \
		return __atomic_fetch_##op(p, v, __ATOMIC_SEQ_CST);                               \
	}
#define COMPARE(bits, type, strength)                                                             \
	int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *p, type *old,        \
							      type new, int order, int fail);     \
	int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *p, type *old,        \
							      type new, int order, int fail)      \
	{                                                                                         \
		access();                                                                         \
		return __atomic_compare_exchange_n(p, old, new, 0, __ATOMIC_SEQ_CST,              \
						   __ATOMIC_SEQ_CST);                             \
	}
#define ATOMIC(bits, type)                                                                        \
	type __tsan_atomic##bits##_load(const volatile type *p, int order);                       \
	type __tsan_atomic##bits##_load(const volatile type *p, int order)                        \
	{                                                                                         \
		access();                                                                         \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                      \
	}                                                                                         \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int order);                    \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                     \
	{                                                                                         \
		access();                                                                         \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                         \
	}                                                                                         \
	type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order);                 \
	type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order)                  \
	{                                                                                         \
		access();                                                                         \
		return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                               \
	}                                                                                         \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type old, type new,     \
							int order, int fail);                     \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type old, type new,     \
							int order, int fail)                      \
	{                                                                                         \
		access();                                                                         \
		__atomic_compare_exchange_n(p, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		return old;                                                                       \
	}                                                                                         \
	COMPARE(bits, type, strong)                                                               \
	COMPARE(bits, type, weak)                                                                 \
	FETCH(bits, type, add)                                                                    \
	FETCH(bits, type, sub)                                                                    \
	FETCH(bits, type, and)                                                                    \
	FETCH(bits, type, or)                                                                     \
	FETCH(bits, type, xor)                                                                    \
	FETCH(bits, type, nand)

ATOMIC(8, u8)
ATOMIC(16, u16)
ATOMIC(32, u32)
ATOMIC(64, u64)

/* Nothing is reordered, so a fence has nothing to order. */
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
}
