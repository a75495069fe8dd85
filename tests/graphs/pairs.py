"""Recordings of one program twice: its kernels launched one by one, and replayed as a graph.

A program is a list of (module path, operators, kernel): what is around each launch, and what it
runs. Kernels share names, as elementwise kernels and GEMMs of one size do.
"""
import json
import random

US = 1000  # times are integers of microseconds


class Recording:
    """Events as Kineto writes them; one host thread and one stream."""

    def __init__(self):
        self.events, self.correlation, self.host, self.device = [], 0, 10, 1_000

    def span(self, cat, name, ts, dur, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur,
                            "args": args})

    def kernel(self, name, dur, correlation, **more):
        self.device = max(self.device, self.host)
        cat = {"Memcpy": "gpu_memcpy", "Memset": "gpu_memset"}.get(name[:6], "kernel")
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": self.device, "dur": dur,
                            "args": {"device": 0, "stream": 7, "correlation": correlation, **more}})
        self.device += dur + 1

    def nested(self, around, inside):
        """Slices of (cat, name) around what `inside` adds."""
        begin, first = self.host, len(self.events)
        self.host += len(around)
        inside()
        self.host += len(around)
        for depth, (cat, name) in enumerate(around):
            self.events.insert(first + depth, {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1,
                                               "ts": begin + depth, "dur": self.host - begin - 2 * depth,
                                               "args": {}})

    def launch(self, step, with_work=True):
        path, ops, name, dur = step
        call = {"Memcpy": "cudaMemcpyAsync", "Memset": "cudaMemsetAsync"}.get(name[:6], "cudaLaunchKernel")

        def inside():
            self.correlation += 1
            self.span("cuda_runtime", call, self.host, 2, correlation=self.correlation)
            self.host += 3
            if with_work:
                self.kernel(name, dur, self.correlation)

        self.nested([("python_function", f"nn.Module: {m}") for m in path] + [("cpu_op", op) for op in ops], inside)

    def iteration(self, number, program):
        def inside():
            for step in program:
                self.launch(step)

        self.nested([("python_function", f"train.py({number}): loop")], inside)

    def capture(self, program):
        self.span("cuda_runtime", "cudaStreamBeginCapture", self.host, 2, correlation=0)
        self.host += 3
        for step in program:
            self.launch(step, False)
        self.span("cuda_runtime", "cudaStreamEndCapture", self.host, 2, correlation=0)
        self.host += 3

    def replay(self, program, graph=None, shuffled=None):
        """`shuffled`: a random order of starts, and node ids that tell the graph's own."""
        self.correlation += 1
        correlation = self.correlation

        def inside():
            self.span("cuda_runtime", "cudaGraphLaunch", self.host, 4, correlation=correlation)
            self.host += 5

        self.nested([("user_annotation", "step"), ("cpu_op", "CompiledGraph")], inside)
        nodes = list(enumerate(program))
        if shuffled:
            shuffled.shuffle(nodes)
        for node, (_, _, name, dur) in nodes:
            ids = {"graph id": graph, "graph node id": graph * 1000 + node} if graph else {}
            self.kernel(name, dur, correlation, **ids)
        self.host = max(self.host, self.device)

    def save(self, path):
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"traceEvents": self.events}, out)
        return path


def program(rng, layers, distinct=False):
    """Layers with the same kernels each, as models have them; durations tell kernels apart."""
    blocks = [("Attention", ["aten::matmul", "aten::mm"], "gemm_64"), ("Attention", ["aten::softmax"], "softmax"),
              ("MLP", ["aten::linear", "aten::addmm"], "gemm_64"), ("MLP", ["aten::relu"], "elementwise"),
              ("Norm", ["aten::add"], "elementwise"), ("Norm", ["aten::layer_norm"], "Memset (Device)")]
    steps = []
    for layer in range(layers):
        for block, ops, name in rng.sample(blocks, rng.randrange(2, len(blocks) + 1)):
            steps.append((("Net_0", f"{block}_{layer}"), ops, f"{name}_{layer}" if distinct else name,
                          1 + len(steps)))
    return steps
