/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine of a test, and the body's way into it.
 *
 * The body is on the host's stack, where cmocka may jump.  What it wants done is done by the first
 * task of the machine: an interrupt wakes it, it calls, stops the machine and sleeps again.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/test/private.h"

#define EVENTS_MAX 2000000
#define MEMORY_MAX (64u << 20)
#define LINE_BODY 31
/* Of the machine: little, so that a test can reach the limits that the kernel derives from it. */
#define MACHINE_MEMORY (16ull << 20)

struct lab lab;

/* ---- running */

static void raise_failure(void)
{
	/* cmocka prints the text and jumps */
	print_error("%s\n", lab.failure);
	_fail(lab.failure_file, lab.failure_line);
	abort();
}

static void stop_at(struct sim *s, void *arg)
{
	(void)arg;
	if (sim_now(s) >= lab.run_until)
		sim_stop(s, SIM_END_STOPPED);
}

/* Returns how it stopped; a failure of a task becomes the body's. */
static enum sim_end run(void)
{
	enum sim_end end;

	lab.in_machine = true;
	end = machine_run(lab.machine);
	lab.in_machine = false;
	if (lab.failure_file)
		raise_failure();
	if (end == SIM_END_EVENTS || end == SIM_END_MEMORY)
		detect_end(lab.detect, lab.sim, sim_now(lab.sim));	/* some spin in a cycle */
	detect_ended(lab.detect, lab.sim, end);
	if (detect_verdict(lab.detect) <= VERDICT_STALL || end == SIM_END_EVENTS ||
	    end == SIM_END_MEMORY) {
		/* nothing good comes behind it: what the test expects, or a failure */
		lab_judge();
		longjmp(lab.over, 1);
	}
	return end;
}

void lab_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(lab.failure, sizeof(lab.failure), fmt, ap);
	va_end(ap);
	lab.failure_file = file;
	lab.failure_line = line;
	if (lab.in_machine)
		engine_finish(lab.sim, SIM_END_STOPPED);
	raise_failure();
	abort();
}

void lab_equal_at(int64_t is, int64_t expected, const char *what, const char *file, int line)
{
	if (is != expected)
		lab_fail(file, line, "%s is %lld, expected %lld", what, (long long)is,
			 (long long)expected);
}

static void body_only(const char *what)
{
	if (lab.in_machine)
		lab_fail(__FILE__, __LINE__, "%s is for the test's body, not for its tasks", what);
}

void lab_run(void)
{
	body_only("lab_run()");
	while (run() != SIM_END_QUIET)
		;
}

void lab_run_for(uint64_t ns)
{
	body_only("lab_run_for()");
	lab.run_until = sim_now(lab.sim) + ns;
	engine_call_at(lab.sim, lab.run_until, stop_at, NULL);
	while (sim_now(lab.sim) < lab.run_until)
		run();
}

/* ---- the body's task */

static void body_task(void)
{
	struct lab_task *me = &lab.tasks[0];

	for (;;) {
		lab.im->sleep_on(&me->resumed, SIM_NEVER);
		me->resumed = false;
		if (!lab.ask)
			continue;
		lab.ask(lab.ask_arg);
		lab.ask = NULL;
		lab.done = true;
		sim_stop(lab.sim, SIM_END_STOPPED);
	}
}

void lab_on_task(void (*fn)(void *arg), void *arg)
{
	if (lab.in_machine) {
		fn(arg);
		return;
	}
	lab.ask = fn;
	lab.ask_arg = arg;
	lab.done = false;
	engine_raise_line(lab.sim, 0, LINE_BODY);
	while (!lab.done)
		if (run() == SIM_END_QUIET && !lab.done)
			lab_fail(lab.im->name, 0, "the body waits for ever in %s, and all is quiet",
				 lab_in_call(&lab.tasks[0]) ? lab_in_call(&lab.tasks[0]) :
							      "a call");
}

struct lab_task *lab_task_of(const struct task *t)
{
	return t && t->kind == TASK_SCENARIO ? t->body : NULL;
}

/* ---- tasks */

static void task_main(void *self, struct task *task)
{
	struct lab_task *t = task->body;

	(void)self;
	if (t == &lab.tasks[0])
		body_task();
	else
		t->spec.body(t->spec.arg);
}

static int prio_of(const struct lab_spec *s)
{
	return s->fifo ? 99 - s->fifo : s->rr ? 99 - s->rr : 120 + s->nice;
}

