/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace writer: exact lines of a stream written by hand, the digest, and the file's fate.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/trace/ftrace.h"

#define TEXT_MAX (4u << 20)

enum { LOW, HIGH, IDLE, ODD };
static struct sim *s;
static char lock_memory[2][64];
static uint32_t lock, inner, function, text_name;
static char folder[64], path[128];
static uint64_t seq;

static void task(const char *name, int prio, enum task_kind kind)
{
	struct task *t = sim_task_new(s, name, kind);

	t->prio = t->normal_prio = prio;
}

static int setup(void **state)
{
	struct sim_config c = { .machine = { .nr_cpus = 2 }, .carrier = &carrier_fiber,
				.duration_ns = SIM_NEVER, .events_max = 1000 };

	(void)state;
	s = sim_new(&c);
	seq = 0;
	task("low", 120, TASK_SCENARIO);
	task("high", 19, TASK_SCENARIO);
	task("swapper/1", 140, TASK_IDLE);
	task("a b\n#c|d", 120, TASK_SCENARIO);
	sim_lock_name(s, lock_memory[0], BRIDGE_LOCK_RW, "&ep->lock");
	lock = sim_lock_id(s, lock_memory[0]);
	inner = sim_lock_id(s, lock_memory[0] + 8);
	function = sim_name_id(s, "timerfd_tmrproc");
	text_name = sim_name_id(s, "something");
	sim_group_named(s, "limited");
	snprintf(folder, sizeof(folder), P_tmpdir "/lockstep-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sim_free(s);
	unlink(path);
	/* what a test has left behind beside the trace makes this fail */
	return rmdir(folder);
}

static struct ftrace *open_trace(const char *to)
{
	struct ftrace *f;
	struct diag d;

	assert_int_equal(ftrace_open(to, &f, &d), 0);
	return f;
}

static void feed(struct ftrace *f, uint64_t ns, uint32_t cpu, uint32_t who, enum probe_kind kind,
		 uint32_t object, int64_t arg)
{
	struct probe p = { seq++, ns, cpu, who, kind, object, arg };

	ftrace_probe(f, s, &p);
}

static void close_trace(struct ftrace *f, char digest[DIGEST_TEXT])
{
	struct diag d;

	assert_int_equal(ftrace_close(f, digest, &d), 0);
}

static char *read_file(const char *name)
{
	char *text = malloc(TEXT_MAX);
	FILE *f = fopen(name, "r");

	assert_non_null(text);
	assert_non_null(f);
	text[fread(text, 1, TEXT_MAX - 1, f)] = 0;
	fclose(f);
	return text;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What a user would type. */
static void digest_by_hand(const char *name, char digest[DIGEST_TEXT])
{
	char command[200];
	FILE *f;

	snprintf(command, sizeof(command), "grep -v '^#' %s | sha256sum", name);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(digest, DIGEST_TEXT, f));
	pclose(f);
}

static const char *body(const char *text)
{
	while (*text == '#')
		text = strchr(text, '\n') + 1;
	return text;
}

/* ---- lines */

#define LOW_LINE "             low-1       [000] .... 1.000000005: "

static void every_kind_of_record_is_one_line(void **state)
{
	const struct { enum probe_kind kind; uint32_t object; int64_t arg; const char *text; } rows[] = {
		{ PROBE_TASK_NEW, HIGH, 19, "sched_wakeup_new: comm=high pid=2 prio=19 target_cpu=000" },
		{ PROBE_SCHED_WAKING, HIGH, 0, "sched_waking: comm=high pid=2 prio=19 target_cpu=000" },
		{ PROBE_SCHED_WAKEUP, HIGH, 1, "sched_wakeup: comm=high pid=2 prio=19 target_cpu=001" },
		{ PROBE_SCHED_WAKING, HIGH, 0, "sched_waking: comm=high pid=2 prio=19 target_cpu=001" },
		{ PROBE_SCHED_MIGRATE, HIGH, 0, "sched_migrate_task: comm=high pid=2 prio=19 orig_cpu=1 "
		  "dest_cpu=0" },
		{ PROBE_SCHED_SWITCH, HIGH, PREV_PREEMPTED, "sched_switch: prev_comm=low prev_pid=1 "
		  "prev_prio=120 prev_state=R+ ==> next_comm=high next_pid=2 next_prio=19" },
		{ PROBE_SCHED_SWITCH, IDLE, PREV_UNINTERRUPTIBLE, "sched_switch: prev_comm=low "
		  "prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=swapper/1 next_pid=0 "
		  "next_prio=140" },
		{ PROBE_SCHED_PI_SETPRIO, LOW, PRIO_CHANGE(120, 19), "sched_pi_setprio: comm=low pid=1 "
		  "oldprio=120 newprio=19" },
		{ PROBE_SCHED_SETSCHEDULER, LOW, PRIO_CHANGE(-1, 120), "tracing_mark_write: "
		  "I|1|sched_setscheduler comm=low pid=1 oldprio=-1 newprio=120" },
		{ PROBE_TASK_EXIT, HIGH, 0, "sched_process_exit: comm=high pid=2 prio=19" },
		{ PROBE_THROTTLE, HIGH, 0, "tracing_mark_write: I|1|throttle comm=high pid=2 "
		  "group=limited" },
		{ PROBE_UNTHROTTLE, HIGH, 0, "tracing_mark_write: I|1|unthrottle comm=high pid=2 "
		  "group=limited" },
		{ PROBE_GROUP_TIMER, 0, -1, "tracing_mark_write: I|1|period_timer group=limited cpu=-1" },
		{ PROBE_CONTENTION_BEGIN, 0, LCB_WRITE | LCB_RT, "contention_begin: "
		  "&ep->lock (flags=WRITE|RT)" },
		{ PROBE_CONTENTION_BEGIN, 1, LCB_RT, "contention_begin: &ep->lock+0x8 (flags=RT)" },
		{ PROBE_CONTENTION_BEGIN, 0, 0, "contention_begin: &ep->lock (flags=)" },
		{ PROBE_CONTENTION_END, 0, -4, "contention_end: &ep->lock (ret=-4)" },
		{ PROBE_LOCK_ACQUIRED, 0, LOCK_READ, "tracing_mark_write: S|1|&ep->lock read|0" },
		{ PROBE_LOCK_RELEASED, 0, LOCK_READ, "tracing_mark_write: F|1|&ep->lock read|0" },
		{ PROBE_LOCK_ACQUIRED, 1, LOCK_EXCLUSIVE, "tracing_mark_write: S|1|&ep->lock+0x8|1" },
		{ PROBE_HRTIMER_START, function, 50000, "hrtimer_start: function=timerfd_tmrproc "
		  "expires=50000" },
		{ PROBE_HRTIMER_ENTRY, function, -1, "hrtimer_expire_entry: function=timerfd_tmrproc "
		  "now=1000000005" },
		{ PROBE_HRTIMER_EXIT, function, -1, "hrtimer_expire_exit: function=timerfd_tmrproc" },
		{ PROBE_SOFTIRQ_RAISE, 8, 0, "softirq_raise: vec=8 [action=HRTIMER]" },
		{ PROBE_SOFTIRQ_ENTRY, 1, 0, "softirq_entry: vec=1 [action=TIMER]" },
		{ PROBE_SOFTIRQ_EXIT, 9, 0, "softirq_exit: vec=9 [action=RCU]" },
		{ PROBE_IRQ_ENTRY, 3, 0, "irq_handler_entry: irq=3 name=line3" },
		{ PROBE_IRQ_EXIT, 3, 0, "irq_handler_exit: irq=3 ret=handled" },
		{ PROBE_SYS_ENTER, SYS_EPOLL_WAIT, 6, "sys_enter_epoll_wait: epfd: 0x00000006" },
		{ PROBE_SYS_ENTER, SYS_PIPE2, 0x7ffc12345678, "sys_enter_pipe2:" },
		{ PROBE_SYS_EXIT, SYS_READ, 0x10, "sys_exit_read: 0x10" },
		{ PROBE_SYS_EXIT, SYS_READ, -11, "sys_exit_read: 0xfffffffffffffff5" },
		{ PROBE_FUNCTION, function, 0, "tracing_mark_write: I|1|function timerfd_tmrproc" },
		{ PROBE_RCU_GP_START, 7, 0, "rcu_grace_period: rcu_preempt 7 start" },
		{ PROBE_RCU_GP_END, 7, 0, "rcu_grace_period: rcu_preempt 7 end" },
		{ PROBE_RCU_STALL, 7, HIGH, "tracing_mark_write: I|1|rcu_stall gp=7 comm=high pid=2" },
		{ PROBE_RCU_STALL, 7, -1, "tracing_mark_write: I|1|rcu_stall gp=7" },
		{ PROBE_NOTE, text_name, 5, "tracing_mark_write: I|1|note something arg=5" },
	};
	size_t nr = sizeof(rows) / sizeof(rows[0]), n = 0;
	char want[16384], *text;
	uint64_t seen = 0;
	struct ftrace *f = open_trace(path);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		feed(f, 1000000005, 0, LOW, rows[i].kind, rows[i].object, rows[i].arg);
		n += (size_t)snprintf(want + n, sizeof(want) - n, LOW_LINE "%s\n", rows[i].text);
		seen |= 1ull << rows[i].kind;
	}
	close_trace(f, NULL);
	assert_true(seen == (1ull << NR_PROBE_KINDS) - 1);
	text = read_file(path);
	assert_int_equal(strncmp(text, "# tracer: nop\n", 14), 0);
	assert_string_equal(body(text), want);
	free(text);
}

