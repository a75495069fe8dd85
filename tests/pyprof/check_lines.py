#!/usr/bin/env python3
"""check_lines.py: line profiles, against what their producers print of them.

Reports are made again of ptool's numbers and compared digit by digit with those of
line_profiler and memory_profiler: the fixtures, and all under ../shared/data/pyprof.
"""
import csv
import glob
import io
import json
import os
import re
import subprocess

from graphs import PTOOL, PYPROF, SANITIZED, Tap, Workplace
from storetap import FIXTURES as ALL_FIXTURES

FIXTURES = os.path.join(ALL_FIXTURES, "lines")
PWNED = "/tmp/PWNED_BY_PICKLE"
TIME_ROW = re.compile(r"^ *(\d+) +([\d.e+]+) +([\d.e+]+) +([\d.e+]+)(?: {1,8}([\d.]+))?(?:  |$)")
MEMORY_ROW = re.compile(r"^ *(\d+) +(-?[\d.]+) Mi?B +(-?[\d.]+) Mi?B(?: +(\d+)   )?")
TITLE = re.compile(r"^Line #.*Line Contents$")
# What a careful reader takes, though something is odd in it.
ACCEPTED = {"p_entry_neg", "p_entry_zero_hits", "p_entry_dup_lines", "p_entry_long70"}


def run(*args):
    return subprocess.run([PTOOL, *args], capture_output=True, text=True, timeout=60)


def lines_of(path):
    """The rows of ptool lines, one dict each; numbers are numbers."""
    got = run("lines", "-q", "--format", "csv", path)
    if got.returncode:
        return got.stderr
    found = list(csv.DictReader(io.StringIO(got.stdout)))
    for row in found:
        for key in set(row) - {"file", "function", "source"}:
            row[key] = int(row[key]) if row[key] else None
    return found


def tables_of(text):
    """[(lines above the title, rows)] of a report."""
    tables, above, rows = [], [], None
    for line in text.splitlines():
        if TITLE.match(line):
            tables.append((above, rows := []))
            above = []
        elif rows is None or (not line.strip() and rows):
            rows = None
            above.append(line)
        elif not line.startswith("=="):
            rows.append(line)
    return tables


def said(above, what):
    return next((line.split(what, 1)[1] for line in above if line.startswith(what)), None)


def narrow(text, width, number):
    """As line_profiler 4.1 and later print what is too wide."""
    return text if len(text) <= width else "%5.3g" % number


def times_of(rows, unit):
    """{line: cells} as line_profiler prints them."""
    total = sum(r["self_ns"] or 0 for r in rows)
    shown = {}
    for r in rows:
        if r["hits"] is None:
            continue
        time = round(r["self_ns"] / 1e9 / unit, 6)  # the ticks, as a float has them
        cells = [str(r["hits"]), "%5.1f" % time, "%5.1f" % (time / r["hits"]) if r["hits"] else ""]
        cells[1:] = [narrow(cells[1], 12, time), narrow(cells[2], 8, time / r["hits"] if r["hits"] else 0)]
        cells.append("%5.1f" % (100 * r["self_ns"] / total) if total else "")
        shown[r["line"]] = [cell.strip() for cell in cells]
    return shown


def check_times(tap, name, rows, report, of_dump):
    """`rows` of the dump, or of the report itself, give each table of the report."""
    unit = float(re.search(r"Timer unit: (\S+) s", report).group(1))
    for above, table in tables_of(report):
        place = said(above, "Function: ")
        line = int(place.rsplit(" at line ", 1)[1]) if place else None
        mine = [r for r in rows if line is None or r["function_line"] == line]
        want = {int(m[1]): [m[2], m[3], m[4], m[5] or ""] for m in map(TIME_ROW.match, table) if m}
        got = times_of(mine, unit)
        if not of_dump:  # shares and times of a hit are of numbers that were rounded
            want, got = ({k: v[:2] for k, v in rows.items()} for rows in (want, got))
        tap.ok(want == got, "%s: %s as printed" % (name, place), "%r\n%r" % (want, got))
        if of_dump:
            total = "Total time: %g s" % (sum(r["self_ns"] for r in mine) / 1e9)
            tap.ok(total in above, "%s: %s" % (name, total), repr(above))


