#!/usr/bin/env python3
"""The store is the same to the byte when its records lie in files, and memory is
what --memory-limit says.  timeout: 400 s

Traces as the bench generates them, of one shape a million events, which without a limit
take more memory than the limit allows; of the others as many as lie in files
at a limit of 4 MiB; and one made here of what needs much memory besides records:
ids far apart, args, slices that are all open at once, flows, counters, steps, memory
events.  Of those the memory is not looked at: pages that are read in no order come
faster than a busy machine takes them away.
"""
import hashlib
import os
import random
import signal
import subprocess
import tempfile
import time

from storetap import PTOOL, Tap

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench")
LIMIT, SMALL_LIMIT = 16, 4  # MiB
REST_MIB = 36       # for all that is no record
PROMISED_MIB = 64   # ... at most: ptool-ingest(1)
DISTINCT = 400_000
IS_CHECKED = bool(os.environ.get("SAN") or os.environ.get("VALGRIND"))
EVENTS = 100_000
MANY_EVENTS = 1_000_000
ODD_EVENTS = 60_000
ROWS, SMALL_ROWS, SAMPLES = 1_500_000, 100_000, 2000
EVENT_BYTES = {"gpu": 250, "cpu": 370, "stack": 230, "tracks": 220, "shuffled": 250}
LARGE = () if IS_CHECKED else ("gpu",)


def make_gen(folder):
    gen = os.path.join(folder, "gen")
    sources = [os.path.join(BENCH, name) for name in ("gen.c", "gen_steps.c", "gen_text.c")]
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-D_XOPEN_SOURCE=700", "-o", gen, *sources], check=True)
    return gen


