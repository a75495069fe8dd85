#!/usr/bin/env python3
"""table.py: for each kind of damage what ptool makes of one file with it, as a table.

    PTOOL=build/ptool tests/damage/table.py

`rows kept` are those of the sound file's slices, flows, steps, counters and allocations that do not
touch the damaged event; `event` says what became of that one.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "store"))

from planting import Reader, judge, single  # noqa: E402: found behind the path
from defects import DEFECTS  # noqa: E402
from storetap import FIXTURES, PTOOL  # noqa: E402
from traces import sound_traces  # noqa: E402

TABLES = ("slice", "step", "counter", "allocation", "kernel", "copy", "collective")


def kept(got, expected):
    """(rows of the others that are there, rows that should be)."""
    there = should = 0
    for table in TABLES:
        rows = expected.plain.get(table)
        if rows:
            there += sum((rows & got.plain.get(table, type(rows)())).values())
            should += sum(rows.values())
    return there, should


def fate(case, got):
    plant = case.plants[0]
    if got.apart:
        return "set apart"
    if plant.text is None or plant.cut is not None:
        return "-"
    if plant.equal is not None:
        return "read as meant"
    return "kept" if plant.kept else "skipped"


def row(case, facts):
    got, expected = facts.get(case.path), facts.get(case.equal_path)
    if got is None:
        return "refused", "", "", "no"
    there, should = kept(got, expected)
    new = [f"{code} @{found[1]}" for code, found in got.findings.items() if code not in expected.findings]
    return f"{there} of {should}", fate(case, got), ", ".join(new), "no" if judge(case, facts) else "yes"


def main():
    traces = sound_traces(FIXTURES)
    cases = []
    for defect in DEFECTS:
        found = [case for case in (single(trace, defect, "between", "1") for trace in traces) if case]
        cases += found[:1]
    with tempfile.TemporaryDirectory(prefix="ptool-damage.") as folder:
        reader = Reader(PTOOL, folder)
        for case in cases:
            reader.add(case)
        reader.read()
        print("| defect | rows kept | event | findings | as promised |\n|---|---|---|---|---|")
        for case in cases:
            print(f"| {case.names[0]} | " + " | ".join(row(case, reader.facts)) + " |")


main()
