/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated machine: what every part of the lab passes around as `struct sim *`.
 *
 * State advances in engine.c only; everybody else asks or observes.
 */
#ifndef SIM_CORE_SIM_H
#define SIM_CORE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-shim/bridge.h"
#include "sim/core/abstract_task.h"
#include "sim/core/probe.h"
#include "sim/core/sched_entity.h"

#define SIM_CPUS_MAX BRIDGE_CPUS_MAX
#define SIM_TASKS_MAX 4096	/* scenario tasks and the machine's own threads */
#define SIM_NEVER UINT64_MAX
#define SIM_HZ 250
#define SIM_TICK_NS (1000000000ull / SIM_HZ)

struct carrier;
struct carrier_ops;
struct oracle;

enum task_kind { TASK_SCENARIO, TASK_IDLE, TASK_KTHREAD };

/* One task as the host knows it.  In an image it has a struct task_struct at `ktask`. */
struct task {
	struct sim *sim;
	uint32_t id;		/* dense, in order of creation */
	char name[32];
	enum task_kind kind;
	struct carrier *carrier;
	void *ktask;
	void (*entry)(void *);	/* first function on its stack */
	void *arg;
	int prio;		/* effective kernel priority, kept from the probes */
	int normal_prio;	/* base kernel priority */
	int policy;
	int group;		/* -1: none */
	bool dead;
	void *body;		/* scenario: what it runs (sim/scenario) */
	struct sched_entity se;	/* simulated scheduler */
	struct abstract_task abstract;	/* abstract world */
};

/* A lock as reports name it. */
struct lock {
	uint32_t id;		/* dense, in order of first use */
	char name[48];		/* "&ep->lock"; "&ep->lock#2" for a second one of that name */
	enum bridge_lock_kind kind;
	int32_t inner_of;	/* inner rtmutex of that rwlock or rwsem, or -1 */
	int32_t cpu;		/* of a per-CPU lock, or -1 */
};

/* How a run ended. */
enum sim_end {
	SIM_END_NONE,
	SIM_END_QUIET,		/* nothing more can happen */
	SIM_END_DONE,		/* every scenario task has ended */
	SIM_END_TIME,		/* the run's duration is over */
	SIM_END_EVENTS,		/* more events than the run may have */
	SIM_END_MEMORY,
	SIM_END_BUG,
	SIM_END_STOPPED		/* somebody called sim_stop() */
};

/* Who wants to see each record; called in order of registration, never switches. */
typedef void probe_fn(void *self, const struct sim *s, const struct probe *p);

struct sim_config {
	struct bridge_machine machine;
	const struct carrier_ops *carrier;
	uint64_t duration_ns;	/* SIM_NEVER: until quiet */
	uint64_t events_max;
	size_t memory_max;
};

/* sim/core/sim.c: life of a machine */
struct sim *sim_new(const struct sim_config *c);
void sim_free(struct sim *s);
void sim_set_oracle(struct sim *s, struct oracle *o);
int sim_observe(struct sim *s, probe_fn *fn, void *self);	/* -ENOSPC when too many */

void sim_clear_observers(struct sim *s);

/* Runs until something ends the run.  Called on the host's own stack. */
enum sim_end sim_run(struct sim *s);
void sim_stop(struct sim *s, enum sim_end why);	/* at the next step */

uint64_t sim_now(const struct sim *s);
uint64_t sim_events(const struct sim *s);
unsigned int sim_nr_cpus(const struct sim *s);
unsigned int sim_cpu(const struct sim *s);		/* in focus */
struct task *sim_current(const struct sim *s);	/* on the CPU in focus */
struct task *sim_running(const struct sim *s, unsigned int cpu);
unsigned int sim_nr_tasks(const struct sim *s);
struct task *sim_task(const struct sim *s, uint32_t id);
unsigned int sim_nr_locks(const struct sim *s);
const struct lock *sim_lock(const struct sim *s, uint32_t id);
const char *sim_name(const struct sim *s, uint32_t id);
const char *sim_group_name(const struct sim *s, int group);
/* What a bug verdict says: "use after free", and where; NULL when there was none. */
const char *sim_bug(const struct sim *s);
const char *sim_bug_detail(const struct sim *s);

#endif
