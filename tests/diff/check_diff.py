#!/usr/bin/env python3
"""ptool diff against a slow computation of its own, and HTA's numbers.  timeout: 300 s

Random sides of made runs: every column of every row, the accounting, and what must hold of any
comparison: of a side with itself, of swapped sides, of files in another order.
"""
import csv
import fractions
import glob
import io
import json
import os
import random
import sys

import diff_reference as reference

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

DATA = os.path.join(storetap.SHARED, "data")
HTA = os.path.join(DATA, "exact-oracle", "trace_diff_control_vs_test")
ROUNDS = 40
NAMES = ["aten::mm", "aten::add", "aten::copy_", "aten::conv2d", "aten::relu"]
METRICS = ["self", "total", "calls"]
UNITS = {"self": "ns", "total": "ns", "calls": "count"}


def number(text):
    if text == "":
        return None
    return float(text) if "." in text or "e" in text else int(text)


def read(text, unit="ns"):
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        out = {"name": row["name"], "new_name": row["new_name"] or None, "status": row["status"]}
        for key in ("base_calls", "new_calls", "delta_pct", "p", "q"):
            out[key] = number(row[key])
        for key in ("base", "new", "delta", "from_calls", "from_duration"):
            out[key] = number(row[f"{key}_{unit}"])
        out["significant"] = {"": None, "0": False, "1": True}[row["significant"]]
        rows.append(out)
    return rows


def compare(place, sides, *options, unit="ns"):
    base, new = sides
    done = place.ptool("diff", *base, "--", *new, "--format", "csv", *options)
    return read(done.stdout, unit)


def is_close(got, expected):
    if got is None or expected is None:
        return got is expected
    return abs(got - expected) <= 1e-9 * max(1, abs(expected))


def wrong_rows(got, expected):
    wrong, count = [], 0
    if [r["name"] for r in got] != [r["name"] for r in expected]:
        wrong.append(f"order: {[r['name'] for r in got]} not {[r['name'] for r in expected]}")
        return wrong, 1
    for g, e in zip(got, expected):
        for key, value in e.items():
            count += 1
            same = is_close(g[key], value if value is None else float(value)) \
                if key in ("p", "q", "delta_pct", "base_calls", "new_calls") else g[key] == value
            if not same:
                wrong.append(f"{g['name']} {key}: {g[key]!r} not {value!r}")
    return wrong, count


class Case:
    """Two random sides, in files of their own."""

    def __init__(self, place, seed):
        rng = random.Random(seed)
        self.kernels = [reference.KERNEL % (rng.choice([64, 128]), 32), reference.KERNEL % (rng.choice([64, 256]), 64)]
        self.runs, self.files = [], []
        counts = rng.choice([(1, 1), (1, 1), (2, 3), (4, 4), (6, 5)])
        for side, n in enumerate(counts):
            names = [name for name in NAMES if rng.random() < .85] or NAMES
            runs = [reference.Run(rng, 1 + .3 * side, names, self.kernels[side]) for _ in range(n)]
            self.runs.append(runs)
            self.files.append([place.path(f"s{seed}_{side}_{i}.json") for i in range(n)])
            for run, path in zip(runs, self.files[-1]):
                run.write(path)
        self.within = counts == (1, 1)
        self.metric = rng.choice(METRICS)
        self.total = rng.random() < .4
        self.lets_decide = seed % 2 == 0

    def sides(self, kernels=False):
        within = self.within and not self.total
        return [reference.Side(runs, self.metric, not self.total, kernels, within) for runs in self.runs]

    def options(self, by):
        within = ["--within-run"] if self.lets_decide else []
        return ["--by", by, "--metric", self.metric] + within + (["--total"] if self.total else [])

    def may_decide(self):
        """Runs decide; the steps of one run a side only where that is asked for."""
        return not self.within or self.lets_decide

    def samples(self, side):
        """The headline's: recordings, steps of one run, or what a step of each run took."""
        runs = self.runs[side]
        if self.total:
            return [fractions.Fraction(run.dur_ns) for run in runs]
        steps = [[fractions.Fraction(end - start) for _, start, end in run.steps] for run in runs]
        return steps[0] if self.within else [sum(run) / len(run) for run in steps]

    def mean(self, side):
        if self.total or self.within:
            return sum(self.samples(side)) / len(self.samples(side))
        steps = [end - start for run in self.runs[side] for _, start, end in run.steps]
        return fractions.Fraction(sum(steps), len(steps))

    def whole(self):
        """What total times are shares of: the headline."""
        return reference.round_away(self.mean(0)) if self.metric == "total" else None


