/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lockstep's simulated scheduler as the kernel's: schedule(), wake-ups, priorities.
 *
 * Who runs where is decided on the host (sim/core/sched.h), which is asked with interrupts off.
 * Here is what the kernel's code sees of it: states of tasks, TIF_NEED_RESCHED, on_cpu.  A task's
 * state is set to running before the host is asked to wake it: a task that is about to sleep reads
 * its state last, and either sees that it need not sleep or is off its queue already.
 *
 * Source: kernel/sched/core.c, Linux 6.12.
 */
#include "kern.h"

#include <linux/init_task.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/wake_q.h>
#include <linux/wait.h>
#include <lockstep/names.h>

#include "sched_sim.h"
#include "trace.h"

asmlinkage void preempt_schedule(void);
asmlinkage void preempt_schedule_notrace(void);

/* ---- switching */

/* Preemption is off. */
static void reschedule(bool preempt)
{
	struct task_struct *p = current;
	unsigned int state;

	if (unlikely(in_atomic_preempt_off()))
		host->bug(host->sim, "kernel BUG", "scheduling while atomic");
	local_irq_disable();
	state = READ_ONCE(p->__state);
	if (!preempt && state && signal_pending_state(state, p)) {
		WRITE_ONCE(p->__state, TASK_RUNNING);
		state = TASK_RUNNING;
	}
	host->sched->schedule(host->sim, lockstep_leaving_as(preempt, state));
	local_irq_enable();
}

static void schedule_loop(bool preempt)
{
	do {
		preempt_disable();
		reschedule(preempt);
		preempt_enable_no_resched();
	} while (need_resched());
}

asmlinkage void schedule(void)
{
	schedule_loop(false);
}

void schedule_preempt_disabled(void)
{
	preempt_enable_no_resched();
	schedule();
	preempt_disable();
}

#ifdef CONFIG_PREEMPT_RT
void schedule_rtlock(void)
{
	schedule_loop(false);
}
#endif

asmlinkage void preempt_schedule(void)
{
	if (preemptible())
		schedule_loop(true);
}

asmlinkage void preempt_schedule_notrace(void)
{
	preempt_schedule();
}

int __cond_resched(void)
{
	if (!should_resched(0))
		return 0;
	schedule_loop(true);
	return 1;
}

void yield(void)
{
	set_current_state(TASK_RUNNING);
	local_irq_disable();
	host->sched->yield(host->sim);
	local_irq_enable();
	schedule();
}

void lockstep_task_entry(void *arg)
{
	struct lockstep_task *t = arg;

	host->sched->tail(host->sim);
	local_irq_enable();
	preempt_enable();	/* off since it was made, as behind a fork */
	t->fn(t->arg);
	host->task_exit(host->sim, t->host);
	preempt_disable();
	set_special_state(TASK_DEAD);
	reschedule(false);
	host->bug(host->sim, "a task that has ended runs", current->comm);
}

/* ---- interrupts */

void lockstep_irq_exit_preempt(void)
{
	if (preempt_count())
		return;
	for (;;) {
		bool leaves = !lockstep_of(current)->in_kernel &&
			      host->sched->return_to_user(host->sim);

		if (!leaves && !need_resched())
			return;
		preempt_disable();
		local_irq_enable();
		reschedule(true);
		local_irq_disable();
		preempt_enable_no_resched();
	}
}

/* Preemption is off; a group whose quota is gone is throttled here if that waits for it. */
void lockstep_return_to_user(void)
{
	bool leaves;

	local_irq_disable();
	leaves = host->sched->return_to_user(host->sim);
	local_irq_enable();
	if (leaves)
		reschedule(true);
}

void lockstep_tick(void)
{
	host->sched->tick(host->sim);
}

/* The flag has been set with it; the end of the interrupt looks. */
void lockstep_resched_irq(void)
{
}

void lockstep_call_function_irq(void)
{
	host->bug(host->sim, "not offered by this image", "function call interrupt");
}

/* hrtimers use them for a clock that was set, and for CPUs that go offline */
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t fn, void *info, bool wait)
{
	host->bug(host->sim, "not offered by this image", __func__);
}

int smp_call_function_single_async(int cpu, call_single_data_t *csd)
{
	host->bug(host->sim, "not offered by this image", __func__);
	return -EOPNOTSUPP;
}

/* ---- what the host's scheduler tells */

