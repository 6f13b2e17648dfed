#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The command line: exit status, streams that are full or closed, files left behind, installing."""
import csv
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import BUILD, LOCKSTEP, ROOT, check, finish, lockstep

P, ENDLESS = (os.path.join(ROOT, 'traces', name) for name in ('p-inversion.yaml',
                                                               'k-bandwidth-stall.yaml'))


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=600,
                          executable='/bin/bash', env=dict(os.environ, L=LOCKSTEP, P=P))


def status_and_streams(folder):
    check(lockstep('run', P, '--kernel', '6.12-rt').returncode == 0, 'as expected is status 0')
    wrong = os.path.join(folder, 'wrong.yaml')
    with open(P) as f, open(wrong, 'w') as g:
        g.write(f.read().replace('verdict: ok', 'verdict: stall'))
    r = lockstep('run', wrong, '--kernel', '6.12-rt')
    check(r.returncode == 1 and '-- not as expected: expected stall' in r.stdout.split('\n')[0],
          'not as expected is status 1, and the first line says so')
    r = lockstep('compare', wrong, '--kernel', '6.12-rt', '--seeds', '2')
    check(r.returncode == 1, 'compare: status 1 when a run is not as expected')

    for command in ('run $P', 'run $P --json', 'list', 'scenario --schema', '--help', '--version',
                    'run --help', 'compare $P --kernel 6.12-rt --seeds 1 --csv'):
        r = shell(f'$L {command} > /dev/full')
        check(r.returncode == 2 and r.stderr.count('\n') == 1 and 'cannot be written' in r.stderr,
              f'{command} to a full disk: {r.returncode} {r.stderr!r}')
        r = shell(f'$L {command} >&-')
        check(r.returncode == 2 and r.stderr.count('\n') == 1,
              f'{command} to a closed stream: {r.returncode} {r.stderr!r}')
    r = shell('$L list --json | head -n 1; echo ${PIPESTATUS[0]}')
    check(r.stdout.split() in (['[', '0'], ['[', '141']) and not r.stderr,
          f'a reader that goes away ends it quietly: {r.stdout!r} {r.stderr!r}')
    trace = os.path.join(folder, 'trace')
    shell(f'$L run $P --kernel 6.12-rt --trace {trace} >&-')
    text = open(trace).read()
    check(text.startswith('# tracer') and 'digest' not in text,
          'with a closed standard output no report lands in the trace')


def traces(folder):
    start = time.time()
    r = lockstep('run', ENDLESS, '--set', 'machine.duration=100s', '--trace', '/no/such/folder/x')
    check(r.returncode == 2 and r.stderr.count('\n') == 1 and not r.stdout and
          time.time() - start < 5, f'a trace that cannot be written is said before the run: {r}')
    full = os.path.join(folder, 'full')
    os.symlink('/dev/full', full)   # should it be replaced after all, that is only the link
    r = lockstep('run', P, '--trace', full)
    check(r.returncode == 2 and r.stderr == f'lockstep: {full}: cannot be written: No space left '
          'on device\n' and not r.stdout, f'a trace on a full disk: {r.stderr}')
    inside = os.path.join(folder, 'interrupted')
    os.mkdir(inside)
    for number in (signal.SIGINT, signal.SIGTERM):
        p = subprocess.Popen([LOCKSTEP, 'run', ENDLESS, '--set', 'machine.duration=1000s',
                              '--trace', os.path.join(inside, 'x')], stdout=subprocess.DEVNULL)
        for _ in range(500):
            if os.listdir(inside):
                break
            time.sleep(0.02)
        check(len(os.listdir(inside)) == 1, 'the trace grows under another name')
        p.send_signal(number)
        check(p.wait(60) == -number and not os.listdir(inside),
              f'{number!r} leaves no half of a trace: {os.listdir(inside)}')


def alone(image, seeds):
    """What compare adds up, from runs one by one: worst wait, boosts, switches."""
    worst, boosts, switches = 0, 0, 0
    for seed in range(1, seeds + 1):
        args = ('run', P, '--kernel', image, '--seed', str(seed))
        waits = json.loads(lockstep(*args, '--json').stdout)['waits']
        worst = max([worst] + [w['wait_ns'] for w in waits])
        last = re.search(r'(\d+) switches, \d+ waits, (\d+) boosts', lockstep(*args).stdout)
        switches, boosts = switches + int(last[1]), boosts + int(last[2])
    return worst, boosts, switches


