/* SPDX-License-Identifier: GPL-2.0-only */
/* How long epoll_wait() waits. */
#include "tests/eventpoll/common.h"

/* Of a FIFO task: the way into the call and out of it. */
#define SLACK lab_us(100)

static uint64_t took(const struct waiter *w)
{
	return w->ended - w->began;
}

LAB_TEST(a_timeout_of_0_returns_at_once)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = waiter(ep, 1, 0);
	lab_run();
	lab_equal(w->result, 0);
	lab_check(took(w) < SLACK);
}

LAB_TEST(a_timeout_of_0_takes_what_there_is)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = waiter(ep, 1, 0);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(a_finite_timeout_ends_on_time)
{
	struct waiter *w = waiter(lab_epoll(), 1, 20);

	lab_run();
	lab_equal(w->result, 0);
	lab_check(took(w) >= lab_ms(20) && took(w) < lab_ms(20) + SLACK);
}

LAB_TEST(a_timeout_of_1_ms_is_no_less)
{
	struct waiter *w = waiter(lab_epoll(), 1, 1);

	lab_run();
	lab_check(took(w) >= lab_ms(1) && took(w) < lab_ms(1) + SLACK);
}

static void wait_7_ms(void *arg)
{
	wait_once(arg);
}

LAB_TEST(a_fair_task_waits_with_its_timer_slack)
{
	struct waiter *w = lab_memory(sizeof(*w));

	*w = (struct waiter){ .ep = lab_epoll(), .max = 1, .timeout_ms = 7 };
	w->task = lab_task("fair", wait_7_ms, w);
	lab_run();
	lab_equal(w->result, 0);
	/* nothing else expires, so the slack is used up */
	lab_check(took(w) >= lab_us(7050) && took(w) < lab_us(7050) + SLACK);
}

LAB_TEST(an_infinite_timeout_waits_for_the_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, -1);
	lab_run_for(lab_ms(10000));
	lab_check(!lab_ended(w->task));
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(any_negative_timeout_is_infinite)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, INT32_MIN);
	lab_run_for(lab_ms(5000));
	lab_check(!lab_ended(w->task));
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(an_event_ends_the_wait_before_its_timeout)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 50);
	lab_run_for(lab_ms(5));
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
	lab_check(took(w) < lab_ms(6));
}

static void post_at_the_end(void *fd)
{
	lab_sleep(lab_us(9990) + lab_choose(30000));
	post_to(fd);
}

LAB_TEST(an_event_at_the_time_of_the_timeout_is_not_lost)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN | ET);
	lab_task("producer", post_at_the_end, as_arg(fd), .fifo = 50);
	w = waiter(ep, 1, 10);
	lab_run();
	lab_check(w->result == 0 || w->result == 1);
	lab_equal(w->result + ready(ep), 1);
}

static int nr_ready;

static void wait_and_count(void *arg)
{
	int n = lab_wait((int)(intptr_t)arg, NULL, 1, 10);

	lab_check(n >= 0);
	nr_ready += n;
}

LAB_TEST(a_wake_up_at_the_time_of_the_timeout_reaches_somebody)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	nr_ready = 0;
	lab_add(ep, fd, IN | ET);
	for (int i = 0; i < 3; i++)
		lab_task("waiter", wait_and_count, as_arg(ep), .fifo = 50);
	lab_task("producer", post_at_the_end, as_arg(fd), .fifo = 50);
	lab_run();
	lab_equal(nr_ready + ready(ep), 1);
}

/* The one whose time is over has been told, and the other sleeps on: somebody must take it. */
LAB_TEST(a_waiter_that_was_told_as_its_time_ended_takes_the_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *forever, *w;

	lab_add(ep, fd, IN | ET);
	forever = asleep(ep, 1, -1);
	lab_task("producer", post_at_the_end, as_arg(fd), .fifo = 60);
	w = waiter(ep, 1, 10);
	lab_run();
	lab_equal((w->result == 1) + (forever->result == 1), 1);
}

struct precise {
	int ep, result;
	struct timespec timeout;
	uint64_t took;
};

static void wait_precisely(void *arg)
{
	struct precise *p = arg;
	uint64_t began = lab_now();

	p->result = lab_pwait2(p->ep, NULL, 1, &p->timeout);
	p->took = lab_now() - began;
}

LAB_TEST(epoll_pwait2_counts_nanoseconds)
{
	struct precise *p = lab_memory(sizeof(*p));

	*p = (struct precise){ .ep = lab_epoll(), .timeout = { 1, 234567 } };
	lab_task("waiter", wait_precisely, p, .fifo = 50);
	lab_run();
	lab_equal(p->result, 0);
	lab_check(p->took >= 1000234567);
	lab_check(p->took < 1000234567 + SLACK);
}

LAB_TEST(epoll_pwait2_without_a_timeout_waits_for_the_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN);
	lab_equal(lab_pwait2(ep, NULL, 1, NULL), 1);
}

LAB_TEST(epoll_pwait2_refuses_what_is_no_time, .one_schedule = true)
{
	const struct timespec bad[] = { { -1, 0 }, { 0, -1 }, { 0, 1000000000 } };
	const struct timespec zero = { 0, 0 };
	int ep = lab_epoll();

	for (int i = 0; i < 3; i++)
		lab_equal(lab_pwait2(ep, NULL, 1, &bad[i]), -EINVAL);
	lab_equal(lab_pwait2(ep, NULL, 1, &zero), 0);
	lab_equal(lab_pwait2(ep, NULL, 1, lab_memory_end(0)), -EFAULT);
}
