/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading scenarios that are right: every section, rt-app's files, --set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/detect/detect.h"
#include "sim/scenario/scenario.h"

#define EPOLLIN 1u
#define EPOLLET (1u << 31)

static struct scenario *load_as(const char *name, const char *text, const char *const *sets)
{
	struct scenario *s = NULL;
	struct diag d = { "" };

	if (scenario_load_text(name, text, strlen(text), sets, &s, &d))
		fail_msg("%s", d.text);
	return s;
}

static struct scenario *load(const char *text)
{
	return load_as("dir/case.yaml", text, NULL);
}

static const struct step *step(const struct scenario *s, size_t task, size_t i)
{
	assert_true(i < s->tasks[task].phases[0].steps.nr);
	return &s->tasks[task].phases[0].steps.all[i];
}

static void what_a_file_does_not_say_has_its_default(void **state)
{
	struct scenario *s = load("tasks: {t: {run: 1}}");

	(void)state;
	assert_string_equal(s->name, "case");
	assert_int_equal(s->machine.nr_cpus, 1);
	assert_int_equal(s->machine.softirq, BRIDGE_SOFTIRQ_KSOFTIRQD);
	assert_int_equal(s->machine.rcu_stall_ns, 21000000000);
	assert_int_equal(s->duration_ns, 10000000000);
	assert_int_equal(s->inversion_ns, 1000000);
	assert_null(s->image);
	assert_int_equal(s->nr_tasks, 1);
	assert_string_equal(s->tasks[0].name, "t");
	assert_string_equal(s->tasks[0].spawn.name, "t");
	assert_int_equal(s->tasks[0].spawn.cpus, 1);
	assert_int_equal(s->tasks[0].spawn.group, -1);
	assert_int_equal(s->tasks[0].spawn.policy, BRIDGE_SCHED_OTHER);
	assert_int_equal(s->tasks[0].loop, 1);
	scenario_free(s);
}

static void a_time_has_a_unit_or_is_in_microseconds(void **state)
{
	struct scenario *s = load("tasks: {t: {run0: 300, run1: 15ms, run2: 50000ns, run3: 2s, "
				  "run4: 300us, run5: 0.5, run6: 1.5ms}}");
	static const uint64_t ns[] = { 300000, 15000000, 50000, 2000000000, 300000, 500, 1500000 };

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(step(s, 0, i)->kind, STEP_RUN);
		assert_int_equal(step(s, 0, i)->ns, ns[i]);
	}
	scenario_free(s);
}

static void the_machine_is_as_written(void **state)
{
	struct scenario *s = load(
		"name: n\n"
		"source: somewhere\n"
		"machine: {cpus: 64, image: 6.12-rt, duration: 3s, rcu_stall: 10s, throttle: at-exit,\n"
		"          softirq: {thread: ktimers}}\n"
		"limits: {events: 1000, memory: 32, starve: 5ms, inversion: 2ms}\n"
		"groups: {g: {quota: 1000us, period: 2000us, timer_cpu: 63}, free: {quota: max}}\n"
		"interrupts: {nic: {cpu: 2, threaded: false, first: 1ms, period: 2ms, count: 3,\n"
		"                   handler: {run: 5, write: e}}}\n"
		"resources: {e: {type: eventfd, initial: 7, nonblock: true}}\n"
		"tasks: {t: {group: g, run: 1}}\n");

	(void)state;
	assert_string_equal(s->name, "n");
	assert_int_equal(s->machine.nr_cpus, 64);
	assert_string_equal(s->image, "6.12-rt");
	assert_int_equal(s->duration_ns, 3000000000);
	assert_int_equal(s->machine.rcu_stall_ns, 10000000000);
	assert_true(s->machine.throttle_at_exit);
	assert_int_equal(s->machine.softirq, BRIDGE_SOFTIRQ_KTIMERS);
	assert_int_equal(s->machine.softirq_priority, 1);
	assert_int_equal(s->events_max, 1000);
	assert_int_equal(s->memory_max, 32u << 20);
	assert_int_equal(s->starve_ns, 5000000);
	assert_int_equal(s->inversion_ns, 2000000);
	assert_int_equal(s->groups[0].quota_ns, 1000000);
	assert_int_equal(s->groups[0].period_ns, 2000000);
	assert_int_equal(s->groups[0].timer_cpu, 63);
	assert_int_equal(s->groups[1].quota_ns, -1);
	assert_int_equal(s->interrupts[0].cpu, 2);
	assert_false(s->interrupts[0].threaded);
	assert_int_equal(s->interrupts[0].period_ns, 2000000);
	assert_int_equal(s->interrupts[0].count, 3);
	assert_int_equal(s->interrupts[0].handler.nr, 2);
	assert_int_equal(s->interrupts[0].handler.all[1].kind, STEP_WRITE);
	assert_int_equal(s->resources[0].initial, 7);
	assert_true(s->resources[0].nonblock);
	assert_int_equal(s->tasks[0].spawn.group, 0);
	assert_true(s->tasks[0].spawn.cpus == UINT64_MAX);
	scenario_free(s);
}

