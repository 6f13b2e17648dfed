/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and descriptors: a table a process.  The tasks of a scenario are one process, number 0.
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

#define FILES_MAX 65536
#ifdef LOCKSTEP_NATIVE
#define FILES_MIN FILES_MAX	/* threads look into it while others add: it stays where it is */
#else
#define FILES_MIN 64		/* grows by need: all of it is copied at every reset */
#endif

/* Looked into under RCU, changed under the lock. */
struct table {
	struct file **files;
	int nr, lowest_free;
	arch_spinlock_t lock;
};
static struct table tables[LOCKSTEP_PROCESSES_MAX];
#define RESERVED ((struct file *)-1L)

static struct table *mine(void)
{
	return &tables[lockstep_of(current)->process];
}

/* A file whose last reference is gone. */
struct lockstep_file_end {
	struct rcu_head rcu;
	struct file *file;
	struct lockstep_file_end *next;
};

static bool grow(struct table *t)
{
	int nr = t->nr ? t->nr * 2 : FILES_MIN;
	struct file **more;

	if (nr > FILES_MAX)
		return false;
	more = host->alloc(host->sim, nr * sizeof(*more));
	if (t->files) {
		memcpy(more, t->files, t->nr * sizeof(*more));
		host->free(host->sim, t->files);
	}
	t->files = more;
	t->nr = nr;
	return true;
}

int get_unused_fd_flags(unsigned int flags)
{
	struct table *t = mine();
	int fd;

	lockstep_lock(&t->lock);
	fd = t->lowest_free;
	while (fd < t->nr && t->files[fd])
		fd++;
	if (fd < t->nr || grow(t)) {
		t->files[fd] = RESERVED;
		t->lowest_free = fd + 1;
	} else {
		fd = -EMFILE;
	}
	lockstep_unlock(&t->lock);
	return fd;
}

/* What was there before. */
static struct file *set_slot(struct table *t, int fd, struct file *file)
{
	struct file *old = t->files[fd];

	smp_store_release(&t->files[fd], file);
	if (!file && fd < t->lowest_free)
		t->lowest_free = fd;
	return old;
}

void put_unused_fd(unsigned int fd)
{
	fd_install(fd, NULL);
}

void fd_install(unsigned int fd, struct file *file)
{
	struct table *t = mine();

	lockstep_lock(&t->lock);
	set_slot(t, fd, file);
	lockstep_unlock(&t->lock);
}

/* What was there before; a number that somebody has reserved stays so. */
static struct file *replace_file(struct table *t, int fd, struct file *file)
{
	struct file *old = RESERVED;

	lockstep_lock(&t->lock);
	if (t->files[fd] != RESERVED)
		old = set_slot(t, fd, file);
	lockstep_unlock(&t->lock);
	return old;
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

static bool one_more_reference(struct file *f)
{
	return file_ref_get(&f->f_ref);
}

bool __file_ref_get(file_ref_t *ref)
{
	return false;		/* below zero */
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

static bool one_more_reference(struct file *f)
{
	return atomic_long_inc_not_zero(&f->f_count);
}
#endif

struct file *fget(unsigned int fd)
{
	struct table *t = mine();
	struct file *f;

	rcu_read_lock();
	f = fd < t->nr ? smp_load_acquire(&t->files[fd]) : NULL;
	if (f == RESERVED || (f && !one_more_reference(f)))
		f = NULL;
	rcu_read_unlock();
	return f;
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
	struct lockstep_file_end *e = container_of(rcu, struct lockstep_file_end, rcu);

	kfree(e->file);
	kfree(e);
}

static void close_file(struct lockstep_file_end *e)
{
	struct file *f = e->file;

	eventpoll_release(f);
	if (f->f_op->release)
		f->f_op->release(f->f_inode, f);
	if (f->f_inode && atomic_dec_and_test(&f->f_inode->i_count))
		kfree(f->f_inode);
	call_rcu(&e->rcu, free_file);
}

/* Closing one file may drop the last reference to another. */
void lockstep_close_files(void)
{
	struct lockstep_task *t = lockstep_of(current);

	while (t->closing) {
		struct lockstep_file_end *e = t->closing;

		t->closing = e->next;
		close_file(e);
	}
}

/*
 * Whoever drops the last reference may hold locks that closing takes, so a task in a system call
 * closes on its way out of the kernel.
 */
void fput(struct file *file)
{
	struct lockstep_task *t = lockstep_of(current);
	struct lockstep_file_end *e, **last = &t->closing;

	if (!last_reference(file))
		return;
	e = host->alloc(host->sim, sizeof(*e));
	e->file = file;
	while (*last)
		last = &(*last)->next;
	*last = e;
	if (!t->in_kernel)
		lockstep_close_files();
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
	if (inode)
		atomic_inc(&inode->i_count);
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
	struct table *t = mine();
	struct file *f = fd >= 0 && fd < t->nr ? replace_file(t, fd, NULL) : NULL;

	if (!f || f == RESERVED)
		return -EBADF;
	fput(f);
	lockstep_close_files();
	return 0;
}

/* As dup2(): the file that was there is closed.  Gives @f away. */
static int install_at(struct file *f, int to)
{
	struct table *t = mine();
	struct file *old;

	while (to >= t->nr)
		grow(t);
	old = replace_file(t, to, f);
	if (old == RESERVED) {
		fput(f);
		return -EBUSY;
	}
	if (old)
		fput(old);
	lockstep_close_files();
	return to;
}

int lockstep_dup_fd(int fd, int to)
{
	struct file *f = fget(fd);

	if (!f)
		return -EBADF;
	if (to == fd || to >= FILES_MAX) {
		fput(f);
		return to == fd ? fd : -EBADF;
	}
	if (to >= 0)
		return install_at(f, to);
	to = get_unused_fd_flags(0);
	if (to < 0)
		fput(f);
	else
		fd_install(to, f);
	return to;
}

/* A process begins with the files of the caller's, or with none. */
void lockstep_files_new(int process, bool copy)
{
	const struct table *from = mine();
	struct table *t = &tables[process];

	t->lowest_free = 3;
	if (!copy || !from->nr)
		return;
	t->files = host->alloc(host->sim, from->nr * sizeof(*t->files));
	t->nr = from->nr;
	t->lowest_free = from->lowest_free;
	for (int fd = 0; fd < t->nr; fd++)
		if (from->files[fd] && from->files[fd] != RESERVED)
			t->files[fd] = get_file(from->files[fd]);
}

void lockstep_files_end(int process)
{
	struct table *t = &tables[process];

	for (int fd = 0; fd < t->nr; fd++)
		if (t->files[fd] && t->files[fd] != RESERVED)
			fput(t->files[fd]);
	if (t->files)
		host->free(host->sim, t->files);
	*t = (struct table){ };
}

void lockstep_set_process(struct task *t, int process)
{
	lockstep_of(lockstep_task_of(t))->process = process;
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	return file->f_pos;
}

/* ---- pipes: the tree's pipe.c on an inode of ours */

extern const struct file_operations pipefifo_fops;

static struct super_block pipe_super;
static DEFINE_PER_CPU(unsigned int, pipe_writers);

/* Both ends, if there are two, get descriptors and the caller is told them; or both are freed. */
int lockstep_install_two(int __user *fds, struct file *ends[2])
{
	int fd[2] = { -1, -1 }, err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		fd[i] = IS_ERR(ends[i]) ? PTR_ERR(ends[i]) : get_unused_fd_flags(0);
		err = min(fd[i], 0);
	}
	if (!err && copy_to_user(fds, fd, sizeof(fd)))
		err = -EFAULT;
	for (int i = 0; i < 2; i++) {
		if (!err) {
			fd_install(fd[i], ends[i]);
			continue;
		}
		if (fd[i] >= 0)
			put_unused_fd(fd[i]);
		if (!IS_ERR(ends[i]))
			kfree(ends[i]);
	}
	return err;
}

static struct inode *fifo_inode(void)
{
	struct inode *inode = host->alloc(host->sim, sizeof(*inode));

