#!/usr/bin/env python3
# Many random traces: not in check-fast.
"""ptool devices and streams against what is known, to the nanosecond.

Random traces against truth counted tick by tick, and against the exact reference beside some
checkouts; the fixtures against the machine that ran them; real recordings against the exact
reference's answers and against the TensorBoard plugin's own.
"""
import glob
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
# pylint: disable=wrong-import-position
import random_work
from storetap import FIXTURES, SHARED, Tap, Workplace

ROUNDS = 60
REFERENCE = os.path.join(SHARED, "tools", "gpu_exact_reference.py")
ORACLE = os.path.join(SHARED, "data", "exact-oracle")
TB_ORACLE = os.path.join(SHARED, "data", "tb-oracle")
TB_CASES = os.path.join(SHARED, "data", "tb-cases")
RECORDINGS = os.path.join(SHARED, "data", "gpu")

# Columns by what the exact reference calls them.
TIMELINE = {"span": "span_ns", "busy": "busy_ns", "idle": "idle_ns", "comp_union": "compute_ns",
            "comm_union": "communication_ns", "mem_union": "memory_ns", "exposed_comm": "exposed_comm_ns",
            "exposed_mem": "exposed_copy_ns", "comm_comp_overlap": "overlap_ns"}
STREAM = {"events": "events", "busy": "busy_ns", "span": "span_ns", "sum_dur": "sum_ns"}


class Comparison:
    """Differences between what is shown and what is true."""

    def __init__(self):
        self.wrong, self.count = [], 0

    def same(self, where, got, expected):
        self.count += 1
        if got != expected:
            self.wrong.append(f"{where}: got {got!r}, expected {expected!r}")

    def near(self, where, got, expected, slack=1e-6):
        self.count += 1
        if (got is None) != (expected is None) or (got is not None and abs(got - float(expected)) > slack):
            self.wrong.append(f"{where}: got {got!r}, expected {expected if expected is None else float(expected)!r}")

    def tell(self, tap, name):
        tap.ok(not self.wrong and self.count > 0, f"{name} ({self.count} comparisons)", *self.wrong)


