/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls, locks and the like, made by the caller's task or the body's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/timerfd.h>

#include "sim/base/check.h"
#include "sim/core/engine.h"
#include "sim/test/private.h"

#define PAGE 4096u
#define MEMORIES_MAX 16

struct call {
	enum bridge_sys nr;
	long arg[6];
	long ret;
};

static void call_asked(void *arg)
{
	struct call *c = arg;

	c->ret = lab.im->syscall(c->nr, c->arg);
}

static long call6(enum bridge_sys nr, long a, long b, long c, long d, long e, long f)
{
	struct call call = { nr, { a, b, c, d, e, f }, 0 };

	lab_on_task(call_asked, &call);
	return call.ret;
}

static long call(enum bridge_sys nr, long a, long b, long c, long d)
{
	return call6(nr, a, b, c, d, 0, 0);
}

/* ---- epoll */

int lab_epoll_create(int size)
{
	return (int)call(SYS_EPOLL_CREATE, size, 0, 0, 0);
}

int lab_epoll_flags(int flags)
{
	return (int)call(SYS_EPOLL_CREATE1, flags, 0, 0, 0);
}

int lab_epoll(void)
{
	return lab_epoll_flags(0);
}

int lab_ctl_at(int ep, int op, int fd, struct epoll_event *e)
{
	return (int)call(SYS_EPOLL_CTL, ep, op, fd, (long)e);
}

int lab_ctl(int ep, int op, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event e = { .events = events, .data.u64 = data };

	return lab_ctl_at(ep, op, fd, &e);
}

static int wait_in(int ep, bool forever, enum bridge_sys nr, long out, long max, long timeout,
		   long mask)
{
	struct lab_task *t = lab.in_machine ? lab_task_of(sim_current(lab.sim)) : NULL;
	int n;

	if (t && forever)
		t->waits_in = ep;
	n = (int)call6(nr, ep, out, max, timeout, mask, 8);
	if (t)
		t->waits_in = -1;
	return n;
}

static struct epoll_event *room(struct epoll_event *out, struct epoll_event *own, int max)
{
	if (!out && max > LAB_ROOM)
		lab_fail(__FILE__, __LINE__, "room for %d events is the caller's", max);
	return out ? out : own;
}

int lab_wait(int ep, struct epoll_event *out, int max, int timeout_ms)
{
	struct epoll_event own[LAB_ROOM];

	return wait_in(ep, timeout_ms < 0, SYS_EPOLL_WAIT, (long)room(out, own, max), max,
		       timeout_ms, 0);
}

int lab_pwait(int ep, struct epoll_event *out, int max, int timeout_ms, uint64_t blocked)
{
	struct epoll_event own[LAB_ROOM];

	return wait_in(ep, timeout_ms < 0, SYS_EPOLL_PWAIT, (long)room(out, own, max), max,
		       timeout_ms, (long)&blocked);
}

int lab_pwait2(int ep, struct epoll_event *out, int max, const struct timespec *timeout)
{
	struct epoll_event own[LAB_ROOM];

	return wait_in(ep, !timeout, SYS_EPOLL_PWAIT2, (long)room(out, own, max), max,
		       (long)timeout, 0);
}

/* ---- other files */

int lab_eventfd_flags(uint64_t initial, int flags)
{
	return (int)call(SYS_EVENTFD2, (long)initial, flags, 0, 0);
}

int lab_eventfd(uint64_t initial)
{
	return lab_eventfd_flags(initial, O_NONBLOCK);
}

int lab_timerfd_set(int fd, uint64_t first_ns, uint64_t interval_ns)
{
	return (int)call(SYS_TIMERFD_SETTIME, fd, 0, (long)first_ns, (long)interval_ns);
}

int lab_timerfd(uint64_t first_ns, uint64_t interval_ns)
{
	int fd = (int)call(SYS_TIMERFD_CREATE, CLOCK_MONOTONIC, TFD_NONBLOCK, 0, 0), err;

	if (fd < 0 || !first_ns)
		return fd;
	err = lab_timerfd_set(fd, first_ns, interval_ns);
	return err ? err : fd;
}

int lab_pipe(int fd[2], int flags)
{
	return (int)call(SYS_PIPE2, (long)fd, flags, 0, 0);
}

long lab_read(int fd, void *buf, size_t n)
{
	return call(SYS_READ, fd, (long)buf, (long)n, 0);
}

long lab_write(int fd, const void *buf, size_t n)
{
	return call(SYS_WRITE, fd, (long)buf, (long)n, 0);
}

long lab_post(int fd)
{
	uint64_t one = 1;

	return lab_write(fd, &one, sizeof(one));
}

int64_t lab_drain(int fd)
{
	uint64_t value = 0;
	long n = lab_read(fd, &value, sizeof(value));

	return n < 0 ? n : (int64_t)value;
}

int lab_close(int fd)
{
	return (int)call(SYS_CLOSE, fd, 0, 0, 0);
}

int lab_dup(int fd)
{
	return (int)call(SYS_DUP, fd, 0, 0, 0);
}

int lab_dup2(int fd, int to)
{
	return (int)call(SYS_DUP2, fd, to, 0, 0);
}

int lab_poll(struct pollfd *fds, unsigned int n, int timeout_ms)
{
	return (int)call(SYS_POLL, (long)fds, n, timeout_ms, 0);
}

int lab_file(void)
{
	return (int)call(SYS_SCRIPTED_NEW, 1, 0, 0, 0);
}

int lab_file_without_poll(void)
{
	return (int)call(SYS_SCRIPTED_NEW, 0, 0, 0, 0);
}

