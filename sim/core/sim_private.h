/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of struct sim, for sim/core alone.
 *
 * All of it is plain data without pointers into itself, except the event queue's handles into
 * the CPUs, so that a snapshot is a copy (snapshot.c).
 */
#ifndef SIM_CORE_SIM_PRIVATE_H
#define SIM_CORE_SIM_PRIVATE_H

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/eventq.h"
#include "sim/core/oracle.h"

#define SIM_OBSERVERS_MAX 16
#define SIM_LINES_MAX 16	/* device interrupts pending at one CPU */
#define LOCK_HASH 1024
#define NAME_CACHE 64

enum cpu_wait {
	CPU_RUNS,	/* its code is being executed: the CPU in focus */
	CPU_IDLE,
	CPU_BURN,
	CPU_SPIN
};

struct cpu {
	struct task *curr;
	enum cpu_wait wait;
	uint32_t irqs_off, pending;	/* of the focus, while it is elsewhere */
	uint32_t ipi_bits;		/* on their way */
	uint32_t relaxed;		/* turns of a busy-wait loop without anything else */
	const void *spin_lock;
	struct event resume, clock, tick, ipi;
	int lines[SIM_LINES_MAX];
	uint32_t nr_lines;
};

struct call {
	struct event event;
	engine_call_fn *fn;
	void *arg;
	struct call *next_free;
};

struct lock_entry {
	struct lock lock;
	uintptr_t addr;		/* 0: its memory was freed */
	uint32_t name, instance;
	int32_t hash_next;
};

struct name_entry {
	char *text;
	uint32_t instances;	/* locks of that name */
};

struct sim {
	struct sim_config config;
	const struct world_ops *world;
	struct bridge_focus *focus;
	struct bridge_focus own_focus;	/* for worlds without an image */
	struct oracle *oracle;
	struct carrier *host;
	bool inhost;
	enum sim_end end;

	uint64_t now, epoch;	/* ns; what is shown counts from epoch */
	uint64_t seq, events;
	uint32_t cpu;		/* in focus */
	uint32_t nr_spinning;
	uint32_t nr_scenario;	/* scenario tasks alive */
	bool had_scenario;
	struct cpu cpus[SIM_CPUS_MAX];
	struct eventq queue;
	struct call *free_calls;

	struct { probe_fn *fn; void *self; } observers[SIM_OBSERVERS_MAX];
	uint32_t nr_observers;

	struct task **tasks;
	uint32_t nr_tasks, room_tasks;
	struct lock_entry *locks;
	uint32_t nr_locks, room_locks;
	int32_t lock_hash[LOCK_HASH];
	struct name_entry *names;
	uint32_t nr_names, room_names;
	uint32_t nr_old_names;	/* texts of the run before, behind nr_names: see task.c */
	struct { const char *ptr; uint32_t id; } name_cache[NAME_CACHE];
	uint32_t *groups;	/* name ids */
	uint32_t nr_groups, room_groups;

	const char *bug;
	char *bug_detail;

	struct sched *sched;	/* the simulated scheduler, or NULL */
	struct abstract *abstract;	/* the abstract world, or NULL */
	void *image_state;	/* sim/image */
	struct sim_snapshot *snapshot;
};

static inline struct cpu *cpu_focus(struct sim *s)
{
	return &s->cpus[s->cpu];
}

/* task.c */
void sim_forget_old_names(struct sim *s);

/* lockname.c: the locks are those saved in @locks again */
void sim_locks_restore(struct sim *s, const struct lock_entry *locks, uint32_t nr);

/* snapshot.c */
void snapshot_free(struct sim *s);

#endif
