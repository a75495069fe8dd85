#!/usr/bin/env python3
"""record_flops.py TRACE: records a training step on the CPU with torch.profiler, counts the same step
with FlopCounterMode, and writes what that counted for each operator into the trace, as "flop_counter".
Needs torch.  tests/roofline/flop_counter.json.gz is from torch 2.14.
"""
import gzip
import json
import os
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(0)
conv = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=2), torch.nn.ReLU(),
                           torch.nn.ConvTranspose2d(8, 4, 3, stride=2, groups=2, output_padding=1),
                           torch.nn.Conv2d(4, 4, (3, 1), dilation=(2, 1), bias=False))
linear = torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.LayerNorm(48), torch.nn.Linear(48, 16, bias=False))
lstm = torch.nn.LSTMCell(16, 24)


def step():
    x = conv(torch.randn(3, 4, 15, 17)).mean()
    y = linear(torch.randn(5, 7, 32))
    scores = torch.matmul(y, torch.randn(16, 9)).softmax(-1)
    z = torch.einsum("bik,bkj->bij", scores, torch.randn(5, 9, 6))
    z = torch.baddbmm(torch.randn(5, 7, 7), z, torch.randn(5, 6, 7))
    h, _ = lstm(torch.randn(6, 16))
    (x + z.sum() + h.sum() + torch.addmm(torch.randn(8), torch.randn(2, 3), torch.randn(3, 8)).sum()).backward()


step()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    step()
with FlopCounterMode(display=False) as counter:
    step()
with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "trace.json")
    prof.export_chrome_trace(made)
    with open(made, encoding="utf-8") as file:
        trace = json.load(file)
trace["flop_counter"] = {op._qualified_op_name: n for op, n in counter.get_flop_counts()["Global"].items()}
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(json.dumps(trace, separators=(",", ":")).encode())
