/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOCKSTEP_ASM_ELF_H
#define LOCKSTEP_ASM_ELF_H

#define ELF_CLASS ELFCLASS64
#define ELF_DATA ELFDATA2LSB
#define ELF_ARCH EM_X86_64
typedef unsigned long elf_greg_t;
typedef elf_greg_t elf_gregset_t[1];
typedef unsigned long elf_fpregset_t[1];
#define elf_check_arch(x) 1

#endif
