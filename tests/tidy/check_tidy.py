#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tree is tidy: floors, lengths, licences, no kernel source, documents that match --help."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

FLOORS = {'base': 0, 'core': 1, 'lock': 2, 'rcu': 2, 'detect': 3, 'explore': 3, 'trace': 3,
          'image': 3, 'scenario': 4, 'cli': 5}
LINES_MAX = 600

files = subprocess.run(['git', 'ls-files'], cwd=ROOT, capture_output=True,
                       text=True).stdout.split()
sources = [f for f in files if f.endswith(('.c', '.h', '.py'))]
check(len(sources) > 50, 'the list of files is the repository')

wrong = []
for f in sources:
    text = open(os.path.join(ROOT, f)).read()
    if 'SPDX-License-Identifier: GPL-2.0-only' not in '\n'.join(text.split('\n')[:2]):
        wrong.append(f)
check(not wrong, f'SPDX line on top of every file, not in {wrong}')

long = [f for f in sources
        if len(open(os.path.join(ROOT, f)).read().splitlines()) > LINES_MAX]
check(not long, f'no file past {LINES_MAX} lines: {long}')

up = []
for f in sources:
    part = f.split('/')
    if part[0] != 'sim' or part[1] not in FLOORS:
        continue
    for line in open(os.path.join(ROOT, f)):
        m = re.match(r'#include "sim/(\w+)/', line)
        if m and m.group(1) != part[1] and FLOORS[m.group(1)] >= FLOORS[part[1]]:
            up.append(f'{f} includes {m.group(1)}')
check(not up, f'includes go down only: {up}')

def host_part(f):
    return re.sub(r'#ifdef __KERNEL__.*?#else', '', open(os.path.join(ROOT, f)).read(), flags=re.S)


kernel = [f for f in sources if f.startswith('sim/') and
          re.search(r'#include <linux/(?!futex)', host_part(f))]
check(not kernel, f'the host world includes no kernel header: {kernel}')

tops = {f.split('/')[0] for f in files}
allowed = {'SConstruct', 'sim', 'kernel-shim', 'eventpoll', 'tests', 'traces', 'README.md',
           'LICENSE'}
check(all(t in allowed or t.startswith('.') for t in tops), f'the top level is fixed: {tops}')

manual = open(os.path.join(ROOT, 'sim/cli/lockstep.1')).read().replace('\\-', '-')
for command in ('run', 'compare', 'list', 'scenario'):
    shown = lockstep(command, '--help').stdout
    options = set(re.findall(r'^\s+(--\w+)', shown, re.M))
    check(options, f'{command} --help shows options')
    missing = [o for o in options if o not in manual]
    check(not missing, f'the man page names {missing} of {command}')
finish()
