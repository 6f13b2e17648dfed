/* SPDX-License-Identifier: GPL-2.0-only */
/* Edge-triggered and one-shot files. */
#include "tests/eventpoll/common.h"

LAB_TEST(an_edge_is_reported_once)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ET);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_file_that_is_ready_when_it_is_added_is_an_edge)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(edges_before_a_wait_are_one)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ET);
	for (int i = 0; i < 3; i++)
		lab_post(fd);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
	lab_equal(lab_drain(fd), 3);
}

LAB_TEST(every_write_to_a_pipe_is_an_edge)
{
	int ep = lab_epoll(), p[2];

	lab_pipe(p, 0);
	lab_add(ep, p[0], IN | ET);
	for (int i = 0; i < 3; i++) {
		lab_write(p[1], "x", 1);
		one_event(ep, p[0], IN);
		lab_equal(ready(ep), 0);
	}
}

LAB_TEST(an_edge_that_was_read_away_is_not_reported)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ET);
	lab_post(fd);
	lab_drain(fd);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	one_event(ep, fd, IN);
}

LAB_TEST(a_modification_is_an_edge_when_the_file_is_ready)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET);
	one_event(ep, fd, IN);
	lab_equal(lab_mod(ep, fd, IN | ET), 0);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
	lab_drain(fd);
	lab_mod(ep, fd, IN | ET);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_read_is_the_edge_of_who_waits_to_write)
{
	static char page[65536];
	int ep = lab_epoll(), p[2];

	lab_pipe(p, 04000);
	lab_add(ep, p[1], OUT | ET);
	one_event(ep, p[1], OUT);
	lab_write(p[1], page, sizeof(page));
	lab_equal(ready(ep), 0);
	lab_read(p[0], page, sizeof(page));
	one_event(ep, p[1], OUT);
	lab_equal(ready(ep), 0);
}

LAB_TEST(an_edge_wakes_the_waiter)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN | ET);
	w = asleep(ep, 4, -1);
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].events, IN);
	lab_equal(ready(ep), 0);
}

struct storm {
	int ep, fd, nr;
	int64_t got;
	int nr_woken;
};

static void post_many(void *arg)
{
	struct storm *s = arg;

	for (int i = 0; i < s->nr; i++) {
		jitter();
		lab_post(s->fd);
	}
}

/* As a program with edge-triggered files must: reads until there is nothing. */
static void drain_all(void *arg)
{
	struct storm *s = arg;
	int64_t n;

	while (s->got < s->nr) {
		lab_check(lab_wait(s->ep, NULL, 4, -1) == 1);
		s->nr_woken++;
		while ((n = lab_drain(s->fd)) > 0)
			s->got += n;
	}
}

static void edges_meet(uint32_t events)
{
	struct storm *s = lab_memory(sizeof(*s));

	*s = (struct storm){ .ep = lab_epoll(), .fd = lab_eventfd(0), .nr = 12 };
	lab_add(s->ep, s->fd, events);
	lab_task("consumer", drain_all, s);
	lab_task("producer", post_many, s);
	lab_run();
	lab_equal(s->got, 12);
	lab_check(s->nr_woken <= 12);
}

LAB_TEST(no_edge_is_lost_between_reading_and_waiting)
{
	edges_meet(IN | ET);
}

LAB_TEST(no_level_is_lost_between_reading_and_waiting)
{
	edges_meet(IN);
}

/* ---- one-shot */

LAB_TEST(a_oneshot_file_is_silent_until_it_is_rearmed)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ONESHOT);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	lab_equal(ready(ep), 0);
	lab_equal(lab_mod(ep, fd, IN | ONESHOT), 0);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_oneshot_file_that_is_disarmed_reports_no_error)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, IN | ONESHOT);
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	one_event(ep, fd, IN);
	lab_file_set(fd, IN | EPOLLERR);
	lab_file_wake(fd, EPOLLERR);
	lab_file_wake(fd, 0);
	lab_equal(ready(ep), 0);
	lab_mod(ep, fd, IN | ONESHOT);
	one_event(ep, fd, IN | EPOLLERR);
}

LAB_TEST(a_disarmed_file_wakes_nobody)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(ep, fd, IN | ONESHOT);
	lab_equal(ready(ep), 1);
	w = asleep(ep, 1, 10);
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 0);
}

LAB_TEST(rearming_wakes_the_waiter)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(ep, fd, IN | ONESHOT);
	lab_equal(ready(ep), 1);
	w = asleep(ep, 1, -1);
	lab_mod(ep, fd, IN | ONESHOT);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(a_oneshot_event_reaches_one_of_many_waiters)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), nr = 0;
	struct waiter *w[3];

	lab_add(ep, fd, IN | ONESHOT);
	for (int i = 0; i < 3; i++)
		w[i] = waiter(ep, 1, 20);
	lab_task("producer", post_to, as_arg(fd), .fifo = 50);
	lab_run();
	for (int i = 0; i < 3; i++)
		nr += w[i]->result;
	lab_equal(nr, 1);
}

LAB_TEST(oneshot_and_edge_go_together)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ET | ONESHOT);
	lab_post(fd);
	one_event(ep, fd, IN);
	lab_post(fd);
	lab_equal(ready(ep), 0);
	lab_mod(ep, fd, IN | ET | ONESHOT);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_oneshot_file_that_was_read_away_stays_armed)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ONESHOT);
	lab_post(fd);
	lab_drain(fd);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	one_event(ep, fd, IN);
}
