#!/usr/bin/env python3
"""Every command in each of its modes (tests/bench/command_lines.py), on stores of recordings of
every kind whose rows a stranger edited: an answer or a line that says what is wrong, in
a minute and 4 GiB, and no byte that could drive a terminal.  timeout: 400 s

The edits are always the same.  EDITS=N in the environment: N stores of each recording, SEED=N:
others; what is wrong is told with its edits.  Speaks TAP.
"""
import os
import random
import shutil
import subprocess
import tempfile

import edits
import every_command
import storetap

EDITS = int(os.environ.get("EDITS", 0 if os.environ.get("VALGRIND") else 1 if os.environ.get("SAN") else 3))
LINES = 4  # of each store
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


def check(tap, rng, recording, root):
    names, _, options = recording.partition(" --")
    files = [os.path.join(storetap.FIXTURES, name) for name in names.split()]
    base, bad, tried = os.path.join(root, "base.db"), [], 0
    subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", base, *(["--" + options.split()[0], *options.split()[1:]] if options else []), *files],
                   check=True, stderr=subprocess.DEVNULL)
    place, columns = every_command.Place(root, base, files[0]), edits.columns_of(base)
    for _ in range(EDITS):
        shutil.copyfile(base, place.store)
        edited = edits.edit(rng, place.store, columns)
        for command, line in rng.sample(every_command.LINES, LINES):
            wrong = place.wrong_of(command, line)
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
