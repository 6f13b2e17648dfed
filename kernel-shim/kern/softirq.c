/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Soft interrupts: raised anywhere, served by threads (and on RT by whoever enables bottom
 * halves).
 *
 * On PREEMPT_RT bottom halves are disabled by taking a per-CPU lock, softirq_ctrl.lock.  Whoever
 * is blocked while holding it keeps the softirq threads of its CPU from running, and with them
 * every soft timer there: that is an edge of its own in a blocking chain.
 *
 * Source: kernel/softirq.c, Linux 6.12 (the RT half), and the ktimers thread of 6.13.
 */
#include "kern.h"

#include <linux/bottom_half.h>
#include <linux/interrupt.h>
#include <linux/local_lock.h>
#include <linux/percpu.h>

#define TIMER_VECTORS ((1u << HRTIMER_SOFTIRQ) | (1u << TIMER_SOFTIRQ))
#define RESTARTS_MAX 10

#if HAVE_SOFTIRQ_ACTION_VOID
typedef void (*action_fn)(void);
#define CALL_ACTION(fn) (fn)()
#else
typedef void (*action_fn)(struct softirq_action *);
#define CALL_ACTION(fn) (fn)(NULL)
#endif

struct softirq_thread {
	u32 vectors;
	int cpu;
	struct task_struct *task;
};

struct softirq_cpu {
	u32 pending;
	int disabled;		/* nesting of bottom halves off, all tasks of this CPU */
	struct softirq_thread main, timers;
#ifdef CONFIG_PREEMPT_RT
	spinlock_t lock;
#endif
};

static struct softirq_cpu cpus[NR_CPUS];
static action_fn actions[NR_SOFTIRQS];

static struct softirq_cpu *this(void)
{
	return &cpus[lockstep_focus.cpu];
}

void open_softirq(int nr, action_fn action)
{
	actions[nr] = action;
}

/*
 * Whoever holds bottom halves off on this CPU serves what ksoftirqd would, when it lets go, so
 * that thread stays asleep.  Timers that ktimers serves are not looked at then: it is woken, and
 * lends its priority to the holder.
 */
static void wake_threads(struct softirq_cpu *c)
{
	if (c->timers.task && (c->pending & c->timers.vectors))
		wake_up_process(c->timers.task);
	if (c->main.task && (c->pending & c->main.vectors) && !c->disabled)
		wake_up_process(c->main.task);
}

/* Threads are woken at the end of the interrupt; outside of one, at once. */
void raise_softirq_irqoff(unsigned int nr)
{
	struct softirq_cpu *c = this();

	lockstep_log(PROBE_SOFTIRQ_RAISE, nr, 0);
	c->pending |= 1u << nr;
	if (!in_interrupt())
		wake_threads(c);
}

void __raise_softirq_irqoff(unsigned int nr)
{
	lockstep_log(PROBE_SOFTIRQ_RAISE, nr, 0);
	this()->pending |= 1u << nr;
}

void raise_softirq(unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	raise_softirq_irqoff(nr);
	local_irq_restore(flags);
}

static void run_vector(unsigned int nr)
{
	lockstep_log(PROBE_SOFTIRQ_ENTRY, nr, 0);
	if (actions[nr])
		CALL_ACTION(actions[nr]);
	lockstep_log(PROBE_SOFTIRQ_EXIT, nr, 0);
}

/* Serves what is pending of @vectors; what is raised meanwhile too, within reason. */
static void serve(struct softirq_cpu *c, u32 vectors)
{
	for (int restart = 0; restart < RESTARTS_MAX; restart++) {
		u32 pending;

		local_irq_disable();
		pending = c->pending & vectors;
		c->pending &= ~pending;
		local_irq_enable();
		if (!pending)
			return;
		for (unsigned int nr = 0; nr < NR_SOFTIRQS; nr++)
			if (pending & (1u << nr))
				run_vector(nr);
	}
}

#ifdef CONFIG_PREEMPT_RT
void __local_bh_disable_ip(unsigned long ip, unsigned int cnt)
{
	struct softirq_cpu *c;

	migrate_disable();
	if (!current->softirq_disable_cnt && preemptible()) {
		spin_lock(&this()->lock);
		rcu_read_lock();
	}
	c = this();
	c->disabled += cnt;
	current->softirq_disable_cnt += cnt;
}

