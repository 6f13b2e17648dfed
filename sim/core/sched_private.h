/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the simulated scheduler: sched.c (what every class shares), sched_rt.c, sched_fair.c.
 */
#ifndef SIM_CORE_SCHED_PRIVATE_H
#define SIM_CORE_SCHED_PRIVATE_H

#include "sim/core/sched.h"
#include "sim/core/sim_private.h"

#define RT_PRIOS 100		/* kernel priorities below are real-time */
#define PRIO_NORMAL 120		/* nice 0 */
#define PRIO_LOWEST 140
#define RR_SLICE_TICKS (SIM_HZ / 10)	/* 100 ms, as the kernel has it */

/* Tasks by priority: a list each, and a bit for each list that is not empty. */
struct prio_lists {
	struct list list[RT_PRIOS];
	uint64_t bits[2];
};

/* A heap of fair nodes, smallest vruntime first. */
struct fair_queue {
	struct fair_node **heap;
	uint32_t nr, room;
	uint64_t min_vruntime;
};

/* A group's part on one CPU. */
struct group_cpu {
	struct sched_group *group;
	uint32_t cpu;
	struct fair_node node;		/* in the root queue */
	struct fair_queue queue;
	uint32_t nr_queued;		/* tasks, the running one included */
	bool running;			/* one of them is on the CPU */
	int64_t runtime_left_ns;	/* of what it has taken from the pool */
	bool throttled;
	struct list throttled_node;	/* of the group, in order of throttling */
};

struct sched_group {
	int index;
	int64_t quota_ns;	/* -1: none */
	uint64_t period_ns;
	int64_t pool_ns;	/* left of this period's quota */
	bool timer_active;
	bool idle;		/* nothing was taken since the last refill */
	struct list throttled, members;
	struct group_cpu *cpus;
};

struct rq {
	uint32_t cpu;
	uint32_t next_ticket, owner_ticket;	/* its lock; see rq_lock() */
	struct task *curr, *idle, *stopper;
	struct task *prev;	/* who is being switched away from */
	uint32_t nr_running;	/* queued tasks, the running one included, idle and stopper not */

	struct prio_lists rt, pushable;
	uint32_t nr_rt;
	bool want_push, want_pull;	/* once the queue is unlocked */
	bool push_busy;		/* the stopper is to push @push_task */
	struct task *push_task;
	struct list moves;	/* tasks the stopper is to move */
	uint32_t distribute_prev;	/* last CPU chosen among equals from here */

	struct fair_queue fair;	/* tasks without group, and groups */
	uint32_t nr_fair;
	int look_at_group;	/* throttling has changed: to be told after the switch; or -1 */

	uint64_t rt_window;	/* number of the current second */
	uint64_t rt_used_ns;	/* of it, by RT tasks while a fair one waited */
	bool rt_held_back;	/* until the window is over */
};

struct sched {
	const struct sched_world *world;
	struct rq *rqs;
	struct sched_group **groups;
	uint32_t nr_groups, room_groups;
	uint64_t seq;
};

static inline struct rq *rq_of_cpu(struct sim *s, uint32_t cpu)
{
	return &s->sched->rqs[cpu];
}

static inline struct rq *rq_of(struct sim *s, const struct task *t)
{
	return &s->sched->rqs[t->se.cpu];
}

static inline struct task *task_of_node(struct fair_node *n)
{
	return list_item(n, struct task, se.fair);
}

static inline bool is_rt(const struct task *t)
{
	return t->prio < RT_PRIOS;
}

static inline uint64_t sched_all_cpus(const struct sim *s)
{
	return sim_nr_cpus(s) == 64 ? ~0ull : (1ull << sim_nr_cpus(s)) - 1;
}

static inline bool may_run_on(const struct task *t, uint32_t cpu)
{
	return t->se.cpus & (1ull << cpu);
}

static inline bool is_current(struct sim *s, const struct task *t)
{
	return rq_of(s, t)->curr == t;
}

/* sched.c */
/*
 * A queue's lock, in the order of asking; held during a context switch, and otherwise only while
 * another queue's lock is waited for.
 */
