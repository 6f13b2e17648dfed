/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt flag of the CPU in focus; what is pending fires at the moment of enabling. */
#ifndef LOCKSTEP_ASM_IRQFLAGS_H
#define LOCKSTEP_ASM_IRQFLAGS_H

#include <lockstep/focus.h>

#define ARCH_IRQ_ENABLED 0
#define ARCH_IRQ_DISABLED 1

static __always_inline unsigned long arch_local_save_flags(void)
{
	return lockstep_focus.irqs_off;
}

static __always_inline void arch_local_irq_restore(unsigned long flags)
{
	lockstep_focus.irqs_off = flags;
#ifndef LOCKSTEP_NATIVE		/* no thread has interrupts */
	if (!flags && __builtin_expect(lockstep_focus.pending, 0))
		lockstep_do_irq();
#endif
}

#define arch_local_save_flags arch_local_save_flags
#define arch_local_irq_restore arch_local_irq_restore

#include <asm-generic/irqflags.h>

#endif
