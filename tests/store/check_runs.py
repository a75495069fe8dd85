#!/usr/bin/env python3
"""check_runs.py: stores with several profiles and several runs.

Ids of a run begin behind those of the runs before it, a run is replaced and removed whole, and
what is left is what was there before.
timeout: 300 s
"""
import json
import os

from slice_packs import packs_of
from storetap import FIXTURES, Tap, Workplace, rows, value

NAMES = ("memory", "annotations", "python_stack", "graph", "phases_of_chrome", "collectives_rank0")


def fixture(name):
    return os.path.join(FIXTURES, "gpu", name + ".json")


# What refers to a row of which table; all other columns hold facts.
LINKS = {"profile": {"run_id": "run"}, "process": {"profile_id": "profile"},
         "thread": {"profile_id": "profile", "upid": "process"},
         "track": {"profile_id": "profile", "upid": "process", "utid": "thread", "first_slice_id": "slice_row"},
         "step": {"profile_id": "profile", "slice_id": "slice_row"},
         "slice_row": {"track_id": "track", "parent_id": "slice_row", "step_id": "step", "launch_id": "slice_row",
                       "op_id": "slice_row", "op_detail_id": "op_detail"},
         "counter": {"track_id": "track"}, "flow": {"slice_out": "slice_row", "slice_in": "slice_row"},
         "allocation": {"slice_id": "slice_row", "op_id": "slice_row"}, "slice_args": {"slice_id": "slice_row"},
         "op_stat": {"profile_id": "profile", "step_id": "step"},
         "annotation_stat": {"profile_id": "profile", "step_id": "step"}}
OWN_RANGES = {"first_slice_id": "slice_row", "first_op_detail_id": "op_detail"}
ID = {"process": "upid", "thread": "utid", "slice_args": "slice_id"}


def contents(db, run):
    """A run's rows with its ids counted from 1 and its texts spelt out: equal for equal runs."""
    profiles = [r[0] for r in rows(db, "SELECT p.id FROM profile p JOIN run r ON r.id = p.run_id WHERE r.name = ?", run)]
    texts = dict(rows(db, "SELECT id, text FROM string"))
    marks = ",".join("?" * len(profiles))
    ranges = rows(db, f"SELECT first_slice_id, slices, first_op_detail_id, op_details FROM profile WHERE id IN ({marks})",
                  *profiles)
    slices = {first + i for first, n, _, _ in ranges for i in range(n)}
    details = {first + i for _, _, first, n in ranges for i in range(n)}
    table_rows, first_id = {}, {}
    for (table,) in rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        columns = [r[1] for r in rows(db, f"PRAGMA table_info({table})")]
        mine = [dict(zip(columns, r)) for r in rows(db, f"SELECT * FROM {table} ORDER BY 1")]
        mine = [r for r in mine if belongs(table, r, profiles, slices, details, db)]
        table_rows[table] = mine
        first_id[table] = min((r[ID.get(table, "id")] for r in mine if ID.get(table, "id") in r), default=0)
    text_columns = {(r[0], r[1]) for table in table_rows
                    for r in rows(db, f"SELECT '{table}', \"from\" FROM pragma_foreign_key_list('{table}') "
                                  "WHERE \"table\" = 'string'")}
    return {table: [spelt(table, r, first_id, text_columns, texts) for r in found]
            for table, found in table_rows.items() if table not in ("run", "string", "slice_class", "slice_pack")}


def belongs(table, row, profiles, slices, details, db):
    if table in ("run", "string", "slice_class"):
        return True
    if table == "profile":
        return row["id"] in profiles
    if "profile_id" in row:
        return row["profile_id"] in profiles
    if table == "op_detail":
        return row["id"] in details
    if table in ("slice_row", "slice_pack"):
        return row["id"] in slices
    if table == "counter":
        return value(db, "SELECT profile_id FROM track WHERE id = ?", row["track_id"]) in profiles
    return row.get("slice_id", row.get("slice_out")) in slices