static void names_may_be_used_before_they_are_defined(void **state)
{
	struct scenario *s = load(
		"triggers: [{when: {task: t, holds: l, after: 1ms}, do: {throttle: t, interrupt: i}, "
		"count: 2}]\n"
		"expect: {a: {verdict: [ok, late], max_wait: {t: 5}, chain: [t, l]}}\n"
		"hold: {lock: \"&ep->lock\", function: f, task: t, us: 300}\n"
		"tasks: {t: {group: g, epoll_wait: {ref: ep, maxevents: 3, timeout: 0}, lock: l}}\n"
		"interrupts: {i: {}}\n"
		"resources: {ep: {type: epoll, watch: {e: [in, et]}}, e: {type: fifo}, "
		"l: {type: rwlock}}\n"
		"groups: {g: {quota: 5ms}}\n"
		"machine: {cpus: 2}\n");

	(void)state;
	assert_int_equal(s->triggers[0].task, 0);
	assert_string_equal(s->triggers[0].lock, "l");
	assert_null(s->triggers[0].function);
	assert_int_equal(s->triggers[0].throttle, 0);
	assert_int_equal(s->triggers[0].interrupt, 0);
	assert_int_equal(s->triggers[0].wake, -1);
	assert_int_equal(s->triggers[0].after_ns, 1000000);
	assert_int_equal(s->triggers[0].count, 2);
	assert_string_equal(s->holds[0].lock, "&ep->lock");
	assert_string_equal(s->holds[0].function, "f");
	assert_int_equal(s->holds[0].task, 0);
	assert_int_equal(s->holds[0].ns, 300000);
	assert_int_equal(s->expectations[0].verdicts, 1u << VERDICT_OK | 1u << VERDICT_LATE);
	assert_int_equal(s->expectations[0].max_wait[0].ns, 5000);
	assert_int_equal(s->expectations[0].nr_chain, 2);
	assert_string_equal(s->expectations[0].chain[1], "l");
	assert_int_equal(s->resources[0].nr_watches, 1);
	assert_int_equal(s->resources[0].watches[0].fd, 1);
	assert_true(s->resources[0].watches[0].events == (EPOLLIN | EPOLLET));
	assert_int_equal(step(s, 0, 0)->count, 3);
	assert_int_equal(step(s, 0, 0)->timeout_ms, 0);
	assert_int_equal(step(s, 0, 1)->ref, 2);
	scenario_free(s);
}

static void the_type_of_an_event_is_its_longest_known_prefix(void **state)
{
	struct scenario *s = load("resources: {ep: {type: epoll}, e: {type: eventfd}}\n"
				  "tasks: {t: {runtime7: 1, run_b: 2, memrun: 3, read_ready: ep, "
				  "read_e: {ref: e, bytes: 8}, yield: {}, synchronize_rcu: {}, "
				  "set_policy: {policy: SCHED_FIFO, priority: 3}}}");
	static const enum step_kind kinds[] = { STEP_RUN,  STEP_RUN,	 STEP_RUN,
						STEP_READ_READY, STEP_READ, STEP_YIELD,
						STEP_SYNCHRONIZE_RCU, STEP_POLICY };

	(void)state;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(step(s, 0, i)->kind, kinds[i]);
	assert_int_equal(step(s, 0, 4)->count, 8);
	assert_int_equal(step(s, 0, 7)->policy, BRIDGE_SCHED_FIFO);
	assert_int_equal(step(s, 0, 7)->priority, 3);
	scenario_free(s);
}

static void instances_are_tasks_of_their_own(void **state)
{
	struct scenario *s = load("tasks: {w: {instance: 3, loop: -1, timer: {ref: unique, "
				  "period: 9}}, none: {instance: 0, run: 1}, last: {resume: w-1}}");

	(void)state;
	assert_int_equal(s->nr_tasks, 4);
	assert_string_equal(s->tasks[2].name, "w-2");
	assert_string_equal(s->tasks[2].origin, "w");
	assert_int_equal(s->tasks[2].loop, -1);
	/* "unique" is a timer for each */
	assert_int_not_equal(step(s, 0, 0)->ref, step(s, 1, 0)->ref);
	assert_int_equal(step(s, 3, 0)->ref, 1);
	scenario_free(s);
}

