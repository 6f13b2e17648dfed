/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups with a CPU quota under the simulated scheduler: their period timers.
 *
 * They are real hrtimers, soft like the kernel's, so on PREEMPT_RT the softirq thread of the CPU
 * that started one has to run before the quota is refilled.  A timer of the host would miss the
 * edge that makes the reported stall.
 */
#include "kern.h"

#include <linux/hrtimer.h>

#define GROUPS_MAX 64

static struct period {
	struct hrtimer timer;
	u64 ns;
} periods[GROUPS_MAX];
static int nr_periods;

static enum hrtimer_restart sched_cfs_period_timer(struct hrtimer *timer)
{
	struct period *p = container_of(timer, struct period, timer);
	unsigned long flags;
	bool wanted = true;
	u64 overruns;

	local_irq_save(flags);
	while (wanted && (overruns = hrtimer_forward_now(timer, p->ns)))
		wanted = host->sched->group_refill(host->sim, p - periods, overruns);
	local_irq_restore(flags);
	return wanted ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

void lockstep_start_period_timer(int group, uint64_t period_ns)
{
	struct period *p = &periods[group];

	p->ns = period_ns;
	hrtimer_forward_now(&p->timer, p->ns);
	hrtimer_start_expires(&p->timer, HRTIMER_MODE_ABS_PINNED);
}

static void init_timer(struct hrtimer *timer)
{
#if HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, sched_cfs_period_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	timer->function = sched_cfs_period_timer;
#endif
}

int lockstep_group_new(const char *name, int64_t quota_ns, uint64_t period_ns)
{
	int group;

	if (nr_periods == GROUPS_MAX)
		return -ENOSPC;
	init_timer(&periods[nr_periods++].timer);
	group = host->sched->group_new(host->sim, quota_ns, period_ns);
	if (group != nr_periods - 1)
		host->bug(host->sim, "a group is refused", name);
	return group;
}

int lockstep_group_set(int group, int64_t quota_ns, uint64_t period_ns)
{
	unsigned long flags;
	int err;

	hrtimer_cancel(&periods[group].timer);
	local_irq_save(flags);
	err = host->sched->group_set(host->sim, group, quota_ns, period_ns);
	local_irq_restore(flags);
	return err;
}

int lockstep_period_timer_group(const struct hrtimer *timer)
{
	for (int i = 0; i < nr_periods; i++)
		if (timer == &periods[i].timer)
			return i;
	return -1;
}

/* Who is throttled no more has been told by the host. */
void lockstep_period_timer_done(int group)
{
}
