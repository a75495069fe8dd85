#!/usr/bin/env python3
"""check_oracle.py: `ptool gaps` against exact integer references of real recordings, and of the
fixtures against their truth: idle of every device, HTA's causes of every stream.   timeout: 300 s
"""
import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import FIXTURES, SHARED, Tap, Workplace, rows, union, DEVICE_WORK, fixtures

# shared/data/gpu: shared/data/exact-oracle
RECORDINGS = {
    "mi250_minitoy_train_ROCm6_2_kineto": "amd_trace__mi250_minitoy_train_ROCm6_2_kineto",
    "rank-34.Jul_15_10_52_41.1074.pt.trace": "cpu_only__rank-34.Jul_15_10_52_41.1074.pt.trace",
    "event_sync_multi_stream": "critical_path__cuda_event_sync_multi_stream__event_sync_trace",
    "cupti_profiler": "cupti_profiler__benchmark_result_924719_1679055439_trace",
    "rank-0.Apr_03_18_51_38.1102.pt.trace": "ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace",
    "trace_diff_control": "trace_diff__control__control",
    "trace_diff_test": "trace_diff__test__test",
    "triton_example": "triton_example__triton_example",
}


def table(place, path, *options):
    """What HTA counts: --inner, which its causes always are."""
    inner = () if "hta" in options else ("--inner",)
    done = place.ptool("gaps", path, "--format", "csv", *inner, *options, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout))) if done.returncode == 0 else []


def summed(table_rows, *keys):
    sums = {}
    for row in table_rows:
        key = tuple(row[k] for k in keys)
        idle, gaps = sums.get(key, (0, 0))
        sums[key] = (idle + int(row["idle_ns"]), gaps + int(row["gaps"]))
    return sums


def check_recording(tap, place, trace, oracle):
    name = os.path.basename(trace)
    store = place.ingest(trace)
    if "timeline" not in oracle:
        done = place.ptool("gaps", store, check=False)
        tap.same(done.returncode, 3, f"{name}: no device work, said with exit 3")
        return
    devices = oracle.get("per_device") or {None: oracle["timeline"]}
    idle = summed(table(place, store), "device")
    tap.same(sorted(i for i, _ in idle.values()),
             sorted(i for i in (d["span"] - d["busy"] for d in devices.values()) if i),
             f"{name}: idle of every device, to the nanosecond")
    listed = table(place, store, "--list", "--limit", "0")
    tap.same(sum(int(r["dur_ns"]) for r in listed), sum(i for i, _ in idle.values()),
             f"{name}: {len(listed)} single gaps add up to it")
    for by in ("op", "frame", "annotation", "step", "stream"):
        tap.same(sorted(i for i, _ in summed(table(place, store, "--by", by), "device").values()),
                 sorted(i for i, _ in idle.values()), f"{name}: so do the rows by {by}")
    rooted = summed(table(place, store, "--root"), "device")
    tap.same({k: v[0] for k, v in rooted.items()}, {k: v[0] for k, v in idle.items()},
             f"{name}: so do those charged to roots")
    hta = summed(table(place, store, "--causes", "hta"), "stream", "cause")
    for key, stream in oracle["streams"].items():
        if stream["neg_gaps"]:
            continue  # HTA takes the end of the work before, not the latest: see check_overlapping
        number = key.split("/")[-1]
        got = {c: v for (s, c), v in hta.items() if s == number}
        want = {c: (stream["gap_sum"][c], n) for c, n in stream["gap_n"].items()}
        # HTA counts a gap of 0 ns between pieces that touch, as a kernel_wait: their number is checked below.
        if "kernel_wait" in want:
            idle, gaps = got.pop("kernel_wait", (0, 0))
            most = want.pop("kernel_wait")
            tap.ok(idle == most[0] and gaps <= most[1], f"{name}: kernel_wait of stream {number}", (idle, gaps), most)
        tap.same(got, want, f"{name}: HTA's other causes of stream {number}")


def check_overlapping(tap, place, store, name):
    """Every stream's gaps by SQL's rows and the running maximum of ends."""
    with place.open(store) as db:
        work = rows(db, f"""SELECT p.pid || '/' || t.tid, s.ts, s.ts + s.dur, l.ts
                        FROM slice_row s JOIN track t ON t.id = s.track_id JOIN process p ON p.upid = t.upid
                        LEFT JOIN slice_row l ON l.id = s.launch_id WHERE s.class IN {DEVICE_WORK}
                        AND s.flags IS NOT 4 ORDER BY p.pid, t.tid, s.ts, s.id""")
    expected, ends = {}, {}
    for stream, start, end, launch in work:
        reached = ends.get(stream)
        if reached is not None and start > reached:
            cause = ("host_wait" if launch is not None and launch > reached else
                     "kernel_wait" if start - reached < 30000 else "other")
            idle, gaps = expected.get((stream, cause), (0, 0))
            expected[stream, cause] = (idle + start - reached, gaps + 1)
        ends[stream] = max(end, reached if reached is not None else end)
    hta = summed(table(place, store, "--causes", "hta"), "device", "stream", "cause")
    tap.same({(f"{d}/{s}", c): v for (d, s, c), v in hta.items()}, expected,
             f"{name}: HTA's causes by the latest end before")


def check_fixture(tap, place, name, path):
    truth = path.replace(".json", ".truth.json")
    store = place.ingest(path)
    with place.open(store) as db:
        work = rows(db, f"""SELECT p.pid, s.ts, s.ts + s.dur FROM slice_row s JOIN track t ON t.id = s.track_id
                        JOIN process p ON p.upid = t.upid WHERE s.class IN {DEVICE_WORK}""")
    if not work:
        done = place.ptool("gaps", store, check=False)
        tap.same(done.returncode, 3, f"{name}: no device work, said with exit 3")
        return
    idle = {k[0]: v[0] for k, v in summed(table(place, store), "device").items()}
    expected = {}
    for device in {w[0] for w in work}:
        spans = [w[1:] for w in work if w[0] == device]
        busy, _ = union(spans)
        expected[str(device)] = max(e for _, e in spans) - min(s for s, _ in spans) - busy
    tap.same(idle, {d: i for d, i in expected.items() if i}, f"{name}: idle of every device")
    if os.path.exists(truth):
        with open(truth, encoding="utf-8") as lines:
            devices = json.load(lines).get("devices", [])
        tap.same(sorted(idle.values()), sorted(d["idle_ns"] for d in devices if d["idle_ns"]),
                 f"{name}: as its truth says")
    check_overlapping(tap, place, store, name)


def main():
    tap = Tap()
    data = os.path.join(SHARED, "data")
    with Workplace() as place:
        for name, path in fixtures():
            check_fixture(tap, place, name, path)
        if not os.path.isdir(os.path.join(data, "exact-oracle")):
            tap.skip("real recordings", "no shared/data/exact-oracle")
            tap.done()
        for recording, reference in RECORDINGS.items():
            trace = os.path.join(data, "gpu", recording + ".json.gz")
            with open(os.path.join(data, "exact-oracle", reference + ".json"), encoding="utf-8") as lines:
                check_recording(tap, place, trace, json.load(lines))
            store = place.ingest(trace)
            if place.ptool("gaps", store, check=False).returncode == 0:
                check_overlapping(tap, place, store, recording)
    tap.done()


if __name__ == "__main__":
    main()
