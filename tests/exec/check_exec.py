#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ordinary programs in the lab: the kernel's own epoll self-tests, case K, and what is refused."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

SELFTEST = 'tools/testing/selftests/filesystems/epoll/epoll_wakeup_test.c'
SEEDS = (1, 2)
K = ('--group', 'k-writer=1000/2000', '--irq-thread', '211/3')
K_SEEDS = range(1, 14)

work = tempfile.TemporaryDirectory()


def lab(name):
    return os.path.join(work.name, name + '.lab')


def compile(source, name, *options):
    return lockstep('cc', '-O1', '-w', source, '-o', lab(name), *options)


def program(name, text, *options):
    """A program of a few lines, compiled."""
    source = os.path.join(work.name, name + '.c')
    with open(source, 'w') as f:
        f.write(text)
    return compile(source, name, *options)


def execute(*words):
    return lockstep('exec', *words)


def digest(run):
    found = re.search(r'digest ([0-9a-f]{64})', run.stderr)
    return found.group(1) if found else None


# ---- the kernel's self-tests, as they are

for tree in ('6.12', '6.1'):
    source = os.path.join(ROOT, 'build', 'tree', tree, SELFTEST)
    built = compile(source, 'epoll' + tree)
    check(built.returncode == 0, f'{tree}: {SELFTEST} compiles: {built.stderr[:300]}')
    for config in ('rt', 'vanilla'):
        for seed in SEEDS:
            run = execute('--kernel', f'{tree}-{config}', '--cpus', '12', '--seed', str(seed),
                          lab('epoll' + tree))
            check(run.returncode == 0 and 'pass:64 fail:0' in run.stdout,
                  f'{tree}-{config}, seed {seed}: all 64 self-tests pass: '
                  f'{run.stdout[-300:]}{run.stderr[-300:]}')

# ---- the epoll benchmarks of perf, as they are

PERF = ('tools/include', 'tools/include/uapi', 'tools/arch/x86/include', 'tools/lib/perf/include',
        'tools/lib', 'tools/perf', 'tools/perf/util')
PERF_FLAGS = ('-D_GNU_SOURCE', '-DHAVE_EVENTFD_SUPPORT', '-DHAVE_PTHREAD_ATTR_SETAFFINITY_NP',
              os.path.join(ROOT, 'tests/exec/perf.c'), '-lm')
for tree, config in (('6.12', 'rt'), ('6.1', 'vanilla')):
    top = os.path.join(ROOT, 'build', 'tree', tree)
    for bench in ('wait', 'ctl'):
        name = f'{tree}-{bench}'
        built = compile(os.path.join(top, f'tools/perf/bench/epoll-{bench}.c'), name,
                        f'-DBENCH=bench_epoll_{bench}', *PERF_FLAGS,
                        *[f'-I{os.path.join(top, i)}' for i in PERF])
        check(built.returncode == 0, f'perf bench epoll {bench} of {tree}: {built.stderr[:300]}')
        runs = [execute('--kernel', f'{tree}-{config}', '--cpus', '4', *extra, lab(name), '-t', '3',
                        '-r', '1', '--nfds=4') for extra in ((), ('--carrier', 'pthread'))]
        rates = [int(n) for n in re.findall(r'^Averaged (\d+)', runs[0].stdout, re.M)]
        check(runs[0].returncode == 0 and len(rates) == (1 if bench == 'wait' else 3) and
              min(rates) > 1000, f'perf bench epoll {bench} on {tree}-{config}: {runs[0].stdout}')
        check(runs[0].stdout == runs[1].stdout and digest(runs[0]) == digest(runs[1]),
              f'{name}: the same on either carrier: {runs[1].stdout} {runs[1].stderr[-300:]}')

# ---- a program asks about the machine it is on, which is not the host

built = program('asks', '''
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

int main(void)
{
	struct rlimit files = { 70000, 70000 };
	int refused = setrlimit(RLIMIT_NOFILE, &files);

	getrlimit(RLIMIT_NOFILE, &files);
	printf("%ld %d %ld %d %ld\\n", sysconf(_SC_NPROCESSORS_ONLN), get_nprocs(),
	       sysconf(_SC_PHYS_PAGES), refused, (long)files.rlim_cur);
	return 0;
}
''')
for cpus in ('1', '13'):
    run = execute('--cpus', cpus, lab('asks'))
    check(run.stdout == f'{cpus} {cpus} 1048576 -1 65536\n',
          f'a program on {cpus} CPUs is told of them: {built.stderr}{run.stdout}{run.stderr}')

# ---- case K by two programs

for name in ('k-reader', 'k-writer'):
    built = compile(os.path.join(ROOT, 'traces', name + '.c'), name)
    check(built.returncode == 0, f'{name}.c compiles: {built.stderr[:300]}')


def case_k(kernel, seed):
    return execute('--kernel', kernel, '--seed', str(seed), *K, lab('k-reader'), '300', '--',
                   lab('k-writer'), '290')


stalls = [s for s in K_SEEDS if 'stall on' in case_k('6.12-rt+rwlock', s).stderr]
check(0 < len(stalls) < len(K_SEEDS) / 2, f'case K stalls in some seeds: {stalls}')
if stalls:
    run, again = (case_k('6.12-rt+rwlock', stalls[0]) for _ in range(2))
    check(run.returncode == 1, 'a stall is exit status 1')
    for words in ('k-reader waits for &ep->lock for writing, held for reading by k-writer',
                  'k-writer is throttled until the period timer of CPU 0',
                  'the period timer of CPU 0 is served by ktimers/0',
                  'ktimers/0 waits for &ep->lock for reading'):
        check(words in run.stderr, f'its chain has "{words}"')
    check(digest(run) and digest(run) == digest(again), 'again, the same digest')
    other = execute('--carrier', 'pthread', '--kernel', '6.12-rt+rwlock', '--seed',
                    str(stalls[0]), *K, lab('k-reader'), '300', '--', lab('k-writer'), '290')
    check(digest(other) == digest(run), 'the same digest on the other carrier')
