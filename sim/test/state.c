/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test can see, and what its end is judged by.
 */
#include <stdio.h>

#include "sim/core/engine.h"
#include "sim/core/sysname.h"
#include "sim/test/private.h"

uint64_t lab_now(void)
{
	return sim_now(lab.sim);
}

uint32_t lab_choose(uint32_t n)
{
	return engine_choose(lab.sim, n);
}

bool lab_ended(const struct lab_task *t)
{
	return t->task->dead;
}

bool lab_sleeps(const struct lab_task *t)
{
	return detect_state(lab.detect, t->task->id) == STATE_ASLEEP;
}

int lab_prio(const struct lab_task *t)
{
	return t->task->prio;
}

int lab_base_prio(const struct lab_task *t)
{
	return t->task->normal_prio;
}

const char *lab_in_call(const struct lab_task *t)
{
	return t->call != SYS_NONE ? sys_name(t->call) : NULL;
}

const char *lab_blocked_on(const struct lab_task *t)
{
	int64_t lock = detect_blocked_on(lab.detect, t->task->id);

	return lock >= 0 ? sim_lock(lab.sim, (uint32_t)lock)->name : NULL;
}

/* ---- an observer: calls, and locks that they misuse */

/* A lock whose every entry point says so; a raw one may change hands in a context switch. */
static bool has_owner(uint32_t lock)
{
	return sim_lock(lab.sim, lock)->kind != BRIDGE_LOCK_RAW_SPIN;
}

static void misuse(const struct lab_task *t, const char *what, const char *lock)
{
	char words[160];

	snprintf(words, sizeof(words), "%.40s %s %.60s", t->spec.name, what, lock);
	detect_found(lab.detect, lab.sim, VERDICT_BUG, sim_now(lab.sim), words);
}

static void taken(struct lab_task *t, uint32_t lock)
{
	if (t->nr_held < LAB_HELD_MAX)
		t->held[t->nr_held++] = lock;
}

static void dropped(struct lab_task *t, uint32_t lock)
{
	for (int i = t->nr_held - 1; i >= 0; i--) {
		if (t->held[i] != lock)
			continue;
		t->held[i] = t->held[--t->nr_held];
		return;
	}
	misuse(t, "unlocks what it does not hold:", sim_lock(lab.sim, lock)->name);
}

void lab_watch(void *self, const struct sim *s, const struct probe *p)
{
	struct lab_task *t = lab_task_of(sim_task(s, p->task));

	(void)self;
	if (!t)
		return;
	switch ((enum probe_kind)p->kind) {
	case PROBE_SYS_ENTER:
		t->call = p->object;
		t->held_outside = t->nr_held;
		break;
	case PROBE_SYS_EXIT:
		if (t->nr_held > t->held_outside)
			misuse(t, "returns to user space with a lock:",
			       sim_lock(s, t->held[t->nr_held - 1])->name);
		t->call = SYS_NONE;
		break;
	case PROBE_LOCK_ACQUIRED:
		if (has_owner(p->object))
			taken(t, p->object);
		break;
	case PROBE_LOCK_RELEASED:
		if (has_owner(p->object))
			dropped(t, p->object);
		break;
	default:
		break;
	}
}

/* "&ep->lock" is any instance of it, "&ep->lock#2" the second one. */
bool lab_is_lock(uint32_t id, const char *name)
{
	const char *full = sim_lock(lab.sim, id)->name;
	size_t n = strlen(name);

	return !strncmp(full, name, n) && (!full[n] || full[n] == '#');
}

const char *lab_owner(const char *lock)
{
	for (unsigned int i = 0; i < sim_nr_locks(lab.sim); i++) {
		int64_t owner = detect_owner(lab.detect, i);

		if (owner >= 0 && lab_is_lock(i, lock))
			return sim_task(lab.sim, (uint32_t)owner)->name;
	}
	return NULL;
}

int lab_readers(const char *lock)
{
	int nr = 0;

	for (unsigned int i = 0; i < sim_nr_locks(lab.sim); i++)
		if (lab_is_lock(i, lock))
			nr += (int)detect_readers(lab.detect, i);
	return nr;
}

int lab_signals(const struct lab_task *t)
{
	return t->nr_signals;
}

size_t lab_objects(void)
{
	return machine_objects(lab.machine);
}

int lab_awake(void)
{
	return lab.im->awake();
}

const char *lab_verdict(void)
{
	return verdict_names[detect_verdict(lab.detect)];
}

const char *lab_printed(void)
{
	return machine_printed(lab.machine);
}

/* ---- the end */

/* All is quiet: whoever waits for ever in an epoll file that has something to tell has missed it. */
void lab_find_lost_wakeup(void)
{
	for (int i = 1; i < lab.nr_tasks; i++) {
		const struct lab_task *t = &lab.tasks[i];
		char words[120];

		if (t->waits_in < 0 || lab_ended(t) || !lab_sleeps(t))
			continue;
		if (lab_wait(t->waits_in, NULL, 1, 0) <= 0)
			continue;
		snprintf(words, sizeof(words), "%.40s sleeps in epoll_wait(%d), which has an event",
			 t->spec.name, t->waits_in);
		detect_found(lab.detect, lab.sim, VERDICT_LOST_WAKEUP, sim_now(lab.sim), words);
		return;
	}
}

void lab_judge(void)
{
	const struct chain *c = detect_chain(lab.detect);
	const char *found = lab_verdict();

	if (strcmp(found, lab.expected))
		lab_fail(lab.im->name, 0, "verdict %s, expected %s%s%s%s%s", found, lab.expected,
			 *detect_words(lab.detect) ? ": " : "", detect_words(lab.detect),
			 c->nr ? ": " : "", c->nr ? c->edges[0].words : "");
}
