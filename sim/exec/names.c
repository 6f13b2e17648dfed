/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/exec/names.h"

#include <stddef.h>

const char *const exec_offered[] = {
	/* call.c */
	"epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
	"eventfd", "timerfd_create", "timerfd_settime", "timerfd_gettime", "pipe", "pipe2", "mkfifo",
	"open", "socketpair", "poll", "ppoll", "read", "write", "close", "dup", "dup2", "fcntl",
	"nanosleep", "clock_nanosleep", "usleep", "sleep", "clock_gettime", "gettimeofday", "time",
	"syscall", "sched_yield", "sched_setscheduler", "sched_setaffinity",
	/* process.c */
	"fork", "waitpid", "wait", "_exit", "exit", "abort", "atexit", "getpid", "getppid", "gettid",
	"setpgrp", "setpgid", "__assert_fail",
	/* signal.c */
	"sigaction", "signal", "sigprocmask", "pthread_sigmask", "kill", "raise", "alarm", "pause",
	"pthread_kill",
	/* thread.c */
	"pthread_create", "pthread_join", "pthread_tryjoin_np", "pthread_detach", "pthread_exit",
	"pthread_self", "pthread_equal", "pthread_setname_np", "pthread_setaffinity_np",
	"pthread_setschedparam", "pthread_key_create", "pthread_getspecific", "pthread_setspecific",
	"pthread_once",
	/* sync.c */
	"pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock",
	"pthread_mutex_unlock", "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait",
	"pthread_cond_timedwait", "pthread_cond_signal", "pthread_cond_broadcast",
	"pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait",
	/* limits.c */
	"sysconf", "get_nprocs", "get_nprocs_conf", "sched_getcpu", "getrlimit", "setrlimit",
	/* memory.c */
	"malloc", "calloc", "realloc", "free", "strdup", "strndup", "asprintf", "mmap", "munmap",
	NULL
};

const char *const exec_passed[] = {
	"__errno_location", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
	"_setjmp", "setjmp", "__sigsetjmp", "longjmp", "siglongjmp", "getenv", "getopt", "getopt_long",
	"printf", "fprintf", "vprintf", "vfprintf", "dprintf", "snprintf", "vsnprintf", "sprintf",
	"vsprintf", "puts", "fputs", "putchar", "putc", "fputc", "fwrite", "fflush", "setvbuf", "perror",
	"err", "errx", "warn", "warnx", "sscanf", "__isoc99_sscanf", "strerror", "strsignal",
	"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp",
	"strcasecmp", "strncasecmp", "strchr", "strrchr", "strstr", "strcpy", "strncpy", "strcat",
	"strncat", "strspn", "strcspn", "strtok", "strtok_r", "strtol", "strtoul", "strtoll",
	"strtoull", "strtod", "atoi", "atol", "atoll", "abs", "labs", "qsort", "bsearch", "toupper",
	"tolower", "isalpha", "isdigit", "isspace", "isalnum", "basename",
	"sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigismember",
	"pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate",
	"pthread_attr_setstacksize", "pthread_attr_setinheritsched", "pthread_attr_setschedpolicy",
	"pthread_attr_setschedparam", "pthread_attr_setaffinity_np", "pthread_mutexattr_init",
	"pthread_mutexattr_destroy", "pthread_mutexattr_settype", "pthread_mutexattr_setprotocol",
	"pthread_condattr_init", "pthread_condattr_destroy", "pthread_condattr_setclock",
	"sched_get_priority_max", "sched_get_priority_min", "__sched_cpucount",
	"__sched_cpualloc", "__sched_cpufree", "rand", "srand", "random", "srandom",
	"__cxa_finalize", "__sanitizer_cov_trace_pc",
	NULL
};

const char *const exec_data[] = { "stdin", "stdout", "stderr", "optarg", "optind", "opterr",
				  "optopt", "environ", "program_invocation_name",
				  "program_invocation_short_name", NULL };
