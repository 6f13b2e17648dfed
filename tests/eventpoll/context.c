/* SPDX-License-Identifier: GPL-2.0-only */
/* Events out of interrupts, and what epoll's own locks do meanwhile. */
#include "tests/eventpoll/common.h"

static void wakes_from(enum lab_context context)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, -1);
	lab_interrupt(0, context, post_to, as_arg(fd));
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].data.u64, fd);
}

LAB_TEST(an_event_in_a_soft_interrupt_wakes_the_waiter)
{
	wakes_from(LAB_SOFTIRQ);
}

LAB_TEST(an_event_in_an_interrupt_thread_wakes_the_waiter)
{
	wakes_from(LAB_IRQ_THREAD);
}

/* On PREEMPT_RT epoll's lock sleeps: a driver's handler is a thread there. */
LAB_TEST(an_event_in_a_hard_interrupt_wakes_the_waiter, .images = "*vanilla*")
{
	wakes_from(LAB_HARD_IRQ);
}

static int ep_now, fd_now;

static void take_them(void *arg)
{
	(void)arg;
	for (int i = 0; i < 6; i++) {
		jitter();
		lab_check(ready(ep_now) >= 0);
	}
}

static void interrupts_meet_scans(enum lab_context context)
{
	ep_now = lab_epoll();
	fd_now = lab_eventfd(0);
	lab_add(ep_now, fd_now, IN | ET);
	lab_task("taker", take_them, NULL);
	lab_interrupt(0, context, post_to, as_arg(fd_now));
	lab_run();
	lab_equal(lab_post(fd_now), 8);
	one_event(ep_now, fd_now, IN);
	lab_equal(lab_drain(fd_now), 2);
}

LAB_TEST(soft_interrupts_and_scans_may_meet)
{
	interrupts_meet_scans(LAB_SOFTIRQ);
}

LAB_TEST(interrupt_threads_and_scans_may_meet)
{
	interrupts_meet_scans(LAB_IRQ_THREAD);
}

LAB_TEST(hard_interrupts_and_scans_may_meet, .images = "*vanilla*")
{
	interrupts_meet_scans(LAB_HARD_IRQ);
}

static void post_once(void *fd)
{
	static bool inside;

	if (inside)
		return;
	inside = true;
	post_to(fd);
	inside = false;
}

static void interrupt_the_holder(void *fd)
{
	static bool inside;

	if (!inside && lab_now() > lab_ms(1)) {
		inside = true;
		lab_interrupt(0, LAB_HARD_IRQ, post_once, fd);
		lab_burn(lab_us(20));
		inside = false;
	}
}

/* The lock is held with interrupts off, or this would be a deadlock. */
LAB_TEST(an_interrupt_waits_while_its_cpu_has_the_lock, .images = "*-vanilla,*-vanilla@sched",
	 .cpus = 1)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), other = lab_eventfd(1);

	lab_add(ep, fd, IN | ET);
	lab_add(ep, other, IN | ET);
	lab_sleep(lab_ms(2));
	lab_on_lock("&ep->lock", interrupt_the_holder, as_arg(fd));
	lab_check(ready(ep) >= 1);
	lab_run();
	lab_check(lab_drain(fd) >= 1);
}

static void add_timer(void *arg)
{
	int ep = lab_epoll(), fd = lab_timerfd(lab_us(500), 0);

	(void)arg;
	lab_add(ep, fd, IN);
	lab_equal(lab_wait(ep, NULL, 1, -1), 1);
	lab_equal(lab_drain(fd), 1);
}

LAB_TEST(timers_expire_on_every_cpu)
{
	for (int i = 0; i < 4; i++)
		lab_task("waiter", add_timer, NULL, .fifo = 20 + i);
	lab_run();
}
