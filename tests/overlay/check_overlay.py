#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The race of adds to the ready list by the ordinary path: found, replayed, absent when mended."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep, run_json

SCENARIO = 'ep-lockfree-add.yaml'
SEEDS = 200
GOOD = ['6.12-rt', '6.12-rt+rwlock', '6.12-rt+rwlock@access', '6.12-vanilla+rwlock@access']
NAIVE = '6.12-rt+rwlock-naive@access'

r = lockstep('compare', os.path.join(ROOT, 'traces', SCENARIO), '--kernel',
             ','.join(GOOD + [NAIVE]), '--seeds', str(SEEDS), '--json')
rows = {row['image']: row for row in json.loads(r.stdout)['images']}
for image in GOOD:
    check(rows[image]['verdicts']['ok'] == SEEDS, f'{image}: ok on every seed, got {rows[image]}')
found = rows[NAIVE]['verdicts']
print(f'{NAIVE}: {found["lost-wakeup"]} lost wake-ups and {found["bug"]} bugs in {SEEDS} seeds')
check(found['lost-wakeup'] and found['bug'], f'the lock swap alone: both faults, got {found}')
check(found['ok'] + found['lost-wakeup'] + found['bug'] == SEEDS, f'and no other, got {found}')

for verdict in ('lost-wakeup', 'bug'):
    seed = str(rows[NAIVE]['first_seed'][verdict])
    for image in (NAIVE, GOOD[2]):
        runs = [run_json(SCENARIO, image, '--seed', seed, '--carrier', c)[0]
                for c in ('fiber', 'pthread')]
        want = verdict if image == NAIVE else 'ok'
        check([g['verdict'] for g in runs] == [want] * 2,
              f'{image}, seed {seed}: {want} on both carriers, got {[g["verdict"] for g in runs]}')
        check(runs[0]['digest'] == runs[1]['digest'], f'{image}, seed {seed}: one digest')
    if verdict == 'lost-wakeup':
        about = run_json(SCENARIO, NAIVE, '--seed', seed)[0]['about']
        check(about.startswith('consumer sleeps in epoll_wait(ep)'), f'it names the waiter: {about}')
finish()
