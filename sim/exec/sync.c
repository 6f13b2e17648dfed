/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutexes, conditions and barriers of programs.
 *
 * What the C library keeps in them is ours to use, as long as all zeroes is a free mutex and the
 * type stands where the static initialisers have it.  A mutex with PTHREAD_PRIO_INHERIT is an
 * rt_mutex of the kernel, the others sleep without it: the kernel sees sleeps and wake-ups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "sim/base/check.h"
#include "sim/exec/private.h"

#define PROTOCOL_INHERIT 0x20	/* in the kind, as the C library has it */

struct queue {
	struct thread *first, *last;
};

struct lab_mutex {
	struct thread *owner;
	uint32_t count;
	uint32_t unused;
	int kind;		/* offset 16, as in the static initialisers */
	uint32_t unused2;
	struct queue waiters;	/* with inheritance: the rt_mutex, in place of the first */
};

struct lab_cond {
	struct queue waiters;
};

struct lab_barrier {
	struct queue waiters;
	unsigned int want, there;
};

_Static_assert(sizeof(struct lab_mutex) <= sizeof(pthread_mutex_t), "room in a mutex");
_Static_assert(sizeof(struct lab_cond) <= sizeof(pthread_cond_t), "room in a condition");
_Static_assert(sizeof(struct lab_barrier) <= sizeof(pthread_barrier_t), "room in a barrier");

static void enqueue(struct queue *q, struct thread *t)
{
	t->next_waiter = NULL;
	if (q->last)
		q->last->next_waiter = t;
	else
		q->first = t;
	q->last = t;
}

static struct thread *dequeue(struct queue *q)
{
	struct thread *t = q->first;

	if (t)
		q->first = t->next_waiter;
	if (!q->first)
		q->last = NULL;
	return t;
}

static void remove_waiter(struct queue *q, struct thread *t)
{
	struct queue rest = { 0 };
	struct thread *w;

	while ((w = dequeue(q)))
		if (w != t)
			enqueue(&rest, w);
	*q = rest;
}

/* Until somebody wakes it, or the time has come: false. */
static bool wait_in(struct queue *q, uint64_t until_ns)
{
	struct thread *me = self_thread();

	me->woken = false;
	enqueue(q, me);
	while (!me->woken && (until_ns == SIM_NEVER || sim_now_abs(ex.sim) < until_ns))
		sleep_until(&me->woken, until_ns);
	if (!me->woken)
		remove_waiter(q, me);
	return me->woken;
}

static int type_of(const struct lab_mutex *m)
{
	return m->kind & 3;
}

/* ---- mutexes */

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	struct lab_mutex *m = (struct lab_mutex *)mutex;
	int type = 0, protocol = 0;

	memset(mutex, 0, sizeof(*mutex));
	if (attr) {
		pthread_mutexattr_gettype(attr, &type);
		pthread_mutexattr_getprotocol(attr, &protocol);
	}
	m->kind = type | (protocol == PTHREAD_PRIO_INHERIT ? PROTOCOL_INHERIT : 0);
	return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return ((struct lab_mutex *)mutex)->owner ? EBUSY : 0;
}

static void *rtmutex(struct lab_mutex *m)
{
	void **at = (void **)&m->waiters;

	if (!*at)
		*at = ex.im->lock_new(BRIDGE_LOCK_RTMUTEX, "pthread_mutex");
	return *at;
}

static int lock(struct lab_mutex *m, bool try_only)
{
	struct thread *me = self_thread();

	me->spun_ns = 0;
	engine_cost(ex.sim, COST_LOCK);
	if (m->owner == me && type_of(m)) {
		if (type_of(m) != PTHREAD_MUTEX_RECURSIVE)
			return EDEADLK;
		m->count++;
		return 0;
	}
	if (m->kind & PROTOCOL_INHERIT) {
		if (ex.im->lock_op(rtmutex(m), BRIDGE_LOCK_RTMUTEX,
				   try_only ? BRIDGE_OP_TRYLOCK : BRIDGE_OP_LOCK) <= 0)
			return EBUSY;
	} else {
		while (m->owner) {
			if (try_only)
				return EBUSY;
			wait_in(&m->waiters, SIM_NEVER);
		}
	}
	m->owner = me;
	m->count = 1;
	return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int err = lock((struct lab_mutex *)mutex, false);

	may_die();
	return err;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return lock((struct lab_mutex *)mutex, true);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct lab_mutex *m = (struct lab_mutex *)mutex;
	struct thread *next;

	engine_cost(ex.sim, COST_LOCK);
	if (m->owner != self_thread())
		return EPERM;
	if (--m->count)
		return 0;
	m->owner = NULL;
	if (m->kind & PROTOCOL_INHERIT) {
		ex.im->lock_op(rtmutex(m), BRIDGE_LOCK_RTMUTEX, BRIDGE_OP_UNLOCK);
	} else {
		next = dequeue(&m->waiters);
		if (next)
			wake_thread(next);
	}
	may_die();
	return 0;
}

/* ---- conditions */

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	(void)attr;
	memset(cond, 0, sizeof(*cond));
	return 0;
}

int __wrap_pthread_cond_destroy(pthread_cond_t *cond);
int __wrap_pthread_cond_destroy(pthread_cond_t *cond)
{
	return ((struct lab_cond *)cond)->waiters.first ? EBUSY : 0;
}

static int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns)
{
	struct lab_cond *c = (struct lab_cond *)cond;
	struct thread *me = self_thread();
	bool woken;

	/* on the queue before the mutex is free: a signal from now on counts */
	me->woken = false;
	enqueue(&c->waiters, me);
	__wrap_pthread_mutex_unlock(mutex);
	while (!me->woken && (until_ns == SIM_NEVER || sim_now_abs(ex.sim) < until_ns))
		sleep_until(&me->woken, until_ns);
	woken = me->woken;
	if (!woken)
		remove_waiter(&c->waiters, me);
	__wrap_pthread_mutex_lock(mutex);
	return woken ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return cond_wait(cond, mutex, SIM_NEVER);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until)
{
	uint64_t epoch = sim_now_abs(ex.sim) - sim_now(ex.sim);

	return cond_wait(cond, mutex,
			 epoch + (uint64_t)until->tv_sec * 1000000000ull + (uint64_t)until->tv_nsec);
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
	struct thread *t = dequeue(&((struct lab_cond *)cond)->waiters);

	engine_cost(ex.sim, COST_LOCK);
	if (t)
		wake_thread(t);
	may_die();
	return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond);
int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
	struct thread *t;

	while ((t = dequeue(&((struct lab_cond *)cond)->waiters)))
		wake_thread(t);
	may_die();
	return 0;
}

/* ---- barriers */

int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
				unsigned int n);
int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
				unsigned int n)
{
	(void)attr;
	*(struct lab_barrier *)barrier = (struct lab_barrier){ .want = n };
	return n ? 0 : EINVAL;
}

int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier);
int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	(void)barrier;
	return 0;
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier);
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct lab_barrier *b = (struct lab_barrier *)barrier;
	struct thread *t;

	engine_cost(ex.sim, COST_LOCK);
	if (++b->there < b->want) {
		wait_in(&b->waiters, SIM_NEVER);
		return 0;
	}
	b->there = 0;
	while ((t = dequeue(&b->waiters)))
		wake_thread(t);
	may_die();
	return PTHREAD_BARRIER_SERIAL_THREAD;
}
