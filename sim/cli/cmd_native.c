/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel files on real threads: stress and throughput.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/progress.h"
#include "sim/native/workload.h"
#include "sim/scenario/report.h"

#define IMAGES_MAX 64
#define THREADS_MAX 16		/* numbers of them in one table */
#define ROUNDS_MAX 1000
#define MS_MAX 100000
#define PATIENCE_MAX 3600
#define SECONDS_MAX 86400
#define STRESS_SECONDS 10
#define ROUND_MS 250
#define ROUNDS 5

enum { OPT_KERNEL, OPT_SECONDS, OPT_PATIENCE, OPT_ROUNDS, OPT_MS, OPT_THREADS, OPT_SEED, OPT_JSON };

static const struct cli_option options[] = {
	[OPT_KERNEL] = { "--kernel", "A,B[,...]", "native images; default: all" },
	[OPT_SECONDS] = { "--seconds", "N", "stress of each image; default 10" },
	[OPT_PATIENCE] = { "--patience", "N", "an event of stress is lost after that many seconds; default 60" },
	[OPT_ROUNDS] = { "--rounds", "N", "rounds of a benchmark, image after image in each; default 5" },
	[OPT_MS] = { "--ms", "N", "how long an image is measured in a round; default 250" },
	[OPT_THREADS] = { "--threads", "N[,...]", "producers of stress-epoll (1,2,4,8,16,32,64,128), workers of epoll-wait (4)" },
	[OPT_SEED] = { "--seed", "N", "sizes and modes of stress; default 1" },
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	{ 0 }
};

static const char *const programs[] = { "stress", "stress-epoll", "epoll-wait", NULL };

struct wish {
	const char *program, *kernels, *threads;
	uint64_t seconds, patience, rounds, ms, seed;
	int nr[THREADS_MAX], nr_threads;	/* of threads, each a part of the table */
	bool json;
};

struct native_list {
	struct native *image[IMAGES_MAX];
	int nr;
};

static bool measures_workers(const struct wish *w)
{
	return !strcmp(w->program, "epoll-wait");
}

static int parse_threads(const struct command *c, struct wish *w)
{
	int max = measures_workers(w) ? WORKERS_MAX : PRODUCERS_MAX, more;
	const char *at = w->threads;
	char word[8];

	if (!at)
		at = measures_workers(w) ? "4" : "1,2,4,8,16,32,64,128";
	while ((more = cli_list_next(&at, word, sizeof(word))) > 0) {
		char *end;
		long n = strtol(word, &end, 10);

		if (*end || word[0] < '0' || word[0] > '9' || n < 1 || n > max)
			break;
		if (w->nr_threads == THREADS_MAX)
			return cli_usage(c, "--threads: more than %d numbers", THREADS_MAX);
		w->nr[w->nr_threads++] = (int)n;
	}
	return !more ? 0 : cli_usage(c, "--threads %.60s: expected numbers from 1 to %d, separated by "
				     "commas", w->threads, max);
}

static int number_up_to(const struct command *c, const char *option, const char *text, uint64_t max,
			uint64_t *out)
{
	if (cli_number(c, option, text, out))
		return EXIT_BAD_INPUT;
	if (!*out || *out > max)
		return cli_usage(c, "%s %.40s: expected 1 to %" PRIu64, option, text, max);
	return 0;
}

static int known_program(const struct command *c, const char *word)
{
	const char *near;

	for (const char *const *p = programs; *p; p++)
		if (!strcmp(*p, word))
			return 0;
	near = nearest_word(word, programs);
	return cli_usage(c, "unknown program \"%.40s\"%s%s%s", word, near ? "; did you mean \"" : "",
			 near ? near : "; there are stress, stress-epoll and epoll-wait",
			 near ? "\"?" : "");
}

static int parse(const struct command *c, int argc, char **argv, struct wish *w)
{
	struct cli_args a = { argc, 0, argv };
	const char *value;
	int which, kind, err = 0;

	while (!err && (kind = cli_next(c, &a, &which, &value)) >= 0) {
		if (kind == 1) {
			if (w->program)
				return cli_usage(c, "one program at a time, not also %.60s", value);
			w->program = value;
			err = known_program(c, value);
			continue;
		}
		switch (which) {
		case OPT_KERNEL:
			w->kernels = value;
			break;
		case OPT_SECONDS:
			err = number_up_to(c, "--seconds", value, SECONDS_MAX, &w->seconds);
			break;
		case OPT_PATIENCE:
			err = number_up_to(c, "--patience", value, PATIENCE_MAX, &w->patience);
			break;
		case OPT_ROUNDS:
			err = number_up_to(c, "--rounds", value, ROUNDS_MAX, &w->rounds);
			break;
		case OPT_MS:
			err = number_up_to(c, "--ms", value, MS_MAX, &w->ms);
			break;
		case OPT_THREADS:
			w->threads = value;
			break;
		case OPT_SEED:
			err = cli_number(c, "--seed", value, &w->seed);
			break;
		case OPT_JSON:
			w->json = true;
			break;
		}
	}
	if (err || kind == -2)
		return EXIT_BAD_INPUT;
	if (!w->program)
		return cli_usage(c, "no program: stress, stress-epoll or epoll-wait");
	return parse_threads(c, w);
}

