/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The detectors' model, fed with the stream, and the verdict.
 *
 * Inversion is counted before a record is applied and judged anew after it, so that the time
 * between two records belongs to the state that was true in it.  Cycles are looked for when a
 * task has really gone to sleep: at the beginning of contention the boost that breaks the cycle
 * has not happened yet.
 */
#include "sim/detect/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/detect/private.h"

const char *const verdict_names[NR_VERDICTS + 1] = {
	"bug", "deadlock", "stall", "lost-wakeup", "starvation", "inversion", "late", "limit", "ok", NULL
};

struct detect *detect_new(const struct detect_limits *l)
{
	struct detect *d = calloc(1, sizeof(*d));

	SIM_CHECK(d);
	d->limits = *l;
	d->verdict = VERDICT_OK;
	d->changes = calloc(CHANGES_MAX, sizeof(d->changes[0]));
	SIM_CHECK(d->changes);
	for (int i = 0; i < 64; i++)
		d->group_cpu[i] = -1;
	for (int i = 0; i < SIM_CPUS_MAX; i++)
		d->running[i] = -1;
	return d;
}

void detect_free(struct detect *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->nr_locks; i++)
		free(d->locks[i].readers);
	free(d->tasks);
	free(d->locks);
	free(d->open);
	free(d->changes);
	free(d);
}

static void need_task(struct detect *d, const struct sim *s, uint32_t id)
{
	if (id >= d->nr_tasks) {
		uint32_t room = id + 64;

		d->tasks = realloc(d->tasks, room * sizeof(d->tasks[0]));
		SIM_CHECK(d->tasks);
		memset(d->tasks + d->nr_tasks, 0, (room - d->nr_tasks) * sizeof(d->tasks[0]));
		d->nr_tasks = room;
	}
	if (!d->tasks[id].known) {
		const struct task *t = sim_task(s, id);

		d->tasks[id] = (struct dtask){ .known = true, .wait = -1, .group = t->group,
					       .prio = t->prio, .base = t->normal_prio };
	}
}

static void need_lock(struct detect *d, uint32_t id)
{
	uint32_t room = id + 64;

	if (id < d->nr_locks)
		return;
	d->locks = realloc(d->locks, room * sizeof(d->locks[0]));
	SIM_CHECK(d->locks);
	for (uint32_t i = d->nr_locks; i < room; i++)
		d->locks[i] = (struct dlock){ .owner = NOBODY, .draining = NOBODY,
					      .inner_reader = NOBODY };
	d->nr_locks = room;
}

/* ---- verdicts */

static void judge(struct detect *d, const struct sim *s, enum verdict v, uint64_t at_ns,
		  const struct walk *w)
{
	if (v >= d->verdict)
		return;
	d->verdict = v;
	d->at_ns = at_ns;
	d->words[0] = 0;
	if (w)
		chain_words(d, s, w, &d->chain);
	else
		memset(&d->chain, 0, sizeof(d->chain));
}

void detect_found(struct detect *d, const struct sim *s, enum verdict v, uint64_t at_ns,
		  const char *words)
{
	if (v >= d->verdict)
		return;
	judge(d, s, v, at_ns, NULL);
	snprintf(d->words, sizeof(d->words), "%.255s", words ? words : "");
}

static void report(struct detect *d, uint64_t at_ns, const char *text)
{
	if (d->nr_reports == REPORTS_MAX)
		return;
	d->reports[d->nr_reports].at_ns = at_ns;
	snprintf(d->reports[d->nr_reports++].text, sizeof(d->reports[0].text), "%.159s", text);
}

static void look_for_cycle(struct detect *d, const struct sim *s, uint32_t task, uint64_t at_ns)
{
	struct walk w;
	bool locks_only = true;

	chain_walk(d, s, task, true, &w);
	if (!w.closed)
		return;
	for (int i = 0; i < w.nr; i++)
		locks_only &= w.edges[i].kind == EDGE_LOCK;
	if (!locks_only && !d->stalled) {
		d->stalled = true;
		d->stall_task = task;
	}
	judge(d, s, locks_only ? VERDICT_DEADLOCK : VERDICT_STALL, at_ns, &w);
}

