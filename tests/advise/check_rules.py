#!/usr/bin/env python3
"""check_rules.py: each rule of `ptool advise` fires where its trace has the problem, with the saving that the trace's
plan gives; stays silent just below its threshold; and says that it cannot run where the recording lacks what it needs.
Then the thresholds of the TensorBoard plugin against its own recommendations, where ../shared is.
timeout: 300 s
"""
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import rulecases
from storetap import FIXTURES, SHARED, Tap, Workplace, fixtures

# What the plugin's sentences begin with, and ptool's rule for each.
PLUGIN = {"This run has high time cost on input data loading": "data-loading",
          "This run has high time cost on communication": "communication", "Kernels with ": "mixed-precision",
          "GPU ": "low-utilization", "It is recommended to use DistributedDataParallel": "data-parallel",
          "Nccl backend is currently the fastest": "ddp-backend"}


WHY_IDLE = {"launch-bound", "host-bound", "synchronization", "idle-time", "data-loading", "allocator-churn"}


def advise(work, store, *options):
    return json.loads(work.ptool("advise", store, "--format", "json", *options).stdout)["rows"]


def found(rows):
    return [row for row in rows if row["severity"] != "not_run"]


def save(work, traces):
    return [trace.save(work.path(f"rank{i}.json")) for i, trace in enumerate(traces)]


def check_rule(tap, work, rule):
    fires, saving, below, lacks = rulecases.CASES[rule]
    store = work.ingest(*save(work, fires))
    rows = advise(work, store, "--rule", rule)
    tap.ok(len(rows) >= 1 and all(row["severity"] in ("low", "medium", "high") for row in rows),
           f"{rule}: fires", rows)
    if saving is not None:
        tap.same([row["saving_ns"] for row in rows], [saving], f"{rule}: saves what the trace's plan gives")
    else:
        tap.ok(all((row["saving_ns"] is None) == (row["saving_formula"] is None) for row in rows),
               f"{rule}: a saving has a formula", rows)
    evidence = advise(work, store, "--rule", rule, "--evidence")
    tap.ok(evidence and all(row["value"] is not None for row in evidence), f"{rule}: has evidence", evidence)
    by_all = {row["rule"] for row in found(advise(work, store))}
    wanted = rulecases.EXPLAINED.get(rule, rule)
    tap.ok(wanted in by_all and (wanted == rule or rule not in by_all), f"{rule}: {wanted} is found among all rules", by_all)
    rows = advise(work, work.ingest(*save(work, below)), "--rule", rule)
    tap.same(rows, [], f"{rule}: silent at its threshold")
    rows = advise(work, work.ingest(*save(work, lacks)), "--rule", rule)
    tap.ok(rows and all(row["severity"] == "not_run" and row["finding"] and
               (row["suggestion"] or re.search("NVIDIA only|does not say", row["finding"])) for row in rows),
           f"{rule}: says that it cannot run, and how to record what is missing if that is possible", rows)


def check_thresholds(tap, work):
    """A parameter moves the threshold; the rule fires above and not at it."""
    store = work.ingest(*save(work, rulecases.data_loading(60_000)))
    for option, fires in (("min_pct=5.9", 1), ("min_pct=6", 0), ("min_pct=0", 1), ("min_pct=100", 0)):
        rows = advise(work, store, "--rule", f"data-loading:{option}")
        tap.ok(len(rows) == fires, f"data-loading:{option} {'fires' if fires else 'is silent'}", rows)


