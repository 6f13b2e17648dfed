/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bridge: the one header that both worlds include.
 *
 * The host (C11, libc) never sees a kernel header and a kernel image never calls libc; all
 * they say to each other goes through the two tables below.  Only fixed-width types and
 * opaque structs cross.
 */
#ifndef LOCKSTEP_BRIDGE_H
#define LOCKSTEP_BRIDGE_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stdarg.h>
#else
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

struct sim;	/* host: one simulated machine */
struct task;	/* host: one task; its kernel side is a struct task_struct */

#define BRIDGE_CPUS_MAX 64
#define BRIDGE_NATIVE_THREADS_MAX 256

/*
 * A pthread mutex with PTHREAD_PRIO_INHERIT, in words: the kernel world cannot name its type.  The
 * host checks at its start that this is what pthread_mutex_init() makes.
 */
struct bridge_mutex {
	uint32_t word[10];
} __attribute__((aligned(8)));
#define BRIDGE_MUTEX_UNLOCKED { { 0, 0, 0, 0, 32 } }

/*
 * What the kernel's inline code needs without a call: who runs where.  It describes the CPU
 * in focus; the engine swaps it when another CPU goes on.
 */
struct bridge_focus {
	void *current_task;	/* struct task_struct of the image */
	uint32_t cpu;
	uint32_t irqs_off;	/* 0: interrupts enabled */
	uint32_t pending;	/* BRIDGE_IRQ_*: to be taken as soon as interrupts are enabled */
	uint32_t fentry_on;	/* a trigger wants to see function entries */
	uint32_t access_left;	/* access-hooked images: memory accesses until host->access() */
};

/* Interrupts a CPU can have pending. */
enum bridge_irq {
	BRIDGE_IRQ_TIMER = 1,	/* the CPU's clock event has expired */
	BRIDGE_IRQ_TICK = 2,
	BRIDGE_IRQ_RESCHED = 4,	/* reschedule interrupt */
	BRIDGE_IRQ_CALL = 8,	/* function call interrupt */
	BRIDGE_IRQ_LINE = 16	/* a device: engine_irq_line_next() tells which */
};

/* What takes time; the ranges are in sim/core/cost.c, one table for all images. */
enum bridge_cost {
	COST_LOCK,	/* fast path of a lock operation */
	COST_SWITCH,	/* context switch */
	COST_WAKEUP,
	COST_IRQ,	/* interrupt entry */
	COST_SYSCALL,
	COST_COPY,	/* copy to or from user space */
	COST_IPI,	/* from sending to arrival */
	COST_ACCESS,	/* memory access, in access-hooked images */
	COST_STEP,	/* a user-space step of a scenario */
	COST_RELAX,	/* one turn of a busy-wait loop */
	NR_COSTS
};

enum bridge_lock_kind {
	BRIDGE_LOCK_SPIN,
	BRIDGE_LOCK_RAW_SPIN,
	BRIDGE_LOCK_RW,
	BRIDGE_LOCK_RWSEM,
	BRIDGE_LOCK_MUTEX,
	BRIDGE_LOCK_RTMUTEX,
	BRIDGE_LOCK_WAITQUEUE,
	NR_BRIDGE_LOCK_KINDS
};

enum bridge_lock_op {
	BRIDGE_OP_LOCK,		/* exclusive, or write for rwlock and rwsem */
	BRIDGE_OP_TRYLOCK,
	BRIDGE_OP_UNLOCK,
	BRIDGE_OP_READ_LOCK,
	BRIDGE_OP_READ_TRYLOCK,
	BRIDGE_OP_READ_UNLOCK
};

/* System calls an image offers.  Arguments are longs, pointers are the caller's memory. */
enum bridge_sys {
	SYS_NONE,
	SYS_EPOLL_CREATE1,
	SYS_EPOLL_CTL,
	SYS_EPOLL_WAIT,
	SYS_EVENTFD2,
	SYS_TIMERFD_CREATE,
	SYS_TIMERFD_SETTIME,	/* fd, flags, first ns (relative), interval ns */
	SYS_PIPE2,		/* int fd[2], flags */
	SYS_READ,
	SYS_WRITE,
	SYS_CLOSE,
	SYS_NANOSLEEP,		/* ns */
	SYS_SCHED_YIELD,
	SYS_EPOLL_CREATE,	/* size */
	SYS_EPOLL_PWAIT,	/* epfd, events, number, ms, mask, size of mask */
	SYS_EPOLL_PWAIT2,	/* epfd, events, number, timespec, mask, size of mask */
	SYS_TIMERFD_GETTIME,	/* fd, itimerspec */
	SYS_POLL,		/* pollfd, number, ms */
	SYS_PPOLL,		/* pollfd, number, timespec, mask, size of mask */
	SYS_DUP,
	SYS_DUP2,
	SYS_FCNTL,		/* fd, F_GETFL or F_SETFL, flags */
	SYS_PAUSE,
	SYS_SOCKETPAIR,		/* int fd[2], flags */
	SYS_FIFO_NEW,		/* a named pipe; its number */
	SYS_FIFO_OPEN,		/* number, flags */
	/* A file whose readiness a test scripts. */
	SYS_SCRIPTED_NEW,	/* 0: it has no poll() */
	SYS_SCRIPTED_SET,	/* fd, events that poll() answers from now on; times it was polled */
	SYS_SCRIPTED_ASKED,	/* fd; events it was last polled for */
	SYS_SCRIPTED_WAKE,	/* fd, key of the wake-up; POLLFREE: the wait queue goes away */
	NR_BRIDGE_SYS
};

