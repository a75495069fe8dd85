#!/usr/bin/env python3
"""check_roofline.py: FLOPs of `ptool roofline` against torch.utils.flop_counter's for random calls (a
table that torch made, or where torch is installed 1,000 calls of each formula), and all of its rows
against slowroof.py: random traces, fixtures, and the recordings of ../shared.   timeout: 300 s
"""
import collections
import csv
import glob
import gzip
import io
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "store"))
from storetap import FIXTURES, SHARED, Tap, Workplace
import slowroof

PEAKS = {"bfloat16": 200.0, "float16": 200.0, "float32": 20.0, "float64": 10.0}
BANDWIDTH = 1500.0
PEAKS_OF_TYPES = {"float32": 20.0, "bfloat16": 200.0, "float8_e4m3fn": 400.0}
TYPE = {"bf16": "c10::BFloat16", "float": "float", "long": "long int", "fp8": "c10::Float8_e4m3fn", "bool": "bool",
        "int": "int", "char": "signed char"}


def rows(place, store, *options):
    done = place.ptool("roofline", store, "--format", "csv", *options, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def number(text):
    return int(text) if text else None


def op_event(name, ts, dur, dims=None, types=None, values=None, tid=1):
    args = {} if dims is None else {"Input Dims": dims, "Input type": types, "Concrete Inputs": values}
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}


def python_shapes(dims):
    return str([d if not d or isinstance(d[0], int) else [] for d in dims])


def torch_rows(path):
    """Where torch is installed 1,000 fresh calls of each formula, else those of the table."""
    made = os.path.join(path, "calls.jsonl.gz")
    done = subprocess.run([sys.executable, os.path.join(HERE, "torch_calls.py"), made, "1000", "99"],
                          capture_output=True, check=False)
    is_new = done.returncode == 0
    with gzip.open(made if is_new else os.path.join(HERE, "torch_flops.jsonl.gz"), "rt") as file:
        return [json.loads(line) for line in file], is_new


