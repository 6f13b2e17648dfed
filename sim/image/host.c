/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of what the host offers an image.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sim_private.h"
#include "sim/image/private.h"

#define STACK_WORDS_MAX 1024

struct machine *machine_of(struct sim *s)
{
	return s->image_state;
}

/* ---- tasks */

static struct task *host_task_new(struct sim *s, const char *name, void *ktask, int prio,
				  void (*entry)(void *), void *arg)
{
	struct task *t = sim_task_new(s, name, TASK_KTHREAD);

	t->prio = t->normal_prio = prio;
	sim_task_bind(s, t, ktask, entry, arg);
	return t;
}

static void host_task_bind(struct task *t, void *ktask, void (*entry)(void *), void *arg)
{
	sim_task_bind(t->sim, t, ktask, entry, arg);
}

static void host_task_main(struct task *t)
{
	struct machine *m = machine_of(t->sim);

	if (m->hooks.task_main)
		m->hooks.task_main(m->hooks.self, t);
}

static uint32_t host_task_id(struct task *t)
{
	return t->id;
}

static void *host_task_ktask(struct task *t)
{
	return t->ktask;
}

/* ---- names */

static uint32_t host_symbol_id(struct sim *s, const void *addr)
{
	const char *name = image_symbol(machine_of(s)->image, addr);

	return sim_name_id(s, name ? name : "(unknown function)");
}

/* A lock nobody initialised by name is a static one: the symbol table has it. */
static uint32_t host_lock_id(struct sim *s, const void *addr)
{
	const char *name;
	uint32_t id;

	if (sim_lock_find(s, addr, &id))
		return id;
	name = image_object(machine_of(s)->image, addr);
	if (name)
		sim_lock_name(s, addr, BRIDGE_LOCK_SPIN, name);
	return sim_lock_id(s, addr);
}

static const struct lock *lock_at(struct sim *s, const void *addr)
{
	uint32_t id;

	return sim_lock_find(s, addr, &id) ? sim_lock(s, id) : NULL;
}

#define QRWLOCK_WAIT_LOCK 4	/* offset in a rwlock_t that spins */

/* A raw spinlock's address is that of the byte behind (lockstep_raw_key in kernel-shim/kern). */
static void name_raw_lock(struct sim *s, const void *addr, char *name, size_t n)
{
	const char *at = (const char *)addr - 1, *object = image_object(machine_of(s)->image, at);
	const struct lock *around = lock_at(s, at);

	if (!around)
		around = lock_at(s, at - QRWLOCK_WAIT_LOCK);
	if (around)
		snprintf(name, n, "%.36s.wait_lock", around->name);
	else
		snprintf(name, n, "%.47s", object ? object : "raw spinlock");
}

static void host_lock_name(struct sim *s, const void *addr, unsigned int kind, const char *name)
{
	char found[48];

	if (!name) {
		name_raw_lock(s, addr, found, sizeof(found));
		name = found;
	}
	sim_lock_name(s, addr, (enum bridge_lock_kind)kind, name);
}

/* ---- hooks */

static void host_lock_hook(struct sim *s, uint32_t lock, unsigned int mode, bool acquired,
			   const void *caller)
{
	struct machine *m = machine_of(s);

	if (m->hooks.lock_hook)
		m->hooks.lock_hook(m->hooks.self, lock, mode, acquired,
				   image_symbol(m->image, caller));
}

static void host_function_hook(struct sim *s, const void *function)
{
	struct machine *m = machine_of(s);
	const char *name = image_symbol(m->image, function);

	if (m->hooks.function_hook && name)
		m->hooks.function_hook(m->hooks.self, name);
}

static void host_irq_handler(struct sim *s, int line)
{
	struct machine *m = machine_of(s);

	if (m->hooks.irq_handler)
		m->hooks.irq_handler(m->hooks.self, line);
}

static int host_irq_line(struct sim *s, unsigned int cpu)
{
	return engine_next_line(s, cpu);
}

static void host_polled(struct sim *s, int fd)
{
	struct machine *m = machine_of(s);

	if (m->hooks.polled)
		m->hooks.polled(m->hooks.self, fd);
}

static bool host_signal(struct sim *s, int sig)
{
	struct machine *m = machine_of(s);

	return !m->hooks.signal || m->hooks.signal(m->hooks.self, sig);
}

static bool host_alloc_fails(struct sim *s)
{
	struct machine *m = machine_of(s);

	return m->hooks.alloc_fails && m->hooks.alloc_fails(m->hooks.self);
}

