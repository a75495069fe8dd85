#!/usr/bin/env python3
"""check_random.py: `ptool gaps` against a slow computation of ptool-gaps(1) on random traces, every
row and column; and the same answer from shuffled events, shifted clocks and renamed ids.
timeout: 400 s
"""
import collections
import csv
import io
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import gaptrace
import slowblame
from storetap import Tap, Workplace, share

BYS = ("cause", "op", "frame", "annotation", "step", "stream")
STREAMS = (7, 13, 20)
END = 9_000_000
OPS = ["aten::add", "aten::item", "aten::linear", "aten::_local_scalar_dense", "aten::to", "aten::_to_copy",
       "aten::copy_", "aten::to.dtype", "aten::item.x", "c10d::allreduce_", "c10d::barrier", "compile_fx_inner",
       "gloo:recv", "aten::nonzero", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
       "Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad", "triton_compile_x"]
FRAMES = ["train.py(3): step", "torch/optim/adamw.py(10): step", "torch/utils/data/dataloader.py(701): __next__",
          "<built-in method collect of module gc>", "torch/_inductor/codecache.py(3): run",
          "torch/_inductor/codecache.py(90): compile", "torch/_dynamo/convert_frame.py(7): __call__",
          "torch/distributed/distributed_c10d.py(9): all_reduce", "torch/optim/optimizer.py(4): zero_grad",
          "torch/distributed/distributed_c10d.py(70): barrier"]
NOTES = ["forward", "log", "optimizer: Adam", "nccl:all_reduce", "dataloader_next", "gc.collect"]
CALLS = ["StreamSynchronize", "DeviceSynchronize", "Malloc", "Free", "EventRecord", "EventQuery", "HostAlloc"]
COPIES = [("MemcpyAsync", "Memcpy DtoH (Device -> Pageable)"), ("MemcpyAsync", "Memcpy HtoD (Pageable -> Device)"),
          ("MemcpyAsync", "Memcpy HtoD (Pinned -> Device)"), ("MemcpyAsync", "Memcpy DtoD (Device -> Device)"),
          ("Memcpy", "Memcpy HtoD (Pinned -> Device)"), ("MemcpyWithStream", "CopyDeviceToHost")]


