# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images: compiles units and shim, links shared objects.

This is a make of its own inside SCons: a unit includes 800 headers, and SCons would take longer
to look at them than the compiler takes to read them.  An object is named after what makes it
(source and command), so images share what is the same in them, and it is stale when a file of
its compiler-written dependency list is newer.
"""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

import tree as trees
from tree import BuildError, write_if_changed

KERNEL_FLAGS = '''-D__KERNEL__ -DKBUILD_MODNAME="lockstep" -DKBUILD_BASENAME="lockstep"
 -DKBUILD_MODFILE="lockstep" -D__KBUILD_MODNAME=lockstep -D__DISABLE_EXPORTS -std=gnu11 -O2 -g
 -fPIC -fno-strict-aliasing -fno-common -fshort-wchar -fno-builtin -fno-stack-protector
 -fno-delete-null-pointer-checks -fno-omit-frame-pointer -fno-optimize-sibling-calls
 -fno-asynchronous-unwind-tables -fms-extensions -Werror=implicit-function-declaration
 -Werror=int-conversion'''.replace('"', '\\"').split()
OWN_FLAGS = '''-Wall -Wno-pointer-sign -Wno-address-of-packed-member
 -Wno-unused-but-set-variable -Wno-main -Wno-trigraphs -Wno-unused-function
 -Wno-format-security'''.split()

# A call before every memory access, volatile ones (READ_ONCE) by themselves.
TSAN_FLAGS = {
    'gcc': ['-fsanitize=thread', '--param', 'tsan-distinguish-volatile=1'],
    'clang': ['-fsanitize=thread', '-mllvm', '-tsan-distinguish-volatile=1'],
}
# The same for kern/access.c, without those at the entry of functions.
ACCESS_FLAGS = {
    'gcc': [*TSAN_FLAGS['gcc'], '--param', 'tsan-instrument-func-entry-exit=0'],
    'clang': [*TSAN_FLAGS['clang'], '-mllvm', '-tsan-instrument-func-entry-exit=0'],
}


def short_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def headers(folder):
    """Names of all headers below: a new one may take the place of a tree's, unseen by any list."""
    return sorted(os.path.relpath(os.path.join(top, name), folder)
                  for top, _, names in os.walk(folder) for name in names if name.endswith('.h'))


class Object:
    def __init__(self, source, command, folder, world=''):
        key = short_hash('\0'.join([source, world, *command]))
        stem = os.path.basename(source)[:-2]
        self.path = os.path.join(folder, f'{stem}-{key}.o')
        self.source = source
        self.command = [*command, '-MMD', '-MF', self.path + '.d', '-c', source, '-o', self.path]


class Stale:
    """Answers whether a file is newer than another, asking the system once a file."""
    def __init__(self):
        self.times = {}

    def time(self, path):
        if path not in self.times:
            try:
                self.times[path] = os.stat(path).st_mtime_ns
            except OSError:
                self.times[path] = None
        return self.times[path]

    def object(self, obj):
        try:
            made = os.stat(obj.path).st_mtime_ns
            deps = open(obj.path + '.d').read()
        except OSError:
            return True
        files = deps.replace('\\\n', ' ').split(':', 1)[1].split()
        return any((t := self.time(f)) is None or t > made for f in files)


def compile_object(obj):
    run = subprocess.run(obj.command, capture_output=True, text=True)
    if run.returncode:
        if os.path.exists(obj.path):
            os.remove(obj.path)
        return run.stderr
    if run.stderr:
        sys.stderr.write(run.stderr)
    return None


def first_error(text):
    return next((l for l in text.splitlines() if 'error' in l), text.strip())


