#!/usr/bin/env python3
"""A folder of stores is read the same, to the byte, whatever the threads.  timeout: 120 s, runs under TSAN

Stores that are damaged in several ways lie between the others, so that reading begins anew
while threads are ahead.
"""
import os
import subprocess
import sys
import tempfile

from storetap import PTOOL, Tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen"))
import fleet  # noqa: E402

RANKS = 24
CORES = sorted(os.sched_getaffinity(0))


def stores(folder):
    os.makedirs(os.path.join(folder, "stores"))
    for rank, trace in enumerate(fleet.Serving(3, ranks=RANKS, steps=2).save(folder)):
        subprocess.run([PTOOL, "ingest", "-q", "-j1", "--run", "night", "--summaries", "no" if rank % 5 == 0 else "yes",
                        "-o", f"{folder}/stores/{rank:02}.db", trace], check=True)


def damage(folder):
    """Cut short, no database, a table of a stranger, pages that are nonsense."""
    with open(f"{folder}/stores/03.db", "r+b") as file:
        file.truncate(20000)
    with open(f"{folder}/stores/07.db", "wb") as file:
        file.write(b"nothing")
    with open(f"{folder}/stores/12.db", "r+b") as file:
        at = file.read().index(b"CREATE TABLE step ")
        file.seek(at)
        file.write(b"CREATE TABLE stop ")
    with open(f"{folder}/stores/20.db", "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(size // 4)
        file.write(b"\xa5" * (size // 2))


def ask(folder, cores, *line):
    cache = tempfile.mkdtemp(dir=folder)
    made = os.path.join(folder, "made.db")
    done = subprocess.run([PTOOL, *line], cwd=folder, capture_output=True, env=dict(os.environ, XDG_CACHE_HOME=cache),
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    store = b""
    if os.path.exists(made):
        with open(made, "rb") as file:
            store = file.read()
        os.unlink(made)
    return done.returncode, done.stdout, done.stderr, store


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ptool-merge.") as folder:
        stores(folder)
        for state in ("whole stores", "some damaged"):
            for line in (["merge", "-o", "made.db", "stores"], ["top", "--by", "shape", "stores"], ["gaps", "stores"],
                         ["diff", "stores", "stores"]):
                one, many = ask(folder, CORES[:1], *line), ask(folder, CORES, *line)
                tap.ok(one == many and (one[1] or one[3]) and (b"stores/20.db: " in one[2]) == (state != "whole stores"),
                       f"{state}: {line[0]} with one thread and with several", one[0], many[0], one[2], many[2])
            if state == "whole stores":
                damage(folder)
    tap.done()


if __name__ == "__main__":
    main()
