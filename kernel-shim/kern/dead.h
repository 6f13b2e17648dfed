/* SPDX-License-Identifier: GPL-2.0-only */
/* A symbol that ends the run by its own name; no other header, so that each can have this signature. */
#ifndef LOCKSTEP_KERN_DEAD_H
#define LOCKSTEP_KERN_DEAD_H

void lockstep_dead(const char *name);

#define DEAD(name)                                                                                \
	void name(void);                                                                          \
	void name(void)                                                                           \
	{                                                                                         \
		lockstep_dead(#name);                                                             \
	}

#endif
