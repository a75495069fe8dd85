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


def check_mtia(tap, place, path):
    """Waits are no work; requests of copies tell direction and size in their args."""
    work = [e for e in read(path) if e.get("cat") == "mtia_ccp_events"]
    store = place.ingest(path)
    rows = {r["kind"]: r for r in table(place, store, "transfers")}
    for kind, direction in (("HtoD", "HOST_TO_DEVICE"), ("DtoH", "DEVICE_TO_HOST")):
        dma = [e for e in work if e["args"].get("direction") == direction]
        tap.same([rows[kind][k] for k in ("calls", "bytes", "total_ns")],
                 [len(dma), sum(e["args"]["size"] for e in dma), sum(e - s for s, e in spans(dma, bool))],
                 f"MTIA: copies {kind}")
    tap.same([(r["kind"], r["calls"], r["bytes"]) for r in rows.values()],
             [("HtoD", 427, 788_439_608), ("DtoH", 450, 460_800)], "MTIA: copies as the review has them")
    is_copy = lambda e: e["name"] == "dma_request"  # noqa: E731
    is_wait = lambda e: e["name"].startswith("event_")  # noqa: E731
    compute = spans(work, lambda e: not is_copy(e) and not is_wait(e))
    device, = table(place, store, "devices")
    busy = union(compute + spans(work, is_copy))
    tap.same([device[k] for k in ("compute_ns", "busy_ns", "exposed_copy_ns", "kernel_ns")],
             [union(compute), busy, busy - union(compute), sum(e - s for s, e in compute)],
             "MTIA: what computes, without waits")
    tap.same(device["exposed_copy_ns"], 7_576_701, "MTIA: exposed copies as the review has them")
    tap.ok(device["utilization_pct"] < 100 * union(compute) / device["window_ns"] + 1e-9,
           f"MTIA: utilization {device['utilization_pct']:.2f} % is that of what computes")
    tap.ok(not [r["name"] for r in table(place, store, "kernels") if r["name"].startswith("event_")],
           "MTIA: kernels has no wait")
    profile, = table(place, store, "info")
    tap.same(profile["device_type"], "MTIA", "MTIA: so says info")
    not_run = [r for r in table(place, store, "advise") if r["rule"] == "allocator-churn" and
               "launch" in str(r.get("finding"))]
    tap.ok(not not_run, "MTIA: advise knows that calls of the runtime were recorded", *not_run)


def check_rocm(tap, place, path):
    """ROCm's agent has the properties of the GPUs, which are alike, and its number where there is one."""
    with gzip.open(path) as file:
        trace = json.load(file)
    gpus = trace["deviceProperties"]
    agent, = {e["args"]["device"] for e in trace["traceEvents"] if e.get("cat") == "kernel"}
    device, = table(place, place.ingest(path), "devices")
    tap.same([device[k] for k in ("device", "name", "memory_bytes", "sms")],
             [gpus[0]["id"] if len(gpus) == 1 else agent, gpus[0]["name"] or None, gpus[0]["totalGlobalMem"],
              gpus[0]["numSms"]],
             f"{os.path.basename(path)}: agent {agent} of {len(gpus)} GPUs")


CHECKS = {
    "inference-sglang_decode": check_rocm,
    "inference-vllm_decode": check_rocm,
    "inference-xdit_sd_3.5": check_rocm,
    "mi300-resnet_act_checkpoint": check_rocm,
    "torch_compile_triton": check_rocm,
    "deepseek-v3-train-h800": check_deep_ep,
    "mtia_inference_trace": check_mtia,
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
