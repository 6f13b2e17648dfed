/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stopper: a thread per CPU above all others, by which the scheduler moves running tasks.
 */
#include "kern.h"

#include <linux/completion.h>
#include <linux/sched/hotplug.h>
#include <linux/stop_machine.h>

#include <linux/mmu_context.h>
#include <linux/sched/cputime.h>
#include "kernel/sched/sched.h"
#include "tree.h"

struct stopper {
	struct list_head works;
	struct task_struct *thread;
	raw_spinlock_t lock;
};

struct stop_call {
	cpu_stop_fn_t fn;
	void *arg;
	struct completion done;
	int ret;
};

static struct stopper stoppers[NR_CPUS];

static struct cpu_stop_work *next_work(struct stopper *s)
{
	struct cpu_stop_work *w;

	raw_spin_lock_irq(&s->lock);
	w = list_first_entry_or_null(&s->works, struct cpu_stop_work, list);
	if (w)
		list_del_init(&w->list);
	raw_spin_unlock_irq(&s->lock);
	return w;
}

static void stopper_main(void *arg)
{
	struct stopper *s = arg;

	for (;;) {
		struct cpu_stop_work *w;

		set_current_state(TASK_INTERRUPTIBLE);
		w = next_work(s);
		if (!w) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		preempt_disable();
		w->fn(w->arg);
		preempt_enable();
	}
}

bool stop_one_cpu_nowait(unsigned int cpu, cpu_stop_fn_t fn, void *arg, struct cpu_stop_work *w)
{
	struct stopper *s = &stoppers[cpu];
	unsigned long flags;

	*w = (struct cpu_stop_work){ .fn = fn, .arg = arg };
	preempt_disable();
	raw_spin_lock_irqsave(&s->lock, flags);
	list_add_tail(&w->list, &s->works);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	wake_up_process(s->thread);
	preempt_enable();
	return true;
}

static int run_and_complete(void *arg)
{
	struct stop_call *c = arg;

	c->ret = c->fn(c->arg);
	complete(&c->done);
	return 0;
}

int stop_one_cpu(unsigned int cpu, cpu_stop_fn_t fn, void *arg)
{
	struct stop_call c = { .fn = fn, .arg = arg };
	struct cpu_stop_work w;

	init_completion(&c.done);
	stop_one_cpu_nowait(cpu, run_and_complete, &c, &w);
	wait_for_completion(&c.done);
	return c.ret;
}

void print_stop_info(const char *log_lvl, struct task_struct *task)
{
}

void lockstep_stopper_boot(int cpu)
{
	struct stopper *s = &stoppers[cpu];
	char comm[TASK_COMM_LEN];

	INIT_LIST_HEAD(&s->works);
	raw_spin_lock_init(&s->lock);
	lockstep_numbered(comm, sizeof(comm), "migration", cpu);
	s->thread = lockstep_kthread_new(comm, cpu, 0, stopper_main, s);
	/* Its class is set under it: it must not be queued yet. */
	sched_set_stop_task(cpu, s->thread);
	wake_up_new_task(s->thread);
}