static int open_one(struct native_list *l, const char *name, struct diag *d)
{
	char why[512] = "";
	int err;

	if (l->nr == IMAGES_MAX)
		return diag_at(d, "--kernel", 0, 0, "more than %d images", IMAGES_MAX);
	err = native_open(name, &l->image[l->nr], why, sizeof(why));
	if (err == -ENOENT)
		return diag_at(d, "--kernel", 0, 0, "%.60s: no such native image in %.300s", name,
			       native_folder());
	if (err)
		return diag_at(d, "--kernel", 0, 0, "%s", why);
	l->nr++;
	return 0;
}

static int open_all(struct native_list *l, struct diag *d)
{
	char **names;
	int nr = native_names(&names), err = 0;

	for (int i = 0; i < nr; i++) {
		if (!err)
			err = open_one(l, names[i], d);
		free(names[i]);
	}
	free(names);
	if (!err && !l->nr)
		return diag_at(d, native_folder(), 0, 0, "no native images; scons builds them");
	return err;
}

static int open_wanted(struct native_list *l, const char *kernels, struct diag *d)
{
	char name[64];
	int more;

	if (!kernels)
		return open_all(l, d);
	while ((more = cli_list_next(&kernels, name, sizeof(name))) > 0) {
		int err = open_one(l, name, d);

		if (err)
			return err;
	}
	return !more ? 0 : diag_at(d, "--kernel", 0, 0, "%.60s: expected names of images, separated "
				   "by commas", kernels);
}

/* ---- stress */

static void print_stress(const struct wish *w, const struct native *n,
			 const struct stress_result *r, bool first)
{
	if (!w->json) {
		printf("%-24s %8" PRIu64 " rounds %12" PRIu64 " events   %s\n", native_name(n),
		       r->rounds, r->events, r->failure[0] ? r->failure : "ok");
		fflush(stdout);
		return;
	}
	printf("%s\n    {\"image\": ", first ? "" : ",");
	json_string(stdout, native_name(n));
	printf(", \"rounds\": %" PRIu64 ", \"events\": %" PRIu64 ", \"failure\": ", r->rounds,
	       r->events);
	if (r->failure[0])
		json_string(stdout, r->failure);
	else
		printf("null");
	printf("}");
}

/* Whatever a turn has made it has to give back. */
static void look_for_leaks(struct native *n, long objects, struct stress_result *r)
{
	long left = native_objects(n) - objects;

	if (left)
		snprintf(r->failure, sizeof(r->failure), "%ld objects of the kernel's heap are left",
			 left);
	else if (native_warnings(n))
		snprintf(r->failure, sizeof(r->failure), "the kernel has warned");
}

static int stress(const struct wish *w, struct native_list *l)
{
	uint64_t seconds = w->seconds;
	struct progress p;
	int failed = 0;

	if (w->json)
		printf("{\n  \"program\": \"stress\",\n  \"seconds\": %" PRIu64 ",\n  \"results\": [",
		       seconds);
	progress_begin(&p, seconds * (uint64_t)l->nr);
	for (int i = 0; i < l->nr; i++) {
		struct native *n = l->image[i];
		uint64_t since = native_now_ns(), seed = w->seed, told = 0;
		struct stress_result r = { 0 };
		long objects = -1;
		int err = 0;

		while (!err && (native_now_ns() - since) / 1000000000u < seconds) {
			err = stress_turn(n, seed++, (int)w->patience * 1000, &r);
			if (objects < 0)	/* what is made once has been made */
				objects = native_objects(n);
			for (; told < (native_now_ns() - since) / 1000000000u; told++)
				progress_step(&p, native_name(n));
		}
		if (!err)
			look_for_leaks(n, objects, &r);
		failed += r.failure[0] != 0;
		progress_end(&p);
		print_stress(w, n, &r, !i);
		if (err)
			break;	/* threads of it may be in our way */
	}
	if (w->json)
		printf("\n  ]\n}\n");
	return failed ? EXIT_NOT_AS_EXPECTED : EXIT_AS_EXPECTED;
}

