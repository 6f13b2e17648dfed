/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding and loading kernel images.
 *
 * An image stays loaded until the process ends: its segments keep their addresses, and the next
 * machine starts from the copy taken when it was loaded.
 */
#define _GNU_SOURCE
#include "sim/image/image.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/image/private.h"

#define PAGE 4096u

static struct image *loaded;

/* LOCKSTEP_IMAGES, or kernel/ beside the program, or lib/lockstep/kernel of its prefix. */
const char *image_folder(void)
{
	static char folder[PATH_MAX];
	const char *env = getenv("LOCKSTEP_IMAGES");
	char exe[PATH_MAX - 64];
	ssize_t n;

	if (env && *env)
		return env;
	if (folder[0])
		return folder;
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return "build/kernel";
	exe[n] = 0;
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(exe, '/');

		if (!slash)
			break;
		*slash = 0;
		snprintf(folder, sizeof(folder), "%s/kernel", exe);
		if (!access(folder, R_OK | X_OK))
			return folder;
		snprintf(folder, sizeof(folder), "%s/lib/lockstep/kernel", exe);
		if (!access(folder, R_OK | X_OK))
			return folder;
	}
	snprintf(folder, sizeof(folder), "build/kernel");
	return folder;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(char ***all, int *nr, const char *name, size_t len)
{
	*all = realloc(*all, (size_t)(*nr + 1) * sizeof(**all));
	SIM_CHECK(*all);
	(*all)[(*nr)++] = strndup(name, len);
}

int image_files(const char *folder, char ***names)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int nr = 0;

	*names = NULL;
	if (!d && errno != ENOENT)
		return -errno;
	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len > 3 && !strcmp(e->d_name + len - 3, ".so"))
			add_name(names, &nr, e->d_name, len - 3);
	}
	if (d)
		closedir(d);
	if (nr)
		qsort(*names, (size_t)nr, sizeof(**names), by_name);
	return nr;
}

int image_names(char ***names)
{
	int nr = image_files(image_folder(), names);
	const char *name;

	for (unsigned int i = 0; nr >= 0 && (name = abstract_name(i)); i++)
		add_name(names, &nr, name, strlen(name));
	return nr;
}

static void add_segment(struct image *img, uint64_t start, uint64_t end)
{
	struct segment *g = &img->segments[img->nr_segments];

	if (start >= end)
		return;
	SIM_CHECK(img->nr_segments < SEGMENTS_MAX);
	img->nr_segments++;
	g->start = (char *)start;
	g->len = end - start;
	g->pristine = malloc(g->len);
	SIM_CHECK(g->pristine);
	memcpy(g->pristine, g->start, g->len);
}

/* What is read-only after relocation lies at the start of the writable segment. */
static int find_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	struct image *img = data;
	uint64_t relro_start = 0, relro_end = 0;

	(void)size;
	if (info->dlpi_addr != img->base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO) {
			relro_start = img->base + p->p_vaddr;
			relro_end = relro_start + p->p_memsz;
		}
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = img->base + p->p_vaddr, end = start + p->p_memsz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		if (relro_start >= start && relro_start < end)
			start = (relro_end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		add_segment(img, start, end);
	}
	return 1;
}

static void image_free(struct image *img)
{
	symbols_free(&img->symbols);
	for (int i = 0; i < img->nr_segments; i++)
		free(img->segments[i].pristine);
	free(img->name);
	free(img->path);
	free(img);
}

static int load(struct image *img, char *why, size_t n)
{
	struct link_map *map;
	int err;

	img->dl = dlopen(img->path, RTLD_NOW | RTLD_LOCAL);
	if (!img->dl) {
		snprintf(why, n, "%s: cannot be loaded: %s", img->path, dlerror());
		return -ENOEXEC;
	}
	*(void **)&img->entry = dlsym(img->dl, "lockstep_image");
	if (!img->entry || dlinfo(img->dl, RTLD_DI_LINKMAP, &map)) {
		snprintf(why, n, "%s: no kernel image: lockstep_image is missing", img->path);
		return -ENOEXEC;
	}
	img->base = map->l_addr;
	dl_iterate_phdr(find_segments, img);
	err = symbols_read(img->path, &img->symbols);
	if (err)
		snprintf(why, n, "%s: symbol table cannot be read: %s", img->path, strerror(-err));
	return err;
}

int image_open(const char *name, struct image **out, char *why, size_t n)
{
	struct image *img;
	int err;

	for (img = loaded; img; img = img->next) {
		if (!strcmp(img->name, name)) {
			*out = img;
			return 0;
		}
	}
	img = calloc(1, sizeof(*img));
	SIM_CHECK(img);
	img->name = strdup(name);
	img->ops = abstract_ops(name, &img->strategy);
	if (img->ops) {
		img->next = loaded;
		loaded = img;
		*out = img;
		return 0;
	}
	if (!img->name || asprintf(&img->path, "%s/%s.so", image_folder(), name) < 0)
		abort();
	if (strchr(name, '/') || access(img->path, R_OK)) {
		snprintf(why, n, "no kernel image \"%s\" in %s", name, image_folder());
		image_free(img);
		return -ENOENT;
	}
	err = load(img, why, n);
	if (err) {
		image_free(img);
		return err;
	}
	img->next = loaded;
	loaded = img;
	*out = img;
	return 0;
}

const struct bridge_image *image_ops(const struct image *img)
{
	static const struct bridge_host nobody;

	/* Without a machine the table is asked for its constants only. */
	return img->ops ? img->ops : (((struct image *)img)->ops = img->entry(&nobody));
}

static const char *symbol_name(const struct image *img, const void *addr, unsigned char type)
{
	uint64_t a = (uint64_t)(uintptr_t)addr;
	const struct symbol *y;

	if (a < img->base)
		return NULL;
	y = symbols_at(&img->symbols, a - img->base, type);
	return y ? y->name : NULL;
}

const char *image_symbol(const struct image *img, const void *addr)
{
	return symbol_name(img, addr, STT_FUNC);
}

const char *image_object(const struct image *img, const void *addr)
{
	return symbol_name(img, addr, STT_OBJECT);
}

const void *image_function(const struct image *img, const char *name)
{
	const struct symbol *y = symbols_named(&img->symbols, name, STT_FUNC);

	return y ? (const void *)(uintptr_t)(img->base + y->addr) : NULL;
}

void image_each_function(const struct image *img, void (*fn)(void *self, const char *name),
			 void *self)
{
	for (size_t i = 0; i < img->symbols.nr; i++)
		if (img->symbols.all[i].type == STT_FUNC)
			fn(self, img->symbols.all[i].name);
}
