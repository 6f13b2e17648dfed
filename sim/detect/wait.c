/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for locks: from the outermost contention of a task to its end, and how much of each was
 * priority inversion.
 *
 * Inversion is settled before anything a wait's chain leads over changes and judged anew after
 * it, so that the time between two records belongs to the state that was true in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

/* ---- inversion */

void wait_settle(struct detect *d, struct open_wait *o)
{
	uint64_t before = o->wait.inverted_ns, limit = d->limits.inversion_ns;
	struct walk w;

	if (o->inverted && d->now > o->last_ns) {
		o->wait.inverted_ns += d->now - o->last_ns;
		d->counts.inverted_ns += d->now - o->last_ns;
		if (before <= limit && o->wait.inverted_ns > limit &&
		    d->verdict >= VERDICT_INVERSION) {
			chain_walk(d, o->wait.task, &w);
			judge(d, VERDICT_INVERSION, o->last_ns + limit - before, &w, "");
		}
	}
	o->last_ns = d->now;
}

static void unwatch(struct open_wait *o)
{
	for (uint32_t i = 0; i < o->nr_watches; i++)
		list_remove(&o->watches[i].node);
	o->nr_watches = 0;
}

static void watch(struct detect *d, struct open_wait *o)
{
	const struct heads *h = &d->heads;

	unwatch(o);
	if (h->nr > o->room_watches) {
		o->room_watches = h->nr * 2;
		free(o->watches);
		o->watches = malloc(o->room_watches * sizeof(o->watches[0]));
		SIM_CHECK(o->watches);
	}
	for (; o->nr_watches < h->nr; o->nr_watches++) {
		o->watches[o->nr_watches].wait = o;
		list_add_tail(&o->watches[o->nr_watches].node, h->at[o->nr_watches]);
	}
}

static void stand(struct detect *d, struct open_wait *o)
{
	struct standing st;

	chain_standing(d, o->wait.task, &st);
	watch(d, o);
	o->inverted = st.inverted;
	if (o->fresh)
		o->wait.holder = st.holder;
	o->fresh = false;
	if (st.holder >= 0)
		o->wait.last_holder = st.holder;
}

static void give_back(struct detect *d, struct open_wait *o)
{
	unwatch(o);
	list_remove(&o->all);
	list_add_head(&o->all, &d->spare);
}

void wait_judge_touched(struct detect *d, uint32_t first)
{
	for (uint32_t i = 0; i < d->nr_touched; i++) {
		d->touched[i]->touched = false;
		if (d->touched[i]->closed)
			give_back(d, d->touched[i]);
		else
			stand(d, d->touched[i]);
	}
	/* A cycle is told from the task that closed it. */
	if (d->may_close_cycle && d->nr_touched && d->tasks[first].wait)
		look_for_cycle(d, first, false, d->now);
	for (uint32_t i = 0; i < d->nr_touched && d->may_close_cycle; i++)
		if (!d->touched[i]->closed)
			look_for_cycle(d, d->touched[i]->wait.task, false, d->now);
	d->nr_touched = 0;
	d->may_close_cycle = false;
}

/* ---- beginning and end */

static void keep_wait(struct detect *d, const struct wait *w)
{
	int i = d->nr_waits;

	if (w->wait_ns > d->tasks[w->task].longest_ns)
		d->tasks[w->task].longest_ns = w->wait_ns;
	if (i == WAITS_MAX && d->waits[i - 1].wait_ns >= w->wait_ns)
		return;
	if (i == WAITS_MAX)
		i--;
	else
		d->nr_waits++;
	while (i > 0 && d->waits[i - 1].wait_ns < w->wait_ns) {
		d->waits[i] = d->waits[i - 1];
		i--;
	}
	d->waits[i] = *w;
	/* the longest is what is looked at when nothing went wrong; a little longer is as good */
	if (!i && d->verdict == VERDICT_OK && w->wait_ns > d->kept_wait_ns + d->kept_wait_ns / 16) {
		d->kept_wait_ns = w->wait_ns;
		keep_changes(d);
	}
}

void wait_close(struct detect *d, struct open_wait *o, bool over)
{
	wait_settle(d, o);
	o->wait.nr_overtaken = d->locks[o->wait.lock].acquisitions - o->acquisitions;
	o->wait.wait_ns = d->now - o->wait.begin_ns;
	o->wait.over = over;
	d->tasks[o->wait.task].wait = NULL;
	d->counts.waits++;
	starved_of_lock(d, o);
	keep_wait(d, &o->wait);
	if (o->touched)
		o->closed = true;	/* given back when the touched are judged */
	else
		give_back(d, o);
}

static struct open_wait *new_wait(struct detect *d)
{
	struct open_wait *o;

	if (list_empty(&d->spare)) {
		o = calloc(1, sizeof(*o));
		SIM_CHECK(o);
		list_init(&o->all);
	} else {
		o = list_item(d->spare.next, struct open_wait, all);
		list_remove(&o->all);
	}
	list_add_tail(&o->all, &d->open);
	o->inverted = o->touched = o->closed = false;
	o->fresh = true;
	o->last_ns = d->now;
	o->overtaken_ns = 0;
	return o;
}

