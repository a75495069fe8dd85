#!/usr/bin/env python3
"""check_planted.py: traces with one planted cause of idle time each, in ten sizes, with a second
thread and other streams at work: `ptool gaps` names it first, with its exact nanoseconds.
timeout: 300 s
"""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import gaptrace
from storetap import Tap, Workplace

PERIOD = 1_000_000
SIZES = [1 + 3 * i for i in range(10)]  # gaps of a trace
READ = "Memcpy DtoH (Device -> Pageable)"
PAGEABLE = "Memcpy HtoD (Pageable -> Device)"


class Plant:
    """A gap [at, at + size) that work launched just before its end ends; cover() fills it."""

    def __init__(self, trace, number, size):
        self.trace, self.at, self.size = trace, number * PERIOD + 50_000, size
        # the stream's work before, launched early enough to be queued
        trace.run(self.at - 10_000, 10_000, self.at - 20_000, name="before")

    def launch(self, **more):
        """The launch call begins where the gap ends: the clocks say the work starts with it."""
        self.trace.run(self.at + self.size, 20_000, self.at + self.size, took=6_000, **more)

    def queued(self, **more):
        more = dict(name="after", **more)
        return self.trace.run(self.at + self.size, 20_000, self.at - 15_000, **more)


OP, CALL, PY, NOTE = "cpu_op", "cuda_runtime", "python_function", "user_annotation"


def host_plant(*names, tid=1):
    def plant(p):
        # slices must reach the launch, which is where the gap ends
        for depth, (cat, name) in enumerate(names):
            p.trace.host(name, p.at - 900 + depth * 10, p.size + 8_000 - depth * 20, cat, tid)
        p.launch(tid=tid)
    return plant


def pageable(p):
    call = p.trace.call("cudaMemcpyAsync", p.at - 2_000, p.size + 2_000)
    # the copy itself ran before the gap; the host is kept until the gap's end
    p.trace.work(p.at - 30_000, 4_000, call, PAGEABLE, "gpu_memcpy")
    p.launch()


def read_by_copy(p):
    """tensor.cpu(): the copy, then a synchronisation in the same operator."""
    p.trace.host("aten::to", p.at - 5_000, p.size + 6_000)
    p.trace.host("aten::copy_", p.at - 4_000, p.size + 4_900)
    call = p.trace.call("cudaMemcpyAsync", p.at - 3_000, 1_000)
    p.trace.work(p.at - 30_000, 4_000, call, READ, "gpu_memcpy")
    p.trace.call("cudaStreamSynchronize", p.at - 1_500, p.size + 1_500)
    p.launch()


def event(p):
    p.trace.wait(p.at - 16_000, 400, 20, 7)
    p.queued(stream=20)


def event_by_call(p):
    """No cuda_sync rows: the call just before the launch tells."""
    p.trace.call("cudaStreamWaitEvent", p.at - 17_000, 1_000)
    p.queued(stream=20)


def engine(p):
    p.queued(cat="gpu_memcpy", api="cudaMemcpyAsync")


def unknown(p):
    p.trace.work(p.at + p.size, 20_000, None, "after")


def latency(p):
    p.trace.run(p.at + p.size, 20_000, p.at, took=4_000)


def graph(p):
    """One launch, three kernels: the gap before the first is the launch's, once."""
    call = p.trace.call("cudaGraphLaunch", p.at, 9_000)
    for i in range(3):
        p.trace.work(p.at + p.size + i * 2_000, 2_000, call, f"node_{i}")


