/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is in each kernel image, and whose it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/image/image.h"
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

static int list(const struct command *c, int argc, char **argv)
{
	struct cli_args a = { argc, 0, argv };
	int which, kind, nr, status = 0;
	bool json = false, first = true;
	const char *value;
	char **names;

	while ((kind = cli_next(c, &a, &which, &value)) >= 0) {
		if (kind == 1)
			return cli_usage(c, "takes no argument, not %.60s", value);
		json = true;
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	nr = image_names(&names);
	if (nr < 0) {
		fprintf(stderr, "lockstep: %s: cannot be read: %s\n", image_folder(), strerror(-nr));
		return EXIT_BAD_INPUT;
	}
	if (json)
		printf("[");
	for (int i = 0; i < nr; i++) {
		struct image *img;
		char why[300];

		if (image_open(names[i], &img, why, sizeof(why))) {
			fprintf(stderr, "lockstep: %s\n", why);
			status = EXIT_BAD_INPUT;
		} else if (json) {
			print_json(image_ops(img), first);
			first = false;
		} else {
			print_text(image_ops(img));
		}
				free(names[i]);
	}
	free(names);
	if (json)
		printf("\n]\n");
	return status;
}

const struct command command_list = {
	"list", "list [--json]",
	"Lists the kernel images: whose scheduler and locks, and each kernel file with its sha256.",
	options, list
};
