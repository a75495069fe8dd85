#!/usr/bin/env python3
"""What communicates, copies and waits in real recordings (shared/data/cases), to the nanosecond.

Kernels are chosen here by what the folder's README says of each recording, not by ptool's
table, and the unions are counted the slow way from the decimals of the file.
"""
import decimal
import glob
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import storetap  # noqa: E402

CASES = os.path.join(storetap.SHARED, "data", "cases")


def read(path):
    with gzip.open(path) as file:
        return json.loads(file.read(), parse_float=decimal.Decimal)["traceEvents"]


def spans(events, wanted):
    return [(round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in events if wanted(e)]


def union(intervals):
    return storetap.union(intervals)[0]


def table(place, path, command, *options):
    done = place.ptool(command, path, "--format", "json", *options)
    return json.loads(done.stdout)["rows"]


def check_deep_ep(tap, place, path):
    """DeepEP under a namespace of its own."""
    work = [e for e in read(path) if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    is_comm = lambda e: "dpsk::ep::" in e["name"].split("(")[0]  # noqa: E731
    comm = spans(work, is_comm)
    compute = spans(work, lambda e: e["cat"] == "kernel" and not is_comm(e))
    exposed = union(comm + compute) - union(compute)
    store = place.ingest(path)
    device, = table(place, store, "devices")
    tap.same([device[k] for k in ("communication_ns", "compute_ns", "exposed_comm_ns", "overlap_ns")],
             [union(comm), union(compute), exposed, union(comm) - exposed],
             "DeepSeek-V3: what DeepEP communicates, what computes, what of it is exposed")
    tap.same([device["communication_ns"], device["compute_ns"], device["exposed_comm_ns"]],
             [113_440_000, 124_310_000, 4_190_000], "DeepSeek-V3: as the README has it")
    row, = table(place, store, "comm")
    tap.same((row["collective"], row["calls"], row["exposed_ns"]), ("all_to_all", len(comm), exposed),
             "DeepSeek-V3: comm has it as all_to_all")


CHECKS = {
    "deepseek-v3-train-h800": check_deep_ep,
}


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        for name, check in CHECKS.items():
            found = glob.glob(os.path.join(CASES, name + "*.json.gz"))
            if found:
                check(tap, place, found[0])
            else:
                tap.skip(name, "shared/data/cases is not beside the checkout")
    tap.done()


if __name__ == "__main__":
    main()
