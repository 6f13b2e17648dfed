/* SPDX-License-Identifier: GPL-2.0-only */
/* epoll_ctl() and what it refuses. */
#include "tests/eventpoll/common.h"

#define ADD EPOLL_CTL_ADD

LAB_TEST(files_that_are_not_open_are_refused, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_equal(lab_add(99, fd, IN), -EBADF);
	lab_equal(lab_add(-1, fd, IN), -EBADF);
	lab_equal(lab_add(ep, 99, IN), -EBADF);
	lab_equal(lab_wait(99, NULL, 1, 0), -EBADF);
	lab_equal(lab_close(fd), 0);
	lab_equal(lab_add(ep, fd, IN), -EBADF);
	lab_equal(lab_mod(ep, fd, IN), -EBADF);
	lab_equal(lab_del(ep, fd), -EBADF);
}

LAB_TEST(a_file_that_is_no_epoll_is_refused, .one_schedule = true)
{
	int fd = lab_eventfd(0), other = lab_eventfd(0);

	lab_equal(lab_add(fd, other, IN), -EINVAL);
	lab_equal(lab_wait(fd, NULL, 1, 0), -EINVAL);
}

LAB_TEST(an_epoll_in_itself_is_refused, .one_schedule = true)
{
	int ep = lab_epoll(), again = lab_dup(ep);

	lab_equal(lab_add(ep, ep, IN), -EINVAL);
	lab_equal(lab_add(ep, again, IN), -EINVAL);
}

LAB_TEST(a_file_without_poll_is_refused, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_file_without_poll();

	lab_equal(lab_add(ep, fd, IN), -EPERM);
}

LAB_TEST(a_file_is_added_once_and_found_by_its_descriptor, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_equal(lab_mod(ep, fd, IN), -ENOENT);
	lab_equal(lab_del(ep, fd), -ENOENT);
	lab_equal(lab_add(ep, fd, IN), 0);
	lab_equal(lab_add(ep, fd, IN), -EEXIST);
	lab_equal(lab_del(ep, fd), 0);
	lab_equal(lab_del(ep, fd), -ENOENT);
	lab_equal(ready(ep), 0);
	lab_equal(lab_add(ep, fd, IN), 0);
	one_event(ep, fd, IN);
}

LAB_TEST(an_unknown_operation_is_refused, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);

	lab_equal(lab_ctl(ep, 0, fd, IN, 0), -EINVAL);
	lab_equal(lab_ctl(ep, 4, fd, IN, 0), -EINVAL);
	lab_equal(lab_ctl(ep, -1, fd, IN, 0), -EINVAL);
}

LAB_TEST(room_for_no_events_is_refused, .one_schedule = true)
{
	int ep = lab_epoll();
	struct epoll_event e[1];

	lab_equal(lab_wait(ep, e, 0, 0), -EINVAL);
	lab_equal(lab_wait(ep, e, -1, 0), -EINVAL);
	lab_equal(lab_wait(ep, e, INT32_MAX, 0), -EINVAL);
	lab_equal(lab_wait(ep, e, INT32_MAX / (int)sizeof(*e), 0), 0);
}

LAB_TEST(flags_of_epoll_create_are_looked_at, .one_schedule = true)
{
	lab_equal(lab_epoll_flags(1), -EINVAL);
	lab_check(lab_epoll_flags(EPOLL_CLOEXEC) >= 0);
}

LAB_TEST(a_descriptor_and_its_duplicate_are_two_items)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), again = lab_dup(fd);
	struct epoll_event e[4];

	lab_equal(lab_add(ep, fd, IN), 0);
	lab_equal(lab_add(ep, again, IN), 0);
	lab_post(fd);
	lab_equal(lab_wait(ep, e, 4, 0), 2);
	lab_check(e[0].data.u64 + e[1].data.u64 == (uint64_t)(fd + again));
	lab_equal(lab_del(ep, fd), 0);
	one_event(ep, again, IN);
}

