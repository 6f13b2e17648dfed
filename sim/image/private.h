/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of images and machines, for sim/image alone.
 */
#ifndef SIM_IMAGE_PRIVATE_H
#define SIM_IMAGE_PRIVATE_H

#include "sim/core/engine.h"
#include "sim/image/arena.h"
#include "sim/image/image.h"
#include "sim/image/pages.h"
#include "sim/image/symbols.h"

struct lock_set;
struct lock_strategy;

#define SEGMENTS_MAX 8
#define PRINTED_MAX (64u << 10)

/* A writable part of a loaded image: what a reset restores. */
struct segment {
	char *start;
	size_t len;
	char *pristine;		/* as it was when it was loaded */
	struct pages *booted;	/* as it was after boot; NULL: not saved */
};

struct image {
	char *name, *path;
	void *dl;
	uint64_t base;		/* load address */
	bridge_entry_fn *entry;
	const struct bridge_image *ops;
	struct segment segments[SEGMENTS_MAX];
	int nr_segments;
	struct symbols symbols;
	struct machine *machine;	/* the one that uses its data now */
	const struct lock_strategy *strategy;	/* of an abstract one; NULL: a kernel image */
	struct image *next;
};

struct machine {
	struct image *image;
	struct sim *sim;
	struct sim_config config;
	struct bridge_host host;
	struct machine_hooks hooks;
	struct arena arena;
	struct arena_mark *mark;
	bool saved;		/* as it was after boot: a reset is a copy */
	struct lock_set *locks;	/* of an abstract one */
	unsigned int slot;
	char printed[PRINTED_MAX];
	size_t nr_printed;
};

/* abstract.c: machines without a kernel */
const char *abstract_name(unsigned int i);	/* NULL: no more */
/* Its table and strategy; NULL: no abstract image of that name. */
const struct bridge_image *abstract_ops(const char *name, const struct lock_strategy **strategy);
void abstract_machine_boot(struct machine *m);
void abstract_machine_reset(struct machine *m);	/* before the simulated machine itself */
void abstract_select(struct machine *m);

/* host.c: the table an image calls */
void machine_fill_host(struct machine *m);
struct machine *machine_of(struct sim *s);

/* host_sched.c: the simulated scheduler for an image that has none */
const struct bridge_sched *machine_sched(struct machine *m);

/* symbols of an image by run-time address; NULL when unknown */
const char *image_symbol(const struct image *img, const void *addr);
const char *image_object(const struct image *img, const void *addr);

/* fault.c */
void fault_catch(void);			/* faults are looked at from now on, whose they are */
void fault_guard(struct machine *m);	/* from now on faults are this machine's */
void fault_unguard(void);
/* Writes the call chain from frame @fp up, innermost first, "a < b < c". */
void stack_words(const struct image *img, const void *pc, void *const *fp, char *out, size_t n);

#endif
