/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RCU in virtual time.
 *
 * A grace period ends when every task that was inside a read section when it began has left it.
 * Those tasks are marked, so that leaving a section costs a call only when somebody waits for
 * it.  Callbacks run on rcuc/0; a grace period that lasts too long is a stall, reported again
 * and again as the kernel does.
 */
#include "kern.h"

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wait.h>

/* The next report comes after that many times the timeout, and as many ticks. */
#define STALL_REPEAT 3

static struct lockstep_task *tasks, **tasks_tail = &tasks;	/* in order of creation */
static struct rcu_head *waiting, **waiting_tail = &waiting;	/* for the next grace period */
static struct rcu_head *served, **served_tail = &served;	/* for the one under way */
static struct task_struct *rcuc;
static bool under_way, may_end, kick;
static int nr_blockers;
static u32 gp_seq;
static u64 next_stall;
static struct hrtimer stall_timer;

void lockstep_rcu_add(struct lockstep_task *t);

void lockstep_rcu_add(struct lockstep_task *t)
{
	*tasks_tail = t;
	tasks_tail = &t->next;
}

static void wake_rcuc(void)
{
	kick = true;
	if (rcuc)
		wake_up_process(rcuc);
}

void __rcu_read_lock(void)
{
	current->rcu_read_lock_nesting++;
}

/*
 * With interrupts off the caller may hold a run queue's lock, which waking needs: then the next
 * stall_check() sees that nobody is left.
 */
static void left_section(void)
{
	current->rcu_read_unlock_special.b.blocked = 0;
	if (!--nr_blockers && may_end && !irqs_disabled())
		wake_rcuc();
}

void __rcu_read_unlock(void)
{
	if (--current->rcu_read_lock_nesting)
		return;
	if (unlikely(current->rcu_read_unlock_special.b.blocked))
		left_section();
}

static void begin(void)
{
	under_way = true;
	may_end = false;
	served = waiting;
	served_tail = waiting ? waiting_tail : &served;
	waiting = NULL;
	waiting_tail = &waiting;
	next_stall = lockstep_now() + lockstep_machine.rcu_stall_ns;
	lockstep_log(PROBE_RCU_GP_START, ++gp_seq, 0);
	for (struct lockstep_task *t = tasks; t; t = t->next) {
		struct task_struct *p = t->task;

		if (!p->rcu_read_lock_nesting || p->rcu_read_unlock_special.b.blocked)
			continue;
		p->rcu_read_unlock_special.b.blocked = 1;
		nr_blockers++;
	}
	hrtimer_start(&stall_timer, TICK_NSEC, HRTIMER_MODE_REL_HARD);
}

static void run_callbacks(void)
{
	struct rcu_head *head = served;

	served = NULL;
	served_tail = &served;
	while (head) {
		struct rcu_head *next = head->next;
		unsigned long offset = (unsigned long)head->func;

		/* kvfree_rcu() leaves the offset of the head in its object instead of a function */
		if (offset < 4096)
			kfree((void *)head - offset);
		else
			head->func(head);
		head = next;
	}
}

/* Starts and ends grace periods and runs what waited for them. */
static void rcuc_main(void *arg)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kick) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		kick = false;
		if (under_way && may_end && !nr_blockers) {
			under_way = false;
			lockstep_log(PROBE_RCU_GP_END, gp_seq, 0);
			run_callbacks();
		}
		if (!under_way && waiting)
			begin();
	}
}

/* Every task that is waited for, as the kernel's warning lists them. */
static void report_stall(void)
{
	for (struct lockstep_task *t = tasks; t; t = t->next)
		if (t->task->rcu_read_unlock_special.b.blocked)
			lockstep_log(PROBE_RCU_STALL, gp_seq, lockstep_id(t->task));
	next_stall = lockstep_now() + STALL_REPEAT * (lockstep_machine.rcu_stall_ns + TICK_NSEC);
}

/*
 * Runs while a grace period is under way, in hard interrupt context: idle CPUs do not tick, and
 * soft timers may be what is stuck.
 */
static enum hrtimer_restart stall_check(struct hrtimer *timer)
{
	if (!under_way)
		return HRTIMER_NORESTART;
	may_end = true;
	if (!nr_blockers) {
		wake_rcuc();
		return HRTIMER_NORESTART;
	}
	if (lockstep_now() >= next_stall)
		report_stall();
	hrtimer_forward_now(timer, TICK_NSEC);
	return HRTIMER_RESTART;
}

static void queue(struct rcu_head *head, rcu_callback_t func)
{
	unsigned long flags;

	local_irq_save(flags);
	head->func = func;
	head->next = NULL;
	*waiting_tail = head;
	waiting_tail = &head->next;
	if (!under_way)
		wake_rcuc();
	local_irq_restore(flags);
}

void call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	queue(head, func);
}

#if HAVE_KVFREE_CALL_RCU_PTR
void kvfree_call_rcu(struct rcu_head *head, void *ptr)
{
	queue(head, (rcu_callback_t)((void *)head - ptr));
}
#else
void kvfree_call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	queue(head, func);
}
#endif

struct sync {
	struct rcu_head head;
	struct completion done;
};

static void sync_done(struct rcu_head *head)
{
	complete(&container_of(head, struct sync, head)->done);
}

void synchronize_rcu(void)
{
	struct sync s;

	init_completion(&s.done);
	queue(&s.head, sync_done);
	wait_for_completion(&s.done);
}

void rcu_barrier(void)
{
	synchronize_rcu();
}

struct idle_callback {
	struct rcu_head head;
};

static void free_callback(struct rcu_head *head)
{
	kfree(head);
}

void lockstep_call_rcu(void)
{
	struct idle_callback *c = host->alloc(host->sim, sizeof(*c));

	queue(&c->head, free_callback);
}

void lockstep_rcu_init(void)
{
#if HAVE_HRTIMER_SETUP
	hrtimer_setup(&stall_timer, stall_check, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&stall_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	stall_timer.function = stall_check;
#endif
	rcuc = lockstep_kthread("rcuc/0", 0, 1, rcuc_main, NULL);
}
