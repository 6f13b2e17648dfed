/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one symbol an image shows, and what its units want to be called at boot.
 */
#include "kern.h"

#include <linux/init.h>

const struct bridge_host *host;
/* entry.c, or entry_native.c, but for what is said here */
extern struct bridge_image lockstep_offers;

/* The units' initcalls, collected by the linker in order of their level. */
extern initcall_t lockstep_initcalls[], lockstep_initcalls_end[];

int lockstep_initcalls_run(void)
{
	for (initcall_t *call = lockstep_initcalls; call < lockstep_initcalls_end; call++) {
		int err = (*call)();

		if (err && err != -ENOSYS)	/* a file system: the lab has none */
			return err;
	}
	return 0;
}

__attribute__((visibility("default"))) const struct bridge_image *
lockstep_image(const struct bridge_host *h);

const struct bridge_image *lockstep_image(const struct bridge_host *h)
{
	host = h;
	lockstep_offers.name = LOCKSTEP_IMAGE;
	lockstep_offers.tree_version = LOCKSTEP_TREE_VERSION;
	lockstep_offers.config = IS_ENABLED(CONFIG_PREEMPT_RT) ? "rt" : "vanilla";
	lockstep_offers.units = lockstep_units;
	lockstep_offers.nr_units = lockstep_nr_units;
	return &lockstep_offers;
}
