#!/usr/bin/env python3
"""`ptool compile` against what torch itself counted while it made the fixtures, and against a
slow computation on random traces.  TAP."""
import collections
import decimal
import glob
import gzip
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402

US = 1000
REGION = "Torch-Compiled Region: "
SHARED = ["cases/torch_compile_triton-trace", "cases/negative_queue_length_values_check-rank0",
          "cases/inference-xdit_sd_3.5-profile_trace_rank_0", "gpu/trace_diff_test", "gpu/triton_example"]


def rows_of(place, trace, *options):
    done = place.ptool("compile", "-q", trace, "--format", "json", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["rows"]


def made_ids(truth):
    return {c["id"] for c in truth["compilations"]}


def check_recording(tap, place, truth_path):
    """Counts are torch's to the last; its times are of another clock."""
    with open(truth_path, encoding="utf-8") as text:
        truth = json.load(text)
    for c in truth["compilations"]:
        c["is_forward"] = c["is_forward"] is not False  # null where torch gave up
    trace = truth_path.replace(".truth.json", ".json.gz")
    name = os.path.basename(trace)
    versions = rows_of(place, trace, "--by", "region")
    frames = rows_of(place, trace)
    made = collections.Counter((c["id"], c["is_forward"]) for c in truth["compilations"])
    got = {(r["region"], r["pass"] == "forward"): r["compilations"] for r in versions if r["compilations"]}
    tap.ok(got == made, f"{name}: {len(made)} compilations as torch counts them", f"{got}", f"{made}")
    tap.same(sorted({r["region"] for r in versions}),
             sorted({*truth["names"], *made_ids(truth)}), f"{name}: regions as torch numbers them")
    tap.same(sum(r["recompiles"] or 0 for r in frames),
             sum(c["recompile_reason"] is not None for c in truth["compilations"]), f"{name}: recompiles")
    tap.same(sum(s["recompilations"] for s in rows_of(place, trace, "--by", "step")),
             sum(c["recompile_reason"] is not None for c in truth["compilations"]), f"{name}: recompiles of steps")
    took = collections.Counter()
    for c in truth["compilations"]:
        took[c["id"], c["is_forward"]] += c["us"]
    off = [f"{r['region']}: {r['compile_ns']} ns, torch {took[r['region'], r['pass'] == 'forward']} us"
           for r in versions if abs(r["compile_ns"] / US - took[r["region"], r["pass"] == "forward"])
           > 100 + 0.005 * r["compile_ns"] / US]
    tap.ok(not off, f"{name}: time of each compilation, to 0.5 %", *off)
    numbers = {function: number.split("/")[0] for number, function in truth["names"].items()}
    for function, breaks in truth.get("explain", {}).items():
        row = next(r for r in frames if r["frame"] == numbers[function])
        tap.same(row["breaks_per_call"] or 0, breaks, f"{name}: {function} breaks as torch._dynamo.explain() says")
    if truth.get("explain"):
        steps = rows_of(place, trace, "--by", "step")
        tap.same([s["graph_breaks"] for s in steps], [sum(truth["explain"].values())] * truth["steps"],
                 f"{name}: graph breaks of each step")


def line_of(stack):
    """The innermost call of a stack, as ptool writes it."""
    calls = re.findall(r'File "([^"]*)", line (\d+), in (.*)', stack)
    return "%s(%s): %s" % calls[-1]


def kernel_lines(trace):
    """By kernel and lines: calls and nanoseconds, as torch annotated the trace."""
    with gzip.open(trace, "rt") as text:
        events = json.load(text, parse_float=decimal.Decimal)["traceEvents"]
    found = collections.defaultdict(lambda: [0, 0])
    for e in events:
        if e.get("cat") == "kernel":
            lines = "; ".join(dict.fromkeys(map(line_of, e["args"].get("stack", []))))
            found[e["name"], lines][0] += 1
            found[e["name"], lines][1] += int(e["dur"] * US)
    return {k: tuple(v) for k, v in found.items()}


def check_annotated(tap, place, trace):
    """Lines that torch._inductor.profiler adds to kernels: read, kept by an export and a merge."""
    name = os.path.basename(trace)
    wanted = kernel_lines(trace)
    tap.ok(any(lines for _, lines in wanted) and any("; " in lines for _, lines in wanted), f"{name} has lines")
    again = place.path("again.json")
    place.ptool("export", "-q", trace, "--to", "chrome", "-f", "-o", again)
    for what, file in (("", trace), (", exported", again)):
        found = collections.defaultdict(lambda: [0, 0])
        for r in rows_of(place, file, "--by", "kernel"):
            lines = r["source"] if r["source_of"] == "kernel" else ""
            found[r["kernel"], lines][0] += r["calls"]
            found[r["kernel"], lines][1] += r["total_ns"]
        tap.same({k: tuple(v) for k, v in found.items()}, wanted, f"{name}: lines of kernels{what}")


class Program:
    """Two threads and a device: compiled regions, what is compiled in them, launches, at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.made, self.sequence = [], collections.Counter(), 0
        self.correlation, self.free = 0, 0
        self.backward = []
        self.has_ids, self.has_device = self.random.random() < 0.5, self.random.random() < 0.8

    def event(self, name, ts, dur, tid=1, cat="cpu_op", **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
                            "args": args})

    def launch(self, now, tid):
        self.correlation += 1
        name = "cudaGraphLaunch" if self.random.random() < 0.3 else "cudaLaunchKernel"
        self.event(name, now, 2, tid, "cuda_runtime", correlation=self.correlation)
        for _ in range(2 if name == "cudaGraphLaunch" else 1):
            start, dur = max(self.free, now + 3), self.random.randrange(1, 40)
            self.free = start + dur
            if self.has_device:
                self.event("k", start, dur, 7, "kernel", correlation=self.correlation, stream=7, device=0)
        return now + 3

    def kernel(self, now, tid):
        """As Inductor launches one: in a range with its handle, or as Triton's wrapper alone."""
        start, name = now, self.random.choice(["triton_poi_fused_add_0", "extern_kernels.mm", "cpp_fused_mul_1"])
        now = self.launch(now + 1, tid) if self.random.random() < 0.8 else now + 2
        if self.random.random() < 0.5:
            handle = self.random.randrange(1, 3)
            if name.startswith("cpp"):
                self.event("graph_3_" + name, start + 1, now - start - 1, tid)
            self.event(f"## inductor_kernel:{name}:{handle} ##", start, now - start, tid)
        elif name.startswith("extern"):
            self.event("aten::mm", start, now - start, tid)
        else:
            self.event("graph_3_" + name if name.startswith("cpp") else name, start, now - start, tid)
        return now

    def compiling(self, now, number, backward, tid=1):
        start = now
        now += 1
        if self.has_ids:
            self.event(f"entire_frame_compile_data: fn_name=x, compile_id={number}", now, 1, tid)
        now += 2
        self.event("bytecode_tracing (dynamo_timed)", now, 4, tid)
        self.event("gc (dynamo_timed)", now + 1, 1, tid)
        now += self.random.randrange(6, 80)
        name = "entire_backward_compile" if backward else "_compile.compile_inner (dynamo_timed)"
        self.event(name, start, now - start, tid)
        return now

    def region(self, now, tid=1, depth=0):
        frame = self.random.randrange(4)
        number = f"{frame}/{self.random.randrange(3)}"
        if self.random.random() < 0.6:
            self.event("TorchDynamo Cache Lookup", now, 2, tid)
            now += self.random.randrange(2, 4)
        if not self.made[number]:
            now = self.compiling(now, number, False, tid)
        self.made[number] += 1
        start = now
        now += 1
        if self.random.random() < 0.8:
            self.event("Pregraph bytecode", now, 1, tid)
            now += 1
        if self.random.random() < 0.3:
            self.sequence += 1
            self.event("CompiledFunction", now, 3, tid, **{"Sequence number": self.sequence, "Fwd thread id": 0})
            self.backward.append((self.sequence, number))
            now += 3
        for _ in range(self.random.randrange(4)):
            kind = self.random.random()
            if kind < 0.4 and depth < 3:
                now = self.region(now, tid, depth + 1)
            elif kind < 0.6:
                now = self.launch(now, tid)
            elif kind < 0.8:
                now = self.kernel(now, tid)
            elif kind < 0.9:
                self.event("aten::add", now, 3, tid)
                now += 3
            else:
                self.event("CachingAutotuner.benchmark_all_configs (dynamo_timed)", now, 5, tid)
                self.event("aten::add", now + 5, 3, tid)
                now += 8
        now += 1
        self.event(REGION + number, start, now - start, tid)
        return now + self.random.randrange(3)

    def run_backward(self, now):
        for sequence, number in self.backward:
            if self.random.random() < 0.2:
                continue
            start = now
            if self.random.random() < 0.3:
                now = self.compiling(now + 1, number, True, 2)
            now = self.launch(now + 1, 2)
            self.event("CompiledFunctionBackward", start, now - start, 2,
                       **{"Sequence number": sequence, "Fwd thread id": 1})
            now += 2
        self.backward = []
        return now

    def run(self):
        now = 10
        for step in range(3):
            start = now
            for _ in range(self.random.randrange(1, 4)):
                now = self.region(now) + self.random.randrange(20)
            now = self.run_backward(now)
            self.event(f"ProfilerStep#{step}", start, now - start, 1, "user_annotation")
            now += 5
        return self


def reference(events):
    """Sums by (region, pass), in ns, by looking at every pair of events; and those of steps."""
    end = lambda e: e["ts"] + e["dur"]  # noqa: E731
    host = [e for e in events if e["cat"] != "kernel"]
    holds = lambda a, b: (a is not b and a["tid"] == b["tid"] and a["ts"] <= b["ts"]  # noqa: E731
                          and end(b) <= end(a))
    kernels = [e for e in events if e["cat"] == "kernel"]
    busy = set()
    for k in kernels:
        busy.update(range(k["ts"], end(k)))
    compiling = [e for e in host if e["name"].endswith("(dynamo_timed)") or e["name"].startswith("entire_")
                 and e["name"].endswith("compile")]
    compiling = [e for e in compiling if not any(holds(o, e) for o in compiling)]
    calls = [e for e in host if e["name"].startswith(REGION) or e["name"] == "CompiledFunctionBackward"]
    steps = [e for e in host if e["name"].startswith("ProfilerStep#")]
    forward = {}
    for e in host:
        if e["name"] == "CompiledFunction":
            around = min((c for c in calls if holds(c, e)), key=lambda c: c["dur"])
            forward[e["args"]["Sequence number"]] = around["name"][len(REGION):]
    inner = lambda e: min((c for c in calls if holds(c, e)), key=lambda c: c["dur"], default=None)  # noqa: E731

    def key(call):
        if call["name"].startswith(REGION):
            return call["name"][len(REGION):], "forward"
        return forward[call["args"]["Sequence number"]], "backward"

    has_marks = any(e["name"] in ("Pregraph bytecode", "CompiledFunction") and inner(e) for e in host)
    by, of_step = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)

    def step_of(e):
        return next((s["name"].split("#")[1] for s in steps if s["ts"] <= e["ts"] < end(s)), None)

    has_graph = {}
    for i, c in enumerate(calls):
        mine = [e for e in host if inner(e) is c]
        has_graph[i] = any(e["name"] in ("Pregraph bytecode", "CompiledFunction") for e in mine) if has_marks \
            else any(e["cat"] == "cpu_op" and e["name"] != "TorchDynamo Cache Lookup" for e in mine)
    for i, c in enumerate(calls):
        row = by[key(c)]
        row["calls"] += 1
        row["total_ns"] += c["dur"] * US
        inside = [d for d in calls + compiling if inner(d) is c]
        row["self_ns"] += (c["dur"] - sum(d["dur"] for d in inside)) * US
        row["graph_launches"] += sum(e["name"] == "cudaGraphLaunch" and inner(e) is c for e in host)
        counter = of_step[step_of(c)]
        counter["calls"] += 1
        if inner(c) is None:
            graphs = sum(has_graph[j] for j, d in enumerate(calls) if d is c or holds(c, d))
            row["outermost_calls"] += 1
            row["graph_breaks"] += max(graphs - 1, 0)
            counter["graph_breaks"] += max(graphs - 1, 0)
        before = [d for d in calls if d["tid"] == c["tid"] and d["ts"] < c["ts"]]
        since = max((d["ts"] for d in before), default=-1)
        row["lookup_ns"] += sum(e["dur"] for e in host if e["name"] == "TorchDynamo Cache Lookup"
                                and e["tid"] == c["tid"] and since < e["ts"] < c["ts"]) * US
    launches = {e["args"]["correlation"]: e for e in host if e["cat"] == "cuda_runtime"}
    for k in kernels:
        c = inner(launches[k["args"]["correlation"]])
        if c:
            by[key(c)]["device_ns"] += k["dur"] * US
    for e in compiling:
        around = inner(e)
        told = [d["name"].split("compile_id=")[1] for d in host if "compile_id=" in d["name"] and holds(e, d)]
        is_backward = bool(around) and around["name"] == "CompiledFunctionBackward"
        if told:
            made = (told[0], "backward" if is_backward else "forward")
        elif is_backward:
            made = key(around)
        else:
            behind = min((d for d in host if d["tid"] == e["tid"] and d["ts"] >= end(e)
                          and d["name"] != "TorchDynamo Cache Lookup" and not d["name"].startswith("ProfilerStep#")),
                         key=lambda d: (d["ts"], -d["dur"]), default=None)
            made = key(behind if behind in calls else around)
        idle = sum(t not in busy for t in range(e["ts"], end(e)))
        for row in (by[made], of_step[step_of(e)]):
            row["compilations"] += 1
            row["compile_ns"] += e["dur"] * US
            row["device_idle_ns"] += idle * US
    return by, of_step