for seed in stalls[:2] or [1]:
    run = case_k('6.12-rt', seed)
    check(run.returncode == 0 and 'stall' not in run.stderr,
          f'none with the spinlock, seed {seed}: {run.stderr[:300]}')

# ---- output, status, processes

program('status', '''#include <stdio.h>
int main(int argc, char **argv) { printf("%d %s\\n", argc, argv[1]); return 3; }
''')
run = execute(lab('status'), 'word')
check(run.returncode == 3 and run.stdout == '2 word\n', 'output and status are the program\'s own')
program('zero', 'int main(void) { return 0; }\n')
run = execute(lab('zero'), '--', lab('status'), 'x')
check(run.returncode == 3, 'of several programs the first status that is not 0 counts')

program('forks', '''#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
static int global = 1;
int main(void)
{
	char *heap = strdup("parent");
	int local = 1, fd = eventfd(0, 0), status;

	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			global = local = 7;
			strcpy(heap, "child");
			free(heap);
			_exit(close(fd) ? 9 : i);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i)
			return 1;
	}
	printf("%d %d %s %d\\n", global, local, heap, close(fd));
	return wait(&status) == -1 ? 0 : 2;
}
''')
run = execute(lab('forks'))
check(run.returncode == 0 and run.stdout == '1 1 parent 0\n',
      f'a child leaves memory and files of its parent alone: {run.stdout}{run.stderr}')

program('hangs', '''#include <stdio.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	struct epoll_event e;
	int status;
	pid_t child = fork();

	if (!child)
		_exit(epoll_wait(epoll_create1(0), &e, 1, -1));
	waitpid(child, &status, 0);
	printf("signal %d\\n", WTERMSIG(status));
	return 0;
}
''')
run = execute(lab('hangs'))
check(run.returncode == 0 and run.stdout == 'signal 9\n' and 'waits for ever' in run.stderr,
      f'a child that waits for ever is killed and named: {run.stdout}{run.stderr}')

program('busy', '''#include <pthread.h>
#include <unistd.h>
static void *body(void *arg) { usleep(1000); return arg; }
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, body, NULL);
	return fork() == -1 ? 5 : 0;
}
''')
run = execute(lab('busy'))
check(run.returncode == 5 and 'forks while it has 2 threads' in run.stderr,
      f'a fork beside other threads is refused by name: {run.stderr}')

program('endless', '''#include <time.h>
#include <unistd.h>
int main(void) { for (;;) usleep(100000); }
''')
run = execute('--seconds', '3', lab('endless'))
check(run.returncode == 1 and 'the time of the run is over' in run.stderr,
      f'an endless program ends with its time: {run.stderr}')

program('threads', '''#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn, sum;
static void *body(void *arg)
{
	int me = *(int *)arg;

	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&lock);
	while (turn != me)
		pthread_cond_wait(&cond, &lock);
	sum = sum * 10 + me;
	turn++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_mutexattr_t inherit;
	pthread_t t[4];
	int number[4];
	struct timespec a, b;

	pthread_mutexattr_init(&inherit);
	pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &inherit);
	pthread_barrier_init(&barrier, NULL, 4);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 3; i >= 0; i--) {
		number[i] = i;
		pthread_create(&t[i], NULL, body, &number[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	usleep(1000000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d %d\\n", sum, (int)(b.tv_sec - a.tv_sec));
	return 0;
}
''')
run = execute(lab('threads'))
check(run.stdout == '123 1\n', f'threads take their turns: {run.stdout}{run.stderr}')

# ---- what is refused, and what would hang

program('spins', '''#include <unistd.h>
static volatile int never;
static void wait_for_it(void) { while (!never) ; }
int main(void) { wait_for_it(); return 0; }
''')
run = execute(lab('spins'))
check(run.returncode == 1 and re.search(r'spins .* in (wait_for_it|main)\(\)', run.stderr),
      f'a program that spins is found and named: {run.stderr}')
built = program('refused', '''#include <sys/socket.h>
#include <stdlib.h>
int main(void)
{
	return listen(3, 1) + system("true");
}
''', '-g')
check(built.returncode == 2 and
      re.search(r'refused\.c:5: listen is not offered by the lab', built.stderr) and
      re.search(r'refused\.c:5: system is not offered', built.stderr) and
      not os.path.exists(lab('refused')),
      f'what the lab does not offer is refused by name and line: {built.stderr}')
built = program('broken', 'int main(void) { return 0 }\n')
check(built.returncode == 2 and 'broken.c:1:' in built.stderr, 'the compiler\'s words are passed on')
for words, expected in (((), 'no program'), ((lab('none'),), 'cannot be opened'),
                        (('/bin/true',), 'cannot be loaded|no main'),
                        (('--group', 'x', lab('zero')), 'QUOTA/PERIOD'),
                        (('--group', 'x=1/2', lab('zero')), 'QUOTA/PERIOD'),
                        (('--irq-thread', '5/9', lab('zero')), 'PERIOD/LENGTH'),
                        (('--cpus', '65', lab('zero')), '1 to 64'),
                        (('--kernel', 'none', lab('zero')), 'no kernel image'),
                        (('--kernel', 'abstract', lab('zero')), 'has no kernel'),
                        ((lab('zero'), '--', lab('zero')), 'there twice')):
    run = execute(*words)
    check(run.returncode == 2 and re.search(expected, run.stderr),
          f'exec {" ".join(words)[-60:]}: status 2 and "{expected}": {run.stderr[:200]}')
finish()
