/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: an image's heap, at the same address in every run.
 *
 * Kernel code compares addresses (epoll's tree sorts by file pointer), so where an object lies
 * is part of the run.  Freed memory is filled with a pattern whose use as a pointer faults, and
 * waits in a queue before it is handed out again, when the pattern is checked.
 */
#ifndef SIM_IMAGE_ARENA_H
#define SIM_IMAGE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_CLASSES 64
#define ARENA_POISON 0x6b	/* as the kernel's POISON_FREE */

struct arena_object;

struct arena_class {
	struct arena_object *first, *last;
	uint32_t nr;
};

struct arena {
	char *base;
	size_t used, max, nr_objects;
	struct arena_class classes[ARENA_CLASSES];
};

enum arena_error {
	ARENA_OK,
	ARENA_DOUBLE_FREE,
	ARENA_BAD_FREE,
	ARENA_USE_AFTER_FREE	/* somebody wrote to freed memory; found when it is reused */
};

/* @slot: machines alive at once have one each; the lowest free one keeps addresses equal. */
void arena_init(struct arena *a, unsigned int slot, size_t max);
void arena_fini(struct arena *a);
/* Zeroed, aligned to 64 bytes; NULL when the arena is full. */
void *arena_alloc(struct arena *a, size_t n, enum arena_error *err);
enum arena_error arena_free(struct arena *a, const void *p);
/* 0 when @p is no object or is freed. */
size_t arena_size(const struct arena *a, const void *p);
/* Looks at all that waits to be reused. */
enum arena_error arena_check(const struct arena *a);
bool arena_has(const struct arena *a, const void *p);

/* The arena as it is now, to come back to. */
struct arena_mark;
struct arena_mark *arena_save(const struct arena *a);
void arena_restore(struct arena *a, const struct arena_mark *m);
void arena_mark_free(struct arena_mark *m);

#endif
