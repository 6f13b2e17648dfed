/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line of text made by hand: printf would cost more than the run that is written.
 *
 * Nothing here looks at the room that is left.  The caller has LINE_ROOM bytes, and only names
 * have no length of their own: they are cut.
 */
#ifndef SIM_TRACE_LINE_H
#define SIM_TRACE_LINE_H

#include <stdint.h>
#include <string.h>

#include "sim/base/utf8.h"

#define LINE_NAME_MAX 120
#define LINE_ROOM 1024	/* of the longest line: four names and some words */

struct line {
	char *at;
};

static inline void put_bytes(struct line *l, const char *s, size_t n)
{
	memcpy(l->at, s, n);
	l->at += n;
}

/* Inlined, so that the length of a constant is one too. */
static inline __attribute__((always_inline)) void put(struct line *l, const char *s)
{
	put_bytes(l, s, strlen(s));
}

/*
 * A name from outside.  Fields of a line end at spaces and those of a marker at '|', a line break
 * would begin a line of its own that the digest's rule about '#' would misread, and half a
 * character of UTF-8 would make readers refuse the whole file.
 */
static inline void put_name(struct line *l, const char *s)
{
	int room = LINE_NAME_MAX;

	while (*s && room > 0) {
		unsigned char c = (unsigned char)*s;
		int n = utf8_length(s);

		if (n > 1)
			put_bytes(l, s, (size_t)n);
		else
			*l->at++ = c <= ' ' || c == '|' || c == 0x7f ? '_' : n ? (char)c : '?';
		s += n ? n : 1;
		room -= n ? n : 1;
	}
}

/* At least @width digits. */
static inline void put_number(struct line *l, uint64_t v, int width)
{
	char digits[24];
	int n = 24;

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	while (24 - n < width)
		digits[--n] = '0';
	put_bytes(l, digits + n, (size_t)(24 - n));
}

static inline void put_signed(struct line *l, int64_t v)
{
	if (v < 0)
		*l->at++ = '-';
	put_number(l, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0);
}

/* At least @width digits. */
static inline void put_hex(struct line *l, uint64_t v, int width)
{
	int shift = 60;

	while (shift && shift / 4 >= width && !(v >> shift))
		shift -= 4;
	put(l, "0x");
	for (; shift >= 0; shift -= 4)
		*l->at++ = "0123456789abcdef"[v >> shift & 15];
}

/* Blanks up to @width characters since @from. */
static inline void put_blanks(struct line *l, const char *from, int width)
{
	while (l->at - from < width)
		*l->at++ = ' ';
}

#endif
