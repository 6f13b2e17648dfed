/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls by the kernel's names. */
#ifndef SIM_CORE_SYSNAME_H
#define SIM_CORE_SYSNAME_H

#include <stdint.h>

const char *sys_name(uint32_t nr);
/* Its first argument; NULL: that is an address, or there is none. */
const char *sys_argument(uint32_t nr);

#endif
