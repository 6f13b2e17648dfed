/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machines: a reset is as good as a boot, faults of kernel code are verdicts and not the end of
 * the process, and symbols are found.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/image/private.h"

#define MS 1000000ull
#define IMAGE "6.12-rt+rwlock"
#define IN 1u

static struct machine *m;
static const struct bridge_image *im;
static struct sim *sim;
static struct oracle_random oracle;
static uint64_t hash;
static int ep, fd, got, lines;

static long sys(enum bridge_sys nr, long a, long b, long c, long d)
{
	long arg[6] = { a, b, c, d, 0, 0 };

	return im->syscall(nr, arg);
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static void handler(void *self, int line)
{
	uint64_t one = 1;

	(void)self;
	lines++;
	if (line == 1)
		sys(SYS_WRITE, fd, (long)&one, 8, 0);
}

static void machine(const char *image, const struct carrier_ops *carrier, int cpus)
{
	const struct machine_hooks hooks = { .task_main = task_main, .irq_handler = handler };
	struct sim_config c = { .machine = { .nr_cpus = cpus, .rcu_stall_ns = 21000 * MS },
				.carrier = carrier, .duration_ns = 100 * MS,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct image *img;
	char why[300];

	if (image_open(image, &img, why, sizeof(why)) || machine_new(img, &c, &m, why, sizeof(why)))
		fail_msg("%s", why);
	machine_set_hooks(m, &hooks);
	sim = machine_sim(m);
	im = machine_image(m);
}

static void spawn(const char *name, int cpu, int priority, void (*body)(void))
{
	struct bridge_spawn s = { .name = name, .cpus = 1ull << cpu, .policy = BRIDGE_SCHED_FIFO,
				  .priority = priority, .group = -1 };
	struct task *t = sim_task_new(sim, name, TASK_SCENARIO);

	if (!priority) {
		s.policy = BRIDGE_SCHED_OTHER;
		s.group = 0;
	}
	t->body = (void *)body;
	assert_int_equal(im->spawn(t, &s), 0);
	im->start(t);
}

/* ---- going back */

static void consumer(void)
{
	struct { uint32_t events; uint64_t data; } __attribute__((packed)) item = { IN, 5 }, out[2];
	uint64_t v;

	ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	fd = (int)sys(SYS_EVENTFD2, 0, 0, 0, 0);
	sys(SYS_EPOLL_CTL, ep, 1, fd, (long)&item);
	for (int i = 0; i < 10; i++) {
		got += (int)sys(SYS_EPOLL_WAIT, ep, (long)out, 2, 5);
		sys(SYS_READ, fd, (long)&v, 8, 0);
	}
}

static void producer(void)
{
	uint64_t one = 1;

	for (int i = 0; i < 10; i++) {
		sys(SYS_NANOSLEEP, 700000, 0, 0, 0);
		sys(SYS_WRITE, fd, (long)&one, 8, 0);
	}
}

/* In a group with a quota: throttling, period timers, the fair class. */
static void burner(void)
{
	for (int i = 0; i < 40; i++)
		engine_burn(sim, 250000);
}

static void remember(void *self, const struct sim *s, const struct probe *p)
{
	const uint64_t words[] = { p->seq, p->at_ns, p->cpu, p->task, p->kind, p->object,
				   (uint64_t)p->arg };

	(void)self;
	(void)s;
	for (size_t i = 0; i < 7; i++)
		hash = (hash ^ words[i]) * 0x100000001b3u;
}

static void raise_line(struct sim *s, void *arg)
{
	(void)arg;
	engine_raise_line(s, 1, 1);
}

static uint64_t run(uint64_t seed, bool heavy)
{
	sim = machine_sim(m);
	hash = 0xcbf29ce484222325u;
	got = lines = 0;
	oracle_random_init(&oracle, seed);
	sim_set_oracle(sim, &oracle.base);
	sim_clear_observers(sim);
	assert_int_equal(sim_observe(sim, remember, NULL), 0);
	if (heavy) {
		int group = im->group_new("limited", 1 * MS, 2 * MS);

		assert_int_equal(group, 0);
		sim_group_named(sim, "limited");
		assert_int_equal(im->irq_new(1, 1, BRIDGE_IRQ_THREADED, 60, "nic"), 0);
		engine_call_at(sim, 3 * MS, raise_line, NULL);
		spawn("burner", 0, 0, burner);
	}
	spawn("consumer", 0, 50, consumer);
	spawn("producer", 1, 40, producer);
	if (machine_run(m) != SIM_END_DONE || sim_bug(sim))
		fail_msg("seed %d: %s %s", (int)seed, sim_bug(sim), sim_bug_detail(sim));
	assert_true(got >= 9);
	assert_int_equal(lines, heavy);
	return hash;
}

/* Every kind of run after every other, and each the same as on a machine that never ran. */
static void resets_equal_boots(const struct carrier_ops *carrier, int rounds)
{
	uint64_t fresh[4];

	for (uint64_t k = 0; k < 4; k++) {
		machine(IMAGE, carrier, 2);
		fresh[k] = run(k / 2 + 1, k % 2);
		machine_free(m);
		for (uint64_t j = 0; j < k; j++)
			assert_int_not_equal(fresh[j], fresh[k]);
	}
	machine(IMAGE, carrier, 2);
	for (int i = 0; i < rounds; i++) {
		uint64_t k = (uint64_t)(i * i + i / 3) % 4;

		if (i)
			assert_int_equal(machine_reset(m), 0);
		assert_int_equal(run(k / 2 + 1, k % 2), fresh[k]);
	}
	machine_free(m);
}

static void a_run_after_a_reset_is_a_run_after_a_boot_on_fibers(void **state)
{
	(void)state;
	resets_equal_boots(&carrier_fiber, 60);
}

static void a_run_after_a_reset_is_a_run_after_a_boot_on_threads(void **state)
{
	(void)state;
	resets_equal_boots(&carrier_pthread, 12);
}

static void an_image_has_one_machine_at_a_time(void **state)
{
	struct sim_config c = { .machine = { .nr_cpus = 1 }, .carrier = &carrier_fiber,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct machine *other;
	struct image *img;
	char why[300];

	(void)state;
	machine(IMAGE, &carrier_fiber, 1);
	assert_int_equal(image_open(IMAGE, &img, why, sizeof(why)), 0);
	assert_int_equal(machine_new(img, &c, &other, why, sizeof(why)), -EBUSY);
	assert_non_null(strstr(why, "has a machine already"));
	machine_free(m);
	assert_int_equal(image_open("6.12-nothing", &img, why, sizeof(why)), -ENOENT);
	assert_int_equal(image_open("../kernel/" IMAGE, &img, why, sizeof(why)), -ENOENT);
}

static void machines_of_two_images_live_side_by_side(void **state)
{
	struct machine *first;
	uint64_t alone, beside;

	(void)state;
	machine("6.12-rt", &carrier_fiber, 2);
	alone = run(1, true);
	first = m;
	machine(IMAGE, &carrier_fiber, 2);
	run(1, true);
	machine_free(m);
	m = first;
	im = machine_image(m);
	assert_int_equal(machine_reset(m), 0);
	beside = run(1, true);
	assert_int_equal(beside, alone);
	machine_free(m);
}

/* ---- faults */

static void *bad;

static void lock_badly(void)
{
	im->lock_op(bad, BRIDGE_LOCK_RTMUTEX, BRIDGE_OP_UNLOCK);
}

static void recurse_by_locks(void)
{
	im->lock_op(NULL, BRIDGE_LOCK_MUTEX, BRIDGE_OP_LOCK);
}

static void expect_bug(void (*body)(void), const char *what, const char *where)
{
	machine(IMAGE, &carrier_fiber, 2);
	/* twice: the machine lives on */
	for (int i = 0; i < 2; i++) {
		if (i)
			assert_int_equal(machine_reset(m), 0);
		sim = machine_sim(m);
		spawn("bad", 0, 50, body);
		assert_int_equal(machine_run(m), SIM_END_BUG);
		if (!strstr(sim_bug(sim), what) || !strstr(sim_bug_detail(sim), where))
			fail_msg("\"%s\" \"%s\"", sim_bug(sim), sim_bug_detail(sim));
	}
	assert_int_equal(machine_reset(m), 0);
	run(1, false);
	machine_free(m);
}

static void a_fault_of_kernel_code_is_a_bug_with_a_stack_and_the_machine_lives_on(void **state)
{
	(void)state;
	bad = (void *)16;
	expect_bug(lock_badly, "NULL pointer dereference", "rt_mutex");
	expect_bug(recurse_by_locks, "NULL pointer dereference", "mutex_lock");
	bad = (void *)0x6b6b6b6b6b6b6b6b;
	expect_bug(lock_badly, "use after free: a freed pointer was followed", "rt_mutex");
	bad = (void *)0x1000000;
	expect_bug(lock_badly, "bad memory access", "rt_mutex");
}

static void free_twice(void)
{
	void *p = m->host.alloc(sim, 100);

	m->host.free(sim, p);
	m->host.free(sim, p);
}

static void free_a_stranger(void)
{
	m->host.free(sim, &bad);
}

/* What the image's own poisoning must find, a sanitizer would find first. */
__attribute__((no_sanitize("address"))) static void write_late(void)
{
	char *p = m->host.alloc(sim, 100);

	m->host.free(sim, p);
	p[50] = 1;
	for (int i = 0; i < 1000; i++)
		m->host.free(sim, m->host.alloc(sim, 100));
}

static void take_all_memory(void)
{
	for (;;)
		m->host.alloc(sim, 1 << 20);
}

static void misuse_of_memory_is_a_bug_by_its_name(void **state)
{
	(void)state;
	expect_bug(free_twice, "double free", "kfree");
	expect_bug(free_a_stranger, "free of what was never allocated", "kfree");
#ifndef SIM_ASAN	/* which ends the process at the write itself */
	expect_bug(write_late, "use after free: freed memory was written to", "kernel memory");
#endif
	machine(IMAGE, &carrier_fiber, 1);
	spawn("glutton", 0, 50, take_all_memory);
	assert_int_equal(machine_run(m), SIM_END_MEMORY);
	machine_free(m);
}

/* ---- symbols */

static void symbols_are_found_by_address_and_by_name(void **state)
{
	const struct symbol *y, *in;
	struct image *img;
	struct symbols s;
	char why[300];

	(void)state;
	assert_int_equal(image_open(IMAGE, &img, why, sizeof(why)), 0);
	assert_int_equal(symbols_read(img->path, &s), 0);
	y = symbols_named(&s, "ep_poll_callback", STT_FUNC);	/* static in eventpoll.c */
	assert_non_null(y);
	assert_true(y->size > 16);
	in = symbols_at(&s, y->addr + y->size - 1, STT_FUNC);
	assert_ptr_equal(in, y);
	assert_ptr_equal(symbols_at(&s, y->addr, STT_FUNC), y);
	in = symbols_at(&s, y->addr + y->size, STT_FUNC);
	assert_true(!in || in != y);
	assert_null(symbols_at(&s, y->addr, STT_OBJECT));
	assert_null(symbols_named(&s, "ep_poll_callback", STT_OBJECT));
	assert_null(symbols_named(&s, "no_such_function", STT_FUNC));
	assert_null(symbols_at(&s, 0, STT_FUNC));
	symbols_free(&s);
	assert_string_equal(image_symbol(img, image_function(img, "ep_poll_callback")),
			    "ep_poll_callback");
	assert_null(image_symbol(img, &s));
}

static void a_file_that_is_no_shared_object_has_no_symbols(void **state)
{
	struct symbols s;

	(void)state;
	assert_int_equal(symbols_read("/etc/passwd", &s), -ENOEXEC);
	assert_int_equal(symbols_read("/nowhere", &s), -ENOENT);
	assert_true(symbols_read("/dev/null", &s) < 0);
	assert_null(s.all);
}

static int hooked;

static void count_lock(void *self, uint32_t lock, unsigned int mode, bool acquired,
		       const char *function)
{
	(void)self;
	(void)lock;
	(void)mode;
	(void)acquired;
	(void)function;
	hooked++;
}

/* On threads a reset is a boot, which takes locks as well. */
static void a_reset_calls_no_hook_of_the_run_before(void **state)
{
	struct machine_hooks hooks = { .lock_hook = count_lock };

	(void)state;
	machine("6.12-rt", &carrier_pthread, 2);
	machine_set_hooks(m, &hooks);
	hooked = 0;
	assert_int_equal(machine_reset(m), 0);
	assert_int_equal(hooked, 0);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_after_a_reset_is_a_run_after_a_boot_on_fibers),
		cmocka_unit_test(a_run_after_a_reset_is_a_run_after_a_boot_on_threads),
		cmocka_unit_test(a_reset_calls_no_hook_of_the_run_before),
		cmocka_unit_test(an_image_has_one_machine_at_a_time),
		cmocka_unit_test(machines_of_two_images_live_side_by_side),
		cmocka_unit_test(a_fault_of_kernel_code_is_a_bug_with_a_stack_and_the_machine_lives_on),
		cmocka_unit_test(misuse_of_memory_is_a_bug_by_its_name),
		cmocka_unit_test(symbols_are_found_by_address_and_by_name),
		cmocka_unit_test(a_file_that_is_no_shared_object_has_no_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
