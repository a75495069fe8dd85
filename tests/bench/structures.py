"""structures.py: for each thing that a recording can have many of, a recording with n of it.

`STRUCTURES` maps a name to a function of n that gives the events of a Chrome trace.  `write()`
makes the files; those that are no single trace are in other_files.py (ranks, dumps, pickles),
stack_files.py (sampling and line profilers), report_files.py (what others write and print),
pipeline_files.py (StragglerAnalysis) and store_files.py (folders of stores).
Times are microseconds.  The same n gives the same bytes.
"""
import json
import math
import os

import other_files
import pipeline_files
import report_files
import stack_files
import store_files

HOST = 100
RUNS, FOLDERS = other_files.RUNS, other_files.FOLDERS
STORES = tuple(store_files.KINDS)  # to be read as they are, not ingested
FILES = {**other_files.KINDS, **stack_files.KINDS, **pipeline_files.KINDS, **report_files.KINDS, **store_files.KINDS}
STRUCTURES = {}
HEADS = {}  # by structure: a function of n, what stands before the events


def structure(make):
    STRUCTURES[make.__name__] = make
    return make


def x(name, ts, dur=1, cat="cpu_op", tid=HOST, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": HOST, "tid": tid, "ts": ts, "dur": dur, "args": args}


def label(name, ts, dur=1, tid=HOST):
    return x(name, ts, dur, "user_annotation", tid)


def call(i, ts, dur=1, tid=HOST, name="cudaLaunchKernel"):
    return x(name, ts, dur, "cuda_runtime", tid, correlation=i + 1, cbid=211)


def kernel(i, ts, dur=1, stream=7, device=0, name="gemm", **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": ts, "dur": dur,
            "args": {"device": device, "stream": stream, "correlation": i + 1, "grid": [8, 1, 1], "block": [128, 1, 1],
                     "registers per thread": 32, "shared memory": 0, **args}}


def copy(i, ts, dur=1, stream=7, device=0, kind="HtoD (Pageable -> Device)", size=4096):
    return {"ph": "X", "cat": "gpu_memcpy", "name": f"Memcpy {kind}", "pid": device, "tid": stream, "ts": ts,
            "dur": dur, "args": {"device": device, "stream": stream, "correlation": i + 1, "bytes": size}}


def launch(i, ts, tid=HOST, **where):
    """A launch and its kernel."""
    yield call(i, ts, tid=tid)
    yield kernel(i, ts + 2, **where)


def frame(i, parent, name, ts, dur, tid=HOST):
    more = {"Python parent id": parent} if parent else {}
    return x(name, ts, dur, "python_function", tid, **{"Python id": i, **more})


def block(ts, size, address, device=0, kind=1, total=None, tid=HOST):
    args = {"Total Reserved": 1 << 40, "Total Allocated": max(size, 0) if total is None else total, "Bytes": size,
            "Addr": 4096 * (address + 1), "Device Id": device, "Device Type": kind}
    return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": HOST, "tid": tid, "ts": ts,
            "args": args}


def flow(ph, i, ts, cat="ac2g", tid=HOST, pid=HOST):
    return {"ph": ph, "id": i, "pid": pid, "tid": tid, "ts": ts, "cat": cat, "name": cat, **({"bp": "e"} if ph == "f" else {})}


def step(i, ts, dur, tid=HOST):
    return label(f"ProfilerStep#{i}", ts, dur, tid)


def step_with_work(i, ts, tid=HOST, **where):
    """A step of 20 us, with an operator that launches a kernel."""
    yield step(i, ts, 20, tid)
    yield x("aten::add", ts + 1, 5, tid=tid)
    yield from launch(i, ts + 2, tid, **where)


def root(n):
    """What m x m of something has for m."""
    return max(1, math.isqrt(n))


def nested(n, outer):
    """n of outer(i, ts, dur), each within the one before, with a launch in each."""
    for i in range(n):
        yield outer(i, 10 * i, 50 * n - 20 * i)
        yield from launch(i, 10 * i + 2)


# Steps and labels.

@structure
def steps(n):
    for i in range(n):
        yield from step_with_work(i, 30 * i)


@structure
def nested_steps(n):
    for i in range(n):
        yield step(i, 10 * i, 50 * n - 20 * i)
        yield x("aten::add", 10 * i + 1, 5)
        yield from launch(i, 10 * i + 2)


@structure
def overlapping_steps(n):
    for i in range(n):
        yield step(i, 10 * i, 10 * n)
        yield x("aten::add", 10 * i + 1, 5, tid=2)
        yield from launch(i, 10 * i + 2, tid=2)


@structure
def overlapping_steps_of_threads(n):
    for i in range(n):
        yield step(i, 10 * i, 10 * n, tid=1000 + i)
        yield x("aten::add", 10 * i + 1, 5)
        yield from launch(i, 10 * i + 2)


@structure
def overlapping_steps_over_a_pass(n):
    """Steps that all last while the operators of a pass run, of no label."""
    for i in range(n):
        yield step(i, i, 4 * n, tid=200 + i % 2)
        yield x("aten::mm", n + 3 * i, **{"Sequence number": i, "Fwd thread id": 0})


@structure
def steps_of_one_number(n):
    for i in range(n):
        yield step(7, 30 * i, 20)
        yield from launch(i, 30 * i + 2)


@structure
def names_of_steps(n):
    """Steps, each of which has operators, kernels and labels that no other has."""
    for i in range(n):
        yield step(i, 30 * i, 20)
        yield label(f"label {i}", 30 * i + 1, 18)
        yield x(f"op {i}", 30 * i + 2, 5)
        yield from launch(i, 30 * i + 3, name=f"kernel {i}")


