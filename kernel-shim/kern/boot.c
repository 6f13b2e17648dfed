/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot, as far as it is the same whoever schedules: masks of CPUs, high-resolution timers, clock.
 */
#include "kern.h"

#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/sched/clock.h>
#include <lockstep/names.h>

DECLARE_PER_CPU(struct hrtimer_cpu_base, hrtimer_bases);	/* kernel/time/tick-internal.h */

void lockstep_hrtimers_boot(int nr_cpus)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		lockstep_focus.cpu = cpu;
		hrtimers_prepare_cpu(cpu);
		lockstep_name_raw(&per_cpu(hrtimer_bases, cpu).lock, "hrtimer_bases.lock");
#if HAVE_HRTIMERS_CPU_STARTING
		hrtimers_cpu_starting(cpu);
#endif
	}
	lockstep_focus.cpu = 0;
	hrtimers_init();
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		lockstep_focus.cpu = cpu;
		hrtimer_run_queues();
	}
	lockstep_focus.cpu = 0;
}

void lockstep_masks_boot(int nr_cpus)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		cpumask_set_cpu(cpu, &__cpu_possible_mask);
		cpumask_set_cpu(cpu, &__cpu_present_mask);
		cpumask_set_cpu(cpu, &__cpu_online_mask);
	}
	atomic_set(&__num_online_cpus, nr_cpus);
	cpumask_set_cpu(0, &__cpu_active_mask);
}

unsigned long long notrace sched_clock(void)
{
	return lockstep_now();
}
