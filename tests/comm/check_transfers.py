#!/usr/bin/env python3
# Every fixture and recording: not in check-fast.
"""ptool transfers against a slow second computation from the same files, to the nanosecond.

Generated traces with copies of every direction and memory, every way to ask for one,
on several devices and streams; the fixtures; and real recordings, whose own bandwidths
and whose unions of exact integers are known.
"""
import gzip
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import planted  # noqa: E402
import storetap  # noqa: E402

SEEDS = range(40)
# Name, kind, memory
NAMES = [("Memcpy HtoD (Pageable -> Device)", "HtoD", "pageable"), ("Memcpy HtoD (Pinned -> Device)", "HtoD", "pinned"),
         ("Memcpy DtoH (Device -> Pageable)", "DtoH", "pageable"), ("Memcpy DtoH (Device -> Pinned)", "DtoH", "pinned"),
         ("Memcpy DtoD (Device -> Device)", "DtoD", None), ("Memcpy PtoP (Device -> Device)", "PtoP", None),
         ("Memcpy HtoD (Host -> Device)", "HtoD", None), ("Memcpy DtoH (Device -> Managed)", "DtoH", "managed"),
         ("Memcpy HtoA (Pinned -> Array)", "HtoD", "pinned"), ("Memcpy Unknown", "copy", None),
         ("Memset (Device)", "memset", None), ("Memset (Pinned)", "memset", "pinned")]


def transfers(place, store, *options):
    return json.loads(place.ptool("transfers", store, "--format", "json", *options).stdout)["rows"]


def union(intervals):
    return storetap.union(intervals)[0]


def overlap(a, b):
    """The length of both less that of either."""
    return union(a) + union(b) - union(a + b)


def waits(kind, memory, call, behind):
    if call is None:
        return None
    if kind in ("HtoD", "DtoH", "copy"):
        if "Async" not in call and call.endswith("Memcpy"):
            return "call"
        if memory == "pageable":
            return "pageable"
    return "sync" if behind else "no"


def make(seed):
    """The JSON text, its transfers and when each device computed."""
    r = random.Random(seed)
    events, found, compute = [], [], {}
    host = 1_000_000
    for correlation in range(1, r.randint(3, 60)):
        device, stream = r.randint(0, 2), r.randint(7, 9)
        name, kind, memory = r.choice(NAMES)
        op = r.choice(["aten::copy_", "aten::to", "aten::zero_", None])
        call = r.choice(["cudaMemcpyAsync", "cudaMemcpy", None])
        if kind == "memset" and call:
            call = "cudaMemsetAsync"
        behind = call is not None and r.random() < 0.4
        start = host + r.randint(1000, 300_000)
        end = start + r.choice([0, r.randint(1, 100_000)])
        size = r.choice([None, 0, r.randint(1, 1 << 30)])
        where = {"pid": 1, "tid": 1}
        ids = {"External id": 5000 + correlation}
        host += 10_000
        if op:
            events.append(dict(cat="cpu_op", name=op, ts=host, dur=5000, args=ids, **where))
        if call:
            events.append(dict(cat="cuda_runtime", name=call, ts=host + 100, dur=700, **where,
                               args={"correlation": correlation, **ids}))
        if behind:
            events.append(dict(cat="cuda_runtime", name="cudaStreamSynchronize", ts=host + 900, dur=300, **where,
                               args={"correlation": 100_000 + correlation}))
        args = {"device": device, "stream": stream, "correlation": correlation, **(ids if op else {})}
        if size is not None:
            args["bytes"] = size
        events.append(dict(cat="gpu_memset" if kind == "memset" else "gpu_memcpy", name=name, ts=start,
                           dur=end - start, pid=device, tid=stream, args=args))
        linked = op if op else None
        found.append((device, kind, memory, linked, start, end, size, waits(kind, memory, call, behind), name))
    for i in range(r.randint(1, 50)):
        device, start = r.randint(0, 2), r.randint(1_000_000, host + 300_000)
        end = start + r.randint(0, 50_000)
        events.append(dict(cat="kernel", name=r.choice(["gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"]), ts=start,
                           dur=end - start, pid=device, tid=20 + i, args={"device": device, "stream": 20 + i}))
        if events[-1]["name"] == "gemm":
            compute.setdefault(device, []).append((start, end))
    for event in events:
        event.update(ph="X", ts=planted.Number(planted.micros(event["ts"])), dur=planted.Number(planted.micros(event["dur"])))
    r.shuffle(events)
    return planted.dump({"schemaVersion": 1, "traceEvents": events}), found, compute


def summed(items, compute):
    """What a row of these says."""
    ran = [(start, end) for *_, start, end, _, _, _ in items]
    sized = [(size, end - start) for *_, start, end, size, _, _ in items if size is not None]
    known = [wait for *_, wait, _ in items if wait]
    hidden = overlap(ran, compute)
    ns = sum(n for _, n in sized)
    return (len(items), sum(s for s, _ in sized) if sized else None, sum(e - s for s, e in ran), union(ran),
            sum(s for s, _ in sized) / ns if ns else None, union(ran) - hidden, hidden,
            sum(wait != "no" for wait in known) if known else None)