/* A cycle once seen stays the verdict; who broke it is worth a line. */
static void look_for_rescue(struct detect *d, const struct sim *s, uint32_t freed,
			    const struct probe *p)
{
	struct walk w;
	char text[160];

	if (!d->stalled)
		return;
	chain_walk(d, s, d->stall_task, true, &w);
	if (w.closed)
		return;
	d->stalled = false;
	snprintf(text, sizeof(text), "the stall is over: %s of %.31s by %.31s",
		 p->kind == PROBE_SCHED_PI_SETPRIO ? "boost" : "release",
		 sim_task(s, freed)->name, sim_task(s, p->task)->name);
	report(d, p->at_ns, text);
}

/* ---- inversion */

static bool is_inverted(const struct detect *d, const struct sim *s, const struct open_wait *o)
{
	int base = d->tasks[o->wait.task].base;
	const struct dtask *t;
	struct walk w;
	uint32_t last;
	int cpu_has;

	chain_walk(d, s, o->wait.task, false, &w);
	if (w.closed || !w.nr || w.open_ended)
		return false;
	last = w.tasks[w.nr];
	t = &d->tasks[last];
	if (t->nr_contentions || t->base <= base)
		return false;
	if (task_throttled(t))
		return true;
	if (t->state != STATE_RUNNABLE)
		return false;
	cpu_has = d->running[t->cpu];
	if (cpu_has < 0 || sim_task(s, (uint32_t)cpu_has)->kind == TASK_IDLE)
		return false;
	for (int i = 0; i <= w.nr; i++)
		if (w.tasks[i] == (uint32_t)cpu_has)
			return false;
	return d->tasks[cpu_has].base > base;
}

static void count_inversion(struct detect *d, const struct sim *s, struct open_wait *o,
			    uint64_t now)
{
	uint64_t before = o->wait.inverted_ns, limit = d->limits.inversion_ns;
	struct walk w;

	if (o->inverted && now > o->last_ns) {
		o->wait.inverted_ns += now - o->last_ns;
		d->counts.inverted_ns += now - o->last_ns;
		if (before <= limit && o->wait.inverted_ns > limit &&
		    d->verdict > VERDICT_INVERSION) {
			chain_walk(d, s, o->wait.task, true, &w);
			judge(d, s, VERDICT_INVERSION, o->last_ns + limit - before, &w);
		}
	}
	o->last_ns = now;
}

static bool matters(uint32_t kind)
{
	switch (kind) {
	case PROBE_SCHED_SWITCH:
	case PROBE_SCHED_WAKEUP:
	case PROBE_SCHED_MIGRATE:
	case PROBE_SCHED_PI_SETPRIO:
	case PROBE_SCHED_SETSCHEDULER:
	case PROBE_THROTTLE:
	case PROBE_UNTHROTTLE:
	case PROBE_CONTENTION_BEGIN:
	case PROBE_CONTENTION_END:
	case PROBE_LOCK_ACQUIRED:
	case PROBE_LOCK_RELEASED:
	case PROBE_TASK_EXIT:
		return true;
	default:
		return false;
	}
}

/* ---- timeline */

static void set_state(struct detect *d, uint32_t id, enum task_state state, uint32_t cpu,
		      uint64_t at_ns)
{
	struct dtask *t = &d->tasks[id];

	if (state == STATE_RUNNABLE && t->state != STATE_RUNNABLE)
		t->runnable_since = at_ns;
	t->state = state;
	t->cpu = cpu;
	d->changes[d->nr_changes++ % CHANGES_MAX] = (struct change){
		.at_ns = at_ns, .task = id, .cpu = (uint16_t)cpu, .state = (uint8_t)state,
		.boosted = t->prio < t->base };
}

/* ---- waits */

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
}

