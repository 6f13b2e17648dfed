/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task does, event by event, on its own stack.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/scenario/run_private.h"

long run_call(struct run *r, enum bridge_sys nr, long a, long b, long c, long d)
{
	long arg[6] = { a, b, c, d, 0, 0 };

	return r->ops->syscall(nr, arg);
}

static void sleep_ns(struct run *r, uint64_t ns)
{
	run_call(r, SYS_NANOSLEEP, (long)ns, 0, 0, 0);
}

/* ---- user-space waiting: sleep until somebody sets the flag and wakes */

void run_wait_resumed(struct run *r, struct run_task *t)
{
	r->ops->sleep_on(&t->resumed, SIM_NEVER);
	t->resumed = false;
}

void run_resume(struct run *r, struct run_task *t)
{
	t->resumed = true;
	r->ops->wake(t->task);
}

static void enqueue(struct run_resource *q, struct run_task *t)
{
	struct run_task **at = &q->waiters;

	while (*at)
		at = &(*at)->next_waiter;
	t->next_waiter = NULL;
	*at = t;
}

static struct run_task *dequeue(struct run_resource *q)
{
	struct run_task *t = q->waiters;

	if (t)
		q->waiters = t->next_waiter;
	return t;
}

/* A mutex of user space without inheritance: the kernel sees sleeps and wake-ups only. */
static void futex_lock(struct run *r, struct run_task *t, struct run_resource *m)
{
	engine_cost(r->sim, COST_LOCK);
	if (m->owner) {
		engine_log(r->sim, PROBE_CONTENTION_BEGIN, m->lock_id, 0);
		while (m->owner) {
			enqueue(m, t);
			run_wait_resumed(r, t);
		}
		engine_log(r->sim, PROBE_CONTENTION_END, m->lock_id, 0);
	}
	m->owner = t;
	engine_log(r->sim, PROBE_LOCK_ACQUIRED, m->lock_id, LOCK_EXCLUSIVE);
}

static void futex_unlock(struct run *r, struct run_resource *m)
{
	struct run_task *next;

	engine_cost(r->sim, COST_LOCK);
	engine_log(r->sim, PROBE_LOCK_RELEASED, m->lock_id, LOCK_EXCLUSIVE);
	m->owner = NULL;
	next = dequeue(m);
	if (next)
		run_resume(r, next);
}

static enum bridge_lock_kind kind_of(enum resource_type t)
{
	switch (t) {
	case RESOURCE_MUTEX:
		return BRIDGE_LOCK_MUTEX;
	case RESOURCE_RTMUTEX:
		return BRIDGE_LOCK_RTMUTEX;
	case RESOURCE_SPINLOCK:
		return BRIDGE_LOCK_SPIN;
	case RESOURCE_RWLOCK:
		return BRIDGE_LOCK_RW;
	default:
		return BRIDGE_LOCK_RWSEM;
	}
}

static void lock(struct run *r, struct run_task *t, int ref, bool read, bool try_only)
{
	struct run_resource *m = &r->resources[ref];
	enum resource_type type = r->sc->resources[ref].type;
	enum bridge_lock_op op = read ? (try_only ? BRIDGE_OP_READ_TRYLOCK : BRIDGE_OP_READ_LOCK) :
					(try_only ? BRIDGE_OP_TRYLOCK : BRIDGE_OP_LOCK);

	bool taken = true;

	if (type == RESOURCE_FUTEX && !(try_only && m->owner))
		futex_lock(r, t, m);
	else
		taken = type != RESOURCE_FUTEX && r->ops->lock_op(m->lock, kind_of(type), op) > 0;
	if (!taken && t->missed && t->missed[ref] < UINT8_MAX)
		t->missed[ref]++;
}

/* What a trylock has not got is not given back. */
static void unlock(struct run *r, struct run_task *t, int ref, bool read)
{
	struct run_resource *m = &r->resources[ref];
	enum resource_type type = r->sc->resources[ref].type;

	if (t->missed && t->missed[ref]) {
		t->missed[ref]--;
		return;
	}
	if (type == RESOURCE_FUTEX)
		futex_unlock(r, m);
	else
		r->ops->lock_op(m->lock, kind_of(type),
				read ? BRIDGE_OP_READ_UNLOCK : BRIDGE_OP_UNLOCK);
}

static void timer(struct run *r, const struct step *s)
{
	struct run_resource *t = &r->resources[s->ref];
	uint64_t now = sim_now(r->sim);

	if (!t->started) {
		t->started = true;
		t->next_ns = now;
	}
	t->next_ns += s->ns;
	if (t->next_ns > now)
		sleep_ns(r, t->next_ns - now);
}

static void barrier(struct run *r, struct run_task *t, int ref)
{
	struct run_resource *b = &r->resources[ref];
	struct run_task *other;

	if (++b->nr_there < b->nr_users) {
		enqueue(b, t);
		run_wait_resumed(r, t);
		return;
	}
	b->nr_there = 0;
	while ((other = dequeue(b)))
		run_resume(r, other);
}

static void wait_condition(struct run *r, struct run_task *t, const struct step *s)
{
	enqueue(&r->resources[s->ref], t);
	unlock(r, t, s->fd, false);
	run_wait_resumed(r, t);
	lock(r, t, s->fd, false, false);
}

