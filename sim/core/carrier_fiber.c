/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fibers: a stack each, and a context switch that saves what the calling convention asks for.
 *
 * swapcontext() would do the same with two system calls for the signal mask, thirty times
 * slower.  Stacks come from a pool and have a guard page below, so that an overflow is a fault
 * and not somebody else's data.
 */
#include "sim/core/carrier.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/check.h"
#include "sim/core/sanitizer.h"

#ifndef __x86_64__
#error "The fiber carrier is written for x86-64: add a switch for this machine in carrier_fiber.c"
#endif

#define STACK_SIZE (256u << 10)
#define GUARD_SIZE 4096u

struct carrier {
	void *sp;		/* while it is parked */
	char *stack;		/* lowest usable byte; NULL: the host's own */
	size_t size;
	void (*fn)(void *);
	void *arg;
	struct carrier *next_free;
	char *saved;		/* copy of the stack from saved_sp up */
	void *saved_sp;
	size_t saved_room;
#ifdef SIM_ASAN
	void *fake;
#endif
#ifdef SIM_TSAN
	void *tsan;
#endif
};

static struct carrier host_carrier;
static struct carrier *pool;
static struct carrier *starting;	/* whom the switch goes to: read by a new fiber */

/* void fiber_swap(void **save_sp, void *to_sp) */
void fiber_swap(void **save_sp, void *to_sp);
__asm__(".text\n"
	".globl fiber_swap\n"
	".hidden fiber_swap\n"
	".type fiber_swap, @function\n"
	"fiber_swap:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size fiber_swap, . - fiber_swap\n");

static void fiber_entry(void)
{
	struct carrier *c = starting;

#ifdef SIM_ASAN
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	if (!host_carrier.stack) {
		host_carrier.stack = (char *)bottom;
		host_carrier.size = size;
	}
#endif
	c->fn(c->arg);
	SIM_CHECK(!"a carrier's function returned");
}

static struct carrier *fiber_host(void)
{
#ifdef SIM_TSAN
	host_carrier.tsan = __tsan_get_current_fiber();
#endif
	return &host_carrier;
}

static struct carrier *new_stack(void)
{
	struct carrier *c = calloc(1, sizeof(*c));
	char *m = mmap(NULL, STACK_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	SIM_CHECK(c && m != MAP_FAILED);
	SIM_CHECK(!mprotect(m, GUARD_SIZE, PROT_NONE));
	c->stack = m + GUARD_SIZE;
	c->size = STACK_SIZE;
	return c;
}

static struct carrier *fiber_create(void (*fn)(void *), void *arg)
{
	struct carrier *c = pool;
	void **sp;

	if (c)
		pool = c->next_free;
	else
		c = new_stack();
	c->fn = fn;
	c->arg = arg;
	sp = (void **)(c->stack + c->size - 64);
	*--sp = NULL;			/* where a backtrace ends */
	*--sp = (void *)fiber_entry;
	for (int i = 0; i < 6; i++)
		*--sp = NULL;
	c->sp = sp;
#ifdef SIM_TSAN
	c->tsan = __tsan_create_fiber(0);
#endif
	return c;
}

static void fiber_switch(struct carrier *from, struct carrier *to)
{
	starting = to;
#ifdef SIM_ASAN
	__sanitizer_start_switch_fiber(&from->fake, to->stack, to->size);
#endif
#ifdef SIM_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	fiber_swap(&from->sp, to->sp);
#ifdef SIM_ASAN
	__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

static void fiber_destroy(struct carrier *c)
{
#ifdef SIM_TSAN
	__tsan_destroy_fiber(c->tsan);
#endif
#ifdef SIM_ASAN
	/* What a dropped stack had poisoned must not meet the next task's frames. */
	__asan_unpoison_memory_region(c->stack, c->size);
#endif
	c->next_free = pool;
	pool = c;
}

static size_t used(const struct carrier *c, const void *sp)
{
	return (size_t)(c->stack + c->size - (const char *)sp);
}

static void fiber_save(struct carrier *c)
{
	size_t n = used(c, c->sp);

	if (n > c->saved_room) {
		c->saved = realloc(c->saved, n);
		SIM_CHECK(c->saved);
		c->saved_room = n;
	}
	c->saved_sp = c->sp;
	memcpy(c->saved, c->sp, n);
}

static void fiber_restore(struct carrier *c)
{
	c->sp = c->saved_sp;
	memcpy(c->sp, c->saved, used(c, c->sp));
}

const struct carrier_ops carrier_fiber = {
	.name = "fiber",
	.host = fiber_host,
	.create = fiber_create,
	.switch_to = fiber_switch,
	.destroy = fiber_destroy,
#if defined(SIM_ASAN) || defined(SIM_TSAN)
	.can_restore = false,	/* a copied stack would not fit its shadow */
#else
	.can_restore = true,
#endif
	.save = fiber_save,
	.restore = fiber_restore,
};
