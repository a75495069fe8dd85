#!/usr/bin/env python3
"""The bench runs from end to end, and its table says what its samples were.

Tiny inputs: nothing is timed here.  Speaks TAP.  timeout: 300 s
"""
import csv
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "store")]
import compare
import figures
import inputs
from figures import Figure, Sample
from plan import ANALYSES, DIFF, EMPTY_START, INGEST, JSON_LOAD, PSTATS, PYTHON_PSTATS, PYTHON_STACKS, SAMPLES, SLICES
from plan import STACKS, START, VIEWS, WALK, Row
from storetap import PTOOL, Tap, Workplace

WIDTH = 120
KINDS = ["gpu", "names"]
ENV = {**os.environ, "BENCH_BYTES": "3e5", "BENCH_RUNS": "2", "BENCH_PAIRS": "2", "BENCH_KINDS": " ".join(KINDS),
       "BENCH_LINEAR": "1", "BENCH_COUNTED": "3e5", "BENCH_FUNCTIONS": "2000", "CXX": "false"}


def run(script, *arguments):
    return subprocess.run([os.path.join(HERE, script), *arguments], env=ENV, capture_output=True, text=True)


def figure(what, wall_s, size=1000, kind="gpu", source=None, status=0, **more):
    made = Figure(Row(what, kind, source or kind, [], bytes=size, events=more.pop("events", 0)), facts=more)
    made.samples = [Sample(s, 2 * s, int(s * 1e6), status) for s in wall_s]
    return made


