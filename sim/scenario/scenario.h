/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios: plain data, read from YAML or from an rt-app JSON file.
 *
 * Times are nanoseconds.  References are indices into the tables of the scenario.
 */
#ifndef SIM_SCENARIO_SCENARIO_H
#define SIM_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel-shim/bridge.h"
#include "sim/base/diag.h"

#define SCENARIO_TASKS_MAX 1000
#define SCENARIO_WATCHES_MAX 64

enum resource_type {
	RESOURCE_FIFO,
	RESOURCE_EVENTFD,
	RESOURCE_TIMERFD,
	RESOURCE_EPOLL,
	RESOURCE_MUTEX,
	RESOURCE_RTMUTEX,
	RESOURCE_SPINLOCK,
	RESOURCE_RWLOCK,
	RESOURCE_RWSEM,
	RESOURCE_FUTEX,		/* a user-space mutex without priority inheritance */
	RESOURCE_BARRIER,
	RESOURCE_CONDITION,
	RESOURCE_TIMER,		/* rt-app's periodic timer: absolute sleeps */
	NR_RESOURCE_TYPES
};

struct watch {
	int fd;			/* resource */
	uint32_t events;	/* EPOLLIN ... */
};

struct resource {
	char *name;
	enum resource_type type;
	uint64_t first_ns, interval_ns;	/* timerfd */
	uint64_t initial;		/* eventfd */
	bool nonblock;
	int cpu;		/* where it is made: a timerfd's timer sits there */
	struct watch watches[SCENARIO_WATCHES_MAX];	/* epoll */
	int nr_watches;
};

enum step_kind {
	STEP_RUN,	/* ns */
	STEP_SLEEP,	/* ns */
	STEP_TIMER,	/* ref, ns: period */
	STEP_YIELD,
	STEP_LOCK,	/* ref, read, try */
	STEP_UNLOCK,	/* ref, read */
	STEP_EPOLL_WAIT, /* ref, count: maxevents, timeout_ms */
	STEP_EPOLL_CTL,	/* ref, fd, op, events */
	STEP_READ,	/* ref, count: bytes */
	STEP_WRITE,	/* ref, count: bytes */
	STEP_READ_READY, /* ref: epoll; reads what the last epoll_wait returned */
	STEP_CLOSE,	/* ref */
	STEP_SUSPEND,
	STEP_RESUME,	/* task */
	STEP_BARRIER,	/* ref */
	STEP_WAIT,	/* ref, fd: mutex */
	STEP_SIGNAL,	/* ref */
	STEP_BROADCAST,	/* ref */
	STEP_SYNCHRONIZE_RCU,
	STEP_CALL_RCU,
	STEP_POLICY,	/* policy, priority */
	NR_STEP_KINDS
};

struct step {
	enum step_kind kind;
	int ref, fd, op;
	uint32_t events;
	uint64_t ns;
	uint64_t count;
	int64_t timeout_ms;
	bool read, try_only;
	int policy, priority;
};

struct steps {
	struct step *all;
	size_t nr, room;
};

struct phase {
	char *name;
	int64_t loop;		/* -1: for ever */
	uint64_t cpus;		/* 0: the task's own */
	struct steps steps;
};

struct scenario_task {
	char *name;
	char *origin;		/* as written; instances share it */
	struct bridge_spawn spawn;	/* name and group filled in */
	uint64_t delay_ns;
	int64_t loop;
	struct phase *phases;
	size_t nr_phases;
};

struct group {
	char *name;
	int64_t quota_ns;	/* -1: none */
	uint64_t period_ns;
	int timer_cpu;		/* CPU that writes cpu.max */
};

struct interrupt {
	char *name;
	int cpu;
	bool threaded;
	int priority;		/* of the thread, SCHED_FIFO */
	uint64_t first_ns, period_ns;
	uint64_t count;		/* 0: without end; ignored when there is no period and no first */
	bool timed;
	struct steps handler;
};

/* Burn time at a place in kernel code, with the lock held. */
struct hold {
	char *lock, *function;	/* function NULL: anywhere */
	int task;		/* -1: any */
	uint64_t ns;
};

struct trigger {
	int task;		/* -1: any */
	char *lock;		/* holds, or NULL */
	char *function;		/* reaches, or NULL */
	uint64_t after_ns;	/* not before this time */
	uint64_t count;		/* how often; default 1 */
	int wake, throttle, interrupt;	/* task, task, interrupt; -1: not */
	uint64_t burn_ns;
	uint64_t preempt_ns;	/* the CPU is taken away for so long */
};

/* A wait there must be among the longest. */
struct expected_wait {
	int task;
	char *lock, *holder;	/* NULL: any */
	uint64_t min_ns, max_ns, inverted_ns;	/* max 0: any; inverted: at least */
};

struct expectation {
	char *image;		/* name, or a pattern with * */
	uint32_t verdicts;	/* a bit an allowed enum verdict */
	struct { int task; uint64_t ns; } max_wait[8];
	int nr_max_wait;
	struct { int task; uint64_t ns; } max_gap[8];
	int nr_max_gap;
	char *chain[8];		/* names that must be in the chain */
	int nr_chain;
	struct expected_wait waits[8];
	int nr_waits;
};

struct scenario {
	char *file, *name;
	struct bridge_machine machine;
	char *image;		/* default image, or NULL */
	uint64_t duration_ns;
	uint64_t events_max;
	size_t memory_max;
	uint64_t starve_ns, inversion_ns;
	struct group *groups;
	size_t nr_groups;
	struct resource *resources;
	size_t nr_resources;
	struct interrupt *interrupts;
	size_t nr_interrupts;
	struct scenario_task *tasks;
	size_t nr_tasks;
	struct hold *holds;
	size_t nr_holds;
	struct trigger *triggers;
	size_t nr_triggers;
	struct expectation *expectations;
	size_t nr_expectations;
};

/*
 * Reads a scenario; @sets are "key=value" overrides of scalars by dotted path, as --set gives
 * them.  0, or -EINVAL with one line in @d.
 */
int scenario_load(const char *path, const char *const *sets, struct scenario **out,
		  struct diag *d);
int scenario_load_text(const char *name, const char *text, size_t n, const char *const *sets,
		       struct scenario **out, struct diag *d);
void scenario_free(struct scenario *s);
/* Documents every key. */
void scenario_schema_print(FILE *f);
/*
 * The expectation for an image, or NULL.  Names are tried with the image's @parts and without; an
 * exact name wins over a pattern, and among patterns the first one.
 */
const struct expectation *scenario_expects(const struct scenario *s, const char *image);

#endif