def check_torch(tap, place):
    calls, is_new = torch_rows(place.folder.name)
    trace = os.path.join(place.folder.name, "calls.json")
    expected = collections.defaultdict(list)
    events = []
    for i, (op, dims, types, values, flops) in enumerate(calls):
        events.append(op_event(op, 10 * i, 5, dims, types, values))
        known = slowroof.Inputs(python_shapes(dims), ";".join(
            {"c10::BFloat16": "bfloat16", "c10::Half": "float16", "float": "float32",
             "c10::Float8_e4m3fn": "float8_e4m3fn"}.get(t, t) for t in types), "")
        expected[op, python_shapes(dims), known.dtypes()].append(flops)
    with open(trace, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    got = {(r["name"], r["input_shapes"], r["dtypes"]): number(r["torch_flops"]) for r in rows(place, trace)}
    wrong = collections.defaultdict(list)
    for key, flops in expected.items():
        sum_ = None if None in flops else sum(flops)
        if got.get(key) != sum_:
            wrong[key[0]].append((key, got.get(key), sum_))
    for op in sorted({key[0] for key in expected}):
        tap.ok(not wrong[op], f"{op}: FLOPs of torch{' itself' if is_new else ''}, to the integer", *wrong[op][:3])


def same(tap, place, store, name, *options):
    got = {(r["name"], r["input_shapes"] or None, r["dtypes"] or None): r for r in rows(place, store, *options)}
    expected = slowroof.Store(store).rows()
    wrong = [("not there", k) for k in expected if k not in got] + [("too much", k) for k in got if k not in expected]
    nknown = 0
    for key, row in expected.items():
        r = got.get(key)
        if not r:
            continue
        time = number(r["device_ns"] or r["host_ns"])
        if (int(r["calls"]), time) != (row.calls, row.time):
            wrong.append((key, "calls and time", int(r["calls"]), time, row))
        if row.known:
            nknown += row.flops is not None
            if (number(r["flops"]), number(r["bytes"])) != (row.flops, row.bytes):
                wrong.append((key, "work", r["flops"], r["bytes"], row))
    tap.ok(not wrong and expected, f"{name}: {len(expected)} rows, FLOPs of {nknown}", *wrong)
    return got


def check_flop_counter(tap, place):
    """A whole training step: nothing counts twice, nothing is left out."""
    path = os.path.join(HERE, "flop_counter.json.gz")
    with gzip.open(path, "rt") as file:
        expected = json.load(file)["flop_counter"]
    got = collections.Counter()
    for row in rows(place, place.ingest(path)):
        got[row["name"]] += number(row["torch_flops"]) or 0
    tap.same({k: v for k, v in got.items() if v}, expected, "a training step as FlopCounterMode counts it")


class Maker:
    """A trace of random operators, nested as torch nests them, with kernels."""

    def __init__(self, seed):
        self.r, self.events, self.at, self.correlation, self.sequence = random.Random(seed), [], 1000, 0, 0

    def kernel(self, name="k"):
        self.correlation += 1
        args = {"correlation": self.correlation}
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                            "ts": self.at, "dur": self.r.randint(1, 9), "args": args})
        self.at += 10
        for part in range(self.r.choice([1, 1, 3])):  # of a graph a launch has several
            self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": self.at + 5000 + 301 * part,
                                "dur": self.r.randint(1, 300), "args": {**args, "device": 0, "stream": 7}})

    def op(self, name, call, inner):
        dims, types, values = call or (None, None, None)
        event = op_event(name, self.at, 0, dims, types, values)
        self.events.append(event)
        self.at += 1
        for part in inner:
            part()
        self.at += 2
        event["dur"] = self.at - event["ts"]
        self.at += 1

    def call(self, tensors, *rest):
        """[(dims, type)] and then values, which are no tensors."""
        return ([list(d) for d, _ in tensors] + [[] for _ in rest], [TYPE[t] for _, t in tensors] +
                ["" if v is None else "ScalarList" if isinstance(v, list) else "Scalar" for v in rest],
                ["" for _ in tensors] + ["" if v is None else str(v) for v in rest])

    def one(self):
        r, n = self.r, lambda most=64: self.r.randint(1, most)
        t = r.choice(["bf16", "float"])
        b, m, k, w = n(8), n(), n(), n()
        kernels = [self.kernel] * r.randint(1, 2)
        mm = lambda: self.op("aten::mm", self.call([([m, k], t), ([k, w], t)]), kernels)
        addmm = lambda: self.op("aten::addmm", self.call([([w], t), ([m, k], t), ([k, w], t)], 1, 1), kernels)
        x = [b, m, k]
        causal = r.random() < 0.5
        heads = [b, 2, m, 8]
        qkv = [(heads, t), ([b, 1, k, 8], t), ([b, 1, k, 16], t)]
        conv = self.call([([b, 4, 9, 9], t), ([6, 2, 3, 3], t)], None, [2, 2], [1], [1, 1], False, [0, 0], 2)
        flash = lambda: self.op("aten::_flash_attention_forward", self.call(
            [([b, m, 4, 8], t)] * 3, None, None, m, m, 0.0, causal, False), kernels)
        one = [
            mm, addmm,
            lambda: self.op("aten::linear", self.call([(x, t), ([w, k], t)], None), [
                lambda: self.op("aten::t", self.call([([w, k], t)]), []),
                lambda: self.op("aten::matmul", self.call([(x, t), ([k, w], t)]), [mm])]),
            lambda: self.op("aten::linear", self.call([(x, t), ([w, k], t), ([w], t)]), kernels),
            lambda: self.op("aten::matmul", self.call([(x, t), ([k, w], t)]), kernels + [
                lambda: self.op("aten::reshape", self.call([(x, t)]), kernels)]),
            lambda: self.op("aten::convolution", conv, [lambda: self.op("aten::_convolution", None, [
                lambda: self.op("aten::cudnn_convolution", None, kernels),
                lambda: self.op("aten::add_", self.call([(x, t), (x, t)], 1), kernels)])]),
            lambda: self.op("aten::convolution_backward", self.call(
                [([b, 6, 4, 4], t), ([b, 4, 8, 8], t), ([6, 2, 3, 3], t)], [6], [2, 2], [1, 1], [1, 1], False, [0, 0],
                2, [True, causal, True]), kernels),
            lambda: self.op("aten::scaled_dot_product_attention", self.call(qkv, None, 0.0, causal), [
                lambda: self.op("aten::_scaled_dot_product_flash_attention", self.call(qkv, 0.0, causal, False), [flash])]),
            lambda: self.op("aten::scaled_dot_product_attention", self.call(qkv, None, 0.0, causal), kernels), flash,
            lambda: self.op("aten::_scaled_mm", self.call(
                [([m, k], "fp8"), ([k, w], "fp8"), ([], "float"), ([], "float")], None, None, 15, True), kernels),
            lambda: self.op("aten::_grouped_mm", self.call([([m, k], t), ([b, k, w], t), ([b], "long")]), kernels),
            lambda: self.op("aten::add", self.call([(x, t), ([m, 1], "float")], 1), kernels),
            lambda: self.op("aten::mul_", self.call([(x, t), ([], "float")]), kernels),
            lambda: self.op("aten::eq", self.call([(x, t), (x, t)]), kernels),
            lambda: self.op("aten::to", None, [lambda: self.op("aten::copy_", self.call(
                [(x, t), (x, "float")], False), kernels)]),
            lambda: self.op("aten::sum", self.call([(x, t)], r.choice([[0], [-1, 1], []]), True, None), kernels),
            lambda: self.op("aten::_softmax", self.call([(x, t)], -1, False), kernels),
            lambda: self.op("aten::native_layer_norm", self.call([(x, t)], [k], None, None, 1e-5), kernels),
            lambda: self.op("aten::embedding", self.call([([9, k], t), ([m], "long")], -1, False, False), [
                lambda: self.op("aten::index_select", None, kernels)]),
            lambda: self.op("aten::cat", ([[[m, k], [m, k]], []], ["TensorList", "Scalar"], ["", "0"]), [
                *kernels, lambda: self.kernel("CatArrayBatchedCopy<at::native::OpaqueType<2u>, unsigned int, 2, 64>")]),
            lambda: self.op("aten::_foreach_add_", ([[[m, k], [], [w]], [[m, k], [], [w]], []], ["TensorList"] * 2 + ["Scalar"],
                                                    ["", "", "1"]), [self.of_lists(t)] * 2),
            lambda: self.op("aten::_fused_adamw_", ([[[m], [w, k]]] * 4 + [[], [[], []], []], ["TensorList"] * 6 + ["Scalar"],
                                                    [""] * 6 + ["0.1"]), [self.of_lists(t), self.of_lists("float")]),
            lambda: self.op("aten::_foreach_add_", ([[[m, k]], []], ["TensorList", "Scalar"], ["", "1"]), [
                lambda: self.op("aten::add_", self.call([([m, k], t), ([], t)], 1), kernels)]),
            lambda: self.old_convolution(b, m, k, r.choice([1, 2])),
            lambda: self.op("triton_poi_fused_add_0", self.call([(x, t), ([k], t)], r.choice([8, 64, 64 * 64 * 8]), 2), kernels),
            lambda: self.op("CompiledFunction", self.call([([k], "bf16")] * 60 + [([m], "float")]), kernels),
            lambda: self.op("aten::prelu", self.call([([b, k, m, w], t), ([k], t)]), [
                lambda: self.op("aten::_prelu_kernel", self.call([([b, k, m, w], t), ([1, k, 1, 1], t)]), kernels)]),
            lambda: self.op("mine::own", self.call([(x, t)]), kernels),
            lambda: self.op("vllm::unified_attention_with_output", self.call(
                [([m, 4, 16], t), ([m, 2, 16], t), ([m, 2, 16], t)]), kernels),
            self.kernel,
        ]
        r.choice(one)()

    def of_lists(self, t):
        return lambda: self.kernel(f"multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<{TYPE[t]}, 2, 2, 0>, "
                                   "std::plus<float>, float>")

    def old_convolution(self, b, m, k, groups):
        """As torch before 1.11 records it: without values, and with autograd's sequence numbers."""
        self.sequence += 1
        side, wide = self.r.randint(3, 9), self.r.randint(3, 9)
        x, w, y = [b, m * groups, side, side], [k * groups, m, 3, 3], [b, k * groups, wide, wide]
        if self.r.random() < 0.3:
            x, y = [y[0], y[1], *x[2:]], [b, m * groups, wide, wide]
        first = len(self.events)
        self.op("aten::convolution", self.call([(x, "float"), (w, "float")])[:2] + (None,), [self.kernel])
        self.op("CudnnConvolutionBackward", self.call([(y, "float")])[:2] + (None,), [
            lambda: self.op("aten::cudnn_convolution_backward", self.call([(x, "float"), (y, "float"), (w, "float")])[:2] + (None,), [
                lambda part=part: self.op("aten::cudnn_convolution_backward_" + part, None, [self.kernel])
                for part in self.r.choice([["weight"], ["input", "weight"], []])])])
        for event in self.events[first:]:
            if event["name"] in ("aten::convolution", "CudnnConvolutionBackward"):
                event["args"] |= {"Sequence number": self.sequence, "Fwd thread id": int("Backward" in event["name"])}
                del event["args"]["Concrete Inputs"]

    def engine_step(self):
        self.events.append(event := {"ph": "X", "cat": "user_annotation", "name": "", "pid": 1, "tid": 1, "ts": self.at})
        self.at += 1
        requests = [[(self.r.randint(1, 9), 0) for _ in range(2)], [(1, 0) for _ in range(3)]]
        sums = [[(q, q + self.r.randint(0, 99)) for q, _ in part] for part in requests]
        text = [f"{len(p)}(sq{sum(q for q, _ in p)}sk{sum(k for _, k in p)}sqsq{sum(q * q for q, _ in p)}"
                f"sqsk{sum(q * k for q, k in p)})" for p in sums]
        event["name"] = f"execute_21_context_{text[0]}_generation_{text[1]}"
        for _ in range(3):
            self.one()
        event["dur"] = self.at - event["ts"] + 1
        self.at += 2

    def write(self, path, device):
        for step in range(3):
            self.events.append(event := {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1,
                                         "tid": 1, "ts": self.at})
            self.at += 1
            for _ in range(13):
                self.r.choice([self.one, self.one, self.engine_step])()
            event["dur"] = self.at - event["ts"] + 1
            self.at += 2
        events = self.events if device else [e for e in self.events if e["cat"] != "kernel"]
        self.save(path, events, "NVIDIA H100 PCIe")

    @staticmethod
    def save(path, events, *devices):
        properties = []
        for i, (device, at, sms) in enumerate(name.partition("@") for name in devices):
            properties.append({"id": i, "name": device, "computeMajor": 8, "computeMinor": 0} | ({"numSms": int(sms)} if at else {}))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": properties, "traceEvents": events}, file)


