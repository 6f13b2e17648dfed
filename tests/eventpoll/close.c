/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are closed, and what is left of them. */
#include "tests/eventpoll/common.h"

LAB_TEST(a_closed_file_leaves_its_epoll)
{
	int ep = lab_epoll(), fd = lab_eventfd(1), other = lab_eventfd(0);

	lab_add(ep, fd, IN);
	lab_add(ep, other, IN);
	lab_equal(lab_close(fd), 0);
	lab_equal(ready(ep), 0);
	lab_post(other);
	one_event(ep, other, IN);
	fd = lab_eventfd(1);
	lab_equal(lab_mod(ep, fd, IN), -ENOENT);	/* another file under the old number */
	lab_equal(lab_add(ep, fd, IN), 0);
}

LAB_TEST(a_file_stays_as_long_as_a_duplicate_is_open)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), again = lab_dup(fd);

	lab_add(ep, fd, IN);
	lab_close(fd);
	lab_post(again);
	one_event(ep, fd, IN);
	lab_close(again);
	lab_equal(ready(ep), 0);
}

LAB_TEST(closing_an_epoll_forgets_its_files)
{
	int ep = lab_epoll(), fd[3];
	size_t before;

	for (int i = 0; i < 3; i++)
		fd[i] = lab_eventfd(i == 1);
	lab_run();
	before = lab_objects();
	for (int i = 0; i < 3; i++)
		lab_add(ep, fd[i], IN);
	lab_equal(lab_close(ep), 0);
	lab_run();
	lab_check(lab_objects() < before);
	for (int i = 0; i < 3; i++)
		lab_post(fd[i]);
	ep = lab_epoll();
	for (int i = 0; i < 3; i++)
		lab_equal(lab_add(ep, fd[i], IN), 0);
	lab_equal(ready(ep), 3);
}

LAB_TEST(nothing_is_left_of_what_was_closed)
{
	size_t before;

	lab_run();
	lab_close(lab_epoll());
	lab_run();
	before = lab_objects();
	for (int i = 0; i < 3; i++) {
		int ep = lab_epoll(), outer = lab_epoll(), fd = lab_eventfd(1), p[2];

		lab_pipe(p, 0);
		lab_add(ep, fd, IN);
		lab_add(ep, p[0], IN);
		lab_add(outer, ep, IN);
		lab_add(outer, fd, IN | ET);
		lab_write(p[1], "x", 1);
		lab_equal(ready(outer), 2);
		lab_close(i == 0 ? ep : fd);
		lab_close(i == 1 ? outer : p[0]);
		lab_close(p[1]);
		lab_close(i == 0 ? fd : ep);
		lab_close(i == 1 ? p[0] : outer);
	}
	lab_run();
	lab_equal((int64_t)lab_objects(), (int64_t)before);
}

LAB_TEST(closing_the_file_under_a_waiter_is_safe)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 20);
	lab_equal(lab_close(fd), 0);
	lab_equal(lab_close(fd), -EBADF);
	lab_run();
	lab_equal(w->result, 0);
	lab_check(w->ended - w->began >= lab_ms(20));
}

LAB_TEST(closing_the_epoll_under_a_waiter_is_safe)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 20);
	lab_equal(lab_close(ep), 0);
	lab_run_for(lab_ms(1));
	lab_post(fd);	/* the waiter still has the file */
	lab_run();
	lab_equal(w->result, 1);
}

struct meeting {
	int ep, fd, outer;
};

static void close_fd(void *arg)
{
	jitter();
	lab_equal(lab_close(((struct meeting *)arg)->fd), 0);
}

static void close_ep(void *arg)
{
	jitter();
	lab_equal(lab_close(((struct meeting *)arg)->ep), 0);
}

static void close_outer(void *arg)
{
	jitter();
	lab_equal(lab_close(((struct meeting *)arg)->outer), 0);
}

static void take_one(void *arg)
{
	struct meeting *m = arg;
	int n;

	jitter();
	n = lab_wait(m->ep, NULL, 4, 1);
	lab_check(n == 0 || n == 1 || n == -EBADF);
}

static void post_again(void *arg)
{
	struct meeting *m = arg;
	long n;

	jitter();
	n = lab_post(m->fd);
	lab_check(n == 8 || n == -EBADF);
}

