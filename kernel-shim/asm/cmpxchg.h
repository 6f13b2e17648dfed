/* SPDX-License-Identifier: GPL-2.0-only */
/* Sequentially consistent throughout: that is the memory model the lab offers. */
#ifndef LOCKSTEP_ASM_CMPXCHG_H
#define LOCKSTEP_ASM_CMPXCHG_H

#define arch_xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define arch_xchg_relaxed arch_xchg
#define arch_cmpxchg(p, o, n)                                                                     \
	({                                                                                        \
		__typeof__(*(p)) __old = (o);                                                     \
		__atomic_compare_exchange_n((p), &__old, (n), 0, __ATOMIC_SEQ_CST,                \
					    __ATOMIC_SEQ_CST);                                    \
		__old;                                                                            \
	})
#define arch_cmpxchg_local arch_cmpxchg
#define arch_cmpxchg64 arch_cmpxchg
#define arch_cmpxchg64_local arch_cmpxchg

#endif
