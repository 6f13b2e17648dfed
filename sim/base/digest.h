/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SHA-256 of a stream of bytes, as 64 hexadecimal digits: what sha256sum prints.
 */
#ifndef SIM_BASE_DIGEST_H
#define SIM_BASE_DIGEST_H

#include <stddef.h>

#define DIGEST_TEXT 65	/* digits and the final 0 */

struct digest;

struct digest *digest_new(void);
void digest_add(struct digest *d, const void *bytes, size_t n);
/* Writes the digits, or nothing when @text is NULL, and frees @d. */
void digest_end(struct digest *d, char text[DIGEST_TEXT]);

#endif
