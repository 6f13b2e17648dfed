/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU data is collected in one section of the image and copied for each CPU at boot. */
#ifndef LOCKSTEP_ASM_PERCPU_H
#define LOCKSTEP_ASM_PERCPU_H

#define PER_CPU_BASE_SECTION "lockstep_percpu"
#include <asm-generic/percpu.h>

#endif