static void bottom_halves_on(struct softirq_cpu *c, unsigned int cnt)
{
	bool outermost = current->softirq_disable_cnt == cnt;

	c->disabled -= cnt;
	current->softirq_disable_cnt -= cnt;
	if (outermost && preemptible()) {
		rcu_read_unlock();
		spin_unlock(&c->lock);
	}
	migrate_enable();
}

void __local_bh_enable_ip(unsigned long ip, unsigned int cnt)
{
	struct softirq_cpu *c = this();
	bool outermost = current->softirq_disable_cnt == cnt;

	/* Served with bottom halves still off, by the one who held them off. */
	if (outermost && preemptible())
		serve(c, c->main.vectors);
	if (outermost && (c->pending & c->main.vectors))
		wake_up_process(c->main.task);
	bottom_halves_on(c, cnt);
}
#else
void __local_bh_enable_ip(unsigned long ip, unsigned int cnt)
{
	struct softirq_cpu *c = this();

	/* One count stays while serving, so that it does not nest. */
	preempt_count_sub(cnt - 1);
	if (!in_interrupt() && c->pending) {
		preempt_count_add(SOFTIRQ_OFFSET);
		serve(c, ~0u);
		preempt_count_sub(SOFTIRQ_OFFSET);
	}
	preempt_count_dec();
	preempt_check_resched();
}
#endif

static void softirq_thread(void *arg)
{
	struct softirq_thread *t = arg;
	struct softirq_cpu *c = &cpus[t->cpu];

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!(c->pending & t->vectors)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
#ifdef CONFIG_PREEMPT_RT
		__local_bh_disable_ip(0, SOFTIRQ_OFFSET);
		serve(c, t->vectors);
		bottom_halves_on(c, SOFTIRQ_OFFSET);
#else
		preempt_count_add(SOFTIRQ_OFFSET);
		serve(c, t->vectors);
		preempt_count_sub(SOFTIRQ_OFFSET);
#endif
		cond_resched();
	}
}

#ifdef CONFIG_PREEMPT_RT
void lockstep_softirq_irq_exit(void)
{
	if (this()->pending)
		wake_threads(this());
}
#else
/* Without RT they run right behind the interrupt, on its stack. */
void lockstep_softirq_irq_exit(void)
{
	struct softirq_cpu *c = this();

	if (!c->pending || in_interrupt())
		return;
	if (c->main.task) {
		preempt_count_add(SOFTIRQ_OFFSET);
		serve(c, ~0u);
		preempt_count_sub(SOFTIRQ_OFFSET);
		lockstep_focus.irqs_off = 1;
	}
	wake_threads(c);
}
#endif

#if HAVE_SOFTIRQ_ACTION_VOID
static void lines_action(void)
#else
static void lines_action(struct softirq_action *unused)
#endif
{
	lockstep_lines_softirq();
}

void lockstep_softirq_init(void)
{
	bool asked = lockstep_machine.softirq == BRIDGE_SOFTIRQ_KTIMERS;
	bool ktimers = asked && IS_ENABLED(CONFIG_PREEMPT_RT);	/* only where interrupts thread */

	open_softirq(TASKLET_SOFTIRQ, lines_action);
	for (int cpu = 0; cpu < lockstep_machine.nr_cpus; cpu++) {
		struct softirq_cpu *c = &cpus[cpu];
		char comm[TASK_COMM_LEN];

#ifdef CONFIG_PREEMPT_RT
		rt_mutex_base_init(&c->lock.lock);
		host->lock_name(host->sim, &c->lock, BRIDGE_LOCK_SPIN, "softirq_ctrl.lock");
#endif
		c->main.vectors = ktimers ? ~TIMER_VECTORS : ~0u;
		c->main.cpu = c->timers.cpu = cpu;
		if (ktimers) {
			c->timers.vectors = TIMER_VECTORS;
			lockstep_numbered(comm, sizeof(comm), "ktimers", cpu);
			c->timers.task = lockstep_kthread(comm, cpu,
							  lockstep_machine.softirq_priority,
							  softirq_thread, &c->timers);
		}
		lockstep_numbered(comm, sizeof(comm), "ksoftirqd", cpu);
		c->main.task = lockstep_kthread(comm, cpu,
						asked ? 0 : lockstep_machine.softirq_priority,
						softirq_thread, &c->main);
	}
}
