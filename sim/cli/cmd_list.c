/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is in each kernel image, and whose it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/image/image.h"
#include "sim/native/native.h"
#include "sim/scenario/report.h"

static const struct cli_option options[] = {
	{ "--json", NULL, "print JSON" },
	{ 0 }
};

static void print_text(const struct bridge_image *im)
{
	printf("%s\n  ", im->name);
	if (im->nr_units)
		printf("kernel %s, %s", im->tree_version, im->config);
	else
		printf("no kernel");
	printf("; scheduler: %s; locks: %s\n", im->scheduler, im->locks);
	for (unsigned int i = 0; i < im->nr_units; i++) {
		const struct bridge_unit *u = &im->units[i];

		printf("  %-36s %s %s%s\n", u->path, u->sha256,
		       u->overlay ? "overlay " : "unmodified", u->overlay ? u->overlay : "");
	}
}

static void print_json(const struct bridge_image *im, bool first)
{
	printf("%s\n  {", first ? "" : ",");
	json_member(stdout, "name", im->name, ", ");
	json_member(stdout, "version", im->tree_version, ", ");
	json_member(stdout, "config", im->config, ", ");
	json_member(stdout, "scheduler", im->scheduler, ", ");
	json_member(stdout, "locks", im->locks, ", ");
	printf("\"units\": [");
	for (unsigned int i = 0; i < im->nr_units; i++) {
		const struct bridge_unit *u = &im->units[i];

		printf("%s\n    {", i ? "," : "");
		json_member(stdout, "path", u->path, ", ");
		json_member(stdout, "sha256", u->sha256, ", ");
		json_member(stdout, "tree_sha256", u->tree_sha256, ", ");
		json_member(stdout, "overlay", u->overlay ? u->overlay : "", "}");
	}
	printf("\n  ]}");
}

struct listing {
	bool json, any, failed;
};

static void show(struct listing *l, const struct bridge_image *im, const char *why)
{
	if (!im) {
		fprintf(stderr, "lockstep: %s\n", why);
		l->failed = true;
	} else if (l->json) {
		print_json(im, !l->any);
	} else {
		print_text(im);
	}
	l->any |= im != NULL;
}

static const struct bridge_image *look(const char *name, char *why, size_t n)
{
	struct image *img;

	return image_open(name, &img, why, n) ? NULL : image_ops(img);
}

static const struct bridge_image *look_native(const char *name, char *why, size_t n)
{
	struct native *native;

	return native_open(name, &native, why, n) ? NULL : native_ops(native);
}

/* All of one kind; @names is freed. */
static void show_all(struct listing *l, char **names, int nr,
		     const struct bridge_image *(*open)(const char *name, char *why, size_t n))
{
	for (int i = 0; i < nr; i++) {
		char why[300] = "";

		show(l, open(names[i], why, sizeof(why)), why);
		free(names[i]);
	}
	free(names);
}

static int unreadable(const char *folder, int err)
{
	fprintf(stderr, "lockstep: %s: cannot be read: %s\n", folder, strerror(-err));
	return EXIT_BAD_INPUT;
}

static int list(const struct command *c, int argc, char **argv)
{
	struct cli_args a = { argc, 0, argv };
	struct listing l = { 0 };
	int which, kind, nr, nr_native;
	char **names, **natives;
	const char *value;

	while ((kind = cli_next(c, &a, &which, &value)) >= 0) {
		if (kind == 1)
			return cli_usage(c, "takes no argument, not %.60s", value);
		l.json = true;
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	nr = image_names(&names);
	if (nr < 0)
		return unreadable(image_folder(), nr);
	nr_native = native_names(&natives);
	if (nr_native < 0)
		return unreadable(native_folder(), nr_native);
	if (l.json)
		printf("[");
	show_all(&l, names, nr, look);
	show_all(&l, natives, nr_native, look_native);
	if (l.json)
		printf("\n]\n");
	return l.failed ? EXIT_BAD_INPUT : 0;
}

const struct command command_list = {
	"list", "list [--json]",
	"Lists the kernel images: whose scheduler and locks, and each kernel file with its sha256.",
	options, list
};
