#!/usr/bin/env python3
"""Every kind of structure that a trace can have (tests/bench/structures.py), stretched to
seven days at either end of the times that a trace can have, with sizes and counts near 2^62,
and every command in some of its modes: an answer or a line, no overflow.  timeout: 400 s

The lines tried are always the same.  LINES=N in the environment: N of each, SEED=N: others.
Speaks TAP.
"""
import json
import os
import random
import tempfile

import every_command
import storetap

import structures  # of tests/bench, which every_command made known

LINES = int(os.environ.get("LINES", 0 if os.environ.get("VALGRIND") else 1 if os.environ.get("SAN") else 2))
ROWS = 7
WEEK_US = 7 * 86400 * 1_000_000  # what lies farther apart is set apart
FAR_US = 4_600_000_000_000_000  # in nanoseconds just below 2^62
LARGE = 2 ** 62 + 3
OPTIONS = ([], ["--summaries", "yes"], ["--summary-only"], ["--keep", "args"])
# Where the first event begins.
STARTS_US = {"from -2^62": -FAR_US, "around 0": -WEEK_US // 2, "to 2^62": FAR_US - WEEK_US}
COUNTED = ("bytes", "size", "nelems", "total", "flops")


def stretched(events, first_us):
    """The events, a week from there."""
    timed = [event for event in events if isinstance(event.get("ts"), (int, float))]
    least = min(event["ts"] for event in timed)
    times = WEEK_US / (max(event["ts"] + event.get("dur", 0) for event in timed) - least or 1)
    for event in timed:
        event["ts"] = int((event["ts"] - least) * times) + first_us
        if "dur" in event:
            event["dur"] = int(event["dur"] * times)
    for event in events:
        args = event.get("args", {})
        for key, value in args.items():
            if isinstance(value, int) and value and any(word in key.lower() for word in COUNTED):
                args[key] = LARGE if value > 0 else -LARGE
    return events


def check(tap, rng, name, root):
    store, trace = os.path.join(root, "store"), os.path.join(root, "trace.json")
    place, bad, tried = every_command.Place(root, store, trace), [], 0
    for start, first_us in STARTS_US.items():
        with open(trace, "w", encoding="utf-8") as out:
            events = json.loads(json.dumps(list(structures.STRUCTURES[name](ROWS))))
            json.dump({"schemaVersion": 1, "traceEvents": stretched(events, first_us)}, out)
        if os.path.exists(store):
            os.unlink(store)
        options = rng.choice(OPTIONS)
        wrong = every_command.wrong_of(["ingest", "-q", *options, "-o", store, trace])
        lines = rng.sample(every_command.LINES, LINES) if os.path.exists(store) else []
        bad += [f"{start}; ingest {options}: {wrong}"] if wrong else []
        for command, line in lines:
            wrong = place.wrong_of(command, line)
            tried += 1
            bad += [f"{start}; {options}; ptool {command} {line}: {wrong}"] if wrong else []
    tap.ok(tried and not bad, f"{name}: {tried} commands", *bad)


def main():
    tap = storetap.Tap()
    rng = random.Random(int(os.environ.get("SEED", 1)))
    for name in structures.STRUCTURES if LINES else []:
        with tempfile.TemporaryDirectory(prefix="ptool-large.") as root:
            os.environ["PTOOL_CACHE"] = os.path.join(root, "cache")
            check(tap, rng, name, root)
    tap.done()


main()
