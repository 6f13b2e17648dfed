/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/trace/ftrace.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/check.h"

#define BUFFER (64u << 10)
#define LINE_MAX_LEN 600
/* Traces show addresses of locks; ours are made of the lock's number. */
#define FAKE_LOCK 0xffff888000000000ull

struct ftrace {
	FILE *file;
	char *path, *temporary;	/* temporary NULL: written to directly */
	EVP_MD_CTX *sha;
	char buffer[BUFFER];
	size_t used;
	int error;
};

static const char *const syscalls[NR_BRIDGE_SYS] = {
	[SYS_NONE] = "none", [SYS_EPOLL_CREATE1] = "epoll_create1", [SYS_EPOLL_CTL] = "epoll_ctl",
	[SYS_EPOLL_WAIT] = "epoll_wait", [SYS_EVENTFD2] = "eventfd2",
	[SYS_TIMERFD_CREATE] = "timerfd_create", [SYS_TIMERFD_SETTIME] = "timerfd_settime",
	[SYS_PIPE2] = "pipe2", [SYS_READ] = "read", [SYS_WRITE] = "write", [SYS_CLOSE] = "close",
	[SYS_NANOSLEEP] = "nanosleep", [SYS_SCHED_YIELD] = "sched_yield"
};

static const char *const vectors[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
				       "TASKLET", "SCHED", "HRTIMER", "RCU" };

int ftrace_open(const char *path, struct ftrace **out, struct diag *d)
{
	struct ftrace *f = calloc(1, sizeof(*f));

	SIM_CHECK(f);
	f->sha = EVP_MD_CTX_new();
	SIM_CHECK(f->sha && EVP_DigestInit_ex(f->sha, EVP_sha256(), NULL));
	if (path) {
		size_t n = strlen(path) + 16;
		struct stat st;

		f->path = strdup(path);
		SIM_CHECK(f->path);
		/* Renaming over a device or a link would put a file in its place. */
		if (lstat(path, &st) || S_ISREG(st.st_mode)) {
			f->temporary = malloc(n);
			SIM_CHECK(f->temporary);
			snprintf(f->temporary, n, "%s.%d", path, (int)getpid());
		}
		f->file = fopen(f->temporary ? f->temporary : path, "w");
		if (!f->file) {
			int err = errno;

			diag_at(d, path, 0, 0, "cannot be written: %s", strerror(err));
			EVP_MD_CTX_free(f->sha);
			free(f->path);
			free(f->temporary);
			free(f);
			return -EINVAL;
		}
		fputs("# tracer: nop\n#\n"
		      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		      "#              | |         |   |||||     |         |\n", f->file);
	}
	*out = f;
	return 0;
}

static void flush(struct ftrace *f)
{
	EVP_DigestUpdate(f->sha, f->buffer, f->used);
	if (f->file && fwrite(f->buffer, 1, f->used, f->file) != f->used && !f->error)
		f->error = errno ? errno : EIO;
	f->used = 0;
}

/* ---- formatting by hand: printf would cost more than the run */

struct line {
	char *at;
};

static void put(struct line *l, const char *s)
{
	while (*s)
		*l->at++ = *s++;
}

static void put_number(struct line *l, uint64_t v, int width)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n < width)
		digits[n++] = '0';
	while (n)
		*l->at++ = digits[--n];
}

static void put_signed(struct line *l, int64_t v)
{
	if (v < 0) {
		*l->at++ = '-';
		put_number(l, (uint64_t)-v, 0);
	} else {
		put_number(l, (uint64_t)v, 0);
	}
}

static void put_hex(struct line *l, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 60; i >= 0; i -= 4)
		*l->at++ = digits[v >> i & 15];
}

static void put_time(struct line *l, uint64_t ns)
{
	put_number(l, ns / 1000000000u, 0);
	*l->at++ = '.';
	put_number(l, ns % 1000000000u, 9);
}

static bool is_idle(const struct task *t)
{
	return t->kind == TASK_IDLE;
}

static uint32_t pid_of(const struct task *t)
{
	return is_idle(t) ? 0 : t->id + 1;
}

static void put_task(struct line *l, const char *prefix, const struct task *t)
{
	put(l, " ");
	put(l, prefix);
	put(l, "comm=");
	put(l, t->name);
	put(l, " ");
	put(l, prefix);
	put(l, "pid=");
	put_number(l, pid_of(t), 0);
}

static void put_prio(struct line *l, const char *key, int prio)
{
	put(l, key);
	put_signed(l, prio);
}

static void put_lock(struct line *l, const struct sim *s, uint32_t id)
{
	const struct lock *k = sim_lock(s, id);

	put(l, " lock_addr=0x");
	/* an inner rtmutex lies 8 bytes behind its lock */
	put_hex(l, FAKE_LOCK + (k->inner_of >= 0 ? (uint64_t)k->inner_of * 64 + 8 :
						   (uint64_t)id * 64));
}