static void spawn(struct lab_task *t)
{
	struct bridge_spawn s = {
		.name = t->spec.name, .group = -1, .cpus = t->spec.cpus,
		.policy = t->spec.fifo ? BRIDGE_SCHED_FIFO :
			  t->spec.rr ? BRIDGE_SCHED_RR : BRIDGE_SCHED_OTHER,
		.priority = t->spec.fifo ? t->spec.fifo : t->spec.rr ? t->spec.rr : t->spec.nice,
	};
	int err;

	if (!s.cpus)
		s.cpus = (1ull << lab.cpus) - 1;
	if (t->spec.period_ns) {
		s.group = lab.im->group_new(t->spec.name, t->spec.quota_ns, t->spec.period_ns);
		sim_group_named(lab.sim, t->spec.name);
		if (s.group < 0)
			lab_fail(__FILE__, __LINE__, "group of task \"%s\": %s", s.name,
				 strerror(-s.group));
	}
	t->waits_in = -1;
	t->task = sim_task_new(lab.sim, s.name, TASK_SCENARIO);
	t->task->body = t;
	t->task->group = s.group;
	err = lab.im->spawn(t->task, &s);
	if (err)
		lab_fail(__FILE__, __LINE__, "task \"%s\" is refused: %s", s.name, strerror(-err));
	t->task->prio = t->task->normal_prio = prio_of(&t->spec);
	t->task->policy = s.policy;
	engine_log(lab.sim, PROBE_TASK_NEW, t->task->id, t->task->prio);
	lab.im->start(t->task);
}

static void spawn_asked(void *arg)
{
	spawn(arg);
}

struct lab_task *lab_task_new(const struct lab_spec *spec)
{
	struct lab_task *t = &lab.tasks[lab.nr_tasks];

	if (lab.nr_tasks == LAB_TASKS_MAX)
		lab_fail(__FILE__, __LINE__, "more than %d tasks", LAB_TASKS_MAX);
	lab.nr_tasks++;
	*t = (struct lab_task){ .spec = *spec };
	lab_on_task(spawn_asked, t);
	return t;
}

/* ---- life of the machine */

int lab_open(const char *image, int cpus, const char *carrier, char *why, size_t n)
{
	struct sim_config c = { .machine = { .nr_cpus = cpus, .memory = MACHINE_MEMORY, .rcu_stall_ns = 21000000000ull,
					     .fair_server = true },
				.carrier = carrier_by_name(carrier), .duration_ns = SIM_NEVER,
				.events_max = EVENTS_MAX, .memory_max = MEMORY_MAX };
	struct image *img;
	int err = image_open(image, &img, why, n);

	if (!err)
		err = machine_new(img, &c, &lab.machine, why, n);
	if (err)
		return err;
	lab.cpus = cpus;
	lab.im = machine_image(lab.machine);
	lab.fresh = true;
	return 0;
}

void lab_close_machine(void)
{
	detect_free(lab.detect);
	machine_free(lab.machine);
	lab_free_memory();
	lab = (struct lab){ 0 };
}

static void irq_handler_body(void)
{
	lab.tasks[0].resumed = true;
	lab.im->wake(lab.tasks[0].task);
}

static void irq_handler(void *self, int line)
{
	struct lab_hook h;

	(void)self;
	if (line == LINE_BODY) {
		irq_handler_body();
		return;
	}
	h = lab.lines[line];
	lab.lines[line].fn = NULL;
	h.fn(h.arg);
}

static bool on_signal(void *self, int sig)
{
	struct lab_task *t = lab_task_of(sim_current(lab.sim));

	(void)self;
	(void)sig;
	if (t)
		t->nr_signals++;
	return false;
}

static bool alloc_fails(void *self)
{
	(void)self;
	if (!lab.fail_alloc || --lab.fail_alloc)
		return false;
	lab.alloc_failed = true;
	return true;
}

static const struct machine_hooks plain_hooks = {
	.task_main = task_main,
	.irq_handler = irq_handler,
	.signal = on_signal,
	.alloc_fails = alloc_fails,
};

void lab_begin(uint64_t seed, const char *verdict)
{
	static const struct detect_limits limits = { .starve_ns = 1000000000,
						     .inversion_ns = 1000000 };
	static const struct lab_spec body = { .name = "test", .fifo = 99 };

	if (!lab.fresh)
		SIM_CHECK(!machine_reset(lab.machine));
	lab.fresh = false;
	lab.sim = machine_sim(lab.machine);
	oracle_random_init(&lab.oracle, seed);
	sim_set_oracle(lab.sim, &lab.oracle.base);
	detect_free(lab.detect);
	lab.detect = detect_new(&limits);
	sim_clear_observers(lab.sim);
	SIM_CHECK(!sim_observe(lab.sim, detect_probe, lab.detect));
	SIM_CHECK(!sim_observe(lab.sim, lab_watch, NULL));
	machine_set_hooks(lab.machine, &plain_hooks);
	lab.im->focus->fentry_on = 0;
	lab.nr_tasks = 1;
	lab.nr_locks = lab.nr_on_lock = lab.nr_on_function = lab.nr_on_poll = 0;
	memset(lab.lines, 0, sizeof(lab.lines));
	lab.lines_made = 0;
	lab.fail_alloc = 0;
	lab.alloc_failed = false;
	lab.ask = NULL;
	lab.failure_file = NULL;
	lab.expected = verdict ? verdict : "ok";
	lab.tasks[0] = (struct lab_task){ .spec = body };
	SIM_CHECK(!lab.im->irq_new(LINE_BODY, 0, BRIDGE_IRQ_HARD, 0, "body"));
	spawn(&lab.tasks[0]);
}