def check_memory(tap, path):
    name = os.path.basename(path)
    report = open(path, encoding="utf-8").read()
    rows = sorted(lines_of(path), key=lambda r: (r["function_line"], r["block"], r["line"]))
    want = []
    for _, table in sorted(tables_of(report), key=lambda t: int(t[1][0][:6])):
        for row in table:
            m = MEMORY_ROW.match(row)
            want.append((int(row[:6]), *((m[2], m[3], m[4]) if m else (None, None, None))))
    got = []
    for r, w in zip(rows, want):
        digits = len(w[1].split(".")[1]) if w[1] else 0
        sizes = [None if b is None else "%.*f" % (digits, b / 2**20) for b in (r["memory_bytes"], r["increment_bytes"])]
        sizes = [s[1:] if s and s.startswith("-") and not float(s) else s for s in sizes]
        got.append((r["line"], *sizes, None if r["hits"] is None else str(r["hits"])))
    want = [tuple(s[1:] if s and str(s).startswith("-") and not float(s) else s for s in w) for w in want]
    tap.ok(want == got and len(rows) == len(want), "%s: memory as printed" % name, "%r\n%r" % (want, got))


def check_dump(tap, path, truth):
    """The numbers of a dump as Python decoded it."""
    name = os.path.relpath(path, PYPROF)
    unit = truth["unit"]
    want = [(f, line, n, l, h, round(t * unit * 1e9)) for f, line, n, entries in truth["rows"] for l, h, t in entries]
    got = [(r["file"], r["function_line"], r["function"], r["line"], r["hits"], r["self_ns"]) for r in lines_of(path)]
    tap.ok(sorted(want) == sorted(got), "%s: every line" % name, "%r\n%r" % (want[:3], got[:3]))


def check_fixtures(tap):
    dump = lines_of(os.path.join(FIXTURES, "lp503.lprof"))
    text = os.path.join(FIXTURES, "lp503.txt")
    report = open(text, encoding="utf-8").read()
    check_times(tap, "lp503", dump, report, True)
    check_times(tap, "lp503.txt", lines_of(text), report, False)
    same = [lines_of(os.path.join(FIXTURES, "proto%d.lprof" % p)) for p in (0, 1, 4)]
    tap.ok(same[0] == same[1] == same[2] and len(same[0]) == 21, "a dump is the same in protocols 0, 1 and 4")
    big = [lines_of(os.path.join(FIXTURES, "big_proto%d.lprof" % p)) for p in (0, 4)]
    tap.ok(big[0] == big[1], "odd names and large numbers are the same in protocols 0 and 4", repr(big))
    numbers = {r["line"]: (r["hits"], r["self_ns"]) for r in big[0]}
    tap.ok(numbers[70003] == (2**31, 2**32) and numbers[70005] == (2**63 - 1, 2**63 - 1),
           "numbers beyond 64 bits are the largest", repr(numbers))
    for path in sorted(glob.glob(os.path.join(FIXTURES, "memory*.txt"))):
        check_memory(tap, path)
    for path in sorted(glob.glob(os.path.join(ALL_FIXTURES, "mprof", "*.dat"))):
        check_mprof(tap, path)


def check_recorded(tap):
    for path in sorted(glob.glob(os.path.join(PYPROF, "lprof", "*", "*.lprof"))):
        base = path[:-len(".lprof")]
        if os.path.exists(base + ".dump.json"):
            check_dump(tap, path, json.load(open(base + ".dump.json", encoding="utf-8")))
        rows = lines_of(path)
        for report in sorted(glob.glob(base + ".view*.txt") + glob.glob(base + ".kernprof_v.txt")):
            text = open(report, encoding="utf-8").read()
            if "Timer unit" not in text:
                continue
            name = os.path.relpath(report, PYPROF)
            if "kernprof_v" not in report:  # that is of another run
                check_times(tap, name, rows, text, True)
            check_times(tap, name + " itself", lines_of(report), text, False)
    for path in sorted(glob.glob(os.path.join(PYPROF, "memory_profiler_text", "*.txt"))):
        check_memory(tap, path)
    for path in sorted(glob.glob(os.path.join(PYPROF, "mprof", "*.dat"))):
        check_mprof(tap, path)


def runs_of(path):
    """[[(process, MiB text, time text)]] of each run of a .dat, and its calls (name, numbers)."""
    runs, calls = [[]], []
    begun = False
    for line in open(path, encoding="utf-8", newline="\n").read().split("\n")[:-1]:
        words = line.split()
        if words[:1] == ["CMDLINE"]:
            runs += [[]] if begun else []
            begun = True
        elif words[:1] == ["MEM"] and len(words) == 3:
            runs[-1].append(("main", words[1], words[2]))
        elif words[:1] == ["CHLD"] and len(words) == 4:
            runs[-1].append(("child " + words[1], words[2], words[3]))
        elif words[:1] == ["FUNC"]:
            numbers = words[-5:-1] if float(words[-1]) < 1e6 else words[-4:]
            calls.append((line.split(" ", 1)[1].rsplit(" ", 5 if float(words[-1]) < 1e6 else 4)[0], [float(n) for n in numbers]))
    return runs, calls


