#!/usr/bin/env python3
"""check_samples.py: sampled stacks against a reader of our own, function by function.

Files are those of tests/fixtures/samples and, where it is, of ../shared/data/pyprof beside the checkout.
"""
import collections
import csv
import fractions
import glob
import io
import os
import re

from graphs import PYPROF, Tap, Workplace

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "samples")
NUMBER = re.compile(r"^(.*)[ \t](\d+(?:\.\d*)?|\.\d+)$", re.S)
PY_SPY = re.compile(r"^(.+) \((.+):(\d+)\)$|^(.+) \((.+\.pyx?|<.+>)\)$", re.S)
COLONS = re.compile(r"^(.+):([^:]+):(\d+)$", re.S)
TORCH = re.compile(r"^(.+)\((\d+)\):_(.+)$", re.S)


def function_of(text):
    """(file, name) of a frame."""
    m = PY_SPY.match(text)
    if m:
        return (m[2], m[1]) if m[1] else (m[5], m[4])
    m = COLONS.match(text)
    if m and ("/" in m[1] or "\\" in m[1] or re.search(r"\.pyx?$|^<.*>$", m[1])):
        return m[1], m[2]
    m = TORCH.match(text)
    return (m[1], m[3]) if m else ("", text)


class Sums:
    """Self and total by function; the sum of all."""

    def __init__(self):
        self.self_, self.total, self.all = collections.Counter(), collections.Counter(), fractions.Fraction(0)

    def add(self, stack, weight):
        """stack: functions, the outermost first."""
        self.all += weight
        if stack:
            self.self_[stack[-1]] += weight
        for function in set(stack):
            self.total[function] += weight

    def rows(self):
        return {f: (float(self.self_[f]), float(t)) for f, t in self.total.items() if t or self.self_[f]}


def read_text(path):
    with open(path, "rb") as f:
        data = f.read()
    for mark, code in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(code, "replace")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def strip_thread(stack):
    stack = re.sub(r'^process \d+:".*?";', "", stack, flags=re.S)
    return re.sub(r"^thread \([^)]*\)[^;]*;|^P\d+;T[^;]*;|^tid:\d+;", "", stack)


def collapsed(path):
    """Sums of a file of collapsed stacks; Austin's: microseconds as ns."""
    sums, text = Sums(), read_text(path)
    is_austin = "# austin:" in text
    factor = 1000 if is_austin else 1
    for line in text.split("\n"):
        line = line.rstrip("\r \t")
        if is_austin:
            line = re.sub(r",\d,-?\d+$", "", line)
        m = NUMBER.match(line)
        if not m or line.startswith("#"):
            continue
        frames = strip_thread(m[1])
        stack = [function_of(frame) for frame in frames.split(";")] if frames else []
        if TORCH.match(m[1].rsplit(";")[-1]):
            factor = 1000
        sums.add(stack, fractions.Fraction(m[2]) * factor)
    return sums


def of_ptool(place, path, *options):
    done = place.ptool("top", "-q", "--limit", "0", "--format", "csv", *options, path, check=False)
    if done.returncode:
        return done.stderr.strip()
    rows = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        total = [float(row[k]) for k in row if re.match(r"^(self|total)_(ns|bytes|count)$", k)]
        rows[row["file"], row["function"]] = tuple(total)
    return rows


def compare(tap, name, got, sums):
    want = sums.rows()
    if isinstance(got, str):
        tap.ok(not want, name, got)
        return
    bad = [f"{f}: got {got.get(f)}, expected {want.get(f)}" for f in {*got, *want} if got.get(f) != want.get(f)]
    tap.ok(not bad, f"{name}: {len(want)} functions", *bad[:5])


def main():
    tap = Tap()
    paths = sorted(glob.glob(os.path.join(FIXTURES, "*.txt")))
    shared = glob.glob(os.path.join(PYPROF, "pyspy", "raw*.txt"))
    for pattern in ("speedscope/*.txt", "inferno/flamegraph/*/*.txt"):
        shared += glob.glob(os.path.join(PYPROF, "collapsed", pattern))
    if not shared:
        tap.skip("files of profilers", "no ../shared/data/pyprof")
    with Workplace() as place:
        for path in paths + sorted(shared):
            compare(tap, os.path.basename(path), of_ptool(place, path), collapsed(path))
    tap.done()


main()
