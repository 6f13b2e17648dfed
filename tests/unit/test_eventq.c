/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/eventq.h"
#include "sim/core/oracle.h"

#define N 500

static void equal_times_leave_in_arrival_order(void **state)
{
	struct event e[N];
	struct eventq q;

	(void)state;
	eventq_init(&q);
	for (int i = 0; i < N; i++) {
		event_init(&e[i], EVENT_CALL, 0);
		eventq_set(&q, &e[i], (uint64_t)(i % 3));
	}
	for (int at = 0; at < 3; at++)
		for (int i = at; i < N; i += 3)
			assert_ptr_equal(eventq_pop(&q), &e[i]);
	assert_null(eventq_pop(&q));
	eventq_free(&q);
}

static void events_leave_by_time_whatever_is_moved_or_cancelled(void **state)
{
	struct oracle_random o;
	struct event e[N];
	struct eventq q;
	struct event *last = NULL, *p;
	int left = 0, queued = 0;

	(void)state;
	oracle_random_init(&o, 7);
	eventq_init(&q);
	for (int i = 0; i < N; i++)
		event_init(&e[i], EVENT_CALL, 0);
	for (int i = 0; i < 4 * N; i++) {
		struct event *x = &e[o.base.choose(&o.base, N)];

		if (o.base.choose(&o.base, 3))
			eventq_set(&q, x, o.base.choose(&o.base, 1000));
		else
			eventq_cancel(&q, x);
	}
	for (int i = 0; i < N; i++)
		queued += e[i].index >= 0;
	while ((p = eventq_pop(&q))) {
		if (last)
			assert_true(last->at < p->at || (last->at == p->at && last->seq < p->seq));
		last = p;
		left++;
	}
	assert_true(queued > 0);
	assert_int_equal(left, queued);
	eventq_free(&q);
}

/* What a reset does: the queue as it was, whatever has become of it. */
static void a_queue_copied_back_holds_what_it_held(void **state)
{
	struct event e[N], was[N];
	struct eventq q, kept;

	(void)state;
	for (int held = 0; held < N; held = 3 * held + 1) {
		eventq_init(&q);
		eventq_init(&kept);
		for (int i = 0; i < N; i++)
			event_init(&e[i], EVENT_CALL, 0);
		for (int i = 0; i < held; i++)
			eventq_set(&q, &e[i], (uint64_t)(i * 7919 % 100));
		eventq_copy(&kept, &q);
		memcpy(was, e, sizeof(e));
		for (int round = 0; round < 2; round++) {
			uint64_t last = 0;

			for (int i = 0; i < N; i += 1 + round)
				eventq_set(&q, &e[i], (uint64_t)i);
			for (int i = 0; i < N / 3; i++)
				eventq_pop(&q);
			memcpy(e, was, sizeof(e));
			eventq_copy(&q, &kept);
			assert_int_equal(eventq_next_at(&q), held ? 0 : UINT64_MAX);
			for (int i = 0; i < held; i++) {
				struct event *p = eventq_pop(&q);

				assert_true(p && p->at >= last);
				last = p->at;
			}
			assert_null(eventq_pop(&q));
			memcpy(e, was, sizeof(e));
			eventq_copy(&q, &kept);
		}
		eventq_free(&q);
		eventq_free(&kept);
	}
}

static void a_seed_gives_the_same_answers_and_another_gives_others(void **state)
{
	struct oracle_random a, b, c;
	int differ = 0;

	(void)state;
	oracle_random_init(&a, 1);
	oracle_random_init(&b, 1);
	oracle_random_init(&c, 2);
	for (int i = 0; i < 1000; i++) {
		uint32_t x = a.base.choose(&a.base, 100);

		assert_true(x < 100);
		assert_int_equal(x, b.base.choose(&b.base, 100));
		differ += x != c.base.choose(&c.base, 100);
	}
	assert_true(differ > 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_times_leave_in_arrival_order),
		cmocka_unit_test(events_leave_by_time_whatever_is_moved_or_cancelled),
		cmocka_unit_test(a_queue_copied_back_holds_what_it_held),
		cmocka_unit_test(a_seed_gives_the_same_answers_and_another_gives_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
