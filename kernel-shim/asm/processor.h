/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_PROCESSOR_H
#define LOCKSTEP_ASM_PROCESSOR_H

#include <asm/ptrace.h>

#define ARCH_HAS_PREFETCH
#define ARCH_HAS_PREFETCHW

struct task_struct;
struct lockstep_task;

/* The shim's part of a task (kern/task.h). */
struct thread_struct {
	struct lockstep_task *lockstep;
};

#define INIT_THREAD {}
#define TASK_SIZE (1UL << 47)
#define TASK_SIZE_MAX TASK_SIZE
#define STACK_TOP TASK_SIZE
#define STACK_TOP_MAX TASK_SIZE
#define TASK_UNMAPPED_BASE (TASK_SIZE / 3)

/* A busy wait lets time pass, or nothing it waits for could ever happen. */
void lockstep_relax(void);
#define cpu_relax() lockstep_relax()

#define prefetch(x) __builtin_prefetch(x)
#define prefetchw(x) __builtin_prefetch(x, 1)
#define task_pt_regs(t) ((struct pt_regs *)NULL)
#define KSTK_EIP(t) 0
#define KSTK_ESP(t) 0

unsigned long __get_wchan(struct task_struct *p);

#endif
