/* SPDX-License-Identifier: GPL-2.0-only */
/* The only place that sets CONFIG_*. */
#define CONFIG_64BIT 1
#define CONFIG_SMP 1
#ifdef LOCKSTEP_NATIVE
#define CONFIG_NR_CPUS 256	/* a CPU a thread */
#else
#define CONFIG_NR_CPUS 64
#endif
#define CONFIG_HZ 250
#define CONFIG_CC_IS_GCC 1
#define CONFIG_GCC_VERSION 120200
#define CONFIG_ARCH_SUPPORTS_RT 1
#define CONFIG_PREEMPT_COUNT 1
#define CONFIG_PREEMPTION 1
#define CONFIG_RT_MUTEXES 1
#define CONFIG_EPOLL 1
#define CONFIG_EVENTFD 1
#define CONFIG_TIMERFD 1
#define CONFIG_BASE_SMALL 0
#define CONFIG_LOG_BUF_SHIFT 14
#define CONFIG_PAGE_SHIFT 12
#define CONFIG_PGTABLE_LEVELS 4
#define CONFIG_FLATMEM 1
#define CONFIG_THREAD_INFO_IN_TASK 1
#define CONFIG_TREE_RCU 1
#define CONFIG_PREEMPT_RCU 1
#define CONFIG_TREE_SRCU 1
#define CONFIG_SLUB 1
#define CONFIG_PRINTK 1
#define CONFIG_PM 1
#define CONFIG_PM_SLEEP 1
#define CONFIG_BUG 1
#define CONFIG_HIGH_RES_TIMERS 1
#define CONFIG_TICK_ONESHOT 1
#define CONFIG_GENERIC_CLOCKEVENTS 1
#define CONFIG_DEFAULT_HUNG_TASK_TIMEOUT 120

#ifdef LOCKSTEP_RT
#define CONFIG_PREEMPT_RT 1
#elif defined(LOCKSTEP_NATIVE)
/*
 * A thread that holds a lock may be preempted by the host.  Queued spinlocks would then wait for a
 * thread in the middle of the queue, and whether an owner runs is not known: spinlocks are plain,
 * as those of a kernel that finds itself in a virtual machine.
 */
#define CONFIG_QUEUED_RWLOCKS 1
#else
#define CONFIG_QUEUED_SPINLOCKS 1
#define CONFIG_UNINLINE_SPIN_UNLOCK 1	/* a function can be wrapped */
#define CONFIG_QUEUED_RWLOCKS 1
#define CONFIG_MUTEX_SPIN_ON_OWNER 1
#define CONFIG_RWSEM_SPIN_ON_OWNER 1
#define CONFIG_LOCK_SPIN_ON_OWNER 1
#endif

#ifdef LOCKSTEP_TREE_SCHED
#define CONFIG_CGROUPS 1
#define CONFIG_CGROUP_SCHED 1
#define CONFIG_FAIR_GROUP_SCHED 1
#define CONFIG_GROUP_SCHED_WEIGHT 1
#define CONFIG_CFS_BANDWIDTH 1
#define CONFIG_GROUP_SCHED_BANDWIDTH 1
#define CONFIG_KERNFS 1
#endif
