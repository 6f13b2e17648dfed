/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict: the first in precedence, and of equal ones the earliest.
 *
 * Inversion and starvation are settled when a wait changes, which may be long after the limit was
 * passed; so two of them can come in the wrong order, and the earlier one wins.
 */
#include <stdio.h>
#include <string.h>

#include "sim/detect/private.h"

const char *const verdict_names[NR_VERDICTS + 1] = {
	"bug", "deadlock", "stall", "lost-wakeup", "starvation", "inversion", "late", "limit", "ok", NULL
};

void judge(struct detect *d, enum verdict v, uint64_t at_ns, const struct walk *w,
	   const char *words)
{
	if (v > d->verdict || v == VERDICT_OK || (v == d->verdict && at_ns >= d->at_ns))
		return;
	d->verdict = v;
	d->at_ns = at_ns;
	snprintf(d->words, sizeof(d->words), "%.255s", words);
	if (w)
		chain_words(d, w, &d->chain);
	else
		memset(&d->chain, 0, sizeof(d->chain));
	keep_changes(d);
}

void report(struct detect *d, uint64_t at_ns, const char *text)
{
	if (d->nr_reports == REPORTS_MAX)
		return;
	d->reports[d->nr_reports].at_ns = at_ns;
	snprintf(d->reports[d->nr_reports++].text, sizeof(d->reports[0].text), "%.159s", text);
}

/* ---- cycles */

/* When the last edge of it came to be. */
static uint64_t closed_at(const struct walk *w)
{
	uint64_t at = 0;

	for (int i = 0; i < w->nr; i++)
		if (w->edges[i].since_ns > at)
			at = w->edges[i].since_ns;
	return at;
}

void look_for_cycle(struct detect *d, uint32_t task, bool spinning, uint64_t at_ns)
{
	bool locks_only = true;
	struct walk w;

	if (d->verdict <= VERDICT_DEADLOCK || !cycle_find(d, task, spinning, &w))
		return;
	for (int i = 0; i < w.nr; i++)
		locks_only &= w.edges[i].kind == EDGE_LOCK;
	if (spinning && !locks_only)
		return;
	if (!locks_only && !d->stalled) {
		d->stalled = true;
		d->stall_task = task;
	}
	judge(d, locks_only ? VERDICT_DEADLOCK : VERDICT_STALL, spinning ? closed_at(&w) : at_ns,
	      &w, "");
}

static const char *rescue_words(uint32_t kind)
{
	switch (kind) {
	case PROBE_SCHED_PI_SETPRIO:
	case PROBE_SCHED_SETSCHEDULER:
		return "boost";
	case PROBE_UNTHROTTLE:
		return "refill";
	default:
		return "release";
	}
}

/* A cycle once seen stays the verdict; who broke it is worth a line. */
void look_for_rescue(struct detect *d, uint32_t freed, const struct probe *p)
{
	struct walk w;
	char text[160];

	if (!d->stalled || cycle_find(d, d->stall_task, false, &w))
		return;
	d->stalled = false;
	snprintf(text, sizeof(text), "the stall is over: %s of %.31s by %.31s", rescue_words(p->kind),
		 sim_task(d->sim, freed)->name, sim_task(d->sim, p->task)->name);
	report(d, p->at_ns, text);
}

/* ---- starvation */

void starved_of_lock(struct detect *d, const struct open_wait *o)
{
	uint64_t at = o->wait.begin_ns + d->limits.starve_ns;
	char words[256];

	if (o->wait.wait_ns <= d->limits.starve_ns || !o->wait.nr_overtaken)
		return;
	if (at < o->overtaken_ns)
		at = o->overtaken_ns;
	snprintf(words, sizeof(words), "%.31s waited %llu ns for %.47s, overtaken %llu times",
		 sim_task(d->sim, o->wait.task)->name, (unsigned long long)o->wait.wait_ns,
		 sim_lock(d->sim, o->wait.lock)->name, (unsigned long long)o->wait.nr_overtaken);
	judge(d, VERDICT_STARVATION, at, NULL, words);
}

void starved_of_cpu(struct detect *d, uint32_t id)
{
	const struct dtask *t = &d->tasks[id];
	char words[256];

	if (t->state != STATE_RUNNABLE ||
	    d->now - t->runnable_since <= d->limits.starve_ns)
		return;
	snprintf(words, sizeof(words), "%.31s was runnable and not running for %llu ns",
		 sim_task(d->sim, id)->name, (unsigned long long)(d->now - t->runnable_since));
	judge(d, VERDICT_STARVATION, t->runnable_since + d->limits.starve_ns, NULL, words);
}
