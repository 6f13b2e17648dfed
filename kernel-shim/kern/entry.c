/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The image's one entry, and the order in which it comes up.
 */
#include "kern.h"

#include <linux/init.h>
#include <linux/rcupdate.h>

struct bridge_focus lockstep_focus = { .irqs_off = 1 };
struct bridge_machine lockstep_machine;

extern const char lockstep_copy_insn[], lockstep_copy_fixup[];	/* uaccess.c */

static int boot(const struct bridge_machine *m)
{
	int err;

	lockstep_machine = *m;
	lockstep_percpu_init();
	lockstep_task_init();
	err = lockstep_sched_init();
	if (err)
		return err;
	lockstep_file_init();
	err = lockstep_initcalls_run();
	if (err)
		return err;
	lockstep_softirq_init();
	lockstep_rcu_init();
	system_state = SYSTEM_RUNNING;
	return 0;
}

struct bridge_image lockstep_offers = {
#ifdef LOCKSTEP_TREE_SCHED
	.scheduler = "tree",
	.throttle = HAVE_THROTTLE_WORK ? BRIDGE_THROTTLE_AT_EXIT : BRIDGE_THROTTLE_AT_ONCE,
#else
	.scheduler = "simulated",
	.throttle = BRIDGE_THROTTLE_AT_ONCE | BRIDGE_THROTTLE_AT_EXIT,
#endif
	.locks = "tree",
	.focus = &lockstep_focus,
	.boot = boot,
	.spawn = lockstep_spawn,
	.start = lockstep_start,
	.group_new = lockstep_group_new,
	.group_set = lockstep_group_set,
	.syscall = lockstep_syscall,
	.lock_new = lockstep_lock_new,
	.lock_op = lockstep_lock_op,
	.set_policy = lockstep_set_policy,
	.set_affinity = lockstep_set_affinity,
	.sleep_on = lockstep_sleep_on,
	.wake = lockstep_wake,
	.signal = lockstep_signal,
	.block_signals = lockstep_sigmask,
	.user_signals = lockstep_user_signals,
	.files_new = lockstep_files_new,
	.files_end = lockstep_files_end,
	.set_process = lockstep_set_process,
	.call_rcu = lockstep_call_rcu,
	.synchronize_rcu = synchronize_rcu,
	.fd_ready = lockstep_fd_ready,
	.ready_list = lockstep_epoll_ready_list,
	.irq_new = lockstep_irq_new,
	.awake = lockstep_awake,
	.do_irq = lockstep_do_irq,
	.copy_insn = lockstep_copy_insn,
	.copy_fixup = lockstep_copy_fixup,
	.set_need_resched = lockstep_set_need_resched,
	.need_resched = lockstep_need_resched,
	.still_sleeps = lockstep_still_sleeps,
	.set_on_cpu = lockstep_set_on_cpu,
	.start_period_timer = lockstep_start_period_timer,
};
