/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_UAPI_ASM_SIGCONTEXT_H
#define LOCKSTEP_UAPI_ASM_SIGCONTEXT_H
#endif