class Builder:
    def __init__(self, root, build, cc, spec, native=None, variant=''):
        """native: the folder for native images, which are compiled as the variant says."""
        self.root, self.build, self.cc, self.spec = root, build, cc, spec
        self.native = native or build
        self.compiler = 'clang' if 'clang' in cc else 'gcc'
        # undefined behaviour is not looked for: kernel code is written for compilers that define it
        self.sanitizers = {'asan': ['-fsanitize=address'],
                           'tsan': TSAN_FLAGS[self.compiler]}.get(variant, [])
        self.shim = os.path.join(root, 'kernel-shim')
        self.world = short_hash(' '.join(headers(self.shim)))
        self.objects = os.path.join(build, 'object')
        os.makedirs(self.objects, exist_ok=True)
        for folder in (os.path.join(build, 'kernel'), os.path.join(self.native, 'native')):
            os.makedirs(folder, exist_ok=True)
        self.stale = Stale()
        self.ready = {}
        self.offsets = set()

    def prepare(self, tree):
        """Generated headers of a tree, once."""
        if tree.name in self.ready:
            return self.ready[tree.name]
        generated = os.path.join(self.build, 'generated', tree.name)
        trees.wrappers(tree, os.path.join(generated, 'wrap'))
        trees.probe(tree, os.path.join(self.shim, 'probe.list'), generated)
        self.ready[tree.name] = generated
        return generated

    def base(self, image):
        tree, config, scheduler = image.tree, image.config, image.scheduler
        g, k, shim = self.prepare(tree), tree.path, self.shim
        include = [g, shim, f'{g}/wrap', f'{k}/include', f'{shim}/uapi', f'{g}/wrap/uapi',
                   f'{k}/include/uapi', self.root]
        pre = [f'{k}/include/linux/kconfig.h', f'{k}/include/linux/compiler_types.h',
               f'{g}/lockstep_probe.h', f'{shim}/lockstep/hidden.h']
        flags = [self.cc, '-nostdinc']
        for i in include:
            flags.append('-I' + i)
        for p in pre:
            flags += ['-include', p]
        flags += [f.replace('\\"', '"') for f in KERNEL_FLAGS]
        if config == 'rt':
            flags.append('-DLOCKSTEP_RT')
        if scheduler == 'tree':
            flags.append('-DLOCKSTEP_TREE_SCHED')
        elif image.native:
            flags += ['-DLOCKSTEP_NATIVE', '-ftls-model=initial-exec',
                      '-DINSTANTIATE_EXPORTED_MIGRATE_DISABLE', *self.sanitizers]
            if self.compiler == 'gcc':
                flags.append('-Wno-tsan')   # of fences, which ThreadSanitizer does not know
        else:
            # later trees: migrate_disable() is a function, and kern/sched_sim.c has it
            flags.append('-DINSTANTIATE_EXPORTED_MIGRATE_DISABLE')
        return self.with_offsets(tree, flags)

    def with_offsets(self, tree, flags):
        """Later trees have offsets into struct rq in a header that is made from a C file."""
        source = tree.file('kernel/sched/rq-offsets.c')
        if not os.path.exists(source):
            return flags
        asm = Object(source, [*flags, '-w', '-S'], self.objects, self.world)
        folder = asm.path[:-2]
        if asm.path not in self.offsets and self.stale.object(asm):
            error = compile_object(asm)
            if error:
                raise BuildError(f'{source}: {first_error(error)}')
        if asm.path not in self.offsets:
            pairs = re.findall(r'->(\w+) \$?(-?\d+)', open(asm.path).read())
            write_if_changed(os.path.join(folder, 'generated', 'rq-offsets.h'),
                             ''.join(f'#define {n} {v}\n' for n, v in pairs))
            self.offsets.add(asm.path)
        return [*flags, '-I' + folder]

    @staticmethod
    def patched(patch, source, out):
        """Applies a semantic patch; the file is written only when that has worked."""
        newest = max(os.stat(source).st_mtime_ns, os.stat(patch).st_mtime_ns)
        if os.path.exists(out) and os.stat(out).st_mtime_ns >= newest:
            return
        os.makedirs(os.path.dirname(out), exist_ok=True)
        fresh = out + '.new'
        if os.path.exists(fresh):
            os.remove(fresh)    # spatch leaves an old file in place when it fails
        run = subprocess.run(['spatch', '--very-quiet', '--sp-file', patch, source, '-o', fresh],
                             capture_output=True, text=True)
        if not os.path.exists(fresh):
            raise BuildError(f'{patch}: cannot be applied to {source}: '
                             f'{(run.stderr.strip().splitlines() or ["spatch failed"])[-1]}')
        os.rename(fresh, out)

    def overlaid(self, tree, overlay, unit):
        """The unit with the overlay's semantic patches applied; None when one changes nothing."""
        source = tree.file(unit)
        for patch in self.spec.overlays[overlay]:
            out = os.path.join(self.build, 'overlay', tree.name, patch, unit)
            self.patched(os.path.join(self.root, 'eventpoll', patch + '.cocci'), source, out)
            if open(out, 'rb').read() == open(source, 'rb').read():
                return None
            source = out
        return source

    def own_sources(self, image):
        """Files of one's own by their names' ends: _rt, _vanilla; _tree, _sim, _native."""
        skip = {'rt': '_vanilla', 'vanilla': '_rt'}[image.config]
        other = {'tree': ('_sim', '_native'), 'simulated': ('_tree', '_native'),
                 'host': ('_tree',)}[image.scheduler]
        for folder in ('kernel-shim/kern', 'eventpoll'):
            for name in sorted(os.listdir(os.path.join(self.root, folder))):
                stem = name[:-2]
                if not name.endswith('.c') or stem.endswith((skip, *other)):
                    continue
                if image.native and not stem.endswith('_native') and \
                        stem not in self.spec.native_shim:
                    continue
                if stem == 'access' and not image.access:
                    continue
                yield os.path.join(self.root, folder, name)

    def manifest(self, image, tree, units):
        rows = []
        for unit, source in units:
            compiled = hashlib.sha256(open(source, 'rb').read()).hexdigest()
            original = hashlib.sha256(open(tree.file(unit), 'rb').read()).hexdigest()
            overlay = f'"{image.overlay}"' if compiled != original else 'NULL'
            rows.append(f'\t{{ "{unit}", "{compiled}", "{original}", {overlay} }},\n')
        path = os.path.join(self.build, 'generated', tree.name, 'manifest', image.folder,
                            image.name + '.c')
        write_if_changed(path, '#include "kernel-shim/kern/kern.h"\n\n'
                         'const struct bridge_unit lockstep_units[] = {\n' + ''.join(rows) +
                         '};\nconst unsigned int lockstep_nr_units = '
                         'ARRAY_SIZE(lockstep_units);\n')
        return path

    def plan(self, image):
        """All objects of an image; BuildError when the tree lacks something."""
        tree, shim = image.tree, self.shim
        base = self.base(image)
        objects, units = [], []
        for unit, extra in self.spec.units(image):
            if not os.path.exists(tree.file(unit)):
                raise BuildError(f'{tree.file(unit)} is missing, which an image of this '
                                 'configuration is made of; trees before 5.15 lack it')
            source = tree.file(unit)
            if image.overlay and unit == 'fs/eventpoll.c':
                source = self.overlaid(tree, image.overlay, unit)
                if not source:
                    return None
            units.append((unit, source))
            flags = [f.replace('SHIM', shim) for f in extra]
            if image.access and unit in self.spec.access_units:
                flags += ACCESS_FLAGS[self.compiler]
            objects.append(Object(source, [*base, '-w', *flags], self.objects, self.world))
        own = [*base, *OWN_FLAGS, '-I' + tree.path]
        if self.compiler == 'clang':
            own.append('-Wno-gnu-variable-sized-type-not-at-end')
        name = [f'-DLOCKSTEP_IMAGE="{image.word}"', f'-DLOCKSTEP_TREE_VERSION="{tree.version()}"']
        for source in self.own_sources(image):
            extra = name if os.path.basename(source) == 'image.c' else []
            objects.append(Object(source, [*own, *extra], self.objects, self.world))
        objects.append(Object(self.manifest(image, tree, units), own, self.objects, self.world))
        return objects

    def wraps(self, config):
        for line in open(os.path.join(self.shim, 'wrap.list')):
            word = line.split()
            if word and word[0] in ('both', config):
                yield f'-Wl,--wrap={word[1]}'

    def link_command(self, image, objects, out):
        """Links object files into an image at `out`."""
        # what a sanitizer calls is in the program
        defs = 'undefs' if image.native and self.sanitizers else 'defs'
        return [self.cc, '-shared', '-nostdlib', '-g', '-Wl,-Bsymbolic', '-Wl,-z,now',
                f'-Wl,-z,{defs}', '-Wl,--build-id=none',
                *([] if image.native else self.wraps(image.config)),
                '-Wl,--defsym=init_stack=lockstep_initcalls',
                f'-Wl,-T,{self.shim}/build/image.lds',
                f'-Wl,--version-script={self.shim}/build/image.map',
                *objects, '-lc', '-o', out]

    def link(self, image, objects):
        top = self.native if image.native else self.build
        out = os.path.join(top, image.folder, image.name + '.so')
        command = self.link_command(image, [o.path for o in objects], out + '.new')
        key = hashlib.sha256('\0'.join(command).encode()).hexdigest()
        stamp = os.path.join(self.objects, f'{image.name}-{short_hash(out)}.link')
        newest = max(os.stat(o.path).st_mtime_ns for o in objects)
        if os.path.exists(out) and os.path.exists(stamp) and open(stamp).read() == key and \
                os.stat(out).st_mtime_ns >= newest:
            return
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            missing = sorted(set(re.findall(r"(?:undefined reference to|hidden symbol) .(\w+)",
                                            run.stderr)))
            what = ', '.join(missing) or run.stderr.strip().splitlines()[-1]
            raise BuildError(f'this tree needs what the shim does not offer: {what}; add it to '
                             'kernel-shim/kern (misc.c or dead.list)')
        os.rename(out + '.new', out)
        with open(stamp, 'w') as f:
            f.write(key)
        print(f'linked {os.path.relpath(out, self.root)}', flush=True)