def odd_events(dice):
    """Events of the kinds that the generator has few of, in no order."""
    for i in range(ODD_EVENTS // 10):
        ts, correlation = i * 40, dice.getrandbits(62)
        common = f'"pid": 1, "tid": {i % 7}'
        yield (f'{{"ph": "X", "cat": "cpu_op", "name": "aten::op{i % 90}", {common}, "ts": {ts}.{i % 1000:03}, "dur": 30, '
               f'"args": {{"External id": {correlation ^ 1}, "Sequence number": {i}}}}}')
        yield (f'{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", {common}, "ts": {ts + 3}, "dur": 4, '
               f'"args": {{"External id": {correlation ^ 1}, "correlation": {correlation}}}}}')
        yield (f'{{"ph": "X", "cat": "kernel", "name": "kernel{i % 50}", "pid": 0, "tid": {i % 3}, "ts": {ts + 9}, "dur": 20, '
               f'"args": {{"device": 0, "stream": {i % 3}, "correlation": {correlation}, "External id": {correlation ^ 1}}}}}')
        yield f'{{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": {correlation}, {common}, "ts": {ts + 3}}}'
        yield f'{{"ph": "f", "cat": "ac2g", "name": "ac2g", "id": {correlation}, "pid": 0, "tid": {i % 3}, "ts": {ts + 9}, "bp": "e"}}'
        yield f'{{"ph": "C", "name": "memory", "pid": 1, "ts": {ts}, "args": {{"used": {i}}}}}'
        yield (f'{{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", {common}, "ts": {ts + 1}, "s": "t", '
               f'"args": {{"Bytes": {i - 5000}, "Addr": {i}, "Device Type": {i % 2}, "Device Id": 0}}}}')
        yield f'{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{i // 50}", "pid": 1, "tid": 0, "ts": {ts}, "dur": 39}}'
        yield f'{{"ph": "B", "cat": "x", "name": "open", "pid": 2, "tid": 2, "ts": {ts}}}'
        yield f'{{"ph": "X", "cat": "x", "name": "nested {i}", "pid": 3, "tid": 3, "ts": {ts}, "dur": {80 * ODD_EVENTS - 2 * ts}}}'


def write_odd(path):
    with open(path, "w", encoding="ascii") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')
        for event in odd_events(random.Random(1)):
            out.write(event + ",\n")
        out.write("{}]}\n")


class Ingest:
    """A store being made; peak resident size in MiB behind its end."""

    def __init__(self, store, *arguments, **options):
        self.program = subprocess.Popen([PTOOL, "ingest", "-q", "-o", store, *arguments], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.store = store
        self.said = self.peak_mib = self.status = None

    def spilled(self):
        """Does it have files without a name?"""
        folder = f"/proc/{self.program.pid}/fd"
        try:
            links = [os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)]
        except FileNotFoundError:
            return False
        return any(link.startswith(os.path.dirname(self.store)) and link.endswith(" (deleted)") for link in links)

    def wait(self):
        self.said = self.program.stderr.read()
        _, status, usage = os.wait4(self.program.pid, 0)
        self.status = self.program.returncode = os.waitstatus_to_exitcode(status)
        self.program.stderr.close()
        self.peak_mib = usage.ru_maxrss / 1024
        return self


def digest(path):
    """Read in pieces: a child's peak is never below what its parent's was."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_shape(tap, folder, name, trace, limit, options=(), rest=REST_MIB):
    """With another limit than 4 MiB the memory is looked at."""
    store = os.path.join(folder, "store.db")
    begun = Ingest(store, *options, trace).wait()
    tap.ok(begun.status == 0, f"{name}: without a limit", begun.said)
    expected = digest(store)
    os.remove(store)
    allowed = limit + rest
    if limit > SMALL_LIMIT:
        tap.ok(begun.peak_mib > allowed, f"{name}: without a limit it is more than with one", f"{begun.peak_mib:.1f} MiB")
    for threads in (1, 2):
        run = Ingest(store, *options, "--memory-limit", f"{limit}M", "-j", str(threads), trace).wait()
        what = f"{name}: {limit} MiB, {threads} threads"
        tap.ok(run.status == 0 and digest(store) == expected and os.listdir(folder) == ["store.db"],
               f"{what}: the same store", run.said)
        os.remove(store)
        if limit > SMALL_LIMIT:
            tap.ok(run.peak_mib <= allowed, f"{what}: memory", f"{run.peak_mib:.1f} MiB, allowed are {allowed}")


def check_distinct(tap, folder, trace):
    """What is distinct lies in files as well: shapes, their texts and their groups."""
    with open(trace, "w", encoding="ascii") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')
        for i in range(DISTINCT):
            out.write(f'{{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": {10 * i}, "dur": 8, '
                      f'"args": {{"Input Dims": [[{i}, 4], [4]]}}}},\n')
        out.write("{}]}\n")
    store = os.path.join(folder, "store.db")
    run = Ingest(store, "--memory-limit", f"{SMALL_LIMIT}M", "-j1", trace).wait()
    tap.ok(run.status == 0 and run.peak_mib <= SMALL_LIMIT + PROMISED_MIB, f"{DISTINCT} shapes: memory",
           f"{run.peak_mib:.1f} MiB, allowed are {SMALL_LIMIT + PROMISED_MIB}", run.said)
    os.remove(store)


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def number_field(field, number):
    return varint(field << 3) + varint(number)


def bytes_field(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def write_pprof(path, rows, is_shuffled):
    """Few samples; of the tables most is only read.  In pieces, as digest() reads."""
    ids = list(range(1, rows + 1)) if is_shuffled else range(1, rows + 1)
    if is_shuffled:
        random.Random(1).shuffle(ids)
    with open(path, "wb") as out:
        out.write(bytes_field(1, number_field(1, 1) + number_field(2, 2)))
        for i in range(1, 20 * SAMPLES, 20):
            out.write(bytes_field(2, bytes_field(1, b"".join(varint(i + k) for k in range(20))) + number_field(2, 1)))
        for i in ids:
            out.write(bytes_field(4, number_field(1, i) + bytes_field(4, number_field(1, rows + 1 - i) + number_field(2, i % 100))))
        for i in ids:
            out.write(bytes_field(5, number_field(1, i) + number_field(2, 3 + i % 90)))
        for text in ["", "samples", "count", *(f"function {i}" for i in range(90))]:
            out.write(bytes_field(6, text.encode()))


def write_cpuprofile(path, rows):
    """Nodes whose ids come in no order, each below the one before it, and their samples."""
    ids = list(range(1, rows // 50 + 1))
    random.Random(1).shuffle(ids)
    with open(path, "w", encoding="ascii") as out:
        out.write('{"nodes": [\n')
        for i, child in zip(ids, [*ids[1:], None]):
            out.write(f'{{"id": {i}, "callFrame": {{"functionName": "f{i % 90}", "url": "a.js", "lineNumber": {i % 9}}}, '
                      f'"children": {[child] if child else []}}}{"," if child else ""}\n')
        out.write('], "startTime": 0, "samples": [')
        out.writelines(f"{',' if i else ''}{ids[i // 100 % len(ids)]}" for i in range(rows))
        out.write('], "timeDeltas": [')
        out.writelines(f"{',' if i else ''}{5 - i % 7}" for i in range(rows))
        out.write("]}")


def write_collapsed(path, rows):
    """Each stack once, of names that many have."""
    with open(path, "w", encoding="ascii") as out:
        for i in range(rows // 30):
            out.write(f"main;{';'.join(f'some_function_{k + i % 7}' for k in range(100))};{i % 3000};{i // 3000} 1\n")


def check_tables(tap, folder, path):
    """Readers that hold tables of what their file says, in it and between its parts."""
    rows = SMALL_ROWS if IS_CHECKED else ROWS
    limit = SMALL_LIMIT if IS_CHECKED else LIMIT
    write_pprof(path, rows, False)
    check_shape(tap, folder, "pprof, in order", path, limit, rest=PROMISED_MIB)
    write_pprof(path, SMALL_ROWS, True)
    check_shape(tap, folder, "pprof, in no order", path, SMALL_LIMIT)
    write_cpuprofile(path, 3 * rows)
    check_shape(tap, folder, "cpuprofile", path, limit, rest=PROMISED_MIB)
    write_collapsed(path, rows)
    check_shape(tap, folder, "collapsed", path, limit, rest=PROMISED_MIB)


def check_interrupt(tap, folder, trace):
    """Stopped when there are files without a name: none gets one, nothing is left."""
    store = os.path.join(folder, "store.db")
    run = Ingest(store, "--memory-limit", "1M", trace)
    seen = False
    while run.program.poll() is None and not seen:
        seen = run.spilled()
        time.sleep(0.001)
    tap.ok(seen, "records lie in files without a name")
    if seen:
        run.program.send_signal(signal.SIGINT)
        run.wait()
    tap.ok(run.status == 130 and os.listdir(folder) == [], "Ctrl-C leaves nothing", run.status, run.said)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ptool-spill.") as root:
        gen, trace, folder = make_gen(root), os.path.join(root, "trace.json"), os.path.join(root, "stores")
        os.mkdir(folder)
        for shape, size in EVENT_BYTES.items():
            is_large = shape in LARGE
            with open(trace, "wb") as out:
                subprocess.run([gen, shape, str((MANY_EVENTS if is_large else EVENTS) * size)], stdout=out, check=True)
            check_shape(tap, folder, shape, trace, LIMIT if is_large else SMALL_LIMIT)
        if IS_CHECKED:
            tap.skip("memory", "the checks take memory themselves")
        else:
            check_distinct(tap, folder, trace)
        check_tables(tap, folder, os.path.join(root, "profile"))
        write_odd(trace)
        check_shape(tap, folder, "odd, with args", trace, SMALL_LIMIT, ("--keep", "args"))
        check_interrupt(tap, folder, trace)
    tap.done()


main()
