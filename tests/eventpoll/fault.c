/* SPDX-License-Identifier: GPL-2.0-only */
/* Bad memory of the caller, and memory the kernel does not get. */
#include "tests/eventpoll/common.h"

#define EVENT sizeof(struct epoll_event)

LAB_TEST(a_bad_event_of_epoll_ctl_is_a_fault, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_equal(lab_ctl_at(ep, EPOLL_CTL_ADD, fd, NULL), -EFAULT);
	lab_equal(ready(ep), 0);
	lab_equal(lab_add(ep, fd, IN), 0);
	lab_equal(lab_ctl_at(ep, EPOLL_CTL_MOD, fd, lab_memory_end(EVENT - 1)), -EFAULT);
	one_event(ep, fd, IN);
	lab_equal(lab_ctl_at(ep, EPOLL_CTL_DEL, fd, NULL), 0);	/* it is not looked at */
}

LAB_TEST(bad_room_for_events_is_a_fault_when_there_is_one)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct epoll_event *bad = lab_memory_end(0);

	lab_add(ep, fd, IN);
	lab_equal(lab_wait(ep, bad, 4, 0), 0);
	lab_post(fd);
	lab_equal(lab_wait(ep, bad, 4, 0), -EFAULT);
	one_event(ep, fd, IN);
}

LAB_TEST(an_edge_that_could_not_be_told_is_told_again)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN | ET);
	lab_post(fd);
	lab_equal(lab_wait(ep, lab_memory_end(0), 4, 0), -EFAULT);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_oneshot_file_that_could_not_be_told_stays_armed)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ONESHOT);
	lab_equal(lab_wait(ep, lab_memory_end(0), 4, 0), -EFAULT);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_fault_in_the_middle_of_a_batch_loses_nothing)
{
	struct epoll_event *room = lab_memory_end(2 * EVENT), e[8];
	int ep = lab_epoll(), fd[5];

	for (int i = 0; i < 5; i++) {
		fd[i] = lab_eventfd(1);
		lab_add(ep, fd[i], IN | ET);
	}
	lab_equal(lab_wait(ep, room, 5, 0), 2);
	lab_equal(room[0].data.u64, fd[0]);
	lab_equal(room[1].data.u64, fd[1]);
	lab_equal(lab_wait(ep, e, 8, 0), 3);
	for (int i = 0; i < 3; i++)
		lab_equal(e[i].data.u64, fd[2 + i]);
}

LAB_TEST(half_an_event_is_no_event)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | ET);
	lab_equal(lab_wait(ep, lab_memory_end(EVENT - 1), 1, 0), -EFAULT);
	one_event(ep, fd, IN);
}

LAB_TEST(a_fault_leaves_the_event_to_another_waiter)
{
	struct waiter *w;
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct epoll_event *bad = lab_memory_end(0);

	lab_add(ep, fd, IN | ET);
	lab_post(fd);
	w = waiter(ep, 1, 10);
	lab_check(lab_wait(ep, bad, 1, 0) <= 0);
	lab_run();
	lab_equal(w->result, 1);
}

/* ---- allocations that fail, each in its turn */

/* Does @fn with the Nth allocation failing, for every N; what it says each time is @expected. */
static void every_allocation_fails(int (*fn)(void), int expected, int other)
{
	size_t before;
	int ret;

	lab_run();
	before = lab_objects();
	for (unsigned int n = 1;; n++) {
		lab_fail_alloc(n);
		ret = fn();
		if (!lab_alloc_failed())
			break;
		lab_fail_alloc(0);
		lab_check(n < 20);
		lab_check(ret == expected || ret == other);
		lab_run();
		lab_equal((int64_t)lab_objects(), (int64_t)before);
	}
	lab_fail_alloc(0);
	lab_check(ret >= 0);
}

static int the_ep, the_fd;

static int make_epoll(void)
{
	return lab_epoll();
}

LAB_TEST(an_epoll_without_memory_is_refused_and_leaves_nothing)
{
	int fd = lab_epoll();

	lab_close(fd);	/* the table of files is there */
	every_allocation_fails(make_epoll, -ENOMEM, -ENFILE);
	lab_equal(lab_close(fd), 0);	/* no number was used up */
}

static int add_fd(void)
{
	return lab_add(the_ep, the_fd, IN);
}

LAB_TEST(an_item_without_memory_is_refused_and_leaves_nothing)
{
	the_ep = lab_epoll();
	the_fd = lab_eventfd(1);
	every_allocation_fails(add_fd, -ENOMEM, -ENOMEM);
	one_event(the_ep, the_fd, IN);
}

LAB_TEST(a_file_whose_item_was_refused_is_as_before)
{
	the_ep = lab_epoll();
	the_fd = lab_eventfd(0);
	every_allocation_fails(add_fd, -ENOMEM, -ENOMEM);
	lab_equal(lab_del(the_ep, the_fd), 0);
	lab_post(the_fd);
	lab_equal(ready(the_ep), 0);
	lab_equal(lab_close(the_fd), 0);
}

LAB_TEST(a_nested_epoll_without_memory_is_refused_and_leaves_nothing)
{
	int fd = lab_eventfd(1);

	the_ep = lab_epoll();
	the_fd = lab_epoll();
	lab_add(the_fd, fd, IN);
	every_allocation_fails(add_fd, -ENOMEM, -ENOMEM);
	one_event(the_ep, the_fd, IN);
}

LAB_TEST(a_second_watch_without_memory_leaves_the_first)
{
	int first = lab_epoll();

	the_ep = lab_epoll();
	the_fd = lab_eventfd(1);
	lab_add(first, the_fd, IN);
	every_allocation_fails(add_fd, -ENOMEM, -ENOMEM);
	one_event(first, the_fd, IN);
	one_event(the_ep, the_fd, IN);
}