def kernel_reference(events):
    """Rows of --by kernel: (kernel, Inductor's name, handle, region, pass) -> [calls, ns]."""
    end = lambda e: e["ts"] + e["dur"]  # noqa: E731
    host = [e for e in events if e["cat"] != "kernel"]
    kernels = [e for e in events if e["cat"] == "kernel"]
    calls = [e for e in host if e["name"].startswith(REGION) or e["name"] == "CompiledFunctionBackward"]
    units = [e for e in host if e["name"].startswith(("## inductor_kernel:", "graph_3_", "triton_"))]

    def around(some, e, widest):
        found = [s for s in some if s["tid"] == e["tid"] and s["ts"] <= e["ts"] < end(s)]
        return (max if widest else min)(found, key=lambda s: s["dur"], default=None)

    forward = {e["args"]["Sequence number"]: around(calls, e, False)["name"][len(REGION):]
               for e in host if e["name"] == "CompiledFunction"}

    def maker(unit):
        name = unit["name"].removeprefix("## inductor_kernel:").removesuffix(" ##").removeprefix("graph_3_")
        return tuple(name.split(":")) if ":" in name else (name, None)

    def place(e):
        call = around(calls, e, False)
        if call is None:
            return None, None
        if call["name"].startswith(REGION):
            return call["name"][len(REGION):], "forward"
        return forward[call["args"]["Sequence number"]], "backward"

    launches = {e["args"]["correlation"]: e for e in host if e["cat"] == "cuda_runtime"}
    rows = collections.defaultdict(lambda: [0, 0])
    for k in kernels:
        launch = launches[k["args"]["correlation"]]
        unit = around(units, launch, True)
        rows[("k", *(maker(unit) if unit else ("k", None)), *place(launch))][0] += 1
        rows[("k", *(maker(unit) if unit else ("k", None)), *place(launch))][1] += k["dur"] * US
    for unit in units if not kernels else []:
        if around(units, unit, True) is unit:
            row = rows[(maker(unit)[0], *maker(unit), *place(unit))]
            row[0] += 1
            row[1] += unit["dur"] * US
    return [(*key, *sums) for key, sums in rows.items()]


