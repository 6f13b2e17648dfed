/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the test library.
 *
 * A test speaks of "the machine" without naming it, so there is one struct lab.
 */
#ifndef SIM_TEST_PRIVATE_H
#define SIM_TEST_PRIVATE_H

#include "sim/core/oracle.h"
#include "sim/detect/detect.h"
#include "sim/image/image.h"
#include "sim/test/lockstep/test.h"

#define LAB_TASKS_MAX 128
#define LAB_HELD_MAX 64	/* locks of one task at once */
#define LAB_LOCKS_MAX 32
#define LAB_HOOKS_MAX 16
#define LAB_LINES_MAX 24	/* interrupts not served yet; an image has 32 lines */

struct lab_task {
	struct task *task;
	struct lab_spec spec;
	uint32_t call;		/* enum bridge_sys it is in */
	uint32_t held[LAB_HELD_MAX];	/* locks */
	int nr_held, held_outside;	/* of any call */
	int nr_signals;
	int waits_in;		/* epoll file of an endless epoll_wait(), or -1 */
	bool resumed;
};

struct lab_lock {
	void *lock;
	enum bridge_lock_kind kind;
};

/* A function of the test, to be called on an occasion. */
struct lab_hook {
	const char *name;	/* lock or function; NULL: a polled file */
	int fd;
	void (*fn)(void *arg);
	void *arg;
};

struct lab {
	struct machine *machine;
	struct sim *sim;
	const struct bridge_image *im;
	struct detect *detect;
	struct oracle_random oracle;
	int cpus;
	bool in_machine;	/* the body's stack is suspended */
	bool fresh;		/* booted, and nothing has run yet */

	struct lab_task tasks[LAB_TASKS_MAX];	/* [0] does the body's calls */
	int nr_tasks;
	struct lab_lock locks[LAB_LOCKS_MAX];
	int nr_locks;

	/* What the body wants done in the machine. */
	void (*ask)(void *arg);
	void *ask_arg;
	bool done;

	struct lab_hook on_lock[LAB_HOOKS_MAX], on_function[LAB_HOOKS_MAX], on_poll[LAB_HOOKS_MAX];
	int nr_on_lock, nr_on_function, nr_on_poll;
	struct lab_hook lines[LAB_LINES_MAX];	/* by line; fn NULL: free */
	uint32_t lines_made;

	uint64_t run_until;
	unsigned int fail_alloc;
	bool alloc_failed;
	char failure[600];
	const char *expected;	/* verdict */
	jmp_buf over;
	const char *failure_file;
	int failure_line;
};

extern struct lab lab;

/* lab.c */
/* Brings up a machine for tests; 0 or -errno with a line in @why. */
int lab_open(const char *image, int cpus, const char *carrier, char *why, size_t n);
void lab_close_machine(void);
/*
 * One schedule of a test: the body runs between these.  lab_end() fails the test by its verdict.
 * A bug, deadlock or stall that is expected ends it at once, by a jump to lab.over.
 */
void lab_begin(uint64_t seed, const char *verdict);
void lab_end(void);
/* Calls @fn on a task: the caller's, or that of the body. */
void lab_on_task(void (*fn)(void *arg), void *arg);
struct lab_task *lab_task_of(const struct task *t);

/* state.c */
/* An observer: which call each task is in, and misuse of locks. */
void lab_watch(void *self, const struct sim *s, const struct probe *p);
void lab_find_lost_wakeup(void);
void lab_judge(void);	/* fails when the verdict is not as expected */
bool lab_is_lock(uint32_t id, const char *name);

/* call.c */
void lab_free_memory(void);

#endif