static void starved(struct detect *d, const struct sim *s, const struct open_wait *o, uint64_t at)
{
	uint64_t others = d->locks[o->wait.lock].acquisitions - o->acquisitions;
	char words[256];

	if (o->wait.wait_ns <= d->limits.starve_ns || !others ||
	    d->verdict <= VERDICT_STARVATION)
		return;
	snprintf(words, sizeof(words), "%.31s waited %llu ns for %.47s, overtaken %llu times",
		 sim_task(s, o->wait.task)->name, (unsigned long long)o->wait.wait_ns,
		 sim_lock(s, o->wait.lock)->name, (unsigned long long)others);
	detect_found(d, s, VERDICT_STARVATION, at, words);
}

static void close_wait(struct detect *d, const struct sim *s, int i, uint64_t now, bool over)
{
	struct open_wait *o = &d->open[i];

	count_inversion(d, s, o, now);
	o->wait.wait_ns = now - o->wait.begin_ns;
	o->wait.over = over;
	d->tasks[o->wait.task].wait = -1;
	d->counts.waits++;
	starved(d, s, o, o->wait.begin_ns + d->limits.starve_ns);
	keep_wait(d, &o->wait);
	if (i != --d->nr_open) {
		*o = d->open[d->nr_open];
		d->tasks[o->wait.task].wait = i;
	}
}

static enum lock_mode wanted(uint32_t flags)
{
	if (flags & LCB_WRITE)
		return LOCK_WRITE;
	return flags & LCB_READ ? LOCK_READ : LOCK_EXCLUSIVE;
}

static void begin_wait(struct detect *d, const struct sim *s, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];
	const struct lock *k = sim_lock(s, p->object);
	struct open_wait *o;
	uint32_t lock = p->object;
	struct walk w;

	if (k->inner_of >= 0)
		lock = (uint32_t)k->inner_of;	/* a writer that queues behind another one */
	if (d->nr_open == d->room_open) {
		d->room_open = d->room_open ? d->room_open * 2 : 16;
		d->open = realloc(d->open, (size_t)d->room_open * sizeof(*o));
		SIM_CHECK(d->open);
	}
	t->wait = d->nr_open;
	o = &d->open[d->nr_open++];
	*o = (struct open_wait){
		.wait = { .task = p->task, .lock = lock, .begin_ns = p->at_ns, .holder = NOBODY,
			  .mode = k->inner_of >= 0 ? LOCK_WRITE : wanted((uint32_t)p->arg) },
		.last_ns = p->at_ns, .acquisitions = d->locks[lock].acquisitions };
	chain_walk(d, s, p->task, false, &w);
	if (w.nr && !(w.open_ended && w.nr == 1))
		o->wait.holder = w.tasks[1];
}

static void contention_begin(struct detect *d, const struct sim *s, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];

	if (p->arg & LCB_SPIN && sim_lock(s, p->object)->kind == BRIDGE_LOCK_RAW_SPIN)
		return;
	if (t->nr_contentions == CONTENTIONS_MAX)
		return;
	t->contentions[t->nr_contentions++] = (struct contention){ p->object, (uint32_t)p->arg };
	if (p->arg & LCB_WRITE && p->arg & LCB_RT)
		d->locks[p->object].draining = p->task;
	if (t->wait < 0)
		begin_wait(d, s, p);
}

static void contention_end(struct detect *d, const struct sim *s, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->task];
	const struct lock *k = sim_lock(s, p->object);
	int i = t->nr_contentions - 1;

	while (i >= 0 && t->contentions[i].lock != p->object)
		i--;
	if (i < 0)
		return;
	t->nr_contentions = i;
	if (d->locks[p->object].draining == (int64_t)p->task)
		d->locks[p->object].draining = NOBODY;
	if (d->locks[p->object].inner_reader == (int64_t)p->task)
		d->locks[p->object].inner_reader = NOBODY;
	if (i && k->inner_of >= 0)
		d->locks[k->inner_of].inner_reader = p->task;
	if (!i && t->wait >= 0)
		close_wait(d, s, t->wait, p->at_ns, true);
}

/* ---- who holds what */

