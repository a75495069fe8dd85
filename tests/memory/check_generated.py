#!/usr/bin/env python3
"""ptool memory on generated traces, where all is known: several devices of several kinds,
threads that allocate in the same moment, frees of what was there before, blocks that stay,
addresses that come again, operators within operators, and leaks that were planted."""
import json
import random
from collections import defaultdict

from memory_tables import Tap, Workplace, device_name, table

DEVICES = [(0, -1), (1, 0), (1, 1), (6, 0), (12, 0), (20, 3), (77, 0)]
STEPS = 5
ROUNDS = 40  # operators of a thread in a step
SPAN = 1000  # us of an operator
THREADS = (7, 8)
LEAKY = "aten::leaky"


class Allocator:
    """One device's: what is live, its totals, and what was there before the recording."""

    def __init__(self, rng, device):
        self.device = device
        self.rng = rng
        self.base = rng.choice([0, 1 << 20, 5_000_000_000])
        self.older = [(rng.randrange(1 << 40, 1 << 41), rng.randrange(1, 1 << 12)) for _ in range(5)] if self.base else []
        self.total = self.base
        self.live, self.kept = {}, set()
        self.next = 1 << 44
        self.log = []  # (bytes, total, address, op stack, step)

    def record(self, size, address, stack, step):
        self.total += size
        self.log.append((size, self.total, address, stack, step))
        return {"Device Type": self.device[0], "Device Id": self.device[1], "Addr": address, "Bytes": size,
                "Total Allocated": self.total, "Total Reserved": 0 if self.device[0] == 0 else 1 << 36}

    def act(self, stack, step):
        if self.older and self.rng.random() < .1:
            address, size = self.older.pop()
            return self.record(-size, address, stack, step)
        if self.live and (self.rng.random() < .6 or len(self.live) > 20):
            address = self.rng.choice(sorted(self.live))
            return self.record(-self.live.pop(address), address, stack, step)
        return self.allocate(self.rng.randrange(1, 1 << 20), stack, step)

    def allocate(self, size, stack, step, keep=False):
        self.next += 1 << 20
        # an address that is free comes again, as those of a caching allocator do
        address = self.next if keep or self.rng.random() < .5 or not self.log else abs(self.rng.choice(self.log)[2])
        if address in self.live or address in self.kept:
            address = self.next
        if keep:
            self.kept.add(address)
        else:
            self.live[address] = size
        return self.record(size, address, stack, step)


def complete(name, tid, ts, dur):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur}


def generate(seed):
    """The events of a trace in any order, and the allocators."""
    rng = random.Random(seed)
    allocators = [Allocator(rng, device) for device in DEVICES]
    events, now = [], 1000
    for step in range(STEPS):
        begin = now
        for _ in range(ROUNDS):
            outer, inner = f"aten::outer{rng.randrange(4)}", f"aten::inner{rng.randrange(4)}"
            if rng.random() < .2:
                inner = outer  # it calls itself
            for tid in THREADS:
                events += [complete(outer, tid, now, SPAN - 10), complete(inner, tid, now + 100, 800)]
                # two children, so that same names are no single call
                events.append(complete("aten::none", tid, now + 950, 5))
            for moment in sorted(rng.randrange(1, SPAN) for _ in range(6)):
                stack = [outer] if moment < SPAN - 10 else []
                if 100 <= moment < 900:
                    stack.append(inner)
                elif 950 <= moment < 955:
                    stack.append("aten::none")
                # both threads in the same moment: only the totals tell who was first
                for tid in rng.sample(THREADS, 2):
                    allocator = rng.choice(allocators)
                    events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": tid,
                                   "ts": now + moment, "args": allocator.act(stack, step)})
            now += SPAN
        for tid in THREADS:
            events.append(complete(LEAKY, tid, now, 100))
        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": THREADS[0],
                       "ts": now + 50, "args": allocators[1].allocate(4096, [LEAKY], step, keep=True)})
        now += 200
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 9, "ts": begin,
                       "dur": now - begin})
        now += 10
    rng.shuffle(events)
    return events, allocators


