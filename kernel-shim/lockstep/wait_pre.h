/* SPDX-License-Identifier: GPL-2.0-only */
/* Pre-included for kernel/sched/wait.c, which is no unit of its own: what sched.h gives it. */
#include <linux/sched/debug.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/swait.h>
#include <linux/poll.h>
#include <linux/kthread.h>
#ifndef WF_SYNC
#define WF_SYNC 0x10
#endif
#ifndef WF_CURRENT_CPU
#define WF_CURRENT_CPU 0x40
#endif
