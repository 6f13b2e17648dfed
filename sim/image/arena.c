/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/image/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/check.h"
#include "sim/core/sanitizer.h"
#include "sim/image/pages.h"

/*
 * Below program and libraries in any case, so that comparing addresses says the same everywhere;
 * ThreadSanitizer keeps the higher part for itself, AddressSanitizer the lower one.
 */
#ifdef SIM_TSAN
#define ARENA_BASE 0x4000000000ull
#else
#define ARENA_BASE 0x200000000000ull
#endif
#define ARENA_SLOT ((size_t)1 << 32)
#define ARENA_ALIGN 64u
/* Objects of a class that wait before the oldest is handed out again. */
#define QUARANTINE 32u

#define MAGIC_LIVE 0x4c4f434b53544550ull
#define MAGIC_FREE 0x6b6b46524545446bull

/* In front of each object, one alignment unit. */
struct arena_object {
	uint64_t magic;
	size_t size, room;
	struct arena_object *next;
	char pad[ARENA_ALIGN - 4 * 8];
};

struct arena_mark {
	struct arena arena;
	struct pages *pages;
};

static void poison(void *p, size_t n)
{
#ifdef SIM_ASAN
	__asan_poison_memory_region(p, n);
#else
	(void)p;
	(void)n;
#endif
}

static void unpoison(void *p, size_t n)
{
#ifdef SIM_ASAN
	__asan_unpoison_memory_region(p, n);
#else
	(void)p;
	(void)n;
#endif
}

void arena_init(struct arena *a, unsigned int slot, size_t max)
{
	void *want = (void *)(ARENA_BASE + slot * ARENA_SLOT);

	SIM_CHECK(max <= ARENA_SLOT);
	*a = (struct arena){ .max = max };
	a->base = mmap(want, max, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	SIM_CHECK(a->base == want);
}

void arena_fini(struct arena *a)
{
	if (!a->base)
		return;
	unpoison(a->base, a->used);
	munmap(a->base, a->max);
	a->base = NULL;
}

/* Classes: by 64 bytes up to 2 KiB, then doubling. */
static unsigned int class_of(size_t n, size_t *room)
{
	unsigned int c = 32;
	size_t r = 4096;

	if (n <= 2048) {
		*room = (n + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
		if (!*room)
			*room = ARENA_ALIGN;
		return (unsigned int)(*room / ARENA_ALIGN) - 1;
	}
	while (r < n) {
		r *= 2;
		c++;
	}
	*room = r;
	return c;
}

static bool pattern_intact(const struct arena_object *o)
{
	const unsigned char *p = (const unsigned char *)(o + 1);
	bool ok = true;

	unpoison((void *)p, o->room);
	for (size_t i = 0; i < o->size && ok; i++)
		ok = p[i] == ARENA_POISON;
	return ok;
}

void *arena_alloc(struct arena *a, size_t n, enum arena_error *err)
{
	struct arena_object *o;
	struct arena_class *k;
	unsigned int c;
	size_t room;

	*err = ARENA_OK;
	if (n > a->max)
		return NULL;
	c = class_of(n, &room);
	k = &a->classes[c];
	if (k->nr > QUARANTINE) {
		o = k->first;
		unpoison(o, sizeof(*o));
		k->first = o->next;
		k->nr--;
		if (!pattern_intact(o)) {
			*err = ARENA_USE_AFTER_FREE;
			return NULL;
		}
	} else {
		if (a->used + sizeof(*o) + room > a->max)
			return NULL;
		o = (struct arena_object *)(a->base + a->used);
		unpoison(o, sizeof(*o) + room);
		a->used += sizeof(*o) + room;
	}
	a->nr_objects++;
	o->magic = MAGIC_LIVE;
	o->size = n;
	o->room = room;
	memset(o + 1, 0, n);
	poison((char *)(o + 1) + n, room - n);
	poison(o, sizeof(*o));
	return o + 1;
}

bool arena_has(const struct arena *a, const void *p)
{
	return (const char *)p >= a->base && (const char *)p < a->base + a->used;
}

static struct arena_object *object_of(const struct arena *a, const void *p)
{
	if (!arena_has(a, p) || ((uintptr_t)p & (ARENA_ALIGN - 1)) || (const char *)p == a->base)
		return NULL;
	return (struct arena_object *)p - 1;
}

enum arena_error arena_free(struct arena *a, const void *p)
{
	struct arena_object *o = object_of(a, p);
	struct arena_class *k;
	size_t room;

	if (!o)
		return ARENA_BAD_FREE;
	unpoison(o, sizeof(*o));
	if (o->magic == MAGIC_FREE)
		return ARENA_DOUBLE_FREE;
	if (o->magic != MAGIC_LIVE)
		return ARENA_BAD_FREE;
	a->nr_objects--;
	o->magic = MAGIC_FREE;
	o->next = NULL;
	unpoison(o + 1, o->room);
	memset(o + 1, ARENA_POISON, o->size);
	poison(o + 1, o->room);
	k = &a->classes[class_of(o->size, &room)];
	if (k->nr++) {
		unpoison(k->last, sizeof(*o));
		k->last->next = o;
		poison(k->last, sizeof(*o));
	} else {
		k->first = o;
	}
	k->last = o;
	poison(o, sizeof(*o));
	return ARENA_OK;
}

size_t arena_size(const struct arena *a, const void *p)
{
	struct arena_object *o = object_of(a, p);
	size_t n;

	if (!o)
		return 0;
	unpoison(o, sizeof(*o));
	n = o->magic == MAGIC_LIVE ? o->size : 0;
	poison(o, sizeof(*o));
	return n;
}

enum arena_error arena_check(const struct arena *a)
{
	for (unsigned int c = 0; c < ARENA_CLASSES; c++) {
		struct arena_object *o = a->classes[c].first;

		for (uint32_t i = 0; i < a->classes[c].nr; i++) {
			struct arena_object *next;

			unpoison(o, sizeof(*o));
			next = o->next;
			if (!pattern_intact(o))
				return ARENA_USE_AFTER_FREE;
			poison(o, sizeof(*o) + o->room);
			o = next;
		}
	}
	return ARENA_OK;
}

struct arena_mark *arena_save(const struct arena *a)
{
	struct arena_mark *m = malloc(sizeof(*m));

	SIM_CHECK(m);
	m->arena = *a;
	m->pages = pages_save(a->base, a->used);
	return m;
}

void arena_restore(struct arena *a, const struct arena_mark *m)
{
	pages_restore(m->pages);
	*a = m->arena;
}

void arena_mark_free(struct arena_mark *m)
{
	if (!m)
		return;
	pages_free(m->pages);
	free(m);
}