def spelt(table, row, first_id, text_columns, texts):
    out = {}
    for column, cell in row.items():
        if cell is None:
            out[column] = None
        elif (table, column) in text_columns:
            out[column] = texts[cell]
        elif column == ID.get(table, "id"):
            out[column] = cell - first_id[table]
        elif column in LINKS.get(table, {}):
            out[column] = cell - first_id.get(LINKS[table][column], 0)
        elif table == "profile" and column in OWN_RANGES:
            out[column] = cell - first_id[OWN_RANGES[column]]
        elif column == "first_row_id":
            out[column] = cell - first_id[row["part"]]
        elif column in ("slice_id", "profile_id"):
            out[column] = cell - first_id["slice_row" if column == "slice_id" else "profile"]
        else:
            out[column] = cell
    if table == "profile":
        out.pop("run_id")
        # Where there are none, the place they would have is that of the next ones.
        for column, n in (("first_slice_id", "slices"), ("first_op_detail_id", "op_details")):
            if not out[n]:
                out.pop(column)
    if table == "summary" and not out["row_count"]:
        out.pop("first_row_id")
    return out


def check_sound(tap, db, case):
    tap.ok(rows(db, "SELECT * FROM slice_pack ORDER BY id") == list(packs_of(db)), f"{case}: packed slices are those of its rows")
    tap.same(rows(db, "PRAGMA integrity_check"), [("ok",)], f"{case}: the file is sound")
    tap.same(rows(db, "PRAGMA foreign_key_check"), [], f"{case}: every id refers to a row")
    tap.same(rows(db, "SELECT id, row_number() OVER (ORDER BY id) FROM string"),
             rows(db, "SELECT id, id FROM string"), f"{case}: texts count from 1 without a gap")


def differing(got, expected):
    return [f"{table}: {a} | {b}" for table in expected for a, b in zip(got[table], expected[table]) if a != b][:2] + [
        f"{table}: {len(got[table])} rows, not {len(expected[table])}" for table in expected
        if len(got[table]) != len(expected[table])]


def check_same(tap, db, run, expected, name):
    got = contents(db, run)
    tap.ok(got == expected, name, *differing(got, expected))


def alone(work, name):
    """What the fixture gives in a store of its own."""
    db = work.open(work.ingest(fixture(name), store="alone.db", options=("--run", "x", "--keep", "args", "--summaries", "yes")))
    found = contents(db, "x")
    db.close()
    return found


