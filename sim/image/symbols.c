/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/image/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_addr(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* gcc's clones and clang's suffixes: the kernel's name is what comes before the dot. */
static void cut_suffix(char *name)
{
	char *dot = strchr(name, '.');

	if (dot && dot != name)
		*dot = 0;
}

static int copy_table(const Elf64_Sym *sym, size_t n, const char *strings, size_t len,
		      struct symbols *s)
{
	s->all = malloc((n + 1) * sizeof(s->all[0]));
	s->strings = malloc(len + 1);
	if (!s->all || !s->strings)
		return -ENOMEM;
	memcpy(s->strings, strings, len);
	s->strings[len] = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char type = ELF64_ST_TYPE(sym[i].st_info);

		if ((type != STT_FUNC && type != STT_OBJECT) || !sym[i].st_shndx ||
		    sym[i].st_name >= len)
			continue;
		cut_suffix(s->strings + sym[i].st_name);
		s->all[s->nr++] = (struct symbol){ .addr = sym[i].st_value,
						   .size = sym[i].st_size,
						   .name = s->strings + sym[i].st_name,
						   .type = type };
	}
	qsort(s->all, s->nr, sizeof(s->all[0]), by_addr);
	return 0;
}

static int read_elf(const char *m, size_t size, struct symbols *s)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)m;
	const Elf64_Shdr *sec;

	if (size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_shoff + (uint64_t)h->e_shnum * sizeof(*sec) > size)
		return -ENOEXEC;
	sec = (const Elf64_Shdr *)(m + h->e_shoff);
	for (int i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *str;

		if (sec[i].sh_type != SHT_SYMTAB || sec[i].sh_link >= h->e_shnum)
			continue;
		str = &sec[sec[i].sh_link];
		if (sec[i].sh_offset + sec[i].sh_size > size ||
		    str->sh_offset + str->sh_size > size)
			return -ENOEXEC;
		return copy_table((const Elf64_Sym *)(m + sec[i].sh_offset),
				  sec[i].sh_size / sizeof(Elf64_Sym), m + str->sh_offset,
				  str->sh_size, s);
	}
	return -ENOEXEC;
}

int symbols_read(const char *path, struct symbols *s)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *m;

	*s = (struct symbols){ 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		err = -errno;
	m = err ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m == MAP_FAILED)
		return err ? err : -errno;
	err = read_elf(m, (size_t)st.st_size, s);
	munmap(m, (size_t)st.st_size);
	if (err)
		symbols_free(s);
	return err;
}

void symbols_free(struct symbols *s)
{
	free(s->all);
	free(s->strings);
	*s = (struct symbols){ 0 };
}

const struct symbol *symbols_at(const struct symbols *s, uint64_t addr, unsigned char type)
{
	size_t lo = 0, hi = s->nr;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->all[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Several symbols may lie before it; the nearest that covers it counts. */
	for (size_t back = 0; lo-- > 0 && back < 64; back++) {
		const struct symbol *y = &s->all[lo];

		if (y->type == type && addr < y->addr + (y->size ? y->size : 1))
			return y;
	}
	return NULL;
}

const struct symbol *symbols_named(const struct symbols *s, const char *name, unsigned char type)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->all[i].type == type && !strcmp(s->all[i].name, name))
			return &s->all[i];
	return NULL;
}
