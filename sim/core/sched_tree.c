/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of a fair queue: entities by virtual deadline, each knowing the least virtual runtime
 * below it, so that the first eligible one is found on one way down.
 *
 * It is a treap, and what would be random in one is a number the entity keeps for life:
 * otherwise its shape, and with it the time a step takes, would differ between two equal runs.
 */
#include "sim/core/sched_private.h"

static bool before(const struct fair_entity *a, const struct fair_entity *b)
{
	if (a->deadline != b->deadline)
		return a->deadline < b->deadline;
	return a->order < b->order;
}

static struct fair_entity *update(struct fair_entity *e)
{
	e->vruntime_min = e->vruntime;
	if (e->left && e->left->vruntime_min < e->vruntime_min)
		e->vruntime_min = e->left->vruntime_min;
	if (e->right && e->right->vruntime_min < e->vruntime_min)
		e->vruntime_min = e->right->vruntime_min;
	return e;
}

/* Cuts the tree at @e: what comes before it goes to @left. */
static void split(struct fair_entity *root, const struct fair_entity *e, struct fair_entity **left,
		  struct fair_entity **right)
{
	if (!root) {
		*left = *right = NULL;
	} else if (before(root, e)) {
		split(root->right, e, &root->right, right);
		*left = update(root);
	} else {
		split(root->left, e, left, &root->left);
		*right = update(root);
	}
}

static struct fair_entity *join(struct fair_entity *a, struct fair_entity *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->shape > b->shape) {
		a->right = join(a->right, b);
		return update(a);
	}
	b->left = join(a, b->left);
	return update(b);
}

static struct fair_entity *insert(struct fair_entity *root, struct fair_entity *e)
{
	if (!root || e->shape > root->shape) {
		split(root, e, &e->left, &e->right);
		return update(e);
	}
	if (before(e, root))
		root->left = insert(root->left, e);
	else
		root->right = insert(root->right, e);
	return update(root);
}

static struct fair_entity *take_out(struct fair_entity *root, const struct fair_entity *e)
{
	if (root == e)
		return join(root->left, root->right);
	if (before(e, root))
		root->left = take_out(root->left, e);
	else
		root->right = take_out(root->right, e);
	return update(root);
}

void tree_insert(struct fair_queue *q, struct fair_entity *e)
{
	e->order = q->order++;
	e->left = e->right = NULL;
	q->root = insert(q->root, e);
	q->sum += (int64_t)e->weight * (e->vruntime - q->zero);
	q->load += e->weight;
}

void tree_remove(struct fair_queue *q, struct fair_entity *e)
{
	q->root = take_out(q->root, e);
	q->sum -= (int64_t)e->weight * (e->vruntime - q->zero);
	q->load -= e->weight;
	e->left = e->right = NULL;
}

struct fair_entity *tree_first(const struct fair_queue *q)
{
	struct fair_entity *e = q->root;

	while (e && e->left)
		e = e->left;
	return e;
}
