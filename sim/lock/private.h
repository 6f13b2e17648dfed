/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the locks: what strategies are made of.
 */
#ifndef SIM_LOCK_PRIVATE_H
#define SIM_LOCK_PRIVATE_H

#include "sim/base/list.h"
#include "sim/core/abstract.h"
#include "sim/core/engine.h"
#include "sim/lock/lock.h"

struct lock_queue;

struct lock_waiter {
	struct task *task;
	struct lock_queue *queue;
	int prio;		/* by which it stands in the queue */
	struct list node;
};

/* An owner and who waits for it, best first. */
struct lock_queue {
	struct task *owner;
	struct list waiters;
	struct list owned;	/* on the owner's list, when waiters lend it their priority */
	bool lends;		/* waiters stand by priority and boost the owner; else first come */
	bool steals;		/* an equal priority may pass the top waiter: fair tasks, RT spinlocks */
};

struct rw_state {
	uint32_t readers;	/* that hold it */
	bool bias;		/* readers come in without asking */
	bool written;		/* a writer holds it */
	struct task *drains;	/* the writer that waits for readers to leave */
};

/* Spinning: preemption is off, who waits does so in the order of coming. */
struct spin_state {
	uint32_t next, owner;	/* tickets */
	uint32_t readers;
	bool written;
};

struct sim_lock {
	struct lock_set *set;
	const struct lock_ops *ops;
	struct sim_lock *next;
	uint32_t id, inner_id;	/* of the probe records */
	enum bridge_lock_kind kind;
	struct lock_queue queue;
	struct rw_state rw;
	struct spin_state spin;
	struct task *owner;	/* exclusive holder, whatever the strategy; NULL: none */
	uint32_t nr_readers;	/* shared holders */
};

/* One kind of lock.  NULL read functions: there is no shared mode, readers take it exclusively. */
struct lock_ops {
	bool lends, steals;	/* its queue: see struct lock_queue */
	bool pins;		/* its holder stays on its CPU */
	bool (*try_take)(struct sim_lock *l);
	void (*take)(struct sim_lock *l);	/* returns with the lock */
	void (*release)(struct sim_lock *l);
	bool (*try_read)(struct sim_lock *l);
	void (*take_read)(struct sim_lock *l);
	void (*release_read)(struct sim_lock *l);
};

struct lock_strategy {
	const char *name;
	const struct lock_ops *ops[NR_BRIDGE_LOCK_KINDS];
};

extern const struct lock_strategy strategy_rt, strategy_rt_reader_bias, strategy_vanilla,
	strategy_write_only;

/*
 * The state of queues is changed by one CPU at a time: a boost may wait for a run queue, and
 * another task must not release meanwhile what the walk looks at.  Preemption is off.
 */
void lock_enter(struct lock_set *set);
void lock_exit(struct lock_set *set);

/* queue.c; @id and @flags (LCB_*) are told when it has to be waited for, but for LOCK_SILENT */
#define LOCK_SILENT UINT32_MAX
void queue_init(struct lock_queue *q, bool lends, bool steals);
bool queue_try_take(struct lock_set *set, struct lock_queue *q);
void queue_take(struct lock_set *set, struct lock_queue *q, uint32_t id, uint32_t flags);
void queue_release(struct lock_set *set, struct lock_queue *q);
void queue_insert(struct lock_queue *q, struct lock_waiter *w);
struct lock_waiter *queue_top(const struct lock_queue *q);	/* NULL: nobody waits */

/* pi.c, between lock_enter() and lock_exit() */
/* Lends what @owner's waiters have, and on along the chain of owners it waits for. */
void pi_walk(struct sim *s, struct task *owner);
void pi_own(struct lock_queue *q, struct task *t);
/* The queue has no owner any more; who had it gives back what this queue lent. */
void pi_disown(struct sim *s, struct lock_queue *q);
int pi_waiter_prio(const struct task *t);

/* The operations strategies choose from. */
extern const struct lock_ops spin_rt_ops, mutex_rt_ops, mutex_fifo_ops;		/* mutex.c */
extern const struct lock_ops rwlock_rt_ops, rwsem_rt_ops, rwsem_fifo_ops;	/* rw.c */
extern const struct lock_ops rwlock_bias_ops, rwsem_bias_ops;			/* rw.c */
extern const struct lock_ops spin_queued_ops, rw_queued_ops;			/* spin.c */

struct lock_set {
	struct sim *sim;
	const struct lock_strategy *strategy;
	struct sim_lock *locks;
	lock_hook_fn *hook;
	void *self;
	uint32_t next_ticket, owner_ticket;	/* lock_enter() */
};

static inline struct task *lock_current(const struct lock_set *set)
{
	return sim_current(set->sim);
}

#endif
