/* SPDX-License-Identifier: GPL-2.0-only */
/* Many waiters on one epoll: each event reaches somebody, and no more are woken than need be. */
#include "tests/eventpoll/common.h"

#define WAITERS 4

static int ended(struct waiter *const *w, int n)
{
	int nr = 0;

	for (int i = 0; i < n; i++)
		nr += lab_ended(w[i]->task);
	return nr;
}

LAB_TEST(an_edge_wakes_one_of_many_waiters)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w[WAITERS];

	lab_add(ep, fd, IN | ET);
	for (int i = 0; i < WAITERS; i++)
		w[i] = asleep(ep, 1, 10);
	lab_post(fd);
	lab_run_for(lab_ms(1));
	lab_equal(ended(w, WAITERS), 1);
	lab_run();
}

LAB_TEST(the_waiter_that_came_last_is_woken_first)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w[WAITERS];

	lab_add(ep, fd, IN | ET);
	for (int i = 0; i < WAITERS; i++)
		w[i] = asleep(ep, 1, -1);
	for (int i = 0; i < WAITERS; i++) {
		lab_post(fd);
		lab_run_for(lab_us(200));
		for (int k = 0; k < WAITERS; k++)
			lab_equal(lab_ended(w[k]->task), k >= WAITERS - 1 - i);
	}
}

LAB_TEST(a_level_that_lasts_reaches_one_waiter_after_the_other)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w[WAITERS];

	lab_add(ep, fd, IN);
	for (int i = 0; i < WAITERS; i++)
		w[i] = asleep(ep, 1, -1);
	lab_post(fd);	/* nobody reads it */
	lab_run();
	lab_equal(ended(w, WAITERS), WAITERS);
}

LAB_TEST(two_files_at_once_wake_two_waiters)
{
	int ep = lab_epoll(), a = lab_eventfd(0), b = lab_eventfd(0);
	struct waiter *w[WAITERS];

	lab_add(ep, a, IN | ET);
	lab_add(ep, b, IN | ET);
	for (int i = 0; i < WAITERS; i++)
		w[i] = asleep(ep, 1, 10);
	lab_post(a);
	lab_post(b);
	lab_run_for(lab_ms(1));
	lab_equal(ended(w, WAITERS), 2);
	lab_run();
}

LAB_TEST(a_waiter_with_room_takes_what_another_was_woken_for)
{
	int ep = lab_epoll(), fd[2], events = 0;
	struct waiter *w[2];

	for (int i = 0; i < 2; i++) {
		fd[i] = lab_eventfd(0);
		lab_add(ep, fd[i], IN | ET);
		w[i] = asleep(ep, 4, 10);
	}
	lab_post(fd[0]);
	lab_post(fd[1]);
	lab_run();
	for (int i = 0; i < 2; i++)
		events += w[i]->result;
	lab_equal(events, 2);	/* whoever found none slept on till its time was over */
}

LAB_TEST(what_one_waiter_has_no_room_for_wakes_the_next)
{
	int ep = lab_epoll(), fd[3];
	struct waiter *w[2];

	for (int i = 0; i < 3; i++) {
		fd[i] = lab_file();
		lab_add(ep, fd[i], IN | ET);
	}
	w[0] = asleep(ep, 2, -1);
	w[1] = asleep(ep, 2, -1);
	for (int i = 0; i < 3; i++)
		lab_file_set(fd[i], IN);
	for (int i = 0; i < 3; i++)
		lab_file_wake(fd[i], IN);
	lab_run();
	lab_equal(w[0]->result + w[1]->result, 3);
}

#define POSTS 6		/* of each producer */

struct crowd {
	int ep, fd[3];
	int64_t got;
	bool done;
};

static void consume(void *arg)
{
	struct crowd *c = arg;
	struct epoll_event e[2];
	int64_t n;

	while (!c->done) {
		int nr = lab_wait(c->ep, e, 2, 20);

		lab_check(nr >= 0 && nr <= 2);
		for (int i = 0; i < nr; i++)
			while ((n = lab_drain((int)e[i].data.u64)) > 0)
				c->got += n;
	}
}

static void produce(void *arg)
{
	struct crowd *c = arg;

	for (int i = 0; i < POSTS; i++) {
		lab_burn(lab_choose(8000));
		lab_check(lab_post(c->fd[lab_choose(3)]) == 8);
	}
}

static void end_it(void *arg)
{
	struct crowd *c = arg;

	lab_sleep(lab_ms(10));
	c->done = true;
}

static void consume_oneshot(void *arg)
{
	struct crowd *c = arg;
	struct epoll_event e[2];
	int64_t n;

	while (!c->done) {
		int nr = lab_wait(c->ep, e, 2, 20);

		lab_check(nr >= 0 && nr <= 2);
		for (int i = 0; i < nr; i++) {
			int fd = (int)e[i].data.u64;

			n = lab_drain(fd);
			lab_check(n > 0);	/* nobody else was told */
			c->got += n;
			lab_equal(lab_mod(c->ep, fd, IN | ONESHOT), 0);
		}
	}
}

/* Three consumers; all that the producers have written is read within 10 ms. */
static void crowd(uint32_t events, void (*consumer)(void *), int producers)
{
	struct crowd *c = lab_memory(sizeof(*c));

	c->ep = lab_epoll();
	for (int i = 0; i < 3; i++) {
		c->fd[i] = lab_eventfd(0);
		lab_add(c->ep, c->fd[i], events);
		lab_task("consumer", consumer, c);
	}
	for (int i = 0; i < producers; i++)
		lab_task("producer", produce, c);
	lab_task("end", end_it, c);
	lab_run_for(lab_ms(10));
	lab_equal(c->got, POSTS * producers);
	lab_run();
}

LAB_TEST(each_edge_reaches_somebody)
{
	crowd(IN | ET, consume, 2);
}

LAB_TEST(each_level_reaches_somebody)
{
	crowd(IN, consume, 2);
}

LAB_TEST(a_oneshot_file_belongs_to_who_was_told)
{
	crowd(IN | ONESHOT, consume_oneshot, 1);
}

LAB_TEST(a_timeout_of_one_waiter_leaves_the_event_to_another)
{
	int ep = lab_epoll(), fd = lab_eventfd(0);
	struct waiter *w[2];

	lab_add(ep, fd, IN | ET);
	w[0] = asleep(ep, 1, 5);
	w[1] = asleep(ep, 1, -1);
	lab_run_for(lab_ms(6));
	lab_equal(w[0]->result, 0);
	lab_post(fd);
	lab_run();
	lab_equal(w[1]->result, 1);
}

/* A waiter that runs on its way to sleep finds what came meanwhile. */
LAB_TEST(waiters_and_writers_may_meet_anywhere)
{
	int ep = lab_epoll(), fd[3];
	struct waiter *w[3];

	for (int i = 0; i < 3; i++) {
		fd[i] = lab_eventfd(0);
		lab_add(ep, fd[i], IN | ET);
	}
	for (int i = 0; i < 3; i++) {
		w[i] = waiter(ep, 1, -1);
		lab_task("producer", post_to, as_arg(fd[i]), .fifo = 50);
	}
	lab_run();
	for (int i = 0; i < 3; i++)
		lab_equal(w[i]->result, 1);
}
