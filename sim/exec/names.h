/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program in the lab may refer to; the linker refuses the rest by name. */
#ifndef SIM_EXEC_NAMES_H
#define SIM_EXEC_NAMES_H

extern const char *const exec_offered[];	/* ours: NAME is __wrap_NAME of this program */
extern const char *const exec_passed[];		/* the C library's: nothing in them waits or asks */
extern const char *const exec_data[];		/* variables of the C library */

#endif
