#!/usr/bin/env python3
"""compare.py REV PTOOL FOLDER: is the working tree faster than a commit, or slower?

Builds REV in a folder of its own (a git worktree, removed afterwards) and runs both programs
in turn, in the order A B B A, on the same inputs in FOLDER, so that what the machine does
besides hits both.  Prints the medians, the median of the pairs' ratios with its 95 %
interval (bootstrap over the pairs), and how many instructions callgrind counts on a small
input with one thread: they are the same on a busy machine.  Asserts nothing.

  BENCH_BYTES    size of each input (1e8)
  BENCH_KINDS    kinds of gen ("gpu cpu")
  BENCH_PAIRS    pairs of runs (10; fewer than 6 tell nothing)
  BENCH_COUNTED  size of those that callgrind looks at (2e6)
  CC, CFLAGS     how REV is built

REV may also be the path of a program that is built already.
"""
import contextlib
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from bench import remove_store, run_once, setting
from figures import Figure
from inputs import HERE, Inputs, run_main, say, size_of
from plan import Row

RESAMPLES = 4000
FEWEST_PAIRS = 6  # with fewer, chance alone puts all of them on one side once in 16 times
ROOT = os.path.dirname(os.path.dirname(HERE))


@contextlib.contextmanager
def program_of(rev):
    """ptool as that commit has it, while it is needed."""
    if os.path.isfile(rev) and os.access(rev, os.X_OK):
        yield os.path.abspath(rev)
        return
    with tempfile.TemporaryDirectory(prefix="ptool-rev.") as folder:
        tree = os.path.join(folder, "tree")
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", tree, rev], check=True)
        try:
            say(f"building {rev}")
            variables = [f"{name}={os.environ[name]}" for name in ("CC", "CFLAGS") if os.environ.get(name)]
            env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
            subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", tree, "BUILD=build", *variables,
                            "build/ptool"], check=True, env=env, stdout=sys.stderr)
            yield os.path.join(tree, "build", "ptool")
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=False)


def commands(inputs, ptool, kinds, size, tag):
    """The rows that are compared, for one of the two programs."""
    for kind in kinds:
        trace = inputs.trace(kind, size)
        store = inputs.path(f"compare-{tag}-{kind}.db")

        def ingest(what, path, *options, keeps=False, store=store):
            target = store if keeps else store + ".more"
            return Row(what, kind, kind, [ptool, "ingest", "-q", *options, "-o", target, path],
                       bytes=size_of(trace), store=target, keeps=keeps)

        yield ingest("ingest", trace, keeps=True)
        yield ingest("ingest -j1", trace, "-j1")
        packed = inputs.packed(trace, "gz")
        if packed:
            yield ingest("ingest .gz", packed)
        yield Row("top", kind, kind, [ptool, "top", store])
        yield Row("list --sort dur", kind, kind, [ptool, "list", store, "--sort", "dur", "--limit", "20"])


def interval(ratios, seed=1):
    """The 95 % interval of their median, by resampling the pairs."""
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1]


def verdict(npairs, low, high):
    if npairs < FEWEST_PAIRS:
        return "too few pairs"
    if high < 1:
        return "faster"
    return "slower" if low > 1 else "no difference seen"


def instructions(ptool, arguments, folder):
    """That callgrind counts; None where it does not run."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.path.join(folder, 'callgrind.out')}",
               ptool, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace")
    except FileNotFoundError:
        return None
    counted = re.search(r"Collected : (\d+)", done.stderr)
    return int(counted.group(1)) if counted and done.returncode == 0 else None


def count(inputs, ptool, kind, size):
    """Instructions of the ingest of a small trace, and of `top` on it."""
    trace = inputs.trace(kind, size)
    store = inputs.path("counted.db")
    remove_store(store)
    ingest = instructions(ptool, ["ingest", "-q", "-j1", "-o", store, trace], inputs.folder)
    top = instructions(ptool, ["top", store], inputs.folder) if ingest else None
    remove_store(store)
    return {"ingest -j1": ingest, "top": top}


def print_times(pairs):
    form = "{:16} {:9} {:>10} {:>10} {:>7}  {:15} {:19} {:>9}"
    print(form.format("what", "input", "REV s", "tree s", "ratio", "95 % interval", "", "CPU ratio"))
    for old, new in pairs:
        if old.failed() or new.failed():
            print(f"{old.row.what:16} {old.row.source:9} exit status {old.failed()} and {new.failed()}")
            continue
        ratios = [b.wall_s / a.wall_s for a, b in zip(old.samples, new.samples)]
        cpu = statistics.median(b.cpu_s / max(a.cpu_s, 1e-4) for a, b in zip(old.samples, new.samples))
        low, high = interval(ratios)
        print(form.format(old.row.what, old.row.source, f"{old.wall_s:.3f}", f"{new.wall_s:.3f}",
                          f"{statistics.median(ratios):.3f}", f"{low:.3f} to {high:.3f}",
                          verdict(len(ratios), low, high), f"{cpu:.3f}"))


def print_counts(inputs, programs, kinds):
    size = int(float(setting("BENCH_COUNTED", "2e6")))
    print(f"\nInstructions on {size / 1e6:g} MB, by callgrind:")
    for kind in kinds:
        old, new = (count(inputs, ptool, kind, size) for ptool in programs)
        for what in old:
            if old[what] and new[what]:
                print(f"{what:16} {kind:9} {old[what]:>14,} {new[what]:>14,} {new[what] / old[what]:>8.4f}")
            else:
                print(f"{what:16} {kind:9} not counted: callgrind, or the program, did not run")


def compare(programs, inputs):
    size = int(float(setting("BENCH_BYTES", "1e8")))
    kinds = setting("BENCH_KINDS", "gpu cpu").split()
    npairs = int(setting("BENCH_PAIRS", "10"))
    pairs = [tuple(map(Figure, rows)) for rows in
             zip(*(list(commands(inputs, ptool, kinds, size, tag)) for ptool, tag in zip(programs, "ab")))]
    for number in range(npairs):
        say(f"pair {number + 1} of {npairs}")
        for pair in pairs:
            for figure in pair if number % 2 == 0 else reversed(pair):
                run_once(figure, inputs)
    print(f"{npairs} pairs in turn; medians; ratio: tree / REV of each pair, below 1 is faster")
    print_times(pairs)
    print_counts(inputs, programs, kinds)
    for pair in pairs:
        for figure in pair:
            if figure.row.store:
                remove_store(figure.row.store)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: compare.py REV PTOOL FOLDER")
    rev, ptool, folder = sys.argv[1:]
    if not shutil.which(ptool):
        sys.exit(f"compare.py: {ptool}: not a program")
    inputs = Inputs(os.path.abspath(folder))
    with program_of(rev) as old:
        compare((old, os.path.abspath(ptool)), inputs)


if __name__ == "__main__":
    run_main(main)
