/* SPDX-License-Identifier: GPL-2.0-only */
/* The running task of the CPU in focus: the engine keeps it, a thread-local would be wrong. */
#ifndef LOCKSTEP_ASM_CURRENT_H
#define LOCKSTEP_ASM_CURRENT_H

#include <lockstep/focus.h>

struct task_struct;

#define get_current() ((struct task_struct *)lockstep_focus.current_task)
#define current get_current()

#endif
