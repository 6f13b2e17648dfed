/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of stress share.
 */
#ifndef SIM_NATIVE_STRESS_H
#define SIM_NATIVE_STRESS_H

#include "sim/native/private.h"
#include "sim/native/workload.h"

#define THREADS_MAX 8
#define BATCH 8

struct turn;

/* One of the threads of a program. */
struct part {
	struct turn *t;
	int id;
};

struct turn {
	struct native *n;
	struct stress_result *r;
	uint64_t x;			/* random numbers */
	int patience_ms;
	int ep[THREADS_MAX], fd[THREADS_MAX], stop;	/* descriptors */
	int nr_producers, nr_consumers;
	uint32_t mode;			/* EPOLLET, EPOLLONESHOT or 0 */
	uint64_t each, total, got;	/* events: of a producer, of all, arrived (atomic) */
	int running, failed;		/* producers; atomic */
	struct part parts[2 * THREADS_MAX];
	struct native_thread *threads[2 * THREADS_MAX];
	int nr_threads;
};

uint64_t turn_draw(struct turn *t, uint64_t n);		/* 0 .. n-1 */
/* The first failure counts; all threads go home when there is one. */
void turn_fail(struct turn *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool turn_failed(struct turn *t);
uint64_t turn_got(struct turn *t);			/* events that have arrived */
void turn_start(struct turn *t, const char *name, int id, void (*fn)(void *part));
void turn_join(struct turn *t);
void turn_must(struct turn *t, long ret, long want, const char *what);
void turn_add(struct turn *t, int ep, int fd, uint32_t events, uint64_t data);
/* Everybody who waits on @ep goes home: its item, UINT64_MAX, is one that nobody reads. */
void turn_let_go(struct turn *t, int ep);
void turn_lost(struct turn *t, const char *who);	/* has waited in vain */

/* Eventfds for so many producers, of so many events each; and the end of all threads. */
void turn_begin(struct turn *t, int producers, uint64_t each);
void turn_end(struct turn *t);
/* Bodies of threads: a part's own eventfd, and all of those on ep[0]. */
void turn_produce(void *part);
void turn_consume(void *part);

void stress_producers_and_consumers(struct turn *t);
void stress_one_after_the_other(struct turn *t);
void stress_add_and_delete(struct turn *t);
void stress_close_while_watched(struct turn *t);
void stress_close_epoll_files(struct turn *t);
void stress_nested(struct turn *t);
void stress_exclusive(struct turn *t);
void stress_timeouts(struct turn *t);
void stress_pipes(struct turn *t);

#endif
