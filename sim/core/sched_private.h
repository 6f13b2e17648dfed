/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the simulated scheduler, for sim/core/sched*.c alone.
 *
 * Everything points to everything with plain pointers into memory that stays where it is, so a
 * reset copies the contents back (sched_snapshot.c).
 */
#ifndef SIM_CORE_SCHED_PRIVATE_H
#define SIM_CORE_SCHED_PRIVATE_H

#include "sim/base/list.h"
#include "sim/core/sched.h"
#include "sim/core/sim_private.h"

#define RT_PRIOS 100		/* kernel priorities below this are real-time */
#define PRIO_NONE 140		/* worse than any task's */
#define NICE_0_WEIGHT 1024
#define IDLE_WEIGHT 3
#define GROUP_SHARES 1024
#define GROUP_SHARES_MIN 2
#define RR_SLICE_TICKS (100000000ull / SIM_TICK_NS)
#define GROUPS_MAX 256

struct fair_queue;

/* What competes in a fair queue: a task, or a group on one CPU. */
struct fair_entity {
	struct fair_entity *left, *right;	/* of the tree, by (deadline, order) */
	uint64_t order;
	uint32_t shape;			/* decides the tree's shape: a fixed random number */
	int64_t vruntime_min;		/* of the subtree */
	int64_t vruntime, deadline, vlag;
	uint64_t slice_ns;
	uint32_t weight;
	bool on_queue, relative_deadline, asleep;
	bool protected;			/* picked, and its slice is not over */
	struct fair_queue *queue;	/* where it competes */
	struct fair_queue *own;		/* of a group; NULL: a task */
	struct fair_entity *parent;
};

struct fair_queue {
	struct fair_entity *root, *curr;
	int64_t zero;			/* vruntimes are summed relative to it */
	int64_t sum;			/* of weight * (vruntime - zero), tree only */
	uint64_t load;			/* weights in the tree */
	uint64_t weight;		/* of all, the running one included */
	uint32_t nr, nr_tasks;		/* entities; tasks below, throttled groups excluded */
	uint64_t order;
	/* of a group on one CPU */
	struct sched_group *group;
	struct fair_entity entity;
	struct list tasks;		/* queued here, in order of arrival */
	struct list limbo;		/* stopped on their way to user space */
	struct list throttled_node;
	uint32_t cpu;
	int64_t runtime_ns;
	bool limited, throttled;
};

struct sched_group {
	int id;
	int64_t quota_ns;	/* below 0: none */
	uint64_t period_ns;
	int64_t pool_ns;
	uint64_t weight;	/* of its queues on all CPUs */
	bool timer_active, idle;
	struct list throttled;	/* fair queues, in order of throttling */
	struct fair_queue queues[];	/* by CPU */
};

struct prio_lists {
	uint64_t bits[2];
	struct list heads[RT_PRIOS];
};

struct sched_task {
	struct task *task;
	struct fair_entity fair;
	struct list rt_node, push_node, group_node;
	uint64_t affinity;
	uint32_t cpu;		/* where it is queued, or ran last */
	int policy, prio, normal_prio, lent_prio;
	struct sched_group *group;
	uint32_t migrate_off;
	uint32_t rr_ticks;
	bool queued;		/* on a run queue, running included */
	bool pushable, started;
	bool told_throttled;	/* as last logged */
	bool in_limbo;
};

struct rq {
	struct sched *sched;
	uint32_t cpu;
	struct sched_task *curr;	/* NULL: idle */
	struct task *idle;
	uint64_t charged_ns;		/* the running task has been charged up to here */
	bool need_resched, pull_wanted, push_wanted, push_away;
	struct sched_task *left;	/* switched out by the last pick */
	int rt_best;			/* best priority in rt, as known in by_prio */
	uint32_t spread;		/* CPU chosen last among equals */
	struct prio_lists rt, push;
	uint32_t nr_rt;
	struct fair_queue fair;
	/* RT throttling */
	int64_t rt_ns;
	bool rt_throttled;
	/* fair server */
	uint64_t server_due_ns, served_ns;
	bool server_armed, server_on;
	uint32_t ticks;
};

struct sched {
	struct sim *sim;
	sched_flag_fn *flag;
	uint64_t slice_ns;
	uint64_t overloaded;		/* CPUs with RT tasks to push */
	uint64_t by_prio[RT_PRIOS + 1];	/* CPUs by the best RT priority queued there */
	struct sched_group *groups[GROUPS_MAX];
	uint32_t nr_groups;
	void (*timer_start)(int group, uint64_t period_ns);
	bool rt_timer;
	struct sched_task **tasks;	/* all, by order of creation */
	uint32_t nr_tasks, nr_made;	/* in use; allocated */
	struct sched_saved *saved;
	struct rq rqs[];
};

static inline struct sched *sched_of(const struct sim *s)
{
	return s->sched_state;
}

static inline struct sched_task *st_of(const struct task *t)
{
	return t->sched;
}

static inline struct rq *rq_of(const struct sched_task *t)
{
	return &sched_of(t->task->sim)->rqs[t->cpu];
}

static inline bool is_rt(const struct sched_task *t)
{
	return t->prio < RT_PRIOS;
}

static inline uint64_t cpu_bit(uint32_t cpu)
{
	return 1ull << cpu;
}

static inline uint64_t all_cpus(const struct sched *d)
{
	return ~0ull >> (64 - sim_nr_cpus(d->sim));
}

