/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU data: the linker collects the section, boot copies it once for each CPU.
 *
 * __alloc_percpu() takes from room that each copy has behind the static part, so that one
 * offset serves both.
 */
#include "kern.h"

#include <linux/percpu.h>
#include <linux/cpumask.h>

#define PERCPU_ROOM 16384

extern char lockstep_percpu_start[], lockstep_percpu_end[];

unsigned long __per_cpu_offset[NR_CPUS];
unsigned int nr_cpu_ids = NR_CPUS;
static char *copies;
static size_t used;

void lockstep_percpu_init(void)
{
	size_t n = lockstep_percpu_end - lockstep_percpu_start;
	size_t stride = ALIGN(n + PERCPU_ROOM, 64);

	nr_cpu_ids = lockstep_machine.nr_cpus;
	copies = host->alloc(host->sim, nr_cpu_ids * stride);
	for (int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		memcpy(copies + cpu * stride, lockstep_percpu_start, n);
		__per_cpu_offset[cpu] = copies + cpu * stride - lockstep_percpu_start;
	}
}

static void __percpu *percpu_alloc(size_t size, size_t align)
{
	size_t at = ALIGN(used, align);

	if (at + size > PERCPU_ROOM)
		host->bug(host->sim, "out of per-CPU memory", __func__);
	used = at + size;
	for (int cpu = 0; cpu < lockstep_machine.nr_cpus; cpu++)
		memset(lockstep_percpu_end + at + __per_cpu_offset[cpu], 0, size);
	return (void __percpu *)(lockstep_percpu_end + at);
}

#if HAVE_PCPU_ALLOC_NOPROF
void __percpu *pcpu_alloc_noprof(size_t size, size_t align, bool reserved, gfp_t gfp)
{
	return percpu_alloc(size, align);
}
#else
void __percpu *__alloc_percpu(size_t size, size_t align)
{
	return percpu_alloc(size, align);
}

void __percpu *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	return percpu_alloc(size, align);
}
#endif

/* Groups live as long as the machine does; what they had is dropped with it. */
void free_percpu(void __percpu *p)
{
}
