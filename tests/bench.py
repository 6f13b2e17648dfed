#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scons bench: the measurements of tests/bench, what a run of a scenario costs, and throughput of
native images beside the published figures."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

build = sys.argv[1]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
env = dict(os.environ, LOCKSTEP_IMAGES=os.path.join(build, 'kernel'))

# Published figures: events or operations of the one divided by those of the other.
# stress-epoll on 12 x86 CPUs, rwlock (before) to spinlock (after), by number of producers:
RWLOCK_TO_SPINLOCK = {8: 7162 / 4956, 16: 8733 / 5383, 32: 7968 / 5572, 64: 10652 / 5739,
                      128: 11236 / 5931}
# perf bench epoll wait, 4 threads on 2 CPUs, spinlock to rwlock (Launchpad 2154194):
SPINLOCK_TO_RWLOCK = {4: 299335 / 274941}
# run times of 2018 with the wait queue's lock to those without it, so speed without to with:
WITHOUT_TO_WITH = {8: 8581 / 8602, 16: 13800 / 13715, 32: 24167 / 23817}
SAME = 0.03     # a published ratio that is nearer to 1 means no difference
WIDE = 1.5      # spread of a ratio, highest by lowest, beyond which "no difference" is no finding


def simulated():
    failed = 0
    for name in ('test_bench', 'test_bench_sched'):
        run = subprocess.run([os.path.join(build, 'tests', name), 'full'], capture_output=True,
                             text=True, env=env)
        print('\n'.join(l for l in run.stdout.splitlines() if not l.startswith('[')), flush=True)
        failed |= run.returncode
    start = time.time()
    subprocess.run([os.path.join(build, 'lockstep'), 'compare',
                    os.path.join(root, 'traces/p-inversion.yaml'), '--kernel',
                    '6.12-rt+rwlock,6.12-rt', '--seeds', '100'], stdout=subprocess.DEVNULL, env=env)
    took = time.time() - start
    print(f'case P: 200 runs of 200 ms in {took:.1f} s, {200 * 0.2 / took:.0f} times real time')
    return failed


def fastest(command, times=3):
    """Seconds, None when the test did not pass in each of them."""
    best = None
    for _ in range(times):
        start = time.time()
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors='replace', env=env, timeout=120)
        if not re.search(r'^ok .*a_byte_makes_a_pipe_readable', run.stdout, re.M):
            print(run.stdout[-500:] + run.stderr[-500:])
            return None
        best = min(best or 1e9, time.time() - start)
    return best


def user_mode_linux():
    """One test of epoll, the same source: a booted User-Mode Linux beside the lab."""
    if not shutil.which('linux.uml'):
        print('User-Mode Linux: not there; apt-get install user-mode-linux')
        return 0
    source = os.path.join(root, 'tests/bench/one_test.c')
    with tempfile.TemporaryDirectory() as tmp:
        disk = os.path.join(tmp, 'root')
        os.mkdir(disk)
        subprocess.run(['gcc', '-static', '-O1', '-DFIRST_PROCESS', source, '-o',
                        os.path.join(disk, 'init')], check=True)
        lab = os.path.join(tmp, 'one_test.lab')
        subprocess.run([os.path.join(build, 'lockstep'), 'cc', '-O1', source, '-o', lab], check=True)
        uml = fastest(['linux.uml', 'mem=64M', 'rootfstype=hostfs', f'rootflags={disk}', 'rw',
                       'init=/init', 'quiet', 'con=null', 'con0=fd:0,fd:1'])
        ours = fastest([os.path.join(build, 'lockstep'), 'exec', '--kernel', '6.12-vanilla', lab])
    if not uml or not ours:
        return 1
    print(f'one epoll test, from start to verdict: User-Mode Linux {uml * 1000:.0f} ms, lockstep '
          f'exec {ours * 1000:.0f} ms: {uml / ours:.0f} times')
    return 0


def direction(low, high):
    """Of a ratio that lies between the two."""
    return 'above' if low > 1 else 'below' if high < 1 else 'same'


def beside(one, other, published):
    """The ratio of two rows, its spread, and whether it goes the published way."""
    ratio = one['median'] / other['median']
    low, high = one['lowest'] / other['highest'], one['highest'] / other['lowest']
    text = f'{ratio:6.2f} ({low:.2f} to {high:.2f})'
    if not published:
        return text
    ours = direction(low, high)
    theirs = 'same' if abs(published - 1) < SAME else direction(published, published)
    wide = ours == 'same' and high > WIDE * low     # then it says nothing
    return f'{text}  {published:5.2f} published: ' + (
        'agrees' if ours == theirs and not wide else
        'within the spread' if ours == 'same' else 'does not agree')


def native(title, program, threads, rounds, pairs, published):
    """A table: for each number of threads the images, and pairs of them by their ratio."""
    images = list(dict.fromkeys(i for pair in pairs for i in pair))
    run = subprocess.run([os.path.join(build, 'lockstep'), 'native', program, '--json', '--kernel',
                          ','.join(images), '--threads', ','.join(map(str, threads)), '--rounds',
                          str(rounds)], capture_output=True, text=True, env=env)
    if run.returncode:
        print(f'{title}: {run.stderr.strip()}')
        return 1
    got = json.loads(run.stdout)
    rows = {(r['threads'], r['image']): r for r in got['results']}
    print(f'\n{title}: {got["unit"]}, median of {rounds} rounds (lowest to highest)')
    for n in threads:
        print(f'{n} thread{"s" * (n > 1)}')
        for image in images:
            r = rows[n, image]
            print(f'  {image:24} {r["median"]:10.0f} ({r["lowest"]:.0f} to {r["highest"]:.0f})')
        for one, other in pairs:
            print(f'  {one} to {other}: '
                  + beside(rows[n, one], rows[n, other], published.get(n)), flush=True)
    return 0


failed = simulated() | user_mode_linux()
failed |= native('stress-epoll', 'stress-epoll', (1, 2, 4, 8, 16, 32, 64, 128), 5,
                 [('6.12-vanilla+rwlock', '6.12-vanilla'), ('6.12-rt+rwlock', '6.12-rt')],
                 RWLOCK_TO_SPINLOCK)
failed |= native('perf bench epoll wait', 'epoll-wait', (4,), 10,
                 [('6.12-vanilla', '6.12-vanilla+rwlock'), ('6.12-rt', '6.12-rt+rwlock')],
                 SPINLOCK_TO_RWLOCK)
failed |= native('stress-epoll without and with the lock of the wait queue', 'stress-epoll',
                 (8, 16, 32), 10, [('6.12-vanilla+no-wqlock', '6.12-vanilla'),
                                   ('6.12-rt+no-wqlock', '6.12-rt')], WITHOUT_TO_WITH)
sys.exit(failed)
