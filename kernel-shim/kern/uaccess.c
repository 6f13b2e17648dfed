/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies between kernel and user memory: they take time, and others run meanwhile.
 */
#include "kern.h"

#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

char *lockstep_page_data(struct page *page);

unsigned long raw_copy_from_user(void *to, const void __user *from, unsigned long n)
{
	lockstep_cost(COST_COPY);
	memcpy(to, (const void __force *)from, n);
	return 0;
}

unsigned long raw_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	lockstep_cost(COST_COPY);
	memcpy((void __force *)to, from, n);
	return 0;
}

/* Iterators are of the one kind that read() and write() make: one user buffer. */
static char *take(struct iov_iter *i, size_t *n)
{
	char *at = (char __force *)i->ubuf + i->iov_offset;

	lockstep_cost(COST_COPY);
	*n = min(*n, i->count);
	i->iov_offset += *n;
	i->count -= *n;
	return at;
}

size_t _copy_to_iter(const void *from, size_t n, struct iov_iter *i)
{
	char *to = take(i, &n);

	memcpy(to, from, n);
	return n;
}

size_t _copy_from_iter(void *to, size_t n, struct iov_iter *i)
{
	char *from = take(i, &n);

	memcpy(to, from, n);
	return n;
}

size_t copy_page_from_iter(struct page *page, size_t offset, size_t n, struct iov_iter *i)
{
	char *from = take(i, &n);

	memcpy(lockstep_page_data(page) + offset, from, n);
	return n;
}

size_t copy_page_to_iter(struct page *page, size_t offset, size_t n, struct iov_iter *i)
{
	char *to = take(i, &n);

	memcpy(to, lockstep_page_data(page) + offset, n);
	return n;
}
