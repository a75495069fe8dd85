#!/usr/bin/env python3
"""check_hostile.py: `ptool advise` of stores that somebody edited ends, with an answer or with one line that says why
there is none.
timeout: 300 s
"""
import os
import random
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import rulecases
from slice_packs import COLUMNS, repack
from storetap import FIXTURES, Tap, Workplace, share

SEED = 8
EDITS = 24  # of each store
EXTREMES = [-(1 << 63), (1 << 63) - 1, -1, 0, 1, 7, 1 << 31, 1 << 62]
TABLES = ["profile", "track", "step", "slice_row", "kernel", "copy", "collective", "allocation", "device", "op_stat",
          "device_wait", "string"]


def numbers_of(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[2] == "INTEGER" and row[1] != "id"]


def edit_packs(db, rng):
    """Bytes of a packed column are cut, made longer, or others; or the row is told to have more slices, or fewer."""
    column = rng.choice(COLUMNS[1:])
    new = {"cut": f"substr({column}, 1, length({column}) / 2)", "longer": f"{column} || x'01'", "none": "NULL", "zeros": "zeroblob(9)",
           "ends": f"substr({column}, 2) || x'ff'", "large": f"x'ffffffffffffffffff01' || substr({column}, 11)"}
    way = rng.choice(sorted(new))
    statement = f"UPDATE slice_pack SET {column} = CAST({new[way]} AS BLOB) WHERE id % {rng.randint(1, 3)} = 0"
    if column == "slices":
        statement = f"UPDATE slice_pack SET slices = {rng.choice(EXTREMES)}"
    try:
        db.execute(statement)
    except sqlite3.IntegrityError:
        pass
    return statement


def edit(path, rng):
    """A few cells, or a whole column, of some table; what was done."""
    db = sqlite3.connect(path)
    done = []
    for _ in range(rng.randint(1, 3)):
        if rng.randrange(8) == 0:
            done.append(edit_packs(db, rng))
            continue
        table = rng.choice([t for t in TABLES if numbers_of(db, t)])
        column, value = rng.choice(numbers_of(db, table)), rng.choice(EXTREMES)
        where = rng.choice(["1", "rowid % 3 = 0", "rowid = (SELECT max(rowid) FROM %s)" % table])
        statement = f"UPDATE {table} SET {column} = {value} WHERE {where}"
        try:
            db.execute(statement)
            done.append(statement)
            if table == "slice_row":
                repack(db)
        except sqlite3.IntegrityError:
            pass
    db.commit()
    db.close()
    return "; ".join(done)


def is_told(done):
    if done.returncode in (0, 3):
        return done.returncode == 0 or done.stderr.count("\n") == 1
    return done.returncode in (4, 5) and done.stderr.startswith("ptool: advise: ") and done.stderr.count("\n") == 1


def sources(work):
    for name in ("sync", "memory", "copies", "two_devices"):
        yield name, [os.path.join(FIXTURES, "gpu", f"{name}.json")]
    yield "ranks", [os.path.join(FIXTURES, "gpu", f"collectives_rank{i}.json") for i in range(2)]
    for rule in ("warm-up", "memory-growth", "allocator-churn"):
        yield rule, [trace.save(work.path(f"{rule}.json")) for trace in rulecases.CASES[rule][0]]


def main():
    tap = Tap()
    rng, edits = random.Random(SEED), share(range(EDITS), 3)
    with Workplace() as work:
        for name, files in sources(work):
            sound = work.ingest(*files)
            bad = []
            for _ in edits:
                edited = work.path("edited.db")
                shutil.copy(sound, edited)
                what = edit(edited, rng)
                for options in ((), ("--format", "json"), ("--evidence",)):
                    done = work.ptool("advise", edited, *options, check=False)
                    if not is_told(done):
                        bad.append(f"{what}: exit {done.returncode}: {done.stderr[-300:]}")
            tap.ok(not bad, f"{name}: {len(edits)} edited stores", *bad)
    tap.done()


main()
