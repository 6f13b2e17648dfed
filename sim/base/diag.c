/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 48

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
		return WORD_MAX;
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
