#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scons soak: the proof of determinism, the hit rate of case K over many seeds, and native stress.

usage: soak.py BUILD_GCC BUILD_CLANG RUNS SEEDS STRESS [ONLY]

Every shipped scenario on every image it has an expectation for: RUNS runs on each carrier, each a
process of its own, half of them while other processes load all CPUs, with gcc and clang builds:
one digest; other seeds give other digests.  One line a scenario.  Then native images are stressed for
STRESS seconds each, and the one with the wrong ready list must lose an event.
"""
import concurrent.futures
import glob
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
import case_k
from check import ROOT, check, finish
from determinism import SHORT, digest, images, scenarios

CARRIERS = ('fiber', 'pthread')
OTHER_SEEDS = 5


class Load:
    """Keeps every CPU busy as long as it lives."""
    def __enter__(self):
        self.all = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
                    for _ in range(os.cpu_count() or 1)]

    def __exit__(self, *exc):
        for p in self.all:
            p.kill()
            p.wait()


def run(build, name, image, *options):
    env = dict(os.environ, LOCKSTEP_IMAGES=os.path.join(build, 'kernel'))
    try:
        r = subprocess.run([os.path.join(build, 'lockstep'), 'run', os.path.join(ROOT, 'traces', name),
                            '--kernel', image, '--json', *SHORT, *options], capture_output=True,
                           text=True, env=env, timeout=600)
    except subprocess.TimeoutExpired:
        return 'does not end'
    return r.stdout or r.stderr


def digests(pool, builds, name, image, runs):
    """Set of what all runs of one cell print as their digest."""
    jobs = [pool.submit(run, build, name, image, '--carrier', carrier)
            for build in builds for carrier in CARRIERS for _ in range(runs)]
    found = set()
    for job in jobs:
        output = job.result()
        found.add(digest(output) or output.strip()[:200])
    return found


def soak(pool, builds, name, runs):
    """One scenario: a line, and a claim about each image."""
    start, cells, total = time.time(), images(name), 0
    wrong = []
    for image in cells:
        found = digests(pool, builds, name, image, runs - runs // 2)
        with Load():
            found |= digests(pool, builds, name, image, runs // 2)
        total += runs * len(CARRIERS) * len(builds)
        seeds = {digest(run(builds[0], name, image, '--seed', str(s)))
                 for s in range(1, OTHER_SEEDS + 1)}
        if len(found) != 1:
            wrong.append(f'{image}: {len(found)} digests: {sorted(found)}')
        if len(seeds) != OTHER_SEEDS or not found & seeds:
            wrong.append(f'{image}: {OTHER_SEEDS} seeds give {len(seeds)} digests')
        check(len(found) == 1, f'{name} on {image}: one digest in {total} runs')
        check(len(seeds) == OTHER_SEEDS, f'{name} on {image}: other seeds, other digests')
    print(f'{name}: {len(cells)} images, {total} runs: ' + ('; '.join(wrong) or 'one digest each') +
          f' ({time.time() - start:.0f} s)', flush=True)


def stress(build, seconds):
    """Each native image; its twin has at least five minutes to lose an event."""
    for path in sorted(glob.glob(os.path.join(build, 'native', '*.so'))):
        image = os.path.basename(path)[:-3]
        naive = 'naive' in image
        r = subprocess.run([os.path.join(build, 'lockstep'), 'native', 'stress', '--kernel', image,
                            '--seconds', str(max(seconds, 300) if naive else seconds), '--patience',
                            '10' if naive else '60'], capture_output=True, text=True,
                           env=dict(os.environ, LOCKSTEP_IMAGES=os.path.join(build, 'kernel')))
        print(r.stdout.strip(), flush=True)
        check(r.returncode == int(naive), f'{image}: {"an" if naive else "no"} event is lost: '
              f'{r.stdout}{r.stderr[-500:]}')


def main():
    builds, runs, seeds = sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
    only = sys.argv[6] if len(sys.argv) > 6 else ''
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name in scenarios():
            if only in name:
                soak(pool, builds, name, runs)
    if seeds:
        case_k.check_rates(seeds)
    if int(sys.argv[5]):
        stress(builds[0], int(sys.argv[5]))
    finish()


main()
