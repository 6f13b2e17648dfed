/* SPDX-License-Identifier: GPL-2.0-only */
/* Epolls in epolls. */
#include "tests/eventpoll/common.h"

/* A chain of @n epolls, each in the one before it; the last one is returned. */
static int chain(int first, int n)
{
	int outer = first, inner = first;

	while (n--) {
		inner = lab_epoll();
		lab_equal(lab_add(outer, inner, IN), 0);
		outer = inner;
	}
	return inner;
}

LAB_TEST(an_epoll_is_ready_when_a_file_of_it_is)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);

	lab_add(inner, fd, IN);
	lab_equal(lab_add(outer, inner, IN), 0);
	lab_equal(ready(outer), 0);
	lab_post(fd);
	one_event(outer, inner, IN);
	one_event(outer, inner, IN);
	one_event(inner, fd, IN);
	lab_drain(fd);
	lab_equal(ready(outer), 0);
	lab_equal(ready(inner), 0);
}

LAB_TEST(a_ready_epoll_that_is_added_is_reported)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(1);

	lab_add(inner, fd, IN);
	lab_add(outer, inner, IN);
	one_event(outer, inner, IN);
}

LAB_TEST(an_event_wakes_through_three_levels)
{
	int outer = lab_epoll(), inner = chain(outer, 2), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(inner, fd, IN);
	w = asleep(outer, 1, -1);
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].events, IN);
}

LAB_TEST(waiters_of_both_levels_are_woken)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *a, *b;

	lab_add(inner, fd, IN);
	lab_add(outer, inner, IN);
	a = asleep(outer, 1, -1);
	b = asleep(inner, 1, -1);
	lab_post(fd);
	lab_run();
	lab_equal(a->result, 1);
	lab_equal(b->result, 1);
}

LAB_TEST(an_edge_triggered_epoll_tells_of_each_event_once)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);

	lab_add(inner, fd, IN);
	lab_add(outer, inner, IN | ET);
	lab_post(fd);
	one_event(outer, inner, IN);
	lab_equal(ready(outer), 0);
	lab_post(fd);
	one_event(outer, inner, IN);
	lab_equal(ready(outer), 0);
}

LAB_TEST(an_inner_event_that_was_taken_is_not_reported_outside)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);

	lab_add(inner, fd, IN | ET);
	lab_add(outer, inner, IN);
	lab_post(fd);
	one_event(inner, fd, IN);
	lab_equal(ready(outer), 0);
	lab_equal(lab_drain(fd), 1);
}

LAB_TEST(an_edge_triggered_file_inside_keeps_the_epoll_ready_until_it_is_taken)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);

	lab_add(inner, fd, IN | ET);
	lab_add(outer, inner, IN);
	lab_post(fd);
	one_event(outer, inner, IN);
	one_event(outer, inner, IN);
	one_event(inner, fd, IN);
	lab_equal(ready(outer), 0);
}

LAB_TEST(a_file_reaches_an_epoll_by_two_ways)
{
	int outer = lab_epoll(), left = lab_epoll(), right = lab_epoll(), fd = lab_eventfd(0);

	lab_add(left, fd, IN);
	lab_add(right, fd, IN);
	lab_equal(lab_add(outer, left, IN), 0);
	lab_equal(lab_add(outer, right, IN), 0);
	lab_equal(ready(outer), 0);
	lab_post(fd);
	lab_equal(ready(outer), 2);
	lab_drain(fd);
	lab_equal(ready(outer), 0);
}

LAB_TEST(closing_the_inner_epoll_takes_it_away)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(1);

	lab_add(inner, fd, IN);
	lab_add(outer, inner, IN);
	one_event(outer, inner, IN);
	lab_close(inner);
	lab_equal(ready(outer), 0);
	lab_post(fd);
	lab_equal(ready(outer), 0);
}

LAB_TEST(closing_the_outer_epoll_leaves_the_inner_one)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(0);

	lab_add(inner, fd, IN);
	lab_add(outer, inner, IN);
	lab_close(outer);
	lab_post(fd);
	one_event(inner, fd, IN);
}

