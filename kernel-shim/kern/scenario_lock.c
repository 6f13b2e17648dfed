/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of scenarios: real kernel locks, taken through the same entry points as the kernel's.
 */
#include "lockwrap.h"

#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

union any_lock {
	spinlock_t spin;
	raw_spinlock_t raw;
	rwlock_t rw;
	struct rw_semaphore rwsem;
	struct mutex mutex;
	struct rt_mutex rtmutex;
};

static struct lock_class_key key;

void *lockstep_lock_new(enum bridge_lock_kind kind, const char *name)
{
	union any_lock *l = host->alloc(host->sim, sizeof(*l));
	const void *named = l;

	switch (kind) {
	case BRIDGE_LOCK_SPIN:
		spin_lock_init(&l->spin);
		break;
	case BRIDGE_LOCK_RAW_SPIN:
		raw_spin_lock_init(&l->raw);
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			named = lockstep_raw_key(l);
		break;
	case BRIDGE_LOCK_RW:
		rwlock_init(&l->rw);
		break;
	case BRIDGE_LOCK_RWSEM:
		__init_rwsem(&l->rwsem, name, &key);
		return l;	/* named by the wrapper */
	case BRIDGE_LOCK_MUTEX:
		mutex_init(&l->mutex);
		break;
	case BRIDGE_LOCK_RTMUTEX:
		__rt_mutex_init(&l->rtmutex, name, &key);
		return l;
	default:
		return NULL;
	}
	host->lock_name(host->sim, named, kind, name);
	return l;
}

static int spin_op(spinlock_t *l, enum bridge_lock_op op)
{
	if (op == BRIDGE_OP_TRYLOCK)
		return spin_trylock(l);
	if (op == BRIDGE_OP_LOCK)
		spin_lock(l);
	else
		spin_unlock(l);
	return 1;
}

#ifdef CONFIG_PREEMPT_RT
/* The entry points of raw spinlocks are not wrapped here, so their records are made by hand. */
static int raw_op(raw_spinlock_t *l, enum bridge_lock_op op)
{
	void *raw = (void *)lockstep_raw_key(l);

	lockstep_cost(COST_LOCK);
	if (op == BRIDGE_OP_UNLOCK) {
		lockstep_released(raw, LOCK_EXCLUSIVE);
		raw_spin_unlock(l);
		return 1;
	}
	if (op == BRIDGE_OP_LOCK)
		raw_spin_lock(l);
	else if (!raw_spin_trylock(l))
		return 0;
	lockstep_acquired(raw, LOCK_EXCLUSIVE, __builtin_return_address(0));
	return 1;
}
#else
static int raw_op(raw_spinlock_t *l, enum bridge_lock_op op)
{
	if (op == BRIDGE_OP_TRYLOCK)
		return raw_spin_trylock(l);
	if (op == BRIDGE_OP_LOCK)
		raw_spin_lock(l);
	else
		raw_spin_unlock(l);
	return 1;
}
#endif

static int rw_op(rwlock_t *l, enum bridge_lock_op op)
{
	switch (op) {
	case BRIDGE_OP_LOCK:
		write_lock(l);
		return 1;
	case BRIDGE_OP_TRYLOCK:
		return write_trylock(l);
	case BRIDGE_OP_UNLOCK:
		write_unlock(l);
		return 1;
	case BRIDGE_OP_READ_LOCK:
		read_lock(l);
		return 1;
	case BRIDGE_OP_READ_TRYLOCK:
		return read_trylock(l);
	case BRIDGE_OP_READ_UNLOCK:
		read_unlock(l);
		return 1;
	}
	return 0;
}

static int rwsem_op(struct rw_semaphore *l, enum bridge_lock_op op)
{
	switch (op) {
	case BRIDGE_OP_LOCK:
		down_write(l);
		return 1;
	case BRIDGE_OP_TRYLOCK:
		return down_write_trylock(l);
	case BRIDGE_OP_UNLOCK:
		up_write(l);
		return 1;
	case BRIDGE_OP_READ_LOCK:
		down_read(l);
		return 1;
	case BRIDGE_OP_READ_TRYLOCK:
		return down_read_trylock(l);
	case BRIDGE_OP_READ_UNLOCK:
		up_read(l);
		return 1;
	}
	return 0;
}

static int mutex_op(struct mutex *l, enum bridge_lock_op op)
{
	if (op == BRIDGE_OP_TRYLOCK)
		return mutex_trylock(l);
	if (op == BRIDGE_OP_LOCK)
		mutex_lock(l);
	else
		mutex_unlock(l);
	return 1;
}

static int rtmutex_op(struct rt_mutex *l, enum bridge_lock_op op)
{
	if (op == BRIDGE_OP_TRYLOCK)
		return rt_mutex_trylock(l);
	if (op == BRIDGE_OP_LOCK)
		rt_mutex_lock(l);
	else
		rt_mutex_unlock(l);
	return 1;
}

static int do_op(void *lock, enum bridge_lock_kind kind, enum bridge_lock_op op)
{
	union any_lock *l = lock;

	switch (kind) {
	case BRIDGE_LOCK_SPIN:
		return spin_op(&l->spin, op);
	case BRIDGE_LOCK_RAW_SPIN:
		return raw_op(&l->raw, op);
	case BRIDGE_LOCK_RW:
		return rw_op(&l->rw, op);
	case BRIDGE_LOCK_RWSEM:
		return rwsem_op(&l->rwsem, op);
	case BRIDGE_LOCK_MUTEX:
		return mutex_op(&l->mutex, op);
	case BRIDGE_LOCK_RTMUTEX:
		return rtmutex_op(&l->rtmutex, op);
	default:
		return -EINVAL;
	}
}

/*
 * A holder is in the kernel until it releases, or a quota would take effect with the lock held; an
 * rt_mutex is what user space holds through a futex.
 */
int lockstep_lock_op(void *lock, enum bridge_lock_kind kind, enum bridge_lock_op op)
{
	struct lockstep_task *t = lockstep_of(current);
	bool release = op == BRIDGE_OP_UNLOCK || op == BRIDGE_OP_READ_UNLOCK;
	int done;

	t->in_kernel++;
	done = do_op(lock, kind, op);
	if (kind != BRIDGE_LOCK_RTMUTEX && done > 0)
		t->in_kernel += release ? -1 : 1;
	lockstep_leave_kernel();
	return done;
}
