/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model that detectors keep of the machine, built from the stream.
 *
 * A record touches few tasks, locks and CPUs, and a thousand waits may be open.  So each open wait
 * watches what its chain leads over, and what is touched tells its watchers: only these are
 * judged anew.  A change of state that forgets to touch would leave a stale judgement behind,
 * which is why state is changed in model.c and wait.c only.
 */
#ifndef SIM_DETECT_PRIVATE_H
#define SIM_DETECT_PRIVATE_H

#include "sim/base/list.h"
#include "sim/detect/detect.h"

#define NOBODY (-1)
#define CONTENTIONS_MAX 4	/* a reader blocked on the inner lock is in two at once */
#define GROUPS_MAX 64
#define KEPT_MAX 8192		/* changes kept around a verdict, half of them before it */

struct contention {
	uint32_t lock, flags;
	uint64_t since_ns;
};

struct dtask {
	enum task_state state;
	uint32_t cpu;
	int prio, base;
	int group;
	bool known, throttled, boosted;
	struct contention contentions[CONTENTIONS_MAX];
	int nr_contentions;
	struct open_wait *wait;	/* NULL: waits for no lock */
	uint64_t runnable_since, throttled_since, longest_ns;
	uint64_t blocked_since;	/* uninterruptible on a sleeping lock; SIM_NEVER: is not */
	bool reported;		/* as hung, for this wait */
	uint64_t visit, visit_path; /* marks of walks */
	struct list watchers;
};

struct reader {
	uint32_t task, count;
	bool early;		/* counted when contention ended; LOCK_ACQUIRED is still to come */
};

struct dlock {
	int64_t owner;		/* exclusive or write */
	int64_t draining;	/* writer that waits for readers: on RT it has the inner lock */
	int64_t inner_reader;	/* reader on its way through the inner lock */
	int64_t woken;		/* waiter that was woken last; see heir_of() */
	struct reader *readers;
	uint32_t nr_readers, room_readers;
	uint64_t acquisitions;
	struct list watchers;
};

struct watch {
	struct list node;
	struct open_wait *wait;
};

struct open_wait {
	struct wait wait;
	uint64_t last_ns;	/* inverted_ns is complete up to here */
	uint64_t acquisitions;	/* of the lock, when it began */
	uint64_t overtaken_ns;	/* first time */
	bool inverted, fresh, touched, closed;
	struct watch *watches;
	uint32_t nr_watches, room_watches;
	struct list all;	/* in order of beginning */
};

struct heads {
	struct list **at;
	uint32_t nr, room;
};

struct dcpu {
	int running;		/* task, -1: not known yet */
	uint64_t since_ns;	/* last switch */
	bool reported;		/* as locked up */
	int64_t ktimers, ksoftirqd;
	struct list watchers;
};

struct detect {
	struct detect_limits limits;
	struct detect_counts counts;
	const struct sim *sim;		/* for names, while a record is fed */
	uint64_t now;			/* its time */
	struct dtask *tasks;
	uint32_t nr_tasks, nr_named;
	struct dlock *locks;
	uint32_t nr_locks;
	struct dcpu cpus[SIM_CPUS_MAX];
	int group_cpu[GROUPS_MAX];	/* where the period timer sits, -1: nowhere yet */

	struct list open;		/* struct open_wait */
	struct list spare;
	struct open_wait **touched;
	uint32_t nr_touched, room_touched;
	bool may_close_cycle;		/* this record can have added an edge */
	struct heads heads;
	uint64_t visit;
	struct step *path;		/* of the search for cycles */
	uint32_t room_path;

	enum verdict verdict;
	uint64_t at_ns;
	struct chain chain;
	char words[256];
	bool stalled;
	uint32_t stall_task;		/* who closed the cycle */

