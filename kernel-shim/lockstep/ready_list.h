/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pre-included for fs/eventpoll.c: a look at the ready list of an epoll file, for tests.
 *
 * struct eventpoll is private to that file, so the function that knows it has to be defined in
 * it, and behind the struct: the file's last line, its initcall, brings it along.
 */
#ifndef LOCKSTEP_READY_LIST_H
#define LOCKSTEP_READY_LIST_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>

#define LOCKSTEP_READY_MAX 65536	/* a list that is longer goes round in circles */

/*
 * lockstep_ready_list - number of items on the ready list of @file, an epoll
 *
 * @overflow: set to whether items wait on the list for events during a scan
 *
 * Takes no lock and no time, so it tells the truth only where nobody can be in the middle of a
 * change.  Return: the number, -EINVAL for other files, -EUCLEAN when the list walked backward
 * is not the list walked forward.
 */
int lockstep_ready_list(struct file *file, bool *overflow);

#define LOCKSTEP_READY_LIST                                                                       \
	__no_sanitize_thread notrace int lockstep_ready_list(struct file *file, bool *overflow)   \
	{                                                                                         \
		struct list_head *head, *p;                                                       \
		struct eventpoll *ep;                                                             \
		int nr = 0;                                                                       \
                                                                                                  \
		if (file->f_op != &eventpoll_fops)                                                \
			return -EINVAL;                                                           \
		ep = file->private_data;                                                          \
		*overflow = ep->ovflist && ep->ovflist != EP_UNACTIVE_PTR;                        \
		head = &ep->rdllist;                                                              \
		for (p = head; nr <= LOCKSTEP_READY_MAX; p = p->next, nr++) {                     \
			if (!p->next || p->next->prev != p)                                       \
				return -EUCLEAN;                                                  \
			if (p->next == head)                                                      \
				return nr;                                                        \
		}                                                                                 \
		return -EUCLEAN;                                                                  \
	}

#undef fs_initcall
#define fs_initcall(fn)                                                                           \
	__define_initcall(fn, 5);                                                                 \
	LOCKSTEP_READY_LIST

#endif
