/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as ftrace prints them, after TP_printk of the kernel's include/trace/events.
 *
 * Two things differ.  Where the kernel prints the address of a lock its name stands here, since an
 * address says nothing and would differ from run to run; and of timers and system calls only what
 * the record holds is printed.  Marker lines have the form that Perfetto takes (I, S, F): any
 * other text in a marker counts as a broken line there.
 */
#include "sim/trace/private.h"

#include "sim/core/sysname.h"

static const char *const vectors[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
				       "TASKLET", "SCHED", "HRTIMER", "RCU" };

#define NR_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static void put_key(struct line *l, const char *key, int64_t value)
{
	put(l, key);
	put_signed(l, value);
}

static void put_task(struct line *l, const char *comm, const char *pid, const struct task *t)
{
	put(l, comm);
	put_name(l, t->name);
	put(l, pid);
	put_number(l, ftrace_pid(t), 0);
}

static void put_object(struct line *l, const struct sim *s, uint32_t id)
{
	put_task(l, " comm=", " pid=", sim_task(s, id));
}

static void put_switch(struct line *l, const struct sim *s, const struct probe *p)
{
	const struct task *prev = sim_task(s, p->task), *next = sim_task(s, p->object);

	put(l, "sched_switch:");
	put_task(l, " prev_comm=", " prev_pid=", prev);
	put_key(l, " prev_prio=", prev->prio);
	put(l, " prev_state=");
	put(l, p->arg == PREV_PREEMPTED ? "R+" : p->arg == PREV_DEAD ? "X" :
	       p->arg == PREV_UNINTERRUPTIBLE ? "D" : p->arg == PREV_INTERRUPTIBLE ? "S" : "R");
	put(l, " ==>");
	put_task(l, " next_comm=", " next_pid=", next);
	put_key(l, " next_prio=", next->prio);
}

static void put_wake(struct line *l, const struct sim *s, const struct probe *p, const char *event,
		     uint64_t cpu)
{
	put(l, event);
	put_object(l, s, p->object);
	put_key(l, " prio=", sim_task(s, p->object)->prio);
	put(l, " target_cpu=");
	put_number(l, cpu, 3);
}

static void put_migrate(struct line *l, const struct sim *s, const struct probe *p, uint64_t from)
{
	put(l, "sched_migrate_task:");
	put_object(l, s, p->object);
	put_key(l, " prio=", sim_task(s, p->object)->prio);
	put_key(l, " orig_cpu=", (int64_t)from);
	put_key(l, " dest_cpu=", p->arg);
}

static void put_setprio(struct line *l, const struct sim *s, const struct probe *p)
{
	put_object(l, s, p->object);
	put_key(l, " oldprio=", PRIO_OLD(p->arg));
	put_key(l, " newprio=", PRIO_NEW(p->arg));
}

/* ---- locks */

/*
 * A name that no other lock has, as the kernel prints places in objects: the inner rtmutex of a
 * rwlock or rw_semaphore lies behind its first word.
 */
static void put_lock(struct line *l, const struct sim *s, uint32_t id)
{
	const struct lock *k = sim_lock(s, id);

	put_name(l, k->inner_of >= 0 ? sim_lock(s, (uint32_t)k->inner_of)->name : k->name);
	if (k->inner_of >= 0)
		put(l, "+0x8");
}

