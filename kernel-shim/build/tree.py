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

# What an image needs of a kernel source package.  A star does not cross a slash: with one that
# does, "include" takes every architecture's too, and a tree is 650 MB in place of 80.
PARTS = ['*/include', '*/kernel', '*/fs/*.[ch]', '*/lib', '*/init', '*/io_uring/*.h',
         '*/mm/*.h', '*/Makefile', '*/tools/testing/selftests/filesystems/epoll',
         '*/tools/testing/selftests/kselftest*.h', '*/tools/perf/bench/epoll*.c',
         '*/tools/perf/bench/bench.h', '*/tools/perf/util/*.h', '*/tools/include',
         '*/tools/arch/x86/include', '*/tools/lib/perf/include', '*/tools/lib/subcmd/*.h']

# What tells a kernel source tree from another folder.
NEEDED = ['Makefile', 'include/linux/sched.h', 'fs/eventpoll.c']


class BuildError(Exception):
    """One line for the user: what, where and what to do."""


class Tree:
    def __init__(self, name, path):
        self.name, self.path = name, path

    def file(self, path):
        return os.path.join(self.path, path)

    def version(self):
        try:
            text = open(self.file('Makefile'), errors='replace').read()
        except OSError as e:
            raise BuildError(f'{e.filename}: {e.strerror}')
        parts = [re.search(r'^%s\s*=\s*(\S*)' % k, text, re.M) for k in
                 ('VERSION', 'PATCHLEVEL', 'SUBLEVEL')]
        if not all(parts):
            raise BuildError(f'{self.file("Makefile")}: names no kernel version')
        return '.'.join(p.group(1) for p in parts)


def extract(tarball, path, stamp_text):
    """Unpacks PARTS of tarball at path: wholly, or not at all."""
    above = os.path.dirname(path)
    os.makedirs(above, exist_ok=True)
    fresh = tempfile.mkdtemp(dir=above)
    try:
        run = subprocess.run(['tar', '-xf', tarball, '-C', fresh, '--strip-components=1',
                              '--wildcards', '--no-wildcards-match-slash', *PARTS],
                             capture_output=True, text=True)
        if run.returncode:
            why = (run.stderr.strip().splitlines() or ['tar failed'])[0]
            raise BuildError(f'{tarball}: cannot be unpacked below {above}: {why}')
        with open(os.path.join(fresh, '.complete'), 'w') as f:
            f.write(stamp_text)
        os.chmod(fresh, 0o755)
        shutil.rmtree(path, ignore_errors=True)
        os.rename(fresh, path)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def debian_tree(name, build):
    """The tree of package linux-source-<name>, extracted below the build folder once."""
    path = os.path.join(build, 'tree', name)
    tarball = f'/usr/src/linux-source-{name}.tar.xz'
    stamp = os.path.join(path, '.complete')
    try:
        want = f'{os.stat(tarball).st_mtime_ns} {" ".join(PARTS)}'
    except OSError:
        raise BuildError(f'{tarball}: not there; install package linux-source-{name} '
                         '(scons deps does)')
    if not os.path.exists(stamp) or open(stamp).read() != want:
        print(f'extracting linux-source-{name} ...', flush=True)
        extract(tarball, path, want)
    return Tree(name, path)


def user_tree(word):
    """NAME:/path/to/linux of the command line."""
    name, colon, path = word.partition(':')
    if not colon or not re.fullmatch(r'[A-Za-z0-9_.]+', name):
        raise BuildError(f'KERNEL={word}: must be NAME:/path/to/linux, the name of letters, '
                         'digits, dots')
    path = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(path):
        raise BuildError(f'KERNEL={word}: {path} is no folder')
    for part in NEEDED:
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
        headers = {h for h in os.listdir(source) if h.endswith('.h')}
        out = os.path.join(folder, uapi, 'asm')
        for header in sorted(headers):
            write_if_changed(os.path.join(out, header), f'#include <asm-generic/{header}>\n')
        for gone in set(os.listdir(out)) - headers:
            os.unlink(os.path.join(out, gone))      # the name stood for another tree before
