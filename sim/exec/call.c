/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls of programs, as the C library offers them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#undef LOCK_READ
#undef LOCK_WRITE
#include "sim/exec/private.h"

#define FIFOS_MAX 64
#define STD_FDS 3		/* 0 to 2 are the host's */

long ret_errno(long ret)
{
	may_die();
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

long enter(enum bridge_sys nr, long a, long b, long c, long d, long e, long f)
{
	long arg[6] = { a, b, c, d, e, f };

	self_thread()->spun_ns = 0;
	return ex.im->syscall(nr, arg);
}

#define CALL0(nr) ret_errno(enter(nr, 0, 0, 0, 0, 0, 0))
#define CALL1(nr, a) ret_errno(enter(nr, (long)(a), 0, 0, 0, 0, 0))
#define CALL2(nr, a, b) ret_errno(enter(nr, (long)(a), (long)(b), 0, 0, 0, 0))
#define CALL3(nr, a, b, c) ret_errno(enter(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0))
#define CALL4(nr, a, b, c, d)                                                                     \
	ret_errno(enter(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0))
#define CALL6(nr, a, b, c, d, e, f)                                                               \
	ret_errno(enter(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)))

/* ---- files */

WRAP(int, epoll_create, int size)
{
	return (int)CALL1(SYS_EPOLL_CREATE, size);
}

WRAP(int, epoll_create1, int flags)
{
	return (int)CALL1(SYS_EPOLL_CREATE1, flags);
}

WRAP(int, epoll_ctl, int ep, int op, int fd, struct epoll_event *e)
{
	return (int)CALL4(SYS_EPOLL_CTL, ep, op, fd, e);
}

WRAP(int, epoll_wait, int ep, struct epoll_event *e, int max, int ms)
{
	return (int)CALL4(SYS_EPOLL_WAIT, ep, e, max, ms);
}

WRAP(int, epoll_pwait, int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask)
{
	return (int)CALL6(SYS_EPOLL_PWAIT, ep, e, max, ms, mask, 8);
}

WRAP(int, epoll_pwait2, int ep, struct epoll_event *e, int max, const struct timespec *t,
     const sigset_t *mask)
{
	return (int)CALL6(SYS_EPOLL_PWAIT2, ep, e, max, t, mask, 8);
}

WRAP(int, eventfd, unsigned int initial, int flags)
{
	return (int)CALL2(SYS_EVENTFD2, initial, flags);
}

