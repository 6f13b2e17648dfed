/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts: what is pending at a CPU is taken on the stack of the task it interrupts.
 */
#include "kern.h"

#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#define LINES_MAX 32

/* A device interrupt, and where its handler runs. */
static struct line {
	enum bridge_irq_kind kind;
	struct task_struct *thread;
	int cpu;
	bool pending, used;
} lines[LINES_MAX];

void lockstep_do_irq(void)
{
	while (lockstep_focus.pending && !lockstep_focus.irqs_off) {
		u32 irqs = lockstep_focus.pending;

		lockstep_focus.pending = 0;
		lockstep_focus.irqs_off = 1;
		jiffies = div_u64(lockstep_now(), TICK_NSEC);
		__irq_enter_raw();
		lockstep_cost(COST_IRQ);
		if (irqs & BRIDGE_IRQ_TIMER)
			lockstep_hrtimer_irq();
		if (irqs & BRIDGE_IRQ_TICK)
			lockstep_tick();
		if (irqs & BRIDGE_IRQ_CALL)
			lockstep_call_function_irq();
		if (irqs & BRIDGE_IRQ_RESCHED)
			lockstep_resched_irq();
		if (irqs & BRIDGE_IRQ_LINE)
			lockstep_lines_irq();
		__irq_exit_raw();
		lockstep_softirq_irq_exit();
		lockstep_irq_exit_preempt();
		lockstep_focus.irqs_off = 0;
	}
}

/* As a forced-threaded handler runs: bottom halves are off around it. */
static void irq_thread(void *arg)
{
	struct line *l = arg;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!l->pending) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		l->pending = false;
		local_bh_disable();
		host->irq_handler(host->sim, l - lines);
		local_bh_enable();
	}
}

static void raise(struct line *l)
{
	switch (l->kind) {
	case BRIDGE_IRQ_HARD:
		host->irq_handler(host->sim, l - lines);
		break;
	case BRIDGE_IRQ_THREADED:
		l->pending = true;
		wake_up_process(l->thread);
		break;
	case BRIDGE_IRQ_SOFT:
		l->pending = true;
		raise_softirq_irqoff(TASKLET_SOFTIRQ);
		break;
	}
}

/* As a tasklet runs: on the CPU whose interrupt has raised it. */
void lockstep_lines_softirq(void)
{
	for (struct line *l = lines; l < lines + LINES_MAX; l++) {
		if (l->kind != BRIDGE_IRQ_SOFT || !l->pending || l->cpu != lockstep_focus.cpu)
			continue;
		l->pending = false;
		host->irq_handler(host->sim, l - lines);
	}
}

void lockstep_lines_irq(void)
{
	int line;

	while ((line = host->irq_line(host->sim, lockstep_focus.cpu)) >= 0) {
		lockstep_log(PROBE_IRQ_ENTRY, line, 0);
		raise(&lines[line]);
		lockstep_log(PROBE_IRQ_EXIT, line, 0);
	}
}

int lockstep_irq_new(int line, int cpu, enum bridge_irq_kind kind, int priority, const char *name)
{
	char comm[TASK_COMM_LEN];
	struct line *l;

	if (line < 0 || line >= LINES_MAX || lines[line].used)
		return -EINVAL;
	l = &lines[line];
	l->used = true;
	l->kind = kind;
	l->cpu = cpu;
	if (kind != BRIDGE_IRQ_THREADED)
		return 0;
	lockstep_numbered(comm, sizeof(comm), "irq", line);
	strlcat(comm, "-", sizeof(comm));
	strlcat(comm, name, sizeof(comm));
	l->thread = lockstep_kthread(comm, cpu, priority, irq_thread, l);
	return 0;
}