def check_advice(tap, work):
    """What an expert would not say."""
    ddp = rulecases.ddp([rulecases.GPU])[0]
    ddp.kernel(20_000, 100_000, 10_000, name=rulecases.NCCL)
    tap.same(told(work, ddp, "ddp-backend"), [], "ddp-backend: kernels of NCCL are NCCL")
    ddp = rulecases.ddp([rulecases.GPU], None)[0]
    rows = told(work, ddp, "ddp-backend")
    tap.ok([row["finding"] for row in rows] == ["no collective was recorded"], "ddp-backend: a forward pass alone does not tell", rows)
    ddp.rank = 0
    for ddp.backend, wanted in ("nccl", []), ("cpu:gloo,cuda:nccl", []), ("gloo", ["medium"]), ("undefined", ["not_run"]):
        tap.same(severities(told(work, ddp, "ddp-backend")), wanted, f"ddp-backend: the recording says {ddp.backend}")
    elementwise = {"name": rulecases.ELEMENTWISE}
    for rule, args in (("low-occupancy", dict(elementwise, **{"est. achieved occupancy %": 1})), ("small-batch", {"blocks per SM": 0.1})):
        seldom = rulecases.busy(rulecases.Trace(), 9_000, **args)
        tap.same(severities(told(work, seldom, rule)), ["not_run"], f"{rule}: silent where kernels hardly run")
        short = rulecases.busy(rulecases.Trace(), 90_000, **args)
        tap.same([len(told(work, short, f"{rule}:min_pct={pct}")) for pct in (7, 10)], [1, 0], f"{rule}: min_pct")
        shared = rulecases.busy(rulecases.Trace(), 100_000, **dict(args, **{key: 50 for key in args if key != "name"}))
        for start in shared.starts:
            shared.kernel(start + 130_000, 800_000, start + 12_000, **dict(args, name=rulecases.NCCL))
        tap.same(told(work, shared, rule), [], f"{rule}: kernels of NCCL are few and small on purpose")
    tap.same(severities(told(work, rulecases.occupied(0)[0], "low-occupancy")), ["not_run"],
             "low-occupancy: 0 with four blocks an SM is not recorded")
    product = rulecases.busy(rulecases.Trace(), 900_000, **{"est. achieved occupancy %": 3})
    tap.same(told(work, product, "low-occupancy"), [], "low-occupancy: products of matrices are fast at a low one")
    for pct in (29, 57, 58):
        trace = rulecases.busy(rulecases.Trace(), pct * 10_000, **{"blocks per SM": pct / 100})
        tap.same([len(told(work, trace, f"small-batch:below_pct={below}")) for below in (pct, pct + 1e-6)], [0, 1],
                 f"small-batch: {pct} % is not below {pct} %")
    rows = advise(work, work.ingest(*save(work, rulecases.starting(300_000))),
                  "--rule", "low-utilization:below_pct=100", "--rule", "first-use")
    tap.same([row["rule"] for row in rows], ["first-use"], "low-utilization: not where a first use explains it")
    amd = dict(rulecases.GPU, name="AMD Instinct MI300X", computeMajor=9, computeMinor=4)
    rows = told(work, rulecases.capable(amd)[0], "mixed-precision")
    tap.ok([row["severity"] for row in rows] == ["not_run"] and "only NVIDIA's" in rows[0]["finding"],
           "mixed-precision: AMD's capability says nothing", rows)
    for device, wanted in ((rulecases.GPU, "TF32: "), (dict(rulecases.GPU, computeMajor=7), "float16; neither TF32")):
        rows = told(work, rulecases.capable(device)[0], "mixed-precision")
        tap.ok(len(rows) == 1 and wanted in rows[0]["suggestion"],
               f"mixed-precision: what a device of capability {device['computeMajor']} can do", rows)
    tap.same([row["saving_ns"] for row in told(work, rulecases.busy(rulecases.Trace(), 900_000), "mixed-precision")], [900_000],
             "mixed-precision: a product of float32 by its name, whatever launched it")
    for name in ("mine", "triton_tem_fused_mm_0"):
        tap.same(told(work, rulecases.capable(rulecases.GPU, name)[0], "mixed-precision"), [],
                 f"mixed-precision: silent where the name of a kernel does not tell ({name})")
    pool = rulecases.allocating([0, 1, 2], name="cudaMallocAsync")
    tap.same(told(work, pool[0], "allocator-churn"), [], "allocator-churn: a pool waits for nothing")
    ahead = rulecases.allocating([0, 1, 2], at=200_000)[0]
    for start in ahead.starts:
        ahead.kernel(start + 900_000, 80_000, start + 300_000)
    tap.same(told(work, ahead, "allocator-churn"), [], "allocator-churn: the device works while the call waits")
    for name, wanted in (("Memcpy HtoD (Pageable -> Device)", "in the DataLoader"),
                         ("Memcpy DtoH (Device -> Pageable)", "to the host less often")):
        rows = told(work, rulecases.copying(20_001, name)[0], "pageable-copies")
        tap.ok(len(rows) == 1 and wanted in rows[0]["suggestion"], f"pageable-copies: what to do of {name}", rows)
    seldom = rulecases.busy(rulecases.Trace(), 100_000)
    seldom.kernel(130_000, 300_000, 12_000, name="Memcpy DtoD (Device -> Device)", cat="gpu_memcpy")
    for trace, rule, wanted in ((seldom, "device-copies", "(copies: 1 in 3 steps)"), (rulecases.small(5001)[0], "small-operators", ": 60 in 3 steps")):
        rows = told(work, trace, rule)
        tap.ok(len(rows) == 1 and rows[0]["finding"].endswith(wanted), f"{rule}: counts what all steps have, also less than one a step", rows)
    for kind, wanted in (("SingleProcess", "give the DataLoader workers"), ("MultiProcessing", "workers are too slow")):
        rows = told(work, rulecases.data_loading(60_000, f"enumerate(DataLoader)#_{kind}DataLoaderIter.__next__")[0],
                    "data-loading")
        tap.ok(len(rows) == 1 and wanted in rows[0]["suggestion"], f"data-loading: {kind}", rows)
    for trace, what in ((rulecases.attending(300_000, "void cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>(int)"), "of a loss"),
                        (rulecases.attending(300_000, between=5), "far from the product before it")):
        tap.same(told(work, trace[0], "attention"), [], f"attention: no softmax {what}")
    for name in rulecases.SOFTMAX, "void softmax_warp_backward<float, float, float, 8, false, false>(float*)":
        rows = advise(work, work.ingest(*save(work, rulecases.attending(300_000, name))))
        tap.ok("attention" in [row["rule"] for row in rows] and "unfused" not in [row["rule"] for row in found(rows)],
               f"attention: a softmax is told once ({name[:30]})", rows)
    for ns, wanted in (800_000, "torch.compile"), (300_000, "with_stack=True to see what it does"):
        rows = told(work, rulecases.calling([("aten::mm", ns)])[0], "python-time")
        tap.ok(len(rows) == 1 and wanted in rows[0]["suggestion"], f"python-time: operators of {ns} ns in a step of 1 ms", rows)
    tap.same(told(work, rulecases.uneven(5_000_000, steps=3)[0], "slow-calls"), [], "slow-calls: two may compile something")
    tap.same([row["rule"] for row in found(advise(work, work.ingest(*save(work, [rulecases.tiny(2)]))))], ["long-calls", "python-time"],
             "long-calls: two calls that have no others like them")
    tap.same([row["rule"] for row in found(advise(work, work.ingest(*save(work, [rulecases.tiny(3)]))))], ["slow-calls", "python-time"],
             "slow-calls: three calls that take 200 ns an element, told once")
    tap.same(told(work, rulecases.tiny(3, shape=(128, 512)), "slow-calls"), [], "slow-calls: 30 ns an element may be work")
    tap.same(told(work, rulecases.in_loader(3_100_000), "slow-calls"), [], "slow-calls: calls that load data are of data-loading")
    rows = found(advise(work, work.ingest(*save(work, [rulecases.compiling_alone()]))))
    tap.same([row["rule"] for row in rows], ["compiling"],
             "compiling: without steps it is all of the recording; no rule of operators charges its time to them")
    tap.same([row["saving_ns"] for row in rows], [8_000_000], "compiling: its own time")
    rows = told(work, rulecases.pausing(), "python-time")
    tap.ok(len(rows) == 1 and "3 pauses of up to 8.000 ms between aten::mm and aten::add" in rows[0]["finding"], "python-time: names its pauses", rows)
    store = work.ingest(*save(work, rulecases.charging()))
    rows = advise(work, store, "--rule", "host-bound")
    tap.ok(len(rows) == 1 and "(mostly aten::" in rows[0]["finding"], "host-bound: names what the largest cause is charged to", rows)
    rows = advise(work, work.ingest(*save(work, rulecases.too_late())), "--rule", "stragglers")
    tap.same([row["saving_ns"] for row in rows], [2 * 100_000 // 5], "stragglers: nobody waits who has left")
    store = work.ingest(*save(work, rulecases.launching_behind_waits(20_000, 2000)))
    savings = {row["rule"]: row["saving_ns"] for row in found(advise(work, store))}
    tap.same([savings.get("launch-bound"), savings.get("synchronization")],
             [(rulecases.GAP_SHARE * 20_000 - 2 * 2000) // 3, None],
             "launch-bound: a host that was behind before a wait is behind without it")
    for groups, computes, savings in (1, 0, [300_000]), (5, 0, [300_000]), (5, 150_000, [300_000]), (5, 400_000, [50_000]), (5, 600_000, []):
        rows = advise(work, work.ingest(*save(work, rulecases.late_in_groups(groups, computes))), "--rule", "stragglers")
        tap.same([row["saving_ns"] for row in rows], savings,
                 f"stragglers: {groups} groups that wait beside {computes} ns of computing")
    pair = rulecases.synchronizing(33_333)[0]
    pair.kernel(500_000, 100_000, 11_000, device=1)
    for trace, whom in (rulecases.synchronizing(33_333)[0], "it"), (pair, "a device"):
        rows = told(work, trace, "synchronization")
        tap.ok(rows and all(f"because the host waited for {whom} (" in row["finding"] for row in rows),
               f"synchronization: the host waited for {whom}, which of several is not known", rows)
    for jitter, n in ((0, 1), (50_000, 0)):
        rows = advise(work, work.ingest(*save(work, rulecases.first_is_late(jitter))), "--rule", "stragglers")
        tap.ok(len(rows) == n, f"stragglers: the first clock has the error of the others ({jitter} ns)", rows)
    leaking = rulecases.growing([500, 600, 700, 800, 901])[0]
    leaking.host("autograd::engine::evaluate_function: MmBackward0", 500, 100)
    tap.same([told(work, leaking, rule)[0]["device"] for rule in ("memory-growth", "memory-limit")], [0, 0],
             "memory: a device is its number, whatever finds it")
    full = rulecases.busy(rulecases.Trace(devices=[]), 900_000)
    full.memory(1000, 10, 10)
    full.out_of_memory(2000, 5000)
    rows = told(work, full, "memory-limit")
    tap.ok(len(rows) == 1 and "lack of memory: 1" in rows[0]["finding"], "memory-limit: failed allocations, whatever the peak", rows)
    store = work.ingest(*save(work, rulecases.launching_unseen()))
    rules = [row["rule"] for row in found(advise(work, store))]
    tap.same(rules, ["missing-kernels"], "missing-kernels: rules of the CPU do not judge a program that waits for its device")
    said = [(done.stdout + done.stderr).count("3 calls launched kernels, and no kernel was recorded")
            for done in (work.ptool(command, store, check=False) for command in ("gaps", "devices", "kernels", "steps", "info"))]
    tap.same(said, [1] * 5, "missing-kernels: other commands say so, too")
    idle = rulecases.Trace(steps=0)
    idle.host("aten::mm", 0, 1_000_000)
    idle.kernel(20_000, 100_000, 10_000)
    rows = told(work, idle, "low-utilization")
    tap.ok(len(rows) == 1 and rows[0]["finding"].endswith("of the recording"),
           "low-utilization: without steps it speaks of the recording", rows)


def serving(traces, name):
    """The same traces, whose steps are an engine's."""
    for trace in traces:
        for event in trace.events:
            if event.get("cat") in ("user_annotation", "python_function") and event["ts"] in trace.starts:
                event.update(name=name, cat="python_function" if "(9): " in name else "user_annotation")
    return traces


def check_serving(tap, work):
    """Who runs an inference engine sets its options; nothing is said of loops, of DDP or of a backward pass."""
    for rule, wanted in (("exposed-communication", "--enable-dbo"), ("synchronization", "--async-scheduling"),
                         ("launch-bound", "--enforce-eager"), ("unfused", "--enable-torch-compile")):
        for name, is_engine in (("step[DECODE bs=4]", True), ("execute_context_1(9)_generation_0(0)", True),
                                ("vllm/v1/worker/gpu_model_runner.py(9): execute_model", True),
                                ("execute_diffusion_1_256x256", False), ("iteration 3", False), ("decode_step_3", False)):
            store = work.ingest(*save(work, serving(rulecases.CASES[rule][0], name)))
            texts = [row["suggestion"] for row in advise(work, store, "--rule", rule)]
            tap.ok(texts and all((wanted in text) == is_engine for text in texts), f"{rule}: steps are {name}", texts)


def severities(rows):
    return [row["severity"] for row in rows]


def check_guards(tap, work):
    """Where rules have nothing to say, they say nothing."""
    tap.same(told(work, rulecases.filling(990, trains=False)[0], "memory-limit"), [],
             "memory-limit: a server reserves its memory on purpose")
    rows = told(work, rulecases.launching(1017, name=None)[0], "launch-bound")
    tap.same(rows, [], "launch-bound: what the host did not record is no launch")
    few = rulecases.Trace(steps=1, lengths=[1_000_000_000])
    few.host("aten::mm", 1000, 50_000)
    for i in range(5):
        few.kernel(100_000 + i * 20_000, 10_000, 50_000 + i)
    rows = advise(work, work.ingest(*save(work, [few])))
    tap.same(found(rows), [], "five kernels in a second are too little to judge")
    captured = rulecases.Trace(steps=1, lengths=[1_000_000_000])
    captured.host("cudaStreamBeginCapture", 1000, 1000, "cuda_runtime")
    for i in range(200):
        captured.kernel(100_000 + i * 20_000, 1_000, 50_000 + i)
    rows = advise(work, work.ingest(*save(work, [captured])))
    tap.ok(not found(rows) and any("captured" in row["finding"] for row in rows), "a graph that was captured is not judged", rows)
    unseen = rulecases.launching_unseen()[0]
    unseen.host("cudaStreamBeginCapture", 500, 400, "cuda_runtime")
    rows = told(work, unseen, "missing-kernels")
    tap.ok(severities(rows) == ["not_run"] and rows[0]["suggestion"] == "record a replay of the graph",
           "missing-kernels: what is captured runs nothing", rows)
    shown = work.ptool("advise", work.ingest(*save(work, [unseen]))).stdout
    tap.ok("a graph was captured, which runs no kernel" in shown and "missing" not in shown, "and the line of the host says so", shown)
    unseen.host("cudaGraphLaunch", 1_200_000, 400, "cuda_runtime")
    tap.same(severities(told(work, unseen, "missing-kernels")), ["high"], "missing-kernels: a replay runs kernels")
    replayed = rulecases.Trace(steps=1, lengths=[100_000_000])
    replayed.host("cudaStreamBeginCapture", 1000, 1000, "cuda_runtime")
    for i in range(200):
        replayed.host("cudaGraphLaunch", 100_000 + i * 400_000, 10_000, "cuda_runtime")
        replayed.kernel(150_000 + i * 400_000, 4_000, 145_000 + i * 400_000)
    rows = advise(work, work.ingest(*save(work, [replayed])))
    tap.ok(found(rows) and "CUDA graphs" not in str(rows), "a graph that is replayed is judged, and not told to be one", rows)
    rows = advise(work, work.ingest(*save(work, [rulecases.calling([("aten::mm", 990_000)])[0]])))
    tap.ok(not any("CUDA" in row["suggestion"] for row in rows), "recordings of the CPU need no CUDA", rows)


def check_short(tap, work):
    other = advise(work, work.ingest(os.path.join(FIXTURES, "chrome", "chromium.json.gz")))
    tap.ok(not found(other) and "PyTorch recordings only" in str(other), "a browser is not judged by rules of PyTorch", other)
    unshaped = work.ptool("advise", work.ingest(os.path.join(FIXTURES, "torch", "legacy2141_mlp", "trace.json.gz"))).stdout
    tap.ok(unshaped.startswith("operators run for"), "no problem is not said where a rule of the CPU could not run", unshaped)
    short = rulecases.cpu(steps=1, lengths=[900_000])
    short.host("aten::copy_", 1000, 300_000)
    tap.same(found(advise(work, work.ingest(*save(work, [short])))), [], "less than a millisecond of the CPU is too short to judge")


def check_streams(tap, work):
    """Kernels that run at once, on several streams, count no more than the time in which any runs."""
    for rule in "attention", "unfused", "low-occupancy":
        fires, saving = rulecases.CASES[rule][:2]
        trace = fires[0]
        trace.events += [dict(event, tid=stream, args=dict(event["args"], stream=stream))
                         for event in trace.events if event["cat"] == "kernel" for stream in (8, 9, 10)]
        rows = told(work, trace, rule)
        tap.same([row["saving_ns"] for row in rows], [saving], f"{rule}: as much on four streams as on one")
        shares = [float(pct) for row in rows for pct in re.findall(r"([0-9.]+)%", row["finding"])]
        tap.ok(shares and max(shares) <= 100, f"{rule}: no share above 100 %", rows)


def check_overlap(tap, work):
    """Two rules that see the same time are one finding."""
    store = work.ingest(*save(work, rulecases.collective(300_000)))
    rules = [row["rule"] for row in found(advise(work, store))]
    tap.ok("exposed-communication" in rules and "communication" not in rules, "exposed communication is told once", rules)
    store = work.ingest(*save(work, rulecases.late(300_000)))
    rules = [(row["rule"], row["rank"]) for row in found(advise(work, store)) if row["rule"] in ("exposed-communication", "stragglers")]
    tap.same(rules, [("stragglers", 1), ("exposed-communication", 1)], "a rank that waits for a late one is told so, and not to communicate less")
    store = work.ingest(*save(work, rulecases.broadcasting(300_000)))
    rules = [row["rule"] for row in found(advise(work, store))]
    tap.ok("ddp-buffers" in rules and not {"launch-bound", "host-bound", "idle-time", "low-utilization"} & set(rules),
           "a broadcast of buffers is told once", rules)
    for names in ("aten::flatten_dense_tensors", "aten::copy_"), ("c10d::broadcast_", "aten::copy_"):
        tap.same(told(work, rulecases.broadcasting(300_000, names)[0], "ddp-buffers"), [], f"ddp-buffers: {names[0]} alone says nothing")
    store = work.ingest(*save(work, rulecases.launching(30_000)))
    rules = [row["rule"] for row in found(advise(work, store))]
    tap.same(rules, ["launch-bound", "mixed-precision"], "low utilization is told by its cause")


def told(work, trace, rule):
    """What the rule says of one trace."""
    return advise(work, work.ingest(*save(work, [trace])), "--rule", rule)


def check_agreement(tap, work):
    """Savings are what the other commands print."""
    store = work.ingest(*save(work, rulecases.synchronizing(33_333)))
    gaps = json.loads(work.ptool("gaps", store, "--root", "--format", "json").stdout)["rows"]
    idle = sum(row["idle_ns"] for row in gaps if row["cause"] in ("sync", "device_read"))
    tap.same([row["saving_ns"] for row in advise(work, store, "--rule", "synchronization")], [idle // 3],
             "synchronization: as ptool gaps --root")
    for make, rule, column in ((rulecases.collective, "exposed-communication", "exposed_comm_ns"),
                               (rulecases.collective, "communication", "communication_ns")):
        store = work.ingest(*save(work, make(222_222)))
        steps = json.loads(work.ptool("steps", store, "--format", "json").stdout)["rows"]
        tap.same([row["saving_ns"] for row in advise(work, store, "--rule", rule)], [steps[-1][column]],
                 f"{rule}: as ptool steps")


def check_fixtures(tap, work):
    """Every recording gives an answer: findings, silence or reasons, in an order that is its own."""
    for name, path in fixtures():
        store = work.ingest(path)
        rows = advise(work, store)
        savings = [row["saving_ns"] for row in found(rows)]
        by_severity = [["high", "medium", "low"].index(row["severity"]) for row in found(rows)]
        asked = {row["rule"] for row in rows}
        tap.ok(by_severity == sorted(by_severity) and all(s is None or s >= 0 for s in savings)
               and asked <= set(rulecases.CASES), f"{name}: findings in the order of severity", rows)


def said(recommendations):
    """The rules behind the plugin's sentences."""
    return {rule for text in recommendations for start, rule in PLUGIN.items() if text.startswith(start)}


def check_plugin(tap, work):
    shared = os.path.join(SHARED, "data", "tb-oracle")
    if not os.path.isdir(shared):
        tap.skip("the plugin's recommendations", "no ../shared")
        return
    for folder in sorted(glob.glob(os.path.join(shared, "resnet50*"))):
        name = os.path.basename(folder)
        with open(os.path.join(folder, "overview.json"), encoding="utf-8") as file:
            wanted = said(json.load(file)["recommendations"])
        trace = glob.glob(os.path.join(SHARED, "data", "gpu", name + "*"))[0]
        rows = found(advise(work, work.ingest(trace)))
        tap.same(sorted({row["rule"] for row in rows} & set(PLUGIN.values())), sorted(wanted),
                 f"{name}: as the plugin recommends")
        loading = [row["finding"] for row in rows if row["rule"] == "data-loading"]
        tap.ok(("data-loading" in wanted) == bool(loading), f"{name}: data loading as the plugin", loading)
        amp = [row["finding"] for row in rows if row["rule"] == "mixed-precision"]
        tap.ok(len(amp) == 1 and round(float(amp[0].split("%")[0])) == 68, f"{name}: the plugin's 68 % of kernels", amp)


def is_missed(events):
    """Kernels of NCCL without an operator nccl:...: the plugin counts them as computation."""
    names = [event.get("name", "") for event in events]
    return any(name.startswith("nccl") and "Kernel" in name for name in names) and \
        not any(name.startswith("nccl:") for name in names)


def plugin_cases(folder):
    """(name, events, recommendations) of each case, or of each worker of one."""
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        name = os.path.basename(path)[:-len(".json")]
        with open(path, encoding="utf-8") as file:
            case = json.load(file)
        if "traces" in case:
            for worker, events in sorted(case["traces"].items()):
                yield f"{name} {worker}", events, case["expect"]["per_worker"][worker]["recommendations"]
        elif "recommendations" in case.get("expect", {}):
            yield name, case["trace"], case["expect"]["recommendations"]


def check_cases(tap, work):
    folder = os.path.join(SHARED, "data", "tb-cases")
    if not os.path.isdir(folder):
        tap.skip("the plugin's cases", "no ../shared")
        return
    for name, events, wanted in plugin_cases(folder):
        trace = work.path("case.json")
        with open(trace, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": events}, out)
        all_rows = advise(work, work.ingest(trace, store="case.db"))
        rows = found(all_rows)
        got = {row["rule"] for row in rows}
        if "exposed-communication" in got and "communication" in said(wanted):
            got.add("communication")
        if got & WHY_IDLE or ("low-utilization", "not_run") in {(row["rule"], row["severity"]) for row in all_rows}:
            got.add("low-utilization")  # as far as ptool says why, or that a kernel or two are too little to judge
            if "low-utilization" not in said(wanted):
                got.discard("low-utilization")
        got &= set(PLUGIN.values())
        if is_missed(events):
            got.discard("communication")
        tap.same(sorted(got), sorted(said(wanted)), f"{name}: as the plugin recommends")


def main():
    tap = Tap()
    with Workplace() as work:
        for rule in sorted(rulecases.CASES):
            check_rule(tap, work, rule)
        check_thresholds(tap, work)
        check_advice(tap, work)
        check_serving(tap, work)
        check_guards(tap, work)
        check_short(tap, work)
        check_streams(tap, work)
        check_overlap(tap, work)
        check_agreement(tap, work)
        check_fixtures(tap, work)
        check_plugin(tap, work)
        check_cases(tap, work)
    tap.done()


main()