def check_reference(tap, place, cases):
    for by in ("name", "kernel"):
        wrong, count = [], 0
        for case in cases:
            base, new = case.sides(by == "kernel")
            if not base.names or not new.names:
                continue
            pair = set(case.kernels) if by == "kernel" and case.kernels[0] != case.kernels[1] else ()
            expected = reference.diff(base, new, [tuple(case.kernels)] if pair else (), whole=case.whole())
            if not case.may_decide():
                for row in expected:
                    row["significant"] = None
            got = compare(place, case.files, *case.options(by), unit=UNITS[case.metric])
            bad, n = wrong_rows(got, expected)
            wrong += [f"{case.files[0][0]} {case.options(by)}: {b}" for b in bad]
            count += n
        tap.ok(not wrong and count > 12 * len(cases), f"--by {by}: {count} cells of random sides are those of a slow computation", *wrong)


def check_properties(tap, place, cases):
    wrong = {"itself": [], "swapped": [], "order": [], "sums": []}
    keys = ("delta", "from_calls", "from_duration")
    for case in cases:
        options, unit = case.options("name"), UNITS[case.metric]
        rows = compare(place, case.files, *options, unit=unit)
        same = compare(place, [case.files[0], case.files[0]], *options, unit=unit)
        wrong["itself"] += [r for r in same if any(r[k] for k in keys) or r["status"] != "equal" or r["significant"]]
        swapped = {r["name"]: r for r in compare(place, case.files[::-1], *options, unit=unit)}
        wrong["swapped"] += [r for r in rows if any(r[k] != -swapped[r["name"]][k] for k in keys) or
                             not is_close(r["p"], swapped[r["name"]]["p"])]
        again = compare(place, [files[::-1] for files in case.files], *options, unit=unit)
        wrong["order"] += [case.files[0][0]] if again != rows else []
        wrong["sums"] += [r for r in rows if r["new"] - r["base"] != r["delta"] or
                          r["from_calls"] + r["from_duration"] != r["delta"]]
    tap.ok(not wrong["itself"], "a side differs in nothing from itself", *wrong["itself"])
    tap.ok(not wrong["swapped"], "swapped sides negate every delta and both parts of it", *wrong["swapped"])
    tap.ok(not wrong["order"], "the order of the files of a side does not matter", *wrong["order"])
    tap.ok(not wrong["sums"], "delta is new - base, and its parts add up to it", *wrong["sums"])


