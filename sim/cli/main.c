/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of commands, and what they share: options by table, so that --help cannot miss one.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = { &command_run, &command_compare, &command_list,
						  &command_scenario, &command_cc, &command_exec,
						  &command_native };

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

int cli_fail(const struct diag *d)
{
	fprintf(stderr, "lockstep: %s\n", d->text);
	return EXIT_BAD_INPUT;
}

int cli_usage(const struct command *c, const char *fmt, ...)
{
	va_list ap;

	fputs("lockstep: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see lockstep %s --help\n", c->name);
	return EXIT_BAD_INPUT;
}

int cli_list_next(const char **at, char *word, size_t n)
{
	size_t len;

	if (!*at)
		return 0;
	len = strcspn(*at, ",");
	if (!len || len >= n)
		return -1;
	memcpy(word, *at, len);
	word[len] = 0;
	*at = (*at)[len] ? *at + len + 1 : NULL;
	return 1;
}

int cli_number(const struct command *c, const char *option, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	/* strtoull() takes blanks and signs too */
	if (*text < '0' || *text > '9' || *end || errno)
		return cli_usage(c, "%s %.40s: expected a whole number", option, text);
	return 0;
}

static void help(const struct command *c)
{
	printf("usage: lockstep %s\n\n%s\n", c->usage, c->help);
	if (c->options[0].name)
		printf("\nOptions:\n");
	for (const struct cli_option *o = c->options; o->name; o++)
		printf("  %-10s %-12s %s\n", o->name, o->takes ? o->takes : "", o->help);
}

static int unknown_option(const struct command *c, const char *word)
{
	const char *words[32], *near;
	int n = 0;

	for (const struct cli_option *o = c->options; o->name && n < 31; o++)
		words[n++] = o->name;
	words[n] = NULL;
	near = nearest_word(word, words);
	cli_usage(c, "unknown option %.40s%s%s%s", word, near ? "; did you mean " : "",
		  near ? near : "", near ? "?" : "");
	return -2;
}

int cli_next(const struct command *c, struct cli_args *a, int *which, const char **value)
{
	const char *word, *equals;
	size_t len;

	if (a->at >= a->argc)
		return -1;
	word = a->argv[a->at++];
	*value = word;
	if (word[0] != '-' || !word[1])
		return 1;
	equals = strchr(word, '=');
	len = equals ? (size_t)(equals - word) : strlen(word);
	for (*which = 0; c->options[*which].name; (*which)++) {
		const struct cli_option *o = &c->options[*which];

		if (strlen(o->name) != len || strncmp(o->name, word, len))
			continue;
		if (!o->takes) {
			*value = NULL;
			return equals ? unknown_option(c, word) : 0;
		}
		if (equals) {
			*value = equals + 1;
			return 0;
		}
		if (a->at >= a->argc) {
			cli_usage(c, "%s wants %s", o->name, o->takes);
			return -2;
		}
		*value = a->argv[a->at++];
		return 0;
	}
	return unknown_option(c, word);
}

static void print_help(void)
{
	printf("lockstep: kernel locking on a simulated PREEMPT_RT machine, the same way every time\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  lockstep %s\n", commands[i]->usage);
	printf("  lockstep help [COMMAND]\n"
	       "  lockstep --version\n\n"
	       "lockstep help COMMAND says more.  Exit status: 0 as expected, 1 not as expected,\n"
	       "2 bad input or usage.\n");
}

/* NULL after a message when there is no such command. */
static const struct command *find_command(const char *name)
{
	const char *words[NR_COMMANDS + 2] = { 0 }, *near;

	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(name, commands[i]->name))
			return commands[i];
		words[i] = commands[i]->name;
	}
	words[NR_COMMANDS] = "help";
	near = nearest_word(name, words);
	fprintf(stderr, "lockstep: unknown command \"%.40s\"%s%s%s; see lockstep --help\n", name,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return NULL;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int dispatch(int argc, char **argv)
{
	bool wants_help = argc > 1 && (is_help(argv[1]) || !strcmp(argv[1], "help"));
	const struct command *c;

	if (argc < 2 || (wants_help && argc == 2)) {
		print_help();
		return argc < 2 ? EXIT_BAD_INPUT : 0;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("lockstep " LOCKSTEP_VERSION "\n");
		return 0;
	}
	c = find_command(argv[wants_help ? 2 : 1]);
	if (!c)
		return EXIT_BAD_INPUT;
	for (int k = 2; k < argc; k++)
		wants_help |= is_help(argv[k]);
	if (!wants_help)
		return c->run(c, argc - 2, argv + 2);
	help(c);
	return 0;
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* a full disk must not look like a verdict */
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "lockstep: standard output cannot be written%s%s\n",
			errno ? ": " : "", errno ? strerror(errno) : "");
		return EXIT_BAD_INPUT;
	}
	return status;
}
