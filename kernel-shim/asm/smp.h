/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_SMP_H
#define LOCKSTEP_ASM_SMP_H

#include <lockstep/focus.h>

#define raw_smp_processor_id() (lockstep_focus.cpu)

/* 6.1 calls the architecture directly, later trees through a tracepoint's wrapper. */
void arch_smp_send_reschedule(int cpu);
void arch_send_call_function_single_ipi(int cpu);

#endif
