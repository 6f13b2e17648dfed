/* SPDX-License-Identifier: GPL-2.0-only */
/* User memory is the host's: a copy is a copy, but takes time and lets others run. */
#ifndef LOCKSTEP_ASM_UACCESS_H
#define LOCKSTEP_ASM_UACCESS_H

unsigned long raw_copy_from_user(void *to, const void __user *from, unsigned long n);
unsigned long raw_copy_to_user(void __user *to, const void *from, unsigned long n);
#define INLINE_COPY_FROM_USER
#define INLINE_COPY_TO_USER
#define INLINE_COPY_USER		/* both, in later trees */
#include <asm-generic/uaccess.h>

#endif
