/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For ThreadSanitizer READ_ONCE() and WRITE_ONCE() are the atomic accesses that they stand for.  Who
 * reads a pointer so may follow it, which is what RCU lives on: hence the acquire.
 */
#ifndef LOCKSTEP_ASM_RWONCE_H
#define LOCKSTEP_ASM_RWONCE_H

#include <asm-generic/rwonce.h>

#ifdef __SANITIZE_THREAD__
#undef __READ_ONCE
#undef __WRITE_ONCE
#define __READ_ONCE(x) __atomic_load_n((__unqual_scalar_typeof(x) *)&(x), __ATOMIC_ACQUIRE)
#define __WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#endif

#endif
