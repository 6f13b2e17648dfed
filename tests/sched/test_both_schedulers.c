/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random small task sets under the tree's own scheduler and under the simulated one: who follows
 * whom on each CPU, and every priority lent and given back, must be the same.
 *
 * Costs are the middle of their ranges on both sides, so that what differs is the scheduler.  The
 * machine's own threads are left out: an idle CPU, a softirq thread and the stopper are no tasks
 * of the set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/carrier.h"
#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/image/image.h"

#define SETS 500
#define TASKS_MAX 7
#define STEPS_MAX 48
#define LOCKS 3
#define RECORDS_MAX 8192

enum step_kind { BURN, SLEEP, LOCK, UNLOCK, YIELD };

struct step {
	enum step_kind kind;
	uint64_t arg;	/* ns, or which lock */
};

struct member {
	struct bridge_spawn spec;
	char name[16];
	struct step steps[STEPS_MAX];
	int nr_steps;
	struct task *task;
};

static struct set {
	uint64_t seed;
	int nr_cpus, nr_tasks;
	struct member tasks[TASKS_MAX];
} set;

/* ---- making a set */

static struct oracle_random dice;

static uint32_t roll(uint32_t n)
{
	return dice.base.choose(&dice.base, n);
}

static void add(struct member *m, enum step_kind kind, uint64_t arg)
{
	m->steps[m->nr_steps++] = (struct step){ kind, arg };
}

/* Locks are taken in one order, so no set can deadlock. */
static void make_program(struct member *m)
{
	add(m, SLEEP, 1000 + roll(300000));
	while (m->nr_steps < STEPS_MAX - 7) {
		uint32_t first = roll(LOCKS), second = first + 1 + roll(LOCKS);

		add(m, BURN, 1000 + roll(m->spec.policy == BRIDGE_SCHED_RR && !roll(6) ? 150000000 :
											 300000));
		switch (roll(6)) {
		case 0:
			add(m, SLEEP, 1000 + roll(200000));
			break;
		case 1:
			add(m, YIELD, 0);
			break;
		default:
			add(m, LOCK, first);
			add(m, BURN, 1000 + roll(150000));
			if (second < LOCKS && roll(2)) {
				add(m, LOCK, second);
				add(m, BURN, 1000 + roll(100000));
				add(m, UNLOCK, second);
			} else if (!roll(4)) {
				add(m, SLEEP, 1000 + roll(100000));
			}
			add(m, UNLOCK, first);
			break;
		}
	}
	add(m, BURN, 1000 + roll(100000));
}

static void make_set(uint64_t seed)
{
	oracle_random_init(&dice, seed);
	set = (struct set){ .seed = seed, .nr_cpus = 1 + (int)roll(4),
			    .nr_tasks = 2 + (int)roll(TASKS_MAX - 1) };
	for (int i = 0; i < set.nr_tasks; i++) {
		struct member *m = &set.tasks[i];
		uint64_t all = (1ull << set.nr_cpus) - 1, cpus = roll(2) ? all : roll((uint32_t)all) + 1;

		snprintf(m->name, sizeof(m->name), "t%d", i);
		m->spec = (struct bridge_spawn){ .name = m->name, .cpus = cpus, .group = -1,
						 .policy = roll(3) ? BRIDGE_SCHED_FIFO :
								     BRIDGE_SCHED_RR,
						 .priority = 1 + (int)roll(8) };
		make_program(m);
	}
}

/* ---- running it */

static uint32_t middle(struct oracle *o, uint32_t n)
{
	(void)o;
	return n / 2;
}

struct record {
	uint32_t cpu, kind;
	int32_t who;		/* number in the set, -1: none of it */
	int64_t what;
	uint64_t at;
};

static struct record records[2][RECORDS_MAX];
static int nr_records[2], side;
static const struct bridge_image *im;
static void *locks[LOCKS];

static int number_of(const struct sim *s, uint32_t id)
{
	for (int i = 0; i < set.nr_tasks; i++)
		if (set.tasks[i].task == sim_task(s, id))
			return i;
	return -1;
}

static void see(void *self, const struct sim *s, const struct probe *p)
{
	struct record r = { .cpu = p->cpu, .kind = p->kind, .at = p->at_ns };

	(void)self;
	if (p->kind != PROBE_SCHED_SWITCH && p->kind != PROBE_SCHED_PI_SETPRIO)
		return;
	r.who = number_of(s, p->object);
	if (r.who < 0)
		return;
	if (p->kind == PROBE_SCHED_PI_SETPRIO) {
		r.what = p->arg;
		r.cpu = 0;
	}
	assert_true(nr_records[side] < RECORDS_MAX);
	records[side][nr_records[side]++] = r;
}

static long sys(enum bridge_sys nr, long a)
{
	long arg[6] = { a };

	return im->syscall(nr, arg);
}

static void task_main(void *self, struct task *t)
{
	struct machine *mach = self;
	struct member *m = t->body;

	for (int i = 0; i < m->nr_steps; i++) {
		struct step *p = &m->steps[i];

		if (p->kind == BURN)
			engine_burn(machine_sim(mach), p->arg);
		else if (p->kind == SLEEP)
			sys(SYS_NANOSLEEP, (long)p->arg);
		else if (p->kind == YIELD)
			sys(SYS_SCHED_YIELD, 0);
		else
			im->lock_op(locks[p->arg], BRIDGE_LOCK_RTMUTEX,
				    p->kind == LOCK ? BRIDGE_OP_LOCK : BRIDGE_OP_UNLOCK);
	}
}

static void init_main(struct sim *s)
{
	(void)s;
	for (int i = 0; i < LOCKS; i++)
		locks[i] = im->lock_new(BRIDGE_LOCK_RTMUTEX, "lock");
	for (int i = 0; i < set.nr_tasks; i++)
		im->start(set.tasks[i].task);
}

