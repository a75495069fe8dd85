#!/usr/bin/env python3
"""Ranks by axes: what pairs with what, against a slow second computation.

Made jobs of pipeline stages, data parallel replicas and tensor parallel ranks, whose traces
are named as SGLang names them and record no process group: the k-th all_reduce of the
tensor parallel ranks of one stage and replica is one collective, and no other rank's.
"""
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store",)]
from storetap import Tap, Workplace  # noqa: E402

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def fleet(r, sizes):
    """By (pp, dp, tp): the (start, end) of its collectives; those of a group end at once."""
    calls = {}
    for pp in range(sizes[0]):
        for dp in range(sizes[1]):
            now = [1000] * sizes[2]
            for _ in range(r.randint(3, 9)):
                now = [t + r.randint(5, 90) for t in now]
                end = max(now) + r.randint(5, 60)
                for tp in range(sizes[2]):
                    calls.setdefault((pp, dp, tp), []).append((now[tp], end))
                now = [end] * sizes[2]
    return calls


def trace(calls, info=None, **group):
    """JSON of one rank: kernels, with what launched them."""
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python3"}},
              {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "ts": 0, "args": {"labels": "GPU 0"}}]
    for k, (start, end) in enumerate(calls, 1):
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100,
                    "ts": start - 4, "dur": 1, "args": {"correlation": k}},
                   {"ph": "X", "cat": "kernel", "name": NCCL, "pid": 0, "tid": 7, "ts": start, "dur": end - start,
                    "args": dict({"device": 0, "stream": 7, "correlation": k, "Collective name": "allreduce",
                                  "dtype": "Float", "In msg nelems": 100, "Out msg nelems": 100}, **group)}]
    head = {"schemaVersion": 1, "baseTimeNanoseconds": 0, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}
    if info:
        head["distributedInfo"] = info
    return dict(head, traceEvents=events)


def rows(place, command, *operands):
    return json.loads(place.ptool(*command.split(), *operands, "--format", "json").stdout)["rows"]


def expected(calls):
    """By (pp, dp): calls, time that ranks waited for the last, time behind that."""
    out = {}
    for (pp, dp, tp), own in calls.items():
        others = [c for (p, d, _), c in calls.items() if (p, d) == (pp, dp)]
        last = [max(c[k][0] for c in others) for k in range(len(own))]
        row = out.setdefault((pp, dp), [len(own), 0, 0])
        row[1] += sum(late - start for (start, _), late in zip(own, last)) * 1000
        row[2] += sum(end - late for (_, end), late in zip(own, last)) * 1000
    return out


def check_pairs(tap, place, seed):
    r = random.Random(seed)
    sizes = r.choice([(2, 1, 2), (2, 2, 2), (1, 2, 3), (3, 1, 2)])
    calls = fleet(r, sizes)
    folder = place.path(f"pairs{seed}")
    os.mkdir(folder)
    for (pp, dp, tp), own in calls.items():
        with open(os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}-PP-{pp}.trace.json"), "w") as out:
            json.dump(trace(own), out)
    store = place.path(f"pairs{seed}.db")
    place.ptool("ingest", "-q", "-o", store, folder)
    want = {}
    for (pp, dp), row in expected(calls).items():
        name = ", ".join(([f"pp {pp}"] if sizes[0] > 1 else []) + ([f"dp {dp}"] if sizes[1] > 1 else []))
        want[name] = tuple(row)
    for how in (store, folder):
        got = {row["group"]: (row["calls"], row["wait_ns"], row["transfer_ns"])
               for row in rows(place, "comm --ranks", how)}
        tap.ok(got == want, f"seed {seed}, {sizes}: collectives pair within stage and replica", got, want)
    ranks = {row["rank"]: row for row in rows(place, "info", store)}
    tap.ok(all(ranks[(dp * sizes[0] + pp) * sizes[2] + tp]["tp"] == tp for pp, dp, tp in calls),
           f"seed {seed}: tensor parallel ranks follow each other")


def check_replicas(tap, place):
    """Two jobs of two ranks, which record the same groups of the same ranks."""
    calls = fleet(random.Random(1), (1, 2, 2))
    folder = place.path("replicas")
    os.mkdir(folder)
    for (_, dp, tp), own in calls.items():
        with open(os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}.trace.json"), "w") as out:
            json.dump(trace(own, {"backend": "nccl", "rank": tp, "world_size": 2}, **{
                "Process Group Name": "3", "Process Group Ranks": "[0, 1]", "Group size": 2}), out)
    got = [(row["group"], row["calls"], row["wait_ns"], row["transfer_ns"]) for row in rows(place, "comm --ranks", folder)]
    want = [(f"replica {dp}: 3 [0, 1]", *row) for (_, dp), row in sorted(expected(calls).items())]
    tap.ok(sorted(got) == want, "groups of replicas that are jobs of their own are kept apart", got, want)


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(6):
            check_pairs(tap, place, seed)
        check_replicas(tap, place)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