static void put_flags(struct line *l, uint32_t flags)
{
	static const char *const names[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
	bool any = false;

	put(l, " flags=");
	for (int i = 0; i < 6; i++) {
		if (!(flags & (1u << i)))
			continue;
		put(l, any ? "|" : "");
		put(l, names[i]);
		any = true;
	}
	if (!any)
		put(l, "0x0");
}

static void put_switch(struct line *l, const struct sim *s, const struct probe *p)
{
	static const char *const states[] = { "R", "S", "D" };
	const struct task *prev = sim_task(s, p->task), *next = sim_task(s, p->object);

	put(l, "sched_switch:");
	put_task(l, "prev_", prev);
	put_prio(l, " prev_prio=", prev->prio);
	put(l, " prev_state=");
	put(l, p->arg == PREV_PREEMPTED ? "R+" : p->arg == PREV_DEAD ? "X" : states[p->arg & 3]);
	put(l, " ==>");
	put_task(l, "next_", next);
	put_prio(l, " next_prio=", next->prio);
}

static void put_wake(struct line *l, const struct sim *s, const struct probe *p, const char *event,
		     unsigned int cpu)
{
	const struct task *t = sim_task(s, p->object);

	put(l, event);
	put_task(l, "", t);
	put_prio(l, " prio=", t->prio);
	put(l, " target_cpu=");
	put_number(l, cpu, 3);
}

static void put_named(struct line *l, const char *event, const char *key, const char *value)
{
	put(l, event);
	put(l, key);
	put(l, value);
}

/* What ftrace has no event for goes as a marker line, as user programs write them. */
static void put_mark(struct line *l, const struct sim *s, const struct probe *p)
{
	static const char *const modes[] = { "exclusive", "read", "write" };

	put(l, "tracing_mark_write: ");
	switch ((enum probe_kind)p->kind) {
	case PROBE_LOCK_ACQUIRED:
	case PROBE_LOCK_RELEASED:
		put(l, p->kind == PROBE_LOCK_ACQUIRED ? "lock_acquired:" : "lock_released:");
		put_lock(l, s, p->object);
		put(l, " name=");
		put(l, sim_lock(s, p->object)->name);
		put(l, " mode=");
		put(l, modes[p->arg]);
		break;
	case PROBE_THROTTLE:
	case PROBE_UNTHROTTLE:
		put(l, p->kind == PROBE_THROTTLE ? "throttle:" : "unthrottle:");
		put_task(l, "", sim_task(s, p->object));
		put(l, " group=");
		put(l, sim_group_name(s, (int)p->arg));
		break;
	case PROBE_GROUP_TIMER:
		put(l, "period_timer: group=");
		put(l, sim_group_name(s, (int)p->object));
		put(l, " cpu=");
		put_signed(l, p->arg);
		break;
	case PROBE_FUNCTION:
		put(l, "function: ");
		put(l, sim_name(s, p->object));
		break;
	case PROBE_RCU_GP_START:
	case PROBE_RCU_GP_END:
		put(l, p->kind == PROBE_RCU_GP_START ? "rcu_gp_start: " : "rcu_gp_end: ");
		put_number(l, p->object, 0);
		break;
	case PROBE_RCU_STALL:
		put(l, "rcu_stall: ");
		put_number(l, p->object, 0);
		put_task(l, "", sim_task(s, (uint32_t)p->arg));
		break;
	default:
		put(l, "note: ");
		put(l, sim_name(s, p->object));
		break;
	}
}

static void put_event(struct line *l, const struct sim *s, const struct probe *p)
{
	const char *call;

	switch ((enum probe_kind)p->kind) {
	case PROBE_SCHED_SWITCH:
		put_switch(l, s, p);
		break;
	case PROBE_TASK_NEW:
		put_wake(l, s, p, "sched_wakeup_new:", p->cpu);
		break;
	case PROBE_TASK_EXIT:
		put(l, "sched_process_exit:");
		put_task(l, "", sim_task(s, p->object));
		put_prio(l, " prio=", sim_task(s, p->object)->prio);
		break;
	case PROBE_SCHED_WAKING:
		put_wake(l, s, p, "sched_waking:", p->cpu);
		break;
	case PROBE_SCHED_WAKEUP:
		put_wake(l, s, p, "sched_wakeup:", (unsigned int)p->arg);
		break;
	case PROBE_SCHED_MIGRATE:
		put(l, "sched_migrate_task:");
		put_task(l, "", sim_task(s, p->object));
		put_prio(l, " prio=", sim_task(s, p->object)->prio);
		put_prio(l, " dest_cpu=", (int)p->arg);
		break;
	case PROBE_SCHED_PI_SETPRIO:
	case PROBE_SCHED_SETSCHEDULER:
		put(l, p->kind == PROBE_SCHED_PI_SETPRIO ? "sched_pi_setprio:" :
							   "tracing_mark_write: sched_setscheduler:");
		put_task(l, "", sim_task(s, p->object));
		put_prio(l, " oldprio=", PRIO_OLD(p->arg));
		put_prio(l, " newprio=", PRIO_NEW(p->arg));
		break;
	case PROBE_CONTENTION_BEGIN:
		put(l, "contention_begin:");
		put_lock(l, s, p->object);
		put_flags(l, (uint32_t)p->arg);
		break;
	case PROBE_CONTENTION_END:
		put(l, "contention_end:");
		put_lock(l, s, p->object);
		put_prio(l, " ret=", (int)p->arg);
		break;
	case PROBE_HRTIMER_START:
		put_named(l, "hrtimer_start:", " function=", sim_name(s, p->object));
		put(l, " expires=");
		put_signed(l, p->arg);
		break;
	case PROBE_HRTIMER_ENTRY:
		put_named(l, "hrtimer_expire_entry:", " function=", sim_name(s, p->object));
		break;
	case PROBE_HRTIMER_EXIT:
		put_named(l, "hrtimer_expire_exit:", " function=", sim_name(s, p->object));
		break;
	case PROBE_SOFTIRQ_RAISE:
	case PROBE_SOFTIRQ_ENTRY:
	case PROBE_SOFTIRQ_EXIT:
		put(l, p->kind == PROBE_SOFTIRQ_RAISE ? "softirq_raise: vec=" :
		       p->kind == PROBE_SOFTIRQ_ENTRY ? "softirq_entry: vec=" : "softirq_exit: vec=");
		put_number(l, p->object, 0);
		put_named(l, " [action=", p->object < 10 ? vectors[p->object] : "?", "]");
		break;
	case PROBE_IRQ_ENTRY:
		put(l, "irq_handler_entry: irq=");
		put_number(l, p->object, 0);
		put(l, " name=line");
		put_number(l, p->object, 0);
		break;
	case PROBE_IRQ_EXIT:
		put(l, "irq_handler_exit: irq=");
		put_number(l, p->object, 0);
		put(l, " ret=handled");
		break;
	case PROBE_SYS_ENTER:
	case PROBE_SYS_EXIT:
		call = p->object < NR_BRIDGE_SYS ? syscalls[p->object] : "?";
		put_named(l, p->kind == PROBE_SYS_ENTER ? "sys_enter_" : "sys_exit_", call,
			  p->kind == PROBE_SYS_ENTER ? ": arg=" : ": 0x");
		if (p->kind == PROBE_SYS_ENTER)
			put_signed(l, p->arg);
		else
			put_hex(l, (uint64_t)p->arg);
		break;
	default:
		put_mark(l, s, p);
		break;
	}
}

void ftrace_probe(void *self, const struct sim *s, const struct probe *p)
{
	const struct task *t = sim_task(s, p->task);
	struct ftrace *f = self;
	struct line l;

	if (f->used + LINE_MAX_LEN > BUFFER)
		flush(f);
	l.at = f->buffer + f->used;
	put(&l, " ");
	put(&l, is_idle(t) ? "<idle>" : t->name);
	put(&l, "-");
	put_number(&l, pid_of(t), 0);
	put(&l, " [");
	put_number(&l, p->cpu, 3);
	put(&l, "] ..... ");
	put_time(&l, p->at_ns);
	put(&l, ": ");
	put_event(&l, s, p);
	put(&l, "\n");
	f->used = (size_t)(l.at - f->buffer);
}

void ftrace_discard(struct ftrace *f)
{
	EVP_MD_CTX_free(f->sha);
	if (f->file)
		fclose(f->file);
	if (f->temporary)
		unlink(f->temporary);
	free(f->path);
	free(f->temporary);
	free(f);
}

int ftrace_close(struct ftrace *f, char digest[65], struct diag *d)
{
	unsigned char sum[32];
	struct line l = { digest };
	int err = 0;

	flush(f);
	EVP_DigestFinal_ex(f->sha, sum, NULL);
	EVP_MD_CTX_free(f->sha);
	for (int i = 0; i < 32; i++) {
		*l.at++ = "0123456789abcdef"[sum[i] >> 4];
		*l.at++ = "0123456789abcdef"[sum[i] & 15];
	}
	*l.at = 0;
	if (f->file) {
		if (fclose(f->file) && !f->error)
			f->error = errno;
		if (!f->error && f->temporary && rename(f->temporary, f->path))
			f->error = errno;
		if (f->error) {
			err = diag_at(d, f->path, 0, 0, "cannot be written: %s", strerror(f->error));
			if (f->temporary)
				unlink(f->temporary);
		}
	}
	free(f->path);
	free(f->temporary);
	free(f);
	return err;
}
