#!/usr/bin/env python3
"""check_planted.py: traces with one planted cause of idle time each, in ten sizes, with a second
thread and other streams at work: `ptool gaps` names it first, with its exact nanoseconds.  So it
does at the edges of steps, and of a recording without steps.   timeout: 400 s
"""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import gaptrace
from storetap import Tap, Workplace, share

PERIOD = 10_000_000
MANY = [1 + 3 * i for i in range(10)]  # gaps of a trace
FEW = list(range(1, 11))  # so few that nothing is ordinary but what the page says


def middling(i):
    return 5_000 + 700 * i * (1 + i % 3)


def short(i):
    """Shorter than any bound."""
    return 3_000 + 100 * i


def long(i):
    return 1_200_000 + 70_000 * i * (1 + i % 3)


READ = "Memcpy DtoH (Device -> Pageable)"
PAGEABLE = "Memcpy HtoD (Pageable -> Device)"


class Plant:
    """A gap [at, at + size) that work launched just before its end ends; cover() fills it."""

    def __init__(self, trace, number, sizes):
        self.trace, self.at, self.size = trace, number * PERIOD + 50_000, sizes[number]
        self.longest = max(sizes)
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


def read_by_copy(p, name="aten::to"):
    """tensor.cpu(): the copy, then a synchronisation in the same operator."""
    p.trace.host(name, p.at - 5_000, p.size + 6_000)
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


def held(p):
    """Launched inside the gap, and the stream had been told to wait: 1 us is the host's."""
    p.trace.call("cudaStreamWaitEvent", p.at + 100, 200)
    p.trace.run(p.at + p.size, 20_000, p.at + 1_000, took=4_000, name="after")


def held_by_row(p):
    p.trace.wait(p.at + 300, 400, 7, 20)
    p.trace.run(p.at + p.size, 20_000, p.at + 1_000, took=4_000, name="after")


def graph_start(p):
    call = p.trace.call("cudaGraphLaunch", p.at - 15_000, 9_000)
    for i in range(3):
        p.trace.work(p.at + p.size + i * 2_000, 2_000, call, f"node_{i}")


def graph_between(p):
    """A replay right after another one, both launched before."""
    call = p.trace.call("cudaGraphLaunch", p.at - 45_000, 5_000)
    for ts in (p.at - 10_000, p.at - 5_000):
        p.trace.work(ts, 5_000, call, "node", stream=20)
    call = p.trace.call("cudaGraphLaunch", p.at - 35_000, 5_000)
    for ts in (p.at + p.size, p.at + p.size + 2_000):
        p.trace.work(ts, 2_000, call, "node", stream=20)


def graph_launch(p):
    """Launched inside the gap: from the call on."""
    call = p.trace.call("hipGraphLaunch", p.at + 1_000, 900)
    for i in range(3):
        p.trace.work(p.at + p.size + i * 2_000, 2_000, call, f"node_{i}")


def graph_launching(p):
    """The call had begun before the gap, and takes until its end."""
    call = p.trace.call("hipGraphLaunch", p.at - 15_000, 15_000 + p.size)
    for i in range(3):
        p.trace.work(p.at + p.size + i * 2_000, 2_000, call, f"node_{i}")


def graph_nodes(p):
    call = p.trace.call("hipGraphLaunch", p.at - 30_000, 9_000)
    for ts in (p.at - 10_000, p.at + p.size, p.at + p.size + 2_000):
        p.trace.work(ts, 10_000 if ts < p.at else 2_000, call, "node", stream=20)


def lost_nodes(p, **of):
    """A replay whose call was not recorded; its first node has no gap before it."""
    of = {"graph id": 3, "stream": 20, **of}
    p.trace.work(p.at - 10_000, 10_000, None, "node", **of)
    for ts in (p.at + p.size, p.at + p.size + 2_000):
        p.trace.work(ts, 2_000, None, "node", **of)


def lost_graph_start(p):
    """Each replay of the same graph is a call of its own: nothing tells when it was made."""
    call = p.trace.lost_call()
    for i in range(2):
        p.trace.work(p.at + p.size + i * 2_000, 2_000, None, "node", correlation=call, **{"graph id": 3})


def lost_graph_end(p):
    call = p.trace.lost_call()
    for ts in (p.at - 10_000, p.at - 5_000):
        p.trace.work(ts, 5_000, None, "node", stream=20, correlation=call, **{"graph id": 3})
    p.queued(stream=20)


