/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of a run: what tasks and hooks share.
 */
#ifndef SIM_SCENARIO_RUN_PRIVATE_H
#define SIM_SCENARIO_RUN_PRIVATE_H

#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/image/image.h"
#include "sim/scenario/run.h"

#define READY_MAX 64

/* As the kernel has it on x86-64. */
struct epoll_item {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

struct run_task {
	struct run *run;
	const struct scenario_task *spec;
	struct task *task;
	int index;
	struct epoll_item ready[READY_MAX];
	int nr_ready;
	int waits_in;		/* epoll resource of an endless epoll_wait, or -1 */
	uint64_t waits_since_ns;
	uint64_t returned_ns, gap_ns;	/* of epoll_wait: last return, longest gap */
	bool resumed;
	uint64_t cpus;		/* affinity now */
	uint64_t preempt_ns;	/* of a preempter: how long it runs when it is resumed */
	bool preempts;
	uint8_t *missed;	/* by resource: trylocks that failed, whose unlock is left out */
	struct run_task *next_waiter;
};

/* What a resource is at run time. */
struct run_resource {
	int fd[2];		/* a fifo has two ends */
	void *lock;
	uint32_t lock_id;	/* futex */
	struct run_task *owner, *waiters;	/* futex, condition, barrier */
	int nr_users, nr_there;
	uint64_t next_ns;	/* timer */
	bool started;
};

struct run {
	const struct scenario *sc;
	struct image *image;
	struct machine *machine;
	struct sim *sim;
	const struct bridge_image *ops;
	const char *carrier;
	struct oracle_random oracle;
	struct run_task *tasks;
	struct run_resource *resources;
	int *groups;		/* of the image */
	uint64_t *trigger_left;
	uint64_t *irq_done;
	bool *throttle_seen;	/* by scenario task */
	struct run_task *preempters;	/* one a CPU, or NULL: no trigger preempts */
	uint8_t *missed;	/* of all tasks */
	bool fresh;		/* booted and not used yet */
};

/* run_step.c */
void run_wait_resumed(struct run *r, struct run_task *t);
void run_resume(struct run *r, struct run_task *t);
void run_steps(struct run *r, struct run_task *t, const struct steps *steps);
long run_call(struct run *r, enum bridge_sys nr, long a, long b, long c, long d);

/* run_hook.c */
void run_hooks(struct run *r);
void run_start_interrupts(struct run *r);
void run_watch_throttling(void *self, const struct sim *s, const struct probe *p);

/* run_judge.c: verdicts of the end, and the expectation */
void run_judge(struct run *r, enum sim_end end, struct run_result *out);

/* run_setup.c: body of the first task */
void run_setup(struct run *r, struct task *init);

#endif
