/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks, as far as it does not matter which scheduler runs them.
 */
#include "kern.h"

#include <linux/kthread.h>
#include <linux/sched/rt.h>
#include <linux/sched/task.h>

struct task_struct *lockstep_kthread_new(const char *name, int cpu, int rt_priority,
					 void (*fn)(void *), void *arg)
{
	struct bridge_spawn spec = { .name = name, .cpus = lockstep_cpus(), .group = -1,
				     .policy = rt_priority ? SCHED_FIFO : SCHED_NORMAL,
				     .priority = rt_priority };
	struct task_struct *p = lockstep_dup(name);
	struct lockstep_task *t = lockstep_of(p);

	t->fn = fn;
	t->arg = arg;
	t->host = host->task_new(host->sim, name, p,
				 rt_priority ? MAX_RT_PRIO - 1 - rt_priority : DEFAULT_PRIO,
				 lockstep_task_entry, t);
	lockstep_bind(t->host, p);
	if (cpu >= 0) {
		t->per_cpu = true;
		spec.cpus = 1ull << cpu;
	}
	p->flags |= PF_KTHREAD;
	if (lockstep_sched_fork(p, &spec))
		host->bug(host->sim, "a kernel thread is refused", name);
	if (cpu >= 0)
		p->flags |= PF_NO_SETAFFINITY;
	return p;
}

struct task_struct *lockstep_kthread(const char *name, int cpu, int rt_priority,
				     void (*fn)(void *), void *arg)
{
	struct task_struct *p = lockstep_kthread_new(name, cpu, rt_priority, fn, arg);

	lockstep_sched_start(p);
	return p;
}

bool kthread_is_per_cpu(struct task_struct *p)
{
	return lockstep_of(p) && lockstep_of(p)->per_cpu;
}

void kthread_set_per_cpu(struct task_struct *p, int cpu)
{
}

bool set_kthread_struct(struct task_struct *p)
{
	return true;
}

static void user_main(void *arg)
{
	host->task_main(arg);
}

int lockstep_spawn(struct task *ht, const struct bridge_spawn *s)
{
	struct task_struct *p = lockstep_dup(s->name);
	struct lockstep_task *t = lockstep_of(p);

	t->host = ht;
	t->fn = user_main;
	t->arg = ht;
	t->group = s->group;
	host->task_bind(ht, p, lockstep_task_entry, t);
	lockstep_bind(ht, p);
	return lockstep_sched_fork(p, s);
}

void lockstep_start(struct task *ht)
{
	lockstep_sched_start(lockstep_task_of(ht));
	/* Called from outside the machine: this CPU sleeps and would not see the flag. */
	host->ipi(host->sim, lockstep_focus.cpu, BRIDGE_IRQ_RESCHED);
}

int lockstep_set_policy(struct task *ht, int policy, int priority)
{
	struct task_struct *p = lockstep_task_of(ht);
	int old = p->normal_prio, err = lockstep_sched_policy(p, policy, priority);

	if (!err && old != p->normal_prio)
		lockstep_log(PROBE_SCHED_SETSCHEDULER, lockstep_id(p),
			     PRIO_CHANGE(old, p->normal_prio));
	return err;
}

int lockstep_set_affinity(struct task *ht, uint64_t cpus)
{
	return lockstep_sched_affinity(lockstep_task_of(ht), cpus);
}

/* Tasks live as long as the machine. */
void __put_task_struct(struct task_struct *p)
{
}

void __put_task_struct_rcu_cb(struct rcu_head *rcu)
{
}
