#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Same input, same bytes: every scenario twice and on both carriers; other seeds differ."""
import glob
import hashlib
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep, run_json

IMAGES = ['6.12-rt', '6.12-rt+rwlock', '6.1-rt', '6.1-rt+rwlock']

for path in sorted(glob.glob(os.path.join(ROOT, 'traces', '*.yaml')) +
                   glob.glob(os.path.join(ROOT, 'traces', '*.json'))):
    name = os.path.basename(path)
    short = ('--set', 'machine.duration=30ms') if name.endswith('.yaml') else ()
    for image in IMAGES:
        digests = []
        for carrier in ('fiber', 'fiber', 'pthread'):
            got, run = run_json(name, image, '--carrier', carrier, *short)
            digests.append(got.get('digest') or run.stderr)
        check(len(set(digests)) == 1, f'{name} on {image}: one digest, got {digests}')
    other, _ = run_json(name, IMAGES[0], '--seed', '2', *short)
    first, _ = run_json(name, IMAGES[0], *short)
    check(other['digest'] != first['digest'], f'{name}: seeds 1 and 2 differ')

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
