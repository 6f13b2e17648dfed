/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machines: an image, its memory and a simulated machine, booted and reset together.
 */
#include "sim/image/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/image/private.h"
#include "sim/lock/lock.h"

/* Virtual time at which scenarios begin, counted from power-on: a round number after boot. */
#define RUN_START_NS 10000000000ull

static unsigned int slots_used;	/* a bit a machine */

static void do_irq(struct sim *s)
{
	machine_of(s)->image->ops->do_irq();
}

static const struct world_ops image_world = { .do_irq = do_irq };

/* As it was loaded. */
static void make_pristine(struct image *img)
{
	for (int i = 0; i < img->nr_segments; i++) {
		struct segment *g = &img->segments[i];

		memcpy(g->start, g->pristine, g->len);
	}
}

/* The kernel brings itself up. */
static int boot_kernel(struct machine *m, char *why, size_t n)
{
	struct image *img = m->image;
	int err;

	make_pristine(img);
	machine_fill_host(m);
	img->ops = img->entry(&m->host);
	engine_set_world(m->sim, &image_world, img->ops->focus);
	fault_catch();
	fault_guard(m);
	err = img->ops->boot(&m->config.machine);
	fault_unguard();
	if (err) {
		snprintf(why, n, "%s: boot failed: %s", img->name, strerror(-err));
		return err;
	}
	return 0;
}

static int boot(struct machine *m, char *why, size_t n)
{
	struct image *img = m->image;
	enum sim_end end;
	int err = 0;

	arena_init(&m->arena, m->slot, m->config.memory_max);
	m->sim = sim_new(&m->config);
	if (img->strategy)
		abstract_machine_boot(m);
	else
		err = boot_kernel(m, why, n);
	if (err)
		return err;
	end = machine_run(m);
	if (end != SIM_END_QUIET || sim_bug(m->sim)) {
		snprintf(why, n, "%s: boot did not come to rest: %s%s%s", img->name,
			 sim_bug(m->sim) ? sim_bug(m->sim) : "it was cut off",
			 sim_bug_detail(m->sim) ? ": " : "",
			 sim_bug_detail(m->sim) ? sim_bug_detail(m->sim) : "");
		return -EFAULT;
	}
	if (sim_now_abs(m->sim) > RUN_START_NS) {
		snprintf(why, n, "%s: boot took too long in virtual time", img->name);
		return -ETIMEDOUT;
	}
	/* new tasks begin where they are made: not on the CPU that happened to boot last */
	engine_focus(m->sim, 0);
	return 0;
}

static void shut_down(struct machine *m)
{
	lock_set_free(m->locks);
	m->locks = NULL;
	sim_free(m->sim);
	m->sim = NULL;
	arena_mark_free(m->mark);
	m->mark = NULL;
	for (int i = 0; i < m->image->nr_segments; i++) {
		pages_free(m->image->segments[i].booted);
		m->image->segments[i].booted = NULL;
	}
	arena_fini(&m->arena);
}

static void start_run(struct machine *m)
{
	m->nr_printed = 0;
	m->printed[0] = 0;
	sim_set_epoch(m->sim, RUN_START_NS);
}

int machine_new(struct image *img, const struct sim_config *c, struct machine **out, char *why,
		size_t n)
{
	struct machine *m;
	int err;

	if (img->machine) {
		snprintf(why, n, "%s: has a machine already", img->name);
		return -EBUSY;
	}
	m = calloc(1, sizeof(*m));
	SIM_CHECK(m);
	m->image = img;
	m->config = *c;
	while (slots_used & (1u << m->slot))
		m->slot++;
	slots_used |= 1u << m->slot;
	img->machine = m;
	err = boot(m, why, n);
	if (err) {
		machine_free(m);
		return err;
	}
	if (c->carrier->can_restore) {
		for (int i = 0; i < img->nr_segments; i++) {
			struct segment *g = &img->segments[i];

			g->booted = pages_save(g->start, g->len);
		}
		if (!img->strategy)
			m->mark = arena_save(&m->arena);
		sim_snapshot(m->sim);
		m->saved = true;
	}
	start_run(m);
	*out = m;
	return 0;
}

int machine_reset(struct machine *m)
{
	char why[256];
	int err = 0;

	if (m->saved) {
		if (m->locks)
			abstract_machine_reset(m);
		for (int i = 0; i < m->image->nr_segments; i++)
			pages_restore(m->image->segments[i].booted);
		if (m->mark)
			arena_restore(&m->arena, m->mark);
		sim_restore(m->sim);
	} else {
		struct machine_hooks hooks = m->hooks;

		/* they belong to runs, and boot takes locks too */
		m->hooks = (struct machine_hooks){ 0 };
		shut_down(m);
		err = boot(m, why, sizeof(why));
		m->hooks = hooks;
	}
	if (!err)
		start_run(m);
	return err;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	shut_down(m);
	slots_used &= ~(1u << m->slot);
	m->image->machine = NULL;
	free(m);
}

enum sim_end machine_run(struct machine *m)
{
	enum sim_end end;

	machine_select(m);
	fault_guard(m);
	end = sim_run(m->sim);
	fault_unguard();
	return end;
}

void machine_catch_faults(void)
{
	fault_catch();
}

void machine_select(struct machine *m)
{
	if (m->image->strategy)
		abstract_select(m);
}

struct sim *machine_sim(const struct machine *m)
{
	return m->sim;
}

const struct bridge_image *machine_image(const struct machine *m)
{
	return m->image->ops;
}

void machine_set_hooks(struct machine *m, const struct machine_hooks *h)
{
	m->hooks = *h;
}

size_t machine_objects(const struct machine *m)
{
	return m->arena.nr_objects;
}

const char *machine_printed(const struct machine *m)
{
	return m->printed;
}