static void delete_it(void *arg)
{
	struct meeting *m = arg;
	int err;

	jitter();
	err = lab_del(m->ep, m->fd);
	lab_check(err == 0 || err == -ENOENT || err == -EBADF);
}

static void add_it(void *arg)
{
	struct meeting *m = arg;
	int err;

	jitter();
	err = lab_add(m->ep, m->fd, IN);
	lab_check(err == 0 || err == -EEXIST || err == -EBADF);
}

static void nothing(void *arg)
{
	(void)arg;
}

/*
 * Some of them at once, on whatever CPUs.  Afterwards the rest is closed and nothing is left but
 * the tasks that have ended.
 */
static void together(void (*const *fn)(void *), int n, bool added)
{
	struct meeting *m = lab_memory(sizeof(*m));
	size_t before, task;

	lab_close(lab_epoll());
	lab_run();
	before = lab_objects();
	lab_task("one", nothing, NULL);
	lab_run();
	task = lab_objects() - before;
	*m = (struct meeting){ lab_epoll(), lab_eventfd(1), lab_epoll() };
	lab_add(m->outer, m->ep, IN);
	if (added)
		lab_add(m->ep, m->fd, IN);
	for (int i = 0; i < n; i++)
		lab_task("one", fn[i], m);
	lab_run();
	lab_close(m->ep);
	lab_close(m->fd);
	lab_close(m->outer);
	lab_run();
	lab_equal((int64_t)lab_objects(), (int64_t)(before + (1 + (size_t)n) * task));
}

LAB_TEST(closing_file_and_epoll_at_once_is_safe)
{
	together((void (*const[])(void *)){ close_fd, close_ep }, 2, true);
}

LAB_TEST(closing_a_file_while_it_becomes_ready_is_safe)
{
	together((void (*const[])(void *)){ close_fd, post_again, take_one }, 3, true);
}

LAB_TEST(closing_an_epoll_while_a_file_becomes_ready_is_safe)
{
	together((void (*const[])(void *)){ close_ep, post_again, take_one }, 3, true);
}

LAB_TEST(closing_a_file_while_it_is_deleted_is_safe)
{
	together((void (*const[])(void *)){ close_fd, delete_it, post_again }, 3, true);
}

LAB_TEST(closing_a_file_while_it_is_added_is_safe)
{
	together((void (*const[])(void *)){ close_fd, add_it, post_again }, 3, false);
}

LAB_TEST(closing_an_epoll_while_a_file_is_added_is_safe)
{
	together((void (*const[])(void *)){ close_ep, add_it, take_one }, 3, false);
}

LAB_TEST(closing_inner_and_outer_epoll_at_once_is_safe)
{
	together((void (*const[])(void *)){ close_outer, close_ep, post_again }, 3, true);
}

LAB_TEST(closing_everything_at_once_is_safe)
{
	together((void (*const[])(void *)){ close_outer, close_ep, close_fd, post_again, take_one },
		 5, true);
}

/* Where these two meet is a matter of nanoseconds. */
static void add_to_one(void *arg)
{
	struct meeting *m = arg;

	lab_burn(lab_choose(300));
	lab_equal(lab_add(m->ep, m->fd, IN), 0);
}

static void add_to_other(void *arg)
{
	struct meeting *m = arg;

	lab_burn(lab_choose(300));
	lab_equal(lab_add(m->outer, m->fd, IN), 0);
}

LAB_TEST(two_epolls_may_get_a_file_at_once)
{
	together((void (*const[])(void *)){ add_to_one, add_to_other }, 2, false);
}

static void delete_from_one(void *arg)
{
	struct meeting *m = arg;

	lab_burn(lab_choose(600));
	lab_equal(lab_del(m->ep, m->fd), 0);
}

LAB_TEST(a_file_may_leave_one_epoll_and_get_into_another_at_once)
{
	together((void (*const[])(void *)){ delete_from_one, add_to_other }, 2, true);
}

static int slow_file, closed_file;

static void poll_slowly(void *arg)
{
	(void)arg;
	lab_burn(lab_us(60));
}

static void take_both(void *arg)
{
	int n = lab_wait((int)(intptr_t)arg, NULL, 4, 0);

	lab_check(n == 1 || n == 2);
}

static void close_meanwhile(void *arg)
{
	(void)arg;
	lab_sleep(lab_us(20));
	lab_equal(lab_close(closed_file), 0);
}

