/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Against the host's own kernel: random programs of epoll, eventfd, pipe and timerfd calls, one
 * task and no waiting, give the same results and the same events here and there.
 *
 * Files go by their place in a table, since the two kernels number them differently.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <lockstep/test.h>

#define FILES 10
#define STEPS 40
#define PROGRAMS 50		/* a schedule; 200 schedules make 10,000 */
#define EVENTS 8

static char buffer[80000];

enum op { NEW_EPOLL, NEW_EVENTFD, NEW_PIPE, NEW_TIMERFD, DUP, CLOSE, CTL, CTL2, CTL3, WAIT, WAIT2, READ,
	  WRITE, WRITE2, POLL, NR_OPS };
static const char *const names[] = { "epoll_create", "eventfd", "pipe", "timerfd_create", "dup", "close",
				     "epoll_ctl", "epoll_ctl", "epoll_ctl", "epoll_wait",
				     "epoll_wait", "read", "write", "write", "poll" };

struct step {
	enum op op;
	uint32_t a, b, c, d;
	uint64_t value;
};

struct result {
	long ret;
	struct epoll_event events[EVENTS];
	uint64_t value;
	short revents;
};

/* One kernel's calls; -errno when they fail. */
struct kernel {
	int files[FILES];	/* descriptor, or -1 */
	bool counts[FILES];	/* an eventfd */
	bool host;
};

static long ret(struct kernel *k, long value)
{
	return k->host && value < 0 ? -errno : value;
}

static void close_file(struct kernel *k, int i)
{
	if (k->files[i] < 0)
		return;
	if (k->host)
		close(k->files[i]);
	else
		lab_close(k->files[i]);
	k->files[i] = -1;
}

static void new_file(struct kernel *k, const struct step *s, struct result *r)
{
	int i = (int)(s->a % FILES), j = (int)(s->b % FILES), fd = -1, p[2];

	close_file(k, i);
	switch (s->op) {
	case NEW_EPOLL:
		fd = k->host ? epoll_create1(0) : lab_epoll();
		break;
	case NEW_EVENTFD: {
		int flags = EFD_NONBLOCK | (s->c & 1 ? EFD_SEMAPHORE : 0);

		fd = k->host ? eventfd(s->d % 3, flags) : lab_eventfd_flags(s->d % 3, flags);
		break;
	}
	case NEW_TIMERFD:
		fd = k->host ? timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK) : lab_timerfd(0, 0);
		break;
	case DUP:
		if (k->files[j] >= 0)
			fd = k->host ? dup(k->files[j]) : lab_dup(k->files[j]);
		break;
	default:	/* NEW_PIPE */
		close_file(k, j);
		r->ret = ret(k, k->host ? pipe2(p, O_NONBLOCK) : lab_pipe(p, O_NONBLOCK));
		k->files[i] = p[0];
		if (i == j)
			close_file(k, i);
		k->files[j] = p[1];
		k->counts[i] = k->counts[j] = false;
		return;
	}
	k->files[i] = fd;
	k->counts[i] = s->op == NEW_EVENTFD || (s->op == DUP && k->counts[j]);
	r->ret = fd >= 0;
}

static void control(struct kernel *k, const struct step *s, struct result *r)
{
	static const uint32_t events[] = {
		EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLOUT, EPOLLIN | EPOLLET, EPOLLOUT | EPOLLET,
		EPOLLIN | EPOLLONESHOT, EPOLLIN | EPOLLOUT | EPOLLET | EPOLLONESHOT, 0, EPOLLPRI,
		EPOLLIN | EPOLLEXCLUSIVE, EPOLLIN | EPOLLET | EPOLLEXCLUSIVE,
		EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT, EPOLLRDHUP | EPOLLHUP, EPOLLRDNORM | EPOLLWRNORM
	};
	int ep = k->files[s->a % FILES], fd = k->files[s->b % FILES];
	int op = s->d % 16 ? (int)(s->d % 3) + 1 : (int)(s->d % 7);
	struct epoll_event e = { .events = events[s->c % (sizeof(events) / sizeof(events[0]))],
				 .data.u64 = s->b % FILES };

	r->ret = ret(k, k->host ? epoll_ctl(ep, op, fd, &e) : lab_ctl_at(ep, op, fd, &e));
}

