#!/usr/bin/env python3
"""check_apart.py: events with impossible times change no table.

Into every fixture copies of its own events are planted whose times cannot be: all that
the copies carry (correlations, External ids, step numbers, bytes) would count somewhere
if ptool let them.  Every table must be that of the trace without them.
timeout: 300 s
"""
import csv
import io
import json

from impossible import CODES, load, plant, save
from storetap import Tap, Workplace, fixtures, rows, share, value

TOPS = [[], ["--by", "shape"], ["--by", "stack"], ["--by", "step"], ["--by", "annotation"], ["--by", "category"],
        ["--by", "thread"], ["--by", "stream"], ["--sort", "none"], ["--time", "0.."], ["--format", "torch"]]
STEPS = "SELECT number, ts, dur FROM step ORDER BY id"
STEP_ROWS = "SELECT step, start_ns, total_ns, device_ns FROM v_step ORDER BY 2, 1"
FRAME = "SELECT start_ns, dur_ns, window_end_ns, span_end_ns, base_ns, dialect FROM profile"


def listed(work, store, *args):
    """Rows of ptool list in their order: those that are not set apart, and those that are.

    Without ids, which go by the order in which the file names its threads: a parent is told by its start and name.
    """
    text = work.ptool("list", store, "--limit", "0", "--format", "csv", *args, check=False).stdout
    table = list(csv.DictReader(io.StringIO(text)))
    names = {row["id"]: (row["start_ns"], row["name"]) for row in table}
    split = ([], [])
    for row in table:
        del row["id"]
        row["parent_id"] = names.get(row["parent_id"])
        split[int(row["is_set_apart"])].append(tuple(row.values()))
    return split


def top(work, store, args):
    form = args if "--format" in args else [*args, "--format", "json"]
    done = work.ptool("top", store, "--limit", "0", *form, check=False)
    return done.returncode, done.stdout if "--format" in args else done.stdout and json.loads(done.stdout)["rows"]


def check_tables(tap, work, case, sound, planted):
    wrong = [args for args in TOPS if top(work, sound, args) != top(work, planted, args)]
    tap.same(wrong, [], f"{case}: top is the same")
    wrong = [args for args in TOPS[:5]
             if "annotation" not in args and top(work, planted, args) != top(work, planted, [*args, "--min-dur", "0"])]
    tap.same(wrong, [], f"{case}: and by both roads")
    kept, apart = listed(work, planted)
    tap.ok(sorted(kept, key=str) == sorted(listed(work, sound)[0], key=str) and apart,
           f"{case}: so are the slices that are listed, others beside them")
    first = listed(work, planted, "--limit", str(len(kept)))
    tap.ok(first == (kept, []), f"{case}: which come behind all of them")
    timed, none = listed(work, planted, "--time", "0..")
    tap.ok(timed == kept and not none, f"{case}: and are at no time of the recording")


def check_quarantine(tap, db, case, copies, counts):
    tap.same(value(db, "SELECT count(*) FROM quarantine"), copies, f"{case}: all that was planted is kept")
    told = dict(rows(db, "SELECT code, sum(count) FROM finding WHERE code IN (?, ?, ?) GROUP BY code", *CODES))
    kept = dict(rows(db, "SELECT code, count(*) FROM quarantine GROUP BY code"))
    tap.same(kept, told, f"{case}: and each was told")
    if counts:
        tap.same(told, counts, f"{case}: by its kind")
    tap.same(value(db, "SELECT count(*) FROM finding WHERE code IN (?, ?, ?) AND (time_ns IS NULL OR share_pct IS NULL "
                   "OR share_pct < 0 OR share_pct > 100)", *CODES), 0, f"{case}: with what it would have claimed")
    tap.same(value(db, "SELECT count(*) FROM slice_row s LEFT JOIN quarantine q ON q.slice_id = s.id WHERE "
                   "(q.id IS NOT NULL) <> (coalesce(s.flags & 4, 0) = 4) OR (q.id IS NOT NULL AND (s.dur <> 0 OR s.self_ns <> 0 "
                   "OR s.depth <> 0 OR coalesce(s.parent_id, s.step_id, s.launch_id, s.op_id) IS NOT NULL))"), 0,
             f"{case}: marked, without a duration, a parent or a link")
    wrong = [table for table in ("kernel", "copy", "device_wait", "collective", "allocation")
             if value(db, f"SELECT count(*) FROM {table} WHERE slice_id IN (SELECT slice_id FROM quarantine)")]
    tap.same(wrong, [], f"{case}: in no table of details")


def check_case(tap, work, case, trace, seed):
    planted, copies, counts = plant(trace, seed)
    a = work.ingest(save(work, "sound.json", trace), store="sound.db", options=("--run", "it"))
    b = work.ingest(save(work, "planted.json", planted), store="planted.db", options=("--run", "it"))
    check_tables(tap, work, case, a, b)
    sound, damaged = work.open(a), work.open(b)
    for query, what in ((STEPS, "steps"), (STEP_ROWS, "the rows of steps"), (FRAME, "the frame of the recording")):
        tap.ok(rows(sound, query) == rows(damaged, query), f"{case}: {what} are the same",
               str(rows(sound, query)[:3]), str(rows(damaged, query)[:3]))
    check_quarantine(tap, damaged, case, copies, counts)
    sound.close()
    damaged.close()


def check_removal(tap, work, trace):
    """A run's rows in quarantine go with it, those of another stay."""
    planted, copies, _ = plant(trace, 1)
    path = save(work, "planted.json", planted)
    store = work.ingest(path, store="two.db", options=("--run", "one"))
    work.ingest(path, store="two.db", fresh=False, options=("--run", "two"))
    db = work.open(store)
    tap.same(value(db, "SELECT count(*) FROM quarantine"), 2 * copies, "two runs: both are kept")
    db.close()
    work.ptool("rm", "-q", "one", "-o", store)
    db = work.open(store)
    tap.same(rows(db, "SELECT name FROM run"), [("two",)], "one is removed")
    tap.same(rows(db, "SELECT count(*) FROM quarantine WHERE slice_id IN (SELECT id FROM slice_row)")
             + rows(db, "SELECT count(*) FROM quarantine"), [(copies,), (copies,)], "and what was set apart in it")
    db.close()


def main():
    tap = Tap()
    with Workplace() as work:
        last = None
        for seed, (case, path) in share(enumerate(fixtures()), 3):
            trace = load(path)
            if trace is None:
                tap.skip(case, "it is not JSON")
                continue
            check_case(tap, work, case, trace, seed)
            last = trace
        check_removal(tap, work, last)
    tap.done()


main()
