#!/usr/bin/env python3
"""check_cells.py: the cells of `ptool timeline` against slices counted one by one: how much of each
cell a track covers and by what most, which step is nearest to the median, idle time of devices.
"""
import csv
import glob
import heapq
import io
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import FIXTURES, SHARED, Tap, Workplace, rows, union

CELLS = 37
KINDS = {"op": "op", "python": "python", "runtime": "runtime", "driver": "runtime", "annotation": "annotation",
         "overhead": "other", "other": "other", "kernel": "kernel", "accelerator": "kernel", "memcpy": "copy", "memset": "set"}
WORK = ("kernel", "accelerator", "memcpy", "memset")
ORDER = ["kernel", "communication", "copy", "set", "op", "annotation", "python", "runtime", "other"]


def cells_of(start, end):
    return [(start + (end - start) * i // CELLS, start + (end - start) * (i + 1) // CELLS) for i in range(CELLS)]


def nearest_step(db):
    """The step of the median length: (number, start, end), or None."""
    steps = rows(db, "SELECT number, ts, ts + dur FROM step ORDER BY id")
    if not steps:
        return None
    lengths = sorted(end - start for _, start, end in steps)
    low, high = lengths[(len(lengths) - 1) // 2], lengths[len(lengths) // 2]
    median = low + (high - low) // 2
    return min(steps, key=lambda step: abs(step[2] - step[1] - median))


def pieces(slices):
    """(start, end, slice) for all that is covered: the slice that began last and still runs."""
    moments = sorted({s[0] for s in slices} | {s[1] for s in slices})
    running, at = [], 0
    for moment, following in zip(moments, moments[1:]):
        while at < len(slices) and slices[at][0] <= moment:
            heapq.heappush(running, (-slices[at][0], -slices[at][2], slices[at]))
            at += 1
        while running and running[0][2][1] <= moment:
            heapq.heappop(running)
        if running:
            yield moment, following, running[0][2]


def kind_of(name, kind, is_stream):
    if is_stream and kind not in WORK:
        return None
    if kind in ("kernel", "accelerator") and re.search("nccl|internode::", name, re.I):
        return "communication"
    if kind in ("op", "annotation") and re.fullmatch(r"ProfilerStep#\d+", name):
        return None
    return KINDS.get(kind)


def slices_of(db, track, is_stream):
    """(start, end, id, kind, name) by start, of what covers anything."""
    found = []
    for start, end, number, kind, name in rows(
            db, "SELECT s.ts, s.ts + s.dur, s.id, c.name, n.text FROM slice_row s JOIN slice_class c ON c.id = s.class "
            "JOIN string n ON n.id = s.name_id WHERE s.track_id = ? AND s.dur > 0 AND coalesce(s.flags, 0) & 4 = 0 "
            "AND s.id NOT IN (SELECT slice_id FROM step WHERE slice_id IS NOT NULL) ORDER BY s.id", track):
        cover = kind_of(name, kind, is_stream)
        if cover:
            found.append((start, end, number, cover, name))
    return sorted(found, key=lambda s: (s[0], s[2]))


def covered(slices, cells):
    """Of each cell: (covered ns, the kind that covers most, names that may be its name)."""
    sums = [{} for _ in cells]
    first, length = cells[0][0], cells[-1][1] - cells[0][0]
    for start, end, (_, _, _, kind, name) in pieces([s for s in slices if s[1] > first and s[0] < cells[-1][1]]):
        at = max(0, (max(start, first) - first) * CELLS // length - 1)
        while at < CELLS and cells[at][0] < end:
            ns = min(end, cells[at][1]) - max(start, cells[at][0])
            if ns > 0:
                sums[at][kind, name] = sums[at].get((kind, name), 0) + ns
            at += 1
    told = []
    for by_name in sums:
        by_kind = {k: sum(ns for (kind, _), ns in by_name.items() if kind == k) for k in ORDER}
        kind = max(ORDER, key=lambda k: by_kind[k]) if by_name else ""
        most = max((ns for (k, _), ns in by_name.items() if k == kind), default=0)
        names = {name for (k, name), ns in by_name.items() if k == kind and ns == most} or {""}
        told.append((sum(by_kind.values()), kind, names))
    return told


def tracks(db):
    """(id, kind, number of the thread or stream, device) of threads and streams."""
    return rows(db, "SELECT t.id, t.kind, coalesce(th.tid_text, th.tid, t.tid), coalesce((SELECT coalesce(k.device, m.device) "
                "FROM slice_row s LEFT JOIN kernel k ON k.slice_id = s.id LEFT JOIN copy m ON m.slice_id = s.id WHERE "
                "s.track_id = t.id AND coalesce(k.device, m.device) IS NOT NULL LIMIT 1), p.pid) FROM track t LEFT JOIN "
                "thread th USING (utid) LEFT JOIN process p ON p.upid = t.upid WHERE t.kind IN ('thread', 'stream') AND "
                "t.slices > 0")


def check_rows(db, step, table):
    """What is wrong with the rows of streams and threads."""
    wrong, left = [], {}
    for row in table:
        if row["kind"] != "idle":
            key = (row["kind"] == "stream", row["device"], row["stream"] or row["thread"])
            left.setdefault(key, []).append(row)
    cells = cells_of(step[1], step[2])
    for track, kind, tid, device in tracks(db):
        expected = covered(slices_of(db, track, kind == "stream"), cells)
        if not any(ns for ns, _, _ in expected):
            continue
        got = left.pop((kind == "stream", str(device) if kind == "stream" else "", str(tid)), [])
        if len(got) != CELLS:
            wrong.append(f"{kind} {tid}: {len(got)} cells")
        for row, cell, (ns, cover, names) in zip(got, cells, expected):
            if (int(row["start_ns"]), int(row["end_ns"])) != cell or int(row["busy_ns"]) != ns or \
                    row["class"] != cover or row["name"] not in names:
                wrong.append(f"{kind} {tid}: {dict(row)}, not {cell} {ns} {cover} {names}")
    return wrong + [f"{key}: covers nothing" for key in left]


def check_idle(place, db, store, step, table):
    wrong = []
    gaps = place.ptool("gaps", store, "--step", str(step[0]), "--format", "csv", check=False).stdout
    charged = {}
    for row in csv.DictReader(io.StringIO(gaps)):
        charged[row["device"]] = charged.get(row["device"], 0) + int(row["idle_ns"])
    for device in {row["device"] for row in table if row["kind"] == "idle"}:
        work = [s for track, kind, _, on in tracks(db) if kind == "stream" and str(on) == device for s in rows(
            db, "SELECT s.ts, s.ts + s.dur FROM slice_row s JOIN slice_class c ON c.id = s.class "
            "WHERE c.is_device_work AND s.dur > 0 AND s.track_id = ?", track)]
        idle = 0
        for row in table:
            if row["kind"] != "idle" or row["device"] != device:
                continue
            start, end = int(row["start_ns"]), int(row["end_ns"])
            busy, _ = union([(max(start, a), min(end, b)) for a, b in work if a < end and b > start])
            idle += int(row["idle_ns"])
            if int(row["idle_ns"]) != end - start - busy:
                wrong.append(f"device {device}: {dict(row)}, not {end - start - busy}")
        if idle != charged.get(device, 0):
            wrong.append(f"device {device}: {idle}, not {charged.get(device)} as ptool gaps")
    return wrong


def check_trace(tap, place, path):
    name = os.path.basename(os.path.dirname(path)) + "/" + os.path.basename(path)
    store = place.ingest(path)
    db = place.open(store)
    step = nearest_step(db)
    if not step:
        return
    text = place.ptool("timeline", store, "--cells", str(CELLS), "--format", "csv").stdout
    table = list(csv.DictReader(io.StringIO(text)))
    wrong = check_rows(db, step, table) + check_idle(place, db, store, step, table)
    tap.ok(not wrong, f"{name}: {len(table)} cells of step {step[0]}", *[line[:300] for line in wrong])
    db.close()


def main():
    tap = Tap()
    traces = [os.path.join(FIXTURES, "gpu", f"{n}.json") for n in
              ("sync", "two_devices", "copies", "collectives_rank1", "annotations")]
    traces.append(os.path.join(FIXTURES, "torch", "t2141_cnn_w0", "trace.json.gz"))
    traces.append(os.path.join(FIXTURES, "chrome", "jax.json.gz"))
    real = sorted(glob.glob(os.path.join(SHARED, "data", "gpu", "trace_diff_test.json.gz")) +
                  glob.glob(os.path.join(SHARED, "data", "cases", "deepseek*.json.gz")))
    with Workplace() as place:
        for trace in traces + real:
            check_trace(tap, place, trace)
    if not real:
        tap.skip("real recordings", "there is no ../shared")
    tap.done()


main()
