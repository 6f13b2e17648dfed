#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each line of --trace against the kernel's own formats, and the whole against itself.

Formats are taken from TP_printk in the kernel trees, so nothing is written down twice.  Readers of
ftrace text take a line apart by a pattern of their own; those of Perfetto (older releases take
four flags, newer five) and of trappy are applied too.
"""
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from check import LOCKSTEP, ROOT, check, finish, lockstep

RUNS = [('p-inversion.yaml', '6.12-rt+rwlock'), ('p-inversion.yaml', '6.12-rt'),
        ('k-bandwidth-stall-aimed.yaml', '6.12-rt+rwlock'),
        ('k-timer-elsewhere.yaml', '6.1-rt+rwlock'),
        ('u-irq-thread-quota.yaml', '6.12-rt+rwlock'), ('u-irq-thread-quota.yaml', '6.1-rt'),
        ('nested-read-deadlock.yaml', '6.12-rt'), ('rtapp-pi-on.json', '6.12-vanilla'),
        ('qrwlock-interrupt-readers.yaml', '6.12-vanilla+rwlock')]
READERS = {
    'Perfetto, four flags': r'-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*'
                            r'[a-zA-Z0-9.]{0,4}\s+(\d+\.\d+):\s+(\S+):',
    'Perfetto, five flags': r'-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*'
                            r'[a-zA-Z0-9.]{0,5}\s+(\d+\.\d+):\s+(\S+):',
    'trappy': r'^\s+\S.*?-\d+(?:\s+\(.*\))?\s+\[\d+\](?:\s+....)?\s+[0-9]+\.[0-9]+: (\w+:\s?)+.*',
}
READERS = {name: re.compile(pattern) for name, pattern in READERS.items()}
LINE = re.compile(r' *(?P<comm>\S+)-(?P<pid>\d+) +\[(?P<cpu>\d{3})\] \.{4} '
                  r'(?P<s>\d+)\.(?P<ns>\d{9}): (?P<event>\w+):(?: (?P<args>.*))?')
CONVERSIONS = {'%s': r'\S*', '%d': r'-?\d+', '%ld': r'-?\d+', '%u': r'\d+', '%llu': r'-?\d+',
               '%03d': r'\d{3}', '%p': r'\S+', '%ps': r'\S+'}
MARKS = re.compile(r'[SF]\|\d+\|\S+( read| write)?\|\d+|I\|\d+\|(?:'
                   r'sched_setscheduler comm=\S+ pid=\d+ oldprio=-?\d+ newprio=-?\d+|'
                   r'(?:un)?throttle comm=\S+ pid=\d+ group=\S+|period_timer group=\S+ cpu=-?\d+|'
                   r'function \w+|rcu_stall gp=\d+( comm=\S+ pid=\d+)?|note \S+ arg=-?\d+)')
LOCK_FLAGS = ['SPIN', 'READ', 'WRITE', 'RT', 'PERCPU', 'MUTEX']


def kernel_formats(tree):
    """Event -> format string, of one kernel tree."""
    formats = {}
    for header in ('sched', 'lock', 'irq', 'timer', 'rcu'):
        text = open(os.path.join(tree, 'include/trace/events', header + '.h')).read()
        classes = {}
        for m in re.finditer(r'^(TRACE_EVENT\w*|DECLARE_EVENT_CLASS)\(\s*(\w+),(.*?)^\);', text,
                             re.M | re.S):
            found = re.search(r'TP_printk\(((?:\s*"[^"]*")+)', m[3])
            if found:
                classes[m[2]] = ''.join(re.findall(r'"([^"]*)"', found[1]))
        formats.update(classes)
        for m in re.finditer(r'^DEFINE_EVENT\w*\(\s*(\w+),\s*(\w+),', text, re.M):
            if m[1] in classes:
                formats[m[2]] = classes[m[1]]
    return formats


def as_pattern(form):
    parts = re.split(r'(%ps|%0?\d*l*[a-z])', form.replace('%s%s', '%s'))
    return re.compile(''.join(CONVERSIONS[p] if p in CONVERSIONS else re.escape(p)
                              for p in parts))


def partly(form, args):
    """Fields of ours in the kernel's order, none that it has not."""
    kernel = [f.split('=') for f in form.split(' ')]
    at = 0
    for field in args.split(' '):
        key, value = field.split('=', 1)
        while at < len(kernel) and kernel[at][0] != key:
            at += 1
        if at == len(kernel) or not re.fullmatch(CONVERSIONS[kernel[at][1]], value):
            return False
    return True