def compile_all(builder, objects, jobs):
    """Compiles what is stale; returns {object path: first error line}."""
    failed = {}
    stale = {o.path: o for o in objects if builder.stale.object(o)}
    if len(stale) > 20:
        print(f'compiling {len(stale)} files for kernel images ...', flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for obj, err in zip(stale.values(), pool.map(compile_object, stale.values())):
            if err:
                failed[obj.path] = first_error(err)
    return failed


class Failures:
    """What could not be built and why; images that fail alike share one message."""
    def __init__(self):
        self.images = {}

    def add(self, image, why):
        self.images.setdefault(str(why), []).append(image.word)

    def tell(self):
        for why, names in self.images.items():
            print(f'scons: {", ".join(names)}: {why}', file=sys.stderr)


def build(builder, images, jobs):
    """Builds images; tells of those that cannot be built.  Number of reasons."""
    plans, failures, without = {}, Failures(), Failures()
    for image in images:
        try:
            objects = builder.plan(image)
        except BuildError as e:
            failures.add(image, e)
            continue
        if objects is None:
            without.add(image, f'not offered, {image.tree.path} has nothing for overlay '
                               f'{image.overlay} to change')
            continue
        plans[image] = objects
    failed = compile_all(builder, [o for p in plans.values() for o in p], jobs)
    for image, objects in plans.items():
        errors = list(dict.fromkeys(failed[o.path] for o in objects if o.path in failed))
        more = f' (and {len(errors) - 1} more files)' if len(errors) > 1 else ''
        try:
            if errors:
                raise BuildError(errors[0] + more)
            builder.link(image, objects)
        except BuildError as e:
            failures.add(image, e)
    without.tell()
    failures.tell()
    return len(failures.images)