/* ---- bugs */

static void report(struct machine *m, bool fatal, const char *what, const char *detail,
		   void *const *fp)
{
	char words[STACK_WORDS_MAX], line[2 * STACK_WORDS_MAX];

	stack_words(m->image, NULL, fp, words, sizeof(words));
	/* kernel messages end their lines */
	snprintf(line, sizeof(line), "%.*s%s%s", detail ? (int)strcspn(detail, "\n") : 0,
		 detail ? detail : "", *words ? " in " : "", words);
	if (fatal)
		engine_bug(m->sim, what, line);
	else
		engine_warn(m->sim, what, line);
}

static void host_bug(struct sim *s, const char *what, const char *detail)
{
	report(machine_of(s), true, what, detail, __builtin_frame_address(0));
}

static void host_warn(struct sim *s, const char *what, const char *detail)
{
	report(machine_of(s), false, what, detail, __builtin_frame_address(0));
}

static const char *arena_words(enum arena_error e)
{
	switch (e) {
	case ARENA_DOUBLE_FREE:
		return "double free";
	case ARENA_BAD_FREE:
		return "free of what was never allocated";
	case ARENA_USE_AFTER_FREE:
		return "use after free: freed memory was written to";
	case ARENA_OK:
		break;
	}
	return "out of memory";
}

/* ---- memory */

static void *host_alloc(struct sim *s, size_t n)
{
	struct machine *m = machine_of(s);
	enum arena_error err;
	void *p = arena_alloc(&m->arena, n, &err);

	if (p)
		return p;
	if (err != ARENA_OK)
		host_bug(s, arena_words(err), "kernel memory");
	else if (s->inhost)
		engine_bug(s, arena_words(err), "at boot");
	else
		engine_finish(s, SIM_END_MEMORY);
	return NULL;
}

static void host_free(struct sim *s, const void *p)
{
	struct machine *m = machine_of(s);
	size_t n = arena_size(&m->arena, p);
	enum arena_error err = arena_free(&m->arena, p);

	if (err != ARENA_OK)
		host_bug(s, arena_words(err), "kfree");
	else
		sim_lock_forget(s, p, n);
}

static size_t host_alloc_size(struct sim *s, const void *p)
{
	return arena_size(&machine_of(s)->arena, p);
}

/* ---- messages */

static void host_print(struct sim *s, const char *fmt, va_list ap)
{
	struct machine *m = machine_of(s);
	size_t room = sizeof(m->printed) - m->nr_printed;
	int n;

	if (room < 2)
		return;
	n = vsnprintf(m->printed + m->nr_printed, room, fmt, ap);
	if (n > 0)
		m->nr_printed += (size_t)n < room ? (size_t)n : room - 1;
}

static uint64_t host_now(struct sim *s)
{
	return s->now;
}

void machine_fill_host(struct machine *m)
{
	m->sim->image_state = m;
	m->host = (struct bridge_host){
		.sim = m->sim,
		.cost = engine_cost,
		.burn = engine_burn,
		.idle = engine_idle,
		.relax = engine_relax,
		.spin_wait = engine_spin_wait,
		.spin_wake = engine_spin_wake,
		.switch_to = engine_switch,
		.now = host_now,
		.set_event = engine_set_event,
		.ipi = engine_ipi,
		.log = engine_log,
		.choose = engine_choose,
		.access = engine_access,
		.task_new = host_task_new,
		.task_bind = host_task_bind,
		.task_main = host_task_main,
		.task_exit = sim_task_exit,
		.task_id = host_task_id,
		.task_ktask = host_task_ktask,
		.set_idle = sim_set_idle,
		.name_id = sim_name_id,
		.symbol_id = host_symbol_id,
		.lock_name = host_lock_name,
		.lock_forget = sim_lock_forget,
		.lock_id = host_lock_id,
		.lock_known = sim_lock_spins,
		.lock_hook = host_lock_hook,
		.function_hook = host_function_hook,
		.irq_line = host_irq_line,
		.irq_handler = host_irq_handler,
		.polled = host_polled,
		.signal = host_signal,
		.alloc = host_alloc,
		.free = host_free,
		.alloc_size = host_alloc_size,
		.alloc_fails = host_alloc_fails,
		.sched = machine_sched(m),
		.print = host_print,
		.format = vsnprintf,
		.bug = host_bug,
		.warn = host_warn,
	};
}
