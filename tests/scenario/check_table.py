#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The table of scenarios: each cell is a claim about one image, checked exactly."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import check, finish, run_json

# scenario: {image: verdict}; a set where chance decides over the seeds of this run.
TABLE = {
    'p-inversion.yaml': {'6.12-rt+rwlock': 'inversion', '6.12-rt': 'ok',
                         '6.1-rt+rwlock': 'inversion', '6.1-rt': 'ok'},
    'k-bandwidth-stall-aimed.yaml': {'6.12-rt+rwlock': 'stall', '6.12-rt': 'ok',
                                     '6.1-rt+rwlock': 'ok', '6.1-rt': 'ok'},
    'nested-read-deadlock.yaml': {'6.12-rt+rwlock': 'deadlock', '6.12-rt': 'deadlock',
                                  '6.1-rt+rwlock': 'ok', '6.1-rt': 'ok'},
    'rtapp-pi-on.json': {'6.12-rt': 'ok', '6.1-rt': 'ok', '6.12-vanilla': 'ok'},
    'rtapp-pi-off.json': {'6.12-rt': 'inversion', '6.1-rt': 'inversion',
                          '6.12-vanilla': 'inversion'},
}

for scenario, cells in TABLE.items():
    for image, verdict in cells.items():
        got, run = run_json(scenario, image)
        check(got.get('verdict') == verdict,
              f'{scenario} on {image}: {verdict}, got {got.get("verdict")} {run.stderr.strip()}')
        check(run.returncode == 0, f'{scenario} on {image}: as the scenario expects, status 0')

# K: the chain has the four edges of the report, in order.
got, run = run_json('k-bandwidth-stall-aimed.yaml', '6.12-rt+rwlock')
edges = [(e['waiter'], e['kind'], e['holder']) for e in got['chain']]
check(edges == [('reader', 'lock', 'writer'),
                ('writer', 'throttle', 'period timer of CPU 1'),
                ('period timer of CPU 1', 'softirq', 'ktimers/1'),
                ('ktimers/1', 'lock', 'reader')], f'K: the chain of the report, got {edges}')
check([e['waits_for'] for e in got['chain']][::3] == ['&ep->lock', '&ep->lock'],
      'K: both locks of the chain are &ep->lock')

# P: the inverted time is the rest of the middle task's burst, and follows it when it is halved.
for burst in (15000, 7500):
    got, run = run_json('p-inversion.yaml', '6.12-rt+rwlock', '--set', f'tasks.middle.run={burst}us')
    wait = got['waits'][0]
    check(wait['task'] == 'high' and wait['lock'] == '&ep->lock' and wait['mode'] == 'write',
          'P: the longest wait is that of high for writing &ep->lock')
    check(burst * 1000 <= wait['inverted_ns'] <= burst * 1000 + 10000,
          f'P: inverted for the burst of {burst} us and two switches, got {wait["inverted_ns"]} ns')
    check(not wait['boosted'], 'P: nobody boosts the reader')
got, run = run_json('p-inversion.yaml', '6.12-rt')
wait = got['waits'][0]
check(wait['task'] == 'high' and wait['wait_ns'] < 310000 and wait['boosted'],
      f'P with the spinlock: high waits at most the section of 300 us and two switches, and boosts; '
      f'got {wait}')
finish()
