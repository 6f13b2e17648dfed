/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_PGTABLE_H
#define LOCKSTEP_ASM_PGTABLE_H

#define VMALLOC_START 0UL
#define VMALLOC_END 0UL

#endif
