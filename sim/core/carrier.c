/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/core/carrier.h"

#include <stddef.h>
#include <string.h>

const struct carrier_ops *carrier_by_name(const char *name)
{
	static const struct carrier_ops *const all[] = { &carrier_fiber, &carrier_pthread };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
