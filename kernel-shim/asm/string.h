/* SPDX-License-Identifier: GPL-2.0-only */
/* These come from libc, the only ones an image may take from it; str* are the tree's lib/. */
#ifndef LOCKSTEP_ASM_STRING_H
#define LOCKSTEP_ASM_STRING_H

#define __HAVE_ARCH_MEMCPY
#define __HAVE_ARCH_MEMSET
#define __HAVE_ARCH_MEMMOVE
#define __HAVE_ARCH_MEMCMP
#define __HAVE_ARCH_STRLEN

#pragma GCC visibility push(default)
extern void *memcpy(void *, const void *, __kernel_size_t);
extern void *memset(void *, int, __kernel_size_t);
extern void *memmove(void *, const void *, __kernel_size_t);
extern int memcmp(const void *, const void *, __kernel_size_t);
extern __kernel_size_t strlen(const char *);
#pragma GCC visibility pop

#endif
