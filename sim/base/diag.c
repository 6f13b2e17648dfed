/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics.
 *
 * What was found is quoted from the input, which may hold newlines or cut characters; without
 * one_line() a message could take two lines, or end in half a character.
 */
#include "sim/base/diag.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 48

/* Length of the UTF-8 character at @s, or 0 if there is none. */
static size_t utf8_length(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void one_line(char *s)
{
	while (*s) {
		size_t n = utf8_length(s);

		if (!n || (unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
		s += n ? n : 1;
	}
}

int diag_at(struct diag *d, const char *file, size_t line, size_t column, const char *fmt, ...)
{
	size_t n;
	va_list ap;

	if (line)
		n = (size_t)snprintf(d->text, sizeof(d->text), "%.200s:%zu:%zu: ", file, line, column);
	else
		n = (size_t)snprintf(d->text, sizeof(d->text), "%.200s: ", file);
	va_start(ap, fmt);
	vsnprintf(d->text + n, sizeof(d->text) - n, fmt, ap);
	va_end(ap);
	one_line(d->text);
	return -EINVAL;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

static unsigned int distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned int row[WORD_MAX + 1];

	if (na > WORD_MAX || nb > WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[nb];
}

const char *nearest_word(const char *word, const char *const *words)
{
	unsigned int best = (unsigned int)strlen(word) / 2 + 1;
	const char *found = NULL;

	for (; *words; words++) {
		unsigned int d = distance(word, *words);

		if (d < best) {
			best = d;
			found = *words;
		}
	}
	return found;
}
