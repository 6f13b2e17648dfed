/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated scheduler serves a kernel image: what each asks of the other.
 */
#include "sim/core/sched.h"
#include "sim/image/private.h"

static const struct bridge_image *image_of(const struct sim *s)
{
	return machine_of((struct sim *)s)->image->ops;
}

static void set_need_resched(struct sim *s, struct task *t, bool on)
{
	image_of(s)->set_need_resched(t->ktask, on);
}

static bool need_resched(const struct sim *s, const struct task *t)
{
	return image_of(s)->need_resched(t->ktask);
}

static bool still_sleeps(const struct sim *s, const struct task *t)
{
	return image_of(s)->still_sleeps(t->ktask);
}

static void set_on_cpu(struct sim *s, struct task *t, int cpu)
{
	image_of(s)->set_on_cpu(t->ktask, cpu);
}

static void start_period_timer(struct sim *s, int group, uint64_t period_ns)
{
	image_of(s)->start_period_timer(group, period_ns);
}

static const struct sched_world world = {
	.set_need_resched = set_need_resched,
	.need_resched = need_resched,
	.still_sleeps = still_sleeps,
	.set_on_cpu = set_on_cpu,
	.start_period_timer = start_period_timer,
};

static const struct bridge_sched sched = {
	.attach_idle = sched_attach_idle,
	.attach = sched_attach,
	.attach_stopper = sched_attach_stopper,
	.stopper = sched_stopper,
	.wake = sched_wake,
	.schedule = sched_schedule,
	.tail = sched_tail,
	.setprio = sched_setprio,
	.set_policy = sched_set_policy,
	.set_affinity = sched_set_affinity,
	.migrate_disable = sched_migrate_disable,
	.yield = sched_yield_task,
	.tick = sched_tick,
	.return_to_user = sched_return_to_user,
	.group_new = sched_group_new,
	.group_set = sched_group_set,
	.group_refill = sched_group_refill,
};

/* Images with the tree's own scheduler never call it. */
const struct bridge_sched *machine_sched(struct machine *m)
{
	sched_init(m->sim, &world);
	return &sched;
}
