/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One scenario, one image, one seed.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/scenario/report.h"
#include "sim/scenario/run.h"
#include "sim/trace/ftrace.h"

#define SETS_MAX 64
#define IMAGE_DEFAULT "6.12-rt"

enum { OPT_KERNEL, OPT_CARRIER, OPT_SEED, OPT_SET, OPT_TRACE, OPT_JSON };

static const struct cli_option options[] = {
	[OPT_KERNEL] = { "--kernel", "IMAGE", "kernel image; lockstep list names them" },
	[OPT_CARRIER] = { "--carrier", "NAME", "fiber (default) or pthread" },
	[OPT_SEED] = { "--seed", "N", "what the oracle draws from; default 1" },
	[OPT_SET] = { "--set", "KEY=VALUE", "override a value of the scenario, by dotted path" },
	[OPT_TRACE] = { "--trace", "FILE", "write the probe stream as ftrace text" },
	[OPT_JSON] = { "--json", NULL, "print one JSON object instead of text" },
	{ 0 }
};

struct wish {
	const char *file, *image, *carrier, *trace, *sets[SETS_MAX + 1];
	uint64_t seed;
	int nr_sets;
	bool json;
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
			w->image = value;
			break;
		case OPT_CARRIER:
			w->carrier = value;
			break;
		case OPT_SEED:
			if (cli_number(c, "--seed", value, &w->seed))
				return EXIT_BAD_INPUT;
			break;
		case OPT_SET:
			if (w->nr_sets == SETS_MAX)
				return cli_usage(c, "more than %d times --set", SETS_MAX);
			w->sets[w->nr_sets++] = value;
			break;
		case OPT_TRACE:
			w->trace = value;
			break;
		case OPT_JSON:
			w->json = true;
			break;
		}
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	return w->file ? 0 : cli_usage(c, "no scenario file");
}

static void on_signal(int sig)
{
	ftrace_abandon();
	raise(sig);	/* and now as usual */
}

/* ^C leaves no half-written file behind. */
static void clean_up_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
}

static void describe(struct ftrace *trace, const struct scenario *sc, const struct wish *w)
{
	char text[300];

	/* nothing of the carrier: the file is the same on each */
	snprintf(text, sizeof(text), "lockstep " LOCKSTEP_VERSION ": %.100s on %.60s, seed %" PRIu64,
		 sc->name, w->image, w->seed);
	ftrace_comment(trace, text);
}

/* Runs once and prints.  An exit status, or a negative error with a line in @d. */
static int run_and_print(struct run *r, const struct scenario *sc, const struct wish *w,
			 struct diag *d)
{
	struct run_result result;
	struct ftrace *trace;
	int status, err;

	if (w->trace)
		clean_up_on_signals();
	err = ftrace_open(w->trace, &trace, d);
	if (err)
		return err;
	describe(trace, sc, w);
	err = run_once(r, w->seed, trace, &result, d);
	if (err) {
		ftrace_discard(trace);
		return err;
	}
	err = ftrace_close(trace, result.digest, d);
	if (!err && w->json)
		report_json(stdout, &result);
	else if (!err)
		report_text(stdout, &result);
	status = result.expected ? EXIT_AS_EXPECTED : EXIT_NOT_AS_EXPECTED;
	run_result_free(&result);
	return err ? err : status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct wish w = { .carrier = "fiber", .seed = 1 };
	struct scenario *sc;
	struct run *r;
	struct diag d;
	int status = parse(c, argc, argv, &w);

	if (status)
		return status;
	if (scenario_load(w.file, w.sets, &sc, &d))
		return cli_fail(&d);
	if (!w.image)
		w.image = sc->image ? sc->image : IMAGE_DEFAULT;
	status = run_open(sc, w.image, w.carrier, &r, &d);
	if (!status) {
		status = run_and_print(r, sc, &w, &d);
		run_close(r);
	}
	scenario_free(sc);
	return status < 0 ? cli_fail(&d) : status;
}

const struct command command_run = {
	"run", "run FILE [--kernel IMAGE] [--carrier NAME] [--seed N] [--set KEY=VALUE]... [--trace FILE] [--json]",
	"Runs a scenario once and prints the verdict, the blocking chain, a timeline and the waits.",
	options, run
};
