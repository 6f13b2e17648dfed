/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading native images, their threads, and the table they call.
 */
#define _GNU_SOURCE
#include "sim/native/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <urcu.h>

#include "sim/base/check.h"
#include "sim/image/image.h"

#define NS_PER_S 1000000000ull
#define SPINS 128		/* turns of a busy wait before a CPU is given away */
#define ALIGNMENT 64

struct native {
	char *name;
	const struct bridge_image *ops;
	struct bridge_host host;
	long objects;			/* atomic, as what follows */
	unsigned int warnings;
	pthread_mutex_t lock;
	bool cpu_taken[BRIDGE_NATIVE_THREADS_MAX];
	struct native *next;
};

struct native_thread {
	struct native *native;
	pthread_t thread;
	char name[16];
	int pin;
	unsigned int cpu;
	void (*fn)(void *arg);
	void *arg;
};

static struct native *opened;

/* ---- the table an image calls; its struct sim is our struct native */

static struct native *of(struct sim *s)
{
	return (struct native *)s;
}

static void *host_alloc(struct sim *s, size_t n)
{
	size_t room = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	void *p = aligned_alloc(ALIGNMENT, room);

	SIM_CHECK(p);
	__atomic_fetch_add(&of(s)->objects, 1, __ATOMIC_RELAXED);
	return memset(p, 0, room);
}

static void host_free(struct sim *s, const void *p)
{
	__atomic_fetch_sub(&of(s)->objects, 1, __ATOMIC_RELAXED);
	free((void *)p);
}

static bool host_alloc_fails(struct sim *s)
{
	(void)s;
	return false;
}

static void host_relax(struct sim *s)
{
	static __thread unsigned int turns;

	(void)s;
	__builtin_ia32_pause();
	if (!(++turns % SPINS))
		sched_yield();
}

static uint64_t host_now(struct sim *s)
{
	(void)s;
	return native_now_ns();
}

static uint32_t host_choose(struct sim *s, uint32_t n)
{
	static __thread uint32_t x = 2463534242u;

	(void)s;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % n;
}

static void host_print(struct sim *s, const char *fmt, va_list ap)
{
	(void)s;
	vfprintf(stderr, fmt, ap);
}

static int host_format(char *to, size_t n, const char *fmt, va_list ap)
{
	return vsnprintf(to, n, fmt, ap);
}

static void complain(struct sim *s, const char *what, const char *detail)
{
	fprintf(stderr, "lockstep: %s: %s%s%s\n", of(s)->name, what, detail ? ": " : "",
		detail ? detail : "");
}

/* There is no machine to stop: other threads are in the middle of what they do. */
static void host_bug(struct sim *s, const char *what, const char *detail)
{
	complain(s, what, detail);
	abort();
}

static void host_warn(struct sim *s, const char *what, const char *detail)
{
	complain(s, what, detail);
	__atomic_fetch_add(&of(s)->warnings, 1, __ATOMIC_RELAXED);
}

static bool host_futex_wait(const uint32_t *word, uint32_t value, uint64_t until_ns)
{
	struct timespec until = { (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };

	return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
		       until_ns == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY) &&
	       errno == ETIMEDOUT;
}

static void host_futex_wake(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static pthread_mutex_t *mutex_of(struct bridge_mutex *m)
{
	return (pthread_mutex_t *)m->word;
}

/* A waiter spins for a while, as the kernel's does as long as the owner runs. */
static void host_mutex_lock(struct bridge_mutex *m)
{
	for (int turn = 0; turn < SPINS; turn++) {
		if (!pthread_mutex_trylock(mutex_of(m)))
			return;
		__builtin_ia32_pause();
	}
	SIM_CHECK(!pthread_mutex_lock(mutex_of(m)));
}

static bool host_mutex_trylock(struct bridge_mutex *m)
{
	return !pthread_mutex_trylock(mutex_of(m));
}

static void host_mutex_unlock(struct bridge_mutex *m)
{
	SIM_CHECK(!pthread_mutex_unlock(mutex_of(m)));
}

#ifdef __SANITIZE_THREAD__
/*
 * ThreadSanitizer does not see what liburcu does: that whoever has left a read section comes
 * before the callbacks of the grace period, and call_rcu() before its callback.
 */
void __tsan_acquire(void *p);
void __tsan_release(void *p);
const char *__tsan_default_suppressions(void);

/* liburcu itself is not instrumented. */
const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:liburcu.so\n";
}

