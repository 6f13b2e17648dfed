#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Throttling strikes all runnable tasks of a group, also those that only wait for the CPU."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import check, finish, lockstep

SCENARIO = '''
name: siblings
machine: {cpus: 1, duration: 40ms}
groups:
  limited: {quota: 5ms, period: 20ms, timer_cpu: 0}
tasks:
  one: {group: limited, loop: -1, run: 1000}
  two: {group: limited, loop: -1, run: 1000}
  outside: {policy: SCHED_BATCH, loop: -1, run: 1000}
'''

with tempfile.TemporaryDirectory() as folder:
    scenario, trace = (os.path.join(folder, name) for name in ('siblings.yaml', 'trace'))
    with open(scenario, 'w') as f:
        f.write(SCENARIO)
    for image in ('6.12-rt', '6.1-rt', '6.12-vanilla'):
        r = lockstep('run', scenario, '--kernel', image, '--trace', trace)
        check(r.returncode == 0, f'{image}: status 0, got {r.returncode} {r.stderr.strip()}')
        changes = re.findall(r'(\d+\.\d+): .*\|(throttle|unthrottle) comm=(\w+)', open(trace).read())
        at = {}
        for when, what, task in changes:
            at.setdefault((when, what), set()).add(task)
        check(len(at) >= 2 and all(tasks == {'one', 'two'} for tasks in at.values()),
              f'{image}: each time both tasks of the group and no other, got {at}')

finish()