/* ---- files */

static void read_file(struct run *r, int ref, uint64_t bytes)
{
	static const uint64_t sizes[] = { [RESOURCE_FIFO] = 1, [RESOURCE_EVENTFD] = 8,
					  [RESOURCE_TIMERFD] = 8 };
	uint64_t buffer[512];

	if (r->sc->resources[ref].type > RESOURCE_TIMERFD)
		return;
	if (!bytes)
		bytes = sizes[r->sc->resources[ref].type];
	if (bytes > sizeof(buffer))
		bytes = sizeof(buffer);
	run_call(r, SYS_READ, r->resources[ref].fd[0], (long)buffer, (long)bytes, 0);
}

static void write_file(struct run *r, const struct step *s)
{
	uint64_t buffer[512] = { 1 }, bytes = s->count;

	if (!bytes)
		bytes = r->sc->resources[s->ref].type == RESOURCE_FIFO ? 1 : 8;
	if (bytes > sizeof(buffer))
		bytes = sizeof(buffer);
	run_call(r, SYS_WRITE, r->resources[s->ref].fd[1], (long)buffer, (long)bytes, 0);
}

static void epoll_wait_step(struct run *r, struct run_task *t, const struct step *s)
{
	long max = s->count ? (long)s->count : 1, n;

	t->waits_in = s->timeout_ms < 0 ? s->ref : -1;
	t->waits_since_ns = sim_now(r->sim);
	n = run_call(r, SYS_EPOLL_WAIT, r->resources[s->ref].fd[0], (long)t->ready, max,
		     (long)s->timeout_ms);
	t->waits_in = -1;
	t->nr_ready = n > 0 ? (int)n : 0;
	if (t->returned_ns && sim_now(r->sim) - t->returned_ns > t->gap_ns)
		t->gap_ns = sim_now(r->sim) - t->returned_ns;
	t->returned_ns = sim_now(r->sim);
}

static void epoll_ctl_step(struct run *r, const struct step *s)
{
	struct epoll_item item = { .events = s->events ? s->events : 1, .data = (uint64_t)s->fd };
	static const int ops[] = { 0, 1, 2, 3 };

	run_call(r, SYS_EPOLL_CTL, r->resources[s->ref].fd[0], ops[s->op],
		 r->resources[s->fd].fd[0], (long)&item);
}

static void close_file(struct run *r, int ref)
{
	struct run_resource *f = &r->resources[ref];

	for (int i = 0; i < 2; i++) {
		if (f->fd[i] >= 0 && !(i && f->fd[1] == f->fd[0]))
			run_call(r, SYS_CLOSE, f->fd[i], 0, 0, 0);
	}
	f->fd[0] = f->fd[1] = -1;
}

static void run_step(struct run *r, struct run_task *t, const struct step *s)
{
	struct run_task *woken;

	engine_cost(r->sim, COST_STEP);
	switch (s->kind) {
	case STEP_RUN:
		engine_burn(r->sim, s->ns);
		break;
	case STEP_SLEEP:
		sleep_ns(r, s->ns);
		break;
	case STEP_TIMER:
		timer(r, s);
		break;
	case STEP_YIELD:
		run_call(r, SYS_SCHED_YIELD, 0, 0, 0, 0);
		break;
	case STEP_LOCK:
		lock(r, t, s->ref, s->read, s->try_only);
		break;
	case STEP_UNLOCK:
		unlock(r, t, s->ref, s->read);
		break;
	case STEP_EPOLL_WAIT:
		epoll_wait_step(r, t, s);
		break;
	case STEP_EPOLL_CTL:
		epoll_ctl_step(r, s);
		break;
	case STEP_READ:
		read_file(r, s->ref, s->count);
		break;
	case STEP_READ_READY:
		for (int i = 0; i < t->nr_ready; i++)
			read_file(r, (int)t->ready[i].data, 0);
		t->nr_ready = 0;
		break;
	case STEP_WRITE:
		write_file(r, s);
		break;
	case STEP_CLOSE:
		close_file(r, s->ref);
		break;
	case STEP_SUSPEND:
		run_wait_resumed(r, t);
		break;
	case STEP_RESUME:
		run_resume(r, &r->tasks[s->ref]);
		break;
	case STEP_BARRIER:
		barrier(r, t, s->ref);
		break;
	case STEP_WAIT:
		wait_condition(r, t, s);
		break;
	case STEP_SIGNAL:
		if ((woken = dequeue(&r->resources[s->ref])))
			run_resume(r, woken);
		break;
	case STEP_BROADCAST:
		while ((woken = dequeue(&r->resources[s->ref])))
			run_resume(r, woken);
		break;
	case STEP_SYNCHRONIZE_RCU:
		r->ops->synchronize_rcu();
		break;
	case STEP_CALL_RCU:
		r->ops->call_rcu();
		break;
	case STEP_POLICY:
		r->ops->set_policy(t->task, s->policy, s->priority);
		break;
	case NR_STEP_KINDS:
		break;
	}
}

void run_steps(struct run *r, struct run_task *t, const struct steps *steps)
{
	for (size_t i = 0; i < steps->nr; i++)
		run_step(r, t, &steps->all[i]);
}
