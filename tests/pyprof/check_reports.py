#!/usr/bin/env python3
"""check_reports.py: reports that programs print, against what is read of them here.

Those of tests/fixtures/pyprof/reports, and of ../shared/data/pyprof where that lies beside the
checkout: to the last digit that is printed.  timeout: 300 s
"""
import csv
import glob
import io
import math
import os
import re

from graphs import PYPROF, SANITIZED, SHARED, Tap, Workplace, read_json, rows

FIXTURES = os.path.join(os.environ.get("FIXTURES", os.path.join(os.path.dirname(__file__), "..", "fixtures")), "pyprof", "reports")


def ns_of(text, unit=1e9):
    return round(float(text) * unit)


def store_of(place, path):
    db = place.path("report.db")
    if os.path.exists(db):
        os.remove(db)
    place.ptool("ingest", "-q", "-o", db, path)
    return place.open(db)


def actions_of(text):
    """{action: (calls or None, total text)} of a report of Lightning."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) in (3, 5) and cells[0] not in ("Action", "Total"):
            found[cells[0]] = (None, cells[2]) if len(cells) == 3 else (int(cells[2]), cells[3])
    return found


def check_lightning(tap, place, path):
    with open(path) as file:
        wanted = actions_of(file.read())
    durations = path[:-len(".txt")] + ".durations.json"
    calls = {k: len(v) for k, v in read_json(durations).items()} if os.path.exists(durations) else {}
    got = {name: (n, total, self) for name, n, total, self in rows(
        store_of(place, path), "SELECT function, calls, total_ns, self_ns FROM v_function")}
    wrong = [f"{k!r}: {got.get(k)}, not {v}" for k, v in wanted.items()
             if k not in got or got[k][1] != ns_of(v[1]) or got[k][2] is not None
             or got[k][0] != (v[0] if v[0] is not None else calls.get(k, got[k][0]))]
    tap.ok(wanted and len(got) == len(wanted) and not wrong, os.path.basename(path), *wrong)


def listings_of(text):
    """[(action, [(calls, self, total, name)])] of an AdvancedProfiler's report."""
    found = []
    for block in re.split(r"^Profile stats for: ", text, flags=re.M)[1:]:
        listed = [re.match(r" *(\d+)(?:/\d+)? +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+ (.*)$", line)
                  for line in block.splitlines()]
        found.append((block.splitlines()[0], [row.groups() for row in listed if row]))
    return found


def check_advanced(tap, place, path):
    with open(path) as file:
        wanted = [(action, sorted((int(n), ns_of(s), ns_of(t)) for n, s, t, _ in listed))
                  for action, listed in listings_of(file.read())]
    db = store_of(place, path)
    got = []
    for profile, action in rows(db, "SELECT id, json_extract(metadata, '$.action') FROM profile ORDER BY id"):
        got.append((action, sorted(rows(db, "SELECT calls, self_ns, total_ns FROM v_function WHERE profile_id = "
                                            f"{int(profile)}"))))
    tap.ok(wanted == got, os.path.basename(path), f"{len(got)} profiles, {len(wanted)} listings")


def check_yappi(tap, place, path):
    with open(path) as file:
        table = file.read().split("\nname  ")[1].split("\n\n")[0]
    wanted = []
    for line in table.splitlines()[1:]:
        name, count, tsub, ttot, _ = line.rsplit(None, 4)
        nc, cc = ("-1", "-1") if count.endswith("..") else (count.split("/") * 2)[:2]
        wanted.append((name, int(nc), int(cc), ns_of(tsub), ns_of(ttot)))
    got = rows(store_of(place, path), "SELECT CASE file WHEN '~' THEN function ELSE file || ':' || line || ' ' || function END, "
                                      "calls, primitive_calls, self_ns, total_ns FROM v_function")
    tap.ok(wanted and sorted(wanted) == sorted(got), os.path.basename(path), *sorted(set(wanted) ^ set(got)))


UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "b": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}
OF_COLUMN = {"# of Calls": "calls", "Self CPU": "self_ns", "CPU total": "total_ns", "Self CUDA": "self_device_ns",
             "CUDA total": "total_device_ns", "CPU Mem": "cpu_mem_bytes", "Self CPU Mem": "self_cpu_mem_bytes",
             "CUDA Mem": "device_mem_bytes", "Self CUDA Mem": "self_device_mem_bytes"}


def amount(text):
    found = re.fullmatch(r"(-?[\d.]+) ?([a-zA-Z]*)", text)
    return round(float(found[1]) * UNITS.get(found[2].lower(), 1))


def check_torch(tap, place, path):
    with open(path) as file:
        lines = file.read().split("\n")  # names hold other ends of lines
    at = next(i for i, line in enumerate(lines) if "Self CPU %" in line)
    edges = [m.span() for m in re.finditer("-+", lines[at + 1])]
    titles = re.split("  +", lines[at].strip())  # which may be wider than their columns
    if titles[-2] == "Source Location":  # the values stand the other way round
        titles[-2:] = titles[:-3:-1]
    wanted = {}
    for line in lines[at + 2:]:
        if line.startswith("---"):
            break
        cells = {title: line[a:b].strip(" ") for title, (a, b) in zip(titles, edges)}
        if not cells["# of Calls"]:
            continue
        sums = wanted.setdefault(cells["Name"], [0] * len(OF_COLUMN))
        for i, title in enumerate(OF_COLUMN):
            sums[i] += amount(cells[title]) if title in cells else 0
    got = {name: sums for name, *sums in rows(
        store_of(place, path), "SELECT n.text, " + ", ".join(f"sum(o.{c})" for c in OF_COLUMN.values()) +
        " FROM op_stat o JOIN string n ON n.id = o.name_id WHERE o.grain = 0 GROUP BY 1")}
    wrong = [f"{k}: {got.get(k)}, not {v}" for k, v in wanted.items() if got.get(k) != v]
    tap.ok(wanted and len(got) == len(wanted) and not wrong, os.path.relpath(path, SHARED), *wrong)


