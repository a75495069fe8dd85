#!/usr/bin/env python3
"""check_damage.py: damage costs only itself.

Each defect that real traces have is planted into sound ones, at the first, the last and some other
place, alone and in pairs.  What ptool makes of the damaged file is what it makes of a sound file that
says the same, in every table; and a finding names the defect and the byte.

LONG=1: all pairs.  SEED=N: other places.  ONLY=text: only defects with that in their name.
KEEP=folder: the files stay there.
timeout: 300 s
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "store"))

from planting import Reader, judge, pairs, singles  # noqa: E402: found behind the path
from storetap import FIXTURES, PTOOL, Tap  # noqa: E402
from traces import sound_traces  # noqa: E402

SHARE_OF_PAIRS = 0.03
# What is not there yet: a defect's name or a finding's code -> who builds it.
PENDING = {}


def pending(case):
    codes = {code for plant in case.plants for alternatives in plant.codes for code in alternatives.split("|")}
    return next((PENDING[key] for key in (*case.names, *codes) if key in PENDING), None)


class Results:
    """A test for each defect alone, and one for the pairs that it comes first in."""

    def __init__(self):
        self.failures, self.counts, self.todo = {}, {}, {}

    def add(self, case, problems):
        title = case.names[0] + (" with another" if len(case.names) > 1 else "")
        self.counts[title] = self.counts.get(title, 0) + 1
        failures = self.failures.setdefault(title, [])
        if problems:
            self.todo[title] = self.todo.get(title, True) and pending(case)
            failures.append(f"{' and '.join(case.names)} in {case}: {problems[0]}"[:600])

    def print(self, tap):
        for title, count in self.counts.items():
            failures, todo = self.failures[title], self.todo.get(title)
            if failures and todo:
                tap.todo(title, todo)
            else:
                tap.ok(not failures, f"{title}: {count - len(failures)} of {count}", *failures)


class TodoTap(Tap):
    def todo(self, name, who):
        self.count += 1
        print(f"not ok {self.count} - {name} # TODO {who}", flush=True)


def main():
    seed, only = os.environ.get("SEED", "1"), os.environ.get("ONLY", "")
    share = 1 if os.environ.get("LONG") else SHARE_OF_PAIRS
    results = Results()
    traces = sound_traces(FIXTURES)
    with tempfile.TemporaryDirectory(prefix="ptool-damage.") as folder:
        reader = Reader(PTOOL, os.environ.get("KEEP") or folder)
        cases = [*singles(traces, seed, only), *(pairs(traces, seed, share) if not only else [])]
        for case in cases:
            reader.add(case)
        reader.read()
        for case in cases:
            results.add(case, judge(case, reader.facts))
    tap = TodoTap()
    results.print(tap)
    tap.done()


main()
