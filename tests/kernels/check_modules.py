#!/usr/bin/env python3
"""`ptool modules` against the TensorBoard plugin's own figures of its unit test, and against a
slow computation on random traces; the times of every tree close.  TAP."""
import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402

US = 1000
CASE = os.path.join(storetap.SHARED, "data", "tb-cases", "27-build_module_hierarchy.json")


def modules(place, trace):
    path = place.path("trace.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(trace, out)
    return rows_of(place, place.ingest(path))


def rows_of(place, store):
    done = place.ptool("modules", store, "--format", "json", check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["rows"]


def plugin_rows(nodes, above=""):
    for node in nodes:
        path = above + node["name"]
        yield (path, node["occurences"], node["operators"], node["host_duration"] * US,
               node["self_host_duration"] * US)
        yield from plugin_rows(node["children"], path + ";")


def check_plugin(tap, place):
    if not os.path.exists(CASE):
        tap.skip("the plugin's unit test of modules", "no ../shared/data/tb-cases")
        return
    with open(CASE, encoding="utf-8") as text:
        case = json.load(text)
    want = sorted(plugin_rows(case["expect"]["modules"]))
    got = sorted((r["path"], r["calls"], r["ops"], r["total_host_ns"], r["self_host_ns"])
                 for r in modules(place, case["trace"]))
    tap.same(got, want, f"27-build_module_hierarchy: {len(want)} modules as in the plugin")


class Program:
    """Threads of modules, operators and launches at random, with their sums by path."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.sums = [], collections.defaultdict(lambda: [0] * 8)
        self.correlation, self.free = 0, 0

    def event(self, cat, name, ts, dur, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
                            "args": args})

    def launch(self, path, now, tid):
        self.correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", now, 2, tid, correlation=self.correlation)
        start, dur = max(self.free, now + 3), self.random.randrange(1, 30)
        self.free = start + dur
        self.event("kernel", "k", start, dur, 7, correlation=self.correlation, stream=7, device=0)
        if path:
            self.sums[path][6] += dur
            self.sums[path][7] += 1
        for i in range(len(path)):
            self.sums[path[:i + 1]][5] += dur
        return now + 3

    def op(self, path, now, tid, depth=0):
        """Operators in operators belong to the outermost; a module in one takes its time from it."""
        start, inner = now, 0
        now += self.random.randrange(1, 5)
        for _ in range(self.random.randrange(3)):
            kind = self.random.random()
            if kind < 0.4:
                now = self.launch(path, now, tid)
            elif kind < 0.6 and depth < 2:
                now, below = self.op(path, now, tid, depth + 1)
                inner += below
            elif kind < 0.7 and len(path) < 4:
                before = now
                now = self.module(path, now, tid)
                inner += now - before
        now += self.random.randrange(1, 5)
        self.event("cpu_op", "aten::op", start, now - start, tid)
        if depth == 0 and path:
            self.sums[path][1] += 1
            self.sums[path][4] += now - start - inner
        return now, inner

    def module(self, path, now, tid):
        name = self.random.choice(("A_0", "A_1", "B_0"))
        path, start, inside = path + (name,), now, 0
        sums = self.sums[path]
        now += 1
        for _ in range(self.random.randrange(1, 4)):
            before, kind = now, self.random.random()
            if kind < 0.4 and len(path) < 4:
                now = self.module(path, now, tid)
                inside += now - before
            elif kind < 0.8:
                now, _ = self.op(path, now, tid)
                inside += now - before
            else:
                self.event("python_function", "f.py(1): f", now, 2, tid)
                now = self.launch(path, now, tid)
            now += self.random.randrange(2)
        self.event("python_function", "nn.Module: " + name, start, now - start, tid)
        sums[0] += 1
        sums[2] += now - start
        sums[3] += now - start - inside
        return now

    def run(self):
        for tid in (1, 2):
            now = 100 * tid
            for _ in range(6):
                now = self.module((), now, tid) + 1
                now, _ = self.op((), now, tid)
                now += 1
        return self

    def expected(self):
        return sorted((";".join(p), s[0], s[1], s[2] * US, s[3] * US, s[4] * US, s[5] * US, s[6] * US)
                      for p, s in self.sums.items() if s[0])


def closing_differences(rows):
    below, device = collections.Counter(), collections.Counter()
    for row in rows:
        below[row["parent_id"]] += row["total_host_ns"]
        device[row["parent_id"]] += row["total_device_ns"] or 0
    for row in rows:
        if row["total_host_ns"] != row["self_host_ns"] + row["op_host_ns"] + below[row["id"]]:
            yield f"{row['path']}: host"
        if (row["total_device_ns"] or 0) != (row["self_device_ns"] or 0) + device[row["id"]]:
            yield f"{row['path']}: device"


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_plugin(tap, place)
        for seed in range(12):
            program = Program(seed).run()
            rows = modules(place, {"schemaVersion": 1, "traceEvents": program.events})
            got = sorted((r["path"], r["calls"], r["ops"], r["total_host_ns"], r["self_host_ns"], r["op_host_ns"],
                          r["total_device_ns"], r["self_device_ns"]) for r in rows)
            tap.same(got, program.expected(), f"random program {seed}: {len(got)} modules")
        for name, path in storetap.fixtures():
            rows = rows_of(place, place.ingest(path))
            wrong = list(closing_differences(rows))
            tap.ok(not wrong, f"{name}: {len(rows)} rows, times close", *wrong)
    tap.done()


main()