def system_calls(tree):
    """Name -> the kernel's name of the first argument, or None when it is an address."""
    calls = {}
    for path in ('fs/eventpoll.c', 'fs/eventfd.c', 'fs/timerfd.c', 'fs/pipe.c', 'fs/read_write.c',
                 'fs/open.c'):
        for m in re.finditer(r'^SYSCALL_DEFINE\d\((\w+), ([^,]*), (\w+)',
                             open(os.path.join(tree, path)).read(), re.M):
            calls[m[1]] = None if '*' in m[2] else m[3]
    return calls


class Trace:
    """Reads lines one by one and says what is wrong with the first that is."""

    def __init__(self, tree):
        self.formats, self.calls = kernel_formats(tree), system_calls(tree)
        names = re.search(r'define SOFTIRQ_NAME_LIST(.*?)\n\n',
                          open(os.path.join(tree, 'include/trace/events/irq.h')).read(), re.S)
        self.vectors = re.findall(r'softirq_name\w*\((\w+)\)', names[1])
        self.patterns, self.running, self.prio = {}, {}, {}
        self.waits, self.held = collections.defaultdict(list), set()
        self.last, self.events = 0, collections.Counter()

    def fault(self, line):
        m = LINE.fullmatch(line)
        if not m:
            return 'no ftrace line'
        for name, pattern in READERS.items():
            if not pattern.search(line):
                return f'{name} does not take it'
        at = int(m['s']) * 10**9 + int(m['ns'])
        if at < self.last:
            return 'time goes back'
        self.last = at
        self.events[m['event']] += 1
        # who leaves and who comes are found throttled or not on the way
        leaving = re.match(r'I\|\d+\|(un)?throttle', m['args'] or '')
        if self.running.get(m['cpu'], m['pid']) != m['pid'] and not leaving:
            return f'task {self.running[m["cpu"]]} runs there'
        return self.form(m['event'], m['args'] or '') or self.meaning(m)

    def form(self, event, args):
        if event == 'tracing_mark_write':
            return '' if MARKS.fullmatch(args) else 'no marker of ours'
        if event.startswith('sys_'):
            return self.system_call(event, args)
        if event not in self.formats:
            return 'the kernel has no such event'
        form = self.formats[event]
        if event == 'hrtimer_expire_exit':      # the kernel prints an address only
            return '' if re.fullmatch(r'function=\w+', args) else 'not function='
        if event.startswith('hrtimer_'):
            return '' if partly(form, args) else f'not fields of "{form}"'
        pattern = self.patterns.setdefault(event, as_pattern(form))
        return '' if pattern.fullmatch(args) else f'not "{form}"'

    def system_call(self, event, args):
        name = event.split('_', 2)[2]
        if event.startswith('sys_exit_'):
            return '' if re.fullmatch(r'0x[0-9a-f]+', args) else 'not "0x%lx"'
        first = self.calls.get(name)
        if name == 'nanosleep':
            first = 'ns'
        want = rf'{first}: 0x[0-9a-f]{{8,16}}' if first else ''
        return '' if re.fullmatch(want, args) else f'not "{want}"'

    def meaning(self, m):
        event, args = m['event'], m['args'] or ''
        field = dict(f.split('=', 1) for f in args.split(' ') if '=' in f and f != '==>')
        if event == 'sched_switch':
            self.running[m['cpu']] = field['next_pid']
            idle = m['pid'] == '0'
            if field['prev_pid'] != m['pid'] or (not idle and field['prev_comm'] != m['comm']):
                return 'another task leaves than the one that runs'
            if field['prev_state'] not in ('R', 'R+', 'S', 'D', 'X'):
                return f'state {field["prev_state"]}'
            if field['next_pid'] == '0' and not field['next_comm'].startswith('swapper/'):
                return 'idle is not swapper'
            for which in ('prev', 'next'):
                known = self.prio.get(field[which + '_pid'], field[which + '_prio'])
                if known != field[which + '_prio'] and field[which + '_pid'] != '0':
                    return f'{which}_prio is {known} by the last change'
        if event == 'sched_pi_setprio':
            if field['oldprio'] == field['newprio']:
                return 'no change of priority'
            self.prio[field['pid']] = field['newprio']
        if event.startswith('softirq_'):
            vec = re.fullmatch(r'vec=(\d+) \[action=(\w+)\]', args)
            if self.vectors[int(vec[1])] != vec[2]:
                return 'another name of that vector'
        return self.lock_meaning(m, args)

    def lock_meaning(self, m, args):
        waits = self.waits[m['pid']]
        if m['event'] == 'contention_begin':
            lock, flags = re.fullmatch(r'(\S+) \(flags=(\S*)\)', args).groups()
            bits = [LOCK_FLAGS.index(f) for f in flags.split('|') if f]
            waits.append(lock)
            return '' if bits == sorted(set(bits)) else 'flags not as the kernel orders them'
        if m['event'] == 'contention_end':
            if not waits or waits.pop() != args.split(' ')[0]:
                return 'ends a contention that was not the last to begin'
        mark = re.fullmatch(r'([SF])\|(\d+)\|(.*)', args)
        if mark and mark[2] != m['pid']:
            return 'somebody else takes or releases'
        if mark and mark[1] == 'S':
            self.held.add(mark[2] + mark[3])
        elif mark and mark[2] + mark[3] not in self.held:
            return 'released and never taken'
        return ''


