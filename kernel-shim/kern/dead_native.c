/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What native images have not: timers of the kernel's own, since the host's take their place.
 */
void lockstep_dead(const char *name);

#define DEAD(name)                                                                                \
	void name(void);                                                                          \
	void name(void)                                                                           \
	{                                                                                         \
		lockstep_dead(#name);                                                             \
	}

DEAD(sys_timerfd_create)
DEAD(sys_timerfd_settime)
DEAD(sys_timerfd_gettime)
