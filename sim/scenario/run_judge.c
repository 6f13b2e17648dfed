/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * After a run: what the probe stream cannot show, and whether it was as the scenario expects.
 */
#include <stdio.h>
#include <string.h>

#include "sim/scenario/run_private.h"

/* A wake-up may be on its way when time is over; one that takes this long is none. */
#define LOST_AFTER_NS 20000000

static void look_for_lost_wakeup(struct run *r, enum sim_end end, struct run_result *out)
{
	char words[200];

	for (unsigned int c = 0; c < sim_nr_cpus(r->sim); c++)
		if (sim_running(r->sim, c)->kind != TASK_IDLE)
			return;
	for (size_t i = 0; i < r->sc->nr_tasks; i++) {
		struct run_task *t = &r->tasks[i];
		const struct resource *ep;

		if (t->waits_in < 0 || t->task->dead ||
		    (end != SIM_END_QUIET && out->sim_ns - t->waits_since_ns < LOST_AFTER_NS))
			continue;
		ep = &r->sc->resources[t->waits_in];
		for (int k = 0; k < ep->nr_watches; k++) {
			const struct watch *w = &ep->watches[k];

			/* of an edge-triggered item nothing is promised while no edge comes */
			if (w->events & (1u << 31) || r->resources[w->fd].fd[0] < 0 ||
			    !r->ops->fd_ready(r->resources[t->waits_in].fd[0],
					      r->resources[w->fd].fd[0], w->events))
				continue;
			snprintf(words, sizeof(words), "%.31s sleeps in epoll_wait(%.31s), and %.31s is "
				 "ready", t->spec->name, ep->name, r->sc->resources[w->fd].name);
			detect_found(out->detect, r->sim, VERDICT_LOST_WAKEUP, out->sim_ns, words);
			return;
		}
	}
}

static void judge_end(struct run *r, enum sim_end end, struct run_result *out)
{
	const struct expectation *x = scenario_expects(r->sc, r->ops->name);
	char words[200];

	detect_ended(out->detect, r->sim, end);
	if ((end == SIM_END_QUIET || end == SIM_END_TIME) && !sim_bug(r->sim) &&
	    detect_verdict(out->detect) > VERDICT_LOST_WAKEUP)
		look_for_lost_wakeup(r, end, out);
	for (int i = 0; x && i < x->nr_max_wait; i++) {
		const struct run_task *t = &r->tasks[x->max_wait[i].task];
		uint64_t longest = detect_longest(out->detect, t->task->id);

		if (longest <= x->max_wait[i].ns)
			continue;
		snprintf(words, sizeof(words), "%.31s waited %llu ns, allowed are %llu ns",
			 t->spec->name, (unsigned long long)longest,
			 (unsigned long long)x->max_wait[i].ns);
		detect_found(out->detect, r->sim, VERDICT_LATE, out->sim_ns, words);
	}
}

/* How late a consumer was, whatever it waited for. */
static void judge_gaps(struct run *r, struct run_result *out)
{
	const struct expectation *x = scenario_expects(r->sc, r->ops->name);
	char words[200];

	for (int i = 0; x && i < x->nr_max_gap; i++) {
		const struct run_task *t = &r->tasks[x->max_gap[i].task];
		uint64_t gap = t->gap_ns;

		if (t->returned_ns && out->sim_ns - t->returned_ns > gap)
			gap = out->sim_ns - t->returned_ns;
		if (gap <= x->max_gap[i].ns)
			continue;
		snprintf(words, sizeof(words), "%.31s had no event for %llu ns, allowed are %llu ns",
			 t->spec->name, (unsigned long long)gap,
			 (unsigned long long)x->max_gap[i].ns);
		detect_found(out->detect, r->sim, VERDICT_LATE, out->sim_ns, words);
	}
}

static bool chain_names(const struct chain *c, const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < c->nr; i++)
		if (!strcmp(c->edges[i].waiter, name) || !strcmp(c->edges[i].holder, name) ||
		    (!strncmp(c->edges[i].waits_for, name, n) &&
		     (!c->edges[i].waits_for[n] || c->edges[i].waits_for[n] == '#')))
			return true;
	return false;
}

static bool matches(const struct run *r, const struct run_result *out,
		    const struct expected_wait *x, const struct wait *w)
{
	const char *lock = sim_lock(r->sim, w->lock)->name;
	size_t n = x->lock ? strlen(x->lock) : 0;

	if (w->task != r->tasks[x->task].task->id || w->wait_ns < x->min_ns ||
	    (x->max_ns && w->wait_ns > x->max_ns) || w->inverted_ns < x->inverted_ns)
		return false;
	if (x->lock && (strncmp(lock, x->lock, n) || (lock[n] && lock[n] != '#')))
		return false;
	return !x->holder ||
	       (w->holder >= 0 &&
		!strcmp(sim_task(out->sim, (uint32_t)w->holder)->name, x->holder));
}

static bool has_wait(const struct run *r, const struct run_result *out,
		     const struct expected_wait *x)
{
	const struct wait *w;
	int nr = detect_waits(out->detect, &w);

	for (int i = 0; i < nr; i++)
		if (matches(r, out, x, &w[i]))
			return true;
	return false;
}

static void compare_expectation(struct run *r, struct run_result *out)
{
	const struct expectation *x = scenario_expects(r->sc, r->ops->name);
	enum verdict v = detect_verdict(out->detect);

	out->expected = true;
	out->expectation[0] = 0;
	if (!x)
		return;
	if (x->verdicts && !(x->verdicts & (1u << v))) {
		size_t n = (size_t)snprintf(out->expectation, sizeof(out->expectation), "expected");

		for (int i = 0; i < NR_VERDICTS; i++)
			if (x->verdicts & (1u << i))
				n += (size_t)snprintf(out->expectation + n,
						      sizeof(out->expectation) - n, " %s",
						      verdict_names[i]);
		out->expected = false;
		return;
	}
	for (int i = 0; i < x->nr_waits; i++) {
		if (has_wait(r, out, &x->waits[i]))
			continue;
		snprintf(out->expectation, sizeof(out->expectation),
			 "expected another wait of %.60s%s%.60s%s%.60s",
			 r->sc->tasks[x->waits[i].task].name, x->waits[i].lock ? " for " : "",
			 x->waits[i].lock ? x->waits[i].lock : "",
			 x->waits[i].holder ? " held by " : "",
			 x->waits[i].holder ? x->waits[i].holder : "");
		out->expected = false;
		return;
	}
	for (int i = 0; i < x->nr_chain && v != VERDICT_OK; i++) {
		if (chain_names(detect_chain(out->detect), x->chain[i]))
			continue;
		snprintf(out->expectation, sizeof(out->expectation), "expected %.100s in the chain",
			 x->chain[i]);
		out->expected = false;
		return;
	}
}

void run_judge(struct run *r, enum sim_end end, struct run_result *out)
{
	judge_end(r, end, out);
	judge_gaps(r, out);
	compare_expectation(r, out);
}
