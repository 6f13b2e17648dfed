/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock event device behind hrtimer.c: the engine's.
 */
#include "kern.h"

#include <linux/clockchips.h>
#include <linux/hrtimer.h>
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

ktime_t ktime_get_update_offsets_now(unsigned int *cwsseq, ktime_t *real, ktime_t *boot,
				     ktime_t *tai)
{
	return lockstep_now();
}
