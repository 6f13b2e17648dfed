/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and descriptors: one table for the machine, since all tasks share one set of files.
 */
#include "kern.h"

#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/uaccess.h>
#include <linux/eventpoll.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>

#include <lockstep/names.h>
#include "file.h"

#define FILES_MIN 64
#define FILES_MAX 65536

/* Grows by need: all of it is copied at every reset. */
static struct file **files;
static int nr_files;
static int lowest_free;
#define RESERVED ((struct file *)-1L)

struct file_end {
	struct rcu_head rcu;
	struct file *file;
};

static bool grow(void)
{
	int nr = nr_files ? nr_files * 2 : FILES_MIN;
	struct file **more;

	if (nr > FILES_MAX)
		return false;
	more = host->alloc(host->sim, nr * sizeof(*more));
	if (files) {
		memcpy(more, files, nr_files * sizeof(*more));
		host->free(host->sim, files);
	}
	files = more;
	nr_files = nr;
	return true;
}

int get_unused_fd_flags(unsigned int flags)
{
	for (int fd = lowest_free; fd < nr_files || grow(); fd++) {
		if (files[fd])
			continue;
		files[fd] = RESERVED;
		lowest_free = fd + 1;
		return fd;
	}
	return -EMFILE;
}

void put_unused_fd(unsigned int fd)
{
	files[fd] = NULL;
	if ((int)fd < lowest_free)
		lowest_free = fd;
}

void fd_install(unsigned int fd, struct file *file)
{
	files[fd] = file;
}

#if HAVE_FILE_REF
static void first_reference(struct file *f)
{
	file_ref_init(&f->f_ref, 1);
}

static bool last_reference(struct file *f)
{
	return file_ref_put(&f->f_ref);
}

/* Below zero: the last one is gone, or the file was dead already. */
bool __file_ref_put(file_ref_t *ref, unsigned long cnt)
{
	if (cnt != FILE_REF_NOREF)
		return false;
	atomic_long_set(&ref->refcnt, FILE_REF_DEAD);
	return true;
}
#else
static void first_reference(struct file *f)
{
	atomic_long_set(&f->f_count, 1);
}

static bool last_reference(struct file *f)
{
	return atomic_long_dec_and_test(&f->f_count);
}
#endif

struct file *fget(unsigned int fd)
{
	struct file *f = fd < nr_files ? files[fd] : NULL;

	if (!f || f == RESERVED)
		return NULL;
	return get_file(f);
}

/* Taking a reference is always right; borrowing one is an optimisation. */
#if HAVE_STRUCT_FD_WORD
struct fd fdget(unsigned int fd)
{
	struct file *f = fget(fd);

	return f ? CLONED_FD(f) : EMPTY_FD;
}
#else
unsigned long __fdget(unsigned int fd)
{
	struct file *f = fget(fd);

	return f ? (unsigned long)f | FDPUT_FPUT : 0;
}
#endif

static void free_file(struct rcu_head *rcu)
{
	struct file_end *e = container_of(rcu, struct file_end, rcu);

	kfree(e->file);
	kfree(e);
}

void fput(struct file *file)
{
	struct file_end *e;

	if (!last_reference(file))
		return;
	eventpoll_release(file);
	if (file->f_op->release)
		file->f_op->release(file->f_inode, file);
	e = host->alloc(host->sim, sizeof(*e));
	e->file = file;
	call_rcu(&e->rcu, free_file);
}

struct file *lockstep_file(const char *name, const struct file_operations *fops, void *priv,
			   int flags, struct inode *inode)
{
	struct file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return ERR_PTR(-ENFILE);
	spin_lock_init(&f->f_lock);
	first_reference(f);
	f->f_op = fops;
	f->private_data = priv;
	f->f_flags = flags & (O_ACCMODE | O_NONBLOCK);
	f->f_mode = OPEN_FMODE(flags) | FMODE_OPENED | FMODE_CAN_READ | FMODE_CAN_WRITE;
	f->f_inode = inode;
	return f;
}

struct file *anon_inode_getfile(const char *name, const struct file_operations *fops, void *priv,
				int flags)
{
	return lockstep_file(name, fops, priv, flags, NULL);
}

