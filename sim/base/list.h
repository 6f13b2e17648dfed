/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doubly linked circular list whose nodes lie inside what they link.
 *
 * A node that is on no list points to itself, so taking it off twice does no harm.
 */
#ifndef SIM_BASE_LIST_H
#define SIM_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

/* The structure of @type that has @node as its @member. */
#define list_item(node, type, member) ((type *)(void *)((char *)(node) - offsetof(type, member)))

/* Walks @head; @node may not leave the list meanwhile. */
#define list_each(node, head) \
	for (struct list *node = (head)->next; node != (head); node = node->next)

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_insert(struct list *node, struct list *after)
{
	node->prev = after;
	node->next = after->next;
	after->next->prev = node;
	after->next = node;
}

static inline void list_add_head(struct list *node, struct list *head)
{
	list_insert(node, head);
}

static inline void list_add_tail(struct list *node, struct list *head)
{
	list_insert(node, head->prev);
}

static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#endif
