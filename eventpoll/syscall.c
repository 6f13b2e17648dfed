/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls of scenario tasks: straight into the units' own entry points.
 */
#include "kernel-shim/kern/kern.h"

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/sched/rt.h>
#include <linux/uaccess.h>
#include <linux/eventpoll.h>
#include <linux/poll.h>
#include <linux/syscalls.h>
#include <linux/uio.h>

#include <lockstep/ready_list.h>
#include "kernel-shim/kern/file.h"
#include "kernel-shim/kern/signal.h"

static ssize_t rw(int fd, char __user *buf, size_t n, bool write)
{
	struct file *f = fget(fd);
	struct kiocb iocb = { .ki_filp = f };
	struct iov_iter iter = { .iter_type = ITER_UBUF, .data_source = write, .ubuf = buf,
				 .count = n };
	loff_t pos = 0;
	ssize_t ret = -EINVAL;

	if (!f)
		return -EBADF;
	if (!(f->f_mode & (write ? FMODE_WRITE : FMODE_READ)))
		ret = -EBADF;
	else if (write && f->f_op->write_iter)
		ret = f->f_op->write_iter(&iocb, &iter);
	else if (write && f->f_op->write)
		ret = f->f_op->write(f, buf, n, &pos);
	else if (!write && f->f_op->read_iter)
		ret = f->f_op->read_iter(&iocb, &iter);
	else if (!write && f->f_op->read)
		ret = f->f_op->read(f, buf, n, &pos);
	fput(f);
	return ret;
}

static long timerfd_settime_ns(int fd, int flags, s64 first_ns, s64 interval_ns,
			       struct __kernel_itimerspec __user *old)
{
	struct timespec64 first = ns_to_timespec64(first_ns);
	struct timespec64 interval = ns_to_timespec64(interval_ns);
	struct __kernel_itimerspec it = {
		.it_value = { first.tv_sec, first.tv_nsec },
		.it_interval = { interval.tv_sec, interval.tv_nsec },
	};

	return sys_timerfd_settime(fd, flags, &it, old);
}

static long nanosleep(u64 ns)
{
	ktime_t until = lockstep_now() + ns;
	u64 slack = lockstep_realtime(current) ? 0 : current->timer_slack_ns;

	set_current_state(TASK_INTERRUPTIBLE);
	schedule_hrtimeout_range(&until, slack, HRTIMER_MODE_ABS);
	return signal_pending(current) && lockstep_now() < until ? -EINTR : 0;
}

static long pause_call(void)
{
	while (!signal_pending(current)) {
		__set_current_state(TASK_INTERRUPTIBLE);
		schedule();
	}
	return -ERESTARTNOHAND;
}

static long file_flags(int fd, unsigned int cmd, unsigned long flags)
{
	struct file *f = fget(fd);
	long ret = 0;

	if (!f)
		return -EBADF;
	if (cmd == F_GETFL)
		ret = f->f_flags;
	else if (cmd == F_SETFL)
		f->f_flags = (f->f_flags & ~O_NONBLOCK) | (flags & O_NONBLOCK);
	else
		ret = -EINVAL;
	fput(f);
	return ret;
}

static long call(enum bridge_sys nr, const long a[6])
{
	switch (nr) {
	case SYS_EPOLL_CREATE1:
		return sys_epoll_create1(a[0]);
	case SYS_EPOLL_CTL:
		return sys_epoll_ctl(a[0], a[1], a[2], (struct epoll_event *)a[3]);
	case SYS_EPOLL_WAIT:
		return sys_epoll_wait(a[0], (struct epoll_event *)a[1], a[2], a[3]);
	case SYS_EVENTFD2:
		return sys_eventfd2(a[0], a[1]);
	case SYS_TIMERFD_CREATE:
		return sys_timerfd_create(a[0], a[1]);
	case SYS_TIMERFD_SETTIME:
		return timerfd_settime_ns(a[0], a[1], a[2], a[3], (void *)a[4]);
	case SYS_PIPE2:
		return lockstep_pipe((int *)a[0], a[1]);
	case SYS_READ:
		return rw(a[0], (char *)a[1], a[2], false);
	case SYS_WRITE:
		return rw(a[0], (char *)a[1], a[2], true);
	case SYS_CLOSE:
		return lockstep_close(a[0]);
	case SYS_NANOSLEEP:
		return nanosleep(a[0]);
	case SYS_SCHED_YIELD:
		yield();
		return 0;
	case SYS_EPOLL_CREATE:
		return sys_epoll_create(a[0]);
	case SYS_EPOLL_PWAIT:
		return sys_epoll_pwait(a[0], (void *)a[1], a[2], a[3], (void *)a[4], a[5]);
	case SYS_EPOLL_PWAIT2:
		return sys_epoll_pwait2(a[0], (void *)a[1], a[2], (void *)a[3], (void *)a[4], a[5]);
	case SYS_TIMERFD_GETTIME:
		return sys_timerfd_gettime(a[0], (void *)a[1]);
	case SYS_POLL:
		return sys_poll((void *)a[0], a[1], a[2]);
	case SYS_PPOLL:
		return sys_ppoll((void *)a[0], a[1], (void *)a[2], (void *)a[3], a[4]);
	case SYS_DUP:
		return lockstep_dup_fd(a[0], -1);
	case SYS_DUP2:
		return a[1] < 0 ? -EBADF : lockstep_dup_fd(a[0], a[1]);
	case SYS_FCNTL:
		return file_flags(a[0], a[1], a[2]);
	case SYS_PAUSE:
		return pause_call();
	case SYS_SOCKETPAIR:
		return lockstep_socketpair((int *)a[0], a[1]);
	case SYS_FIFO_NEW:
		return lockstep_fifo_new();
	case SYS_FIFO_OPEN:
		return lockstep_fifo_open(a[0], a[1]);
	case SYS_SCRIPTED_NEW:
		return lockstep_scripted_new(a[0]);
	case SYS_SCRIPTED_SET:
		return lockstep_scripted_set(a[0], a[1]);
	case SYS_SCRIPTED_ASKED:
		return lockstep_scripted_asked(a[0]);
	case SYS_SCRIPTED_WAKE:
		return lockstep_scripted_wake(a[0], a[1]);
	default:
		return -ENOSYS;
	}
}

long lockstep_syscall(enum bridge_sys nr, const long a[6])
{
	/* of these the first argument is an address, and no record holds one */
	bool address = nr == SYS_PIPE2 || nr == SYS_SOCKETPAIR || nr == SYS_POLL ||
		       nr == SYS_PPOLL;
	long ret;

	do {
		lockstep_of(current)->in_kernel++;
		lockstep_cost(COST_SYSCALL);
		lockstep_log(PROBE_SYS_ENTER, nr, address ? 0 : a[0]);
		ret = call(nr, a);
		if (READ_ONCE(current->__state) != TASK_RUNNING)
			host->warn(host->sim, "a task returns to user space about to sleep", NULL);
		lockstep_log(PROBE_SYS_EXIT, nr, ret);
		lockstep_leave_kernel();
	} while (lockstep_take_signals(&ret));
	return ret;
}

int lockstep_fd_ready(int epfd, int fd, uint32_t events)
{
	struct file *f = fget(fd);
	__poll_t ready;

	if (!f)
		return 0;
	ready = vfs_poll(f, NULL) & events;
	fput(f);
	return ready != 0;
}

int lockstep_epoll_ready_list(int epfd, bool *overflow)
{
	struct file *f = fget(epfd);
	int nr;

	if (!f)
		return -EBADF;
	nr = lockstep_ready_list(f, overflow);
	fput(f);
	return nr;
}
