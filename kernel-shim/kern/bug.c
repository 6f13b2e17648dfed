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

/* The message filled in, but for one with an address: that differs from run to run. */
static const char *filled_in(char *to, size_t n, const char *fmt, va_list ap)
{
	if (strstr(fmt, "%p"))
		return fmt;
	host->format(to, n, fmt, ap);
	return to;
}

/* The kernel says "BUG: ..." and goes on where it can; a lab stops and shows where. */
static void check_bug(const char *fmt, va_list ap)
{
	char words[160];

	fmt = skip_level(fmt);
	if (!strncmp(fmt, "BUG: ", 5))
		host->bug(host->sim, "kernel BUG", filled_in(words, sizeof(words), fmt + 5, ap));
}

static void warn(const char *fmt, va_list ap)
{
	char words[160];

	host->warn(host->sim, "kernel WARN", filled_in(words, sizeof(words), fmt, ap));
}

asmlinkage __printf(1, 2) int _printk(const char *fmt, ...)
{
	va_list ap;

	PRINT(fmt);
	va_start(ap, fmt);
	check_bug(fmt, ap);
	va_end(ap);
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
	va_list ap;

	if (!fmt) {
		scnprintf(where, sizeof(where), "%s:%d", in_tree(file), line);
		host->warn(host->sim, "kernel WARN", where);
		return;
	}
	PRINT(fmt);
	va_start(ap, fmt);
	warn(fmt, ap);
	va_end(ap);
}

void __warn_printk(const char *fmt, ...)
{
	va_list ap;

	PRINT(fmt);
	va_start(ap, fmt);
	warn(fmt, ap);
	va_end(ap);
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