def check_roofs(tap, got, name):
    """The roof is the longer time; of rows of one call each."""
    wrong = []
    for key, row in got.items():
        time, flops, moved = (number(row[k]) for k in ("device_ns", "flops", "bytes"))
        dtype = (key[2] or "").split(", ")[0]
        if int(row["calls"]) != 1 or moved is None or dtype not in PEAKS or flops is None:
            continue
        compute, memory = flops / PEAKS[dtype] / 1e3, moved / BANDWIDTH
        left, bound = time - round(max(compute, memory)), "compute" if compute >= memory else "memory"
        roof = max(compute, memory)
        if number(row["launch_ns"]) > time:
            bound = "launch"
        elif roof < 2000 and 2 * roof < time < 10000:
            bound = "latency"
        if abs(int(row["left_ns"]) - left) > 1 or row["bound"] != bound:
            wrong.append((key, row["left_ns"], left, row["bound"], bound))
    tap.ok(not wrong, f"{name}: roofs and what bounds", *wrong)


def check_mfu(tap, place, store, name):
    """Of each step: FLOPs and what is known, from the calls of slowroof.py."""
    done = place.ptool("steps", store, "--mfu", "--format", "csv", "--peak", "fp32=20,bf16=200,fp8=400")
    got = {int(r["step"]): r for r in csv.DictReader(io.StringIO(done.stdout)) if r["step"] != "mean"}
    wrong = []
    for step, (flops, known, time, at_peak) in slowroof.Store(store).steps(PEAKS_OF_TYPES).items():
        r = got.get(step)
        share = 100 * at_peak / int(r["total_ns"]) if r else None
        if not r or number(r["flops"]) != flops or abs(float(r["known_pct"]) - 100 * known / time) > 1e-9 or \
                abs(float(r["mfu_pct"]) - share) > 1e-9 * share:
            wrong.append((step, r, flops, known, time, share))
    tap.ok(not wrong and got, f"{name}: the share of the peak of {len(got)} steps", *wrong)


