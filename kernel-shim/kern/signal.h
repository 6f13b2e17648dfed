/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_SIGNAL_H
#define LOCKSTEP_KERN_SIGNAL_H

#include <linux/types.h>

/*
 * The way back from a call that says *ret: signals that are due reach the task.  True: the call
 * begins anew.
 */
bool lockstep_take_signals(long *ret);

#endif
