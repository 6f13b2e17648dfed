/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_KERN_FILE_H
#define LOCKSTEP_KERN_FILE_H

struct file;
struct file_operations;
struct inode;

struct file *lockstep_file(const char *name, const struct file_operations *fops, void *priv,
			   int flags, struct inode *inode);
/* fds[0] reads, fds[1] writes */
int lockstep_pipe(int fds[2], int flags);
int lockstep_close(int fd);

#endif
