#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Case K watched on: the RCU stall comes at the kernel's timeout and names who is waited for.

The timeout counts from the beginning of the grace period and is noticed at a tick; the next
warning comes after three times the timeout and three ticks.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep, run_json

SECOND, TICK = 10**9, 4 * 10**6
# long enough for two warnings; the programs end, so that runs without a stall do
LONG = [f'--set={s}' for s in ('machine.duration=90s', 'tasks.writer.loop=3000',
                               'tasks.reader.loop=5000')]


def grace_periods(path):
    """Number -> (begin, end) in ns, end None when it never came."""
    times = {}
    for s, ns, number, what in re.findall(
            r' (\d+)\.(\d{9}): rcu_grace_period: rcu_preempt (\d+) (start|end)', open(path).read()):
        times.setdefault(int(number), {})[what] = int(s) * SECOND + int(ns)
    return {n: (t['start'], t.get('end')) for n, t in times.items()}


def run(folder, image, *more):
    trace = os.path.join(folder, 'trace')
    got, r = run_json('k-bandwidth-stall-aimed.yaml', image, '--trace', trace, *LONG, *more)
    return got, grace_periods(trace), r


def stall(folder, timeout, *more):
    got, periods, r = run(folder, '6.12-rt+rwlock', *more)
    open_ones = [begin for begin, end in periods.values() if end is None]
    check(got['verdict'] == 'stall' and r.returncode == 0, f'{more}: the verdict stays stall')
    check(len(open_ones) == 1, f'{more}: one grace period never ends, got {periods}')
    reports = [(r['at_ns'], r['text']) for r in got['reports'] if r['text'].startswith('RCU stall')]
    first, second = sorted({at for at, _ in reports})[:2]
    due = open_ones[0] + timeout
    check(due <= first < due + TICK, f'{more}: due at {due}, reported at {first}')
    due = first + 3 * (timeout + TICK)
    check(due <= second < due + TICK + TICK // 2, f'{more}: again at {due}, reported at {second}')
    names = [text for at, text in reports if at == first]
    check(names == ['RCU stall: the grace period waits for ktimers/1',
                    'RCU stall: the grace period waits for writer'], f'{more}: names {names}')


with tempfile.TemporaryDirectory() as folder:
    stall(folder, 21 * SECOND)
    stall(folder, 10 * SECOND, '--set', 'machine.rcu_stall=10s')
    # no warning before the time is over
    got, periods, _ = run(folder, '6.12-rt+rwlock', '--set', 'machine.duration=21s')
    check(got['verdict'] == 'stall' and not got['reports'], f'no warning in 21 s: {got["reports"]}')
    # twins: nothing stalls, and every grace period ends
    for image, more in (('6.12-rt', ()), ('6.1-rt', ()), ('6.1-rt+rwlock', ()),
                        ('6.12-rt+rwlock', ('--set', 'groups.limited.timer_cpu=0'))):
        got, periods, r = run(folder, image, '--set', 'machine.rcu_stall=1s', *more)
        check(got['verdict'] == 'ok' and not got['reports'],
              f'{image} {more}: {got["verdict"]}, reports {got["reports"]}')
        check(periods and all(end for _, end in periods.values()),
              f'{image} {more}: every grace period ends, got {periods}')

# a hit by chance, run on from its seed
seeds = json.loads(lockstep('compare', os.path.join(ROOT, 'traces/k-bandwidth-stall.yaml'),
                            '--kernel', '6.12-rt+rwlock', '--seeds', '25', '--json').stdout)
seed = seeds['images'][0]['first_seed'].get('stall')
check(seed is not None, f'some seed of 25 stalls: {seeds}')
for carrier in ('fiber', 'pthread'):
    got, _ = run_json('k-bandwidth-stall.yaml', '6.12-rt+rwlock', '--seed', str(seed),
                      '--carrier', carrier, '--set', 'machine.duration=22s')
    check(any(r['text'].startswith('RCU stall') and 21 * SECOND < r['at_ns'] < 22 * SECOND
              for r in got.get('reports', [])), f'seed {seed} on {carrier}: {got.get("reports")}')
finish()
