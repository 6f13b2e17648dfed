#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every kernel file of every image is the tree's, but eventpoll.c where an overlay changed it."""
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

overlays = {}
images = json.loads(lockstep('list', '--json').stdout)
check(len(images) >= 11, f'the images of two trees, hooked ones too, got {len(images)}')
for image in images:
    tree = os.path.join(ROOT, 'build/tree', image['name'].split('-')[0])
    if not os.path.isdir(tree):
        continue    # a tree of the user's own
    changed = []
    overlay = re.search(r'\+([\w-]+)', image['name'])
    for unit in image['units']:
        path = os.path.join(tree, unit['path'])
        real = hashlib.sha256(open(path, 'rb').read()).hexdigest()
        if unit['tree_sha256'] != real:
            check(False, f'{image["name"]}: {unit["path"]} is not the file in the tree')
        if unit['sha256'] != real:
            changed.append(unit['path'])
            overlays[image['name']] = unit
    want = ['fs/eventpoll.c'] if overlay else []
    check(changed == want, f'{image["name"]}: changed files are {want}, got {changed}')
    check(len(image['units']) > 20, f'{image["name"]}: lists its files')
    if overlay:
        check(overlays[image['name']]['overlay'] == overlay.group(1),
              f'{image["name"]}: names its overlay')

# Hooks change no source, and the naive overlay is another one.
made = {name: unit['sha256'] for name, unit in overlays.items()}
for name in made:
    check(made[name] == made.get(name.split('@')[0], made[name]), f'{name}: of the same sources')
check(made['6.12-rt+rwlock-naive@access'] != made['6.12-rt+rwlock@access'],
      'the naive overlay has other adds')
finish()
