/* SPDX-License-Identifier: GPL-2.0-only */
/* Who runs where, for inline code: see struct bridge_focus.  In native images, where every task is
 * a thread, each has its own. */
#ifndef LOCKSTEP_FOCUS_H
#define LOCKSTEP_FOCUS_H

#include "kernel-shim/bridge.h"

#ifdef LOCKSTEP_NATIVE
#define LOCKSTEP_EACH __thread
#else
#define LOCKSTEP_EACH
#endif

extern LOCKSTEP_EACH struct bridge_focus lockstep_focus;
extern const struct bridge_host *host;

/* Takes what is pending; interrupts are enabled. */
void lockstep_do_irq(void);

#endif
