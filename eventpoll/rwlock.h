/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lock-free adds for the rwlock overlay: several producers hold the ready-list lock for reading
 * at once, so an add must be right while other adds run.
 *
 * Between the exchange and the link behind it a forward walk does not see the new node; whoever
 * walks or removes holds the lock for writing and never meets that state.
 *
 * Source: the algorithm as FACTS of mainline 5.1 to 6.17 describe it; the code is ours.
 */
#ifndef LOCKSTEP_EVENTPOLL_RWLOCK_H
#define LOCKSTEP_EVENTPOLL_RWLOCK_H

#include <linux/atomic.h>
#include <linux/list.h>

/*
 * Adds @node at the end of @head.  A free node points to itself, and whoever changes that owns
 * it: false when somebody else was first.
 */
static inline bool lockstep_add_tail(struct list_head *node, struct list_head *head)
{
	struct list_head *before;

	if (cmpxchg(&node->next, node, head) != node)
		return false;
	before = xchg(&head->prev, node);
	node->prev = before;
	WRITE_ONCE(before->next, node);
	return true;
}

/*
 * Pushes @node, whose link to the next one is @link, on the stack @top.  A free node's link is
 * @unlinked: false when somebody else was first.
 */
#define lockstep_push(node, link, top, unlinked)                                                  \
	({                                                                                        \
		bool __mine = cmpxchg(&(link), (unlinked), NULL) == (unlinked);                   \
                                                                                                  \
		if (__mine)                                                                       \
			WRITE_ONCE(link, xchg(&(top), (node)));                                   \
		__mine;                                                                           \
	})

#endif
