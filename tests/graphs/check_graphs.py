#!/usr/bin/env python3
"""check_graphs.py: `ptool graphs` against a slow computation of every column on random traces:
graphs with and without ids, launched in the recording and before it, on several streams, cut off.
TAP.   timeout: 60 s
"""
import collections
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "gaps")]
import gaptrace  # noqa: E402
import pairs  # noqa: E402
from storetap import SHARED, Tap, Workplace  # noqa: E402

KERNELS = [f"kernel_{i}" for i in range(4)]


def program(rng):
    """The names of a graph's work, and its id where the producer writes one."""
    return [rng.choice(KERNELS) for _ in range(rng.randrange(1, 9))], rng.choice([None, None, 1, 2, 77])


def random_trace(rng):
    trace, at = gaptrace.Trace(), 10_000
    trace.step(0, 0, 4_000_000)
    graphs = [program(rng) for _ in range(rng.randrange(1, 4))]
    with_correlation = rng.random() < .7
    for _ in range(rng.randrange(1, 12)):
        names, number = rng.choice(graphs)
        if rng.random() < .15:
            names = names[rng.randrange(len(names)):]
        where = {"device": rng.choice([0, 0, 1])}
        if number is not None:
            where["graph id"], where["graph node id"] = number, 5
        lost = number is not None and rng.random() < .3
        if lost:
            launch, where["correlation"] = None, trace.lost_call() if with_correlation else 0
        else:
            trace.host(rng.choice(["CompiledFunction", "my_op"]), at - 3_000, 2_000)
            launch = trace.call(rng.choice(["cudaGraphLaunch", "hipGraphLaunch"]), at - 2_500, rng.randrange(1, 900))
        for i, name in enumerate(names):
            dur = rng.choice([0, 1, 900, 5_000])
            trace.work(at, dur, launch, name, stream=rng.choice([7, 7, 20]), **where)
            if lost and rng.random() < .2:  # work of no graph on another stream does not end a replay
                trace.run(at, 300, at - 9_000, stream=31, device=where["device"])
            at += rng.choice([0, 1, dur // 2, dur, dur + 300])
        at += 20_000
        if rng.random() < .6:  # and work that is of none
            trace.run(at, 1_000, at - 5_000, device=0, **{"graph id": rng.choice([0, 1])})
            at += 20_000
    return trace


def replays(trace):
    """Lists of work, each in the order of starts."""
    groups, on_stream, on_device = collections.defaultdict(list), {}, {}
    order = {id(w): i for i, w in enumerate(trace.order)}
    works = sorted(trace.works, key=lambda w: (w.device, w.ts, w.stream, -w.dur, order[id(w)]))
    for work in works:
        number = work.args.get("graph id") or 0
        before = on_stream.get((work.device, work.stream)), on_device.get(work.device)
        if work.launch:
            key = ("call", id(work.launch)) if "GraphLaunch" in work.launch.name else None
        elif number and work.correlation:
            key = ("lost", number, work.correlation)
        elif number:
            key = next((k for k in before if k and k[:2] == ("run", number)), ("run", number, id(work)))
        else:
            key = None
        on_stream[work.device, work.stream] = on_device[work.device] = key
        if key:
            groups[key].append(work)
    return [sorted(g, key=lambda w: w.ts) for g in groups.values()]


def union(works):
    total, until = 0, None
    for w in sorted(works, key=lambda w: w.ts):
        start = w.ts if until is None else max(w.ts, until)
        if w.end > start:
            total += w.end - start
            until = w.end
    return total


def slow(trace):
    graphs, number = {}, 0
    whole = sum(w.dur for w in trace.works)
    for works in sorted(replays(trace), key=lambda g: g[0].ts):
        key = works[0].args.get("graph id") or tuple(w.name for w in works)
        if key not in graphs:
            if isinstance(key, tuple):
                number += 1
            graphs[key] = {"graph": f"#{number}" if isinstance(key, tuple) else str(key), "replays": 0, "work": 0,
                           "total_ns": 0, "span_ns": 0, "idle_ns": 0, "launch_ns": None,
                           "first_kernel": works[0].name}
        row = graphs[key]
        span = max(w.end for w in works) - works[0].ts
        row["replays"] += 1
        row["work"] += len(works)
        row["total_ns"] += sum(w.dur for w in works)
        row["span_ns"] += span
        row["idle_ns"] += span - union(works)
        if works[0].launch:
            row["launch_ns"] = (row["launch_ns"] or 0) + works[0].launch.dur
    for row in graphs.values():
        row["mean_ns"] = row["total_ns"] / row["replays"]
        row["device_pct"] = 100 * row["total_ns"] / whole if whole else None
    return list(graphs.values())


def told(place, store):
    done = place.ptool("graphs", store, "--format", "json", check=False)
    return json.loads(done.stdout)["rows"] if done.returncode == 0 else []


def rounded(row, columns):
    return {c: round(row[c], 6) if isinstance(row[c], float) else row[c] for c in columns}


def check_random(tap, place):
    for seed in range(40):
        trace = random_trace(random.Random(seed))
        expected = slow(trace)
        rows = told(place, place.ingest(trace.save(place.path("t.json"))))
        columns = list(expected[0]) if expected else []
        tap.same([rounded(r, columns) for r in rows], [rounded(r, columns) for r in expected], f"random trace {seed}")


def check_many(tap, place, count, nodes):
    """A hostile recording ends in time that grows with it."""
    events = []
    for i in range(count):
        at = i * (nodes + 5) * 2
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": at,
                       "dur": 1, "args": {"correlation": i + 1}})
        events += ({"ph": "X", "cat": "kernel", "name": f"k{(i * n) % 7}", "pid": 0, "tid": 7, "ts": at + 2 * n + 2,
                    "dur": 1, "args": {"device": 0, "stream": 7, "correlation": i + 1}} for n in range(nodes))
    path = place.path("many.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": events}, out)
    rows = told(place, place.ingest(path))
    tap.same((sum(r["replays"] for r in rows), sum(r["work"] for r in rows)), (count, count * nodes),
             f"{count} replays of {nodes}")


