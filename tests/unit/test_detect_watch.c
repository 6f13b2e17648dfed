/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detectors: watchdogs, the timeline, what a record costs, and that no judgement goes stale.
 */
#include "tests/unit/stream.h"

/* ---- watchdogs */

static const struct report *only_report(void)
{
	const struct report *r;

	assert_int_equal(detect_reports(d, &r), 1);
	return r;
}

static void wait_long(uint32_t on)
{
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, on, LOCK_EXCLUSIVE);
	blocks(3, 1, HIGH, on, LCB_RT, IDLE1);
	feed(130000000, 0, LOW, PROBE_NOTE, 0, 0);
	feed(900000000, 0, LOW, PROBE_NOTE, 0, 0);
}

static void two_minutes_on_a_mutex_is_a_hung_task_told_once(void **state)
{
	(void)state;
	wait_long(mutex);
	assert_int_equal(only_report()->at_ns, 120000004000);
	assert_string_equal(only_report()->text, "hung task: high blocked on mutex held by low");
}

static void each_hung_task_is_told_once(void **state)
{
	const struct report *r;

	(void)state;
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, mutex, LOCK_EXCLUSIVE);
	blocks(3, 1, HIGH, mutex, LCB_RT, MIDDLE);
	blocks(60000000, 1, MIDDLE, mutex, LCB_RT, IDLE1);
	feed(130000000, 0, LOW, PROBE_NOTE, 0, 0);
	feed(200000000, 0, LOW, PROBE_NOTE, 0, 0);
	assert_int_equal(detect_reports(d, &r), 2);
	assert_string_equal(r[1].text, "hung task: middle blocked on mutex held by low");
}

static void two_minutes_on_a_spinlock_of_rt_are_not_uninterruptible(void **state)
{
	const struct report *r;

	(void)state;
	wait_long(spin);
	assert_int_equal(detect_reports(d, &r), 0);
}

static void spin_long(bool switches)
{
	both_run();
	feed(2, 0, LOW, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(3, 1, HIGH, PROBE_CONTENTION_BEGIN, spin, LCB_SPIN);
	if (switches) {
		switch_to(10000000, 1, HIGH, MIDDLE, PREV_PREEMPTED);
		switch_to(10000001, 1, MIDDLE, HIGH, PREV_INTERRUPTIBLE);
	}
	detect_end(d, s, 25000000000);
}

static void twenty_seconds_of_spinning_are_a_soft_lockup(void **state)
{
	(void)state;
	spin_long(false);
	assert_int_equal(only_report()->at_ns, 20000003000);
	assert_string_equal(only_report()->text,
			    "soft lockup: CPU 1 stuck in high, which spins for spin");
	assert_int_equal(detect_verdict(d), VERDICT_OK);
}

static void a_cpu_that_switches_is_not_locked_up(void **state)
{
	const struct report *r;

	(void)state;
	spin_long(true);
	assert_int_equal(detect_reports(d, &r), 0);
}

/* ---- timeline */

static const struct change *newest(uint32_t id)
{
	static struct change c[CHANGES_MAX];
	uint32_t nr = detect_changes(d, c, CHANGES_MAX);

	while (nr--)
		if (c[nr].task == id)
			return &c[nr];
	return NULL;
}

static void the_timeline_knows_throttled_and_boosted(void **state)
{
	(void)state;
	both_run();
	switch_to(2, 0, LOW, IDLE0, PREV_PREEMPTED);
	feed(2, 0, IDLE0, PROBE_THROTTLE, LOW, 0);
	assert_int_equal(newest(LOW)->state, STATE_THROTTLED);
	feed(3, 1, HIGH, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 19));
	assert_int_equal(newest(LOW)->state, STATE_RUNNABLE);
	assert_true(newest(LOW)->boosted);
	switch_to(4, 0, IDLE0, LOW, 0);
	feed(4, 0, LOW, PROBE_UNTHROTTLE, LOW, 0);
	assert_int_equal(newest(LOW)->state, STATE_RUNNING);	/* though it was told late */
	feed(5, 0, LOW, PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(19, 120));
	assert_false(newest(LOW)->boosted);
	assert_int_equal(newest(LOW)->at_ns, 5000);
}

static void changes_around_the_verdict_outlive_the_ring(void **state)
{
	static struct change c[CHANGES_MAX];
	uint32_t nr;

	(void)state;
	opposite_orders();
	switch_to(5, 0, LOW, IDLE0, D);
	switch_to(6, 1, HIGH, MIDDLE, D);
	assert_int_equal(detect_verdict(d), VERDICT_DEADLOCK);
	for (uint64_t i = 0; i < CHANGES_MAX; i++)
		switch_to(10 + i, 1, i & 1 ? OTHER : MIDDLE, i & 1 ? MIDDLE : OTHER, 0);
	nr = detect_changes(d, c, CHANGES_MAX);
	assert_int_equal(nr, CHANGES_MAX);
	assert_int_equal(c[0].task, LOW);
	assert_int_equal(c[0].at_ns, 1000);
	for (uint32_t i = 1; i < nr; i++)
		assert_true(c[i].at_ns >= c[i - 1].at_ns);
}