enum bridge_policy {	/* the kernel's numbers */
	BRIDGE_SCHED_OTHER = 0,
	BRIDGE_SCHED_FIFO = 1,
	BRIDGE_SCHED_RR = 2,
	BRIDGE_SCHED_BATCH = 3,
	BRIDGE_SCHED_IDLE = 5,
	BRIDGE_SCHED_DEADLINE = 6
};

/* Where a device interrupt's handler runs. */
enum bridge_irq_kind { BRIDGE_IRQ_HARD, BRIDGE_IRQ_THREADED, BRIDGE_IRQ_SOFT };

/* How the host asks for a task. */
struct bridge_spawn {
	const char *name;
	uint64_t cpus;		/* affinity, a bit a CPU */
	int policy;		/* enum bridge_policy */
	int priority;		/* 1-99 for FIFO and RR, nice for OTHER */
	int group;		/* index from group_new, or -1 */
	uint64_t dl_runtime_ns, dl_deadline_ns, dl_period_ns;
};

enum bridge_softirq_thread {
	BRIDGE_SOFTIRQ_KSOFTIRQD,	/* all soft interrupts in ksoftirqd/N, SCHED_OTHER */
	BRIDGE_SOFTIRQ_KTIMERS		/* timers in ktimers/N, SCHED_FIFO 1; the rest in ksoftirqd/N */
};

/* When a task of a group without quota stops running; an image offers one or both. */
enum bridge_throttle {
	BRIDGE_THROTTLE_AT_ONCE = 1,
	BRIDGE_THROTTLE_AT_EXIT = 2	/* deferred to its return to user space */
};

/* The machine, fixed at boot. */
struct bridge_machine {
	int nr_cpus;
	int softirq;		/* enum bridge_softirq_thread */
	int softirq_priority;	/* 0: SCHED_OTHER, else SCHED_FIFO of the timer softirq thread */
	bool throttle_at_exit;	/* ignored by an image that offers one way only */
	bool fair_server;	/* RT tasks leave fair ones 50 ms of a second; @sched images only */
	uint64_t rcu_stall_ns;
	uint64_t memory;	/* bytes; 0: 4 GiB.  epoll derives its limit on watches from it */
};

/* One kernel file in an image. */
struct bridge_unit {
	const char *path;	/* in the kernel tree */
	const char *sha256;	/* of the file that was compiled */
	const char *tree_sha256; /* of the file in the tree; differs when overlaid */
	const char *overlay;	/* name, or NULL */
};

/* What an image offers the host. */
struct bridge_image {
	const char *name;	/* 6.12-rt+rwlock */
	const char *tree_version; /* 6.12.117 */
	const char *config;	/* rt, vanilla */
	const char *scheduler;	/* tree or simulated */
	const char *locks;	/* tree */
	uint32_t throttle;	/* BRIDGE_THROTTLE_*: what it offers */
	const struct bridge_unit *units;
	unsigned int nr_units;
	struct bridge_focus *focus;

	/* Brings the machine up; tasks it makes (idle, softirq threads) go through task_new. */
	int (*boot)(const struct bridge_machine *m);
	/* Makes a scenario task, not yet runnable; its body is host->task_main.  0 or -errno. */
	int (*spawn)(struct task *t, const struct bridge_spawn *s);
	/* Makes a spawned task runnable. */
	void (*start)(struct task *t);
	/* A cgroup with cpu.max; its period timer starts on `cpu`.  Index >= 0, or -errno. */
	int (*group_new)(const char *name, int64_t quota_ns, uint64_t period_ns);
	/* Sets cpu.max again, on the CPU this is called on. */
	int (*group_set)(int group, int64_t quota_ns, uint64_t period_ns);

