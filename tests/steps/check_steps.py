#!/usr/bin/env python3
"""ptool steps against a slow computation of its own, and the TensorBoard plugin's numbers.  timeout: 300 s

Random traces (LONG=1: more), every fixture and every recording in ../shared/data: each number of each row, and
that everything which should add up does.
"""
import csv
import glob
import io
import json
import os
import sys

import random_steps
import steps_reference

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

DATA = os.path.join(storetap.SHARED, "data")
ROUNDS = 300 if os.environ.get("LONG") else 80
# Compressed: larger recordings take the slow computation seconds each; with the sanitizers only ptool is new.
MOST_BYTES = 150_000 if os.environ.get("SAN") else 1_200_000
PARTS = [f"{name}_ns" for name in steps_reference.CATEGORIES]
VIEW = ["gpu_compute_ns", "exposed_comm_ns", "exposed_copy_ns"]
PHASES = ["data_loading_ns", "host_to_device_ns", "forward_ns", "backward_ns", "optimizer_ns", "other_ns"]
TEXTS = ("step", "phase", "grew", "grew_slice", "bounds", "utilization_pct")
# The plugin's words.
ROLES = {"Kernel": "kernel_ns", "Memcpy": "memcpy_ns", "Memset": "memset_ns", "Communication": "communication_ns",
         "Runtime": "runtime_ns", "DataLoader": "dataloader_ns", "CpuOp": "cpu_exec_ns", "Other": "other_ns",
         "Total": "total_ns"}


