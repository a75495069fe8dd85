#!/usr/bin/env python3
"""check_chrome_kinds.py: traces that are not PyTorch's against a reader of their own.

tests/fixtures/chrome has recordings of TensorFlow, JAX, py-spy, viztracer, Node, Chromium and
clang, and what xprof made of a pretended GPU and TPU machine.  The reader here is as short as the
format allows and shares nothing with ptool's: whole file, exact decimals, one stack a thread.
"""
import collections
import decimal
import glob
import gzip
import json
import os
import re

from storetap import FIXTURES, SHARED, Tap, Workplace, rows, value

NS = decimal.Decimal(1000)
TRACE = ("--input-format", "chrome")
WORK = ("kernel", "memcpy", "memset", "accelerator")


def ns(number):
    return int((decimal.Decimal(number) * NS).to_integral_value(decimal.ROUND_HALF_EVEN))


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as text:
        trace = json.load(text, parse_float=decimal.Decimal)
    return trace if isinstance(trace, list) else trace["traceEvents"]


class Trace:
    """Slices as [thread, name, start, end, event, place]; of B and E only pairs that are whole."""

    def __init__(self, path):
        self.events = [e for e in load(path) if e]
        self.place = {id(e): i for i, e in enumerate(self.events)}
        self.start = min(ns(e["ts"]) for e in self.events if e["ph"] != "M")
        self.processes, self.threads = {}, {}
        self.slices, self.open_ends = [], 0
        for e in self.events:
            if e["ph"] == "M" and e["name"] == "process_name":
                self.processes[e["pid"]] = e["args"]["name"]
            elif e["ph"] == "M" and e["name"] == "thread_name":
                self.threads[e["pid"], e["tid"]] = e["args"]["name"]
        for e in self.events:
            if e["ph"] == "X":
                self.add(e, ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))
            elif e["ph"] in "iIR":
                self.add(e, ns(e["ts"]), ns(e["ts"]))
        self.pair()

    def add(self, e, start, end):
        self.slices.append([(e["pid"], e["tid"]), e.get("name", ""), start, end, e, self.place[id(e)]])

    def pair(self):
        stacks = collections.defaultdict(list)
        marks = [e for e in self.events if e["ph"] in "BE"]
        for e in sorted(marks, key=lambda e: ns(e["ts"])):
            stack = stacks[e["pid"], e["tid"]]
            if e["ph"] == "B":
                stack.append(e)
                continue
            same = [b for b in stack if b.get("name") == e.get("name", b.get("name"))]
            begin = (same or stack or [None])[-1]
            if begin is None:
                self.open_ends += 1
                continue
            stack.remove(begin)
            self.add(begin, ns(begin["ts"]), ns(e["ts"]))
        self.open_begins = sum(map(len, stacks.values()))

    def is_device(self, thread):
        return "/device:" in self.processes.get(thread[0], "")

    def host(self):
        return [s for s in self.slices if not self.is_device(s[0])]

    def row_class(self, s):
        """What a slice on a device's row is, by the rules in ptool-formats(5)."""
        process, thread = self.processes[s[0][0]], self.threads[s[0]]
        if thread.startswith("Stream #"):
            kind = re.match("Memcpy|Memset", s[1])
            return kind.group().lower() if kind else "kernel"
        if thread == "XLA Ops" and "GPU" not in process and s[1].split(".")[0] != "while":
            return "accelerator"
        return "device_annotation"


def self_times(slices):
    """Self time by name, of slices that nest."""
    total = collections.Counter()
    for thread in {s[0] for s in slices}:
        stack = []
        for _, name, start, end, *_ in sorted((s for s in slices if s[0] == thread),
                                              key=lambda s: (s[2], -s[3], s[5])):
            while stack and stack[-1][1] <= start:
                stack.pop()
            if stack:
                end = min(end, stack[-1][1])
                total[stack[-1][0]] -= end - start
            total[name] += end - start
            if end > start:
                stack.append((name, end))
    return sorted(total.items())