void rq_lock(struct sim *s, struct rq *rq);
void rq_unlock(struct sim *s, struct rq *rq);
/* The queue @t is on, locked. */
struct rq *task_rq_lock(struct sim *s, struct task *t);
/* Locks @other too; lets go of @rq meanwhile, so what was known of it may be wrong. */
void rq_double_lock(struct sim *s, struct rq *rq, struct rq *other);
void sched_resched(struct sim *s, struct rq *rq);
void sched_account(struct sim *s, struct rq *rq);
void sched_enqueue(struct sim *s, struct rq *rq, struct task *t, bool head);
void sched_dequeue(struct sim *s, struct rq *rq, struct task *t);
/* @first: it has just been picked, and others may be pushed away behind it. */
void sched_set_next(struct sim *s, struct rq *rq, struct task *t, bool first);
/* Lower comes first: stopper, real-time, fair, idle. */
int sched_class_of(const struct rq *rq, const struct task *t);
void sched_activate(struct sim *s, struct rq *rq, struct task *t);
void sched_deactivate(struct sim *s, struct task *t);
/* Should @t, just queued or changed, have the CPU? */
void sched_check_preempt(struct sim *s, struct rq *rq, struct task *t);
/* Moves a task that is queued and does not run. */
void sched_move(struct sim *s, struct task *t, uint32_t cpu);
/* One of @cpus, another each time, as seen from the CPU in focus. */
uint32_t sched_distribute(struct sim *s, uint64_t cpus);
void sched_run_callbacks(struct sim *s, struct rq *rq);
/* The snapshot's part: queues of a machine at rest, to be freed by the caller. */
struct rq *sched_save(const struct sim *s);
void sched_restore(struct sim *s, const struct rq *rqs);
void sched_free(struct sim *s);

/* sched_stop.c: the stopper of @rq, whose push_busy is set, pushes @t away */
void sched_stop_push(struct sim *s, struct rq *rq, struct task *t);

/* sched_rt.c */
void rt_init(struct rq *rq);
void rt_enqueue(struct rq *rq, struct task *t, bool head);
void rt_dequeue(struct rq *rq, struct task *t);
void rt_requeue(struct rq *rq, struct task *t, bool head);
/* Waits for the CPU: it may be pushed elsewhere. */
void rt_put(struct rq *rq, struct task *t);
void rt_set_next(struct rq *rq, struct task *t, bool first);
struct task *rt_first(struct rq *rq);
/* Best priority of the queue's RT tasks; RT_PRIOS: none. */
int rt_best(const struct rq *rq);
uint32_t rt_select_cpu(struct sim *s, struct task *t);
void rt_woken(struct sim *s, struct rq *rq, struct task *t);
void rt_preempt(struct sim *s, struct rq *rq, struct task *t);
void rt_push(struct sim *s, struct rq *rq);
void rt_pull(struct sim *s, struct rq *rq);
/* Moves a queued task elsewhere if another CPU suits it better. */
bool rt_push_away(struct sim *s, struct rq *rq, struct task *t);
/* At each tick, whoever runs: RT tasks are held back for fair ones that wait (RR: slices). */
void rt_tick(struct sim *s, struct rq *rq, struct task *t);

/* sched_fair.c */
void fair_init(struct rq *rq);
uint32_t fair_weight(int nice);
void fair_enqueue(struct sim *s, struct rq *rq, struct task *t);
void fair_dequeue(struct sim *s, struct rq *rq, struct task *t);
void fair_put(struct sim *s, struct rq *rq, struct task *t);
void fair_set_next(struct sim *s, struct rq *rq, struct task *t);
struct task *fair_pick(struct rq *rq);	/* NULL: none may run */
void fair_charge(struct sim *s, struct rq *rq, struct task *t, uint64_t ns);
uint32_t fair_select_cpu(struct sim *s, struct task *t);
void fair_preempt(struct sim *s, struct rq *rq, struct task *t);
void fair_tick(struct sim *s, struct rq *rq, struct task *t);
bool fair_pull(struct sim *s, struct rq *rq);	/* a CPU becomes idle: a task has come */
void fair_yield(struct sim *s, struct rq *rq, struct task *t);
void fair_insert(struct sim *s, struct fair_queue *q, struct fair_node *n);
void fair_remove(struct fair_queue *q, struct fair_node *n);

/* sched_group.c */
struct group_cpu *group_cpu_of(struct sim *s, const struct task *t, uint32_t cpu);
/* The group's node is in the root queue if a task of it may run and none does. */
void group_place(struct sim *s, struct rq *rq, struct group_cpu *g);
void group_charge(struct sim *s, struct rq *rq, struct group_cpu *g, uint64_t ns);
/* Its quota is gone and nothing is left in the pool: it is throttled from now on. */
void group_check(struct sim *s, struct rq *rq, struct group_cpu *g);
void group_give_back(struct group_cpu *g);
/* Tells who of the group is throttled now and was not, and the other way round. */
void group_tell(struct sim *s, int group);
void sched_groups_free(struct sim *s);

#endif
