/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML documents: limits, positions, typed reading.
 *
 * The text is parsed twice: events first, which cost nothing to throw away, so that a file that
 * is too deep or too large is refused before a tree of it is built.
 */
#include "sim/scenario/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32
#define NODES_MAX 200000
#define TIME_MAX_NS 3.6e15	/* 1,000 hours */

static int parser_error(struct doc *d, yaml_parser_t *p)
{
	bool anchor = p->context && strstr(p->context, "anchor");

	return diag_at(d->diag, d->file, p->problem_mark.line + 1, p->problem_mark.column + 1,
		       "%s; expected %s", p->problem ? p->problem : "cannot be parsed",
		       anchor ? "quotes around a name that begins with &" : "YAML (or JSON)");
}

/* What is wrong with an event that YAML itself allows, or NULL. */
static const char *unwanted(const yaml_event_t *e, int nr_documents)
{
	if (e->type == YAML_ALIAS_EVENT)
		return "an alias; write the value out";
	if (e->type == YAML_DOCUMENT_START_EVENT && nr_documents)
		return "a second document; expected one scenario in a file";
	if (e->type == YAML_SCALAR_EVENT &&
	    memchr(e->data.scalar.value, 0, e->data.scalar.length))
		return "a NUL in a value; expected text";
	return NULL;
}

/* Before anything is built: nesting and size are bounded, and an alias could be a bomb. */
static int check_limits(struct doc *d, const char *text, size_t n)
{
	yaml_parser_t p;
	int depth = 0, nodes = 0, documents = 0, err = 0;
	bool more = true;

	yaml_parser_initialize(&p);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, n);
	while (more && !err) {
		yaml_event_t e;
		yaml_mark_t at;
		const char *what;

		if (!yaml_parser_parse(&p, &e)) {
			err = parser_error(d, &p);
			break;
		}
		at = e.start_mark;
		if (e.type == YAML_MAPPING_START_EVENT || e.type == YAML_SEQUENCE_START_EVENT)
			depth++;
		if (e.type == YAML_MAPPING_END_EVENT || e.type == YAML_SEQUENCE_END_EVENT)
			depth--;
		what = unwanted(&e, documents);
		documents += e.type == YAML_DOCUMENT_START_EVENT;
		if (what)
			err = diag_at(d->diag, d->file, at.line + 1, at.column + 1, "%s", what);
		else if (depth > DEPTH_MAX)
			err = diag_at(d->diag, d->file, at.line + 1, at.column + 1,
				      "nested deeper than %d levels", DEPTH_MAX);
		else if (++nodes > NODES_MAX)
			err = diag_at(d->diag, d->file, at.line + 1, at.column + 1,
				      "more than %d values in one file", NODES_MAX);
		more = e.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
	return err;
}

int doc_parse(struct doc *d, const char *text, size_t n)
{
	yaml_parser_t p;
	int err = check_limits(d, text, n);

	if (err)
		return err;
	yaml_parser_initialize(&p);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, n);
	if (!yaml_parser_load(&p, &d->yaml)) {
		err = parser_error(d, &p);
	} else if (!yaml_document_get_root_node(&d->yaml)) {
		yaml_document_delete(&d->yaml);
		err = diag_at(d->diag, d->file, 1, 1, "nothing in it; expected a scenario");
	}
	if (!err)
		d->nr_nodes = (size_t)(d->yaml.nodes.top - d->yaml.nodes.start);
	yaml_parser_delete(&p);
	return err;
}

void doc_blank_comments(char *text, size_t n)
{
	bool string = false;

	for (size_t i = 0; i < n; i++) {
		bool line, end = false;
		char before = 0;

		if (text[i] == '"')
			string = !string;
		else if (string && text[i] == '\\')
			i++;
		if (string || i + 1 >= n || text[i] != '/' || (text[i + 1] != '*' && text[i + 1] != '/'))
			continue;
		line = text[i + 1] == '/';
		text[i] = text[i + 1] = ' ';
		for (i += 2; i < n && !end; i++) {
			end = line ? text[i] == '\n' : text[i] == '/' && before == '*';
			before = text[i];
			if (text[i] != '\n')
				text[i] = ' ';
		}
		i--;
	}
}

void doc_free(struct doc *d)
{
	yaml_document_delete(&d->yaml);
}

