/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all tasks share: one user, one set of credentials, signals and masks of CPUs.
 */
#include "kern.h"

#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/user_namespace.h>

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

/* The counterpart of in_kernel++: the outermost one is the way back to user space. */
void lockstep_leave_kernel(void)
{
	if (--lockstep_of(current)->in_kernel)
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

void __put_task_struct(struct task_struct *p)
{
}

void __put_task_struct_rcu_cb(struct rcu_head *rcu)
{
}

s32 percpu_counter_batch = 32;

int __percpu_counter_compare(struct percpu_counter *c, s64 rhs, s32 batch)
{
	return c->count < rhs ? -1 : c->count > rhs;
}

void percpu_counter_add_batch(struct percpu_counter *c, s64 amount, s32 batch)
{
	c->count += amount;
}
