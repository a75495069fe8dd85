#!/usr/bin/env python3
"""`ptool top --tensor-cores`: the TensorBoard plugin's operator tables of two recordings, its unit
test of Tensor Cores, and both roads to the columns, the quick one and the one over whole slices,
on recordings and on random trees.  TAP."""
import collections
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
ALWAYS = "0s.."  # a filter that keeps everything, and that only single slices can answer
TC_NAMES = ("volta_h884gemm", "nvjet_hsh_64x64_4x1_v_bz_NNT", "sm90_xmma_gemm_bf16bf16_x")
PLAIN_NAMES = ("vectorized_elementwise_kernel", "ampere_sgemm_128x64_nn")
UNKNOWN_NAMES = ("mine", "triton_tem_fused_mm_0")
SHARES = ("self_tensor_core_pct", "total_tensor_core_pct", "self_tensor_core_unknown_pct",
          "total_tensor_core_unknown_pct")


def top(place, store, *options):
    done = place.ptool("top", store, "--tensor-cores", "--limit", "0", "--format", "json", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["rows"]


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as text:
        return json.load(text)


def key_of(row):
    return row["name"], row.get("input_shapes")


def differences(rows, oracle, by_shape):
    """Annotations are no operators to the plugin, nor are runtime calls or kernels."""
    ours = collections.defaultdict(list)
    for row in rows:
        if row["tensor_core_eligible"] is not None and not row["is_user_annotation"]:
            ours[key_of(row)].append(row)
    for t in oracle:
        key = t["name"], t["input_shape"] if by_shape else None
        if len(ours[key]) != 1:
            yield f"{key}: {len(ours[key])} rows"
            continue
        row = ours[key][0]
        got = [row[c] for c in ("calls", "total_cpu_ns", "self_cpu_ns", "total_device_ns", "self_device_ns",
                                "tensor_core_eligible", "self_tensor_core_ns", "total_tensor_core_ns")]
        want = [t["calls"], t["host_total"] * US, t["host_self"] * US, t["device_total"] * US, t["device_self"] * US,
                t["tc_eligible"], t["tc_self_duration"] * US, t["tc_total_duration"] * US]
        if got != want:
            yield f"{key}: {got}, the plugin {want}"


def check_plugin(tap, place):
    folders = sorted(glob.glob(os.path.join(DATA, "tb-oracle", "*", "operator.json.gz")))
    if not folders:
        tap.skip("the plugin's operator tables", "no ../shared/data/tb-oracle")
    for path in folders:
        name = os.path.basename(os.path.dirname(path))
        store = place.ingest(glob.glob(os.path.join(DATA, "gpu", name + ".*"))[0])
        oracle = load(path)["by_name"]
        wrong = list(differences(top(place, store), oracle, False))
        tap.ok(not wrong, f"{name}: {len(oracle)} operators as in the plugin, every column", *wrong)
        oracle = load(path.replace("operator.json", "operator_by_shape.json"))["by_name_input"]
        wrong = list(differences(top(place, store, "--by", "shape"), oracle, True))
        tap.ok(not wrong, f"{name}: {len(oracle)} by shape likewise", *wrong)


def check_case(tap, place):
    path = os.path.join(DATA, "tb-cases", "20-tensor_core.json")
    if not os.path.exists(path):
        tap.skip("the plugin's unit test", "no ../shared/data/tb-cases")
        return
    case, trace = load(path), place.path("case.json")
    with open(trace, "w", encoding="utf-8") as out:
        json.dump(case["trace"], out)
    rows = {r["name"]: r for r in top(place, place.ingest(trace))}
    for name, want in case["expect"]["must"]["ops_by_name"].items():
        row = rows[name]  # the plugin's are shares of all device time, what is not known too
        tap.same([row["tensor_core_eligible"], row["self_tensor_core_ns"] / max(1, row["self_device_ns"]),
                  row["total_tensor_core_ns"] / max(1, row["total_device_ns"])],
                 [want["tc_eligible"], want["tc_self_ratio"], want["tc_total_ratio"]], f"{name}: as the plugin's test")


def tensor_columns(rows):
    return sorted((r["name"], r["kind"], str(r["tensor_core_eligible"]), r["self_tensor_core_ns"],
                   r["total_tensor_core_ns"], *(str(r[c]) for c in SHARES))
                  for r in rows if r["self_tensor_core_ns"] is not None)


def share_differences(rows):
    """Parts are no more than what they are parts of."""
    for r in rows:
        for way in ("self", "total"):
            if (r[f"{way}_tensor_core_ns"] or 0) > (r[f"{way}_device_ns"] or 0):
                yield f"{r['name'][:60]}: {r[f'{way}_tensor_core_ns']} of {r[f'{way}_device_ns']} ns"
        yield from (f"{r['name'][:60]}: {c} {r[c]}" for c in SHARES if not 0 <= (r[c] or 0) <= 100)


def check_roads(tap, place, name, path):
    store = place.ingest(path)
    rows = top(place, store)
    quick = tensor_columns(rows)
    slow = tensor_columns(top(place, store, "--time", ALWAYS))
    wrong = list(share_differences(rows))
    tap.same(quick, slow, f"{name}: both roads, {len(quick)} rows")
    tap.ok(not wrong, f"{name}: no share is above 100 %", *wrong)


def check_recordings(tap, place):
    for name, path in storetap.fixtures():
        check_roads(tap, place, name, path)
    paths = sorted(glob.glob(os.path.join(DATA, "gpu", "*.json.gz")) + glob.glob(os.path.join(DATA, "cases", "*.json.gz")))
    for path in paths:
        check_roads(tap, place, os.path.basename(path), path)
    if not paths:
        tap.skip("both roads on recordings", "no ../shared/data")


class Tree:
    """Operators within operators at random, each with its kernels; sums are made while it grows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.now, self.correlation, self.free = [], 1000, 0, 0
        self.sums = collections.defaultdict(lambda: [0, 0, False, 0, 0, 0, 0])

    def event(self, cat, name, ts, dur, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
                            "args": args})

    def launch(self):
        """Microseconds that it launches: on Tensor Cores, not known, all."""
        name = self.random.choice(TC_NAMES + PLAIN_NAMES + UNKNOWN_NAMES)
        self.correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", self.now, 3, 1, correlation=self.correlation)
        self.now += 4
        start, dur = max(self.free, self.now), self.random.randrange(1, 40)
        self.free = start + dur
        self.event("kernel", name, start, dur, 7, correlation=self.correlation, stream=7, device=0)
        return [dur * (name in TC_NAMES), dur * (name in UNKNOWN_NAMES), dur]

    def op(self, depth, around=()):
        """(Times as of launch() below and in it, is it eligible)."""
        name = self.random.choice(("aten::mm", "outer", "aten::add", "mine::op")) + ("" if depth else "_root")
        start, own, below, eligible = self.now, [0, 0, 0], [0, 0, 0], name == "aten::mm"
        self.now += 1
        for _ in range(2 + self.random.randrange(2)):  # never an only child, which torch may fold
            if depth < 3 and self.random.random() < 0.4:
                times, below_eligible = self.op(depth + 1, around + (name,))
                below = [a + b for a, b in zip(below, times)]
                eligible |= below_eligible
            else:
                own = [a + b for a, b in zip(own, self.launch())]
        self.now += 1
        self.event("cpu_op", name, start, self.now - start, 1)
        self.now += 1
        eligible |= own[0] > 0
        total = [a + b for a, b in zip(own, below)]
        self.count(name, own, [0, 0, 0] if name in around else total, eligible)  # that has it already
        return total, eligible

    def count(self, name, own, total, eligible):
        """[self and total on Tensor Cores, eligible, self and total not known, self and total]."""
        sums = self.sums[name]
        sums[2] |= eligible
        for at, ns in zip((0, 1, 3, 4, 5, 6), (own[0], total[0], own[1], total[1], own[2], total[2])):
            sums[at] += ns


def pct(part, whole):
    return None if whole <= 0 else round(100 * part / whole, 6)


def expected_row(name, sums):
    own, total, eligible, own_unknown, total_unknown, own_all, total_all = sums
    return (name, own * US, total * US, eligible, pct(own, own_all - own_unknown), pct(total, total_all - total_unknown),
            pct(own_unknown, own_all), pct(total_unknown, total_all))


def check_random(tap, place):
    for seed in range(8):
        tree = Tree(seed)
        for _ in range(12):
            tree.op(0)
        path = place.path("random.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": tree.events}, out)
        store = place.ingest(path)
        want = sorted((expected_row(n, s) for n, s in tree.sums.items()), key=str)
        for options in ((), ("--time", ALWAYS)):
            got = sorted(((r["name"], r["self_tensor_core_ns"], r["total_tensor_core_ns"], r["tensor_core_eligible"],
                           *(r[c] if r[c] is None else round(r[c], 6) for c in SHARES))
                          for r in top(place, store, *options) if r["name"] in tree.sums), key=str)
            tap.same(got, want, f"random tree {seed} {' '.join(options)}: {len(want)} operators")


def check_label(tap, place):
    """A label that begins in one Python frame and ends in the next: what is launched there is its."""
    tree = Tree(1)
    tree.event("user_annotation", "whole", 0, 1000, 1)
    tree.event("python_function", "f.py(1): before", 10, 40, 1)
    tree.event("user_annotation", "step", 30, 900, 1)
    tree.event("python_function", "f.py(2): replay", 100, 200, 1)
    tree.event("cuda_runtime", "cudaGraphLaunch", 120, 5, 1, correlation=1)
    for i, name in enumerate((TC_NAMES[0], PLAIN_NAMES[0], UNKNOWN_NAMES[0])):
        tree.event("kernel", name, 130 + 20 * i, 10, 7, correlation=1, stream=7, device=0)
    path = place.path("label.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": tree.events}, out)
    store = place.ingest(path)
    for options in ((), ("--time", ALWAYS)):
        rows = {r["name"]: r for r in top(place, store, *options) if r["kind"] in ("host", "label")}
        tap.same([rows["step"][c] for c in ("self_device_ns", "self_tensor_core_ns") + SHARES],
                 [30 * US, 10 * US, 50, 50, 100 / 3, 100 / 3], f"one owner of what a graph replays {' '.join(options)}")
        tap.same([rows["whole"][c] for c in ("self_device_ns", "self_tensor_core_ns")], [0, 0],
                 f"and the label around it has none {' '.join(options)}")


def check_nested(tap, place):
    """An operator within one of its name: the device time counts once, and twice in torch's own text."""
    tree = Tree(2)
    tree.event("cpu_op", "aten::mm", 0, 100, 1)
    tree.event("cpu_op", "aten::view", 1, 2, 1)
    tree.event("cpu_op", "aten::mm", 10, 50, 1)
    tree.event("cuda_runtime", "cudaLaunchKernel", 20, 5, 1, correlation=1)
    tree.event("kernel", TC_NAMES[0], 40, 30, 7, correlation=1, stream=7, device=0)
    path = place.path("nested.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": tree.events}, out)
    store = place.ingest(path)
    for options in ((), ("--time", ALWAYS)):
        row = {r["name"]: r for r in top(place, store, *options)}["aten::mm"]
        tap.same([row[c] for c in ("calls", "self_device_ns", "total_device_ns", "total_tensor_core_ns",
                                   "total_tensor_core_pct")], [2, 30 * US, 30 * US, 30 * US, 100],
                 f"an operator within one of its name {' '.join(options)}")
    text = place.ptool("top", store, "--format", "torch").stdout
    line = next(line for line in text.splitlines() if "aten::mm" in line)
    tap.ok("60.000us" in line, "torch counts it twice", line)


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_plugin(tap, place)
        check_case(tap, place)
        check_recordings(tap, place)
        check_random(tap, place)
        check_label(tap, place)
        check_nested(tap, place)
    tap.done()


main()
