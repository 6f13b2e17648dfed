#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""KERNEL=: a tree of the user's own becomes an image, or one clear message."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import BUILD, ROOT, check, finish, lockstep, run_json

sys.path.insert(0, os.path.join(ROOT, 'kernel-shim/build'))
sys.dont_write_bytecode = True
import tree as trees

# A copy by links; the one file that is changed is written anew.
source = os.path.join(ROOT, 'build/tree/6.12')
folder = tempfile.mkdtemp(dir=os.path.join(ROOT, 'build'))
mine = os.path.join(folder, 'linux')
subprocess.run(['cp', '-al', source, mine], check=True)
path = os.path.join(mine, 'fs/eventpoll.c')
text = open(path).read()
wake = '\t\telse\n\t\t\twake_up(&ep->wq);\n'
check(wake in text, 'the wake-up of the waiter is where it is looked for')
os.unlink(path)
with open(path, 'w') as f:
    f.write(text.replace(wake, '', 1))

variant = [a for a in os.path.relpath(BUILD, os.path.join(ROOT, 'build')).split('/') if a != '.']


def build(only='lost-rt'):
    return subprocess.run(['scons', '-Q', f'KERNEL=lost:{mine}', f'only={only}', 'kernel',
                           *[f'CC={a}' if a == 'clang' else f'variant={a}' for a in variant]],
                          cwd=ROOT, capture_output=True, text=True)


run = build()
check(run.returncode == 0, f'the changed tree builds: {run.stdout[-500:]} {run.stderr[-500:]}')
got, run = run_json('lost-wakeup.yaml', 'lost-rt')
check(got.get('verdict') == 'lost-wakeup' and 'waiter' in got.get('about', ''),
      f'a lost wake-up is found and the waiter named, got {got.get("verdict")} {got.get("about")}')

# and by threads that really run
run = build('lost-rt@native')
run = lockstep('native', 'stress', '--kernel', 'lost-rt', '--seconds', '1', '--patience', '3')
check(run.returncode == 1 and 'waits for 3000 ms' in run.stdout,
      f'stress tells of the waiter: {run.stdout} {run.stderr}')

# the same once more, with code that never ends
with open(path, 'w') as f:
    f.write(text.replace(wake, wake + '\t\tfor (;;)\n\t\t\tbarrier();\n', 1))
run = build()
got, run = run_json('lost-wakeup.yaml', 'lost-rt')
check(got.get('verdict') == 'bug' and 'endless loop: in ep_poll_callback' in got.get('about', ''),
      f'kernel code that never ends is a bug of that function, got {got.get("about")}')

got, run = run_json('lost-wakeup.yaml', '6.12-rt')
check(got.get('verdict') == 'ok', 'the tree as it is wakes the waiter')
for kind in ('kernel', 'native'):
    for name in os.listdir(os.path.join(BUILD, kind)):
        if name.startswith('lost-'):
            os.unlink(os.path.join(BUILD, kind, name))

empty = os.path.join(folder, 'empty')
os.mkdir(empty)
for word, message in ((f'x:{empty}', 'is no kernel source tree: Makefile is missing'),
                      (f'x:{folder}/nowhere', 'is no folder'), ('nocolon', 'NAME:/path/to/linux')):
    try:
        trees.user_tree(word)
        check(False, f'{word} is refused')
    except trees.BuildError as e:
        check(message in str(e), f'KERNEL={word.split(":")[0]}: {e}')
shutil.rmtree(folder)
finish()
