/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model that detectors keep of the machine, built from the stream.
 */
#ifndef SIM_DETECT_PRIVATE_H
#define SIM_DETECT_PRIVATE_H

#include "sim/detect/detect.h"

#define NOBODY (-1)
#define CONTENTIONS_MAX 4	/* a reader blocked on the inner lock is in two at once */
#define HOLDS_MAX 256

struct contention {
	uint32_t lock, flags;
};

struct dtask {
	enum task_state state;
	uint32_t cpu;
	int prio, base;
	int group;
	bool known, throttled;
	struct contention contentions[CONTENTIONS_MAX];
	int nr_contentions;
	int wait;		/* index of its open wait, or -1 */
	uint64_t runnable_since, longest_ns;
};

struct reader {
	uint32_t task, count;
};

struct dlock {
	int64_t owner;		/* exclusive or write */
	int64_t draining;	/* writer that waits for readers: it has the inner lock */
	int64_t inner_reader;	/* reader on its way through the inner lock */
	struct reader *readers;
	uint32_t nr_readers, room_readers;
	uint64_t acquisitions;
};

struct open_wait {
	struct wait wait;
	uint64_t last_ns, acquisitions;
	bool inverted;
};

struct detect {
	struct detect_limits limits;
	struct detect_counts counts;
	struct dtask *tasks;
	uint32_t nr_tasks;
	struct dlock *locks;
	uint32_t nr_locks;
	struct open_wait *open;	/* [0, nr_open) */
	int nr_open, room_open;
	int running[SIM_CPUS_MAX];
	int group_cpu[64];	/* where the period timer sits, -1: nowhere yet */

	enum verdict verdict;
	uint64_t at_ns;
	struct chain chain;
	char words[256];
	bool stalled;
	uint32_t stall_task;	/* who closed the cycle */

	struct wait waits[WAITS_MAX];
	int nr_waits;
	struct report reports[REPORTS_MAX];
	int nr_reports;
	struct change *changes;
	uint64_t nr_changes;
};

/* chain.c */

/* Who waits for whom, as ids; from the waiter to the last task. */
struct walk {
	uint32_t tasks[CHAIN_MAX + 1];
	struct { enum edge_kind kind; uint32_t lock; uint32_t flags; int cpu; } edges[CHAIN_MAX];
	int nr;			/* edges; tasks has one more, unless the last edge has no holder */
	bool closed, open_ended;
};

/* @all: through throttling and softirq threads too, not only locks. */
void chain_walk(const struct detect *d, const struct sim *s, uint32_t task, bool all,
		struct walk *w);
void chain_words(const struct detect *d, const struct sim *s, const struct walk *w,
		 struct chain *c);
bool task_throttled(const struct dtask *t);

#endif
