#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Same input, same bytes: every scenario twice on both carriers; other seeds differ.

scons soak does more of it, with load and with both compilers.
"""
import hashlib
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep, run_json
from determinism import SHORT, images, scenarios

for name in scenarios():
    for image in images(name):
        runs = [run_json(name, image, '--carrier', carrier, *SHORT)
                for carrier in ('fiber', 'fiber', 'pthread', 'pthread')]
        found = {got.get('digest') or run.stderr for got, run in runs}
        check(len(found) == 1, f'{name} on {image}: one digest, got {found}')
        other, _ = run_json(name, image, '--seed', '2', *SHORT)
        check(other.get('digest') not in found, f'{name} on {image}: seeds 1 and 2 differ')

with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'p.trace')
    got, _ = run_json('p-inversion.yaml', '6.12-rt', '--trace', trace)
    lines = [l for l in open(trace, 'rb') if not l.startswith(b'#')]
    check(hashlib.sha256(b''.join(lines)).hexdigest() == got['digest'],
          'the digest is the sha256 of the trace without its # lines')
    check(os.listdir(folder) == ['p.trace'], 'nothing but the trace is left behind')
    link, target = os.path.join(folder, 'link'), os.path.join(folder, 'target')
    os.symlink(target, link)
    pipe = os.path.join(folder, 'pipe')
    os.mkfifo(pipe)
    reader = subprocess.Popen(['cat', pipe], stdout=subprocess.DEVNULL)
    for path in (link, pipe):
        lockstep('run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--trace', path)
    reader.wait(60)
    check(os.path.islink(link) and os.path.getsize(target) > 0, 'a link is written through')
    check(stat.S_ISFIFO(os.stat(pipe).st_mode), 'what is no regular file is never replaced')
    r = lockstep('run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--trace',
                 os.path.join(folder, 'no/such/folder'))
    check(r.returncode == 2 and 'cannot be written' in r.stderr, 'a trace that cannot be written')
finish()
