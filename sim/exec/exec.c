/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading programs and running them to their end.
 *
 * A program is a shared object that lockstep cc has made: what it calls is either ours
 * (__wrap_NAME) or harmless, and every basic block of it calls __sanitizer_cov_trace_pc(), so that
 * its own computing takes time and others run meanwhile.
 */
#define _GNU_SOURCE
#include "sim/exec/exec.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/carrier.h"
#include "sim/core/sysname.h"
#include "sim/exec/private.h"
#include "sim/image/symbols.h"
#include "sim/trace/ftrace.h"

#define BLOCKS_A_TICK 64
#define TICK_NS 256		/* 4 ns a basic block: a few instructions and a load */
#define SPIN_MAX_NS 5000000000ull
#define EVENTS_MAX 2000000000ull
#define MEMORY_MAX (256u << 20)
#define LINE_ALARM 30
#define START_SPREAD_NS 4000000	/* a tick */

struct exec ex;

/* ---- user code takes time */

static uint32_t blocks_left = BLOCKS_A_TICK;

static void give_up_spinning(struct thread *t, const void *at)
{
	const char *function = "?";
	struct symbols symbols;
	const struct symbol *y;
	Dl_info info;

	if (dladdr(at, &info) && info.dli_fname && !symbols_read(info.dli_fname, &symbols)) {
		y = symbols_at(&symbols, (uint64_t)((const char *)at - (const char *)info.dli_fbase),
			       STT_FUNC);
		if (y)
			function = y->name;
	}
	snprintf(ex.words, sizeof(ex.words),
		 "%s (task %u) has run in %s() for %llu s of virtual time without any call: it spins on "
		 "memory that nobody changes, or computes", t->proc->prog->name, t->task->id, function,
		 (unsigned long long)(SPIN_MAX_NS / 1000000000));
	engine_finish(ex.sim, SIM_END_STOPPED);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	struct thread *t;

	if (--blocks_left)
		return;
	blocks_left = BLOCKS_A_TICK;
	if (!ex.running)
		return;
	t = self_thread();
	t->spun_ns += TICK_NS;
	if (t->spun_ns > SPIN_MAX_NS)
		give_up_spinning(t, __builtin_return_address(0));
	engine_burn(ex.sim, TICK_NS);
	ex.im->user_signals();
	may_die();
}

/* ---- loading */

static int find_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	struct program *p = data;
	struct link_map *map;
	uint64_t relro_end = 0;

	(void)size;
	if (dlinfo(p->dl, RTLD_DI_LINKMAP, &map) || info->dlpi_addr != map->l_addr)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			relro_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				    info->dlpi_phdr[i].p_memsz;
	for (int i = 0; i < info->dlpi_phnum && p->nr_segments < SEGMENTS_MAX; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + h->p_vaddr, end = start + h->p_memsz;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
			continue;
		if (relro_end > start)
			start = relro_end;
		if (start >= end)
			continue;
		p->segments[p->nr_segments].start = (char *)start;
		p->segments[p->nr_segments++].len = end - start;
	}
	return 1;
}

static void name_program(struct program *p)
{
	const char *base = strrchr(p->path, '/');
	size_t n;

	base = base ? base + 1 : p->path;
	n = strlen(base);
	if (n > 4 && !strcmp(base + n - 4, ".lab"))
		n -= 4;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(n < 15 ? n : 15), base);
}

static int load(int i, char **argv, struct diag *d)
{
	struct program *p = &ex.programs[i];

	p->path = realpath(argv[0], NULL);
	if (!p->path)
		return diag_at(d, argv[0], 0, 0, "cannot be opened: %s", strerror(errno));
	for (int k = 0; k < i; k++)
		if (!strcmp(ex.programs[k].path, p->path))
			return diag_at(d, argv[0], 0, 0, "is there twice; copy the file, each has its own data");
	p->argv = argv;
	p->group = -1;
	name_program(p);
	heap_open(p, i);
	ex.nr_programs = i + 1;
	p->dl = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
	if (!p->dl)
		return diag_at(d, argv[0], 0, 0, "cannot be loaded: %s; lockstep cc makes such programs",
			       dlerror());
	*(void **)&p->main = dlsym(p->dl, "main");
	if (!p->main)
		return diag_at(d, argv[0], 0, 0, "has no main(); lockstep cc makes such programs");
	dl_iterate_phdr(find_segments, p);
	return 0;
}

/* ---- running */

/* What every real machine has: an interrupt thread (SCHED_FIFO 50) that now and then preempts. */
static void interrupt_thread(void)
{
	for (;;) {
		long arg[6] = { (long)ex.config->irq_period_ns };

		ex.im->syscall(SYS_NANOSLEEP, arg);
		engine_burn(ex.sim, ex.config->irq_ns);
	}
}

static void task_main(void *self, struct task *t)
{
	(void)self;
	if (t->body)
		thread_main(t->body);
	else
		interrupt_thread();
}