static void put_flags(struct line *l, uint32_t flags)
{
	static const char *const names[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
	const char *between = "";

	for (int i = 0; i < 6; i++) {
		if (!(flags & (1u << i)))
			continue;
		put(l, between);
		put(l, names[i]);
		between = "|";
	}
}

static void put_contention(struct line *l, const struct sim *s, const struct probe *p)
{
	bool begin = p->kind == PROBE_CONTENTION_BEGIN;

	put(l, begin ? "contention_begin: " : "contention_end: ");
	put_lock(l, s, p->object);
	if (begin) {
		put(l, " (flags=");
		put_flags(l, (uint32_t)p->arg);
	} else {
		put_key(l, " (ret=", p->arg);
	}
	put(l, ")");
}

/* A lock is held from S to F, by the task whose line it is; the last field tells slices apart. */
static void put_held(struct line *l, const struct sim *s, const struct probe *p)
{
	put(l, p->kind == PROBE_LOCK_ACQUIRED ? "tracing_mark_write: S|" : "tracing_mark_write: F|");
	put_number(l, ftrace_pid(sim_task(s, p->task)), 0);
	put(l, "|");
	put_lock(l, s, p->object);
	put(l, p->arg == LOCK_READ ? " read|" : p->arg == LOCK_WRITE ? " write|" : "|");
	put_number(l, p->object, 0);
}

/* ---- what ftrace has no event for */

static void put_instant(struct line *l, const struct sim *s, const struct probe *p)
{
	put(l, "tracing_mark_write: I|");
	put_number(l, ftrace_pid(sim_task(s, p->task)), 0);
	switch ((enum probe_kind)p->kind) {
	case PROBE_SCHED_SETSCHEDULER:
		put(l, "|sched_setscheduler");
		put_setprio(l, s, p);
		break;
	case PROBE_THROTTLE:
	case PROBE_UNTHROTTLE:
		put(l, p->kind == PROBE_THROTTLE ? "|throttle" : "|unthrottle");
		put_object(l, s, p->object);
		put(l, " group=");
		put_name(l, sim_group_name(s, (int)p->arg));
		break;
	case PROBE_GROUP_TIMER:
		put(l, "|period_timer group=");
		put_name(l, sim_group_name(s, (int)p->object));
		put_key(l, " cpu=", p->arg);
		break;
	case PROBE_FUNCTION:
		put(l, "|function ");
		put_name(l, sim_name(s, p->object));
		break;
	case PROBE_RCU_STALL:
		put_key(l, "|rcu_stall gp=", p->object);
		if (p->arg >= 0 && p->arg < sim_nr_tasks(s))
			put_object(l, s, (uint32_t)p->arg);
		break;
	default:
		put(l, "|note ");
		put_name(l, sim_name(s, p->object));
		put_key(l, " arg=", p->arg);
		break;
	}
}

/* ---- timers, interrupts and system calls */

static void put_hrtimer(struct line *l, const struct sim *s, const struct probe *p)
{
	put(l, p->kind == PROBE_HRTIMER_START ? "hrtimer_start: function=" :
	       p->kind == PROBE_HRTIMER_ENTRY ? "hrtimer_expire_entry: function=" :
						"hrtimer_expire_exit: function=");
	put_name(l, sim_name(s, p->object));
	if (p->kind == PROBE_HRTIMER_START)
		put_key(l, " expires=", p->arg);
	if (p->kind == PROBE_HRTIMER_ENTRY)
		put_key(l, " now=", (int64_t)p->at_ns);
}

static void put_softirq(struct line *l, const struct probe *p)
{
	put(l, p->kind == PROBE_SOFTIRQ_RAISE ? "softirq_raise: vec=" :
	       p->kind == PROBE_SOFTIRQ_ENTRY ? "softirq_entry: vec=" : "softirq_exit: vec=");
	put_number(l, p->object, 0);
	put(l, " [action=");
	put(l, p->object < NR_VECTORS ? vectors[p->object] : "?");
	put(l, "]");
}

static void put_irq(struct line *l, const struct probe *p)
{
	put(l, p->kind == PROBE_IRQ_ENTRY ? "irq_handler_entry: irq=" : "irq_handler_exit: irq=");
	put_number(l, p->object, 0);
	if (p->kind == PROBE_IRQ_EXIT) {
		put(l, " ret=handled");
		return;
	}
	put(l, " name=line");
	put_number(l, p->object, 0);
}

static void put_syscall(struct line *l, const struct probe *p)
{
	bool enter = p->kind == PROBE_SYS_ENTER;

	put(l, enter ? "sys_enter_" : "sys_exit_");
	put(l, sys_name(p->object));
	put(l, ":");
	if (enter && !sys_argument(p->object))
		return;
	put(l, " ");
	if (enter) {
		put(l, sys_argument(p->object));
		put(l, ": ");
	}
	put_hex(l, (uint64_t)p->arg, enter ? 8 : 0);
}

static void put_grace_period(struct line *l, const struct probe *p)
{
	put(l, "rcu_grace_period: rcu_preempt ");
	put_number(l, p->object, 0);
	put(l, p->kind == PROBE_RCU_GP_START ? " start" : " end");
}

static void note_place(const struct probe *p, struct ftrace_places *places)
{
	switch ((enum probe_kind)p->kind) {
	case PROBE_TASK_NEW:
	case PROBE_SCHED_SWITCH:
		places->cpu[p->object] = (uint16_t)p->cpu;
		break;
	case PROBE_SCHED_WAKEUP:
	case PROBE_SCHED_MIGRATE:
		places->cpu[p->object] = (uint16_t)p->arg;
		break;
	default:
		break;
	}
}

void ftrace_event(struct line *l, const struct sim *s, const struct probe *p,
		  struct ftrace_places *places)
{
	switch ((enum probe_kind)p->kind) {
	case PROBE_SCHED_SWITCH:
		put_switch(l, s, p);
		break;
	case PROBE_TASK_NEW:
		put_wake(l, s, p, "sched_wakeup_new:", p->cpu);
		break;
	case PROBE_SCHED_WAKING:
		put_wake(l, s, p, "sched_waking:", places->cpu[p->object]);
		break;
	case PROBE_SCHED_WAKEUP:
		put_wake(l, s, p, "sched_wakeup:", (uint64_t)p->arg);
		break;
	case PROBE_TASK_EXIT:
		put(l, "sched_process_exit:");
		put_object(l, s, p->object);
		put_key(l, " prio=", sim_task(s, p->object)->prio);
		break;
	case PROBE_SCHED_MIGRATE:
		put_migrate(l, s, p, places->cpu[p->object]);
		break;
	case PROBE_SCHED_PI_SETPRIO:
		put(l, "sched_pi_setprio:");
		put_setprio(l, s, p);
		break;
	case PROBE_CONTENTION_BEGIN:
	case PROBE_CONTENTION_END:
		put_contention(l, s, p);
		break;
	case PROBE_LOCK_ACQUIRED:
	case PROBE_LOCK_RELEASED:
		put_held(l, s, p);
		break;
	case PROBE_HRTIMER_START:
	case PROBE_HRTIMER_ENTRY:
	case PROBE_HRTIMER_EXIT:
		put_hrtimer(l, s, p);
		break;
	case PROBE_SOFTIRQ_RAISE:
	case PROBE_SOFTIRQ_ENTRY:
	case PROBE_SOFTIRQ_EXIT:
		put_softirq(l, p);
		break;
	case PROBE_IRQ_ENTRY:
	case PROBE_IRQ_EXIT:
		put_irq(l, p);
		break;
	case PROBE_SYS_ENTER:
	case PROBE_SYS_EXIT:
		put_syscall(l, p);
		break;
	case PROBE_RCU_GP_START:
	case PROBE_RCU_GP_END:
		put_grace_period(l, p);
		break;
	default:
		put_instant(l, s, p);
		break;
	}
	note_place(p, places);
}