static void do_step(struct kernel *k, const struct step *s, struct result *r)
{
	int fd = k->files[s->a % FILES];
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	size_t n = s->c % 5 ? s->c % 5000 : s->c % sizeof(buffer);

	memset(r, 0, sizeof(*r));
	switch (s->op) {
	case CTL:
	case CTL2:
	case CTL3:
		control(k, s, r);
		break;
	case WAIT:
	case WAIT2: {
		/* of a bad file and no room, kernels name the one or the other first */
		int max = fd < 0 ? 1 : (int)(s->c % (EVENTS + 1));

		r->ret = ret(k, k->host ? epoll_wait(fd, r->events, max, 0) :
					  lab_wait(fd, r->events, max, 0));
		break;
	}
	case READ:
		n = s->d & 1 ? n : 8;
		memset(buffer, 0, 8);
		r->ret = ret(k, k->host ? read(fd, buffer, n) : lab_read(fd, buffer, n));
		if (r->ret == 8)
			memcpy(&r->value, buffer, 8);
		break;
	case WRITE:
	case WRITE2:
		memset(buffer, 1, n < sizeof(buffer) ? n : 0);
		memcpy(buffer, &s->value, 8);
		n = s->d & 1 ? n : 8;
		if (k->counts[s->a % FILES] && n > 8)
			n = 8;	/* more was taken for 8 until 6.8 and is refused since */
		r->ret = ret(k, k->host ? write(fd, buffer, n) : lab_write(fd, buffer, n));
		break;
	case POLL:
		r->ret = ret(k, k->host ? poll(&p, 1, 0) : lab_poll(&p, 1, 0));
		r->revents = p.revents;
		break;
	case CLOSE:
		close_file(k, (int)(s->a % FILES));
		break;
	default:
		new_file(k, s, r);
		break;
	}
}

/* The programs begin with some files, or most calls would find none. */
static struct step draw(int number)
{
	static const uint64_t values[] = { 1, 2, 0, 3, UINT64_MAX - 1, UINT64_MAX, 1000 };
	static const enum op first[] = { NEW_EPOLL, NEW_EPOLL, NEW_EVENTFD, NEW_PIPE, NEW_EVENTFD };
	struct step s = { .a = lab_choose(1 << 20), .b = lab_choose(1 << 20),
			  .c = lab_choose(1 << 20), .d = lab_choose(1 << 20),
			  .value = values[lab_choose(7)] };

	s.op = number < 5 ? first[number] : (enum op)lab_choose(NR_OPS);
	return s;
}

static void tell(const struct step *steps, int nr, const struct result *lab, const struct result *host)
{
	char text[400];
	size_t n = 0;

	for (int i = 0; i <= nr; i++)
		fprintf(stderr, "%2d %s %u %u %u %u %llu\n", i, names[steps[i].op], steps[i].a % FILES,
			steps[i].b % FILES, steps[i].c, steps[i].d, (unsigned long long)steps[i].value);
	for (int i = 0; i < EVENTS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %x/%d:%x/%d", lab->events[i].events,
				      (int)lab->events[i].data.u64, host->events[i].events,
				      (int)host->events[i].data.u64);
	lab_fail(__FILE__, __LINE__, "step %d, %s: %ld in the lab, %ld on the host; value %llx and %llx, poll "
		 "%x and %x, events%s", nr, names[steps[nr].op], lab->ret, host->ret,
		 (unsigned long long)lab->value, (unsigned long long)host->value, lab->revents,
		 host->revents, text);
}

static void compare_one_program(void)
{
	struct kernel lab = { .host = false }, host = { .host = true };
	struct result in_lab, on_host;
	struct step steps[STEPS];

	for (int i = 0; i < FILES; i++)
		lab.files[i] = host.files[i] = -1;
	for (int i = 0; i < STEPS; i++) {
		steps[i] = draw(i);
		do_step(&lab, &steps[i], &in_lab);
		do_step(&host, &steps[i], &on_host);
		if (memcmp(&in_lab, &on_host, sizeof(in_lab))) {
			for (int k = 0; k < FILES; k++)
				close_file(&host, k);
			tell(steps, i, &in_lab, &on_host);
		}
	}
	for (int i = 0; i < FILES; i++) {
		close_file(&lab, i);
		close_file(&host, i);
	}
}

LAB_TEST(random_programs_give_what_the_host_gives, .cpus = 1)
{
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < PROGRAMS; i++)
		compare_one_program();
}