def check_random(tap, place):
    for seed in range(3 if os.environ.get("SAN") else 6):
        trace = os.path.join(place.folder.name, f"random{seed}.json")
        m = Maker(seed)
        m.write(trace, seed % 3 != 2)
        got = same(tap, place, place.ingest(trace), f"random trace {seed}", "--peak",
                   "bf16=200,fp16=200,fp32=20,tf32=20,fp64=10,bw=1500")
        check_mfu(tap, place, place.ingest(trace), f"random trace {seed}")
        if seed % 3 != 2:
            launches = sum(e["dur"] for e in m.events if e["cat"] == "cuda_runtime")
            tap.same(sum(int(r["launch_ns"]) for r in got.values()), 1000 * launches, f"random trace {seed}: each launch once")
            check_roofs(tap, got, f"random trace {seed}")


def arguments(*given):
    """(dims, types, values) of one call: tensors as (dims, type), lists of tensors as [dims, ...], all else a value."""
    dims, types, values = [], [], []
    for one in given:
        is_list = isinstance(one, list) and bool(one) and isinstance(one[0], list)
        tensor = isinstance(one, tuple)
        dims.append(one[0] if tensor else one if is_list else [])
        types.append(TYPE[one[1]] if tensor else "TensorList" if is_list else "" if one is None else "Scalar")
        values.append("" if tensor or is_list or one is None else str(one))
    return dims, types, values


