#!/usr/bin/env python3
"""ptool with several threads: what they race for ThreadSanitizer sees.  Runs under TSAN.

Fixtures and a generated trace, by any number of threads and in small blocks, the thread that
sums up beside the one that writes rows, and an interrupt while blocks are read ahead.
timeout: 300 s
"""
import json
import os
import random
import signal
import subprocess
import time

from storetap import FIXTURES, INTERRUPTED_ENV, PTOOL, Tap, Workplace, fixtures

TOOL = os.path.join(os.path.dirname(PTOOL), "tools", "read_blocks")
PASSES = os.path.join(os.path.dirname(PTOOL), "tools", "page_rows")
EVENTS = 6000  # of the generated trace
JOBS = (2, 5, 16)
INTERRUPTS = 6


def trace(count, dice, memory=True):
    """Operators that launch kernels, with memory and arrows, on several threads, now and then out of order.

    Without memory they lie within steps and within each other, and have shapes.
    """
    for i in range(count // 4):
        place = {"pid": 1, "tid": i % 5, "ts": 10 * (i - i % 7 * 50 * (i % 90 == 0))}
        arrow = {"cat": "ac2g", "name": "ac2g", "id": i * 2654435761 % 2**32}
        yield {"ph": "X", "name": f"aten::op{i % 40}", "cat": "cpu_op", "dur": 9, "args": {"External id": i}, **place}
        yield {"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime", "dur": 3,
               "args": {"correlation": i, "External id": i}, **place}
        yield {"ph": "X", "name": f"kernel {dice.randrange(90)}", "cat": "kernel", "pid": 0, "tid": 7, "ts": 10 * i + 2,
               "dur": 5, "args": {"correlation": i, "stream": 7, "device": 0, f"key {i % 700}": "},{"}}
        yield {"ph": "s", **arrow, **place}
        yield {"ph": "f", "bp": "e", **arrow, "pid": 0, "tid": 7, "ts": 10 * i + 2}
        if not memory:
            for name, dur in ((f"ProfilerStep#{i // 10}", 100), ("outer", 25))[i % 10 > 0:]:
                yield {"ph": "X", "name": name, "cat": "user_annotation" if dur == 100 else "cpu_op", "dur": dur,
                       "args": {"External id": -i, "Input Dims": [[i % 3, dur]]}, **place}
            continue
        yield {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "s": "t",
               "args": {"Bytes": 512, "Device Type": 0, "Device Id": -1}, **place}


def dump(work, store):
    with work.open(store) as db:
        return [line for line in db.iterdump() if not line.startswith('INSERT INTO "run"')]


def ingests_alike(tap, work, name, files):
    expected = dump(work, work.ingest(*files, options=("-j", "1")))
    for jobs in JOBS:
        tap.ok(dump(work, work.ingest(*files, options=("-j", str(jobs)))) == expected, f"{name}: -j {jobs}")


def reads_blocks(tap, work, name, files):
    """Far more blocks than threads, far more threads than cores."""
    dumps = []
    for threads, size in ((0, 0), (15, 64), (7, 3000)):
        store = work.path("blocks.db")
        done = subprocess.run([TOOL, str(threads), str(size), store, *files], capture_output=True, check=False)
        dumps.append(dump(work, store) if done.returncode == 0 else None)
        tap.ok(dumps[-1] and dumps[-1] == dumps[0], f"{name}: {threads} threads more, blocks of {size} bytes",
               done.stderr.decode(errors="replace")[-600:])
        if os.path.exists(store):
            os.remove(store)


def shares_passes(tap, work, name, files):
    """However few rows there are, threads share out each pass over them (page_rows.c)."""
    dumps = []
    for rows in ("1", "0"):
        store = work.path(f"shared {rows}.db")
        subprocess.run([PASSES, rows, store, "run", *files], capture_output=True, check=False)
        dumps.append(dump(work, store))
        os.remove(store)
    tap.ok(dumps[0] == dumps[1], f"{name}: passes shared out")


def interrupts(tap, work, path):
    """The signal comes at any time: the program ends with 130, or was through."""
    started = time.monotonic()
    work.ingest(path, options=("-j", "4"))
    whole_s = time.monotonic() - started
    store = work.path("interrupted.db")
    ends = []
    for i in range(INTERRUPTS):
        with subprocess.Popen([PTOOL, "ingest", "-q", "-j", "4", "-o", store, path], stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, env=INTERRUPTED_ENV) as program:
            time.sleep(whole_s * (i + 1) / (INTERRUPTS + 1))
            program.send_signal(signal.SIGINT)
            program.communicate()
        ends.append(program.returncode)
        if os.path.exists(store):
            os.remove(store)
    tap.ok(all(end in (0, 130, -signal.SIGINT) for end in ends) and 130 in ends, "interrupted while blocks are read", ends)


def sides_of_a_diff(tap, work, path):
    """Both are read at once; what is told is the same again."""
    stores = [work.ingest(path, store=name) for name in ("before.db", "after.db")]
    told = [subprocess.run([PTOOL, "diff", *stores], capture_output=True, check=False) for _ in range(3)]
    tap.ok(all(done.returncode == 0 and done.stdout == told[0].stdout for done in told), "a diff reads its sides at once",
           told[0].stderr.decode(errors="replace")[-600:])


def main():
    tap = Tap()
    small = [path for _, path in fixtures() if os.path.getsize(path) < 200000]
    chrome = os.path.join(FIXTURES, "chrome")
    small += sorted(os.path.join(chrome, name) for name in os.listdir(chrome) if name.endswith(".json.gz"))
    with Workplace() as work:
        made = work.path("made.json")
        nested = work.path("nested.json")
        for path in (made, nested):
            with open(path, "w", encoding="utf-8") as out:
                events = list(trace(EVENTS, random.Random(4), path == made))
                json.dump({"schemaVersion": 1, "traceEvents": events}, out)
        ingests_alike(tap, work, "fixtures", small)
        ingests_alike(tap, work, "a generated trace", [made])
        shares_passes(tap, work, "fixtures", small)
        shares_passes(tap, work, "a generated trace", [made])
        shares_passes(tap, work, "calls within each other", [nested])
        reads_blocks(tap, work, "a generated trace", [made])
        flawed = work.path("flawed.json")
        with open(flawed, "w", encoding="utf-8") as out:
            out.write("[" + ",,\n".join(map(json.dumps, events[:400])) + "]")
        reads_blocks(tap, work, "excerpts across blocks", [flawed])
        sides_of_a_diff(tap, work, made)
        interrupts(tap, work, made)
    tap.done()


main()