static char grace_period;

struct told_head {
	struct rcu_head head;
	void *theirs;
	void (*fn)(void *head);
};

static void told_callback(struct rcu_head *head)
{
	struct told_head *t = caa_container_of(head, struct told_head, head);

	__tsan_acquire(t);
	__tsan_acquire(&grace_period);
	t->fn(t->theirs);
	free(t);
}

static void host_rcu_leave(void)
{
	__tsan_release(&grace_period);
	rcu_read_unlock();
}

static void host_rcu_call(void *head, void (*fn)(void *head))
{
	struct told_head *t = malloc(sizeof(*t));

	SIM_CHECK(t);
	t->theirs = head;
	t->fn = fn;
	__tsan_release(t);
	call_rcu(&t->head, told_callback);
}
#else
static void host_rcu_leave(void)
{
	rcu_read_unlock();
}

static void host_rcu_call(void *head, void (*fn)(void *head))
{
	call_rcu(head, (void (*)(struct rcu_head *))fn);
}
#endif

static void host_rcu_enter(void)
{
	rcu_read_lock();
}

static void host_rcu_wait(void)
{
	synchronize_rcu();
#ifdef __SANITIZE_THREAD__
	__tsan_acquire(&grace_period);
#endif
}

static const struct bridge_native threads = {
	.futex_wait = host_futex_wait,
	.futex_wake = host_futex_wake,
	.mutex_lock = host_mutex_lock,
	.mutex_trylock = host_mutex_trylock,
	.mutex_unlock = host_mutex_unlock,
	.rcu_enter = host_rcu_enter,
	.rcu_leave = host_rcu_leave,
	.rcu_call = host_rcu_call,
	.rcu_wait = host_rcu_wait,
	.rcu_flush = rcu_barrier,
};

static void fill_host(struct native *n)
{
	n->host = (struct bridge_host){
		.sim = (struct sim *)n,
		.relax = host_relax,
		.now = host_now,
		.choose = host_choose,
		.alloc = host_alloc,
		.free = host_free,
		.alloc_fails = host_alloc_fails,
		.native = &threads,
		.print = host_print,
		.format = host_format,
		.bug = host_bug,
		.warn = host_warn,
	};
}

/* ---- loading */

const char *native_folder(void)
{
	static char folder[PATH_MAX];
	const char *kernel = image_folder(), *slash = strrchr(kernel, '/');

	snprintf(folder, sizeof(folder), "%.*snative", slash ? (int)(slash - kernel + 1) : 0, kernel);
	return folder;
}

int native_names(char ***names)
{
	return image_files(native_folder(), names);
}

