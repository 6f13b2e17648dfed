/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes: how they end, and fork.
 *
 * All memory is one, so parent and child of a fork cannot both run: the child runs first, on the
 * parent's stack, and when it has ended the parent finds its memory, stack and files as they were
 * and goes on.  That is what a test harness with one child a test needs; a parent that has to do
 * something before its child can end waits for ever, and the child is killed then.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/base/check.h"
#include "sim/exec/private.h"

#define RED_ZONE 1024

struct process *process_new(struct program *prog, struct process *parent)
{
	struct process *p = calloc(1, sizeof(*p));
	bool used[PROCESSES_MAX + 1] = { true };	/* 0: the body of the machine */

	SIM_CHECK(p);
	for (struct process *q = ex.processes; q; q = q->next)
		if (!q->ended)
			used[q->id] = true;
	while (p->id <= PROCESSES_MAX && used[p->id])
		p->id++;
	p->pid = PID_FIRST + ex.next_pid++;
	p->prog = prog;
	p->parent = parent;
	if (parent)
		memcpy(p->actions, parent->actions, sizeof(p->actions));
	p->next = ex.processes;
	ex.processes = p;
	return p;
}

/* ---- the end */

void process_kill(struct process *p, int status)
{
	if (p->dying)
		return;
	p->dying = true;
	p->status = status;
	for (struct thread *t = ex.threads; t; t = t->next)
		if (t->proc == p && !t->ended && t->task != sim_current(ex.sim))
			ex.im->signal(t->task, SIGKILL);
}

void process_exit(int status)
{
	struct thread *t = self_thread();

	process_kill(t->proc, status);
	if (t == t->proc->leader)
		leader_finish();
	longjmp(t->base, 1);
}

/* A stack with its red zones is copied as it is: a sanitizer must not look into it. */
static void copy_raw(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void restore_parts(struct process *child)
{
	for (int i = 0; i < child->nr_parts; i++)
		copy_raw(child->parts[i].start, child->parts[i].saved, child->parts[i].len);
}

__attribute__((noinline)) static _Noreturn void restore_and_return(struct process *child, volatile char *room)
{
	room[0] = 0;
	restore_parts(child);
	longjmp(child->back, 1);
}

/* The stack is written from below what is written. */
__attribute__((noinline)) static _Noreturn void back_to_parent(struct process *child)
{
	char *lowest = child->parts[0].start - RED_ZONE, *here = __builtin_frame_address(0);

	restore_and_return(child, alloca((here > lowest ? (size_t)(here - lowest) : 0) + RED_ZONE));
}

static void free_parts(struct process *p)
{
	for (int i = 0; i < p->nr_parts; i++) {
		free(p->parts[i].saved);
		p->parts[i].saved = NULL;
	}
}

/* Of a dying process, or one whose main() has returned: the last of its threads. */
void leader_finish(void)
{
	struct thread *t = self_thread();
	struct process *p = t->proc;

	if (!p->dying)
		process_kill(p, ((int)(intptr_t)t->result & 0xff) << 8);
	/* what has come for it is void, and nothing more comes in; its next process begins afresh */
	ex.im->block_signals(0);
	ex.im->user_signals();
	ex.im->block_signals(~0ull);
	while (p->nr_threads > 1) {
		t->woken = false;
		ex.im->sleep_on(&t->woken, SIM_NEVER);
	}
	fflush(stdout);
	ex.im->files_end(p->id);
	p->ended = true;
	if (!p->parent) {
		t->fn = NULL;		/* the thread ends like any other */
		longjmp(t->base, 1);
	}
	t->proc = p->parent;
	ex.im->set_process(t->task, t->proc->id);
	back_to_parent(p);
}

static void run_atexits(struct process *p)
{
	while (p->nr_atexits)
		p->atexits[--p->nr_atexits]();
}

_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap__exit(int status)
{
	process_exit((status & 0xff) << 8);
}

_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status)
{
	run_atexits(self_thread()->proc);
	process_exit((status & 0xff) << 8);
}

_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	process_exit(SIGABRT);
}

_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned int line,
				    const char *function);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned int line,
				    const char *function)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", self_thread()->proc->prog->name,
		file, line, function, what);
	process_exit(SIGABRT);
}

