/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of sim/exec.  Programs call functions without a handle, so there is one struct exec.
 */
#ifndef SIM_EXEC_PRIVATE_H
#define SIM_EXEC_PRIVATE_H

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "sim/core/engine.h"
#include "sim/core/oracle.h"
#include "sim/detect/detect.h"
#include "sim/exec/exec.h"
#include "sim/image/image.h"

#define SEGMENTS_MAX 4
#define KEYS_MAX 32
#define SIGNALS 65
#define ATEXITS_MAX 32
#define PROCESSES_MAX 60	/* alive at once; the image has room for 64 */
#define PID_FIRST 1000

struct part {			/* memory that is a process's own */
	char *start;
	size_t len;
	char *saved;
};

struct program {
	char *path, name[32], **argv;
	void *dl;
	int (*main)(int, char **, char **);
	struct part segments[SEGMENTS_MAX];
	int nr_segments;
	char *heap;		/* where it begins */
	size_t heap_used;
	void *heap_free[48];	/* by class */
	int group;		/* of the image, or -1 */
};

struct thread;

struct process {
	int id, pid;		/* id: of the image's table of files */
	struct program *prog;
	struct process *parent;	/* the one that forked it; NULL: started by exec */
	struct thread *leader;
	int nr_threads;		/* alive */
	bool dying, ended;
	int status;		/* as waitpid() tells it */
	struct sigaction actions[SIGNALS];
	void (*atexits[ATEXITS_MAX])(void);
	int nr_atexits;
	uint64_t alarm_at;	/* absolute, or 0 */
	/* A fork: what the parent is to find when the child has ended. */
	jmp_buf back;
	struct part parts[SEGMENTS_MAX + 2];
	int nr_parts;
	size_t heap_used;
	void *heap_free[48];
	uint64_t sigmask;
	struct process *next;
};

struct thread {
	struct task *task;
	struct process *proc;
	void *(*fn)(void *);
	void *arg, *result;
	bool ended, woken;
	struct thread *joiner, *next_waiter;
	jmp_buf base;
	char *stack_top;
	void *keys[KEYS_MAX];
	uint64_t spun_ns;	/* user code since its last call */
	struct thread *next;
};

struct exec {
	const struct exec_config *config;
	struct machine *machine;
	struct sim *sim;
	const struct bridge_image *im;
	struct detect *detect;
	struct oracle_random oracle;
	struct program programs[EXEC_PROGRAMS_MAX];
	int nr_programs;
	struct process *processes;
	struct thread *threads;
	int next_pid;
	bool running;		/* programs run; false: their constructors do */
	struct process *hung;	/* a child that waits for ever, to be killed */
	char words[300];	/* why the run was given up */
};

extern struct exec ex;

/* One line each: the declaration that -Wmissing-prototypes of a reader would ask for is left out. */
#define WRAP(type, name, ...)                                                                     \
	type __wrap_##name(__VA_ARGS__);                                                          \
	type __wrap_##name(__VA_ARGS__)

/* All CPUs of the machine, a bit each. */
static inline uint64_t exec_cpus(void)
{
	return ex.config->cpus < 64 ? (1ull << ex.config->cpus) - 1 : ~0ull;
}

struct thread *self_thread(void);
long enter(enum bridge_sys nr, long a, long b, long c, long d, long e, long f);
/* As the C library returns it: -1 and errno. */
long ret_errno(long ret);
/* Behind every call: a thread of a process that ends does not go on. */
void may_die(void);
void sleep_until(bool *flag, uint64_t until_ns);
void wake_thread(struct thread *t);

/* thread.c */
struct thread *thread_new(struct process *p, void *(*fn)(void *), void *arg,
			  const struct bridge_spawn *spec);
void thread_main(struct thread *t);

/* process.c */
struct process *process_new(struct program *prog, struct process *parent);
_Noreturn void process_exit(int status);	/* as waitpid() tells it */
void process_kill(struct process *p, int status);
_Noreturn void leader_finish(void);
void process_alarms(void);

/* signal.c */
bool signal_reaches(int sig);		/* the calling thread; true: calls are restarted */
void signal_send(struct thread *t, int sig);

/* memory.c */
void *heap_alloc(struct program *p, size_t n);
void heap_open(struct program *p, int index);

#endif
