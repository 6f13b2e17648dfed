/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of a shared object: functions and data by address and by name, static ones included.
 *
 * dladdr() sees exported symbols only, and an image exports one; the whole table is in .symtab.
 */
#ifndef SIM_IMAGE_SYMBOLS_H
#define SIM_IMAGE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr, size;	/* as linked: add the load address */
	const char *name;
	unsigned char type;	/* STT_FUNC or STT_OBJECT */
};

struct symbols {
	struct symbol *all;	/* by address */
	size_t nr;
	char *strings;
};

/* 0 or -errno. */
int symbols_read(const char *path, struct symbols *s);
void symbols_free(struct symbols *s);
/* The symbol of @type that covers @addr, or NULL. */
const struct symbol *symbols_at(const struct symbols *s, uint64_t addr, unsigned char type);
const struct symbol *symbols_named(const struct symbols *s, const char *name, unsigned char type);

#endif