def check_imports(tap, place, path):
    with open(path) as file:
        found = re.findall(r"^import time: +(\d+) \| +(\d+) \| ( *)(\S+)$", file.read(), re.M)
    db = store_of(place, path)
    names = [name for *_, name in found]
    got = {name: row for name, *row in rows(db, "SELECT function, calls, self_ns, total_ns FROM v_function")}
    wrong = [name for own, total, _, name in found
             if names.count(name) == 1 and got.get(name) != [1, int(own) * 1000, int(total) * 1000]]
    # children stand above their parent, two blanks further in
    parents = {(name, found[next(k for k in range(i, len(found)) if len(found[k][2]) < len(indent))][3])
               for i, (_, _, indent, name) in enumerate(found) if indent}
    edges = set(rows(db, "SELECT b.text, a.text FROM call_edge e JOIN function f ON f.id = e.callee_id JOIN function g "
                         "ON g.id = e.caller_id JOIN string b ON b.id = f.name_id JOIN string a ON a.id = g.name_id"))
    tap.ok(found and set(got) == set(names) and not wrong and edges == parents, os.path.basename(path), *wrong,
           *edges ^ parents)


MODULE = re.compile(r"^( *)(?:\((.+?)\): )?(?:(\d+) x )?(\w+)\((.*)$")
NUMBERS = re.compile(r"([\d.]+) ?([kKMB]?)(?: =|,) [\d.]+% Params, ([\d.]+) ([KMGT]?)MACs(?: =|,) [\d.]+% MACs, "
                     r"([\d.]+) ([mu]?)s(?: =|,) [\d.]+% latency")
THOUSANDS = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "m": 1e-3, "u": 1e-6}


def modules_of(text):
    """{path: (times, {measure: (number, half of its last digit)})} of a report of DeepSpeed."""
    found, above = {}, []
    for line in text.split("Detailed Profile per GPU", 1)[1].splitlines():
        head, numbers = MODULE.match(line), NUMBERS.search(line)
        if head and (numbers or not head[5]):
            depth = len(head[1]) // 2
            above[depth:] = [(f"{head[2]}: {head[4]}" if head[2] else head[4], int(head[3] or 1))]
        if numbers:
            times = math.prod(n for _, n in above)
            found[tuple(name for name, _ in above)] = times, {
                measure: (float(numbers[i]) * THOUSANDS[numbers[i + 1]] * scale, 0.0051 * THOUSANDS[numbers[i + 1]] * scale)
                for measure, i, scale in (("parameters", 1, 1), ("MACs", 3, 1), ("forward", 5, 1e9))}
    return found


def check_deepspeed(tap, place, path):
    """Each module has what is printed of it, to the last digit."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wanted = modules_of(text)
    for measure in ("forward", "MACs", "parameters"):
        done = place.ptool("tree", "-q", "--series", measure, "--min", "0", "--depth", "0", "--limit", "0", "--format", "csv", path)
        listed = list(csv.DictReader(io.StringIO(done.stdout)))
        total = next(key for key in listed[0] if key.startswith("total_") and key != "total_pct")
        got = {tuple(row["path"].split(";")): float(row[total]) for row in listed}
        wrong = [f"{name}: {got.get(name)}, not {times} x {numbers[measure]}" for name, (times, numbers) in wanted.items()
                 if abs(got.get(name, 0) - times * numbers[measure][0]) > times * numbers[measure][1] + 2]
        tap.ok(len(wanted) > 20 and not wrong, f"{os.path.basename(path)}: {measure}", *wrong[:5])
    lines = text.splitlines(keepends=True)
    wrong = []
    for n in range(0, len(lines), 1 if os.environ.get("LONG") else 9):
        cut = place.path("cut.txt")
        with open(cut, "w", encoding="utf-8") as file:
            file.write("".join(lines[:n]) + lines[n][:len(lines[n]) // 2])
        done = place.ptool("ingest", "-o", place.path("cut.db"), cut, check=False)
        if done.returncode not in (0, 4) or done.stderr.count("\n") != 1 or (
                done.returncode == 0 and "Total" not in lines[n] and "cut" not in done.stderr and n < len(lines) - 3):
            wrong.append(f"{n} lines: {done.returncode} {done.stderr}")
    tap.ok(not wrong, f"{os.path.basename(path)}: cut anywhere", *wrong[:5])


def check_all(tap, place, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.txt")) + glob.glob(os.path.join(folder, "*.log"))):
        with open(path) as file:
            text = file.read()
        if "DeepSpeed Flops Profiler" in text:
            check_deepspeed(tap, place, path)
        elif "import time: " in text:
            check_imports(tap, place, path)
        elif "Self CPU %" in text:
            check_torch(tap, place, path)
        elif "\nClock type: " in text:
            check_yappi(tap, place, path)
        elif "Profile stats for: " in text:
            check_advanced(tap, place, path)
        elif actions_of(text):
            check_lightning(tap, place, path)


def main():
    tap = Tap()
    with Workplace() as place:
        check_all(tap, place, FIXTURES)
        if os.path.isdir(PYPROF) and not SANITIZED:
            for folder in ("lightning", "yappi", "importtime"):
                check_all(tap, place, os.path.join(PYPROF, folder))
            for path in sorted(glob.glob(os.path.join(SHARED, "data", "torch", "**", "table*.txt"), recursive=True)):
                check_torch(tap, place, path)
        else:
            tap.skip("recorded reports", "no ../shared/data/pyprof")
    tap.done()


if __name__ == "__main__":
    main()
