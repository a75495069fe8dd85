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
        row = rows[name]
        tap.same([row["tensor_core_eligible"], (row["self_tensor_core_pct"] or 0) / 100, row["total_tensor_core_pct"] / 100],
                 [want["tc_eligible"], want["tc_self_ratio"], want["tc_total_ratio"]], f"{name}: as the plugin's test")


def tensor_columns(rows):
    return sorted((r["name"], r["is_user_annotation"], str(r["tensor_core_eligible"]), r["self_tensor_core_ns"],
                   r["total_tensor_core_ns"]) for r in rows if r["self_tensor_core_ns"] is not None)


def check_roads(tap, place, name, path):
    store = place.ingest(path)
    quick = tensor_columns(top(place, store))
    tap.same(quick, tensor_columns(top(place, store, "--time", ALWAYS)), f"{name}: both roads, {len(quick)} rows")


def check_recordings(tap, place):
    for name, path in storetap.fixtures():
        check_roads(tap, place, name, path)
    for path in sorted(glob.glob(os.path.join(DATA, "gpu", "*.json.gz"))):
        check_roads(tap, place, os.path.basename(path), path)


class Tree:
    """Operators within operators at random, each with its kernels; sums are made while it grows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.now, self.correlation, self.free = [], 1000, 0, 0
        self.sums = collections.defaultdict(lambda: [0, 0, False])

    def event(self, cat, name, ts, dur, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
                            "args": args})

    def launch(self):
        """Microseconds of Tensor Core work that it launches."""
        name = self.random.choice(TC_NAMES + PLAIN_NAMES)
        self.correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", self.now, 3, 1, correlation=self.correlation)
        self.now += 4
        start, dur = max(self.free, self.now), self.random.randrange(1, 40)
        self.free = start + dur
        self.event("kernel", name, start, dur, 7, correlation=self.correlation, stream=7, device=0)
        return dur if name in TC_NAMES else 0

    def op(self, depth):
        """(Tensor Core time below and in it, is it eligible)."""
        name = self.random.choice(("aten::mm", "outer", "aten::add", "mine::op")) + ("" if depth else "_root")
        start, own, below, eligible = self.now, 0, 0, name == "aten::mm"
        self.now += 1
        for _ in range(2 + self.random.randrange(2)):  # never an only child, which torch may fold
            if depth < 3 and self.random.random() < 0.4:
                time, below_eligible = self.op(depth + 1)
                below += time
                eligible |= below_eligible
            else:
                own += self.launch()
        self.now += 1
        self.event("cpu_op", name, start, self.now - start, 1)
        self.now += 1
        eligible |= own > 0
        sums = self.sums[name]
        sums[0] += own
        sums[1] += own + below
        sums[2] |= eligible
        return own + below, eligible


def check_random(tap, place):
    for seed in range(8):
        tree = Tree(seed)
        for _ in range(12):
            tree.op(0)
        path = place.path("random.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": tree.events}, out)
        store = place.ingest(path)
        want = sorted((n, s * US, t * US, e) for n, (s, t, e) in tree.sums.items())
        for options in ((), ("--time", ALWAYS)):
            got = sorted((r["name"], r["self_tensor_core_ns"], r["total_tensor_core_ns"], r["tensor_core_eligible"])
                         for r in top(place, store, *options) if r["name"] in tree.sums)
            tap.same(got, want, f"random tree {seed} {' '.join(options)}: {len(want)} operators")


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_plugin(tap, place)
        check_case(tap, place)
        check_recordings(tap, place)
        check_random(tap, place)
    tap.done()


main()
