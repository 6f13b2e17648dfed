/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file and the digest of a trace; the text of events is made in ftrace_event.c.
 *
 * The file grows under another name beside its own and is renamed at the end, so that a run which
 * is given up leaves what stood there before.
 */
#include "sim/trace/ftrace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/trace/private.h"

#define BUFFER (64u << 10)
#define COMM_WIDTH 16
#define PID_WIDTH 7

/*
 * Four flags, as kernels before 5.17 print them: older readers refuse a fifth.  The machine does
 * not record them, so all are dots.
 */
static const char header[] =
	"# tracer: nop\n"
	"#\n"
	"#                                _-----=> irqs-off\n"
	"#                               / _----=> need-resched\n"
	"#                              | / _---=> hardirq/softirq\n"
	"#                              || / _--=> preempt-depth\n"
	"#                              ||| /\n"
	"#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
	"#              | |         |   ||||      |         |\n";

struct ftrace {
	FILE *file;		/* NULL: digest only */
	char *path;
	char *temporary;	/* renamed to @path at the end; NULL: @path is written directly */
	struct digest *digest;
	int error;
	struct ftrace_places places;
	size_t used;
	char buffer[BUFFER];
};

static const char *volatile unfinished;	/* the temporary of the trace opened last, or NULL */

void ftrace_abandon(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void free_writer(struct ftrace *f)
{
	if (f->temporary)
		unfinished = NULL;
	free(f->path);
	free(f->temporary);
	free(f);
}

/* Renaming over a device or a link would put a file in its place: those are written directly. */
static void choose_temporary(struct ftrace *f)
{
	size_t n = strlen(f->path) + 16;
	struct stat st;

	if (!lstat(f->path, &st) && !S_ISREG(st.st_mode))
		return;
	f->temporary = malloc(n);
	SIM_CHECK(f->temporary);
	snprintf(f->temporary, n, "%s.%d", f->path, (int)getpid());
}

int ftrace_open(const char *path, struct ftrace **out, struct diag *d)
{
	struct ftrace *f = calloc(1, sizeof(*f));

	SIM_CHECK(f);
	if (path) {
		f->path = strdup(path);
		SIM_CHECK(f->path);
		choose_temporary(f);
		f->file = fopen(f->temporary ? f->temporary : path, "w");
		if (!f->file) {
			diag_at(d, path, 0, 0, "cannot be written: %s", strerror(errno));
			free_writer(f);
			return -EINVAL;
		}
		unfinished = f->temporary;
		fputs(header, f->file);
	}
	f->digest = digest_new();
	*out = f;
	return 0;
}

static void flush(struct ftrace *f)
{
	digest_add(f->digest, f->buffer, f->used);
	if (f->file && !f->error) {
		errno = 0;
		if (fwrite(f->buffer, 1, f->used, f->file) != f->used)
			f->error = errno ? errno : EIO;
	}
	f->used = 0;
}

void ftrace_comment(struct ftrace *f, const char *text)
{
	if (!f->file)
		return;
	flush(f);
	fputs("# ", f->file);
	for (; *text; text++)
		putc((unsigned char)*text < ' ' ? ' ' : *text, f->file);
	putc('\n', f->file);
}

void ftrace_probe(void *self, const struct sim *s, const struct probe *p)
{
	const struct task *t = sim_task(s, p->task);
	struct ftrace *f = self;
	struct line l;
	char *from;

	if (f->used + LINE_ROOM > BUFFER)
		flush(f);
	from = l.at = f->buffer + f->used;
	if (t->kind == TASK_IDLE)
		put(&l, "          <idle>");
	else {
		/* at least one blank: a name may begin with '#' */
		put_blanks(&l, from, COMM_WIDTH - (int)strlen(t->name));
		put_blanks(&l, from, 1);
		put_name(&l, t->name);
	}
	put(&l, "-");
	from = l.at;
	put_number(&l, ftrace_pid(t), 0);
	put_blanks(&l, from, PID_WIDTH);
	put(&l, " [");
	put_number(&l, p->cpu, 3);
	put(&l, "] .... ");
	put_number(&l, p->at_ns / 1000000000u, 0);
	put(&l, ".");
	put_number(&l, p->at_ns % 1000000000u, 9);
	put(&l, ": ");
	ftrace_event(&l, s, p, &f->places);
	put(&l, "\n");
	f->used = (size_t)(l.at - f->buffer);
}

void ftrace_discard(struct ftrace *f)
{
	digest_end(f->digest, NULL);
	if (f->file)
		fclose(f->file);
	if (f->temporary)
		unlink(f->temporary);
	free_writer(f);
}

int ftrace_close(struct ftrace *f, char digest[DIGEST_TEXT], struct diag *d)
{
	int err = 0;

	flush(f);
	digest_end(f->digest, digest);
	if (f->file) {
		if (ferror(f->file) && !f->error)
			f->error = EIO;
		if (fclose(f->file) && !f->error)
			f->error = errno;
		if (!f->error && f->temporary && rename(f->temporary, f->path))
			f->error = errno;
		if (f->error) {
			err = diag_at(d, f->path, 0, 0, "cannot be written: %s", strerror(f->error));
			if (f->temporary)
				unlink(f->temporary);
		}
	}
	free_writer(f);
	return err;
}