LAB_TEST(one_file_is_in_many_epolls)
{
	int ep[5], fd = lab_eventfd(0);

	for (int i = 0; i < 5; i++) {
		ep[i] = lab_epoll();
		lab_equal(lab_ctl(ep[i], ADD, fd, IN, 100u + (unsigned int)i), 0);
	}
	lab_post(fd);
	lab_equal(lab_del(ep[2], fd), 0);
	for (int i = 0; i < 5; i++) {
		if (i != 2)
			one_event(ep[i], 100 + i, IN);
		else
			lab_equal(ready(ep[i]), 0);
	}
}

LAB_TEST(a_modification_changes_interest_and_data)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);

	lab_add(ep, fd, IN);
	lab_equal(lab_ctl(ep, EPOLL_CTL_MOD, fd, OUT, 7), 0);
	one_event(ep, 7, OUT);
	lab_equal(lab_ctl(ep, EPOLL_CTL_MOD, fd, 0, 8), 0);
	lab_equal(ready(ep), 0);
	lab_post(fd);
	lab_equal(ready(ep), 0);
	lab_equal(lab_ctl(ep, EPOLL_CTL_MOD, fd, IN | OUT, 9), 0);
	one_event(ep, 9, IN | OUT);
}

LAB_TEST(a_modification_wakes_the_waiter_when_the_file_is_ready)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w;

	lab_add(ep, fd, 0);
	w = asleep(ep, 1, -1);
	lab_mod(ep, fd, IN);
	lab_run();
	lab_equal(w->result, 1);
}

LAB_TEST(a_modification_wakes_nobody_when_the_file_is_not_ready)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, 0);
	w = asleep(ep, 1, 5);
	lab_mod(ep, fd, IN);
	lab_run();
	lab_equal(w->result, 0);
}

LAB_TEST(a_ready_file_that_is_added_wakes_the_waiter)
{
	int ep = lab_epoll(), fd = lab_eventfd(1);
	struct waiter *w = asleep(ep, 1, -1);

	lab_add(ep, fd, IN);
	lab_run();
	lab_equal(w->result, 1);
	lab_equal(w->got[0].data.u64, fd);
}

LAB_TEST(a_ready_file_that_is_deleted_is_not_reported)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), other = lab_eventfd(0);

	lab_add(ep, fd, IN);
	lab_add(ep, other, IN);
	lab_post(fd);
	lab_post(other);
	lab_equal(lab_del(ep, fd), 0);
	one_event(ep, other, IN);
	lab_post(fd);
	one_event(ep, other, IN);
}

LAB_TEST(a_file_that_is_deleted_wakes_nobody_any_more)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w;

	lab_add(ep, fd, IN);
	w = asleep(ep, 1, 10);
	lab_equal(lab_del(ep, fd), 0);
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 0);
}

LAB_TEST(many_files_come_and_go_in_any_order)
{
	int ep = lab_epoll(), fd[32], left = 32;
	struct epoll_event e[64];
	size_t before;

	for (int i = 0; i < 32; i++)
		fd[i] = lab_eventfd(1);
	lab_run();
	before = lab_objects();
	for (int i = 0; i < 32; i++)
		lab_equal(lab_add(ep, fd[i * 13 % 32], IN), 0);
	for (int i = 0; left; i++) {
		int k = (int)lab_choose(32);

		if (fd[k] < 0)
			continue;
		lab_equal(lab_del(ep, fd[k]), 0);
		lab_equal(lab_del(ep, fd[k]), -ENOENT);
		fd[k] = -1;
		left--;
		lab_equal(lab_wait(ep, e, 64, 0), left);
	}
	lab_run();
	lab_equal((int64_t)lab_objects(), (int64_t)before);
}

/* ---- while others wait, add and take away */

struct pair {
	int ep, fd, nr;
};

static void add_and_delete(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < p->nr; i++) {
		jitter();
		lab_equal(lab_add(p->ep, p->fd, IN), 0);
		jitter();
		lab_equal(lab_del(p->ep, p->fd), 0);
	}
}

static void post_now_and_then(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < p->nr; i++) {
		jitter();
		lab_post(p->fd);
		jitter();
		lab_drain(p->fd);
	}
}

static void look(void *arg)
{
	struct pair *p = arg;
	int n;

	for (int i = 0; i < p->nr; i++) {
		jitter();
		n = ready(p->ep);
		lab_check(n == 0 || n == 1);
	}
}