def csv_of(*args):
    return list(csv.DictReader(io.StringIO(run(*args, "--format", "csv", "-q").stdout)))


def check_mprof(tap, path):
    name = os.path.basename(path)
    runs, calls = runs_of(path)
    if not any(runs) or "junk" in name:
        return
    rows = [r for r in csv_of("memory", path) if r["process"] != "all"]
    want = [(p, max(float(m) for q, m, _ in r if q == p)) for r in runs for p in dict.fromkeys(q for q, *_ in r)]
    got = [(r["process"], int(r["peak_bytes"]) / 2**20) for r in rows]
    tap.ok([(p, "%.6f" % v) for p, v in want] == [(p, "%.6f" % v) for p, v in got], "%s: peaks" % name, repr((want, got)))
    printed = path[:-len(".dat")] + ".peak.txt"
    if os.path.exists(printed) and "Traceback" not in open(printed).read():
        want = re.findall(r"\s([\d.]+) MiB", open(printed).read())
        peaks = ["%.3f" % v for _, v in got]
        # of runs in one file mprof knows only the largest
        tap.ok(want == (peaks if len(runs) == 1 else [max(peaks)]), "%s: as mprof peak" % name, repr((want, peaks)))
    times = [round(float(r["ts_ns"]) / 1e9, 4) for r in csv_of("memory", path, "--curve")]
    want = [t for r in runs for t in ([round(float(at) - min([float(a) for *_, a in r] + [c[1][1] for c in calls]), 4)
                                       for *_, at in r] if len(runs) == 1 else [])]
    tap.ok(len(runs) > 1 or all(abs(a - b) < 2e-4 for a, b in zip(times, want, strict=True)), "%s: times" % name)
    total = {}
    for function, _ in calls:
        total[function] = total.get(function, 0) + 1
    got = {r["function"]: int(r["calls"]) for r in csv_of("memory", path, "--stats")} if calls else {}
    tap.ok(total == got, "%s: calls" % name, repr((total, got)))


