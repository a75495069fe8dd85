#!/usr/bin/env python3
"""ptool export --to chrome: read again it gives the same answers, and a window of it is whole.

The recording is written and ingested again; every command must say the same of both.  Of windows
an independent reader of the JSON checks that launches came along, that both ends of each arrow are
there, that nothing overlaps on a device's track, and that idle time is what `ptool gaps` says.
LONG=1 takes every trace of the fixtures and of ../shared.
"""
import collections
import csv
import glob
import io
import json
import os
import subprocess
import tempfile

from callgraphs import FIXTURES, PTOOL, SHARED, Tap, ptool

SOME = ["gpu/everything.json", "gpu/collectives_rank0.json", "gpu/memory.json", "gpu/python_stack.json",
        "torch/t260_ddp_rank0/trace.json.gz", "torch/t260_unfinished/trace.json.gz", "chrome/xprof_gpu.json.gz",
        "chrome/jax.json.gz"]
COMMANDS = [["top", "--by", "shape"], ["top", "--by", "annotation"], ["kernels"], ["devices"], ["streams"], ["steps"],
            ["gaps"], ["memory"], ["transfers"], ["comm"], ["tree", "--min", "0"], ["list", "--limit", "0"]]
LONG_COMMANDS = COMMANDS + [["top", "--by", by] for by in ("stack", "step", "thread", "module")] + [
    ["gaps", "--list"], ["memory", "--events"], ["comm", "--list"], ["modules"], ["callers", "."], ["advise"]]


def answer(command, store):
    """Status and rows; the order of tracks, which numbers them, is not part of it."""
    ran = subprocess.run([PTOOL, *command, store, "--format", "csv"], capture_output=True, check=False)
    rows = [row for row in csv.DictReader(io.StringIO(ran.stdout.decode(errors="replace")))]
    for row in rows:
        row.pop("slice", None)
        row.pop("id", None)
        row.pop("parent_id", None)
    return ran.returncode, sorted(tuple(row.items()) for row in rows)


def check_again(tap, name, path, commands, scratch):
    out, before, after = (os.path.join(scratch, part) for part in ("again.json", "before.db", "after.db"))
    if subprocess.run([PTOOL, "ingest", "-q", path, "-o", before, "-f"], capture_output=True, check=False).returncode:
        ptool("ingest", "-q", path, "-o", before)
    ptool("export", "--to", "chrome", before, "-q", "-f", "-o", out)
    ptool("ingest", "-q", out, "-o", after)
    wrong = []
    for command in commands:
        one, two = answer(command, before), answer(command, after)
        if one != two:
            pair = next(((a, b) for a, b in zip(one[1], two[1]) if a != b), (len(one[1]), len(two[1])))
            wrong += [" ".join(command), str(pair[0]), str(pair[1])]
    tap.ok(not wrong, f"{name}: the same answers", wrong)
    os.remove(before)
    os.remove(after)


def ns(microseconds):
    """Exact: json.load() is told to keep the text."""
    whole, _, rest = microseconds.partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3]) * (-1 if whole.startswith("-") else 1)


def read_events(*args):
    return json.loads(ptool("export", "--to", "chrome", "-q", *args), parse_float=str)["traceEvents"]


def check_window(tap, name, path, window):
    events = read_events(path, *window)
    slices = [e for e in events if e["ph"] == "X"]
    idle = [e for e in slices if e.get("cat") == "ptool_idle"]
    device = [e for e in slices if "stream" in e.get("args", {}) and e not in idle]
    calls = {e["args"]["correlation"] for e in slices if e.get("cat", "").startswith("cuda_")
             and "stream" not in e["args"] and "correlation" in e["args"]}
    recorded = {e["args"]["correlation"] for e in read_events(path) if e.get("cat", "") == "cuda_runtime"}
    lost = [e["name"] for e in device if e["args"].get("correlation") in recorded - calls]
    tap.ok(device and not lost, f"{name} {' '.join(window)}: launches came along", lost)

    starts = collections.Counter((e["pid"], str(e["tid"]).split()[0], e["ts"]) for e in slices)
    arrows = collections.defaultdict(dict)
    for e in events:
        if e["ph"] in "sf":
            arrows[e["cat"], e["id"]][e["ph"]] = (e["pid"], str(e["tid"]).split()[0], e["ts"])
    tap.ok(arrows and all(len(ends) == 2 and all(starts[end] for end in ends.values()) for ends in arrows.values()),
           f"{name} {' '.join(window)}: both ends of every arrow")

    ends = collections.defaultdict(int)
    overlapping = []
    for e in sorted(device, key=lambda e: ns(e["ts"])):
        place = (e["pid"], e["tid"], e["cat"] == "cuda_sync")
        if ns(e["ts"]) < ends[place]:
            overlapping.append(e["name"])
        ends[place] = ns(e["ts"]) + ns(e["dur"])
    tap.ok(not overlapping, f"{name} {' '.join(window)}: nothing overlaps", overlapping)

    rows = csv.DictReader(io.StringIO(ptool("gaps", "--list", path, "-q", "--format", "csv", *window).decode()))
    want = sorted((row["cause"], int(row["dur_ns"])) for row in rows)
    tap.ok(want and want == sorted((e["name"], ns(e["dur"])) for e in idle), f"{name} {' '.join(window)}: idle time")


def check_names(tap, name, path):
    """Count and sum of the durations by name, as an SQL over a viewer's slices gives them."""
    with open(path, encoding="utf-8") as file:
        recorded = json.load(file, parse_float=str)["traceEvents"]
    sums = []
    for events in (recorded, read_events(path)):
        by_name = collections.defaultdict(lambda: [0, 0])
        for e in events:
            if e["ph"] == "X" and e.get("cat") != "ptool_idle":
                by_name[e["name"]][0] += 1
                by_name[e["name"]][1] += ns(str(e["dur"]))
        sums.append(dict(by_name))
    tap.ok(sums[0] == sums[1] and sums[0], f"{name}: counts and sums by name")


def main():
    tap = Tap()
    is_long = os.environ.get("LONG") == "1"
    names = [os.path.join(FIXTURES, name) for name in SOME]
    if is_long:
        names = [path for path in glob.glob(os.path.join(FIXTURES, "[gtc]*/**/*.json*"), recursive=True)
                 if "truth" not in path and "timeline" not in path]
        names += glob.glob(os.path.join(SHARED, "data", "cases", "*trace*.json.gz"))
    with tempfile.TemporaryDirectory() as scratch:
        for path in names:
            if is_long and subprocess.run([PTOOL, "export", "--to", "chrome", path, "-q"], capture_output=True,
                                          check=False).returncode:
                continue
            check_again(tap, os.path.relpath(path, FIXTURES), path, LONG_COMMANDS if is_long else COMMANDS, scratch)
    everything = os.path.join(FIXTURES, "gpu", "everything.json")
    check_window(tap, "everything", everything, ["--step", "1"])
    check_window(tap, "everything", everything, ["--time", "200us..900us"])
    check_names(tap, "everything", everything)
    tap.done()


if __name__ == "__main__":
    main()
