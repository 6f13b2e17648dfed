/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs tests on images and prints KTAP.
 *
 * Each test on an image is one cmocka test, whose report is caught: it becomes the diagnostic
 * lines of KTAP.  A machine is booted once an image and number of CPUs; a schedule is a reset and
 * another seed.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/core/sanitizer.h"
#include "sim/test/private.h"

#if defined(SIM_ASAN) || defined(SIM_TSAN)
#define SEEDS 20	/* a machine boots anew for each */
#else
#define SEEDS 200
#endif
#define REPORT_MAX 4096
#define CPUS_MAX 8

static struct {
	const char *program, *only, *images, *carrier;
	int cpus[CPUS_MAX], nr_cpus;
	uint64_t first_seed, nr_seeds;
	bool list, stop;
} option = { .only = "", .carrier = "fiber", .cpus = { 1, 2, 4 }, .nr_cpus = 3, .first_seed = 1,
	     .nr_seeds = SEEDS };

static struct lab_test *tests, **last = &tests;

/* The one that runs, for cmocka's function and for what it says when it fails. */
static struct {
	const struct lab_test *test;
	const char *image;
	int cpus;
	uint64_t seed;
} now;

struct outcome {
	bool run, failed;
	char report[REPORT_MAX];
};

/* PREFIX/include/lockstep/test.h belongs to PREFIX/lib/lockstep/kernel, unless somebody says otherwise. */
static void find_images(const char *header)
{
	static const char tail[] = "/include/lockstep/test.h";
	size_t n = strlen(header), t = sizeof(tail) - 1;
	char folder[512];

	if (n <= t || strcmp(header + n - t, tail))
		return;
	snprintf(folder, sizeof(folder), "%.*s/lib/lockstep/kernel", (int)(n - t), header);
	if (!access(folder, R_OK | X_OK))
		setenv("LOCKSTEP_IMAGES", folder, 0);
}

void lab_register(struct lab_test *t, const char *header)
{
	if (!tests)
		find_images(header);
	*last = t;
	last = &t->next;
}

/* ---- patterns */

/* @patterns with commas between; a word without wildcards is looked for anywhere when @part. */
static bool matches(const char *patterns, const char *name, bool part)
{
	char copy[512], *save, *word;

	snprintf(copy, sizeof(copy), "%s", patterns);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (!fnmatch(word, name, 0) ||
		    (part && !strpbrk(word, "*?[") && strstr(name, word)))
			return true;
	}
	return false;
}

static bool stopped;	/* on this image: a test has failed, and that is enough */

/* Machines without a kernel have no files, and accesses are for those who ask: they are slow. */
static bool image_wanted(const char *image)
{
	if (!strncmp(image, "abstract", 8))
		return false;
	if (option.images)
		return matches(option.images, image, false);
	return !strstr(image, "access") && !strstr(image, "-naive");
}

static bool test_wanted(const struct lab_test *t)
{
	return !*option.only || matches(option.only, t->name, true);
}

static bool offered(const struct lab_test *t, const char *image)
{
	return !t->images || matches(t->images, image, false);
}

/* ---- one test on one image */

static void run_schedules(void **state)
{
	(void)state;
	machine_catch_faults();	/* cmocka has put its own handlers in place */
	for (volatile uint64_t i = 0; i < (now.test->one_schedule ? 1 : option.nr_seeds); i++) {
		now.seed = option.first_seed + i;
		lab_begin(now.seed, now.test->verdict);
		if (!setjmp(lab.over)) {
			now.test->body();
			lab_end();
		}
		lab_free_memory();
	}
}

/* What follows of a line of cmocka's report that says something, or NULL. */
static const char *said(const char *line)
{
	static const char *const heads[] = { "[  ERROR   ] --- ", "[   LINE   ] --- " };

	for (size_t i = 0; i < 2; i++)
		if (!strncmp(line, heads[i], strlen(heads[i])))
			return line + strlen(heads[i]);
	return strncmp(line, "[", 1) && *line ? line : NULL;
}

