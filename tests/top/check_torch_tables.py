#!/usr/bin/env python3
"""ptool top --format torch against the tables that torch printed, byte for byte.

Not those of torch 1.13, whose file holds other times than its memory did, nor of
t260_odd, whose exporter destroys names.
"""
import difflib
import os
import re
import tempfile

import recordings


def options_of(path):
    """table_<sort key>_<rows>.txt; table_stack3_self_cpu_10.txt groups by three frames."""
    base = os.path.basename(path)[len("table_"):-len(".txt")]
    key, rows = base.rsplit("_", 1)
    stack = re.match(r"stack(\d+)_", key)
    options = ["--by", "stack:" + stack.group(1)] if stack else []
    key = key[stack.end():] + "_time_total" if stack else key
    return options + ["--sort", key, "--limit", "0" if rows == "all" else rows]


def check(tap, recording):
    if "k113" in recording.name or "t260_odd" in recording.name:
        return
    for path in recording.tables():
        with open(path, encoding="utf-8") as table:
            expected = table.read()
        found = recording.ptool("--format", "torch", *options_of(path))
        lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "torch", "ptool",
                                     n=0, lineterm="")
        tap.ok(found == expected, f"{recording.name}: {os.path.basename(path)}", lines)


def main():
    tap = recordings.Tap()
    with tempfile.TemporaryDirectory() as scratch:
        for recording in recordings.of_fixtures(scratch):
            check(tap, recording)
        known = tap.count
        for recording in recordings.of_collection(scratch):
            check(tap, recording)
        if tap.count == known:
            tap.skip("the collection", "not beside this checkout")
    tap.end()


main()