void lab_end(void)
{
	lab.fail_alloc = 0;
	lab_run();
	lab_find_lost_wakeup();
	detect_end(lab.detect, lab.sim, sim_now(lab.sim));
	lab_judge();
}

/* ---- hooks of a test */

static void lock_hook(void *self, uint32_t lock, unsigned int mode, bool acquired,
		      const char *function)
{
	(void)self;
	(void)mode;
	(void)function;
	for (int i = 0; acquired && i < lab.nr_on_lock; i++)
		if (lab_is_lock(lock, lab.on_lock[i].name))
			lab.on_lock[i].fn(lab.on_lock[i].arg);
}

static void function_hook(void *self, const char *function)
{
	(void)self;
	for (int i = 0; i < lab.nr_on_function; i++)
		if (!strcmp(function, lab.on_function[i].name))
			lab.on_function[i].fn(lab.on_function[i].arg);
}

static void polled(void *self, int fd)
{
	(void)self;
	for (int i = 0; i < lab.nr_on_poll; i++)
		if (lab.on_poll[i].fd == fd)
			lab.on_poll[i].fn(lab.on_poll[i].arg);
}

static void add_hook(struct lab_hook *hooks, int *nr, const char *name, int fd,
		     void (*fn)(void *arg), void *arg)
{
	struct machine_hooks h = plain_hooks;

	if (*nr == LAB_HOOKS_MAX)
		lab_fail(__FILE__, __LINE__, "more than %d hooks of a kind", LAB_HOOKS_MAX);
	hooks[(*nr)++] = (struct lab_hook){ name, fd, fn, arg };
	h.lock_hook = lab.nr_on_lock ? lock_hook : NULL;
	h.function_hook = lab.nr_on_function ? function_hook : NULL;
	h.polled = lab.nr_on_poll ? polled : NULL;
	machine_set_hooks(lab.machine, &h);
	lab.im->focus->fentry_on = lab.nr_on_function > 0;
}

void lab_on_lock(const char *lock, void (*fn)(void *arg), void *arg)
{
	add_hook(lab.on_lock, &lab.nr_on_lock, lock, -1, fn, arg);
}

void lab_on_function(const char *function, void (*fn)(void *arg), void *arg)
{
	add_hook(lab.on_function, &lab.nr_on_function, function, -1, fn, arg);
}

void lab_file_on_poll(int fd, void (*fn)(void *arg), void *arg)
{
	add_hook(lab.on_poll, &lab.nr_on_poll, NULL, fd, fn, arg);
}

/* ---- interrupts: each call has a line of its own, one a kind and CPU once it is free again */

struct interrupt {
	int cpu;
	enum lab_context context;
	struct lab_hook hook;
};

static void interrupt_asked(void *arg)
{
	static const enum bridge_irq_kind kinds[] = { BRIDGE_IRQ_HARD, BRIDGE_IRQ_THREADED,
						      BRIDGE_IRQ_SOFT };
	struct interrupt *i = arg;
	int line = i->cpu * 3 + (int)i->context;

	if (line >= LAB_LINES_MAX)
		lab_fail(__FILE__, __LINE__, "CPU %d: tests have %d", i->cpu, LAB_LINES_MAX / 3);
	if (lab.lines[line].fn)
		lab_fail(__FILE__, __LINE__, "the interrupt before has not been served yet");
	if (!(lab.lines_made & (1u << line)) &&
	    lab.im->irq_new(line, i->cpu, kinds[i->context], 50, "test"))
		lab_fail(__FILE__, __LINE__, "no such interrupt on %s", lab.im->name);
	lab.lines_made |= 1u << line;
	lab.lines[line] = i->hook;
	engine_raise_line(lab.sim, (unsigned int)i->cpu, line);
}

void lab_interrupt(int cpu, enum lab_context context, void (*fn)(void *arg), void *arg)
{
	struct interrupt i = { .cpu = cpu, .context = context, .hook = { .fn = fn, .arg = arg } };

	lab_on_task(interrupt_asked, &i);
}

void lab_fail_alloc(unsigned int nth)
{
	lab.fail_alloc = nth;
	lab.alloc_failed = false;
}

bool lab_alloc_failed(void)
{
	return lab.alloc_failed;
}