def shares_of(path):
    """{line: (seconds, MiB)} of a profile of Scalene: what has any, as its JSON says."""
    with open(path, encoding="utf-8") as f:
        profile, found = json.load(f), {}
    for name, file in profile["files"].items():
        for line in file["lines"]:
            share = sum(line[key] for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent"))
            if share or line["n_peak_mb"]:
                found[name, line["lineno"]] = (share / 100 * profile["elapsed_time_sec"], line["n_peak_mb"])
    return found, profile["elapsed_time_sec"]


def check_scalene(tap, place):
    """Each line has Scalene's share of the time; what its own table prints, rounded; what is cut is told."""
    for name in ("scalene_1", "scalene_2"):
        path = os.path.join(FIXTURES, name + ".json")
        want, lasts = shares_of(path)
        got = {(r["file"], r["line"]): (r["self_ns"] or 0, r["memory_bytes"] or 0)
               for r in lines_of(path) if r["self_ns"] or r["memory_bytes"]}
        tap.ok(got.keys() == want.keys() and all(
            abs(got[k][0] - want[k][0] * 1e9) <= 1 and abs(got[k][1] - want[k][1] * 2**20) <= 1 for k in want),
            "%s: %d lines" % (name, len(want)), repr((got, want)))
    table = re.compile(r"^ +(\d+) │ +(\d*)%? │ +(\d*)%? │ +(\d*)%? │")
    with open(os.path.join(FIXTURES, "scalene_2.text"), encoding="utf-8") as f:
        printed = {int(m[1]): sum(int(n or 0) for n in m.groups()[1:]) for m in map(table.match, f) if m}
    shares = {line: ns / 1e7 / lasts for (_, line), (ns, _) in got.items()}
    tap.ok(len(printed) == 14 and all(abs(shares.get(n, 0) - all_) <= 1.5 for n, all_ in printed.items()),
           "scalene_2: the shares that Scalene prints", repr((printed, shares)))
    with open(path, "rb") as f:
        whole, wrong = f.read().rstrip(), []
    for n in range(1, len(whole) - 1, 1 if os.environ.get("LONG") else 397):
        with open(place.path("cut.json"), "wb") as f:
            f.write(whole[:n])
        done = run("lines", "-q", place.path("cut.json"))
        if done.returncode not in (0, 4) or done.stderr.count("\n") != 1 or (n > 40 and "cut off" not in done.stderr):
            wrong.append(f"{n} bytes: {done.returncode} {done.stderr}")
    tap.ok(not wrong, "scalene_2: cut anywhere", *wrong[:5])
    line = {"lineno": 1, "n_cpu_percent_c": 50}
    good = {"elapsed_time_sec": 2, "files": {"a.py": {"lines": [line]}}}
    bad = {"no time": {"elapsed_time_sec": None}, "a negative time": {"elapsed_time_sec": -1}, "no file": {"files": {}},
           "a line without a number": {"files": {"a.py": {"lines": [{}]}}},
           "a line that is none": {"files": {"a.py": {"lines": [7]}}}, "a file that is none": {"files": {"a.py": []}}}
    for name, part in {"what is right": {}, **bad}.items():
        with open(place.path("bad.json"), "w", encoding="utf-8") as f:
            json.dump({**good, **part}, f)
        done = run("lines", "-q", place.path("bad.json"))
        tap.ok(done.returncode == (4 if part else 0) and done.stderr.count("\n") == bool(part), "Scalene: " + name, done.stderr)


def check_bad(tap):
    """One line, exit 4, nothing executed; what is only odd is read."""
    for path in sorted(glob.glob(os.path.join(PYPROF, "bad", "p_*")) +
                       glob.glob(os.path.join(PYPROF, "bad", "t_[lm][pe][rm]*")) +
                       glob.glob(os.path.join(PYPROF, "bad", "d_*"))):
        name = os.path.splitext(os.path.basename(path))[0]
        limit = "" if SANITIZED else "ulimit -v 1000000; "
        got = subprocess.run(["bash", "-c", limit + 'exec "$0" lines -q --format csv "$1"', PTOOL, path],
                             capture_output=True, text=True, timeout=60)
        is_read = name in ACCEPTED
        tap.ok(got.returncode == (0 if is_read else 4) and got.stderr.count("\n") == (0 if is_read else 1),
               "%s: %s" % (name, "read" if is_read else "refused"), repr((got.returncode, got.stderr)))
    tap.ok(not os.path.exists(PWNED), "no pickle was executed")


def check_many_runs(tap, place):
    """Each run's calls are its own, though they were written before the run they are of."""
    path = place.path("many.dat")
    with open(path, "w") as file:
        for i in range(12):
            start = 1795167893 + 100 * i
            file.write("FUNC call_%d 10.0 %d.25 11.0 %d.5\nCMDLINE python %d.py\n" % (i, start, start, i))
            file.write("".join("MEM %d.0 %d.0\n" % (10 + i, start + k) for k in range(3)))
    got = subprocess.run([PTOOL, "sql", path, "--format", "csv", "-q",
                          "SELECT profile_id, name FROM slice ORDER BY 1, 2"],
                         capture_output=True, text=True)
    want = ['%d,"call_%d"' % (i + 1, i) for i in range(12)]
    tap.ok(got.stdout.split()[1:] == want, "12 runs in a file have their own calls", repr((got.stdout, got.stderr)))


def check_calls_of_no_run(tap, place):
    """A call that began far from the runs around it, clocks set back among them, is there once."""
    path = place.path("far.dat")
    with open(path, "w") as file:
        for i in range(24):
            start, far = (1795167893 + 100 * (k % 24) for k in (i * 7, i * 7 + 11))
            file.write("CMDLINE python %d.py\nMEM %d.0 %d.0\n" % (i, 10 + i, start))
            file.write("FUNC far_%d 10.0 %d.25 11.0 %d.5\nMEM bad %d\n" % (i, far, far, i))
    got = run("sql", path, "--format", "csv", "-q", "SELECT count(*), count(DISTINCT name) FROM slice").stdout
    tap.ok(got.splitlines()[1:] == ["24,24"], "each call is of one run", repr(got))
    got = run("sql", path, "--format", "csv", "-q",
              "SELECT count(*), count(DISTINCT profile_id), max(count) FROM finding WHERE code = 'row_syntax'").stdout
    tap.ok(got.splitlines()[1:] == ["24,24,1"], "a line that is no row is told of its run alone", repr(got))
    path = place.path("one.dat")
    with open(path, "w") as file:
        file.write("CMDLINE x\nMEM bad\n")
    got = run("memory", path)
    tap.ok(got.returncode == 4 and got.stderr.endswith("byte 10: the run has no sample that can be read (bad lines: 1)\n"),
           "the first bad line where nothing else is there", repr(got))


def main():
    tap = Tap()
    with Workplace() as place:
        os.environ["PTOOL_CACHE"] = place.path("cache")
        check_fixtures(tap)
        check_scalene(tap, place)
        check_many_runs(tap, place)
        check_calls_of_no_run(tap, place)
        if os.path.isdir(os.path.join(PYPROF, "lprof")):
            check_recorded(tap)
            check_bad(tap)
        else:
            tap.skip("the recorded profiles", "no ../shared/data/pyprof")
    tap.done()


if __name__ == "__main__":
    main()
