/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stress on native images: what the suite of tests/eventpoll does step by step, here with threads
 * that really run at once.
 *
 * Each program sends events, and all of them must arrive.  One that was lost leaves its waiter
 * asleep with something to read; when its patience is at an end the waiter says so.
 */
#include "sim/native/stress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct program {
	const char *name;
	void (*run)(struct turn *t);
};

uint64_t turn_draw(struct turn *t, uint64_t n)
{
	t->x ^= t->x << 13;
	t->x ^= t->x >> 7;
	t->x ^= t->x << 17;
	return t->x % n;
}

void turn_fail(struct turn *t, const char *fmt, ...)
{
	va_list ap;

	if (__atomic_exchange_n(&t->failed, 1, __ATOMIC_SEQ_CST))
		return;
	va_start(ap, fmt);
	vsnprintf(t->r->failure, sizeof(t->r->failure), fmt, ap);
	va_end(ap);
}

bool turn_failed(struct turn *t)
{
	return __atomic_load_n(&t->failed, __ATOMIC_RELAXED);
}

uint64_t turn_got(struct turn *t)
{
	return __atomic_load_n(&t->got, __ATOMIC_SEQ_CST);
}

void turn_start(struct turn *t, const char *name, int id, void (*fn)(void *arg))
{
	struct part *p = &t->parts[t->nr_threads];

	*p = (struct part){ t, id };
	t->threads[t->nr_threads++] = native_start(t->n, name, -1, fn, p);
}

void turn_join(struct turn *t)
{
	for (int i = 0; i < t->nr_threads; i++)
		native_join(t->threads[i]);
	t->nr_threads = 0;
}

void turn_must(struct turn *t, long ret, long want, const char *what)
{
	if (ret != want)
		turn_fail(t, "%s gives %ld, not %ld", what, ret, want);
}

void turn_add(struct turn *t, int ep, int fd, uint32_t events, uint64_t data)
{
	turn_must(t, call_ctl(t->n, ep, EPOLL_CTL_ADD, fd, events, data), 0, "EPOLL_CTL_ADD");
}

void turn_let_go(struct turn *t, int ep)
{
	turn_add(t, ep, t->stop, EPOLLIN, UINT64_MAX);
	call_signal(t->n, t->stop);
}

void turn_lost(struct turn *t, const char *who)
{
	turn_fail(t, "%s waits for %d ms, with %" PRIu64 " of %" PRIu64 " events arrived", who, t->patience_ms,
	     turn_got(t), t->total);
}

/* ---- producers and consumers on one epoll file */

void turn_produce(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;

	for (uint64_t i = 0; i < t->each && !turn_failed(t); i++)
		if (!call_signal(t->n, t->fd[p->id]))
			turn_fail(t, "an eventfd cannot be written");
}

/* Takes what is there; whoever takes the last lets the others go. */
void turn_take(struct turn *t, int ep, uint64_t id)
{
	uint64_t value, sum = 0;

	do {
		value = call_take(t->n, t->fd[id]);
		sum += value;
	} while (value && (t->mode & EPOLLET));
	if (t->mode & EPOLLONESHOT)
		turn_must(t, call_ctl(t->n, ep, EPOLL_CTL_MOD, t->fd[id], EPOLLIN | t->mode, id), 0,
		     "EPOLL_CTL_MOD");
	if (sum && __atomic_add_fetch(&t->got, sum, __ATOMIC_SEQ_CST) == t->total)
		turn_let_go(t, ep);
}

void turn_consume(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e[BATCH];

	while (!turn_failed(t)) {
		int nr = call_wait(t->n, t->ep[0], e, 1 + p->id % BATCH, t->patience_ms);

		if (nr <= 0)
			return turn_lost(t, "a consumer");
		for (int i = 0; i < nr; i++) {
			if (e[i].data.u64 == UINT64_MAX)
				return;
			if (e[i].data.u64 < THREADS_MAX)	/* else another epoll file */
				turn_take(t, t->ep[0], e[i].data.u64);
		}
	}
}

void turn_begin(struct turn *t, int producers, uint64_t each)
{
	t->nr_producers = producers;
	t->each = each;
	t->total = each * (uint64_t)producers;
	for (int i = 0; i < producers; i++)
		t->fd[i] = call_eventfd(t->n);
}

void turn_end(struct turn *t)
{
	turn_join(t);
	for (int i = 0; i < t->nr_producers; i++)
		call_close(t->n, t->fd[i]);
	if (!turn_failed(t) && turn_got(t) != t->total)
		turn_fail(t, "%" PRIu64 " of %" PRIu64 " events have arrived", turn_got(t), t->total);
}

static const struct program programs[] = {
	{ "producers and consumers", stress_producers_and_consumers },
	{ "one after the other", stress_one_after_the_other },
	{ "add and delete", stress_add_and_delete },
	{ "close while watched", stress_close_while_watched },
	{ "close epoll files", stress_close_epoll_files },
	{ "nested", stress_nested },
	{ "exclusive", stress_exclusive },
	{ "timeouts", stress_timeouts },
	{ "pipes", stress_pipes },
};

#define NR_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

int stress_turn(struct native *n, uint64_t seed, int patience_ms, struct stress_result *r)
{
	for (size_t i = 0; i < NR_PROGRAMS; i++) {
		struct turn t = { .n = n, .r = r, .patience_ms = patience_ms,
				  .x = seed * 0x9e3779b97f4a7c15ull + i + 1 };
		size_t len;

		turn_draw(&t, 2);
		t.stop = call_eventfd(n);
		programs[i].run(&t);
		call_close(n, t.stop);
		r->events += t.total;
		if (!t.failed)
			continue;
		len = strlen(r->failure);
		snprintf(r->failure + len, sizeof(r->failure) - len, " (%s)", programs[i].name);
		return -1;
	}
	r->rounds++;
	return 0;
}