def totals(slices, key):
    sums = collections.defaultdict(lambda: [0, 0])
    for s in slices:
        sums[key(s)][0] += 1
        sums[key(s)][1] += s[3] - s[2]
    return sorted((*(k if isinstance(k, tuple) else (k,)), *v) for k, v in sums.items())


ON_THREADS = "FROM slice s JOIN track t ON t.id = s.track_id WHERE t.kind = 'thread'"


def check_host(tap, db, name, trace):
    whole = trace.open_begins == 0
    got = rows(db, f"SELECT s.name, count(*), sum(dur) {ON_THREADS} AND NOT is_unfinished GROUP BY s.name")
    tap.same(sorted((n.replace("\x00", ""), *r) for n, *r in got), totals(trace.host(), lambda s: s[1]),
             f"{name}: slices and their time by name")
    if whole:
        got = rows(db, f"SELECT s.name, sum(self_ns) {ON_THREADS} GROUP BY s.name ORDER BY s.name")
        tap.same(sorted(got), self_times(trace.host()), f"{name}: self time by name")
    lost = dict(rows(db, "SELECT code, sum(count) FROM finding WHERE code LIKE '%\\_with%' ESCAPE '\\' "
                     "GROUP BY code"))
    on_threads = value(db, f"SELECT count(*) {ON_THREADS} AND is_unfinished")
    tap.same((lost.get("end_without_begin", 0) >= trace.open_ends, on_threads), (True, trace.open_begins),
             f"{name}: ends and begins without their other half are counted")


def check_device(tap, db, name, trace):
    on_device = [s for s in trace.slices if trace.is_device(s[0])]
    if not on_device:
        return
    got = rows(db, "SELECT class, s.name, count(*), sum(dur) FROM slice s JOIN track t ON t.id = s.track_id "
               "WHERE t.kind LIKE 'stream%' AND t.profile_id = 1 GROUP BY class, s.name")
    tap.same(sorted(got), totals(on_device, lambda s: (trace.row_class(s), s[1])),
             f"{name}: classes of what stands on the rows of devices")
    work = [s for s in on_device if trace.row_class(s) in WORK]
    got = rows(db, "SELECT n.text, sum(o.self_device_ns) FROM op_stat o JOIN string n ON n.id = o.name_id "
               "WHERE o.kind = 1 AND o.grain = 0 GROUP BY n.text")
    expected = [(n, total) for n, _, total in totals(work, lambda s: s[1])]
    tap.same(sorted(got), expected, f"{name}: device time is that of the work alone")


def check_links(tap, db, name, trace):
    launches = {s[4]["args"]["correlation_id"]: s for s in trace.host() if "correlation_id" in s[4].get("args", {})}
    work = [s for s in trace.slices if trace.is_device(s[0]) and trace.row_class(s) in WORK]
    by_correlation = [(s[1], launches[c][1]) for s in work
                      if (c := s[4].get("args", {}).get("correlation_id")) in launches]
    got = rows(db, "SELECT w.name, l.name FROM slice w JOIN slice l ON l.id = w.launch_id")
    tap.same(sorted(got), sorted(by_correlation), f"{name}: work is joined to the calls that launched it")


def step_of(s, steps):
    """A host slice's step: the newest that holds its start."""
    found = [n for n, start, end in steps if start <= s[2] < end]
    return found[-1] if found else None


def check_steps(tap, db, name, trace):
    marks = sorted((s for s in trace.host() if "step_num" in s[4].get("args", {})), key=lambda s: s[2])
    steps = [(int(s[4]["args"]["step_num"]), s[2], s[3]) for s in marks]
    got = rows(db, "SELECT number, ts, ts + dur FROM step ORDER BY ts")
    tap.same([(n, ts + trace.start, end + trace.start) for n, ts, end in got], steps, f"{name}: {len(steps)} steps, from step_num")
    group_step = {s[4]["args"]["group_id"]: int(s[4]["args"]["step_num"]) for s in marks if "group_id" in s[4]["args"]}
    launches = {s[4]["args"]["correlation_id"]: s for s in trace.host() if "correlation_id" in s[4].get("args", {})}
    expected = collections.Counter()
    for s in (s for s in trace.slices if trace.is_device(s[0]) and trace.row_class(s) in WORK):
        args = s[4].get("args", {})
        launch = launches.get(args.get("correlation_id"))
        expected[step_of(launch, steps) if launch else group_step.get(args.get("group_id"))] += s[3] - s[2]
    got = rows(db, "SELECT step, sum(dur) FROM slice WHERE class IN ('kernel', 'memcpy', 'memset', 'accelerator') "
               "GROUP BY step")
    tap.same(dict(got), dict(expected), f"{name}: device time by step")