def comparing():
    args = ('compare', P, '--kernel', '6.12-rt+rwlock,6.12-rt', '--seeds', '5')
    table, as_json = lockstep(*args), json.loads(lockstep(*args, '--json').stdout)
    rows = list(csv.DictReader(io.StringIO(lockstep(*args, '--csv').stdout)))
    check(not table.stderr, 'no progress where no terminal is')
    check(as_json['scenario'] == 'p-inversion' and len(as_json['images']) == 2, 'two images')
    for image, row in zip(as_json['images'], rows):
        check(sum(image['verdicts'].values()) == image['seeds'] == 5, 'each run has one verdict')
        flat = {**image['verdicts'], **{k: v for k, v in image.items() if type(v) != dict}}
        check({k: str(v) for k, v in flat.items()} == row, f'JSON and CSV agree: {flat} {row}')
        line = [l for l in table.stdout.split('\n') if l.split(' ')[0] == image['image']][0].split()
        worst = f'{image["worst_wait_ns"] // 1000}.{image["worst_wait_ns"] % 1000:03}'
        check(line[1] == '5' and line[-4] == worst and line[-1] == str(image['switches']) and
              line[-2] == str(image['boosts']), f'the table says the same: {line}')
        sums = image['worst_wait_ns'], image['boosts'], image['switches']
        check(sums == alone(image['image'], 5), f'{image["image"]}: sums of single runs: {sums}')
        for verdict, seed in image['first_seed'].items():
            r = lockstep('run', P, '--kernel', image['image'], '--seed', str(seed), '--json')
            check(json.loads(r.stdout)['verdict'] == verdict, f'seed {seed} shows {verdict}')
    check(as_json['images'][1]['boosts'] > 0 and as_json['images'][0]['inverted_ns'] > 10**6,
          'boosts after the fix, inversion before it')
    r = lockstep('compare', P, '--kernel', '6.12-rt,6.12-rr')
    check(r.returncode == 2 and '6.12-rr' in r.stderr and not r.stdout, 'a wrong name among images')
    for kernels in ('', ',6.12-rt', '6.12-rt,'):
        r = lockstep('compare', P, '--kernel', kernels)
        check(r.returncode == 2 and r.stderr.count('\n') == 1, f'--kernel "{kernels}"')


def on_terminal(*args):
    """Standard error as a terminal sees it, and how long it took."""
    ours, theirs = pty.openpty()
    start = time.time()
    p = subprocess.Popen([LOCKSTEP, *args], stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b''
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:     # the other end is closed
            break
        if not more:
            break
        seen += more
    p.wait(600)
    os.close(ours)
    return seen, time.time() - start


def has_terminals():
    """A chroot without /dev/pts has none."""
    try:
        for fd in pty.openpty():
            os.close(fd)
        return True
    except OSError as e:
        print(f'progress is not looked at: no pseudo terminal here: {e}')
        return False


def progress():
    if not has_terminals():
        return
    seen, took = on_terminal('compare', P, '--kernel', '6.12-rt', '--seeds', '1')
    check(not seen or took > 2, f'a short comparison says nothing: {seen}')
    seeds = 50
    while seeds < 100000:
        seen, took = on_terminal('compare', P, '--kernel', '6.12-rt', '--seeds', str(seeds))
        if took > 3:
            break
        seeds = int(seeds * max(2, 4 / took))
    check(b' s left' in seen and b'run ' in seen and b' of %d' % seeds in seen,
          f'a long one says how far it is: {seen[:200]}')
    check(seen.endswith(b'\r\x1b[K'), 'and wipes the line at the end')


def installing(folder):
    """Only of the plain build: a variant is not meant to be installed."""
    if BUILD != os.path.join(ROOT, 'build'):
        return
    prefix, moved = os.path.join(folder, 'prefix'), os.path.join(folder, 'moved here')
    r = subprocess.run(['scons', '-Q', 'install', f'PREFIX={prefix}'], cwd=ROOT,
                       capture_output=True, text=True)
    check(r.returncode == 0, f'scons install: {r.stdout[-300:]} {r.stderr[-300:]}')
    os.rename(prefix, moved)
    for path in ('bin/lockstep', 'share/man/man1/lockstep.1', 'share/lockstep/traces/p-inversion.yaml',
                 'lib/lockstep/kernel/6.12-rt.so'):
        check(os.path.isfile(os.path.join(moved, path)), f'{path} is installed')
    kernel = os.path.join(moved, 'lib/lockstep/kernel')
    for name in os.listdir(kernel):
        if name not in ('6.12-rt.so', '6.12-rt+rwlock.so'):
            os.unlink(os.path.join(kernel, name))
    env = {k: v for k, v in os.environ.items() if not k.startswith('LOCKSTEP')}

    def installed(*args):
        return subprocess.run([os.path.join(moved, 'bin/lockstep'), *args], cwd='/', env=env,
                              capture_output=True, text=True)
    names = [i['name'] for i in json.loads(installed('list', '--json').stdout)
             if i['units'] and i['scheduler'] != 'host']
    check(names == ['6.12-rt', '6.12-rt+rwlock'], f'it finds its own images: {names}')
    r = installed('run', os.path.join(moved, 'share/lockstep/traces/k-bandwidth-stall-aimed.yaml'),
                  '--kernel', '6.12-rt+rwlock', '--json')
    here = lockstep('run', os.path.join(ROOT, 'traces/k-bandwidth-stall-aimed.yaml'), '--kernel',
                    '6.12-rt+rwlock', '--json')
    check(r.returncode == 0 and r.stdout == here.stdout, 'the installed one says the same, byte '
          'for byte')
    shutil.rmtree(moved)


with tempfile.TemporaryDirectory() as directory:
    status_and_streams(directory)
    traces(directory)
    comparing()
    progress()
    installing(directory)
finish()
