/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the kernel-side runtime say to each other.
 */
#ifndef LOCKSTEP_KERN_H
#define LOCKSTEP_KERN_H

#include <linux/sched.h>
#include <lockstep/focus.h>
#include "sim/core/probe.h"

#define LOCKSTEP_PROCESSES_MAX 64
#define LOCKSTEP_FIFOS_MAX 64
#define LOCKSTEP_RAW_MAX 4	/* task and the interrupts on its stack */

/* The shim's part of a task, at task->thread.lockstep. */
struct lockstep_task {
	struct task *host;
	struct task_struct *task;
	void (*fn)(void *arg);
	void *arg;
	bool per_cpu;		/* a kernel thread of one CPU */
	bool throttled;		/* as last told to the host */
	int group;		/* or -1 */
	int process;		/* whose files it has */
	int in_kernel;		/* nesting of what does not run in user space */
	struct lockstep_file_end *closing;	/* files to close before it is there again */
	u64 signals;		/* that have come and not been delivered, a bit each */
	const void *raw[LOCKSTEP_RAW_MAX];	/* raw spinlocks it spins for, the innermost last */
	int nr_raw;
	struct lockstep_task *next;		/* of all tasks (rcu.c) */
	struct lockstep_task *next_member;	/* of all in groups (group_tree.c) */
};

static inline struct lockstep_task *lockstep_of(struct task_struct *p)
{
	return p->thread.lockstep;
}

static inline u64 lockstep_now(void)
{
	return host->now(host->sim);
}

/* Real threads take the time they take, and nobody records them. */
static inline void lockstep_cost(enum bridge_cost kind)
{
#ifndef LOCKSTEP_NATIVE
	host->cost(host->sim, kind);
#endif
}

static inline void lockstep_log(enum probe_kind kind, u32 object, s64 arg)
{
#ifndef LOCKSTEP_NATIVE
	host->log(host->sim, kind, object, arg);
#endif
}

/*
 * Guards what others could find half-done only where they are real threads: on a simulated machine
 * nobody else runs before there is a cost.
 */
static inline void lockstep_lock(arch_spinlock_t *l)
{
#ifdef LOCKSTEP_NATIVE
	arch_spin_lock(l);
#endif
}

static inline void lockstep_unlock(arch_spinlock_t *l)
{
#ifdef LOCKSTEP_NATIVE
	arch_spin_unlock(l);
#endif
}

static inline u32 lockstep_id(struct task_struct *p)
{
	return host->task_id(lockstep_of(p)->host);
}

/* By its policy, not by a priority it was lent: such tasks sleep without slack. */
static inline bool lockstep_realtime(struct task_struct *p)
{
	return p->policy == SCHED_FIFO || p->policy == SCHED_RR || p->policy == SCHED_DEADLINE;
}

extern struct bridge_machine lockstep_machine;	/* as booted */

/* boot, in this order (entry.c) */
void lockstep_percpu_init(void);
void lockstep_task_init(void);
int lockstep_sched_init(void);
void lockstep_softirq_init(void);
void lockstep_rcu_init(void);
void lockstep_file_init(void);
int lockstep_initcalls_run(void);	/* 0, or -errno of the first that fails */

/* All CPUs of the machine, a bit each. */
static inline u64 lockstep_cpus(void)
{
	return lockstep_machine.nr_cpus < 64 ? (1ull << lockstep_machine.nr_cpus) - 1 : ~0ull;
}

/* a kernel thread: of one CPU (bound to it) or, with cpu -1, free; priority 0: SCHED_OTHER */
struct task_struct *lockstep_kthread(const char *name, int cpu, int rt_priority,
				     void (*fn)(void *), void *arg);
/* the same, not started yet */
struct task_struct *lockstep_kthread_new(const char *name, int cpu, int rt_priority,
					 void (*fn)(void *), void *arg);
/* A task like init_task, under another name, not yet known to scheduler or host. */
struct task_struct *lockstep_dup(const char *name);
/* first function of every task but idle */
void lockstep_task_entry(void *arg);

