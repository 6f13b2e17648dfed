/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * POSIX threads: one a task, one baton.
 *
 * The baton is a futex word per thread.  All threads are pinned to the CPU the first switch was
 * made on: handing the baton to another CPU costs ten times as much.  A thread whose task is
 * given up unwinds to its own start by longjmp() and serves the next task.
 */
#define _GNU_SOURCE
#include "sim/core/carrier.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/base/check.h"

#define STACK_SIZE (512u << 10)

struct carrier {
	atomic_uint baton;
	bool given_up;
	bool is_host;
	void (*fn)(void *);
	void *arg;
	jmp_buf start;
	struct carrier *next_free;
	struct carrier *answer_to;	/* who waits for the unwinding */
};

static struct carrier host_carrier = { .is_host = true };
static struct carrier *pool;
static bool pinned;

static void pass(struct carrier *to)
{
	atomic_store_explicit(&to->baton, 1, memory_order_release);
	syscall(SYS_futex, &to->baton, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void park(struct carrier *c)
{
	while (!atomic_load_explicit(&c->baton, memory_order_acquire))
		syscall(SYS_futex, &c->baton, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_store_explicit(&c->baton, 0, memory_order_relaxed);
	if (c->given_up)
		longjmp(c->start, 1);
}

static void *thread_main(void *arg)
{
	struct carrier *c = arg;

	for (;;) {
		if (setjmp(c->start)) {
			c->given_up = false;
			pass(c->answer_to);
		}
		park(c);
		c->fn(c->arg);
		SIM_CHECK(!"a carrier's function returned");
	}
	return NULL;
}

static struct carrier *pthread_host(void)
{
	return &host_carrier;
}

static void pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (pinned || cpu < 0)
		return;
	pinned = true;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static struct carrier *new_thread(void)
{
	struct carrier *c = calloc(1, sizeof(*c));
	pthread_attr_t attr;
	pthread_t thread;

	SIM_CHECK(c);
	pin();	/* new threads inherit it */
	SIM_CHECK(!pthread_attr_init(&attr));
	SIM_CHECK(!pthread_attr_setstacksize(&attr, STACK_SIZE));
	SIM_CHECK(!pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
	SIM_CHECK(!pthread_create(&thread, &attr, thread_main, c));
	pthread_attr_destroy(&attr);
	return c;
}

static struct carrier *pthread_create_carrier(void (*fn)(void *), void *arg)
{
	struct carrier *c = pool;

	if (c)
		pool = c->next_free;
	else
		c = new_thread();
	c->fn = fn;
	c->arg = arg;
	return c;
}

static void pthread_switch(struct carrier *from, struct carrier *to)
{
	pass(to);
	park(from);
}

static void pthread_destroy(struct carrier *c)
{
	c->given_up = true;
	c->answer_to = &host_carrier;
	pthread_switch(&host_carrier, c);
	c->next_free = pool;
	pool = c;
}

const struct carrier_ops carrier_pthread = {
	.name = "pthread",
	.host = pthread_host,
	.create = pthread_create_carrier,
	.switch_to = pthread_switch,
	.destroy = pthread_destroy,
	.can_restore = false,
};