static void idle_is_idle_0_and_time_has_nine_decimals(void **state)
{
	struct ftrace *f = open_trace(path);
	char *text;

	(void)state;
	feed(f, 999, 1, IDLE, PROBE_SOFTIRQ_RAISE, 1, 0);
	feed(f, 12345678901234, 63, IDLE, PROBE_SOFTIRQ_RAISE, 1, 0);
	close_trace(f, NULL);
	text = read_file(path);
	assert_string_equal(body(text),
		"          <idle>-0       [001] .... 0.000000999: softirq_raise: vec=1 [action=TIMER]\n"
		"          <idle>-0       [063] .... 12345.678901234: softirq_raise: vec=1 "
		"[action=TIMER]\n");
	free(text);
}

static void a_name_cannot_break_a_line_or_a_field(void **state)
{
	struct ftrace *f = open_trace(path);
	char *text;

	(void)state;
	feed(f, 0, 0, ODD, PROBE_SCHED_WAKEUP, ODD, 0);
	close_trace(f, NULL);
	text = read_file(path);
	assert_string_equal(body(text), "        a_b_#c_d-4       [000] .... 0.000000000: sched_wakeup: "
			    "comm=a_b_#c_d pid=4 prio=120 target_cpu=000\n");
	free(text);
}

static void a_long_name_that_begins_with_hash_is_no_comment(void **state)
{
	char digest[DIGEST_TEXT], hand[DIGEST_TEXT];
	struct ftrace *f = open_trace(path);

	(void)state;
	task("#a-name-longer-than-its-column", 120, TASK_SCENARIO);
	feed(f, 0, 0, ODD + 1, PROBE_SCHED_WAKEUP, ODD, 0);
	close_trace(f, digest);
	digest_by_hand(path, hand);
	assert_string_equal(digest, hand);
}

