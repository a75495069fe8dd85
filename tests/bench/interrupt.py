#!/usr/bin/env python3
"""interrupt.py TRACE [TIMES]: how long after Ctrl-C `ptool ingest` is gone.

Ingests the trace over and over, each time with SIGINT at another moment, from the first
call to the last one, and prints how long the process took to end, the longest with their
moments.  It times, so it is no part of make check, which has tests/robust/check_interrupt.py
for what Ctrl-C leaves behind.  PTOOL=build/ptool tests/bench/interrupt.py trace.json
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

PTOOL = os.environ.get("PTOOL", "build/ptool")
SHOWN = 5


def start(trace, store):
    return subprocess.Popen([PTOOL, "ingest", "-q", "-o", store, trace], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def whole_seconds(trace, store):
    begun = time.monotonic()
    if start(trace, store).wait() != 0:
        sys.exit(f"interrupt.py: cannot ingest {trace}")
    return time.monotonic() - begun


def latency(trace, store, after_s):
    """(seconds from the signal to the end, exit status)"""
    program = start(trace, store)
    time.sleep(after_s)
    begun = time.monotonic()
    program.send_signal(signal.SIGINT)
    status = program.wait()
    return time.monotonic() - begun, status


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: interrupt.py TRACE [TIMES]")
    trace, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 50
    seen = []
    with tempfile.TemporaryDirectory(prefix="ptool-interrupt.", dir=".") as folder:
        store = os.path.join(folder, "ptool.db")
        whole_s = min(whole_seconds(trace, store) for _ in range(2))
        for i in range(times):
            after_s = whole_s * (i + 0.5) / times
            took_s, status = latency(trace, store, after_s)
            if status == 130:
                seen.append((took_s, after_s))
            left = sorted(os.listdir(folder))
            if left != ["ptool.db"]:
                print(f"left over after {after_s:.3f} s: {left}")
    if not seen:
        sys.exit("interrupt.py: every signal came too early or too late")
    seen.sort(reverse=True)
    print(f"{len(seen)} of {times} stopped, whole ingest {whole_s:.2f} s")
    print(f"median {seen[len(seen) // 2][0] * 1e3:.0f} ms, longest {seen[0][0] * 1e3:.0f} ms")
    for took_s, after_s in seen[:SHOWN]:
        print(f"  {took_s * 1e3:7.1f} ms after a signal at {after_s:.3f} s")


main()