def read(text, tree):
    trace = Trace(tree)
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('#'):
            continue
        fault = trace.fault(line)
        if fault:
            return f'line {number}: {fault}: {line}', trace
    return '', trace


def run(folder, scenario, image, *more):
    path = os.path.join(folder, 'trace')
    r = lockstep('run', scenario, '--kernel', image, '--json', '--trace', path, *more)
    with open(path, encoding='utf-8') as f:     # strict: half a character would raise
        return json.loads(r.stdout), f.read(), path


ODD = '''
name: "odd \\u00e4 \\" \\\\ names"
machine: {cpus: 1, duration: 5ms}
resources: {"my lock|1": {type: mutex}}
tasks:
  "a b|c-12 [000]": {cpus: [0], lock: "my lock|1", run: 1ms, unlock: "my lock|1"}
  "#\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587": {instance: 2, cpus: [0], run: 10us}
  "tab\\there": {policy: SCHED_FIFO, priority: 9, cpus: [0], delay: 500us, lock: "my lock|1", run: 10us, unlock: "my lock|1"}
'''

with tempfile.TemporaryDirectory() as folder:
    seen = collections.Counter()
    for scenario, image in RUNS:
        tree = os.path.join(ROOT, 'build/tree', image.split('-')[0])
        got, text, path = run(folder, os.path.join(ROOT, 'traces', scenario), image)
        wrong, trace = read(text, tree)
        seen.update(trace.events)
        check(not wrong, f'{scenario} on {image}: {wrong}')
        check(trace.last <= got['sim_ns'], f'{scenario} on {image}: no line behind the end')
        check(text.startswith('# tracer: nop\n#\n'), f'{scenario} on {image}: the header')
        recipe = subprocess.run(f"grep -v '^#' {path} | sha256sum", shell=True, text=True,
                                capture_output=True).stdout.split()[0]
        check(recipe == got['digest'], f'{scenario} on {image}: the digest by the recipe')
    for event in ('sched_switch', 'sched_waking', 'sched_wakeup', 'sched_pi_setprio',
                  'contention_begin', 'contention_end', 'hrtimer_start', 'hrtimer_expire_entry',
                  'hrtimer_expire_exit', 'softirq_raise', 'softirq_entry', 'softirq_exit',
                  'sys_enter_epoll_wait', 'sys_exit_epoll_wait', 'irq_handler_entry',
                  'rcu_grace_period', 'sched_process_exit'):
        check(seen[event] > 0, f'{event} was seen in some run')

    odd = os.path.join(folder, 'odd.yaml')
    with open(odd, 'w', encoding='utf-8') as f:
        f.write(ODD)
    got, text, path = run(folder, odd, '6.12-rt')
    wrong, trace = read(text, os.path.join(ROOT, 'build/tree/6.12'))
    check(not wrong, f'odd names: {wrong}')
    check(got['scenario'] == 'odd ä " \\ names', f'odd names: {got["scenario"]}')
    lines = [l for l in open(path, 'rb') if not l.startswith(b'#')]
    check(hashlib.sha256(b''.join(lines)).hexdigest() == got['digest'], 'odd names: the digest')
    r = subprocess.run([LOCKSTEP, 'run', odd, '--kernel', '6.12-rt', '--json'],
                       capture_output=True)
    tasks = {w['task'] for w in json.loads(r.stdout.decode('utf-8'))['waits']}
    check(tasks <= {'a b|c-12 [000]', 'tab\there'} and tasks, f'odd names in JSON: {tasks}')
finish()
