#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios on abstract machines: verdicts by strategy, and nothing of a kernel is needed."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import LOCKSTEP, ROOT, check, finish, lockstep, run_json

RT, BIAS, VANILLA, WRITE = ('abstract', 'abstract@rt-reader-bias', 'abstract@vanilla',
                            'abstract@write-only')
# Where a kernel has the strategy, it must say the same.
TABLE = {
    '3t-1l-inversion-without-pi.yaml': {
        VANILLA: 'inversion', RT: 'ok', BIAS: 'ok', WRITE: 'ok',
        '6.12-rt': 'ok', '6.12-rt@sched': 'ok', '6.12-vanilla': 'inversion',
        '6.12-vanilla@sched': 'inversion'},
    '3t-1l-readers-are-not-boosted.yaml': {
        RT: 'inversion', BIAS: 'inversion', WRITE: 'ok', VANILLA: 'ok',
        '6.12-rt': 'inversion', '6.12-rt@sched': 'inversion', '6.1-rt': 'inversion',
        '6.12-vanilla': 'ok', '6.12-vanilla@sched': 'ok'},
    'nested-read-deadlock.yaml': {
        RT: 'deadlock', BIAS: 'ok', VANILLA: 'deadlock', WRITE: 'deadlock'},
    'rtapp-pi-on.json': {RT: 'ok', VANILLA: 'ok'},
    'rtapp-pi-off.json': {RT: 'inversion', VANILLA: 'inversion'},
}
for scenario, cells in TABLE.items():
    for image, verdict in cells.items():
        got, run = run_json(scenario, image)
        check(got.get('verdict') == verdict and run.returncode == 0,
              f'{scenario} on {image}: {verdict}, got {got.get("verdict")}, '
              f'status {run.returncode} {run.stderr.strip()}')
        if image.startswith('abstract'):
            other, _ = run_json(scenario, image, '--carrier', 'pthread')
            check(other.get('digest') == got.get('digest'), f'{scenario} on {image}: both carriers')

got, _ = run_json('3t-1l-inversion-without-pi.yaml', VANILLA)
wait = got['waits'][0]
check((wait['task'], wait['lock'], wait['holder'], wait['boosted']) == ('high', 'm', 'low', False),
      f'the wait of the textbook, got {wait}')
# the middle task's 10 ms begin 1 ms before high comes, give or take the start offsets of 100 us
check(8_900_000 <= wait['inverted_ns'] <= 9_110_000,
      f'inverted for the rest of the middle task, got {wait["inverted_ns"]}')
got, _ = run_json('3t-1l-inversion-without-pi.yaml', RT)
check(got['waits'][0]['boosted'] and got['waits'][0]['wait_ns'] < 3_100_000,
      'with inheritance high waits for the rest of the section')

# What only a kernel has is refused in one line.
for scenario, what in (('p-inversion.yaml', 'resource "efd0"'), ('lost-wakeup.yaml', 'resource')):
    r = lockstep('run', os.path.join(ROOT, 'traces', scenario), '--kernel', 'abstract')
    check(r.returncode == 2 and what in r.stderr and r.stderr.count('\n') == 1,
          f'{scenario} on abstract: one line, got {r.stderr}')
r = lockstep('run', os.path.join(ROOT, 'traces/rtapp-pi-on.json'), '--kernel', 'abstract@rtt')
check(r.returncode == 2 and 'did you mean "abstract' in r.stderr,
      f'a wrong strategy: the nearest name, got {r.stderr}')

with tempfile.TemporaryDirectory() as folder:
    # without any image, and without the folder of images
    for images in (folder, os.path.join(folder, 'none')):
        env = dict(os.environ, LOCKSTEP_IMAGES=images)
        r = subprocess.run([LOCKSTEP, 'run', os.path.join(ROOT, 'traces/rtapp-pi-off.json'),
                            '--kernel', 'abstract', '--json'], capture_output=True, text=True,
                           env=env)
        check(r.returncode == 0 and json.loads(r.stdout)['verdict'] == 'inversion',
              f'no kernel image is needed: {r.stderr}')
        r = subprocess.run([LOCKSTEP, 'list', '--json'], capture_output=True, text=True, env=env)
        check([i['name'] for i in json.loads(r.stdout)] == [RT, BIAS, VANILLA, WRITE],
              'and lockstep list names the abstract ones')

    def run_text(name, text, image, *args):
        path = os.path.join(folder, name + '.yaml')
        with open(path, 'w') as f:
            f.write(text)
        r = lockstep('run', path, '--kernel', image, '--json', *args)
        return (json.loads(r.stdout) if r.stdout else {}), r

    # 64 CPUs and 1,000 tasks
    big = '''machine: {cpus: 64, duration: 200ms}
resources: {m: {type: mutex}}
tasks:
  t:
    instance: 999
    policy: SCHED_FIFO
    priority: 10
    loop: 3
    run: 100us
    lock: {ref: m}
    run1: 10us
    unlock: {ref: m}
    sleep: 1ms
'''
    runs = [run_text('big', big, 'abstract', '--carrier', c)[0] for c in ('fiber', 'fiber',
                                                                         'pthread')]
    check(all(g.get('verdict') == 'ok' for g in runs), f'1,000 tasks on 64 CPUs: {runs[0]}')
    check(len({g.get('digest') for g in runs}) == 1, 'and the same on both carriers')

    # a holder without quota: the waiter's boost takes it out of its group, or it waits
    quota = '''machine: {cpus: 2, duration: 100ms}
groups: {limited: {quota: 1ms, period: 20ms, timer_cpu: 1}}
resources: {m: {type: mutex}}
tasks:
  holder: {group: limited, cpus: [0], lock: {ref: m}, run: 8ms, unlock: {ref: m}}
  waiter: {policy: SCHED_FIFO, priority: 10, cpus: [1], delay: 5ms, lock: {ref: m}, unlock: {ref: m}}
'''
    got, _ = run_text('quota', quota, 'abstract')
    check(got['waits'][0]['boosted'] and got['waits'][0]['wait_ns'] < 8_000_000,
          f'a boosted holder needs no quota: {got["waits"][0]}')
    got, _ = run_text('quota', quota, 'abstract@vanilla')
    check(not got['waits'][0]['boosted'] and got['waits'][0]['wait_ns'] > 15_000_000,
          f'without a boost it waits for the refill: {got["waits"][0]}')
    got, _ = run_text('quota', quota, 'abstract@vanilla', '--set', 'machine.throttle=at-exit')
    check(got['waits'][0]['wait_ns'] < 8_000_000,
          f'throttled at the return to user space it unlocks first: {got["waits"][0]}')

    # an interrupt in hard context and in a thread
    irq = '''machine: {cpus: 1, duration: 20ms}
interrupts: {nic: {cpu: 0, threaded: THREADED, priority: 50, first: 1ms, period: 1ms, count: 5, handler: {run: 100us}}}
tasks:
  task: {cpus: [0], run: 15ms}
'''
    for threaded, switches in (('true', 'irq/0-nic'), ('false', None)):
        trace = os.path.join(folder, 'trace')
        got, r = run_text('irq', irq.replace('THREADED', threaded), 'abstract', '--trace', trace)
        text = open(trace).read() if os.path.exists(trace) else ''
        check(text.count('irq_handler_entry') == 5, f'five interrupts, threaded {threaded}: '
              f'{text.count("irq_handler_entry")} {r.stderr}')
        check(('next_comm=irq/0-nic' in text) == bool(switches), f'a thread only if threaded: {threaded}')
finish()