def grouped(found, compute, key):
    groups = {}
    for item in found:
        groups.setdefault(key(item), []).append(item)
    return {k: summed(items, compute.get(k[0], [])) for k, items in groups.items()}


def row_of(row):
    return tuple(row[c] for c in ("calls", "bytes", "total_ns", "busy_ns", "bandwidth_gbps", "exposed_ns", "hidden_ns",
                                  "blocking_calls"))


def check_generated(tap):
    failures, compared = [], 0
    keys = {"kind": lambda i: i[:3], "op": lambda i: i[:4], "device": lambda i: i[:1]}
    columns = {"kind": ("device", "kind", "memory"), "op": ("device", "kind", "memory", "op"), "device": ("device",)}
    for seed in SEEDS:
        text, found, compute = make(seed)
        with storetap.Workplace() as place:
            path = place.path("trace.json")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            store = place.ingest(path)
            for by, key in keys.items():
                wanted = grouped(found, compute, key)
                got = {tuple(r[c] for c in columns[by]): row_of(r) for r in transfers(place, store, "--by", by)}
                compared += len(wanted) * 8
                failures += [(seed, by, k, got.get(k), wanted.get(k)) for k in set(got) | set(wanted)
                             if got.get(k) != wanted.get(k)]
            origin = min(storetap.value(place.open(store), "SELECT start_ns FROM profile"), 1 << 62)
            got = sorted((r["device"], r["kind"], str(r["memory"]), str(r["op"]), r["start_ns"] + origin, r["dur_ns"],
                          str(r["bytes"]), str(r["blocking"]), r["name"]) for r in transfers(place, store, "--list"))
            wanted = sorted((d, k, str(m), str(op), s, e - s, str(size), str(wait), name)
                            for d, k, m, op, s, e, size, wait, name in found)
            compared += len(wanted) * 9
            failures += [(seed, "list", a, b) for a, b in zip(got, wanted) if a != b]
            failures += [(seed, "list", len(got), len(wanted))] * (len(got) != len(wanted))
    tap.ok(not failures, f"{len(SEEDS)} traces: {compared} numbers of sums and of single transfers", *failures)


def recordings():
    for name, path in storetap.fixtures():
        yield name, path
    folder = os.path.join(storetap.SHARED, "data", "gpu")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        yield name, os.path.join(folder, name)


def check_recordings(tap):
    """Bytes and bandwidths as the file has them; the rows of a device close."""
    for name, path in recordings():
        with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as file:
            try:
                events = json.load(file)
            except ValueError:
                continue  # damaged ones have no second reader here
        events = events["traceEvents"] if isinstance(events, dict) else events
        copies = [e for e in events if e.get("ph") == "X" and str(e.get("cat")).lower() in
                  ("gpu_memcpy", "gpu_memset", "memcpy", "memset")]
        if not copies:
            continue
        with storetap.Workplace() as place:
            store = place.ingest(path)
            singles = transfers(place, store, "--list")
            measured = sorted((e["args"].get("bytes"), e["args"]["memory bandwidth (GB/s)"]) for e in copies
                              if "memory bandwidth (GB/s)" in e.get("args", {}) and e.get("dur"))
            got = sorted((r["bytes"], r["bandwidth_gbps"]) for r in singles if r["bandwidth_gbps"] is not None)
            # the tracer's own has the duration before it was rounded
            close = not measured or len(got) == len(measured) and sum(a[0] for a in got) == sum(b[0] for b in measured)
            sums = transfers(place, store)
            device = transfers(place, store, "--by", "device")
            closes = all(r["busy_ns"] == r["exposed_ns"] + r["hidden_ns"] for r in sums + device) \
                and sum(r["total_ns"] for r in sums) == sum(r["dur_ns"] for r in singles) == \
                sum(r["total_ns"] for r in device) and sum(r["calls"] for r in sums) == len(singles)
            tap.ok(close and closes and len(singles) >= len(copies),
                   f"{name}: {len(singles)} transfers with the file's bytes, and sums that close")


def exact(tap):
    for name, oracle in ("trace_diff_test", "trace_diff__test__test"), ("trace_diff_control", "trace_diff__control__control"):
        path = os.path.join(storetap.SHARED, "data", "gpu", f"{name}.json.gz")
        if not os.path.exists(path):
            tap.skip(f"{name}: the union of its transfers", "no shared material here")
            continue
        with open(os.path.join(storetap.SHARED, "data", "exact-oracle", f"{oracle}.json"), encoding="utf-8") as file:
            truth = json.load(file)["timeline"]
        with storetap.Workplace() as place:
            row = transfers(place, place.ingest(path), "--by", "device")[0]
            tap.same(row["busy_ns"], truth["mem_union"], f"{name}: the union of its transfers")


def main():
    tap = storetap.Tap()
    check_generated(tap)
    check_recordings(tap)
    exact(tap)
    tap.done()


if __name__ == "__main__":
    main()
