/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups with a CPU quota, through the scheduler's own cgroup controller, and the throttle edge.
 *
 * Neither throttling nor the move of a period timer has an event in the kernel, so both are
 * looked at where they can change: when a task of a group is woken, leaves its CPU or comes to it,
 * when a period timer is started and when it has run.  Throttling strikes all tasks of a group on
 * a CPU at once, so when one of them has changed all are looked at; without that a sibling that
 * only waits for the CPU would look runnable for ever.
 */
#include "kern.h"

#include <linux/cgroup.h>
#include <linux/hrtimer.h>

#include <linux/mmu_context.h>
#include <linux/sched/cputime.h>
#include "kernel/sched/sched.h"
#include "tree.h"

#define GROUPS_MAX 64

extern struct cgroup_subsys cpu_cgrp_subsys;

static struct task_group *groups[GROUPS_MAX];
static int nr_groups;
static struct cgroup root_cgroup;
static struct css_set root_set = { .dfl_cgrp = &root_cgroup };
/* Tasks of groups, the newest first. */
static struct lockstep_task *members;

void lockstep_css_boot(struct task_struct *init)
{
	root_set.subsys[cpu_cgrp_id] = &root_task_group.css;
	init->cgroups = &root_set;
}

void lockstep_css_attach(struct task_struct *p, struct task_group *tg)
{
	struct lockstep_task *t = lockstep_of(p);
	struct css_set *set = &root_set;

	if (tg) {
		t->next_member = members;
		members = t;
		set = host->alloc(host->sim, sizeof(*set));
		set->dfl_cgrp = &root_cgroup;
		set->subsys[cpu_cgrp_id] = &tg->css;
	}
	p->cgroups = set;
}

struct task_group *lockstep_group(int index)
{
	return index >= 0 && index < nr_groups ? groups[index] : NULL;
}

static struct cftype *control(const char *name)
{
	struct cftype *f;

	for (f = cpu_cgrp_subsys.legacy_cftypes; f->name[0]; f++)
		if (!strcmp(f->name, name))
			return f;
	host->bug(host->sim, "the scheduler has no such control", name);
	return NULL;
}

int lockstep_group_set(int group, int64_t quota_ns, uint64_t period_ns)
{
	struct cgroup_subsys_state *css = &groups[group]->css;
	struct cftype *f = control("cfs_period_us");
	int err = f->write_u64(css, f, div_u64(period_ns, NSEC_PER_USEC));

	if (err)
		return err;
	f = control("cfs_quota_us");
	return f->write_s64(css, f, quota_ns < 0 ? -1 : (s64)div_u64(quota_ns, NSEC_PER_USEC));
}

int lockstep_group_new(const char *name, int64_t quota_ns, uint64_t period_ns)
{
	struct cgroup_subsys_state *root = &root_task_group.css, *css;
	int err;

	if (nr_groups == GROUPS_MAX)
		return -ENOSPC;
	root->ss = &cpu_cgrp_subsys;
	css = cpu_cgrp_subsys.css_alloc(root);
	if (IS_ERR(css))
		return PTR_ERR(css);
	css->parent = root;
	css->ss = &cpu_cgrp_subsys;
	err = cpu_cgrp_subsys.css_online(css);
	if (err)
		return err;
	groups[nr_groups++] = container_of(css, struct task_group, css);
	err = lockstep_group_set(nr_groups - 1, quota_ns, period_ns);
	return err ? err : nr_groups - 1;
}

int lockstep_period_timer_group(const struct hrtimer *timer)
{
	for (int i = 0; i < nr_groups; i++)
		if (timer == &groups[i]->cfs_bandwidth.period_timer)
			return i;
	return -1;
}

static bool is_throttled(struct task_struct *p)
{
	return p->sched_class == &fair_sched_class && p->on_rq && p->se.cfs_rq &&
	       p->se.cfs_rq->throttle_count;
}

static bool look(struct lockstep_task *t)
{
	bool now = is_throttled(t->task);

	if (now == t->throttled)
		return false;
	t->throttled = now;
	lockstep_log(now ? PROBE_THROTTLE : PROBE_UNTHROTTLE, lockstep_id(t->task), t->group);
	return true;
}

static void look_at_group(int group)
{
	for (struct lockstep_task *t = members; t; t = t->next_member)
		if (t->group == group)
			look(t);
}

void lockstep_look_throttled(struct task_struct *p)
{
	struct lockstep_task *t = lockstep_of(p);

	if (t->group >= 0 && look(t))
		look_at_group(t->group);
}

void lockstep_period_timer_done(int group)
{
	look_at_group(group);
}

/* ---- cgroup core: what the controller asks for and a lab without cgroup files has not */

struct static_key_true cpu_cgrp_subsys_on_dfl_key = STATIC_KEY_TRUE_INIT;

void __cgroup_account_cputime(struct cgroup *cgrp, u64 delta)
{
}

void __cgroup_account_cputime_field(struct cgroup *cgrp, enum cpu_usage_stat index, u64 delta)
{
}