void lockstep_set_need_resched(void *ktask, bool on)
{
	if (on)
		set_tsk_need_resched(ktask);
	else
		clear_tsk_need_resched(ktask);
}

bool lockstep_need_resched(void *ktask)
{
	return test_tsk_need_resched(ktask);
}

bool lockstep_still_sleeps(void *ktask)
{
	struct task_struct *p = ktask;

	return READ_ONCE(p->__state) != TASK_RUNNING;
}

void lockstep_set_on_cpu(void *ktask, int cpu)
{
	struct task_struct *p = ktask;

	WRITE_ONCE(p->on_cpu, cpu >= 0);
	if (cpu >= 0)
		task_thread_info(p)->cpu = cpu;
}

/* ---- waking */

int try_to_wake_up(struct task_struct *p, unsigned int mask, int wake_flags)
{
	unsigned long flags;
	bool asleep;

	preempt_disable();
	raw_spin_lock_irqsave(&p->pi_lock, flags);
	asleep = lockstep_in_state(p, mask);
	if (asleep) {
		lockstep_trace_waking(p);
		WRITE_ONCE(p->__state, TASK_RUNNING);
		host->sched->wake(host->sim, lockstep_of(p)->host);
	}
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	preempt_enable();
	return asleep;
}

/* ---- priorities and CPUs */

void rt_mutex_setprio(struct task_struct *p, struct task_struct *pi_task)
{
	int prio = pi_task ? min(p->normal_prio, pi_task->prio) : p->normal_prio;

	p->pi_top_task = pi_task;
	if (prio == p->prio)
		return;
	host->sched->setprio(host->sim, lockstep_of(p)->host, prio);
	p->prio = prio;
}

static void migration(bool off)
{
	unsigned long flags;

	local_irq_save(flags);
	host->sched->migrate_disable(host->sim, lockstep_of(current)->host, off);
	local_irq_restore(flags);
}

void migrate_disable(void)
{
	preempt_disable();
	current->migration_disabled++;
	migration(true);
	preempt_enable();
}

void migrate_enable(void)
{
	preempt_disable();
	current->migration_disabled--;
	migration(false);
	preempt_enable();
}

/* ---- boot */

static void idle_main(void *arg)
{
	for (;;) {
		local_irq_disable();
		while (need_resched()) {
			reschedule(false);
			local_irq_disable();
		}
		host->idle(host->sim);
		local_irq_enable();
	}
}

static void make_idle(int cpu)
{
	struct task_struct *p = cpu ? lockstep_dup("swapper") : &init_task;
	struct lockstep_task *t = cpu ? lockstep_of(p) : NULL;

	if (!cpu) {
		static struct lockstep_task first;

		t = p->thread.lockstep = &first;
		t->task = p;
		t->group = -1;
	}
	t->per_cpu = true;
	lockstep_numbered(p->comm, sizeof(p->comm), "swapper", cpu);
	p->prio = p->normal_prio = MAX_PRIO;
	p->flags |= PF_KTHREAD | PF_IDLE;
	task_thread_info(p)->preempt_count = 1;
	t->host = host->task_new(host->sim, p->comm, p, MAX_PRIO, idle_main, NULL);
	host->set_idle(host->sim, cpu, t->host);
	host->sched->attach_idle(host->sim, t->host, cpu);
}

static void stopper_main(void *arg)
{
	host->sched->stopper(host->sim);
}

static void make_stopper(int cpu)
{
	struct task_struct *p;
	char comm[TASK_COMM_LEN];

	lockstep_numbered(comm, sizeof(comm), "migration", cpu);
	p = lockstep_kthread_new(comm, cpu, MAX_RT_PRIO - 1, stopper_main, NULL);
	host->sched->attach_stopper(host->sim, lockstep_of(p)->host, cpu);
	lockstep_sched_start(p);
}

int lockstep_sched_init(void)
{
	int nr_cpus = lockstep_machine.nr_cpus;

	lockstep_masks_boot(nr_cpus);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		cpumask_set_cpu(cpu, &__cpu_active_mask);
	lockstep_name_raw(&init_task.pi_lock, "&p->pi_lock");
	init_task.nr_cpus_allowed = nr_cpus;
	static_key_initialized = true;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		make_idle(cpu);
	lockstep_focus.current_task = &init_task;
	lockstep_hrtimers_boot(nr_cpus);
	lockstep_focus.irqs_off = 1;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		make_stopper(cpu);
	return 0;
}
