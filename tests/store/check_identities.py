#!/usr/bin/env python3
"""check_identities.py: what must hold in every store, whatever the trace says.

On every fixture: the traces that lie are among them, and no finding breaks an identity.
On some with impossible times planted into them, too: those stand outside all of this.
timeout: 300 s
"""
import gzip
import json
import sqlite3

from impossible import load, plant, save
from slice_packs import COLUMNS, packs_of
from storetap import DEVICE_WORK, Tap, Workplace, fixtures, rows, union, value

PLANTED = ("two_streams", "memory", "annotations", "t260_ddp_rank0", "t2141_cnn_w0_stack")
SOUND = "coalesce(s.flags & 4, 0) = 0"  # of slice_row s
SUMS = ("calls", "primitive_calls", "self_ns", "total_ns", "self_device_ns", "total_device_ns", "cpu_mem_bytes",
        "self_cpu_mem_bytes", "device_mem_bytes", "self_device_mem_bytes")


def check_database(tap, db, case):
    tap.same(rows(db, "PRAGMA integrity_check"), [("ok",)], f"{case}: the file is sound")
    tap.same(rows(db, "PRAGMA foreign_key_check"), [], f"{case}: every id refers to a row")
    tap.same(value(db, "SELECT sum(json_valid(metadata) = 0) FROM profile"), 0, f"{case}: metadata is JSON")


def check_self_times(tap, db, case):
    """On a stream work does not nest; on any other track self times add up to the roots."""
    wrong = rows(db, "SELECT t.id, t.kind, sum(s.self_ns), sum(CASE WHEN s.parent_id IS NULL THEN s.dur ELSE 0 END) AS roots "
                 "FROM slice_row s JOIN track t ON t.id = s.track_id WHERE t.kind <> 'stream' "
                 "GROUP BY t.id HAVING sum(s.self_ns) <> roots")
    tap.same(wrong, [], f"{case}: self times of a track add up to its roots")
    wrong = rows(db, "SELECT s.id FROM slice_row s WHERE s.self_ns < 0 OR s.self_ns > s.dur")
    tap.same(wrong, [], f"{case}: no self time is negative or above the duration")
    wrong = rows(db, "SELECT c.id, p.id FROM slice_row c JOIN slice_row p ON p.id = c.parent_id WHERE c.track_id <> p.track_id "
                 "OR c.ts < p.ts OR c.ts >= p.ts + p.dur OR c.depth <> p.depth + 1 OR p.id >= c.id")
    tap.same(wrong, [], f"{case}: a parent holds its children's starts, on their track, one level up")
    tap.same(value(db, "SELECT count(*) FROM slice_row WHERE (parent_id IS NULL) <> (depth = 0)"), 0,
             f"{case}: roots have depth 0")


def check_ranges(tap, db, case):
    """Ids of slices: profiles and tracks are ranges of them, in the order of time."""
    wrong = []
    for profile, first, n in rows(db, "SELECT id, first_slice_id, slices FROM profile"):
        got = db.execute("SELECT min(s.id), max(s.id), count(*) FROM slice_row s JOIN track t ON t.id = s.track_id "
                         "WHERE t.profile_id = ?", (profile,)).fetchone()
        if tuple(got) != ((first, first + n - 1, n) if n else (None, None, 0)):
            wrong.append((profile, first, n, tuple(got)))
    tap.same(wrong, [], f"{case}: a profile's slices are its range of ids")
    wrong = rows(db, "SELECT t.id FROM track t LEFT JOIN (SELECT track_id, min(id) AS low, max(id) AS high, count(*) AS n "
                 f"FROM slice_row s WHERE {SOUND} GROUP BY track_id) s ON s.track_id = t.id "
                 "WHERE t.slices <> coalesce(s.n, 0) OR t.first_slice_id IS NOT s.low OR s.high <> s.low + s.n - 1")
    tap.same(wrong, [], f"{case}: a track's slices are its range of ids")
    wrong = rows(db, "SELECT s.id FROM slice_row s JOIN profile p ON s.id BETWEEN p.first_slice_id AND "
                 "p.first_slice_id + p.slices - 1 JOIN track t ON t.profile_id = p.id "
                 f"WHERE NOT ({SOUND}) AND s.id < t.first_slice_id + t.slices")
    tap.same(wrong, [], f"{case}: those set apart stand behind the others of their profile")
    wrong = rows(db, "SELECT b.id FROM slice_row s JOIN slice_row b ON b.id = s.id + 1 WHERE s.track_id = b.track_id "
                 f"AND {SOUND} AND coalesce(b.flags & 4, 0) = 0 AND (s.ts > b.ts OR (s.ts = b.ts AND s.dur < b.dur))")
    tap.same(wrong, [], f"{case}: slices of a track are in the order (ts, longest first)")
    tap.same(value(db, f"SELECT count(*) FROM slice_row s WHERE (s.ts < 0 OR s.dur < 0) AND {SOUND}"), 0,
             f"{case}: time begins with the profile")
    tap.same(value(db, "SELECT count(*) FROM slice_row s JOIN track t ON t.id = s.track_id JOIN profile p "
                   f"ON p.id = t.profile_id WHERE s.ts + s.dur > p.dur_ns AND {SOUND}"), 0, f"{case}: and ends with it")


