#!/usr/bin/env python3
"""runs.py OUTDIR [N [SEED]]: recordings of N runs of one program, a day apart (run01.json, ...).

Each has six steps of about 2 ms.  From two thirds of them on steps take 0.4 ms longer, in
which the device is idle; memory grows by 1 MiB a run from the middle on.
"""
import os
import random
import sys

DAY_NS = 86_400_000_000_000
BEGIN_NS = 1_790_000_000_000_000_000
STEPS = 6


def micros(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def event(cat, name, ts, dur, tid, args=""):
    return (f'{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": {0 if cat == "kernel" else 9}, "tid": {tid}, '
            f'"ts": {micros(ts)}, "dur": {micros(dur)}, "args": {{{args}}}}}')


def recording(place, n, r):
    slow, more = place >= n - n // 3, max(0, place - n // 2)
    at, lines = 1_000_000, []
    for step in range(STEPS):
        work = int(r.gauss(1_500_000, 15_000))
        wait = int(r.gauss(500_000, 10_000)) + (400_000 if slow else 0)
        lines.append(event("user_annotation", f"ProfilerStep#{step}", at, work + wait, 9))
        lines.append(event("cuda_runtime", "cudaLaunchKernel", at + wait - 20_000, 5_000, 9, f'"correlation": {step + 1}'))
        lines.append(event("kernel", "gemm", at + wait, work, 7, f'"device": 0, "stream": 7, "correlation": {step + 1}'))
        size = (64 + more) << 20
        for sign, when in ((1, 1_000), (-1, work)):
            lines.append(f'{{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 9, "tid": 9, '
                         f'"ts": {micros(at + when)}, "args": {{"Device Type": 1, "Device Id": 0, "Addr": 4096, '
                         f'"Bytes": {sign * size}, "Total Allocated": {size if sign > 0 else 0}}}}}')
        at += work + wait
    return (f'{{"schemaVersion": 1, "baseTimeNanoseconds": {BEGIN_NS + place * DAY_NS}, "traceEvents": [\n'
            + ",\n".join(lines) + "\n]}\n")


def main():
    folder, n, seed = sys.argv[1], int((sys.argv[2:] + [30])[0]), int((sys.argv[3:] + [1])[0])
    r = random.Random(seed)
    for place in range(n):
        with open(os.path.join(folder, f"run{place + 1:02}.json"), "w", encoding="utf-8") as out:
            out.write(recording(place, n, r))


if __name__ == "__main__":
    main()