static void keep(struct outcome *o, char *report)
{
	size_t n = 0;
	char *save, *line;

	for (line = strtok_r(report, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *text = said(line);

		if (text && n < sizeof(o->report))
			n += (size_t)snprintf(o->report + n, sizeof(o->report) - n, "    # %s\n", text);
	}
	if (n < sizeof(o->report))
		snprintf(o->report + n, sizeof(o->report) - n,
			 "    # with %d CPU%s and seed %llu; again: %s only=%s images=%s cpus=%d seed=%llu\n",
			 now.cpus, now.cpus > 1 ? "s" : "", (unsigned long long)now.seed,
			 option.program, now.test->name, now.image, now.cpus,
			 (unsigned long long)now.seed);
}

/* cmocka under a name, with what it prints caught. */
static bool run_caught(struct outcome *o)
{
	const struct CMUnitTest t = { .name = now.test->name, .test_func = run_schedules };
	int out = dup(1), err = dup(2), caught = memfd_create("report", MFD_CLOEXEC), failed;
	char report[REPORT_MAX];
	ssize_t n;

	SIM_CHECK(out >= 0 && err >= 0 && caught >= 0);
	fflush(stdout);
	dup2(caught, 1);
	dup2(caught, 2);
	failed = _cmocka_run_group_tests(now.test->name, &t, 1, NULL, NULL);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	if (failed) {
		n = pread(caught, report, sizeof(report) - 1, 0);
		report[n > 0 ? n : 0] = 0;
		keep(o, report);
	}
	close(out);
	close(err);
	close(caught);
	return !failed;
}

static bool open_machine(struct outcome *all, size_t nr)
{
	char why[300];

	if (!lab_open(now.image, now.cpus, option.carrier, why, sizeof(why)))
		return true;
	for (size_t i = 0; i < nr; i++) {
		all[i].run = all[i].failed = true;
		snprintf(all[i].report, REPORT_MAX, "    # %s\n", why);
	}
	return false;
}

static void run_on(int cpus, struct outcome *all, size_t nr)
{
	struct outcome *o = all;
	bool open = false;

	now.cpus = cpus;
	for (const struct lab_test *t = tests; t; t = t->next) {
		if (!test_wanted(t))
			continue;
		now.test = t;
		if (!stopped && offered(t, now.image) && (!t->cpus || t->cpus == cpus) && cpus >= t->cpus_min &&
		    !o->failed) {
			if (!open && !open_machine(all, nr))
				return;
			open = true;
			o->run = true;
			o->failed = !run_caught(o);
			if (o->failed) {
				lab_close_machine();
				open = false;
				stopped = option.stop;
			}
		}
		o++;
	}
	if (open)
		lab_close_machine();
}

/* Numbers of CPUs that are asked for, and those that only single tests ask for. */
static bool cpus_wanted(int cpus)
{
	for (int i = 0; i < option.nr_cpus; i++)
		if (option.cpus[i] == cpus)
			return true;
	if (option.nr_cpus != 3)
		return false;
	for (const struct lab_test *t = tests; t; t = t->next)
		if (t->cpus == cpus && test_wanted(t))
			return true;
	return false;
}

static bool run_image(const char *image, int number, size_t nr)
{
	struct outcome *all = calloc(nr, sizeof(*all));
	size_t i = 0, failed = 0, skipped = 0;

	SIM_CHECK(all);
	now.image = image;
	stopped = false;
	for (int cpus = 1; cpus <= CPUS_MAX; cpus++)
		if (cpus_wanted(cpus))
			run_on(cpus, all, nr);
	printf("  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", image, nr);
	for (const struct lab_test *t = tests; t; t = t->next) {
		if (!test_wanted(t))
			continue;
		failed += all[i].failed;
		skipped += !all[i].run;
		printf("%s  %sok %zu %s%s\n", all[i].report, all[i].failed ? "not " : "", i + 1,
		       t->name, all[i].run ? "" : " # SKIP not for this image or number of CPUs");
		i++;
	}
	printf("# pass:%zu fail:%zu skip:%zu\n%sok %d %s\n", nr - failed - skipped, failed, skipped,
	       failed ? "not " : "", number, image);
	fflush(stdout);
	free(all);
	return !failed;
}

/* ---- the program */

static const char help[] =
	"usage: %s [key=value]...\n"
	"Runs tests of kernel code on images and prints KTAP.\n"
	"  only=PATTERN[,...]    tests whose name contains it, or matches it (* ? [])\n"
	"  images=PATTERN[,...]  images it matches; default: all but @access, which are slow\n"
	"  cpus=N[,...]          1 to %d; default: 1,2,4\n"
	"  seeds=N               schedules a test and number of CPUs; default: %d\n"
	"  seed=N                that one schedule\n"
	"  carrier=NAME          fiber or pthread\n"
	"  stop=1                no more tests on an image after the first that fails\n"
	"  list=1                names the tests, and runs none\n"
	"LOCKSTEP_TEST_IMAGES is the default of images=.\n"
	"Images are looked for in LOCKSTEP_IMAGES, kernel/ beside the program, or its prefix.\n"
	"Exit status: 0 all pass, 1 some fail, 2 usage, or nothing to run.\n";

static bool number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out <= max;
}