def check_packs(tap, db, case):
    """The packed columns are those of slice_row, to the byte."""
    got = rows(db, f"SELECT {', '.join(COLUMNS)} FROM slice_pack ORDER BY id")
    tap.ok(got == list(packs_of(db)), f"{case}: packed slices say what rows say",
           *[f"{g} is not {e}" for g, e in zip(got, packs_of(db)) if g != e])


def check_full_packs(tap, work):
    """Where a row of slice_pack is full, and one slice behind it."""
    for n in (8191, 8192, 8193, 20000):
        trace = work.path("many.json")
        with open(trace, "w", encoding="utf-8") as out:
            json.dump([{"ph": "X", "pid": 1, "tid": 1, "name": f"f{i * i % 300}", "ts": 10 * i, "dur": i % 9} for i in range(n)], out)
        check_packs(tap, work.open(work.ingest(trace)), f"{n} slices of a thread")


def check_size(tap, db, case, path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as trace:
        tap.same(value(db, "SELECT bytes FROM profile"), len(trace.read()), f"{case}: the profile knows its size")


def check_links(tap, db, case):
    """Links stay within a profile, and go from device work to calls and operators."""
    for column, classes in (("launch_id", "('runtime', 'driver')"), ("op_id", "('op')")):
        wrong = rows(db, f"SELECT s.id FROM slice_row s JOIN slice_row o ON o.id = s.{column} JOIN track a ON a.id = s.track_id "
                     "JOIN track b ON b.id = o.track_id JOIN slice_class k ON k.id = o.class "
                     f"WHERE a.profile_id <> b.profile_id OR k.name NOT IN {classes} OR s.class NOT IN {DEVICE_WORK}")
        tap.same(wrong, [], f"{case}: {column} of device work is a {classes}")
    wrong = rows(db, "SELECT s.id FROM slice_row s JOIN slice_row l ON l.id = s.launch_id "
                 "WHERE s.step_id IS NOT l.step_id OR s.correlation <> l.correlation")
    tap.same(wrong, [], f"{case}: work has the step and the correlation of its launch")


def check_summaries(tap, db, case):
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in SUMS)
    by_grain = [rows(db, f"SELECT kind, {sums}, min(min_ns), max(max_ns) FROM op_stat WHERE grain = ? GROUP BY kind", grain)
                for grain in (0, 1, 2)]
    tap.ok(by_grain[0] == by_grain[1] == by_grain[2], f"{case}: the grains of op_stat add up to the same",
           *[f"grain {i}: {by_grain[i]}" for i in range(3)])
    names = [rows(db, f"SELECT kind, name_id, is_annotation, {sums}, min(first_ts) FROM op_stat WHERE grain = ? "
                  "GROUP BY kind, name_id, is_annotation ORDER BY 1, 2, 3", grain) for grain in (0, 1, 2)]
    tap.ok(names[0] == names[1] == names[2], f"{case}: and so does each name in them")
    tap.same(value(db, "SELECT count(*) FROM op_stat WHERE (histogram IS NOT NULL) <> (grain = 1)"), 0,
             f"{case}: grain 1 has the histograms")
    check_squares(tap, db, case)
    # Work that no row is charged with was launched outside every operator and label.
    charged = value(db, "SELECT coalesce(sum(self_device_ns), 0) FROM op_stat WHERE grain = 0 AND kind IN (0, 3)")
    expected = sum(dur for work, dur in rows(db, f"SELECT id, dur FROM slice_row WHERE class IN {DEVICE_WORK}")
                   if is_charged(db, work))
    tap.same(charged, expected, f"{case}: self device times add up to the device work that a row is charged with")
    tap.same(rows(db, "SELECT coalesce(sum(calls), 0), coalesce(sum(self_device_ns), 0) FROM op_stat WHERE grain = 0 AND kind = 1"),
             rows(db, f"SELECT count(*), coalesce(sum(dur), 0) FROM slice_row s WHERE class IN {DEVICE_WORK} AND {SOUND}"),
             f"{case}: device rows add up to the device work")