static void a_thousand_tasks_with_a_timer_each_are_not_too_many(void **state)
{
	struct scenario *s = load("tasks: {w: {instance: 1000, timer: {ref: unique, period: 9}}}");

	(void)state;
	assert_int_equal(s->nr_tasks, 1000);
	assert_int_equal(s->nr_resources, 1000);
	scenario_free(s);
}

static const char rtapp[] =
	"/* a comment: \"quoted\" */\n"
	"{\n"
	"\t\"name\": \"no // comment \\\" /* here */\",\n"
	"\t\"global\": {\"duration\": 2, \"default_policy\": \"SCHED_FIFO\", // another\n"
	"\t\t\"pi_enabled\": true, \"logdir\": \"./a\\\\\", \"calibration\": \"CPU0\"}, /* ** */\n"
	"\t\"resources\": {\"m\": {\"type\": \"mutex\"}, \"c\": {\"type\": \"wait\"}},\n"
	"\t\"tasks\": {\n"
	"\t\t\"a\": {\"cpus\": [5], \"priority\": 20, \"lock\": \"m\", \"run\": 10,\n"
	"\t\t\t\"sync\": {\"ref\": \"c\", \"mutex\": \"m\"}, \"run\": 20, \"unlock\": \"m\"},\n"
	"\t\t\"b\": {\"policy\": \"SCHED_OTHER\", \"phases\": {\n"
	"\t\t\t\"p1\": {\"loop\": 3, \"lock\": \"implied\", \"unlock\": \"implied\"},\n"
	"\t\t\t\"p2\": {\"barrier\": \"meet\", \"mem\\u0072un\": 4}}}\n"
	"\t}\n"
	"}\n";

