/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watchdogs: hung tasks and soft lockups, as reports with the time at which they became true.
 *
 * Unlike the kernel's own, these never hang themselves: no timer of the machine serves them.
 * Nothing is looked at before the earliest time at which anybody could be too late, so the stream
 * costs one comparison a record.
 */
#include <stdio.h>

#include "sim/detect/private.h"

void watchdog_expect(struct detect *d, uint64_t due_ns)
{
	if (due_ns < d->due_ns)
		d->due_ns = due_ns;
}

static void not_before(uint64_t *due, uint64_t at)
{
	if (at < *due)
		*due = at;
}

static void hung(struct detect *d, uint32_t id, uint64_t *due)
{
	struct dtask *t = &d->tasks[id];
	uint64_t at = t->blocked_since + d->limits.hung_task_ns;
	const struct wait *w = t->wait ? &t->wait->wait : NULL;
	char text[160];

	if (!t->known || t->blocked_since == SIM_NEVER || t->reported || !w)
		return;
	if (at > d->now) {
		not_before(due, at);
		return;
	}
	t->reported = true;
	if (w->last_holder >= 0)
		snprintf(text, sizeof(text), "hung task: %.31s blocked on %.40s held by %.31s",
			 sim_task(d->sim, id)->name, sim_lock(d->sim, w->lock)->name,
			 sim_task(d->sim, (uint32_t)w->last_holder)->name);
	else
		snprintf(text, sizeof(text), "hung task: %.31s blocked on %.40s",
			 sim_task(d->sim, id)->name, sim_lock(d->sim, w->lock)->name);
	report(d, at, text);
}

static void locked_up(struct detect *d, unsigned int cpu, uint64_t *due)
{
	struct dcpu *c = &d->cpus[cpu];
	const struct dtask *t = c->running >= 0 ? &d->tasks[c->running] : NULL;
	const struct contention *k = t && t->nr_contentions ?
				     &t->contentions[t->nr_contentions - 1] : NULL;
	uint64_t at;
	char text[160];

	if (!k || !(k->flags & LCB_SPIN) || k->flags & LCB_RT || c->reported)
		return;
	at = (k->since_ns > c->since_ns ? k->since_ns : c->since_ns) + d->limits.soft_lockup_ns;
	if (at > d->now) {
		not_before(due, at);
		return;
	}
	c->reported = true;
	snprintf(text, sizeof(text), "soft lockup: CPU %u stuck in %.31s, which spins for %.48s", cpu,
		 sim_task(d->sim, (uint32_t)c->running)->name, sim_lock(d->sim, k->lock)->name);
	report(d, at, text);
}

void watchdog(struct detect *d)
{
	uint64_t due = SIM_NEVER;

	if (d->now < d->due_ns)
		return;
	for (uint32_t i = 0; i < d->nr_tasks; i++)
		hung(d, i, &due);
	for (unsigned int c = 0; c < SIM_CPUS_MAX; c++)
		locked_up(d, c, &due);
	d->due_ns = due;
}