static int start_interrupt_threads(struct diag *d)
{
	char name[24];

	for (int cpu = 0; cpu < ex.config->cpus && ex.config->irq_period_ns; cpu++) {
		struct bridge_spawn s = { .name = name, .cpus = 1ull << cpu, .group = -1,
					  .policy = BRIDGE_SCHED_FIFO, .priority = 50 };
		struct task *t;

		snprintf(name, sizeof(name), "irq/%d-eth", cpu);
		t = sim_task_new(ex.sim, name, TASK_KTHREAD);
		if (ex.im->spawn(t, &s))
			return diag_at(d, "--irq-thread", 0, 0, "is refused by the kernel");
		t->prio = t->normal_prio = 49;
		t->policy = s.policy;
		engine_log(ex.sim, PROBE_TASK_NEW, t->id, t->prio);
		ex.im->start(t);
	}
	return 0;
}

static bool on_signal(void *self, int sig)
{
	(void)self;
	return signal_reaches(sig);
}

static void send_alarms(void *self, int line)
{
	(void)self;
	(void)line;
	for (struct process *p = ex.processes; p; p = p->next) {
		if (p->ended || !p->alarm_at || p->alarm_at > sim_now_abs(ex.sim))
			continue;
		p->alarm_at = 0;
		if (p->leader->proc == p)
			signal_send(p->leader, SIGALRM);
	}
	if (ex.hung) {
		struct process *p = ex.hung;

		ex.hung = NULL;
		process_kill(p, SIGKILL);
	}
}

static void raise_alarm(struct sim *s, void *arg)
{
	(void)arg;
	engine_raise_line(s, 0, LINE_ALARM);
}

void process_alarms(void)
{
	uint64_t epoch = sim_now_abs(ex.sim) - sim_now(ex.sim);

	engine_call_at(ex.sim, self_thread()->proc->alarm_at - epoch, raise_alarm, NULL);
}

static const struct exec_group *limit_of(const struct program *p)
{
	for (int i = 0; i < ex.config->nr_groups; i++)
		if (!strcmp(ex.config->groups[i].name, p->name))
			return &ex.config->groups[i];
	return NULL;
}

/*
 * Nobody starts programs at the same instant, nor in step with the tick.  The quota is written on
 * CPU 0, by whoever starts the program, and its period timer begins there.
 */
static void *run_main(void *arg)
{
	struct program *p = arg;
	const struct exec_group *g = limit_of(p);
	int argc = 0;

	enter(SYS_NANOSLEEP, engine_choose(ex.sim, START_SPREAD_NS), 0, 0, 0, 0, 0);
	if (g)
		ex.im->group_set(p->group, g->quota_ns, g->period_ns);
	ex.im->set_affinity(self_thread()->task, exec_cpus());
	while (p->argv[argc])
		argc++;
	p->argv[0] = p->path;
	return (void *)(intptr_t)p->main(argc, p->argv, NULL);
}

static int group_of(const struct program *p, struct diag *d)
{
	const struct exec_group *g = limit_of(p);
	int group;

	if (!g)
		return -1;
	group = ex.im->group_new(g->name, -1, g->period_ns);
	if (group < 0)
		return diag_at(d, "--group", 0, 0, "%s is refused by the kernel: %s", g->name,
			       strerror(-group));
	sim_group_named(ex.sim, g->name);
	return group;
}

static int start(struct program *p, struct diag *d)
{
	struct bridge_spawn s = { .name = p->name, .policy = BRIDGE_SCHED_OTHER,
				  .cpus = 1 };
	struct process *proc = process_new(p, NULL);

	s.group = p->group = group_of(p, d);
	if (p->group == -EINVAL)
		return -EINVAL;
	ex.im->files_new(proc->id, false);
	proc->leader = thread_new(proc, run_main, p, &s);
	return proc->leader ? 0 : diag_at(d, p->path, 0, 0, "its first task is refused");
}

static void time_over(struct sim *s, void *arg)
{
	(void)arg;
	sim_stop(s, SIM_END_TIME);
}

/* All is quiet, or its time is over: a child that waits for ever is killed, as its harness would; its parent goes on. */
static bool kill_hung_child(enum sim_end end)
{
	if (end != SIM_END_QUIET && end != SIM_END_TIME)
		return false;
	for (struct process *p = ex.processes; p; p = p->next) {
		if (p->ended || !p->parent || p->dying)
			continue;
		fprintf(stderr, "lockstep: process %d of %s waits for ever at %.3f ms; killed\n", p->pid,
			p->prog->name, (double)sim_now(ex.sim) / 1e6);
		ex.hung = p;
		engine_call_at(ex.sim, sim_now(ex.sim) + ex.config->duration_ns, time_over, NULL);
		engine_raise_line(ex.sim, 0, LINE_ALARM);
		return true;
	}
	return false;
}

static void tell_waiting(void)
{
	for (struct thread *t = ex.threads; t; t = t->next)
		if (!t->ended)
			fprintf(stderr, "lockstep: %s (task %u) has not ended\n", t->task->name,
				t->task->id);
}