def check_case(tap, place):
    folder = os.path.join(SHARED, "data", "cases")
    path = os.path.join(folder, "inference-vllm_decode_full-graph_execution.json.gz")
    if not os.path.exists(path):
        tap.skip("a real recording", "no shared/data/cases")
        return
    rows = told(place, place.ingest(path))
    tap.same([(r["graph"], r["replays"], r["idle_ns"] * 500 < r["span_ns"]) for r in rows], [("#1", 1, True)],
             "one replay without an id has nearly all of the time, and is idle for under 0.2 %")


def check_notes(tap, place):
    """Notes say what is true of the rows that a filter leaves, and of a recording without calls."""
    def notes(*options):
        text = place.ptool("graphs", place.path("store.db"), *options).stdout
        return [line for line in text.splitlines() if line.startswith("note: ")]

    trace = pairs.Recording()
    for graph in (5, 6):
        trace.replay([((), [], "gemm", 10)], graph)
    place.ingest(trace.save(place.path("t.json")))
    tap.same(notes(), ["note: 100.0% of the device time is in graphs"], "the share of graphs is told")
    tap.same(notes("--device", "0"), [], "and not of what a filter leaves")
    trace.events = [e for e in trace.events if e["cat"] == "kernel"]
    place.ingest(trace.save(place.path("t.json")))
    tap.same(notes()[1:], ["note: 2 of 2 replays have no recorded launch"], "launches that were not recorded")


def main():
    tap = Tap()
    with Workplace() as place:
        check_random(tap, place)
        check_many(tap, place, 64_000, 1)
        check_many(tap, place, 1, 64_000)
        check_case(tap, place)
        check_notes(tap, place)
    tap.done()


main()
