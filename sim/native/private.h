/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls as the workloads of this folder write them; each returns its result or -errno.
 */
#ifndef SIM_NATIVE_PRIVATE_H
#define SIM_NATIVE_PRIVATE_H

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "sim/native/native.h"

static inline int call_epoll(const struct native *n)
{
	return (int)native_call(n, SYS_EPOLL_CREATE1, 0, 0, 0, 0);
}

static inline int call_eventfd(const struct native *n)
{
	return (int)native_call(n, SYS_EVENTFD2, 0, EFD_NONBLOCK, 0, 0);
}

static inline int call_pipe(const struct native *n, int fd[2], int flags)
{
	return (int)native_call(n, SYS_PIPE2, (long)fd, flags, 0, 0);
}

static inline int call_ctl(const struct native *n, int ep, int op, int fd, uint32_t events,
			   uint64_t data)
{
	struct epoll_event e = { .events = events, .data.u64 = data };

	return (int)native_call(n, SYS_EPOLL_CTL, ep, op, fd, (long)&e);
}

static inline int call_wait(const struct native *n, int ep, struct epoll_event *events, int nr,
			    int timeout_ms)
{
	return (int)native_call(n, SYS_EPOLL_WAIT, ep, (long)events, nr, timeout_ms);
}

static inline long call_read(const struct native *n, int fd, void *to, size_t len)
{
	return native_call(n, SYS_READ, fd, (long)to, (long)len, 0);
}

static inline long call_write(const struct native *n, int fd, const void *from, size_t len)
{
	return native_call(n, SYS_WRITE, fd, (long)from, (long)len, 0);
}

/* What an eventfd had counted; 0: nothing. */
static inline uint64_t call_take(const struct native *n, int fd)
{
	uint64_t value;

	return call_read(n, fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static inline bool call_signal(const struct native *n, int fd)
{
	uint64_t one = 1;

	return call_write(n, fd, &one, sizeof(one)) == sizeof(one);
}

static inline int call_close(const struct native *n, int fd)
{
	return (int)native_call(n, SYS_CLOSE, fd, 0, 0, 0);
}

#endif
