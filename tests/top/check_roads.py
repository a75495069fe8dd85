#!/usr/bin/env python3
# Every split of every fixture: not in check-fast.
"""Do the two roads of ptool top, summaries and slices, give the same rows?

On every fixture, in every grouping that summaries can answer.  --min-dur 0 lets
every slice through, and only slices can say so.  Then the parts that filters cut
must add up to the whole.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import recordings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
from storetap import share  # noqa: E402  pylint: disable=wrong-import-position

GROUPINGS = [[], ["--by", "shape"], ["--by", "stack"], ["--by", "stack:2"], ["--by", "overload"],
             ["--by", "step"], ["--by", "rank,profile"], ["--by", "shape,overload"], ["--flops"],
             ["--step", "1..2"], ["--top-level"], ["--sort", "none"], ["--sort", "pcalls"],
             ["--sort", "flops"], ["--sort", "memory"], ["--focus", "mm", "--reverse"]]
SUMS = ["calls", "self_cpu_ns", "total_cpu_ns", "self_device_ns", "total_device_ns", "cpu_mem_bytes",
        "self_cpu_mem_bytes", "device_mem_bytes", "self_device_mem_bytes"]


def top(store, *args):
    """The rows; None when nothing matched or was recorded."""
    command = [recordings.PTOOL, "top", store, "--limit", "0", "--format", "json", *args]
    ran = subprocess.run(command, capture_output=True, check=False)
    if ran.returncode == 3:
        return None
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {ran.returncode}: {ran.stderr.decode()}")
    return json.loads(ran.stdout)["rows"]


def sums(rows):
    """By name and kind of row, everything added up."""
    out = {}
    for row in rows or []:
        into = out.setdefault((row["name"], row["is_user_annotation"]), dict.fromkeys(SUMS, 0))
        for field in SUMS:
            into[field] += row[field] or 0
    return out


def check_same(tap, name, store):
    for args in GROUPINGS:
        short, long = top(store, *args), top(store, *args, "--min-dur", "0")
        lines = []
        for a, b in zip(short or [], long or []):
            if a != b:
                lines += [f"summaries: {a}", f"slices:    {b}"]
        tap.ok(short == long, f"{name}: {' '.join(args) or 'by name'}: both roads agree", lines)


def check_parts(tap, name, store):
    """Split rows, and the two sides of a cut in time, add up to the unsplit ones."""
    whole = sums(top(store))
    for split in ("category", "thread", "step", "stream"):
        rows = top(store, "--by", split)
        if rows is not None:
            tap.ok(sums(rows) == whole, f"{name}: --by {split} adds up to the whole")
    early, late = top(store, "--time", "..300us"), top(store, "--time", "300us..")
    tap.ok(sums((early or []) + (late or [])) == whole, f"{name}: before and after 300 us add up to the whole")
    short = top(store, "--min-dur", "7us") or []
    tap.ok(all(row["total_cpu_ns"] >= 7000 * row["calls"] for row in short if not row["total_device_ns"]),
           f"{name}: --min-dur leaves no shorter call")


def main():
    tap = recordings.Tap()
    traces = sorted(glob.glob(os.path.join(recordings.FIXTURES, "torch", "*", "trace.json.gz")))
    traces += [path for path in sorted(glob.glob(os.path.join(recordings.FIXTURES, "gpu", "*.json")))
               if not path.endswith(".truth.json")]
    with tempfile.TemporaryDirectory() as scratch:
        for i, trace in share(enumerate(traces), 3):
            store = os.path.join(scratch, f"{i}.db")
            subprocess.run([recordings.PTOOL, "ingest", "-q", "-o", store, trace], check=True)
            name = os.path.relpath(trace, recordings.FIXTURES)
            check_same(tap, name, store)
            check_parts(tap, name, store)
        both = os.path.join(scratch, "both.db")
        ranks = [path for path in traces if "collectives_rank" in path]
        subprocess.run([recordings.PTOOL, "ingest", "-q", "-o", both, *ranks], check=True)
        check_same(tap, "two ranks", both)
        check_parts(tap, "two ranks", both)
    tap.end()


main()
