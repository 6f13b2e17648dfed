/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals and epoll_pwait(). */
#include "tests/eventpoll/common.h"

#define USR1 10
#define USR2 12
#define MASK(sig) (1ull << ((sig) - 1))

LAB_TEST(a_signal_ends_the_wait)
{
	struct waiter *w = asleep(lab_epoll(), 1, -1);

	lab_signal(w->task, USR1);
	lab_run();
	lab_equal(w->result, -EINTR);
	lab_equal(lab_signals(w->task), 1);
}

LAB_TEST(a_signal_and_a_wait_may_meet)
{
	struct waiter *w = waiter(lab_epoll(), 1, 10);

	lab_signal(w->task, USR1);
	lab_run();
	lab_check(w->result == -EINTR || w->result == 0);
	lab_equal(lab_signals(w->task), 1);
}

LAB_TEST(a_signal_of_one_waiter_is_nothing_to_another)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *a, *b;

	lab_add(ep, fd, IN | ET);
	a = asleep(ep, 1, -1);
	b = asleep(ep, 1, -1);
	lab_signal(a->task, USR1);
	lab_run_for(lab_ms(1));
	lab_equal(a->result, -EINTR);
	lab_check(!lab_ended(b->task));
	lab_post(fd);
	lab_run();
	lab_equal(b->result, 1);
}

struct masked {
	int ep, timeout_ms, result, first;
	uint64_t before, during;
	uint64_t after;		/* the mask behind the call */
	struct lab_task *task;
};

static void wait_masked(void *arg)
{
	struct masked *m = arg;

	lab_sigmask(m->before);
	m->result = lab_pwait(m->ep, NULL, 1, m->timeout_ms, m->during);
	m->after = lab_sigmask(m->before);
	lab_sigmask(0);
	lab_sleep(1);
}

static struct masked *masked(int ep, int timeout_ms, uint64_t before, uint64_t during)
{
	struct masked *m = lab_memory(sizeof(*m));

	*m = (struct masked){ .ep = ep, .timeout_ms = timeout_ms, .result = -1000,
			      .before = before, .during = during };
	m->task = lab_task("waiter", wait_masked, m, .fifo = 50);
	lab_run_for(lab_us(100));
	return m;
}

LAB_TEST(a_blocked_signal_does_not_end_the_wait)
{
	struct masked *m = masked(lab_epoll(), 10, MASK(USR1), MASK(USR1));

	lab_signal(m->task, USR1);
	lab_run();
	lab_equal(m->result, 0);
	lab_equal(lab_signals(m->task), 1);	/* when it is unblocked */
}

LAB_TEST(epoll_pwait_lets_a_blocked_signal_in)
{
	struct masked *m = masked(lab_epoll(), -1, MASK(USR1), 0);

	lab_signal(m->task, USR1);
	lab_run();
	lab_equal(m->result, -EINTR);
	lab_equal((int64_t)m->after, MASK(USR1));
}

LAB_TEST(epoll_pwait_holds_a_signal_back_while_it_waits)
{
	int ep = lab_epoll();
	struct masked *m = masked(ep, 10, 0, MASK(USR1));

	lab_signal(m->task, USR1);
	lab_run_for(lab_ms(5));
	lab_equal(lab_signals(m->task), 0);
	lab_run();
	lab_equal(m->result, 0);
	lab_equal(lab_signals(m->task), 1);
	lab_equal((int64_t)m->after, 0);
}

LAB_TEST(epoll_pwait_restores_the_mask_after_an_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct masked *m;

	lab_add(ep, fd, IN);
	m = masked(ep, -1, MASK(USR2), MASK(USR1));
	lab_run();
	lab_equal(m->result, 1);
	lab_equal((int64_t)m->after, MASK(USR2));
}

static void wait_with_signal_pending(void *arg)
{
	struct masked *m = arg;

	lab_sigmask(MASK(USR1));
	lab_sleep(lab_ms(2));
	m->result = lab_pwait(m->ep, NULL, 1, m->timeout_ms, 0);
	m->first = lab_wait(m->ep, NULL, 1, 0);
}

static struct masked *with_signal_pending(int ep, int timeout_ms)
{
	struct masked *m = lab_memory(sizeof(*m));

	*m = (struct masked){ .ep = ep, .timeout_ms = timeout_ms, .result = -1000 };
	m->task = lab_task("waiter", wait_with_signal_pending, m, .fifo = 50);
	lab_run_for(lab_ms(1));
	lab_signal(m->task, USR1);
	lab_run();
	/* if it has not ended the wait it stays blocked */
	lab_equal(lab_signals(m->task), m->result == -EINTR);
	return m;
}

LAB_TEST(a_signal_that_came_before_ends_the_wait_at_once)
{
	lab_equal(with_signal_pending(lab_epoll(), -1)->result, -EINTR);
}

LAB_TEST(an_event_comes_before_a_signal)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN);
	lab_equal(with_signal_pending(ep, -1)->result, 1);
}

LAB_TEST(a_wait_of_0_ms_is_no_wait_for_a_signal)
{
	lab_equal(with_signal_pending(lab_epoll(), 0)->result, 0);
}

LAB_TEST(a_signal_loses_no_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN | ET);
	w = asleep(ep, 1, -1);
	lab_task("producer", post_to, as_arg(fd), .fifo = 50);
	lab_signal(w->task, USR1);
	lab_run();
	lab_check(w->result == 1 || w->result == -EINTR);
	lab_equal((w->result == 1) + ready(ep), 1);
}

LAB_TEST(a_wake_up_of_a_waiter_that_leaves_by_signal_reaches_another)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *a, *b;

	lab_add(ep, fd, IN | ET);
	a = asleep(ep, 1, -1);
	b = asleep(ep, 1, 10);
	lab_task("producer", post_to, as_arg(fd), .fifo = 50);
	lab_signal(a->task, USR1);
	lab_run();
	/* nobody sleeps on while there is an event: b had it, or a had it */
	lab_equal((a->result == 1) + (b->result == 1), 1);
}
