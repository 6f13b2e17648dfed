/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_THREAD_INFO_H
#define LOCKSTEP_ASM_THREAD_INFO_H

#define THREAD_SIZE_ORDER 2
#define THREAD_SIZE (PAGE_SIZE << THREAD_SIZE_ORDER)
#define INIT_THREAD_INFO(t) {}

struct thread_info {
	unsigned long flags;
	unsigned long syscall_work;
	int preempt_count;
	unsigned int cpu;
};

#define TIF_NOTIFY_RESUME 1
#define TIF_SIGPENDING 2
#define TIF_NEED_RESCHED 3
#define TIF_RESTORE_SIGMASK 4
#define TIF_NOTIFY_SIGNAL 5
#define TIF_MEMDIE 6
#define TIF_POLLING_NRFLAG 7
#define _TIF_NOTIFY_RESUME (1 << TIF_NOTIFY_RESUME)
#define _TIF_SIGPENDING (1 << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED (1 << TIF_NEED_RESCHED)
#define _TIF_NOTIFY_SIGNAL (1 << TIF_NOTIFY_SIGNAL)
#define _TIF_POLLING_NRFLAG (1 << TIF_POLLING_NRFLAG)

#endif
