/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the parts that serve the tree's own scheduler.
 */
#ifndef LOCKSTEP_TREE_H
#define LOCKSTEP_TREE_H

#include "kern.h"

struct task_group;

/* A task like init_task, under another name, not yet known to scheduler or host. */
struct task_struct *lockstep_dup(const char *name);
void lockstep_css_boot(struct task_struct *init);
void lockstep_css_attach(struct task_struct *p, struct task_group *tg);
struct task_group *lockstep_group(int index);	/* NULL: none */
/* lockstep_kthread() without waking it */
struct task_struct *lockstep_kthread_new(const char *name, int cpu, int rt_priority,
					 void (*fn)(void *), void *arg);
void lockstep_stopper_boot(int cpu);

#endif
