# SPDX-License-Identifier: GPL-2.0-only
"""What test scripts share: running lockstep and counting."""
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get('LOCKSTEP_BUILD', os.path.join(ROOT, 'build'))
LOCKSTEP = os.path.join(BUILD, 'lockstep')
# A sanitizer reserves terabytes for its shadow and makes everything many times slower.
SANITIZED = any(word in open(LOCKSTEP, 'rb').read() for word in (b'__asan_init', b'__tsan_init'))
passed, failures = 0, []


def check(ok, claim):
    """Counts one claim."""
    global passed
    if ok:
        passed += 1
    else:
        failures.append(claim)
        print('FAILED: ' + claim, flush=True)


def lockstep(*args, timeout=600):
    return subprocess.run([LOCKSTEP, *args], capture_output=True, text=True, errors='replace',
                          timeout=timeout)


def run_json(scenario, image, *args):
    r = lockstep('run', os.path.join(ROOT, 'traces', scenario), '--kernel', image, '--json', *args)
    return (json.loads(r.stdout) if r.stdout else {}), r


def finish():
    print(f'{passed} passed, {len(failures)} failed')
    raise SystemExit(1 if failures else 0)
