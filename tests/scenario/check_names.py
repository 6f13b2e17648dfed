#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Locks go by the kernel's own names: every scenario on every image, text, JSON and trace."""
import glob
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

# What would be an address: many hexadecimal digits that are no result, argument or digest.
VALUES = re.compile(r'sys_exit_\w+: 0x[0-9a-f]+|sys_enter_\w+: \w+: 0x[0-9a-f]+|'
                    r'digest\W+[0-9a-f]{64}|scheduling while atomic: .*')
ADDRESS = re.compile(r'0x[0-9a-f]{5,}|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\b')
NAMELESS = re.compile(r'unnamed|unknown|raw.spinlock|\(null\)')
SHORT = ('--set', 'machine.duration=10ms')


def lock_names(trace):
    return (set(re.findall(r'contention_begin: (\S+) ', trace)) |
            set(re.findall(r'S\|\d+\|([^| ]+)', trace)))


seen = {}
images = [i['name'] for i in json.loads(lockstep('list', '--json').stdout)
          if i['units'] and i['scheduler'] != 'host']
check(len(images) >= 8, f'there are images: {images}')
with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'trace')
    for path in sorted(glob.glob(os.path.join(ROOT, 'traces', '*.yaml')) +
                       glob.glob(os.path.join(ROOT, 'traces', '*.json'))):
        for image in images:
            name = f'{os.path.basename(path)} on {image}'
            run = lockstep('run', path, '--kernel', image, '--trace', trace, *SHORT)
            if run.returncode == 2 and ': ' in run.stderr:
                continue    # an image may lack what a scenario names; said in one line
            text = run.stdout
            if image == '6.12-rt+rwlock':
                text += lockstep('run', path, '--kernel', image, '--json', *SHORT).stdout
            with open(trace) as f:
                lines = f.read()
            seen.setdefault(image, set()).update(re.sub(r'#\d+', '', n) for n in lock_names(lines))
            text = VALUES.sub('', text + lines)
            for pattern, what in ((ADDRESS, 'address'), (NAMELESS, 'nameless thing')):
                found = pattern.search(text)
                check(not found, f'{name}: an {what}: '
                      f'{found and text[max(0, found.start() - 60):found.end() + 20]!r}')

for image, names in seen.items():
    want = {'&ep->lock', '&ep->mtx', '&ep->wq', '&ctx->wqh', '&pipe->mutex', '&pipe->rd_wait'}
    if '-rt' in image:
        want |= {'softirq_ctrl.lock', '&base->softirq_expiry_lock', '&p->pi_lock'}
    if '-rt' in image and '@sched' not in image:
        want.add('&rq->__lock')
    check(want <= names, f'{image}: locks by the names of their source: {want - names} not seen')
finish()
