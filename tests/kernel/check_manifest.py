#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every kernel file of every image is the tree's, but eventpoll.c where an overlay changed it."""
import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import ROOT, check, finish, lockstep

images = json.loads(lockstep('list', '--json').stdout)
check(len(images) >= 8, f'the images of two trees, got {len(images)}')
for image in images:
    tree = os.path.join(ROOT, 'build/tree', image['name'].split('-')[0])
    if not os.path.isdir(tree):
        continue    # a tree of the user's own
    changed = []
    for unit in image['units']:
        path = os.path.join(tree, unit['path'])
        if not os.path.exists(path):
            continue
        real = hashlib.sha256(open(path, 'rb').read()).hexdigest()
        if unit['sha256'] != real:
            changed.append(unit['path'])
    want = ['fs/eventpoll.c'] if '+rwlock' in image['name'] else []
    check(changed == want, f'{image["name"]}: changed files are {want}, got {changed}')
    check(len(image['units']) > 20, f'{image["name"]}: lists its files')
finish()
