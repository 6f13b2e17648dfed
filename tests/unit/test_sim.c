/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a machine keeps besides its CPUs: tasks, names, locks, records, bugs; and going back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/world.h"

static struct sim *s;
static char memory[64][64] __attribute__((aligned(64)));

static void rests(void *arg)
{
	world_idle(arg);
}

static void (*const resting[])(void *) = { rests };

static int setup(void **state)
{
	(void)state;
	s = world_new(&carrier_fiber, 1, resting);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sim_free(s);
	return 0;
}

/* ---- names and tasks */

static void equal_names_have_one_id_wherever_the_text_lies(void **state)
{
	char a[] = "ep_poll_callback", b[] = "ep_poll_callback", name[32];
	uint32_t id = sim_name_id(s, a);

	(void)state;
	assert_int_equal(sim_name_id(s, b), id);
	strcpy(a, "ep_send_events");	/* a buffer that is used again is another name */
	assert_int_not_equal(sim_name_id(s, a), id);
	assert_string_equal(sim_name(s, id), b);
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		assert_int_equal(sim_name_id(s, name), id + 2 + i);
	}
	assert_int_equal(sim_name_id(s, b), id);
	assert_string_equal(sim_name(s, id + 2 + 1000), "?");
}

static void tasks_have_dense_ids_and_names_of_at_most_31_bytes(void **state)
{
	uint32_t first = sim_nr_tasks(s);

	(void)state;
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(sim_task_new(s, "a name that is longer than thirty-one bytes",
					      TASK_KTHREAD)->id, first + i);
	assert_string_equal(sim_task(s, first)->name, "a name that is longer than thir");
	assert_int_equal(sim_task(s, first)->group, -1);
	assert_null(sim_task(s, first + 200));
}

static void groups_are_counted_from_zero(void **state)
{
	(void)state;
	assert_int_equal(sim_group_named(s, "one"), 0);
	assert_int_equal(sim_group_named(s, "two"), 1);
	assert_string_equal(sim_group_name(s, 1), "two");
	assert_string_equal(sim_group_name(s, 2), "?");
	assert_string_equal(sim_group_name(s, -1), "?");
}

/* ---- locks */

static void the_second_lock_of_a_name_has_a_number(void **state)
{
	(void)state;
	sim_lock_name(s, memory[0], BRIDGE_LOCK_SPIN, "&ep->lock");
	sim_lock_name(s, memory[1], BRIDGE_LOCK_SPIN, "&ep->lock");
	sim_lock_name(s, memory[2], BRIDGE_LOCK_MUTEX, "&ep->mtx");
	assert_string_equal(sim_lock(s, sim_lock_id(s, memory[0]))->name, "&ep->lock");
	assert_string_equal(sim_lock(s, sim_lock_id(s, memory[1]))->name, "&ep->lock#2");
	assert_string_equal(sim_lock(s, sim_lock_id(s, memory[2]))->name, "&ep->mtx");
	assert_int_equal(sim_lock(s, 2)->kind, BRIDGE_LOCK_MUTEX);
	assert_null(sim_lock(s, 3));
}

static void the_inner_rtmutex_of_a_rwlock_goes_by_the_name_of_its_lock(void **state)
{
	uint32_t outer, inner, id;

	(void)state;
	sim_lock_name(s, memory[0], BRIDGE_LOCK_RW, "&ep->lock");
	sim_lock_name(s, memory[1], BRIDGE_LOCK_RW, "&ep->lock");
	outer = sim_lock_id(s, memory[1]);
	assert_false(sim_lock_find(s, memory[1] + 16, &id));
	assert_true(sim_lock_find(s, memory[1] + 8, &inner));
	assert_int_not_equal(inner, outer);
	assert_int_equal(sim_lock(s, inner)->inner_of, outer);
	assert_string_equal(sim_lock(s, inner)->name, "&ep->lock#2");
	assert_int_equal(sim_lock_id(s, memory[1] + 8), inner);
	/* it does not count as one more of that name */
	sim_lock_name(s, memory[3], BRIDGE_LOCK_RW, "&ep->lock");
	assert_string_equal(sim_lock(s, sim_lock_id(s, memory[3]))->name, "&ep->lock#3");
	/* a spinlock has no inner one */
	sim_lock_name(s, memory[2], BRIDGE_LOCK_SPIN, "spin");
	assert_false(sim_lock_find(s, memory[2] + 8, &id));
}

