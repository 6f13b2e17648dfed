# SPDX-License-Identifier: GPL-2.0-only
"""scons mutate: does the eventpoll suite notice when eventpoll.c is wrong?

Copies of the file are changed in one place each, by rule and exhaustively: a call is dropped, a
condition negated, an assignment dropped, a constant changed by one.  A mutant whose machine code
is that of the original (code that is configured out) does not count.  The others are compiled
into an image and the suite is run on it until a test fails.

Survivors must be listed in tests/eventpoll/survivors.txt, a line each, "place: why it may live"
(place as printed below); the run fails when one is not, or when fewer than 90 % are killed.
"""
import concurrent.futures
import os
import re
import subprocess
import threading

UNIT = 'fs/eventpoll.c'
SEEDS = 25
TIMEOUT = 60
KILLED_MIN = 0.9


class Mutant:
    def __init__(self, text, start, end, new, rule, place):
        # every line stays where it was, or the numbers in WARN() would differ
        self.text = text[:start] + new + '\n' * text.count('\n', start, end) + text[end:] \
            if '\n' not in new else text[:start] + new + text[end:]
        self.rule, self.place = rule, place
        self.line = text.count('\n', 0, start) + 1


def blank(text):
    """The text with comments and strings blanked out, so that offsets stay."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S)


def close(code, at):
    """Offset behind the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if not depth:
            return i + 1
    return None


def functions(code):
    """(name, start, end) of each function's body: kernel style puts its braces in column 0."""
    for m in re.finditer(r'^(?![#\s}])[^;{}]*?(\w+)\s*\([^;{}]*\)[^;{}()]*\n\{\n(.*?)^\}', code,
                         re.S | re.M):
        name = m.group(1)
        call = re.match(r'SYSCALL_DEFINE\d\((\w+)', m.group(0))
        yield (call.group(1) if call else name), m.start(2), m.end(2)


def statements(code, start, end):
    """(start, end) of simple statements: from the first word of a line to its semicolon."""
    for m in re.finditer(r'^\t+(?=[a-z_*(])', code[start:end], re.M):
        at = start + m.end()
        stop = code.find(';', at)
        text = code[at:stop]
        if stop < 0 or stop > end or '{' in text or '}' in text:
            continue
        if re.match(r'(if|for|while|switch|return|goto|else|do|break|continue|case|default)\b', text):
            continue
        if text.count('(') != text.count(')'):
            continue
        yield at, stop + 1


def mutants(text):
    code = blank(text)
    seen = {}

    def make(start, end, new, rule, function):
        words = ' '.join(text[start:end].split())[:60]
        key = (function, rule, words)
        seen[key] = seen.get(key, 0) + 1
        number = f' #{seen[key]}' if seen[key] > 1 else ''
        return Mutant(text, start, end, new, rule, f'{function}: {rule} "{words}"{number}')

    for name, start, end in functions(code):
        for s, e in statements(code, start, end):
            line = code[s:e]
            if re.match(r'\w+\s*\(', line) and close(code, code.index('(', s)) == e - 1:
                yield make(s, e, ';', 'drop', name)
            elif re.match(r'[\w*()>.\[\]-]+\s*([-+|&]?=)(?!=)|[\w>.\[\]-]+(\+\+|--);', line):
                yield make(s, e, ';', 'drop', name)
        for m in re.finditer(r'\b(if|while)\s*\(', code[start:end]):
            o = start + m.end() - 1
            c = close(code, o)
            if c:
                yield make(o, c, '(!' + text[o:c] + ')', 'negate', name)
        for m in re.finditer(r'(?<![\w.])(\d+)[UL]*(?![\w.])', code[start:end]):
            s, e = start + m.start(), start + m.end()
            yield make(s, e, f'({text[s:e]} + 1)', 'plus one', name)
    for m in re.finditer(r'^#define (\w+)\s+(\d+)$|^static const int \w+.*$', code, re.M):
        for n in re.finditer(r'(?<![\w\[])(\d+)(?!\w)', m.group()):
            s = m.start() + n.start()
            e = m.start() + n.end()
            yield make(s, e, f'({text[s:e]} + 1)', 'plus one', m.group(1) or 'table')


