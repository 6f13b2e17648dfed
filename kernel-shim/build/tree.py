# SPDX-License-Identifier: GPL-2.0-only
"""Kernel trees: where they come from and what they offer.

A tree is Debian's linux-source package, extracted on demand, or any folder the user names.
Nothing is asked of a version number: stable trees carry backports, so the tree itself is probed.
"""
import os
import re
import shutil
import subprocess
import tempfile

# What an image needs of a kernel source package.
PARTS = ['*/include/*', '*/kernel/*', '*/fs/*.c', '*/fs/*.h', '*/lib/*.c', '*/lib/*.h',
         '*/lib/math/*', '*/init/*', '*/io_uring/*.h', '*/mm/*.h', '*/Makefile']


class BuildError(Exception):
    """One line for the user: what, where and what to do."""


class Tree:
    def __init__(self, name, path):
        self.name, self.path = name, path

    def file(self, path):
        return os.path.join(self.path, path)

    def version(self):
        text = open(self.file('Makefile'), errors='replace').read()
        parts = [re.search(r'^%s\s*=\s*(\S*)' % k, text, re.M) for k in
                 ('VERSION', 'PATCHLEVEL', 'SUBLEVEL')]
        if not all(parts):
            raise BuildError(f'{self.file("Makefile")}: names no kernel version')
        return '.'.join(p.group(1) for p in parts)


def debian_tree(name, build):
    """The tree of package linux-source-<name>, extracted below the build folder once."""
    path = os.path.join(build, 'tree', name)
    tarball = f'/usr/src/linux-source-{name}.tar.xz'
    stamp = os.path.join(path, '.complete')
    try:
        want = str(os.stat(tarball).st_mtime_ns)
    except OSError:
        raise BuildError(f'{tarball}: not there; install package linux-source-{name} '
                         '(scons deps does)')
    if os.path.exists(stamp) and open(stamp).read() == want:
        return Tree(name, path)
    print(f'extracting linux-source-{name} ...', flush=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fresh = tempfile.mkdtemp(dir=os.path.dirname(path))
    subprocess.run(['tar', '-xf', tarball, '-C', fresh, '--strip-components=1', '--wildcards',
                    *PARTS], check=True, stderr=subprocess.DEVNULL)
    with open(os.path.join(fresh, '.complete'), 'w') as f:
        f.write(want)
    shutil.rmtree(path, ignore_errors=True)
    os.rename(fresh, path)
    return Tree(name, path)


def user_tree(word):
    """NAME:/path/to/linux of the command line."""
    name, colon, path = word.partition(':')
    if not colon or not re.fullmatch(r'[A-Za-z0-9_.]+', name):
        raise BuildError(f'KERNEL={word}: must be NAME:/path/to/linux, the name of letters, '
                         'digits, dots')
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        raise BuildError(f'KERNEL={word}: {path} is no folder')
    for part in ('Makefile', 'include/linux/sched.h', 'fs/eventpoll.c'):
        if not os.path.exists(os.path.join(path, part)):
            raise BuildError(f'KERNEL={word}: {path} is no kernel source tree: {part} is missing')
    return Tree(name, path)


def write_if_changed(path, text):
    try:
        if open(path).read() == text:
            return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


def probe(tree, probe_list, folder):
    """Writes lockstep_probe.h: a line NAME 0|1 for each line of probe.list."""
    out = []
    for line in open(probe_list):
        if line.startswith('#') or not line.strip():
            continue
        name, headers, pattern = line.rstrip('\n').split(' ', 2)
        texts = [open(tree.file(h), errors='replace').read() for h in headers.split('|')
                 if os.path.exists(tree.file(h))]
        out.append('#define %s %d\n' % (name, any(re.search(pattern, t) for t in texts)))
    write_if_changed(os.path.join(folder, 'lockstep_probe.h'), ''.join(out))


def wrappers(tree, folder):
    """One-line headers asm/x.h for each generic one, as Kbuild makes them."""
    for uapi in ('', 'uapi/'):
        source = tree.file(f'include/{uapi}asm-generic')
        if not os.path.isdir(source):
            raise BuildError(f'{source}: not there; is {tree.path} a whole kernel tree?')
        for header in sorted(os.listdir(source)):
            if header.endswith('.h'):
                write_if_changed(os.path.join(folder, uapi, 'asm', header),
                                 f'#include <asm-generic/{header}>\n')
