#!/usr/bin/env python3
"""The remarks on a recording's health against counts of our own, made from the trace files:
launches without device work, work without a launch or before it, graphs, waits and annotations
on streams, repeated slices, flags.  The fixtures, and the big recordings of the shared folder
where it is there.  timeout: 300 s
"""
import collections
import decimal
import glob
import gzip
import json
import os

from storetap import FIXTURES, SHARED, Tap, Workplace, fixtures, rows

DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "hpu_op", "mtia_ccp_events"}
CALLS = {"cuda_runtime", "cuda_driver", "runtime"}
OPERATORS = {"cpu_op", "operator"}
COPIES = ("cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset")


# The lists of torch without Kineto have no categories.
LISTS = {"CPU functions": "cpu_op", "CUDA functions": "kernel"}


def read_events(path):
    """Every X with a time, in whole ns; a damaged file gives None."""
    text = (gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")).read()
    try:
        trace = json.loads(text, parse_float=decimal.Decimal)
    except ValueError:
        return None, None
    events = []
    trace = {"traceEvents": trace} if isinstance(trace, list) else trace
    for event in trace["traceEvents"]:
        if event.get("ph") != "X":
            continue
        event["ns"] = int(round(decimal.Decimal(str(event["ts"])) * 1000))
        event["dur_ns"] = int(round(decimal.Decimal(str(event.get("dur", 0))) * 1000))
        event["kind"] = event.get("cat", LISTS.get(event.get("pid"), "")).lower()
        events.append(event)
    return events, trace


def args_of(event):
    return event.get("args") or {}


def correlation(event):
    return args_of(event).get("correlation")


def is_launch(name):
    if not name.startswith(("cuda", "cu", "hip")) or "HostFunc" in name or "Attribute" in name:
        return False
    return "Launch" in name


def is_work_call(event):
    """Calls that must have device work: launches, and copies that did something."""
    if is_launch(event["name"]):
        return True
    return event["name"].startswith(COPIES) and event["dur_ns"] >= 1000


def count_launches(events, expected):
    """Adds kernels_missing, first_kernels_missing: (count, share)."""
    worked = {correlation(e) for e in events if e["kind"] in DEVICE}
    calls = sorted((e for e in events if e["kind"] in CALLS and correlation(e)
                    and (is_work_call(e) or (is_launch(e["name"]) or e["name"].startswith(COPIES))
                         and correlation(e) in worked)), key=lambda e: e["ns"])
    missing = [c for c in calls if correlation(c) not in worked]
    leading = next((i for i, c in enumerate(calls) if correlation(c) in worked), 0)
    leading = leading if leading * 2 >= len(missing) else 0
    if leading:
        expected["first_kernels_missing"] = leading
    if len(missing) > leading:
        expected["kernels_missing"] = len(missing) - leading


def count_work(events, expected, times):
    work = [e for e in events if e["kind"] in DEVICE]
    calls = collections.defaultdict(list)
    for e in events:
        if e["kind"] in CALLS:
            calls[correlation(e)].append(e)
    unlaunched = [e for e in work if not calls[correlation(e)]]
    early = [e for e in work if calls[correlation(e)] and len(calls[correlation(e)]) == 1
             and e["ns"] < calls[correlation(e)][0]["ns"]]
    graphs = [e for e in work if args_of(e).get("graph id") or
              any("GraphLaunch" in c["name"] for c in calls[correlation(e)])]
    for code, found in (("launch_unknown", unlaunched), ("kernel_before_launch", early), ("graph_kernels", graphs)):
        if found:
            expected[code] = len(found)
    for code, found in (("launch_unknown", unlaunched), ("graph_kernels", graphs)):
        if found:
            times[code] = sum(e["dur_ns"] for e in found)
    if early:
        times["kernel_before_launch"] = max(calls[correlation(e)][0]["ns"] - e["ns"] for e in early)


def count_repeated(events):
    """Those of one (name, start, duration, pid, tid), the first of each aside."""
    keys = collections.Counter((e["name"], e["ns"], e["dur_ns"], str(e.get("pid")), str(e.get("tid")))
                               for e in events if e["kind"] != "cpu_instant_event")
    return sum(n - 1 for n in keys.values())


def expect(path):
    """What must be told: counts and times by code; None for a file Python cannot read."""
    events, trace = read_events(path)
    if events is None:
        return None, None
    expected, times = {}, {}
    by_kind = collections.Counter(e["kind"] for e in events)
    if any(by_kind[kind] for kind in DEVICE):
        count_launches(events, expected)
        count_work(events, expected, times)
    elif trace.get("deviceProperties") or any(by_kind[kind] for kind in [*CALLS, "cuda_sync", "gpu_user_annotation"]):
        launches = [e for e in events if e["kind"] in CALLS and (is_launch(e["name"]) or e["name"].startswith(COPIES))]
        expected["no_device_work"] = len(launches) or None
    for code, kind in (("sync_rows", "cuda_sync"), ("device_annotations", "gpu_user_annotation")):
        if by_kind[kind]:
            expected[code] = by_kind[kind]
    operators = sum(by_kind[kind] for kind in OPERATORS)
    ops = [e for e in events if e["kind"] in OPERATORS or e["kind"] == "user_annotation"]
    if operators and not any(args_of(e).get("Call stack") for e in ops) and not by_kind["python_function"]:
        expected["no_stacks"] = operators
    if operators and not any(any(args_of(e).get(key) for key in ("Input Dims", "Input dims")) for e in ops):
        expected["no_shapes"] = operators
    repeated = count_repeated(events)
    if repeated:
        expected["duplicate_slices"] = repeated
    return expected, times


COMPARED = ("no_device_work", "kernels_missing", "first_kernels_missing", "kernel_before_launch", "graph_kernels",
            "launch_unknown", "sync_rows", "device_annotations", "duplicate_slices", "no_stacks", "no_shapes")


def check_file(tap, work, name, path):
    expected, times = expect(path)
    if expected is None:
        tap.skip(f"{name}: the remarks are what its events tell", "Python cannot read it")
        return
    db = work.open(work.ingest(path))
    if rows(db, "SELECT format FROM profile")[0][0] == "pytorch":
        got = dict(rows(db, "SELECT code, sum(count) FROM finding GROUP BY code"))
        got = {code: got[code] for code in COMPARED if code in got}
        if expected.get("no_device_work", 0) is None:  # without a launch it is about anything
            expected["no_device_work"] = got.get("no_device_work")
        tap.same(sorted(got.items()), sorted(expected.items()), f"{name}: the remarks are what its events tell")
        for code, time_ns in times.items():
            tap.same(rows(db, "SELECT time_ns FROM finding WHERE code = ?", code), [(time_ns,)], f"{name}: time of {code}")
    db.close()


def check_damage(tap, work, name, edit, expected):
    """A fixture with something taken out of it: the remarks tell exactly that."""
    with open(os.path.join(FIXTURES, "gpu", "one_stream.json"), encoding="utf-8") as text:
        trace = json.load(text, parse_float=decimal.Decimal)
    trace["traceEvents"] = edit(trace["traceEvents"])
    path = work.path("edited.json")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(trace, text, default=float)
    db = work.open(work.ingest(path))
    got = dict(rows(db, "SELECT code, count FROM finding WHERE code LIKE '%kernels_missing' OR code = 'no_device_work' "
                    "OR code = 'launch_unknown' OR code = 'duplicate_slices'"))
    tap.same(got, expected, name)
    db.close()


def is_device(event):
    return event.get("cat") in DEVICE


def without_work(which):
    """Takes out the device work of the launches for which which(place, number of launches)."""
    def edit(events):
        launches = sorted((e for e in events if e.get("cat") in CALLS and is_launch(e["name"])), key=lambda e: e["ts"])
        gone = {correlation(e) for i, e in enumerate(launches) if which(i, len(launches))}
        return [e for e in events if not (is_device(e) and correlation(e) in gone)]
    return edit


def check_damages(tap, work):
    check_damage(tap, work, "a whole recording misses nothing", lambda events: events, {})
    check_damage(tap, work, "the first launches without work are told as such",
                 without_work(lambda i, n: i < 5), {"first_kernels_missing": 5})
    check_damage(tap, work, "the last launches without work are told as missing",
                 without_work(lambda i, n: i >= n - 3), {"kernels_missing": 3})
    check_damage(tap, work, "and both when both are there",
                 without_work(lambda i, n: i < 5 or i >= n - 3), {"first_kernels_missing": 5, "kernels_missing": 3})
    check_damage(tap, work, "a device without any work is one remark",
                 lambda events: [e for e in events if not is_device(e)],
                 {"no_device_work": sum(1 for e in read_events(os.path.join(FIXTURES, "gpu", "one_stream.json"))[0]
                                        if e["kind"] in CALLS and (is_launch(e["name"]) or e["name"].startswith(COPIES)))})
    check_damage(tap, work, "a file merged with itself tells each slice that is there twice",
                 lambda events: events + [e for e in events if e.get("cat") == "cpu_op"],
                 {"duplicate_slices": sum(1 for e in read_events(os.path.join(FIXTURES, "gpu", "one_stream.json"))[0]
                                          if e["kind"] == "cpu_op")})


# Counted by others too (HTA's own test data): (repeated slices, work without a launch).
KNOWN = {"trace_diff_control": (643, 0), "trace_diff_test": (166, 614)}


def check_known(tap, work, path):
    name = os.path.basename(path).removesuffix(".json.gz")
    if name not in KNOWN:
        return
    db = work.open(work.ingest(path))
    got = dict(rows(db, "SELECT code, count FROM finding"))
    tap.same((got["duplicate_slices"], got.get("launch_unknown", 0)), KNOWN[name], f"{name}: as others counted")
    db.close()


def main():
    tap = Tap()
    with Workplace() as work:
        for name, path in fixtures():
            check_file(tap, work, name, path)
        check_damages(tap, work)
        big = sorted(glob.glob(os.path.join(SHARED, "data", "gpu", "*.json.gz")))
        for path in big:
            check_file(tap, work, os.path.basename(path), path)
            check_known(tap, work, path)
        if not big:
            tap.skip("the remarks on big recordings", "the shared folder is not there")
    tap.done()


main()
