/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RCU of real threads: liburcu.  Its heads have the kernel's form.
 */
#include "kern.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>

void lockstep_rcu_add(struct lockstep_task *t);

/* liburcu knows its threads. */
void lockstep_rcu_add(struct lockstep_task *t)
{
}

void __rcu_read_lock(void)
{
	host->native->rcu_enter();
}

void __rcu_read_unlock(void)
{
	host->native->rcu_leave();
}

void call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	host->native->rcu_call(head, (void (*)(void *))func);
}

/* The kernel's head holds where its object begins instead of a function, which liburcu would call. */
struct later {
	struct rcu_head head;
	void *object;
};

static void free_later(struct rcu_head *head)
{
	struct later *l = container_of(head, struct later, head);

	kfree(l->object);
	kfree(l);
}

static void free_after(void *object)
{
	struct later *l = host->alloc(host->sim, sizeof(*l));

	l->object = object;
	call_rcu(&l->head, free_later);
}

#if HAVE_KVFREE_CALL_RCU_PTR
void kvfree_call_rcu(struct rcu_head *head, void *ptr)
{
	free_after(ptr);
}
#else
void kvfree_call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	free_after((void *)head - (unsigned long)func);
}
#endif

void synchronize_rcu(void)
{
	host->native->rcu_wait();
}

void rcu_barrier(void)
{
	host->native->rcu_flush();
}
