/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_PTRACE_H
#define LOCKSTEP_ASM_PTRACE_H

struct pt_regs {
	unsigned long ip, sp, flags;
};

#define user_mode(r) 1
#define instruction_pointer(r) ((r)->ip)
#define user_stack_pointer(r) ((r)->sp)
#define kernel_stack_pointer(r) ((r)->sp)
#define profile_pc(r) ((r)->ip)
#define regs_irqs_disabled(r) 0

#endif
