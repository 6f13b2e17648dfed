/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks for the tree's own scheduler.
 */
#include "kern.h"

#include <linux/cgroup.h>
#include <linux/sched/rt.h>
#include <linux/sched/task.h>
#include <uapi/linux/sched/types.h>

#include <linux/mmu_context.h>
#include <linux/sched/cputime.h>
#include "kernel/sched/sched.h"
#include "tree.h"

static void fork_into(struct task_struct *p, struct task_group *tg)
{
	struct kernel_clone_args args = { };

	lockstep_css_attach(p, tg);
	args.cset = p->cgroups;
	sched_fork(0, p);
	sched_cgroup_fork(p, &args);
	sched_post_fork(p);
}

int lockstep_sched_policy(struct task_struct *p, int policy, int priority)
{
	struct sched_attr attr = { .size = sizeof(attr), .sched_policy = policy };

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		attr.sched_priority = priority;
	else
		attr.sched_nice = priority;
	return sched_setattr_nocheck(p, &attr);
}

int lockstep_sched_affinity(struct task_struct *p, u64 cpus)
{
	struct cpumask mask = { };

	mask.bits[0] = cpus;
	return set_cpus_allowed_ptr(p, &mask);
}

int lockstep_sched_fork(struct task_struct *p, const struct bridge_spawn *s)
{
	struct sched_attr deadline = { .size = sizeof(deadline), .sched_policy = SCHED_DEADLINE,
				       .sched_runtime = s->dl_runtime_ns,
				       .sched_deadline = s->dl_deadline_ns,
				       .sched_period = s->dl_period_ns };
	struct task_group *tg = s->group >= 0 ? lockstep_group(s->group) : NULL;
	int err;

	if (s->group >= 0 && !tg)
		return -ENOENT;
	fork_into(p, tg);
	err = lockstep_sched_affinity(p, s->cpus);
	if (err)
		return err;
	if (s->policy == SCHED_DEADLINE)
		return sched_setattr_nocheck(p, &deadline);
	return lockstep_sched_policy(p, s->policy, s->priority);
}

void lockstep_sched_start(struct task_struct *p)
{
	wake_up_new_task(p);
}