def check_whole(tap, work):
    folder = work.path("bench")
    done = run("bench.py", PTOOL, folder)
    if done.returncode != 0:
        return tap.ok(False, "the bench ends well", done.stderr)
    lines = done.stdout.splitlines()
    tap.ok(max(map(len, lines[3:])) <= WIDTH, f"the table fits {WIDTH} columns", max(lines[3:], key=len))
    with open(os.path.join(folder, "bench.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = {INGEST, INGEST + " -j1", INGEST + " .gz", INGEST + ", folder", JSON_LOAD, START, EMPTY_START, PSTATS, PYTHON_PSTATS,
              *VIEWS, *SLICES,
              *(words.format(kind) for words in (STACKS, PYTHON_STACKS) for kind in SAMPLES),
              *ANALYSES, DIFF}
    missing = wanted - {row["what"] for row in rows}
    tap.ok(not missing, "every question has its row", missing)
    failed = [row for row in rows if row["exit_status"] != "0" or row["runs"] != "2"]
    tap.ok(not failed, "every row ran well as often as it was to", failed)
    stored = [row for row in rows if row["what"].startswith(INGEST)]
    empty = [row for row in stored if not all(int(row[c]) > 0 for c in ("bytes", "events", "slices", "store_bytes"))]
    tap.ok(stored and not empty, "an ingest tells events, slices and its store", empty)
    same = {row["slices"] for row in stored if row["input"].split(".")[0] == "gpu" and "folder" not in row["what"]}
    tap.ok(len(same) == 1, "the ways to ingest one trace give as many slices", same)
    tap.ok(sum(row["input"].startswith("gpu x") for row in stored) >= 2, "larger traces are read when asked for")
    held = [line for line in lines if re.search(r"(holds|does not hold|not measured)$", line)]
    tap.ok(len(held) == 14, "each limit is told with its verdict", held)
    with open(os.path.join(folder, "samples.csv"), encoding="utf-8") as file:
        tap.ok(sum(1 for _ in file) == 1 + 2 * len(rows), "every run is kept")
    left = [name for name in os.listdir(folder) if ".db" in name and not re.search("gpu|names|dump", name)]
    tap.ok(not left, "no store stays that nothing reads", left)


def check_table(tap):
    """Medians, ratios and verdicts of samples that are known."""
    all_figures = [
        figure(WALK, [1, 3, 2], size=2000), figure(INGEST, [3, 9, 4], slices=10, store_bytes=1000,
                                                   text_bytes=0, events=100),
        figure("ptool ingest .gz", [5], source="gpu.gz"), figure(JSON_LOAD, [60], size=1000),
        figure("ptool top", [0.5, 0.019, 0.001], size=0, source="gpu.db"),
        figure("gzip -dc", [1], status=3), figure(INGEST, [6, 6, 6], kind="cpu"),
        figure(INGEST, [9], size=2000, source="gpu x2"),
        figure(START, [3], size=0, kind="start"), figure(EMPTY_START, [1], size=0, kind="start"),
        figure(STACKS.format("collapsed"), [1], kind="collapsed"), figure(PYTHON_STACKS.format("collapsed"), [19], kind="collapsed"),
    ]
    out = io.StringIO()
    figures.write_csv(all_figures, out)
    rows = {(r["what"], r["input"]): r for r in csv.DictReader(io.StringIO(out.getvalue()))}
    ingest = rows[INGEST, "gpu"]
    tap.same(float(ingest["wall_s"]), 4, "the median of the seconds")
    tap.same(int(ingest["peak_rss_bytes"]), 9_000_000, "the largest peak")
    tap.same(float(ingest["times_walk"]), 4, "the ratio to the walk is of seconds a byte")
    tap.same(float(ingest["bytes_per_slice"]), 100, "bytes a slice")
    tap.same(rows[INGEST, "cpu"]["times_walk"], "", "no ratio to the walk of another kind")
    lines = figures.table(all_figures)
    tap.ok("exit status 3" in lines[6], "what failed says so", lines[6])
    held = {h.what: h for h in figures.held(all_figures, "gpu")}
    verdicts = tuple(h.verdict() for h in held.values())
    tap.same(verdicts, ("does not hold", "does not hold", "does not hold", "holds", "holds", "not measured", "not measured",
                        "not measured", "holds",
                        "holds", "does not hold", "not measured", "does not hold", "not measured"), "limits are compared the right way round")
    tap.same(tuple(h.value for h in held.values())[:3], (4, 1.25, 15),
              "the ratios that are held to limits")
    tap.ok(len(lines[1]) > 60 and "\t" not in "".join(lines), "the table is aligned by spaces")


def check_compare(tap, work):
    done = run("compare.py", PTOOL, PTOOL, work.path("compare"))
    tap.ok(done.returncode == 0 and done.stdout.count("too few pairs") == 5 * len(KINDS),
           "a comparison tells each row, and that two pairs are too few", done.stdout + done.stderr)
    left = [name for name in os.listdir(work.path("compare")) if ".db" in name]
    tap.ok(not left, "it leaves no store", left)
    low, high = compare.interval([0.9, 0.91, 0.92, 0.9, 0.89, 0.93])
    tap.ok(0.89 <= low <= 0.91 <= high <= 0.93, "the interval holds the median", (low, high))
    tap.same((compare.verdict(6, 0.9, 0.99), compare.verdict(6, 1.01, 1.2), compare.verdict(6, 0.9, 1.1),
              compare.verdict(5, 0.9, 0.99)), ("faster", "slower", "no difference seen", "too few pairs"),
              "a verdict is what the interval allows")


def runs_in_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def check_stop(tap, work, number):
    """While it measures something that would not end by itself."""
    folder = work.path("stopped")
    forever = work.path("forever")
    with open(forever, "w", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\n[ \"$1\" != ingest ] || {{ : >'{folder}/begun'; exec sleep 1000; }}\n")
    os.chmod(forever, 0o755)
    with subprocess.Popen([os.path.join(HERE, "bench.py"), forever, folder], env={**ENV, "BENCH_LINEAR": ""},
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as bench:
        while not os.path.exists(os.path.join(folder, "begun")) and bench.poll() is None:
            time.sleep(0.05)
        if number == signal.SIGINT:
            os.killpg(bench.pid, number)  # as the terminal does
        else:
            bench.send_signal(number)
    for _ in range(200):  # the last of them may still be going
        if not runs_in_group(bench.pid):
            break
        time.sleep(0.05)
    tap.ok(bench.returncode == 130 and not runs_in_group(bench.pid), f"{number.name} ends all that runs",
           bench.returncode)
    os.remove(os.path.join(folder, "begun"))


def main():
    tap = Tap()
    with Workplace() as work:
        check_table(tap)
        check_whole(tap, work)
        check_compare(tap, work)
        for number in (signal.SIGINT, signal.SIGTERM):
            check_stop(tap, work, number)
    with tempfile.NamedTemporaryFile() as file:
        file.write(b'x"ph":' + b" " * (inputs.CHUNK - 8) + b'"ph":')
        file.flush()
        tap.same(inputs.count_text(file.name, b'"ph":'), 2, "text across the ends of chunks counts once")
    tap.done()


main()
