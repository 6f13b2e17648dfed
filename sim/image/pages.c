/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saved memory.
 *
 * A page is never protected again: learning which pages a run writes costs one fault each, once,
 * and protecting them anew would cost a system call and the faults every time.
 */
#include "sim/image/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/check.h"
#include "sim/image/private.h"

#define PAGE ((uintptr_t)4096)

struct pages {
	char *start, *copy;
	size_t len;
	bool *written;		/* by page, the first is that of start */
	size_t nr;
	bool watched;
	struct pages *next;	/* of those that are watched */
};

static struct pages *watched;

static char *page_of(const void *addr)
{
	return (char *)((uintptr_t)addr & ~(PAGE - 1));
}

struct pages *pages_save(char *start, size_t len)
{
	struct pages *p = calloc(1, sizeof(*p));

	SIM_CHECK(p && len);
	p->start = start;
	p->len = len;
	p->nr = (size_t)(page_of(start + len - 1) - page_of(start)) / PAGE + 1;
	p->copy = malloc(len);
	p->written = calloc(p->nr, sizeof(p->written[0]));
	SIM_CHECK(p->copy && p->written);
	memcpy(p->copy, start, len);
	return p;
}

static void protect(struct pages *p, int prot)
{
	size_t first = page_of(p->start) != p->start;

	if (first < p->nr)
		SIM_CHECK(!mprotect(page_of(p->start) + first * PAGE, (p->nr - first) * PAGE, prot));
}

static void watch(struct pages *p)
{
	fault_catch();
	/* A page that begins with something else is left alone. */
	p->written[0] = page_of(p->start) != p->start;
	p->watched = true;
	p->next = watched;
	watched = p;
	protect(p, PROT_READ);
}

static void copy_back(struct pages *p, size_t first, size_t end)
{
	char *from = page_of(p->start) + first * PAGE, *to = page_of(p->start) + end * PAGE;

	if (from < p->start)
		from = p->start;
	if (to > p->start + p->len)
		to = p->start + p->len;
	memcpy(from, p->copy + (from - p->start), (size_t)(to - from));
}

void pages_restore(struct pages *p)
{
	if (!p->watched) {
		copy_back(p, 0, p->nr);
		watch(p);
		return;
	}
	for (size_t i = 0; i < p->nr;) {
		size_t first = i;

		while (i < p->nr && p->written[i])
			i++;
		if (i > first)
			copy_back(p, first, i);
		else
			i++;
	}
}

void pages_free(struct pages *p)
{
	struct pages **at = &watched;

	if (!p)
		return;
	if (p->watched) {
		while (*at != p)
			at = &(*at)->next;
		*at = p->next;
		protect(p, PROT_READ | PROT_WRITE);
	}
	free(p->copy);
	free(p->written);
	free(p);
}

bool pages_fault(const void *addr)
{
	const char *a = addr;

	for (struct pages *p = watched; p; p = p->next) {
		size_t i = (size_t)(page_of(a) - page_of(p->start)) / PAGE;

		if (a < p->start || i >= p->nr || p->written[i])
			continue;
		p->written[i] = true;
		return !mprotect(page_of(a), PAGE, PROT_READ | PROT_WRITE);
	}
	return false;
}

size_t pages_written(const struct pages *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nr; i++)
		n += p->written[i];
	return n;
}
