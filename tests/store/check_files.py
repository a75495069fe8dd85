#!/usr/bin/env python3
"""Many files are one store, to the byte, whatever the threads.  timeout: 300 s, runs under TSAN

Ranks, folders of everything, operands given twice, refusals with and without --strict,
archives and standard input between files, a second run in the same store: store, messages
and exit status are those of -j1.  And Ctrl-C leaves the store that was there.
SEED=n: other mixtures than those of seed 1.
"""
import gzip
import io
import json
import os
import random
import signal
import subprocess
import tarfile
import tempfile
import zipfile

from storetap import INTERRUPTED_ENV, PTOOL, Tap

TOOL = os.path.join(os.path.dirname(PTOOL), "tools", "read_blocks")
JOBS = (2, 3, 5, 16)
MIXTURES = 12
SLOW = bool(os.environ.get("SAN") or os.environ.get("TSAN") or os.environ.get("VALGRIND"))


def trace(dice, rank, size=60):
    """Names that all ranks have, and some of their own, each first seen in another place."""
    events = []
    for number in range(size):
        kind = dice.random()
        made = {"ph": "X", "pid": dice.choice([1, "1", "host"]), "tid": dice.choice([1, 2, "s"]), "ts": number * 10,
                "dur": dice.choice([0, 5, 30]), "cat": dice.choice(["cpu_op", "kernel", "user_annotation", f"c{rank % 3}"]),
                "name": dice.choice(["aten::add", "aten::mul.out", f"only {rank}", f"n{dice.randrange(40)}", "_Z3addPf"]),
                "args": {"correlation": number // 2, "External id": number, "Input Dims": [[number % 4, rank]]}}
        if kind < 0.1:
            made = {"ph": "C", "pid": 1, "name": f"count {number % 3}", "ts": number * 10, "args": {f"series {rank}": number}}
        elif kind < 0.2:
            made = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": f"thread {rank}"}}
        elif kind < 0.3:
            made = {"ph": dice.choice("sf"), "id": number // 3, "pid": 1, "tid": 1, "ts": number * 10, "cat": f"flow{rank % 2}",
                    "name": "arrow", "bp": "e"}
        elif kind < 0.35:
            made["dur"] = -1
        elif kind < 0.4:
            made = {"ph": "E", "pid": 1, "tid": 1, "ts": number * 10}
        events.append(made)
    whole = {"schemaVersion": 1, "traceEvents": events, "deviceProperties": [{"id": 0, "name": f"GPU {rank}"}]}
    return json.dumps(whole if dice.random() < 0.7 else events).encode()


def damaged(dice, text):
    at = dice.randrange(len(text))
    return dice.choice([text[:at], text[:at] + b"\0\"" + text[at + 3:], text[:at] + b"]}" + text[at:]])


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def content(dice, rank):
    """A name's end and the bytes: any file that may lie in a folder of traces."""
    text = trace(dice, rank)
    return dice.choice([
        (".json", text), (".json", text), (".json", text), (".json.gz", gzip.compress(text, 1, mtime=0)),
        (".json", damaged(dice, text)), (".json.gz", gzip.compress(text, 1, mtime=0)[:-dice.randrange(1, 60)]),
        (".json", b""), (".txt", b"loss 0.1\n"), (".json", b'{"epochs": [1, 2]}'), (".json", b"[]"),
        (".bin", bytes(dice.randrange(256) for _ in range(100))),
        (".zip", zipped([("a.json", text), ("b.txt", b"text")])), (".zip", zipped([("b.txt", b"text")])),
        (".tar.gz", tar([("c.json", text), ("d.json", damaged(dice, text))])), (".tar.gz", tar([("e", b"text")])[:-9]),
        (f".pt.trace{rank}.json", text)])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def add_oddities(dice, folder, files):
    """What is no file of its own."""
    os.mkfifo(os.path.join(folder, f"{dice.randrange(30)} pipe"))
    os.symlink(files[0], os.path.join(folder, f"{dice.randrange(30)} link"))
    os.symlink("nowhere", os.path.join(folder, f"{dice.randrange(30)} stale"))
    os.symlink("/", os.path.join(folder, f"{dice.randrange(30)} root"))
    os.link(files[1], os.path.join(folder, f"{dice.randrange(30)} hard link"))


def mixture(dice, folder):
    os.mkdir(folder)
    files = []
    for rank in range(dice.randrange(3, 30)):
        end, data = content(dice, rank)
        files.append(os.path.join(folder, f"{rank}{end}"))
        write(files[-1], data)
    below = os.path.join(folder, dice.choice(["0 below", "z"]))
    os.mkdir(below)
    for rank in range(3):
        write(os.path.join(below, f"rank{rank}.json"), trace(dice, rank))
    if dice.random() < 0.7:
        add_oddities(dice, folder, files)
    return files


def run(argv, store, stdin=b""):
    """What a user gets: exit status, messages, the store's bytes."""
    done = subprocess.run(argv, input=stdin, capture_output=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{argv}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    data = b""
    if os.path.exists(store):
        with open(store, "rb") as file:
            data = file.read()
    return done.returncode, done.stderr, data


def ingest(store, before, jobs, argv, stdin):
    """Into a store of those bytes, or a new one."""
    if os.path.exists(store):
        os.remove(store)
    if before:
        write(store, before)
    return run([PTOOL, "ingest", "-o", store, "--run", "it", f"-j{jobs}", *argv], store, stdin)


def check(tap, store, name, argv, before=b"", stdin=b""):
    expected = ingest(store, before, 1, argv, stdin)
    for jobs in JOBS:
        got = ingest(store, before, jobs, argv, stdin)
        tap.ok(got == expected, f"{name}: {jobs} threads", f"exit {expected[0]}, {got[0]}",
               f"{len(expected[2])}, {len(got[2])} bytes", expected[1], got[1])
    return expected


def check_ranks(tap, dice, folder, store):
    ranks = os.path.join(folder, "ranks")
    os.mkdir(ranks)
    files = [os.path.join(ranks, f"rank{rank}.json") for rank in range(64)]
    for rank, path in enumerate(files):
        write(path, trace(dice, rank, dice.choice([3, 60, 600])))
    code, _, data = check(tap, store, "64 ranks", [ranks])
    tap.ok(code == 0 and data, "64 ranks are stored")
    check(tap, store, "64 ranks, as another run of a store", [*files, "--keep", "args"], data)
    check(tap, store, "a folder and files in it", [files[3], ranks, files[5], files[3]])
    write(files[30], b"no trace")
    code, said, data = check(tap, store, "one of 64 refused", files)
    tap.ok(code == 4 and data and said.count(b"no known format") == 1, "the others are stored")
    code, _, data = check(tap, store, "one of 64 refused, --strict", ["--strict", *files])
    tap.ok(code == 4 and not data, "with --strict none is")
    return files


def check_other_run(tap, store, files):
    _, _, first = ingest(store, b"", 1, files[:4], b"")
    write(store, first)
    run([PTOOL, "ingest", "-q", "-o", store, "--run", "other", *files[2:9]], store)
    with open(store, "rb") as file:
        both = file.read()
    check(tap, store, "beside another run that stays", files[5:20], both)


def check_mixtures(tap, dice, folder, store):
    for number in range(MIXTURES // 3 if SLOW else MIXTURES):
        place = os.path.join(folder, f"mixture {number}")
        files = mixture(dice, place)
        named = [*dice.choices(files, k=dice.randrange(1, 12)), "missing.json", "-", place]
        dice.shuffle(named)
        check(tap, store, f"mixture {number}", [place])
        check(tap, store, f"mixture {number}, files of it too", named, stdin=trace(dice, 99))
        check(tap, store, f"mixture {number}, --strict", ["--strict", *named], stdin=trace(dice, 99))


def check_blocks(tap, store, files):
    """Several threads within a file, and several files."""
    def blocks(threads, size):
        if os.path.exists(store):
            os.remove(store)
        return run([TOOL, "-a", str(threads), str(size), store, *files], store)

    expected = blocks(0, 0)
    for threads, size in ((7, 333), (15, 4096), (3, 64)):
        tap.ok(blocks(threads, size) == expected, f"{len(files)} files, {threads} threads more, blocks of {size} bytes")


def interrupt(dice, argv):
    """Interrupted at some moment: the exit status."""
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL, env=INTERRUPTED_ENV) as program:
        try:
            program.wait(dice.random() * 0.3)
        except subprocess.TimeoutExpired:
            program.send_signal(signal.SIGINT)
        return program.wait()


def check_interrupt(tap, dice, folder, store, files):
    many = os.path.join(folder, "many")
    os.mkdir(many)
    big = trace(dice, 0, 20000)
    for number in range(12):
        write(os.path.join(many, f"{number}.json"), big)
    _, _, before = ingest(store, b"", 1, files[:2], b"")
    ends = []
    for _ in range(12):
        write(store, before)
        code = interrupt(dice, [PTOOL, "ingest", "-q", "-o", store, "-j3", many])
        with open(store, "rb") as file:
            is_old = file.read() == before
        left = [name for name in os.listdir(folder) if name.startswith(os.path.basename(store) + ".")]
        # before it listens to signals, one ends it
        ends.append(((code in (130, -signal.SIGINT) and is_old) or (code == 0 and not is_old)) and not left)
    tap.ok(all(ends), "interrupted while files are read ahead, the old store stays", ends)


def main():
    tap = Tap()
    dice = random.Random(os.environ.get("SEED", "1"))
    with tempfile.TemporaryDirectory(prefix="ptool-files.") as folder:
        store = os.path.join(folder, "store.db")
        files = check_ranks(tap, dice, folder, store)
        check_other_run(tap, store, files)
        check_mixtures(tap, dice, folder, store)
        check_blocks(tap, store, files[:3])
        check_blocks(tap, store, files)
        check_interrupt(tap, dice, folder, store, files)
    tap.done()


main()
