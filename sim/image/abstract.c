/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The abstract machine as an image: no kernel code, Lockstep's own scheduler and locks.
 *
 * It answers through the same table as a kernel image, so that whoever runs scenarios asks no
 * "which are you?".  The table's functions know no machine, so the one that runs is selected
 * (machine_select()); images have a copy of their data each instead.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/abstract.h"
#include "sim/core/sched.h"
#include "sim/image/private.h"
#include "sim/lock/lock.h"

#define NAME "abstract"
#define STRATEGIES_MAX 16

static struct machine *selected;

void abstract_select(struct machine *m)
{
	selected = m;
}

/* ---- the table */

static int spawn(struct task *t, const struct bridge_spawn *s)
{
	return abstract_spawn(t->sim, t, s);
}

static void start(struct task *t)
{
	abstract_start(t->sim, t);
}

static int group_new(const char *name, int64_t quota_ns, uint64_t period_ns)
{
	int group = sched_group_new(selected->sim, -1, period_ns);

	(void)name;
	if (group >= 0)
		abstract_group_set(selected->sim, group, quota_ns, period_ns);
	return group;
}

static int group_set(int group, int64_t quota_ns, uint64_t period_ns)
{
	return abstract_group_set(selected->sim, group, quota_ns, period_ns);
}

/* Files belong to the kernel; who asks for one has been refused before the run. */
static long syscall_abstract(enum bridge_sys nr, const long arg[6])
{
	switch (nr) {
	case SYS_NANOSLEEP:
		abstract_sleep(selected->sim, (uint64_t)arg[0]);
		return 0;
	case SYS_SCHED_YIELD:
		abstract_yield(selected->sim);
		return 0;
	default:
		return -ENOSYS;
	}
}

static void *new_lock(enum bridge_lock_kind kind, const char *name)
{
	return lock_new(selected->locks, kind, name);
}

static int operate(void *lock, enum bridge_lock_kind kind, enum bridge_lock_op op)
{
	(void)kind;
	return lock_op(lock, op);
}

static int set_policy(struct task *t, int policy, int priority)
{
	int err = abstract_set_policy(t->sim, t, policy, priority);

	if (!err)
		lock_waiter_changed(t->sim, t);
	return err;
}

static int set_affinity(struct task *t, uint64_t cpus)
{
	return abstract_set_affinity(t->sim, t, cpus);
}

static void sleep_on(const bool *flag, uint64_t until_ns)
{
	SIM_CHECK(until_ns == SIM_NEVER);	/* nobody asks for it without a kernel */
	abstract_sleep_on(selected->sim, flag);
}

static void wake(struct task *t)
{
	abstract_end_sleep(t->sim, t);
}

static void no_rcu(void)
{
	engine_bug(selected->sim, "not offered by this image", "RCU");
}

static int no_fd(int epfd, int fd, uint32_t events)
{
	(void)epfd;
	(void)fd;
	(void)events;
	return 0;
}

static int no_ready_list(int epfd, bool *overflow)
{
	(void)epfd;
	*overflow = false;
	return -EBADF;
}

static int irq_new(int line, int cpu, enum bridge_irq_kind kind, int priority, const char *name)
{
	return kind == BRIDGE_IRQ_SOFT ? -EOPNOTSUPP :
		       abstract_irq_new(selected->sim, line, cpu, kind == BRIDGE_IRQ_THREADED,
					priority, name);
}

static struct bridge_focus no_focus;	/* nothing is compiled with function entries */

static const struct bridge_image table = {
	.tree_version = "",
	.config = "abstract",
	.scheduler = "simulated",
	.throttle = BRIDGE_THROTTLE_AT_ONCE | BRIDGE_THROTTLE_AT_EXIT,
	.focus = &no_focus,
	.spawn = spawn,
	.start = start,
	.group_new = group_new,
	.group_set = group_set,
	.syscall = syscall_abstract,
	.lock_new = new_lock,
	.lock_op = operate,
	.set_policy = set_policy,
	.set_affinity = set_affinity,
	.sleep_on = sleep_on,
	.wake = wake,
	.call_rcu = no_rcu,
	.synchronize_rcu = no_rcu,
	.fd_ready = no_fd,
	.ready_list = no_ready_list,
	.irq_new = irq_new,
};

/* ---- names: "abstract", or "abstract@" and a strategy */

const char *abstract_name(unsigned int i)
{
	static char names[STRATEGIES_MAX][48];
	const struct lock_strategy *y = lock_strategy_at(i);

	if (!i)
		return NAME;	/* the first strategy is the default */
	if (!y)
		return NULL;
	SIM_CHECK(i < STRATEGIES_MAX);
	snprintf(names[i], sizeof(names[i]), NAME "@%s", lock_strategy_name(y));
	return names[i];
}

const struct bridge_image *abstract_ops(const char *name, const struct lock_strategy **strategy)
{
	static struct bridge_image tables[STRATEGIES_MAX];
	const struct lock_strategy *y;
	const char *own;

	for (unsigned int i = 0; (y = lock_strategy_at(i)); i++) {
		own = abstract_name(i);
		/* the default may be said in full */
		if (strcmp(own, name) && (i || strncmp(name, NAME "@", sizeof(NAME)) ||
					  strcmp(name + sizeof(NAME), lock_strategy_name(y))))
			continue;
		tables[i] = table;
		tables[i].name = own;
		tables[i].locks = lock_strategy_name(y);
		*strategy = y;
		return &tables[i];
	}
	return NULL;
}

/* ---- life of a machine */

static void task_main(void *self, struct task *t)
{
	struct machine *m = self;

	if (m->hooks.task_main)
		m->hooks.task_main(m->hooks.self, t);
}

static void irq_handler(void *self, int line)
{
	struct machine *m = self;

	if (m->hooks.irq_handler)
		m->hooks.irq_handler(m->hooks.self, line);
}

static void lock_taken(void *self, uint32_t lock, unsigned int mode)
{
	struct machine *m = self;

	if (m->hooks.lock_hook)
		m->hooks.lock_hook(m->hooks.self, lock, mode, true, NULL);
}

void abstract_machine_boot(struct machine *m)
{
	struct abstract_hooks hooks = { .self = m, .task_main = task_main,
					.irq_handler = irq_handler };

	m->locks = lock_set_new(m->sim, m->image->strategy);
	lock_set_hook(m->locks, lock_taken, m);
	abstract_boot(m->sim);
	abstract_set_hooks(m->sim, &hooks);
}

void abstract_machine_reset(struct machine *m)
{
	lock_set_clear(m->locks);
	abstract_reset(m->sim);
}
