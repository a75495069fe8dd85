#!/usr/bin/env python3
"""Files that are a step each (train_step_0.json, ...) against key_averages().  timeout: 300 s

A folder of them is one run: the rows of `ptool top --by step` are, for each step, those that
torch printed for its file, and those that ptool prints for the file alone.  Then a generated
folder whose every number is known, with device work that belongs to its launch's step.
"""
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile

import recordings

FIELDS = ["name", "calls", "is_user_annotation", "total_cpu_ns", "self_cpu_ns", "total_device_ns", "self_device_ns",
          "cpu_mem_bytes", "self_cpu_mem_bytes"]


def ptool(*args):
    return subprocess.run([recordings.PTOOL, *args], check=True, capture_output=True).stdout


def top(store, *args):
    """The rows, all of them."""
    return json.loads(ptool("top", store, "--limit", "0", "--format", "json", "--sort", "none", *args))["rows"]


def by_name(rows, fields):
    return {(row["name"], bool(row["is_user_annotation"])): tuple(row[field] for field in fields) for row in rows}


def differences(want, got):
    return [f"{key}: {want.get(key)} expected, {got.get(key)} found" for key in sorted(want.keys() | got.keys())
            if want.get(key) != got.get(key)]


def torch_rows(truth, rounded):
    """What torch says of a file; 1.13 rounds in the file and not for its table, so that only names are the same."""
    return {(row["key"], bool(row.get("is_user_annotation"))):
            () if rounded else (row["count"], round(row["cpu_time_total"] * 1000),
                                             round(row["self_cpu_time_total"] * 1000), row["cpu_memory_usage"],
                                             row["self_cpu_memory_usage"]) for row in truth}


def check_against_torch(tap, name, rows, truth, rounded):
    fields = [] if rounded else ["calls", "total_cpu_ns", "self_cpu_ns", "cpu_mem_bytes", "self_cpu_mem_bytes"]
    rows = [{**row, **{field: row[field] or 0 for field in fields}} for row in rows]
    if rounded:
        rows = [{**row, "is_user_annotation": False} for row in rows]  # which 1.13 does not tell
    lines = differences(torch_rows(truth, rounded), by_name(rows, fields))
    tap.ok(not lines, f"{name}: as torch says", lines)


def check_folder(tap, name, traces, scratch):
    """traces: step -> (trace, key_averages.json.gz of its process)."""
    folder = os.path.join(scratch, name.replace("/", "_"))
    os.mkdir(folder)
    for step, (trace, _) in traces.items():
        shutil.copy(trace, os.path.join(folder, f"train_step_{step}.json.gz"))
    store, alone = folder + ".db", folder + ".alone.db"
    ptool("ingest", "-q", "-o", store, folder)
    for road, extra in (("summaries", []), ("slices", ["--min-dur", "0"])):
        all_rows = top(store, "--by", "step", *extra)
        tap.ok({row["step"] for row in all_rows} == set(traces), f"{name}: {road}: the steps are those of the names")
        for step, (trace, truth) in traces.items():
            rows = [row for row in all_rows if row["step"] == step]
            with gzip.open(truth, "rt", encoding="utf-8") as text:
                check_against_torch(tap, f"{name}: {road}: step {step}", rows, json.load(text)["group_none"],
                                    "k113" in name)
            ptool("ingest", "-q", "-o", alone, trace)
            for what, args in (("--by step", None), ("--step N", ["--step", str(step)])):
                got = rows if args is None else top(store, *args, *extra)
                lines = differences(by_name(top(alone), FIELDS), by_name(got, FIELDS))
                tap.ok(not lines, f"{name}: {road}: {what}: step {step} is its file", lines)


def of_fixtures():
    for trace in sorted(glob.glob(os.path.join(recordings.FIXTURES, "torch", "*_oneshot_step0", "trace.json.gz"))):
        folder = os.path.dirname(trace)
        yield os.path.basename(folder), {7: (trace, os.path.join(folder, "key_averages.json.gz"))}