@structure
def names_in_all_steps(n):
    """m steps of the same m operators and kernels."""
    m = root(n)
    for i in range(m):
        yield step(i, 10 * m * i, 10 * m - 2)
        for j in range(m):
            yield x(f"op {j}", 10 * (m * i + j) + 1, 5)
            yield from launch(m * i + j, 10 * (m * i + j) + 2, name=f"kernel {j}")


@structure
def steps_of_devices(n):
    """m steps, in each of which m devices work."""
    m = root(n)
    for i in range(m):
        yield step(i, 10 * m * i, 10 * m - 2)
        for j in range(m):
            yield from launch(m * i + j, 10 * (m * i + j) + 2, device=j)


@structure
def steps_of_threads(n):
    m = root(n)
    for i in range(m):
        yield step(i, 10 * m * i, 10 * m - 2)
        for j in range(m):
            yield x("aten::add", 10 * (m * i + j) + 1, 5, tid=1000 + j)


@structure
def steps_of_a_device_each(n):
    """n steps and n devices, each of which works in a step of its own."""
    for i in range(n):
        yield from step_with_work(i, 30 * i, device=i)


@structure
def steps_of_a_thread_each(n):
    """n steps and n threads, each of which works in a step of its own."""
    for i in range(n):
        yield step(i, 30 * i, 20)
        yield x("aten::add", 30 * i + 1, 5, tid=1000 + i)


@structure
def steps_under_devices(n):
    """n steps, all of which each of n devices spends with one kernel."""
    for i in range(n):
        yield step(i, 30 * i, 20)
        yield kernel(i, 2, 30 * n, device=i)