static void acquired(struct detect *d, const struct probe *p)
{
	struct dlock *l = &d->locks[p->object];

	d->counts.acquisitions++;
	l->acquisitions++;
	if (p->arg != LOCK_READ) {
		l->owner = p->task;
		return;
	}
	for (uint32_t i = 0; i < l->nr_readers; i++) {
		if (l->readers[i].task == p->task) {
			l->readers[i].count++;
			return;
		}
	}
	if (l->nr_readers == l->room_readers) {
		l->room_readers = l->room_readers ? l->room_readers * 2 : 4;
		l->readers = realloc(l->readers, l->room_readers * sizeof(l->readers[0]));
		SIM_CHECK(l->readers);
	}
	l->readers[l->nr_readers++] = (struct reader){ p->task, 1 };
}

static void released(struct detect *d, const struct probe *p)
{
	struct dlock *l = &d->locks[p->object];

	if (p->arg != LOCK_READ) {
		l->owner = NOBODY;
		return;
	}
	for (uint32_t i = 0; i < l->nr_readers; i++) {
		if (l->readers[i].task != p->task)
			continue;
		if (!--l->readers[i].count)
			l->readers[i] = l->readers[--l->nr_readers];
		return;
	}
}

/* ---- the scheduler */

static void starved_of_cpu(struct detect *d, const struct sim *s, uint32_t id, uint64_t now)
{
	struct dtask *t = &d->tasks[id];
	char words[256];

	if (t->state != STATE_RUNNABLE || t->throttled || d->verdict <= VERDICT_STARVATION ||
	    now - t->runnable_since <= d->limits.starve_ns)
		return;
	snprintf(words, sizeof(words), "%.31s was runnable and not running for %llu ns",
		 sim_task(s, id)->name, (unsigned long long)(now - t->runnable_since));
	detect_found(d, s, VERDICT_STARVATION, t->runnable_since + d->limits.starve_ns, words);
}

static void switched(struct detect *d, const struct sim *s, const struct probe *p)
{
	struct dtask *prev = &d->tasks[p->task];
	enum task_state as = STATE_RUNNABLE;

	d->counts.switches++;
	if (p->arg == PREV_DEAD)
		as = STATE_DEAD;
	else if (p->arg == PREV_INTERRUPTIBLE || p->arg == PREV_UNINTERRUPTIBLE)
		as = prev->nr_contentions ? STATE_BLOCKED : STATE_ASLEEP;
	if (sim_task(s, p->task)->kind != TASK_IDLE)
		set_state(d, p->task, as, p->cpu, p->at_ns);
	if (sim_task(s, p->object)->kind != TASK_IDLE) {
		starved_of_cpu(d, s, p->object, p->at_ns);
		set_state(d, p->object, STATE_RUNNING, p->cpu, p->at_ns);
	}
	d->running[p->cpu] = (int)p->object;
	if (as == STATE_BLOCKED)
		look_for_cycle(d, s, p->task, p->at_ns);
}

static void priority(struct detect *d, const struct probe *p)
{
	struct dtask *t = &d->tasks[p->object];
	int old = PRIO_OLD(p->arg), new = PRIO_NEW(p->arg);

	if (p->kind == PROBE_SCHED_SETSCHEDULER) {
		t->base = new;
		t->prio = t->prio == old || new < t->prio ? new : t->prio;
		return;
	}
	t->prio = new;
	set_state(d, p->object, t->state, t->cpu, p->at_ns);	/* boosted or not shows at once */
	if (new < old) {
		d->counts.boosts++;
		if (d->tasks[p->task].wait >= 0)
			d->open[d->tasks[p->task].wait].wait.boosted = true;
	} else {
		d->counts.deboosts++;
	}
}

static void throttle(struct detect *d, const struct sim *s, const struct probe *p, bool on)
{
	struct dtask *t = &d->tasks[p->object];

	t->throttled = on;
	t->group = (int)p->arg;
	d->counts.throttles += on;
	set_state(d, p->object, on ? STATE_THROTTLED : STATE_RUNNABLE, t->cpu, p->at_ns);
	if (!on)
		return;
	/* Whoever waits for it may be in a cycle now. */
	for (int i = 0; i < d->nr_open; i++)
		if (d->tasks[d->open[i].wait.task].state == STATE_BLOCKED)
			look_for_cycle(d, s, d->open[i].wait.task, p->at_ns);
}

