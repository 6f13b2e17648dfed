/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unit tests of kernel code, on a simulated machine, without booting anything.
 *
 *	#include <lockstep/test.h>
 *
 *	static int fd;
 *
 *	static void producer(void *arg)
 *	{
 *		lab_sleep(lab_ms(5));
 *		lab_post(fd);
 *	}
 *
 *	LAB_TEST(a_write_wakes_the_waiter)
 *	{
 *		int ep = lab_epoll();
 *
 *		fd = lab_eventfd(0);
 *		lab_add(ep, fd, EPOLLIN);
 *		lab_task("producer", producer, NULL);
 *		assert_int_equal(lab_wait(ep, NULL, 1, -1), 1);
 *	}
 *
 * A test's body stands outside of the machine: the machine is at rest while the body looks at it,
 * and a call made there is carried out by a task of the machine called "test" (SCHED_FIFO 99).
 * What else goes on at that time is up to the schedule.  Each test is run on every image its
 * `images` matches, on 1, 2 and 4 CPUs unless it says otherwise, under many random schedules.
 *
 * When the body has returned the machine runs until all is quiet, so what a task was given must
 * live on: it is static, or from lab_memory(), or the body ends with lab_run().  Then the verdict
 * must be "ok": no bug, deadlock, inversion ..., and nobody asleep in an epoll_wait() that has
 * an event for it.
 *
 * In the body cmocka's assert_* may be used; anywhere, also in tasks and interrupt handlers,
 * lab_check() and lab_equal().  Calls return what the kernel returns: >= 0, or -errno.
 * Times are nanoseconds of virtual time since the test began.
 */
#ifndef LOCKSTEP_TEST_H
#define LOCKSTEP_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

/* ---- tests */

struct lab_test {
	const char *name;
	void (*body)(void);
	/* Patterns of images with commas between, "*-rt,6.12-*"; NULL: every image. */
	const char *images;
	int cpus;		/* 0: on 1, 2 and 4 */
	int cpus_min;		/* with cpus 0: not on fewer */
	/* How it must end; NULL: "ok".  At a bug, deadlock or stall the body is left. */
	const char *verdict;
	bool one_schedule;	/* nothing in it depends on the schedule: once a number of CPUs */
	struct lab_test *next;
};

