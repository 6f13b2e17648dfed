/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages: no memory management unit, an address is an address. */
#ifndef LOCKSTEP_ASM_PAGE_H
#define LOCKSTEP_ASM_PAGE_H

#if __has_include(<vdso/page.h>)	/* later trees say it there, by CONFIG_PAGE_SHIFT */
#include <vdso/page.h>
#else
#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#endif
#define PAGE_OFFSET 0UL

#ifndef __ASSEMBLY__

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pud; } pud_t;
typedef struct { unsigned long p4d; } p4d_t;
typedef struct { unsigned long pgd; } pgd_t;
typedef struct { unsigned long pgprot; } pgprot_t;
typedef struct page *pgtable_t;

#define __pte(x) ((pte_t){ x })
#define __pmd(x) ((pmd_t){ x })
#define __pud(x) ((pud_t){ x })
#define __pgd(x) ((pgd_t){ x })
#define __pgprot(x) ((pgprot_t){ x })
#define pte_val(x) ((x).pte)
#define pmd_val(x) ((x).pmd)
#define pud_val(x) ((x).pud)
#define p4d_val(x) ((x).p4d)
#define pgd_val(x) ((x).pgd)
#define pgprot_val(x) ((x).pgprot)

#define __pa(x) ((unsigned long)(x))
#define __va(x) ((void *)(unsigned long)(x))
#define virt_to_page(x) ((struct page *)NULL)
#define pmd_page(x) ((struct page *)NULL)
#define virt_to_pfn(x) (__pa(x) >> PAGE_SHIFT)
#define pfn_valid(x) 0
#define clear_page(p) memset(p, 0, PAGE_SIZE)
#define copy_page(a, b) memcpy(a, b, PAGE_SIZE)
#define clear_user_page(p, v, pg) clear_page(p)
#define copy_user_page(a, b, v, pg) copy_page(a, b)

#include <asm-generic/memory_model.h>
#ifndef page_to_phys
#define page_to_phys(p) (page_to_pfn(p) << PAGE_SHIFT)
#endif
#include <asm-generic/getorder.h>

#endif
#endif
