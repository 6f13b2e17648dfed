/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one entry of a native image.
 */
#include "kern.h"

#include <linux/init.h>
#include <linux/sched/task.h>

__thread struct bridge_focus lockstep_focus = { .current_task = &init_task };
const struct bridge_host *host;
struct bridge_machine lockstep_machine = { .nr_cpus = NR_CPUS };

extern initcall_t lockstep_initcalls[], lockstep_initcalls_end[];

static int boot(const struct bridge_machine *m)
{
	static struct lockstep_task first = { .task = &init_task, .group = -1 };
	int err;

	init_task.thread.lockstep = &first;
	lockstep_percpu_init();
	lockstep_file_init();
	for (initcall_t *call = lockstep_initcalls; call < lockstep_initcalls_end; call++) {
		err = (*call)();
		if (err && err != -ENOSYS)	/* a file system: the lab has none */
			return err;
	}
	system_state = SYSTEM_RUNNING;
	return 0;
}

static struct bridge_image image = {
	.name = LOCKSTEP_IMAGE,
	.tree_version = LOCKSTEP_TREE_VERSION,
#ifdef CONFIG_PREEMPT_RT
	.config = "rt",
#else
	.config = "vanilla",
#endif
	.scheduler = "host",
	.locks = "tree",
	.units = lockstep_units,
	.boot = boot,
	.syscall = lockstep_syscall,
	.thread_begin = lockstep_thread_begin,
	.thread_end = lockstep_thread_end,
};

__attribute__((visibility("default"))) const struct bridge_image *
lockstep_image(const struct bridge_host *h);

const struct bridge_image *lockstep_image(const struct bridge_host *h)
{
	host = h;
	image.nr_units = lockstep_nr_units;
	return &image;
}
