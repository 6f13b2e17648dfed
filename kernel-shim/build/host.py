# SPDX-License-Identifier: GPL-2.0-only
"""The host side of the build: program, tests, and the targets of the command line."""
import fnmatch
import json
import os
import shutil
import subprocess
import sys

from SCons.Script import (Alias, AlwaysBuild, ARGUMENTS, BUILD_TARGETS, Command, Default, Depends,
                          Decider, Environment, Exit, GetOption, Glob, Install, SConsignFile,
                          SetOption)

import images
import tree as trees

TREES = ['6.12', '6.1']


def deps(packages):
    def missing(name):
        run = subprocess.run(['dpkg-query', '-W', '-f', '${Status}', name], capture_output=True,
                             text=True)
        return 'install ok installed' not in run.stdout

    def act(target, source, env):
        want = [p for p in packages if missing(p)]
        if not want:
            print('deps: all packages are installed')
            return 0
        command = ['apt-get', 'install', '-y', '--no-install-recommends', *want]
        if os.geteuid():
            print('deps: missing: ' + ' '.join(want) + '\nrun as root: ' + ' '.join(command))
            return 1
        print('deps: installing ' + ' '.join(want), flush=True)
        env = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
        subprocess.run(['apt-get', 'update', '-q'], env=env, check=False,
                       stdout=subprocess.DEVNULL)
        return subprocess.run(command, env=env, stdout=subprocess.DEVNULL).returncode
    return act


def asked_images():
    return [p for p in ARGUMENTS.get('images', '').split(',') if p]


def images_of(g, tree, users):
    """All images of a tree; of a user's some only when only= or images= name their part."""
    def wants(part):
        return not users or part in g['ONLY'] or any(part in p for p in asked_images())

    def some(pairs, **how):
        return [g['Image'](tree, config, overlay, **how) for config, overlay in pairs]

    def of_tree(triples):
        return [(config, overlay) for name, config, overlay in triples if name == tree.name]

    wanted = some(g['IMAGES'])
    if users and wants('@access'):
        wanted += some(g['IMAGES'], access=True)
    wanted += some(of_tree(g['ACCESS_IMAGES']), access=True)
    if tree.name in g['SCHED_TREES'] or (users and wants('@sched')):
        wanted += some(g['IMAGES'], scheduler='simulated')
    if wants('@native'):
        wanted += some(g['NATIVE_IMAGES'] + of_tree(g['NATIVE_TWINS']), scheduler='host')
    return wanted


def build_images(g):
    """Builds all images; a user's tree that cannot be built is a message and status 2."""
    wanted = []
    try:
        words = [w for w in ARGUMENTS.get('KERNEL', '').split(',') if w]
        user = [trees.user_tree(w) for w in words]
        # With KERNEL= and only=, nothing else is looked at: edit to verdict must be quick.
        debian = [] if user and (g['ONLY'] or 'images' in ARGUMENTS) else TREES
        found = [trees.debian_tree(t, os.path.join(g['ROOT'], 'build')) for t in debian] + user
        for t in found:
            t.version()
    except trees.BuildError as e:
        print(f'scons: {e}', file=sys.stderr)
        return 2
    for t in found:
        wanted += images_of(g, t, t in user)
    patterns = asked_images()
    if patterns:
        words = [i.word for i in wanted]
        wanted = [i for i in wanted if any(fnmatch.fnmatchcase(i.word, p) for p in patterns)]
        if not wanted:
            print(f'scons: images={ARGUMENTS["images"]}: there is no such image; there are '
                  f'{", ".join(words)}', file=sys.stderr)
            return 2
    elif g['ONLY'] and user:
        wanted = [i for i in wanted if g['ONLY'] in i.word]
    builder = images.Builder(g['ROOT'], g['IMAGES_BUILD'], g['CC'], g['Spec'], g['BUILD'],
                             g['VARIANT'])
    jobs = max(GetOption('num_jobs'), os.cpu_count() or 1)
    return 2 if images.build(builder, wanted, jobs) else 0


def compile_commands(g, env, sources):
    rows = []
    for s in sources:
        rows.append({'directory': g['ROOT'], 'file': str(s),
                     'command': env.subst('$CC $CFLAGS $CCFLAGS -I' + g['ROOT']) + f' -c {s}'})
    with open(os.path.join(g['ROOT'], 'compile_commands.json'), 'w') as f:
        json.dump(rows, f, indent=1)


