#!/usr/bin/env python3
"""linear.py: twice as much of anything takes twice the work and memory, in every command.

For each structure of structures.py and each line of command_lines.py it measures what the command
costs on recordings of growing size, subtracts what it costs on a recording of two, and takes the
exponent between sizes: 1 is proportional, 2 is quadratic.  Above 1.2 is a failure.

Work is instructions (`perf stat`) where the kernel counts them; else processor time, and what that
finds above the limit is measured again in instructions by valgrind, at a quarter of the size and a
sixteenth.  Memory is the peak resident size.  A cell that costs less than the noise passes.

    PTOOL=build/ptool python3 tests/bench/linear.py                        # all: hours
    python3 tests/bench/linear.py --structures '^deep' --commands '^tree' --sizes 1000,4000
    python3 tests/bench/linear.py --list                                   # what there is

--output FILE has a line of each cell: structure, command, measure, the sizes' costs, exponent.
"""
import argparse
import functools
import math
import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

import command_lines
import structures

PTOOL = os.path.abspath(os.environ.get("PTOOL", "build/ptool"))
FIXED = 2  # the size whose cost is that of starting
LIMIT = 1.2
NOISE = {"instructions": 30e6, "seconds": 0.06, "bytes": 12 << 20}  # costs below it tell nothing
STRETCH = 1.0625  # how much longer OTHER takes; exact in binary, so times stay short
CACHEGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--cachegrind-out-file=/dev/null"]
EXPECTED = (0, 1, 2, 3)  # 1: a gate of diff; 2: not of such a recording; 3: nothing of that in it
SPACE = 4 << 30  # address space of a command
START_BYTES = 8 << 20  # of memory: a child's peak begins with our own size, which is larger


def has_perf():
    try:
        out = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return out.stderr.split(",")[0].isdigit()


class Ran:
    """What a run of ptool cost."""

    def __init__(self, status, usage, instructions):
        self.status = status
        self.costs = {"bytes": usage.ru_maxrss * 1024}
        if instructions is None:
            self.costs["seconds"] = usage.ru_utime + usage.ru_stime
        else:
            self.costs["instructions"] = instructions

    def failed(self, line=""):
        return self.status not in (*EXPECTED, *command_lines.EXITS.get(line, ()))


