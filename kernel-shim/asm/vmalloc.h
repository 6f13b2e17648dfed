/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_VMALLOC_H
#define LOCKSTEP_ASM_VMALLOC_H
#endif