	spin_lock_init(&inode->i_lock);
	inode->i_sb = &pipe_super;
	inode->i_mode = S_IFIFO | 0600;
	return inode;
}

static struct file *fifo_file(struct inode *inode, void *pipe, int flags)
{
	struct file *f = lockstep_file("fifo", &pipefifo_fops, pipe, flags, inode);

	if (!IS_ERR(f))
		f->f_flags |= O_NOATIME;
	return f;
}

/* With O_RDWR each end is open for both, as a FIFO may be: one file on two wait queues. */
int lockstep_pipe(int __user *fds, int flags)
{
	bool both = (flags & O_ACCMODE) == O_RDWR;
	struct pipe_inode_info *pipe = alloc_pipe_info();
	struct file *ends[2];
	struct inode *inode;
	int err;

	if (!pipe)
		return -ENFILE;
	inode = fifo_inode();
	inode->i_pipe = pipe;
	pipe->files = 2;
	pipe->readers = pipe->writers = both ? 2 : 1;
	for (int i = 0; i < 2; i++)
		ends[i] = fifo_file(inode, pipe, (both ? O_RDWR : i ? O_WRONLY : O_RDONLY) |
				    (flags & O_NONBLOCK));
	err = lockstep_install_two(fds, ends);
	if (!err)
		return 0;
	free_pipe_info(pipe);
	kfree(inode);
	return err;
}

/* Named pipes go by a number: names are the host's. */
static struct inode *fifos[LOCKSTEP_FIFOS_MAX];
static int nr_fifos;

int lockstep_fifo_new(void)
{
	if (nr_fifos == LOCKSTEP_FIFOS_MAX)
		return -ENOSPC;
	fifos[nr_fifos] = fifo_inode();
	atomic_inc(&fifos[nr_fifos]->i_count);
	return nr_fifos++;
}

/* As open(2) does it: a reader waits for a writer and the other way round. */
int lockstep_fifo_open(int fifo, int flags)
{
	struct file *f;
	int fd, err;

	if (fifo < 0 || fifo >= nr_fifos)
		return -ENOENT;
	fd = get_unused_fd_flags(0);
	if (fd < 0)
		return fd;
	f = fifo_file(fifos[fifo], NULL, flags);
	err = IS_ERR(f) ? PTR_ERR(f) : f->f_op->open(fifos[fifo], f);
	if (err) {
		put_unused_fd(fd);
		if (!IS_ERR(f)) {
			atomic_dec(&fifos[fifo]->i_count);
			kfree(f);
		}
		return err;
	}
	fd_install(fd, f);
	return fd;
}

int stream_open(struct inode *inode, struct file *f)
{
	f->f_mode &= ~(FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE | FMODE_ATOMIC_POS);
	f->f_mode |= FMODE_STREAM;
	return 0;
}

void lockstep_file_init(void)
{
	tables[0].lowest_free = 3;
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