/* ---- cost */

static void what_a_wait_does_not_lead_over_does_not_judge_it_anew(void **state)
{
	uint64_t visit;

	(void)state;
	in_a_ring(40, false);
	visit = d->visit;
	switch_to(100, 1, IDLE1, MIDDLE, 0);
	feed(101, 1, MIDDLE, PROBE_LOCK_ACQUIRED, spin, LOCK_EXCLUSIVE);
	feed(102, 1, MIDDLE, PROBE_LOCK_RELEASED, spin, LOCK_EXCLUSIVE);
	switch_to(103, 1, MIDDLE, IDLE1, PREV_INTERRUPTIBLE);
	assert_int_equal(d->visit, visit);
	switch_to(104, 1, IDLE1, EXTRA + 39, 0);	/* whom all of them wait for */
	assert_true(d->visit >= visit + 39);
}

/* ---- anything may be in a stream */

static uint32_t draw(uint64_t *x, uint32_t n)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*x >> 33) % n;
}

static void random_record(uint64_t *x, uint64_t at_ns)
{
	static const int64_t flags[] = { LCB_RT, LCB_READ | LCB_RT, LCB_WRITE | LCB_RT, LCB_SPIN,
					 LCB_SPIN | LCB_READ, LCB_SPIN | LCB_WRITE, LCB_MUTEX };
	static const int64_t states[] = { PREV_RUNNABLE, PREV_INTERRUPTIBLE, D, D, PREV_PREEMPTED };
	const uint32_t kinds[] = { PROBE_SCHED_SWITCH, PROBE_SCHED_SWITCH, PROBE_SCHED_WAKEUP,
				   PROBE_SCHED_MIGRATE, PROBE_SCHED_PI_SETPRIO,
				   PROBE_SCHED_SETSCHEDULER, PROBE_THROTTLE, PROBE_UNTHROTTLE,
				   PROBE_GROUP_TIMER, PROBE_CONTENTION_BEGIN, PROBE_CONTENTION_BEGIN,
				   PROBE_CONTENTION_END, PROBE_LOCK_ACQUIRED, PROBE_LOCK_RELEASED };
	const uint32_t locks[] = { rw, rw, inner, spin, softirq, mutex };
	struct probe p = { .seq = seq++, .at_ns = at_ns, .cpu = draw(x, 2), .task = draw(x, 12),
			   .kind = kinds[draw(x, 14)] };

	p.object = draw(x, 12);
	if (p.kind == PROBE_SCHED_SWITCH)
		p.arg = states[draw(x, 5)];
	else if (p.kind == PROBE_SCHED_PI_SETPRIO || p.kind == PROBE_SCHED_SETSCHEDULER)
		p.arg = PRIO_CHANGE(draw(x, 130), draw(x, 130));
	else if (p.kind == PROBE_SCHED_WAKEUP || p.kind == PROBE_SCHED_MIGRATE)
		p.arg = draw(x, 2);
	if (p.kind == PROBE_GROUP_TIMER) {
		p.object = 0;
		p.arg = (int64_t)draw(x, 3) - 1;
	}
	if (p.kind >= PROBE_CONTENTION_BEGIN && p.kind <= PROBE_LOCK_RELEASED) {
		p.object = locks[draw(x, 6)];
		p.arg = p.kind == PROBE_CONTENTION_BEGIN ? flags[draw(x, 7)] : draw(x, 3);
		if (p.kind == PROBE_CONTENTION_END)
			p.arg = p.arg ? 0 : -4;
	}
	detect_feed(d, s, &p);
}

/*
 * Whatever comes, a wait that was not judged anew would be judged the same: otherwise some change
 * forgot to touch those whom it concerns.
 */
static void no_judgement_goes_stale(void **state)
{
	uint64_t x = 1, judged = 0;

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		random_record(&x, i * 10);
		list_each(node, &d->open) {
			struct open_wait *o = list_item(node, struct open_wait, all);
			struct standing st;

			chain_standing(d, o->wait.task, &st);
			assert_int_equal(o->inverted, st.inverted);
			judged += st.inverted;
		}
	}
	assert_true(judged > 1000);
	assert_true(detect_counts(d)->handovers > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(two_minutes_on_a_mutex_is_a_hung_task_told_once),
		T(each_hung_task_is_told_once),
		T(two_minutes_on_a_spinlock_of_rt_are_not_uninterruptible),
		T(twenty_seconds_of_spinning_are_a_soft_lockup),
		T(a_cpu_that_switches_is_not_locked_up),
		T(the_timeline_knows_throttled_and_boosted),
		T(changes_around_the_verdict_outlive_the_ring),
		T(what_a_wait_does_not_lead_over_does_not_judge_it_anew),
		T(no_judgement_goes_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