	/* The rest is called on a task. */
	long (*syscall)(enum bridge_sys nr, const long arg[6]);
	void *(*lock_new)(enum bridge_lock_kind kind, const char *name);
	/* 1: taken (or released), 0: trylock failed */
	int (*lock_op)(void *lock, enum bridge_lock_kind kind, enum bridge_lock_op op);
	int (*set_policy)(struct task *t, int policy, int priority);
	int (*set_affinity)(struct task *t, uint64_t cpus);
	/*
	 * User space waits for user space: until *flag.  Whoever sets it calls wake() then; the
	 * one cannot miss the other.
	 */
	void (*sleep_on)(const bool *flag, uint64_t until_ns);	/* absolute; UINT64_MAX: for ever */
	void (*wake)(struct task *t);
	/* 1-64; one that the task does not block ends its interruptible sleep */
	void (*signal)(struct task *t, int sig);
	uint64_t (*block_signals)(uint64_t blocked);	/* of the caller; the mask before */
	void (*user_signals)(void);	/* what has come while it was in user space reaches it now */
	/*
	 * Processes: whose descriptors a task has.  A new task has process 0, which is there from
	 * the start; another one begins with a copy of the caller's files or with none.
	 */
	void (*files_new)(int process, bool copy);
	void (*files_end)(int process);
	void (*set_process)(struct task *t, int process);
	void (*call_rcu)(void);			/* starts a grace period */
	void (*synchronize_rcu)(void);
	/* Level-triggered item ready while nobody will be told?  Only when all is quiet. */
	int (*fd_ready)(int epfd, int fd, uint32_t events);
	/*
	 * Items on an epoll file's ready list; -EUCLEAN when it is corrupt.  *overflow: events of
	 * a scan wait on the other list.  On no task or on one; takes no time and no lock.
	 */
	int (*ready_list)(int epfd, bool *overflow);
	int (*awake)(void);	/* wakeup sources that are active; on no task or on one */
	/* An interrupt line whose handler calls host->irq_handler(line); priority: of its thread. */
	int (*irq_new)(int line, int cpu, enum bridge_irq_kind kind, int priority,
		       const char *name);

	/* Called by the engine on the interrupted task's stack, interrupts enabled. */
	void (*do_irq)(void);
	/* A fault of the instruction at copy_insn goes on at copy_fixup: bad user memory. */
	const void *copy_insn, *copy_fixup;

	/*
	 * The simulated scheduler (images with @sched) speaks to the kernel side here; no call
	 * takes time or a lock.
	 */
	void (*set_need_resched)(void *ktask, bool on);
	bool (*need_resched)(void *ktask);
	bool (*still_sleeps)(void *ktask);
	void (*set_on_cpu)(void *ktask, int cpu);	/* -1: on none */
	void (*start_period_timer)(int group, uint64_t period_ns);

	/* Native images: the calling thread becomes a task, with a number of its own; or is none. */
	void (*thread_begin)(const char *name, unsigned int cpu);
	void (*thread_end)(void);
};

/* What real threads need of the host; for native images. */
struct bridge_native {
	/* Sleeps while *word is value; true when it is until_ns (UINT64_MAX: never). */
	bool (*futex_wait)(const uint32_t *word, uint32_t value, uint64_t until_ns);
	void (*futex_wake)(const uint32_t *word);
	void (*mutex_lock)(struct bridge_mutex *m);
	bool (*mutex_trylock)(struct bridge_mutex *m);
	void (*mutex_unlock)(struct bridge_mutex *m);
	/* liburcu; a head is two words, the second of which is the function */
	void (*rcu_enter)(void);
	void (*rcu_leave)(void);
	void (*rcu_call)(void *head, void (*fn)(void *head));
	void (*rcu_wait)(void);		/* for the readers of now */
	void (*rcu_flush)(void);	/* until the callbacks of now have run */
};

/* What the host offers an image.  Every call may let other CPUs run unless it says otherwise. */
struct bridge_host {
	struct sim *sim;

	/* engine */
	void (*cost)(struct sim *s, enum bridge_cost kind);
	void (*burn)(struct sim *s, uint64_t ns);
	void (*idle)(struct sim *s);		/* until an interrupt is pending */
	void (*relax)(struct sim *s);		/* cpu_relax() */
	void (*spin_wait)(struct sim *s, const void *lock); /* park this CPU until spin_wake(lock) */
	void (*spin_wake)(struct sim *s, const void *lock); /* no switch */
	/* prev leaves this CPU for next; returns when prev runs again.  No cost of its own. */
	void (*switch_to)(struct sim *s, struct task *prev, struct task *next);
	uint64_t (*now)(struct sim *s);		/* no switch */
	void (*set_event)(struct sim *s, unsigned int cpu, uint64_t at_ns); /* UINT64_MAX: none */
	void (*ipi)(struct sim *s, unsigned int cpu, uint32_t irqs);
	void (*log)(struct sim *s, unsigned int kind, uint32_t object, int64_t arg); /* no switch */
	uint32_t (*choose)(struct sim *s, uint32_t n);	/* the oracle: 0 .. n-1 */
	void (*access)(struct sim *s);		/* focus->access_left has run out: draws the next */