static void first_or_member(void *self, struct task *t)
{
	if (t->body)
		task_main(self, t);
	else
		init_main(machine_sim(self));
}

static struct machine *machine_for(const char *image)
{
	struct sim_config c = { .machine = { .nr_cpus = set.nr_cpus, .softirq_priority = 1,
					     .softirq = BRIDGE_SOFTIRQ_KTIMERS,
					     .rcu_stall_ns = 21000000000ull },
				.carrier = &carrier_fiber, .duration_ns = 20000000000,
				.events_max = 1000000, .memory_max = 64u << 20 };
	struct machine *m;
	struct image *img;
	char why[300];

	if (image_open(image, &img, why, sizeof(why)) || machine_new(img, &c, &m, why, sizeof(why)))
		fail_msg("%s", why);
	return m;
}

static void run_on(int which, const char *image)
{
	struct bridge_spawn first = { .name = "first", .cpus = 1, .policy = BRIDGE_SCHED_FIFO,
				      .priority = 99, .group = -1 };
	struct oracle o = { .choose = middle };
	struct machine *m = machine_for(image);
	struct machine_hooks hooks = { .self = m, .task_main = first_or_member };
	struct sim *s = machine_sim(m);
	struct task *t;

	side = which;
	nr_records[side] = 0;
	im = machine_image(m);
	machine_set_hooks(m, &hooks);
	sim_set_oracle(s, &o);
	sim_clear_observers(s);
	assert_int_equal(sim_observe(s, see, NULL), 0);
	for (int i = 0; i < set.nr_tasks; i++) {
		set.tasks[i].task = sim_task_new(s, set.tasks[i].name, TASK_SCENARIO);
		set.tasks[i].task->body = &set.tasks[i];
		assert_int_equal(im->spawn(set.tasks[i].task, &set.tasks[i].spec), 0);
	}
	t = sim_task_new(s, "first", TASK_SCENARIO);
	assert_int_equal(im->spawn(t, &first), 0);
	im->start(t);
	if (machine_run(m) != SIM_END_DONE)
		fail_msg("set %llu on %s: not run to its end", (unsigned long long)set.seed, image);
	machine_free(m);
}

/* ---- comparing */

/* The nth record of a kind on a CPU (changes of priority: of a task), or NULL. */
static const struct record *nth(int which, uint32_t kind, uint32_t cpu, int who, int n)
{
	for (int i = 0; i < nr_records[which]; i++) {
		const struct record *r = &records[which][i];

		if (r->kind == kind && (who >= 0 ? r->who == who : r->cpu == cpu) && !n--)
			return r;
	}
	return NULL;
}

static void say(const char *what, const struct record *r)
{
	if (r)
		printf("  %s: t%d on CPU %u at %llu ns, %d -> %d\n", what, r->who, r->cpu,
		       (unsigned long long)r->at, PRIO_OLD(r->what), PRIO_NEW(r->what));
	else
		printf("  %s: none\n", what);
}

/* True: the first difference was printed. */
static bool differ(uint32_t kind, uint32_t cpu, int who)
{
	for (int n = 0;; n++) {
		const struct record *a = nth(0, kind, cpu, who, n), *b = nth(1, kind, cpu, who, n);

		if (!a && !b)
			return false;
		if (a && b && a->who == b->who && a->what == b->what)
			continue;
		printf("set %llu (%d CPUs, %d tasks): %s number %d differs\n",
		       (unsigned long long)set.seed, set.nr_cpus, set.nr_tasks,
		       kind == PROBE_SCHED_SWITCH ? "switch" : "change of priority", n);
		say("tree", a);
		say("simulated", b);
		return true;
	}
}

/* LOCKSTEP_SET=N: all of set N, for whoever looks for the reason. */
static void print_set(void)
{
	for (int i = 0; i < set.nr_tasks; i++)
		printf("t%d: policy %d, kernel priority %d, CPUs %llx\n", i, set.tasks[i].spec.policy,
		       99 - set.tasks[i].spec.priority, (unsigned long long)set.tasks[i].spec.cpus);
	for (int which = 0; which < 2; which++) {
		printf("%s:\n", which ? "simulated" : "tree");
		for (int i = 0; i < nr_records[which]; i++)
			say(records[which][i].kind == PROBE_SCHED_SWITCH ? "switch" : "setprio",
			    &records[which][i]);
	}
}

static bool sides_differ(void)
{
	bool found = false;

	for (int cpu = 0; cpu < set.nr_cpus && !found; cpu++)
		found = differ(PROBE_SCHED_SWITCH, (uint32_t)cpu, -1);
	for (int i = 0; i < set.nr_tasks && !found; i++)
		found = differ(PROBE_SCHED_PI_SETPRIO, 0, i);
	return found;
}

static void random_task_sets_run_alike_under_both_schedulers(void **state)
{
	const char *one = getenv("LOCKSTEP_SET");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one ? from : SETS;
	long lent = 0, switches = 0;
	int differing = 0;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		make_set(seed);
		run_on(0, "6.12-rt");
		run_on(1, "6.12-rt@sched");
		if (one)
			print_set();
		differing += sides_differ();
		for (int i = 0; i < nr_records[0]; i++) {
			lent += records[0][i].kind == PROBE_SCHED_PI_SETPRIO;
			switches += records[0][i].kind == PROBE_SCHED_SWITCH;
		}
	}
	printf("%ld switches, %ld changes of priority, %d sets differ\n", switches, lent, differing);
	assert_int_equal(differing, 0);
	/* there was something to compare */
	if (!one)
		assert_true(lent > SETS && switches > 20 * SETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_task_sets_run_alike_under_both_schedulers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
