/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks, and what all of them share: one user, one set of credentials, masks of CPUs.
 */
#include "kern.h"

#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/user_namespace.h>
#include <lockstep/names.h>

struct user_struct root_user = { .__count = REFCOUNT_INIT(1000) };
struct user_namespace init_user_ns;
struct ucounts init_ucounts;
struct cred init_cred = { .user = &root_user };	/* later trees have a static one of their own */
struct mm_struct init_mm = { .mm_users = ATOMIC_INIT(1000), .mm_count = ATOMIC_INIT(1000) };

struct cpumask __cpu_possible_mask, __cpu_online_mask, __cpu_present_mask, __cpu_active_mask;
struct cpumask __cpu_dying_mask;
atomic_t __num_online_cpus;

/* A word with one bit set for each bit number, shifted for each CPU: see cpumask_of(). */
#define MASK_1(x) [(x) + 1][0] = 1UL << (x)
#define MASK_4(x) MASK_1(x), MASK_1((x) + 1), MASK_1((x) + 2), MASK_1((x) + 3)
#define MASK_16(x) MASK_4(x), MASK_4((x) + 4), MASK_4((x) + 8), MASK_4((x) + 12)
const unsigned long cpu_bit_bitmap[BITS_PER_LONG + 1][BITS_TO_LONGS(NR_CPUS)] = {
	MASK_16(0), MASK_16(16), MASK_16(32), MASK_16(48)
};

void lockstep_rcu_add(struct lockstep_task *t);

void lockstep_bind(struct task *t, struct task_struct *p)
{
	p->pid = p->tgid = host->task_id(t) + 1;
	lockstep_rcu_add(lockstep_of(p));
}

struct task_struct *lockstep_task_of(struct task *t)
{
	return host->task_ktask(t);
}

void lockstep_task_init(void)
{
}

struct task_struct *lockstep_dup(const char *name)
{
	struct task_struct *p = host->alloc(host->sim, sizeof(*p));
	struct lockstep_task *t = host->alloc(host->sim, sizeof(*t));

	memcpy(p, &init_task, sizeof(*p));
	strscpy(p->comm, name, sizeof(p->comm));
	p->thread.lockstep = t;
	t->task = p;
	t->group = -1;
	p->flags = 0;
	refcount_set(&p->usage, 2);
	refcount_set(&p->rcu_users, 2);
	raw_spin_lock_init(&p->pi_lock);
	p->pi_waiters = RB_ROOT_CACHED;
	p->pi_top_task = NULL;
	p->pi_blocked_on = NULL;
	p->wake_q.next = NULL;
	p->thread_info.flags = 0;
	p->cpus_ptr = &p->cpus_mask;
	p->user_cpus_ptr = NULL;
	p->migration_disabled = 0;
	p->rcu_read_lock_nesting = 0;
	INIT_LIST_HEAD(&p->tasks);
	p->timer_slack_ns = 50000;
	p->mm = NULL;
	p->active_mm = NULL;
	cpumask_copy(&p->cpus_mask, cpu_possible_mask);
	p->nr_cpus_allowed = lockstep_machine.nr_cpus;
	return p;
}

/* The counterpart of in_kernel++: the outermost one is the way back to user space. */
void lockstep_leave_kernel(void)
{
	struct lockstep_task *t = lockstep_of(current);

	if (t->in_kernel == 1)
		lockstep_close_files();
	if (--t->in_kernel)
		return;
	preempt_disable();
	lockstep_return_to_user();
	preempt_enable();
}

void lockstep_numbered(char *to, size_t n, const char *prefix, int number)
{
	char digits[12];
	int i = sizeof(digits) - 1;

	digits[i] = 0;
	do
		digits[--i] = '0' + number % 10;
	while ((number /= 10) && i > 1);
	digits[--i] = '/';
	strscpy(to, prefix, n);
	strlcat(to, digits + i, n);
}

void free_uid(struct user_struct *u)
{
}

s32 percpu_counter_batch = 32;

int __percpu_counter_compare(struct percpu_counter *c, s64 rhs, s32 batch)
{
	s64 count = READ_ONCE(c->count);

	return count < rhs ? -1 : count > rhs;
}

void percpu_counter_add_batch(struct percpu_counter *c, s64 amount, s32 batch)
{
	__atomic_fetch_add(&c->count, amount, __ATOMIC_RELAXED);
}
