/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one entry of a native image.
 */
#include "kern.h"

#include <linux/init.h>
#include <linux/sched/task.h>

__thread struct bridge_focus lockstep_focus = { .current_task = &init_task };
struct bridge_machine lockstep_machine = { .nr_cpus = NR_CPUS };

static_assert(NR_CPUS == BRIDGE_NATIVE_THREADS_MAX, "a CPU a thread");

static int boot(const struct bridge_machine *m)
{
	static struct lockstep_task first = { .task = &init_task, .group = -1 };
	int err;

	init_task.thread.lockstep = &first;
	lockstep_percpu_init();
	lockstep_file_init();
	err = lockstep_initcalls_run();
	if (err)
		return err;
	system_state = SYSTEM_RUNNING;
	return 0;
}

struct bridge_image lockstep_offers = {
	.scheduler = "host",
	.locks = "tree, but spinlocks of the host",
	.boot = boot,
	.syscall = lockstep_syscall,
	.thread_begin = lockstep_thread_begin,
	.thread_end = lockstep_thread_end,
};
