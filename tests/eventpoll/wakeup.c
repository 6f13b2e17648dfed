/* SPDX-License-Identifier: GPL-2.0-only */
/* EPOLLWAKEUP: no suspending while an event is on its way. */
#include "tests/eventpoll/common.h"

#define WAKEUP EPOLLWAKEUP

LAB_TEST(an_edge_keeps_the_machine_awake_until_it_is_taken)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_equal(lab_add(ep, fd, IN | ET | WAKEUP), 0);
	lab_equal(lab_awake(), 0);
	lab_post(fd);
	lab_equal(lab_awake(), 1);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 0);
	lab_post(fd);
	lab_equal(lab_awake(), 1);
}

LAB_TEST(a_level_keeps_the_machine_awake_until_it_is_read_and_seen)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | WAKEUP);
	lab_post(fd);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 1);
	lab_drain(fd);
	lab_equal(ready(ep), 0);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(an_event_without_the_flag_keeps_nothing_awake)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN);
	lab_post(fd);
	lab_equal(lab_awake(), 0);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(a_ready_file_that_is_added_keeps_the_machine_awake)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET | WAKEUP);
	lab_equal(lab_awake(), 1);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(the_flag_comes_and_goes_with_a_modification)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET);
	one_event(ep, fd, IN);
	lab_mod(ep, fd, IN | ET | WAKEUP);
	lab_equal(lab_awake(), 1);
	one_event(ep, fd, IN);
	lab_mod(ep, fd, IN | ET | WAKEUP);
	lab_equal(lab_awake(), 1);
	lab_mod(ep, fd, IN | ET);
	lab_equal(lab_awake(), 0);
	one_event(ep, fd, IN);
	lab_post(fd);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(what_is_deleted_or_closed_keeps_nothing_awake)
{
	int ep = lab_epoll(), fd[3];
	size_t before;

	for (int i = 0; i < 3; i++)
		fd[i] = lab_eventfd(1);
	lab_close(lab_epoll());
	lab_run();
	before = lab_objects();
	for (int i = 0; i < 3; i++)
		lab_add(ep, fd[i], IN | WAKEUP);
	lab_equal(lab_awake(), 3);
	lab_del(ep, fd[0]);
	lab_equal(lab_awake(), 2);
	lab_close(fd[1]);
	lab_equal(lab_awake(), 1);
	lab_close(ep);
	lab_equal(lab_awake(), 0);
	lab_run();
	/* an eventfd and its file, the epoll and its file are gone */
	lab_check(lab_objects() <= before - 4);
}

static int awake_inside, again;

static void look_inside(void *arg)
{
	(void)arg;
	awake_inside = lab_awake();
	if (again-- > 0)
		lab_file_wake((int)(intptr_t)arg, IN);
}

LAB_TEST(the_machine_is_awake_while_events_are_handed_out)
{
	int ep = lab_epoll(), fd = lab_file();

	again = 0;
	lab_add(ep, fd, IN | ET | WAKEUP);
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	lab_file_on_poll(fd, look_inside, as_arg(fd));
	awake_inside = 0;
	one_event(ep, fd, IN);
	lab_check(awake_inside >= 1);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(an_edge_during_the_scan_keeps_the_machine_awake)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, IN | ET | WAKEUP);
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	again = 1;
	lab_file_on_poll(fd, look_inside, as_arg(fd));
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 1);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 0);
}

static int other_file;

static void wake_other(void *arg)
{
	(void)arg;
	lab_file_wake(other_file, IN);
	awake_inside = lab_awake();
}

LAB_TEST(a_file_that_becomes_ready_during_the_scan_counts_at_once)
{
	int ep = lab_epoll(), fd = lab_file();

	other_file = lab_file();
	lab_add(ep, fd, IN | ET | WAKEUP);
	lab_add(ep, other_file, IN | ET | WAKEUP);
	lab_file_set(fd, IN);
	lab_file_set(other_file, IN);
	lab_file_wake(fd, IN);
	lab_file_on_poll(fd, wake_other, NULL);
	one_event(ep, fd, IN);
	lab_equal(awake_inside, 2);	/* the epoll itself, and the other file */
	lab_equal(lab_awake(), 1);
	one_event(ep, other_file, IN);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(what_there_was_no_room_for_keeps_the_machine_awake)
{
	int ep = lab_epoll(), a = lab_eventfd(1), b = lab_eventfd(1);

	lab_add(ep, a, IN | ET | WAKEUP);
	lab_add(ep, b, IN | ET | WAKEUP);
	lab_equal(lab_wait(ep, NULL, 1, 0), 1);
	lab_equal(lab_awake(), 1);
	one_event(ep, b, IN);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(a_fault_leaves_the_machine_awake)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET | WAKEUP);
	lab_equal(lab_wait(ep, lab_memory_end(0), 1, 0), -EFAULT);
	lab_equal(lab_awake(), 1);
	one_event(ep, fd, IN);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(an_outer_epoll_that_finds_nothing_lets_go)
{
	int outer = lab_epoll(), inner = lab_epoll(), fd = lab_file();
	struct pollfd p = { .fd = inner, .events = POLLIN };

	lab_add(inner, fd, IN | WAKEUP);
	lab_add(outer, inner, IN);
	lab_file_wake(fd, IN);
	lab_equal(lab_awake(), 1);
	lab_equal(lab_poll(&p, 1, 0), 0);
	lab_equal(lab_awake(), 0);
}

LAB_TEST(a_wakeup_source_without_memory_is_refused_and_leaves_nothing, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(1), err;
	size_t before;

	lab_run();
	before = lab_objects();
	for (unsigned int n = 1; n < 20; n++) {
		lab_fail_alloc(n);
		err = lab_add(ep, fd, IN | WAKEUP);
		if (!lab_alloc_failed())
			break;
		lab_fail_alloc(0);
		lab_equal(err, -ENOMEM);
		lab_equal(lab_awake(), 0);
		lab_run();
		/* the epoll's own source, once made, stays */
		lab_check(lab_objects() <= before + 1);
	}
	lab_fail_alloc(0);
	lab_equal(err, 0);
	lab_equal(lab_awake(), 1);
}