	/* tasks */
	struct task *(*task_new)(struct sim *s, const char *name, void *ktask, int prio,
				 void (*entry)(void *), void *arg);
	void (*task_bind)(struct task *t, void *ktask, void (*entry)(void *), void *arg);
	void (*task_main)(struct task *t);	/* body of a scenario task; returns when it ends */
	void (*task_exit)(struct sim *s, struct task *t); /* no switch: it runs no more */
	uint32_t (*task_id)(struct task *t);
	void *(*task_ktask)(struct task *t);
	void (*set_idle)(struct sim *s, unsigned int cpu, struct task *t); /* first on that CPU */

	/* names */
	uint32_t (*name_id)(struct sim *s, const char *name);	/* dense id of a string */
	uint32_t (*symbol_id)(struct sim *s, const void *addr);	/* name of the function at addr */
	/* NULL: a raw spinlock, which goes by the lock or the symbol it lies in */
	void (*lock_name)(struct sim *s, const void *addr, unsigned int kind, const char *name);
	void (*lock_forget)(struct sim *s, const void *addr, size_t n); /* memory was freed */
	uint32_t (*lock_id)(struct sim *s, const void *addr);
	bool (*lock_known)(struct sim *s, const void *addr);	/* was it named? */

	/* scenario hooks; called with the lock held, may burn */
	void (*lock_hook)(struct sim *s, uint32_t lock, unsigned int mode, bool acquired,
			  const void *caller);
	void (*function_hook)(struct sim *s, const void *function);
	int (*irq_line)(struct sim *s, unsigned int cpu); /* next device interrupt, or -1 */
	void (*irq_handler)(struct sim *s, int line);
	void (*polled)(struct sim *s, int fd);	/* a scripted file, by whoever runs */
	/* A signal reaches the task that runs, in user space; true: it lets calls be restarted. */
	bool (*signal)(struct sim *s, int sig);

	/* memory: zeroed, 64-byte aligned, at the same address in every run */
	void *(*alloc)(struct sim *s, size_t n);
	void (*free)(struct sim *s, const void *p);	/* poisons; double free is a bug verdict */
	size_t (*alloc_size)(struct sim *s, const void *p);
	bool (*alloc_fails)(struct sim *s);	/* this one of the kernel, which may fail, does */

	/* the simulated scheduler, for images without the tree's */
	const struct bridge_sched *sched;

	const struct bridge_native *native;	/* NULL: the machine is simulated */

	/* messages */
	void (*print)(struct sim *s, const char *fmt, va_list ap);
	int (*format)(char *to, size_t n, const char *fmt, va_list ap);	/* vsnprintf */
	/* Ends the run with the verdict `bug`; does not return. */
	void (*bug)(struct sim *s, const char *what, const char *detail);
	/* A warning: verdict `bug` too, but the run goes on. */
	void (*warn)(struct sim *s, const char *what, const char *detail);
};

/*
 * Lockstep's simulated RT scheduler as a kernel sees it: the functions of sim/core/sched.h, which
 * says what each does.  Called on a CPU with interrupts off, or at boot.
 */
struct bridge_sched {
	void (*attach_idle)(struct sim *s, struct task *t, unsigned int cpu);
	void (*attach)(struct sim *s, struct task *t, const struct bridge_spawn *spec);
	void (*attach_stopper)(struct sim *s, struct task *t, unsigned int cpu);
	void (*stopper)(struct sim *s);
	void (*wake)(struct sim *s, struct task *t);
	void (*schedule)(struct sim *s, unsigned int state);	/* enum prev_state */
	void (*tail)(struct sim *s);
	void (*setprio)(struct sim *s, struct task *t, int prio);
	void (*set_policy)(struct sim *s, struct task *t, int policy, int priority, int lent);
	void (*set_affinity)(struct sim *s, struct task *t, uint64_t cpus);
	void (*migrate_disable)(struct sim *s, struct task *t, bool on);
	void (*yield)(struct sim *s);
	void (*tick)(struct sim *s);
	bool (*return_to_user)(struct sim *s);	/* true: schedule */
	int (*group_new)(struct sim *s, int64_t quota_ns, uint64_t period_ns);
	int (*group_set)(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns);
	bool (*group_refill)(struct sim *s, int group, uint64_t overruns);
};

/* The one symbol an image exports. */
typedef const struct bridge_image *bridge_entry_fn(const struct bridge_host *host);

#endif
