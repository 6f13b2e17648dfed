# SPDX-License-Identifier: GPL-2.0-only
"""What determinism is proven on: every shipped scenario on every image it has an expectation for."""
import fnmatch
import glob
import json
import os
import re

from check import ROOT, SANITIZED

RT_IMAGES = ['6.12-rt', '6.12-rt+rwlock', '6.1-rt', '6.1-rt+rwlock']
SCHED_IMAGES = [i + '@sched' for i in RT_IMAGES]
ABSTRACT_IMAGES = ['abstract', 'abstract@rt-reader-bias', 'abstract@vanilla', 'abstract@write-only']
OTHER_IMAGES = ['6.12-vanilla', '6.12-vanilla+rwlock', '6.1-vanilla', '6.1-vanilla+rwlock']

# Runs of more events end here, with the verdict limit: hundreds of runs must end the same day.
SHORT = ('--set', f'limits.events={20000 if SANITIZED else 150000}')


def scenarios():
    return sorted(os.path.basename(p) for pattern in ('*.yaml', '*.json')
                  for p in glob.glob(os.path.join(ROOT, 'traces', pattern)))


def images(name):
    """The images a scenario's `expect` names; "*" and a file without one mean all RT images.

    Without files and RCU it runs on abstract machines too.
    """
    text = open(os.path.join(ROOT, 'traces', name)).read()
    abstract = [] if re.search(r'fifo|eventfd|timerfd|epoll|_rcu', text) else ABSTRACT_IMAGES
    block = re.search(r'^expect:\n((?:[ ].*\n?)*)', text, re.M)
    patterns = re.findall(r'^  "?([^"\s:]+)"?:', block.group(1), re.M) if block else ['*']
    named = [i for i in RT_IMAGES + SCHED_IMAGES + OTHER_IMAGES
             if any(p != '*' and fnmatch.fnmatchcase(i, p) for p in patterns)]
    return (RT_IMAGES + SCHED_IMAGES[:2] if '*' in patterns else named) + abstract


def digest(output):
    """The digest in what lockstep run --json printed, or None."""
    try:
        return json.loads(output)['digest']
    except (ValueError, KeyError):
        return None
