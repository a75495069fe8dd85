#!/usr/bin/env python3
"""`ptool kernels` against what others computed: the TensorBoard plugin's own tables of two
recordings and its unit tests' expectations, exact sums by name, and, on random traces, a slow
computation of every column that shares nothing with ptool.  TAP."""
import collections
import fractions
import glob
import gzip
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402

DATA = os.path.join(storetap.SHARED, "data")
US = 1000
COPIES = ("gpu_memcpy", "gpu_memset")


def kernels(place, path, *options):
    done = place.ptool("kernels", path, "--limit", "0", "--format", "json", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["rows"]


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as text:
        return json.load(text)


def near(a, b):
    return a == b or abs(a - b) <= 6e-11 * max(1, abs(a), abs(b))


# The plugin

def by_name_differences(rows, oracle):
    """The plugin counts kernels that lack blocks and occupancy as 0; here there are none.  What is
    not known of Tensor Cores is a no there."""
    truth = {r["name"]: r for r in oracle}
    if sorted(truth) != sorted(r["name"] for r in rows):
        yield f"{len(rows)} names, the plugin has {len(truth)}"
    for row in rows:
        t = truth[row["name"]]
        got = (row["calls"], row["total_ns"], row["min_ns"], row["max_ns"], bool(row["tensor_core"]))
        want = (t["count"], t["sum"] * US, t["min"] * US, t["max"] * US, t["tc_used"])
        if got != want or not near(row["mean_ns"] / US, t["mean"]):
            yield f"{row['name'][:60]}: {got}, the plugin {want}"
        for ours, theirs in (("blocks_per_sm", "blocks_per_sm"), ("occupancy_pct", "occupancy")):
            if not near(row[ours] or 0, t[theirs]):
                yield f"{row['name'][:60]}: {ours} {row[ours]}, the plugin {t[theirs]}"


def extent(value):
    return json.loads(value) if isinstance(value, str) else value


def op_key(name, op, grid, block, registers, shared):
    return json.dumps([name, op, extent(grid), extent(block), registers or 0, shared or 0])


def by_op_differences(rows, oracle):
    """The plugin merges unknown registers with 0 registers, so it compares so."""
    truth = {op_key(t["name"], t["op"], t["grid"], t["block"], t["regs"], t["smem"]): t for t in oracle}
    for row in rows:
        key = op_key(row["name"], row["op"], row["grid"], row["block"], row["registers"], row["shared_memory_bytes"])
        t = truth.pop(key, None)
        if t is None:
            yield f"not in the plugin's: {key[:120]}"
            continue
        got = (row["calls"], row["total_ns"], row["min_ns"], row["max_ns"], bool(row["tensor_core"]),
               row["op_tensor_core_eligible"])
        want = (t["calls"], t["total"] * US, t["min"] * US, t["max"] * US, t["tc_used"], t["op_tc_eligible"])
        if got != want or not near(row["mean_ns"] / US, t["mean"]):
            yield f"{key[:100]}: {got}, the plugin {want}"
        if not near(row["blocks_per_sm"] or 0, t["blocks_per_sm"]) or not near(row["occupancy_pct"] or 0, t["occupancy"]):
            yield f"{key[:100]}: {row['blocks_per_sm']}, {row['occupancy_pct']}, the plugin {t['blocks_per_sm']}, {t['occupancy']}"
    for key in truth:
        yield f"the plugin's alone: {key[:120]}"


def check_plugin(tap, place):
    folders = sorted(glob.glob(os.path.join(DATA, "tb-oracle", "*", "kernel.json.gz")))
    if not folders:
        tap.skip("the plugin's kernel tables", "no ../shared/data/tb-oracle")
    for path in folders:
        name = os.path.basename(os.path.dirname(path))
        trace = glob.glob(os.path.join(DATA, "gpu", name + ".*"))[0]
        store, oracle = place.ingest(trace), load(path)
        wrong = list(by_name_differences(kernels(place, store), oracle["by_name"]))
        tap.ok(not wrong, f"{name}: {len(oracle['by_name'])} kernels as in the plugin, every column", *wrong)
        wrong = list(by_op_differences([r for r in kernels(place, store, "--by", "op") if r["op"]],
                                       oracle["by_properties_and_op"]))
        tap.ok(not wrong, f"{name}: {len(oracle['by_properties_and_op'])} by operator likewise", *wrong)


CASE_COLUMNS = {"name": "name", "op": "op", "regs": "registers", "smem": "shared_memory_bytes", "calls": "calls",
                "tc_used": "tensor_core", "op_tc_eligible": "op_tensor_core_eligible"}
CASE_TIMES = {"total": "total_ns", "mean": "mean_ns", "min": "min_ns", "max": "max_ns"}
CASE_MEANS = {"blocks_per_sm": "blocks_per_sm", "occupancy": "occupancy_pct"}


def fits(row, want):
    for key, value in want.items():
        got = bool(row["tensor_core"]) if key == "tc_used" else row.get(CASE_COLUMNS.get(key))
        if key in CASE_COLUMNS and got != value:
            return False
        if key in CASE_TIMES and row[CASE_TIMES[key]] != value * US:
            return False
        if key in CASE_MEANS and not near(row[CASE_MEANS[key]] or 0, value):
            return False
        if key in ("grid", "block") and extent(row[key]) != extent(value):
            return False
    return True


def case_differences(rows, must):
    for key, want in must.items():
        n = sum(fits(row, want) for row in rows)
        if n != 1:
            yield f"{key}: {n} rows fit {want}"


def check_cases(tap, place):
    cases = sorted(glob.glob(os.path.join(DATA, "tb-cases", "*.json")))
    if not cases:
        tap.skip("the plugin's unit tests", "no ../shared/data/tb-cases")
    for path in cases:
        case, name = load(path), os.path.basename(path)[:-5]
        must = case.get("expect", {}).get("must", {})
        if not any(key in must for key in ("kernels_by_op", "n_kernels_by_op")):
            continue
        trace = place.path("case.json")
        with open(trace, "w", encoding="utf-8") as out:
            json.dump(case["trace"], out)
        rows = kernels(place, place.ingest(trace), "--by", "op")
        wrong = list(case_differences(rows, must.get("kernels_by_op", {})))
        if len(rows) != must.get("n_kernels_by_op", len(rows)):
            wrong.append(f"{len(rows)} rows, not {must['n_kernels_by_op']}")
        tap.ok(not wrong, f"{name}: as the plugin's test wants it", *wrong)


# Exact sums of real recordings

def check_exact(tap, place):
    oracles = sorted(glob.glob(os.path.join(DATA, "exact-oracle", "*.json")))
    if not oracles:
        tap.skip("exact sums", "no ../shared/data/exact-oracle")
    for path in oracles:
        oracle = load(path)
        name = os.path.basename(oracle.get("file", path)).split("__")[-1].rsplit(".json", 1)[0]
        trace = glob.glob(os.path.join(DATA, "gpu", name.replace("event_sync_trace", "event_sync_multi_stream") + "*"))
        trace += glob.glob(os.path.join(DATA, "gpu", "trace_diff_" + name + ".json.gz"))
        if not trace or not oracle.get("kernels"):
            continue
        store = place.ingest(trace[0])
        rows = kernels(place, store, "--launches", "--copies")
        tap.same(sorted((r["name"], r["calls"], r["total_ns"], r["min_ns"], r["max_ns"]) for r in rows),
                 sorted((k["name"], k["count"], k["sum"], k["min"], k["max"]) for k in oracle["kernels"]),
                 f"{name}: {len(oracle['kernels'])} names to the nanosecond")
        launch = oracle["launch"]
        total = collections.Counter()
        for row in rows:
            total.update({k: row[k] or 0 for k in ("launched_calls", "calls", "launch_call_ns", "launch_delay_ns",
                                                   "negative_delays")})
        tap.same([total["launched_calls"], total["calls"] - total["launched_calls"], total["launch_call_ns"],
                  total["launch_delay_ns"], total["negative_delays"]],
                 [launch[k] for k in ("linked", "unlinked", "cpu_dur_sum", "delay_sum_clipped", "negative_delay")],
                 f"{name}: {launch['linked']} launches to the nanosecond")


# Random traces

class Machine:
    """Operators, launches and work at random: sorted streams, or streams that overlap themselves."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.work = [], []
        self.op_count, self.correlation = 0, 0
        self.free = collections.defaultdict(int)

    def event(self, cat, name, ts, dur, tid, pid=1, **args):
        text = f"{ts // 1000}.{ts % 1000:03d}", f"{dur // 1000}.{dur % 1000:03d}"
        self.events.append('{"ph": "X", "cat": "%s", "name": %s, "pid": %s, "tid": %s, "ts": %s, "dur": %s, "args": %s}'
                           % (cat, json.dumps(name), json.dumps(pid), json.dumps(tid), *text, json.dumps(args)))

    def shape(self):
        r = self.random
        args = {}
        if r.random() < 0.8:
            args["grid"] = [r.choice((1, 80)), 1, 1]
            args["block"] = [r.choice((128, 256)), 1, 1]
        if r.random() < 0.8:
            args["registers per thread"] = r.choice((0, 32))
            args["shared memory"] = r.choice((0, 1024))
        if r.random() < 0.7:
            args["blocks per SM"] = r.choice((0, 0.5, 1.25, 12.0))
        if r.random() < 0.7:
            args["est. achieved occupancy %"] = r.choice((0, 25, 100))
        if r.random() < 0.7:
            args["warps per SM"] = r.choice((0, 0.25, 0.375, 8))
        return args

    def piece(self, op, launch):
        r = self.random
        device, stream = r.choice((0, 1)), r.choice((7, 20))
        cat = r.choice(("kernel",) * 6 + COPIES)
        name = {"kernel": r.choice(("k1", "k<2>", "volta_h884gemm", "sm90_xmma_gemm_f32f32_f32f32_x_ffma_y")),
                "gpu_memcpy": "Memcpy HtoD", "gpu_memset": "Memset (Device)"}[cat]
        ready = launch[0] + r.choice((0, 500, 20000)) if launch else self.free[(device, stream)]
        start = ready if r.random() < 0.2 else max(ready, self.free[(device, stream)])
        dur = r.choice((0, 1, 999, 1500, 30001))
        self.free[(device, stream)] = max(self.free[(device, stream)], start + dur)
        args = dict(self.shape() if cat == "kernel" else {}, device=device, stream=stream)
        if launch:
            args["correlation"] = launch[2]
        self.event(cat, name, start, dur, stream, pid=device, **args)
        known = {k: args.get(k) for k in ("grid", "block", "registers per thread", "shared memory", "blocks per SM",
                                          "warps per SM", "est. achieved occupancy %")}
        self.work.append(dict(known, cat=cat, name=name, start=start, end=start + dur, device=device, stream=stream,
                              op=op, launch=launch))

    def run(self, n):
        r, now = self.random, 1000
        for _ in range(n):
            op = r.choice(("aten::mm", "aten::add", None))
            first = now
            if op:
                now += r.randrange(1, 300)
            for _ in range(r.randrange(3)):
                launch = (now, now + r.choice((400, 1000, 60000)), self.correlation + 1)
                self.correlation += 1
                self.event("cuda_runtime", "cudaLaunchKernel", launch[0], launch[1] - launch[0], 1,
                           correlation=launch[2])
                for _ in range(r.choice((1, 1, 1, 4))):
                    self.piece(op, launch)
                now = launch[1] + r.randrange(1, 2000)
            if op:
                self.event("cpu_op", op, first, now - first, 1)
                now += r.randrange(1, 500)
        for _ in range(3):
            self.piece(None, None)
        return self

    def save(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write('{"schemaVersion": 1, "traceEvents": [' + ",\n".join(self.events) + "]}")


OCCUPANCY = "est. achieved occupancy %"


def is_no_estimate(piece):
    """The exporter's 0: work of half a block an SM, or of half a percent of 64 warps, has some occupancy."""
    return piece[OCCUPANCY] == 0 and ((piece["blocks per SM"] or 0) >= 0.5 or
                                      100 * (piece["warps per SM"] or 0) / 64 >= 0.5)


def mean(pieces, key):
    known = [(fractions.Fraction(p[key]), p["end"] - p["start"]) for p in pieces
             if p.get(key) is not None and not (key == OCCUPANCY and is_no_estimate(p))]
    if not known:
        return None
    weight = sum(d for _, d in known)
    if key == OCCUPANCY and 2 * weight < sum(p["end"] - p["start"] for p in pieces):
        return None  # of too little of the time to speak for all of it
    if weight:
        return float(sum(v * d for v, d in known) / weight)
    return None


def at_work(pieces, begin, end):
    """How long any of them ran between the two: piece of time by piece of time."""
    if begin >= end:
        return 0
    edges = sorted({begin, end} | {t for p in pieces for t in (p["start"], p["end"]) if begin < t < end})
    return sum(right - left for left, right in zip(edges, edges[1:])
               if any(p["start"] <= left and right <= p["end"] for p in pieces))


def expected(pieces, everything):
    durations = sorted(p["end"] - p["start"] for p in pieces)
    n = len(durations)

    def rank(percent):  # the least that at least so many percent do not exceed
        return next(d for d in durations if 100 * sum(x <= d for x in durations) >= percent * n)

    out = {"calls": n, "total_ns": sum(durations), "min_ns": durations[0], "max_ns": durations[-1], "p50_ns": rank(50),
           "p95_ns": rank(95), "blocks_per_sm": mean(pieces, "blocks per SM"),
           "occupancy_pct": mean(pieces, "est. achieved occupancy %"), "family": family(pieces[0])}
    cores = {TENSOR_CORES.get(p["name"], False) for p in pieces}
    out["tensor_core"] = cores.pop() if len(cores) == 1 else None
    linked = [p for p in pieces if p["launch"]]
    out["launched_calls"] = len(linked)
    delays = [p["start"] - p["launch"][1] for p in linked]
    queues, bound = 0, 0
    for p in linked:
        before = [w for w in everything if (w["device"], w["stream"]) == (p["device"], p["stream"])
                  and w["place"] < p["place"]]
        queues += at_work(before, p["launch"][1], p["start"])
        bound += max((w["end"] for w in before), default=-1) <= p["launch"][1]
    if linked:
        out.update(launch_call_ns=sum(p["launch"][1] - p["launch"][0] for p in linked),
                   launch_delay_ns=sum(max(0, d) for d in delays), max_launch_delay_ns=max(0, max(delays)),
                   negative_delays=sum(d < 0 for d in delays), queue_ns=queues,
                   short_calls=sum(p["end"] - p["start"] < p["launch"][1] - p["launch"][0] for p in linked),
                   launch_bound_pct=100 * bound / len(linked))
    return out


TENSOR_CORES = {"volta_h884gemm": True, "k1": None, "k<2>": None}  # what their names say; all others no


def family(piece):
    """By the few names that these traces have."""
    if piece["cat"] in ("gpu_memcpy", "gpu_memset"):
        return "copy"
    return "linear" if "gemm" in piece["name"] else "unknown"


def text(value):
    return None if value is None else json.dumps(value)


KEYS = {
    "name": lambda p: (p["name"],),
    "op": lambda p: (p["name"], p["op"], text(p["grid"]), text(p["block"]), p["registers per thread"], p["shared memory"]),
    "stream": lambda p: (p["name"], p["device"], p["stream"]),
    "family": lambda p: (family(p),),
    "family,op": lambda p: (family(p), p["op"], text(p["grid"]), text(p["block"]), p["registers per thread"],
                            p["shared memory"]),
}
COLUMNS = {"name": ("name",), "op": ("name", "op", "grid", "block", "registers", "shared_memory_bytes"),
           "stream": ("name", "device", "stream"), "family": ("family",),
           "family,op": ("family", "op", "grid", "block", "registers", "shared_memory_bytes")}


def random_differences(machine, rows, by, copies):
    chosen = [p for p in machine.work if copies or p["cat"] == "kernel"]
    groups = collections.defaultdict(list)
    for p in chosen:
        groups[KEYS[by](p)].append(p)
    for row in rows:
        key = tuple(row[c] for c in COLUMNS[by])
        pieces = groups.pop(key, None)
        if not pieces:
            yield f"no such group: {key}"
            continue
        for column, want in expected(pieces, machine.work).items():
            got = row[column]
            if not (near(got, want) if isinstance(want, float) and got is not None else got == want):
                yield f"{key}: {column} {got}, not {want}"
    for key in groups:
        yield f"missing: {key}"


def check_random(tap, place):
    for seed in storetap.share(range(12), 3):
        machine = Machine(seed).run(60)
        path = place.path("random.json")
        machine.save(path)
        # work of a stream by start; of equal starts the longest first, as slices stand in a store
        ordered = sorted(range(len(machine.work)), key=lambda i: (machine.work[i]["start"], -machine.work[i]["end"], i))
        for at, i in enumerate(ordered):
            machine.work[i]["place"] = at
        store = place.ingest(path)
        for by in KEYS:
            wrong = list(random_differences(machine, kernels(place, store, "--launches", "--copies", "--by", by), by, True))
            wrong += random_differences(machine, kernels(place, store, "--launches", "--by", by), by, False)
            tap.ok(not wrong, f"random trace {seed}, --by {by}: {len(machine.work)} pieces of work", *wrong)


# Sums over all kernels of the time that their streams were at work between the end of the launching
# call and the start, from the JSON itself.
QUEUES = {
    "cases/negative_queue_length": 128889643000, "cases/mi300-resnet": 23281955586,
    "cases/inference-vllm_decode": 2209673826, "cases/inference-sglang_decode": 1912611965,
    "cases/h100-qwen": 1321391131, "gpu/resnet50_num_workers_0": 95416777000,
}


def check_queues(tap, place):
    for start, want in QUEUES.items():
        found = glob.glob(os.path.join(DATA, start + "*"))
        if not found:
            tap.skip(f"{start}: time behind other work", "not in ../shared/data")
            continue
        rows = kernels(place, place.ingest(found[0]), "--launches")
        tap.same(sum(r["queue_ns"] or 0 for r in rows), want, f"{start}: time behind other work")


def check_occupancy(tap, place):
    """68 % of the kernel time of this recording has the exporter's 0; the rest averages 44.5 %."""
    found = glob.glob(os.path.join(DATA, "cases", "h100-falconsai*"))
    if not found:
        tap.skip("an occupancy of 0 is none", "no ../shared/data/cases")
        return
    store = place.ingest(found[0])
    rows = kernels(place, store)
    known = [r for r in rows if r["occupancy_pct"] is not None]
    unknown = sum(r["total_ns"] for r in rows if r["occupancy_pct"] is None) / sum(r["total_ns"] for r in rows)
    device = json.loads(place.ptool("devices", store, "--format", "json").stdout)["rows"][0]["occupancy_pct"]
    tap.ok(known and all(r["occupancy_pct"] > 0 or r["blocks_per_sm"] < 0.5 for r in known) and
           0.67 < unknown < 0.75 and abs(device - 44.5) < 0.5, "an occupancy of 0 is none", unknown, device)


def check_limit(tap, place):
    """16,000 kernels of nearly 7 days each last longer than int64 has nanoseconds: a sum that stuck has
    no mean, no share, and no part of it is printed."""
    dur, n = 600_000_000_000, 16_000
    head = '{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": %d, "ts": %d, "dur": %d, "args": %s}'
    events = [head % ("kernel", "k1" if i % 32 else "volta_h884gemm", 0, 7, i, dur,
                      '{"device": 0, "stream": 7, "correlation": %d}' % (i + 1)) for i in range(n)]
    events += [head % ("cuda_runtime", "cudaLaunchKernel", 1, 1, i, 0, '{"correlation": %d}' % (i + 1))
               for i in range(n)]
    events.append(head % ("cpu_op", "aten::mm", 1, 1, 0, n + 1, "{}"))
    path = place.path("limit.json")
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [' + ",\n".join(events) + "]}")
    store, most = place.ingest(path), 2**63 - 1
    tap.same(sorted((r["name"], r["total_ns"], r["mean_ns"]) for r in kernels(place, store, "--launches")),
             [("k1", most, None), ("volta_h884gemm", n // 32 * dur * US, dur * US)], "a sum that stuck has no mean")
    shown = place.ptool("kernels", store, "-n", "1").stdout
    tap.ok("% of kernel time" not in shown, "kernels: it has no shares", shown)
    rows = {r["name"]: r for r in json.loads(
        place.ptool("top", store, "--tensor-cores", "--limit", "0", "--format", "json").stdout)["rows"]}
    tap.same([rows["aten::mm"][c] for c in ("self_device_ns", "self_tensor_core_pct", "self_tensor_core_unknown_pct")],
             [most, None, None], "top: an operator has no share of it on Tensor Cores")
    shown = place.ptool("top", store, "-n", "1").stdout
    tap.ok("% of device time" not in shown, "top: nor has the table", shown)


# Percent of kernel time on Tensor Cores or Matrix Cores, and the most that may stay unknown; told name by
# name by hand, except that FlashAttention's Preprocess, Postprocess and transposes are no products.
CORES = {"inference-xdit_sd_3.5": (85.34, 0.01), "mi300-resnet": (6.37, 0.01), "inference-sglang_prefill": (89.37, 0.01),
         "deepseek-v3": (38.98, 0.5)}


def check_cores(tap, place):
    for start, (pct, unknown) in CORES.items():
        found = glob.glob(os.path.join(DATA, "cases", start + "*"))
        if not found:
            tap.skip(f"{start}: Tensor Cores", "not in ../shared/data/cases")
            continue
        rows = kernels(place, place.ingest(found[0]))
        total = sum(r["total_ns"] for r in rows)
        yes, ask = (100 * sum(r["total_ns"] for r in rows if r["tensor_core"] is says) / total for says in (True, None))
        tap.ok(abs(yes - pct) < 0.01 and ask <= unknown, f"{start}: {pct} % on Tensor Cores", yes, ask)


# Nanoseconds of some families, added up by hand from the names; of the others the names are of the program's own.
FAMILIES = {
    "deepseek-v3": {"communication": 113440000, "attention": 21965000, "moe": 28068000, "unknown": None},
    "inference-vllm_decode": {"moe": 7666471, "kv_cache": 136415, "rope": 149735, "unknown": None},
    "negative_queue": {"unknown": 7072000},
}


def check_families(tap, place):
    for start, truth in FAMILIES.items():
        found = glob.glob(os.path.join(DATA, "cases", start + "*"))
        if not found:
            tap.skip(f"{start}: families", "not in ../shared/data/cases")
            continue
        store = place.ingest(found[0])
        sums = collections.Counter()
        for r in kernels(place, store):
            sums[r["family"]] += r["total_ns"]
        rows = {r["family"]: r["total_ns"] for r in kernels(place, store, "--by", "family")}
        tap.same(rows, dict(sums), f"{start}: families add up their kernels")
        tap.same({f: rows.get(f) for f in truth}, truth, f"{start}: families")


# What operators launch, whoever wrote the kernel: the family of nearly all of their time.
OPERATORS = {
    "linear": ("aten::mm", "aten::addmm", "aten::bmm"), "copy": ("aten::copy_", "aten::cat", "aten::fill_", "aten::zero_"),
    "norm": ("aten::native_layer_norm", "aten::cudnn_batch_norm", "aten::native_batch_norm", "aten::miopen_batch_norm"),
    "elementwise": ("aten::add", "aten::mul", "aten::add_", "aten::mul_", "aten::relu", "aten::gelu", "aten::silu"),
    "softmax": ("aten::_softmax", "aten::_log_softmax"), "reduction": ("aten::sum", "aten::mean"),
    "attention": ("aten::_flash_attention_forward", "aten::_efficient_attention_forward", "flash_attn::_flash_attn_forward"),
}
MOST_BYTES = 150_000 if os.environ.get("SAN") else 1_000_000  # compressed, of a recording


def check_operators(tap, place):
    """An operator says what its kernels do, and the table of families knows none of them."""
    agree, total = collections.Counter(), collections.Counter()
    for path in sorted(glob.glob(os.path.join(DATA, "cases", "*.gz"))):
        if os.path.getsize(path) > MOST_BYTES:
            continue
        for row in kernels(place, place.ingest(path), "--by", "op"):
            for family, ops in OPERATORS.items():
                if row["op"] in ops:
                    total[family] += row["total_ns"]
                    agree[family] += row["total_ns"] if row["family"] == family else 0
    if not total:
        tap.skip("families and operators", "no ../shared/data/cases")
    for family, ns in total.items():
        tap.ok(agree[family] >= 0.99 * ns, f"{family}: as the operators say", agree[family], ns)


def check_graph(tap, place):
    """A graph's kernels have one launch: only while one of them runs do the others queue."""
    trace = {"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 0, "dur": 5,
         "args": {"correlation": 1}}]}
    for i, start in enumerate((5, 20, 40)):
        trace["traceEvents"].append({"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": 7, "ts": start,
                                     "dur": (5, 10, 10)[i], "args": {"correlation": 1, "stream": 7, "device": 0}})
    path = place.path("graph.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(trace, out)
    rows = kernels(place, place.ingest(path), "--launches")
    tap.same({r["name"]: r["queue_ns"] for r in rows}, {"k0": 0, "k1": 5 * US, "k2": 15 * US},
             "the nodes of a graph wait only while one of them runs")


def check_threads(tap, place):
    """A helper thread launches for an operator on another: only the External id tells."""
    def event(cat, name, tid, ts, dur, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}

    events = [event("cpu_op", "aten::mm", 1, 100, 50, **{"External id": 3}),
              event("cpu_op", "aten::add", 2, 300, 20, **{"External id": 4})]
    for i, (launched, external_id) in enumerate(((110, 3), (200, 3), (305, 4), (350, 9))):
        ids = {"correlation": 100 + i, "External id": external_id}
        events.append(event("cuda_runtime", "cudaLaunchKernel", 2, launched, 5, **ids))
        events.append(event("kernel", f"k{i}", 7, launched + 20, 10, stream=7, device=0, **ids))
    path = place.path("threads.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": events}, out)
    rows = kernels(place, place.ingest(path), "--by", "op")
    tap.same(sorted((r["name"], r["op"] or "") for r in rows),
             [("k0", "aten::mm"), ("k1", "aten::mm"), ("k2", "aten::add"), ("k3", "")],
             "launches on another thread than their operator's")


def check_fixtures(tap, place):
    """However rows are split, they add up to the same, and to the operator table's device work."""
    for name, path in storetap.fixtures():
        store = place.ingest(path)
        db = place.open(store)
        want = storetap.rows(db, "SELECT sum(calls), sum(self_device_ns) FROM op_stat WHERE grain = 0 AND kind = 1")[0]
        sums = set()
        # nothing to split by is an answer of its own, not a column without a value
        has = {"rank": storetap.rows(db, "SELECT count(rank) FROM profile")[0][0] > 0,
               "step": storetap.rows(db, "SELECT count(step) FROM slice WHERE class IN "
                                         "('kernel', 'memcpy', 'memset', 'accelerator')")[0][0] > 0}
        for by in ("name", "op", "rank", "profile", "device", "stream", "step", "op,stream,step"):
            if all(has.get(key, True) for key in by.split(",")):
                rows = kernels(place, store, "--copies", "--by", by)
                sums.add((sum(r["calls"] for r in rows), sum(r["total_ns"] for r in rows)))
            elif want[0]:
                done = place.ptool("kernels", store, "--copies", "--by", by, check=False)
                tap.ok(done.returncode == 3 and "--by " in done.stderr, f"{name}: no {by}", done.stderr)
        tap.ok(sums == {(want[0] or 0, want[1] or 0)}, f"{name}: every split adds up", sums, want)


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_plugin(tap, place)
        check_cases(tap, place)
        check_exact(tap, place)
        check_random(tap, place)
        check_queues(tap, place)
        check_cores(tap, place)
        check_families(tap, place)
        check_operators(tap, place)
        check_occupancy(tap, place)
        check_limit(tap, place)
        check_graph(tap, place)
        check_threads(tap, place)
        check_fixtures(tap, place)
    tap.done()


main()
