/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --set key=value: scalars of a scenario, replaced or added before it is read.
 *
 * The document is changed, not what was read from it, so that a value from the command line
 * passes every check a value in the file passes.
 */
#include <stdio.h>
#include <string.h>

#include "sim/scenario/load.h"

#define KEY_MAX 63

static yaml_node_pair_t *pair_of(struct loader *l, const yaml_node_t *n, const char *key)
{
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const char *t = doc_text(doc_node(&l->doc, p->key));

		if (t && !strcmp(t, key))
			return p;
	}
	return NULL;
}

/* A new scalar: its node, or 0 if libyaml does not take it (no UTF-8, no memory). */
static int scalar(yaml_document_t *y, const char *text)
{
	return yaml_document_add_scalar(y, NULL, (const yaml_char_t *)text, -1,
					YAML_PLAIN_SCALAR_STYLE);
}

/* Adds a pair to mapping @self; the value is a scalar, or a mapping when @value is NULL. */
static int add_pair(yaml_document_t *y, int self, const char *key, const char *value)
{
	int k = scalar(y, key);
	int v = value ? scalar(y, value) :
			yaml_document_add_mapping(y, NULL, YAML_BLOCK_MAPPING_STYLE);

	return k && v && yaml_document_append_mapping_pair(y, self, k, v) ? v : 0;
}

/* The value of @key in mapping @self, set to @value unless that is NULL; 0: not to be had. */
static int step_down(struct loader *l, int self, const char *key, const char *value)
{
	yaml_document_t *y = &l->doc.yaml;
	yaml_node_pair_t *p = pair_of(l, doc_node(&l->doc, self), key);
	int v;

	if (!p)
		return add_pair(y, self, key, value);
	if (!value)
		return p->value;
	v = scalar(y, value);
	if (v)
		p->value = v;
	return v;
}

int load_set(struct loader *l, const char *set)
{
	const char *value = strchr(set, '='), *path = set;
	char key[KEY_MAX + 1];
	int id = 1;	/* the root */

	if (!value || value == set)
		return diag_at(l->doc.diag, "--set", 0, 0, "%.60s: expected key=value", set);
	while (path < value) {
		size_t len = strcspn(path, ".=");
		bool last = path + len == value;

		if (!len || len > KEY_MAX || (!last && path + len + 1 == value))
			return diag_at(l->doc.diag, "--set", 0, 0,
				       "%.60s: expected keys of 1 to %d characters with dots between "
				       "them", set, KEY_MAX);
		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		if (doc_node(&l->doc, id)->type != YAML_MAPPING_NODE)
			return diag_at(l->doc.diag, "--set", 0, 0,
				       "%.60s: \"%s\" is in no mapping", set, key);
		id = step_down(l, id, key, last ? value + 1 : NULL);
		if (!id)
			return diag_at(l->doc.diag, "--set", 0, 0, "%.60s: expected UTF-8 text",
				       set);
		path += len + 1;
	}
	return 0;
}