def graph_end(p):
    call = p.trace.call("cudaGraphLaunch", p.at - 30_000, 9_000)
    for ts in (p.at - 10_000, p.at - 5_000):
        p.trace.work(ts, 5_000, call, "node", stream=20)
    p.queued(stream=20)


def slow_launch(p):
    """The call that launches what ends the gap is one long first use."""
    p.trace.run(p.at + p.size, 20_000, p.at, took=p.size)


def first_use(p):
    """The launch is made, and the kernel, never seen before, comes far too late."""
    name = "kernel_last" if p.size == p.longest else f"kernel_{p.at}"
    p.trace.run(p.at + p.size, 20_000, p.at + 1_000, took=4_000, name=name)


def never_explained(p):
    """Launched as ever, of a name that was seen before: nothing tells."""
    p.trace.run(p.at + p.size, 20_000, p.at + 1_000, took=4_000, name="before")


def usual_calls(*names):
    """Many short calls of these names beside the long one."""
    def add(trace):
        for i in range(25):
            for k, name in enumerate(names):
                trace.call(name, 10_000 + i * 1_000 + k * 300, 200, tid=4)
    return add


class Kind:
    """How many gaps there are, how long each, what of each is not the cause's."""

    def __init__(self, counts=tuple(MANY), size=middling, lost=0, beside=None):
        self.counts, self.size, self.lost, self.beside = counts, size, lost, beside


# cause: what is blamed, and how it is planted
PLANTS = {
    "sync": ("cudaDeviceSynchronize", host_plant((CALL, "cudaDeviceSynchronize"))),
    "device_read": ("aten::item", host_plant((OP, "aten::item"), (OP, "aten::_local_scalar_dense"),
                                             (CALL, "cudaStreamSynchronize"))),
    "device_read, tensor.cpu()": ("aten::to", read_by_copy),
    "device_read, of an overload": ("aten::to.dtype", lambda p: read_by_copy(p, "aten::to.dtype")),
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
    "copy_engine": ("after", engine, Kind(MANY, short)),
    "stream_order": ("before", lambda p: p.queued(), Kind(MANY, short)),
    "launch_latency": ("cudaLaunchKernel", latency, Kind(FEW, middling)),
    "event_wait, launched late": ("after", held, Kind(FEW, long, 1_000)),
    "event_wait, launched late, cuda_sync": ("stream 20", held_by_row, Kind(FEW, long, 1_000)),
    "graph_start": ("cudaGraphLaunch", graph_start, Kind(MANY, short)),
    "graph_between": ("cudaGraphLaunch", graph_between, Kind(MANY, short)),
    "graph_launch": ("hipGraphLaunch", graph_launch, Kind(FEW, middling, 1_000)),
    "graph_launch, of a slow call": ("hipGraphLaunch", graph_launching, Kind(MANY, long)),
    "graph_nodes, before the first": ("cudaGraphLaunch", graph_start, Kind(FEW, long)),
    "graph_nodes": ("hipGraphLaunch", graph_nodes, Kind(MANY, long)),
    "graph_nodes, by the graph's id": ("graph 3", lambda p: lost_nodes(p, correlation=p.trace.lost_call()),
                                       Kind(MANY, long)),
    "graph_nodes, without a correlation": ("graph 3", lambda p: lost_nodes(p, correlation=0), Kind(MANY, long)),
    "launch_unknown, of a graph": ("node", lost_graph_start),
    "graph_end": ("node", graph_end, Kind(MANY, short)),
    "graph_end, by the graph's id": ("node", lost_graph_end, Kind(MANY, short)),
    "slow_start, of a launch": ("cudaLaunchKernel", slow_launch, Kind(FEW, long)),
    "slow_start, of a context": ("cudaFree", host_plant((OP, "aten::zeros"), (CALL, "cudaFree")),
                                 Kind(FEW, long, 0, usual_calls("cudaFree"))),
    "slow_start, of an operator": ("cudaLaunchKernel", host_plant((OP, "aten::mul"), (CALL, "cudaLaunchKernel")),
                                   Kind(FEW, long, 0, usual_calls("cudaLaunchKernel"))),
    # 1 us is the host's, 100 us are ordinary
    "slow_start, of a kernel": ("kernel_last", first_use, Kind(FEW, long, 101_000)),
    "earlier_work, launched late": ("before", never_explained, Kind(FEW, long, 101_000)),
    "earlier_work, queued": ("after", lambda p: p.queued(), Kind(FEW, long)),
    "launch_unknown": ("after", unknown),
}