LAB_TEST(adding_and_deleting_while_events_come_is_safe)
{
	struct pair *p = lab_memory(sizeof(*p));
	size_t before;

	*p = (struct pair){ lab_epoll(), lab_eventfd(0), 4 };
	lab_run();
	before = lab_objects();
	lab_task("adder", add_and_delete, p);
	lab_task("producer", post_now_and_then, p);
	lab_task("looker", look, p);
	lab_run();
	lab_equal(ready(p->ep), 0);
	lab_equal(lab_del(p->ep, p->fd), -ENOENT);
	lab_run();
	/* three tasks remain as ended ones, of a kernel's two objects each */
	lab_check(lab_objects() <= before + 3 * 2);
}

static void modify(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < p->nr; i++) {
		jitter();
		lab_equal(lab_mod(p->ep, p->fd, i & 1 ? IN : 0), 0);
	}
}

LAB_TEST(modifying_while_events_come_loses_none)
{
	struct pair *p = lab_memory(sizeof(*p));
	struct waiter *w;

	*p = (struct pair){ lab_epoll(), lab_eventfd(0), 4 };
	lab_add(p->ep, p->fd, 0);
	w = waiter(p->ep, 1, -1);
	lab_task("modifier", modify, p);
	lab_task("producer", post_to, as_arg(p->fd));
	lab_run();
	lab_equal(w->result, 1);	/* the last modification asks for it */
}

/* ---- exclusive wake-ups */

LAB_TEST(exclusive_items_are_refused_where_they_make_no_sense, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_eventfd(0), inner = lab_epoll();

	lab_equal(lab_add(ep, inner, IN | EXCLUSIVE), -EINVAL);
	lab_equal(lab_add(ep, fd, IN | EXCLUSIVE | ONESHOT), -EINVAL);
	lab_equal(lab_add(ep, fd, IN | EXCLUSIVE | EPOLLPRI), -EINVAL);
	lab_equal(lab_add(ep, fd, IN | EXCLUSIVE | EPOLLRDHUP), -EINVAL);
	lab_equal(lab_add(ep, fd, IN), 0);
	lab_equal(lab_mod(ep, fd, IN | EXCLUSIVE), -EINVAL);
	lab_equal(lab_del(ep, fd), 0);
	lab_equal(lab_add(ep, fd, IN | OUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | ET | EXCLUSIVE), 0);
	lab_equal(lab_mod(ep, fd, IN), -EINVAL);
	lab_equal(lab_mod(ep, fd, IN | EXCLUSIVE), -EINVAL);
	lab_equal(lab_del(ep, fd), 0);
}

/* Waiters of four epolls on one file; how many a write wakes. */
static int woken_of_four(uint32_t events, uint32_t ready_mask, uint32_t key)
{
	struct waiter *w[4];
	int fd = lab_file(), ep, nr = 0;

	for (int i = 0; i < 4; i++) {
		ep = lab_epoll();
		lab_equal(lab_add(ep, fd, events), 0);
		w[i] = asleep(ep, 1, 10);
	}
	lab_file_set(fd, ready_mask);
	lab_file_wake(fd, key);
	lab_run_for(lab_ms(1));
	for (int i = 0; i < 4; i++)
		nr += lab_ended(w[i]->task);
	lab_file_set(fd, 0);
	return nr;
}

LAB_TEST(a_wake_up_reaches_one_of_many_exclusive_epolls)
{
	lab_equal(woken_of_four(IN | EXCLUSIVE, IN, IN), 1);
}

LAB_TEST(a_wake_up_reaches_all_epolls_that_are_not_exclusive)
{
	lab_equal(woken_of_four(IN, IN, IN), 4);
}

LAB_TEST(an_exclusive_writer_is_woken_for_writing)
{
	lab_equal(woken_of_four(OUT | EXCLUSIVE, OUT, OUT), 1);
}

LAB_TEST(an_exclusive_wake_up_for_both_ways_reaches_one)
{
	/* with both bits in the key nobody counts as having taken it */
	lab_equal(woken_of_four(IN | OUT | EXCLUSIVE, IN | OUT, IN | OUT), 4);
}

LAB_TEST(an_exclusive_wake_up_without_a_reason_reaches_one)
{
	lab_equal(woken_of_four(IN | EXCLUSIVE, IN, 0), 1);
}

