/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The heap of a program: its own, at a fixed address, so that runs are equal and a fork can be
 * undone.  Sizes are powers of two; what is freed is taken again first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/check.h"
#include "sim/exec/private.h"

#define HEAP_BASE 0x510000000000ull
#define HEAP_ROOM (1ull << 30)
#define HEADER 16
#define CLASS_MIN 5		/* 32 bytes */

static struct program *loading;	/* whose constructors run */

void heap_open(struct program *p, int index)
{
	void *want = (void *)(HEAP_BASE + (uint64_t)index * HEAP_ROOM);

	p->heap = mmap(want, HEAP_ROOM, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	SIM_CHECK(p->heap == want);
	loading = p;
}

static unsigned int class_of(size_t n)
{
	unsigned int c = CLASS_MIN;

	while (((size_t)1 << c) < n + HEADER)
		c++;
	return c;
}

void *heap_alloc(struct program *p, size_t n)
{
	unsigned int c;
	char *at;

	if (n > HEAP_ROOM / 4)
		return NULL;
	c = class_of(n);
	at = p->heap_free[c];
	if (at) {
		p->heap_free[c] = *(void **)(at + HEADER);
	} else {
		if (p->heap_used + ((size_t)1 << c) > HEAP_ROOM)
			return NULL;
		at = p->heap + p->heap_used;
		p->heap_used += (size_t)1 << c;
	}
	*(size_t *)at = n;
	return at + HEADER;
}

static struct program *owner(void)
{
	return ex.running ? self_thread()->proc->prog : loading;
}

/* NULL: the C library's own, as what open_memstream() gives. */
static struct program *whose(const void *ptr)
{
	for (int i = 0; i < ex.nr_programs; i++)
		if ((const char *)ptr >= ex.programs[i].heap &&
		    (const char *)ptr < ex.programs[i].heap + HEAP_ROOM)
			return &ex.programs[i];
	return NULL;
}

void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
	void *p = heap_alloc(owner(), n);

	if (!p)
		errno = ENOMEM;
	return p;
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	void *p = size && n > SIZE_MAX / size ? NULL : __wrap_malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

void __wrap_free(void *ptr);
void __wrap_free(void *ptr)
{
	struct program *p = whose(ptr);
	char *at = (char *)ptr - HEADER;
	unsigned int c;

	if (!ptr)
		return;
	if (!p) {
		free(ptr);
		return;
	}
	c = class_of(*(size_t *)at);
	*(void **)ptr = p->heap_free[c];
	p->heap_free[c] = at;
}

void *__wrap_realloc(void *ptr, size_t n);
void *__wrap_realloc(void *ptr, size_t n)
{
	size_t old;
	void *p;

	if (ptr && !whose(ptr))
		return realloc(ptr, n);
	p = __wrap_malloc(n);
	if (!p || !ptr)
		return p;
	old = *(size_t *)((char *)ptr - HEADER);
	memcpy(p, ptr, old < n ? old : n);
	__wrap_free(ptr);
	return p;
}

char *__wrap_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = __wrap_malloc(len + 1);

	if (p) {
		memcpy(p, s, len);
		p[len] = 0;
	}
	return p;
}

char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}

int __wrap_asprintf(char **out, const char *fmt, ...);
int __wrap_asprintf(char **out, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return n;
	*out = __wrap_strdup(text);
	free(text);
	return *out ? n : -1;
}

/* Shared memory outlives a fork as it is; private memory comes from the heap, which is restored. */
void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *p;

	(void)offset;
	(void)prot;
	if (addr || fd >= 0 || !(flags & MAP_ANONYMOUS) || !n) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	if (flags & MAP_SHARED)
		return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	p = __wrap_calloc(1, n);
	return p ? p : MAP_FAILED;
}

int __wrap_munmap(void *addr, size_t n);
int __wrap_munmap(void *addr, size_t n)
{
	if (!whose(addr))
		return munmap(addr, n);
	__wrap_free(addr);
	return 0;
}