def ask(place, command, store, *options):
    """The rows; none where there is no device work."""
    done = place.ptool(command, store, "--format", "json", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(f"ptool {command} {options}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["rows"]


def closes(c, where, row):
    c.same(f"{where}: busy + idle", row["busy_ns"] + row["idle_ns"], row["span_ns"])
    c.same(f"{where}: parts of busy", row["compute_ns"] + row["exposed_comm_ns"] + row["exposed_copy_ns"], row["busy_ns"])
    c.same(f"{where}: overlap", row["overlap_ns"] + row["exposed_comm_ns"], row["communication_ns"])


def compare_devices(c, where, rows, trace, window):
    work = random_work.clip(trace.work, window)
    c.same(f"{where}: devices", [r["device"] for r in rows], sorted({w.device for w in work}))
    for row in rows:
        here = f"{where}: device {row['device']}"
        mine = [w for w in work if w.device == row["device"]]
        for name, value in random_work.times(mine, trace.tick_ns).items():
            c.same(f"{here}: {name}", row[name], value)
        closes(c, here, row)
        # one operator is there all the time: without steps all of it is the window
        ticks = min(trace.end, window[1]) - max(0, window[0])
        if row["steps_ns"]:
            c.same(f"{here}: steps_ns", row["steps_ns"], ticks * trace.tick_ns)
            c.near(f"{here}: utilization_pct", row["utilization_pct"], 100 * row["busy_ns"] / row["steps_ns"], 1e-9)
        if row["window_ns"] is not None:
            first = row["window_start_ns"] // trace.tick_ns
            inside = (first, first + row["window_ns"] // trace.tick_ns)
            for name, value in random_work.figures(mine, inside).items():
                c.near(f"{here}: {name}", row[name], value)


def compare_streams(c, where, rows, trace, window):
    work = random_work.clip(trace.work, window)
    c.same(f"{where}: streams", sorted((r["device"], r["stream"]) for r in rows), sorted({(w.device, w.stream) for w in work}))
    for row in rows:
        here = f"{where}: stream {row['device']}/{row['stream']}"

        def is_mine(w, key=(row["device"], row["stream"])):
            return (w.device, w.stream) == key
        truth = random_work.times(list(filter(is_mine, work)), trace.tick_ns)
        truth.update(random_work.queue(list(filter(is_mine, trace.work)), window, trace.tick_ns))
        truth["launched"] = sum(w.launch is not None for w in work if is_mine(w))
        for name, value in truth.items():
            c.same(f"{here}: {name}", row[name], value)
        closes(c, here, row)


def compare_parts(c, where, parts, streams):
    """The parts of a stream's time add up to the stream."""
    for row in streams:
        key = (row["device"], row["stream"])
        mine = [p for p in parts if (p["device"], p["stream"]) == key]
        c.same(f"{where}: {key}: busy", sum(p["busy_ns"] for p in mine), row["busy_ns"])
        c.same(f"{where}: {key}: touching", [p["start_ns"] + p["dur_ns"] for p in mine[:-1]], [p["start_ns"] for p in mine[1:]])
        if row["launched"]:
            c.same(f"{where}: {key}: waited", sum(p["queue_wait_ns"] for p in mine), row["queue_wait_ns"])
            c.same(f"{where}: {key}: longest", max(p["queue_max"] for p in mine), row["queue_max"])


def compare_reference(c, where, devices, streams, truth):
    """With what gpu_exact_reference.py says; only devices that are alone have all columns there."""
    if len(truth["devices"]) == 1:
        for name, column in TIMELINE.items():
            c.same(f"{where}: {name}", devices[0][column], truth["timeline"][name])
    for number, times in truth.get("per_device", {}).items():
        row = [r for r in devices if str(r["device"]) == number][0]
        for name, value in times.items():
            c.same(f"{where}: device {number}: {name}", row[TIMELINE[name]], value)
    c.same(f"{where}: streams", len(streams), len(truth["streams"]))
    for key, times in truth["streams"].items():
        device, stream = key.replace("stream ", "").split("/")
        row = [r for r in streams if (str(r["device"]), str(r["stream"])) == (device, stream)][0]
        for name, column in STREAM.items():
            c.same(f"{where}: {key}: {name}", row[column], times[name])
    c.same(f"{where}: launched", sum(r["launched"] for r in streams), truth["launch"]["linked"])
    c.same(f"{where}: not launched", sum(r["events"] - r["launched"] for r in streams), truth["launch"]["unlinked"])


def can_refer(trace):
    """The reference divides by the time of communication where there is any."""
    lengths = [w.end - w.start for w in trace.work if w.kind == "communication"]
    return not lengths or sum(lengths) > 0


def run_reference(place, path):
    out = place.path("reference.json")
    subprocess.run([sys.executable, REFERENCE, path, out], check=True, stdout=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as text:
        return json.load(text)


def check_random(tap, place):
    counted, parted, referred = Comparison(), Comparison(), Comparison()
    for seed in range(ROUNDS):
        trace = random_work.Trace(random.Random(seed))
        path = place.path("random.json")
        with open(path, "w", encoding="utf-8") as out:
            out.write(trace.json())
        store = place.ingest(path)
        everything = (0, trace.end + 1)
        devices, streams = ask(place, "devices", store), ask(place, "streams", store)
        compare_devices(counted, f"seed {seed}", devices, trace, everything)
        compare_streams(counted, f"seed {seed}", streams, trace, everything)
        window = (trace.end // 4, trace.end // 2)
        cut = f"{window[0] * trace.tick_ns}ns..{window[1] * trace.tick_ns}ns"
        compare_devices(counted, f"seed {seed} cut", ask(place, "devices", store, "--time", cut), trace, window)
        compare_streams(counted, f"seed {seed} cut", ask(place, "streams", store, "--time", cut), trace, window)
        compare_parts(parted, f"seed {seed}", ask(place, "streams", store, "--by-time", str(seed + 1)), streams)
        if os.path.exists(REFERENCE) and can_refer(trace):
            compare_reference(referred, f"seed {seed}", devices, streams, run_reference(place, path))
    counted.tell(tap, "random traces are what counting tick by tick says")
    parted.tell(tap, "the parts of --by-time add up to their streams")
    if os.path.exists(REFERENCE):
        referred.tell(tap, "random traces are what the exact reference says")
    else:
        tap.skip("random traces are what the exact reference says", "no ../shared/tools")


def check_fixtures(tap, place):
    c = Comparison()
    for truth_path in sorted(glob.glob(os.path.join(FIXTURES, "gpu", "*.truth.json"))):
        with open(truth_path, encoding="utf-8") as text:
            truth = json.load(text)
        if not truth.get("devices"):
            continue
        where = os.path.basename(truth_path)[:-len(".truth.json")]
        store = place.ingest(truth_path.replace(".truth.json", ".json"))
        devices, streams = ask(place, "devices", store), ask(place, "streams", store)
        c.same(f"{where}: devices", [r["device"] for r in devices], [d["device"] for d in truth["devices"]])
        for row, known in zip(devices, truth["devices"]):
            for name in ("events", "span_ns", "busy_ns", "idle_ns"):
                c.same(f"{where}: device {row['device']}: {name}", row[name], known[name])
            closes(c, where, row)
        for known in truth["streams"]:
            row = [r for r in streams if (r["device"], r["stream"]) == (known["device"], known["stream"])][0]
            for name in ("events", "busy_ns"):
                c.same(f"{where}: stream {row['stream']}: {name}", row[name], known[name])
            closes(c, where, row)
    c.tell(tap, "the fixtures are what the machine that ran them says")


def check_exact(tap, place):
    name = "real recordings are what the exact reference says"
    if not os.path.isdir(ORACLE):
        tap.skip(name, "no ../shared/data/exact-oracle")
        return
    c = Comparison()
    for oracle in sorted(glob.glob(os.path.join(ORACLE, "*.json"))):
        with open(oracle, encoding="utf-8") as text:
            truth = json.load(text)
        stem = os.path.basename(oracle).split("__")[-1].replace(".json", "")
        found = [p for p in glob.glob(os.path.join(RECORDINGS, "*.gz")) if stem in p] or [
            p for p in glob.glob(os.path.join(RECORDINGS, "*.gz")) if os.path.basename(p).replace(".json.gz", "") in
            os.path.basename(oracle)]
        found = found or glob.glob(os.path.join(RECORDINGS, {"event_sync_trace": "event_sync_multi*"}.get(stem, "none")))
        if not found:
            c.same(f"{stem}: a recording", None, "one")
            continue
        store = place.ingest(found[0])
        devices, streams = ask(place, "devices", store), ask(place, "streams", store)
        c.same(f"{stem}: events", sum(r["events"] for r in devices), truth["gpu_events"])
        if truth["gpu_events"]:
            compare_reference(c, stem, devices, streams, truth)
    c.tell(tap, name)


def check_plugin(tap, place):
    name = "ResNet-50: the summary is the TensorBoard plugin's"
    if not os.path.isdir(TB_ORACLE):
        tap.skip(name, "no ../shared/data/tb-oracle")
        return
    c = Comparison()
    for folder in sorted(glob.glob(os.path.join(TB_ORACLE, "resnet50_*"))):
        with open(os.path.join(folder, "gpu_util.json"), encoding="utf-8") as text:
            truth = json.load(text)
        stem = os.path.basename(folder)
        row = ask(place, "devices", place.ingest(*glob.glob(os.path.join(RECORDINGS, stem + ".*"))))[0]
        shown = {item["title"]: item["value"] for item in truth["summary"]}
        c.near(f"{stem}: utilization", row["utilization_tensorboard_pct"], 100 * truth["gpu_utilization"]["0"], 1e-9)
        c.near(f"{stem}: SM efficiency", row["sm_efficiency_pct"], 100 * truth["sm_efficiency"]["0"], 1e-9)
        c.near(f"{stem}: occupancy", row["occupancy_pct"], truth["occupancy"]["0"], 1e-9)
        c.near(f"{stem}: Tensor Cores", row["tensor_core_pct"], 100 * truth["tc_ratio"]["0"], 1e-9)
        c.same(f"{stem}: name", row["name"], shown["Name"])
        c.same(f"{stem}: memory", f"{row['memory_bytes'] / 2**30:.2f} GB", shown["Memory"])
        c.same(f"{stem}: capability", row["compute_capability"], shown["Compute Capability"])
        for title, column in (("GPU Utilization", "utilization_tensorboard_pct"), ("Est. SM Efficiency", "sm_efficiency_pct"),
                              ("Est. Achieved Occupancy", "occupancy_pct")):
            c.same(f"{stem}: {title} as printed", f"{round(row[column], 2)} %", shown[title])
    c.tell(tap, name)


def check_plugin_cases(tap, place):
    name = "what the plugin's own tests assert of devices"
    if not os.path.isdir(TB_CASES):
        tap.skip(name, "no ../shared/data/tb-cases")
        return
    c = Comparison()
    scales = {"utilization": 100, "sm_efficiency": 100, "occupancy": 1, "tc_ratio": 100}
    columns = {"utilization": "utilization_tensorboard_pct", "sm_efficiency": "sm_efficiency_pct", "occupancy": "occupancy_pct",
               "tc_ratio": "tc_ratio"}
    for case in sorted(glob.glob(os.path.join(TB_CASES, "*.json"))):
        with open(case, encoding="utf-8") as text:
            whole = json.load(text)
        known = whole["expect"].get("must", {}).get("gpu") if isinstance(whole.get("expect"), dict) else None
        if not known:
            continue
        path = place.path("case.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": whole["trace"]}, out)
        rows = {str(r["device"]): r for r in ask(place, "devices", place.ingest(path))}
        for row in rows.values():  # the plugin's is a share of all kernel time, what is not known too
            row["tc_ratio"] = 100 * row["tensor_core_ns"] / row["kernel_ns"] if row["kernel_ns"] else None
        for number, values in known.items():
            for key in set(values) & set(columns):
                expected = values[key] if values[key] is None else values[key] * scales[key]
                c.near(f"{os.path.basename(case)}: {key}", rows[number][columns[key]], expected)
    c.tell(tap, name)


def main():
    tap = Tap()
    with Workplace() as place:
        check_random(tap, place)
        check_fixtures(tap, place)
        check_exact(tap, place)
        check_plugin(tap, place)
        check_plugin_cases(tap, place)
    tap.done()


main()
