/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks for the simulated scheduler: the kernel's view of policy and priority is kept here, since
 * its locks compare priorities by it.
 */
#include "kern.h"

#include <linux/rtmutex.h>
#include <linux/sched/prio.h>
#include <linux/sched/rt.h>
#include <linux/sched/task.h>

static int normal_prio_of(int policy, int priority)
{
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		return MAX_RT_PRIO - 1 - priority;
	return policy == SCHED_IDLE ? MAX_PRIO - 1 : NICE_TO_PRIO(priority);
}

static bool valid(int policy, int priority)
{
	switch (policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		return priority > 0 && priority < MAX_RT_PRIO;
	case SCHED_NORMAL:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return priority >= MIN_NICE && priority <= MAX_NICE;
	default:
		return false;
	}
}

static void set_params(struct task_struct *p, int policy, int priority)
{
	struct task_struct *lender = p->pi_top_task;
	int normal = normal_prio_of(policy, priority);

	p->policy = policy;
	p->rt_priority = rt_prio(normal) ? priority : 0;
	p->static_prio = rt_prio(normal) ? DEFAULT_PRIO : normal;
	p->normal_prio = normal;
	/* as sched_setscheduler() does: real-time tasks sleep exactly */
	p->timer_slack_ns = lockstep_realtime(p) ? 0 : init_task.timer_slack_ns;
	p->prio = lender ? min(normal, lender->prio) : normal;
}

int lockstep_sched_policy(struct task_struct *p, int policy, int priority)
{
	unsigned long flags;

	if (policy == SCHED_DEADLINE)
		return -EOPNOTSUPP;
	if (!valid(policy, priority))
		return -EINVAL;
	preempt_disable();
	raw_spin_lock_irqsave(&p->pi_lock, flags);
	set_params(p, policy, priority);
	host->sched->set_policy(host->sim, lockstep_of(p)->host, policy, priority,
				p->pi_top_task ? p->pi_top_task->prio : MAX_PRIO);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	rt_mutex_adjust_pi(p);
	preempt_enable();
	return 0;
}

int lockstep_sched_affinity(struct task_struct *p, u64 cpus)
{
	unsigned long flags;

	cpus &= lockstep_cpus();
	if (!cpus)
		return -EINVAL;
	p->cpus_mask.bits[0] = cpus;
	p->nr_cpus_allowed = cpumask_weight(&p->cpus_mask);
	local_irq_save(flags);
	host->sched->set_affinity(host->sim, lockstep_of(p)->host, cpus);
	local_irq_restore(flags);
	return 0;
}

int lockstep_sched_fork(struct task_struct *p, const struct bridge_spawn *s)
{
	struct bridge_spawn spec = *s;

	if (s->policy == SCHED_DEADLINE)
		return -EOPNOTSUPP;
	spec.cpus &= lockstep_cpus();
	if (!spec.cpus || !valid(s->policy, s->priority))
		return -EINVAL;
	p->cpus_mask.bits[0] = spec.cpus;
	p->nr_cpus_allowed = cpumask_weight(&p->cpus_mask);
	p->__state = TASK_NEW;
	task_thread_info(p)->preempt_count = 1;
	set_params(p, s->policy, s->priority);
	host->sched->attach(host->sim, lockstep_of(p)->host, &spec);
	return 0;
}

void lockstep_sched_start(struct task_struct *p)
{
	unsigned long flags;

	preempt_disable();
	raw_spin_lock_irqsave(&p->pi_lock, flags);
	WRITE_ONCE(p->__state, TASK_RUNNING);
	host->sched->wake(host->sim, lockstep_of(p)->host);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	preempt_enable();
}