def check_squares(tap, db, case):
    """Exact in every grain, and of device work those of its slices: Python's integers have no end."""
    limbs = ", ".join(f"coalesce(sum(squares{i}), 0)" for i in range(4))
    by_grain = [{kind: sum(part << 32 * i for i, part in enumerate(parts)) for kind, *parts in rows(
        db, f"SELECT kind, {limbs} FROM op_stat WHERE grain = ? GROUP BY kind", grain)} for grain in (0, 1, 2)]
    tap.ok(by_grain[0] == by_grain[1] == by_grain[2], f"{case}: squares of the grains add up to the same",
           *[f"grain {i}: {by_grain[i]}" for i in range(3)])
    tap.same(by_grain[0].get(1, 0), sum(dur * dur for dur, in rows(
        db, f"SELECT dur FROM slice_row s WHERE class IN {DEVICE_WORK} AND {SOUND}")), f"{case}: squares are those of the slices")


def is_charged(db, work):
    """Has the work an operator, or a label around its launch?"""
    if value(db, "SELECT op_id IS NOT NULL FROM slice_row WHERE id = ?", work):
        return True
    return value(db, "SELECT count(*) FROM slice_row w JOIN slice_row l ON l.id = w.launch_id "
                 "JOIN slice_row a ON a.track_id = l.track_id AND a.ts <= l.ts AND l.ts < a.ts + a.dur "
                 "JOIN slice_class k ON k.id = a.class WHERE w.id = ? AND k.name = 'annotation'", work) > 0


def check_devices(tap, db, case):
    for profile, upid in rows(db, "SELECT DISTINCT profile_id, upid FROM track WHERE kind = 'stream'"):
        spans = rows(db, "SELECT s.ts, s.ts + s.dur FROM slice_row s JOIN track t ON t.id = s.track_id "
                     f"WHERE t.profile_id = ? AND t.upid = ? AND s.class IN {DEVICE_WORK} AND {SOUND}", profile, upid)
        busy, gaps = union(spans)
        span = max(e for _, e in spans) - min(s for s, _ in spans)
        tap.same(busy + sum(e - s for s, e in gaps), span, f"{case}: busy and idle time of device {upid} add up to its span")


def check_memory(tap, db, case):
    """A running sum of the records is the total that each one tells."""
    for kind, device in rows(db, "SELECT DISTINCT device_type, device FROM allocation WHERE NOT out_of_memory "
                             "AND total_allocated_bytes IS NOT NULL"):  # before 1.11 it was not recorded
        records = rows(db, "SELECT a.bytes, a.total_allocated_bytes FROM allocation a JOIN slice_row s ON s.id = a.slice_id "
                       "WHERE NOT out_of_memory AND device_type = ? AND device IS ? ORDER BY s.ts, s.id", kind, device)
        total, wrong = records[0][1] - records[0][0], []
        for each, told in records:
            total += each
            if total != told:
                wrong.append((total, told))
        tap.same(wrong, [], f"{case}: records of device type {kind} add up to the recorded totals")


def check_same_twice(tap, work, case, path):
    """The store has no clock, no random number and no address in it."""
    dumps = []
    for store in ("one.db", "two.db"):
        db = sqlite3.connect(work.ingest(path, store=store, options=("--run", "it")))
        dumps.append(list(db.iterdump()))
        db.close()
    tap.ok(dumps[0] == dumps[1], f"{case}: the same file gives the same store", *[
        f"{a} | {b}" for a, b in zip(*dumps) if a != b][:2])


def with_planted(work):
    """Every fixture, and some with impossible times in them."""
    for case, path in fixtures():
        yield case, path
        if case in PLANTED:
            yield f"{case}, planted", save(work, "planted.json", plant(load(path), 7)[0])


def main():
    tap = Tap()
    with Workplace() as work:
        for case, path in with_planted(work):
            db = work.open(work.ingest(path))
            check_database(tap, db, case)
            check_self_times(tap, db, case)
            check_ranges(tap, db, case)
            check_packs(tap, db, case)
            check_size(tap, db, case, path)
            check_links(tap, db, case)
            check_summaries(tap, db, case)
            check_devices(tap, db, case)
            check_memory(tap, db, case)
            db.close()
            check_same_twice(tap, work, case, path)
        check_full_packs(tap, work)
    tap.done()


main()
