/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stress: ways to wait.
 */
#include "sim/native/stress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#define PIPE_CHUNK 700		/* does not divide a page */

void stress_producers_and_consumers(struct turn *t)
{
	static const uint32_t modes[] = { 0, EPOLLET, EPOLLONESHOT, EPOLLET | EPOLLONESHOT };

	t->mode = modes[turn_draw(t, 4)];
	turn_begin(t, 1 + (int)turn_draw(t, 4), 200 + turn_draw(t, 800));
	t->ep[0] = call_epoll(t->n);
	for (int i = 0; i < t->nr_producers; i++)
		turn_add(t, t->ep[0], t->fd[i], EPOLLIN | t->mode, (uint64_t)i);
	for (int i = 1 + (int)turn_draw(t, 3); i > 0; i--)
		turn_start(t, "consumer", i, turn_consume);
	for (int i = 0; i < t->nr_producers; i++)
		turn_start(t, "producer", i, turn_produce);
	turn_end(t);
	call_close(t->n, t->ep[0]);
}

/* ---- each event is a sleep and a wake-up */

static void ping_pong(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e;

	for (uint64_t i = 0; i < t->each && !turn_failed(t); i++) {
		if (p->id && !call_signal(t->n, t->fd[0]))
			turn_fail(t, "an eventfd cannot be written");
		if (call_wait(t->n, t->ep[p->id], &e, 1, t->patience_ms) != 1)
			return turn_lost(t, "ping or pong");
		turn_must(t, (long)call_take(t->n, t->fd[p->id]), 1, "a read");
		__atomic_add_fetch(&t->got, 1, __ATOMIC_SEQ_CST);
		if (!p->id && !call_signal(t->n, t->fd[1]))
			turn_fail(t, "an eventfd cannot be written");
	}
}

void stress_one_after_the_other(struct turn *t)
{
	turn_begin(t, 2, 100 + turn_draw(t, 200));
	for (int i = 0; i < 2; i++) {
		t->ep[i] = call_epoll(t->n);
		turn_add(t, t->ep[i], t->fd[i], EPOLLIN | (turn_draw(t, 2) ? EPOLLET : 0), 0);
		turn_start(t, i ? "pong" : "ping", i, ping_pong);
	}
	turn_end(t);
	for (int i = 0; i < 2; i++)
		call_close(t->n, t->ep[i]);
}

/* ---- one epoll file in another */

static void consume_nested(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event outer, e[BATCH];

	while (turn_got(t) < t->total && !turn_failed(t)) {
		int nr;

		if (call_wait(t->n, t->ep[1], &outer, 1, t->patience_ms) != 1)
			return turn_lost(t, "a consumer of the outer file");
		while ((nr = call_wait(t->n, t->ep[0], e, BATCH, 0)) > 0)
			for (int i = 0; i < nr; i++)
				__atomic_add_fetch(&t->got, call_take(t->n, t->fd[e[i].data.u64]),
						   __ATOMIC_SEQ_CST);
	}
}

void stress_nested(struct turn *t)
{
	uint32_t outer = turn_draw(t, 2) ? EPOLLET : 0;

	turn_begin(t, 1 + (int)turn_draw(t, 3), 200 + turn_draw(t, 400));
	for (int i = 0; i < 2; i++)
		t->ep[i] = call_epoll(t->n);
	for (int i = 0; i < t->nr_producers; i++)
		turn_add(t, t->ep[0], t->fd[i], EPOLLIN | (turn_draw(t, 2) ? EPOLLET : 0), (uint64_t)i);
	turn_add(t, t->ep[1], t->ep[0], EPOLLIN | outer, 0);
	turn_start(t, "consumer", 0, consume_nested);
	for (int i = 0; i < t->nr_producers; i++)
		turn_start(t, "producer", i, turn_produce);
	turn_end(t);
	for (int i = 0; i < 2; i++)
		call_close(t->n, t->ep[i]);
}

/* ---- one file, an exclusive item of each waiter's */

static void consume_own(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e;

	while (!turn_failed(t)) {
		if (call_wait(t->n, t->ep[p->id], &e, 1, t->patience_ms) <= 0)
			return turn_lost(t, "a waiter of its own");
		if (e.data.u64 == UINT64_MAX)
			return;
		if (__atomic_add_fetch(&t->got, call_take(t->n, t->fd[0]), __ATOMIC_SEQ_CST) ==
		    t->total && !__atomic_exchange_n(&t->running, 1, __ATOMIC_SEQ_CST))
			for (int i = 0; i < t->nr_consumers; i++)
				turn_let_go(t, t->ep[i]);
	}
}