static enum lock_mode wanted(uint32_t flags)
{
	if (flags & LCB_WRITE)
		return LOCK_WRITE;
	return flags & LCB_READ ? LOCK_READ : LOCK_EXCLUSIVE;
}

static void open_wait(struct detect *d, const struct probe *p)
{
	const struct lock *k = sim_lock(d->sim, p->object);
	struct open_wait *o = new_wait(d);
	bool inner = k->inner_of >= 0;	/* a writer that queues behind another one */

	o->wait = (struct wait){ .task = p->task,
				 .lock = inner ? (uint32_t)k->inner_of : p->object,
				 .begin_ns = d->now, .holder = NOBODY, .last_holder = NOBODY,
				 .mode = inner ? LOCK_WRITE : wanted((uint32_t)p->arg) };
	o->acquisitions = d->locks[o->wait.lock].acquisitions;
	d->tasks[p->task].wait = o;
	touch_wait(d, o);
}

/* Of a lock without an inner one the writer that came first is who later readers wait for. */
static int64_t next_writer(struct detect *d, uint32_t lock)
{
	list_each(node, &d->open) {
		const struct open_wait *o = list_item(node, struct open_wait, all);
		const struct dtask *t = &d->tasks[o->wait.task];

		if (o->wait.lock == lock && o->wait.mode == LOCK_WRITE && !o->closed &&
		    t->nr_contentions && !(t->contentions[0].flags & LCB_RT))
			return o->wait.task;
	}
	return NOBODY;
}

void wait_contention_begin(struct detect *d, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];
	struct dlock *l = &d->locks[p->object];
	uint32_t flags = (uint32_t)p->arg;

	/* The machine's own raw spinlocks say nothing of their owners. */
	if (sim_lock(d->sim, p->object)->kind == BRIDGE_LOCK_RAW_SPIN && !l->acquisitions)
		return;
	if (t->state == STATE_ASLEEP)	/* the stream began while it ran */
		set_state(d, p->task, STATE_RUNNING, p->cpu);
	touch_task(d, p->task);
	if (t->nr_contentions && t->contentions[t->nr_contentions - 1].lock == p->object) {
		/* a mutex begins again when it stops spinning and sleeps, and ends once */
		t->contentions[t->nr_contentions - 1].flags = flags;
		d->may_close_cycle = true;
		return;
	}
	if (t->nr_contentions == CONTENTIONS_MAX)
		return;
	t->contentions[t->nr_contentions++] = (struct contention){ p->object, flags, d->now };
	if (flags & LCB_WRITE && (flags & LCB_RT || l->draining < 0)) {
		touch_lock(d, p->object);
		l->draining = p->task;
	}
	if (!t->wait)
		open_wait(d, p);
	if (flags & LCB_SPIN && !(flags & LCB_RT))
		watchdog_expect(d, d->now + d->limits.soft_lockup_ns);
	d->may_close_cycle = true;
}

/* Whoever waits for the same lock now waits for this task, should nobody hold it. */
void wait_woken(struct detect *d, uint32_t task)
{
	const struct dtask *t = &d->tasks[task];
	uint32_t lock;

	if (!t->nr_contentions)
		return;
	lock = t->contentions[t->nr_contentions - 1].lock;
	touch_lock(d, lock);
	d->locks[lock].woken = task;
	d->may_close_cycle = true;
}

static void leave_queue(struct detect *d, const struct probe *p, uint32_t flags)
{
	struct dlock *l = &d->locks[p->object];

	if (l->inner_reader == (int64_t)p->task)
		l->inner_reader = NOBODY;
	if (l->draining == (int64_t)p->task)
		l->draining = flags & LCB_RT ? NOBODY : next_writer(d, p->object);
}

void wait_contention_end(struct detect *d, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];
	const struct lock *k = sim_lock(d->sim, p->object);
	int i = t->nr_contentions - 1;
	uint32_t flags;

	while (i >= 0 && t->contentions[i].lock != p->object)
		i--;
	if (i < 0)
		return;
	touch_task(d, p->task);
	touch_lock(d, p->object);
	flags = t->contentions[i].flags;
	t->nr_contentions = i;
	if (i && k->inner_of >= 0) {
		touch_lock(d, (uint32_t)k->inner_of);
		d->locks[k->inner_of].inner_reader = p->task;
	}
	if (!i && t->wait) {
		d->counts.handovers += !p->arg;
		wait_close(d, t->wait, true);
	}
	leave_queue(d, p, flags);
	if (!p->arg && k->inner_of < 0)
		lock_taken(d, p->object, p->task, wanted(flags), true);
	d->may_close_cycle = true;
}

void wait_acquired(struct detect *d, const struct probe *p)
{
	struct dlock *l = &d->locks[p->object];

	lock_taken(d, p->object, p->task, (enum lock_mode)p->arg, false);
	d->counts.acquisitions++;
	l->acquisitions++;
	d->may_close_cycle = true;
	/* whoever waits for it watches it */
	list_each(node, &l->watchers) {
		struct open_wait *o = list_item(node, struct watch, node)->wait;

		if (o->wait.lock == p->object && !o->overtaken_ns)
			o->overtaken_ns = d->now;
	}
}
