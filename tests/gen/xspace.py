#!/usr/bin/env python3
"""xspace.py gpu|tpu FOLDER: what xprof would have written for a GPU or a TPU.

Records a pretended machine as an XSpace (openxla/xla: xplane.proto) and lets xprof's own converter
make the two JSON files of it that people have: TRACE.json, as TensorFlow's and JAX's log
directories have it, and TRACE_stream.json, as its trace viewer downloads it.  Needs tensorflow-cpu
and xprof, which Debian does not have: no test runs this, tests/fixtures/chrome has its output.
"""
import os
import sys

from tensorflow.tsl.profiler.protobuf import xplane_pb2
from xprof.convert import raw_to_tool_data

LINE_START_NS = 1_000_000
STEPS = 3

# Name, stream, start and duration in a step (us), args: of the work of a GPU.
GPU_WORK = [
    ("MemcpyH2D", 13, 100, 20, {"memcpy_details": "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"}),
    ("Memset", 13, 130, 5, {"memset_details": "kind:device num_bytes:1024 async:1"}),
    ("loop_add_fusion", 13, 150, 40.5, {
        "kernel_details": "regs:32 static_shared:16 dynamic_shared:1024 grid:8,2,1 block:128,1,1 occ_pct:75",
        "theoretical_occupancy_pct": 75.0, "hlo_op": "fusion.1", "hlo_module": "jit_step",
        "tf_op": "jit(step)/add", "program_id": 7}),
    ("void gemm<float>(int)", 14, 180, 100, {
        "kernel_details": "regs:64 static_shared:0 dynamic_shared:0 grid:4,1,1 block:256,1,1 occ_pct:50",
        "hlo_op": "dot.2", "hlo_module": "jit_step", "tf_op": "jit(step)/dot", "program_id": 7}),
    ("MemcpyD2H", 13, 300, 10, {"memcpy_details": "kind_src:device kind_dst:pinned size:64 dest:0 async:0"}),
]
CALLS = {"MemcpyH2D": "cuMemcpyHtoDAsync_v2", "MemcpyD2H": "cuMemcpyDtoHAsync_v2", "Memset": "cuMemsetD8Async"}

# Name, start, duration, category: of the operations of a TPU; the first lies around the next two.
TPU_WORK = [
    ("while.3", 0, 400, "while"),
    ("fusion.1", 10, 100, "loop fusion"),
    ("dot.2", 120, 200, "convolution fusion"),
    ("copy.5", 410, 50, "data formatting"),
]


class Plane:
    """A plane of an XSpace; names of events and stats are numbered as they come."""

    def __init__(self, space, name, number):
        self.plane = space.planes.add(name=name, id=number)
        self.events, self.stats = {}, {}

    def line(self, number, name):
        return self.plane.lines.add(id=number, name=name, timestamp_ns=LINE_START_NS)

    def event(self, line, name, start_us, dur_us, display=None, **stats):
        number = self.events.setdefault(name, len(self.events) + 1)
        metadata = self.plane.event_metadata[number]
        metadata.id, metadata.name = number, name
        if display:
            metadata.display_name = display
        event = line.events.add(metadata_id=number, offset_ps=round(start_us * 1e6), duration_ps=round(dur_us * 1e6))
        for key, value in stats.items():
            self.stat(event, key, value)

    def stat(self, event, key, value):
        number = self.stats.setdefault(key, len(self.stats) + 1)
        self.plane.stat_metadata[number].id, self.plane.stat_metadata[number].name = number, key
        field = {int: "int64_value", float: "double_value", str: "str_value"}[type(value)]
        event.stats.add(metadata_id=number, **{field: value})


def record_gpu(space):
    host, device = Plane(space, "/host:CPU", 0), Plane(space, "/device:GPU:0", 1)
    python = host.line(100, "python")
    streams = {13: device.line(13, "Stream #13(MemcpyH2D,MemcpyD2H,Memset,Compute)"),
               14: device.line(14, "Stream #14(Compute)")}
    correlation = 500
    for n in range(STEPS):
        at = 1000 * n + 100
        host.event(python, "train", at, 800, step_num=n, _r=1)
        host.event(python, "$train.py:10 step", at + 5, 700)
        host.event(python, "PjitFunction(step)", at + 10, 600)
        for i, (name, stream, start, dur, args) in enumerate(GPU_WORK):
            correlation += 1
            host.event(python, CALLS.get(name, "cuLaunchKernel"), at + 20 + 20 * i, 8, correlation_id=correlation,
                       device_id=0, context_id="$$1")
            device.event(streams[stream], name, at + start, dur, correlation_id=correlation, context_id="$$1", **args)


def record_tpu(space):
    host, devices = Plane(space, "/host:CPU", 0), [Plane(space, f"/device:TPU:{i}", i + 1) for i in (0, 1)]
    python = host.line(100, "python")
    for n in range(STEPS):
        host.event(python, "train", 1000 * n + 100, 800, step_num=n, _r=1)
        for i in (0, 1):
            host.event(python, "DoEnqueueProgram", 1000 * n + 120 + 10 * i, 5, _pt=9, _p=10 * n + i, run_id=10 * n + i)
    for i, device in enumerate(devices):
        names = ("Steps", "XLA Modules", "XLA Ops", "Async XLA Ops")
        steps, modules, operations, copies = (device.line(k + 1, name) for k, name in enumerate(names))
        for n in range(STEPS):
            at = 1000 * n + 150
            device.event(steps, str(n), at, 500)
            device.event(modules, "jit_step(123)", at, 500, run_id=n, program_id=123, _ct=9, _c=10 * n + i)
            for name, start, dur, category in TPU_WORK:
                device.event(operations, f"%{name} = f32[8] {name}(...)", at + start, dur, name,
                             hlo_category=category, program_id=123)
            device.event(copies, "%copy-start.1 = f32[8] copy-start(...)", at + 20, 300, "copy-start.1",
                         program_id=123)


def main():
    kind, folder = sys.argv[1:]
    space = xplane_pb2.XSpace()
    {"gpu": record_gpu, "tpu": record_tpu}[kind](space)
    path = os.path.join(folder, "plugins", "profile", kind, "vm.xplane.pb")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(space.SerializeToString())
    for tool, name in (("trace_viewer", f"xprof_{kind}.json"), ("trace_viewer@", f"xprof_{kind}_stream.json")):
        json, _ = raw_to_tool_data.xspace_to_tool_data([path], tool, {"trace_viewer_options": {}})
        with open(os.path.join(folder, name), "wb") as out:
            out.write(json if isinstance(json, bytes) else json.encode())


main()