static void a_lock_in_freed_memory_is_forgotten_and_a_new_one_is_another(void **state)
{
	uint32_t id, old[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		sim_lock_name(s, memory[0] + 8 * i, BRIDGE_LOCK_SPIN, "lock");
		old[i] = sim_lock_id(s, memory[0] + 8 * i);
	}
	sim_lock_forget(s, memory[0] + 8, 48);	/* all but the first and the last */
	for (int i = 0; i < 8; i++)
		assert_int_equal(sim_lock_find(s, memory[0] + 8 * i, &id), i == 0 || i == 7);
	sim_lock_forget(s, memory, sizeof(memory));	/* more words than there are locks */
	assert_false(sim_lock_find(s, memory[0], &id));
	assert_int_equal(sim_lock_id(s, memory[0]), old[7] + 1);
	assert_string_equal(sim_lock(s, old[7] + 1)->name, "(unnamed lock)");
	/* initialised twice, freed once */
	for (int i = 0; i < 2; i++)
		sim_lock_name(s, memory[5], BRIDGE_LOCK_SPIN, "lock");
	sim_lock_forget(s, memory[5], 64);
	assert_false(sim_lock_find(s, memory[5], &id));
}

static void only_locks_named_as_spinning_spin(void **state)
{
	(void)state;
	sim_lock_name(s, memory[0], BRIDGE_LOCK_RAW_SPIN, "raw");
	sim_lock_name(s, memory[1], BRIDGE_LOCK_MUTEX, "mutex");
	assert_true(sim_lock_spins(s, memory[0]));
	assert_false(sim_lock_spins(s, memory[1]));
	assert_false(sim_lock_spins(s, memory[2]));
}

/* ---- records */

static struct probe seen[64];
static int nr_seen;

static void see(void *self, const struct sim *sim, const struct probe *p)
{
	(void)self;
	(void)sim;
	seen[nr_seen++] = *p;
}

static void records_are_numbered_from_the_epoch_on_and_nothing_shows_before_it(void **state)
{
	(void)state;
	nr_seen = 0;
	assert_int_equal(sim_observe(s, see, NULL), 0);
	engine_log(s, PROBE_NOTE, 1, 2);
	sim_set_epoch(s, sim_now_abs(s) + 500);
	engine_log(s, PROBE_NOTE, 3, -4);
	engine_log(s, PROBE_NOTE, 5, 6);
	assert_int_equal(nr_seen, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(seen[i].seq, i);
		assert_int_equal(seen[i].at_ns, 0);
		assert_int_equal(seen[i].object, 3 + 2 * i);
	}
	assert_int_equal(seen[0].arg, -4);
}

static void unwatched_records_are_counted_all_the_same(void **state)
{
	(void)state;
	nr_seen = 0;
	sim_set_epoch(s, sim_now_abs(s));
	engine_log(s, PROBE_NOTE, 1, 2);
	assert_int_equal(sim_observe(s, see, NULL), 0);
	engine_log(s, PROBE_NOTE, 1, 2);
	assert_int_equal(nr_seen, 1);
	assert_int_equal(seen[0].seq, 1);
	sim_clear_observers(s);
	engine_log(s, PROBE_NOTE, 1, 2);
	assert_int_equal(nr_seen, 1);
}

