/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SIM_CHECK: what must hold if the lab itself is right.  On in release builds too: a wrong lab
 * must not print a verdict.
 */
#ifndef SIM_BASE_CHECK_H
#define SIM_BASE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define SIM_CHECK(cond)                                                                           \
	do {                                                                                      \
		if (__builtin_expect(!(cond), 0)) {                                               \
			fprintf(stderr, "%s:%d: %s: this must hold and does not: %s\n", __FILE__, \
				__LINE__, __func__, #cond);                                       \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

#endif
