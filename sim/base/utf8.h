/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UTF-8 by characters.  Names are cut at a number of bytes in many places, so the last character
 * of one may be half: JSON with such a half is not JSON.
 */
#ifndef SIM_BASE_UTF8_H
#define SIM_BASE_UTF8_H

/* Bytes of the character at @s, or 0 when it is none (@s is not at its end). */
static inline int utf8_length(const char *s)
{
	const unsigned char *b = (const unsigned char *)s;
	int n = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 : b[0] >> 3 == 30 ? 4 : 0;
	unsigned int code = n == 1 ? b[0] : b[0] & (0x7fu >> n);

	for (int i = 1; i < n; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (b[i] & 0x3fu);
	}
	/* longer than it need be, half of a pair, or past the last character */
	if ((n == 2 && code < 0x80) || (n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return n;
}

/*
 * Columns that the character at @s, of @n bytes, takes on a terminal: two for U+1100-U+115F and
 * from U+2E80 on (Hangul, CJK, emoji), which may be one too many and never is one too few.
 */
static inline int utf8_columns(const char *s, int n)
{
	const unsigned char *b = (const unsigned char *)s;

	if (n < 3)
		return 1;
	if (n == 3 && b[0] == 0xe1)
		return b[1] == 0x84 || (b[1] == 0x85 && b[2] < 0xa0) ? 2 : 1;
	if (n == 3 && b[0] == 0xe2)
		return b[1] >= 0xba ? 2 : 1;
	return n == 3 && b[0] < 0xe1 ? 1 : 2;
}

#endif
