/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of programs: a task each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/exec/private.h"

struct thread *self_thread(void)
{
	return sim_current(ex.sim)->body;
}

void sleep_until(bool *flag, uint64_t until_ns)
{
	self_thread()->spun_ns = 0;
	ex.im->sleep_on(flag, until_ns);
	may_die();
}

void wake_thread(struct thread *t)
{
	t->woken = true;
	ex.im->wake(t->task);
}

static void ended(struct thread *t)
{
	t->ended = true;
	t->proc->nr_threads--;
	if (t->joiner)
		wake_thread(t->joiner);
	if (t->proc->dying && t->proc->leader != t)
		wake_thread(t->proc->leader);
}

/* On the task's own stack. */
void thread_main(struct thread *t)
{
	t->stack_top = __builtin_frame_address(0);
	if (!setjmp(t->base))
		t->result = t->fn(t->arg);
	if (t == t->proc->leader && t->fn)
		leader_finish();
	ended(t);
}

/* A process that ends takes its threads along, each at its next call. */
void may_die(void)
{
	struct thread *t;

	if (!ex.running)
		return;
	t = self_thread();
	if (!t->proc->dying)
		return;
	if (t == t->proc->leader)
		leader_finish();
	longjmp(t->base, 1);
}

struct thread *thread_new(struct process *p, void *(*fn)(void *), void *arg,
			  const struct bridge_spawn *spec)
{
	struct thread *t = calloc(1, sizeof(*t));

	SIM_CHECK(t);
	t->proc = p;
	t->fn = fn;
	t->arg = arg;
	t->next = ex.threads;
	ex.threads = t;
	t->task = sim_task_new(ex.sim, spec->name, TASK_SCENARIO);
	t->task->body = t;
	t->task->group = spec->group;
	if (ex.im->spawn(t->task, spec)) {
		ex.threads = t->next;
		sim_task_exit(ex.sim, t->task);
		free(t);
		return NULL;
	}
	p->nr_threads++;
	t->task->policy = spec->policy;
	t->task->prio = t->task->normal_prio = spec->policy == BRIDGE_SCHED_FIFO ||
					       spec->policy == BRIDGE_SCHED_RR ?
						       99 - spec->priority : 120 + spec->priority;
	engine_log(ex.sim, PROBE_TASK_NEW, t->task->id, t->task->prio);
	ex.im->set_process(t->task, p->id);
	ex.im->start(t->task);
	return t;
}

/* ---- pthreads; a pthread_t is the thread */

static void inherit(struct bridge_spawn *s, const pthread_attr_t *attr)
{
	struct sched_param param;
	int how = PTHREAD_INHERIT_SCHED, policy;
	cpu_set_t cpus;

	if (!attr)
		return;
	pthread_attr_getinheritsched(attr, &how);
	if (how == PTHREAD_EXPLICIT_SCHED) {
		pthread_attr_getschedpolicy(attr, &policy);
		pthread_attr_getschedparam(attr, &param);
		s->policy = policy;
		s->priority = param.sched_priority;
	}
	CPU_ZERO(&cpus);
	if (!pthread_attr_getaffinity_np(attr, sizeof(cpus), &cpus) && CPU_COUNT(&cpus))
		memcpy(&s->cpus, &cpus, sizeof(s->cpus));
}

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	struct thread *me = self_thread(), *t;
	struct bridge_spawn s = { .name = me->proc->prog->name, .cpus = exec_cpus(),
				  .group = me->proc->prog->group, .policy = me->task->policy };

	if (s.policy == BRIDGE_SCHED_FIFO || s.policy == BRIDGE_SCHED_RR)
		s.priority = 99 - me->task->normal_prio;
	else
		s.priority = me->task->normal_prio - 120;
	inherit(&s, attr);
	engine_cost(ex.sim, COST_SYSCALL);
	me->spun_ns = 0;
	t = thread_new(me->proc, fn, arg, &s);
	may_die();
	if (!t)
		return EINVAL;
	*out = (pthread_t)t;
	return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result)
{
	struct thread *t = (struct thread *)thread, *me = self_thread();

	while (!t->ended) {
		me->woken = false;
		t->joiner = me;
		sleep_until(&t->ended, SIM_NEVER);
	}
	may_die();
	if (result)
		*result = t->result;
	return 0;
}

int __wrap_pthread_tryjoin_np(pthread_t thread, void **result);
int __wrap_pthread_tryjoin_np(pthread_t thread, void **result)
{
	return ((struct thread *)thread)->ended ? __wrap_pthread_join(thread, result) : EBUSY;
}

int __wrap_pthread_detach(pthread_t thread);
int __wrap_pthread_detach(pthread_t thread)
{
	(void)thread;	/* nobody counts threads that ended */
	return 0;
}

_Noreturn void __wrap_pthread_exit(void *result);
_Noreturn void __wrap_pthread_exit(void *result)
{
	struct thread *t = self_thread();

	t->result = result;
	if (t == t->proc->leader)	/* the process lives on as long as others do */
		while (t->proc->nr_threads > 1) {
			bool never = false;

			sleep_until(&never, sim_now_abs(ex.sim) + 1000000);
		}
	longjmp(t->base, 1);
}

pthread_t __wrap_pthread_self(void);
pthread_t __wrap_pthread_self(void)
{
	return (pthread_t)self_thread();
}

int __wrap_pthread_equal(pthread_t a, pthread_t b);
int __wrap_pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name);
int __wrap_pthread_setname_np(pthread_t thread, const char *name)
{
	struct task *t = ((struct thread *)thread)->task;

	snprintf(t->name, sizeof(t->name), "%.15s", name);
	return 0;
}

int __wrap_pthread_setaffinity_np(pthread_t thread, size_t n, const cpu_set_t *set);
int __wrap_pthread_setaffinity_np(pthread_t thread, size_t n, const cpu_set_t *set)
{
	uint64_t cpus = 0;

	memcpy(&cpus, set, n < sizeof(cpus) ? n : sizeof(cpus));
	return -ex.im->set_affinity(((struct thread *)thread)->task, cpus);
}

int __wrap_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *p);
int __wrap_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *p)
{
	struct task *t = ((struct thread *)thread)->task;
	int err = ex.im->set_policy(t, policy, policy == SCHED_OTHER ? 0 : p->sched_priority);

	if (!err)
		t->policy = policy;
	may_die();
	return -err;
}

static int nr_keys;

int __wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	(void)end;
	if (nr_keys == KEYS_MAX)
		return EAGAIN;
	*key = (pthread_key_t)nr_keys++;
	return 0;
}

void *__wrap_pthread_getspecific(pthread_key_t key);
void *__wrap_pthread_getspecific(pthread_key_t key)
{
	return key < KEYS_MAX ? self_thread()->keys[key] : NULL;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
	if (key >= KEYS_MAX)
		return EINVAL;
	self_thread()->keys[key] = (void *)value;
	return 0;
}

int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void));
int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void))
{
	if (*once)
		return 0;
	*once = 1;
	fn();
	return 0;
}
