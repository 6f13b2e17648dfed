/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory: all of it comes from the host's arena, which poisons what is freed.
 */
#include "kern.h"

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

struct kmem_cache {
	unsigned int size;
	const char *name;
	void (*ctor)(void *);
};

static void *alloc(size_t n, gfp_t gfp)
{
	if (!(gfp & __GFP_NOFAIL) && host->alloc_fails(host->sim))
		return NULL;
	return host->alloc(host->sim, n);
}

static void *cache_alloc(struct kmem_cache *s, gfp_t gfp)
{
	void *p = alloc(s->size, gfp);

	if (p && s->ctor)
		s->ctor(p);
	return p;
}

static struct kmem_cache *cache_new(const char *name, unsigned int size, void (*ctor)(void *))
{
	struct kmem_cache *s = host->alloc(host->sim, sizeof(*s));

	s->size = size;
	s->name = name;
	s->ctor = ctor;
	return s;
}

void kfree(const void *p)
{
	if (!ZERO_OR_NULL_PTR(p))
		host->free(host->sim, p);
}

void kvfree(const void *p)
{
	kfree(p);
}

void kmem_cache_free(struct kmem_cache *s, void *p)
{
	kfree(p);
}

#if HAVE_SLAB_NOPROF
#undef kmalloc_caches
kmem_buckets kmalloc_caches[NR_KMALLOC_TYPES];

void *__kmalloc_cache_noprof(struct kmem_cache *s, gfp_t gfp, size_t n)
{
	return alloc(n, gfp);
}

void *__kmalloc_cache_node_noprof(struct kmem_cache *s, gfp_t gfp, int node, size_t n)
{
	return alloc(n, gfp);
}

void *__kmalloc_noprof(size_t n, gfp_t gfp)
{
	return alloc(n, gfp);
}

void *__kmalloc_node_noprof(DECL_BUCKET_PARAMS(n, b), gfp_t gfp, int node)
{
	return alloc(n, gfp);
}

void *kmem_cache_alloc_noprof(struct kmem_cache *s, gfp_t gfp)
{
	return cache_alloc(s, gfp);
}

unsigned long get_free_pages_noprof(gfp_t gfp, unsigned int order)
{
	return (unsigned long)alloc(PAGE_SIZE << order, gfp);
}

struct kmem_cache *__kmem_cache_create_args(const char *name, unsigned int size,
					    struct kmem_cache_args *args, slab_flags_t flags)
{
	return cache_new(name, size, args->ctor);
}
#else
struct kmem_cache *kmalloc_caches[NR_KMALLOC_TYPES][KMALLOC_SHIFT_HIGH + 1];

void *kmalloc_trace(struct kmem_cache *s, gfp_t gfp, size_t n)
{
	return alloc(n, gfp);
}

void *kmalloc_node_trace(struct kmem_cache *s, gfp_t gfp, int node, size_t n)
{
	return alloc(n, gfp);
}

void *__kmalloc(size_t n, gfp_t gfp)
{
	return alloc(n, gfp);
}

void *__kmalloc_node(size_t n, gfp_t gfp, int node)
{
	return alloc(n, gfp);
}

void *kmem_cache_alloc(struct kmem_cache *s, gfp_t gfp)
{
	return cache_alloc(s, gfp);
}

unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	return (unsigned long)alloc(PAGE_SIZE << order, gfp);
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     slab_flags_t flags, void (*ctor)(void *))
{
	return cache_new(name, size, ctor);
}
#endif

void free_pages(unsigned long addr, unsigned int order)
{
	kfree((void *)addr);
}

void si_meminfo(struct sysinfo *val)
{
	memset(val, 0, sizeof(*val));
	val->totalram = (lockstep_machine.memory ?: 4ull << 30) / PAGE_SIZE;
	val->mem_unit = PAGE_SIZE;
}

/* ---- pages, for pipes: the struct and its data in one object */

struct page_with_data {
	struct page page;
	char data[PAGE_SIZE];
};

static struct page *new_page(gfp_t gfp)
{
	struct page_with_data *p = alloc(sizeof(*p), gfp);

	if (!p)
		return NULL;
	set_page_count(&p->page, 1);
	return &p->page;
}

#if HAVE_SLAB_NOPROF
struct page *__alloc_pages_noprof(gfp_t gfp, unsigned int order, int nid, nodemask_t *mask)
{
	return new_page(gfp);
}
#else
struct page *__alloc_pages(gfp_t gfp, unsigned int order, int nid, nodemask_t *mask)
{
	return new_page(gfp);
}
#endif

void __folio_put(struct folio *folio)
{
	host->free(host->sim, folio);
}

void __free_pages(struct page *page, unsigned int order)
{
	host->free(host->sim, page);
}

char *lockstep_page_data(struct page *page);

char *lockstep_page_data(struct page *page)
{
	return ((struct page_with_data *)page)->data;
}