WRAP(int, timerfd_create, int clock, int flags)
{
	return (int)CALL2(SYS_TIMERFD_CREATE, clock, flags);
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

WRAP(int, timerfd_settime, int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	return (int)CALL6(SYS_TIMERFD_SETTIME, fd, flags, ns_of(&new->it_value),
			  ns_of(&new->it_interval), old, 0);
}

WRAP(int, timerfd_gettime, int fd, struct itimerspec *now)
{
	return (int)CALL2(SYS_TIMERFD_GETTIME, fd, now);
}

WRAP(int, pipe2, int fd[2], int flags)
{
	return (int)CALL2(SYS_PIPE2, fd, flags);
}

WRAP(int, pipe, int fd[2])
{
	return (int)CALL2(SYS_PIPE2, fd, 0);
}

WRAP(int, socketpair, int domain, int type, int protocol, int fd[2])
{
	(void)protocol;
	if (domain != 1 || (type & 0xf) != 1)	/* AF_UNIX, SOCK_STREAM */
		return (int)ret_errno(-EAFNOSUPPORT);
	return (int)CALL2(SYS_SOCKETPAIR, fd, type & O_NONBLOCK);
}

static struct {
	char *path;
	long number;
} fifos[FIFOS_MAX];
static int nr_fifos;

WRAP(int, mkfifo, const char *path, unsigned int mode)
{
	long number;

	(void)mode;
	for (int i = 0; i < nr_fifos; i++)
		if (!strcmp(fifos[i].path, path))
			return (int)ret_errno(-EEXIST);
	number = nr_fifos < FIFOS_MAX ? enter(SYS_FIFO_NEW, 0, 0, 0, 0, 0, 0) : -ENOSPC;
	if (number < 0)
		return (int)ret_errno(number);
	fifos[nr_fifos].path = strdup(path);
	fifos[nr_fifos++].number = number;
	return 0;
}

/* The lab's file system has named pipes and nothing else. */
WRAP(int, open, const char *path, int flags, ...)
{
	for (int i = 0; i < nr_fifos; i++)
		if (!strcmp(fifos[i].path, path))
			return (int)CALL2(SYS_FIFO_OPEN, fifos[i].number, flags);
	return (int)ret_errno(-ENOENT);
}

WRAP(int, poll, struct pollfd *fds, unsigned long n, int ms)
{
	return (int)CALL3(SYS_POLL, fds, n, ms);
}

WRAP(int, ppoll, struct pollfd *fds, unsigned long n, const struct timespec *t,
     const sigset_t *mask)
{
	struct timespec left = t ? *t : (struct timespec){ 0 };

	return (int)CALL6(SYS_PPOLL, fds, n, t ? &left : NULL, mask, 8, 0);
}

WRAP(ssize_t, read, int fd, void *buf, size_t n)
{
	return fd < STD_FDS ? read(fd, buf, n) : CALL3(SYS_READ, fd, buf, n);
}

WRAP(ssize_t, write, int fd, const void *buf, size_t n)
{
	return fd < STD_FDS ? write(fd, buf, n) : CALL3(SYS_WRITE, fd, buf, n);
}

WRAP(int, close, int fd)
{
	return fd >= 0 && fd < STD_FDS ? 0 : (int)CALL1(SYS_CLOSE, fd);
}

WRAP(int, dup, int fd)
{
	return (int)CALL1(SYS_DUP, fd);
}

WRAP(int, dup2, int fd, int to)
{
	return (int)CALL2(SYS_DUP2, fd, to);
}

WRAP(int, fcntl, int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	if (cmd == F_GETFD || cmd == F_SETFD)
		return 0;
	return (int)CALL3(SYS_FCNTL, fd, cmd, arg);
}

/* ---- time */

static long sleep_ns(uint64_t ns)
{
	return enter(SYS_NANOSLEEP, (long)ns, 0, 0, 0, 0, 0);
}

WRAP(int, nanosleep, const struct timespec *t, struct timespec *left)
{
	if (t->tv_nsec < 0 || t->tv_nsec > 999999999 || t->tv_sec < 0)
		return (int)ret_errno(-EINVAL);
	if (left)
		*left = (struct timespec){ 0 };
	return (int)ret_errno(sleep_ns((uint64_t)ns_of(t)));
}

WRAP(int, clock_nanosleep, int clock, int flags, const struct timespec *t, struct timespec *left)
{
	int64_t ns = ns_of(t) - (flags & TIMER_ABSTIME ? (int64_t)sim_now(ex.sim) : 0);
	long ret = ns > 0 ? sleep_ns((uint64_t)ns) : 0;

	(void)clock;
	(void)left;
	may_die();
	return (int)-ret;
}

WRAP(int, usleep, unsigned int us)
{
	return (int)ret_errno(sleep_ns(us * 1000ull));
}

WRAP(unsigned int, sleep, unsigned int s)
{
	uint64_t until = sim_now(ex.sim) + s * 1000000000ull, now;

	ret_errno(sleep_ns(s * 1000000000ull));
	now = sim_now(ex.sim);
	return now < until ? (unsigned int)((until - now + 999999999) / 1000000000) : 0;
}

/* Asking for the time is a call that takes some. */
static uint64_t now_ns(void)
{
	self_thread()->spun_ns = 0;
	engine_cost(ex.sim, COST_STEP);
	may_die();
	return sim_now(ex.sim);
}

WRAP(int, clock_gettime, int clock, struct timespec *t)
{
	uint64_t now = now_ns();

	(void)clock;
	t->tv_sec = (time_t)(now / 1000000000);
	t->tv_nsec = (long)(now % 1000000000);
	return 0;
}

WRAP(int, gettimeofday, struct timeval *t, void *zone)
{
	uint64_t now = now_ns();

	(void)zone;
	t->tv_sec = (time_t)(now / 1000000000);
	t->tv_usec = (suseconds_t)(now % 1000000000 / 1000);
	return 0;
}

WRAP(time_t, time, time_t *t)
{
	time_t now = (time_t)(now_ns() / 1000000000);

	if (t)
		*t = now;
	return now;
}

/* ---- scheduling */

WRAP(int, sched_yield, void)
{
	return (int)CALL0(SYS_SCHED_YIELD);
}

WRAP(int, sched_setscheduler, int pid, int policy, const struct sched_param *p)
{
	struct thread *t = self_thread();
	int priority = policy == SCHED_OTHER ? 0 : p->sched_priority;

	if (pid && pid != t->proc->pid && pid != (int)t->task->id)
		return (int)ret_errno(-ESRCH);
	return (int)ret_errno(ex.im->set_policy(t->task, policy & 0xff, priority));
}

WRAP(int, sched_setaffinity, int pid, size_t n, const cpu_set_t *set)
{
	uint64_t cpus = 0;

	memcpy(&cpus, set, n < sizeof(cpus) ? n : sizeof(cpus));
	(void)pid;
	return (int)ret_errno(ex.im->set_affinity(self_thread()->task, cpus));
}

/* Calls by number: those that programs make for want of a function. */
WRAP(long, syscall, long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	switch (nr) {
	case SYS_epoll_pwait2:
		return CALL6(SYS_EPOLL_PWAIT2, a[0], a[1], a[2], a[3], a[4], a[5]);
	case SYS_gettid:
		return self_thread()->task->id;
	default:
		return ret_errno(-ENOSYS);
	}
}