static void priorities_follow_the_records(void **state)
{
	struct task *t = sim_task_new(s, "t", TASK_KTHREAD);

	(void)state;
	sim_set_epoch(s, sim_now_abs(s));
	engine_log(s, PROBE_SCHED_PI_SETPRIO, t->id, PRIO_CHANGE(120, 19));
	assert_int_equal(t->prio, 19);
	assert_int_equal(t->normal_prio, 120);
	engine_log(s, PROBE_SCHED_SETSCHEDULER, t->id, PRIO_CHANGE(120, 49));
	assert_int_equal(t->prio, 19);		/* still lent */
	assert_int_equal(t->normal_prio, 49);
	engine_log(s, PROBE_SCHED_PI_SETPRIO, t->id, PRIO_CHANGE(19, 49));
	engine_log(s, PROBE_SCHED_SETSCHEDULER, t->id, PRIO_CHANGE(49, 139));
	assert_int_equal(t->prio, 139);
	assert_int_equal(PRIO_OLD(PRIO_CHANGE(-1, 5)), -1);
	assert_int_equal(PRIO_NEW(PRIO_CHANGE(-1, 5)), 5);
}

static void observers_are_refused_when_there_are_too_many(void **state)
{
	(void)state;
	for (int i = 0; i < SIM_OBSERVERS_MAX; i++)
		assert_int_equal(sim_observe(s, see, NULL), 0);
	assert_true(sim_observe(s, see, NULL) < 0);
}

static void the_first_bug_is_kept(void **state)
{
	(void)state;
	assert_null(sim_bug(s));
	engine_warn(s, "WARN", "first");
	engine_bug(s, "BUG", "second");
	assert_string_equal(sim_bug(s), "WARN");
	assert_string_equal(sim_bug_detail(s), "first");
}

/* ---- going back */

static uint64_t counted;

static void counts(void *arg)
{
	volatile uint64_t mine = 0;

	for (;;) {
		s->focus->irqs_off = 1;
		engine_idle(arg);
		s->focus->irqs_off = 0;
		engine_burn(arg, 7);
		counted = ++mine;
		engine_log(arg, PROBE_NOTE, sim_name_id(arg, "woken"), (int64_t)mine);
	}
}

static void raise_line(struct sim *sim, void *arg)
{
	engine_raise_line(sim, 0, (int)(intptr_t)arg);
}

static void end_task(struct sim *sim, void *arg)
{
	sim_task_exit(sim, arg);
}

/*
 * One run after going back: everything a run can leave behind.  @words: how many names it says;
 * below zero: in the other order.
 */
static uint64_t one_run(int words)
{
	int last = words < 0 ? -words - 1 : 0;

	uint64_t sum = 0;
	struct task *t;
	char name[16], again[16];

	nr_seen = 0;
	sim_set_epoch(s, sim_now_abs(s) + 1000);
	sim_clear_observers(s);
	assert_int_equal(sim_observe(s, see, NULL), 0);
	t = sim_task_new(s, "dropped", TASK_SCENARIO);
	sim_task_bind(s, t, NULL, rests, s);
	for (int i = 0; i < abs(words); i++) {
		snprintf(name, sizeof(name), "word %d", abs(last - i));
		strcpy(again, name);
		sim_lock_name(s, memory[2 + i], BRIDGE_LOCK_RW, name);
		assert_string_equal(sim_lock(s, sim_lock_id(s, memory[2 + i]))->name, name);
		assert_string_equal(sim_name(s, sim_name_id(s, name)), name);
		assert_int_equal(sim_name_id(s, again), sim_name_id(s, name));
		engine_log(s, PROBE_NOTE, sim_name_id(s, name), sim_lock_id(s, memory[2 + i] + 8));
	}
	sim_lock_forget(s, memory[0], 64);
	sim_lock_name(s, memory[1], BRIDGE_LOCK_SPIN, "old");
	assert_string_equal(sim_lock(s, sim_lock_id(s, memory[1]))->name, "old#3");
	engine_log(s, PROBE_NOTE, sim_lock_id(s, memory[0]), sim_lock_id(s, memory[1]));
	engine_warn(s, "WARN", "of this run");
	engine_call_at(s, 100, raise_line, (void *)2);
	engine_call_at(s, 200, end_task, t);
	engine_call_at(s, 900, raise_line, (void *)3);	/* never comes */
	assert_int_equal(sim_run(s), SIM_END_DONE);
	for (int i = 0; i < nr_seen; i++) {
		const char *text = sim_name(s, seen[i].object);

		sum = sum * 31 + seen[i].seq + 7 * seen[i].at_ns + 13 * seen[i].object +
		      17 * (uint64_t)seen[i].arg + 19 * seen[i].task + seen[i].kind;
		while (*text)
			sum = sum * 37 + (unsigned char)*text++;
	}
	return sum;
}

