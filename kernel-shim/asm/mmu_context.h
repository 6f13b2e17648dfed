/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_MMU_CONTEXT_H
#define LOCKSTEP_ASM_MMU_CONTEXT_H

struct mm_struct;
struct task_struct;

static inline void switch_mm(struct mm_struct *p, struct mm_struct *n, struct task_struct *t) { }
static inline void activate_mm(struct mm_struct *p, struct mm_struct *n) { }
static inline void deactivate_mm(struct task_struct *t, struct mm_struct *m) { }
static inline int init_new_context(struct task_struct *t, struct mm_struct *m) { return 0; }
static inline void destroy_context(struct mm_struct *m) { }
#define enter_lazy_tlb enter_lazy_tlb
static inline void enter_lazy_tlb(struct mm_struct *m, struct task_struct *t) { }

#endif