static void a_plain_rt_app_file_loads_as_it_is(void **state)
{
	struct scenario *s = load_as("w.json", rtapp, NULL);
	static const enum step_kind kinds[] = { STEP_LOCK, STEP_RUN, STEP_SIGNAL,
						STEP_WAIT, STEP_RUN, STEP_UNLOCK };

	(void)state;
	assert_string_equal(s->name, "no // comment \" /* here */");
	assert_int_equal(s->duration_ns, 2000000000);
	/* as many CPUs as the tasks name */
	assert_int_equal(s->machine.nr_cpus, 6);
	assert_int_equal(s->tasks[0].spawn.cpus, 32);
	assert_int_equal(s->tasks[1].spawn.cpus, 63);
	/* rt-app's tasks loop for ever, and take the file's policy */
	assert_int_equal(s->tasks[0].loop, -1);
	assert_int_equal(s->tasks[0].spawn.policy, BRIDGE_SCHED_FIFO);
	assert_int_equal(s->tasks[1].spawn.policy, BRIDGE_SCHED_OTHER);
	/* a key twice is an event twice, in order */
	assert_int_equal(s->tasks[0].phases[0].steps.nr, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(step(s, 0, i)->kind, kinds[i]);
	assert_int_equal(step(s, 0, 1)->ns, 10000);
	assert_int_equal(step(s, 0, 4)->ns, 20000);
	assert_int_equal(s->tasks[1].nr_phases, 2);
	assert_int_equal(s->tasks[1].phases[0].loop, 3);
	scenario_free(s);
}

static void pi_enabled_says_what_all_mutexes_of_an_rt_app_file_are(void **state)
{
	static const char *const off[] = { "global.pi_enabled=false", NULL };
	struct scenario *with = load_as("w.json", rtapp, NULL), *without = load_as("w.json", rtapp, off);

	(void)state;
	for (size_t i = 0; i < with->nr_resources; i++) {
		const struct resource *r = &with->resources[i];
		bool mutex = !strcmp(r->name, "m") || !strcmp(r->name, "implied");

		assert_string_equal(r->name, without->resources[i].name);
		assert_true(mutex == (r->type == RESOURCE_RTMUTEX));
		assert_true(mutex == (without->resources[i].type == RESOURCE_FUTEX));
	}
	scenario_free(with);
	scenario_free(without);
}

static void set_replaces_and_adds(void **state)
{
	static const char *const sets[] = { "machine.cpus=4", "groups.g.quota=3ms",
					    "tasks.t.run=7ms", "machine.softirq.thread=ktimers",
					    "name=a=b", "limits.starve=1.5ms", NULL };
	struct scenario *s = load_as("x.yaml", "groups: {g: {quota: 1ms}}\n"
				     "tasks: {t: {run: 1, sleep: 2}}", sets);

	(void)state;
	assert_int_equal(s->machine.nr_cpus, 4);
	assert_int_equal(s->groups[0].quota_ns, 3000000);
	assert_int_equal(step(s, 0, 0)->ns, 7000000);
	assert_int_equal(s->machine.softirq, BRIDGE_SOFTIRQ_KTIMERS);
	assert_string_equal(s->name, "a=b");
	assert_int_equal(s->starve_ns, 1500000);
	scenario_free(s);
}

static void an_exact_image_wins_over_a_pattern(void **state)
{
	struct scenario *s = load("tasks: {t: {run: 1}}\n"
				  "expect: {\"6.12-*\": ok, 6.12-rt: stall, \"*-vanilla\": late}");

	(void)state;
	assert_int_equal(scenario_expects(s, "6.12-rt")->verdicts, 1u << VERDICT_STALL);
	assert_int_equal(scenario_expects(s, "6.12-rt+rwlock")->verdicts, 1u << VERDICT_OK);
	assert_int_equal(scenario_expects(s, "6.1-vanilla")->verdicts, 1u << VERDICT_LATE);
	assert_null(scenario_expects(s, "6.1-rt"));
	scenario_free(s);
}

static void a_deadline_task_gets_the_period_it_does_not_name(void **state)
{
	struct scenario *s = load("tasks: {t: {policy: SCHED_DEADLINE, dl-runtime: 1ms, "
				  "dl-deadline: 5ms, run: 1}}");

	(void)state;
	assert_int_equal(s->tasks[0].spawn.dl_runtime_ns, 1000000);
	assert_int_equal(s->tasks[0].spawn.dl_deadline_ns, 5000000);
	assert_int_equal(s->tasks[0].spawn.dl_period_ns, 5000000);
	scenario_free(s);
}

/* Where a key stands in the schema: right below its mapping's line, before the next mapping. */
static void the_schema_documents_every_mapping_with_its_keys(void **state)
{
	static const char *const known[][2] = {
		{ "\nthe scenario: ", "\n  triggers " }, { "\nmachine: ", "\n  throttle " },
		{ "\nlimits: ", "\n  memory " },	 { "\ngroup: ", "\n  timer_cpu " },
		{ "\nresource: ", "\n  watch " },	 { "\ninterrupt: ", "\n  threaded " },
		{ "\ntask: ", "\n  instance " },	 { "\nevent: ", "\n  epoll_wait " },
		{ "\nevent: ", "\n  fork " },		 { "\nhold: ", "\n  us " },
		{ "\nwhen: ", "\n  reaches " },		 { "\ndo: ", "\n  throttle " },
		{ "\nexpect: ", "\n  max_wait " },	 { "\nglobal: ", "\n  pi_enabled " },
	};
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	scenario_schema_print(f);
	fclose(f);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *mapping = strstr(text, known[i][0]), *key, *next;

		if (!mapping)
			fail_msg("no%s", known[i][0]);
		key = strstr(mapping, known[i][1]);
		next = strstr(mapping + 1, "\n\n");
		if (!key || (next && key > next))
			fail_msg("no%sin%s", known[i][1], known[i][0]);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_file_does_not_say_has_its_default),
		cmocka_unit_test(a_time_has_a_unit_or_is_in_microseconds),
		cmocka_unit_test(the_machine_is_as_written),
		cmocka_unit_test(names_may_be_used_before_they_are_defined),
		cmocka_unit_test(the_type_of_an_event_is_its_longest_known_prefix),
		cmocka_unit_test(instances_are_tasks_of_their_own),
		cmocka_unit_test(a_thousand_tasks_with_a_timer_each_are_not_too_many),
		cmocka_unit_test(a_plain_rt_app_file_loads_as_it_is),
		cmocka_unit_test(pi_enabled_says_what_all_mutexes_of_an_rt_app_file_are),
		cmocka_unit_test(set_replaces_and_adds),
		cmocka_unit_test(an_exact_image_wins_over_a_pattern),
		cmocka_unit_test(a_deadline_task_gets_the_period_it_does_not_name),
		cmocka_unit_test(the_schema_documents_every_mapping_with_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
