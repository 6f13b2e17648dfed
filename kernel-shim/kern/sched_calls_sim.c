/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What locks and wait queues ask of a scheduler that is not the tree's, as far as it does not
 * matter whose it is: the simulated one's or, in native images, the host's.
 *
 * Source: kernel/sched/core.c, Linux 6.12.
 */
#include "kern.h"

#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/wake_q.h>
#include <linux/wait.h>

#include "sched_sim.h"

/* ---- sleeping for a mutex or for input and output */

void rt_mutex_pre_schedule(void);
void rt_mutex_schedule(void);
void rt_mutex_post_schedule(void);
void rt_mutex_futex_pre_schedule(void);
void rt_mutex_futex_post_schedule(void);

/* No task here has block requests or is a worker: nothing to submit before it sleeps. */
void rt_mutex_pre_schedule(void)
{
}

void rt_mutex_futex_pre_schedule(void)
{
}

void rt_mutex_futex_post_schedule(void)
{
}

void rt_mutex_schedule(void)
{
	schedule();
}

void rt_mutex_post_schedule(void)
{
}

int io_schedule_prepare(void)
{
	return 0;
}

void io_schedule_finish(int token)
{
}

void io_schedule(void)
{
	schedule();
}

long io_schedule_timeout(long timeout)
{
	return schedule_timeout(timeout);
}

/* ---- waking */

bool lockstep_in_state(struct task_struct *p, unsigned int mask)
{
	if (READ_ONCE(p->__state) & mask)
		return true;
#ifdef CONFIG_PREEMPT_RT
	if (READ_ONCE(p->saved_state) & mask)
		p->saved_state = TASK_RUNNING;
#endif
	return false;
}

int wake_up_process(struct task_struct *p)
{
	return try_to_wake_up(p, TASK_NORMAL, 0);
}

int wake_up_state(struct task_struct *p, unsigned int state)
{
	return try_to_wake_up(p, state, 0);
}

int default_wake_function(wait_queue_entry_t *curr, unsigned int mode, int wake_flags, void *key)
{
	return try_to_wake_up(curr->private, mode, wake_flags);
}

/* True: it was on no list. */
static bool queue_wake(struct wake_q_head *head, struct task_struct *p)
{
	struct wake_q_node *node = &p->wake_q;

	if (cmpxchg(&node->next, NULL, WAKE_Q_TAIL))
		return false;
	WRITE_ONCE(*head->lastp, node);
	head->lastp = &node->next;
	return true;
}

void wake_q_add(struct wake_q_head *head, struct task_struct *p)
{
	if (queue_wake(head, p))
		get_task_struct(p);
}

/* The caller gives its reference away. */
void wake_q_add_safe(struct wake_q_head *head, struct task_struct *p)
{
	if (!queue_wake(head, p))
		put_task_struct(p);
}

void wake_up_q(struct wake_q_head *head)
{
	struct wake_q_node *node = head->first;

	while (node != WAKE_Q_TAIL) {
		struct task_struct *p = container_of(node, struct task_struct, wake_q);

		node = READ_ONCE(node->next);
		WRITE_ONCE(p->wake_q.next, NULL);
		wake_up_process(p);
		put_task_struct(p);
	}
}
