/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model's tables: tasks, locks and who holds them, CPUs, and the changes for the timeline.
 *
 * A waiter has its lock when contention ends, but says lock_acquired only when it runs on, and
 * may be preempted in between.  So ownership begins early, at the end of contention; without
 * that a chain would end in the air just while the new owner is kept from its CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

void model_init(struct detect *d)
{
	list_init(&d->open);
	list_init(&d->spare);
	for (int i = 0; i < GROUPS_MAX; i++)
		d->group_cpu[i] = NOBODY;
	for (int i = 0; i < SIM_CPUS_MAX; i++) {
		d->cpus[i] = (struct dcpu){ .running = NOBODY, .ktimers = NOBODY,
					    .ksoftirqd = NOBODY };
		list_init(&d->cpus[i].watchers);
	}
	d->changes = calloc(CHANGES_MAX, sizeof(d->changes[0]));
	SIM_CHECK(d->changes);
}

static void free_waits(struct list *l)
{
	while (!list_empty(l)) {
		struct open_wait *o = list_item(l->next, struct open_wait, all);

		list_remove(&o->all);
		free(o->watches);
		free(o);
	}
}

void model_free(struct detect *d)
{
	for (uint32_t i = 0; i < d->nr_locks; i++)
		free(d->locks[i].readers);
	free_waits(&d->open);
	free_waits(&d->spare);
	free(d->tasks);
	free(d->locks);
	free(d->touched);
	free(d->heads.at);
	free(d->path);
	free(d->changes);
	free(d->kept);
}

/* A head moves with its table; its watchers stay on it. */
static void move_head(struct list *to, struct list *from)
{
	list_insert(to, from);
	list_remove(from);
}

static void need_task(struct detect *d, uint32_t id)
{
	if (id >= d->nr_tasks) {
		uint32_t room = id + 64;
		struct dtask *tasks = calloc(room, sizeof(*tasks));

		SIM_CHECK(tasks);
		for (uint32_t i = 0; i < d->nr_tasks; i++) {
			tasks[i] = d->tasks[i];
			move_head(&tasks[i].watchers, &d->tasks[i].watchers);
		}
		for (uint32_t i = d->nr_tasks; i < room; i++)
			list_init(&tasks[i].watchers);
		free(d->tasks);
		d->tasks = tasks;
		d->nr_tasks = room;
	}
	if (!d->tasks[id].known) {
		const struct task *t = sim_task(d->sim, id);
		struct dtask *n = &d->tasks[id];

		n->known = true;
		n->group = t->group;
		n->prio = t->prio;
		n->base = t->normal_prio;
		n->boosted = n->prio < n->base;
		n->blocked_since = SIM_NEVER;
	}
}

static void need_lock(struct detect *d, uint32_t id)
{
	uint32_t room = id + 64;
	struct dlock *locks;

	if (id < d->nr_locks)
		return;
	locks = calloc(room, sizeof(*locks));
	SIM_CHECK(locks);
	for (uint32_t i = 0; i < d->nr_locks; i++) {
		locks[i] = d->locks[i];
		move_head(&locks[i].watchers, &d->locks[i].watchers);
	}
	for (uint32_t i = d->nr_locks; i < room; i++) {
		locks[i].owner = locks[i].draining = locks[i].inner_reader = NOBODY;
		locks[i].woken = NOBODY;
		list_init(&locks[i].watchers);
	}
	free(d->locks);
	d->locks = locks;
	d->nr_locks = room;
}

/* Threads that serve soft timers are known by their names: most never ran before they matter. */
static void name_threads(struct detect *d)
{
	for (; d->nr_named < sim_nr_tasks(d->sim); d->nr_named++) {
		const char *name = sim_task(d->sim, d->nr_named)->name;
		unsigned int cpu;

		if (sscanf(name, "ktimers/%u", &cpu) == 1 && cpu < SIM_CPUS_MAX)
			d->cpus[cpu].ktimers = d->nr_named;
		else if (sscanf(name, "ksoftirqd/%u", &cpu) == 1 && cpu < SIM_CPUS_MAX)
			d->cpus[cpu].ksoftirqd = d->nr_named;
		else
			continue;
		need_task(d, d->nr_named);
	}
}

void model_need(struct detect *d, const struct probe *p)
{
	if (d->nr_named < sim_nr_tasks(d->sim))
		name_threads(d);
	need_task(d, p->task);
	if (p->kind <= PROBE_UNTHROTTLE)	/* whose object is a task */
		need_task(d, p->object);
	if (p->kind >= PROBE_CONTENTION_BEGIN && p->kind <= PROBE_LOCK_RELEASED) {
		const struct lock *l = sim_lock(d->sim, p->object);

		need_lock(d, p->object);
		if (l->inner_of >= 0)
			need_lock(d, (uint32_t)l->inner_of);
	}
}