def of_collection():
    for case in ("t2141_oneshot", "k113_oneshot"):
        traces = {}
        for trace in glob.glob(os.path.join(recordings.COLLECTION, case, "train_step_*.json.gz")):
            step = int(re.search(r"_(\d+)\.json", trace).group(1))
            traces[step] = (trace, os.path.join(os.path.dirname(trace), f"step{step}", "key_averages.json.gz"))
        if traces:
            yield "collection/" + case, dict(sorted(traces.items()))


def event(ts, dur, name, cat, tid=1, **args):
    return {"ph": "X", "pid": "cuda" if cat == "kernel" else 1, "tid": tid, "ts": ts, "dur": dur, "name": name,
            "cat": cat, "args": args}


def generated(step):
    """A step of `step` microseconds more than ten; the kernel runs on behind the host's last event."""
    work = 10 + step
    return [event(100, work, "aten::mm", "cpu_op", **{"External id": 5}),
            event(101, 2, "cudaLaunchKernel", "cuda_runtime", correlation=9, **{"External id": 5}),
            event(100 + work, 0, "aten::empty", "cpu_op", **{"External id": 6}),
            event(105, 100 * step, "gemm", "kernel", 7, correlation=9, stream=7, device=0),
            event(50, 1, "lost", "kernel", 7, correlation=77, stream=7, device=0)]


def check_generated(tap, scratch):
    folder, store = os.path.join(scratch, "generated"), os.path.join(scratch, "generated.db")
    os.mkdir(folder)
    steps = (9, 10, 11)
    for step in steps:
        with open(os.path.join(folder, f"step{step}.json"), "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": generated(step)}, out)
    ptool("ingest", "-q", "-o", store, folder)
    ask = ["sql", store, "--format", "csv"]
    rows = ptool(*ask, "SELECT number, slice_id, ts, dur FROM step ORDER BY id").decode().splitlines()[1:]
    tap.ok(rows == [f"{n},,0,{1000 * max(50 + 10 + n, 55 + 100 * n)}" for n in steps],
           "generated: a step is the whole recording, from its first event to its last end", rows)
    rows = ptool(*ask, "SELECT name, group_concat(coalesce(step, 'none'), ' ') FROM "
                 "(SELECT * FROM slice ORDER BY id) GROUP BY name ORDER BY name").decode().splitlines()[1:]
    inside = " ".join(map(str, steps))
    tap.ok(rows == [f'"aten::empty","{inside}"', f'"aten::mm","{inside}"', f'"cudaLaunchKernel","{inside}"',
                    f'"gemm","{inside}"', f'"lost","{inside}"'],
           "generated: all slices belong to the step, also at its very end, and device work without a launch", rows)
    got = {(row["name"], row["step"]): row["self_device_ns"] for row in top(store, "--by", "step")}
    want = {("gemm", n): 100_000 * n for n in steps}
    tap.ok({key: ns for key, ns in got.items() if key[0] == "gemm"} == want, "generated: device time by step", [got])
    calls = [row["calls"] for row in top(store, "--step", "10..11") if row["name"] == "aten::mm"]
    tap.ok(calls == [2], "generated: --step 10..11 is two of the files", [calls])


def check_own_steps(tap, scratch):
    """A recording with steps of its own keeps them, whatever its name says."""
    trace, store = os.path.join(scratch, "train_step_40.json.gz"), os.path.join(scratch, "own.db")
    shutil.copy(os.path.join(recordings.FIXTURES, "torch", "t260_cnn_w0", "trace.json.gz"), trace)
    ptool("ingest", "-q", "-o", store, trace)
    rows = ptool("sql", store, "--format", "csv", "SELECT count(*), count(slice_id), sum(number = 40) FROM step")
    count = rows.decode().splitlines()[1].split(",")
    tap.ok(count[0] == count[1] != "0" and count[2] == "0", "a recording with ProfilerStep keeps its own steps", [count])


def main():
    tap = recordings.Tap()
    with tempfile.TemporaryDirectory() as scratch:
        check_generated(tap, scratch)
        check_own_steps(tap, scratch)
        for name, traces in of_fixtures():
            check_folder(tap, name, traces, scratch)
        known = tap.count
        for name, traces in of_collection():
            check_folder(tap, name, traces, scratch)
        if tap.count == known:
            tap.skip("the collection", "not beside this checkout")
    tap.end()


main()
