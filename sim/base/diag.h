/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics: one line that says where, what was found and what was expected.
 */
#ifndef SIM_BASE_DIAG_H
#define SIM_BASE_DIAG_H

#include <stddef.h>

struct diag {
	char text[512];
};

/*
 * Writes "file:line:column: ..."; line 0: "file: ...".  Always one line of valid UTF-8: what is
 * neither is shown as "?".  Returns -EINVAL.
 */
int diag_at(struct diag *d, const char *file, size_t line, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * The word of @words (NULL-terminated) nearest to @word by edit distance, or NULL when none is
 * near enough to be what was meant.
 */
const char *nearest_word(const char *word, const char *const *words);

#endif
