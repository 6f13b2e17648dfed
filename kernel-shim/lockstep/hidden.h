/* SPDX-License-Identifier: GPL-2.0-only */
/* Pre-included: nothing of an image is visible outside it but its entry. */
#pragma GCC visibility push(hidden)
