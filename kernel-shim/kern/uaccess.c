/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies between kernel and user memory: they take time, and others run meanwhile.
 *
 * User memory may be bad.  The one instruction that touches it is known to the host, which lets a
 * fault of it go on behind it, as the kernel's exception table does; what is left to copy is then
 * in its counter.
 */
#include "kern.h"

#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

char *lockstep_page_data(struct page *page);

unsigned long lockstep_copy(void *to, const void *from, unsigned long n);
extern const char lockstep_copy_insn[], lockstep_copy_fixup[];
__asm__(".text\n"
	".type lockstep_copy, @function\n"
	".globl lockstep_copy\n"
	".hidden lockstep_copy\n"
	".globl lockstep_copy_insn\n"
	".hidden lockstep_copy_insn\n"
	".globl lockstep_copy_fixup\n"
	".hidden lockstep_copy_fixup\n"
	"lockstep_copy:\n"
	"	mov %rdx, %rcx\n"
	"lockstep_copy_insn:\n"
	"	rep movsb\n"
	"lockstep_copy_fixup:\n"
	"	mov %rcx, %rax\n"
	"	ret\n"
	".size lockstep_copy, . - lockstep_copy\n");

unsigned long raw_copy_from_user(void *to, const void __user *from, unsigned long n)
{
	lockstep_cost(COST_COPY);
	return lockstep_copy(to, (const void __force *)from, n);
}

unsigned long raw_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	lockstep_cost(COST_COPY);
	return lockstep_copy((void __force *)to, from, n);
}

/* Iterators are of the one kind that read() and write() make: one user buffer. */
static size_t copy(struct iov_iter *i, void *kernel, size_t n, bool to_user)
{
	char *user = (char __force *)i->ubuf + i->iov_offset;

	n = min(n, i->count);
	n -= to_user ? raw_copy_to_user(user, kernel, n) : raw_copy_from_user(kernel, user, n);
	i->iov_offset += n;
	i->count -= n;
	return n;
}

size_t _copy_to_iter(const void *from, size_t n, struct iov_iter *i)
{
	return copy(i, (void *)from, n, true);
}

size_t _copy_from_iter(void *to, size_t n, struct iov_iter *i)
{
	return copy(i, to, n, false);
}

size_t copy_page_from_iter(struct page *page, size_t offset, size_t n, struct iov_iter *i)
{
	return copy(i, lockstep_page_data(page) + offset, n, false);
}

size_t copy_page_to_iter(struct page *page, size_t offset, size_t n, struct iov_iter *i)
{
	return copy(i, lockstep_page_data(page) + offset, n, true);
}