/* The kernel world has the mutex as words. */
static void check_mutex(void)
{
	static const struct bridge_mutex ours = BRIDGE_MUTEX_UNLOCKED;
	pthread_mutexattr_t attr;
	pthread_mutex_t theirs;

	_Static_assert(sizeof(theirs) == sizeof(ours), "a pthread mutex has the room it needs");
	memset(&theirs, 0, sizeof(theirs));
	SIM_CHECK(!pthread_mutexattr_init(&attr));
	SIM_CHECK(!pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	SIM_CHECK(!pthread_mutex_init(&theirs, &attr));
	SIM_CHECK(!memcmp(&theirs, &ours, sizeof(ours)));
	pthread_mutex_destroy(&theirs);
	pthread_mutexattr_destroy(&attr);
}

static int load(struct native *n, char *why, size_t room)
{
	static const struct bridge_machine machine = { .nr_cpus = BRIDGE_NATIVE_THREADS_MAX };
	char path[PATH_MAX + 80];
	bridge_entry_fn *entry;
	void *dl;

	snprintf(path, sizeof(path), "%s/%s.so", native_folder(), n->name);
	if (access(path, R_OK))
		return -ENOENT;
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	entry = dl ? (bridge_entry_fn *)dlsym(dl, "lockstep_image") : NULL;
	if (!entry) {
		snprintf(why, room, "%s: cannot be loaded: %s", path, dlerror());
		return -ENOEXEC;
	}
	fill_host(n);
	n->ops = entry(&n->host);
	n->cpu_taken[0] = true;		/* whoever calls us */
	if (n->ops->boot(&machine)) {
		snprintf(why, room, "%s: does not boot", path);
		return -EIO;
	}
	n->ops->thread_begin("main", 0);
	return 0;
}

int native_open(const char *word, struct native **out, char *why, size_t room)
{
	static bool registered;
	const char *suffix = strstr(word, "@native");
	char name[64];
	struct native *n;
	int err;

	snprintf(name, sizeof(name), "%.*s", suffix && !suffix[7] ? (int)(suffix - word) : 63, word);
	for (n = opened; n; n = n->next)
		if (!strcmp(n->name, name)) {
			*out = n;
			return 0;
		}
	if (!registered) {
		check_mutex();
		rcu_register_thread();
		registered = true;
	}
	n = calloc(1, sizeof(*n));
	SIM_CHECK(n);
	n->name = strdup(name);
	SIM_CHECK(n->name);
	pthread_mutex_init(&n->lock, NULL);
	err = strchr(name, '/') ? -ENOENT : load(n, why, room);
	if (err) {
		free(n->name);
		free(n);
		return err;
	}
	n->next = opened;
	opened = n;
	*out = n;
	return 0;
}

const char *native_name(const struct native *n)
{
	return n->name;
}

const struct bridge_image *native_ops(const struct native *n)
{
	return n->ops;
}

unsigned int native_warnings(const struct native *n)
{
	return __atomic_load_n(&n->warnings, __ATOMIC_RELAXED);
}

long native_objects(struct native *n)
{
	rcu_barrier();
	rcu_barrier();		/* callbacks may have asked for more */
	return __atomic_load_n(&n->objects, __ATOMIC_RELAXED);
}

/* ---- threads */

static unsigned int take_cpu(struct native *n)
{
	unsigned int cpu = 0;

	pthread_mutex_lock(&n->lock);
	while (cpu < BRIDGE_NATIVE_THREADS_MAX && n->cpu_taken[cpu])
		cpu++;
	SIM_CHECK(cpu < BRIDGE_NATIVE_THREADS_MAX);
	n->cpu_taken[cpu] = true;
	pthread_mutex_unlock(&n->lock);
	return cpu;
}

static void give_cpu(struct native *n, unsigned int cpu)
{
	pthread_mutex_lock(&n->lock);
	n->cpu_taken[cpu] = false;
	pthread_mutex_unlock(&n->lock);
}

static void *thread_main(void *arg)
{
	struct native_thread *t = arg;
	cpu_set_t cpus;

	if (t->pin >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)(t->pin % (int)sysconf(_SC_NPROCESSORS_ONLN)), &cpus);
		/* a CPU that we may not use is no reason to stop */
		pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	}
	rcu_register_thread();
	t->native->ops->thread_begin(t->name, t->cpu);
	t->fn(t->arg);
	t->native->ops->thread_end();
	rcu_unregister_thread();
	return NULL;
}

struct native_thread *native_start(struct native *n, const char *name, int pin,
				   void (*fn)(void *arg), void *arg)
{
	struct native_thread *t = calloc(1, sizeof(*t));

	SIM_CHECK(t);
	t->native = n;
	t->pin = pin;
	t->cpu = take_cpu(n);
	t->fn = fn;
	t->arg = arg;
	snprintf(t->name, sizeof(t->name), "%s", name);
	SIM_CHECK(!pthread_create(&t->thread, NULL, thread_main, t));
	return t;
}

void native_join(struct native_thread *t)
{
	SIM_CHECK(!pthread_join(t->thread, NULL));
	give_cpu(t->native, t->cpu);
	free(t);
}

long native_call(const struct native *n, enum bridge_sys nr, long a, long b, long c, long d)
{
	return n->ops->syscall(nr, (const long[6]){ a, b, c, d });
}

uint64_t native_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}