LAB_TEST(a_loop_of_two_is_refused, .one_schedule = true)
{
	int a = lab_epoll(), b = lab_epoll(), fd = lab_eventfd(0);

	lab_equal(lab_add(a, b, IN), 0);
	lab_equal(lab_add(b, a, IN), -ELOOP);
	lab_equal(lab_add(b, fd, IN), 0);
	lab_equal(lab_del(a, b), 0);
	lab_equal(lab_add(b, a, IN), 0);
}

LAB_TEST(a_loop_of_three_is_refused, .one_schedule = true)
{
	int a = lab_epoll(), b = lab_epoll(), c = lab_epoll(), fd = lab_eventfd(1);

	lab_add(c, fd, IN);
	lab_equal(lab_add(a, b, IN), 0);
	lab_equal(lab_add(b, c, IN), 0);
	lab_equal(lab_add(c, a, IN), -ELOOP);
	one_event(a, b, IN);
	one_event(c, fd, IN);
}

LAB_TEST(five_levels_are_offered_and_six_refused, .one_schedule = true)
{
	int first = lab_epoll(), last = chain(first, 4), more = lab_epoll(), fd = lab_eventfd(1);

	lab_equal(lab_add(last, more, IN), -ELOOP);
	lab_equal(lab_add(more, first, IN), -ELOOP);
	lab_equal(lab_add(last, fd, IN), 0);
	lab_equal(ready(first), 1);
}

LAB_TEST(a_chain_is_not_made_too_long_from_the_middle, .one_schedule = true)
{
	int a = lab_epoll(), b = lab_epoll();
	int a_end = chain(a, 2), c = lab_epoll();

	chain(b, 2);
	lab_equal(lab_add(a_end, b, IN), -ELOOP);
	lab_equal(lab_add(c, a, IN), 0);
	chain(b, 0);
	lab_equal(lab_add(b, c, IN), 0);	/* b, c and three */
}

LAB_TEST(a_file_is_in_at_most_500_epolls_that_are_in_one, .one_schedule = true, .cpus = 1)
{
	int outer = lab_epoll(), fd = lab_eventfd(1), err = 0, nr;

	for (nr = 0; nr < 502 && !err; nr++) {
		int ep = lab_epoll();

		lab_equal(lab_add(outer, ep, IN), 0);
		err = lab_add(ep, fd, IN);
	}
	lab_equal(err, -EINVAL);
	lab_equal(nr, 501);
}

LAB_TEST(an_epoll_with_files_is_in_at_most_500_others, .one_schedule = true, .cpus = 1)
{
	int inner = lab_epoll(), fd = lab_eventfd(1), err = 0, nr;

	lab_equal(lab_add(inner, fd, IN), 0);
	for (nr = 0; nr < 502 && !err; nr++)
		err = lab_add(lab_epoll(), inner, IN);
	lab_equal(err, -EINVAL);
	lab_equal(nr, 501);
	/* what was refused has left nothing behind */
	lab_equal(lab_del(inner, fd), 0);
	lab_equal(lab_add(inner, fd, IN), 0);
}

LAB_TEST(paths_of_three_levels_are_fewer, .one_schedule = true, .cpus = 1)
{
	int top = lab_epoll(), fd = lab_eventfd(1), err = 0, nr;

	for (nr = 0; nr < 102 && !err; nr++) {
		int middle = lab_epoll(), low = lab_epoll();

		lab_equal(lab_add(top, middle, IN), 0);
		lab_equal(lab_add(middle, low, IN), 0);
		err = lab_add(low, fd, IN);
	}
	lab_equal(err, -EINVAL);
	lab_equal(nr, 101);
}

struct two {
	int a, b, err;
};

static void add_a_to_b(void *arg)
{
	struct two *t = arg;

	jitter();
	t->err = lab_add(t->b, t->a, IN);
}

LAB_TEST(of_two_that_would_make_a_loop_together_one_is_refused)
{
	struct two *x = lab_memory(2 * sizeof(*x)), *y = x + 1;

	*x = (struct two){ lab_epoll(), lab_epoll(), 1 };
	*y = (struct two){ x->b, x->a, 1 };
	lab_task("one", add_a_to_b, x);
	lab_task("other", add_a_to_b, y);
	lab_run();
	lab_check((x->err == 0 && y->err == -ELOOP) || (x->err == -ELOOP && y->err == 0));
}

