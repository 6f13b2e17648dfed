/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A YAML document with positions: what the loader asks of libyaml.
 */
#ifndef SIM_SCENARIO_YAML_H
#define SIM_SCENARIO_YAML_H

#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

#include "sim/base/diag.h"

struct doc {
	const char *file;
	struct diag *diag;
	yaml_document_t yaml;
	size_t nr_nodes;	/* in the file; those behind came by --set */
};

/*
 * Parses and checks limits: one document, nesting, number of nodes, no aliases, no NUL.
 * 0 or -EINVAL.
 */
int doc_parse(struct doc *d, const char *text, size_t n);
void doc_free(struct doc *d);

/* Blanks the comments that json-c takes and YAML does not, keeping lines and columns. */
void doc_blank_comments(char *text, size_t n);

/* The diagnostic at a node, or at --set for a node from there; returns -EINVAL. */
int doc_error(struct doc *d, const yaml_node_t *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

yaml_node_t *doc_node(struct doc *d, int id);
const char *doc_text(const yaml_node_t *n);	/* of a scalar; else NULL */
const char *doc_kind(const yaml_node_t *n);	/* "a mapping" ... */

/* Typed reading; @what names the key in the message. */
int doc_map(struct doc *d, const yaml_node_t *n, const char *what);
int doc_int(struct doc *d, const yaml_node_t *n, const char *what, int64_t lo, int64_t hi,
	    int64_t *out);
int doc_bool(struct doc *d, const yaml_node_t *n, const char *what, bool *out);
int doc_string(struct doc *d, const yaml_node_t *n, const char *what, char **out);
/* A time: a number is microseconds, as in rt-app; or with a unit: ns us ms s. */
int doc_time(struct doc *d, const yaml_node_t *n, const char *what, uint64_t *ns);
/* One of @words (NULL-terminated): its index. */
int doc_word(struct doc *d, const yaml_node_t *n, const char *what, const char *const *words,
	     int *out);

#endif