def run(argv, tool, scratch, seconds):
    """Runs ptool under nothing, "perf" or "valgrind"."""
    log = os.path.join(scratch, "log")
    before = {"perf": ["perf", "stat", "-x,", "-e", "instructions:u", "-o", log, "--"],
              "valgrind": CACHEGRIND + [f"--log-file={log}"], None: []}[tool]
    with subprocess.Popen([*before, PTOOL, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env={**os.environ, "PTOOL_CACHE": os.path.join(scratch, "cache")}) as child:
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.prlimit(child.pid, resource.RLIMIT_AS, (SPACE, SPACE))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    counted = None
    if tool:
        with open(log, encoding="utf-8") as lines:
            found = re.search(r"^(\d+),|I\s+refs:\s+([\d,]+)", lines.read(), re.M)
        counted = int((found[1] or found[2]).replace(",", "")) if found else 0
    return Ran(child.returncode, usage, counted)


class Place:
    """A folder with a structure of a size, ingested."""

    def __init__(self, name, size, root, has_other=True):
        self.folder = tempfile.mkdtemp(dir=root)
        self.words = {word: os.path.join(self.folder, file) for word, file in
                      (("STORE", "store.db"), ("OTHER", "other.db"), ("COPY", "copy.db"), ("OUT", "out"), ("FOLDER", "folder"), ("BUDGETS", "budgets"), ("SAVED", "saved"))}
        with open(self.words["BUDGETS"], "w", encoding="utf-8") as budgets:
            budgets.write(command_lines.BUDGETS.replace("STORE", self.words["STORE"]))
        self.words["TRACE"] = self.make(name, size, "a", 1)
        self.ingest(name, self.words["TRACE"], self.words["STORE"])
        if has_other:
            self.ingest(name, self.make(name, size, "b", STRETCH), self.words["OTHER"])
            shutil.rmtree(os.path.join(self.folder, "b"))

    def make(self, name, size, inner, stretch):
        """In a process of its own: ours must stay small, for a child's peak begins with our size."""
        folder = os.path.join(self.folder, inner)
        os.mkdir(folder)
        ours, theirs = multiprocessing.Pipe()
        maker = multiprocessing.get_context("fork").Process(
            target=lambda: theirs.send(structures.write(name, size, folder, stretch)))
        maker.start()
        path = ours.recv()
        maker.join()
        return path

    def ingest(self, name, path, store):
        """As the run "it", or as a run of each file, the first of which is "it"; a folder of stores stays one.

        What such a folder has in all is put into the cache once: `merge` measures that.
        """
        if name in structures.STORES:
            os.rename(path, store)
            run(["info", store], None, self.folder, 900)
            return
        parts = natural(path) if name in structures.RUNS else [path]
        for i, part in enumerate(parts):
            subprocess.run([PTOOL, "ingest", "-q", "--run", f"it {i}" if i else "it", "-o", store, part], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=900)

    def copy(self):
        if os.path.isdir(self.words["STORE"]):
            subprocess.run([PTOOL, "merge", "-q", "--run", "it", "-o", self.words["COPY"], self.words["STORE"]], check=True)
        else:
            shutil.copyfile(self.words["STORE"], self.words["COPY"])

    def run(self, cell, tool, seconds):
        if "COPY" in cell.line and os.path.exists(self.words["STORE"]):
            self.copy()
        if "SAVED" in cell.line and not os.path.exists(self.words["SAVED"]):
            run(["baseline", "--dir", self.words["SAVED"], "save", "main", self.words["STORE"]], None, self.folder, 900)
        ran = run(command_lines.argv(cell.command, cell.line, self.words), tool, self.folder, seconds)
        for word in ("OUT", "COPY"):
            if os.path.exists(self.words[word]):
                os.remove(self.words[word])
        shutil.rmtree(self.words["FOLDER"], ignore_errors=True)
        return ran


def natural(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder), key=lambda name: (len(name), name))]


def exponent(costs, fixed, noise):
    """Between the last two sizes whose cost is above the noise; None where there are no two."""
    above = [(size, cost - fixed) for size, cost in sorted(costs.items())]
    if not above or above[-1][1] < noise:
        return None
    (small, low), (large, high) = above[-2:]
    # What is lost in the noise is taken as the noise: the exponent is then at least this.
    return math.log(high / max(low, noise / 4)) / math.log(large / small)


class Cell:
    """A structure and a command line: costs by measure and size."""

    def __init__(self, structure, command, line):
        self.structure, self.command, self.line = structure, command, line
        self.costs = {}
        self.note = ""

    def add(self, size, ran):
        for measure, cost in ran.costs.items():
            of_size = self.costs.setdefault(measure, {})
            of_size[size] = min(cost, of_size.get(size, cost))

    def exponent(self, measure):
        costs = dict(self.costs.get(measure, {}))
        fixed = min(costs.pop(FIXED, 0), START_BYTES if measure == "bytes" else math.inf)
        return exponent(costs, fixed, NOISE[measure]) if len(costs) > 1 else None

    def is_above_noise(self, size):
        return any(costs[size] - costs[FIXED] >= NOISE[measure] for measure, costs in self.costs.items()
                   if size in costs and FIXED in costs)

    def worst(self):
        """(measure, exponent) of those above the limit."""
        found = {measure: self.exponent(measure) for measure in self.costs}
        if "instructions" in found:
            found.pop("seconds", None)
        return [(measure, e) for measure, e in found.items() if e is not None and e > LIMIT]

    def __str__(self):
        def told(measure, cost):
            return f"{cost / 2**20:.0f}M" if measure == "bytes" else f"{cost / 1e6:.0f}Mi" if measure == "instructions" else f"{cost:.2f}s"
        lines = []
        for measure, costs in self.costs.items():
            e = self.exponent(measure)
            sizes = " ".join(f"{size}:{told(measure, cost)}" for size, cost in sorted(costs.items()))
            lines.append(f"{self.structure}\t{self.command} {self.line}\t{measure}\t{sizes}\t{'-' if e is None else f'{e:.2f}'}\t{self.note}")
        return "\n".join(lines)