def check_random(tap, place, seed):
    program = Program(seed).run()
    path = place.path("trace.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": program.events}, out)
    store = place.ingest(path)
    by, of_step = reference(program.events)
    has_device = any(e["cat"] == "kernel" for e in program.events)
    amounts = ["calls", "outermost_calls", "total_ns", "self_ns", "graph_launches", "compilations", "compile_ns",
               "lookup_ns", "device_ns", "device_idle_ns"]
    if not has_device:
        amounts = [a for a in amounts if a not in ("device_ns", "device_idle_ns", "graph_launches")]
    rows = rows_of(place, store, "--by", "region")
    tap.same([(r["region"], r["pass"], r["graph_breaks"], *((r[a] or 0) for a in amounts)) for r in rows],
             [(*k, v["graph_breaks"] if v["outermost_calls"] else None, *(v[a] for a in amounts)) for k, v in by.items()],
             f"random program {seed}: {len(rows)} regions")
    frames = collections.Counter()
    for (number, side), row in by.items():
        frames[number.split("/")[0], side, "recompiles"] += number.split("/")[1] != "0"
        frames[number.split("/")[0], side, "total_ns"] += row["total_ns"]
    tap.same([(r["frame"], r["pass"], r["recompiles"], r["total_ns"]) for r in rows_of(place, store)],
             [(f, s, frames[f, s, "recompiles"] if s == "forward" else None, frames[f, s, "total_ns"]) for f, s in
              sorted({k[:2] for k in frames})], f"random program {seed}: frames")
    tap.same([(r["step"], r["calls"], r["graph_breaks"], r["compilations"], r["compile_ns"],
               r["device_idle_ns"] if has_device else 0) for r in rows_of(place, store, "--by", "step")],
             [(int(s), c["calls"], c["graph_breaks"], c["compilations"], c["compile_ns"],
               c["device_idle_ns"] if has_device else 0)
              for s, c in sorted(of_step.items()) if s is not None], f"random program {seed}: steps")


    kernels = collections.Counter()
    for r in rows_of(place, store, "--by", "kernel"):
        key = tuple(r[c] for c in ("kernel", "inductor_kernel", "handle", "region", "pass"))
        kernels[key, "calls"] += r["calls"]
        kernels[key, "ns"] += r["total_ns"]
    tap.same([(*k, kernels[k, "calls"], kernels[k, "ns"]) for k in sorted({k for k, _ in kernels}, key=str)],
             kernel_reference(program.events), f"random program {seed}: {len(kernels) // 2} kernels")


