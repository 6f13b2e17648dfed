/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runs on native images: stress, and the two benchmarks.
 */
#ifndef SIM_NATIVE_WORKLOAD_H
#define SIM_NATIVE_WORKLOAD_H

#include "sim/native/native.h"

#define PRODUCERS_MAX 128
#define WORKERS_MAX 64
#define PATIENCE_MS 60000	/* longer than any host lets a thread wait for its turn */

struct stress_result {
	uint64_t rounds, events;
	char failure[256];	/* empty: none; what was lost, and in which program */
};

/*
 * One turn through all stress programs, with sizes and modes drawn from @seed.  In each of them
 * every event that was sent has to arrive, or the failure says how many did: one is lost when
 * nothing has come for @patience_ms.  0, or -1 when there was a failure: the image is of no use any more then, since threads of it may hang.
 */
int stress_turn(struct native *n, uint64_t seed, int patience_ms, struct stress_result *r);

/*
 * stress-epoll: @producers threads, pinned to one CPU after the other, write to an eventfd each for
 * @seconds; one thread waits for all of them with level-triggered items.  Events per millisecond,
 * counted as writes, until all have arrived; -1 when some got lost.
 *
 * Source: the benchmark of the ready-list commits of 2018 and 2025.
 */
double bench_stress_epoll(struct native *n, int producers, double seconds);

/*
 * As perf bench epoll wait: @workers threads wait on one epoll file for one event at a time and
 * read it; a writer goes round their eventfds.  Operations per second of all workers together.
 *
 * Source: tools/perf/bench/epoll-wait.c, Linux 6.12, with its defaults.
 */
double bench_epoll_wait(struct native *n, int workers, double seconds);

#endif
