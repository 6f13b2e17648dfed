/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe stream as ftrace text, which the usual trace readers take, and its digest.
 *
 * The digest is the SHA-256 of all lines that do not begin with '#', so that
 *	grep -v '^#' FILE | sha256sum
 * gives it again.  It is computed with or without a file.
 */
#ifndef SIM_TRACE_FTRACE_H
#define SIM_TRACE_FTRACE_H

#include "sim/base/diag.h"
#include "sim/core/sim.h"

struct ftrace;

/*
 * @path: NULL for the digest alone.  A file appears under its name when ftrace_close() has
 * succeeded, never half; what is no regular file (a device, a pipe) is written to directly and
 * never replaced.  0 or -EINVAL with a line in @d.
 */
int ftrace_open(const char *path, struct ftrace **out, struct diag *d);
/* An observer: sim_observe(s, ftrace_probe, f). */
void ftrace_probe(void *self, const struct sim *s, const struct probe *p);
/* Gives up: what stood under the name before is left as it was. */
void ftrace_discard(struct ftrace *f);
/* Finishes; the digest as 64 hexadecimal digits. */
int ftrace_close(struct ftrace *f, char digest[65], struct diag *d);

#endif
