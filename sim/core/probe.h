/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probe records: every change of state of the simulated machine, in the order it happens.
 *
 * One stream feeds detectors, trace writer and report.  Names follow the kernel's tracepoints.
 * Everything in a record is an id or a number: an address or a pointer here would make two
 * equal runs print different bytes.
 */
#ifndef SIM_CORE_PROBE_H
#define SIM_CORE_PROBE_H

#ifdef __KERNEL__
#include <linux/types.h>	/* kernel images log the same records */
#else
#include <stdint.h>
#endif

/*
 * Kinds.  `object` and `arg` mean, by kind:
 *
 *   TASK_NEW           object: task            arg: kernel priority (policy: see struct task)
 *   TASK_EXIT          object: task            arg: 0
 *   SCHED_SWITCH       task: the one that leaves   object: next task   arg: PREV_* of the leaver
 *   SCHED_WAKING       object: task            arg: 0
 *   SCHED_WAKEUP       object: task            arg: target CPU
 *   SCHED_MIGRATE      object: task            arg: new CPU
 *   SCHED_PI_SETPRIO   object: task            arg: PRIO_CHANGE(old, new), effective priorities
 *   SCHED_SETSCHEDULER object: task            arg: PRIO_CHANGE(old, new), base priorities
 *   THROTTLE           object: task            arg: group whose quota is gone
 *   UNTHROTTLE         object: task            arg: group
 *   GROUP_TIMER        object: group           arg: CPU its period timer now sits on, -1: stopped
 *   CONTENTION_BEGIN   object: lock            arg: LCB_F_* flags as the kernel has them
 *   CONTENTION_END     object: lock            arg: 0 or -errno
 *   LOCK_ACQUIRED      object: lock            arg: enum lock_mode
 *   LOCK_RELEASED      object: lock            arg: enum lock_mode
 *   HRTIMER_START      object: name of function    arg: expiry, ns
 *   HRTIMER_ENTRY/EXIT object: name of function    arg: group if a period timer, else -1
 *   SOFTIRQ_RAISE/ENTRY/EXIT  object: vector   arg: 0
 *   IRQ_ENTRY/EXIT     object: interrupt line  arg: 0
 *   SYS_ENTER          object: enum bridge_sys arg: first argument
 *   SYS_EXIT           object: enum bridge_sys arg: result
 *   FUNCTION           object: name of function    arg: 0   (only functions a trigger names)
 *   RCU_GP_START/END   object: grace period    arg: 0
 *   RCU_STALL          object: grace period    arg: task that holds it up
 *   NOTE               object: name of the text    arg: free
 */
enum probe_kind {
	PROBE_TASK_NEW,
	PROBE_TASK_EXIT,
	PROBE_SCHED_SWITCH,
	PROBE_SCHED_WAKING,
	PROBE_SCHED_WAKEUP,
	PROBE_SCHED_MIGRATE,
	PROBE_SCHED_PI_SETPRIO,
	PROBE_SCHED_SETSCHEDULER,
	PROBE_THROTTLE,
	PROBE_UNTHROTTLE,
	PROBE_GROUP_TIMER,
	PROBE_CONTENTION_BEGIN,
	PROBE_CONTENTION_END,
	PROBE_LOCK_ACQUIRED,
	PROBE_LOCK_RELEASED,
	PROBE_HRTIMER_START,
	PROBE_HRTIMER_ENTRY,
	PROBE_HRTIMER_EXIT,
	PROBE_SOFTIRQ_RAISE,
	PROBE_SOFTIRQ_ENTRY,
	PROBE_SOFTIRQ_EXIT,
	PROBE_IRQ_ENTRY,
	PROBE_IRQ_EXIT,
	PROBE_SYS_ENTER,
	PROBE_SYS_EXIT,
	PROBE_FUNCTION,
	PROBE_RCU_GP_START,
	PROBE_RCU_GP_END,
	PROBE_RCU_STALL,
	PROBE_NOTE,
	NR_PROBE_KINDS
};

/* State of a task that leaves its CPU, as sched_switch prints it. */
enum prev_state {
	PREV_RUNNABLE = 0,	/* R: yielded or its slice is over */
	PREV_INTERRUPTIBLE = 1,	/* S */
	PREV_UNINTERRUPTIBLE = 2, /* D; the kernel's TASK_RTLOCK_WAIT prints as D too */
	PREV_DEAD = 0x10,	/* X */
	PREV_PREEMPTED = 0x100	/* R+ */
};

/* Flags of contention_begin, values of the kernel's include/trace/events/lock.h (Linux 6.12). */
enum contention_flag {
	LCB_SPIN = 1,
	LCB_READ = 2,
	LCB_WRITE = 4,
	LCB_RT = 8,
	LCB_PERCPU = 16,
	LCB_MUTEX = 32
};

enum lock_mode {
	LOCK_EXCLUSIVE,	/* spinlock, mutex, rt_mutex */
	LOCK_READ,
	LOCK_WRITE
};

#define PRIO_CHANGE(old, new) ((int64_t)(((uint64_t)(uint32_t)(old) << 32) | (uint32_t)(new)))
#define PRIO_OLD(arg) ((int)(int32_t)((uint64_t)(arg) >> 32))
#define PRIO_NEW(arg) ((int)(int32_t)((uint64_t)(arg) & 0xffffffffu))

/* One record.  `seq` is dense from 0; `at_ns` never goes back; `task` is who runs on `cpu`. */
struct probe {
	uint64_t seq;
	uint64_t at_ns;
	uint32_t cpu;
	uint32_t task;
	uint32_t kind;
	uint32_t object;
	int64_t arg;
};

#endif
