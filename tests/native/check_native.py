#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Native images: a little stress of each, races under ThreadSanitizer, benchmarks, bad input."""
import glob
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import BUILD, LOCKSTEP, ROOT, check, finish, lockstep

TSAN = b'__tsan_init' in open(LOCKSTEP, 'rb').read()
SECONDS = os.environ.get('LOCKSTEP_NATIVE_SECONDS', '1')
images = sorted(os.path.basename(f)[:-3] for f in glob.glob(os.path.join(BUILD, 'native/*.so')))
images = [i for i in images if 'naive' not in i]      # that one loses events


def expected_races():
    """{pair of functions} of races.txt."""
    pairs = set()
    for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'races.txt')):
        if line.strip() and not line.startswith('#'):
            functions, tab, reason = line.rstrip('\n').partition('\t')
            check(tab and reason and len(functions.split()) == 2, f'a line of races.txt: {line}')
            pairs.add(tuple(sorted(functions.split())))
    return pairs


def races(text):
    """What ThreadSanitizer wrote, as (kind, functions)."""
    for report in text.split('WARNING: ThreadSanitizer: ')[1:]:
        sides = re.findall(r'^  (?:Previous )?(?:[Aa]tomic )?(?:[Rr]ead|[Ww]rite) of[^\n]*\n'
                           r'((?:    #.*\n)*)', report, re.M)
        functions = []
        for stack in sides:
            frames = re.findall(r'#\d+ (\S+) (\S+)', stack)
            functions += [name for name, where in frames
                          if (re.search(r'\.c:\d', where) or where == '<null>')
                          and not name.startswith('__tsan')][:1]
        if len(functions) < 2:
            continue        # one of the stacks is forgotten already
        yield report.split(' (pid')[0], tuple(sorted(functions))


def stress(image, log):
    run = lockstep('native', 'stress', '--kernel', image, '--seconds', SECONDS, '--json')
    try:
        got = json.loads(run.stdout)['results'][0]
    except (ValueError, LookupError):
        got = {'failure': 'no JSON', 'events': 0}
    check(run.returncode == 0 and got['failure'] is None and got['events'] > 10000,
          f'{image}: no event is lost, no object is left: {got} {run.stderr[-2000:]}')
    found = set()
    for name in glob.glob(log + '.*'):
        found |= set(races(open(name, errors='replace').read()))
        os.unlink(name)
    return found


def bench(program, *args):
    run = lockstep('native', program, '--kernel', '6.12-vanilla,6.12-rt', '--ms', '20', '--rounds',
                   '2', *args)
    check(run.returncode == 0 and run.stdout.startswith(program) and '6.12-rt' in run.stdout,
          f'{program}: {run.stdout} {run.stderr}')
    run = lockstep('native', program, '--kernel', '6.12-vanilla,6.12-rt', '--ms', '20', '--rounds',
                   '2', '--json', *args)
    rows = json.loads(run.stdout)['results']
    check(len(rows) == 4 and all(0 < r['lowest'] <= r['median'] <= r['highest'] for r in rows),
          f'{program}: a row an image and number of threads: {rows}')


def bad_input():
    for words, message in (
            (('stres',), 'did you mean "stress"?'), ((), 'no program'),
            (('stress', '--kernel', '6.99-rt'), '6.99-rt: no such native image in'),
            (('stress', '--kernel', '../native/6.12-rt'), 'no such native image'),
            (('stress', '--kernel', ','), 'names of images'),
            (('stress', '--seconds', '0'), '1 to'), (('stress', '--patience', 'x'), 'whole number'),
            (('stress-epoll', '--threads', '129'), 'from 1 to 128'),
            (('stress-epoll', '--threads', '1,,2'), 'separated by commas'),
            (('epoll-wait', '--rounds', '1001'), '1 to 1000'),
            (('stress', 'stress-epoll'), 'one program at a time')):
        run = lockstep('native', *words)
        check(run.returncode == 2 and message in run.stderr and run.stderr.count('\n') == 1 and
              not run.stdout, f'native {" ".join(words)}: {run.returncode} {run.stderr!r}')


with tempfile.TemporaryDirectory() as tmp:
    check(len(images) >= 12, f'native images are there: {images}')
    log = os.path.join(tmp, 'tsan')
    os.environ['TSAN_OPTIONS'] = f'log_path={log} history_size=7 exitcode=0'
    allowed, seen = expected_races(), set()
    for image in images:
        found = stress(image, log)
        new = sorted(r for r in found if r[0] != 'data race' or r[1] not in allowed)
        check(not new, f'{image}: races that races.txt does not have: {new}')
        seen |= found
    check(bool(seen) == TSAN, 'ThreadSanitizer, and nothing else, finds races')
    bench('stress-epoll', '--threads', '1,3')
    bench('epoll-wait', '--threads', '1,2')
    bad_input()
finish()
