#!/usr/bin/env python3
"""ptool diff of recordings of one noisy program: what it may not call a change.  timeout: 300 s

Made recordings whose runs differ by 4 % and whose steps, within a run, by 1 %: as programs do
that are started again with another layout of memory, clock speed or neighbour.  Single runs get
no verdict however different they are; several runs keep to alpha.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

RUNS, STEPS = 48, 10
OPERATORS = {"aten::mm": 5e6, "aten::conv2d": 3e6, "aten::add": 1e6, "aten::copy_": .5e6}  # ns
RUN_NOISE, STEP_NOISE = .04, .01
SINGLES, FOURS = 100, 120


def write(path, rng, speed=1.0):
    """One run: all of it is faster or slower by chance, and each operator once more."""
    of_run = rng.gauss(1, RUN_NOISE) * speed
    of_operator = {name: rng.gauss(1, RUN_NOISE / 2) for name in OPERATORS}
    events, at = [], 0
    for step in range(STEPS):
        start = at
        for name, ns in OPERATORS.items():
            dur = int(ns * of_run * of_operator[name] * rng.gauss(1, STEP_NOISE))
            events.append(("cpu_op", name, at, dur))
            at += dur
        events.append(("user_annotation", f"ProfilerStep#{step}", start, at - start))
        at += 1000
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts / 1000, "dur": dur / 1000, "args": {}}
            for cat, name, ts, dur in events]}, out)


class Compared:
    """What ptool diff said of two sides."""

    def __init__(self, place, base, new, *options):
        done = place.ptool("diff", *base, "--", *new, "--format", "json", *options, check=False)
        said = json.loads(done.stdout)
        self.status, self.verdict = done.returncode, said["notes"][0].split(":")[0]
        self.is_change = self.verdict.split()[0] in ("slower", "faster")
        self.significant = [row["name"] for row in said["rows"] if row["significant"]]


def check_singles(tap, place, runs, rng):
    pairs = [rng.sample(runs, 2) for _ in range(SINGLES)]
    got = [Compared(place, [a], [b], "--exit-code") for a, b in pairs]
    wrong = [f"{c.verdict}, exit {c.status}, {c.significant}" for c in got
             if c.verdict != "undecided, one run a side" or c.status != 3 or c.significant]
    tap.ok(not wrong, f"{SINGLES} pairs of single runs of one program: no verdict, no significant row, exit 3", *wrong)
    within = [Compared(place, [a], [b], "--within-run") for a, b in pairs]
    changed = sum(c.is_change for c in within)
    tap.ok(changed > SINGLES // 3, f"their steps alone would call {changed} of {SINGLES} a change",
           "the made runs are too much alike to show anything")
    wrong = [c.verdict for c in within if not c.verdict.endswith(" within these runs")]
    tap.ok(not wrong, "and with --within-run the verdict is of these runs", *wrong)


def check_fours(tap, place, runs, rng):
    sides = [rng.sample(runs, 8) for _ in range(FOURS)]
    got = [Compared(place, eight[:4], eight[4:], "--min-effect", "0", "--exit-code") for eight in sides]
    changed = sum(c.is_change for c in got)
    # p of 4 v 4 is below 0.05 in 2 of 70 cases: 3.4 of 120, and 3 deviations more
    tap.ok(changed <= 9, f"{changed} of {FOURS} comparisons of 4 v 4 such runs are called a change: alpha holds")
    rows = sum(bool(c.significant) for c in got)
    tap.ok(rows <= 9, f"{rows} of {FOURS} have a significant row")
    wrong = [f"{c.verdict}, exit {c.status}" for c in got if c.status != (c.verdict.split()[0] == "slower")]
    tap.ok(not wrong, "--exit-code is 1 for slower alone, else 0", *wrong)


def check_power(tap, place, runs, rng):
    slow = [place.path(f"slow{i}.json") for i in range(8)]
    for path in slow:
        write(path, rng, 1.2)
    got = [Compared(place, rng.sample(runs, 4), rng.sample(slow, 4), "--exit-code") for _ in range(20)]
    found = sum(c.verdict.startswith("slower") and c.status == 1 for c in got)
    tap.ok(found >= 17, f"{found} of 20 comparisons of 4 v 4 runs find 20 % more time")


def main():
    tap, rng = storetap.Tap(), random.Random(15)
    with storetap.Workplace() as place:
        os.environ["XDG_CACHE_HOME"] = place.path("cache")
        os.environ.pop("PTOOL_CACHE", None)
        runs = [place.path(f"run{i}.json") for i in range(RUNS)]
        for path in runs:
            write(path, rng)
        check_singles(tap, place, runs, rng)
        check_fours(tap, place, runs, rng)
        check_power(tap, place, runs, rng)
    tap.done()


if __name__ == "__main__":
    main()
