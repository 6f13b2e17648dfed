/* SPDX-License-Identifier: GPL-2.0-only */
/* Level-triggered files: reported as long as they are ready. */
#include "tests/eventpoll/common.h"

static void post_after_5_ms(void *fd)
{
	lab_sleep(lab_ms(5));
	post_to(fd);
}

LAB_TEST(a_ready_file_is_reported_until_it_is_read)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_equal(lab_add(ep, fd, IN), 0);
	lab_equal(ready(ep), 0);
	lab_equal(lab_post(fd), 8);
	one_event(ep, fd, IN);
	one_event(ep, fd, IN);
	lab_equal(lab_drain(fd), 1);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_write_wakes_the_waiter)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = waiter(ep, 4, -1);
	lab_task("producer", post_after_5_ms, as_arg(fd), .fifo = 40);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].data.u64, fd);
	lab_equal(w->got[0].events, IN);
	lab_check(w->ended >= lab_ms(5) && w->ended < lab_us(5200));
}

LAB_TEST(a_write_and_a_wait_may_meet)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = waiter(ep, 4, -1);
	lab_task("producer", post_to, as_arg(fd), .fifo = 50);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(a_file_that_is_ready_when_it_is_added_is_reported)
{
	int ep = lab_epoll(), fd = lab_eventfd(3);

	lab_add(ep, fd, IN);
	one_event(ep, fd, IN);
	lab_equal(lab_drain(fd), 3);
}

LAB_TEST(what_is_not_asked_for_is_not_reported)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_add(ep, fd, IN);
	lab_equal(ready(ep), 0);	/* writable it is */
	lab_post(fd);
	lab_mod(ep, fd, OUT);
	one_event(ep, fd, OUT);
}

LAB_TEST(all_that_is_asked_for_and_ready_is_reported_at_once)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN | OUT | EPOLLPRI);
	one_event(ep, fd, IN | OUT);
	lab_drain(fd);
	one_event(ep, fd, OUT);
}

LAB_TEST(an_error_is_reported_unasked)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, 0);
	lab_file_set(fd, IN | OUT);
	lab_file_wake(fd, IN);
	lab_equal(ready(ep), 0);
	lab_file_set(fd, EPOLLERR | EPOLLHUP | IN);
	lab_file_wake(fd, EPOLLERR | EPOLLHUP);
	one_event(ep, fd, EPOLLERR | EPOLLHUP);
}

LAB_TEST(a_pipe_hangs_up_when_its_writer_is_closed)
{
	int ep = lab_epoll(), p[2];
	struct waiter *w;

	lab_equal(lab_pipe(p, 0), 0);
	lab_add(ep, p[0], IN);
	w = asleep(ep, 1, -1);
	lab_equal(lab_close(p[1]), 0);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].events, EPOLLHUP);
}

LAB_TEST(a_pipe_has_an_error_when_its_reader_is_closed)
{
	int ep = lab_epoll(), p[2];

	lab_pipe(p, 0);
	lab_add(ep, p[1], OUT);
	one_event(ep, p[1], OUT);
	lab_close(p[0]);
	one_event(ep, p[1], OUT | EPOLLERR);
}

LAB_TEST(a_full_pipe_is_writable_again_when_it_is_read)
{
	static char page[65536];
	int ep = lab_epoll(), p[2];
	struct waiter *w;

	lab_pipe(p, 04000);
	lab_add(ep, p[1], OUT);
	lab_equal(lab_write(p[1], page, sizeof(page)), (int64_t)sizeof(page));
	lab_equal(lab_write(p[1], page, 1), -EAGAIN);
	w = asleep(ep, 1, -1);
	lab_equal(lab_read(p[0], page, sizeof(page)), (int64_t)sizeof(page));
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].events, OUT);
}

LAB_TEST(data_comes_back_as_it_was_given, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_equal(lab_ctl(ep, EPOLL_CTL_ADD, fd, IN, 0x123456789abcdef0), 0);
	one_event(ep, 0x123456789abcdef0, IN);
	lab_equal(lab_ctl(ep, EPOLL_CTL_MOD, fd, IN, UINT64_MAX), 0);
	one_event(ep, UINT64_MAX, IN);
}

LAB_TEST(files_are_reported_in_the_order_they_became_ready)
{
	int ep = lab_epoll(), fd[5];
	struct epoll_event e[8];

	for (int i = 0; i < 5; i++) {
		fd[i] = lab_eventfd(0);
		lab_add(ep, fd[i], IN);
	}
	for (int i = 0; i < 5; i++)
		lab_post(fd[(i * 3 + 1) % 5]);
	lab_equal(lab_wait(ep, e, 8, 0), 5);
	for (int i = 0; i < 5; i++)
		lab_equal(e[i].data.u64, fd[(i * 3 + 1) % 5]);
}