def one_table(place, case, view, *options):
    done = place.ptool("diff", *case.files[0], "--", *case.files[1], view, "--format", "csv", *options)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def check_headline(tap, place, cases):
    """Its numbers are those of runs, or of steps, by sorting all differences."""
    wrong, count, verdicts = [], 0, set()
    for case in cases:
        samples = [case.samples(side) for side in (0, 1)]
        base, new = ([float(value) for value in sample] for sample in samples)
        means = [reference.round_away(case.mean(side)) for side in (0, 1)]
        shift, low, high = reference.shift_of(*samples)
        p, has = reference.p_of(base, new), min(len(base), len(new)) > 1
        whole = sum(base) / len(base) / 100
        verdict = reference.verdict_of(base, new, p or 1, float(shift)) if case.may_decide() else "undecided"
        verdicts.add(verdict)
        expected = {"base_ns": means[0], "new_ns": means[1], "delta_ns": means[1] - means[0], "p": p,
                    "shift_pct": float(shift) / whole, "shift_low_pct": float(low) / whole if has else None,
                    "shift_high_pct": float(high) / whole if has else None,
                    "base_replicates": len(base), "new_replicates": len(new)}
        options = (["--total"] if case.total else []) + (["--within-run"] if case.lets_decide else [])
        row, = one_table(place, case, "--headline", *options)
        for key, value in expected.items():
            count += 1
            if not is_close(number(row[key]), value):
                wrong.append(f"{case.files} {key}: {row[key]} not {value}")
        if row["verdict"] != verdict:
            wrong.append(f"{case.files} verdict: {row['verdict']}")
        if abs(number(row["shift_ns"]) - shift) > .5:
            wrong.append(f"{case.files} shift_ns: {row['shift_ns']} not {shift}")
    tap.ok(not wrong and count > 7 * len(cases) and (len(cases) < ROUNDS or len(verdicts) > 2),
           f"{count} numbers of headlines are those of a slow computation, verdicts too", *wrong)


def check_accounting(tap, place, cases):
    """Parts are those of the events, and close: per step, and with --total of all of it."""
    wrong, count = [], 0
    for case in cases:
        if not any(e["cat"] == "kernel" for runs in case.runs for run in runs for e in run.events):
            continue
        rows = {row["part"]: row for row in one_table(place, case, "--accounting")}
        whole = rows.pop("step")
        for side, key in enumerate(("base_ns", "new_ns")):
            steps = sum(len(run.steps) for run in case.runs[side])
            busy, idle = (sum(run.accounting()[i] for run in case.runs[side]) for i in (0, 1))
            expected = {"compute": busy / steps, "idle": idle / steps}
            count += len(rows)
            wrong += [f"{case.files[side]} {part}: {row[key]} not {expected.get(part, 0)}" for part, row in rows.items()
                      if abs(int(row[key]) - expected.get(part, 0)) > 1]
            if sum(int(row[key]) for row in rows.values()) != int(whole[key]) or \
                    int(whole[key]) != reference.round_away(fractions.Fraction(busy + idle, steps)):
                wrong.append(f"{case.files[side]}: the parts do not add up to {whole[key]}")
        rows = {row["part"]: row for row in one_table(place, case, "--accounting", "--total")}
        whole = rows.pop("recording")
        wrong += [f"{case.files} --total {key}" for key in ("base_ns", "new_ns", "delta_ns")
                  if sum(int(row[key]) for row in rows.values()) != int(whole[key])]
    tap.ok(not wrong and count > 100, f"{count} parts of the accounting are those of the events, and close", *wrong)


def check_idle(tap, place):
    """--by idle is ptool gaps, cause by cause."""
    wrong, seen = [], 0
    for name, path in storetap.fixtures():
        gaps = place.ptool("gaps", path, "--format", "csv", check=False)
        if gaps.returncode:
            continue
        sums = {}
        for row in csv.DictReader(io.StringIO(gaps.stdout)):
            ns, count = sums.get(row["cause"], (0, 0))
            sums[row["cause"]] = (ns + int(row["idle_ns"]), count + int(row["gaps"]))
        rows = read(place.ptool("diff", path, path, "--by", "idle", "--total", "--format", "csv").stdout)
        got = {row["name"]: (row["base"], row["base_calls"]) for row in rows}
        seen += len(got)
        if got != sums:
            wrong.append(f"{name}: {got} not {sums}")
    tap.ok(not wrong and seen > 20, f"--by idle: {seen} causes are those of ptool gaps", *wrong)


