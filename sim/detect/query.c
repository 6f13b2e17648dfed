/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the model knows of one task or lock, for whoever asks in the middle of a run.
 */
#include "sim/detect/private.h"

enum task_state detect_state(const struct detect *d, uint32_t task)
{
	return task < d->nr_tasks ? d->tasks[task].state : STATE_ASLEEP;
}

int64_t detect_blocked_on(const struct detect *d, uint32_t task)
{
	if (task >= d->nr_tasks || !d->tasks[task].nr_contentions)
		return NOBODY;
	return d->tasks[task].contentions[0].lock;
}

int64_t detect_owner(const struct detect *d, uint32_t lock)
{
	return lock < d->nr_locks ? d->locks[lock].owner : NOBODY;
}

unsigned int detect_readers(const struct detect *d, uint32_t lock)
{
	unsigned int nr = 0;

	for (uint32_t i = 0; lock < d->nr_locks && i < d->locks[lock].nr_readers; i++)
		nr += d->locks[lock].readers[i].count;
	return nr;
}
