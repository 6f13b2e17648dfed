/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages and bugs: printk() goes to the host, BUG and WARN become verdicts.
 */
#include "kern.h"

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/refcount.h>

static const char *skip_level(const char *fmt)
{
	while (fmt[0] == KERN_SOH_ASCII && fmt[1])
		fmt += 2;
	return fmt;
}

#define PRINT(fmt)                                                                                \
	do {                                                                                      \
		va_list ap;                                                                       \
		va_start(ap, fmt);                                                                \
		host->print(host->sim, skip_level(fmt), ap);                                      \
		va_end(ap);                                                                       \
	} while (0)

/* The kernel says "BUG: ..." and goes on where it can; a lab stops and shows where. */
static void check_bug(const char *fmt)
{
	if (!strncmp(skip_level(fmt), "BUG: ", 5))
		host->bug(host->sim, "kernel BUG", skip_level(fmt) + 5);
}

asmlinkage __printf(1, 2) int _printk(const char *fmt, ...)
{
	PRINT(fmt);
	check_bug(fmt);
	return 0;
}

int _printk_deferred(const char *fmt, ...)
{
	PRINT(fmt);
	return 0;
}

int sprintf(char *to, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = host->format(to, INT_MAX, fmt, ap);
	va_end(ap);
	return n;
}

int snprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = host->format(to, size, fmt, ap);
	va_end(ap);
	return n;
}

int scnprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = host->format(to, size, fmt, ap);
	va_end(ap);
	return size && n >= (int)size ? (int)size - 1 : n;
}

void panic(const char *fmt, ...)
{
	PRINT(fmt);
	host->bug(host->sim, "kernel BUG", fmt);
	__builtin_unreachable();
}

/* As the tree names the file, wherever it lies on this machine. */
static const char *in_tree(const char *file)
{
	static const char *const folders[] = { "/kernel/", "/fs/", "/lib/", "/include/", "/init/" };
	const char *found = file;

	for (const char *at = file; *at; at++)
		for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
			if (!strncmp(at, folders[i], strlen(folders[i])))
				found = at + 1;
	return found;
}

void warn_slowpath_fmt(const char *file, int line, unsigned int taint, const char *fmt, ...)
{
	char where[80];

	if (fmt) {
		PRINT(fmt);
	} else {
		scnprintf(where, sizeof(where), "%s:%d", in_tree(file), line);
		fmt = where;
	}
	host->warn(host->sim, "kernel WARN", fmt);
}

void __warn_printk(const char *fmt, ...)
{
	PRINT(fmt);
	host->warn(host->sim, "kernel WARN", fmt);
}

void refcount_warn_saturate(refcount_t *r, enum refcount_saturation_type t)
{
	refcount_set(r, REFCOUNT_SATURATED);
	host->warn(host->sim, "kernel WARN", "a reference count is saturated or used after free");
}

void add_taint(unsigned int flag, enum lockdep_ok ok)
{
}

int ___ratelimit(struct ratelimit_state *rs, const char *func)
{
	return 1;
}
