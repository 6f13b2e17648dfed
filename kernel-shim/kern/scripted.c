/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that is as ready as a test says, and wakes whom it is told to.
 */
#include "kern.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "file.h"

/* By itself: with POLLFREE it goes away before its file does, as a signalfd's. */
struct queue {
	struct rcu_head rcu;
	wait_queue_head_t wait;
};

struct scripted {
	struct queue *queue;
	unsigned long asked;
	__poll_t ready;
	long nr_polls;
	int fd;
};

static __poll_t scripted_poll(struct file *f, struct poll_table_struct *table)
{
	struct scripted *s = f->private_data;

	if (s->queue)
		poll_wait(f, &s->queue->wait, table);
	s->asked = (__force unsigned long)poll_requested_events(table);
	s->nr_polls++;
	host->polled(host->sim, s->fd);
	return READ_ONCE(s->ready);
}

static int scripted_release(struct inode *inode, struct file *f)
{
	struct scripted *s = f->private_data;

	kfree(s->queue);
	kfree(s);
	return 0;
}

static const struct file_operations scripted_fops = {
	.poll = scripted_poll,
	.release = scripted_release,
};

static const struct file_operations without_poll_fops = {
	.release = scripted_release,
};

int lockstep_scripted_new(bool with_poll)
{
	struct scripted *s = host->alloc(host->sim, sizeof(*s));
	struct file *f;
	int fd;

	s->queue = host->alloc(host->sim, sizeof(*s->queue));
	init_waitqueue_head(&s->queue->wait);
	fd = get_unused_fd_flags(0);
	f = fd < 0 ? ERR_PTR(fd) : lockstep_file("scripted", with_poll ? &scripted_fops :
							  &without_poll_fops, s, O_RDWR, NULL);
	if (IS_ERR(f)) {
		if (fd >= 0)
			put_unused_fd(fd);
		kfree(s->queue);
		kfree(s);
		return PTR_ERR(f);
	}
	s->fd = fd;
	fd_install(fd, f);
	return fd;
}

static struct file *get_scripted(int fd)
{
	struct file *f = fget(fd);

	if (f && f->f_op != &scripted_fops) {
		fput(f);
		f = NULL;
	}
	return f;
}

long lockstep_scripted_set(int fd, unsigned int ready)
{
	struct file *f = get_scripted(fd);
	struct scripted *s;
	long polls;

	if (!f)
		return -EBADF;
	s = f->private_data;
	WRITE_ONCE(s->ready, (__force __poll_t)ready);
	polls = s->nr_polls;
	fput(f);
	return polls;
}

long lockstep_scripted_asked(int fd)
{
	struct file *f = get_scripted(fd);
	long asked;

	if (!f)
		return -EBADF;
	asked = ((struct scripted *)f->private_data)->asked;
	fput(f);
	return asked;
}

static void free_queue(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct queue, rcu));
}

static void end_queue(struct scripted *s)
{
	struct queue *q = s->queue;

	wake_up_pollfree(&q->wait);
	s->queue = NULL;
	call_rcu(&q->rcu, free_queue);
}

long lockstep_scripted_wake(int fd, unsigned int key)
{
	struct file *f = get_scripted(fd);
	struct scripted *s;

	if (!f)
		return -EBADF;
	s = f->private_data;
	if (s->queue && ((__force __poll_t)key & POLLFREE))
		end_queue(s);
	else if (s->queue)
		wake_up_poll(&s->queue->wait, (__force __poll_t)key);
	fput(f);
	return 0;
}
