/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two published benchmarks, on native images.
 */
#define _GNU_SOURCE
#include "sim/native/workload.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/check.h"
#include "sim/native/private.h"

#define FILES_A_WORKER 64
#define WRITER_PAUSE_NS 500

/* ---- stress-epoll */

struct stress_epoll {
	struct native *n;
	pthread_barrier_t start;
	int ep, producers;
	uint64_t got, wanted;	/* wanted: all that were written, once that is known; atomic */
	uint64_t ended_ns;
	bool stop, lost;	/* stop: atomic */
};

struct producer {
	struct stress_epoll *s;
	int fd;
	uint64_t started_ns, events;
};

static void produce(void *arg)
{
	struct producer *p = arg;
	struct stress_epoll *s = p->s;

	pthread_barrier_wait(&s->start);
	p->started_ns = native_now_ns();
	do {
		SIM_CHECK(call_signal(s->n, p->fd));
		p->events++;
	} while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED));
}

static void consume(void *arg)
{
	struct stress_epoll *s = arg;
	struct epoll_event ready[PRODUCERS_MAX + 1];

	while (!s->lost && s->got != __atomic_load_n(&s->wanted, __ATOMIC_RELAXED)) {
		int nr = call_wait(s->n, s->ep, ready, s->producers, PATIENCE_MS);

		for (int i = 0; i < nr; i++)
			s->got += call_take(s->n, (int)ready[i].data.u64);
		if (nr > 0)
			s->ended_ns = native_now_ns();
		s->lost = nr <= 0;
	}
}

static void sleep_s(double seconds)
{
	const struct timespec t = { (time_t)seconds,
				    (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&t, NULL);
}

double bench_stress_epoll(struct native *n, int producers, double seconds)
{
	struct native_thread *threads[PRODUCERS_MAX], *consumer;
	struct stress_epoll s = { .n = n, .ep = call_epoll(n), .producers = producers,
				  .wanted = UINT64_MAX };
	struct producer p[PRODUCERS_MAX];
	uint64_t since = UINT64_MAX, all = 0;
	int last = call_eventfd(n);

	SIM_CHECK(producers > 0 && producers <= PRODUCERS_MAX && s.ep >= 0 && last >= 0);
	pthread_barrier_init(&s.start, NULL, (unsigned int)producers);
	consumer = native_start(n, "consumer", -1, consume, &s);
	for (int i = 0; i < producers; i++) {
		p[i] = (struct producer){ .s = &s, .fd = call_eventfd(n) };
		SIM_CHECK(!call_ctl(n, s.ep, EPOLL_CTL_ADD, p[i].fd, EPOLLIN, (uint64_t)p[i].fd));
	}
	for (int i = 0; i < producers; i++)
		threads[i] = native_start(n, "producer", i, produce, &p[i]);
	sleep_s(seconds);
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < producers; i++) {
		native_join(threads[i]);
		since = p[i].started_ns < since ? p[i].started_ns : since;
		all += p[i].events;
	}
	/* one more, so that the consumer looks once more when it knows how many there are */
	__atomic_store_n(&s.wanted, all + 1, __ATOMIC_RELAXED);
	SIM_CHECK(!call_ctl(n, s.ep, EPOLL_CTL_ADD, last, EPOLLIN, (uint64_t)last));
	SIM_CHECK(call_signal(n, last));
	native_join(consumer);
	for (int i = 0; i < producers; i++)
		call_close(n, p[i].fd);
	call_close(n, last);
	call_close(n, s.ep);
	pthread_barrier_destroy(&s.start);
	return s.lost ? -1 : (double)s.got * 1e6 / (double)(s.ended_ns - since);
}

/* ---- perf bench epoll wait */

struct round_of_workers {
	struct native *n;
	int ep, fds[WORKERS_MAX * FILES_A_WORKER], nr_fds;
	bool done;
	uint64_t operations;
};

static void work(void *arg)
{
	struct round_of_workers *w = arg;
	uint64_t operations = 0;
	struct epoll_event e;

	while (!__atomic_load_n(&w->done, __ATOMIC_RELAXED)) {
		if (call_wait(w->n, w->ep, &e, 1, -1) != 1)
			continue;
		call_take(w->n, (int)e.data.u64);
		operations++;
	}
	__atomic_fetch_add(&w->operations, operations, __ATOMIC_RELAXED);
}

static void write_all(void *arg)
{
	const struct timespec pause = { 0, WRITER_PAUSE_NS };
	struct round_of_workers *w = arg;

	while (!__atomic_load_n(&w->done, __ATOMIC_RELAXED)) {
		for (int i = 0; i < w->nr_fds; i++)
			call_signal(w->n, w->fds[i]);
		nanosleep(&pause, NULL);
	}
}

double bench_epoll_wait(struct native *n, int workers, double seconds)
{
	struct round_of_workers *w = calloc(1, sizeof(*w));
	struct native_thread *threads[WORKERS_MAX], *writer;
	uint64_t since, took, operations;
	int stop;

	SIM_CHECK(w && workers > 0 && workers <= WORKERS_MAX);
	w->n = n;
	w->ep = call_epoll(n);
	w->nr_fds = workers * FILES_A_WORKER;
	for (int i = 0; i < w->nr_fds; i++) {
		w->fds[i] = call_eventfd(n);
		SIM_CHECK(!call_ctl(n, w->ep, EPOLL_CTL_ADD, w->fds[i], EPOLLIN,
				    (uint64_t)w->fds[i]));
	}
	for (int i = 0; i < workers; i++)
		threads[i] = native_start(n, "worker", i, work, w);
	writer = native_start(n, "writer", -1, write_all, w);
	since = native_now_ns();
	sleep_s(seconds);
	__atomic_store_n(&w->done, true, __ATOMIC_RELAXED);
	took = native_now_ns() - since;
	/* one that nobody reads lets all go home */
	stop = call_eventfd(n);
	SIM_CHECK(call_signal(n, stop));
	SIM_CHECK(!call_ctl(n, w->ep, EPOLL_CTL_ADD, stop, EPOLLIN, (uint64_t)w->fds[0]));
	for (int i = 0; i < workers; i++)
		native_join(threads[i]);
	native_join(writer);
	for (int i = 0; i < w->nr_fds; i++)
		call_close(n, w->fds[i]);
	call_close(n, stop);
	call_close(n, w->ep);
	operations = w->operations;
	free(w);
	return (double)operations * 1e9 / (double)took;
}
