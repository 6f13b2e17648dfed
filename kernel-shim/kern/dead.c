/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an image does not offer: it ends the run by its own name instead of pretending.
 *
 * No header is included here, so that each name can be given the same empty signature.
 */
#include "dead.h"

#include "dead.list"
