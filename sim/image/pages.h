/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saved memory, and bringing it back: only what has been written since.
 *
 * Most of an image's data is never written by a run, and copying it would be most of a reset.
 * From the first restore on, pages are write-protected; the first write to one is a fault,
 * after which the page is writable for good and copied by every restore.
 */
#ifndef SIM_IMAGE_PAGES_H
#define SIM_IMAGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

struct pages;

/*
 * Saves @len bytes at @start, which are private, writable memory.  All of the last page must
 * belong to them, and of the first what lies behind @start.
 */
struct pages *pages_save(char *start, size_t len);
/* Everything is as it was when it was saved. */
void pages_restore(struct pages *p);
/* Forgets the copy; the memory is writable and stays as it is. */
void pages_free(struct pages *p);
/*
 * A write to @addr has faulted: true when it lies in a page that was protected here and is now
 * writable.  Safe in a signal handler.
 */
bool pages_fault(const void *addr);
/* How many pages a restore copies, for those who measure. */
size_t pages_written(const struct pages *p);

#endif