def steps(place, store, *options):
    """The rows as dictionaries: numbers, text, or None; [] when there is nothing."""
    done = place.ptool("steps", store, "--format", "csv", *options, check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(done.stderr)
    rows = []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        rows.append({k: v if k in TEXTS or k.endswith("_from") else int(v) if v.lstrip("-").isdigit() else v or None
                     for k, v in row.items()})
    return rows


def wrong_sums(rows):
    """What does not close."""
    wrong = []
    for row in rows:
        if sum(row[part] for part in PARTS) != row["total_ns"]:
            wrong.append(f"categories of step {row['step']}: {row}")
        if row["device"] is None:
            if row["gpu_busy_ns"] is not None:
                wrong.append(f"busy without a device: {row}")
        elif row["gpu_busy_ns"] + row["gpu_idle_ns"] != row["total_ns"] or sum(row[v] for v in VIEW) != row["gpu_busy_ns"]:
            wrong.append(f"device of step {row['step']}: {row}")
    return wrong


def wrong_means(rows):
    """Means of a profile's device: those of the rows that are not dropped, less than 1 ns off."""
    wrong = []
    for mean in [row for row in rows if row["step"] == "mean"]:
        of = [row for row in rows if row["step"] != "mean" and not row["is_dropped"] and row["device"] == mean["device"]
              and mean["profile"] in (None, row["profile"]) and row["rank"] == mean["rank"]]
        for part in ["total_ns", *PARTS, *(VIEW if mean["device"] is not None else [])]:
            exact = sum(row[part] for row in of) / len(of)
            if abs(mean[part] - exact) > 1:
                wrong.append(f"{part} of the mean: {mean[part]}, not {exact}")
    return wrong


def wrong_phases(rows):
    return [f"phases of step {row['step']}: {row}" for row in rows
            if sum(row[phase] or 0 for phase in PHASES) != row["total_ns"]]


def differences(rows, expected):
    """Rows of ptool, without its means, against those of the reference."""
    rows = [row for row in rows if row["step"] != "mean"]
    wrong = [f"{len(rows)} rows, not {len(expected)}"] if len(rows) != len(expected) else []
    for row, want in zip(rows, expected):
        for key, value in want.items():
            got = str(row[key]) if key == "device" and row[key] is not None else row[key]
            if got != value:
                wrong.append(f"step {want['step']} device {row['device']}: {key} {got}, not {value}")
    return wrong


def check_trace(place, path, stats):
    """Everything about one trace: what is wrong."""
    store = place.ingest(path)
    recording = steps_reference.Recording(steps_reference.load(path))
    wrong = []
    for whose in ("host", "tensorboard"):
        rows = steps(place, store, *([] if whose == "host" else ["--bounds", whose]))
        expected = steps_reference.table(recording, whose)
        wrong += differences(rows, expected) + wrong_sums(rows) + wrong_means(rows)
        stats["numbers"] += sum(len(row) for row in expected)
    rows = steps(place, store, "--phases")
    expected = steps_reference.phases(recording)
    wrong += wrong_phases(rows)
    for row, want in zip([row for row in rows if row["step"] != "mean"], expected):
        wrong += [f"phases: step {row['step']}: {key} {row[key]}, not {value}" for key, value in want.items() if row[key] != value]
    stats["numbers"] += sum(len(row) for row in expected)
    return wrong


def check_random(tap, place):
    stats, wrong = {"numbers": 0}, []
    seeds = storetap.share(range(ROUNDS), 3)
    for seed in seeds:
        path = place.path("random.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(random_steps.trace(seed), file)
        wrong += [f"seed {seed}: {text}" for text in check_trace(place, path, stats)]
    tap.ok(not wrong, f"{len(seeds)} random traces: {stats['numbers']} numbers are those of the slow computation", *wrong)


def check_fixtures(tap, place):
    """The sums of every fixture, whatever its format; of one recording's files the mean over all."""
    for name, path in storetap.fixtures():
        store = place.ingest(path)
        rows, phases = steps(place, store), steps(place, store, "--phases")
        wrong = wrong_sums(rows) + wrong_means(rows) + wrong_phases(phases) + wrong_sums(steps(place, store, "--bounds", "tensorboard"))
        tap.ok(rows and not wrong, f"{name}: categories, device and phases add up", *wrong)


def check_recordings(tap, place):
    stats = {"numbers": 0}
    for path in sorted(glob.glob(os.path.join(DATA, "gpu", "*.json.gz")) + glob.glob(os.path.join(DATA, "cases", "*.json.gz"))):
        if os.path.getsize(path) > MOST_BYTES and not os.environ.get("LONG"):
            continue
        before = stats["numbers"]
        wrong = check_trace(place, path, stats)
        tap.ok(not wrong, f"{os.path.basename(path)}: {stats['numbers'] - before} numbers are those of the slow computation", *wrong)


def check_exact_oracle(tap, _place):
    """The slow computation, over all of a recording, gives the device's view of the exact oracle."""
    for path in sorted(glob.glob(os.path.join(DATA, "gpu", "*.json.gz"))):
        name = os.path.basename(path)[:-len(".json.gz")].replace("trace_diff_", "").replace(".pt.trace", "")
        truth = [p for p in glob.glob(os.path.join(DATA, "exact-oracle", "*.json")) if p[:-len(".json")].replace(".pt.trace", "").endswith(name)]
        if not truth:
            continue
        with open(truth[0], encoding="utf-8") as file:
            timeline = json.load(file).get("timeline")
        if not timeline:
            continue
        recording = steps_reference.Recording(steps_reference.load(path))
        span = (min(w[0] for w in recording.work), max(w[1] for w in recording.work))
        compute, communication, copies, idle = steps_reference.sweep(
            [steps_reference.work_of(recording, {"kernel"}), steps_reference.work_of(recording, {"communication"}),
             steps_reference.work_of(recording, {"memcpy", "memset"})], [span])[0]
        tap.same([compute, communication, copies, idle],
                 [timeline[key] for key in ("comp_union", "exposed_comm", "exposed_mem", "idle")],
                 f"{name}: the slow computation's device is the exact oracle's")


def check_plugin(tap, place):
    """Every column of the plugin's steps and their mean, to the microsecond it counts in."""
    for folder in sorted(glob.glob(os.path.join(DATA, "tb-oracle", "*", "overview.json"))):
        name = os.path.basename(os.path.dirname(folder))
        with open(folder, encoding="utf-8") as file:
            oracle = json.load(file)
        rows = steps(place, place.ingest(glob.glob(os.path.join(DATA, "gpu", name + ".*"))[0]), "--bounds", "tensorboard")
        wrong, count = [], 0
        for row, step in zip(rows, oracle["steps"]):
            wrong += [] if row["step"] == step["name"] else [f"step {row['step']}, not {step['name']}"]
            for role, column in ROLES.items():
                count += 1
                if row[column] != step[role] * 1000:
                    wrong.append(f"step {step['name']}: {column} {row[column]}, not {step[role] * 1000}")
        for role, column in ROLES.items():
            count += 1
            if abs(rows[-1][column] - oracle["average"][role] * 1000) > 1:
                wrong.append(f"mean: {column} {rows[-1][column]}, not {oracle['average'][role] * 1000}")
        tap.ok(len(rows) == len(oracle["steps"]) + 1 and not wrong, f"{name}: {count} numbers are the plugin's", *wrong)


# What ../shared/data/cases/README.md says of steps, to the digits that it gives: file, column of
# the mean, nanoseconds, half of the last digit.
TRUTHS = [("h100-facebook_timesformer*", "total_ns", 382_500_000, 50_000),
          ("h100-facebook_timesformer*", "gpu_idle_ns", 224_100_000, 50_000),
          ("h100-qwen*", "total_ns", 47_151_000, 500),
          ("nccl_parser_config*", "total_ns", 222_000_000, 500_000),
          ("nccl_parser_config*", "gpu_idle_ns", 170_000_000, 500_000),
          ("inference-xdit_sd_3.5*", "total_ns", 1_195_000_000, 500_000),
          ("inference-xdit_sd_3.5*", "gpu_idle_ns", 482_700_000, 50_000),
          ("execution_trace-benchmark_simple_add*", "total_ns", 19_696_000_000, 500_000)]


def check_truths(tap, place):
    folder = os.path.join(DATA, "cases")
    for pattern, column, value, slack in TRUTHS:
        for path in glob.glob(os.path.join(folder, pattern)):
            mean = steps(place, place.ingest(path))[-1]
            tap.ok(abs(mean[column] - value) <= slack, f"{os.path.basename(path)}: {column} is what is true of it", f"{mean[column]}, not {value}")
    for path in glob.glob(os.path.join(folder, "negative_queue*")):
        rows = steps(place, place.ingest(path))
        tap.same([row["is_long"] for row in rows[:-1]], [0] * 5, "negative_queue: no step is an outlier")
        tap.ok(abs(rows[0]["total_ns"] - 209_700_000) <= 50_000, "negative_queue: step 550 lasts 209.7 ms")
    for path in glob.glob(os.path.join(DATA, "gpu", "resnet50_num_workers_4*")):
        rows = steps(place, place.ingest(path))
        tap.same([(row["step"], row["grew_slice"], row["grew_slice_ns"]) for row in rows if row["is_long"]],
                 [("5", "cudaMemcpyAsync", 36_928_000), ("9", "aten::empty", 4_948_750)], "resnet50_num_workers_4: the slices that grew in steps 5 and 9")


def case_traces(case):
    """[(trace, what must be)] of a case."""
    if "trace" in case:
        return [(case["trace"], case["expect"]["must"])]
    return [(trace, case["expect"]["must"].get(worker, {})) for worker, trace in case["traces"].items()]


def check_cases(tap, place):
    """The numbers that the plugin's own tests assert."""
    for path in sorted(glob.glob(os.path.join(DATA, "tb-cases", "*.json"))):
        with open(path, encoding="utf-8") as file:
            case = json.load(file)
        if "functions" in case:
            continue
        for n, (trace, must) in enumerate(case_traces(case)):
            if not any(key in must for key in ("steps", "n_steps", "average")):
                continue
            file_path = place.path("case.json")
            with open(file_path, "w", encoding="utf-8") as file:
                json.dump(trace if isinstance(trace, dict) else {"schemaVersion": 1, "traceEvents": trace}, file)
            rows = steps(place, place.ingest(file_path), "--bounds", "tensorboard")
            kept = [row for row in rows if row["step"] != "mean" and not row["is_dropped"]]
            first = kept[0]["device"] if kept else None
            kept = [row for row in kept if row["device"] == first]
            wrong = wrong_sums(rows)
            if "n_steps" in must and must["n_steps"] != len(kept):
                wrong.append(f"{len(kept)} steps, not {must['n_steps']}")
            for place_of, roles in must.get("steps", {}).items():
                for role, value in roles.items():
                    if kept[int(place_of)][ROLES[role]] != value * 1000:
                        wrong.append(f"step {place_of}: {role} {kept[int(place_of)][ROLES[role]]}, not {value * 1000}")
            for role, value in must.get("average", {}).items():
                wrong += [] if rows[-1][ROLES[role]] == value * 1000 else [f"mean: {role} {rows[-1][ROLES[role]]}"]
            tap.ok(not wrong, f"{os.path.basename(path)} {n}: what the plugin's own test asserts", *wrong)


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_random(tap, place)
        check_fixtures(tap, place)
        if os.path.isdir(os.path.join(DATA, "tb-oracle")):
            for check in (check_truths, check_plugin, check_cases, check_exact_oracle, check_recordings):
                check(tap, place)
        else:
            tap.skip("the plugin's numbers and real recordings", "no ../shared/data here")
    tap.done()


main()