/* LAB_TEST(its_claim, .cpus = 2) { body } */
#define LAB_TEST(id, ...)                                                                         \
	static void id(void);                                                                     \
	static struct lab_test lab_test_##id = { .name = #id, .body = id, __VA_ARGS__ };          \
	__attribute__((constructor)) static void lab_register_##id(void)                          \
	{                                                                                         \
		lab_register(&lab_test_##id, lab_header);                                                     \
	}                                                                                         \
	static void id(void)

/* Where this file lies: the images of an installation are found from there. */
static const char lab_header[] __attribute__((unused)) = __FILE__;
void lab_register(struct lab_test *t, const char *header);
/* What main() of a test program is, unless the program has one of its own. */
int lab_main(int argc, char **argv);

/* Fails the test, anywhere. */
_Noreturn void lab_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define lab_check(condition)                                                                      \
	((condition) ? (void)0 : lab_fail(__FILE__, __LINE__, "%s does not hold", #condition))
#define lab_equal(is, expected) lab_equal_at(is, expected, #is, __FILE__, __LINE__)
void lab_equal_at(int64_t is, int64_t expected, const char *what, const char *file, int line);

/* ---- time and chance */

#define lab_us(n) ((uint64_t)(n) * 1000)
#define lab_ms(n) ((uint64_t)(n) * 1000000)

uint64_t lab_now(void);
/* In the body: lets the machine go on until nothing is left to happen, or so long. */
void lab_run(void);
void lab_run_for(uint64_t ns);
long lab_sleep(uint64_t ns);	/* 0, or -EINTR */
void lab_burn(uint64_t ns);	/* uses the CPU: in tasks and interrupt handlers */
uint32_t lab_choose(uint32_t n); /* 0 .. n-1, by the schedule's seed */

/* ---- tasks */

struct lab_task;

struct lab_spec {
	const char *name;
	void (*body)(void *arg);
	void *arg;
	int fifo, rr;		/* priority 1-99; both 0: SCHED_OTHER */
	int nice;
	uint64_t cpus;		/* affinity, a bit a CPU; 0: all */
	int64_t quota_ns;	/* with a period: in a group of its own of so much CPU time */
	uint64_t period_ns;
};

/* lab_task("reader", reader, &fd, .fifo = 50): runs from now on. */
#define lab_task(task_name, fn, data, ...)                                                        \
	lab_task_new(&(struct lab_spec){ .name = task_name, .body = fn, .arg = data, __VA_ARGS__ })
struct lab_task *lab_task_new(const struct lab_spec *spec);
/* Sends a signal (1-64).  One that it does not block ends an interruptible sleep. */
void lab_signal(struct lab_task *t, int sig);
/* Signals blocked by the calling task from now on, bit 0 is signal 1; the mask before. */
uint64_t lab_sigmask(uint64_t blocked);
int lab_set_fifo(struct lab_task *t, int priority);
int lab_set_affinity(struct lab_task *t, uint64_t cpus);

/* ---- state, while the machine is at rest or from a task */

bool lab_ended(const struct lab_task *t);
bool lab_sleeps(const struct lab_task *t);	/* of its own will, not on a lock */
int lab_prio(const struct lab_task *t);		/* effective, the kernel's: 0-139, less is more */
int lab_base_prio(const struct lab_task *t);
/* System call it is in, "epoll_wait"; NULL: it is in user space. */
const char *lab_in_call(const struct lab_task *t);
/* Lock it waits for, "&ep->lock"; NULL: it waits for none. */
const char *lab_blocked_on(const struct lab_task *t);
/* Name of the task that holds a lock (for writing, if it has readers); NULL: nobody. */
const char *lab_owner(const char *lock);
int lab_readers(const char *lock);
int lab_signals(const struct lab_task *t);	/* that have reached it */
/* Objects on the kernel's heap: equal numbers before and after, with RCU at rest: no leak. */
size_t lab_objects(void);
/* Active wakeup sources: what would keep the machine from being suspended. */
int lab_awake(void);
/* The verdict so far, "ok", "inversion" ..., and what the kernel has printed. */
const char *lab_verdict(void);
const char *lab_printed(void);

/* ---- files */

int lab_epoll(void);
int lab_epoll_create(int size);	/* the old call */
int lab_epoll_flags(int flags);	/* of epoll_create1() */
int lab_ctl(int ep, int op, int fd, uint32_t events, uint64_t data);
int lab_ctl_at(int ep, int op, int fd, struct epoll_event *e);
#define lab_add(ep, fd, events) lab_ctl(ep, EPOLL_CTL_ADD, fd, events, (uint64_t)(fd))
#define lab_mod(ep, fd, events) lab_ctl(ep, EPOLL_CTL_MOD, fd, events, (uint64_t)(fd))
#define lab_del(ep, fd) lab_ctl(ep, EPOLL_CTL_DEL, fd, 0, 0)
#define LAB_ROOM 64
/* @out may be NULL when nobody looks at it and @max is at most LAB_ROOM; -1 ms: for ever. */
int lab_wait(int ep, struct epoll_event *out, int max, int timeout_ms);
int lab_pwait(int ep, struct epoll_event *out, int max, int timeout_ms, uint64_t blocked);
/* @timeout NULL: for ever */
int lab_pwait2(int ep, struct epoll_event *out, int max, const struct timespec *timeout);
int lab_eventfd(uint64_t initial);		/* non-blocking */
int lab_eventfd_flags(uint64_t initial, int flags);
int lab_timerfd(uint64_t first_ns, uint64_t interval_ns); /* non-blocking, relative; 0: disarmed */
int lab_timerfd_set(int fd, uint64_t first_ns, uint64_t interval_ns);
int lab_pipe(int fd[2], int flags);
long lab_read(int fd, void *buf, size_t n);
long lab_write(int fd, const void *buf, size_t n);
long lab_post(int fd);				/* writes 1 to an eventfd: 8, or -errno */
int64_t lab_drain(int fd);			/* reads an eventfd or timerfd: its value, or -errno */
int lab_close(int fd);
int lab_dup(int fd);
int lab_dup2(int fd, int to);
int lab_poll(struct pollfd *fds, unsigned int n, int timeout_ms);

/*
 * A file that is as ready as the test says: poll() answers what lab_file_set() has set, and who
 * waits is woken by lab_file_wake() and by nothing else.
 */
int lab_file(void);
int lab_file_without_poll(void);
long lab_file_set(int fd, uint32_t ready);	/* times it has been polled so far */
uint32_t lab_file_asked(int fd);		/* events it was last polled for */
int lab_file_wake(int fd, uint32_t key);
#define LAB_POLLFREE 0x4000u			/* key: the wait queue is about to go away */
/* Called whenever the file is polled, by the poller and with the locks that it holds. */
void lab_file_on_poll(int fd, void (*fn)(void *arg), void *arg);

/* ---- locks of the kernel's own, by its entry points */

enum lab_lock_kind {	/* as in kernel-shim/bridge.h */
	LAB_SPINLOCK,
	LAB_RAW_SPINLOCK,
	LAB_RWLOCK,
	LAB_RWSEM,
	LAB_MUTEX,
	LAB_RTMUTEX
};
struct lab_lock;
struct lab_lock *lab_lock_new(enum lab_lock_kind kind, const char *name);
void lab_lock(struct lab_lock *l);	/* for writing, of a rwlock or rwsem */
bool lab_trylock(struct lab_lock *l);
void lab_unlock(struct lab_lock *l);
void lab_read_lock(struct lab_lock *l);
void lab_read_unlock(struct lab_lock *l);

/* ---- what a test can do to the machine */

enum lab_context { LAB_HARD_IRQ, LAB_IRQ_THREAD, LAB_SOFTIRQ };
/* Calls @fn in that context of a CPU, soon; a PREEMPT_RT kernel may not sleep in a hard one. */
void lab_interrupt(int cpu, enum lab_context context, void (*fn)(void *arg), void *arg);
/*
 * Calls @fn whenever a task has taken a lock of that name, or enters a kernel function that the
 * compiler has not inlined, with what it holds there.
 */
void lab_on_lock(const char *lock, void (*fn)(void *arg), void *arg);
void lab_on_function(const char *function, void (*fn)(void *arg), void *arg);
/* The @nth allocation of the kernel from now on fails, 1 the next one; 0: none. */
void lab_fail_alloc(unsigned int nth);
bool lab_alloc_failed(void);	/* that has happened */
/* Memory of @n bytes behind which there is none: copying further is EFAULT. */
void *lab_memory_end(size_t n);
/* Zeroed memory until the test is over: what a task that outlives the body is given. */
void *lab_memory(size_t n);

#endif
