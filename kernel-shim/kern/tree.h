/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the parts that serve the tree's own scheduler.
 */
#ifndef LOCKSTEP_TREE_H
#define LOCKSTEP_TREE_H

#include "kern.h"

struct task_group;

void lockstep_css_boot(struct task_struct *init);
void lockstep_css_attach(struct task_struct *p, struct task_group *tg);
struct task_group *lockstep_group(int index);	/* NULL: none */
void lockstep_stopper_boot(int cpu);

#endif
