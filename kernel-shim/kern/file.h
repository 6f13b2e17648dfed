/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_FILE_H
#define LOCKSTEP_KERN_FILE_H

struct file;
struct file_operations;
struct inode;

struct file *lockstep_file(const char *name, const struct file_operations *fops, void *priv,
			   int flags, struct inode *inode);
/* fds[0] reads, fds[1] writes */
int lockstep_pipe(int __user *fds, int flags);
int lockstep_close(int fd);
int lockstep_install_two(int __user *fds, struct file *ends[2]);
int lockstep_fifo_new(void);
int lockstep_fifo_open(int fifo, int flags);
int lockstep_socketpair(int __user *fds, int flags);	/* socket.c */

int lockstep_dup_fd(int fd, int to);	/* to -1: the lowest free one */

/* scripted.c */
int lockstep_scripted_new(bool with_poll);
long lockstep_scripted_set(int fd, unsigned int ready);
long lockstep_scripted_asked(int fd);
long lockstep_scripted_wake(int fd, unsigned int key);

#endif
