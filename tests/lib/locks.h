/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of locks of the abstract world: a machine, tasks with bodies, and a log of words.
 *
 * Without an oracle every cost is the least of its range.  Tasks write down what happens to them,
 * and tests compare the log.
 */
#ifndef TESTS_LIB_LOCKS_H
#define TESTS_LIB_LOCKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/image/image.h"

#define MS 1000000ull
#define FIFO BRIDGE_SCHED_FIFO

static struct machine *m;
static struct sim *s;
static const struct bridge_image *im;
static void *a, *b, *c;			/* locks of the test */
static struct task *low, *middle, *high;
static char words[1024];
static enum bridge_lock_kind kind;

static inline void say(const char *word)
{
	size_t n = strlen(words);

	snprintf(words + n, sizeof(words) - n, "%s%s", n ? " " : "", word);
}

static inline void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static inline void irq_handler(void *self, int line)
{
	(void)self;
	(void)line;
	im->lock_op(a, kind, BRIDGE_OP_READ_LOCK);
	say("irq-reads");
	im->lock_op(a, kind, BRIDGE_OP_READ_UNLOCK);
}

static inline void start(const char *image, int cpus)
{
	struct machine_hooks hooks = { .task_main = task_main, .irq_handler = irq_handler };
	struct sim_config config = { .machine = { .nr_cpus = cpus }, .carrier = &carrier_fiber,
				     .duration_ns = 1000 * MS, .events_max = 1000000,
				     .memory_max = 64u << 20 };
	struct image *img;
	char why[300] = "";

	words[0] = 0;
	low = middle = high = NULL;
	assert_int_equal(image_open(image, &img, why, sizeof(why)), 0);
	assert_int_equal(machine_new(img, &config, &m, why, sizeof(why)), 0);
	machine_set_hooks(m, &hooks);
	machine_select(m);
	im = machine_image(m);
	s = machine_sim(m);
	kind = BRIDGE_LOCK_MUTEX;
}

static inline void locks(enum bridge_lock_kind k)
{
	kind = k;
	a = im->lock_new(k, "a");
	b = im->lock_new(k, "b");
	c = im->lock_new(k, "c");
}

static struct task *spawn(const char *name, int priority, int cpu, void (*body)(void))
{
	struct bridge_spawn spec = { .name = name, .cpus = 1ull << cpu, .policy = FIFO,
				     .priority = priority, .group = -1 };
	struct task *t = sim_task_new(s, name, TASK_SCENARIO);

	t->body = (void *)body;
	assert_int_equal(im->spawn(t, &spec), 0);
	im->start(t);
	return t;
}

static enum sim_end run(void)
{
	enum sim_end end = machine_run(m);

	return end;
}

static inline void stop(void)
{
	machine_free(m);
	m = NULL;
}

static inline int teardown(void **state)
{
	(void)state;
	stop();
	return 0;
}

/* ---- what bodies call */

static inline void sleep_ms(uint64_t ms)
{
	long arg[6] = { (long)(ms * MS) };

	im->syscall(SYS_NANOSLEEP, arg);
}

static inline void burn_ms(uint64_t ms)
{
	engine_burn(s, ms * MS);
}

static inline int op(void *lock, enum bridge_lock_op o)
{
	return im->lock_op(lock, kind, o);
}

static inline void lock(void *l)
{
	assert_int_equal(op(l, BRIDGE_OP_LOCK), 1);
}

static inline void unlock(void *l)
{
	op(l, BRIDGE_OP_UNLOCK);
}

static inline void high_wants(void)
{
	sleep_ms(3);
	lock(a);
	say("high");
	unlock(a);
}

static inline void holder(void)
{
	lock(a);
	burn_ms(9);
	unlock(a);
}

#endif
