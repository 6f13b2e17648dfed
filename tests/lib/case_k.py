# SPDX-License-Identifier: GPL-2.0-only
"""Case K by chance: how many seeds stall, and where none may."""
import concurrent.futures
import json
import os

from check import ROOT, check, lockstep, run_json

NO_QUOTA = ('--set', 'groups.limited.quota=max')
AT_EXIT = ('--set', 'machine.throttle=at-exit')
# file, image, options, may it stall
CELLS = [
    ('k-bandwidth-stall.yaml', '6.12-rt+rwlock', (), True),
    ('k-bandwidth-stall.yaml', '6.12-rt', (), False),
    ('k-bandwidth-stall.yaml', '6.1-rt+rwlock', (), False),
    ('k-bandwidth-stall.yaml', '6.12-rt+rwlock', NO_QUOTA, False),
    ('k-timer-elsewhere.yaml', '6.12-rt+rwlock', (), False),
    ('k-bandwidth-stall.yaml', '6.12-rt+rwlock@sched', (), True),
    ('k-bandwidth-stall.yaml', '6.12-rt+rwlock@sched', AT_EXIT, False),
]


def count(cell, seeds):
    """Runs one cell; its row of lockstep compare --json."""
    name, image, options, _ = cell
    r = lockstep('compare', os.path.join(ROOT, 'traces', name), '--kernel', image, '--seeds',
                 str(seeds), '--json', *options, timeout=4 * 3600)
    return json.loads(r.stdout)['images'][0]


def check_cell(cell, row, seeds):
    """0 < hit rate <= 50 % where it may stall, 0 elsewhere, and nothing but ok and stall."""
    name, image, options, some = cell
    what = ' '.join([name, 'on', image, *options[1:]])
    stalls = row['verdicts']['stall']
    print(f'{what}: {stalls} of {seeds} seeds stall ({100 * stalls / seeds:.1f} %)', flush=True)
    check(0 < stalls <= seeds // 2 if some else stalls == 0, f'{what}: {stalls} stalls')
    check(row['verdicts']['ok'] + stalls == seeds, f'{what}: ok or stall, nothing else')


def check_replay(cell, row):
    """The first hit replays from its seed on both carriers, with the chain of the report."""
    name, image = cell[:2]
    seed = str(row['first_seed']['stall'])
    runs = [run_json(name, image, '--seed', seed, '--carrier', c)[0] for c in ('fiber', 'pthread')]
    check(all(g['verdict'] == 'stall' for g in runs) and runs[0]['digest'] == runs[1]['digest'],
          f'K on {image}: seed {seed} replays on both carriers')


def check_rates(seeds):
    """All cells, one a CPU at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        rows = list(pool.map(lambda cell: count(cell, seeds), CELLS))
    for cell, row in zip(CELLS, rows):
        check_cell(cell, row, seeds)
        if cell[3] and row['verdicts']['stall']:
            check_replay(cell, row)