	uint64_t due_ns;		/* nobody is hung or locked up before */
	struct wait waits[WAITS_MAX];
	int nr_waits;
	struct report reports[REPORTS_MAX];
	int nr_reports;
	struct change *changes;
	uint64_t nr_changes, kept_end;
	struct change *kept;
	uint32_t nr_kept;
	uint64_t kept_wait_ns;	/* longest wait around which they were kept, while all is well */
};

/* ---- chain.c */

/* An edge that leaves a task, as ids. */
struct link {
	enum edge_kind kind;
	uint32_t lock, flags;
	int cpu;
	int64_t holder;
	uint64_t since_ns;
};

/* Who waits for whom, from the waiter to the last task. */
struct walk {
	uint32_t tasks[CHAIN_MAX + 1];
	struct link edges[CHAIN_MAX];
	int nr;			/* edges; tasks has one more, unless the last edge has no holder */
	bool closed, open_ended;
};

/* How a wait stands: the last task of its chain and who displaces it. */
struct standing {
	int64_t holder;		/* the first one */
	int64_t last;		/* NOBODY: the chain ends with a lock, or nowhere */
	int64_t displacing;
	bool inverted;
};

void chain_walk(const struct detect *d, uint32_t task, struct walk *w);
/* Fills d->heads with what a change of @task's standing has to come through. */
void chain_standing(struct detect *d, uint32_t task, struct standing *st);
bool task_throttled(const struct dtask *t);
/* The waiter that a lock without owner was left to, or NOBODY. */
int64_t heir_of(const struct detect *d, uint32_t lock);

/* ---- cycle.c */

/*
 * Finds a cycle through @task over all holders of each lock.  @spinning: tasks that still run
 * count as waiting, too.
 */
bool cycle_find(struct detect *d, uint32_t task, bool spinning, struct walk *w);
/* The @i-th edge that leaves @task; false: no more. */
bool chain_edge(const struct detect *d, uint32_t task, uint32_t i, struct link *e);

/* ---- words.c */

void chain_words(const struct detect *d, const struct walk *w, struct chain *c);

/* ---- model.c */

void model_init(struct detect *d);
void model_free(struct detect *d);
void model_need(struct detect *d, const struct probe *p);	/* room for what it names */
void touch_wait(struct detect *d, struct open_wait *o);
void touch(struct detect *d, struct list *watchers);
void touch_task(struct detect *d, uint32_t id);
void touch_lock(struct detect *d, uint32_t id);
void set_state(struct detect *d, uint32_t id, enum task_state state, uint32_t cpu);
void note_change(struct detect *d, uint32_t id);
void lock_taken(struct detect *d, uint32_t lock, uint32_t task, enum lock_mode mode, bool early);
void lock_dropped(struct detect *d, uint32_t lock, uint32_t task, enum lock_mode mode);
void keep_changes(struct detect *d);

/* ---- wait.c */

void wait_settle(struct detect *d, struct open_wait *o);
/* @first: whose record it is. */
void wait_judge_touched(struct detect *d, uint32_t first);
void wait_acquired(struct detect *d, const struct probe *p);
void wait_contention_begin(struct detect *d, const struct probe *p);
void wait_contention_end(struct detect *d, const struct probe *p);
void wait_woken(struct detect *d, uint32_t task);
void wait_close(struct detect *d, struct open_wait *o, bool over);

/* ---- verdict.c */

void judge(struct detect *d, enum verdict v, uint64_t at_ns,
	   const struct walk *w, const char *words);
void report(struct detect *d, uint64_t at_ns, const char *text);
void look_for_cycle(struct detect *d, uint32_t task, bool spinning, uint64_t at_ns);
void look_for_rescue(struct detect *d, uint32_t freed, const struct probe *p);
void starved_of_lock(struct detect *d, const struct open_wait *o);
void starved_of_cpu(struct detect *d, uint32_t id);

/* ---- watchdog.c */

void watchdog(struct detect *d);
void watchdog_expect(struct detect *d, uint64_t due_ns);

#endif
