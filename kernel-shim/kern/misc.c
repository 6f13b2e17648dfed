/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the units refer to and a lab without a boot processor, consoles, signals or CPU hotplug
 * answers with nothing: data, and calls whose whole effect would be outside of it.
 */
#include "kern.h"

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/fs_struct.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/prandom.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcuwait.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/utsname.h>
#include <linux/workqueue.h>

char __lock_text_start[1], __lock_text_end[1], __sched_text_start[1], __sched_text_end[1];
char __cpuidle_text_start[1], __cpuidle_text_end[1];
char init_fs[8], init_files[8];		/* of types nothing here looks into */
struct nsproxy init_nsproxy;
struct uts_namespace init_uts_ns;
struct pid init_struct_pid;
struct workqueue_struct *system_wq, *system_percpu_wq;
DEFINE_PER_CPU(struct pt_regs *, __irq_regs);
unsigned long volatile jiffies;
int oops_in_progress;
enum system_states system_state = SYSTEM_SCHEDULING;
bool cpuhp_tasks_frozen;
bool static_key_initialized;

void lockstep_dead(const char *name);

void lockstep_dead(const char *name)
{
	host->bug(host->sim, "not offered by this image", name);
}

/* There are no worker threads: what boot leaves to them is done at once. */
bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	if (system_state == SYSTEM_RUNNING)
		lockstep_dead(__func__);
	work->func(work);
	return true;
}

void lockstep_relax(void)
{
	host->relax(host->sim);
}

/* ---- random numbers come from the oracle like everything that could be otherwise */

u32 __get_random_u32_below(u32 ceil)
{
	return host->choose(host->sim, ceil);
}

void prandom_seed_full_state(struct rnd_state __percpu *state)
{
}

u32 prandom_u32_state(struct rnd_state *state)
{
	return host->choose(host->sim, U32_MAX);
}

/* ---- tasks and threads */

unsigned long __get_wchan(struct task_struct *p)
{
	return 0;
}

pid_t __task_pid_nr_ns(struct task_struct *task, enum pid_type type, struct pid_namespace *ns)
{
	return task->pid;
}

bool kthread_should_stop(void)
{
	return false;
}

bool kthread_should_stop_or_park(void)
{
	return false;
}

void calculate_sigpending(void)
{
}

int cap_task_setscheduler(struct task_struct *p)
{
	return 0;
}

void put_task_stack(struct task_struct *task)
{
}

void put_task_struct_rcu_user(struct task_struct *task)
{
}

void rcu_note_context_switch(bool preempt)
{
}

int rcuwait_wake_up(struct rcuwait *w)
{
	return 0;
}

void wq_worker_running(struct task_struct *task)
{
}

void wq_worker_sleeping(struct task_struct *task)
{
}

void wq_worker_tick(struct task_struct *task)
{
}

void cpuhp_online_idle(enum cpuhp_state state)
{
}

/* ---- messages: the host prints stacks and state itself */

void dump_stack(void)
{
}

void show_regs(struct pt_regs *regs)
{
}

void show_stack(struct task_struct *task, unsigned long *sp, const char *log_lvl)
{
}

void print_worker_info(const char *log_lvl, struct task_struct *task)
{
}

void check_panic_on_warn(const char *origin)
{
}

int __printk_ratelimit(const char *func)
{
	return 1;
}

bool __do_once_start(bool *done, unsigned long *flags)
{
	return false;
}

void __do_once_done(bool *done, struct static_key_true *once_key, unsigned long *flags,
		    struct module *mod)
{
}

/* ---- files */

/* Each eventfd has a number for /proc; the lab hands out the next one. */
static int next_ida;

int ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max, gfp_t gfp)
{
	return min + __atomic_fetch_add(&next_ida, 1, __ATOMIC_RELAXED);
}

void ida_free(struct ida *ida, unsigned int id)
{
}

void take_dentry_name_snapshot(struct name_snapshot *name, struct dentry *dentry)
{
	name->name.name = "file";
}

void release_dentry_name_snapshot(struct name_snapshot *name)
{
}

/* Pipes are made without their file system; -ENOSYS lets the unit's initcall pass. */
int register_filesystem(struct file_system_type *fs)
{
	return -ENOSYS;
}