static bool set_cpus(const char *value)
{
	char copy[64], *save, *word;
	uint64_t n;

	snprintf(copy, sizeof(copy), "%s", value);
	option.nr_cpus = 0;
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (option.nr_cpus == CPUS_MAX || !number(word, CPUS_MAX, &n) || !n)
			return false;
		option.cpus[option.nr_cpus++] = (int)n;
	}
	return option.nr_cpus > 0;
}

static bool set(const char *key, const char *value)
{
	uint64_t n;

	if (!strcmp(key, "only"))
		option.only = value;
	else if (!strcmp(key, "images"))
		option.images = value;
	else if (!strcmp(key, "carrier"))
		option.carrier = value;
	else if (!strcmp(key, "cpus"))
		return set_cpus(value);
	else if (!strcmp(key, "seeds") && number(value, 1000000000, &n) && n)
		option.nr_seeds = n;
	else if (!strcmp(key, "seed") && number(value, UINT64_MAX, &option.first_seed))
		option.nr_seeds = 1;
	else if (!strcmp(key, "stop"))
		option.stop = true;
	else if (!strcmp(key, "list"))
		option.list = true;
	else
		return false;
	return !strcmp(option.carrier, "fiber") || !strcmp(option.carrier, "pthread");
}

/* -1: go on; else the exit status. */
static int read_options(int argc, char **argv)
{
	option.program = argv[0];
	option.images = getenv("LOCKSTEP_TEST_IMAGES");
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf(help, argv[0], CPUS_MAX, SEEDS);
			return 0;
		}
		if (value)
			*value++ = 0;
		if (!value || !set(argv[i], value)) {
			fprintf(stderr, "%s: argument %d: \"%s%s%s\" is no option or a bad value; "
				"%s --help lists them\n", argv[0], i, argv[i], value ? "=" : "",
				value ? value : "", argv[0]);
			return 2;
		}
	}
	return -1;
}

static int nothing(const char *what)
{
	fprintf(stderr, "%s: %s (images in %s)\n", option.program, what, image_folder());
	return 2;
}

int lab_main(int argc, char **argv)
{
	int status = read_options(argc, argv), nr_names, nr = 0, failed = 0;
	size_t nr_tests = 0;
	char **names;

	if (status >= 0)
		return status;
	for (const struct lab_test *t = tests; t; t = t->next) {
		nr_tests += test_wanted(t);
		if (option.list && test_wanted(t))
			printf("%s\n", t->name);
	}
	if (option.list)
		return 0;
	if (!nr_tests)
		return nothing("no test matches only=");
	nr_names = image_names(&names);
	for (int i = 0; i < nr_names; i++)
		nr += image_wanted(names[i]);
	if (!nr)
		return nothing("no image to run on");
	printf("KTAP version 1\n1..%d\n", nr);
	nr = 0;
	for (int i = 0; i < nr_names; i++) {
		if (image_wanted(names[i]))
			failed += !run_image(names[i], ++nr, nr_tests);
		free(names[i]);
	}
	if (nr_names > 0)
		free(names);
	return failed ? 1 : 0;
}