/* interrupts (irq.c, softirq.c) */
void lockstep_tick(void);		/* the scheduler's part of the tick */
void lockstep_call_function_irq(void);
void lockstep_resched_irq(void);
void lockstep_irq_exit_preempt(void);
void lockstep_softirq_irq_exit(void);
void lockstep_return_to_user(void);	/* throttling that waited for it happens here */
void lockstep_leave_kernel(void);
void lockstep_hrtimer_irq(void);
int lockstep_irq_new(int line, int cpu, enum bridge_irq_kind kind, int priority,
		     const char *name);
void lockstep_lines_softirq(void);
void lockstep_lines_irq(void);

/* what spawn.c asks of the scheduler in use (spawn_tree.c or spawn_sim.c); 0 or -errno */
int lockstep_sched_fork(struct task_struct *p, const struct bridge_spawn *s);
void lockstep_sched_start(struct task_struct *p);
int lockstep_sched_policy(struct task_struct *p, int policy, int priority);
int lockstep_sched_affinity(struct task_struct *p, u64 cpus);

/* boot.c: what is the same whoever schedules */
void lockstep_masks_boot(int nr_cpus);
void lockstep_hrtimers_boot(int nr_cpus);

/* the scheduler in use (sched_tree.c or sched_sim.c) */
int lockstep_spawn(struct task *t, const struct bridge_spawn *s);
void lockstep_start(struct task *t);
int lockstep_group_new(const char *name, int64_t quota_ns, uint64_t period_ns);
int lockstep_group_set(int group, int64_t quota_ns, uint64_t period_ns);
int lockstep_set_policy(struct task *t, int policy, int priority);
int lockstep_set_affinity(struct task *t, uint64_t cpus);
void lockstep_set_need_resched(void *ktask, bool on);
bool lockstep_need_resched(void *ktask);
bool lockstep_still_sleeps(void *ktask);
void lockstep_set_on_cpu(void *ktask, int cpu);
void lockstep_start_period_timer(int group, uint64_t period_ns);
/* group whose period timer @timer is, or -1 */
int lockstep_period_timer_group(const struct hrtimer *timer);
void lockstep_period_timer_done(int group);
struct task_struct *lockstep_task_of(struct task *t);
void lockstep_bind(struct task *t, struct task_struct *p);

/*
 * A raw spinlock may be the first word of a sleeping lock, its wait_lock: two locks at one address.
 * The raw one goes by the next byte's, and by this id.
 */
static inline const void *lockstep_raw_key(const void *lock)
{
	return (const char *)lock + 1;
}

u32 lockstep_raw_id(const void *lock);

/* locks and calls of scenarios */
void *lockstep_lock_new(enum bridge_lock_kind kind, const char *name);
int lockstep_lock_op(void *lock, enum bridge_lock_kind kind, enum bridge_lock_op op);
long lockstep_syscall(enum bridge_sys nr, const long arg[6]);
int lockstep_fd_ready(int epfd, int fd, uint32_t events);
int lockstep_epoll_ready_list(int epfd, bool *overflow);
void lockstep_close_files(void);
void lockstep_files_new(int process, bool copy);
void lockstep_files_end(int process);
void lockstep_set_process(struct task *t, int process);
void lockstep_user_signals(void);
void lockstep_sleep_on(const bool *flag, uint64_t until_ns);
void lockstep_wake(struct task *t);
void lockstep_signal(struct task *t, int sig);
uint64_t lockstep_sigmask(uint64_t blocked);
void lockstep_call_rcu(void);
int lockstep_awake(void);		/* wakeup.c */

/* sched_native.c */
void lockstep_thread_begin(const char *name, unsigned int cpu);
void lockstep_thread_end(void);

/* "name/3" and the like, without a printf; n is the room */
void lockstep_numbered(char *to, size_t n, const char *prefix, int number);

extern const struct bridge_unit lockstep_units[];
extern const unsigned int lockstep_nr_units;

#endif