struct file *anon_inode_getfile_fmode(const char *name, const struct file_operations *fops,
				      void *priv, int flags, fmode_t f_mode)
{
	struct file *f = anon_inode_getfile(name, fops, priv, flags);

	if (!IS_ERR(f))
		f->f_mode |= f_mode;
	return f;
}

int anon_inode_getfd(const char *name, const struct file_operations *fops, void *priv, int flags)
{
	int fd = get_unused_fd_flags(flags);
	struct file *f;

	if (fd < 0)
		return fd;
	f = anon_inode_getfile(name, fops, priv, flags);
	if (IS_ERR(f)) {
		put_unused_fd(fd);
		return PTR_ERR(f);
	}
	fd_install(fd, f);
	return fd;
}

int lockstep_close(int fd)
{
	struct file *f = fget(fd);

	if (!f)
		return -EBADF;
	put_unused_fd(fd);
	fput(f);
	fput(f);
	return 0;
}

int lockstep_dup_fd(int fd, int to)
{
	struct file *f = fget(fd);

	if (!f)
		return -EBADF;
	if (to == fd) {
		fput(f);
		return fd;
	}
	if (to >= FILES_MAX) {
		fput(f);
		return -EBADF;
	}
	while (to >= nr_files)
		grow();
	if (to < 0)
		to = get_unused_fd_flags(0);
	else if (files[to])
		lockstep_close(to);
	if (to < 0) {
		fput(f);
		return to;
	}
	fd_install(to, f);
	while (lowest_free < nr_files && files[lowest_free])
		lowest_free++;
	return to;
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	return file->f_pos;
}

/* ---- pipes: the tree's pipe.c on an inode of ours */

extern const struct file_operations pipefifo_fops;

static struct super_block pipe_super;
static DEFINE_PER_CPU(unsigned int, pipe_writers);

/* With O_RDWR each end is open for both, as a FIFO may be: one file on two wait queues. */
int lockstep_pipe(int __user *fds, int flags)
{
	bool both = (flags & O_ACCMODE) == O_RDWR;
	struct pipe_inode_info *pipe = alloc_pipe_info();
	struct file *ends[2] = { };
	struct inode *inode;
	int fd[2] = { -1, -1 }, err;

	if (!pipe)
		return -ENFILE;
	inode = host->alloc(host->sim, sizeof(*inode));
	spin_lock_init(&inode->i_lock);
	inode->i_sb = &pipe_super;
	inode->i_mode = S_IFIFO | 0600;
	inode->i_pipe = pipe;
	pipe->files = 2;
	pipe->readers = pipe->writers = both ? 2 : 1;
	for (int i = 0; i < 2; i++) {
		ends[i] = lockstep_file("fifo", &pipefifo_fops, pipe,
					(both ? O_RDWR : i ? O_WRONLY : O_RDONLY) |
					(flags & O_NONBLOCK), inode);
		fd[i] = IS_ERR(ends[i]) ? PTR_ERR(ends[i]) : get_unused_fd_flags(0);
		if (fd[i] < 0) {
			err = fd[i];
			goto undo;
		}
		ends[i]->f_flags |= O_NOATIME;
	}
	err = copy_to_user(fds, fd, sizeof(fd)) ? -EFAULT : 0;
	if (err)
		goto undo;
	for (int i = 0; i < 2; i++)
		fd_install(fd[i], ends[i]);
	return 0;
undo:
	for (int i = 0; i < 2; i++) {
		if (fd[i] >= 0)
			put_unused_fd(fd[i]);
		if (!IS_ERR_OR_NULL(ends[i]))
			kfree(ends[i]);
	}
	free_pipe_info(pipe);
	host->free(host->sim, inode);
	return err;
}

void lockstep_file_init(void)
{
	lowest_free = 3;
	pipe_super.s_writers.rw_sem[0].read_count = &pipe_writers;
}

int file_update_time(struct file *file)
{
	return 0;
}

void touch_atime(const struct path *path)
{
}

void kill_fasync(struct fasync_struct **fp, int sig, int band)
{
}
