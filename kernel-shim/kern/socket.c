/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Socket pairs: connected streams of our own, since net/ is no part of an image.
 *
 * To epoll they look as a pair of Unix sockets does: the same events and the same keys of
 * wake-ups.  Source: net/unix/af_unix.c and net/core/sock.c, Linux 6.12.
 */
#include "kern.h"

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "file.h"

#define ROOM 3072		/* bytes under way in each direction */

struct end {
	wait_queue_head_t wait;
	struct end *peer;	/* NULL: closed */
	struct pair *pair;
	size_t first, len;	/* what the peer has written */
	char data[ROOM];
};

struct pair {
	spinlock_t lock;
	int open;
	struct end ends[2];
};

static __poll_t socket_poll(struct file *f, struct poll_table_struct *table)
{
	struct end *e = f->private_data;
	__poll_t ready = 0;

	poll_wait(f, &e->wait, table);
	spin_lock(&e->pair->lock);
	if (e->len)
		ready |= EPOLLIN | EPOLLRDNORM;
	if (!e->peer)
		ready |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP | EPOLLHUP;
	if (!e->peer || e->peer->len < ROOM)
		ready |= EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	spin_unlock(&e->pair->lock);
	return ready;
}

/* Moves up to a ring's worth between the caller and the ring of @e; bytes, or -EFAULT. */
static ssize_t move(struct end *e, struct iov_iter *io, size_t n, bool in)
{
	size_t at = (e->first + (in ? e->len : 0)) % ROOM, part, done;

	part = min(n, ROOM - at);
	done = in ? copy_from_iter(e->data + at, part, io) : copy_to_iter(e->data + at, part, io);
	return done ? done : -EFAULT;
}

/*
 * Copies take time, and a spinlock of a kernel without RT may not be held for it: each end has one
 * reader and one writer at a time.
 */
static ssize_t socket_read(struct kiocb *k, struct iov_iter *to)
{
	struct end *e = k->ki_filp->private_data, *peer;
	ssize_t n;

	if (!e->len) {
		if (!e->peer)
			return 0;
		if (k->ki_filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(e->wait, e->len || !e->peer))
			return -ERESTARTSYS;
		if (!e->len)
			return 0;
	}
	n = move(e, to, min(e->len, iov_iter_count(to)), false);
	if (n <= 0)
		return n;
	spin_lock(&e->pair->lock);
	e->first = (e->first + n) % ROOM;
	e->len -= n;
	peer = e->peer;
	spin_unlock(&e->pair->lock);
	if (peer)
		wake_up_interruptible_sync_poll(&peer->wait, EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND);
	return n;
}

static ssize_t socket_write(struct kiocb *k, struct iov_iter *from)
{
	struct end *e = k->ki_filp->private_data, *peer = e->peer;
	ssize_t n;

	if (!peer)
		return -EPIPE;
	if (peer->len == ROOM) {
		if (k->ki_filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(e->wait, !e->peer || e->peer->len < ROOM))
			return -ERESTARTSYS;
		if (!e->peer)
			return -EPIPE;
	}
	n = move(peer, from, min(ROOM - peer->len, iov_iter_count(from)), true);
	if (n <= 0)
		return n;
	spin_lock(&e->pair->lock);
	peer->len += n;
	spin_unlock(&e->pair->lock);
	wake_up_interruptible_sync_poll(&peer->wait,
					EPOLLIN | EPOLLPRI | EPOLLRDNORM | EPOLLRDBAND);
	return n;
}

static int socket_release(struct inode *inode, struct file *f)
{
	struct end *e = f->private_data, *peer;
	struct pair *p = e->pair;
	bool last;

	spin_lock(&p->lock);
	peer = e->peer;
	e->peer = NULL;
	if (peer)
		peer->peer = NULL;
	last = !--p->open;
	spin_unlock(&p->lock);
	if (peer)
		wake_up_interruptible_all(&peer->wait);
	if (last)
		kfree(p);
	return 0;
}

static const struct file_operations socket_fops = {
	.poll = socket_poll,
	.read_iter = socket_read,
	.write_iter = socket_write,
	.release = socket_release,
};

int lockstep_socketpair(int __user *fds, int flags)
{
	struct pair *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct file *ends[2];
	int err;

	if (!p)
		return -ENOMEM;
	spin_lock_init(&p->lock);
	p->open = 2;
	for (int i = 0; i < 2; i++) {
		init_waitqueue_head(&p->ends[i].wait);
		p->ends[i].pair = p;
		p->ends[i].peer = &p->ends[!i];
		ends[i] = lockstep_file("socket", &socket_fops, &p->ends[i], O_RDWR | flags, NULL);
	}
	err = lockstep_install_two(fds, ends);
	if (err)
		kfree(p);
	return err;
}
