/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/core/sysname.h"

#include <stddef.h>

#include "kernel-shim/bridge.h"

static const struct {
	const char *name, *argument;
} syscalls[NR_BRIDGE_SYS] = {
	[SYS_NONE] = { "none", NULL },
	[SYS_EPOLL_CREATE1] = { "epoll_create1", "flags" },
	[SYS_EPOLL_CTL] = { "epoll_ctl", "epfd" },
	[SYS_EPOLL_WAIT] = { "epoll_wait", "epfd" },
	[SYS_EVENTFD2] = { "eventfd2", "count" },
	[SYS_TIMERFD_CREATE] = { "timerfd_create", "clockid" },
	[SYS_TIMERFD_SETTIME] = { "timerfd_settime", "ufd" },
	[SYS_PIPE2] = { "pipe2", NULL },
	[SYS_READ] = { "read", "fd" },
	[SYS_WRITE] = { "write", "fd" },
	[SYS_CLOSE] = { "close", "fd" },
	[SYS_NANOSLEEP] = { "nanosleep", "ns" },	/* the kernel has an address here */
	[SYS_SCHED_YIELD] = { "sched_yield", NULL },
	[SYS_EPOLL_CREATE] = { "epoll_create", "size" },
	[SYS_EPOLL_PWAIT] = { "epoll_pwait", "epfd" },
	[SYS_EPOLL_PWAIT2] = { "epoll_pwait2", "epfd" },
	[SYS_TIMERFD_GETTIME] = { "timerfd_gettime", "ufd" },
	[SYS_POLL] = { "poll", NULL },
	[SYS_PPOLL] = { "ppoll", NULL },
	[SYS_DUP] = { "dup", "fildes" },
	[SYS_DUP2] = { "dup2", "oldfd" },
	[SYS_FCNTL] = { "fcntl", "fd" },
	[SYS_PAUSE] = { "pause", NULL },
	[SYS_SOCKETPAIR] = { "socketpair", NULL },
	[SYS_FIFO_NEW] = { "mknod", NULL },
	[SYS_FIFO_OPEN] = { "open", NULL },
	[SYS_SCRIPTED_NEW] = { "scripted_new", NULL },
	[SYS_SCRIPTED_SET] = { "scripted_set", "fd" },
	[SYS_SCRIPTED_ASKED] = { "scripted_asked", "fd" },
	[SYS_SCRIPTED_WAKE] = { "scripted_wake", "fd" }
};

const char *sys_name(uint32_t nr)
{
	return syscalls[nr < NR_BRIDGE_SYS ? nr : SYS_NONE].name;
}

const char *sys_argument(uint32_t nr)
{
	return syscalls[nr < NR_BRIDGE_SYS ? nr : SYS_NONE].argument;
}
