#!/usr/bin/env python3
"""linear.py: four times as much of anything takes about four times as long.

For each thing that a trace can have many of, one trace with n of them and one with 4 n.
Quadratic work would take sixteen times as long; processor time, not the clock, is compared.
It times, so it is no part of make check: PTOOL=build/ptool python3 tests/bench/linear.py
"""
import json
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "store"))
from storetap import PTOOL, Tap, Workplace

N = 10000


def x(name, ts, tid=1, **more):
    return {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": 1, **more}


def threads(n):
    for i in range(n):
        yield x("a", i, tid=i)
        yield {"ph": "M", "name": "thread_name", "pid": 1, "tid": i, "args": {"name": f"worker {i}"}}


def processes(n):
    for i in range(n):
        yield {**x("a", i), "pid": i}


def names(n):
    for i in range(n):
        yield x(f"name {i}", i, cat="cpu_op")


def categories(n):
    for i in range(n):
        yield x("a", i, cat=f"category {i % 60000}")


def labels(n):
    for i in range(n):
        yield x(f"batch {i}", i, cat="user_annotation")


def steps(n):
    for i in range(n):
        yield x(f"ProfilerStep#{i}", i, cat="user_annotation")
        yield x("aten::add", i, tid=2, cat="cpu_op")


def one_correlation(n):
    """A tracer that gives every launch the same id."""
    for i in range(n):
        yield x("cudaLaunchKernel", 2 * i, cat="cuda_runtime", args={"correlation": 7, "External id": 3})
        yield {**x("kernel", 2 * i + 1, cat="kernel", args={"correlation": 7, "External id": 3}), "pid": 0}


def distant_correlations(n):
    for i in range(n):
        yield x("cudaLaunchKernel", 2 * i, cat="cuda_runtime", args={"correlation": i << 36})
        yield {**x("kernel", 2 * i + 1, cat="kernel", args={"correlation": i << 36}), "pid": 0}


def asynchronous(n):
    for i in range(n):
        yield {"ph": "b", "name": "request", "cat": "net", "id": i, "pid": 1, "tid": 1, "ts": i}
        yield {"ph": "e", "name": "request", "cat": "net", "id": i, "pid": 1, "tid": 1, "ts": i + 5}


def counters(n):
    for i in range(n):
        yield {"ph": "C", "name": f"counter {i}", "pid": 1, "ts": i, "args": {"value": i}}


def flows(n):
    for i in range(n):
        yield x("send", 2 * i)
        yield {"ph": "s", "name": "msg", "cat": "ipc", "id": i, "pid": 1, "tid": 1, "ts": 2 * i}
        yield {"ph": "f", "bp": "e", "name": "msg", "cat": "ipc", "id": i, "pid": 1, "tid": 1, "ts": 2 * i}


def loose_flows(n):
    """Arrows that end nowhere, each of a category of its own: a finding each."""
    yield x("a", 0)
    for i in range(n):
        yield {"ph": "f", "name": "msg", "cat": f"category {i}", "id": i, "pid": 1, "tid": 1, "ts": 9}


def nested(n):
    """A recursion that never returns."""
    for i in range(n):
        yield {"ph": "B", "name": f"f{i % 100}", "pid": 1, "tid": 1, "ts": i}


def shapes(n):
    for i in range(n):
        yield x("aten::add", i, cat="cpu_op", args={"Input Dims": [[i, 4], [4]]})


def backwards(n):
    """The newest event first."""
    for i in range(n):
        yield x("a", n - i)


# What no reader takes is looked at several times, in search of a reading.
DAMAGED = {
    "quotes on lines": '\n{"ph":\'a',
    "events in events": ',{"ph"z',
    "quotes on one line": '"a',
    "keys without end": ',{"x',
    "strings without end": '"name":"a"( ',
}


def damaged(unit, n):
    event = json.dumps(x("a", 1))
    return f'[{event},{{"ph":"X",{unit * n},{event}]'


KINDS = (threads, processes, names, categories, labels, steps, one_correlation, distant_correlations, asynchronous,
         counters, flows, loose_flows, nested, shapes, backwards)


def inputs():
    """Names, and what gives the text of a trace with so many of that."""
    for kind in KINDS:
        yield kind.__name__, lambda n, kind=kind: json.dumps(list(kind(n)))
    for name, unit in DAMAGED.items():
        yield name, lambda n, unit=unit: damaged(unit, 10 * n)


def cpu_seconds(trace, store):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PTOOL, "ingest", "-q", "-o", store, trace], check=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.remove(store)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    tap = Tap()
    n = N // 10 if os.environ.get("SAN") or os.environ.get("VALGRIND") else N
    with Workplace() as work:
        trace, store = work.path("trace.json"), work.path("store.db")
        for name, text in inputs():
            took = []
            for size in (n, 4 * n):
                with open(trace, "w", encoding="utf-8") as out:
                    out.write(text(size))
                took.append(min(cpu_seconds(trace, store) for _ in range(2)))
            tap.ok(took[1] < 8 * took[0] + 0.1, f"{name}: time grows with the number",
                   f"{took[0]:.2f} s for {n}, {took[1]:.2f} s for {4 * n}")
            print(f"# {name}: {took[0]:.2f} s, {took[1]:.2f} s", flush=True)
    tap.done()


main()
