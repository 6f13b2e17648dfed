/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What native images have not: timers of the kernel's own, since the host's take their place.
 */
#include "dead.h"

DEAD(sys_timerfd_create)
DEAD(sys_timerfd_settime)
DEAD(sys_timerfd_gettime)
