/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program asks about the machine it is on: that is the simulated one, not the host.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "sim/exec/private.h"

#define FILES_MAX 65536		/* the image has no more descriptors a process */
#define PAGE 4096
#define MEMORY (4ull << 30)	/* what a machine has by default */

static long fail(int err)
{
	errno = err;
	return -1;
}

WRAP(long, sysconf, int name)
{
	switch (name) {
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN:
		return ex.config->cpus;
	case _SC_PAGESIZE:
		return PAGE;
	case _SC_PHYS_PAGES:
	case _SC_AVPHYS_PAGES:
		return MEMORY / PAGE;
	case _SC_OPEN_MAX:
		return FILES_MAX;
	case _SC_CLK_TCK:
		return 100;
	case _SC_IOV_MAX:
		return IOV_MAX;
	default:
		return fail(EINVAL);
	}
}

WRAP(int, get_nprocs, void)
{
	return ex.config->cpus;
}

WRAP(int, get_nprocs_conf, void)
{
	return ex.config->cpus;
}

WRAP(int, sched_getcpu, void)
{
	return (int)ex.im->focus->cpu;
}

/* There is one limit, on descriptors; a lower one can be asked for, and is not enforced. */
WRAP(int, getrlimit, int resource, struct rlimit *limit)
{
	if (resource != RLIMIT_NOFILE)
		return (int)fail(EINVAL);
	limit->rlim_cur = limit->rlim_max = FILES_MAX;
	return 0;
}

WRAP(int, setrlimit, int resource, const struct rlimit *limit)
{
	if (resource != RLIMIT_NOFILE || limit->rlim_cur > limit->rlim_max)
		return (int)fail(EINVAL);
	return limit->rlim_max > FILES_MAX ? (int)fail(EPERM) : 0;
}