LAB_TEST(poll_sees_an_epoll_as_a_file)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct pollfd p = { .fd = ep, .events = POLLIN };

	lab_add(ep, fd, IN);
	lab_equal(lab_poll(&p, 1, 0), 0);
	lab_post(fd);
	lab_equal(lab_poll(&p, 1, 0), 1);
	lab_equal(p.revents, POLLIN);
	lab_drain(fd);
	lab_equal(lab_poll(&p, 1, 0), 0);
}

struct poller {
	struct pollfd fd;
	int result;
};

static void poll_once(void *arg)
{
	struct poller *p = arg;

	p->result = lab_poll(&p->fd, 1, 1000);
}

LAB_TEST(poll_on_an_epoll_is_woken)
{
	struct poller *p = lab_memory(sizeof(*p));
	int ep = lab_epoll(), fd = lab_eventfd(0);

	p->fd = (struct pollfd){ .fd = ep, .events = POLLIN };
	p->result = -1;
	lab_add(ep, fd, IN);
	lab_task("poller", poll_once, p, .fifo = 50);
	lab_run_for(lab_ms(1));
	lab_equal(p->result, -1);
	lab_post(fd);
	lab_run_for(lab_ms(1));
	lab_equal(p->result, 1);
}

LAB_TEST(poll_and_epoll_are_both_woken)
{
	struct poller *p = lab_memory(sizeof(*p));
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	p->fd = (struct pollfd){ .fd = ep, .events = POLLIN };
	lab_add(ep, fd, IN);
	w = asleep(ep, 1, -1);
	lab_task("poller", poll_once, p, .fifo = 40);
	lab_run_for(lab_ms(1));
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(p->result, 1);
}

/* How deep the paths are that lead to one file, and how many there may be. */
static void paths(int levels, int limit)
{
	int top = lab_epoll(), fd = lab_eventfd(1), err = 0, nr;

	for (nr = 0; nr <= limit + 1 && !err; nr++)
		err = lab_add(chain(top, levels - 1), fd, IN);
	lab_equal(err, -EINVAL);
	lab_equal(nr, limit + 1);
}

LAB_TEST(paths_of_four_levels_are_50, .one_schedule = true, .cpus = 1)
{
	paths(4, 50);
}

LAB_TEST(paths_of_five_levels_are_10, .one_schedule = true, .cpus = 1)
{
	paths(5, 10);
}

/* What was visited by a short way counts by the long one too. */
LAB_TEST(a_long_way_down_counts_when_a_short_one_was_taken_before, .one_schedule = true)
{
	int c = lab_epoll(), p = lab_epoll(), x = lab_epoll(), top = lab_epoll();

	chain(c, 2);
	lab_equal(lab_add(p, c, IN), 0);
	lab_equal(lab_add(x, c, IN), 0);
	lab_equal(lab_add(x, p, IN), 0);
	lab_equal(lab_add(top, x, IN), -ELOOP);
}

LAB_TEST(a_long_way_up_counts_when_a_short_one_was_taken_before, .one_schedule = true)
{
	int e = lab_epoll(), c = chain(e, 2), p = lab_epoll(), x = lab_epoll(), leaf = lab_epoll();

	lab_equal(lab_add(c, p, IN), 0);
	lab_equal(lab_add(p, x, IN), 0);
	lab_equal(lab_add(c, x, IN), 0);
	lab_equal(lab_add(x, leaf, IN), -ELOOP);
}

LAB_TEST(a_modification_inside_wakes_the_waiter_outside)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(inner, fd, OUT << 1);
	lab_add(outer, inner, IN);
	w = asleep(outer, 1, -1);
	lab_mod(inner, fd, IN);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(an_addition_inside_wakes_the_waiter_outside)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(outer, inner, IN);
	w = asleep(outer, 1, -1);
	lab_add(inner, fd, IN);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(an_item_that_is_not_ready_is_asked_once)
{
	int ep = lab_epoll(), fd = lab_file();
	struct pollfd p = { .fd = ep, .events = POLLIN };
	long polls;

	lab_add(ep, fd, IN);
	lab_file_wake(fd, IN);
	lab_equal(lab_poll(&p, 1, 0), 0);
	polls = lab_file_set(fd, 0);
	lab_equal(lab_poll(&p, 1, 0), 0);
	lab_equal(lab_file_set(fd, 0), polls);
}