# cause: what is blamed, and how it is planted
PLANTS = {
    "sync": ("cudaDeviceSynchronize", host_plant((CALL, "cudaDeviceSynchronize"))),
    "device_read": ("aten::item", host_plant((OP, "aten::item"), (OP, "aten::_local_scalar_dense"),
                                             (CALL, "cudaStreamSynchronize"))),
    "device_read, tensor.cpu()": ("aten::to", read_by_copy),
    "blocking_copy": ("cudaMemcpy", host_plant((OP, "aten::copy_"), (CALL, "cudaMemcpy"))),
    "blocking_copy, pageable": ("cudaMemcpyAsync", pageable),
    "allocation": ("cudaMalloc", host_plant((OP, "aten::empty"), (CALL, "cudaMalloc"))),
    "allocation, freed": ("cudaFree", host_plant((PY, "torch/cuda/memory.py(1): empty_cache"), (CALL, "cudaFree"))),
    "dataloader": ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                   host_plant((NOTE, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
                              (OP, "aten::stack"))),
    "communication_wait": ("c10d::barrier", host_plant((OP, "c10d::barrier"), (CALL, "cudaStreamSynchronize"))),
    "compilation": ("_compile.compile_inner (dynamo_timed)",
                    host_plant((NOTE, "_compile.compile_inner (dynamo_timed)"), (PY, "torch/fx/graph.py(1): f"))),
    "garbage_collection": ("<built-in method collect of module gc>",
                           host_plant((PY, "train.py(1): loop"), (PY, "<built-in method collect of module gc>"))),
    "optimizer": ("Optimizer.step#AdamW.step", host_plant((NOTE, "Optimizer.step#AdamW.step"), (OP, "aten::add_"))),
    "operator": ("aten::linear", host_plant((NOTE, "forward"), (OP, "aten::linear"))),
    "annotation": ("my range", host_plant((PY, "train.py(1): loop"), (NOTE, "my range"))),
    "python": ("train.py(9): slow", host_plant((NOTE, "my range"), (PY, "train.py(9): slow"))),
    "runtime_call": ("cudaEventQuery", host_plant((CALL, "cudaEventQuery"))),
    "untraced_host": ("", host_plant()),
    "event_wait": ("stream 7", event),
    "event_wait, by the call": ("after", event_by_call),
    "copy_engine": ("after", engine),
    "stream_order": ("before", lambda p: p.queued()),
    "launch_latency": ("cudaLaunchKernel", latency),
    "launch_latency, a graph's": ("cudaGraphLaunch", graph),
    "launch_unknown": ("after", unknown),
}


def trace_of(plant, gaps):
    """Beside the plant: steps, a second thread that computes, short work on another stream."""
    trace = gaptrace.Trace()
    sizes = [5_000 + 700 * i * (1 + i % 3) for i in range(gaps)]
    for number, size in enumerate(sizes):
        trace.step(number, number * PERIOD, PERIOD - 1_000)
        trace.host("aten::conv2d", number * PERIOD + 5, PERIOD - 5_000, tid=2)
        plant(Plant(trace, number, size))
        trace.host("aten::tail", (number + 1) * PERIOD - 9_000, 100)
    return trace, sizes


def fill(trace, gaps, sizes):
    """A long kernel on another stream in all the time that is not planted."""
    edges = [(n * PERIOD + 50_000, n * PERIOD + 50_000 + sizes[n]) for n in range(gaps)]
    at = 1_000
    for start, end in edges:
        trace.run(at, start - at, at - 600, name="filler", stream=33, tid=3)
        at = end
    trace.run(at, 30_000, at - 600, name="filler", stream=33, tid=3)


def table(place, path, *options):
    done = place.ptool("gaps", path, "--format", "csv", *options)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def main():
    tap = Tap()
    with Workplace() as place:
        for name, (blamed, plant) in PLANTS.items():
            cause = name.split(",")[0]
            wrong = []
            for gaps in SIZES:
                trace, sizes = trace_of(plant, gaps)
                fill(trace, gaps, sizes)
                store = place.ingest(trace.save(place.path("t.json")))
                first = table(place, store)[0]
                got = (first["cause"], first["blamed"], int(first["idle_ns"]), int(first["gaps"]))
                if got != (cause, blamed, sum(sizes), gaps) or float(first["share_pct"]) != 100:
                    wrong.append(f"{gaps} gaps: {got}, planted {(cause, blamed, sum(sizes), gaps)}")
                steps = [(r["step"], int(r["idle_ns"])) for r in table(place, store, "--by", "step")]
                if steps != [(str(n), size) for n, size in enumerate(sizes)]:
                    wrong.append(f"{gaps} gaps by step: {steps[:3]}")
            tap.ok(not wrong, f"{name}: first, with its nanoseconds, in {len(SIZES)} sizes", *wrong)
    tap.done()


if __name__ == "__main__":
    main()
