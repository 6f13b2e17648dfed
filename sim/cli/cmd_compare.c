/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One workload on several images over many seeds, in one table.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/progress.h"
#include "sim/scenario/report.h"
#include "sim/scenario/run.h"

#define IMAGES_MAX 16
#define SETS_MAX 64

enum { OPT_KERNEL, OPT_SEEDS, OPT_CARRIER, OPT_SET, OPT_JSON, OPT_CSV };

static const struct cli_option options[] = {
	[OPT_KERNEL] = { "--kernel", "A,B[,...]", "kernel images to compare" },
	[OPT_SEEDS] = { "--seeds", "N", "seeds 1 to N on each; default 100" },
	[OPT_CARRIER] = { "--carrier", "NAME", "fiber (default) or pthread" },
	[OPT_SET] = { "--set", "KEY=VALUE", "override a value of the scenario, by dotted path" },
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_CSV] = { "--csv", NULL, "print comma-separated values" },
	{ 0 }
};

struct row {
	char image[64];
	uint64_t verdicts[NR_VERDICTS], first_seed[NR_VERDICTS];
	uint64_t seeds, unexpected, worst_wait_ns, inverted_ns, boosts, switches;
};

struct wish {
	const char *file, *kernels, *carrier, *sets[SETS_MAX + 1];
	uint64_t seeds;
	int nr_sets;
	bool json, csv;
};

static int parse(const struct command *c, int argc, char **argv, struct wish *w)
{
	struct cli_args a = { argc, 0, argv };
	const char *value;
	int which, kind;

	while ((kind = cli_next(c, &a, &which, &value)) >= 0) {
		if (kind == 1) {
			if (w->file)
				return cli_usage(c, "one scenario at a time, not also %.60s", value);
			w->file = value;
			continue;
		}
		switch (which) {
		case OPT_KERNEL:
			w->kernels = value;
			break;
		case OPT_SEEDS:
			if (cli_number(c, "--seeds", value, &w->seeds))
				return EXIT_BAD_INPUT;
			if (!w->seeds || w->seeds > 10000000)
				return cli_usage(c, "--seeds %s: expected 1 to 10000000", value);
			break;
		case OPT_CARRIER:
			w->carrier = value;
			break;
		case OPT_SET:
			if (w->nr_sets == SETS_MAX)
				return cli_usage(c, "more than %d times --set", SETS_MAX);
			w->sets[w->nr_sets++] = value;
			break;
		case OPT_JSON:
			w->json = true;
			break;
		case OPT_CSV:
			w->csv = true;
			break;
		}
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	if (!w->kernels)
		return cli_usage(c, "no images: --kernel A,B");
	if (w->json && w->csv)
		return cli_usage(c, "--json or --csv, not both");
	return w->file ? 0 : cli_usage(c, "no scenario file");
}

static void count(struct row *row, const struct run_result *r)
{
	const struct detect_counts *c = detect_counts(r->detect);
	enum verdict v = detect_verdict(r->detect);
	const struct wait *w;

	if (!row->verdicts[v]++)
		row->first_seed[v] = r->seed;
	row->seeds++;
	row->unexpected += !r->expected;
	if (detect_waits(r->detect, &w) && w[0].wait_ns > row->worst_wait_ns)
		row->worst_wait_ns = w[0].wait_ns;
	row->inverted_ns += c->inverted_ns;
	row->boosts += c->boosts;
	row->switches += c->switches;
}

static int run_image(const struct scenario *sc, const struct wish *w, struct row *row,
		     struct progress *p, struct diag *d)
{
	struct run_result result;
	struct run *r;
	int err = run_open(sc, row->image, w->carrier, &r, d);

	if (err)
		return err;
	for (uint64_t seed = 1; seed <= w->seeds && !err; seed++) {
		err = run_once(r, seed, NULL, &result, d);
		if (err)
			break;
		count(row, &result);
		run_result_free(&result);
		progress_step(p, row->image);
	}
	run_close(r);
	return err;
}

static bool occurs(const struct row *rows, int nr, int verdict)
{
	for (int i = 0; i < nr; i++)
		if (rows[i].verdicts[verdict])
			return true;
	return verdict == VERDICT_OK;
}

static void print_row(const struct row *rows, int nr, const struct row *r)
{
	printf("%-24s %7" PRIu64, r->image, r->seeds);
	for (int v = 0; v < NR_VERDICTS; v++)
		if (occurs(rows, nr, v))
			printf(" %*" PRIu64, (int)strlen(verdict_names[v]) + 3, r->verdicts[v]);
	printf(" %10" PRIu64 ".%03u %10" PRIu64 ".%03u %9" PRIu64 " %9" PRIu64 "\n",
	       r->worst_wait_ns / 1000, (unsigned int)(r->worst_wait_ns % 1000),
	       r->inverted_ns / 1000, (unsigned int)(r->inverted_ns % 1000), r->boosts, r->switches);
}

/* Verdicts that no image shows have no column. */
static void print_table(const struct row *rows, int nr)
{
	printf("%-24s %7s", "image", "seeds");
	for (int v = 0; v < NR_VERDICTS; v++)
		if (occurs(rows, nr, v))
			printf("    %s", verdict_names[v]);
	printf(" %14s %14s %9s %9s\n", "worst wait us", "inverted us", "boosts", "switches");
	for (int i = 0; i < nr; i++)
		print_row(rows, nr, &rows[i]);
	for (int i = 0; i < nr; i++) {
		const struct row *r = &rows[i];

		for (int v = 0; v < VERDICT_OK; v++)
			if (r->verdicts[v])
				printf("%s: %s in %" PRIu64 " of %" PRIu64 " seeds (%.1f %%), first "
				       "with --seed %" PRIu64 "\n", r->image, verdict_names[v],
				       r->verdicts[v], r->seeds,
				       100.0 * (double)r->verdicts[v] / (double)r->seeds,
				       r->first_seed[v]);
		if (r->unexpected)
			printf("%s: not as the scenario expects in %" PRIu64 " of %" PRIu64 " seeds\n",
			       r->image, r->unexpected, r->seeds);
	}
}

static void print_csv(const struct row *rows, int nr)
{
	printf("image,seeds,unexpected");
	for (int v = 0; v < NR_VERDICTS; v++)
		printf(",%s", verdict_names[v]);
	printf(",worst_wait_ns,inverted_ns,boosts,switches\n");
	for (int i = 0; i < nr; i++) {
		printf("%s,%" PRIu64 ",%" PRIu64, rows[i].image, rows[i].seeds, rows[i].unexpected);
		for (int v = 0; v < NR_VERDICTS; v++)
			printf(",%" PRIu64, rows[i].verdicts[v]);
		printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", rows[i].worst_wait_ns,
		       rows[i].inverted_ns, rows[i].boosts, rows[i].switches);
	}
}

