/* SPDX-License-Identifier: GPL-2.0-only */
/* One test of epoll as an ordinary program: scons bench runs it in User-Mode Linux and in the lab. */
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifdef FIRST_PROCESS	/* of User-Mode Linux: the machine goes down with it */
#include <sys/reboot.h>
#else
#define reboot(how) 0
#endif

static int a_byte_makes_a_pipe_readable(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(0), p[2];

	return !pipe(p) && !epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &e) && write(p[1], "x", 1) == 1 &&
	       epoll_wait(ep, &e, 1, -1) == 1;
}

int main(void)
{
	int ok = a_byte_makes_a_pipe_readable();

	printf("%s a_byte_makes_a_pipe_readable\n", ok ? "ok" : "not ok");
	fflush(stdout);
	return reboot(RB_POWER_OFF) || !ok;
}
