/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Case K, the writer: single bytes, as fast as its group's quota lets it; see k-reader.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIPE "k-pipe"	/* where it is started */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long long end = now_ms() + (argc > 1 ? atoi(argv[1]) : 490);
	unsigned long bytes = 0;
	cpu_set_t cpus;
	int fifo;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	while ((fifo = open(PIPE, O_WRONLY | O_NONBLOCK)) < 0)
		usleep(100);	/* the reader makes it */
	while (now_ms() < end)
		bytes += write(fifo, "x", 1) == 1;
	printf("%lu bytes\n", bytes);
	return 0;
}
