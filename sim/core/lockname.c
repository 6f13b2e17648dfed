/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks by name: an address becomes a dense id the first time somebody speaks of it.
 *
 * The hash is only for finding: chains are short and nothing walks them in an order that shows.
 * Memory that is freed takes its locks' addresses with it, since the next object at the same
 * place has locks of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/core/sim_private.h"

/* The inner rtmutex of a rwlock_t or rw_semaphore lies 8 bytes into it on 64-bit kernels. */
#define RWBASE_INNER 8

static uint32_t slot_of(uintptr_t addr)
{
	return (uint32_t)(((addr >> 3) * 0x9e3779b97f4a7c15u) >> 32) % LOCK_HASH;
}

static struct lock_entry *find(struct sim *s, uintptr_t addr)
{
	for (int32_t i = s->lock_hash[slot_of(addr)]; i >= 0; i = s->locks[i].hash_next)
		if (s->locks[i].addr == addr)
			return &s->locks[i];
	return NULL;
}

static void unhash(struct sim *s, struct lock_entry *e)
{
	int32_t *at = &s->lock_hash[slot_of(e->addr)];

	while (*at != (int32_t)e->lock.id)
		at = &s->locks[*at].hash_next;
	*at = e->hash_next;
	e->addr = 0;
}

static struct lock_entry *add(struct sim *s, uintptr_t addr, enum bridge_lock_kind kind,
			      uint32_t name)
{
	uint32_t slot = slot_of(addr);
	struct lock_entry *e;

	if (s->nr_locks == s->room_locks) {
		s->room_locks = s->room_locks ? s->room_locks * 2 : 256;
		s->locks = realloc(s->locks, s->room_locks * sizeof(s->locks[0]));
		SIM_CHECK(s->locks);
	}
	e = &s->locks[s->nr_locks];
	e->lock.id = s->nr_locks;
	e->lock.name[0] = 0;
	e->lock.kind = kind;
	e->lock.inner_of = -1;
	e->lock.cpu = -1;
	e->addr = addr;
	e->name = name;
	e->instance = ++s->names[name].instances;
	e->hash_next = s->lock_hash[slot];
	s->lock_hash[slot] = (int32_t)s->nr_locks++;
	return e;
}

void sim_lock_name(struct sim *s, const void *addr, enum bridge_lock_kind k, const char *name)
{
	struct lock_entry *e = find(s, (uintptr_t)addr);

	if (e)
		unhash(s, e);
	add(s, (uintptr_t)addr, k, sim_name_id(s, name));
}

/* A word may be the first of a sleeping lock and of the raw one in it, one byte behind. */
static void forget_word(struct sim *s, uintptr_t addr)
{
	int32_t i = s->lock_hash[slot_of(addr)];

	while (i >= 0) {
		struct lock_entry *e = &s->locks[i];

		i = e->hash_next;
		if (e->addr >> 3 == addr >> 3)
			unhash(s, e);
	}
}

void sim_lock_forget(struct sim *s, const void *addr, size_t n)
{
	uintptr_t from = (uintptr_t)addr;
	struct lock_entry *e;

	/* Small objects hold few words, large ones may hold more than there are locks. */
	if (n / 8 <= s->nr_locks) {
		for (uintptr_t a = from; a < from + n; a += 8)
			forget_word(s, a);
		return;
	}
	for (uint32_t i = 0; i < s->nr_locks; i++) {
		e = &s->locks[i];
		if (e->addr >= from && e->addr < from + n)
			unhash(s, e);
	}
}

/* The rwlock or rwsem whose inner rtmutex lies at @addr. */
static struct lock_entry *find_outer(struct sim *s, uintptr_t addr)
{
	struct lock_entry *e = find(s, addr - RWBASE_INNER);

	if (e && (e->lock.kind == BRIDGE_LOCK_RW || e->lock.kind == BRIDGE_LOCK_RWSEM))
		return e;
	return NULL;
}

bool sim_lock_spins(struct sim *s, const void *addr)
{
	const struct lock_entry *e = find(s, (uintptr_t)addr);

	return e && e->lock.kind != BRIDGE_LOCK_MUTEX && e->lock.kind != BRIDGE_LOCK_RTMUTEX &&
	       e->lock.kind != BRIDGE_LOCK_RWSEM;
}

static uint32_t add_inner(struct sim *s, uintptr_t addr, const struct lock_entry *outer)
{
	int32_t of = (int32_t)outer->lock.id;
	uint32_t name = outer->name;
	struct lock_entry *e = add(s, addr, BRIDGE_LOCK_RTMUTEX, name);

	s->names[name].instances--;
	e->instance = s->locks[of].instance;
	e->lock.inner_of = of;
	return e->lock.id;
}

bool sim_lock_find(struct sim *s, const void *addr, uint32_t *id)
{
	const struct lock_entry *e = find(s, (uintptr_t)addr);

	if (e) {
		*id = e->lock.id;
		return true;
	}
	e = find_outer(s, (uintptr_t)addr);
	if (e)
		*id = add_inner(s, (uintptr_t)addr, e);
	return e;
}

uint32_t sim_lock_id(struct sim *s, const void *addr)
{
	uint32_t id;

	if (sim_lock_find(s, addr, &id))
		return id;
	return add(s, (uintptr_t)addr, BRIDGE_LOCK_SPIN, sim_name_id(s, "(unnamed lock)"))->lock.id;
}

unsigned int sim_nr_locks(const struct sim *s)
{
	return s->nr_locks;
}

void sim_locks_restore(struct sim *s, const struct lock_entry *locks, uint32_t nr)
{
	for (uint32_t i = 0; i < s->nr_locks; i++)
		if (s->locks[i].addr)
			s->lock_hash[slot_of(s->locks[i].addr)] = -1;
	if (nr)
		memcpy(s->locks, locks, nr * sizeof(s->locks[0]));
	s->nr_locks = nr;
	/* A chain is in the order its locks were added, the newest first. */
	for (uint32_t i = 0; i < nr; i++)
		if (s->locks[i].addr)
			s->lock_hash[slot_of(s->locks[i].addr)] = (int32_t)i;
}

/* Names are written when somebody wants to read them: runs by the million never do. */
static void write_name(const struct sim *s, struct lock_entry *e)
{
	const char *name = sim_name(s, e->name);

	if (e->instance > 1)
		snprintf(e->lock.name, sizeof(e->lock.name), "%.36s#%u", name, e->instance);
	else
		snprintf(e->lock.name, sizeof(e->lock.name), "%.47s", name);
}

const struct lock *sim_lock(const struct sim *s, uint32_t id)
{
	struct lock_entry *e;

	if (id >= s->nr_locks)
		return NULL;
	e = &s->locks[id];
	if (!e->lock.name[0])
		write_name(s, e);
	return &e->lock;
}