def check_kernel_details(tap, db):
    got = rows(db, "SELECT DISTINCT n.text, k.device, k.grid_x, k.grid_y, k.grid_z, k.block_x, k.registers, "
               "k.shared_memory_bytes, k.occupancy_pct FROM kernel k JOIN slice_row s ON s.id = k.slice_id "
               "JOIN string n ON n.id = s.name_id WHERE s.class = (SELECT id FROM slice_class WHERE name = 'kernel')")
    tap.same(sorted(got), [("loop_add_fusion", 0, 8, 2, 1, 128, 32, 1040, 75.0),
                           ("void gemm<float>(int)", 0, 4, 1, 1, 256, 64, 0, None)],
             "xprof_gpu: grid, block, registers, shared memory and occupancy of kernels")
    got = rows(db, "SELECT n.text, sum(c.bytes) FROM copy c JOIN slice_row s ON s.id = c.slice_id "
               "JOIN string n ON n.id = s.name_id GROUP BY n.text")
    tap.same(sorted(got), [("MemcpyD2H", 192), ("MemcpyH2D", 12288), ("Memset", 3072)],
             "xprof_gpu: bytes of copies and sets")


def check_py_spy(tap, work):
    """py-spy's chrometrace of a program beside the table of its samples, by function and file.

    A slice lasts from one tick to another, whose distance varies: no times, but which functions
    are there, and which of them ran themselves.
    """
    folder = os.path.join(SHARED, "data", "pyprof", "pyspy")
    path = os.path.join(folder, "chrometrace_0.4.json")
    if not os.path.exists(path):
        tap.skip("py-spy: functions", "it is not beside this checkout")
        return
    db = work.open(work.ingest(path, options=(*TRACE, "--strict", "--keep", "args")))
    check_host(tap, db, "py-spy", Trace(path))
    with open(os.path.join(folder, "ORACLE_self_total.tsv"), encoding="utf-8") as table:
        oracle = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    own = collections.Counter()
    for name, own_ns, args in rows(db, "SELECT s.name, s.self_ns, a.args FROM slice s "
                                   "JOIN slice_args a ON a.slice_id = s.id"):
        own[json.loads(args)["filename"], name] += own_ns
    tap.same(sorted((*key, total > 0) for key, total in own.items()),
             sorted((f, name, int(samples) > 0) for samples, _, name, f in oracle),
             "py-spy: its functions, and which were on top of a sample")
    db.close()


def main():
    tap = Tap()
    with Workplace() as work:
        for path in sorted(glob.glob(os.path.join(FIXTURES, "chrome", "*.json.gz"))):
            name = os.path.basename(path)[:-len(".json.gz")]
            trace = Trace(path)
            # Chromium's buffers begin in the middle of slices, so that ends come without begins.
            # What py-spy writes is read as samples unless a trace is asked for.
            options = TRACE if name == "pyspy" else ()
            db = work.open(work.ingest(path, options=options if name == "chromium" else (*options, "--strict")))
            is_xprof = any(n.split(" ")[-1].startswith(("/host:", "/device:")) for n in trace.processes.values())
            tap.same(value(db, "SELECT format FROM profile"), "xprof" if is_xprof else "chrome", f"{name}: its format")
            check_host(tap, db, name, trace)
            check_device(tap, db, name, trace)
            if is_xprof:
                check_links(tap, db, name, trace)
                check_steps(tap, db, name, trace)
            if name == "xprof_gpu":
                check_kernel_details(tap, db)
            db.close()
        check_py_spy(tap, work)
    tap.done()


main()