def check_memory(tap, place):
    """--by memory is ptool memory, device by device, whatever is chosen."""
    wrong, seen = [], 0
    for name, path in storetap.fixtures():
        for options in ([], ["--step", "1"], ["--step", "2.."], ["--time", "0.1ms.."], ["--device", "0"]):
            done = place.ptool("memory", path, "--format", "csv", *options, check=False)
            peaks = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["allocated_peak_bytes"]]
            if done.returncode or not peaks or len({row["profile"] for row in peaks}) > 1:
                continue
            expected = {row["device"]: int(row["allocated_peak_bytes"]) for row in peaks}
            done = place.ptool("diff", path, path, "--by", "memory", "--format", "csv", *options)
            got = {row["name"]: row["base"] for row in read(done.stdout, "bytes")}
            seen += len(got)
            if got != expected:
                wrong.append(f"{name} {options}: {got} not {expected}")
    tap.ok(not wrong and seen > 20, f"--by memory: {seen} peaks are those of ptool memory", *wrong)


def check_labels(tap, place):
    """--by annotation --metric device is ptool top's table of labels, and has the labels of --metric calls."""
    wrong, seen = [], 0
    for name, path in storetap.fixtures():
        top = place.ptool("top", path, "--by", "annotation", "--limit", "0", "--format", "csv", check=False)
        rows = [row for row in csv.DictReader(io.StringIO(top.stdout)) if not row["name"].startswith("ProfilerStep")]
        if top.returncode or not any(row["launches"] not in ("", "0") for row in rows):
            continue
        expected = {row["name"]: (int(row["calls"]), int(row["device_ns"])) for row in rows}
        done = place.ptool("diff", path, path, "--by", "annotation", "--metric", "device", "--total", "--format", "csv")
        got = {row["name"]: (row["base_calls"], row["base"]) for row in read(done.stdout)}
        done = place.ptool("diff", path, path, "--by", "annotation", "--metric", "calls", "--total", "--format", "csv")
        calls = {row["name"]: row["base"] for row in read(done.stdout, "count")}
        seen += len(got)
        if got != expected or calls != {label: count for label, (count, _) in expected.items()}:
            wrong.append(f"{name}: {got}, {calls} not {expected}")
    tap.ok(not wrong and seen > 3, f"--by annotation --metric device: {seen} labels are those of ptool top", *wrong)


def write_steps(path, durations):
    """A recording of steps that last so many microseconds, each with one operator."""
    events, at = [], 0
    for number, dur in enumerate(durations):
        for cat, name, start, length in (("user_annotation", f"ProfilerStep#{number}", at, dur), ("cpu_op", "aten::mm", at + 1, dur - 2)):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length, "args": {}})
        at += dur + 10
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": events}, out)


def check_outliers(tap, place):
    """The steps that ptool diff calls outliers are those that ptool steps marks."""
    rng, wrong, seen = random.Random(4), [], 0
    paths = []
    for i in range(30):
        paths.append(place.path(f"outliers{i}.json"))
        write_steps(paths[-1], [int(100 * rng.choice([1, 1, 1, 1, 1.06, 1.09, 1.3, 2]) + rng.randrange(1 + i))
                                for _ in range(rng.randrange(1, 12))])
    for path in paths + glob.glob(os.path.join(DATA, "gpu", "*num_workers*")):
        rows = csv.DictReader(io.StringIO(place.ptool("steps", path, "--format", "csv").stdout))
        marked = {row["step"] for row in rows if row["is_long"] == "1"}
        done = place.ptool("diff", path, path, "--headline", "--format", "csv")
        row, = csv.DictReader(io.StringIO(done.stdout))
        for key in ("base_outliers", "new_outliers"):
            seen += len(marked)
            if set(row[key].split(", ") if row[key] else []) != marked:
                wrong.append(f"{path} {key}: {row[key]} not {sorted(marked)}")
    tap.ok(not wrong and seen > 20, f"{seen} outliers are the steps that ptool steps marks", *wrong)