def check_adding(tap, work, expected):
    store = work.path("many.db")
    for name in NAMES:
        work.ingest(fixture(name), store="many.db", fresh=False, options=("--run", name, "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_sound(tap, db, "six runs")
    tap.same(rows(db, "SELECT name FROM run ORDER BY id"), [(name,) for name in NAMES], "runs stand in the order they came")
    for name in NAMES:
        check_same(tap, db, name, expected[name], f"{name} is the same behind other runs as alone")
    db.close()
    return store


def check_replacing(tap, work, store, expected):
    before = value_of(work, store, "SELECT count(*) FROM string")
    work.ingest(fixture("sync"), store="many.db", fresh=False, options=("--run", "graph", "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_sound(tap, db, "a replaced run")
    tap.same(sorted(rows(db, "SELECT name FROM run")), sorted((n,) for n in NAMES), "a run replaces the one of its name")
    for name in NAMES:
        check_same(tap, db, name, alone(work, "sync") if name == "graph" else expected[name],
                   f"after replacing graph, {name} is as it should be")
    db.close()
    for _ in range(3):
        work.ingest(fixture("graph"), store="many.db", fresh=False, options=("--run", "graph", "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_same(tap, db, "graph", expected["graph"], "and it can be replaced again and again")
    tap.ok(value(db, "SELECT count(*) FROM string") <= before + value_of(work, work.path("alone.db"),
                                                                       "SELECT count(*) FROM string"),
           "texts of replaced runs do not pile up")
    db.close()


def value_of(work, store, sql):
    db = work.open(store)
    found = value(db, sql)
    db.close()
    return found


def check_removing(tap, work, store, expected):
    left = list(NAMES)
    for name in ("python_stack", "memory", "collectives_rank0"):
        work.ptool("rm", "-q", name, "-o", store)
        left.remove(name)
        db = work.open(store)
        check_sound(tap, db, f"without {name}")
        for each in left:
            check_same(tap, db, each, expected[each], f"without {name}, {each} is what it was")
        db.close()
    work.ingest(fixture("memory"), store="many.db", fresh=False, options=("--run", "memory", "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_same(tap, db, "memory", expected["memory"], "a removed run can be added again")
    check_sound(tap, db, "added again")
    db.close()


def check_removing_the_newest(tap, work):
    """Then ids are given back, too: the store is byte for byte what it was, but for its change counters."""
    one = work.ingest(fixture("graph"), store="one.db", options=("--run", "a"))
    two = work.ingest(fixture("graph"), store="two.db", options=("--run", "a"))
    work.ingest(fixture("memory"), store="two.db", fresh=False, options=("--run", "b"))
    work.ptool("rm", "-q", "b", "-o", two)
    dumps = []
    for path in (one, two):
        db = work.open(path)
        db.row_factory = None
        dumps.append(list(db.iterdump()))
        db.close()
    tap.ok(dumps[0] == dumps[1], "without its newest run a store is what it was before",
           *[f"{a} | {b}" for a, b in zip(*dumps) if a != b][:2])


def check_ranks(tap, work):
    """Several files in one call are one run."""
    names = ("collectives_rank0", "collectives_rank1", "graph")
    store = work.ingest(*[fixture(name) for name in names], store="ranks.db", options=("--run", "job", "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_sound(tap, db, "three files")
    tap.same(rows(db, "SELECT path, rank FROM profile ORDER BY id"),
             [(fixture(names[0]), 0), (fixture(names[1]), 1), (fixture(names[2]), None)], "each file is a profile of the run")
    tap.same(value(db, "SELECT count(*) FROM run"), 1, "of one run")
    merged = contents(db, "job")
    for table, expected in sum_of([alone(work, name) for name in names]).items():
        tap.same(len(merged[table]), expected, f"a run of three files has the rows of all: {table}")
    db.close()


def sum_of(runs):
    return {table: sum(len(run[table]) for run in runs) for table in runs[0]}


def check_empty(tap, work):
    """A trace without events has a profile and nothing else; the next one's ids are right."""
    empty = work.path("empty.json")
    with open(empty, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": []}, out)
    store = work.ingest(empty, store="empty.db", options=("--run", "empty"))
    work.ingest(fixture("graph"), store="empty.db", fresh=False, options=("--run", "graph", "--keep", "args", "--summaries", "yes"))
    db = work.open(store)
    check_sound(tap, db, "an empty trace")
    tap.same(rows(db, "SELECT slices, dur_ns FROM profile ORDER BY id LIMIT 1"), [(0, 0)], "an empty trace is a profile")
    check_same(tap, db, "graph", alone(work, "graph"), "behind it another run is what it is alone")
    db.close()
    work.ptool("rm", "-q", "empty", "-o", store)
    db = work.open(store)
    check_same(tap, db, "graph", alone(work, "graph"), "and when it is removed, too")
    db.close()


def check_many(tap, work):
    tiny = work.path("tiny.json")
    for i in range(300):
        with open(tiny, "w", encoding="utf-8") as out:
            json.dump([{"ph": "X", "name": f"slice {i}", "pid": 1, "tid": 1, "ts": i, "dur": 2}], out)
        work.ingest(tiny, store="tiny.db", fresh=False, options=("--run", f"run {i}"))
    db = work.open(work.path("tiny.db"))
    check_sound(tap, db, "300 runs")
    tap.same(rows(db, "SELECT r.name, s.name, s.dur FROM slice s JOIN profile p ON p.id = s.profile_id "
                  "JOIN run r ON r.id = p.run_id"), [(f"run {i}", f"slice {i}", 2000) for i in range(300)],
             "each of 300 runs has its own slice")
    db.close()


def main():
    tap = Tap()
    with Workplace() as work:
        expected = {name: alone(work, name) for name in NAMES}
        store = check_adding(tap, work, expected)
        check_replacing(tap, work, store, expected)
        check_removing(tap, work, store, expected)
        check_removing_the_newest(tap, work)
        check_ranks(tap, work)
        check_empty(tap, work)
        check_many(tap, work)
    tap.done()


main()