LAB_TEST(an_exclusive_error_reaches_one)
{
	lab_equal(woken_of_four(IN | EXCLUSIVE, EPOLLERR, EPOLLERR), 1);
}

LAB_TEST(an_exclusive_epoll_without_a_waiter_passes_the_wake_up_on)
{
	int fd = lab_eventfd(0), first = lab_epoll(), second = lab_epoll();
	struct waiter *w;

	lab_add(first, fd, IN | EXCLUSIVE);
	lab_add(second, fd, IN | EXCLUSIVE);
	w = asleep(second, 1, -1);
	lab_post(fd);
	lab_run();
	lab_equal(w->result, 1);
	one_event(first, fd, IN);
}

LAB_TEST(the_old_epoll_create_wants_a_size_and_ignores_it, .one_schedule = true)
{
	lab_equal(lab_epoll_create(0), -EINVAL);
	lab_equal(lab_epoll_create(-1), -EINVAL);
	lab_check(lab_epoll_create(1) >= 0);
	lab_check(lab_epoll_create(INT32_MAX) >= 0);
}

LAB_TEST(a_file_is_polled_for_what_is_asked_of_it, .one_schedule = true)
{
	int ep = lab_epoll(), fd = lab_file();

	lab_add(ep, fd, IN | EPOLLPRI | ET);
	lab_check(lab_file_asked(fd) & EPOLLPRI);
	lab_mod(ep, fd, OUT);
	lab_equal(lab_file_asked(fd) & (IN | OUT | EPOLLPRI), OUT);
	lab_equal(lab_file_asked(fd) & (EPOLLERR | EPOLLHUP), EPOLLERR | EPOLLHUP);
}

/* Whole pages of 1/25 of the lab's 16 MiB, by what a watch counts: two structures. */
static bool is_limit(int nr)
{
	for (int size = 160; size <= 256; size += 8)
		if (nr == (16 << 20) / 4096 / 25 * 4096 / size)
			return true;
	return false;
}

LAB_TEST(watches_of_a_user_are_limited, .one_schedule = true, .cpus = 1)
{
	int ep[64], fd[64], fresh = lab_file(), nr = 0, err = 0, limit;

	for (int i = 0; i < 64; i++) {
		ep[i] = lab_epoll();
		fd[i] = lab_eventfd(0);
	}
	for (int i = 0; i < 64 * 64 && !err; i++) {
		err = lab_add(ep[i / 64], fd[i % 64], IN);
		nr += !err;
	}
	lab_equal(err, -ENOSPC);
	limit = nr;
	lab_check(is_limit(limit));
	lab_equal(lab_del(ep[0], fd[0]), 0);
	lab_equal(lab_add(ep[0], fd[0], IN), 0);
	lab_equal(lab_add(ep[63], fd[63], IN), -ENOSPC);
	/* what is closed or fails is not counted */
	lab_equal(lab_close(ep[1]), 0);
	lab_run();
	lab_fail_alloc(1);
	lab_equal(lab_add(ep[63], fd[0], IN), -ENOMEM);
	lab_fail_alloc(2);
	lab_equal(lab_add(ep[63], fresh, IN), -ENOMEM);
	lab_fail_alloc(0);
	for (int i = 0; i < 64; i++)
		lab_equal(lab_add(ep[63], fd[i], IN), 0);
	lab_equal(lab_add(ep[62], fd[63], IN), -ENOSPC);
	lab_equal(lab_close(fd[5]), 0);
	lab_equal(lab_add(ep[62], fd[63], IN), 0);
}

LAB_TEST(without_a_free_descriptor_nothing_is_made, .one_schedule = true, .cpus = 1)
{
	int fd = lab_eventfd(0), last = fd, next;
	size_t before;

	while ((next = lab_dup(fd)) >= 0)
		last = next;
	lab_equal(next, -EMFILE);
	lab_run();
	before = lab_objects();
	lab_equal(lab_epoll(), -EMFILE);
	lab_equal(lab_eventfd(0), -EMFILE);
	lab_run();
	lab_equal((int64_t)lab_objects(), (int64_t)before);
	lab_equal(lab_close(last), 0);
	lab_equal(lab_epoll(), last);
}