class Maker:
    """One random trace."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.trace = gaptrace.Trace()
        self.taken = set()
        self.vendor = self.rng.choice(["cuda", "hip"])
        self.waits = ("rows", "calls", "none")[seed % 3]
        self.trace.host("first", 0, 1, tid=9)  # fixes the profile's first moment
        self.steps(seed % 7)
        for tid in (1, 2):
            self.nested(tid, 25_000 + tid, END, 0)
        for device in range(self.rng.choice([1, 2, 3])):
            self.device(device)
        if self.waits == "rows":
            for _ in range(self.rng.randrange(1, 30)):
                self.wait_row(self.rng.randrange(END), self.rng.choice(STREAMS), self.rng.randrange(3))
        if self.waits == "calls":
            for _ in range(self.rng.randrange(1, 30)):
                self.call("StreamWaitEvent", self.rng.randrange(END), 900, self.rng.choice([1, 2]))

    def free(self, tid, ts, dur):
        """A length that no slice of this moment has: equal ones nest as the file has them."""
        while (tid, ts, dur) in self.taken:
            dur += 1
        self.taken.add((tid, ts, dur))
        return dur

    def call(self, name, ts, dur, tid, cat="cuda_runtime"):
        return self.trace.host(self.vendor + name, ts, self.free(tid, ts, dur), cat, tid)

    def wait_row(self, ts, stream, device):
        self.trace.wait(ts, self.rng.choice([500, 40_000, 400_000]), stream,
                        self.rng.choice([*STREAMS, 33, -1]), device)

    def steps(self, how):
        """None, one after another, with time between, overlapping, late, in another, one alone."""
        steps = [(), ((20_000, 2_820_000), (2_900_000, 5_700_000), (5_700_000, 8_400_000)),
                 ((400_000, 2_400_000), (3_000_000, 5_000_000), (6_100_000, 8_100_000)),
                 ((20_000, 3_320_000), (2_000_000, 5_300_000), (5_000_000, 8_300_000)), ((3_100_000, 5_100_000),),
                 ((300_000, 6_000_000), (2_000_000, 3_000_000), (7_000_000, 9_000_000)), ((10_000, END + 300_000),)]
        for number, (ts, end) in enumerate(steps[how]):
            cat = "user_annotation" if self.rng.random() < .8 else "cpu_op"  # as in recordings of 2021
            self.trace.host(f"ProfilerStep#{number}", ts, self.free(1, ts, end - ts), cat)

    def nested(self, tid, start, end, depth):
        """Slices in [start, end), and in them; some overrun what they begin in."""
        at, rng = start, self.rng
        while at < end:
            at += rng.choice([0, 300, 4_000, 60_000]) + rng.randrange(2_000)
            dur = min(int(10 ** rng.uniform(2.5, 6.3)), end - at + (rng.random() < .1) * 3_000)
            if dur <= 0 or at >= end or len(self.taken) > 900:
                return
            dur, kind = self.free(tid, at, dur), rng.random()
            if depth > 4 or kind < .2:
                self.trace.host(self.vendor + rng.choice(CALLS), at, dur,
                                rng.choice(["cuda_runtime", "cuda_driver"]), tid)
            elif kind < .24:
                self.trace.host("Activity Buffer Request", at, dur, "overhead", tid)
            else:
                cat, names = (("cpu_op", OPS) if kind < .7 else ("python_function", FRAMES) if kind < .86 else
                              ("user_annotation", NOTES))
                self.trace.host(rng.choice(names), at, dur, cat, tid)
                self.nested(tid, at, at + dur, depth + 1)
            at += dur

    def launched(self, reached, start):
        """When the call began that launched work: long before, in the gap, late, or not to be believed."""
        rng, kind = self.rng, self.rng.random()
        if kind < .35:
            return reached - rng.randrange(1, 400_000)
        if kind < .4:
            return rng.choice([reached, start, start + 70, reached - 1, reached + 1])
        if kind < .75:
            return max(start - rng.randrange(3_000, 9_000), 2)
        return start - int(rng.uniform(0, 1.2) * (start - reached))

    def device(self, device):
        """Busy and idle in turns, until the steps end or long before or after."""
        rng = self.rng
        at, until = rng.choice([1_000, 100_000, 900_000]), rng.choice([END // 2, END - 100_000, END + 200_000])
        while at < until and len(self.trace.works) < 700:
            size = rng.choice([0, 1, 900, 1_500, 4_000, 9_000, 12_000, 25_000, 60_000, 90_000, 130_000, 300_000])
            size += rng.randrange(50) if size > 1 else 0
            if rng.random() < .01:
                size = rng.randrange(400_000, 2_000_000)
            start = at + size
            at = max(at, self.work(device, at, start))

    def lost_graph(self, start, where):
        """A replay whose call is not in the trace, with or without a correlation, and other work among it."""
        rng, end = self.rng, start
        of = {"correlation": rng.choice([0, self.trace.lost_call()]), "graph id": rng.choice([1, 1, 2])}
        for node in range(rng.randrange(1, 12)):
            dur = rng.choice([0, 1, 900, 2_000])
            if rng.random() < .15:
                self.trace.work(start, dur, None, "lost_kernel", stream=rng.choice(STREAMS), device=where["device"])
            else:
                stream = rng.choice([where["stream"], where["stream"], *STREAMS])
                cat, name = rng.choice([("kernel", f"node_{node % 5}"), ("gpu_memcpy", "Memcpy DtoD (Device -> Device)")])
                self.trace.work(start, dur, None, name, cat, stream, where["device"], **of)
            end = start + dur
            start = end + rng.choice([0, 1, 700, 25_000])
        return end

    def work(self, device, reached, start):
        rng, stream, kind = self.rng, self.rng.choice(STREAMS), self.rng.random()
        dur = rng.choice([0, 1, 900, 5_000, 30_000])
        where = dict(stream=stream, device=device)
        end = start + dur
        if kind < .03:
            self.trace.work(start, dur, None, "lost_kernel", **where)
            return end
        if kind < .06:
            return self.lost_graph(start, where)
        ts, tid = max(2, self.launched(reached, start)), rng.choice([1, 1, 2])
        took = rng.choice([900, 900, 1_400, 3_000, 3_000, 30_000, 150_000, 1_200_000] if rng.random() < .3 else [900])
        if rng.random() < .15 and self.waits == "calls":
            self.call("StreamWaitEvent", max(1, ts - 1_500), 700, tid)
        if rng.random() < .15 and self.waits == "rows":
            self.wait_row(max(1, ts - 1_500), stream, device)
        if kind < .15:
            call = self.call("GraphLaunch", ts, took, tid)
            for node in range(rng.randrange(1, 40)):
                self.trace.work(start, dur, call, f"node_{node % 5}", stream=rng.choice([stream, 13]), device=device)
                end = start + dur
                start = end + rng.choice([1, 700, 1_200, 25_000])
                dur = rng.choice([1, 900, 2_000])
        elif kind < .3:
            api, name = rng.choice(COPIES)
            self.trace.work(start, dur, self.call(api, ts, took, tid), name, "gpu_memcpy", **where)
        elif kind < .35:
            self.trace.work(start, dur, self.call("MemsetAsync", ts, took, tid), "Memset (Device)", "gpu_memset",
                            **where)
        elif kind < .37:  # the launch says that it is no graph
            self.trace.work(start, dur, self.call("LaunchKernel", ts, took, tid), "kernel_1", **where, **{"graph id": 1})
        else:
            name = f"kernel_{rng.randrange(8)}" if rng.random() < .9 else f"rare_{len(self.trace.works)}"
            api = rng.choice(["LaunchKernel"] * 8 + ["LaunchKernelExC"])
            self.trace.work(start, dur, self.call(api, ts, took, tid), name, **where)
        if rng.random() < .1:  # more of the same moment, on another stream
            other = rng.choice([s for s in STREAMS if s != stream])
            self.trace.run(start, dur + 1, max(2, ts - 7_001), self.vendor + "LaunchKernel", self.free(
                1, max(2, ts - 7_001), 800), 1, name="beside", stream=other, device=device)
            end = max(end, start + dur + 1)
        return end


def random_trace(seed):
    return Maker(seed).trace


def table(place, path, *options):
    done = place.ptool("gaps", path, "--format", "csv", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def same_rows(tap, got, expected, by, name):
    """Every row and column.  Where what is blamed ties, one of these."""
    wrong, seen = [], set()
    for row in got:
        key = row.get(by) or None
        key = (int(row["device"]), int(key) if key and by in ("step", "stream") else key)
        seen.add(key)
        for column, value in expected.get(key, {}).items():
            if column == "blamed":
                right = (row["blamed"] or None) in value
            elif column == "share_pct":
                right = abs(float(row[column]) - value) < 1e-9
            else:
                right = row[column] == ("" if value is None else str(value))
            if not right:
                wrong.append(f"{key} {column}: got {row[column]!r}, expected {value!r}")
    wrong += [f"not expected: {key}" for key in seen - set(expected)]
    wrong += [f"missing: {key} {expected[key]}" for key in set(expected) - seen]
    tap.ok(not wrong and len(seen) == len(got), f"{name}, {len(got)} rows", *wrong)


LISTED = ("cause", "cause_ns", "after", "launch", "launch_start_ns", "step")


def listed(rows):
    return sorted(tuple(int(r[c]) for c in ("device", "start_ns", "dur_ns")) + tuple(r[c] for c in LISTED)
                  for r in rows)


def single(blame, answer, first):
    """What counts of each gap, one for each stretch without a break."""
    found = []
    for p in sorted(answer[1], key=lambda p: (p.device, p.gap, p.a)):
        if found and found[-1][-1].gap == p.gap and found[-1][-1].b == p.a:
            found[-1].append(p)
        else:
            found.append([p])
    return sorted(one(pieces, blame.gaps[pieces[0].gap].work, first) for pieces in found)


def one(pieces, work, first):
    causes, steps = collections.Counter(), collections.Counter()
    for p in pieces:
        causes[p.cause] += p.b - p.a
        steps[p.step] += p.b - p.a
    cause = max(causes, key=lambda c: (causes[c], -slowblame.CAUSES.index(c)))
    step, call = max(steps, key=steps.get), work and work.launch
    row = (cause, causes[cause], work and work.name, call and call.name, call and call.ts - first, step)
    return (pieces[0].device, pieces[0].a - first, sum(causes.values()),
            *("" if value is None else str(value) for value in row))


def compare(tap, place, store, trace, seed):
    blame = slowblame.Blame(trace)
    answer = blame.answer()
    for by in BYS:
        same_rows(tap, table(place, store, "--by", by), slowblame.rows(answer, by), by, f"seed {seed}: by {by}")
    tap.same(listed(table(place, store, "--list", "--limit", "0")), single(blame, answer, trace.first),
             f"seed {seed}: single gaps")
    inner = slowblame.Blame(trace, inner=True).answer()
    same_rows(tap, table(place, store, "--inner"), slowblame.rows(inner, "cause"), "cause", f"seed {seed}: --inner")
    a, b = 1_333_333, 5_555_555
    part = blame.answer([(a + trace.first, b + trace.first)])
    same_rows(tap, table(place, store, "--time", f"{a}ns..{b}ns"), slowblame.rows(part, "cause"), "cause",
              f"seed {seed}: a part of the time")
    if trace.steps:
        part = blame.answer([s[:2] for s in blame.belonging if s[2] in (0, 1)])
        same_rows(tap, table(place, store, "--step", "0..1"), slowblame.rows(part, "cause"), "cause",
                  f"seed {seed}: two steps")
    missed = [of for of in answer[0].values() if of.idle > of.span]
    tap.ok(not missed, f"seed {seed}: no more idle than there is", *missed)


def check_windows(tap, place, store, name, windows=3):
    """Only gaps of a window are charged: each that lies in it whole as among all the others."""
    def listed(*options):
        return table(place, store, "--list", "--root", "--limit", "0", *options)

    def span(row):
        return int(row["start_ns"]), int(row["start_ns"]) + int(row["dur_ns"])

    rows, random_, wrong = listed(), random.Random(name), []
    if not rows:
        return
    high = max(span(row)[1] for row in rows)
    for _ in range(windows):
        first = random_.choice([row for row in rows if row["root"]] or rows)  # of a wait before it, perhaps
        start, end = span(first)[0], random_.randint(span(first)[1], high)
        inside = [row for row in rows if start <= span(row)[0] and span(row)[1] <= end]
        cut = sum(span(row)[1] > start and span(row)[0] < end for row in rows) - len(inside)
        if not inside:
            continue
        got = listed("--time", f"{start}ns..{end}ns")
        wrong += [row for row in inside if row not in got]
        if len(got) != len(inside) + cut:
            wrong.append(f"{start}..{end}: {len(got)} rows, {len(inside)} inside, {cut} cut")
    tap.ok(not wrong, f"{name}: windows", *wrong[:3])


def main():
    tap = Tap()
    seeds = os.environ.get("GAPS_SEEDS", "40" if os.environ.get("LONG") else "21")
    with Workplace() as place:
        for seed in share(range(int(seeds)), 5) if "," not in seeds else map(int, seeds.split(",")[:-1]):
            facts = random_trace(seed)
            path = facts.save(place.path("t.json"))
            store = place.ingest(path)
            compare(tap, place, store, slowblame.read(path), seed)
            if seed % 4 == 0:
                check_windows(tap, place, store, f"seed {seed}")
            plain = json.dumps([table(place, store), table(place, store, "--root"),
                                table(place, store, "--by", "frame")])
            for how in (dict(shuffle=random.Random(seed)), dict(shift=987654321), dict(renamed=1)):
                other = place.ingest(facts.save(place.path("o.json"), **how), store="o.db")
                again = json.dumps([table(place, other), table(place, other, "--root"),
                                    table(place, other, "--by", "frame")])
                if "renamed" in how:
                    for stream in (*STREAMS, 33):
                        again = again.replace(f'"stream {stream * 2}"', f'"stream {stream}"')
                tap.ok(again == plain, f"seed {seed}: the same when {next(iter(how))}")
    tap.done()


if __name__ == "__main__":
    main()
