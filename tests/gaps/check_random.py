#!/usr/bin/env python3
"""check_random.py: `ptool gaps` against a slow reference on random traces, row by row; and the
same answer from shuffled events, shifted clocks and renamed ids.   timeout: 400 s
"""
import csv
import io
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import gaptrace
import slowblame
from storetap import Tap, Workplace

OPS = ["aten::add", "aten::item", "aten::linear", "aten::_local_scalar_dense", "c10d::allreduce_", "c10d::barrier", "compile_fx_inner",
       "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#AdamW.step"]
FRAMES = ["train.py(3): step", "torch/optim/adamw.py(10): step", "torch/utils/data/dataloader.py(701): __next__",
          "<built-in method collect of module gc>"]
CALLS = ["cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "cudaEventRecord"]


def host_part(trace, rng, tid, start, end, depth):
    """Nested slices in [start, end); some overrun what they begin in."""
    at = start
    while at < end and len(trace.slices) < 90:
        at += rng.randrange(0, 60)
        dur = min(rng.randrange(0, 250), end - at + (rng.random() < .1) * 30)
        if dur <= 0 or at >= end:
            return
        if (tid, at, dur) in trace.taken:  # slices of one moment and length nest as the file has them
            continue
        trace.taken.add((tid, at, dur))
        kind = rng.random()
        if depth > 3 or kind < .25:
            trace.call(rng.choice(CALLS), at, dur, tid)
        else:
            cat, names = (("cpu_op", OPS) if kind < .7 else ("python_function", FRAMES) if kind < .85 else
                          ("user_annotation", ["forward", "log"]))
            trace.host(rng.choice(names), at, dur, cat, tid)
            host_part(trace, rng, tid, at, at + dur, depth + 1)
        at += dur


def random_trace(seed):
    rng = random.Random(seed)
    trace = gaptrace.Trace()
    trace.taken = {(1, 20 + number * 700, 690) for number in range(3)}
    trace.host("first", 0, 1, tid=9)  # fixes the profile's first moment
    for number in range(3):
        trace.step(number, 20 + number * 700, 690)
    for tid in (1, 2):
        host_part(trace, rng, tid, 25 + tid, 2000, 0)
    used = {}
    for number in range(rng.randrange(2, 24)):
        device, stream = rng.randrange(2), rng.choice([7, 13, 20])
        ts = max(used.get((device, stream), 10), rng.randrange(10, 2100))
        dur = rng.choice([0, 1, 5, 40, 90, 200])
        used[device, stream] = ts + dur
        kind = rng.random()
        name, cat = ("Memcpy DtoD (Device -> Device)", "gpu_memcpy") if kind < .2 else (f"kernel_{number}", "kernel")
        if kind > .9:
            trace.work(ts, dur, None, name, cat, stream, device)
        else:
            api = "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel"
            launched = max(2, ts - rng.choice([-9, 0, 3, 30, 200, 900]))
            took, tid = rng.choice([1, 4]), rng.choice([1, 2])
            while (tid, launched, took) in trace.taken:
                took += 1
            trace.taken.add((tid, launched, took))
            trace.run(ts, dur, launched, api, took, tid, name=name, cat=cat, stream=stream, device=device)
    for _ in range(rng.choice([0, 0, 2, 5])):
        trace.wait(rng.randrange(3, 2000), 1, rng.choice([7, 13, 20]), rng.choice([7, 13, 20]), rng.randrange(2))
    return trace


def table(place, path, *options):
    done = place.ptool("gaps", path, "--format", "csv", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def causes(rows):
    return {(int(r["device"]), r["cause"]): (int(r["idle_ns"]), int(r["gaps"])) for r in rows}


def listed(rows):
    return sorted((int(r["device"]), int(r["start_ns"]), int(r["dur_ns"])) for r in rows)


def stretches(pieces):
    """What is left of each gap, one for each window it lies in: (device, start, length)."""
    found = []
    for device, gap, a, b, *_ in sorted(pieces, key=lambda p: p[:3]):
        if found and found[-1][:2] == [device, gap] and found[-1][3] == a:
            found[-1][3] = b
        else:
            found.append([device, gap, a, b])
    return [(device, a, b - a) for device, _, a, b in found]


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(int(os.environ.get("GAPS_SEEDS", "40"))):
            trace = random_trace(seed)
            pieces = slowblame.in_windows(trace, slowblame.blame(trace))
            store = place.ingest(trace.save(place.path("t.json")))
            tap.same(causes(table(place, store)), slowblame.by_cause(pieces), f"seed {seed}: causes, to the nanosecond")
            cut = slowblame.clipped(pieces, 333, 1500)
            tap.same(causes(table(place, store, "--time", "333ns..1500ns")), slowblame.by_cause(cut),
                     f"seed {seed}: a part of the time")
            cut = slowblame.clipped(pieces, 720, 1410)
            tap.same(causes(table(place, store, "--step", "1")), slowblame.by_cause(cut), f"seed {seed}: a step")
            gaps = sorted(stretches(pieces))
            tap.same(listed(table(place, store, "--list", "--limit", "0")), gaps, f"seed {seed}: single gaps")
            ops = {}
            for device, _, a, b, _, _, op in pieces:
                ops[device, op or ""] = ops.get((device, op or ""), 0) + b - a
            got = {(int(r["device"]), r["op"]): int(r["idle_ns"]) for r in table(place, store, "--by", "op")}
            tap.same(got, ops, f"seed {seed}: by operator")
            plain = json.dumps([table(place, store), table(place, store, "--root"),
                                table(place, store, "--by", "frame")])
            for how in (dict(shuffle=random.Random(seed)), dict(shift=987654321), dict(renamed=1)):
                other = place.ingest(trace.save(place.path("o.json"), **how), store="o.db")
                again = json.dumps([table(place, other), table(place, other, "--root"),
                                    table(place, other, "--by", "frame")])
                if "renamed" in how:
                    for stream in (14, 26, 40):
                        again = again.replace(f'"stream {stream}"', f'"stream {stream // 2}"')
                tap.same(again, plain, f"seed {seed}: the same when {next(iter(how))}")
    tap.done()


if __name__ == "__main__":
    main()