static void half_a_character_is_not_written(void **state)
{
	struct ftrace *f = open_trace(path);
	char *text;

	(void)state;
	task("\xe4\xb8\xad\xe4\xb8", 120, TASK_SCENARIO);
	feed(f, 0, 0, LOW, PROBE_SCHED_WAKEUP, ODD + 1, 0);
	close_trace(f, NULL);
	text = read_file(path);
	assert_non_null(strstr(text, " comm=\xe4\xb8\xad?? pid=5 "));
	free(text);
}

static void a_comment_is_one_line_and_no_part_of_the_digest(void **state)
{
	char with[DIGEST_TEXT], without[DIGEST_TEXT];
	struct ftrace *f = open_trace(path);
	char *text;

	(void)state;
	feed(f, 1, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	ftrace_comment(f, "two\nlines");
	feed(f, 2, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	close_trace(f, with);
	text = read_file(path);
	assert_non_null(strstr(text, "target_cpu=000\n# two lines\n   "));
	free(text);
	f = open_trace(NULL);
	feed(f, 1, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	ftrace_comment(f, "two\nlines");
	feed(f, 2, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	close_trace(f, without);
	assert_string_equal(with, without);
}

/* ---- digest */

static void the_digest_is_sha256_of_the_lines_without_hash(void **state)
{
	char digest[DIGEST_TEXT], hand[DIGEST_TEXT], blind[DIGEST_TEXT];

	(void)state;
	/* more than fits into any buffer, with and without a file */
	for (int pass = 0; pass < 2; pass++) {
		struct ftrace *f = open_trace(pass ? NULL : path);

		for (uint64_t i = 0; i < 20000; i++)
			feed(f, i * 977, i & 1, LOW, PROBE_SCHED_SWITCH, HIGH, PREV_PREEMPTED);
		close_trace(f, pass ? blind : digest);
	}
	digest_by_hand(path, hand);
	assert_string_equal(digest, hand);
	assert_string_equal(digest, blind);
}

static void one_nanosecond_changes_the_digest(void **state)
{
	char digest[2][DIGEST_TEXT];

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		struct ftrace *f = open_trace(NULL);

		feed(f, i, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
		close_trace(f, digest[i]);
	}
	assert_string_not_equal(digest[0], digest[1]);
}

/* ---- the file */

static void nothing_has_the_name_before_the_end(void **state)
{
	struct ftrace *f = open_trace(path);

	(void)state;
	feed(f, 1, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	assert_int_equal(access(path, F_OK), -1);
	close_trace(f, NULL);
	assert_int_equal(access(path, F_OK), 0);
}

static void giving_up_leaves_the_old_file(void **state)
{
	struct ftrace *f;
	char *text;

	(void)state;
	write_file(path, "old");
	f = open_trace(path);
	feed(f, 1, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	ftrace_discard(f);
	text = read_file(path);
	assert_string_equal(text, "old");
	free(text);
}

static void a_pipe_stays_a_pipe(void **state)
{
	char line[32];
	struct stat st;
	ssize_t n;
	int reader;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDWR | O_NONBLOCK);	/* so that nobody waits for the other end */
	assert_true(reader >= 0);
	close_trace(open_trace(path), NULL);
	n = read(reader, line, 14);
	close(reader);
	assert_int_equal(n, 14);
	assert_memory_equal(line, "# tracer: nop\n", 14);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

static void a_link_stays_a_link(void **state)
{
	char link[160];
	struct stat st;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", folder);
	write_file(path, "old");
	assert_int_equal(symlink(path, link), 0);
	close_trace(open_trace(link), NULL);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(link);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 100);
}

static void a_path_that_cannot_be_written_is_named_with_the_reason(void **state)
{
	struct ftrace *f;
	struct diag d;

	(void)state;
	assert_int_equal(ftrace_open("/no/such/folder/out", &f, &d), -EINVAL);
	assert_string_equal(d.text, "/no/such/folder/out: cannot be written: No such file or directory");
}

static void a_full_disk_is_an_error_at_the_end(void **state)
{
	char digest[DIGEST_TEXT], want[200];
	struct ftrace *f;
	struct diag d;

	(void)state;
	/* through a link: should it be replaced after all, that is not the device of this machine */
	assert_int_equal(symlink("/dev/full", path), 0);
	f = open_trace(path);
	feed(f, 1, 0, LOW, PROBE_SCHED_WAKEUP, HIGH, 0);
	assert_int_equal(ftrace_close(f, digest, &d), -EINVAL);
	snprintf(want, sizeof(want), "%s: cannot be written: No space left on device", path);
	assert_string_equal(d.text, want);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_kind_of_record_is_one_line),
		T(idle_is_idle_0_and_time_has_nine_decimals),
		T(a_name_cannot_break_a_line_or_a_field),
		T(a_long_name_that_begins_with_hash_is_no_comment),
		T(half_a_character_is_not_written),
		T(a_comment_is_one_line_and_no_part_of_the_digest),
		T(the_digest_is_sha256_of_the_lines_without_hash),
		T(one_nanosecond_changes_the_digest),
		T(nothing_has_the_name_before_the_end),
		T(giving_up_leaves_the_old_file),
		T(a_pipe_stays_a_pipe),
		T(a_link_stays_a_link),
		T(a_path_that_cannot_be_written_is_named_with_the_reason),
		T(a_full_disk_is_an_error_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