def check_shared(tap, place, name):
    """Calls, times and device work of each region of a recording, by its text alone."""
    path = os.path.join(storetap.SHARED, "data", name + ".json.gz")
    if not os.path.exists(path):
        tap.skip(f"{name}: regions", "no ../shared/data")
        return
    with gzip.open(path, "rt", encoding="utf-8") as text:
        events = [e for e in json.load(text, parse_float=decimal.Decimal)["traceEvents"] if e.get("ph") == "X"]
    starts = ("Torch-Compiled Region: ", "CompiledFunction", "## Call CompiledFxGraph ")
    calls, work, launches = [], [], {}
    for e in events:
        start, dur = int(e["ts"] * 1000), int(e["dur"] * 1000)
        place_of = (e.get("pid"), e.get("tid"))
        if e.get("cat") in ("cpu_op", "user_annotation") and e["name"].startswith(starts):
            calls.append((place_of, start, start + dur, e["name"], e["args"].get("Sequence number")))
        elif e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            work.append((e["args"].get("correlation"), dur))
        elif e.get("cat") in ("cuda_runtime", "cuda_driver"):
            launches[e["args"].get("correlation")] = (place_of, start)
    holds = lambda a, b: a is not b and a[0] == b[0] and a[1] <= b[1] and b[2] <= a[2]  # noqa: E731
    rows = [c for c in calls if c[3].startswith(REGION) or not any(holds(o, c) for o in calls)]
    wanted = collections.defaultdict(lambda: [0, 0, 0])

    def key(call):
        if call[3] != "CompiledFunctionBackward":
            return call[3].removeprefix(REGION).removeprefix("## Call CompiledFxGraph ").removesuffix(" ##"), "forward"
        fronts = [c for c in calls if c[3] == "CompiledFunction" and c[4] == call[4] and c[1] < call[1]]
        return (key(max(fronts, key=lambda c: c[1]))[0], "backward") if fronts else (call[3], "backward")

    for call in rows:
        wanted[key(call)][0] += 1
        wanted[key(call)][1] += call[2] - call[1]
    for correlation, dur in work:
        thread, at = launches.get(correlation, (None, 0))
        around = [c for c in rows if c[0] == thread and c[1] <= at < c[2]]
        if around:
            wanted[key(max(around, key=lambda c: c[1]))][2] += dur
    tap.same([(r["region"], r["pass"], r["calls"], r["total_ns"], r["device_ns"] or 0)
              for r in rows_of(place, path, "--by", "region")],
             [(*k, *v) for k, v in wanted.items()], f"{name}: {len(wanted)} regions")


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        for truth in sorted(glob.glob(os.path.join(storetap.FIXTURES, "compile", "*.truth.json"))):
            check_recording(tap, place, truth)
        check_annotated(tap, place, os.path.join(storetap.FIXTURES, "compile", "compile_annotated.json.gz"))
        for seed in range(12):
            check_random(tap, place, seed)
        for name in SHARED:
            check_shared(tap, place, name)
    tap.done()


main()