LAB_TEST(a_file_that_is_closed_during_the_scan_is_let_go, .cpus_min = 2)
{
	int ep = lab_epoll();

	slow_file = lab_file();
	closed_file = lab_file();
	lab_add(ep, slow_file, IN);
	lab_add(ep, closed_file, IN);
	lab_file_set(slow_file, IN);
	lab_file_set(closed_file, IN);
	lab_file_wake(slow_file, IN);
	lab_file_wake(closed_file, IN);
	lab_file_on_poll(slow_file, poll_slowly, NULL);
	lab_task("taker", take_both, as_arg(ep), .fifo = 50);
	lab_task("closer", close_meanwhile, NULL, .fifo = 50);
	lab_run();
	one_event(ep, slow_file, IN);
}

/* The scan holds the last reference then, and locks that closing takes. */
LAB_TEST(a_file_that_is_closed_while_it_is_polled_goes_after_the_scan, .cpus_min = 2)
{
	int ep = lab_epoll();

	slow_file = closed_file = lab_file();
	lab_add(ep, slow_file, IN);
	lab_file_set(slow_file, IN);
	lab_file_wake(slow_file, IN);
	lab_file_on_poll(slow_file, poll_slowly, NULL);
	lab_task("taker", take_both, as_arg(ep), .fifo = 50);
	lab_task("closer", close_meanwhile, NULL, .fifo = 50);
	lab_run();
	lab_equal(ready(ep), 0);
	lab_equal(lab_del(ep, slow_file), -EBADF);
}

static int made[2], kept, dup_result;

static void make_pipe(void *arg)
{
	(void)arg;
	lab_burn(lab_us(20));	/* until both run */
	lab_equal(lab_pipe(made, 0), 0);
}

static void dup_over(void *arg)
{
	lab_burn((uint64_t)(intptr_t)arg);
	dup_result = lab_dup2(kept, closed_file);
}

/* What a task leaves: it lives as long as the machine. */
static size_t objects_of_a_task(void)
{
	size_t before = lab_objects();

	closed_file = kept;
	lab_task("duplicator", dup_over, as_arg(0), .fifo = 50);
	lab_run();
	return lab_objects() - before;
}

/* pipe2() has its numbers before it has told them, and then they are neither free nor files. */
LAB_TEST(a_number_on_its_way_to_a_pipe_is_not_duplicated_over, .cpus_min = 2)
{
	size_t expected, a_task;

	kept = lab_eventfd(0);
	a_task = objects_of_a_task();
	closed_file = lab_eventfd(0);
	lab_close(closed_file);		/* the pipe will have this number */
	lab_close(kept);
	lab_run();
	expected = lab_objects();
	for (int ns = 18000; ns < 23000; ns += 100) {
		kept = lab_eventfd(0);
		lab_task("maker", make_pipe, NULL, .fifo = 50);
		lab_task("duplicator", dup_over, as_arg(ns), .fifo = 50);
		lab_run();
		lab_check(dup_result == closed_file || dup_result == -EBUSY);
		lab_close(closed_file);
		lab_close(made[0]);
		lab_close(made[1]);
		lab_close(kept);
		expected += 2 * a_task;
	}
	lab_run();
	lab_equal((int64_t)lab_objects(), (int64_t)expected);
}

LAB_TEST(a_wait_queue_that_goes_away_takes_its_item_along)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, IN);
	lab_file_set(fd, IN);
	lab_file_wake(fd, LAB_POLLFREE | IN);
	lab_run();	/* it is freed */
	/* what poll() says counts, and it says so; but nobody hears of wake-ups any more */
	one_event(ep, fd, IN);
	lab_file_set(fd, 0);
	lab_equal(ready(ep), 0);
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	lab_equal(ready(ep), 0);
	lab_equal(lab_del(ep, fd), 0);
}

LAB_TEST(a_wait_queue_goes_away_with_all_its_epolls)
{
	int ep[3], fd = lab_file();

	for (int i = 0; i < 3; i++) {
		ep[i] = lab_epoll();
		lab_add(ep[i], fd, i == 1 ? IN | EXCLUSIVE : IN);
	}
	lab_file_wake(fd, LAB_POLLFREE | EPOLLHUP);
	lab_run();
	lab_file_set(fd, IN);
	lab_file_wake(fd, IN);
	for (int i = 0; i < 3; i++)
		lab_equal(lab_del(ep[i], fd), 0);
}
