#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs all suites: cmocka programs and scripts; ends with "N passed, N failed".

usage: run.py BUILD ONLY SUITE...
A suite that crashes, prints no test or is missing counts as a failure of its own.
"""
import os
import re
import subprocess
import sys
import time


def cmocka(output):
    passed = len(re.findall(r'^\[\s+OK\s+\]', output, re.M))
    failed = len(set(re.findall(r'^\[\s+FAILED\s+\] (\w+)$', output, re.M)))
    return passed, failed


def script(output):
    found = re.findall(r'^(\d+) passed, (\d+) failed$', output, re.M)
    return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)


def main():
    build, only, suites = sys.argv[1], sys.argv[2], sys.argv[3:]
    passed = failed = 0
    env = dict(os.environ, LOCKSTEP_BUILD=build,
               LOCKSTEP_IMAGES=os.path.join(build, 'kernel'))
    for suite in suites:
        name = os.path.basename(suite)
        if only and only not in name:
            continue
        is_script = suite.endswith('.py')
        start = time.time()
        try:
            run = subprocess.run([sys.executable, suite] if is_script else [suite],
                                 capture_output=True, text=True, errors='replace', env=env,
                                 timeout=2400)
            output, status = run.stdout + run.stderr, run.returncode
        except subprocess.TimeoutExpired:
            output, status = 'timed out', 1
        p, f = script(output) if is_script else cmocka(output)
        if (status and not f) or not p + f:
            f += 1      # crashed, or tested nothing
        passed, failed = passed + p, failed + f
        print(f'{"ok  " if not f else "FAIL"} {name:32} {p} passed, {f} failed '
              f'({time.time() - start:.1f} s)', flush=True)
        if f:
            print('\n'.join('    ' + line for line in output.splitlines()[-60:]), flush=True)
    if not passed + failed:
        print(f'no suite matches only={only}')
        failed = 1
    print(f'{passed} passed, {failed} failed', flush=True)
    return 1 if failed else 0


sys.exit(main())
