/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first task of every run: it makes files, locks and groups by system calls, as a program
 * would, and starts the tasks of the scenario.
 *
 * It moves to the CPU that a resource or a group names, because a timer stays on the CPU where
 * it was started.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/scenario/run_private.h"

#define EPOLL_CTL_ADD 1
#define NONBLOCK 04000

static enum bridge_lock_kind kind_of(enum resource_type t)
{
	switch (t) {
	case RESOURCE_MUTEX:
		return BRIDGE_LOCK_MUTEX;
	case RESOURCE_RTMUTEX:
		return BRIDGE_LOCK_RTMUTEX;
	case RESOURCE_SPINLOCK:
		return BRIDGE_LOCK_SPIN;
	case RESOURCE_RWLOCK:
		return BRIDGE_LOCK_RW;
	default:
		return BRIDGE_LOCK_RWSEM;
	}
}

static void make(struct run *r, size_t i)
{
	const struct resource *spec = &r->sc->resources[i];
	struct run_resource *res = &r->resources[i];
	int flags = spec->nonblock ? NONBLOCK : 0;

	res->fd[0] = res->fd[1] = -1;
	switch (spec->type) {
	case RESOURCE_FIFO:
		run_call(r, SYS_PIPE2, (long)res->fd, flags, 0, 0);
		break;
	case RESOURCE_EVENTFD:
		res->fd[0] = res->fd[1] = (int)run_call(r, SYS_EVENTFD2, (long)spec->initial, flags,
							0, 0);
		break;
	case RESOURCE_TIMERFD:
		res->fd[0] = (int)run_call(r, SYS_TIMERFD_CREATE, 1, flags, 0, 0);
		run_call(r, SYS_TIMERFD_SETTIME, res->fd[0], 0, (long)spec->first_ns,
			 (long)spec->interval_ns);
		break;
	case RESOURCE_EPOLL:
		res->fd[0] = (int)run_call(r, SYS_EPOLL_CREATE1, 0, 0, 0, 0);
		break;
	case RESOURCE_FUTEX:
		sim_lock_name(r->sim, res, BRIDGE_LOCK_MUTEX, spec->name);
		res->lock_id = sim_lock_id(r->sim, res);
		break;
	case RESOURCE_BARRIER:
	case RESOURCE_CONDITION:
	case RESOURCE_TIMER:
		break;
	default:
		res->lock = r->ops->lock_new(kind_of(spec->type), spec->name);
		break;
	}
}

static void watch(struct run *r, size_t i)
{
	const struct resource *spec = &r->sc->resources[i];

	for (int k = 0; k < spec->nr_watches; k++) {
		const struct watch *w = &spec->watches[k];
		struct epoll_item item = { .events = w->events, .data = (uint64_t)w->fd };
		int end = w->events & 4 && !(w->events & 1) ? 1 : 0;	/* EPOLLOUT: the write end */

		run_call(r, SYS_EPOLL_CTL, r->resources[i].fd[0], EPOLL_CTL_ADD,
			 r->resources[w->fd].fd[end], (long)&item);
	}
}

static void go_to(struct run *r, struct task *init, int cpu)
{
	if ((int)sim_cpu(r->sim) != cpu)
		r->ops->set_affinity(init, 1ull << cpu);
}

void run_setup(struct run *r, struct task *init)
{
	const struct scenario *sc = r->sc;

	for (size_t i = 0; i < sc->nr_groups; i++) {
		go_to(r, init, sc->groups[i].timer_cpu);
		r->ops->group_set(r->groups[i], sc->groups[i].quota_ns, sc->groups[i].period_ns);
	}
	for (size_t i = 0; i < sc->nr_resources; i++) {
		go_to(r, init, sc->resources[i].cpu);
		make(r, i);
	}
	for (size_t i = 0; i < sc->nr_resources; i++)
		watch(r, i);
	run_start_interrupts(r);
	for (unsigned int i = 0; r->preempters && i < sim_nr_cpus(r->sim); i++)
		r->ops->start(r->preempters[i].task);
	for (size_t i = 0; i < sc->nr_tasks; i++) {
		go_to(r, init, 0);
		r->ops->start(r->tasks[i].task);
	}
}
