/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the detectors have found, for reports.
 */
#include "sim/detect/detect.h"

#include <stdio.h>

#include "sim/detect/private.h"

void detect_ended(struct detect *d, const struct sim *s, enum sim_end end)
{
	char words[1500];

	if (sim_bug(s)) {
		snprintf(words, sizeof(words), "%s: %s", sim_bug(s), sim_bug_detail(s));
		detect_found(d, s, VERDICT_BUG, sim_now(s), words);
	}
	if (end == SIM_END_EVENTS || end == SIM_END_MEMORY)
		detect_found(d, s, VERDICT_LIMIT, sim_now(s),
			     end == SIM_END_EVENTS ? "the run's events are used up" :
						     "the run's memory is used up");
}

enum verdict detect_verdict(const struct detect *d)
{
	return d->verdict;
}

uint64_t detect_at(const struct detect *d)
{
	return d->at_ns;
}

const char *detect_words(const struct detect *d)
{
	return d->words;
}

const struct chain *detect_chain(const struct detect *d)
{
	return &d->chain;
}

int detect_waits(const struct detect *d, const struct wait **out)
{
	*out = d->waits;
	return d->nr_waits;
}

int detect_reports(const struct detect *d, const struct report **out)
{
	*out = d->reports;
	return d->nr_reports;
}

const struct detect_counts *detect_counts(const struct detect *d)
{
	return &d->counts;
}

uint64_t detect_longest(const struct detect *d, uint32_t task)
{
	return task < d->nr_tasks ? d->tasks[task].longest_ns : 0;
}

bool detect_stalled(const struct detect *d)
{
	return d->stalled;
}

uint32_t detect_changes(const struct detect *d, struct change *out, uint32_t room)
{
	uint64_t nr = d->nr_changes < CHANGES_MAX ? d->nr_changes : CHANGES_MAX;
	uint64_t first = d->nr_changes - nr;
	uint32_t n = 0;

	/* Only those that the ring has lost. */
	for (uint32_t i = 0; i < d->nr_kept && n < room; i++)
		if (d->kept_end - d->nr_kept + i < first)
			out[n++] = d->kept[i];
	if (nr > room - n)
		nr = room - n;
	first = d->nr_changes - nr;
	for (uint64_t i = 0; i < nr; i++)
		out[n++] = d->changes[(first + i) % CHANGES_MAX];
	return n;
}

/* The wait that made the verdict, else the longest one. */
static const struct wait *guilty_wait(const struct detect *d)
{
	const struct wait *found = NULL;

	for (int i = 0; i < d->nr_waits; i++) {
		const struct wait *w = &d->waits[i];

		if (d->verdict == VERDICT_INVERSION && w->begin_ns <= d->at_ns &&
		    w->begin_ns + w->wait_ns >= d->at_ns &&
		    (!found || w->inverted_ns > found->inverted_ns))
			found = w;
	}
	return found || !d->nr_waits ? found : &d->waits[0];
}

void detect_window(const struct detect *d, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct wait *w = guilty_wait(d);
	uint64_t begin = w ? w->begin_ns : 0, end = w ? begin + w->wait_ns : 0;

	if (d->verdict <= VERDICT_LOST_WAKEUP) {
		begin = d->at_ns;
		end = begin + 1000000;
	}
	*from_ns = begin > (end - begin) / 4 + 100000 ? begin - (end - begin) / 4 - 100000 : 0;
	*to_ns = end + (end - begin) / 4 + 100000;
}
