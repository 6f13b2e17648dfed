#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rules of scenarios at work: preempting triggers, expected waits, CPUs of a phase, trylocks."""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import check, finish, lockstep

LOCK = '''machine: {cpus: 2, duration: 60ms}
resources: {m: {type: mutex}}
tasks:
  low: {policy: SCHED_FIFO, priority: 10, cpus: [0], lock: {ref: m}, run: 1ms, unlock: {ref: m}}
  high: {policy: SCHED_FIFO, priority: 30, cpus: [1], delay: 500us, lock: {ref: m}, unlock: {ref: m}}
'''
PREEMPT = 'triggers: [{when: {task: low, holds: m}, do: {preempt: 20ms}}]\n'
TRY = '''machine: {cpus: 2, duration: 60ms}
resources: {m: {type: KIND}}
tasks:
  holder: {policy: SCHED_FIFO, priority: 10, cpus: [0], lock: {ref: m}, run: 10ms, unlock: {ref: m}}
  tries: {policy: SCHED_FIFO, priority: 10, cpus: [1], delay: 2ms, lock: {ref: m, try: true}, unlock: {ref: m}, run: 1ms}
'''
PHASES = '''machine: {cpus: 3, duration: 60ms}
tasks:
  t:
    cpus: [0]
    phases:
      here: {run: 1ms}
      there: {cpus: [2], run: 1ms}
      back: {run: 1ms}
'''
IMAGES = ('6.12-rt', '6.12-rt@sched', 'abstract')

with tempfile.TemporaryDirectory() as folder:
    path, trace = os.path.join(folder, 's.yaml'), os.path.join(folder, 'trace')

    def run(text, image, *args):
        with open(path, 'w') as f:
            f.write(text)
        r = lockstep('run', path, '--kernel', image, '--json', *args)
        return (json.loads(r.stdout) if r.stdout else {}), r

    for image in IMAGES:
        # a task that is preempted with the lock held: its waiter waits for the preempter too
        plain, _ = run(LOCK, image)
        got, r = run(LOCK + PREEMPT, image, '--trace', trace)
        wait = got['waits'][0]
        check(wait['task'] == 'high' and 20_000_000 <= wait['wait_ns'] <= 21_500_000,
              f'{image}: preempted for 20 ms, got {wait} {r.stderr}')
        check(plain['waits'][0]['wait_ns'] < 1_100_000, f'{image}: and not without the trigger')
        check('next_comm=preempter/0' in open(trace).read(), f'{image}: the preempter is a task')

        # expected waits: met, and each way of missing them
        for rule, met in (('lock: m, holder: low, min: 100us, max: 2ms', True), ('holder: high', False),
                          ('lock: other', False), ('min: 5ms', False), ('max: 10us', False),
                          ('inverted: 1ms', False)):
            text = LOCK + f'expect: {{"*": {{verdict: ok, waits: {{high: {{{rule}}}}}}}}}\n'
            got, r = run(text, image)
            check(r.returncode == (0 if met else 1), f'{image}: waits {rule}: status {r.returncode}')
            text_run = lockstep('run', path, '--kernel', image)
            check(met or 'expected another wait of high' in text_run.stdout,
                  f'{image}: waits {rule}: says so')

        # what a trylock has not got is not released
        for kind in ('mutex', 'rtmutex', 'spinlock', 'rwlock', 'rwsem'):
            got, r = run(TRY.replace('KIND', kind), image)
            check(got.get('verdict') == 'ok', f'{image}: trylock of a {kind}: {got} {r.stderr}')

        # the CPUs of a phase hold for that phase
        got, r = run(PHASES, image, '--trace', trace)
        cpus = [m.group(1) for m in re.finditer(r'\[(\d+)\].*sched_switch: .* next_comm=t ',
                                                open(trace).read())]
        check([c for i, c in enumerate(cpus) if not i or c != cpus[i - 1]] == ['000', '002', '000'],
              f'{image}: CPUs of a phase: {cpus}')

for rule, what in (('expect: {"*": {waits: {nobody: {}}}}', 'nobody'),
                   ('expect: {"*": {waits: {low: {lck: m}}}}', 'lck'),
                   ('expect: {"*": {waits: [low]}}', 'waits'),
                   ('triggers: [{when: {task: low, holds: m}, do: {preempt: soon}}]', 'preempt'),
                   ('fair_server: maybe, ', 'fair_server')):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's.yaml')
        with open(path, 'w') as f:
            if rule.endswith(', '):
                f.write(LOCK.replace('machine: {', 'machine: {' + rule))
            else:
                f.write(LOCK + rule + '\n')
        r = lockstep('run', path, '--kernel', 'abstract')
        check(r.returncode == 2 and what in r.stderr and r.stderr.count('\n') == 1,
              f'{rule}: one line, got {r.stderr}')
finish()
