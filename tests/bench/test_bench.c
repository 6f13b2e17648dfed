/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measurements of one process, in one run; scons bench prints them, scons check only proves that
 * the measured work is done.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/eventq.h"
#include "sim/core/oracle.h"
#include "sim/image/image.h"

/*
 * Each figure is the best of several rounds, which take turns: another program on the machine
 * slows some rounds down and makes none of them faster.
 */
#define ROUNDS 7

static bool full;	/* scons bench */

static int rounds(void)
{
	return full ? ROUNDS : 1;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Time this process had a CPU: what others had in between is not ours to count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- switches */

static const struct carrier_ops *ops;
static struct carrier *host, *partner;
static long pings;

static void ponger(void *arg)
{
	(void)arg;
	for (;;) {
		pings++;
		ops->switch_to(partner, host);
	}
}

static double switch_ns(const struct carrier_ops *o, long n)
{
	double start;

	ops = o;
	pings = 0;
	host = o->host();
	partner = o->create(ponger, NULL);
	start = now();
	for (long i = 0; i < n; i++)
		o->switch_to(host, partner);
	start = (now() - start) / (double)(2 * n);
	assert_int_equal(pings, n);
	o->destroy(partner);
	return start;
}

/* The switch of carrier_fiber.c with nothing around it. */
void fiber_swap(void **save_sp, void *to_sp);
static void *bare_host_sp, *bare_sp;

static void bare_ponger(void)
{
	for (;;) {
		pings++;
		fiber_swap(&bare_sp, bare_host_sp);
	}
}

static double bare_ns(long n)
{
	static void *stack[8192] __attribute__((aligned(16)));
	double start;

	pings = 0;
	bare_sp = stack + 8192 - 9;	/* six registers, then where to go */
	stack[8192 - 3] = (void *)bare_ponger;
	start = now();
	for (long i = 0; i < n; i++)
		fiber_swap(&bare_host_sp, bare_sp);
	start = (now() - start) / (double)(2 * n);
	assert_int_equal(pings, n);
	return start;
}

static ucontext_t main_context, other_context;

static void uc_ponger(void)
{
	for (;;)
		swapcontext(&other_context, &main_context);
}

static double swapcontext_ns(long n)
{
	static char stack[65536];
	double start;

	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	makecontext(&other_context, uc_ponger, 0);
	start = now();
	for (long i = 0; i < n; i++)
		swapcontext(&main_context, &other_context);
	return (now() - start) / (double)(2 * n);
}

static atomic_uint batons[2];
static long futex_turns;

static void pass_on(int to)
{
	atomic_store(&batons[to], 1);
	syscall(SYS_futex, &batons[to], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await(int me)
{
	while (!atomic_load(&batons[me]))
		syscall(SYS_futex, &batons[me], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_store(&batons[me], 0);
}

static void *futex_ponger(void *arg)
{
	for (long i = 0; i < futex_turns; i++) {
		await(1);
		pass_on(0);
	}
	return arg;
}

/* After the pthread carrier has pinned the process: on one CPU, as it runs. */
static double futex_ns(long n)
{
	pthread_t t;
	double start;

	futex_turns = n;
	assert_int_equal(pthread_create(&t, NULL, futex_ponger, NULL), 0);
	start = now();
	for (long i = 0; i < n; i++) {
		pass_on(1);
		await(0);
	}
	start = (now() - start) / (double)(2 * n);
	pthread_join(t, NULL);
	return start;
}

static void every_switch_is_made(void **state)
{
	long n = full ? 500000 : 1000, m = full ? 20000 : 100;
	double fiber = INFINITY, bare = INFINITY, context = INFINITY, thread = INFINITY,
	       futex = INFINITY;

	(void)state;
	for (int i = 0; i < rounds(); i++) {
		fiber = least(fiber, switch_ns(&carrier_fiber, n));
		bare = least(bare, bare_ns(n));
		context = least(context, swapcontext_ns(n));
		thread = least(thread, switch_ns(&carrier_pthread, m));
		futex = least(futex, futex_ns(m));
	}
	if (!full)
		return;
	printf("switch, fiber carrier: %.1f ns, %.2f times a bare hand-written switch; swapcontext takes "
	       "%.1f times as long\n", fiber, fiber / bare, context / fiber);
	printf("switch, pthread carrier: %.0f ns, %.2f times a bare futex baton on one CPU\n", thread,
	       thread / futex);
}

/* ---- events */

static double event_ns(int nr, long n)
{
	struct event *e = calloc((size_t)nr, sizeof(*e));
	struct oracle_random o;
	struct eventq q;
	double start;
	uint64_t last = 0;

	oracle_random_init(&o, 1);
	eventq_init(&q);
	for (int i = 0; i < nr; i++) {
		event_init(&e[i], EVENT_CALL, 0);
		eventq_set(&q, &e[i], o.base.choose(&o.base, 1000));
	}
	start = now();
	for (long i = 0; i < n; i++) {
		struct event *x = eventq_pop(&q);

		assert_true(x->at >= last);
		last = x->at;
		eventq_set(&q, x, x->at + o.base.choose(&o.base, 1000));
	}
	start = (now() - start) / (double)n;
	eventq_free(&q);
	free(e);
	return start;
}

static void every_event_is_taken(void **state)
{
	long n = full ? 500000 : 1000;
	double ten = INFINITY, hundred = INFINITY, thousand = INFINITY;

	(void)state;
	for (int i = 0; i < rounds(); i++) {
		ten = least(ten, event_ns(10, n));
		hundred = least(hundred, event_ns(100, n));
		thousand = least(thousand, event_ns(1000, n));
	}
	if (full)
		printf("event queue: %.1f ns an event at 10, %.2f times that at 100, %.2f times at 1,000\n",
		       ten, hundred / ten, thousand / ten);
}

/* ---- reset and run */

static const struct bridge_image *im;
static int ep, fd, got;

static long sys(enum bridge_sys nr, long a, long b, long c, long d)
{
	long arg[6] = { a, b, c, d, 0, 0 };

	return im->syscall(nr, arg);
}

static void consumer(void)
{
	struct { uint32_t events; uint64_t data; } __attribute__((packed)) item = { 1, 5 }, out[2];

	ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	fd = (int)sys(SYS_EVENTFD2, 0, 0, 0, 0);
	sys(SYS_EPOLL_CTL, ep, 1, fd, (long)&item);
	got = (int)sys(SYS_EPOLL_WAIT, ep, (long)out, 2, -1);
}

static void producer(void)
{
	uint64_t one = 1;

	sys(SYS_WRITE, fd, (long)&one, 8, 0);
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static void spawn(struct sim *s, const char *name, int priority, void (*body)(void))
{
	struct bridge_spawn spec = { .name = name, .cpus = 1, .policy = BRIDGE_SCHED_FIFO,
				     .priority = priority, .group = -1 };
	struct task *t = sim_task_new(s, name, TASK_SCENARIO);

	t->body = (void *)body;
	im->spawn(t, &spec);
	im->start(t);
}

static double run_ns(const char *image, int cpus, long n)
{
	struct machine_hooks hooks = { .task_main = task_main };
	struct sim_config c = { .machine = { .nr_cpus = cpus, .rcu_stall_ns = 21000000000ull },
				.carrier = &carrier_fiber, .duration_ns = 1000000000,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct machine *m;
	struct image *img;
	char why[300];
	double start;

	if (image_open(image, &img, why, sizeof(why)) || machine_new(img, &c, &m, why, sizeof(why)))
		fail_msg("%s", why);
	machine_set_hooks(m, &hooks);
	start = now();
	for (long i = 0; i < n; i++) {
		struct oracle_random o;

		if (i)
			assert_int_equal(machine_reset(m), 0);
		im = machine_image(m);
		oracle_random_init(&o, (uint64_t)i);
		sim_set_oracle(machine_sim(m), &o.base);
		spawn(machine_sim(m), "consumer", 50, consumer);
		spawn(machine_sim(m), "producer", 40, producer);
		got = 0;
		assert_int_equal(machine_run(m), SIM_END_DONE);
		assert_int_equal(got, 1);
	}
	start = (now() - start) / (double)n;
	machine_free(m);
	return start;
}

static void every_reset_runs_the_test_again(void **state)
{
	long n = full ? 20000 : 50;
	double tree[2] = { INFINITY, INFINITY }, sim[2] = { INFINITY, INFINITY };

	(void)state;
	for (int i = 0; i < rounds(); i++) {
		for (int cpus = 1; cpus <= 2; cpus++) {
			tree[cpus - 1] = least(tree[cpus - 1], run_ns("6.12-rt", cpus, n));
			sim[cpus - 1] = least(sim[cpus - 1], run_ns("6.12-rt@sched", cpus, n));
		}
	}
	if (!full)
		return;
	printf("resets and runs of the shortest epoll test, tree's scheduler: %.0f a second on 1 CPU, "
	       "%.0f on 2\n", 1e9 / tree[0], 1e9 / tree[1]);
	printf("resets and runs of the shortest epoll test, simulated scheduler: %.0f a second on "
	       "1 CPU, %.0f on 2\n", 1e9 / sim[0], 1e9 / sim[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_taken),
		cmocka_unit_test(every_reset_runs_the_test_again),
		cmocka_unit_test(every_switch_is_made),
	};

	full = argc > 1 && !strcmp(argv[1], "full");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