def soak(g):
    """Builds what the other compiler makes of it too, then runs tests/soak.py on both."""
    def act(target, source, env):
        top = os.path.join(g['ROOT'], 'build')
        other = 'gcc' if g['CC'] == 'clang' else 'clang'
        if not shutil.which(other):
            print(f'soak: {other} is missing, and both compilers must give the same digests; '
                  f'apt-get install {other}')
            return 1
        build = subprocess.run(['scons', f'-j{GetOption("num_jobs")}', f'CC={other}'],
                               cwd=g['ROOT'], stdout=subprocess.DEVNULL)
        if build.returncode:
            return build.returncode
        return subprocess.run([sys.executable, os.path.join(g['ROOT'], 'tests', 'soak.py'), top,
                               os.path.join(top, 'clang'), ARGUMENTS.get('runs', '100'),
                               ARGUMENTS.get('seeds', '1000'), ARGUMENTS.get('stress', '60'),
                               g['ONLY']]).returncode
    return act


def setup(g):
    root, build = g['ROOT'], g['BUILD']
    os.makedirs(build, exist_ok=True)
    SConsignFile(os.path.join(build, 'sconsign'))
    Decider('MD5-timestamp')
    SetOption('implicit_cache', 1)
    flags = g['VARIANTS'][g['VARIANT']]
    env = Environment(
        ENV=os.environ, CC=g['CC'], CPPPATH=['#', '#sim/test'],
        CFLAGS=['-std=gnu11'],
        CCFLAGS=['-O2', '-g', '-Wall', '-Wextra', '-Werror', '-fno-omit-frame-pointer', *flags],
        LINKFLAGS=[*flags], LIBS=['yaml', 'crypto', 'urcu', 'urcu-common', 'dl', 'pthread', 'm'])
    env.VariantDir(os.path.join(build, 'host'), '#', duplicate=0)
    top = os.path.join(build, 'host')

    Alias('deps', Command('deps-act', [], deps(g['PACKAGES'])))
    AlwaysBuild('deps')
    if 'deps' in BUILD_TARGETS:
        return

    sources = sorted(str(s) for s in Glob('#sim/*/*.c'))
    cli = [s for s in sources if s.startswith('sim/cli/')]
    runs = [s for s in sources if s.startswith('sim/exec/')]
    lib = [s for s in sources if not s.startswith(('sim/cli/', 'sim/exec/'))]
    compile_commands(g, env, sources)
    library = env.StaticLibrary(os.path.join(build, 'liblockstep.a'),
                                [os.path.join(top, s) for s in lib])
    exec_library = env.StaticLibrary(os.path.join(build, 'libexec.a'),
                                     [os.path.join(top, s) for s in runs])
    program = env.Program(os.path.join(build, 'lockstep'),
                          [os.path.join(top, s) for s in cli] + [library],
                          # programs of lockstep exec find what they call in this one
                          LINKFLAGS=[*flags, '-Wl,--whole-archive,' + os.path.join(build, 'libexec.a'),
                                     '-Wl,--no-whole-archive',
                                     '-Wl,--export-dynamic-symbol=__wrap_*',
                                     '-Wl,--export-dynamic-symbol=__sanitizer_cov_trace_pc'])
    Depends(program, exec_library)

    status = {}

    def image_action(target, source, env):
        status['images'] = build_images(g)
        return status['images']

    kernel = Command(os.path.join(build, 'kernel-images'), [], image_action)
    AlwaysBuild(kernel)
    if g['VARIANT'] and not os.path.islink(os.path.join(build, 'kernel')):
        shutil.rmtree(os.path.join(build, 'kernel'), ignore_errors=True)
        os.symlink('../kernel', os.path.join(build, 'kernel'))
    Alias('kernel', kernel)
    Default(program, kernel)

    tests = env.Clone()
    tests.Append(LIBS=['cmocka'])
    binaries = []
    for source in sorted(str(s) for s in Glob('#tests/*/test_*.c')):
        name = os.path.splitext(os.path.basename(source))[0]
        binaries += tests.Program(os.path.join(build, 'tests', name),
                                  [os.path.join(top, source), library])
    # Suites on kernel images: a program a folder, its main() is the library's.
    for folder in g['SUITES']:
        binaries += tests.Program(
            os.path.join(build, 'tests', os.path.basename(folder)),
            [os.path.join(top, str(s)) for s in sorted(Glob(f'#{folder}/*.c'), key=str)] +
            [library])
    scripts = sorted(str(s) for s in Glob('#tests/*/check_*.py'))

    def run_tests(target, source, env):
        command = [sys.executable, os.path.join(root, 'tests', 'run.py'), build, g['ONLY'],
                   *[str(b) for b in binaries], *scripts]
        env = dict(os.environ)
        if 'images' in ARGUMENTS:
            env['LOCKSTEP_TEST_IMAGES'] = ARGUMENTS['images']
        return subprocess.run(command, env=env).returncode

    check = Command('check-act', [program, binaries, kernel], run_tests)
    Alias('check', check)
    AlwaysBuild(check)

    def run_script(name):
        return lambda target, source, env: subprocess.run(
            [sys.executable, os.path.join(root, 'tests', name), build]).returncode

    for name in ('demo', 'bench'):
        act = Command(f'{name}-act', [program, kernel, *binaries], run_script(name + '.py'))
        Alias(name, act)
        AlwaysBuild(act)

    soak_act = Command('soak-act', [program, kernel], soak(g))
    Alias('soak', soak_act)
    AlwaysBuild(soak_act)

    def run_mutants(target, source, env):
        sys.path.insert(0, os.path.join(root, 'tests'))
        import mutate
        tree = trees.debian_tree(ARGUMENTS.get('tree', '6.12'), os.path.join(root, 'build'))
        kinds = [g['Image'](tree, c, None) for c in ('rt', 'vanilla')]
        builder = images.Builder(root, g['IMAGES_BUILD'], g['CC'], g['Spec'])
        return mutate.run(root, builder, kinds, os.path.join(build, 'tests', 'eventpoll'),
                          g['ONLY'], os.cpu_count() or 1)

    mutants = Command('mutate-act', [kernel, *binaries], run_mutants)
    Alias('mutate', mutants)
    AlwaysBuild(mutants)

    prefix = os.path.abspath(os.path.expanduser(ARGUMENTS.get('PREFIX', '/usr/local')))

    def install_images(target, source, env):
        for kind in ('kernel', 'native'):
            folder = os.path.join(prefix, 'lib/lockstep', kind)
            os.makedirs(folder, exist_ok=True)
            for name in sorted(os.listdir(os.path.join(build, kind))):
                if name.endswith('.so'):
                    subprocess.run(['install', '-m', '644', os.path.join(build, kind, name),
                                    folder], check=True)
        return 0

    def pkg_config(target, source, env):
        with open(str(target[0]), 'w') as f:
            f.write(f'prefix={prefix}\n\nName: lockstep\nDescription: unit tests of kernel code on a '
                    'simulated machine\nVersion: 0.1\nCflags: -I${prefix}/include\n'
                    'Libs: -L${prefix}/lib -llockstep -lcmocka -lyaml -lcrypto -ldl -lpthread -lm\n')

    pc = Command(os.path.join(build, 'lockstep.pc'), [], pkg_config)
    AlwaysBuild(pc)
    # One's own test, from outside of the repository: scons test.c=FILE, then build/tests/NAME.
    own = ARGUMENTS.get('test.c')
    if own:
        name = os.path.splitext(os.path.basename(own))[0]
        if not os.path.isfile(own):
            print(f'scons: test.c={own}: no such file', file=sys.stderr)
            Exit(2)
        test = tests.Program(os.path.join(build, 'tests', name),
                             [tests.Object(os.path.join(build, 'own', name + '.o'),
                                           os.path.abspath(own)), library])
        act = Command('own-test', [test, kernel], lambda target, source, env: subprocess.run(
            [str(test[0]), *([f'images={ARGUMENTS["images"]}'] if 'images' in ARGUMENTS else []),
             *([f'only={g["ONLY"]}'] if g['ONLY'] else [])]).returncode)
        AlwaysBuild(act)
        Default(act)

    Alias('install', [Install(os.path.join(prefix, 'bin'), program),
                      Install(os.path.join(prefix, 'lib'), library),
                      Install(os.path.join(prefix, 'lib/pkgconfig'), pc),
                      Install(os.path.join(prefix, 'include/lockstep'),
                              '#sim/test/lockstep/test.h'),
                      Install(os.path.join(prefix, 'share/man/man1'), '#sim/cli/lockstep.1'),
                      Install(os.path.join(prefix, 'share/lockstep/traces'),
                              sorted(Glob('#traces/*'), key=str)),
                      Command('install-act', [kernel], install_images)])
