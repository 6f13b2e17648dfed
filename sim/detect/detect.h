/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors: what the probe stream says went wrong, and who waits for whom.
 *
 * They observe and never steer.  Everything is derived from the stream and from names; the same
 * code judges a run of a kernel image and a stream written by a test.
 */
#ifndef SIM_DETECT_DETECT_H
#define SIM_DETECT_DETECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/sim.h"

/* In order of precedence: a run ends in the first that applies. */
enum verdict {
	VERDICT_BUG,
	VERDICT_DEADLOCK,
	VERDICT_STALL,
	VERDICT_LOST_WAKEUP,
	VERDICT_STARVATION,
	VERDICT_INVERSION,
	VERDICT_LATE,
	VERDICT_LIMIT,
	VERDICT_OK,
	NR_VERDICTS
};
extern const char *const verdict_names[NR_VERDICTS + 1];

#define CHAIN_MAX 16
#define WAITS_MAX 64
#define REPORTS_MAX 32
#define NAME_MAX_LEN 48

enum edge_kind {
	EDGE_LOCK,	/* waits for a lock that the holder has */
	EDGE_THROTTLE,	/* throttled until the period timer of a CPU */
	EDGE_SOFTIRQ,	/* that timer is served by a softirq thread */
	EDGE_DISPLACED,	/* runnable, another task has its CPU */
	NR_EDGES
};
extern const char *const edge_names[NR_EDGES];

/* One edge of a blocking chain, in names. */
struct edge {
	enum edge_kind kind;
	char waiter[NAME_MAX_LEN];
	char waits_for[NAME_MAX_LEN];	/* the lock, the timer, the CPU */
	char holder[NAME_MAX_LEN];	/* "" when nobody is known */
	uint64_t since_ns;		/* when the waiter began to wait in this way */
	char words[256];		/* the edge as a sentence */
};

struct chain {
	struct edge edges[CHAIN_MAX];
	int nr;
	bool closed;		/* the last holder is a waiter before it */
};

/* One wait for a lock, from contention to possession. */
struct wait {
	uint32_t task, lock;
	uint64_t begin_ns, wait_ns, inverted_ns;
	enum lock_mode mode;
	int64_t holder;		/* when it began: task, or -1 */
	int64_t last_holder;	/* the last one known */
	uint64_t nr_overtaken;	/* times another task took the lock meanwhile */
	bool boosted;		/* the holder was lent a priority because of it */
	bool over;		/* false: still waiting when the run ended */
};

struct report {
	uint64_t at_ns;
	char text[160];
};

/* What is too long.  Of the last two 0 means the kernel's default: 120 s and 20 s. */
struct detect_limits {
	uint64_t starve_ns, inversion_ns;
	uint64_t hung_task_ns;		/* uninterruptible on a sleeping lock; never a spinlock of RT */
	uint64_t soft_lockup_ns;	/* a CPU that spins for a lock and does not switch */
};

struct detect_counts {
	uint64_t switches, migrations, boosts, deboosts, throttles, waits, acquisitions;
	uint64_t handovers;	/* waits that ended with the lock */
	uint64_t inverted_ns;	/* of all waits */
};

enum task_state {
	STATE_ASLEEP,
	STATE_RUNNING,
	STATE_RUNNABLE,
	STATE_BLOCKED,		/* on a lock */
	STATE_THROTTLED,
	STATE_DEAD
};

struct detect;

struct detect *detect_new(const struct detect_limits *l);
void detect_free(struct detect *d);
/* Feeds one record; @s is asked for names and priorities only. */
void detect_feed(struct detect *d, const struct sim *s, const struct probe *p);
/* As an observer of a machine: sim_observe(s, detect_probe, d). */
void detect_probe(void *self, const struct sim *s, const struct probe *p);
/* The run is over at @now_ns: open waits are counted up to here. */
void detect_end(struct detect *d, const struct sim *s, uint64_t now_ns);

/* What the stream cannot show. */
void detect_found(struct detect *d, const struct sim *s, enum verdict v, uint64_t at_ns,
		  const char *words);

/* Why the machine stopped: a bug, or a limit of the run that is used up. */
void detect_ended(struct detect *d, const struct sim *s, enum sim_end end);

enum verdict detect_verdict(const struct detect *d);
uint64_t detect_at(const struct detect *d);
/* Of a verdict without a chain: what it is about; else "". */
const char *detect_words(const struct detect *d);
const struct chain *detect_chain(const struct detect *d);
/* Longest waits first; number. */
int detect_waits(const struct detect *d, const struct wait **out);
int detect_reports(const struct detect *d, const struct report **out);
const struct detect_counts *detect_counts(const struct detect *d);
/* Longest wait of one task, 0 when it never waited. */
uint64_t detect_longest(const struct detect *d, uint32_t task);
/* In the middle of a run: a lock or task, or -1. */
enum task_state detect_state(const struct detect *d, uint32_t task);
int64_t detect_blocked_on(const struct detect *d, uint32_t task);
int64_t detect_owner(const struct detect *d, uint32_t lock);
unsigned int detect_readers(const struct detect *d, uint32_t lock);
bool detect_stalled(const struct detect *d);	/* a stall has been seen and nothing broke it */

/* ---- what each task and CPU did, for the timeline */

struct change {
	uint64_t at_ns;
	uint32_t task;
	uint16_t cpu;
	uint8_t state;		/* enum task_state */
	uint8_t boosted;
};

/*
 * The newest changes, oldest first, and before them those around the verdict if it is older than
 * all of these; at most CHANGES_MAX.
 */
#define CHANGES_MAX 65536
uint32_t detect_changes(const struct detect *d, struct change *out, uint32_t room);
/* The window worth looking at: around the verdict or the longest wait. */
void detect_window(const struct detect *d, uint64_t *from_ns, uint64_t *to_ns);

#endif