/* ---- what is touched */

void touch_wait(struct detect *d, struct open_wait *o)
{
	if (o->touched)
		return;
	wait_settle(d, o);
	o->touched = true;
	if (d->nr_touched == d->room_touched) {
		d->room_touched = d->room_touched ? d->room_touched * 2 : 16;
		d->touched = realloc(d->touched, d->room_touched * sizeof(*d->touched));
		SIM_CHECK(d->touched);
	}
	d->touched[d->nr_touched++] = o;
}

void touch(struct detect *d, struct list *watchers)
{
	list_each(node, watchers)
		touch_wait(d, list_item(node, struct watch, node)->wait);
}

void touch_task(struct detect *d, uint32_t id)
{
	touch(d, &d->tasks[id].watchers);
}

void touch_lock(struct detect *d, uint32_t id)
{
	touch(d, &d->locks[id].watchers);
}

/* ---- states */

void note_change(struct detect *d, uint32_t id)
{
	const struct dtask *t = &d->tasks[id];
	struct change c = { .at_ns = d->now, .task = id, .cpu = (uint16_t)t->cpu,
			    .state = (uint8_t)t->state, .boosted = t->boosted };

	d->changes[d->nr_changes++ % CHANGES_MAX] = c;
	if (d->nr_kept && d->nr_kept < KEPT_MAX) {
		d->kept[d->nr_kept++] = c;
		d->kept_end = d->nr_changes;
	}
}

void set_state(struct detect *d, uint32_t id, enum task_state state, uint32_t cpu)
{
	struct dtask *t = &d->tasks[id];

	enum task_state before = t->state;

	touch_task(d, id);
	t->cpu = cpu;
	t->state = state;
	if (state == STATE_RUNNABLE && task_throttled(t))
		t->state = STATE_THROTTLED;
	if (t->state == STATE_RUNNABLE && before != STATE_RUNNABLE)
		t->runnable_since = d->now;
	note_change(d, id);
}

/* A verdict has been given: what was recorded shortly before may not be overwritten. */
void keep_changes(struct detect *d)
{
	uint64_t nr = d->nr_changes < KEPT_MAX / 2 ? d->nr_changes : KEPT_MAX / 2;

	if (!d->kept)
		d->kept = malloc(KEPT_MAX * sizeof(d->kept[0]));
	SIM_CHECK(d->kept);
	for (uint64_t i = 0; i < nr; i++)
		d->kept[i] = d->changes[(d->nr_changes - nr + i) % CHANGES_MAX];
	d->nr_kept = (uint32_t)nr;
	d->kept_end = d->nr_changes;
}

/* ---- who holds what */

static struct reader *reader_of(struct dlock *l, uint32_t task)
{
	for (uint32_t i = 0; i < l->nr_readers; i++)
		if (l->readers[i].task == task)
			return &l->readers[i];
	return NULL;
}

static void reader_taken(struct dlock *l, uint32_t task, bool early)
{
	struct reader *r = reader_of(l, task);

	if (r && r->early && !early) {
		r->early = false;	/* counted already */
		return;
	}
	if (r) {
		r->count++;
		r->early = early;
		return;
	}
	if (l->nr_readers == l->room_readers) {
		l->room_readers = l->room_readers ? l->room_readers * 2 : 4;
		l->readers = realloc(l->readers, l->room_readers * sizeof(l->readers[0]));
		SIM_CHECK(l->readers);
	}
	l->readers[l->nr_readers++] = (struct reader){ task, 1, early };
}

void lock_taken(struct detect *d, uint32_t lock, uint32_t task, enum lock_mode mode, bool early)
{
	struct dlock *l = &d->locks[lock];

	/* Of a lock that never says lock_acquired nobody would hear lock_released either. */
	if (early && !l->acquisitions)
		return;
	touch_lock(d, lock);
	if (mode == LOCK_READ)
		reader_taken(l, task, early);
	else
		l->owner = task;
}

void lock_dropped(struct detect *d, uint32_t lock, uint32_t task, enum lock_mode mode)
{
	struct dlock *l = &d->locks[lock];
	struct reader *r;

	touch_lock(d, lock);
	d->may_close_cycle |= l->woken >= 0;
	if (mode != LOCK_READ) {
		if (l->owner == (int64_t)task)
			l->owner = NOBODY;
		return;
	}
	r = reader_of(l, task);
	if (r && !--r->count)
		*r = l->readers[--l->nr_readers];
}