LAB_TEST(files_take_turns_when_there_is_room_for_few)
{
	int ep = lab_epoll(), fd[3];
	struct epoll_event e[2];

	for (int i = 0; i < 3; i++) {
		fd[i] = lab_eventfd(1);
		lab_add(ep, fd[i], IN);
	}
	for (int i = 0; i < 7; i++) {
		lab_equal(lab_wait(ep, e, 1, 0), 1);
		lab_equal(e[0].data.u64, fd[i % 3]);
	}
	lab_equal(lab_wait(ep, e, 2, 0), 2);
	lab_equal(e[0].data.u64, fd[1]);
	lab_equal(e[1].data.u64, fd[2]);
	lab_equal(ready(ep), 3);
}

LAB_TEST(a_wait_takes_no_more_than_it_has_room_for)
{
	int ep = lab_epoll(), fd;
	struct epoll_event e[4];

	for (int i = 0; i < 4; i++) {
		fd = lab_eventfd(1);
		lab_add(ep, fd, IN | ET);
	}
	memset(e, 0xee, sizeof(e));
	lab_equal(lab_wait(ep, e, 3, 0), 3);
	lab_equal(e[3].events, 0xeeeeeeee);
	one_event(ep, fd, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_file_that_was_ready_and_is_no_more_is_not_reported)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), other = lab_eventfd(0);

	lab_add(ep, fd, IN);
	lab_add(ep, other, IN);
	lab_post(fd);
	lab_post(other);
	lab_drain(fd);
	one_event(ep, other, IN);
}

LAB_TEST(a_wake_up_without_readiness_does_not_end_the_wait)
{
	int ep = lab_epoll(), fd = lab_file();
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 50);
	for (int i = 0; i < 3; i++) {
		lab_file_wake(fd, IN);
		lab_run_for(lab_ms(2));
		lab_check(!lab_ended(w->task));
	}
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	lab_run();
	lab_equal(w->result, 1);
	lab_check(w->ended < lab_ms(50));
}

LAB_TEST(a_wake_up_without_readiness_does_not_prolong_the_wait)
{
	int ep = lab_epoll(), fd = lab_file();
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 20);
	lab_run_for(lab_ms(15));
	lab_file_wake(fd, IN);
	lab_run();
	lab_equal(w->result, 0);
	lab_check(w->ended - w->began >= lab_ms(20) && w->ended - w->began < lab_us(20100));
}

LAB_TEST(a_wake_up_for_what_is_not_asked_for_is_left_alone)
{
	int ep = lab_epoll(), fd = lab_file();
	long polls;

	lab_add(ep, fd, IN);
	polls = lab_file_set(fd, IN);
	lab_file_wake(fd, OUT | EPOLLPRI);
	lab_equal(ready(ep), 0);
	lab_equal(lab_file_set(fd, IN), polls);	/* it has not even been asked */
	lab_file_wake(fd, IN | OUT);
	one_event(ep, fd, IN);
}

LAB_TEST(a_wake_up_that_does_not_say_for_what_is_looked_into)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, IN);
	lab_file_set(fd, IN);
	lab_file_wake(fd, 0);
	one_event(ep, fd, IN);
}

LAB_TEST(a_timer_is_reported_when_it_expires)
{
	int ep = lab_epoll(), fd = lab_timerfd(lab_ms(3), lab_ms(2));
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, -1);
	lab_run_for(lab_ms(6));
	lab_equal(w->result, 1);
	lab_check(w->ended >= lab_ms(3) && w->ended < lab_us(3400));
	lab_equal(lab_drain(fd), 2);
	lab_equal(lab_drain(fd), -EAGAIN);
	lab_equal(lab_timerfd_set(fd, 0, 0), 0);
}

LAB_TEST(a_file_with_two_wait_queues_is_heard_from_both)
{
	static char page[65536];
	int ep = lab_epoll(), p[2];
	struct waiter *w;

	lab_equal(lab_pipe(p, 02 | 04000), 0);	/* each end for reading and writing */
	lab_equal(lab_write(p[1], page, sizeof(page)), (int64_t)sizeof(page));
	lab_add(ep, p[0], OUT | ET);
	w = asleep(ep, 1, -1);
	lab_equal(lab_read(p[1], page, sizeof(page)), (int64_t)sizeof(page));
	lab_run();
	lab_equal(w->result, 1);
	lab_mod(ep, p[0], IN | ET);
	w = asleep(ep, 1, -1);
	lab_write(p[1], "x", 1);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(lab_del(ep, p[0]), 0);
	lab_run();
	lab_write(p[1], "x", 1);
	lab_read(p[1], page, sizeof(page));
	lab_equal(ready(ep), 0);
}
