/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Case K, the reader: a named pipe and a timer of 50 us in one epoll, one event at a time.
 *
 *	lockstep cc -O1 traces/k-reader.c -o k-reader.lab
 *	lockstep cc -O1 traces/k-writer.c -o k-writer.lab
 *	lockstep exec --kernel 6.12-rt+rwlock --group k-writer=1000/2000 k-reader.lab -- k-writer.lab
 *
 * An ordinary program: it runs on any Linux as well (argument: milliseconds, default 500).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PIPE "k-pipe"	/* where it is started */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void watch(int ep, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e)) {
		perror("epoll_ctl");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct itimerspec every = { .it_interval.tv_nsec = 50000, .it_value.tv_nsec = 1 };
	long long end = now_ms() + (argc > 1 ? atoi(argv[1]) : 500);
	int ep = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0), fifo;
	struct epoll_event e;
	unsigned long bytes = 0, ticks = 0;
	uint64_t value;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	mkfifo(PIPE, 0600);
	fifo = open(PIPE, O_RDWR);	/* it outlives its writers */
	timerfd_settime(timer, 0, &every, NULL);
	watch(ep, fifo);
	watch(ep, timer);
	while (now_ms() < end) {
		if (epoll_wait(ep, &e, 1, -1) != 1)
			continue;
		if (e.data.fd == fifo)
			bytes += (unsigned long)read(fifo, &value, 1);
		else if (read(timer, &value, sizeof(value)) == sizeof(value))
			ticks += value;
	}
	printf("%lu bytes, %lu ticks\n", bytes, ticks);
	return 0;
}
