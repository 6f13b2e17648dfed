/* SPDX-License-Identifier: GPL-2.0-only */
#define MAX_NR_ZONES 4
#define NR_PAGEFLAGS 24
#ifdef LOCKSTEP_NATIVE
#define NR_CPUS_BITS 8
#else
#define NR_CPUS_BITS 6
#endif
#define LRU_GEN_WIDTH 0
#define __LRU_REFS_WIDTH 0
/* On RT a spinlock_t is an rtmutex; page tables must not embed it. */
#define SPINLOCK_SIZE 32
