/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree's own kernel/sched on the simulated machine: what its architecture would supply.
 *
 * Switching, reschedule and function call interrupts, the idle loop's halt, the tick and boot.
 * Spawning is in spawn_tree.c, groups in group_tree.c, the stopper in stop_tree.c.
 */
#include "kern.h"

#include <linux/clockchips.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/init_task.h>
#include <linux/jump_label.h>
#include <linux/sched/clock.h>
#include <linux/sched/hotplug.h>
#include <linux/sched/init.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <lockstep/names.h>
#include <linux/task_work.h>

#include <linux/mmu_context.h>
#include <linux/sched/cputime.h>
#include "kernel/sched/sched.h"
#include "kernel/sched/smp.h"
#include "tree.h"

/* Who ran before, for the one who is switched to. */
static struct task_struct *left[NR_CPUS];
static struct llist_head calls[NR_CPUS];
static struct lockstep_task idle0;

struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next);
asmlinkage void preempt_schedule_irq(void);

struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next)
{
	left[lockstep_focus.cpu] = prev;
	lockstep_cost(COST_SWITCH);
	host->switch_to(host->sim, lockstep_of(prev)->host, lockstep_of(next)->host);
	return left[lockstep_focus.cpu];
}

void lockstep_task_entry(void *arg)
{
	struct lockstep_task *t = arg;

	schedule_tail(left[lockstep_focus.cpu]);
	t->fn(t->arg);
	host->task_exit(host->sim, t->host);
	preempt_disable();
	do_task_dead();
}

/* ---- interrupts between CPUs */

void arch_smp_send_reschedule(int cpu)
{
	host->ipi(host->sim, cpu, BRIDGE_IRQ_RESCHED);
}

/* Where it is a function: later trees have a macro around the one above. */
#undef smp_send_reschedule
void smp_send_reschedule(int cpu);
void smp_send_reschedule(int cpu)
{
	host->ipi(host->sim, cpu, BRIDGE_IRQ_RESCHED);
}

void arch_send_call_function_single_ipi(int cpu)
{
	host->ipi(host->sim, cpu, BRIDGE_IRQ_CALL);
}

void __smp_call_single_queue(int cpu, struct llist_node *node)
{
	if (llist_add(node, &calls[cpu]))
		host->ipi(host->sim, cpu, BRIDGE_IRQ_CALL);
}

int smp_call_function_single_async(int cpu, call_single_data_t *csd)
{
	csd->node.u_flags = CSD_FLAG_LOCK | CSD_TYPE_ASYNC;
	__smp_call_single_queue(cpu, &csd->node.llist);
	return 0;
}

/* hrtimers use it for a clock that was set: nobody sets the clock here */
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t fn, void *info, bool wait)
{
	host->bug(host->sim, "not offered by this image", __func__);
}

void flush_smp_call_function_queue(void)
{
	struct llist_node *n = llist_reverse_order(llist_del_all(&calls[lockstep_focus.cpu]));

	while (n) {
		call_single_data_t *csd = container_of(n, call_single_data_t, node.llist);
		struct llist_node *next = n->next;

		if ((csd->node.u_flags & CSD_FLAG_TYPE_MASK) == CSD_TYPE_TTWU) {
			n->next = NULL;
			sched_ttwu_pending(n);
		} else {
			csd->node.u_flags = 0;
			csd->func(csd->info);
		}
		n = next;
	}
}

void lockstep_call_function_irq(void)
{
	flush_smp_call_function_queue();
}

void lockstep_resched_irq(void)
{
	scheduler_ipi();
}

void lockstep_irq_exit_preempt(void)
{
	if (preempt_count())
		return;
	if (need_resched())
		preempt_schedule_irq();
	if (current->task_works && !lockstep_of(current)->in_kernel) {
		lockstep_return_to_user();
		preempt_schedule_irq();
	}
}

/* What waits for the return to user space: group throttling since 6.18, nothing before. */
int task_work_add(struct task_struct *p, struct callback_head *work, enum task_work_notify_mode mode)
{
	work->next = p->task_works;
	p->task_works = work;
	return 0;
}

void lockstep_return_to_user(void)
{
	struct callback_head *work;

	while ((work = current->task_works)) {
		current->task_works = work->next;
		work->func(work);
	}
}

void lockstep_tick(void)
{
#if HAVE_SCHED_TICK
	sched_tick();
#else
	scheduler_tick();
#endif
}

void arch_cpu_idle(void)
{
	host->idle(host->sim);
	lockstep_focus.irqs_off = 0;
	lockstep_do_irq();
	lockstep_focus.irqs_off = 1;
}

/* ---- what only the simulated scheduler asks for */

static void not_asked(const char *what)
{
	host->bug(host->sim, "this image runs the tree's own scheduler", what);
}

void lockstep_set_need_resched(void *ktask, bool on)
{
	not_asked(__func__);
}

bool lockstep_need_resched(void *ktask)
{
	not_asked(__func__);
	return false;
}

bool lockstep_still_sleeps(void *ktask)
{
	not_asked(__func__);
	return false;
}

void lockstep_set_on_cpu(void *ktask, int cpu)
{
	not_asked(__func__);
}

void lockstep_start_period_timer(int group, uint64_t period_ns)
{
	not_asked(__func__);
}

/* ---- boot */

static void idle_main(void *arg)
{
	cpu_startup_entry(CPUHP_ONLINE);
}

static void boot_smp(void *arg)
{
	sched_init_smp();
}

static void make_idle(int cpu)
{
	struct task_struct *p = &init_task;
	struct lockstep_task *t = &idle0;

	if (cpu) {
		p = lockstep_dup("swapper");
		t = lockstep_of(p);
	} else {
		p->thread.lockstep = t;
		t->task = p;
		t->group = -1;
	}
	t->per_cpu = true;
	lockstep_numbered(p->comm, sizeof(p->comm), "swapper", cpu);
	t->host = host->task_new(host->sim, p->comm, p, MAX_PRIO, idle_main, NULL);
	if (!cpu)
		return;
	sched_fork(0, p);
	init_idle(p, cpu);
}

int lockstep_sched_init(void)
{
	int nr_cpus = lockstep_machine.nr_cpus;
	struct task_struct *idle[NR_CPUS] = { &init_task };

	lockstep_masks_boot(nr_cpus);
	lockstep_name_raw(&init_task.pi_lock, "&p->pi_lock");
	init_task.nr_cpus_allowed = nr_cpus;
	init_task.flags |= PF_KTHREAD;
	lockstep_css_boot(&init_task);
	make_idle(0);
	lockstep_focus.current_task = &init_task;
	static_key_initialized = true;
	sched_init();
	lockstep_hrtimers_boot(nr_cpus);
	sched_clock_init();
	for (int cpu = 1; cpu < nr_cpus; cpu++) {
		make_idle(cpu);
		idle[cpu] = cpu_rq(cpu)->idle;
	}
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		host->set_idle(host->sim, cpu, lockstep_of(idle[cpu])->host);
		sched_cpu_activate(cpu);
	}
	lockstep_focus.irqs_off = 1;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		lockstep_stopper_boot(cpu);
	lockstep_kthread("kernel_init", 0, 0, boot_smp, NULL);
	return 0;
}
