/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time: the engine's clock, the clock event device behind hrtimer.c, jiffies and helpers.
 */
#include "kern.h"

#include <linux/clockchips.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/poll.h>
#include <linux/sched/rt.h>
#include <linux/time.h>
#include <linux/timekeeping.h>

int tick_program_event(ktime_t expires, int force);
int tick_check_oneshot_change(int allow_nohz);
int tick_init_highres(void);
ktime_t ktime_get_update_offsets_now(unsigned int *cwsseq, ktime_t *real, ktime_t *boot,
				     ktime_t *tai);

static struct clock_event_device clock;

int tick_program_event(ktime_t expires, int force)
{
	host->set_event(host->sim, lockstep_focus.cpu, expires == KTIME_MAX ? U64_MAX : expires);
	return 0;
}

void lockstep_hrtimer_irq(void)
{
	hrtimer_interrupt(&clock);
}

int tick_check_oneshot_change(int allow_nohz)
{
	return 1;
}

int tick_init_highres(void)
{
	return 0;
}

#if HAVE_TICK_SETUP_SCHED_TIMER_BOOL
void tick_setup_sched_timer(bool hrtimer);
void tick_setup_sched_timer(bool hrtimer)
{
}
#else
void tick_setup_sched_timer(void);
void tick_setup_sched_timer(void)
{
}
#endif

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

ktime_t ktime_get_update_offsets_now(unsigned int *cwsseq, ktime_t *real, ktime_t *boot,
				     ktime_t *tai)
{
	return lockstep_now();
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

int get_timespec64(struct timespec64 *ts, const struct __kernel_timespec __user *uts)
{
	ts->tv_sec = uts->tv_sec;
	ts->tv_nsec = uts->tv_nsec;
	return 0;
}

int put_timespec64(const struct timespec64 *ts, struct __kernel_timespec __user *uts)
{
	uts->tv_sec = ts->tv_sec;
	uts->tv_nsec = ts->tv_nsec;
	return 0;
}

int get_itimerspec64(struct itimerspec64 *it, const struct __kernel_itimerspec __user *uit)
{
	get_timespec64(&it->it_interval, &uit->it_interval);
	return get_timespec64(&it->it_value, &uit->it_value);
}

int put_itimerspec64(const struct itimerspec64 *it, struct __kernel_itimerspec __user *uit)
{
	put_timespec64(&it->it_interval, &uit->it_interval);
	return put_timespec64(&it->it_value, &uit->it_value);
}

int poll_select_set_timeout(struct timespec64 *to, time64_t sec, long nsec)
{
	struct timespec64 rel = { .tv_sec = sec, .tv_nsec = nsec }, now;

	if (!timespec64_valid(&rel))
		return -EINVAL;
	if (!sec && !nsec) {
		*to = rel;
		return 0;
	}
	ktime_get_ts64(&now);
	*to = timespec64_add_safe(now, rel);
	return 0;
}

/* Real-time tasks sleep exactly, the others with their timer slack or 0.1 % of the time left. */
u64 select_estimate_accuracy(struct timespec64 *tv)
{
	s64 left;

	if (lockstep_realtime(current))
		return 0;
	left = timespec64_to_ns(tv) - (s64)lockstep_now();
	return max_t(s64, div_s64(left, 1000), current->timer_slack_ns);
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
