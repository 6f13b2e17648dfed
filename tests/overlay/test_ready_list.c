/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ready list of epoll where CPUs interleave at memory accesses: the overlay's lock-free adds
 * lose nothing, the lock swap alone does.
 *
 * A run has two parts.  Producers on CPUs of their own write eventfds while a consumer takes the
 * events; then they write each file once more with nobody taking, and what is on the list must be
 * what is ready, forward and backward.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/image/image.h"

#define IN 1u
#define OUT 4u
#define ET (1u << 31)
#define ADD 1
#define NONBLOCK 04000
#define RDWR 2
#define PAGE 4096
#define FIFO_PAGES 16

#define PRODUCERS 3
#define FILES 3			/* of one producer */
#define NR_FILES (PRODUCERS * FILES)
#define FIFO NR_FILES		/* one more file, of all producers */
#define NR_READY (NR_FILES + 1)	/* in the end */
#define ROUNDS 2
#define START_SPREAD_NS 3000	/* about what a write takes */
#define LATE_SPREAD_NS 500
#define LATE_TURN_NS 50
#define SEEDS 10000

struct item {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

enum { SETUP, CONSUMER, PRODUCER, LATE = PRODUCER + PRODUCERS, NR_TASKS = LATE + PRODUCERS };

struct body {
	void (*fn)(int index);
	int index;
};

/* One image booted on one carrier. */
static struct machine *machine;
static const struct bridge_image *im;
static struct sim *sim;

/* One run. */
static struct body bodies[NR_TASKS];
static struct task *tasks[NR_TASKS];
static int ep, fds[NR_READY], nr_started, nr_late;
static char page[FIFO_PAGES * PAGE];
static char failure[200];	/* cmocka may not jump off a task's stack */
static uint64_t digest;
static bool overflowed;		/* events came during a scan */

static void __attribute__((format(printf, 1, 2))) failed(const char *fmt, ...)
{
	va_list ap;

	if (*failure)
		return;
	va_start(ap, fmt);
	vsnprintf(failure, sizeof(failure), fmt, ap);
	va_end(ap);
}

static long sys(enum bridge_sys nr, long a, long b, long c, long d)
{
	long arg[6] = { a, b, c, d, 0, 0 };

	return im->syscall(nr, arg);
}

/* ---- tasks */

static void post(int fd)
{
	uint64_t one = 1;

	if (sys(SYS_WRITE, fd, (long)&one, 8, 0) != 8)
		failed("a write failed");
}

/* What was posted since the last read; an edge may be told twice. */
static uint64_t take(int fd)
{
	uint64_t v = 0;
	long n = sys(SYS_READ, fd, (long)&v, 8, 0);

	if (n != 8 && n != -EAGAIN)
		failed("a read failed: %ld", n);
	return v;
}

/*
 * The FIFO is open for reading and writing, so one item hangs on two wait queues: a write wakes
 * one of them, a read of a full pipe the other, and two producers meet at one item.
 */
static void read_page(void)
{
	if (sys(SYS_READ, fds[FIFO], (long)page, PAGE, 0) != PAGE)
		failed("the FIFO is empty");
}

static void write_page(void)
{
	if (sys(SYS_WRITE, fds[FIFO], (long)page, PAGE, 0) != PAGE)
		failed("the FIFO is full");
}

static void post_files(int producer)
{
	for (int f = 0; f < FILES; f++)
		post(fds[producer * FILES + f]);
}

static void produce(int index)
{
	engine_burn(sim, engine_choose(sim, START_SPREAD_NS));
	for (int i = 0; i < ROUNDS; i++) {
		post_files(index);
		read_page();
		write_page();
	}
}

static void consume(int index)
{
	uint64_t got = 0;
	struct item out[2];

	(void)index;
	while (got < NR_FILES * ROUNDS) {
		long n = sys(SYS_EPOLL_WAIT, ep, (long)out, 2, -1);

		if (n <= 0)
			failed("epoll_wait without timeout returned %ld", n);
		for (long i = 0; i < n; i++)
			got += (int)out[i].data == fds[FIFO] ? 0 : take((int)out[i].data);
	}
	/* What is left are second edges; the FIFO then has room for one page and no event. */
	read_page();
	while (sys(SYS_EPOLL_WAIT, ep, (long)out, 2, 0) > 0)
		;
	for (int i = 0; i < PRODUCERS; i++)
		im->start(tasks[LATE + i]);
}

static void check_list(void)
{
	struct item out[NR_READY + 1];
	int told[NR_READY] = { 0 };
	bool overflow;
	int nr = im->ready_list(ep, &overflow);
	long n;

	if (nr == -EUCLEAN)
		failed("the ready list is corrupt");
	else if (nr != NR_READY || overflow)
		failed("%d items on the ready list, %d are ready", nr, NR_READY);
	n = sys(SYS_EPOLL_WAIT, ep, (long)out, NR_READY + 1, 0);
	if (n != NR_READY)
		failed("%ld events reported, %d items are ready", n, NR_READY);
	for (long i = 0; i < n; i++)
		for (int f = 0; f < NR_READY; f++)
			told[f] += fds[f] == (int)out[i].data;
	for (int f = 0; f < NR_READY; f++)
		if (told[f] != 1)
			failed("file %d is reported %d times", f, told[f]);
}

/* All begin at once, those of the FIFO with the events that meet. */
static void produce_late(int index)
{
	nr_started++;
	while (nr_started < PRODUCERS)
		engine_burn(sim, LATE_TURN_NS);
	engine_burn(sim, engine_choose(sim, LATE_SPREAD_NS));
	if (index == 0)
		write_page();
	else if (index == 1)
		read_page();
	post_files(index);
	if (++nr_late == PRODUCERS)
		check_list();
}

static void watch(int fd, uint32_t events)
{
	struct item e = { events, (uint64_t)fd };

	if (sys(SYS_EPOLL_CTL, ep, ADD, fd, (long)&e))
		failed("a file cannot be watched");
}

static void set_up(int index)
{
	int fifo[2];

	(void)index;
	ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	for (int f = 0; f < NR_FILES; f++) {
		fds[f] = (int)sys(SYS_EVENTFD2, 0, NONBLOCK, 0, 0);
		watch(fds[f], f % 2 ? IN | ET : IN);
	}
	sys(SYS_PIPE2, (long)fifo, RDWR | NONBLOCK, 0, 0);
	fds[FIFO] = fifo[0];
	if (sys(SYS_WRITE, fifo[0], (long)page, sizeof(page), 0) != sizeof(page))
		failed("the FIFO cannot be filled");
	watch(fifo[0], IN | OUT | ET);
	for (int i = CONSUMER; i < LATE; i++)
		im->start(tasks[i]);
}

/* ---- runs */

static void task_main(void *self, struct task *t)
{
	const struct body *b = t->body;

	(void)self;
	b->fn(b->index);
}

/* An event that comes during a scan is seen where a producer has left it, still in its section. */
static void observe(void *self, const struct sim *s, const struct probe *p)
{
	bool overflow = false;

	(void)self;
	for (size_t i = 0; i < sizeof(*p); i++)
		digest = (digest ^ ((const unsigned char *)p)[i]) * 0x100000001b3u;
	if (p->kind == PROBE_LOCK_RELEASED && p->arg == LOCK_READ &&
	    !strcmp(sim_lock(s, p->object)->name, "&ep->lock") &&
	    im->ready_list(ep, &overflow) != -EBADF)
		overflowed |= overflow;
}

static void spawn(int slot, const char *name, unsigned int cpu, void (*fn)(int), int index)
{
	struct bridge_spawn s = { .name = name, .cpus = 1ull << cpu,
				  .policy = BRIDGE_SCHED_FIFO, .priority = 50, .group = -1 };
	struct task *t = sim_task_new(sim, name, TASK_SCENARIO);

	bodies[slot] = (struct body){ fn, index };
	tasks[slot] = t;
	t->body = &bodies[slot];
	assert_int_equal(im->spawn(t, &s), 0);
}

/* NULL, or what went wrong. */
static const char *run_seed(uint64_t seed)
{
	struct oracle_random oracle;
	enum sim_end end;

	if (machine_reset(machine))
		return "no reset";
	sim = machine_sim(machine);
	sim_clear_observers(sim);
	sim_observe(sim, observe, NULL);
	oracle_random_init(&oracle, seed);
	sim_set_oracle(sim, &oracle.base);
	failure[0] = 0;
	overflowed = false;
	digest = 0xcbf29ce484222325u;
	nr_started = nr_late = 0;
	spawn(SETUP, "setup", 0, set_up, 0);
	spawn(CONSUMER, "consumer", 0, consume, 0);
	for (int i = 0; i < PRODUCERS; i++) {
		spawn(PRODUCER + i, "producer", 1 + (unsigned int)i, produce, i);
		spawn(LATE + i, "late", 1 + (unsigned int)i, produce_late, i);
	}
	im->start(tasks[SETUP]);
	end = machine_run(machine);
	sim_set_oracle(sim, NULL);
	if (sim_bug(sim))
		failed("%s: %s", sim_bug(sim), sim_bug_detail(sim));
	else if (end == SIM_END_EVENTS)
		failed("a loop without end");
	else if (end != SIM_END_DONE)
		failed("events are lost: all is quiet and the consumer sleeps");
	return *failure ? failure : NULL;
}

static void open_image(const char *name, const struct carrier_ops *carrier)
{
	struct machine_hooks hooks = { .task_main = task_main };
	struct sim_config c = { .machine = { .nr_cpus = 1 + PRODUCERS,
					     .rcu_stall_ns = 21000000000ull },
				.carrier = carrier, .duration_ns = 50000000,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct image *img;
	char why[300];

	if (image_open(name, &img, why, sizeof(why)) ||
	    machine_new(img, &c, &machine, why, sizeof(why)))
		fail_msg("%s", why);
	im = machine_image(machine);
	machine_set_hooks(machine, &hooks);
}

/* Number of failing seeds of @nr; all of them are told, or the first. */
static unsigned int failing_seeds(const char *image, unsigned int nr, bool all)
{
	unsigned int failing = 0, nr_overflowed = 0;

	open_image(image, &carrier_fiber);
	for (uint64_t seed = 1; seed <= nr; seed++) {
		const char *why = run_seed(seed);

		nr_overflowed += overflowed;
		if (!why)
			continue;
		if (all || !failing)
			print_message("%s, seed %llu: %s\n", image, (unsigned long long)seed, why);
		failing++;
	}
	machine_free(machine);
	print_message("%s: %u of %u seeds fail, in %u events came during a scan\n", image, failing,
		      nr, nr_overflowed);
	assert_true(nr_overflowed > nr / 10);
	return failing;
}

static void lock_free_adds_lose_nothing_in_10000_seeds(void **state)
{
	(void)state;
	assert_int_equal(failing_seeds("6.12-rt+rwlock@access", SEEDS, true), 0);
}

static void lock_free_adds_lose_nothing_where_locks_spin(void **state)
{
	(void)state;
	assert_int_equal(failing_seeds("6.12-vanilla+rwlock@access", SEEDS / 5, true), 0);
}

static void the_lock_swap_alone_fails_in_some_seeds(void **state)
{
	(void)state;
	assert_true(failing_seeds("6.12-rt+rwlock-naive@access", SEEDS, false) > 0);
}

static void a_seed_gives_one_digest_on_both_carriers(void **state)
{
	static const char *const images[] = { "6.12-rt+rwlock@access", "6.12-vanilla+rwlock@access" };
	uint64_t first[10];

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_image(images[i], &carrier_fiber);
		for (uint64_t seed = 0; seed < 10; seed++) {
			assert_null(run_seed(seed));
			first[seed] = digest;
			assert_true(!seed || first[seed] != first[seed - 1]);
		}
		for (uint64_t seed = 0; seed < 10; seed++) {
			assert_null(run_seed(seed));
			assert_true(digest == first[seed]);
		}
		machine_free(machine);
		open_image(images[i], &carrier_pthread);
		for (uint64_t seed = 0; seed < 10; seed++) {
			assert_null(run_seed(seed));
			assert_true(digest == first[seed]);
		}
		machine_free(machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lock_free_adds_lose_nothing_in_10000_seeds),
		cmocka_unit_test(lock_free_adds_lose_nothing_where_locks_spin),
		cmocka_unit_test(the_lock_swap_alone_fails_in_some_seeds),
		cmocka_unit_test(a_seed_gives_one_digest_on_both_carriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