static bool judge(enum sim_end end, struct exec_result *out)
{
	const struct chain *c;
	enum verdict v;

	fflush(stdout);
	detect_ended(ex.detect, ex.sim, end);
	if (*ex.words)
		detect_found(ex.detect, ex.sim, VERDICT_STARVATION, sim_now(ex.sim), ex.words);
	if (end == SIM_END_TIME)
		detect_found(ex.detect, ex.sim, VERDICT_LIMIT, sim_now(ex.sim),
			     "the time of the run is over (--seconds)");
	detect_end(ex.detect, ex.sim, sim_now(ex.sim));
	v = detect_verdict(ex.detect);
	if (v != VERDICT_OK) {
		c = detect_chain(ex.detect);
		fprintf(stderr, "lockstep: %s on %s, seed %" PRIu64 ", at %.3f us%s%s\n", verdict_names[v],
			ex.im->name, ex.config->seed, (double)detect_at(ex.detect) / 1e3,
			*detect_words(ex.detect) ? ": " : "", detect_words(ex.detect));
		for (int i = 0; i < c->nr; i++)
			fprintf(stderr, "  %d. %s\n", i + 1, c->edges[i].words);
	}
	if (end == SIM_END_QUIET)
		tell_waiting();
	fprintf(stderr, "lockstep: digest %s\n", out->digest);
	return v == VERDICT_OK && end == SIM_END_DONE;
}

static void run(struct exec_result *out, struct ftrace *trace, struct diag *d)
{
	enum sim_end end;

	ex.running = true;
	do
		end = machine_run(ex.machine);
	while (kill_hung_child(end));
	ex.running = false;
	ftrace_close(trace, out->digest, d);
	out->ok = judge(end, out);
	out->status = 0;
	for (int i = 0; i < ex.nr_programs && !out->status; i++)
		for (struct process *p = ex.processes; p; p = p->next)
			if (p->prog == &ex.programs[i] && !p->parent && p->ended)
				out->status = p->status & 0x7f ? 128 + (p->status & 0x7f) : p->status >> 8;
}

/* A cycle is the end: nobody in it goes on by itself. */
static void stop_at_cycle(void *self, const struct sim *s, const struct probe *p)
{
	(void)self;
	(void)s;
	(void)p;
	if (detect_verdict(ex.detect) <= VERDICT_STALL)
		sim_stop(ex.sim, SIM_END_STOPPED);
}

static int prepare(struct diag *d)
{
	static const struct machine_hooks hooks = { .task_main = task_main, .irq_handler = send_alarms,
						    .signal = on_signal };
	static const struct detect_limits limits = { .starve_ns = 1000000000,
						     .inversion_ns = 1000000 };

	ex.sim = machine_sim(ex.machine);
	ex.im = machine_image(ex.machine);
	oracle_random_init(&ex.oracle, ex.config->seed);
	sim_set_oracle(ex.sim, &ex.oracle.base);
	ex.detect = detect_new(&limits);
	SIM_CHECK(!sim_observe(ex.sim, detect_probe, ex.detect));
	SIM_CHECK(!sim_observe(ex.sim, stop_at_cycle, NULL));
	machine_set_hooks(ex.machine, &hooks);
	ex.im->focus->fentry_on = 0;
	SIM_CHECK(!ex.im->irq_new(LINE_ALARM, 0, BRIDGE_IRQ_HARD, 0, "alarm"));
	for (int i = 0; i < ex.nr_programs; i++)
		if (start(&ex.programs[i], d))
			return -EINVAL;
	return start_interrupt_threads(d);
}

int exec_run(const struct exec_config *c, struct exec_result *out, struct diag *d)
{
	struct sim_config sc = { .machine = { .nr_cpus = c->cpus, .rcu_stall_ns = 21000000000ull,
					      .softirq = BRIDGE_SOFTIRQ_KTIMERS, .softirq_priority = 1,
					      .fair_server = true },
				 .carrier = carrier_by_name(c->carrier), .duration_ns = c->duration_ns,
				 .events_max = EVENTS_MAX, .memory_max = MEMORY_MAX };
	struct ftrace *trace;
	struct image *img;
	char why[300];
	int err;

	if (!sc.carrier)
		return diag_at(d, "--carrier", 0, 0, "\"%s\" is unknown, expected fiber or pthread",
			       c->carrier);
	ex.config = c;
	if (image_open(c->image, &img, why, sizeof(why)))
		return diag_at(d, "--kernel", 0, 0, "%s; lockstep list shows what there is", why);
	if (!image_ops(img)->nr_units)
		return diag_at(d, "--kernel", 0, 0, "%s has no kernel, and programs need one", c->image);
	for (int i = 0; i < c->nr_programs; i++)
		if (load(i, c->programs[i], d))
			return -EINVAL;
	if (machine_new(img, &sc, &ex.machine, why, sizeof(why)))
		return diag_at(d, "--kernel", 0, 0, "%s", why);
	err = ftrace_open(NULL, &trace, d);
	if (!err) {
		sim_observe(machine_sim(ex.machine), ftrace_probe, trace);
		err = prepare(d);
	}
	if (!err)
		run(out, trace, d);
	detect_free(ex.detect);
	machine_free(ex.machine);
	return err;
}
