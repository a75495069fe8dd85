#!/usr/bin/env python3
"""Sums beyond int64 stick at its end: no mean, share or bandwidth is made of one.  timeout: 240 s

16,000 slices of nearly 7 days, one beside the other, last longer than int64 has nanoseconds;
so do their transfers, collectives, waits in a queue and bytes.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

N, DUR = 16_000, 600_000_000_000  # in us
MOST = 2**63 - 1


def slice_of(name, category, start, dur, where, **args):
    return {"ph": "X", "name": name, "cat": category, "ts": start, "dur": dur, "pid": where[0], "tid": where[1], "args": args}


def device_work(i):
    """A copy and a collective of 7 days, each on a stream of its own."""
    at = {"device": 0, "correlation": i + 1}
    yield slice_of("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", i, DUR, (0, 1000 + i), stream=1000 + i, bytes=2**62, **at)
    yield slice_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kernel", i, DUR, (0, 50_000 + i), stream=50_000 + i,
                   **{**at, "correlation": N + i + 1, "Collective name": "allreduce", "dtype": "Float",
                      "In msg nelems": 2**58, "Out msg nelems": 2**58, "Group size": 8})


def host_work(i):
    """A step of 7 days with an operator that allocates, and a launch whose kernel waits until it ends."""
    thread = (1, 1000 + i)
    yield slice_of(f"ProfilerStep#{i}", "user_annotation", i, DUR, thread)
    yield slice_of("outer", "cpu_op", i, DUR, thread)
    yield slice_of("inner", "cpu_op", i, DUR, thread)
    yield slice_of("cudaLaunchKernel", "cuda_runtime", i + 1, 1, thread, correlation=i + 1)
    yield slice_of("k", "kernel", DUR - N + i, 1, (0, 7), device=0, stream=7, correlation=i + 1)
    yield {"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "ts": i + 1, "pid": 1, "tid": 1000 + i,
           "args": {"Bytes": 2**50, "Addr": i + 1, "Device Type": 0, "Device Id": -1, "Ev Idx": i}}


def ingest(place, name, work):
    path = place.path(name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": [event for i in range(N) for event in work(i)]}, out)
    return place.ingest(path, store=name + ".db")


def rows(place, store, command, *options):
    return json.loads(place.ptool(command, store, *options, "--format", "json").stdout)["rows"]


def check_device(tap, place):
    store = ingest(place, "device", device_work)
    for by in ("kind", "device"):
        row = rows(place, store, "transfers", "--by", by)[0]
        tap.same([row[c] for c in ("bytes", "total_ns", "bandwidth_gbps")], [MOST, MOST, None], f"transfers --by {by}")
    for by in ("collective", "rank"):
        row = rows(place, store, "comm", "--by", by)[0]
        tap.same([row[c] for c in ("bytes", "total_ns", "algbw_gbps", "busbw_gbps")], [MOST, MOST, None, None], f"comm --by {by}")
    row = rows(place, store, "devices")[0]
    tap.ok(row["utilization_pct"] <= 100 and row["communication_ns"] < MOST, "devices: a union sticks nowhere", row)


def check_host(tap, place):
    store = ingest(place, "host", host_work)
    found = {row["name"]: row for row in rows(place, store, "tree", "--depth", "3")}
    tap.same([(found[name]["total_ns"], found[name]["total_pct"]) for name in ("outer", "inner")], [(MOST, None)] * 2, "tree")
    shown = place.ptool("callees", "outer", store).stdout + place.ptool("callers", "inner", store).stdout
    tap.ok("100.00" not in shown, "callers, callees: no share", shown)
    mean = [row for row in rows(place, store, "steps") if row["step"] == "mean"][0]
    tap.same([mean["total_ns"], mean["gpu_busy_ns"] + mean["gpu_idle_ns"]], [DUR * 1000, DUR * 1000],
             "steps: a mean of 16,000 steps is exact")
    row = rows(place, store, "streams")[0]
    tap.same([row["queue_wait_ns"], row["queue_mean"]], [MOST, None], "streams: a queue")
    leaks = {row["op"]: row for row in rows(place, store, "memory", "--leaks")}
    tap.same([leaks["inner"]["left_bytes"], leaks["inner"]["bytes_per_step"]], [MOST, None], "memory --leaks")
    tap.same({row["share_pct"] for row in rows(place, store, "memory", "--live")}, {None}, "memory --live")
    row = rows(place, store, "gaps")[0]
    tap.ok(0 <= row["share_pct"] <= 100 and row["idle_ns"] < MOST, "gaps: idle time lies within the recording", row)


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_device(tap, place)
        check_host(tap, place)
    tap.done()


main()
