/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel images: finding and loading them, and machines that run them.
 *
 * An image's data is one copy per process, so an image has one machine at a time; different
 * images live side by side.
 */
#ifndef SIM_IMAGE_IMAGE_H
#define SIM_IMAGE_IMAGE_H

#include "sim/core/sim.h"

struct image;
struct machine;

/*
 * Names of all images: the kernel's, sorted, and the abstract ones; the caller frees each and the
 * array.  Number, or -errno.
 */
int image_names(char ***names);
/* The same of the images in one folder; none when there is no such folder. */
int image_files(const char *folder, char ***names);
/* The folders that are searched, in order, for messages: "build/kernel". */
const char *image_folder(void);

/* Loads an image by name.  0, -ENOENT (no such image), or -errno with a line in @why. */
int image_open(const char *name, struct image **out, char *why, size_t n);
const struct bridge_image *image_ops(const struct image *img);
/* Address of a function that can be traced, or NULL. */
const void *image_function(const struct image *img, const char *name);
/* Calls @fn for each function of the image. */
void image_each_function(const struct image *img, void (*fn)(void *self, const char *name),
			 void *self);

/* What the runner gives a machine; `self` is handed back. */
struct machine_hooks {
	void *self;
	void (*task_main)(void *self, struct task *t);
	void (*lock_hook)(void *self, uint32_t lock, unsigned int mode, bool acquired,
			  const char *function);	/* NULL: nobody wants to know */
	void (*function_hook)(void *self, const char *function);
	void (*irq_handler)(void *self, int line);
	void (*polled)(void *self, int fd);	/* a scripted file; NULL: nobody wants to know */
	bool (*signal)(void *self, int sig);	/* true: calls may be restarted */
	bool (*alloc_fails)(void *self);	/* NULL: none does */
};

/* Boots a machine.  0 or -errno with a line in @why. */
int machine_new(struct image *img, const struct sim_config *c, struct machine **out, char *why,
		size_t n);
void machine_free(struct machine *m);
struct sim *machine_sim(const struct machine *m);
const struct bridge_image *machine_image(const struct machine *m);
/* What is called through machine_image() from now on concerns this machine. */
void machine_select(struct machine *m);
void machine_set_hooks(struct machine *m, const struct machine_hooks *h);
/* As it was after boot: a copy on fibers, a new boot on other carriers.  0 or -errno. */
int machine_reset(struct machine *m);
/* Faults are the machines' again, after somebody else has installed handlers. */
void machine_catch_faults(void);
/* Runs the machine, turning faults of kernel code into bug verdicts. */
enum sim_end machine_run(struct machine *m);
/* Objects on the heap of the image. */
size_t machine_objects(const struct machine *m);
/* What the kernel has printed, oldest first. */
const char *machine_printed(const struct machine *m);

#endif