class Laboratory:
    """Compiles a mutant into an image, and runs the suite on it."""
    def __init__(self, root, builder, image, suite):
        self.builder, self.image, self.suite = builder, image, suite
        self.folder = os.path.join(root, 'build', 'mutant', image.name)
        self.objects = builder.plan(image)
        self.unit = next(o for o in self.objects if o.source.endswith(UNIT))
        self.original = self.code(self.unit.path)
        self.slots, self.lock = [], threading.Lock()

    @staticmethod
    def code(path):
        """Machine code and data, without what only debuggers read."""
        out = subprocess.run(['objdump', '-d', '-r', '-s', '-j', '.text', '-j', '.data', '-j',
                              '.rodata', '-j', '.init.text', '-j', '.data.rel.local',
                              '--no-show-raw-insn', path], capture_output=True, text=True).stdout
        # line numbers of WARN and BUG are constants, and a mutation keeps every line where it was
        return out.split('\n', 3)[-1]

    def compile(self, source, out):
        command = [source if w == self.unit.source else out if w == self.unit.path else
                   out + '.d' if w == self.unit.path + '.d' else w for w in self.unit.command]
        return not subprocess.run(command, capture_output=True).returncode

    def run(self, mutant, number):
        """None: does not count; True: killed; False: survived.  With what killed it."""
        top = os.path.join(self.folder, str(number % (2 * (os.cpu_count() or 1))) +
                           f'-{threading.get_ident()}')
        source, out = os.path.join(top, UNIT), os.path.join(top, 'eventpoll.o')
        os.makedirs(os.path.join(top, 'kernel'), exist_ok=True)
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, 'w') as f:
            f.write(mutant.text)
        if not self.compile(source, out):
            return None, 'does not compile'
        if self.code(out) == self.original:
            return None, 'is not in the image'
        so = os.path.join(top, 'kernel', self.image.name + '.so')
        link = self.builder.link_command(self.image, [out if o is self.unit else o.path
                                                      for o in self.objects], so)
        if subprocess.run(link, capture_output=True).returncode:
            return None, 'does not link'
        env = dict(os.environ, LOCKSTEP_IMAGES=os.path.join(top, 'kernel'))
        try:
            run = subprocess.run([self.suite, f'seeds={SEEDS}', 'stop=1'], env=env, timeout=TIMEOUT,
                                 capture_output=True, text=True, errors='replace')
        except subprocess.TimeoutExpired:
            return True, 'does not end'
        failed = re.search(r'^  not ok \d+ (\S+)', run.stdout, re.M)
        if run.returncode:
            return True, failed.group(1) if failed else f'status {run.returncode}'
        return False, ''


def reasons(path):
    """Place and reason of survivors that are known; "#" begins a comment."""
    known = {}
    if os.path.exists(path):
        for line in open(path):
            if line.strip() and not line.startswith('#'):
                place, _, why = line.rstrip('\n').partition(' -- ')
                known[place] = why
    return known


def run(root, builder, kinds, suite, only, jobs):
    """`kinds`: the image, and others that survivors are tried on too."""
    labs = [Laboratory(root, builder, i, suite) for i in kinds]
    image = kinds[0]
    all_mutants = [m for m in mutants(open(labs[0].unit.source).read()) if only in m.place]

    def judge(mutant, number):
        verdict = None, ''
        for lab in labs:
            killed, by = lab.run(mutant, number)
            if killed:
                return killed, by
            if killed is False or verdict[0] is None:
                verdict = killed, by
        return verdict

    known = reasons(os.path.join(root, 'tests', 'eventpoll', 'survivors.txt'))
    counts, survivors = {True: 0, False: 0, None: 0}, []
    rules = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(judge, all_mutants, range(len(all_mutants)))
        for mutant, (killed, by) in zip(all_mutants, results):
            counts[killed] += 1
            if killed is not None:
                rule = rules.setdefault(mutant.rule, [0, 0])
                rule[0] += killed
                rule[1] += 1
            word = {True: 'killed  ', False: 'SURVIVED', None: 'left out'}[killed]
            print(f'{word} {mutant.line}: {mutant.place}{": " + by if by else ""}', flush=True)
            if killed is False:
                survivors.append(mutant)
    total = counts[True] + counts[False]
    unknown = [m for m in survivors if m.place not in known]
    for rule, (killed, n) in sorted(rules.items()):
        print(f'{rule}: {killed} of {n} killed')
    for m in survivors:
        print(f'survivor {m.line}: {m.place} -- {known.get(m.place, "NOT LISTED in survivors.txt")}')
    share = counts[True] / total if total else 0
    names = ', '.join(i.name for i in kinds)
    print(f'{total} mutants of {image.tree.name} {UNIT} on {names}: {counts[True]} killed '
          f'({100 * share:.1f} %), {counts[None]} do not count')
    return 0 if total and share >= KILLED_MIN and not unknown else 1
