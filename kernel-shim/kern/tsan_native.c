/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ThreadSanitizer has to know of volatile accesses (READ_ONCE() is in asm/rwonce.h).
 *
 * They are atomic: a read is told as a load that acquires, a write as an access that orders nothing.
 * The calls come before the access itself.
 */
#ifdef __SANITIZE_THREAD__
#include <linux/types.h>

enum { RELAXED = 0, ACQUIRE = 2 };	/* __tsan_memory_order */

#pragma GCC visibility push(default)
u8 __tsan_atomic8_load(const volatile u8 *p, int order);
u16 __tsan_atomic16_load(const volatile u16 *p, int order);
u32 __tsan_atomic32_load(const volatile u32 *p, int order);
u64 __tsan_atomic64_load(const volatile u64 *p, int order);
u8 __tsan_atomic8_fetch_add(volatile u8 *p, u8 v, int order);
u16 __tsan_atomic16_fetch_add(volatile u16 *p, u16 v, int order);
u32 __tsan_atomic32_fetch_add(volatile u32 *p, u32 v, int order);
u64 __tsan_atomic64_fetch_add(volatile u64 *p, u64 v, int order);
#pragma GCC visibility pop

#define TELL(bytes, bits)                                                                         \
	void __tsan_volatile_read##bytes(void *p);                                                \
	void __tsan_volatile_read##bytes(void *p)                                                 \
	{                                                                                         \
		__tsan_atomic##bits##_load(p, ACQUIRE);                                           \
	}                                                                                         \
	void __tsan_volatile_write##bytes(void *p);                                               \
	void __tsan_volatile_write##bytes(void *p)                                                \
	{                                                                                         \
		__tsan_atomic##bits##_fetch_add(p, 0, RELAXED);                                   \
	}

TELL(1, 8)
TELL(2, 16)
TELL(4, 32)
TELL(8, 64)
#endif