/* ---- benchmarks: rounds in which each image has its turn, so that what the host does besides
 * meets all of them */

struct cell {
	double value[ROUNDS_MAX];
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(const struct wish *w, struct native *n, int threads)
{
	if (measures_workers(w))
		return bench_epoll_wait(n, threads, (double)w->ms / 1e3);
	return bench_stress_epoll(n, threads, (double)w->ms / 1e3);
}

static double median(const struct cell *c, uint64_t rounds)
{
	return (c->value[(rounds - 1) / 2] + c->value[rounds / 2]) / 2;
}

static void print_bench(const struct wish *w, const struct native_list *l, const struct cell *cells)
{
	bool workers = measures_workers(w);

	printf("%s: %s, median of %" PRIu64 " rounds (lowest to highest)\n", w->program,
	       workers ? "operations per second" : "events per ms", w->rounds);
	for (int t = 0; t < w->nr_threads; t++) {
		printf("%d %s%s\n", w->nr[t], workers ? "worker" : "producer",
		       w->nr[t] > 1 ? "s" : "");
		for (int i = 0; i < l->nr; i++) {
			const struct cell *c = &cells[t * l->nr + i];

			printf("  %-24s %10.0f  (%.0f to %.0f)", native_name(l->image[i]),
			       median(c, w->rounds), c->value[0], c->value[w->rounds - 1]);
			if (i)
				printf("  %.2f of %s", median(c, w->rounds) /
				       median(&cells[t * l->nr], w->rounds), native_name(l->image[0]));
			printf("\n");
		}
	}
}

static void print_bench_json(const struct wish *w, const struct native_list *l,
			     const struct cell *cells)
{
	printf("{\n  \"program\": \"%s\",\n  \"unit\": \"%s\",\n  \"rounds\": %" PRIu64
	       ",\n  \"results\": [", w->program,
	       measures_workers(w) ? "operations/s" : "events/ms", w->rounds);
	for (int k = 0; k < w->nr_threads * l->nr; k++) {
		const struct cell *c = &cells[k];

		printf("%s\n    {\"threads\": %d, \"image\": ", k ? "," : "",
		       w->nr[k / l->nr]);
		json_string(stdout, native_name(l->image[k % l->nr]));
		printf(", \"median\": %.1f, \"lowest\": %.1f, \"highest\": %.1f}",
		       median(c, w->rounds), c->value[0], c->value[w->rounds - 1]);
	}
	printf("\n  ]\n}\n");
}

static int bench(const struct wish *w, struct native_list *l)
{
	int nr = w->nr_threads * l->nr;
	struct cell *cells = calloc((size_t)nr, sizeof(*cells));
	bool lost = false;
	struct progress p;

	if (!cells)
		abort();
	progress_begin(&p, w->rounds * (uint64_t)nr);
	for (uint64_t r = 0; r < w->rounds && !lost; r++)
		for (int k = 0; k < nr && !lost; k++) {
			struct native *n = l->image[k % l->nr];

			cells[k].value[r] = measure(w, n, w->nr[k / l->nr]);
			lost = cells[k].value[r] < 0;
			if (lost)
				fprintf(stderr, "lockstep: %s: an event got lost\n", native_name(n));
			progress_step(&p, native_name(n));
		}
	progress_end(&p);
	for (int k = 0; k < nr; k++)
		qsort(cells[k].value, w->rounds, sizeof(double), by_value);
	if (!lost && w->json)
		print_bench_json(w, l, cells);
	else if (!lost)
		print_bench(w, l, cells);
	free(cells);
	return lost ? EXIT_NOT_AS_EXPECTED : EXIT_AS_EXPECTED;
}

static int run_native(const struct command *c, int argc, char **argv)
{
	struct wish w = { .seconds = STRESS_SECONDS, .patience = PATIENCE_MS / 1000,
			  .rounds = ROUNDS, .ms = ROUND_MS, .seed = 1 };
	struct native_list l = { .nr = 0 };
	struct diag d;
	int err = parse(c, argc, argv, &w);

	if (err)
		return err;
	if (open_wanted(&l, w.kernels, &d))
		return cli_fail(&d);
	return strcmp(w.program, "stress") ? bench(&w, &l) : stress(&w, &l);
}

const struct command command_native = {
	"native", "native stress|stress-epoll|epoll-wait [--kernel A,B[,...]] [--seconds N] [--patience N] [--rounds N] [--ms N] [--threads N[,...]] [--seed N] [--json]",
	"Runs kernel files on real threads, in real time: stress, or one of two benchmarks.",
	options, run_native
};
