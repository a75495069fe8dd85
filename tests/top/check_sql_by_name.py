#!/usr/bin/env python3
"""check_sql_by_name.py: `ptool sql` gives slices by name from numbers that it sorts itself
(src/query/slices/slices_by_name.h): the same answers as from the store's view, only where that
helps, and not to a store that asks for it."""
import json
import os
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import Tap, Workplace, value

NAMES = ["aten::mm", "aten::mm_", "aten", "Ünder", "z" * 300, "a b", "ᐃ", "0"]
SUMS = "SELECT name, count(*), sum(dur), min(ts), max(id), sum(self_ns) FROM {} "
BY_NUMBERS = [
    SUMS + "GROUP BY name",
    SUMS + "WHERE dur > 3000 AND depth < 1 GROUP BY name ORDER BY count(*) DESC, name",
    SUMS + "GROUP BY name HAVING count(*) > 20000 LIMIT 2",
    "SELECT DISTINCT name FROM {} ORDER BY name",
    "SELECT name FROM {} ORDER BY name LIMIT 5 OFFSET 60000",
    "SELECT name, count(DISTINCT track_id) FROM {} GROUP BY name",
    "WITH n AS (SELECT name, sum(dur) d FROM {} GROUP BY name) SELECT sum(d), max(name) FROM n",
]
BY_VIEW = [
    "SELECT s.name, count(*) FROM {} s JOIN track t ON t.id = s.track_id WHERE t.tid > 0 GROUP BY s.name",
    "SELECT name, class, sum(dur) FROM {} GROUP BY name, class",
    "SELECT name, count(*), max(category) FROM {} GROUP BY name",
    "SELECT name, count(correlation) FROM {} GROUP BY name",
    "SELECT name, max(dur) FROM {} GROUP BY name ORDER BY name DESC",
    "SELECT name, count(*) FROM {} WHERE depth = 0 GROUP BY name",
    "SELECT name, id FROM {} WHERE name = 'aten' ORDER BY name, id LIMIT 9",
    "SELECT a.name, count(*) FROM {} a JOIN slice b ON b.id = a.parent_id GROUP BY a.name",
    "SELECT * FROM {} ORDER BY id LIMIT 3",
    "SELECT upper(name) u, sum(dur) FROM {} GROUP BY u",
    "SELECT name COLLATE NOCASE, count(*) FROM {} GROUP BY name COLLATE NOCASE",
]


def trace(n):
    return json.dumps([{"ph": "X", "name": NAMES[i * i % 13 % len(NAMES)], "cat": "cpu_op", "pid": 1,
                        "tid": 1 + i % 3, "ts": i * 7, "dur": i % 5} for i in range(n)])


def ingest(place, name, n):
    with open(place.path(name + ".json"), "w", encoding="utf-8") as file:
        file.write(trace(n))
    place.ptool("ingest", "-q", "-o", place.path(name), place.path(name + ".json"))
    return place.path(name)


def ask(place, store, query, *options):
    done = place.ptool("sql", store, query, "--format", "tsv", *options, check=False)
    return done.returncode, done.stdout.partition("\n")[2], done.stderr


def is_sorted_here(place, store, query, *options):
    return "VIRTUAL TABLE" in ask(place, store, "EXPLAIN QUERY PLAN " + query, *options)[1]


def check_plans(tap, place, store):
    for queries, wanted in ((BY_NUMBERS, True), (BY_VIEW, False)):
        for query in queries:
            tap.same(ask(place, store, query.format("slice")), ask(place, store, query.format("main.slice")), query)
            tap.ok(is_sorted_here(place, store, query.format("slice")) == wanted,
                   f"{query}: {'from numbers' if wanted else 'from the view'}")
    both = (BY_NUMBERS[0].format("slice"), BY_VIEW[0].format("slice"))
    tap.ok(not is_sorted_here(place, store, "; EXPLAIN QUERY PLAN ".join(both)), "two statements share the view")


def check_limits(tap, place, store, small):
    query = ("SELECT name, sum(id), sum(ts), sum(dur), sum(track_id), sum(depth), sum(self_ns)"
             " FROM slice GROUP BY name")
    tap.ok(is_sorted_here(place, store, query), "each column that every slice has")
    tap.ok(not is_sorted_here(place, small, query), "a few slices: the view")
    tap.ok(not is_sorted_here(place, store, query, "--memory-limit", "8M"), "little memory: the view")
    tap.same(ask(place, store, query, "--memory-limit", "8M"), ask(place, store, query), "little memory: the same")
    status, _, stderr = ask(place, store, "SELECT nowhere FROM slice ORDER BY name")
    tap.same((status, stderr), (2, "ptool: sql: byte 7: no such column: nowhere\n"), "a mistake is the query's")
    status, _, stderr = ask(place, store, "CREATE VIRTUAL TABLE temp.x USING slices_by_name")
    tap.same((status, stderr), (2, "ptool: sql: CREATE VIRTUAL TABLE x is not allowed in a query\n"),
             "a query makes none of its own")


def check_hostile(tap, place, store):
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0,"
                   " 'CREATE VIRTUAL TABLE x USING slices_by_name')")
    status, stdout, _ = ask(place, store, "SELECT name FROM x ORDER BY name")
    tap.ok(status != 0 and not stdout, "a store's own table of it has no rows")


def check_far_ids(tap, place, store):
    """Ids of an edited store: arrays with a place for each would take gigabytes."""
    for what, edit in (("a string", "UPDATE string SET id = {} WHERE id = (SELECT max(id) FROM string)"),
                       ("a slice", "UPDATE slice_row SET id = {} WHERE id = (SELECT max(id) FROM slice_row)")):
        for number in (300000, 500000000, 2**31 - 2, 2**62):
            far = place.path("far.db")
            shutil.copyfile(store, far)
            with sqlite3.connect(far) as db:
                db.execute("PRAGMA foreign_keys = OFF")
                db.execute(edit.format(number))
            tap.same(ask(place, far, BY_NUMBERS[0].format("slice")), ask(place, far, BY_NUMBERS[0].format("main.slice")),
                     f"{what} of id {number}: the same")
            tap.ok(not is_sorted_here(place, far, BY_NUMBERS[0].format("slice")), f"{what} of id {number}: the view")


def check_damage(tap, place, store):
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE slice_row SET name_id = 1000000 WHERE id = 77")
    status, stdout, stderr = ask(place, store, BY_NUMBERS[0].format("slice"))
    tap.ok(status == 4 and not stdout, "a slice without a name: the store is damaged", status, stderr)


def main():
    tap = Tap()
    with Workplace() as place:
        store = ingest(place, "large.db", 80000)
        with sqlite3.connect(store) as db:
            tap.same(value(db, "SELECT count(*) FROM slice"), 80000, "slices are there")
        check_plans(tap, place, store)
        check_limits(tap, place, store, ingest(place, "small.db", 500))
        check_far_ids(tap, place, ingest(place, "near.db", 12000))
        check_damage(tap, place, store)
        check_hostile(tap, place, ingest(place, "hostile.db", 12000))
    tap.done()


main()