static void apply(struct detect *d, const struct sim *s, const struct probe *p)
{
	char text[160];

	switch ((enum probe_kind)p->kind) {
	case PROBE_SCHED_SWITCH:
		switched(d, s, p);
		break;
	case PROBE_SCHED_WAKEUP:
		if (d->tasks[p->object].state != STATE_RUNNING)
			set_state(d, p->object, STATE_RUNNABLE, (uint32_t)p->arg, p->at_ns);
		break;
	case PROBE_SCHED_MIGRATE:
		d->counts.migrations++;
		d->tasks[p->object].cpu = (uint32_t)p->arg;
		break;
	case PROBE_SCHED_PI_SETPRIO:
	case PROBE_SCHED_SETSCHEDULER:
		priority(d, p);
		look_for_rescue(d, s, p->object, p);
		break;
	case PROBE_THROTTLE:
		throttle(d, s, p, true);
		break;
	case PROBE_UNTHROTTLE:
		throttle(d, s, p, false);
		look_for_rescue(d, s, p->object, p);
		break;
	case PROBE_GROUP_TIMER:
		if (p->object < 64)
			d->group_cpu[p->object] = (int)p->arg;
		break;
	case PROBE_CONTENTION_BEGIN:
		contention_begin(d, s, p);
		break;
	case PROBE_CONTENTION_END:
		contention_end(d, s, p);
		break;
	case PROBE_LOCK_ACQUIRED:
		acquired(d, p);
		break;
	case PROBE_LOCK_RELEASED:
		released(d, p);
		look_for_rescue(d, s, p->task, p);
		break;
	case PROBE_TASK_EXIT:
		set_state(d, p->object, STATE_DEAD, p->cpu, p->at_ns);
		break;
	case PROBE_RCU_STALL:
		snprintf(text, sizeof(text), "RCU stall: the grace period waits for %.31s",
			 sim_task(s, (uint32_t)p->arg)->name);
		report(d, p->at_ns, text);
		break;
	default:
		break;
	}
}

/* Whose object is a task. */
static bool about_task(uint32_t kind)
{
	return kind <= PROBE_UNTHROTTLE;
}

void detect_feed(struct detect *d, const struct sim *s, const struct probe *p)
{
	need_task(d, s, p->task);
	if (about_task(p->kind))
		need_task(d, s, p->object);
	if (p->kind >= PROBE_CONTENTION_BEGIN && p->kind <= PROBE_LOCK_RELEASED) {
		const struct lock *l = sim_lock(s, p->object);

		need_lock(d, p->object);
		if (l->inner_of >= 0)
			need_lock(d, (uint32_t)l->inner_of);
	}
	if (!d->nr_open || !matters(p->kind)) {
		apply(d, s, p);
		/* the first wait may just have begun */
		for (int i = 0; i < d->nr_open && matters(p->kind); i++)
			d->open[i].inverted = is_inverted(d, s, &d->open[i]);
		return;
	}
	for (int i = 0; i < d->nr_open; i++)
		count_inversion(d, s, &d->open[i], p->at_ns);
	apply(d, s, p);
	for (int i = 0; i < d->nr_open; i++)
		d->open[i].inverted = is_inverted(d, s, &d->open[i]);
}

void detect_probe(void *self, const struct sim *s, const struct probe *p)
{
	detect_feed(self, s, p);
}

void detect_end(struct detect *d, const struct sim *s, uint64_t now_ns)
{
	while (d->nr_open)
		close_wait(d, s, d->nr_open - 1, now_ns, false);
	for (uint32_t i = 0; i < d->nr_tasks; i++)
		if (d->tasks[i].known && sim_task(s, i)->kind == TASK_SCENARIO)
			starved_of_cpu(d, s, i, now_ns);
}
