/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiles an ordinary program for lockstep exec.
 *
 * The compiler does the work.  It is given a stand-in for the C library that has exactly the names
 * that the lab offers, so that the linker itself refuses the others, with file and line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/exec/names.h"

#define WORDS_MAX 512
#define PATH_MAX_LEN 300

static const struct cli_option options[] = {
	{ "--names", NULL, "print what a program may refer to, and compile nothing" },
	{ 0 }
};

static int write_stand_in(const char *folder)
{
	char path[PATH_MAX_LEN];
	FILE *f;

	snprintf(path, sizeof(path), "%s/libc.s", folder);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	for (int i = 0; exec_offered[i]; i++)
		fprintf(f, ".globl __wrap_%s\n.type __wrap_%s, @function\n__wrap_%s: ret\n",
			exec_offered[i], exec_offered[i], exec_offered[i]);
	for (int i = 0; exec_passed[i]; i++)
		fprintf(f, ".globl %s\n.type %s, @function\n%s: ret\n", exec_passed[i], exec_passed[i],
			exec_passed[i]);
	fprintf(f, ".data\n");
	for (int i = 0; exec_data[i]; i++)
		fprintf(f, ".globl %s\n.type %s, @object\n.size %s, 8\n%s: .quad 0\n", exec_data[i],
			exec_data[i], exec_data[i], exec_data[i]);
	if (fclose(f))
		return -errno;
	snprintf(path, sizeof(path), "%s/wraps", folder);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	for (int i = 0; exec_offered[i]; i++)
		fprintf(f, "-Wl,--wrap=%s\n", exec_offered[i]);
	return fclose(f) ? -errno : 0;
}

/* What the linker says of a missing name, in our words; other lines as they are. */
static void tell(char *line)
{
	char *at = strstr(line, "undefined reference to `"), *name, *end;

	if (!at) {
		if (!strstr(line, "in function `") && !strstr(line, "ld returned"))
			fputs(line, stderr);
		return;
	}
	name = at + strlen("undefined reference to `");
	end = strchr(name, '\'');
	if (end)
		*end = 0;
	if (at - line >= 2)
		at[-2] = 0;	/* ": " */
	if (!strncmp(line, "/usr/bin/ld: ", 13))
		line += 13;
	fprintf(stderr, "%s: %s is not offered by the lab; lockstep cc --names lists what is\n", line,
		name);
}

/* Runs a command, its messages through tell(); its exit status. */
static int run_command(char *const *words)
{
	char line[2000];
	int fd[2], status;
	pid_t pid;
	FILE *f;

	if (pipe(fd))
		return 127;
	pid = fork();
	if (!pid) {
		dup2(fd[1], 2);
		close(fd[0]);
		close(fd[1]);
		setenv("LC_ALL", "C", 1);
		execvp(words[0], words);
		dprintf(2, "lockstep: %s: %s; apt-get install gcc\n", words[0], strerror(errno));
		_exit(127);
	}
	close(fd[1]);
	f = fdopen(fd[0], "r");
	while (f && fgets(line, sizeof(line), f))
		tell(line);
	if (f)
		fclose(f);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static int compile(const char *folder, int argc, char **argv)
{
	char stand_in[PATH_MAX_LEN], source[PATH_MAX_LEN], wraps[PATH_MAX_LEN];
	char *make[] = { "gcc", "-shared", "-nostdlib", "-Wl,-soname,libc.so.6", "-o", stand_in,
			 source, NULL };
	char *words[WORDS_MAX] = { "gcc", "-g", "-fPIC", "-fno-stack-protector",
				   "-fsanitize-coverage=trace-pc", "-shared", "-nostdlib", "-Wl,-z,defs",
				   "-Wl,--build-id=none" };
	int n = 9, status;

	snprintf(stand_in, sizeof(stand_in), "%s/libc.so", folder);
	snprintf(source, sizeof(source), "%s/libc.s", folder);
	snprintf(wraps, sizeof(wraps), "@%s/wraps", folder);
	status = run_command(make);
	if (status)
		return status;
	for (int i = 0; i < argc && n < WORDS_MAX - 4; i++)
		if (strcmp(argv[i], "-pthread") && strcmp(argv[i], "-lpthread"))
			words[n++] = argv[i];
	words[n++] = wraps;
	words[n++] = stand_in;
	return run_command(words);
}

static void clean(const char *folder)
{
	static const char *const files[] = { "libc.s", "libc.so", "wraps" };
	char path[PATH_MAX_LEN];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

static int print_names(void)
{
	for (int i = 0; exec_offered[i]; i++)
		printf("%s\n", exec_offered[i]);
	for (int i = 0; exec_passed[i]; i++)
		printf("%s\n", exec_passed[i]);
	for (int i = 0; exec_data[i]; i++)
		printf("%s\n", exec_data[i]);
	return 0;
}

static int run(const struct command *c, int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	char folder[PATH_MAX_LEN - 20];
	int status;

	if (argc == 1 && !strcmp(argv[0], "--names"))
		return print_names();
	if (!argc)
		return cli_usage(c, "no source file");
	if (argc > WORDS_MAX - 20)
		return cli_usage(c, "more than %d arguments", WORDS_MAX - 20);
	/* the stand-in is made there and removed again */
	snprintf(folder, sizeof(folder), "%s/lockstep-cc-XXXXXX", tmp && *tmp ? tmp : P_tmpdir);
	if (!mkdtemp(folder)) {
		fprintf(stderr, "lockstep: %s: %s\n", folder, strerror(errno));
		return EXIT_BAD_INPUT;
	}
	status = write_stand_in(folder) ? EXIT_BAD_INPUT : compile(folder, argc, argv);
	clean(folder);
	return status ? EXIT_BAD_INPUT : 0;
}

const struct command command_cc = {
	"cc", "cc FILE.c... -o PROGRAM.lab [GCC-OPTION]... | cc --names",
	"Compiles an ordinary C program for lockstep exec; what gcc takes is passed to it.  What the lab does\n"
	"not offer is refused by name.",
	options, run
};
