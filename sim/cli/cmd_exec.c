/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ordinary programs, made by lockstep cc, on one simulated machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/exec/exec.h"

#define IMAGE_DEFAULT "6.12-rt"
#define CPUS_MAX 64
#define SECONDS_DEFAULT 600

enum { OPT_KERNEL, OPT_CARRIER, OPT_SEED, OPT_CPUS, OPT_GROUP, OPT_IRQ_THREAD, OPT_SECONDS };

static const struct cli_option options[] = {
	[OPT_KERNEL] = { "--kernel", "IMAGE", "kernel image; lockstep list names them" },
	[OPT_CARRIER] = { "--carrier", "NAME", "fiber (default) or pthread" },
	[OPT_SEED] = { "--seed", "N", "what the oracle draws from; default 1" },
	[OPT_CPUS] = { "--cpus", "N", "CPUs of the machine; default 2" },
	[OPT_GROUP] = { "--group", "NAME=Q/P", "program NAME in a group: quota/period in us" },
	[OPT_IRQ_THREAD] = { "--irq-thread", "P/L", "on each CPU one that runs L us every P us" },
	[OPT_SECONDS] = { "--seconds", "N", "virtual time the run may take; default 600" },
	{ 0 }
};

static int set_group(const struct command *c, const char *text, struct exec_config *x)
{
	struct exec_group *g = &x->groups[x->nr_groups];
	const char *equals = strchr(text, '=');
	unsigned long long quota, period;
	int end = 0;

	if (x->nr_groups == EXEC_GROUPS_MAX)
		return cli_usage(c, "more than %d times --group", EXEC_GROUPS_MAX);
	if (!equals || equals == text || equals - text > 15 || equals[1] < '0' || equals[1] > '9' ||
	    sscanf(equals + 1, "%llu/%llu%n", &quota, &period, &end) != 2 || equals[1 + end] ||
	    quota < 1000 || quota > 1000000000 || period < 1000 || period > 1000000)
		return cli_usage(c, "--group %.60s: expected NAME=QUOTA/PERIOD in us, the period 1000 to "
				 "1000000", text);
	snprintf(g->name, sizeof(g->name), "%.*s", (int)(equals - text), text);
	g->quota_ns = (int64_t)quota * 1000;
	g->period_ns = period * 1000;
	x->nr_groups++;
	return 0;
}

static int set_irq_thread(const struct command *c, const char *text, struct exec_config *x)
{
	unsigned long long period, length;
	int end = 0;

	if (*text < '0' || *text > '9' || sscanf(text, "%llu/%llu%n", &period, &length, &end) != 2 ||
	    text[end] || period < 10 || period > 1000000 || length >= period)
		return cli_usage(c, "--irq-thread %.60s: expected PERIOD/LENGTH in us, the period 10 to "
				 "1000000 and longer than the length", text);
	x->irq_period_ns = period * 1000;
	x->irq_ns = length * 1000;
	return 0;
}

static int set(const struct command *c, int which, const char *value, struct exec_config *x)
{
	uint64_t n = 0;

	switch (which) {
	case OPT_KERNEL:
		x->image = value;
		return 0;
	case OPT_CARRIER:
		x->carrier = value;
		return 0;
	case OPT_GROUP:
		return set_group(c, value, x);
	case OPT_IRQ_THREAD:
		return set_irq_thread(c, value, x);
	case OPT_SEED:
		return cli_number(c, "--seed", value, &x->seed);
	case OPT_CPUS:
		if (cli_number(c, "--cpus", value, &n))
			return EXIT_BAD_INPUT;
		x->cpus = (int)n;
		return n && n <= CPUS_MAX ? 0 : cli_usage(c, "--cpus %.20s: 1 to %d", value, CPUS_MAX);
	default:
		if (cli_number(c, "--seconds", value, &n))
			return EXIT_BAD_INPUT;
		x->duration_ns = n * 1000000000;
		return n && n <= 1000000 ? 0 : cli_usage(c, "--seconds %.20s: 1 to 1000000", value);
	}
}

/* Options end with the first program; behind it all is the programs', "--" between them. */
static int parse(const struct command *c, int argc, char **argv, struct exec_config *x)
{
	struct cli_args a = { argc, 0, argv };
	const char *value;
	int which, kind, err;

	while ((kind = cli_next(c, &a, &which, &value)) == 0) {
		err = set(c, which, value, x);
		if (err)
			return err;
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	if (kind < 0)
		return cli_usage(c, "no program");
	for (int i = a.at - 1, first = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			first = 1;
			continue;
		}
		if (first && x->nr_programs == EXEC_PROGRAMS_MAX)
			return cli_usage(c, "more than %d programs", EXEC_PROGRAMS_MAX);
		if (first)
			x->programs[x->nr_programs++] = &argv[i];
		first = 0;
	}
	return 0;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct exec_config x = { .image = IMAGE_DEFAULT, .carrier = "fiber", .seed = 1, .cpus = 2,
				 .duration_ns = SECONDS_DEFAULT * 1000000000ull };
	struct exec_result result;
	struct diag d;
	int status = parse(c, argc, argv, &x);

	if (status)
		return status;
	if (exec_run(&x, &result, &d))
		return cli_fail(&d);
	return result.status ? result.status : result.ok ? EXIT_AS_EXPECTED : EXIT_NOT_AS_EXPECTED;
}

const struct command command_exec = {
	"exec", "exec [--kernel IMAGE] [--carrier NAME] [--seed N] [--cpus N] [--group NAME=Q/P]... [--irq-thread P/L] [--seconds N] A.lab [ARG]... [-- B.lab [ARG]...]...",
	"Runs programs that lockstep cc has made on one simulated machine.  Their output is theirs; the\n"
	"verdict, if it is not ok, and the digest of the run go to standard error.  Exit status: that of the\n"
	"first program that does not end with 0; else 1 when the verdict is not ok.",
	options, run
};
