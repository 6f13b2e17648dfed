/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of lockstep: one file each and one line in main.c.
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/diag.h"

#define LOCKSTEP_VERSION "0.1"

enum { EXIT_AS_EXPECTED = 0, EXIT_NOT_AS_EXPECTED = 1, EXIT_BAD_INPUT = 2 };

/* An option as --help and the man page show it; "takes" NULL: a flag. */
struct cli_option {
	const char *name, *takes, *help;
};

struct command {
	const char *name, *usage, *help;
	const struct cli_option *options;	/* ends with a NULL name */
	int (*run)(const struct command *c, int argc, char **argv);
};

extern const struct command command_run, command_compare, command_list, command_scenario,
	command_cc, command_exec, command_native;

/*
 * Takes the next argument apart.  0: an option, @which is its index and @value what it takes;
 * 1: not an option, @value is the word; -1: the end; -2: bad, a message has been printed.
 */
struct cli_args {
	int argc, at;
	char **argv;
};
int cli_next(const struct command *c, struct cli_args *a, int *which, const char **value);
/* Prints a message on stderr, returns EXIT_BAD_INPUT. */
int cli_fail(const struct diag *d);
int cli_usage(const struct command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Takes the next word of a list with commas, which *at walks along.  1; 0: the end; -1: it is empty
 * or longer than @n - 1.
 */
int cli_list_next(const char **at, char *word, size_t n);
int cli_number(const struct command *c, const char *option, const char *text, uint64_t *out);

#endif
