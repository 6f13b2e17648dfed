#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A project outside of this one builds its test against what scons install has installed."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import BUILD, ROOT, SANITIZED, check, finish

TEST = '''#include <lockstep/test.h>

static int fd;

static void producer(void *arg)
{
	lab_sleep(lab_ms(5));
	lab_post(fd);
}

LAB_TEST(a_write_wakes_the_waiter)
{
	int ep = lab_epoll();

	fd = lab_eventfd(0);
	lab_add(ep, fd, EPOLLIN);
	lab_task("producer", producer, NULL);
	assert_int_equal(lab_wait(ep, NULL, 1, -1), 1);
}

LAB_TEST(a_test_can_fail, .cpus = 2)
{
	assert_int_equal(lab_wait(lab_epoll(), NULL, 1, (int)lab_choose(3)), 1);
}

static void holder(void *lock)
{
	lab_lock(lock);
	lab_burn(lab_ms(5));
	lab_unlock(lock);
}

LAB_TEST(a_waiter_lends_its_priority, .cpus = 1, .images = "*-rt*")
{
	struct lab_lock *l = lab_lock_new(LAB_SPINLOCK, "mine");
	struct lab_task *low = lab_task("low", holder, l, .fifo = 10);
	struct lab_task *high;

	lab_run_for(lab_ms(1));
	high = lab_task("high", holder, l, .fifo = 60);
	lab_run_for(lab_ms(1));
	assert_string_equal(lab_owner("mine"), "low");
	assert_string_equal(lab_blocked_on(high), "mine");
	assert_int_equal(lab_prio(low), 99 - 60);
	lab_run();
	assert_true(lab_ended(high));
	assert_int_equal(lab_prio(low), 99 - 10);
}
'''

MAKEFILE = '''CFLAGS += $(shell pkg-config --cflags lockstep) -Wall -Wextra -Wno-unused-parameter -g
LDLIBS += $(shell pkg-config --libs lockstep)
mine: mine.c
check: mine
	./mine
'''

if SANITIZED:
    check(True, 'installed programs are plain ones')
    finish()
work = tempfile.TemporaryDirectory()
prefix = os.path.join(work.name, 'prefix')
compiler = ['CC=clang'] if os.path.basename(BUILD) == 'clang' else []
run = subprocess.run(['scons', '-Q', *compiler, f'PREFIX={prefix}', 'install'], cwd=ROOT,
                     capture_output=True, text=True)
check(run.returncode == 0, f'scons install: {run.stderr[-300:]}')
for name in ('bin/lockstep', 'include/lockstep/test.h', 'lib/liblockstep.a',
             'lib/pkgconfig/lockstep.pc', 'lib/lockstep/kernel/6.12-rt.so',
             'share/man/man1/lockstep.1'):
    check(os.path.exists(os.path.join(prefix, name)), f'{name} is installed')
for name, text in (('mine.c', TEST), ('Makefile', MAKEFILE)):
    with open(os.path.join(work.name, name), 'w') as f:
        f.write(text)
env = {k: v for k, v in os.environ.items() if not k.startswith('LOCKSTEP')}
env['PKG_CONFIG_PATH'] = os.path.join(prefix, 'lib/pkgconfig')
words = subprocess.run(['pkg-config', '--cflags', '--libs', 'lockstep'], env=env,
                       capture_output=True, text=True).stdout.split()
run = subprocess.run(['gcc', '-Wall', '-Wextra', '-Wno-unused-parameter', '-g', 'mine.c', *words, '-o',
                      'mine'], cwd=work.name, env=env, capture_output=True, text=True)
check(run.returncode == 0 and not run.stderr, f'the project builds without a warning: {run.stderr}')


def mine(*options):
    return subprocess.run(['./mine', *options], cwd=work.name, env=env, capture_output=True, text=True)


run = mine('only=a_write,a_waiter')
check(run.returncode == 0 and run.stdout.startswith('KTAP version 1\n1..') and
      'not ok' not in run.stdout and '\n  ok 1 a_write_wakes_the_waiter\n' in run.stdout,
      f'its tests pass on the installed images: {run.stdout[-300:]}{run.stderr}')
check(re.search(r'ok 2 a_waiter_lends_its_priority # SKIP', run.stdout) and
      re.search(r'ok 2 a_waiter_lends_its_priority\n', run.stdout),
      'a test is skipped where it is not for the image, and says so')
run = mine('only=a_test_can_fail', 'images=6.12-rt')
check(run.returncode == 1 and re.search(r'# mine\.c:\d+: error', run.stdout) and
      re.search(r'seed \d+; again: ./mine only=a_test_can_fail images=6.12-rt cpus=2 seed=(\d+)',
                run.stdout), f'a failure names file, line and seed: {run.stdout}')
again = mine('only=a_test_can_fail', 'images=6.12-rt', 'cpus=2',
             'seed=' + (re.findall(r'seed=(\d+)', run.stdout) or ['0'])[0])
check(again.returncode == 1, 'and it fails again with that seed')
for words, status in ((['list=1'], 0), (['--help'], 0), (['only=none_such'], 2), (['images=none'], 2),
                      (['cpus=9'], 2), (['seeds=x'], 2), (['nonsense'], 2), (['carrier=none'], 2)):
    run = mine(*words)
    check(run.returncode == status and (run.stdout if not status else run.stderr),
          f'{" ".join(words)}: status {run.returncode}, expected {status}')
finish()