class Matrix:
    def __init__(self, options):
        self.options = options
        self.tool = "perf" if has_perf() else None
        self.failed = []
        self.starts = {}
        self.lock = threading.Lock()
        self.output = open(options.output, "a", encoding="utf-8") if options.output else None

    def measure(self, cell, places):
        """The largest size first, and as many smaller ones as it takes to know the exponent."""
        sizes = sorted(self.options.sizes, reverse=True)
        cell.add(FIXED, self.start(cell, places))
        left = 2  # sizes of which the cost must be known
        for size in sizes:
            ran = places(size).run(cell, self.tool, self.options.most)
            if ran.failed(cell.line):
                cell.note += f" exit {ran.status} at {size}"
                continue
            cell.add(size, ran)
            left -= 1
            if left == 0 or not cell.is_above_noise(size):
                return

    def start(self, cell, places):
        """What it costs to start, which no structure changes."""
        line = (cell.command, cell.line)
        if line not in self.starts:
            self.starts[line] = places(FIXED).run(cell, self.tool, self.options.most)
        return self.starts[line]

    def confirm(self, cell, places):
        """Instructions say whether what processor time shows is more than a slow cache."""
        if self.tool or not any(measure == "seconds" for measure, _ in cell.worst()):
            return
        largest = max(cell.costs["seconds"])
        for size in (FIXED, max(largest // 16, 500), max(largest // 4, 2000)):
            cell.add(size, places(size).run(cell, "valgrind", 600))

    def structure(self, name):
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as root:
            places = functools.lru_cache(None)(lambda size: Place(name, size, root))
            for command, line in command_lines.all_lines(self.options.commands):
                if "TRACE" in line and name in structures.STORES:
                    continue
                cell = Cell(name, command, line)
                self.measure(cell, places)
                if self.options.confirm:
                    self.confirm(cell, places)
                self.tell(cell)

    def tell(self, cell):
        with self.lock:
            if self.output:
                print(cell, file=self.output, flush=True)
            if cell.worst() or "exit" in cell.note:
                self.failed.append(cell)
                print(cell, flush=True)

    def run(self):
        names = [name for name in structures.names_of_all() if self.options.structures.search(name)]
        lines = iter(names)

        def work():
            while True:
                with self.lock:
                    name = next(lines, None)
                if name is None:
                    return
                print(f"# {name}", flush=True)
                self.structure(name)

        workers = [threading.Thread(target=work) for _ in range(self.options.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--structures", type=re.compile, default=re.compile(""), metavar="RE")
    parser.add_argument("--commands", type=re.compile, default=re.compile(""), metavar="RE")
    parser.add_argument("--sizes", type=lambda text: sorted(int(n) for n in text.split(",")), default=[1000, 4000, 16000, 64000])
    parser.add_argument("--most", type=int, default=200, metavar="SECONDS", help="stop a command that takes longer")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-confirm", dest="confirm", action="store_false", help="leave valgrind out")
    parser.add_argument("--output", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    if command_lines.missing(PTOOL):
        sys.exit(f"command_lines.py and ptool differ: {', '.join(command_lines.missing(PTOOL))}")
    if options.list:
        print(*structures.names_of_all(), sep="\n")
        print(*(f"{command} {line}" for command, line in command_lines.all_lines()), sep="\n")
        return
    matrix = Matrix(options)
    print(f"# work in {'instructions (perf)' if matrix.tool else 'processor time; instructions (valgrind) where that is not clear'}", flush=True)
    matrix.run()
    print(f"{len(matrix.failed)} cells above {LIMIT} or failed")
    sys.exit(1 if matrix.failed else 0)


if __name__ == "__main__":
    main()
