#!/usr/bin/env python3
"""check_filters.py: what one command names, the filters of all take: every stream that
`streams` lists, and every category and class that `list` shows, in any capitals, over the
fixtures of tests/fixtures/gpu and the recordings that lie beside some checkouts.   timeout: 600 s
"""
import contextlib
import csv
import glob
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import FIXTURES, SHARED, Tap, Workplace, rows


MOST_BYTES = 400_000 if os.environ.get("SAN") else 10_000_000  # compressed, of a recording


def table(place, *words):
    done = place.ptool(*words, "--format", "csv", check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout))) if done.returncode == 0 else []


def rows_of(place, command, store, option, value):
    return table(place, command, store, "--limit", "1", option, value)


def check_streams(tap, place, store, name):
    kernels = {row["stream"]: 0 for row in table(place, "streams", store) if row["stream"].isdigit()}
    for row in table(place, "streams", store):
        if row["stream"] in kernels:
            kernels[row["stream"]] += int(row["kernels"])
    split = {row["stream"] for row in table(place, "top", store, "--by", "stream", "--limit", "0")}
    blamed = {row["stream"] for row in table(place, "gaps", store, "--by", "stream")}
    for place_of, (stream, n) in enumerate(kernels.items()):
        commands = ["list", "top"] + ["kernels"] * (n > 0)
        commands += ["gaps"] * (stream in blamed)
        if place_of > 3 and not os.environ.get("LONG"):  # the others by one command each
            commands = [commands[place_of % len(commands)]]
        for command in commands:
            tap.ok(rows_of(place, command, store, "--stream", stream),
                   f"{name}: {command} --stream {stream}")
        tap.ok(stream in split, f"{name}: top --by stream has {stream}")


def spellings(word):
    """As it is, or in capitals: which, the word itself decides, so that both are tried in each recording."""
    every = (word, word.upper(), word.capitalize())
    return every if os.environ.get("LONG") else every[len(word) % 3:][:1]


def check_categories(tap, place, store, name):
    with contextlib.closing(place.open(store)) as db:
        seen = rows(db, "SELECT category, class, count(*) FROM slice GROUP BY 1, 2")
        numbers = {str(r[0]) for r in rows(db, "SELECT tid FROM track WHERE kind = 'stream' AND slices > 0")}
    listed = {row["stream"] for row in table(place, "streams", store)}
    tap.same(sorted(numbers), sorted(listed), f"{name}: list calls streams as streams does")
    for word in sorted({w for row in seen for w in row[:2] if w and "," not in w}):
        for spelt in spellings(word):
            tap.ok(rows_of(place, "list", store, "--cat", spelt), f"{name}: list --cat {spelt}")
    for word in {c for c, kind, _ in seen if kind in ("op", "kernel") and c}:
        tap.ok(rows_of(place, "top", store, "--cat", word.swapcase()),
               f"{name}: top --cat {word.swapcase()}")


def main():
    tap = Tap()
    paths = [path for path in sorted(glob.glob(os.path.join(FIXTURES, "gpu", "*.json")))
             if not path.endswith(".truth.json")]
    shared = sorted(glob.glob(os.path.join(SHARED, "data", "gpu", "*.json.gz")) +
                    glob.glob(os.path.join(SHARED, "data", "cases", "*.json.gz")))
    if not shared:
        tap.skip("real recordings", "no shared/data beside this checkout")
    for path in paths + [path for path in shared if os.path.getsize(path) <= MOST_BYTES]:
        name = os.path.basename(path).split(".json")[0]
        with Workplace() as place:
            store = place.ingest(path)
            check_streams(tap, place, store, name)
            check_categories(tap, place, store, name)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
