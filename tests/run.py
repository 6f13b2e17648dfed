#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs all suites, one a CPU at a time: cmocka programs and scripts; ends with "N passed, N failed".

usage: run.py BUILD ONLY SUITE...
A suite that crashes, prints no test or is missing counts as a failure of its own.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import time


# They run scons again, which adds an image for a while that others would meet half-made.
ALONE = ('check_kernel_tree.py', 'check_outside.py')


def cmocka(output):
    passed = len(re.findall(r'^\[\s+OK\s+\]', output, re.M))
    failed = len(set(re.findall(r'^\[\s+FAILED\s+\] (\w+)$', output, re.M)))
    return passed, failed


def ktap(output):
    """Tests of the images, the second level of what lab_main() prints."""
    results = re.findall(r'^  (not ok|ok) \d+ \S+( # SKIP)?', output, re.M)
    ran = [r for r, skipped in results if not skipped]
    return ran.count('ok'), ran.count('not ok')


def script(output):
    found = re.findall(r'^(\d+) passed, (\d+) failed$', output, re.M)
    return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)


def run_suite(build, suite):
    """Name, passed, failed, seconds and output of one suite."""
    env = dict(os.environ, LOCKSTEP_BUILD=build, LOCKSTEP_IMAGES=os.path.join(build, 'kernel'))
    is_script = suite.endswith('.py')
    start = time.time()
    try:
        run = subprocess.run([sys.executable, suite] if is_script else [suite],
                             capture_output=True, text=True, errors='replace', env=env,
                             timeout=2400)
        output, status = run.stdout + run.stderr, run.returncode
    except subprocess.TimeoutExpired:
        output, status = 'timed out', 1
    p, f = (script if is_script else ktap if output.startswith('KTAP') else cmocka)(output)
    if (status and not f) or not p + f:
        f += 1      # crashed, or tested nothing
    return os.path.basename(suite), p, f, time.time() - start, output


def run_suites(build, suites, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        yield from pool.map(lambda s: run_suite(build, s), suites)


def main():
    build, only, suites = sys.argv[1], sys.argv[2], sys.argv[3:]
    passed = failed = 0
    # Scripts take longest: they come first, so that no CPU waits for the last one alone.
    suites = sorted((s for s in suites if only in os.path.basename(s)),
                    key=lambda s: not s.endswith('.py'))
    for alone in (False, True):
        some = [s for s in suites if (os.path.basename(s) in ALONE) == alone]
        for name, p, f, took, output in run_suites(build, some, 1 if alone else None):
            passed, failed = passed + p, failed + f
            print(f'{"ok  " if not f else "FAIL"} {name:32} {p} passed, {f} failed '
                  f'({took:.1f} s)', flush=True)
            if f:
                print('\n'.join('    ' + line for line in output.splitlines()[-60:]), flush=True)
    if not passed + failed:
        print(f'no suite matches only={only}')
        failed = 1
    print(f'{passed} passed, {failed} failed', flush=True)
    return 1 if failed else 0


sys.exit(main())
