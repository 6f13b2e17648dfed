/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Native images: kernel files on real threads, in real time.
 *
 * A task is a pthread, a sleep is a futex, RCU is liburcu.  Nothing here is repeatable: it is for
 * stress and for throughput, which a simulated machine cannot say anything about.
 */
#ifndef SIM_NATIVE_NATIVE_H
#define SIM_NATIVE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel-shim/bridge.h"

struct native;		/* one image */
struct native_thread;

/* Names of all native images, sorted; the caller frees each and the array.  Number, or -errno. */
int native_names(char ***names);
/* The folder they are in, for messages. */
const char *native_folder(void);

/*
 * Loads and boots an image, once a process, by its name, "@native" may follow; the caller can make system calls of it from then on.
 * 0, -ENOENT (no such image), or -errno with a line in @why.
 */
int native_open(const char *word, struct native **out, char *why, size_t n);
const char *native_name(const struct native *n);
const struct bridge_image *native_ops(const struct native *n);
/* What the kernel has warned of so far. */
unsigned int native_warnings(const struct native *n);
/* Objects on the kernel's heap, when all callbacks of RCU have run. */
long native_objects(struct native *n);

/*
 * Starts a thread that is a task of @n; at most BRIDGE_NATIVE_THREADS_MAX - 1 at a time.
 *
 * @pin: on that CPU of the host's (modulo their number), or -1
 */
struct native_thread *native_start(struct native *n, const char *name, int pin,
				   void (*fn)(void *arg), void *arg);
void native_join(struct native_thread *t);

/* A system call, on a thread of @n; result or -errno. */
long native_call(const struct native *n, enum bridge_sys nr, long a, long b, long c, long d);

uint64_t native_now_ns(void);

#endif