static int nr_free_calls(void)
{
	int n = 0;

	for (const struct call *c = s->free_calls; c; c = c->next_free)
		n++;
	return n;
}

static void a_run_after_going_back_is_the_first_one_again(void **state)
{
	void (*const counting[])(void *) = { counts };
	static const int words[] = { 3, 3, 0, 5, -3, 3, 1, -5, 5, -3, 3 };
	uint64_t first[11] = { 0 }, *known, sum;

	(void)state;
	if (!carrier_fiber.can_restore)
		skip();
	sim_free(s);
	s = world_new(&carrier_fiber, 1, counting);
	sim_lock_name(s, memory[0], BRIDGE_LOCK_SPIN, "old");
	sim_lock_name(s, memory[1], BRIDGE_LOCK_SPIN, "old");
	assert_int_equal(sim_run(s), SIM_END_QUIET);
	sim_snapshot(s);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		counted = 0;
		sum = one_run(words[i]);
		assert_int_equal(counted, 1);
		assert_string_equal(sim_bug(s), "WARN");
		assert_int_equal(nr_seen, abs(words[i]) + 3);
		known = &first[words[i] + 5];
		if (!*known)
			*known = sum;
		assert_int_equal(sum, *known);
		sim_restore(s);
		assert_null(sim_bug(s));
		assert_int_equal(nr_free_calls(), 3);	/* one of them never came */
		assert_int_equal(sim_nr_tasks(s), 1);
		assert_int_equal(sim_nr_locks(s), 2);
		assert_int_equal(sim_lock_id(s, memory[0]), 0);
		assert_int_equal(sim_lock_id(s, memory[1]), 1);
	}
	assert_int_not_equal(first[5 + 3], first[5 - 3]);
	assert_int_not_equal(first[5 + 3], first[5 + 5]);
}

static void names_of_the_run_before_are_kept_for_the_next_and_dropped_when_it_says_others(void **state)
{
	(void)state;
	if (!carrier_fiber.can_restore)
		skip();
	assert_int_equal(sim_run(s), SIM_END_QUIET);
	sim_snapshot(s);
	for (int i = 0; i < 3; i++)
		sim_name_id(s, i == 0 ? "a" : i == 1 ? "b" : "c");
	sim_restore(s);
	assert_int_equal(s->nr_old_names, 3);
	assert_int_equal(sim_name_id(s, "a"), 0);
	sim_restore(s);
	assert_int_equal(s->nr_old_names, 3);	/* a short run forgets nothing */
	assert_int_equal(sim_name_id(s, "a"), 0);
	assert_int_equal(sim_name_id(s, "c"), 1);
	assert_int_equal(s->nr_old_names, 0);
	assert_int_equal(sim_name_id(s, "b"), 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(equal_names_have_one_id_wherever_the_text_lies),
		T(tasks_have_dense_ids_and_names_of_at_most_31_bytes),
		T(groups_are_counted_from_zero),
		T(the_second_lock_of_a_name_has_a_number),
		T(the_inner_rtmutex_of_a_rwlock_goes_by_the_name_of_its_lock),
		T(a_lock_in_freed_memory_is_forgotten_and_a_new_one_is_another),
		T(only_locks_named_as_spinning_spin),
		T(records_are_numbered_from_the_epoch_on_and_nothing_shows_before_it),
		T(unwatched_records_are_counted_all_the_same),
		T(priorities_follow_the_records),
		T(observers_are_refused_when_there_are_too_many),
		T(the_first_bug_is_kept),
		T(a_run_after_going_back_is_the_first_one_again),
		T(names_of_the_run_before_are_kept_for_the_next_and_dropped_when_it_says_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