int doc_error(struct doc *d, const yaml_node_t *n, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if ((size_t)(n - d->yaml.nodes.start) >= d->nr_nodes)
		return diag_at(d->diag, "--set", 0, 0, "%s", text);
	return diag_at(d->diag, d->file, n->start_mark.line + 1, n->start_mark.column + 1, "%s", text);
}

yaml_node_t *doc_node(struct doc *d, int id)
{
	return yaml_document_get_node(&d->yaml, id);
}

const char *doc_text(const yaml_node_t *n)
{
	return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

const char *doc_kind(const yaml_node_t *n)
{
	switch (n->type) {
	case YAML_SCALAR_NODE:
		return "a single value";
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	default:
		return "nothing";
	}
}

int doc_map(struct doc *d, const yaml_node_t *n, const char *what)
{
	if (n->type == YAML_MAPPING_NODE)
		return 0;
	return doc_error(d, n, "%s is %s, expected a mapping", what, doc_kind(n));
}

int doc_int(struct doc *d, const yaml_node_t *n, const char *what, int64_t lo, int64_t hi,
	    int64_t *out)
{
	const char *t = doc_text(n);
	long long v;
	char *end;

	if (!t)
		return doc_error(d, n, "%s is %s, expected a whole number", what, doc_kind(n));
	errno = 0;
	v = strtoll(t, &end, 10);
	if (end == t || *end)
		return doc_error(d, n, "%s is \"%.40s\", expected a whole number", what, t);
	if (errno || v < lo || v > hi)
		return doc_error(d, n, "%s is %.40s, expected %lld to %lld", what, t, (long long)lo,
				 (long long)hi);
	*out = v;
	return 0;
}

int doc_bool(struct doc *d, const yaml_node_t *n, const char *what, bool *out)
{
	const char *t = doc_text(n);

	if (t && (!strcmp(t, "true") || !strcmp(t, "yes") || !strcmp(t, "1")))
		*out = true;
	else if (t && (!strcmp(t, "false") || !strcmp(t, "no") || !strcmp(t, "0")))
		*out = false;
	else
		return doc_error(d, n, "%s is %.40s, expected true or false", what,
				 t ? t : doc_kind(n));
	return 0;
}

int doc_string(struct doc *d, const yaml_node_t *n, const char *what, char **out)
{
	const char *t = doc_text(n);

	if (!t)
		return doc_error(d, n, "%s is %s, expected a text", what, doc_kind(n));
	if (strlen(t) != n->data.scalar.length)
		return doc_error(d, n, "%s has a NUL in it", what);
	free(*out);
	*out = strdup(t);
	return *out ? 0 : -ENOMEM;
}

int doc_time(struct doc *d, const yaml_node_t *n, const char *what, uint64_t *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e3 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }
	};
	const char *t = doc_text(n);
	char *end;
	double v;

	if (!t)
		return doc_error(d, n, "%s is %s, expected a time", what, doc_kind(n));
	v = strtod(t, &end);
	if (end == t || !isfinite(v) || (*t != '.' && (*t < '0' || *t > '9') && *t != '-'))
		return doc_error(d, n, "%s is \"%.40s\", expected a time such as 300, 15ms or 50000ns",
				 what, t);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double all = v * units[i].ns;

		if (strcmp(end, units[i].unit))
			continue;
		if (all < 0 || all > TIME_MAX_NS)
			return doc_error(d, n, "%s is %.40s, expected 0 to 1,000 hours", what, t);
		*ns = (uint64_t)llround(all);
		return 0;
	}
	return doc_error(d, n, "%s has the unit \"%.20s\", expected ns, us, ms or s", what, end);
}

int doc_word(struct doc *d, const yaml_node_t *n, const char *what, const char *const *words,
	     int *out)
{
	const char *t = doc_text(n), *near;
	char all[240] = "";
	size_t len = 0;

	if (!t)
		return doc_error(d, n, "%s is %s, expected a word", what, doc_kind(n));
	for (int i = 0; words[i]; i++) {
		if (!strcmp(t, words[i])) {
			*out = i;
			return 0;
		}
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
						i ? words[i + 1] ? ", " : " or " : "", words[i]);
	}
	near = nearest_word(t, words);
	return near ? doc_error(d, n, "%s is \"%.40s\", expected \"%s\"", what, t, near) :
		      doc_error(d, n, "%s is \"%.40s\", expected %s", what, t, all);
}