def check_recordings(tap, place):
    """What people ask first of pairs of real recordings."""
    def said(base, new, *options):
        sides = [glob.glob(os.path.join(DATA, pattern))[0] for pattern in (base, new)]
        return json.loads(place.ptool("diff", *sides, "--format", "json", *options).stdout)

    if not os.path.isdir(os.path.join(DATA, "cases")):
        tap.skip("pairs of real recordings", "no ../shared")
        return
    got = said("gpu/trace_diff_control*", "gpu/trace_diff_test*")
    rows = [(row["name"], round(row["delta_ns"] / 1e6, 1), row["metric"]) for row in got["rows"][:2]]
    tap.same(rows, [("CompiledFunctionBackward", 28.6, "device"), ("aten::copy_", 17.8, "device")],
             "compute explains most of a slower step: device time does")
    got = said("gpu/*num_workers_0*", "gpu/*num_workers_4*")
    first = got["rows"][0]
    tap.same([first["status"], first["metric"], first["significant"]], ["renamed", "self", None],
             "idle time explains most with more workers: the loader's iterators do, on the host")
    tap.ok(got["notes"][0].startswith("undecided, one run a side: ") and
           got["notes"][2].startswith("2 of 6 new steps are outliers: 5, 9; without them -29.5%"),
           "and the two outliers of the new side are named", *got["notes"])
    got = said("cases/h100-qwen*", "cases/mi300*", "--metric", "self")
    pairs = {(row["name"], row["new_name"]) for row in got["rows"] if row["status"] == "renamed"}
    tap.ok(("cudaLaunchKernel", "hipLaunchKernel") in pairs and ("cudaMemcpyAsync", "hipMemcpyAsync") in pairs,
           "calls of CUDA are those of HIP", *pairs)
    kernels = said("cases/h100-qwen*", "cases/mi300*", "--by", "kernel")
    tap.same([row["name"] for row in kernels["rows"] if row["status"] == "renamed"], [], "and kernels are not")


def check_hta(tap, place):
    name = "HTA's names, counts and totals"
    if not os.path.isdir(HTA):
        tap.skip(name, "no ../shared")
        return
    control, test = (os.path.join(DATA, "gpu", f"trace_diff_{side}.json.gz") for side in ("control", "test"))
    for oracle, options in (("default_first_iteration.csv", ["--first-step"]), ("all_iterations.csv", ["--step", "1009.."])):
        done = place.ptool("diff", control, test, "--total", "--by", "name", "--metric", "total", "--format", "csv", *options)
        rows = {row["name"]: row for row in read(done.stdout)}
        wrong, seen = [], 0
        with open(os.path.join(HTA, oracle), encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                got, seen = rows.get(row["name"]), seen + 1
                numbers = [float(row[k]) for k in ("Control_counts", "Test_counts")] + \
                    [float(row[k]) * 1000 for k in ("Control_total_duration", "Test_total_duration", "diff_duration")]
                if not got or [got[k] for k in ("base_calls", "new_calls", "base", "new", "delta")] != numbers:
                    wrong.append(f"{row['name']}: {got} not {numbers}")
        tap.ok(not wrong and seen == len(rows), f"{name}: {oracle}, {seen} names", *wrong)
        if options != ["--first-step"]:
            continue
        both = [r for r in rows.values() if r["status"] not in ("added", "removed")]
        found = [len(rows), sum(r["status"] == "added" for r in rows.values()),
                 sum(r["status"] == "removed" for r in rows.values()), sum(r["new_calls"] > r["base_calls"] for r in both),
                 sum(r["new_calls"] < r["base_calls"] for r in both), sum(r["new_calls"] == r["base_calls"] for r in both)]
        tap.same(found, [432, 32, 138, 35, 65, 162], "432 names: 32 added, 138 removed, 35 up, 65 down, 162 equal in counts")


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        os.environ["XDG_CACHE_HOME"] = place.path("cache")
        cases = [Case(place, seed) for seed in storetap.share(range(ROUNDS), 3)]
        check_reference(tap, place, cases)
        check_properties(tap, place, cases)
        check_headline(tap, place, cases)
        check_accounting(tap, place, cases)
        check_idle(tap, place)
        check_memory(tap, place)
        check_labels(tap, place)
        check_outliers(tap, place)
        check_recordings(tap, place)
        check_hta(tap, place)
    tap.done()


if __name__ == "__main__":
    main()
