/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Smoke test of epoll on every image: what the ABI promises, on real code.
 */
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
#define ET (1u << 31)
#define ONESHOT (1u << 30)
#define ADD 1
#define DEL 2
#define MOD 3
#define NONBLOCK 04000

struct item {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

static const struct bridge_image *im;
static struct sim *sim;
static int failures;	/* cmocka may not jump off a task's stack */
static char first_failure[128];
static int shared_ep, shared_fd;

#define EXPECT(cond)                                                                              \
	do {                                                                                      \
		if (!(cond) && !failures++)                                                       \
			snprintf(first_failure, sizeof(first_failure), "line %d: %s", __LINE__,   \
				 #cond);                                                          \
	} while (0)

static long sys(enum bridge_sys nr, long a, long b, long c, long d)
{
	long arg[6] = { a, b, c, d, 0, 0 };

	return im->syscall(nr, arg);
}

static int ctl(int ep, int op, int fd, uint32_t events)
{
	struct item e = { events, (uint64_t)fd };

	return (int)sys(SYS_EPOLL_CTL, ep, op, fd, (long)&e);
}

static int wait_ms(int ep, struct item *out, int max, int timeout)
{
	return (int)sys(SYS_EPOLL_WAIT, ep, (long)out, max, timeout);
}

static int eventfd(uint64_t v)
{
	return (int)sys(SYS_EVENTFD2, (long)v, NONBLOCK, 0, 0);
}

static void post(int fd)
{
	uint64_t one = 1;

	EXPECT(sys(SYS_WRITE, fd, (long)&one, 8, 0) == 8);
}

static void drain(int fd)
{
	uint64_t v;

	EXPECT(sys(SYS_READ, fd, (long)&v, 8, 0) == 8);
}

static void level(void)
{
	int ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0), fd = eventfd(0);
	struct item out[4];

	EXPECT(!ctl(ep, ADD, fd, IN));
	EXPECT(ctl(ep, ADD, fd, IN) == -17);
	EXPECT(wait_ms(ep, out, 4, 0) == 0);
	post(fd);
	EXPECT(wait_ms(ep, out, 4, 0) == 1 && out[0].data == (uint64_t)fd && out[0].events == IN);
	EXPECT(wait_ms(ep, out, 4, 0) == 1);
	drain(fd);
	EXPECT(wait_ms(ep, out, 4, 0) == 0);
}

static void edge(void)
{
	int ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0), fd = eventfd(0);
	struct item out[4];

	EXPECT(!ctl(ep, ADD, fd, IN | ET));
	post(fd);
	EXPECT(wait_ms(ep, out, 4, 0) == 1);
	EXPECT(wait_ms(ep, out, 4, 0) == 0);
	post(fd);
	EXPECT(wait_ms(ep, out, 4, 0) == 1);
}

static void oneshot(void)
{
	int ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0), fd = eventfd(1);
	struct item out[4];

	EXPECT(!ctl(ep, ADD, fd, IN | ONESHOT));
	EXPECT(wait_ms(ep, out, 4, 0) == 1);
	post(fd);
	EXPECT(wait_ms(ep, out, 4, 0) == 0);
	EXPECT(!ctl(ep, MOD, fd, IN | ONESHOT));
	EXPECT(wait_ms(ep, out, 4, 0) == 1);
}

static void nested(void)
{
	int inner = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0), fd = eventfd(0);
	int outer = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	struct item out[4];

	EXPECT(!ctl(inner, ADD, fd, IN));
	EXPECT(!ctl(outer, ADD, inner, IN));
	EXPECT(ctl(inner, ADD, outer, IN) == -40);	/* ELOOP */
	EXPECT(wait_ms(outer, out, 4, 0) == 0);
	post(fd);
	EXPECT(wait_ms(outer, out, 4, 0) == 1 && out[0].data == (uint64_t)inner);
	EXPECT(!ctl(inner, DEL, fd, 0));
	EXPECT(wait_ms(outer, out, 4, 0) == 0);
}

static void timeout(void)
{
	int ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	uint64_t start = sim_now(sim), took;
	struct item out[4];

	EXPECT(wait_ms(ep, out, 4, 20) == 0);
	took = sim_now(sim) - start;
	EXPECT(took >= 20000000 && took < 20100000);
}

static void waiter(void)
{
	struct item out[4];

	shared_ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	shared_fd = eventfd(0);
	EXPECT(!ctl(shared_ep, ADD, shared_fd, IN));
	EXPECT(wait_ms(shared_ep, out, 4, 30) == 0);	/* its only file is closed meanwhile */
	EXPECT(sim_now(sim) > 29000000);
}

