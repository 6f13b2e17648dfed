#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Bad input: each ends with status 2 and one line, or the verdict limit, in 5 s and 512 MiB."""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import LOCKSTEP, ROOT, SANITIZED, check, finish, lockstep

LIMIT = 512 << 20
base = open(os.path.join(ROOT, 'traces/p-inversion.yaml')).read()
folder = tempfile.TemporaryDirectory()


def bounded():
    # virtual memory holds the reserved arena and guard pages: 4 GiB of it are never touched
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def attempt(name, text, suffix='.yaml'):
    path = os.path.join(folder.name, name + suffix)
    with open(path, 'wb') as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    start = time.time()
    try:
        run = subprocess.run([LOCKSTEP, 'run', path], capture_output=True, preexec_fn=bounded,
                             timeout=600 if SANITIZED else 30)
    except subprocess.TimeoutExpired:
        check(False, f'{name}: does not end')
        return ''
    took, err = time.time() - start, run.stderr.decode(errors='replace')
    out = run.stdout.decode(errors='replace')
    check(run.returncode == 2 and err.count('\n') == 1 or
          run.returncode in (0, 1) and out.startswith('limit') or
          run.returncode in (0, 1) and name.startswith('valid'),
          f'{name}: status {run.returncode}: {err[:200] or out[:100]}')
    check(took < 5 or SANITIZED, f'{name}: took {took:.1f} s')
    return err


# truncated at every n-th byte: what is left may still be a scenario
step = max(1, len(base) // 60)
for n in range(0, len(base), step):
    attempt(f'valid-or-not-{n}', base[:n])

# every scalar replaced by something absurd
absurd = ['-1', '99999999999999999999', 'null', '[1, 2]', '{a: b}', '"\\u0000"', '1e400', 'nan',
          '""', 'x' * 5000]
scalars = [m for m in re.finditer(r'(?<=: )[\w.]+(?=\n|,|\})', base)]
for i, m in enumerate(scalars[:: max(1, len(scalars) // 12)]):
    for k, value in enumerate(absurd):
        attempt(f'valid-or-absurd-{i}-{k}', base[:m.start()] + value + base[m.end():])

MINIMAL = 'machine: {duration: 1s}\ntasks: {t: {loop: -1, %s}}\n'
attempt('deep', '[' * 5000)
attempt('deep-map', 'a: ' + '{a: ' * 200 + '1' + '}' * 200)
attempt('alias', 'a: &x [1, 2]\nb: *x\n')
attempt('bomb', 'a: &a [x, x]\n' + ''.join(
    f'{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n' for i in range(20)))
attempt('a-million-tasks', 'tasks: {t: {instance: 1000000, run: 1}}')
attempt('invalid-utf8', b'name: \xff\xfe\xfa\ntasks: {t: {run: 1}}')
attempt('nul', b'name: a\x00b\ntasks: {t: {run: 1}}')
attempt('empty', '')
attempt('only-comment', '# nothing\n')
attempt('scalar', 'hello')
attempt('no-tasks', 'name: x\n')
attempt('endless-yield', 'limits: {events: 2000000}\n' + MINIMAL.replace('1s', '1000s') % 'yield: {}')
attempt('endless-lock', 'limits: {events: 2000000}\nresources: {m: {type: mutex}}\n' +
        MINIMAL.replace('1s', '1000s') % 'lock: m, unlock: m')
attempt('huge', b'# ' + b'x' * (5 << 20))
attempt('cpus-0', 'machine: {cpus: 0}\ntasks: {t: {run: 1}}')
attempt('cpus-65', 'machine: {cpus: 65}\ntasks: {t: {run: 1}}')
attempt('cpu-not-there', 'tasks: {t: {cpus: [3], run: 1}}')
attempt('json-cut', '{"tasks": {"t": {"run": 1', '.json')
attempt('json-comment-open', '{"tasks": {} /* ', '.json')

# messages say where and what was meant
err = attempt('typo', 'tasks:\n  t: {polisy: SCHED_FIFO}\n')
check(':2:7: ' in err and 'did you mean "policy"' in err, f'an unknown key: {err}')
err = attempt('word', 'tasks:\n  t: {policy: SCHED_FIFFO, run: 1}\n')
check(':2:15: ' in err and '"SCHED_FIFO"' in err, f'an unknown word: {err}')
err = attempt('ref', 'resources: {data: {type: mutex}}\ntasks:\n  t: {lock: dat}\n')
check(':3:13: ' in err and 'did you mean "data"' in err, f'an undefined reference: {err}')
err = attempt('group', 'tasks:\n  t: {group: nope, run: 1}\n')
check(':2:14: ' in err and 'no group "nope"' in err, f'an undefined group: {err}')
err = attempt('unit', 'tasks:\n  t: {run: 5lightyears}\n')
check(':2:12: ' in err and 'ns, us, ms or s' in err, f'an unknown unit: {err}')
err = attempt('refused', 'tasks:\n  t: {iorun: 5}\n')
check(':2:7: ' in err and 'refused' in err, f'an event without meaning: {err}')

# command line
for args, words in ((['rum'], 'did you mean "run"'), (['run'], 'no scenario file'),
                    (['run', 'x.yaml', '--kernle', 'a'], 'did you mean --kernel'),
                    (['run', 'no-such-file.yaml'], 'cannot be opened'),
                    (['run', '/'], 'is no file'),
                    (['run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--kernel', '6.12-rr'],
                     'did you mean "6.12-rt"'),
                    (['run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--seed', 'x'],
                     'whole number'),
                    (['run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--carrier', 'x'],
                     'fiber or pthread'),
                    (['run', os.path.join(ROOT, 'traces/p-inversion.yaml'), '--set', 'nonsense'],
                     'key=value'),
                    (['compare', 'x'], '--kernel'), (['scenario'], 'what about')):
    r = lockstep(*args)
    check(r.returncode == 2 and words in r.stderr and r.stderr.count('\n') == 1,
          f'{args[:1] + args[2:]}: {r.stderr.strip()}')
check(lockstep('--version').stdout.startswith('lockstep '), '--version')
check('epoll_wait' in lockstep('scenario', '--schema').stdout, 'the schema has events')
finish()
