/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios that are wrong: what is said, and where, to the letter.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/scenario/scenario.h"

#define T "tasks: {t: {run: 1}}\n"
#define SEE "; see lockstep scenario --schema"

#define X10 "xxxxxxxxxx"
#define X40 X10 X10 X10 X10
#define X50 X40 X10

struct wrong {
	const char *text, *message;	/* the message without the file's name */
};

static void check(const char *name, const char *text, const char *const *sets, const char *message)
{
	struct scenario *s = NULL;
	struct diag d = { "" };
	int err = scenario_load_text(name, text, strlen(text), sets, &s, &d);

	if (!err) {
		scenario_free(s);
		fail_msg("no error in %s", text);
	}
	assert_int_equal(err, -EINVAL);
	assert_null(s);
	assert_string_equal(d.text, message);
}

static void check_all(const char *name, const struct wrong *w, size_t n)
{
	char message[600];

	for (size_t i = 0; i < n; i++) {
		snprintf(message, sizeof(message), "%s:%s", name, w[i].message);
		check(name, w[i].text, NULL, message);
	}
}

#define CHECK_ALL(name, w) check_all(name, w, sizeof(w) / sizeof((w)[0]))

static void an_unknown_key_is_named_with_the_nearest_one(void **state)
{
	static const struct wrong w[] = {
		{ "tsaks: {}\n" T, "1:1: the scenario has no key \"tsaks\"; did you mean \"tasks\"?" },
		{ T "machine: {cpu: 2}",
		  "2:11: machine has no key \"cpu\"; did you mean \"cpus\"?" },
		{ T "machine:\n  softirq: {tread: ktimers}",
		  "3:13: softirq has no key \"tread\"; did you mean \"thread\"?" },
		{ "tasks:\n  t:\n    polisy: SCHED_FIFO",
		  "3:5: a task has no key or event \"polisy\"; did you mean \"policy\"?" },
		{ "tasks:\n  t:\n    zzzzzzzzzzzz: 1",
		  "3:5: a task has no key or event \"zzzzzzzzzzzz\"" SEE },
		/* longer than any word is near to none */
		{ "tasks: {t: {" X50 X50 ": 1}}",
		  "1:13: a task has no key or event \"" X40 "\"" SEE },
		{ "tasks: {t: {phases: {p: {lopp: 2}}}}",
		  "1:26: a phase has no key or event \"lopp\"; did you mean \"loop\"?" },
		{ "resources: {r: {type: eventfd, inital: 3}}\n" T,
		  "1:32: resource has no key \"inital\"; did you mean \"initial\"?" },
		{ "resources: {r: {type: epoll}}\ntasks: {t: {epoll_wait: {ref: r, maxevent: 1}}}",
		  "2:34: this event has no key \"maxevent\"; did you mean \"maxevents\"?" },
		{ T "limits: {event: 3}",
		  "2:10: limits has no key \"event\"; did you mean \"events\"?" },
		{ T "expect: {a: {verdit: ok}}",
		  "2:14: expect has no key \"verdit\"; did you mean \"verdict\"?" },
		{ T "triggers: [{whn: {}}]",
		  "2:13: trigger has no key \"whn\"; did you mean \"when\"?" },
		{ T "? [a]\n: b", "2:3: a key of the scenario is a list, expected a word" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_word_that_is_none_of_a_list_is_answered_with_the_list_or_the_nearest(void **state)
{
	static const struct wrong w[] = {
		{ "tasks: {t: {policy: SCHED_FIFFO}}",
		  "1:21: policy is \"SCHED_FIFFO\", expected \"SCHED_FIFO\"" },
		{ T "machine: {throttle: never}",
		  "2:21: throttle is \"never\", expected at-once or at-exit" },
		{ T "machine: {softirq: {thread: timers}}",
		  "2:29: thread is \"timers\", expected \"ktimers\"" },
		{ "resources: {r: {type: epol}}\n" T, "1:23: type is \"epol\", expected \"epoll\"" },
		{ "resources: {e: {type: fifo}, r: {type: epoll, watch: {e: [in, edge]}}}\n" T,
		  "1:63: events is \"edge\", expected in, out, et, oneshot or exclusive" },
		{ T "expect: {a: stalled}", "2:13: verdict is \"stalled\", expected \"stall\"" },
		{ "resources: {r: {type: rwlock}}\ntasks: {t: {lock: {ref: r, mode: shared}}}",
		  "2:34: mode is \"shared\", expected write or read" },
		{ "tasks: {t: {policy: [SCHED_FIFO]}}", "1:21: policy is a list, expected a word" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_reference_to_nothing_is_named_with_the_nearest_one(void **state)
{
	static const struct wrong w[] = {
		{ "resources: {data: {type: mutex}}\ntasks: {t: {lock: dat}}",
		  "2:19: no resource \"dat\"; did you mean \"data\"?" },
		{ "tasks: {t: {lock: x}}", "1:19: no resource \"x\" is defined" },
		{ "groups: {limited: {}}\ntasks: {t: {group: limitd, run: 1}}",
		  "2:20: no group \"limitd\"; did you mean \"limited\"?" },
		{ "tasks: {writer: {resume: writter}}",
		  "1:26: no task \"writter\"; did you mean \"writer\"?" },
		{ T "interrupts: {nic0: {}}\ntriggers: {when: {holds: l}, do: {interrupt: nic}}",
		  "3:46: no interrupt \"nic\"; did you mean \"nic0\"?" },
		{ T "hold: {lock: l, us: 1, task: u}", "2:30: no task \"u\" is defined" },
		{ T "expect: {a: {max_wait: {reader: 1}}}", "2:25: no task \"reader\" is defined" },
		{ "resources: {r: {type: epoll, watch: {fd: in}}}\n" T,
		  "1:38: no resource \"fd\" is defined" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_value_of_the_wrong_type_or_range_says_what_is_expected(void **state)
{
	static const struct wrong w[] = {
		{ "hello", "1:1: the scenario is a single value, expected a mapping" },
		{ "", "1:1: nothing in it; expected a scenario" },
		{ "name: x", "1:1: no tasks; expected the key \"tasks\"" },
		{ "tasks: {}", "1:8: no tasks; expected at least one" },
		{ "tasks: {t: {instance: 0}}", "1:8: no tasks; expected at least one" },
		{ "tasks: []", "1:8: tasks is a list, expected a mapping" },
		{ "tasks: {t: 5}", "1:12: task is a single value, expected a mapping" },
		{ T "machine: {cpus: two}", "2:17: cpus is \"two\", expected a whole number" },
		{ T "machine: {cpus: 65}", "2:17: cpus is 65, expected 1 to 64" },
		{ T "machine: {cpus: 99999999999999999999}",
		  "2:17: cpus is 99999999999999999999, expected 1 to 64" },
		{ "tasks: {t: {run: soon}}",
		  "1:18: run is \"soon\", expected a time such as 300, 15ms or 50000ns" },
		{ "tasks: {t: {run: 5h}}", "1:18: run has the unit \"h\", expected ns, us, ms or s" },
		{ "tasks: {t: {run: -5}}", "1:18: run is -5, expected 0 to 1,000 hours" },
		{ "tasks: {t: {run: 1e30}}", "1:18: run is 1e30, expected 0 to 1,000 hours" },
		{ "tasks: {t: {run: [5]}}", "1:18: run is a list, expected a time" },
		{ "tasks: {t: {instance: 1000000, run: 1}}",
		  "1:23: instance is 1000000, expected 0 to 1000" },
		{ "tasks: {a: {instance: 600, run: 1}, b: {instance: 401, run: 1}}",
		  "1:40: more than 1000 tasks" },
		{ "tasks: {t: {policy: SCHED_FIFO, priority: -3}}",
		  "1:12: priority is -3, expected 1 to 99 for a real-time task" },
		{ "tasks: {t: {priority: 20}}",
		  "1:12: priority is 20, expected a nice value of -20 to 19" },
		{ "tasks: {t: {policy: SCHED_DEADLINE, dl-runtime: 5, dl-period: 4}}",
		  "1:12: SCHED_DEADLINE needs 0 < dl-runtime <= dl-deadline <= dl-period" },
		{ "tasks: {t: {set_policy: {policy: SCHED_OTHER, priority: 50}}}",
		  "1:25: priority is 50, expected a nice value of -20 to 19" },
		{ T "groups: {g: {quota: 1}}", "2:21: quota is below 1ms, the least the kernel takes" },
		{ T "groups: {g: {period: 2s}}",
		  "2:22: period is outside 1ms to 1s, what the kernel takes" },
		{ "resources: {r: {type: fifo, nonblock: maybe}}\n" T,
		  "1:39: nonblock is maybe, expected true or false" },
		{ T "name: \"a\\0b\"", "2:7: a NUL in a value; expected text" },
		{ "tasks: {abcdefghijklmnopqrstuvwxyzabcdef: {run: 1}}",
		  "1:9: a name in tasks must have 1 to 31 characters" },
		{ T "machine: {cpus: \"a\\nb\"}", "2:17: cpus is \"a?b\", expected a whole number" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_cpu_the_machine_has_not_is_found_where_it_is_named(void **state)
{
	static const struct wrong w[] = {
		{ "machine: {cpus: 2}\ntasks: {t: {cpus: [0, 2], run: 1}}",
		  "2:23: cpu is 2, expected a CPU of the machine (machine.cpus): 0 to 1" },
		{ "tasks: {t: {cpus: 1, run: 1}}",
		  "1:19: cpu is 1, expected a CPU of the machine (machine.cpus): 0" },
		{ T "groups: {g: {timer_cpu: 1}}",
		  "2:25: timer_cpu is 1, expected a CPU of the machine (machine.cpus): 0" },
		{ T "interrupts: {i: {cpu: 3}}",
		  "2:23: cpu is 3, expected a CPU of the machine (machine.cpus): 0" },
		{ "resources: {r: {type: timerfd, cpu: 3}}\n" T,
		  "1:37: cpu is 3, expected a CPU of the machine (machine.cpus): 0" },
		{ "tasks: {t: {cpus: [], run: 1}}",
		  "1:19: cpus is empty, expected at least one CPU number" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_name_or_key_twice_is_refused(void **state)
{
	static const struct wrong w[] = {
		{ "interrupts: {}\ninterrupts: {a: {cpu: 0}}\n" T,
		  "2:1: a second \"interrupts\" in the scenario" },
		{ T T, "2:1: a second \"tasks\" in the scenario" },
		{ T "machine: {cpus: 1, cpus: 2}", "2:20: a second \"cpus\" in machine" },
		{ "tasks: {t: {loop: 1, loop: 2}}", "1:22: a second \"loop\" in a task" },
		{ "tasks: {t: {run: 1}, t: {run: 2}}", "1:25: a second task \"t\"" },
		{ "tasks: {a-0: {run: 1}, a: {instance: 2, run: 1}}", "1:27: a second task \"a-0\"" },
		{ T "groups: {g: {}, g: {}}", "2:20: a second group \"g\"" },
		{ T "interrupts: {i: {}, i: {}}", "2:24: a second interrupt \"i\"" },
		{ "resources: {r: {}, r: {}}\n" T, "1:23: a second resource \"r\"" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

#define R "resources: {e: {type: eventfd}, m: {type: mutex}, ep: {type: epoll}, " \
	  "tfd: {type: timerfd}, f: {type: futex}}\n"

static void an_event_needs_a_resource_of_its_kind(void **state)
{
	static const struct wrong w[] = {
		{ R "tasks: {t: {lock: e}}", "2:19: \"e\" is no lock" },
		{ R "tasks: {t: {lock: {ref: m, mode: read}}}", "2:19: \"m\" cannot be taken for reading" },
		{ R "tasks: {t: {lock: {ref: f, try: true}}}", "2:19: \"f\" is a futex, which has no try" },
		{ R "tasks: {t: {epoll_wait: e}}", "2:25: \"e\" is no epoll" },
		{ R "tasks: {t: {read: m}}", "2:19: \"m\" cannot be read" },
		{ R "tasks: {t: {write: tfd}}", "2:20: \"tfd\" cannot be written" },
		{ R "tasks: {t: {close: m}}", "2:20: \"m\" is no file" },
		{ R "tasks: {t: {epoll_ctl: {ref: ep, op: add}}}", "2:24: epoll_ctl needs op and fd" },
		{ R "tasks: {t: {epoll_ctl: {ref: ep, op: add, fd: m}}}", "2:24: \"m\" is no file" },
		{ R "tasks: {t: {wait: c}}", "2:19: this event needs a mutex" },
		{ R "tasks: {t: {wait: {ref: c, mutex: ep}}}", "2:19: \"ep\" is no lock" },
		{ R "tasks: {t: {wait: {ref: e, mutex: m}}}", "2:19: \"e\" is no condition" },
		{ R "tasks: {t: {signal: m}}", "2:21: \"m\" is no condition" },
		{ R "tasks: {t: {barrier: m}}", "2:22: \"m\" is no barrier" },
		{ R "tasks: {t: {timer: {ref: m, period: 5}}}", "2:20: \"m\" is no timer" },
		{ R "tasks: {t: {timer: {ref: x}}}", "2:20: timer needs a period above 0" },
		{ R "tasks: {t: {lock: {mode: read}}}", "2:19: this event has no ref" },
		{ "resources: {m: {type: mutex, watch: {m: in}}}\n" T,
		  "1:38: only a resource of type epoll can watch" },
		{ "resources: {m: {type: mutex}, p: {type: epoll, watch: {m: in}}}\n" T,
		  "1:56: \"m\" is no file" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void an_interrupt_handler_cannot_sleep(void **state)
{
	static const struct wrong w[] = {
		{ T "interrupts: {i: {handler: {sleep: 5}}}",
		  "2:28: \"sleep\" has no place in an interrupt handler, which must not sleep" },
		{ T "interrupts: {i: {handler: {run: 5, suspend: {}}}}",
		  "2:36: \"suspend\" has no place in an interrupt handler, which must not sleep" },
		{ T R "interrupts: {i: {handler: {lock: f}}}",
		  "3:34: \"f\" is a futex, which no interrupt handler can take" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void an_event_without_meaning_in_virtual_time_is_refused_by_name(void **state)
{
	static const struct wrong w[] = {
		{ "{\"tasks\": {\"t\": {\"iorun\": 5}}}",
		  "1:18: \"iorun\" is refused: there is no device; use sleep or run" },
		{ "{\"tasks\": {\"t\": {\"mem\": 5}}}",
		  "1:18: \"mem\" is refused: bytes have no duration in virtual time; use run" },
		{ "{\"tasks\": {\"t\": {\"fork\": \"u\"}}}",
		  "1:18: \"fork\" is refused: write the task out, with instance" },
	};

	(void)state;
	CHECK_ALL("s.json", w);
}

static void a_rule_that_could_do_nothing_is_refused(void **state)
{
	static const struct wrong w[] = {
		{ T "triggers: [{when: {holds: l}}]",
		  "2:12: a trigger needs do: {wake, throttle, interrupt, run or preempt}" },
		{ T "triggers: [{do: {wake: t}}]",
		  "2:12: a trigger needs when: {holds: lock} or {reaches: function}" },
		{ T "triggers: [{when: {holds: l}, do: {throttle: t}}]",
		  "2:46: task \"t\" cannot be throttled: it is in no group" },
		{ T "hold: {lock: l}", "2:7: hold needs a lock, and us above 0" },
		{ T "hold: {us: 5}", "2:7: hold needs a lock, and us above 0" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void what_is_no_yaml_is_found_where_it_stands(void **state)
{
	static const struct wrong w[] = {
		{ T "a: [1", "3:1: did not find expected ',' or ']'; expected YAML (or JSON)" },
		{ T "hold: {lock: &ep->lock, us: 3}",
		  "2:18: did not find expected alphabetic or numeric character; expected quotes around "
		  "a name that begins with &" },
		{ T "a: &x 1\nb: *x", "3:4: an alias; write the value out" },
		{ T "---\nx: y", "2:1: a second document; expected one scenario in a file" },
	};

	(void)state;
	CHECK_ALL("s.yaml", w);
}

static void a_wrong_set_is_blamed_on_the_command_line(void **state)
{
	static const char *const w[][2] = {
		{ "machine.cpus", "--set: machine.cpus: expected key=value" },
		{ "=3", "--set: =3: expected key=value" },
		{ "machine.cpus=x", "--set: cpus is \"x\", expected a whole number" },
		{ "machine.cpsu=2", "--set: machine has no key \"cpsu\"; did you mean \"cpus\"?" },
		{ "tasks.t.run.x=3", "--set: tasks.t.run.x=3: \"x\" is in no mapping" },
		{ "machine..cpus=3", "--set: machine..cpus=3: expected keys of 1 to 63 characters with "
				     "dots between them" },
		{ "machine.=3", "--set: machine.=3: expected keys of 1 to 63 characters with dots "
				"between them" },
		{ "name=\xff", "--set: name=?: expected UTF-8 text" },
		{ "\xff=1", "--set: ?=1: expected UTF-8 text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
		const char *sets[] = { w[i][0], NULL };

		check("s.yaml", "machine: {cpus: 1}\n" T, sets, w[i][1]);
	}
}

static void a_file_that_cannot_be_read_says_why(void **state)
{
	char name[] = P_tmpdir "/lockstep-test-XXXXXX", message[200];
	int fd = mkstemp(name);
	struct scenario *s = NULL;
	struct diag d;

	(void)state;
	assert_int_equal(scenario_load("no-such-file.yaml", NULL, &s, &d), -EINVAL);
	assert_string_equal(d.text, "no-such-file.yaml: cannot be opened: No such file or directory");
	assert_int_equal(scenario_load("/", NULL, &s, &d), -EINVAL);
	assert_string_equal(d.text, "/: is no file");
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (4 << 20) + 1), 0);
	assert_int_equal(scenario_load(name, NULL, &s, &d), -EINVAL);
	snprintf(message, sizeof(message), "%s: is larger than 4 MiB", name);
	assert_string_equal(d.text, message);
	assert_null(s);
	close(fd);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_key_is_named_with_the_nearest_one),
		cmocka_unit_test(a_word_that_is_none_of_a_list_is_answered_with_the_list_or_the_nearest),
		cmocka_unit_test(a_reference_to_nothing_is_named_with_the_nearest_one),
		cmocka_unit_test(a_value_of_the_wrong_type_or_range_says_what_is_expected),
		cmocka_unit_test(a_cpu_the_machine_has_not_is_found_where_it_is_named),
		cmocka_unit_test(a_name_or_key_twice_is_refused),
		cmocka_unit_test(an_event_needs_a_resource_of_its_kind),
		cmocka_unit_test(an_interrupt_handler_cannot_sleep),
		cmocka_unit_test(an_event_without_meaning_in_virtual_time_is_refused_by_name),
		cmocka_unit_test(a_rule_that_could_do_nothing_is_refused),
		cmocka_unit_test(what_is_no_yaml_is_found_where_it_stands),
		cmocka_unit_test(a_wrong_set_is_blamed_on_the_command_line),
		cmocka_unit_test(a_file_that_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