def random_calls(r):
    """(operator, call, FLOPs, bytes): what each formula says, by numel and size of an element."""
    n = lambda most=40: r.randint(1, most)
    m, k, w, g, e = n(), 2 * n(), 8 * n(), n(4), n(8)
    x = [m, k, w]
    axis = r.randrange(-3, 3)
    along, others = x[axis], m * k * w // x[axis]
    few = r.randint(1, along)
    conv = [([g * 2, 3 * e, 9, 8], "float"), ([3 * e, 5, 3, 2], "float")]
    y = (9 - 1) * 2 - 2 + 2 * (3 - 1) + 1 + 1, (8 - 1) * 3 - 0 + 1 * (2 - 1) + 1 + 2
    yield "aten::_embedding_bag", arguments(([m, k], "float"), ([w], "long"), ([g + 1], "long"), False, 0, False, None, True), \
        w * k, 4 * k * (w + g) + 8 * (w + g + 1)
    yield "aten::_embedding_bag_dense_backward", arguments(([g, k], "float"), ([w], "long"), ([w], "long"), ([g], "long"),
                                                           ([g], "long"), m), w * k, 4 * (g * k + m * k) + 8 * w
    yield "aten::index_select", arguments((x, "bf16"), axis, ([few], "long")), 0, 2 * 2 * others * few + 8 * few
    yield "aten::topk", arguments((x, "bf16"), few, axis, True, True), m * k * w, 2 * m * k * w + 10 * others * few
    yield "aten::sort", arguments((x, "float"), None, axis, False), m * k * w, (4 + 4 + 8) * m * k * w
    yield "aten::_weight_int4pack_mm", arguments(([m, k], "bf16"), ([w, g, 32, 4], "int"), 32, ([g, w * 8, 2], "bf16")), \
        2 * m * k * w * 8, 2 * m * k + 4 * w * g * 128 + 2 * g * w * 16 + 2 * m * w * 8
    yield "aten::_weight_int8pack_mm", arguments(([m, k], "bf16"), ([w, k], "char"), ([w], "bf16")), \
        2 * m * k * w, 2 * (m * k + m * w + w) + w * k
    yield "aten::split_with_sizes_copy", arguments((x, "bf16"), [1, 2], 0), 0, 4 * m * k * w
    yield "aten::_cudnn_rnn", arguments(([m, g, k], "bf16"), [[4 * e, k], [4 * e, e], [4 * e], [4 * e]], 4), \
        2 * m * g * 4 * e * (k + e), None
    yield "aten::cudnn_convolution_transpose", arguments(*conv, [1, 0], [1, 2], [2, 3], [2, 1], g), \
        2 * g * 2 * 9 * 8 * 3 * e * 5 * 6, 4 * (g * 2 * 3 * e * 72 + 3 * e * 30 + g * 2 * 5 * g * y[0] * y[1])
    yield "flash_attn::_flash_attn_forward", arguments(([g, m, 4, k], "bf16"), ([g, w, 2, k], "bf16"), ([g, w, 2, k], "bf16"), 0.0,
                                                       1.0, True), \
        4 * k * g * 4 * slowroof.seen(m, w, 2), 4 * g * (m * 4 * k + w * 2 * k)
    yield "flash_attn::_flash_attn_forward", arguments(([g, m, 4, k], "bf16"), ([g, w, 4, k], "bf16"), ([g, w, 4, k], "bf16"), 0.0,
                                                       1.0, False, w, -1), None, 2 * g * 4 * k * (2 * m + 2 * w)
    yield "flash_attn::_flash_attn_varlen_forward", arguments(
        ([m, 4, k], "bf16"), ([w, 2, k], "bf16"), ([w, 2, k], "bf16"), ([2], "int"), ([2], "int"), m, w, 0.0, 1.0, True, -1), \
        4 * k * 4 * slowroof.seen(m, w, 2), 4 * (m * 4 * k + w * 2 * k)
    for name in ("aten::max", "aten::min"):
        yield name, arguments(([m, k], "float"), ([k], "float")), m * k, 4 * (2 * m * k + k)
        yield name, arguments((x, "float"), axis, True), m * k * w, 4 * m * k * w + 12 * others
    for name, each in (("aten::std", 4), ("aten::var", 4), ("aten::mean", 1), ("aten::sum", 1), ("aten::prod", 1)):
        yield name, arguments((x, "float"), False if each == 4 else 6), each * m * k * w, 4 * m * k * w + 4
        dims = (axis, True, None) if name == "aten::prod" else ([axis], True, True) if each == 4 else ([axis], True, None)
        yield name, arguments((x, "float"), *dims), each * m * k * w, 4 * m * k * w + 4 * others
    yield "aten::std_mean", arguments((x, "float"), True), 4 * m * k * w, 4 * m * k * w + 8
    yield "aten::norm", arguments((x, "float"), 2, 6), 2 * m * k * w, 4 * m * k * w + 4
    yield "aten::elu_backward", arguments((x, "float"), 1, 1, 1, True, (x, "float")), m * k * w, 12 * m * k * w
    yield "aten::_int_mm", arguments(([m, k], "char"), ([k, w], "char")), 2 * m * k * w, m * k + k * w + 4 * m * w
    for name in ("aten::_softmax", "aten::_log_softmax"):
        yield name, arguments(([m, k], "bf16"), -1, True), 5 * m * k, 6 * m * k
        yield name, arguments((x, "bf16"), -1, False), 5 * m * k * w, 4 * m * k * w
        yield name + "_backward_data", arguments(([m, k], "float"), ([m, k], "float"), -1, 15), 4 * m * k, 10 * m * k
        yield name + "_backward_data", arguments((x, "bf16"), (x, "bf16"), -1, 15), 4 * m * k * w, 6 * m * k * w
    for name in ("aten::cumsum", "aten::cumprod"):
        yield name, arguments((x, "bool"), axis, None), m * k * w, 9 * m * k * w
        yield name, arguments(([m, k], "int"), 0, 6), m * k, 8 * m * k
        yield name, arguments(([m], "bf16"), 0, None), m, 4 * m
        yield name + "_", arguments(([m, k], "int"), 0, None), m * k, 8 * m * k
        yield name + ".out", arguments(([m, k], "int"), 0, None, ([m, k], "float")), m * k, 8 * m * k
    for name in ("aten::sum", "aten::nansum"):
        yield name, arguments(([m, k], "bool"), [0], True, None), m * k, m * k + 8 * k
        yield name, arguments(([g, m, k], "bf16"), [0], True, 6), g * m * k, 2 * g * m * k + 4 * m * k
    yield "aten::div", arguments((x, "long"), (x, "long")), m * k * w, 20 * m * k * w
    yield "aten::div", arguments(([m, k], "long"), ([m, k], "long"), "floor"), m * k, 24 * m * k
    yield "aten::div.out", arguments(([m, k], "long"), ([m, k], "long"), ([m, k], "float")), m * k, 20 * m * k
    yield "aten::div.out_mode", arguments(([m, k], "int"), ([m, k], "int"), "floor", ([m, k], "long")), m * k, 16 * m * k
    for name in ("acos", "exp", "log", "logit", "reciprocal", "rsqrt", "sigmoid", "sin", "sqrt", "tanh"):
        yield "aten::" + name, arguments(([m, k], "long"), *[0.5] * (name == "logit")), m * k, 12 * m * k
        yield "aten::" + name, arguments(([m], "bf16")), m, 4 * m
    for name in ("abs", "ceil", "floor", "neg", "round", "sign", "square", "trunc"):
        yield "aten::" + name, arguments(([m, k], "long")), m * k, 16 * m * k
    for name in ("atan2", "copysign", "xlogy"):
        yield "aten::" + name, arguments(([m, k], "long"), ([m, k], "long")), m * k, 20 * m * k
    for name in ("add_", "mul_", "div_"):
        yield "aten::" + name, arguments(([m, k], "bf16"), ([m, k], "float")), m * k, 8 * m * k
    yield "aten::eq_", arguments(([m, k], "long"), ([m, k], "long")), m * k, 24 * m * k
    yield "aten::__and__", arguments(([m, k], "bool"), ([m, k], "int")), m * k, 9 * m * k
    yield "aten::mul.out", arguments(([m, k], "bf16"), ([m, k], "float"), ([m, k], "bf16")), m * k, 8 * m * k
    yield "aten::add.out", arguments(([m, k], "long"), ([m, k], "long"), 1, ([m, k], "float")), m * k, 20 * m * k
    yield "aten::eq.Tensor_out", arguments((x, "float"), (x, "float"), (x, "float")), m * k * w, 12 * m * k * w
    yield "aten::clamp", arguments(([m, k], "long"), ([1], "float")), m * k, 16 * m * k
    yield "aten::true_divide", arguments((x, "bf16"), (x, "bf16")), m * k * w, 6 * m * k * w
    for name in ("aten::complex", "aten::polar"):
        yield name, arguments((x, "float"), (x, "float")), m * k * w, 16 * m * k * w
    far = 2 ** 63
    yield "aten::sum", arguments(([-far, m], "float"), [-far], True, None), None, None
    yield "aten::mean.dim", arguments(([m, k], "bf16"), [1], True, None), m * k, 2 * (m * k + m)
    yield "aten::_foreach_add_.List", arguments([[m, k], [w]], [[m, k], [w]], 1), m * k + w, None
    qkv, lse = [([g, 4, m, k], "bf16")] * 5, ([g, 4, m], "float")
    for mask in (True, False):
        causal = 10 * k * g * 4 * slowroof.seen(m, m, mask), 16 * g * 4 * m * k
        yield "aten::_scaled_dot_product_flash_attention_for_cpu_backward", arguments(*qkv, lse, 0.0, mask, None, None), *causal
        yield "aten::_scaled_dot_product_cudnn_attention_backward", arguments(
            *qkv, lse, ([1], "long"), ([1], "long"), None, None, None, m, m, 0.0, mask, None), *causal
    yield "aten::native_dropout_backward", arguments((x, "bf16"), (x, "bool"), 2.0), m * k * w, 5 * m * k * w


