/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time: the host's clock, jiffies and helpers.
 */
#include "kern.h"

#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

ktime_t ktime_get(void)
{
	return lockstep_now();
}

/* All clocks are one: nobody sets the time of day. */
ktime_t ktime_get_with_offset(enum tk_offsets offs)
{
	return lockstep_now();
}

ktime_t ktime_mono_to_any(ktime_t tmono, enum tk_offsets offs)
{
	return tmono;
}

void ktime_get_ts64(struct timespec64 *ts)
{
	*ts = ns_to_timespec64(lockstep_now());
}

void ktime_get_real_ts64(struct timespec64 *ts)
{
	*ts = ns_to_timespec64(lockstep_now());
}

struct timespec64 ns_to_timespec64(s64 nsec)
{
	s32 rem;
	s64 sec = div_s64_rem(nsec, NSEC_PER_SEC, &rem);

	return (struct timespec64){ .tv_sec = sec, .tv_nsec = rem };
}

struct timespec64 timespec64_add_safe(const struct timespec64 a, const struct timespec64 b)
{
	return ns_to_timespec64(timespec64_to_ns(&a) + timespec64_to_ns(&b));
}

void set_normalized_timespec64(struct timespec64 *ts, time64_t sec, s64 nsec)
{
	*ts = ns_to_timespec64(sec * NSEC_PER_SEC + nsec);
}

int get_timespec64(struct timespec64 *ts, const struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec kts;

	if (copy_from_user(&kts, uts, sizeof(kts)))
		return -EFAULT;
	ts->tv_sec = kts.tv_sec;
	ts->tv_nsec = kts.tv_nsec;
	return 0;
}

int put_timespec64(const struct timespec64 *ts, struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec kts = { .tv_sec = ts->tv_sec, .tv_nsec = ts->tv_nsec };

	return copy_to_user(uts, &kts, sizeof(kts)) ? -EFAULT : 0;
}

int get_itimerspec64(struct itimerspec64 *it, const struct __kernel_itimerspec __user *uit)
{
	if (get_timespec64(&it->it_interval, &uit->it_interval))
		return -EFAULT;
	return get_timespec64(&it->it_value, &uit->it_value);
}

int put_itimerspec64(const struct itimerspec64 *it, struct __kernel_itimerspec __user *uit)
{
	if (put_timespec64(&it->it_interval, &uit->it_interval))
		return -EFAULT;
	return put_timespec64(&it->it_value, &uit->it_value);
}

long schedule_timeout(long timeout)
{
	ktime_t until = lockstep_now() + (u64)timeout * TICK_NSEC;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		schedule();
		return timeout;
	}
	/* Through the soft timers of this CPU, as the timer wheel would. */
	if (!schedule_hrtimeout(&until, HRTIMER_MODE_ABS_SOFT))
		return 0;
	return max_t(s64, div_u64(until - lockstep_now(), TICK_NSEC), 1);
}

unsigned long __msecs_to_jiffies(const unsigned int m)
{
	return DIV_ROUND_UP(m * HZ, MSEC_PER_SEC);
}

void jiffies_to_timespec64(const unsigned long j, struct timespec64 *ts)
{
	*ts = ns_to_timespec64((u64)j * TICK_NSEC);
}
