#!/usr/bin/env python3
"""Rows written as pages are those that SQLite writes, in every table of every fixture.  timeout: 300 s

Both roads, in one run and in turns in several runs of one store: equal dumps, no finding of
integrity_check (which looks at NOT NULL, CHECK and STRICT too) and of foreign_key_check.
"""
import glob
import os
import sqlite3
import subprocess

from storetap import FIXTURES, PTOOL, Tap, Workplace

TOOL = os.path.join(os.path.dirname(PTOOL), "tools", "page_rows")
KINDS = (".json", ".json.gz", ".prof", ".pstats", ".pickle", ".txt")
PAGES, SQLITE, BOTH = "1", "0", "40"  # so many rows


def files():
    found = sorted(path for path in glob.glob(os.path.join(FIXTURES, "**", "*"), recursive=True)
                   if path.endswith(KINDS) and ".truth" not in path)
    return found[::1 if os.environ.get("LONG") else 3]


def ingest(rows, store, run, paths):
    """What is refused is refused on both roads."""
    done = subprocess.run([TOOL, rows, store, run, *paths], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4) or not os.path.exists(store):
        raise RuntimeError(done.stderr)
    return done.stderr


def dump(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    lines = list(db.iterdump())
    sound = (db.execute("PRAGMA integrity_check").fetchall(), db.execute("PRAGMA foreign_key_check").fetchall())
    db.close()
    return lines, sound


def first_difference(a, b):
    for one, other in zip(a, b):
        if one != other:
            return f"{one[:200]}\n{other[:200]}"
    return f"{len(a)} and {len(b)} lines" if len(a) != len(b) else ""


def compare(tap, case, by_pages, by_sqlite):
    got, sound = dump(by_pages)
    expected, _ = dump(by_sqlite)
    tap.same(sound, ([("ok",)], []), f"{case}: the file is sound, every id refers to a row")
    tap.same(first_difference(got, expected), "", f"{case}: {len(expected)} lines of the dump are equal")


def main():
    tap = Tap()
    paths = files()
    with Workplace() as place:
        pages, sqlite = place.path("pages.db"), place.path("sqlite.db")
        said = [ingest(PAGES, pages, "all", paths), ingest(SQLITE, sqlite, "all", paths)]
        tap.same(said[0], said[1], "the same files are refused")
        compare(tap, f"{len(paths)} files", pages, sqlite)
        first = place.path("first.db")
        ingest(BOTH, first, "all", paths)
        compare(tap, "small tables through SQLite", first, sqlite)
        turns, plain = place.path("turns.db"), place.path("plain.db")
        for turn, rows in enumerate((PAGES, SQLITE, PAGES, BOTH)):
            part = paths[turn * 10:turn * 10 + 25]
            ingest(rows, turns, f"run {turn}", part)
            ingest(SQLITE, plain, f"run {turn}", part)
        compare(tap, "runs of both in turns", turns, plain)
        for store, rows in ((turns, PAGES), (plain, SQLITE)):
            ingest(rows, store, "run 1", paths[:12])
        compare(tap, "a run replaced, whose pages are free", turns, plain)
    tap.done()


main()