static void closer(void)
{
	sys(SYS_NANOSLEEP, 5000000, 0, 0, 0);
	EXPECT(!sys(SYS_CLOSE, shared_fd, 0, 0, 0));
	EXPECT(sys(SYS_CLOSE, shared_fd, 0, 0, 0) == -9);
}

static void consumer(void)
{
	struct item out[4];

	shared_ep = (int)sys(SYS_EPOLL_CREATE1, 0, 0, 0, 0);
	shared_fd = eventfd(0);
	EXPECT(!ctl(shared_ep, ADD, shared_fd, IN));
	EXPECT(wait_ms(shared_ep, out, 4, -1) == 1 && out[0].data == (uint64_t)shared_fd);
	EXPECT(sim_now(sim) >= 5000000 && sim_now(sim) < 6000000);
}

static void producer(void)
{
	sys(SYS_NANOSLEEP, 5000000, 0, 0, 0);
	post(shared_fd);
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	((void (*)(void))t->body)();
}

static void spawn(const char *name, void (*body)(void))
{
	struct bridge_spawn s = { .name = name, .cpus = 3, .policy = BRIDGE_SCHED_FIFO,
				  .priority = 50, .group = -1 };
	struct task *t = sim_task_new(sim, name, TASK_SCENARIO);

	t->body = (void *)body;
	assert_int_equal(im->spawn(t, &s), 0);
	im->start(t);
}

static void on_every_image(void (*first)(void), void (*second)(void))
{
	struct machine_hooks hooks = { .task_main = task_main };
	struct sim_config c = { .machine = { .nr_cpus = 2, .rcu_stall_ns = 21000000000ull },
				.duration_ns = 1000000000, .events_max = 1000000,
				.memory_max = 64u << 20 };
	char why[300], **names;
	int nr = image_names(&names);

	assert_true(nr >= 4);
	for (int i = 0; i < 2 * nr; i++) {
		struct oracle_random oracle;
		struct machine *m;
		struct image *img;

		c.carrier = i & 1 ? &carrier_pthread : &carrier_fiber;
		failures = 0;
		if (image_open(names[i / 2], &img, why, sizeof(why)))
			fail_msg("%s", why);
		if (!image_ops(img)->nr_units)
			continue;	/* no kernel, no files */
		if (machine_new(img, &c, &m, why, sizeof(why)))
			fail_msg("%s", why);
		sim = machine_sim(m);
		im = machine_image(m);
		machine_set_hooks(m, &hooks);
		oracle_random_init(&oracle, 1);
		sim_set_oracle(sim, &oracle.base);
		spawn("first", first);
		if (second)
			spawn("second", second);
		if (machine_run(m) != SIM_END_DONE || failures || sim_bug(sim))
			fail_msg("%s: %d failures: %s%s%s", im->name, failures, first_failure,
				 sim_bug(sim) ? sim_bug(sim) : "",
				 sim_bug(sim) ? sim_bug_detail(sim) : "");
		machine_free(m);
	}
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

#define TEST(name, first, second)                                                                 \
	static void name(void **state)                                                            \
	{                                                                                         \
		(void)state;                                                                      \
		on_every_image(first, second);                                                    \
	}

TEST(a_level_triggered_file_is_reported_until_it_is_read, level, NULL)
TEST(an_edge_triggered_file_is_reported_once_an_edge, edge, NULL)
TEST(a_oneshot_file_is_silent_until_it_is_rearmed, oneshot, NULL)
TEST(an_epoll_in_an_epoll_is_ready_when_its_file_is_and_loops_are_refused, nested, NULL)
TEST(a_wait_of_20_ms_ends_after_20_ms, timeout, NULL)
TEST(closing_the_file_under_a_waiter_is_safe, waiter, closer)
TEST(a_write_wakes_the_waiter, consumer, producer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_triggered_file_is_reported_until_it_is_read),
		cmocka_unit_test(an_edge_triggered_file_is_reported_once_an_edge),
		cmocka_unit_test(a_oneshot_file_is_silent_until_it_is_rearmed),
		cmocka_unit_test(an_epoll_in_an_epoll_is_ready_when_its_file_is_and_loops_are_refused),
		cmocka_unit_test(a_wait_of_20_ms_ends_after_20_ms),
		cmocka_unit_test(closing_the_file_under_a_waiter_is_safe),
		cmocka_unit_test(a_write_wakes_the_waiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
