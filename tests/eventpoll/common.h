/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiters and what they got. */
#ifndef TESTS_EVENTPOLL_COMMON_H
#define TESTS_EVENTPOLL_COMMON_H

#include <lockstep/test.h>

#define IN EPOLLIN
#define OUT EPOLLOUT
#define ET EPOLLET
#define ONESHOT EPOLLONESHOT
#define EXCLUSIVE EPOLLEXCLUSIVE

#define WAITER_ROOM 8

/* A task in one epoll_wait(). */
struct waiter {
	int ep, max, timeout_ms;
	struct lab_task *task;
	int result;		/* of epoll_wait() */
	uint64_t began, ended;
	struct epoll_event got[WAITER_ROOM];
};

static inline void wait_once(void *arg)
{
	struct waiter *w = arg;

	w->began = lab_now();
	w->result = lab_wait(w->ep, w->got, w->max, w->timeout_ms);
	w->ended = lab_now();
}

/* Starts one, at FIFO 50 (its sleeps end on time). */
static inline struct waiter *waiter(int ep, int max, int timeout_ms)
{
	struct waiter *w = lab_memory(sizeof(*w));

	*w = (struct waiter){ .ep = ep, .max = max, .timeout_ms = timeout_ms, .result = -1000 };
	w->task = lab_task("waiter", wait_once, w, .fifo = 50);
	return w;
}

/* The same, and it sleeps in the call. */
static inline struct waiter *asleep(int ep, int max, int timeout_ms)
{
	struct waiter *w = waiter(ep, max, timeout_ms);

	lab_run_for(lab_us(100));
	lab_check(lab_sleeps(w->task) && !strcmp(lab_in_call(w->task), "epoll_wait"));
	return w;
}

/* Events there are now; they are taken. */
static inline int ready(int ep)
{
	return lab_wait(ep, NULL, LAB_ROOM, 0);
}

/* The data and events of the one event there is. */
static inline void lab_one_event(int ep, uint64_t data, uint32_t events, const char *file, int line)
{
	struct epoll_event e[4];
	int n = lab_wait(ep, e, 4, 0);

	if (n != 1 || e[0].data.u64 != data || e[0].events != events)
		lab_fail(file, line, "%d events, the first %#x of %lld; expected one, %#x of %lld", n,
			 n > 0 ? e[0].events : 0, n > 0 ? (long long)e[0].data.u64 : -1, events,
			 (long long)data);
}
#define one_event(ep, data, events) lab_one_event(ep, (uint64_t)(data), events, __FILE__, __LINE__)

static inline void post_to(void *fd)
{
	lab_check(lab_post((int)(intptr_t)fd) == 8);
}

static inline void *as_arg(int fd)
{
	return (void *)(intptr_t)fd;
}

/* Somewhere within the next few microseconds: where two tasks meet is up to the schedule. */
static inline void jitter(void)
{
	lab_burn(lab_choose(4000));
}

#endif
