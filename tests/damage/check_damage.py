#!/usr/bin/env python3
"""check_damage.py: damage costs only itself.

Each defect that real traces have is planted into sound ones, at the first, the last and some other
place, alone and in pairs.  What ptool makes of the damaged file is what it makes of a sound file that
says the same, in every table; and a finding names the defect and the byte.

LONG=1: all traces and all pairs.  SEED=N: other places.  ONLY=text: only defects with that in their name.
KEEP=folder: the files stay there.
timeout: 300 s
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "store"))

from planting import Reader, judge, make, pairs, singles  # noqa: E402: found behind the path
from storetap import FIXTURES, PTOOL, Tap  # noqa: E402
from traces import Plant, sound_traces  # noqa: E402

SHARE_OF_PAIRS = 0.01


class Results:
    """A test for each defect alone, and one for the pairs that it comes first in."""

    def __init__(self):
        self.failures, self.counts = {}, {}

    def add(self, case, problems):
        title = case.names[0] + (" with another" if len(case.names) > 1 else "")
        self.counts[title] = self.counts.get(title, 0) + 1
        failures = self.failures.setdefault(title, [])
        if problems:
            failures.append(f"{' and '.join(case.names)} in {case}: {problems[0]}"[:600])

    def print(self, tap):
        for title, count in self.counts.items():
            failures = self.failures[title]
            tap.ok(not failures, f"{title}: {count - len(failures)} of {count}", *failures)


def repeated_names(trace):
    """A thread is named 310,000 times, as a real trace did; the sound names follow."""
    event = next(e for e in map(json.loads, trace.events) if e["ph"] == "M" and e["name"] == "thread_name")
    lines = []
    for number in range(310_000):
        event["args"]["name"] = f"name {number % 7}"
        lines.append(json.dumps(event, separators=(",", ":")) + ",\n")
    code = "repeated_metadata"
    return make(("a thread named 310,000 times",), trace, [Plant(1, before="".join(lines), codes=(code,), may=frozenset((code,)))],
                "second")


def check_refused(tap, trace, folder):
    """Where no event is whole there is no store, and one line says at which byte."""
    text = trace.text().encode()
    packed = gzip.compress(text)
    files = {"nothing": b"", "a byte order mark": b"\xef\xbb\xbf", "blanks": b" \n" * 50, "NULs": b"\0" * 5000,
             "a bracket": b"{", "half of what is before the events": text[:len(trace.head) // 2],
             "5 bytes of gzip": packed[:5], "30 bytes of gzip": packed[:30], "no JSON": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
             "a list without events": b"[1, null, 3]", "no list": b'{"a": 1}'}
    for name, data in files.items():
        path, store = os.path.join(folder, "refused.json"), os.path.join(folder, "refused.db")
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run([PTOOL, "ingest", "-o", store, path], capture_output=True, check=False)
        said = done.stderr.decode(errors="replace")
        tap.ok(done.returncode == 4 and said.count("\n") == 1 and "byte " in said and not os.path.exists(store),
               f"{name} alone: refused", f"exit {done.returncode}: {said!r}")


def main():
    seed, only = os.environ.get("SEED", "1"), os.environ.get("ONLY", "")
    is_long = os.environ.get("LONG")
    results = Results()
    traces = sound_traces(FIXTURES)
    with tempfile.TemporaryDirectory(prefix="ptool-damage.") as folder:
        reader = Reader(PTOOL, os.environ.get("KEEP") or folder)
        cases = list(singles(traces, seed, not is_long, only))
        if not only:
            cases += pairs(traces, seed, 1 if is_long else SHARE_OF_PAIRS)
            cases.append(repeated_names(traces[0]))
        for case in cases:
            reader.add(case)
        reader.read()
        for case in cases:
            results.add(case, judge(case, reader.facts))
        tap = Tap()
        results.print(tap)
        check_refused(tap, traces[0], folder)
    tap.done()


main()