@structure
def steps_under_threads(n):
    """n steps, one of which is long, under an operator on each of n threads."""
    for i in range(n):
        yield step(i, 30 * i, 29 if i == n // 2 else 20)
        yield x("aten::add", 1, 30 * n, tid=1000 + i)


@structure
def nested_annotations(n):
    return nested(n, lambda i, ts, dur: label(f"label {i % 100}", ts, dur))


@structure
def nested_annotations_then_launches(n):
    for i in range(n):
        yield label(f"label {i}", i, 50 * n - 2 * i)
    for i in range(n):
        yield from launch(i, 2 * n + 10 * i)


@structure
def overlapping_annotations_of_threads(n):
    for i in range(n):
        yield label(f"label {i % 100}", 10 * i, 10 * n, tid=1000 + i)
        yield from launch(i, 10 * i + 2)


@structure
def overlapping_annotations(n):
    for i in range(n):
        yield label(f"label {i % 100}", 10 * i, 10 * n)
        yield from launch(i, 10 * i + 2, tid=2)


@structure
def annotations_of_devices(n):
    """The device's rows of labels, one beside the other and all of them over each other."""
    for i in range(n):
        for name, ts, dur in ((f"label {i % 100}", 10 * i, 8), (f"outer {i}", 10 * i, 10 * n)):
            yield {**x(name, ts, dur, "gpu_user_annotation", tid=7), "pid": 0}
            yield label(name, ts, dur, tid=2)
        yield from launch(i, 10 * i + 2)


@structure
def labels_of_devices(n):
    """Labels of one thread, each with the work of a device of its own."""
    for i in range(n):
        yield label(f"label {i % 100}", 10 * i, 8)
        yield from launch(i, 10 * i + 1, device=i)


# Operators, Python frames and modules.

@structure
def deep_operators(n):
    return nested(n, lambda i, ts, dur: x(f"op {i % 100}", ts, dur))


@structure
def deep_operators_of_names(n):
    for i in range(n):
        yield x(f"op {i}", i, 50 * n - 2 * i)
    for i in range(n):
        yield from launch(i, 2 * n + 10 * i)


@structure
def same_name_nested(n):
    return nested(n, lambda i, ts, dur: x("aten::add", ts, dur))


@structure
def same_name_far_apart(n):
    """Two names at the outer and the inner end of a deep nesting, in which others lie."""
    for i in range(n):
        yield x("outer" if i % n < n // 2 else f"op {i}", i, 50 * n - 2 * i)
    for i in range(n):
        yield x("outer", 2 * n + 10 * i, 4)
        yield from launch(i, 2 * n + 10 * i + 1)


@structure
def deep_frames(n):
    return nested(n, lambda i, ts, dur: frame(i + 1, i, f"a.py({i % 100}): f{i % 100}", ts, dur))


@structure
def deep_frames_over_launches(n):
    for i in range(n):
        yield frame(i + 1, i, f"a.py({i}): f{i}", i, 50 * n - 2 * i)
    for i in range(n):
        yield x("aten::add", 2 * n + 10 * i, 5)
        yield from launch(i, 2 * n + 10 * i + 1)


@structure
def deep_frames_over_gaps(n):
    """A deep stack in which the device waits n times for the host."""
    for i in range(n):
        yield frame(i + 1, i, f"a.py({i}): f{i}", i, 2000 * n - 2 * i)
    for i in range(n):
        yield frame(n + i + 1, n, f"b.py({i % 100}): g", 2 * n + 1000 * i, 900)
        yield from launch(i, 2 * n + 1000 * i + 500)


@structure
def deep_modules(n):
    for i in range(n):
        yield frame(i + 1, i, f"nn.Module: Layer_{i}", 10 * i, 50 * n - 20 * i)
        yield x("aten::add", 10 * i + 1, 5)
        yield from launch(i, 10 * i + 2)


@structure
def wide_modules(n):
    yield frame(1, 0, "nn.Module: Net_0", 0, 20 * n + 10)
    for i in range(n):
        yield frame(i + 2, 1, f"nn.Module: Layer_{i}", 20 * i + 1, 15)
        yield x("aten::add", 20 * i + 2, 5)
        yield from launch(i, 20 * i + 3)


@structure
def one_module_many_times(n):
    for i in range(n):
        yield frame(2 * i + 1, 0, "nn.Module: Net_0", 20 * i, 18)
        yield frame(2 * i + 2, 2 * i + 1, "nn.Module: Layer_0", 20 * i + 1, 15)
        yield from launch(i, 20 * i + 3)


@structure
def wide_tree(n):
    yield x("root", 0, 20 * n + 10)
    for i in range(n):
        yield x(f"op {i}", 20 * i + 1, 15)
        yield x(f"leaf {i}", 20 * i + 2, 5)


@structure
def equal_slices(n):
    for i in range(n):
        yield x("aten::add", 5, 10)


@structure
def equal_slices_of_names(n):
    for i in range(n):
        yield x(f"op {i}", 5, 10)


@structure
def instants_without_duration(n):
    for i in range(n):
        yield x(f"op {i % 100}", 5, 0)


@structure
def crossing_operators(n):
    """Each begins within the one before and ends after it."""
    for i in range(n):
        yield x(f"op {i % 100}", 10 * i, 15)


@structure
def all_crossing_operators(n):
    """Each begins within all before and ends after them."""
    for i in range(n):
        yield x(f"op {i % 100}", 10 * i, 10 * n)


@structure
def backwards(n):
    for i in range(n):
        yield x("aten::add", 10 * (n - i), 8)
        yield from launch(i, 10 * (n - i) + 2)


# Events in parts.

@structure
def async_of_ids(n):
    for i in range(n):
        for ph, ts in (("b", 10 * i), ("e", 10 * i + 5)):
            yield {"ph": ph, "name": "request", "cat": "net", "id": i, "pid": 1, "tid": 1, "ts": ts}


@structure
def async_first_in_first_out(n):
    for ph, ts in (("b", 0), ("e", 10 * n)):
        for i in range(n):
            yield {"ph": ph, "name": f"request {i}", "cat": "net", "id": 7, "pid": 1, "tid": 1, "ts": ts + 10 * i}


@structure
def async_nested(n):
    for i in range(n):
        yield {"ph": "b", "name": f"request {i}", "cat": "net", "id": 7, "pid": 1, "tid": 1, "ts": 10 * i}
    for i in reversed(range(n)):
        yield {"ph": "e", "name": f"request {i}", "cat": "net", "id": 7, "pid": 1, "tid": 1, "ts": 30 * n - 10 * i}


@structure
def async_that_overlap(n):
    for i in range(n):
        yield {"ph": "b", "name": "request", "cat": "net", "id": i, "pid": 1, "tid": 1, "ts": 10 * i}
    for i in range(n):
        yield {"ph": "e", "name": "request", "cat": "net", "id": i, "pid": 1, "tid": 1, "ts": 10 * (n + i)}


@structure
def pairs_nested(n):
    for i in range(n):
        yield {"ph": "B", "name": f"f{i % 100}", "pid": 1, "tid": 1, "ts": 10 * i}
    for i in range(n):
        yield {"ph": "E", "pid": 1, "tid": 1, "ts": 10 * (n + i)}


@structure
def pairs_never_ended(n):
    for i in range(n):
        yield {"ph": "B", "name": f"f{i % 100}", "pid": 1, "tid": 1, "ts": 10 * i}


@structure
def ends_without_begins(n):
    yield x("aten::add", 0)
    for i in range(n):
        yield {"ph": "E", "pid": 1, "tid": 1, "ts": 10 * i}


@structure
def flows(n):
    for i in range(n):
        yield x("send", 10 * i, 5)
        yield flow("s", i, 10 * i, "ipc")
        yield x("receive", 10 * i + 2, 5, tid=2)
        yield flow("f", i, 10 * i + 2, "ipc", tid=2)


@structure
def flow_of_one_id(n):
    for i in range(n):
        yield x("send", 10 * i, 5)
        yield flow("s" if i == 0 else "f" if i == n - 1 else "t", 7, 10 * i, "ipc")


@structure
def flows_without_ends(n):
    yield x("aten::add", 0)
    for i in range(n):
        yield flow("f", i, 10 * i, f"category {i}")


@structure
def flows_behind_deep_slices(n):
    for i in range(n):
        yield x("aten::add", i, 2 * n - 2 * i)
    for i in range(n):
        yield flow("s", i, 3 * n + i, "ipc")


@structure
def flows_before_instants(n):
    for i in range(n):
        yield {"ph": "f", "id": i, "pid": HOST, "tid": HOST, "ts": i, "cat": "ipc", "name": "ipc"}
    for i in range(n):
        yield {"ph": "i", "s": "t", "name": "mark", "cat": "mark", "pid": HOST, "tid": HOST, "ts": n + i}
    yield x("aten::add", 3 * n)


@structure
def forward_and_backward(n):
    for i in range(n):
        yield x("aten::mm", 20 * i, 8, **{"Sequence number": i, "Fwd thread id": 0})
        yield flow("s", i + 1, 20 * i, "fwdbwd")
    for i in range(n):
        ts = 20 * (2 * n - i)
        yield x("autograd::engine::evaluate_function: MmBackward0", ts, 15, tid=2, **{"Sequence number": i, "Fwd thread id": 1})
        yield flow("f", i + 1, ts, "fwdbwd", tid=2)
        yield from launch(i, ts + 2, tid=2)


@structure
def one_sequence_number(n):
    for i in range(n):
        yield x("aten::mm", 20 * i, 8, **{"Sequence number": 7, "Fwd thread id": 0})
        yield x("MmBackward0", 20 * i, 8, tid=2, **{"Sequence number": 7, "Fwd thread id": 1})


@structure
def counters(n):
    for i in range(n):
        yield {"ph": "C", "name": f"counter {i}", "pid": 1, "ts": i, "args": {"value": i}}


@structure
def counter_values(n):
    for i in range(n):
        yield {"ph": "C", "name": "counter", "pid": 1, "ts": i, "args": {"value": i, f"series {i % 100}": i}}


@structure
def instants(n):
    for i in range(n):
        yield {"ph": "i", "s": "t", "name": f"mark {i % 100}", "cat": "mark", "pid": 1, "tid": 1, "ts": i}


@structure
def threads(n):
    for i in range(n):
        yield {"ph": "M", "name": "thread_name", "pid": HOST, "tid": 1000 + i, "args": {"name": f"worker {i}"}}
        yield x("aten::add", 10 * i, 8, tid=1000 + i)
        yield from launch(i, 10 * i + 2, tid=1000 + i)


@structure
def threads_with_unknown_phases(n):
    for i in range(n):
        yield {"ph": f"u{i}"}
        yield from launch(i, 10 * i, tid=1000 + i)


@structure
def threads_at_once(n):
    for i in range(n):
        yield x("aten::add", i, 10 * n, tid=1000 + i)
        yield from launch(i, i + 2, tid=1000 + i)


@structure
def processes(n):
    for i in range(n):
        yield {"ph": "M", "name": "process_name", "pid": 1000 + i, "tid": 0, "args": {"name": f"process {i}"}}
        yield {**x("aten::add", 10 * i, 8), "pid": 1000 + i}


# Devices, streams and their work.

@structure
def devices(n):
    for i in range(n):
        yield from launch(i, 10 * i, device=i)


def described(n, **of_first):
    return {"deviceProperties": [{"id": i, **(of_first if i == 0 else {})} for i in range(n)]}


@structure
def described_devices(n):
    """Devices with an entry each in deviceProperties."""
    return devices(n)


HEADS["described_devices"] = described


@structure
def named_devices(n):
    """Devices, each with a name of its own."""
    return devices(n)


HEADS["named_devices"] = lambda n: {"deviceProperties": [{"id": i, "name": f"gpu {i}"} for i in range(n)]}


@structure
def described_agents(n):
    """GPUs of ROCm with an entry each, whose work says other numbers."""
    for i in range(n):
        yield from launch(i, 10 * i, device=n + i)


HEADS["described_agents"] = lambda n: described(n, warpSize=64)


@structure
def devices_at_once(n):
    yield step(0, 0, 30 * n)
    for i in range(n):
        yield call(i, 10 * i)
        yield kernel(i, 10 * n, 10 * n, device=i)


@structure
def devices_beside_names(n):
    """A quarter as many devices, all idle while one thread runs operators of n names."""
    m, end = n // 4, 20 * n + 4 * n
    for i in range(m):
        yield from launch(i, 4 * i, device=i)
    for i in range(n):
        yield x(f"op {i}", 2 * n + 20 * i, 15)
        yield call(2 * n + i, 2 * n + 20 * i + 2, 5, name="cudaMemcpyAsync" if i % 2 else "cudaMalloc")
    for i in range(m):
        yield from launch(m + i, end + 10 * i, device=i)


@structure
def streams(n):
    for i in range(n):
        yield from launch(i, 10 * i, stream=i)


@structure
def streams_at_once(n):
    """All kernels run at the same time."""
    for i in range(n):
        yield call(i, 10 * i)
        yield kernel(i, 10 * i + 2, 10 * n, stream=i, name=f"kernel {i % 100}")


@structure
def streams_of_devices(n):
    m = root(n)
    for i in range(n):
        yield from launch(i, 10 * i, device=i // m, stream=i % m)


@structure
def kernels_of_a_stream(n):
    for i in range(n):
        yield x("aten::add", 20 * i, 8)
        yield from launch(i, 20 * i + 1, name=f"kernel {i % 100}")


@structure
def kernels_that_queue(n):
    """All launched at once, so that n of them wait."""
    for i in range(n):
        yield call(i, 2 * i)
        yield kernel(i, 4 * n + 10 * i, 8)


@structure
def kernels_that_overlap_on_a_stream(n):
    for i in range(n):
        yield call(i, 2 * i)
        yield kernel(i, 2 * i + 2, 2 * n)


@structure
def kernels_without_launches(n):
    for i in range(n):
        yield kernel(i, 10 * i, 8, name=f"kernel {i}")


@structure
def launches_without_kernels(n):
    for i in range(n):
        yield x("aten::add", 10 * i, 8)
        yield call(i, 10 * i + 1)


@structure
def one_correlation(n):
    for i in range(n):
        yield call(6, 10 * i)
        yield kernel(6, 10 * i + 2)


@structure
def launches_of_an_operator(n):
    yield x("aten::add", 0, 10 * n + 10)
    for i in range(n):
        yield from launch(i, 10 * i + 1)


@structure
def nodes_of_a_graph(n):
    yield call(0, 0, 5, name="cudaGraphLaunch")
    for i in range(n):
        yield kernel(0, 10 + 10 * i, 8, stream=7 + i % 50, name=f"kernel {i % 100}", **{"graph id": 5, "graph node id": i})


@structure
def graph_replays(n):
    m = root(n)
    for i in range(m):
        yield x("replay", 10 * m * i, 8)
        yield call(i, 10 * m * i + 1, 5, name="cudaGraphLaunch")
        for j in range(m):
            yield kernel(i, 10 * (m * i + j) + 10, 8, name=f"kernel {j}", **{"graph id": 5, "graph node id": j})

@structure
def replays_of_a_kernel(n):
    for i in range(n):
        yield call(i, 30 * i, 5, name="cudaGraphLaunch")
        yield kernel(i, 30 * i + 10, 8, **{"graph id": 5, "graph node id": 0})


@structure
def graphs(n):
    """A graph each, with a capture whose launches name its two kernels."""
    for i in range(n):
        ts = 200 * i
        yield call(0, ts, 1, name="cudaStreamBeginCapture")
        for j in (0, 1):
            yield x(f"aten::op{i % 100}", ts + 10 * j + 5, 8)
            yield call(3 * i + j, ts + 10 * j + 6)
        yield call(0, ts + 30, 1, name="cudaStreamEndCapture")
        yield call(3 * i + 2, ts + 50, 5, name="cudaGraphLaunch")
        for j in (0, 1):
            yield kernel(3 * i + 2, ts + 60 + 10 * j, 8, name=f"kernel {j}", **{"graph id": i + 1, "graph node id": j})


@structure
def capture_of_many(n):
    """A graph of n kernels below modules of m levels, captured once and replayed once."""
    m = min(root(n), 100)
    for i in range(m):
        yield frame(i + 1, i, f"nn.Module: Layer_{i}", i, 40 * n - 2 * i)
    yield call(0, 200, 1, name="cudaStreamBeginCapture")
    for i in range(n):
        yield x(f"aten::op{i % 100}", 300 + 10 * i, 8)
        yield call(i, 301 + 10 * i)
    yield call(0, 300 + 10 * n, 1, name="cudaStreamEndCapture")
    yield call(n, 310 + 10 * n, 5, name="cudaGraphLaunch")
    for i in range(n):
        yield kernel(n, 320 + 10 * (n + i), 8, name=f"kernel {i % 100}", **{"graph id": 5, "graph node id": i})


# Compiled code.

REGION = "Torch-Compiled Region: "


def compiled(i, ts, number, kernel_name="triton_poi_fused_add_0", **args):
    """A call of a region, with what was compiled for it and a launch of Inductor's kernel."""
    yield x("TorchDynamo Cache Lookup", ts, 1)
    yield x("_compile.compile_inner (dynamo_timed)", ts + 2, 10)
    yield x(f"entire_frame_compile_data: fn_name=f, compile_id={number}", ts + 3, 1)
    yield x(REGION + number, ts + 20, 20)
    yield x("CompiledFunction", ts + 21, 15, **{"Sequence number": i, "Fwd thread id": 0})
    yield x(f"## inductor_kernel:{kernel_name}:{i % 7 + 1} ##", ts + 22, 10)
    yield call(i, ts + 23, 2)
    yield kernel(i, ts + 30, 8, name=kernel_name, **args)


@structure
def compiled_frames(n):
    for i in range(n):
        yield from compiled(i, 100 * i, f"{i}/0", f"triton_poi_fused_add_{i}")


@structure
def versions_of_a_frame(n):
    for i in range(n):
        yield from compiled(i, 100 * i, f"0/{i}")


@structure
def nested_regions(n):
    return nested(n, lambda i, ts, dur: x(f"{REGION}{i}/0", ts, dur))


@structure
def compiled_backward(n):
    """n calls forward, then n backward on another thread, the last first; steps around."""
    for i in range(n):
        yield x(f"{REGION}{i % 100}/0", 20 * i, 15)
        yield x("CompiledFunction", 20 * i + 1, 10, **{"Sequence number": i, "Fwd thread id": 0})
    for i in range(n):
        yield step(i, 20 * (n + i), 18)
        yield x("CompiledFunctionBackward", 20 * (n + i), 15, tid=2, **{"Sequence number": n - 1 - i, "Fwd thread id": 1})
        yield from launch(i, 20 * (n + i) + 2, tid=2)


@structure
def lines_of_compiled_kernels(n):
    """Source that Inductor wrote to each kernel, of its own."""
    for i in range(n):
        yield from compiled(i, 100 * i, "0/0", stack=[f'  File "model.py", line {i + j}, in forward\n    y = x{j} + 1' for j in range(3)])


@structure
def long_source_of_a_kernel(n):
    yield from compiled(0, 0, "0/0", stack=[f'  File "model.py", line {i}, in forward\n    y = x + {i}' for i in range(n)])


# Engines, and operators whose work is known.

@structure
def steps_of_an_engine(n):
    """vLLM's, prefill and decode in turn, each with its own number of tokens."""
    for i in range(n):
        prompts, replies = (1, i % 5) if i % 3 == 0 else (0, i % 64 + 1)
        yield label(f"execute_{i}_context_{prompts}({prompts * (i + 1)})_generation_{replies}({replies})", 50 * i, 10)
        yield x("aten::add", 50 * i + 1, 5)
        yield call(i, 50 * i + 2)
        yield kernel(i, 50 * i + 20, 25, name=("gemm", "flash_fwd_kernel", "rms_norm_kernel")[i % 3])


@structure
def products(n):
    """Matrix products of shapes that no other has."""
    for i in range(n):
        yield x("aten::mm", 20 * i, 15, **{"Input Dims": [[i + 1, 64], [64, 32]], "Input type": ["c10::BFloat16", "c10::BFloat16"],
                                          "Input Strides": [[64, 1], [32, 1]], "Concrete Inputs": ["", ""]})
        yield from launch(i, 20 * i + 2, name="ampere_bf16_s16816gemm_bf16_128x128_tn")


@structure
def nested_products(n):
    return nested(n, lambda i, ts, dur: x("aten::linear" if i % 2 else "aten::matmul", ts, dur, **{
        "Input Dims": [[8, 64], [64, 32]], "Input type": ["float", "float"]}))


def wait(i, ts, stream, other, record, kind="Stream Wait Event"):
    return {"ph": "X", "cat": "cuda_sync", "name": kind, "pid": 0, "tid": stream, "ts": ts, "dur": 1,
            "args": {"cuda_sync_kind": kind, "wait_on_stream": other, "wait_on_cuda_event_record_corr_id": record + 1,
                     "wait_on_cuda_event_id": i % 100, "stream": stream, "correlation": i + 1, "device": 0, "context": 1}}


@structure
def event_waits(n):
    """Two streams, each of which waits for the other in turn."""
    for i in range(n):
        a, b = 7 + i % 2, 8 - i % 2
        yield from launch(3 * i, 30 * i, stream=a)
        yield call(3 * i + 1, 30 * i + 3, name="cudaEventRecord")
        yield call(3 * i + 2, 30 * i + 5, name="cudaStreamWaitEvent")
        yield wait(3 * i + 2, 30 * i + 6, b, a, 3 * i + 1)


@structure
def event_waits_for_one(n):
    """One event for which n streams wait."""
    yield from launch(0, 0)
    yield call(1, 3, name="cudaEventRecord")
    for i in range(n):
        yield call(2 * i + 2, 10 * i + 5, name="cudaStreamWaitEvent")
        yield wait(2 * i + 2, 10 * i + 6, 8 + i, 7, 1)
        yield from launch(2 * i + 3, 10 * i + 8, stream=8 + i)


@structure
def event_waits_before_work(n):
    """n waits on a stream, then all its work."""
    for i in range(n):
        yield call(2 * i, 10 * i, name="cudaEventRecord")
        yield call(2 * i + 1, 10 * i + 3, name="cudaStreamWaitEvent")
        yield wait(2 * i + 1, 10 * i + 4, 7, 8, 2 * i)
    for i in range(n):
        yield from launch(2 * n + i, 10 * (n + i))


@structure
def synchronisations(n):
    for i in range(n):
        yield from launch(2 * i, 30 * i)
        yield call(2 * i + 1, 30 * i + 4, 8, name="cudaDeviceSynchronize")
        yield wait(2 * i + 1, 30 * i + 4, -1, -1, -2, "Context Sync")


@structure
def gaps_of_threads(n):
    """The device waits n times while m threads work."""
    m = root(n)
    for i in range(n):
        yield x(f"op {i % 100}", 1000 * i, 900, tid=1000 + i % m)
        yield from launch(i, 1000 * i + 800, tid=1000 + i % m)


@structure
def gaps_under_deep_operators(n):
    """Each of n gaps has n operators around it."""
    for i in range(n):
        yield x(f"op {i % 100}", i, 100 * n - 2 * i)
    for i in range(n):
        yield from launch(i, 2 * n + 20 * i)


@structure
def gaps_under_operators(n):
    """n operators within each gap of the device, m gaps."""
    m = root(n)
    for i in range(n):
        yield x(f"op {i % 100}", 10 * i, 8)
        if i % m == 0:
            yield from launch(i, 10 * i + 1)


@structure
def copies(n):
    for i in range(n):
        yield x("aten::copy_", 20 * i, 12)
        yield call(i, 20 * i + 1, 8, name="cudaMemcpyAsync")
        yield copy(i, 20 * i + 2, 4, kind=("HtoD (Pageable -> Device)", "DtoH (Device -> Pinned)")[i % 2], size=64 * i + 1)


@structure
def grids(n):
    for i in range(n):
        yield call(i, 10 * i)
        yield kernel(i, 10 * i + 2, **{"grid": [i + 1, 1, 1], "shared memory": i, "est. achieved occupancy %": 100 - 100 * i / n})


# Memory.

@structure
def blocks_in_turn(n):
    for i in range(n):
        yield x("aten::empty", 20 * i, 15)
        yield block(20 * i + 1, 512, 1)
        yield block(20 * i + 11, -512, 1, total=0)


@structure
def blocks_that_live(n):
    for i in range(n):
        yield x(f"op {i % 100}", 20 * i, 15)
        yield block(20 * i + 1, 512 + i, i)


@structure
def blocks_first_in_first_out(n):
    for i in range(n):
        yield block(20 * i, 512, i)
    for i in range(n):
        yield block(20 * (n + i), -512, i)


@structure
def blocks_of_steps(n):
    for i in range(n):
        yield step(i, 30 * i, 25)
        yield x(f"op {i}", 30 * i + 1, 15)
        yield block(30 * i + 2, 512 + i, i)


@structure
def blocks_of_devices(n):
    for i in range(n):
        yield block(20 * i, 512, i, device=i)


@structure
def blocks_of_a_step_and_device_each(n):
    for i in range(n):
        yield step(i, 30 * i, 25)
        yield block(30 * i + 2, 512, i, device=i)


@structure
def blocks_of_threads(n):
    for i in range(n):
        yield block(20 * i, 512, i, tid=1000 + i)


@structure
def blocks_of_deep_operators(n):
    for i in range(n):
        yield x(f"op {i % 100}", 10 * i, 50 * n - 20 * i)
        yield block(10 * i + 1, 512, i)


@structure
def blocks_of_deep_frames(n):
    for i in range(n):
        yield frame(i + 1, i, f"a.py({i}): f{i}", i, 50 * n - 2 * i)
    for i in range(n):
        yield x(f"op {i % 100}", 2 * n + 10 * i, 8)
        yield block(2 * n + 10 * i + 1, 512, i)


@structure
def blocks_of_deep_threads(n):
    """Two threads allocate in turn, each within n operators; then each within one more."""
    for i in range(n):
        for tid in (HOST, HOST + 1):
            yield x(f"op {i % 100}", i, 100 * n - 2 * i, tid=tid)
    for i in range(n):
        yield block(2 * n + 20 * i, 512, 2 * i, total=1024 * i + 512, tid=HOST + i % 2)
        yield x("aten::empty", 2 * n + 20 * i + 5, 10, tid=HOST + i % 2)
        yield block(2 * n + 20 * i + 6, 512, 2 * i + 1, total=1024 * i + 1024, tid=HOST + i % 2)


@structure
def blocks_of_host(n):
    for i in range(n):
        yield x(f"op {i % 100}", 20 * i, 15)
        yield block(20 * i + 1, 512, 1, device=-1, kind=0)
        yield block(20 * i + 11, -512, 1, device=-1, kind=0)


@structure
def out_of_memory(n):
    for i in range(n):
        yield x("aten::empty", 20 * i, 15)
        yield {**block(20 * i + 1, 1 << 40, 0), "name": "[OutOfMemory]"}


# Collectives.

def collective(i, ts, group, ranks, kind="allreduce", size=1024, stream=20):
    args = {"Collective name": kind, "In msg nelems": size, "Out msg nelems": size, "Group size": len(ranks), "dtype": "Float",
            "Process Group Name": str(group), "Process Group Ranks": str(ranks), "Seq": i}
    yield x("record_param_comms", ts, 5, **args)
    yield call(i, ts + 1, 2)
    yield kernel(i, ts + 4, 10, stream=stream, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", **args)


@structure
def collectives(n):
    for i in range(n):
        yield from collective(i, 20 * i, 0, [0, 1], size=i % 100 + 1)


@structure
def collectives_at_once(n):
    for i in range(n):
        for event in collective(i, 20 * i, 0, [0, 1], stream=20 + i):
            yield {**event, "dur": 20 * n} if event["cat"] == "kernel" else event


@structure
def groups(n):
    for i in range(n):
        yield from collective(i, 20 * i, i, [0, i + 1])


@structure
def ranks_of_a_group(n):
    for i in range(4):
        yield from collective(i, 20 * i, 0, list(range(n)))


@structure
def sizes_of_messages(n):
    for i in range(n):
        yield from collective(i, 20 * i, 0, [0, 1], size=i + 1, kind=("allreduce", "broadcast", "send")[i % 3])


@structure
def tokens_of_experts(n):
    """Each with sizes of its own, of which the last has m."""
    for i in range(n):
        for event in collective(i, 20 * i, 0, [0, 1], kind="all_to_allv"):
            sizes = {"In split size": str([i, 7]), "Out split size": str([7, i])} if event["cat"] != "cuda_runtime" else {}
            yield {**event, "args": {**event["args"], **sizes}}


@structure
def long_list_of_tokens(n):
    for event in collective(0, 0, 0, list(range(n)), kind="all_to_allv"):
        sizes = {"In split size": str(list(range(n)))} if event["cat"] != "cuda_runtime" else {}
        yield {**event, "args": {**event["args"], **sizes}}


# Texts.

@structure
def names(n):
    for i in range(n):
        yield x(f"op {i}", 20 * i, 15)
        yield from launch(i, 20 * i + 2, name=f"kernel {i}")


@structure
def mangled_names(n):
    for i in range(n):
        text = f"kernel{i}"
        yield kernel(i, 20 * i, 8, name=f"_ZN2at6native{len(text)}{text}IfLi4EEEviT_PS1_")


@structure
def long_name(n):
    yield x("a" * n * 10, 0)
    yield from launch(0, 2, name="b" * n * 10)


@structure
def long_number_as_name(n):
    yield x("0" * 16 * n, 0)


@structure
def long_template_name(n):
    yield from launch(0, 2, name="void f<" + "int, " * n + "int>(int)")


@structure
def nested_template_name(n):
    yield from launch(0, 2, name="void " + "f<" * n + "int" + ">" * n + "(int)")


@structure
def long_names(n):
    m = root(n)
    for i in range(m):
        yield x("a" * m * 10 + str(i), 10 * i, 8)


@structure
def shapes(n):
    for i in range(n):
        yield x("aten::add", 20 * i, 15, **{"Input Dims": [[i, 4], [4]], "Input type": ["float", "float"]})


@structure
def long_shape(n):
    yield x("aten::add", 0, 15, **{"Input Dims": [[1] * n], "Input type": ["float"]})


@structure
def shapes_of_many_inputs(n):
    yield x("aten::cat", 0, 15, **{"Input Dims": [[1, 2]] * n, "Input type": ["float"] * n, "Input Strides": [[2, 1]] * n})


@structure
def tensors_of_a_range(n):
    yield x("gloo:all_reduce", 20, 15, "user_annotation", **{"Input Dims": [[1]] * n, "Input type": ["float"] * n})


@structure
def nested_shape(n):
    yield x("aten::cat", 0, 15, **{"Input Dims": [[[1, 2]] * n, []], "Input type": ["TensorList", "Scalar"]})


@structure
def call_stacks(n):
    for i in range(n):
        yield x("aten::add", 20 * i, 15, **{"Call stack": f"a.py({i}): f;b.py(1): g;c.py(2): h"})
        yield from launch(i, 20 * i + 2)


@structure
def long_call_stack(n):
    yield x("aten::add", 0, 15, **{"Call stack": ";".join(f"a.py({i}): f" for i in range(n))})
    yield from launch(0, 2)


@structure
def long_call_stacks(n):
    m = root(n)
    for i in range(m):
        yield x("aten::add", 20 * i, 15, **{"Call stack": ";".join(f"a.py({j}): f{i}" for j in range(m))})


@structure
def categories(n):
    for i in range(n):
        yield x("work", 10 * i, 8, f"category {i % 60000}")


@structure
def overloads(n):
    for i in range(n):
        yield x(f"aten::add.overload_{i}", 10 * i, 8, **{"Record function id": i})


@structure
def arguments(n):
    yield x("aten::add", 0, 8, **{f"key {i}": i for i in range(n)})


@structure
def metadata(n):
    for i in range(n):
        yield {"ph": "M", "name": f"note {i}", "pid": HOST, "tid": HOST, "args": {"value": i}}
    yield x("aten::add", 0)


@structure
def modules_of_operators(n):
    for i in range(n):
        yield x("aten::add", 20 * i, 15, **{"Module Hierarchy": f"TOP(Net)::forward.l{i}(Linear)::forward"})
        yield from launch(i, 20 * i + 2)


@structure
def modules_of_threads(n):
    """A thread for each call of a module."""
    for i in range(n):
        yield frame(i + 1, 0, "nn.Module: Layer_0", 20 * i, 15, tid=HOST + i)
        yield from launch(i, 20 * i + 2, tid=HOST + i)


@structure
def threads_beside_steps(n):
    """Operators of as many threads as there are steps, each beside all of these and data that is loaded."""
    half = n // 2
    yield label("enumerate(DataLoader)#_X.__next__", 0, half)
    for i in range(half):
        yield label(f"ProfilerStep#{i}", 100 * i, 50)
        yield x("aten::mm", 0, 100 * half, tid=HOST + 1 + i)


@structure
def everything_of_an_engine(n):
    """Steps with a bit of all, to which most commands have an answer; of some twenty events each."""
    for i in range(max(1, n // 8)):
        ts, stack = 400 * i, {"Call stack": f"a.py({i % 100}): f;b.py(1): g"}
        yield step(i, ts, 390)
        yield label(f"execute_context_{i % 2}({8 * (i % 2)})_generation_{1 - i % 2}({1 - i % 2})", ts + 1, 380)
        yield frame(2 * i + 1, 0, "nn.Module: Net_0", ts + 2, 370)
        yield frame(2 * i + 2, 2 * i + 1, f"nn.Module: Layer_{i % 100}", ts + 3, 350)
        yield label(f"layer {i % 100}", ts + 4, 340)
        yield x("aten::mm.out", ts + 4, 20, **{"Module Hierarchy": f"TOP(Net)::forward.l{i % 100}(Linear)::forward", **stack,
                                               "Input Dims": [[i % 100 + 1, 64], [64, 32]], "Input type": ["float", "float"]})
        yield block(ts + 5, 512, i)
        yield from launch(8 * i, ts + 6, name="ampere_sgemm_128x64_nn")
        yield x("aten::copy_", ts + 25, 20)
        yield call(8 * i + 1, ts + 26, 8, name="cudaMemcpyAsync")
        yield copy(8 * i + 1, ts + 40, 4)
        yield from compiled(8 * i + 2, ts + 50, f"0/{i % 8}")
        yield from collective(8 * i + 3, ts + 110, 0, [0, 1])
        yield call(8 * i + 4, ts + 200, 5, name="cudaGraphLaunch")
        yield kernel(8 * i + 4, ts + 210, 8, **{"graph id": 5, "graph node id": 0})
        yield block(ts + 300, -512, i, total=0)


def write_trace(events, path, stretch, head=None):
    """A Chrome trace; with a stretch all its times are so many times as large."""
    with open(path, "w", encoding="utf-8") as out:
        start = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Synthetic GPU", "numSms": 108}],
                 "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, **(head or {})}
        out.write(json.dumps(start)[:-1] + ', "traceEvents": [\n')
        comma = ""
        for event in events:
            for key in ("ts", "dur") if stretch != 1 else ():
                if key in event:
                    event[key] *= stretch
            out.write(comma + json.dumps(event))
            comma = ",\n"
        out.write("]}\n")


def names_of_all():
    return [*STRUCTURES, *FILES]


def write(name, n, folder, stretch=1):
    """Makes the recording within the folder; returns what to ingest."""
    if name in STRUCTURES:
        path = os.path.join(folder, "trace.json")
        write_trace(STRUCTURES[name](n), path, stretch, HEADS[name](n) if name in HEADS else None)
        return path
    return FILES[name](n, folder, stretch)