int __wrap_atexit(void (*fn)(void));
int __wrap_atexit(void (*fn)(void))
{
	struct process *p = self_thread()->proc;

	if (p->nr_atexits == ATEXITS_MAX)
		return -1;
	p->atexits[p->nr_atexits++] = fn;
	return 0;
}

/* ---- fork */

static void save(struct process *child, char *start, size_t len)
{
	struct part *part = &child->parts[child->nr_parts++];

	part->start = start;
	part->len = len;
	part->saved = malloc(len + 1);
	SIM_CHECK(part->saved);
	copy_raw(part->saved, start, len);
}

static void save_parts(struct process *child, char *sp)
{
	struct thread *t = self_thread();
	struct program *prog = child->prog;

	save(child, sp, (size_t)(t->stack_top - sp));
	for (int i = 0; i < prog->nr_segments; i++)
		save(child, prog->segments[i].start, prog->segments[i].len);
	save(child, prog->heap, prog->heap_used);
	child->heap_used = prog->heap_used;
	memcpy(child->heap_free, prog->heap_free, sizeof(prog->heap_free));
}

/* Returns twice: 0 as the child, and when that has ended its number as the parent. */
__attribute__((noinline, returns_twice)) int __wrap_fork(void);
int __wrap_fork(void)
{
	struct thread *t = self_thread();
	struct process *parent = t->proc, *volatile child;
	uint64_t mask;

	engine_cost(ex.sim, COST_SYSCALL);
	if (parent->nr_threads > 1) {
		/* they would go on in the memory that is the child's for a while */
		fprintf(stderr, "lockstep: %s forks while it has %d threads, which the lab does not offer\n",
			parent->prog->name, parent->nr_threads);
		return (int)ret_errno(-EAGAIN);
	}
	child = process_new(parent->prog, parent);
	if (child->id > PROCESSES_MAX) {
		ex.processes = child->next;
		free(child);
		return (int)ret_errno(-EAGAIN);
	}
	mask = ex.im->block_signals(~0ull);
	ex.im->block_signals(mask);
	child->sigmask = mask;
	ex.im->files_new(child->id, true);
	child->leader = t;
	child->nr_threads = 1;
	if (setjmp(child->back)) {
		t = self_thread();
		child->prog->heap_used = child->heap_used;
		memcpy(child->prog->heap_free, child->heap_free, sizeof(child->heap_free));
		free_parts(child);
		ex.im->block_signals(child->sigmask);
		t->spun_ns = 0;
		signal_send(t, SIGCHLD);
		return child->pid;
	}
	save_parts(child, (char *)__builtin_frame_address(0) - RED_ZONE);
	t->proc = child;
	ex.im->set_process(t->task, child->id);
	return 0;
}

int __wrap_waitpid(int pid, int *status, int options);
int __wrap_waitpid(int pid, int *status, int options)
{
	struct process *me = self_thread()->proc;

	(void)options;	/* a child has always ended */
	engine_cost(ex.sim, COST_SYSCALL);
	for (struct process **at = &ex.processes, *p; (p = *at); at = &p->next) {
		int number = p->pid;

		if (p->parent != me || !p->ended || (pid > 0 && number != pid))
			continue;
		if (status)
			*status = p->status;
		*at = p->next;
		free(p);
		return number;
	}
	return (int)ret_errno(-ECHILD);
}

int __wrap_wait(int *status);
int __wrap_wait(int *status)
{
	return __wrap_waitpid(-1, status, 0);
}

int __wrap_getpid(void);
int __wrap_getpid(void)
{
	return self_thread()->proc->pid;
}

int __wrap_getppid(void);
int __wrap_getppid(void)
{
	struct process *p = self_thread()->proc;

	return p->parent ? p->parent->pid : 1;
}

int __wrap_gettid(void);
int __wrap_gettid(void)
{
	return (int)self_thread()->task->id;
}

int __wrap_setpgrp(void);
int __wrap_setpgrp(void)
{
	return 0;
}

int __wrap_setpgid(int pid, int group);
int __wrap_setpgid(int pid, int group)
{
	(void)pid;
	(void)group;
	return 0;
}