def trace_of(plant, gaps, kind):
    """Beside the plant: steps, a second thread that computes, short work on another stream."""
    trace = gaptrace.Trace()
    sizes = [kind.size(i) for i in range(gaps)]
    if kind.beside:
        kind.beside(trace)
    for number, size in enumerate(sizes):
        trace.step(number, number * PERIOD, PERIOD - 1_000)
        trace.host("aten::conv2d", number * PERIOD + 5, PERIOD - 5_000, tid=2)
        plant(Plant(trace, number, sizes))
        trace.host("aten::tail", (number + 1) * PERIOD - 9_000, 100)
    return trace, sizes


def fill(trace, gaps, sizes):
    """A long kernel on another stream in all the time of the steps that is not planted."""
    at = 0
    for number, size in enumerate(sizes):
        start = number * PERIOD + 50_000
        trace.run(at, start - at, max(0, at - 600), name="filler", stream=33, tid=3)
        at = start + size
    trace.run(at, gaps * PERIOD - at, at - 600, name="filler", stream=33, tid=3)


def table(place, path, *options):
    done = place.ptool("gaps", path, "--format", "csv", *options)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def check_plant(place, cause, blamed, plant, kind):
    wrong = []
    for gaps in share(kind.counts, 4):
        trace, sizes = trace_of(plant, gaps, kind)
        fill(trace, gaps, sizes)
        store = place.ingest(trace.save(place.path("t.json")))
        first = table(place, store)[0]
        lost = kind.lost * gaps
        got = (first["cause"], first["blamed"], int(first["idle_ns"]), int(first["gaps"]), int(first["longest_ns"]),
               int(first["device_idle_ns"]))
        planted = (cause, blamed, sum(sizes) - lost, gaps, max(sizes) - kind.lost, sum(sizes))
        if got != planted:
            wrong.append(f"{gaps} gaps: {got}, planted {planted}")
        steps = [(r["step"], int(r["idle_ns"])) for r in table(place, store, "--by", "step")]
        if steps != [(str(n), size) for n, size in enumerate(sizes)]:
            wrong.append(f"{gaps} gaps by step: {steps[:3]}")
    return wrong


def edge(place, size, at_start, has_steps):
    """One step, or none, with a frame in which the host does nothing for the device."""
    trace = gaptrace.Trace()
    if has_steps:
        trace.step(5, 0, 400_000 + size)
    begin, end = (0, size) if at_start else (400_000, 400_000 + size)
    trace.host("aten::empty", 0, 10)
    trace.host("train.py(7): slow", max(10, begin), end - max(10, begin), "python_function")
    trace.run(size if at_start else 0, 400_000, size if at_start else 0, took=5)
    if not at_start:
        trace.host("aten::last", end - 10, 10)
    store = place.ingest(trace.save(place.path("t.json")))
    rows = table(place, store, "--by", "frame")
    inner = place.ptool("gaps", "--inner", store, "--format", "csv").stdout.splitlines()
    return {r["frame"]: int(r["idle_ns"]) for r in rows}, {r["cause"] for r in rows}, len(inner) - 1


def check_edges(tap, place):
    for at_start in (True, False):
        for has_steps in (True, False):
            wrong = []
            for i in share(range(10), 4):
                size = 20_000 + long(i)
                got, causes, inner = edge(place, size, at_start, has_steps)
                if got.get("train.py(7): slow", 0) + got.get("", 0) != size or inner or len(causes) > 2:
                    wrong.append(f"{size}: {got}, {inner} rows inside")
            tap.ok(not wrong, f"idle {'before the first' if at_start else 'after the last'} work "
                   f"{'of a step' if has_steps else 'without steps'} is the host's, to the ns", *wrong)


def main():
    tap = Tap()
    with Workplace() as place:
        for name, (blamed, plant, *kind) in PLANTS.items():
            kind = kind[0] if kind else Kind()
            wrong = check_plant(place, name.split(",")[0], blamed, plant, kind)
            tap.ok(not wrong, f"{name}: first, with its nanoseconds, in {len(share(kind.counts, 4))} sizes", *wrong)
        check_edges(tap, place)
    tap.done()


if __name__ == "__main__":
    main()