def engine_calls(r):
    """The same of operators of vLLM and SGLang: weights of few bits, of 8 bits, and what makes them."""
    n = lambda most=40: r.randint(1, most)
    m, k, w, g = n(), 16 * n(), 8 * n(), n(4)
    x, few, none = ([m, k], "bf16"), ([g, w], "bf16"), ([0], "int")
    packed = 2 * m * k + k * w // 2 + 2 * g * w + 2 * m * w
    yield "_C::awq_gemm", arguments(x, ([k, w // 8], "int"), few, ([g, w // 8], "int"), 8), 2 * m * k * w, packed
    yield "_C::gptq_gemm", arguments(x, ([k // 8, w], "int"), ([g, w // 8], "int"), few, none, True, True, 4), 2 * m * k * w, packed
    yield "_C::machete_mm", arguments(x, ([k // 8, w], "int"), 7, None, few, None, 128), 2 * m * k * w, packed
    yield "_C::machete_mm", arguments(([m, k], "fp8"), ([k // 8, w], "int"), 7, 15, ([g + 9, w], "bf16"), None, 128), 2 * m * k * w, None
    tiles, work = ([k // 16, w * 2], "int"), ([64], "int")
    for name, call in (
            ("_C::marlin_gemm", (x, None, tiles, None, few, None, None, None, none, none, work, 7, m, w, k, True, False, True, False)),
            ("_C::gptq_marlin_gemm", (x, None, tiles, ([w], "bf16"), few, None, None, none, none, work, 7, m, w, k, True)),
            ("sgl_kernel::gptq_marlin_gemm", (x, None, tiles, few, None, none, none, none, work, 7, m, w, k, True))):
        yield name, arguments(*call), 2 * m * k * w, packed
    yield "_C::marlin_gemm", arguments(x, None, tiles, None, few, None, None, None, none, none, work, 7, m + 1, w, k + 1), None, None
    yield "_C::gptq_gemm", arguments(x, ([k + 1, w], "int"), ([g, w // 8], "int"), few, none, True, True, 4), None, None
    f, fw, scale = ([m, k], "fp8"), ([w, k], "fp8"), ([1], "float")
    y = ([m, w], "bf16")
    for name in ("vllm::fp8_gemm_nt_op", "sglang::deep_gemm_fp8_fp8_bf16_nt"):
        yield name, arguments(f, scale, fw, scale, y, True), 2 * m * k * w, m * k + k * w + 2 * m * w
    yield "sgl_kernel::dsv3_fused_a_gemm", arguments(y, x, ([k, w], "bf16")), 2 * m * k * w, 2 * (m * k + k * w + m * w)
    yield "_moe_C::dsv3_router_gemm", arguments(([m, w], "float"), x, ([w, k], "bf16")), 2 * m * k * w, 2 * (m * k + k * w) + 4 * m * w
    yield "_rocm_C::wvSplitK", arguments(([w, k], "bf16"), x, None, 304), 2 * m * k * w, 2 * (m * k + k * w + m * w)
    yield "sgl_kernel::bmm_fp8", arguments(([g, m, k], "fp8"), ([g, k, w], "fp8"), ([g, m, w], "bf16"), scale, scale), \
        2 * g * m * k * w, g * (m * k + k * w + 2 * m * w)
    yield "_C::cutlass_scaled_mm_azp", arguments(y, ([m, k], "char"), ([k, w], "char"), scale, scale, none, None, ([w], "bf16")), \
        2 * m * k * w, m * k + k * w + 2 * m * w + 2 * w
    yield "_C::static_scaled_fp8_quant", arguments(f, x, scale, None), m * k, 3 * m * k + 4
    yield "_C::dynamic_per_token_scaled_fp8_quant", arguments(f, x, ([m, 1], "float"), None), 3 * m * k, 3 * m * k + 4 * m
    yield "_C::per_token_group_fp8_quant", arguments(x, f, ([m, g], "float"), 128, 1e-10, -448.0, 448.0, False), \
        3 * m * k, 3 * m * k + 4 * m * g
    yield "_C::rms_norm_static_fp8_quant", arguments(f, x, ([k], "bf16"), scale, 1e-6), 5 * m * k, 3 * m * k + 2 * k + 4
    yield "_C::fused_add_rms_norm_static_fp8_quant", arguments(f, x, x, ([k], "bf16"), scale, 1e-6), \
        6 * m * k, m * k + 6 * m * k + 2 * k + 4


def check_formulas(tap, place):
    """Formulas that torch has none of, by a second computation."""
    events, expected = [], collections.defaultdict(list)
    r = random.Random(23)
    for i in range(50):
        for op, call, flops, moved in (*random_calls(r), *engine_calls(r)):
            events.append(op_event(op, 10 * len(events), 5, *call))
            expected[op.partition(".")[0], python_shapes(call[0])].append((flops, moved))
    trace = os.path.join(place.folder.name, "formulas.json")
    Maker.save(trace, events, "none")
    wrong, seen = [], 0
    for row in rows(place, trace):
        told = expected[row["name"], row["input_shapes"]]
        sums = tuple(None if None in column else sum(column) for column in zip(*told))
        seen += len(told)
        if (number(row["flops"]), number(row["bytes"])) != sums:
            wrong.append((row["name"], row["input_shapes"], row["flops"], row["bytes"], sums))
    tap.ok(not wrong and seen == len(events), f"FLOPs and bytes of {seen} calls that torch has no formula for", *wrong[:5])


def check_flops_of_torch(tap, place, folder):
    """with_flops of torch has the same FLOPs for products of matrices; it adds calls up as `top` does."""
    with gzip.open(os.path.join(folder, "key_averages.json.gz"), "rt") as file:
        table = json.load(file)
    store = place.ingest(os.path.join(folder, "trace.json.gz"))
    got = collections.Counter()
    for row in rows(place, store):
        got[row["name"]] += number(row["torch_flops"]) or 0
    for op in ("aten::mm", "aten::addmm", "aten::bmm"):
        torch = sum(r.get("flops") or 0 for r in table_rows(table) if (r.get("key") or r.get("name")) == op)
        if torch:
            tap.same(got[op], torch, f"{os.path.basename(folder)}: {op} as torch's own with_flops")


def table_rows(table):
    if isinstance(table, list):
        return table
    return next((v for v in table.values() if isinstance(v, list)), [])


# Names as recordings have them: TFLOP/s of float32 products, GB/s; TF32 is 0: no Tensor Cores.  With "@" multiprocessors.
DEVICES = {
    "NVIDIA H100 80GB HBM3": (67, 494.7, 3350), "NVIDIA H100 PCIe": (51, 378, 2000), "NVIDIA H100 NVL": (60, 417.5, 3900),
    "NVIDIA H200": (67, 494.7, 4800), "NVIDIA H200 NVL": (60, 417.5, 4800), "NVIDIA H800@132": (67, 494.7, 3350),
    "NVIDIA GH200 480GB": (67, 494.7, 4000), "NVIDIA GH200 144G HBM3e": (67, 494.7, 4900), "NVIDIA B200": (75, 1125, 8000),
    "NVIDIA GB200": (80, 1250, 8000), "NVIDIA B300 SXM6 AC": (75, 1125, 8000), "NVIDIA GB300": (83, 1250, 8000),
    "NVIDIA A10": (31.2, 62.5, 600), "NVIDIA A10G": (35, 35, 600), "NVIDIA A100-SXM4-80GB": (19.5, 156, 2039),
    "A100-SXM4-40GB": (19.5, 156, 1555), "NVIDIA A100-PG509-200@108": (19.5, 156, 1555), "NVIDIA A100-PCIE-40GB": (19.5, 156, 1555),
    "NVIDIA A100 80GB PCIe": (19.5, 156, 1935), "Tesla V100-SXM2-32GB": (15.7, 0, 900), "Tesla V100-DGXS-32GB": (15.7, 0, 900),
    "Tesla V100-PCIE-16GB": (14, 0, 900), "Tesla T4": (8.1, 0, 320), "NVIDIA L40S": (91.6, 183, 864), "NVIDIA L4": (30.3, 60, 300),
    "NVIDIA RTX 6000 Ada Generation": (91.1, 182.1, 960), "NVIDIA GeForce RTX 4090": (82.6, 82.6, 1008),
    "AMD Instinct MI300X": (163.4, 653.7, 5325), "AMD Instinct MI300X@304": (163.4, 653.7, 5325), "AMD Instinct MI210": (45.3, 0, 1638),
    "AMD Instinct MI250X / MI250@110": (47.9, 0, 1638), "AMD Instinct MI250X / MI250@104": (45.3, 0, 1638),
    # Other variants, parts of devices, and what is not in the table.
    "AMD Instinct MI250X / MI250": None, "AMD Instinct MI300X@38": None, "NVIDIA H100": None, "NVIDIA H100 80GB HBM3@114": None,
    "NVIDIA A100-SXM-64GB": None, "NVIDIA A100-SXM4-40GB MIG 1g.5gb": None, "NVIDIA A100X": None, "NVIDIA A800 40GB Active": None,
    "Tesla V100-SXM3-32GB": None, "Tesla V100-FHHL-16GB": None, "NVIDIA H20-3e": None, "NVIDIA A10-24Q": None,
    "NVIDIA GeForce RTX 4090 Laptop GPU": None, "NVIDIA GeForce RTX 5090 D": None, "AMD Radeon Graphics": None, "": None,
}


def check_devices(tap, place):
    """The table's peaks by the device's name; TF32 where a kernel's name says Tensor Cores."""
    wrong = []
    for tensor_cores in (False, True):
        m = Maker(1)
        for i in range(len(DEVICES)):
            first = len(m.events)
            m.op("aten::mm", m.call([([512, 256 + i], "float"), ([256 + i, 128], "float")]),
                 [lambda: m.kernel("cutlass_80_tensorop_s1688gemm_256x64_32x4_nn" if tensor_cores else "sgemm_nn")])
            for kernel in m.events[first:]:
                if kernel["cat"] == "kernel":
                    kernel["pid"] = kernel["args"]["device"] = i
        trace = os.path.join(place.folder.name, "device.json")
        m.save(trace, m.events, *DEVICES)
        got = {r["input_shapes"]: r for r in rows(place, trace)}
        for i, (device, peaks) in enumerate(DEVICES.items()):
            k = 256 + i
            row = got[f"[[512, {k}], [{k}, 128]]"]
            tera = peaks and peaks[tensor_cores]
            time = int(row["device_ns"])
            share = 100 * 2 * 512 * k * 128 / (tera * 1e3) / time if tera else None
            speed = 100 * 4 * (512 * k + k * 128 + 512 * 128) / peaks[2] / time if peaks else None
            for column, value in (("peak_pct", share), ("bandwidth_pct", speed)):
                found = float(row[column]) if row[column] else None
                if (found is None) != (value is None) or found and abs(found - value) > 1e-9 * value:
                    wrong.append((device, tensor_cores, column, found, value))
    tap.ok(not wrong, f"peaks of {len(DEVICES)} devices by their names", *wrong)


def check_recordings(tap, place):
    found = [t for t in (os.path.join(FIXTURES, "torch", d, "trace.json.gz") for d in ("t2141_cnn_w0",)) if os.path.exists(t)]
    few = ("h100-falconsai", "torch_compile_triton", "inference-sglang_prefill", "mi250_minitoy")[:2 if os.environ.get("SAN") else 4]
    for trace in sorted(glob.glob(os.path.join(SHARED, "data", "cases", "*.gz")) +
                        glob.glob(os.path.join(SHARED, "data", "gpu", "*.gz"))):
        if os.environ.get("LONG") or os.path.basename(trace).startswith(few):
            found.append(trace)
    if not os.path.isdir(os.path.join(SHARED, "data")):
        tap.skip("recordings", "no ../shared/data")
    for trace in found:
        store = place.ingest(trace)
        name = os.path.basename(os.path.dirname(trace) if trace.endswith("/trace.json.gz") else trace)
        if place.ptool("roofline", store, check=False).returncode == 3:
            tap.ok(True, f"{name}: no shapes, or no operators")
            continue
        same(tap, place, store, name)
    folder = os.path.join(SHARED, "data", "torch", "t2141_transformer_w0_flops")
    if os.path.isdir(folder):
        check_flops_of_torch(tap, place, folder)


def main():
    tap = Tap()
    with Workplace() as place:
        check_torch(tap, place)
        check_flop_counter(tap, place)
        check_random(tap, place)
        check_formulas(tap, place)
        check_devices(tap, place)
        check_recordings(tap, place)
    tap.done()


main()
