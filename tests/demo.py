#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The main job: the reported inversion and stall on the kernel before the fix, and after it."""
import os
import subprocess
import sys

build = sys.argv[1]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
status = 0
for scenario in ('p-inversion', 'k-bandwidth-stall-aimed'):
    for image in ('6.12-rt+rwlock', '6.12-rt'):
        command = [os.path.join(build, 'lockstep'), 'run',
                   os.path.join(root, 'traces', scenario + '.yaml'), '--kernel', image]
        print('\n$ lockstep run traces/%s.yaml --kernel %s' % (scenario, image), flush=True)
        status |= subprocess.run(command).returncode
sys.exit(status)
