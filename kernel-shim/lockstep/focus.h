/* SPDX-License-Identifier: GPL-2.0-only */
/* Who runs where, for inline code: see struct bridge_focus. */
#ifndef LOCKSTEP_FOCUS_H
#define LOCKSTEP_FOCUS_H

#include "kernel-shim/bridge.h"

extern struct bridge_focus lockstep_focus;
extern const struct bridge_host *host;

/* Takes what is pending; interrupts are enabled. */
void lockstep_do_irq(void);

#endif
