/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe stream as ftrace text, which the usual trace readers take, and its digest.
 *
 * The digest is the SHA-256 of all lines that do not begin with '#', so that
 *	grep -v '^#' FILE | sha256sum
 * gives it again.  It is computed with or without a file.
 *
 * One record is one line.  What the kernel has no event for is a marker line, as a user program
 * writes into trace_marker: an instant "I|pid|text", and for a lock that is held "S|pid|name|n"
 * until "F|pid|name|n", which Perfetto shows as slices.  Locks go by name everywhere.
 */
#ifndef SIM_TRACE_FTRACE_H
#define SIM_TRACE_FTRACE_H

#include "sim/base/diag.h"
#include "sim/base/digest.h"
#include "sim/core/sim.h"

struct ftrace;

/*
 * @path: NULL for the digest alone.  The file appears under its name when ftrace_close() has
 * succeeded, never half; what is no regular file (a pipe, /dev/null) is written directly.
 * 0, or -EINVAL with a line in @d.
 */
int ftrace_open(const char *path, struct ftrace **out, struct diag *d);
/* A line that begins with '#', for people; no part of the digest. */
void ftrace_comment(struct ftrace *f, const char *text);
/* An observer: sim_observe(s, ftrace_probe, f). */
void ftrace_probe(void *self, const struct sim *s, const struct probe *p);
/* Finishes.  0, or -EINVAL with a line in @d: then there is no file. */
int ftrace_close(struct ftrace *f, char digest[DIGEST_TEXT], struct diag *d);
/* For a signal that ends the process: removes what is unfinished.  Async-signal-safe. */
void ftrace_abandon(void);
/* Gives up: what stood under the file's name stays as it was. */
void ftrace_discard(struct ftrace *f);

#endif