static inline const struct bridge_machine *machine_of_sched(const struct sched *d)
{
	return &d->sim->config.machine;
}

static inline bool may_run_on(const struct sched_task *t, uint32_t cpu)
{
	return t->affinity & cpu_bit(cpu);
}

static inline bool is_pinned(const struct sched_task *t)
{
	return !(t->affinity & (t->affinity - 1));
}

static inline int curr_prio(const struct rq *rq)
{
	return rq->curr ? rq->curr->prio : PRIO_NONE;
}

/* Switched out, and not gone yet: it still stands on its stack there. */
static inline bool is_leaving(const struct sched_task *t)
{
	struct rq *rq = rq_of(t);

	return rq->curr != t && rq->sched->sim->cpus[rq->cpu].curr == t->task;
}

static inline bool may_move(const struct sched_task *t)
{
	return !t->migrate_off && !is_pinned(t) && !is_leaving(t);
}

/* prio_lists: the head's index, or RT_PRIOS when all are empty */
static inline int prio_lists_first(const struct prio_lists *p)
{
	if (p->bits[0])
		return __builtin_ctzll(p->bits[0]);
	return p->bits[1] ? 64 + __builtin_ctzll(p->bits[1]) : RT_PRIOS;
}

/* sched.c */
void resched(struct rq *rq);
void charge(struct rq *rq);		/* the running task's time up to now */
void enqueue(struct rq *rq, struct sched_task *t, bool wakeup, bool to_head);
void dequeue(struct rq *rq, struct sched_task *t, bool sleep);
void move_to(struct sched_task *t, uint32_t cpu);	/* of a task that is not queued */
void check_preempt(struct rq *rq, struct sched_task *t);

/* sched_rt.c */
void rt_init(struct rq *rq);
void rt_enqueue(struct rq *rq, struct sched_task *t, bool to_head);
void rt_dequeue(struct rq *rq, struct sched_task *t);
void rt_requeue(struct rq *rq, struct sched_task *t, bool to_head);
struct sched_task *rt_first(struct rq *rq);
void rt_pushable(struct rq *rq, struct sched_task *t, bool on);
int rt_select_cpu(struct sched_task *t);
int rt_lowest_cpu(const struct sched_task *t);	/* or -1 */
void rt_check_preempt_equal(struct rq *rq, struct sched_task *t);
void rt_push(struct rq *rq);
void rt_pull(struct rq *rq);
void rt_charge(struct rq *rq, uint64_t ns);
void rt_tick(struct rq *rq, struct sched_task *t);

/* sched_tree.c: entities by deadline, knowing the least vruntime below each */
void tree_insert(struct fair_queue *q, struct fair_entity *e);
void tree_remove(struct fair_queue *q, struct fair_entity *e);
struct fair_entity *tree_first(const struct fair_queue *q);

/* sched_fair.c */
void fair_queue_init(struct fair_queue *q);
void fair_entity_init(struct fair_entity *e, uint32_t number, uint32_t weight);
uint32_t fair_weight(int policy, int nice);
void fair_reweight(struct rq *rq, struct fair_entity *e, uint32_t weight);
void fair_charge(struct rq *rq, uint64_t ns);
void fair_enqueue(struct rq *rq, struct sched_task *t, bool wakeup);
void fair_dequeue(struct rq *rq, struct sched_task *t, bool sleep);
void fair_put(struct rq *rq, struct sched_task *t);
void fair_set(struct rq *rq, struct sched_task *t);
struct sched_task *fair_pick(struct rq *rq);
void fair_yield(struct rq *rq, struct sched_task *t);
bool fair_preempts(struct rq *rq, const struct sched_task *t);
void fair_queue_add(struct rq *rq, struct fair_queue *q, struct fair_entity *e, bool initial);
void fair_queue_del(struct rq *rq, struct fair_queue *q, struct fair_entity *e, bool sleep);
struct fair_entity *fair_best(struct fair_queue *q);
/* Throttled, and its tasks wait for it here and now. */
bool fair_queue_stopped(const struct fair_queue *q);

/* sched_group.c */
void group_charge(struct rq *rq, struct fair_queue *q, uint64_t ns);
bool group_check(struct rq *rq, struct fair_queue *q);	/* true: throttled */
void group_check_enqueue(struct rq *rq, struct fair_queue *q);
void group_return_runtime(struct fair_queue *q);
void group_tell(struct sched_task *t);	/* logs a change of the task's throttling */
bool group_stops(const struct sched_task *t);	/* has to leave: it is in limbo from now on */
void group_enter_limbo(struct sched_task *t);
void group_leave_limbo(struct sched_task *t);
int group_new(struct sim *s, const char *name, int64_t quota_ns, uint64_t period_ns);
int group_set(struct sim *s, int group, int64_t quota_ns, uint64_t period_ns);
bool group_refill(struct sim *s, int group);

/* sched_balance.c: where fair tasks go */
int fair_select_cpu(struct sched_task *t, bool fork);
bool fair_pull(struct rq *rq);		/* a CPU runs out of work */
void fair_balance(struct rq *rq);	/* at the tick */

/* sched_server.c: RT throttling, and the fair server */
void server_note(struct rq *rq);	/* after each pick and enqueue */
void server_charge(struct rq *rq, uint64_t ns);
void rt_timer_start(struct sched *d);

#endif
