#!/usr/bin/env python3
"""Every command in each of its modes (tests/bench/command_lines.py), on stores of recordings of
every kind whose rows a stranger edited: an answer or a line that says what is wrong, in
a minute and 4 GiB, and no byte that could drive a terminal.  timeout: 400 s

The edits are always the same.  EDITS=N in the environment: N stores of each recording, SEED=N:
others; what is wrong is told with its edits.  Speaks TAP.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "bench")]
import command_lines  # noqa: E402  pylint: disable=wrong-import-position
import edits  # noqa: E402  pylint: disable=wrong-import-position
import storetap  # noqa: E402  pylint: disable=wrong-import-position

SAN = os.environ.get("SAN")
EDITS = int(os.environ.get("EDITS", 0 if os.environ.get("VALGRIND") else 1 if SAN else 3))
LINES = 4  # of each store
TIMEOUT_S = 60
SPACE = 4 << 30  # where no sanitizer needs terabytes
STATUSES = (0, 1, 2, 3, 4)
# What is read into each store, and how.
RECORDINGS = """gpu/everything.json
gpu/phases_of_chrome.json
gpu/python_stack.json
gpu/graph.json --summaries yes
gpu/collectives_rank0.json gpu/collectives_rank1.json
gpu/collectives_rank0.json gpu/collectives_rank1.json --summaries yes
gpu/collectives_rank0.json gpu/collectives_rank1.json --summary-only
gpu/memory.json gpu/annotations.json --summaries yes
gpu/two_devices.json gpu/copies.json --summary-only
compile/compile_annotated.json.gz --summaries yes
compile/compile_broken.json.gz
chrome/viztracer.json.gz chrome/xprof_gpu_stream.json.gz chrome/node.json.gz
pyprof/app.prof pyprof/app.txt
samples/evented.speedscope.json samples/go_heap.pb.gz samples/node.cpuprofile
samples/pyspy_fork.chrometrace.json.gz samples/pyspy_raw.txt samples/pyinstrument_5.pyisession
lines/lp503.lprof lines/memory061.txt lines/scalene_2.json
mprof/multiprocess_M.dat mprof/basic.dat
snapshot/two_devices_p5.pickle snapshot/ring_p2.pickle
timeline/small.json""".splitlines()


def limit_space():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))


LIMIT = None if SAN or os.environ.get("VALGRIND") else limit_space


def wrong_of(words):
    """What is wrong with how it ended, or None."""
    try:
        done = subprocess.run([storetap.PTOOL, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, preexec_fn=LIMIT)
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT_S} s"
    said = done.stderr.decode(errors="replace")
    if done.returncode not in STATUSES or not all(line.startswith("ptool: ") for line in said.splitlines()):
        return f"exit status {done.returncode}: {said[:1500]}"
    if b"\x1b" in done.stdout + done.stderr:
        return "an escape is not escaped"
    return None


class Place:
    """A folder for the words of command lines that stand for files."""

    def __init__(self, root, recording):
        names, _, options = recording.partition(" --")
        files = [os.path.join(storetap.FIXTURES, name) for name in names.split()]
        self.base = os.path.join(root, "base.db")
        self.words = {"OTHER": self.base, "TRACE": files[0]}
        for word in ("STORE", "COPY", "OUT", "FOLDER", "BUDGETS"):
            self.words[word] = os.path.join(root, word.lower())
        subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", self.base, *(["--" + options.split()[0], *options.split()[1:]] if options else []), *files],
                       check=True, stderr=subprocess.DEVNULL)
        self.columns = edits.columns_of(self.base)

    def edited(self, rng):
        """The edits of a new STORE, as SQL."""
        shutil.copyfile(self.base, self.words["STORE"])
        return edits.edit(rng, self.words["STORE"], self.columns)

    def run(self, command, line):
        shutil.copyfile(self.words["STORE"], self.words["COPY"])
        shutil.rmtree(self.words["FOLDER"], ignore_errors=True)
        os.mkdir(self.words["FOLDER"])
        if os.path.exists(self.words["OUT"]):
            os.unlink(self.words["OUT"])
        with open(self.words["BUDGETS"], "w", encoding="utf-8") as out:
            out.write(command_lines.BUDGETS.replace("STORE", self.base))
        return wrong_of(command_lines.argv(command, line, self.words))


def check(tap, rng, recording, root):
    place, bad, tried = Place(root, recording), [], 0
    lines = list(command_lines.all_lines())
    for _ in range(EDITS):
        edited = place.edited(rng)
        for command, line in rng.sample(lines, LINES):
            wrong = place.run(command, line)
            tried += 1
            if wrong:
                bad.append(f"{edited}; ptool {command} {line}: {wrong}")
    tap.ok(not bad, f"{recording}: {tried} commands", *bad)


def main():
    tap = storetap.Tap()
    rng = random.Random(int(os.environ.get("SEED", 1)))
    for recording in RECORDINGS if EDITS else []:
        with tempfile.TemporaryDirectory(prefix="ptool-edits.") as root:
            os.environ["PTOOL_CACHE"] = os.path.join(root, "cache")
            check(tap, rng, recording, root)
    tap.done()


main()
