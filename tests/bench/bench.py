#!/usr/bin/env python3
"""bench.py PTOOL FOLDER: how fast ptool is on big traces, beside what else reads them.

Builds its inputs in FOLDER (kept and used again), runs everything in turn, round after
round, and prints one table of the medians and the ratios that ptool is held to; the same
rows go to FOLDER/bench.csv, every run to FOLDER/samples.csv.  Asserts nothing.  Ctrl-C
ends all of it: no run leaves the process group.

  BENCH_BYTES   size of each input (1e9)
  BENCH_KINDS   kinds of gen ("gpu cpu stack allx names tracks shuffled recorded"); the first
                one is read by everything, the others by ptool and simdjson
  BENCH_RECORDING  the trace that "recorded" repeats (one of the fixtures)
  BENCH_RUNS    repetitions (5)
  BENCH_SAMPLES    bytes of each file of sampled stacks (2e8, at most BENCH_BYTES)
  BENCH_FUNCTIONS  functions in a dump of cProfile (1000000), each with three callers
  BENCH_LINEAR  1: also twice and five times BENCH_BYTES of the first kind
  CC, CXX       compilers of the bench's own programs (cc, c++)

A row whose program is missing (simdjson wants libsimdjson-dev) is left out.
"""
import csv
import os
import platform
import shutil
import subprocess
import sys
import time

from figures import Figure, Sample, held, table, write_csv
from inputs import HERE, Inputs, run_main, say, store_facts
from plan import Plan, without_what_is_left

KINDS = "gpu cpu stack allx names tracks shuffled recorded"
FACTORS = (2, 5)


def setting(name, default):
    return os.environ.get(name) or default


def remove_store(path):
    for name in (path, path + ".lock"):
        if os.path.exists(name):
            os.remove(name)


def run_once(figure, inputs):
    row = figure.row
    if row.store:
        remove_store(row.store)
    with open(inputs.log, "ab") as log:
        done = subprocess.run([inputs.timed, *row.argv], stdout=subprocess.PIPE, stderr=log,
                              stdin=subprocess.DEVNULL, check=True, text=True)
    wall_s, user_s, system_s, peak_kib, status = done.stdout.strip().split(",")
    figure.samples.append(Sample(float(wall_s), float(user_s) + float(system_s),
                                 int(peak_kib) * 1024, int(status)))
    if row.store and status == "0":
        figure.facts = figure.facts or store_facts(row.store)
        if not row.keeps:
            remove_store(row.store)


def plan_rows(ptool, inputs, size, kinds):
    plan = Plan(ptool, inputs, size)
    plan.of_main(kinds[0])
    for kind in kinds[1:]:
        plan.of_kind(kind)
    plan.of_samples(int(float(setting("BENCH_SAMPLES", min(size, 2e8)))))
    plan.of_start()
    plan.of_dump(int(setting("BENCH_FUNCTIONS", "1000000")))
    needed = size * (sum(FACTORS) + 1)
    if setting("BENCH_LINEAR", "") == "1":
        if shutil.disk_usage(inputs.folder).free < needed:
            say(f"no larger traces: {inputs.folder} has no room for {needed / 1e9:.0f} GB")
        else:
            plan.larger(kinds[0], FACTORS)
    return plan.rows


def write_samples(figures, path):
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["what", "input", "bytes", "wall_s", "cpu_s", "peak_rss_bytes", "exit_status"])
        for figure in figures:
            for s in figure.samples:
                writer.writerow([figure.row.what, figure.row.source, figure.row.bytes,
                                 s.wall_s, f"{s.cpu_s:.4f}", s.peak_bytes, s.status])


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0] or "unknown"
    except FileNotFoundError:
        return "unknown"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def header(ptool, runs, load):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return [
        f"# {time.strftime('%Y-%m-%d', time.gmtime())} {platform.system()} {platform.release()}, "
        f"{len(os.sched_getaffinity(0))} cores, {processor()}, {memory / 1e9:.0f} GB; load before {load:.1f}",
        f"# {first_line(ptool, '--version')}; commit "
        f"{first_line('git', '-C', HERE, 'describe', '--always', '--dirty')}; "
        f"{first_line(os.environ.get('CC', 'cc'), '--version')}",
        f"# {runs} runs of each, in turn; medians, the largest peak; MB are of the JSON text",
    ]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench.py PTOOL FOLDER")
    ptool = shutil.which(sys.argv[1])
    if not ptool:
        sys.exit(f"bench.py: {sys.argv[1]}: not a program")
    size = int(float(setting("BENCH_BYTES", "1e9")))
    runs = int(setting("BENCH_RUNS", "5"))
    kinds = setting("BENCH_KINDS", KINDS).split()
    load = os.getloadavg()[0]

    inputs = Inputs(sys.argv[2])
    without_what_is_left(inputs.folder)
    figures = [Figure(row) for row in plan_rows(ptool, inputs, size, kinds)]
    for number in range(runs):
        say(f"round {number + 1} of {runs}")
        for figure in figures:
            run_once(figure, inputs)
    write_samples(figures, inputs.path("samples.csv"))
    with open(inputs.path("bench.csv"), "w", encoding="utf-8", newline="") as out:
        write_csv(figures, out)
    print(*header(ptool, runs, load), *table(figures), "", sep="\n")
    print(f"Held to, on {kinds[0]} of this run (the limits are for two cores and a gigabyte):")
    print(*(line.line() for line in held(figures, kinds[0])), sep="\n")


if __name__ == "__main__":
    run_main(main)
