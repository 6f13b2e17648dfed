/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stress: items and files that come and go while others wait for them and write to them.
 */
#include "sim/native/stress.h"

/* ---- items that come, go and change while others wait and write */

static void churn(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	int fd = t->fd[p->id], err = 0;

	for (uint64_t i = 0; i < t->each / 4 && !err; i++) {
		err = call_ctl(t->n, t->ep[0], EPOLL_CTL_DEL, fd, 0, 0);
		if (!err)
			err = call_ctl(t->n, t->ep[0], EPOLL_CTL_ADD, fd, EPOLLIN, (uint64_t)p->id);
		if (!err && i % 2)
			err = call_ctl(t->n, t->ep[0], EPOLL_CTL_MOD, fd, EPOLLIN,
				       (uint64_t)p->id);
	}
	turn_must(t, err, 0, "epoll_ctl");
}

void stress_add_and_delete(struct turn *t)
{
	turn_begin(t, 1 + (int)turn_draw(t, 2), 200 + turn_draw(t, 400));
	t->ep[0] = call_epoll(t->n);
	for (int i = 0; i < t->nr_producers; i++)
		turn_add(t, t->ep[0], t->fd[i], EPOLLIN, (uint64_t)i);
	turn_start(t, "consumer", 1, turn_consume);
	for (int i = 0; i < t->nr_producers; i++) {
		turn_start(t, "churn", i, churn);
		turn_start(t, "producer", i, turn_produce);
	}
	turn_end(t);
	call_close(t->n, t->ep[0]);
}

/* ---- files that are closed while they are watched */

static void open_and_close(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;

	for (uint64_t i = 0; i < t->each && !turn_failed(t); i++) {
		int fd = call_eventfd(t->n);

		if (fd < 0)
			return turn_fail(t, "eventfd2 gives %d", fd);
		turn_add(t, t->ep[0], fd, EPOLLIN | (i % 2 ? EPOLLET : 0), 0);
		call_signal(t->n, fd);
		turn_must(t, call_close(t->n, fd), 0, "close");
		__atomic_add_fetch(&t->got, 1, __ATOMIC_SEQ_CST);
	}
	if (!__atomic_sub_fetch(&t->running, 1, __ATOMIC_SEQ_CST))
		turn_let_go(t, t->ep[0]);
}

static void watch(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e[BATCH];

	while (!turn_failed(t)) {
		int nr = call_wait(t->n, t->ep[0], e, BATCH, t->patience_ms);

		if (nr <= 0)
			return turn_lost(t, "a watcher");
		for (int i = 0; i < nr; i++)
			if (e[i].data.u64 == UINT64_MAX)
				return;
	}
}

void stress_close_while_watched(struct turn *t)
{
	struct epoll_event e[BATCH];
	int openers = 1 + (int)turn_draw(t, 3);

	t->each = 50 + turn_draw(t, 100);
	t->total = t->each * (uint64_t)openers;
	t->ep[0] = call_epoll(t->n);
	t->running = openers;
	turn_start(t, "watcher", 0, watch);
	for (int i = 0; i < openers; i++)
		turn_start(t, "opener", i, open_and_close);
	turn_end(t);
	/* nothing but what lets go is left of it */
	turn_must(t, call_wait(t->n, t->ep[0], e, BATCH, 0), 1, "epoll_wait after all were closed");
	call_close(t->n, t->ep[0]);
}

/* An epoll file that goes away beneath others that look into it and write to its files. */
static void own_epoll(void *arg)
{
	const struct part *p = arg;
	struct turn *t = p->t;
	struct epoll_event e;

	for (uint64_t i = 0; i < t->each / 4 && !turn_failed(t); i++) {
		int ep = call_epoll(t->n);

		if (ep < 0)
			return turn_fail(t, "epoll_create1 gives %d", ep);
		for (int k = 0; k < t->nr_producers; k++)
			turn_add(t, ep, t->fd[k], EPOLLIN, (uint64_t)k);
		turn_add(t, t->ep[0], ep, EPOLLIN, (uint64_t)THREADS_MAX);
		call_wait(t->n, ep, &e, 1, 0);
		turn_must(t, call_close(t->n, ep), 0, "close");
	}
}

void stress_close_epoll_files(struct turn *t)
{
	turn_begin(t, 1 + (int)turn_draw(t, 2), 200 + turn_draw(t, 200));
	t->ep[0] = call_epoll(t->n);
	for (int i = 0; i < t->nr_producers; i++)
		turn_add(t, t->ep[0], t->fd[i], EPOLLIN, (uint64_t)i);
	turn_start(t, "consumer", 0, turn_consume);
	for (int i = 0; i < 2; i++)
		turn_start(t, "closer", i, own_epoll);
	for (int i = 0; i < t->nr_producers; i++)
		turn_start(t, "producer", i, turn_produce);
	turn_end(t);
	call_close(t->n, t->ep[0]);
}
