#!/usr/bin/env python3
"""The store is the same to the byte whatever the threads and blocks.  timeout: 300 s, runs under TSAN

Fixtures, and traces made to mislead: strings, args and nested objects that look
like the boundary of two events, damaged at random places, cut, in gzip.
SEED=n: other traces than those of seed 1.
"""
import glob
import gzip
import json
import os
import random
import subprocess
import tempfile

from storetap import FIXTURES, PTOOL, Tap

TOOL = os.path.join(os.path.dirname(PTOOL), "tools", "read_blocks")
MODES = ((1, 64), (3, 100), (2, 333), (1, 4096), (2, 0))
BATCH = 40      # files of one store
TRACES = 240
NAMES = ["a", "b", 'x},{"ph":"X","name":"y"', 'q, {"ph": "X", "ts": 1', '\\"},\n{"name":"z', "},\n{", '},{"ph":"M"}']


def event(dice, number):
    kind = dice.random()
    if kind < 0.1:
        return {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": f"t{number % 7}"}}
    if kind < 0.2:
        return {"ph": dice.choice("sf"), "id": number // 3, "pid": 1, "tid": 1, "ts": number * 10, "cat": "ac2g",
                "name": "ac2g", "bp": "e"}
    made = {"ph": dice.choice("XXXXBEiC"), "name": dice.choice(NAMES) + str(number % 5), "pid": dice.choice([1, "1", 2]),
            "tid": dice.choice([1, "s", "2"]), "ts": number * 10, "dur": dice.choice([0, 5, 8, -1]),
            "cat": dice.choice(["cpu_op", "kernel", "x", "user_annotation"])}
    if dice.random() < 0.02:
        del made["tid"]
    if dice.random() < 0.5:
        made["args"] = {"list": [{"ph": "X", "name": "inner", "ts": 1, "pid": 1, "tid": 1, "dur": 1}] * dice.randrange(4),
                        "External id": number, "correlation": number // 2, "text": '{"ph":"X"},{"ph":"X","name":"q"}',
                        f"key {dice.randrange(30)}": number}
    return made


def trace(dice):
    events = [event(dice, number) for number in range(dice.randrange(5, 90))]
    separators = dice.choice([(",", ":"), (", ", ": ")])
    text = json.dumps(events, indent=dice.choice([None, 1, 0]), separators=separators)
    if dice.random() < 0.6:
        text = '{"schemaVersion":1,"traceEvents":' + text + ',"baseTimeNanoseconds":5,"distributedInfo":{"rank":3}}'
    return bytearray(text.encode())


INSERTED = [b",,", b'"', b"{", b"}", b"]", b"null,", b',{"ph":"X","name":"n","ts":3,"dur":1}', b"\n", b"\0\0", b"'",
            b",{}", b'],"traceEvents":[', b"INFO: a line of a log\n"]


def damage(dice, text):
    for _ in range(dice.choice([0, 0, 1, 2, 5])):
        at, kind = dice.randrange(len(text)), dice.random()
        if kind < 0.3:
            text[at] = dice.randrange(256)
        elif kind < 0.5:
            del text[at:at + dice.randrange(1, 30)]
        elif kind < 0.8:
            text[at:at] = dice.choice(INSERTED)
        elif kind < 0.85:
            del text[at + 1:]
        if not text:
            text += b"["
    return bytes(text)


def ingest(threads, size, store, files):
    done = subprocess.run([TOOL, str(threads), str(size), store, *files], capture_output=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{TOOL} {threads} {size}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    data = b""
    if os.path.exists(store):
        with open(store, "rb") as file:
            data = file.read()
        os.remove(store)
    return done.returncode, done.stderr, data


def check(tap, folder, name, files):
    store = os.path.join(folder, "store.db")
    expected = ingest(0, 0, store, files)
    for threads, size in MODES:
        tap.ok(ingest(threads, size, store, files) == expected,
               f"{name}: {threads} threads more, blocks of {size or 'the usual'} bytes")


def main():
    tap = Tap()
    fixtures = [path for pattern in ("gpu/*.json", "torch/*/trace.json.gz", "chrome/*.json.gz")
                for path in sorted(glob.glob(os.path.join(FIXTURES, pattern))) if ".truth." not in path]
    dice = random.Random(os.environ.get("SEED", "1"))
    with tempfile.TemporaryDirectory(prefix="ptool-blocks.") as folder:
        for start in range(0, len(fixtures), BATCH):
            check(tap, folder, f"fixtures from {os.path.basename(fixtures[start])}", fixtures[start:start + BATCH])
        for start in range(0, TRACES, BATCH):
            files = []
            for number in range(start, start + BATCH):
                files.append(os.path.join(folder, f"{number}.json"))
                data = damage(dice, trace(dice))
                with open(files[-1], "wb") as file:
                    file.write(gzip.compress(data, 1, mtime=0) if number % 5 == 0 else data)
            check(tap, folder, f"traces from {start}", files)
    tap.done()


main()
