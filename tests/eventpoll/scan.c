/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens while events are being handed out: a scripted file's poll() is called in the
 * middle of it, with the epoll's mutex held.
 */
#include "tests/eventpoll/common.h"

static int during, times;	/* a file, and how often its wake-up is still to come */

static void wake_during(void *arg)
{
	(void)arg;
	if (times-- > 0)
		lab_file_wake(during, IN);
}

/* An epoll with two files that are ready, and wake-ups of @second while it is scanned. */
static void scan(int ep, int *first, int *second, uint32_t events)
{
	*first = lab_file();
	*second = lab_file();
	lab_add(ep, *first, events);
	lab_add(ep, *second, events);
	lab_file_set(*first, IN);
	lab_file_wake(*first, IN);
	during = *second;
	times = 1;
	lab_file_on_poll(*first, wake_during, NULL);
}

LAB_TEST(an_edge_during_the_scan_is_reported_next_time)
{
	int ep = lab_epoll(), first, second;

	scan(ep, &first, &second, IN | ET);
	lab_file_set(second, IN);
	one_event(ep, first, IN);
	one_event(ep, second, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(an_edge_of_the_scanned_file_itself_is_reported_again)
{
	int ep = lab_epoll(), first, second;

	scan(ep, &first, &second, IN | ET);
	during = first;
	one_event(ep, first, IN);
	one_event(ep, first, IN);
	lab_equal(ready(ep), 0);
}

LAB_TEST(a_level_during_the_scan_is_reported_once_more_and_not_twice)
{
	int ep = lab_epoll(), first, second;
	struct epoll_event e[4];

	scan(ep, &first, &second, IN);
	during = first;
	one_event(ep, first, IN);
	lab_equal(lab_wait(ep, e, 4, 0), 1);
}

LAB_TEST(a_wake_up_during_the_scan_wakes_the_next_waiter)
{
	int ep = lab_epoll(), first, second;
	struct waiter *w;

	scan(ep, &first, &second, IN | ET);
	lab_file_set(second, IN);
	times = 0;
	lab_equal(ready(ep), 1);
	times = 1;
	w = asleep(ep, 1, -1);
	during = second;
	lab_file_wake(first, IN);
	lab_run();
	lab_equal(w->result, 1);
	one_event(ep, second, IN);
}

static int three[3];

static void wake_three(void *arg)
{
	(void)arg;
	for (int i = 0; times && i < 3; i++)
		lab_file_wake(three[i], IN);
	times = 0;
}

LAB_TEST(events_during_the_scan_keep_their_order)
{
	int ep = lab_epoll(), first = lab_file();
	struct epoll_event e[8];

	lab_add(ep, first, IN | ET);
	for (int i = 0; i < 3; i++) {
		three[i] = lab_file();
		lab_add(ep, three[i], IN | ET);
		lab_file_set(three[i], IN);
	}
	lab_file_set(first, IN);
	lab_file_wake(first, IN);
	times = 1;
	lab_file_on_poll(first, wake_three, NULL);
	one_event(ep, first, IN);
	lab_equal(lab_wait(ep, e, 8, 0), 3);
	for (int i = 0; i < 3; i++)
		lab_equal(e[i].data.u64, three[i]);
}

LAB_TEST(what_there_was_no_room_for_comes_before_what_came_during_the_scan)
{
	int ep = lab_epoll(), first, second, third = lab_file();
	struct epoll_event e[4];

	scan(ep, &first, &second, IN | ET);
	lab_file_set(second, IN);
	lab_add(ep, third, IN | ET);
	lab_file_set(third, IN);
	lab_file_wake(third, IN);
	lab_equal(lab_wait(ep, e, 1, 0), 1);
	lab_equal(e[0].data.u64, first);
	lab_equal(lab_wait(ep, e, 4, 0), 2);
	lab_equal(e[0].data.u64, third);
	lab_equal(e[1].data.u64, second);
}

LAB_TEST(a_file_that_wakes_again_and_again_does_not_hold_the_scan)
{
	int ep = lab_epoll(), first, second;

	scan(ep, &first, &second, IN | ET);
	during = first;
	times = 3;
	for (int i = 0; i < 4; i++)
		one_event(ep, first, IN);
	lab_equal(ready(ep), 0);
}

static int slow, order, deleted_at, scanned_at;

static void scan_slowly(void *arg)
{
	(void)arg;
	lab_burn(lab_us(50));
	scanned_at = ++order;
}

static void take(void *ep)
{
	lab_check(lab_wait((int)(intptr_t)ep, NULL, 4, 0) == 1);
}

static void take_away(void *ep)
{
	lab_sleep(lab_us(20));
	lab_equal(lab_del((int)(intptr_t)ep, slow), 0);
	deleted_at = ++order;
}

LAB_TEST(a_deletion_waits_for_the_scan, .cpus_min = 2)
{
	int ep = lab_epoll();

	slow = lab_file();
	order = 0;
	lab_add(ep, slow, IN);
	lab_file_set(slow, IN);
	lab_file_wake(slow, IN);
	lab_file_on_poll(slow, scan_slowly, NULL);
	lab_task("taker", take, as_arg(ep), .fifo = 50);
	lab_task("deleter", take_away, as_arg(ep), .fifo = 50);
	lab_run();
	lab_equal(scanned_at, 1);
	lab_equal(deleted_at, 2);
	lab_equal(ready(ep), 0);
}

LAB_TEST(two_scans_at_once_share_the_events)
{
	int ep = lab_epoll(), fd[4], nr = 0;
	struct waiter *w[2];

	for (int i = 0; i < 4; i++) {
		fd[i] = lab_eventfd(1);
		lab_add(ep, fd[i], IN | ET);
	}
	for (int i = 0; i < 2; i++)
		w[i] = waiter(ep, 4, 10);
	lab_run();
	for (int i = 0; i < 2; i++)
		nr += w[i]->result;
	lab_equal(nr, 4);
}

static void post_slowly(void *arg)
{
	const int *fds = arg;

	for (int i = 0; i < 6; i++) {
		jitter();
		lab_file_wake(fds[i % 3], IN);
	}
}

static void take_all(void *arg)
{
	int ep = *(int *)arg;

	for (int i = 0; i < 8; i++) {
		int n = lab_wait(ep, NULL, 2, 0);

		lab_check(n >= 0 && n <= 2);
	}
}

LAB_TEST(scans_and_wake_ups_at_once_leave_nothing_wrong)
{
	int *fds = lab_memory(3 * sizeof(*fds)), *ep = lab_memory(sizeof(*ep)), n;

	*ep = lab_epoll();
	for (int i = 0; i < 3; i++) {
		fds[i] = lab_file();
		lab_file_set(fds[i], IN);
		lab_add(*ep, fds[i], i ? IN | ET : IN);
	}
	lab_task("producer", post_slowly, fds);
	lab_task("taker", take_all, ep);
	lab_task("taker", take_all, ep);
	lab_run();
	n = ready(*ep);
	lab_check(n >= 1 && n <= 3);	/* the level-triggered one, and edges nobody took */
	one_event(*ep, fds[0], IN);
}
