/* SPDX-License-Identifier: GPL-2.0-only */
/* High-resolution timers as probe records. */
#include_next <trace/events/timer.h>
#ifndef LOCKSTEP_TRACE_TIMER_H
#define LOCKSTEP_TRACE_TIMER_H

struct hrtimer;

void lockstep_hrtimer_start(struct hrtimer *timer);
void lockstep_hrtimer_entry(struct hrtimer *timer);
void lockstep_hrtimer_exit(struct hrtimer *timer);

#define trace_hrtimer_start(timer, ...) lockstep_hrtimer_start(timer)
#define trace_hrtimer_expire_entry(timer, now) lockstep_hrtimer_entry(timer)
#define trace_hrtimer_expire_exit(timer) lockstep_hrtimer_exit(timer)

#endif