def expected_stats(allocator):
    sums = defaultdict(lambda: [0] * 6)
    for size, _, _, stack, _ in allocator.log:
        row = sums[stack[-1] if stack else "<unknown>"]
        row[0] += size
        row[1] += size if size > 0 else 0
        row[2] += size > 0
        for name in set(stack) or {"<unknown>"}:
            row = sums[name]
            row[3] += size
            row[4] += size if size > 0 else 0
            row[5] += size > 0
    return {name: tuple(row) for name, row in sums.items() if any(row)}


STATS = ["self_increase_bytes", "self_allocated_bytes", "self_allocations", "increase_bytes", "allocated_bytes",
         "allocations"]


def check_device(tap, name, allocator, tables):
    device = device_name(*allocator.device)
    peaks, curve, stats, growth = ([row for row in rows if row["device"] == device] for rows in tables)
    label = f"{name}: {device}"
    level, broken = allocator.base, 0
    for before, row in zip([curve[0], *curve], curve):
        level += row["bytes"]
        broken += row["allocated_bytes"] != level or before["ts_ns"] > row["ts_ns"]
    tap.ok(not broken and sorted((row["bytes"], row["allocated_bytes"], row["addr"]) for row in curve)
           == sorted(entry[:3] for entry in allocator.log), f"{label}: {len(curve)} events in an order that adds up")
    tap.same((peaks[0]["allocated_peak_bytes"], peaks[0]["base_bytes"], peaks[0]["mismatches"]),
             (max(entry[1] for entry in allocator.log), allocator.base, 0), f"{label}: the peak")
    tap.same({row["op"]: tuple(row[column] for column in STATS) for row in stats}, expected_stats(allocator),
             f"{label}: statistics of operators")
    by_step = [sum(entry[0] for entry in allocator.log if entry[4] == step) for step in range(STEPS)]
    tap.same([row["growth_bytes"] for row in growth], by_step, f"{label}: growth of steps")


def check_leaks(tap, name, place, store):
    leaks = table(place, store, "--leaks", "--device", "cuda:0")
    found = [(row["op"], row["left_bytes"], row["left_blocks"], row["steps"], row["first_step"], row["last_step"])
             for row in leaks if row["is_suspect"] and row["op"] == LEAKY]
    tap.same(found, [(LEAKY, 4096 * STEPS, STEPS, STEPS, 0, STEPS - 1)], f"{name}: the planted leak is a suspect")


def prominences(levels, base):
    """(place, rise) of every high, by looking left and right of each."""
    found = {}
    for at, level in enumerate(levels):
        left = right = level
        before = [*levels[:at]]
        for other in [*reversed(before), None]:
            if other is None:
                left = min(left, base)
            elif other >= level:
                break
            else:
                left = min(left, other)
        for other in levels[at + 1:]:
            if other > level:
                break
            right = min(right, other)
        if level > max(left, right):
            found[at] = level - max(left, right)
    return found


def check_spikes(tap, name, place, store, allocator):
    device = device_name(*allocator.device)
    levels = [row["allocated_bytes"] for row in table(place, store, "--curve", "--device", device)]
    for share, least in (("5", max(int(max(levels) * .05), 1 << 20)), ("0", 1)):
        rows = table(place, store, "--spikes", "--min-share", share, "--device", device)
        expected = sorted(rise for rise in prominences(levels, allocator.base).values() if rise >= least)
        tap.same(sorted(row["rise_bytes"] for row in rows), expected, f"{name}: {device}: {len(expected)} spikes of {share} %")
    high = max((row for row in rows if row["allocated_bytes"] == max(levels)), key=lambda row: row["rise_bytes"], default=None)
    peak = table(place, store, "--device", device)[0]
    tap.ok(high is None or high["at_ns"] == peak["at_ns"], f"{name}: {device}: the peak is where it is first reached", high)
    tap.ok(all(abs(row["share_pct"] - 100 * row["rise_bytes"] / max(levels)) < 1e-9 for row in rows),
           f"{name}: {device}: shares of the peak", rows)


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(8):
            events, allocators = generate(seed)
            path = place.path("generated.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"schemaVersion": 1, "traceEvents": events}, out)
            store = place.ingest(path)
            tables = [table(place, store, *option) for option in ((), ("--curve",), ("--stats",), ("--growth",))]
            for allocator in allocators:
                check_device(tap, f"seed {seed}", allocator, tables)
                check_spikes(tap, f"seed {seed}", place, store, allocator)
            check_leaks(tap, f"seed {seed}", place, store)
    tap.done()


if __name__ == "__main__":
    main()
