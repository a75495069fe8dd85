#!/usr/bin/env python3
"""check_causes.py: `ptool advise` on recordings that mislead: what is no problem though it looks like one, what has no
rule of its own, what another program, device or library needs another remedy for.  Each trace is small, and one thing.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import rulecases
from ruletrace import GPU, SGEMM, STEP, Trace, busy, cpu, gapped
from storetap import Tap, Workplace


def found(work, *traces):
    """The findings on all traces together, as lists by rule."""
    paths = [trace.save(work.path(f"rank{i}.json")) for i, trace in enumerate(traces)]
    rows = json.loads(work.ptool("advise", work.ingest(*paths), "--format", "json").stdout)["rows"]
    by_rule = {}
    for row in rows:
        if row["severity"] != "not_run":
            by_rule.setdefault(row["rule"], []).append(row)
    return by_rule


def texts(by_rule, rule, column="suggestion"):
    return " | ".join(row[column] for row in by_rule.get(rule, []))


def check_idle(tap, work):
    """Idle time has a finding, and one alone, whichever rule has its cause."""
    def waits(name, cat):
        return gapped(300_000, lambda t, a, b: t.host(name, a, b - a, cat))

    for name, cat, wanted in (("[pl][profile]train_dataloader_next", "user_annotation", "workers"),
                              ("cudaHostAlloc", "cuda_runtime", "pin buffers once"), ("c10d::barrier", "cpu_op", "no barrier"),
                              ("cudaMalloc", "cuda_runtime", "caching allocator")):
        rows = found(work, waits(name, cat))
        told = [row for rule in ("idle-time", "allocator-churn", "data-loading") for row in rows.get(rule, [])]
        tap.ok(len(told) == 1 and wanted in told[0]["suggestion"] and told[0]["saving_ns"] >= 300_000, f"idle in {name} is told once", rows)
    seldom = Trace(steps=4)
    for i, start in enumerate(seldom.starts):
        if i % 2:
            seldom.host("cudaMalloc", start + 1000, 299_000, "cuda_runtime")
        seldom.kernel(start + 310_000 * (i % 2), STEP - 310_000 * (i % 2), start + 305_000 * (i % 2), took=5)
    tap.ok("cudaMalloc" in texts(found(work, seldom), "idle-time", "finding"), "one long allocation in two steps is told")


def check_compiling(tap, work):
    for at, wanted in ((1, 80_000), (3, 80_000), (0, None)):
        t = Trace(steps=5)
        for i, start in enumerate(t.starts):
            idle = 400_000 if i == at else 0
            if idle:
                t.host("_compile.compile_inner (dynamo_timed)", start + 100, idle - 200)
            t.kernel(start + idle, STEP - idle, start + max(idle - 10, 0))
        rows = found(work, t)
        savings = [row["saving_ns"] for row in rows.get("compiling", [])]
        tap.ok(not savings if wanted is None else len(savings) == 1 and abs(savings[0] - wanted) < 100,
               f"compiling in step {at} alone: only the first is warm-up", rows)
        told = texts(rows, "idle-time", "finding").count("compilation")
        tap.same(told, int(wanted is None), f"compiling in step {at} alone is told once")


    before = Trace(steps=0)
    before.host("_compile.compile_inner (dynamo_timed)", 100, 10 * STEP)
    for i in range(2):
        before.host(f"ProfilerStep#{i}", (20 + i) * STEP, STEP, "user_annotation")
        before.kernel((20 + i) * STEP + 10_000, 980_000, (20 + i) * STEP + 5000)
    rows = found(work, before)
    tap.ok("compiling" not in rows, "compiling before the first step costs no step", rows)


def check_devices(tap, work):
    """A device that nobody uses is not idle."""
    pair = busy(Trace(), 960_000)
    pair.kernel(500_000, 2000, 11_000, name="Memset (Device)", cat="gpu_memset", device=1)
    tap.same([row for rows in found(work, pair).values() for row in rows if row["device"] == 1], [], "a device with one memset is not judged")
    shown = work.ptool("advise", work.ingest(pair.save(work.path("pair.json")))).stdout
    alone = Trace()
    for start in alone.starts:
        alone.kernel(start + (0 if start else 5000), STEP - (0 if start else 5000), max(start - 20_000, 1000), name="nvjet_tst_128")
    alone.kernel(500_000, 2000, 11_000, name="Memset (Device)", cat="gpu_memset", device=1)
    said = work.ptool("advise", work.ingest(alone.save(work.path("alone.json")))).stdout
    tap.ok(said.startswith("no problem found by the rules that ran; GPU 0"), "beside it there is no problem", said)
    tap.ok("GPU 1 is busy 0.067% of each step (3 steps of 1.000 ms): too little to judge" in shown, "and the line of it says so", shown)


    before = Trace(steps=0)
    for i in range(100):
        before.kernel(i * 100, 50, i * 90)
    for i in range(3):
        before.host(f"ProfilerStep#{i}", (i + 1) * STEP, STEP, "user_annotation")
        before.host("aten::mm", (i + 1) * STEP + 100, 20_000)
        for k in range(3):
            before.kernel((i + 1) * STEP + 30_000 + k * 2000, 1000, (i + 1) * STEP + 1000 + k * 100)
    for options in [], ["--summary-only"]:
        path = work.path(f"before{len(options)}.db")
        work.ptool("ingest", *options, "-o", path, before.save(work.path("before.json")))
        shown = work.ptool("advise", path).stdout
        tap.ok("too little to judge (kernels, copies: 9)" in shown and "Low utilization" not in shown,
               f"100 kernels before the steps are none of them {options}", shown)
    both = Trace(steps=0)
    for device, n in (0, 6), (1, 3):
        for i in range(n):
            both.kernel(100_000 + i * 2000, 1000, 1000 + i * 100, device=device)
    both.host("ProfilerStep#0", 0, STEP * 100, "user_annotation")
    for options, told in ([], "copies: 6)"), (["--summary-only"], "copies: at most 6)"):
        path = work.path(f"both{len(options)}.db")
        work.ptool("ingest", *options, "-o", path, both.save(work.path("both.json")))
        shown = work.ptool("advise", path).stdout
        tap.ok(f"too little to judge (kernels, {told}" in shown, f"of two devices a summary knows how many there were at most {options}", shown)


def check_precision(tap, work):
    """Half precision is for products of float32 on devices that have Tensor Cores."""
    bf16 = "void internal::gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, float, false>(cublasGemvParams)"
    tf32 = "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16"
    def fires(device, name, **more):
        t = busy(Trace(devices=[device]), 900_000, name=name, **more)
        for start in t.starts:
            t.host("aten::mm", start + 9000, 2000)
            t.kernel(start + 930_000, 10_000, start + 12_000, name=tf32)
        return [row["saving_ns"] for row in found(work, t).get("mixed-precision", [])]

    tap.same(fires(GPU, SGEMM), [900_000], "mixed-precision: products of float32 beside a convolution of TF32")
    for name in bf16, "void gemv2T_kernel_val<int, int, float, float, float>(float*)", "ampere_hgemm_128x64_nn":
        tap.same(fires(GPU, name), [], f"mixed-precision: nothing for {name[:40]}")
    for what in "NVIDIA GeForce GTX 1660 Ti", "NVIDIA T1000", "Radeon RX 7900 XTX":
        tap.same(fires(dict(GPU, name=what, computeMajor=7, computeMinor=5), SGEMM), [], f"mixed-precision: nothing on a {what}")
    hip = busy(Trace(), 900_000)
    hip.host("hipModuleLoad", 100, 1000, "cuda_runtime")
    tap.ok("mixed-precision" not in found(work, hip), "mixed-precision: nothing where calls are HIP's, whatever the device is called")
    for what in "Tesla T4", "Quadro RTX 4000":
        tap.same(len(fires(dict(GPU, name=what, computeMajor=7, computeMinor=5), SGEMM)), 1, f"mixed-precision: on a {what}")


def in_a_row(names, dur=100_000):
    """Kernels of these names, one behind the other, in each step."""
    t = Trace()
    for start in t.starts:
        for i, name in enumerate(names):
            t.kernel(start + i * dur, dur, start + i * 10, name=name)
    return t


def check_kernels(tap, work):
    """What is fused already is not told to be; a router has no attention."""
    adam = "void multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, FusedAdamMathFunctor<float, 4> >(long)"
    lists = "void multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<float, 2, 2, 0> >(long)"
    other = lists.replace("BinaryOpListAlpha", "UnaryOp")
    chains = (([rulecases.ELEMENTWISE] * 10, [450_000]), ([adam] * 9, []), ([lists] * 9, []), ([lists, other] * 4, [350_000]))
    for names, savings in chains:
        rows = found(work, in_a_row(names + [SGEMM], 50_000))
        tap.same([row["saving_ns"] for row in rows.get("unfused", [])], savings, f"unfused: {len(names)} times {names[0][:50]}")
    for name in "fused_moe_kernel", "triton_tem_fused_addmm_relu_3":
        product = busy(Trace(), 900_000, name=name, **{"est. achieved occupancy %": 3, "blocks per SM": 4})
        tap.ok("low-occupancy" not in found(work, product), f"low-occupancy: {name} is a product of matrices")
    router = in_a_row([SGEMM, rulecases.SOFTMAX, "at::native::mbtopk::computeBlockDigitCounts", "fused_moe_kernel"])
    tap.ok("attention" not in found(work, router), "attention: none in a router of experts")
    math = in_a_row([SGEMM, rulecases.SOFTMAX, SGEMM])
    tap.ok("attn_implementation" in texts(found(work, math), "attention"), "attention: fuse it")
    math.host("aten::_scaled_dot_product_attention_math", 100, 1000)
    tap.ok("sdpa_kernel" in texts(found(work, math), "attention"), "attention: called, but without a kernel that fuses it")


def check_turns(tap, work):
    """Layers on two devices, of which one works at a time; and two devices that each wait for something unseen."""
    def works(t, start, device, n):
        for j in range(n):
            t.kernel(start + j * 100_000, 99_000, start // 2 + j * 100 + 50 * device, name="nvjet_tst", device=device)

    beside, parallel = Trace(lengths=[10 * STEP] * 3), Trace(lengths=[10 * STEP] * 3)
    parallel.host("DataParallel.forward", 1000, 2000)
    for start in beside.starts:
        works(beside, start + 1000, 0, 99)
        works(beside, start + 1000, 1, 50)
        works(parallel, start + 5_001_000, 1, 49)
        works(parallel, start + 1000, 0, 50)
        for t in beside, parallel:
            t.kernel(start + 9_950_000, 40_000, start + 7_000_000, name="Memcpy PtoP (Device -> Device)", cat="gpu_memcpy")
    for t, what in (beside, "one works all the time, the other beside it"), (parallel, "DataParallel"):
        rows = found(work, t)
        tap.ok("idle-time" in rows and "turns" not in str(rows), f"no turns: {what}", rows)
        shown = work.ptool("advise", work.ingest(t.save(work.path("turns.json"))), "--rule", "idle-time", "--verbose").stdout
        tap.ok("idle gaps" in shown and "saving:" not in shown, "what the recording lacks has no saving", shown)
    for overlap, after, wanted in ((0, 0, "micro-batches"), (0, 1, "micro-batches"), (1, 0, "start the profiler some steps earlier")):
        t = Trace(steps=0)
        if after:
            t.host("ProfilerStep#0", 0, 40_400_000, "user_annotation")
            for device in 0, 1:
                t.kernel(50_000_000, 40_000_000, 45_000_000 + device * 100, name="nvjet_tst", device=device)
        t.host("aten::mm", 0, 200_000)
        for i in range(40):
            at = 300_000 + (i // 2 if overlap else i) * 1_000_000
            for j in range(10):
                t.kernel(at + j * 95_000, 94_000, i * 2000 + j * 100, name="nvjet_tst", device=i % 2, took=50)
            t.kernel(at + 950_000, 49_000, i * 2000 + 1000, name="Memcpy PtoP (Device -> Device)", cat="gpu_memcpy", device=i % 2, took=50)
            for event in t.events[-22:] if overlap else []:
                if "device" in event["args"]:
                    event["ts"] += (i // 2) * 1_000_000
        rows = found(work, t)
        told = [row for row in rows.get("idle-time", []) if "wait" in row["finding"] or "another one works" in row["finding"]]
        tap.ok(told and all(wanted in row["suggestion"] and (row["saving_ns"] is None) == bool(overlap) for row in told),
               f"devices that work {'together' if overlap else 'in turn'}{', and together behind the step' if after else ''}", rows)


def check_turns_and_reads(tap, work):
    """Devices take turns whatever they wait for together between their turns."""
    t = Trace(lengths=[20 * STEP] * 4)
    for start in t.starts:
        at, call = start + 100_000, start + 10_000
        for device in 0, 1:
            for _ in range(80):
                t.kernel(at, 115_000, call, name="nvjet_tst", device=device)
                at, call = at + 116_000, call + 12_000
            t.kernel(at, 50_000, call, name="Memcpy PtoP (Device -> Device)", cat="gpu_memcpy", device=device)
            at, call = at + 60_000, call + 20_000
        t.host("aten::item", call, at - call + 20_000)
        t.host("cudaStreamSynchronize", call + 2000, at - call, "cuda_runtime")
    rows = found(work, t)
    tap.ok("another one works" in texts(rows, "idle-time", "finding") and "synchronization" in rows, "turns, and a read between them", rows)
    t = Trace(lengths=[20 * STEP] * 4)
    for start in t.starts:
        for at, n, call, device in ((5_500_000, 20, 10_000, 0), (14_200_000, 50, 14_190_000, 0), (7_900_000, 54, 400_000, 1)):
            for i in range(n):
                t.kernel(start + at + i * 115_000, 114_000, start + call + i * 4000, name="nvjet_tst", device=device)
        t.kernel(start + 14_110_000, 40_000, start + 900_000, name="Memcpy PtoP (Device -> Device)", cat="gpu_memcpy", device=1)
        t.host("aten::multinomial", start + 1_000_000, 13_100_000)
    short = Trace(lengths=[40 * STEP] * 4)
    for event, start in zip(short.events, short.starts):
        event["dur"] = 22 * STEP
        for device, at, n in (0, 100_000, 80), (1, 10_300_000, 200):
            for i in range(n):
                short.kernel(start + at + i * 116_000, 115_000, start + 10_000 + device * 500_000 + i * 1000, name="nvjet_tst", device=device)
        short.kernel(start + 9_400_000, 50_000, start + 400_000, name="Memcpy PtoP (Device -> Device)", cat="gpu_memcpy", device=0)
    told = texts(found(work, short), "idle-time", "finding")
    tap.ok("another one works" in told and "unexplained" not in told, "turns that go on behind the steps", told)
    told = [row["finding"] for row in found(work, t).get("idle-time", []) if row["device"] == 0]
    tap.ok(told and not any("another one works" in finding for finding in told), "no turns where both wait, though one works in another gap", told)


LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
CPU_RULES = {"slow-calls", "long-calls", "host-reads", "host-copies", "small-operators", "python-time", "threads"}


def check_host(tap, work):
    """Recordings of the CPU alone, and what only look like it."""
    loading, reducing, exposed, aside = cpu(), cpu(), cpu(), cpu()
    for start in loading.starts:
        aside.host("aten::mm", start + 1000, 900_000)
        aside.host(LOADER, start + 1000, 800_000, tid=2)
        loading.host(LOADER, start + 1000, 700_000)
        loading.host("aten::stack", start + 2000, 690_000)
        loading.host("aten::mm", start + 710_000, 200_000)
        reducing.host("aten::mm", start + 1000, 900_000, tid=2)
        reducing.host("gloo:all_reduce", start + 200_000, 500_000, tid=3)
        exposed.host("aten::mm", start + 1000, 400_000, tid=2)
        exposed.host("gloo:all_reduce", start + 200_000, 500_000, tid=3)
    rows = found(work, loading)
    tap.ok("threads" not in rows and "data-loading" in rows, "one thread that loads data is one", rows)
    tap.ok("pin_memory" not in texts(rows, "data-loading"), "no device, no memory to pin for it", rows)
    for trace, what in (loading, "what loads data is no share of the other operators"), (aside, "nor is what runs beside it"):
        shown = work.ptool("advise", work.ingest(trace.save(work.path("loading.json")))).stdout
        tap.ok("most of all aten::mm (100.0% of that)" in shown, what, shown)
    copying = cpu()
    for start in copying.starts:
        copying.host(LOADER, start + 1000, 600_000)
        copying.host("aten::copy_", start + 2000, 590_000)
        copying.host("aten::mm", start + 610_000, 350_000)
    tap.ok("host-copies" not in found(work, copying), "copies that load data are of data-loading")
    tap.same(found(work, reducing).keys() & {"threads", "communication"}, set(), "a reduction beside the backward pass costs nothing")
    tap.same([row["saving_ns"] for row in found(work, exposed)["communication"]], [500_000 - 201_000], "of a reduction the rest is told")
    after, threads = cpu(), cpu()
    for start in after.starts:
        after.host(LOADER, start + 1000, 350_000)
        after.host("aten::stack", start + 2000, 345_000)
        after.host("aten::copy_", start + 360_000, 220_000)
        after.host("gloo:all_reduce", start + 590_000, 320_000)
        for thread in range(3):
            threads.host("aten::mm.out" if thread else "aten::mm", start + 1000, 400_000, tid=2 + thread)
        threads.host("gloo:all_reduce", start + 410_000, 400_000)
    rows = found(work, after)
    tap.same([rows[rule][0]["saving_ns"] if rule in rows else None for rule in ("data-loading", "communication", "host-copies", "threads")],
             [350_000, 320_000, 220_000, None], "operators that load data run beside neither a reduction nor copies after them")
    rows = found(work, threads)
    tap.ok([row["finding"][:3] for row in rows.get("threads", [])] == ["3.0"] and rows["communication"][0]["saving_ns"] == 400_000,
           "three threads are three whatever is reduced after them, and it is told", rows)
    path = work.path("after.db")
    work.ptool("ingest", "--summary-only", "-o", path, after.save(work.path("after.json")))
    rows = json.loads(work.ptool("advise", path, "--rule", "communication", "--format", "json").stdout)["rows"]
    tap.same([row["saving_ns"] for row in rows], [320_000], "summaries tell the reduction as well")
    two = cpu()
    for at in 1000, STEP:
        two.host("aten::copy_", at, 490_000)
    rows = json.loads(work.ptool("advise", work.ingest(two.save(work.path("two.json"))), "--rule", "host-copies", "--evidence", "--format", "json").stdout)["rows"]
    tap.same([row["value"] for row in rows if row["item"] == "calls"], [2], "host-copies: calls are of all steps")
    nonzero = rulecases.calling([("aten::mm", 800_000), ("aten::nonzero", 150_000)])[0]
    tap.same(set(found(work, nonzero)), set(), "aten::nonzero is work on a CPU")
    first = cpu(steps=4, lengths=[10 * STEP] * 4)
    first.has_shapes = True
    for i, start in enumerate(first.starts):
        for k, name in enumerate(("aten::addmm", "aten::mkldnn_convolution", "aten::native_batch_norm")):
            first.host(name, start + k * 3 * STEP, 3 * STEP if i == 0 else 30_000, **{"Input Dims": [[8, 8], [8, 8]]})
    tap.ok("slow-calls" not in found(work, first), "first calls load code, and wait for no core")
    for name in "aten::cudnn_is_acceptable", "aten::_use_cudnn_ctc_loss", "cuda_fallback_check", "cuBLAS warm-up":
        alone = rulecases.calling([(name, 1000), ("aten::copy_", 500_000)])[0]
        for event in alone.events:
            event["cat"] = event["cat"] if "::" in event["name"] else "user_annotation"
        tap.ok("host-copies" in found(work, alone), f"{name} says nothing of a device")
    for name, devices, cat in (("aten::item", [GPU], "cpu_op"), ("aten::cudnn_convolution", [], "cpu_op"), ("urQueueFinish", [], "cuda_runtime"),
                               ("hipDeviceSynchronize", [], "cuda_runtime"), ("cuStreamSynchronize", [], "cuda_driver"),
                               ("nccl:all_reduce", [], "user_annotation"), ("aten::_mps_convolution", [], "cpu_op"),
                               ("aten::mps_convolution_backward", [], "cpu_op"), ("aten::convolution_overrideable", [], "cpu_op"),
                               ("aten::_scaled_dot_product_attention_math_for_mps", [], "cpu_op")):
        unseen = rulecases.calling([("aten::item", 300_000)])[0]
        unseen.devices = devices
        unseen.host(name, 300_000, 500_000, cat)
        tap.same(found(work, unseen).keys() & CPU_RULES, set(), f"{name}: the work of a device was not recorded")
        shown = work.ptool("advise", work.ingest(unseen.save(work.path("unseen.json"))), "--verbose").stdout
        tap.ok("no problem found" not in shown and "record the activity of the device too" in shown, f"{name}: and how to record it", shown)


def check_waits(tap, work):
    """Who waits for a collective within an operator computes nothing; who computes beside one, or beside another thread's
    loading, does."""
    gradient = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
    for what, waits, inner, behind, wanted in (("waits", True, 0, 0, 650_000), ("waits, and computes in it", True, 200_000, 0, 450_000),
                                               ("goes on, and computes behind it", False, 0, 600_000, 50_000)):
        t = cpu()
        for start in t.starts:
            t.host(gradient, start + 1000, 660_000 if waits else 9000)
            t.host("c10d::allreduce_", start + 8000, 1000)
            t.host("gloo:all_reduce", start + 9000, 649_000, tid=3)
            if inner:
                t.host("aten::mm", start + 100_000, inner)
            if behind:
                t.host("aten::mm", start + 20_000, behind)
        savings = [row["saving_ns"] for row in found(work, t).get("communication", [])]
        tap.ok(len(savings) == (wanted > 100_000) and all(abs(ns - wanted) <= 1000 for ns in savings), f"a hook that reduces {what}", savings)
    for what, outer, parts in (("a label between", gradient, (("average gradients", "user_annotation", 0, 650_000), ("c10d::allreduce_", "cpu_op", 0, 1000))),
                               ("a collective in it that waits", "aten::linear", (("_c10d_functional::wait_tensor", "cpu_op", 1000, 649_000),))):
        t = cpu()
        for start in t.starts:
            t.host(outer, start + 1000, 660_000)
            t.host("gloo:all_reduce", start + 9000, 649_000, tid=3)
            t.host("aten::copy_", start + 700_000, 100_000)
            for name, cat, at, dur in parts:
                t.host(name, start + 8000 + at, dur, cat)
        rows = found(work, t)
        tap.ok([abs(row["saving_ns"] - 649_000) <= 1000 for row in rows.get("communication", [])] == [True], f"a wait within an operator: {what}", rows)
        tap.same([row["saving_ns"] for row in rows.get("host-copies", [])], [100_000], f"and copies behind it are told: {what}")
    plain, inside = cpu(), cpu()
    for start in plain.starts:
        for tid in 1, 2:
            plain.host("aten::copy_", start, 150_000, tid=tid)
            plain.host("c10d::allreduce_", start + 150_000, 800_000, tid=tid)
        inside.host(LOADER, start, 500_000)
        inside.host("aten::copy_", start + 1000, 490_000)
        inside.host("c10d::broadcast_", start + 2000, 1000)
        inside.host("gloo:broadcast", start + 3000, 487_000, tid=3)
        inside.host("aten::copy_", start + 600_000, 390_000)
    rows = found(work, plain)
    tap.ok([row["saving_ns"] for row in rows.get("host-copies", [])] == [150_000] and rows["threads"][0]["finding"].startswith("2.0 threads"),
           "collectives without a range of their backend are no operators", rows)
    tap.same([row["saving_ns"] for row in found(work, inside).get("host-copies", [])], [390_000], "who waits while it loads data does so once")
    apart = cpu()
    apart.host(LOADER, 3 * STEP, 5 * STEP)
    apart.host("aten::copy_", 3 * STEP + 1000, 4 * STEP)
    for start in apart.starts:
        apart.host("aten::copy_", start + 1000, 200_000)
    tap.same([row["saving_ns"] for row in found(work, apart).get("host-copies", [])], [200_000], "loading behind the steps takes nothing from them")
    three = cpu()
    for start in three.starts:
        three.host(LOADER, start, 800_000, tid=2)
        three.host("gloo:all_reduce", start, 400_000, tid=3)
        three.host("aten::mm", start, 400_000)
    tap.same([row["saving_ns"] for row in found(work, three).get("data-loading", [])], [400_000], "what communicates is no loading that operators hide")
    for computes, loads, told in ((900_000, 800_000, None), (300_000, 800_000, 500_000)):
        t = cpu()
        for start in t.starts:
            t.host("aten::mm", start + 1000, computes - 200_000)
            t.host("aten::copy_", start + 1000 + computes - 200_000, 200_000)
            t.host(LOADER, start + 1000, loads, tid=2)
            t.host("aten::stack", start + 2000, loads - 2000, tid=2)
        rows = found(work, t)
        tap.same([row["saving_ns"] for row in rows.get("data-loading", [])], [told] if told else [], f"loading beside {computes} ns of operators")
        tap.same([row["saving_ns"] for row in rows.get("host-copies", [])], [200_000], "copies beside another thread's loading are told")
        shown = work.ptool("advise", work.ingest(t.save(work.path("beside.json")))).stdout
        tap.ok(f"operators run for {computes / STEP:.1%} of each step" in shown, "and run whatever other threads load", shown)
    cut, lost = Trace(), Trace(devices=[])
    for t in cut, lost:
        for start in t.starts:
            t.host(LOADER, start + 1000, 300_000)
            t.host("aten::mm", start + 310_000, 100_000)
            t.host("gloo:all_reduce", start + 500_000, 400_000)
    lost.host("cudaLaunchKernel", 320_000, 5000, "cuda_runtime")
    for t, what in (cut, "not recorded"), (lost, "missing"):
        rows = found(work, t)
        tap.same([(row["saving_ns"], row["severity"]) for row in rows["data-loading"]], [(None, "low")], f"device work {what}: loading saves nothing known")
        tap.ok("while no device works" not in texts(rows, "data-loading", "finding") and "communication" not in rows, f"device work {what}: it may run then", rows)
    for name, is_slow in ("compile_file (dynamo_timed)", False), ("aten::mm", True):
        t = cpu(lengths=[10 * STEP] * 3)
        for at, dur in (0, 1), (2, 5), (8, 1):
            t.host(name, at * STEP, dur * STEP)
        tap.same("long-calls" in found(work, t), is_slow, f"long-calls: {name}")


def check_captures(tap, work):
    """What is captured runs nothing, whichever thread launches it; what is launched before and after does."""
    def launches(before, within, after, ends=("cudaStreamEndCapture", "cudaGraphInstantiate"), begins=1, maker=1):
        t = Trace(devices=[])
        t.host("aten::mm", 1000, 100_000)
        for _ in range(begins):
            t.host("cudaStreamBeginCapture", 200_000, 500, "cuda_runtime")
        for i, name in enumerate(ends):
            t.host(name, 300_000 + i * 1000, 500, "cuda_runtime", maker if "Instantiate" in name else 1)
        for at, n, tid in (10_000, before, 1), (210_000, within, 1), (250_000, within, 2), (400_000, after, 1):
            for i in range(n):
                t.host("cudaLaunchKernel", at + i * 20, 10, "cuda_runtime", tid)
        return t

    def missing(trace, *options):
        store = work.path("captured.db")
        if os.path.exists(store):
            os.remove(store)
        work.ptool("ingest", "-o", store, *options, trace.save(work.path("captured.json")))
        rows = json.loads(work.ptool("advise", store, "--rule", "missing-kernels", "--format", "json").stdout)["rows"]
        return [row["finding"] for row in rows]

    captured, lost = "a graph was captured, which runs no kernel", "{} calls launched kernels, and no kernel was recorded"
    for counts, wanted in ((0, 5, 0), captured), ((2, 5, 0), lost.format(2)), ((0, 5, 3), lost.format(3)), ((0, 0, 2), lost.format(2)):
        tap.same(missing(launches(*counts)), [wanted], f"launches before, in and after a capture: {counts}")
    tap.same(missing(launches(0, 5, 0, ends=())), [captured], "a capture that does not end")
    tap.same(missing(launches(0, 5, 3, ends=["cudaGraphInstantiate"])), [lost.format(3)], "a capture whose end is not recorded")
    tap.same(missing(launches(2, 5, 0, maker=9)), [lost.format(2)], "a graph that another thread instantiates")
    tap.same(missing(launches(2, 0, 3, maker=9)), [lost.format(5)], "and launches behind it")
    tap.same(missing(launches(2, 0, 3, ["cudaGraphInstantiate"], 0)), [lost.format(5)], "a graph that is made without a capture")
    tap.same(missing(launches(2, 0, 3, begins=0)), [lost.format(3)], "a capture that began before the recording")
    for counts, told, verdict in ((0, 5, 3), lost.format(3), "its kernels are missing"), ((0, 600, 0), captured, captured):
        missing(launches(*counts), "--summary-only")
        for command, wanted in ("steps", told), ("devices", told), ("advise", verdict):
            shown = work.ptool(command, work.path("captured.db"), check=False)
            tap.ok(wanted in shown.stdout + shown.stderr, f"summaries, {command}: launches before, in and after a capture: {counts}", shown)
    for after, is_lost in (3, False), (990, True):
        calls = launches(0, 5, after)
        calls.events = [event for event in calls.events if event["cat"] == "cuda_runtime"]
        missing(calls, "--summary-only")
        shown = work.ptool("info", work.path("captured.db")).stdout
        tap.same("no kernel was recorded" in shown, is_lost, f"no summary of steps: {10 + after} launches for one capture")


def check_remedies(tap, work):
    """What to try is of this program: a pipeline, inference, an engine, an optimizer that is fused, another device."""
    backward = "autograd::engine::evaluate_function: MmBackward0"

    def communicates(names):
        t = rulecases.collective(300_000)[0]
        for i, name in enumerate(names):
            t.host(name, 100 + i * 100, 50)
        return texts(found(work, t), "exposed-communication")

    for names, wanted in (([backward, "nccl:all_reduce"], "bucket_cap_mb"), (["aten::mm", "nccl:all_reduce"], "tensor parallel) groups"),
                          (["cudaEventRecord"], "bucket_cap_mb"),
                          (["aten::mm", "DistributedDataParallel.forward", "nccl:all_reduce"], "bucket_cap_mb"),
                          (["aten::mm", "FSDP::all_gather (model)", "nccl:all_gather"], "bucket_cap_mb"),
                          ([backward, "nccl:send", "nccl:recv"], "micro-batches"), ([backward, "nccl:recv", "nccl:all_to_all"], "bucket_cap_mb")):
        told = communicates(names)
        tap.ok(wanted in told and told.count("record all ranks") == 1, f"exposed-communication: {names[-1]} of {names[0]}", told)
    pair = [rulecases.collective(300_000)[0] for _ in range(2)]
    store = work.path("pair.db")
    for rank, t in enumerate(pair):
        t.rank = rank
        t.save(work.path(f"of{rank}.json"))
    work.ptool("ingest", "-o", store, work.path("of0.json"), work.path("of1.json"))
    shown = " ".join(work.ptool("advise", "--rank", "1", "--rule", "exposed-communication", store).stdout.split())
    tap.ok("of all ranks" in shown and "record all ranks" not in shown, "exposed-communication: one rank of a store that has two", shown)
    outside = rulecases.collective(300_000)[0]
    outside.host("aten::empty", 50 * STEP, 50)
    tap.ok("bucket_cap_mb" in texts(found(work, outside), "exposed-communication"), "exposed-communication: an allocation behind the steps proves no inference")
    grown = rulecases.growing([500, 600, 700, 800, 901])[0]
    tap.same([row["severity"] for row in found(work, grown)["memory-growth"]], ["medium"], "memory-growth: nothing tells that it is inference")
    grown.host("aten::mm", 600, 100)
    tap.same([(row["severity"], "static cache" in row["suggestion"]) for row in found(work, grown)["memory-growth"]], [("low", True)],
             "memory-growth: of inference, a cache")
    grown.host(backward, 500, 100)
    tap.same([(row["severity"], "static cache" in row["suggestion"]) for row in found(work, grown)["memory-growth"]], [("medium", False)],
             "memory-growth: of training, what is kept")
    def gaps(trace, *options):
        return work.ptool("gaps", work.ingest(trace.save(work.path("gaps.json"))), *options).stdout

    for optimizer, is_fused in (("aten::_fused_adamw_", True), ("aten::_foreach_add_", False)):
        launching = rulecases.launching(20_000)[0]
        launching.host(optimizer, 500_000, 100)
        launching.host(backward, 500_200, 100)
        tap.same("a fused optimizer" in texts(found(work, launching), "launch-bound"), not is_fused, f"launch-bound: training runs {optimizer}")
        stepping = rulecases.launching(20_000, "Optimizer.step#AdamW.step")[0]
        stepping.host(optimizer, 500_000, 100)
        tap.ok(("fused already" if is_fused else "(fused=True)") in gaps(stepping), f"gaps: the optimizer runs {optimizer}", gaps(stepping))
        small = rulecases.calling([("aten::add", 5000)] * 100 + [(optimizer, 20_000)])[0]
        tap.same("fused optimizers" in texts(found(work, small), "small-operators"), not is_fused, f"small-operators: beside {optimizer}")
    for optimizer, wanted in ("aten::_fused_adamw_", "fused already"), ("aten::_foreach_add_", "(fused=True)"):
        stepping = rulecases.launching(20_000, "Optimizer.step#AdamW.step")[0]
        stepping.host(optimizer, 500_000, 100)
        tap.ok(wanted in texts(found(work, stepping), "launch-bound"), f"launch-bound: the optimizer runs {optimizer}", texts(found(work, stepping), "launch-bound"))
    late = Trace(lengths=[10 * STEP] * 3)
    for i, start in enumerate(late.starts):
        late.events[i].update(name="execute_context_0(0)_generation_4(4)")
        late.host("gpu_model_runner: preprocess", start + 1000, 4 * STEP, "user_annotation")
        late.kernel(start + 4 * STEP + 10_000, 5 * STEP, start + 4 * STEP + 5000)
    tap.ok("--async-scheduling" in texts(found(work, late), "host-bound"), "host-bound: an engine has no DataLoader", found(work, late))
    xpu = rulecases.launching(20_000)[0]
    xpu.host("urEnqueueKernelLaunch", 500_000, 100, "cuda_runtime")
    tap.ok("CUDA" not in texts(found(work, xpu), "launch-bound"), "launch-bound: an XPU has no CUDA graphs")
    tap.ok("launch less often" in gaps(xpu) and "graphs" not in gaps(xpu), "gaps: an XPU has no CUDA graphs", gaps(xpu))
    xpu.host("Torch-Compiled Region: 0/0", 400_000, 1000)
    tap.ok("graphs" not in texts(found(work, xpu), "launch-bound"), "launch-bound: nor has a compiled model on it")
    for cat in "hpu_op", "mtia_ccp_events":
        other = rulecases.launching(20_000)[0]
        for event in other.events:
            event["cat"] = cat if event["cat"] == "kernel" else event["cat"]
        shown = texts(found(work, other), "launch-bound") + gaps(other)
        tap.ok(shown.count("launch less often") == 2 and "graphs" not in shown, f"{cat}: no CUDA graphs", shown)
        for options in [], ["--summary-only"]:
            path = work.path(f"{cat}{len(options)}.db")
            work.ptool("ingest", *options, "-o", path, other.save(work.path("other.json")))
            shown = work.ptool("advise", path).stdout
            tap.ok("device 0 is busy" in shown and "GPU" not in shown, f"{cat}: it is no GPU {options}", shown)
    lost = cpu()
    lost.host("urEnqueueKernelLaunch", 1000, 100, "xpu_runtime")
    tap.ok("1 call launched kernels" in texts(found(work, lost), "missing-kernels", "finding"), "missing-kernels: an XPU's")
    inside = rulecases.launching(20_000, "Torch-Compiled Region: 0/0")[0]
    inside.host("urEnqueueKernelLaunch", 500_000, 100, "cuda_runtime")
    for shown in texts(found(work, inside), "launch-bound"), gaps(inside):
        shown = " ".join(shown.split())
        tap.ok("larger batches" in shown and "torch.compile" not in shown and "graphs" not in shown, "a compiled model on an XPU is compiled", shown)
    for kernel, told in ("triton_poi_fused_add_0", "fuse small kernels by hand"), ("triton_mha_fwd", "fuse small kernels: torch.compile"):
        queued = Trace()
        for start in queued.starts:
            for i in range(40):
                queued.kernel(start + 100_000 + i * 20_000, 12_000, start + 1000 + i * 1000, name=kernel)
        queued.host("urEnqueueKernelLaunch", 500_000, 100, "cuda_runtime")
        shown = " ".join(gaps(queued).split())
        tap.ok(told in shown, f"an XPU's {kernel}, back to back", shown)
    outside = gapped(300_000, lambda t, a, b: t.host("cudaDeviceSynchronize", a, b - a, "cuda_runtime"))
    for has_op in 0, 1:
        if has_op:
            outside.host("aten::mm", 100_000, 3500)
        shown = gaps(outside, "--by", "op")
        tap.ok(("record with ProfilerActivity.CPU" in shown) == (not has_op) and "no operator was recorded at these times" in shown,
               f"gaps: how to record operators where {'none' if not has_op else 'one'} was recorded", shown)


def check_copies(tap, work):
    """XPUs have words of their own for copies."""
    xpu = busy(Trace(devices=[]), 500_000, name="gemm_kernel")
    for start in xpu.starts:
        xpu.kernel(start + 530_000, 300_000, start + 525_000, name="Memcpy D2M", cat="gpu_memcpy", took=310_000)
    for event in xpu.events:
        if event["dur"] == 310_000:
            event["name"] = "urEnqueueUSMMemcpy"
    store = work.ingest(xpu.save(work.path("xpu.json")))
    shown = work.ptool("advise", store, "--verbose").stdout
    tap.ok("pageable-copies: whether memory is pinned is recorded on NVIDIA only" in shown, "XPU: copies to the host are no pinned ones", shown)
    causes = {row["cause"] for row in json.loads(work.ptool("gaps", store, "--format", "json").stdout)["rows"]}
    tap.ok("device_read" in causes, "XPU: a copy to the host is a read", causes)


def check_verdict(tap, work):
    """What the page of a report says first."""
    def verdict(trace):
        page = work.path("page.html")
        work.ptool("report", work.ingest(trace.save(work.path("page.json"))), "-o", page)
        with open(page, encoding="utf-8") as file:
            return re.search('<p class="verdict">.*?</p>.*?</p>', file.read(), re.S)[0]

    scattered = Trace(lengths=[10 * STEP] * 3)
    for start in scattered.starts:
        scattered.host("aten::item", start + 1000, 440_000)
        scattered.host("aten::index_put_", start + 455_000, 400_000)
        scattered.host(LOADER, start + 860_000, 400_000)
        scattered.host("Python GC", start + 1_270_000, 320_000)
        scattered.kernel(start + 1_600_000, 8_400_000, start + 1_595_000, name="nvjet_tst_128x256")
    told = verdict(scattered)
    tap.ok("the largest cause is" in told and "No rule" not in told, "report: the largest of many causes is not most of them", told)


def main():
    tap = Tap()
    with Workplace() as work:
        for name, check in sorted(globals().items()):
            if name.startswith("check_"):
                check(tap, work)
    tap.done()


main()