static void print_json(const struct scenario *sc, const struct row *rows, int nr)
{
	printf("{\n  \"scenario\": ");
	json_string(stdout, sc->name);
	printf(",\n  \"images\": [");
	for (int i = 0; i < nr; i++) {
		printf("%s\n    {\"image\": ", i ? "," : "");
		json_string(stdout, rows[i].image);
		printf(", \"seeds\": %" PRIu64 ", \"unexpected\": %" PRIu64 ", \"verdicts\": {",
		       rows[i].seeds, rows[i].unexpected);
		for (int v = 0; v < NR_VERDICTS; v++)
			printf("%s\"%s\": %" PRIu64, v ? ", " : "", verdict_names[v],
			       rows[i].verdicts[v]);
		printf("}, \"first_seed\": {");
		for (int v = 0, any = 0; v < NR_VERDICTS; v++)
			if (rows[i].verdicts[v])
				printf("%s\"%s\": %" PRIu64, any++ ? ", " : "", verdict_names[v],
				       rows[i].first_seed[v]);
		printf("}, \"worst_wait_ns\": %" PRIu64 ", \"inverted_ns\": %" PRIu64 ", \"boosts\": %"
		       PRIu64 ", \"switches\": %" PRIu64 "}", rows[i].worst_wait_ns,
		       rows[i].inverted_ns, rows[i].boosts, rows[i].switches);
	}
	printf("\n  ]\n}\n");
}

/* The images by name, each tried once: a wrong name shows before hours of runs, not after. */
static int name_images(const struct scenario *sc, const struct wish *w, struct row *rows, int *nr,
		       struct diag *d)
{
	const char *at = w->kernels;
	char name[sizeof(rows[0].image)];
	struct run *r;
	int more;

	while ((more = cli_list_next(&at, name, sizeof(name))) > 0) {
		int err;

		if (*nr == IMAGES_MAX)
			return diag_at(d, "--kernel", 0, 0, "more than %d images", IMAGES_MAX);
		memcpy(rows[*nr].image, name, sizeof(name));
		err = run_open(sc, name, w->carrier, &r, d);
		if (err)
			return err;
		run_close(r);
		(*nr)++;
	}
	return !more ? 0 : diag_at(d, "--kernel", 0, 0, "%.60s: expected names of images, separated "
				   "by commas", w->kernels);
}

static int run_all(const struct scenario *sc, const struct wish *w, struct row *rows, int nr,
		   struct diag *d)
{
	struct progress p;
	int err = 0;

	progress_begin(&p, w->seeds * (uint64_t)nr);
	for (int i = 0; i < nr && !err; i++)
		err = run_image(sc, w, &rows[i], &p, d);
	progress_end(&p);
	return err;
}

static int compare(const struct command *c, int argc, char **argv)
{
	struct wish w = { .carrier = "fiber", .seeds = 100 };
	struct row rows[IMAGES_MAX] = { 0 };
	struct scenario *sc;
	uint64_t unexpected = 0;
	struct diag d;
	int nr = 0, err = parse(c, argc, argv, &w);

	if (err)
		return err;
	if (scenario_load(w.file, w.sets, &sc, &d))
		return cli_fail(&d);
	err = name_images(sc, &w, rows, &nr, &d);
	if (!err)
		err = run_all(sc, &w, rows, nr, &d);
	if (!err && w.json)
		print_json(sc, rows, nr);
	else if (!err && w.csv)
		print_csv(rows, nr);
	else if (!err)
		print_table(rows, nr);
	scenario_free(sc);
	for (int i = 0; i < nr; i++)
		unexpected += rows[i].unexpected;
	if (err)
		return cli_fail(&d);
	return unexpected ? EXIT_NOT_AS_EXPECTED : EXIT_AS_EXPECTED;
}

const struct command command_compare = {
	"compare", "compare FILE --kernel A,B[,...] [--seeds N] [--carrier NAME] [--set KEY=VALUE]... [--json|--csv]",
	"Runs a scenario on several images over N seeds and prints one table.", options, compare
};
