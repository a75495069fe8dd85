#!/usr/bin/env python3
"""torch_calls.py FILE [N [SEED]]: writes N random calls of each operator that torch.utils.flop_counter
has a formula for, and what the formula counts, as JSON lines [op, dims, types, values, flops].
Needs torch.  tests/roofline/torch_flops.jsonl.gz is 30 of each by torch 2.14.
"""
import gzip
import json
import random
import sys

import torch
from torch.utils.flop_counter import flop_registry

aten = torch.ops.aten
TYPE = {"bf16": "c10::BFloat16", "half": "c10::Half", "float": "float", "fp8": "c10::Float8_e4m3fn"}


def meta(shape):
    return torch.empty(shape, device="meta")


class Call:
    """One call as Kineto records it: an entry of each list for each input of the schema."""

    def __init__(self, op, type_="bf16"):
        self.op, self.type = op, TYPE[type_]
        self.dims, self.types, self.values, self.args = [], [], [], []

    def tensor(self, shape, type_=None):
        self.dims.append(list(shape))
        self.types.append(type_ or self.type)
        self.values.append("")
        self.args.append(meta(shape))
        return self

    def value(self, value, kind="Scalar"):
        self.dims.append([])
        self.types.append(kind if value is not None else "")
        self.values.append("" if value is None else str(value))
        self.args.append(value)
        return self

    def none(self):
        return self.value(None)

    def row(self, out_val=None):
        try:
            flops = flop_registry[getattr(aten, self.op)](*self.args, out_val=out_val)
        except AssertionError:
            flops = None
        return ["aten::" + self.op, self.dims, self.types, self.values, flops]


def size(r, most=512):
    return r.choice([r.randint(1, 9), r.randint(1, most), 2 ** r.randint(0, 9)])


def mm(r, op):
    m, k, n = size(r), size(r), size(r)
    c = Call(op, r.choice(["bf16", "half", "float"]))
    if op == "addmm":
        c.tensor(r.choice([[n], [m, n]]))
    c.tensor([m, k]).tensor([k, n])
    if op == "addmm":
        c.value(1).value(1)
    return c.row()


def bmm(r, op):
    b, m, k, n = size(r, 64), size(r), size(r), size(r)
    c = Call(op, r.choice(["bf16", "float"]))
    if op == "baddbmm":
        c.tensor([b, m, n])
    c.tensor([b, m, k]).tensor([b, k, n])
    if op == "baddbmm":
        c.value(1).value(1)
    return c.row()


def scaled(r, op):
    m, k, n = size(r), size(r), size(r)
    c = Call(op, "fp8").tensor([m, k]).tensor([k, n]).tensor([1], "float").tensor([1], "float")
    return c.none().none().value(r.choice([15, 6, 5])).value(r.random() < 0.5).row()


def geometry(r):
    """Input, weights and the values of a convolution that has a result."""
    while True:
        axes = r.randint(1, 3)
        groups, transposed = r.choice([1, 1, 2, 4]), r.random() < 0.3
        into, out = groups * r.randint(1, 12), groups * r.randint(1, 12)
        x = [r.randint(1, 9), into] + [r.randint(1, 40 if axes < 3 else 30) for _ in range(axes)]
        w = ([into, out // groups] if transposed else [out, into // groups]) + [r.randint(1, 5) for _ in range(axes)]
        stride = [r.randint(1, 3) for _ in range(axes)]
        values = {"stride": stride, "padding": [r.randint(0, 2) for _ in range(axes)],
                  "dilation": [r.randint(1, 2) for _ in range(axes)], "transposed": transposed,
                  "output_padding": [r.randint(0, s - 1) if transposed else 0 for s in stride], "groups": groups}
        try:
            y = torch.convolution(meta(x), meta(w), None, *values.values())
        except RuntimeError:
            continue
        return x, w, y, values


def conv(r, op):
    x, w, y, v = geometry(r)
    c = Call(op).tensor(x).tensor(w)
    if op == "cudnn_convolution":
        while v["transposed"]:
            x, w, y, v = geometry(r)
        c = Call(op).tensor(x).tensor(w)
        for key in ("padding", "stride", "dilation"):
            c.value(v[key], "ScalarList")
        return c.value(v["groups"]).value(False).value(False).value(True).row(y)
    c.none() if r.random() < 0.5 else c.tensor([y.shape[1]])
    for key, value in v.items():
        c.value(value, "ScalarList" if isinstance(value, list) else "Scalar")
    if op == "_convolution":
        c.value(False).value(False).value(True).value(True)
    return c.row(y)


def conv_backward(r, op):
    x, w, y, v = geometry(r)
    mask = [r.random() < 0.7, r.random() < 0.7, r.random() < 0.5]
    c = Call(op).tensor(y.shape).tensor(x).tensor(w).value([0], "ScalarList")
    for value in v.values():
        c.value(value, "ScalarList" if isinstance(value, list) else "Scalar")
    return c.value(mask, "ScalarList").row((meta(x), meta(w), None))


def shapes(r, swapped=False):
    b, kv, share = r.randint(1, 8), r.randint(1, 8), r.choice([1, 1, 2, 4])
    sq, sk, dk, dv = size(r, 300), size(r, 300), 8 * r.randint(1, 16), 8 * r.randint(1, 16)
    if r.random() < 0.5:  # torch takes lengths for heads in _efficient_attention_*, which must fit then
        sk = sq
    heads = [kv * share, kv, kv, kv * share]
    found = [[b, h, s, d] for h, s, d in zip(heads, (sq, sk, sk, sq), (dk, dk, dv, dv))]
    return [[b, s, h, d] for b, h, s, d in found] if swapped else found


def attention(r, op):
    """[batch, heads, length, width], or with lengths before heads."""
    names = [a.name for a in getattr(aten, op).default._schema.arguments]
    q, k, v, grad = shapes(r, op.startswith(("_flash", "_efficient")))
    tensors = {"query": q, "key": k, "value": v, "grad_out": grad, "grad_out_": grad, "out": grad}
    values = {"is_causal": r.random() < 0.3, "custom_mask_type": r.choice([0, 0, 1, 2]), "dropout_p": 0.0,
              "max_q": 1, "max_k": 1, "max_seqlen_q": None, "max_seqlen_k": None,
              "compute_log_sumexp": True, "return_debug_mask": False, "bias_requires_grad": False}
    c = Call(op)
    for name in names:
        if name in tensors:
            c.tensor(tensors[name])
        elif name in ("logsumexp",):
            c.tensor(q[:3], "float")
        elif name == "grad_input_mask":
            c.value([True, True, True, False], "ScalarList")
        else:
            c.value(values.get(name))
    return c.row()


def maker(op):
    if op in ("mm", "addmm"):
        return mm
    if op in ("bmm", "baddbmm"):
        return bmm
    if op == "_scaled_mm":
        return scaled
    if op == "convolution_backward":
        return conv_backward
    if "attention" in op:
        return attention
    return conv if "conv" in op and "slow" not in op else None


def calls(n, seed):
    r = random.Random(seed)
    ops = sorted(op._qualified_op_name.split("::")[1] for op in flop_registry
                 if isinstance(op, torch._ops.OpOverloadPacket) and op._qualified_op_name.startswith("aten::"))
    for op in ops:
        make = maker(op)
        for _ in range(n if make else 0):
            yield make(r, op)


if __name__ == "__main__":
    how_many = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
        for row in calls(how_many, int(sys.argv[3]) if len(sys.argv) > 3 else 23):
            file.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