void stress_exclusive(struct turn *t)
{
	turn_begin(t, 1, 300 + turn_draw(t, 500));
	t->nr_consumers = 2 + (int)turn_draw(t, 3);
	for (int i = 0; i < t->nr_consumers; i++) {
		t->ep[i] = call_epoll(t->n);
		turn_add(t, t->ep[i], t->fd[0], EPOLLIN | EPOLLEXCLUSIVE, 0);
		turn_start(t, "waiter", i, consume_own);
	}
	turn_start(t, "producer", 0, turn_produce);
	turn_end(t);
	for (int i = 0; i < t->nr_consumers; i++)
		call_close(t->n, t->ep[i]);
}

/* ---- waits that end about when the event comes */

static void consume_in_time(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	uint64_t since = native_now_ns();
	struct epoll_event e;

	for (uint64_t i = 0; turn_got(t) < t->total && !turn_failed(t); i++) {
		if (call_wait(t->n, t->ep[0], &e, 1, (int)(i % 2)) == 1) {
			__atomic_add_fetch(&t->got, call_take(t->n, t->fd[e.data.u64]),
					   __ATOMIC_SEQ_CST);
			since = native_now_ns();
		} else if (native_now_ns() - since > (uint64_t)t->patience_ms * 1000000u) {
			return turn_lost(t, "a consumer with time limits");
		}
	}
}

static void produce_slowly(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	uint32_t word = 0;

	for (uint64_t i = 0; i < t->each && !turn_failed(t); i++) {
		uint64_t until = native_now_ns() + 900000 + i * 20000 % 200000;

		while (native_now_ns() < until)
			__atomic_load_n(&word, __ATOMIC_RELAXED);
		call_signal(t->n, t->fd[p->id]);
	}
}

void stress_timeouts(struct turn *t)
{
	turn_begin(t, 1, 10 + turn_draw(t, 10));
	t->ep[0] = call_epoll(t->n);
	turn_add(t, t->ep[0], t->fd[0], EPOLLIN | EPOLLET, 0);
	turn_start(t, "consumer", 0, consume_in_time);
	turn_start(t, "producer", 0, produce_slowly);
	turn_end(t);
	call_close(t->n, t->ep[0]);
}

/* ---- bytes through pipes, whose writers sleep when one is full */

static void write_pipe(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	char chunk[PIPE_CHUNK] = { 0 };
	uint64_t left = t->each;

	while (left && !turn_failed(t)) {
		size_t n = left < PIPE_CHUNK ? left : PIPE_CHUNK;
		long ret = call_write(t->n, t->fd[p->id], chunk, n);

		if (ret <= 0)
			return turn_fail(t, "a write to a pipe gives %ld", ret);
		left -= (uint64_t)ret;
	}
	call_close(t->n, t->fd[p->id]);
}

static void read_pipes(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e[BATCH];
	int open = t->nr_producers;
	char room[PIPE_CHUNK];

	while (open && !turn_failed(t)) {
		int nr = call_wait(t->n, t->ep[0], e, BATCH, t->patience_ms);

		if (nr <= 0)
			turn_lost(t, "a reader of pipes");
		for (int i = 0; i < nr; i++) {
			int fd = (int)e[i].data.u64;
			long ret;

			while ((ret = call_read(t->n, fd, room, sizeof(room))) > 0)
				__atomic_add_fetch(&t->got, (uint64_t)ret, __ATOMIC_SEQ_CST);
			if (!ret) {	/* its writer has closed it */
				call_close(t->n, fd);
				open--;
			} else if (ret != -EAGAIN) {
				turn_fail(t, "a read of a pipe gives %ld", ret);
			}
		}
	}
	/* writers must not wait for ever for room */
	for (int i = 0; i < t->nr_producers && turn_failed(t); i++)
		call_close(t->n, t->ep[1 + i]);
}

void stress_pipes(struct turn *t)
{
	int ends[2], writers = 1 + (int)turn_draw(t, 3);

	t->nr_producers = writers;
	t->each = 50000 + turn_draw(t, 100000);
	t->total = t->each * (uint64_t)writers;
	t->ep[0] = call_epoll(t->n);
	for (int i = 0; i < writers; i++) {
		turn_must(t, call_pipe(t->n, ends, 0), 0, "pipe2");
		native_call(t->n, SYS_FCNTL, ends[0], F_SETFL, O_NONBLOCK, 0);
		t->fd[i] = ends[1];
		t->ep[1 + i] = ends[0];
		turn_add(t, t->ep[0], ends[0], EPOLLIN | (turn_draw(t, 2) ? EPOLLET : 0), (uint64_t)ends[0]);
	}
	turn_start(t, "reader", 0, read_pipes);
	for (int i = 0; i < writers; i++)
		turn_start(t, "writer", i, write_pipe);
	turn_join(t);
	if (!turn_failed(t) && turn_got(t) != t->total)
		turn_fail(t, "%" PRIu64 " of %" PRIu64 " bytes have arrived", turn_got(t), t->total);
	call_close(t->n, t->ep[0]);
}
