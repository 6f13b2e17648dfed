/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function entry: what -mfentry makes every function of fs/ call first.
 *
 * Arguments are still in their registers, so the common case touches none of them and the other
 * one saves all that a caller may use.
 */
#include "kern.h"

void lockstep_function_entered(const void *function);

void lockstep_function_entered(const void *function)
{
	host->function_hook(host->sim, function);
}

__asm__(".text\n"
	".globl __fentry__\n"
	".hidden __fentry__\n"
	".type __fentry__, @function\n"
	"__fentry__:\n"
	"	cmpl $0, lockstep_focus+20(%rip)\n"
	"	jne 1f\n"
	"	ret\n"
	"1:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rax\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r10\n"
	"	mov 8(%rbp), %rdi\n"
	"	and $-16, %rsp\n"
	"	call lockstep_function_entered\n"
	"	lea -64(%rbp), %rsp\n"
	"	pop %r10\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	pop %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size __fentry__, . - __fentry__\n");

_Static_assert(offsetof(struct bridge_focus, fentry_on) == 20, "the assembly above says so");