long lab_file_set(int fd, uint32_t ready)
{
	return call(SYS_SCRIPTED_SET, fd, ready, 0, 0);
}

uint32_t lab_file_asked(int fd)
{
	return (uint32_t)call(SYS_SCRIPTED_ASKED, fd, 0, 0, 0);
}

int lab_file_wake(int fd, uint32_t key)
{
	return (int)call(SYS_SCRIPTED_WAKE, fd, key, 0, 0);
}

/* ---- time and tasks */

long lab_sleep(uint64_t ns)
{
	return call(SYS_NANOSLEEP, (long)ns, 0, 0, 0);
}

void lab_burn(uint64_t ns)
{
	if (!lab.in_machine)
		lab_fail(__FILE__, __LINE__, "lab_burn() is for tasks and interrupt handlers");
	engine_burn(lab.sim, ns);
}

struct about {
	struct lab_task *t;
	uint64_t value;
	int ret;
};

static void signal_asked(void *arg)
{
	struct about *a = arg;

	lab.im->signal(a->t->task, (int)a->value);
}

void lab_signal(struct lab_task *t, int sig)
{
	struct about a = { t, (uint64_t)sig, 0 };

	lab_check(sig > 0 && sig <= 64);
	lab_on_task(signal_asked, &a);
}

static void sigmask_asked(void *arg)
{
	struct about *a = arg;

	a->value = lab.im->block_signals(a->value);
}

uint64_t lab_sigmask(uint64_t blocked)
{
	struct about a = { NULL, blocked, 0 };

	lab_on_task(sigmask_asked, &a);
	return a.value;
}

static void fifo_asked(void *arg)
{
	struct about *a = arg;

	a->ret = lab.im->set_policy(a->t->task, BRIDGE_SCHED_FIFO, (int)a->value);
}

int lab_set_fifo(struct lab_task *t, int priority)
{
	struct about a = { t, (uint64_t)priority, 0 };

	lab_on_task(fifo_asked, &a);
	return a.ret;
}

static void affinity_asked(void *arg)
{
	struct about *a = arg;

	a->ret = lab.im->set_affinity(a->t->task, a->value);
}

int lab_set_affinity(struct lab_task *t, uint64_t cpus)
{
	struct about a = { t, cpus, 0 };

	lab_on_task(affinity_asked, &a);
	return a.ret;
}

/* ---- locks */

struct locking {
	struct lab_lock *l;
	enum bridge_lock_op op;
	const char *name;
	int ret;
};

static void new_lock_asked(void *arg)
{
	struct locking *k = arg;

	k->l->lock = lab.im->lock_new(k->l->kind, k->name);
}

struct lab_lock *lab_lock_new(enum lab_lock_kind kind, const char *name)
{
	struct locking k = { .l = &lab.locks[lab.nr_locks], .name = name };

	_Static_assert((int)LAB_SPINLOCK == (int)BRIDGE_LOCK_SPIN &&
		       (int)LAB_RTMUTEX == (int)BRIDGE_LOCK_RTMUTEX, "kinds of locks");
	if (lab.nr_locks == LAB_LOCKS_MAX)
		lab_fail(__FILE__, __LINE__, "more than %d locks", LAB_LOCKS_MAX);
	lab.nr_locks++;
	k.l->kind = (enum bridge_lock_kind)kind;
	lab_on_task(new_lock_asked, &k);
	return k.l;
}

static void locking_asked(void *arg)
{
	struct locking *k = arg;

	k->ret = lab.im->lock_op(k->l->lock, k->l->kind, k->op);
}

static int operate(struct lab_lock *l, enum bridge_lock_op op)
{
	struct locking k = { .l = l, .op = op };

	lab_on_task(locking_asked, &k);
	return k.ret;
}

void lab_lock(struct lab_lock *l)
{
	operate(l, BRIDGE_OP_LOCK);
}

bool lab_trylock(struct lab_lock *l)
{
	return operate(l, BRIDGE_OP_TRYLOCK) > 0;
}

void lab_unlock(struct lab_lock *l)
{
	operate(l, BRIDGE_OP_UNLOCK);
}

void lab_read_lock(struct lab_lock *l)
{
	operate(l, BRIDGE_OP_READ_LOCK);
}

void lab_read_unlock(struct lab_lock *l)
{
	operate(l, BRIDGE_OP_READ_UNLOCK);
}

/* ---- memory that ends */

static struct {
	char *start;
	size_t len;
} memories[MEMORIES_MAX];
static int nr_memories;

void *lab_memory_end(size_t n)
{
	size_t whole = (n + PAGE - 1) / PAGE * PAGE;
	char *m;

	lab_check(nr_memories < MEMORIES_MAX);
	m = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SIM_CHECK(m != MAP_FAILED && !mprotect(m + whole, PAGE, PROT_NONE));
	memories[nr_memories].start = m;
	memories[nr_memories++].len = whole + PAGE;
	return m + whole - n;
}

static struct block {
	struct block *next;
	max_align_t data[];
} *blocks;

void *lab_memory(size_t n)
{
	struct block *b = calloc(1, sizeof(*b) + n);

	SIM_CHECK(b);
	b->next = blocks;
	blocks = b;
	return b->data;
}

void lab_free_memory(void)
{
	struct block *b;

	while ((b = blocks)) {
		blocks = b->next;
		free(b);
	}
	while (nr_memories) {
		nr_memories--;
		munmap(memories[nr_memories].start, memories[nr_memories].len);
	}
}
