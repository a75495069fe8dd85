#!/usr/bin/env python3
"""table.py [FILE ...]: what `ptool advise` says of each recording, in order, one line a finding; of all recordings
under ../shared/data (torch, gpu, cases) when no file is named.  For people to read: each line must be true of its
trace, and nothing above a tenth of the step may be missing.
"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import SHARED, Workplace

PLACES = ["cases/*.json.gz", "gpu/*.json.gz", "torch/*/*.json.gz", "torch/*/*/*.json.gz", "torch/*/logdir/*.json"]
NOT_TRACES = ("key_averages", "memory_timeline")


def recordings():
    found = [path for place in PLACES for path in glob.glob(os.path.join(SHARED, "data", place))]
    return sorted(path for path in found if not os.path.basename(path).startswith(NOT_TRACES))


def saving(row):
    return "-" if row["saving_ns"] is None else f"{row['saving_ns'] / 1e6:.3f} ms"


def show(work, path):
    print(f"## {os.path.relpath(path, SHARED)}")
    try:
        store = work.ingest(path)
    except RuntimeError as refused:
        print(f"   {refused}")
        return
    done = work.ptool("advise", store, "--format", "json", check=False)
    if done.returncode:
        print(f"   {done.stderr.strip()}")
        return
    answer = json.loads(done.stdout)
    for note in answer.get("notes", []):
        print(f"   note: {note}")
    rows = [row for row in answer["rows"] if row["severity"] != "not_run"]
    for row in rows:
        print(f"   {row['severity']:6} {row['rule']:22} {saving(row):>12}  {row['finding']}. {row['suggestion']}")
    print(f"   {len(answer['rows']) - len(rows)} could not run")


def main():
    paths = sys.argv[1:] or recordings()
    with Workplace() as work:
        for path in paths:
            show(work, path)


if __name__ == "__main__":
    main()
