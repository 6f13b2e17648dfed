#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scons bench: the measurements of tests/bench and what a run of a scenario costs."""
import os
import subprocess
import sys
import time

build = sys.argv[1]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
env = dict(os.environ, LOCKSTEP_IMAGES=os.path.join(build, 'kernel'))
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
sys.exit(failed)
