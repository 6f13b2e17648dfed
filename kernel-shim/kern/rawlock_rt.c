/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw spinlocks on RT images: tickets; a CPU that has to wait is parked by the engine.
 */
#include "kern.h"

#include <linux/spinlock.h>

void arch_spin_lock(arch_spinlock_t *l)
{
	unsigned short ticket = l->next++;
	u32 id;

	if (l->owner == ticket)
		return;
	id = lockstep_raw_id(l);
	lockstep_log(PROBE_CONTENTION_BEGIN, id, LCB_SPIN);
	while (l->owner != ticket)
		host->spin_wait(host->sim, l);
	lockstep_log(PROBE_CONTENTION_END, id, 0);
}

int arch_spin_trylock(arch_spinlock_t *l)
{
	if (l->next != l->owner)
		return 0;
	l->next++;
	return 1;
}

void arch_spin_unlock(arch_spinlock_t *l)
{
	l->owner++;
	if (l->next != l->owner)
		host->spin_wake(host->sim, l);
}
