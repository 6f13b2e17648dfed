#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tree is tidy: floors, lengths, licences, no kernel source, documents that match --help."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

FLOORS = {'base': 0, 'core': 1, 'lock': 2, 'rcu': 2, 'detect': 3, 'explore': 3, 'trace': 3,
          'image': 3, 'scenario': 4, 'test': 4, 'exec': 4, 'native': 4, 'cli': 5}
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
sections = dict(re.findall(r'^\.SH ([A-Z ]+)\n(.*?)(?=^\.SH|\Z)', manual, re.M | re.S))
check({'SYNOPSIS', 'OPTIONS', 'EXAMPLES', 'EXIT STATUS', 'FILES', 'ENVIRONMENT'} <= set(sections),
      f'sections of the man page: {sorted(sections)}')
synopsis = ' '.join(re.sub(r'^\.\w+ ?', '', sections['SYNOPSIS'], flags=re.M).split())
described, offered = set(re.findall(r'^\.B (--\w+)', sections['OPTIONS'], re.M)), set()
commands = re.findall(r'^  lockstep (\w+)', lockstep('--help').stdout, re.M)
check(len(commands) > 4, f'--help lists the commands: {commands}')
for command in commands:
    check(f'\n.B {command}\n' in sections['COMMANDS'], f'the man page describes {command}')
    if command == 'help':
        continue
    shown = lockstep(command, '--help').stdout
    check(shown == lockstep('help', command).stdout, f'help {command} and {command} --help agree')
    usage = re.match(r'usage: (.*)', shown).group(1)
    check(usage in synopsis, f'the synopsis has "{usage}"')
    options = set(re.findall(r'^\s+(--\w+)', shown, re.M))
    check(options and options <= set(re.findall(r'--\w+', usage)),
          f'options of {command} are in its usage: {options}')
    offered |= options
check(offered == described, f'options of the man page and of --help: {offered ^ described}')
words = re.findall(r'^    (?:lockstep )?(run|compare) (\S+)', sections['EXAMPLES'], re.M)
check(len(words) > 3 and all(os.path.exists(os.path.join(ROOT, 'traces', f)) for _, f in words),
      f'examples run scenarios that are there: {words}')
got = json.loads(lockstep('run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--json').stdout)
check(all(re.search(rf'\b{key}\b', sections['JSON']) for key in got),
      f'the man page has every key of JSON: {sorted(got)}')
finish()
