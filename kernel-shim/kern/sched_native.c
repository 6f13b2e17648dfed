/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host as scheduler: a task is a thread, and one that sleeps waits for its own __state to
 * change, by a futex.
 */
#include "kern.h"

#include <linux/hrtimer.h>
#include <linux/init_task.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "sched_sim.h"

asmlinkage void preempt_schedule(void);
asmlinkage void preempt_schedule_notrace(void);

/* Until somebody wakes the task; true: it is until_ns. */
static bool sleep(u64 until_ns)
{
	struct task_struct *p = current;
	unsigned int state = READ_ONCE(p->__state);

	if (state == TASK_RUNNING)
		return false;
	if (signal_pending_state(state, p)) {
		__set_current_state(TASK_RUNNING);
		return false;
	}
	while (READ_ONCE(p->__state) == state)
		if (host->native->futex_wait(&p->__state, state, until_ns))
			return true;
	smp_mb();
	return false;
}

asmlinkage void schedule(void)
{
	sleep(U64_MAX);
}

void schedule_preempt_disabled(void)
{
	schedule();
}

#ifdef CONFIG_PREEMPT_RT
void schedule_rtlock(void)
{
	schedule();
}
#endif

/* The host preempts whom it likes. */
asmlinkage void preempt_schedule(void)
{
}

asmlinkage void preempt_schedule_notrace(void)
{
}

int __cond_resched(void)
{
	return 0;
}

void yield(void)
{
	host->relax(host->sim);
}

int schedule_hrtimeout_range(ktime_t *expires, u64 slack, const enum hrtimer_mode mode)
{
	bool over;

	if (!expires) {
		schedule();
		return -EINTR;
	}
	over = sleep(mode & HRTIMER_MODE_REL ? lockstep_now() + *expires : *expires);
	__set_current_state(TASK_RUNNING);
	return over ? 0 : -EINTR;
}

int schedule_hrtimeout(ktime_t *expires, const enum hrtimer_mode mode)
{
	return schedule_hrtimeout_range(expires, 0, mode);
}

/* The waker's last look at the task is the release of its pi_lock. */
int try_to_wake_up(struct task_struct *p, unsigned int mask, int wake_flags)
{
	const u32 *word = &p->__state;
	bool asleep, woken = false;
	unsigned long flags;

	smp_mb();
	raw_spin_lock_irqsave(&p->pi_lock, flags);
	asleep = lockstep_in_state(p, mask);
	if (READ_ONCE(p->__state) & mask) {
		WRITE_ONCE(p->__state, TASK_RUNNING);
		woken = true;
	}
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	if (woken)
		host->native->futex_wake(word);
	return asleep;
}

/* What the kernel's locks compare; the host lends its priorities by itself. */
void rt_mutex_setprio(struct task_struct *p, struct task_struct *pi_task)
{
	int prio = pi_task ? min(p->normal_prio, READ_ONCE(pi_task->prio)) : p->normal_prio;

	p->pi_top_task = pi_task;
	WRITE_ONCE(p->prio, prio);
}

void migrate_disable(void)
{
}

void migrate_enable(void)
{
}

/* There are no interrupts and so no bottom halves. */
#ifdef CONFIG_PREEMPT_RT
void __local_bh_disable_ip(unsigned long ip, unsigned int cnt)
{
}
#endif

void __local_bh_enable_ip(unsigned long ip, unsigned int cnt)
{
#ifndef CONFIG_PREEMPT_RT
	preempt_count_sub(cnt);
#endif
}

void lockstep_return_to_user(void)
{
}

/* ---- threads */

void lockstep_thread_begin(const char *name, unsigned int cpu)
{
	struct task_struct *p = lockstep_dup(name);

	refcount_set(&p->usage, 1);
	p->prio = p->normal_prio = p->static_prio = DEFAULT_PRIO;
	WRITE_ONCE(p->on_cpu, 1);
	lockstep_focus = (struct bridge_focus){ .current_task = p, .cpu = cpu };
}

/* A waker may not have let go of the task yet. */
void lockstep_thread_end(void)
{
	struct task_struct *p = current;

	raw_spin_lock(&p->pi_lock);
	raw_spin_unlock(&p->pi_lock);
	lockstep_focus.current_task = &init_task;
	put_task_struct(p);
}

void __put_task_struct_rcu_cb(struct rcu_head *rcu)
{
	struct task_struct *p = container_of(rcu, struct task_struct, rcu);

	host->free(host->sim, lockstep_of(p));
	host->free(host->sim, p);
}

/* Who spins for a lock looks at its owner under RCU. */
void __put_task_struct(struct task_struct *p)
{
	call_rcu(&p->rcu, __put_task_struct_rcu_cb);
}
