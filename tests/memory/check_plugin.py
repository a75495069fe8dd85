#!/usr/bin/env python3
"""ptool memory against the TensorBoard plugin: the numbers that its own unit tests assert,
and those that it computes for two recordings of ResNet-50."""
import glob
import json
import os

from memory_tables import SHARED, Tap, Workplace, table

# The plugin's columns, in its order.
STATS = ["self_increase_bytes", "self_allocated_bytes", "self_allocations", "increase_bytes", "allocated_bytes",
         "allocations", "calls"]


def plugin_name(device):
    return "CPU" if device == "cpu" else "GPU" + device.split(":")[1]


def check_stats(tap, name, rows, expected):
    """Every row of the plugin's; what only ptool has is <unknown>, or no operator to the plugin."""
    got = {(plugin_name(row["device"]), row["op"]): [row[column] for column in STATS] for row in rows}
    wanted = {(device, op): numbers for device, ops in expected.items() for op, numbers in ops.items()}
    wrong = [(key, numbers, got.get(key)) for key, numbers in wanted.items() if got.get(key) != numbers]
    tap.ok(not wrong and wanted, f"{name}: {len(wanted)} rows of statistics", *wrong)


def check_curve(tap, name, rows, expected, first_ns):
    for device, points in expected.items():
        got = [[(row["ts_ns"] - first_ns) / 1000, row["allocated_bytes"], row["reserved_bytes"]]
               for row in rows if plugin_name(row["device"]) == device]
        tap.same(got, points, f"{name}: the curve of {device}, {len(points)} points")


def check_events(tap, name, rows, expected, first_ns):
    def moment(value):
        return None if value is None else (value - first_ns) / 1000

    for device, events in expected.items():
        got = [[row["bytes"], moment(row["alloc_ns"]), moment(row["free_ns"]),
                None if row["lifetime_ns"] is None else row["lifetime_ns"] / 1000]
               for row in rows if plugin_name(row["device"]) == device]
        tap.same(sorted(got, key=str), sorted((event[1:] for event in events), key=str),
                 f"{name}: blocks of {device}, {len(events)} with their lifetimes")


def split_pairs(expected, case, first_ns):
    """The plugin joins by address alone: where another device freed it, these are two blocks."""
    freed_by = {}
    for event in case["trace"]:
        if event["name"] == "[memory]" and event["args"]["Bytes"] <= 0:
            moment = (event["ts"] - min(e["ts"] for e in case["trace"])) - first_ns / 1000
            freed_by[moment] = "CPU" if event["args"]["Device Type"] == 0 else f"GPU{event['args']['Device Id']}"
    found = {device: [] for device in expected}
    for device, events in expected.items():
        for op, size, start, end, lifetime in events:
            if end is None or start is None or freed_by[end] == device:
                found[device].append([op, size, start, end, lifetime])
                continue
            found[device].append([op, size, start, None, None])
            found[freed_by[end]].append([op, size, None, end, None])
    return found


def check_case(tap, place, path):
    with open(path, encoding="utf-8") as text:
        case = json.load(text)
    trace = place.path("case.json")
    with open(trace, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": case["trace"]}, out)
    store = place.ingest(trace)
    name = case["name"]
    expected = case["expect"]
    # the plugin counts from the first event that it knows, ptool from the first that there is
    first_ns = 1000 * (min(e["ts"] for e in case["trace"] if e["ph"] in "Xi") - min(e["ts"] for e in case["trace"]))
    if "memory_stats" in expected["must"]:
        check_stats(tap, name, table(place, store, "--stats"), expected["must"]["memory_stats"])
    check_curve(tap, name, table(place, store, "--curve"), expected.get("memory_curve_us_B", {}), first_ns)
    events = split_pairs(expected.get("memory_events_us_B", {}), case, first_ns)
    check_events(tap, name, table(place, store, "--events"), events, first_ns)
    peaks = {row["device"]: row["allocated_peak_bytes"] for row in table(place, store)}
    for device, bytes_ in expected.get("memory_peaks", {}).items():
        tap.same(peaks.get("cpu" if device.startswith("CPU") else device.lower()), bytes_, f"{name}: peak of {device}")


def main():
    tap = Tap()
    cases = [path for number in (17, 25, 26)
             for path in glob.glob(os.path.join(SHARED, "data", "tb-cases", f"{number}-*.json"))]
    with Workplace() as place:
        if not cases:
            tap.skip("the plugin's own cases", "no ../shared/data/tb-cases")
        for path in cases:
            check_case(tap, place, path)
        oracles = sorted(glob.glob(os.path.join(SHARED, "data", "tb-oracle", "*", "memory_stats.json")))
        if not oracles:
            tap.skip("the plugin's statistics", "no ../shared/data/tb-oracle")
        for path in oracles:
            name = os.path.basename(os.path.dirname(path))
            trace = glob.glob(os.path.join(SHARED, "data", "gpu", name + ".*"))[0]
            with open(path, encoding="utf-8") as text:
                check_stats(tap, name, table(place, place.ingest(trace), "--stats"), json.load(text)["raw"])
    tap.done()


if __name__ == "__main__":
    main()
