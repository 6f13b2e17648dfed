/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wakeup sources: which of them keep the machine from being suspended.  It never is; a test can
 * ask how many would.
 *
 * Source: drivers/base/power/wakeup.c, Linux 6.12.
 */
#include "kern.h"

#include <linux/device.h>
#include <linux/slab.h>

static int nr_active;

int lockstep_awake(void)
{
	return nr_active;
}

struct wakeup_source *wakeup_source_register(struct device *dev, const char *name)
{
	return kzalloc(sizeof(struct wakeup_source), GFP_KERNEL);
}

void __pm_relax(struct wakeup_source *ws)
{
	if (!ws || !ws->active)
		return;
	ws->active = false;
	nr_active--;
}

void __pm_stay_awake(struct wakeup_source *ws)
{
	if (!ws || ws->active)
		return;
	ws->active = true;
	nr_active++;
}

void wakeup_source_unregister(struct wakeup_source *ws)
{
	__pm_relax(ws);
	kfree(ws);
}
