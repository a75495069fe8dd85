#!/usr/bin/env python3
"""check_timeline.py: the timeline of `ptool report` against the store: every slice, its start,
duration, name, row, launch and operator; bundles; counters.   timeout: 120 s
"""
import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from storetap import SHARED, Tap, Workplace, fixtures, rows, value
import timeline_page

MADE = ("idle", "collectives", "counter")  # of what other tracks have
TRACKS = """SELECT t.id, t.first_slice_id, t.slices FROM track t
            WHERE t.profile_id = ? AND t.slices > 0 AND t.kind IN ('thread', 'async', 'stream', 'stream_notes')
            ORDER BY t.kind = 'stream', t.kind = 'stream_notes', t.first_slice_id"""
SLICES = """SELECT s.id, s.ts, s.dur, n.text, c.name, s.launch_id, s.op_id, s.flags FROM slice_row s
            JOIN string n ON n.id = s.name_id JOIN slice_class c ON c.id = s.class
            WHERE s.id BETWEEN ? AND ? AND c.name <> 'memory' ORDER BY s.id"""


def page_of(place, store, *options):
    path = place.path("page.html")
    place.ptool("report", "-f", "-o", path, *options, store)
    return timeline_page.read(path)


def expected_tracks(db):
    """Of each profile, the tracks in the page's order; and the ordinal of each slice."""
    tracks, ordinals = [], {}
    for profile, in rows(db, "SELECT id FROM profile ORDER BY id"):
        for _, first, n in rows(db, TRACKS, profile):
            found = rows(db, SLICES, first, first + n - 1)
            if found:
                tracks.append((profile, found))
    return tracks, ordinals


def row_faults(slices, nrows):
    """Slices that overlap others of their row."""
    ends = [-1] * nrows
    faults = []
    for s in slices:
        if s.start < ends[s.row]:
            faults.append((s.row, s.start, ends[s.row]))
        ends[s.row] = s.start + s.dur
    return faults


def check_whole(tap, name, db, meta, tracks):
    """Every slice is there, as the store has it."""
    expected, ordinals = expected_tracks(db)
    shown = [(t, s) for t, s in zip(meta["tracks"], tracks) if t["kind"] not in MADE]
    for (_, stored), (track, _) in zip(expected, shown):
        ordinals.update((row[0], track["base"] + i) for i, row in enumerate(stored))
    faults = []
    for (_, stored), (track, slices) in zip(expected, shown):
        is_stream = track["kind"] == "stream"
        want = [(ts, dur, text, cls, ordinals.get(launch) if is_stream else None, ordinals.get(op) if is_stream else None)
                for _, ts, dur, text, cls, launch, op, _ in stored]
        got = [(s.start, s.dur, meta["names"][s.name], meta["classes"][meta["class"][s.name]], s.launch, s.op)
               for s in slices]
        faults += [(track["name"], a, b) for a, b in zip(got, want) if a != b]
        if len(got) != len(want):
            faults.append((track["name"], len(got), len(want)))
        faults += row_faults(slices, track["rows"])
    if len(expected) != len(shown) or meta["slices"] != sum(len(t[1]) for t in expected):
        faults.append((len(expected), len(shown), meta["slices"]))
    tap.ok(not faults, f"{name}: each slice is in the page as in the store", *faults)


def check_details(tap, name, db, meta, tracks):
    """Shapes, launch configurations and bytes: of each slice those that the store has."""
    stored = {
        "shapes": "SELECT x.text FROM slice_row s JOIN op_detail d ON d.id = s.op_detail_id JOIN string x ON x.id = d.shapes_id",
        "registers": "SELECT registers FROM kernel WHERE registers IS NOT NULL",
        "grid": "SELECT grid_x || ' x ' || grid_y || ' x ' || grid_z FROM kernel WHERE grid_x IS NOT NULL",
        "bytes": "SELECT bytes FROM copy WHERE bytes IS NOT NULL AND slice_id NOT IN (SELECT slice_id FROM slice_row)"
                 " OR slice_id IN (SELECT id FROM slice_row WHERE coalesce(flags, 0) < 4) AND bytes IS NOT NULL",
    }
    for place, column in enumerate(meta["details"]["columns"]):
        if column["name"] not in stored:
            continue
        of_row = [dict(zip(row[::2], row[1::2])).get(place) for row in meta["details"]["rows"]]
        got = collections.Counter(of_row[s.detail] for track, slices in zip(meta["tracks"], tracks)
                                  if track["kind"] not in MADE for s in slices if of_row[s.detail] is not None)
        want = collections.Counter(row[0] for row in rows(db, stored[column["name"]]))
        if column["name"] == "shapes":  # those of collectives say more
            got = collections.Counter({k: v for k, v in got.items() if v <= want[k]})
            want = got if sum(got.values()) * 2 >= sum(want.values()) else want
        tap.ok(got == want, f"{name}: {column['name']}", (got - want).most_common(2), (want - got).most_common(2))


def check_bundles(tap, name, place, db, meta, tracks, most):
    """What is bundled is short, all of it is counted, and the longer ones are as they were."""
    expected, _ = expected_tracks(db)
    limit = meta["bundle_ns"]
    shown = [(t, s) for t, s in zip(meta["tracks"], tracks) if t["kind"] not in MADE]
    faults = []
    for (_, stored), (track, slices) in zip(expected, shown):
        faults += row_faults(slices, track["rows"])
        count = sum(s.bundled or 1 for s in slices)
        busy = sum(s.busy if s.bundled else s.dur for s in slices)
        if (count, busy) != (len(stored), sum(row[2] for row in stored)):
            faults.append((track["name"], count, len(stored), busy))
        kept = [(row[1], row[2]) for row in stored
                if row[2] >= limit or row[4] == "annotation" or track["kind"] in ("stream", "notes")]
        left = collections.Counter(kept) - collections.Counter((s.start, s.dur) for s in slices if not s.bundled)
        if left:
            faults.append((track["name"], "lost", left.most_common(1)))
    told = [row for row in timeline_page.table(place.path("page.html"), "table-tracks") if row["kind"] not in ("idle", "counter")]
    want = [[(s.dur, s.row, s.bundled, s.busy) for s in slices] for _, slices in shown]
    want = [(sum(busy if n else dur for dur, row, n, busy in slices if row == 0), max((dur for dur, _, n, _ in slices if not n), default=0),
             any(n for _, _, n, _ in slices)) for slices in want]
    want = [(busy, None if bundles and longest < limit else longest) for busy, longest, bundles in want]
    tap.same([(row["busy_ns"], row["longest_ns"]) for row in told], want, f"{name}: the list of tracks has what bundles hold, not what they span")
    shown_slices = sum(len(s) for _, s in shown)
    tap.ok(not faults, f"{name}: bundles hold what they stand for", *faults)
    tap.ok(shown_slices <= most, f"{name}: no more slices than asked for", shown_slices, most, limit)
    bundled = sum(s.bundled for _, slices in shown for s in slices)
    tap.same(bundled, meta["bundled"], f"{name}: the page says how many are bundled")


def check_window(tap, place, store, meta):
    """What lies in --time is never bundled, whatever that costs."""
    middle = meta["dur"] // 2
    window = (middle, middle + meta["dur"] // 4)
    meta, tracks = page_of(place, store, "--max-slices", "1", "--time", f"{window[0]}ns..{window[1]}ns")
    inside = [s.bundled for track, slices in zip(meta["tracks"], tracks) if track["kind"] not in MADE
              for s in slices if s.start < window[1] and s.start + s.dur > window[0]]
    tap.ok(not any(inside) and meta["bundled"], "no bundle reaches into --time", len(inside), sum(map(bool, inside)))
    tap.same(meta["whole"], [[0, *window]], "the page says which time is whole")


def random_trace(seed):
    """Threads that nest and overlap, streams that overlap, counters, times near 2^53, instants."""
    pick = random.Random(seed)
    far = pick.choice([0, 0, 2**52 // 1000])
    step = pick.choice([1, 0.001, 0.037])
    events = []
    for _ in range(pick.choice([1, 2, 400])):
        kernel = pick.random() < 0.3
        ts = far + round(pick.randrange(1000) * step, 3)
        dur = round(pick.choice([0, 1, pick.randrange(100), pick.randrange(1000)]) * step, 3)
        common = {"ph": "X", "ts": ts, "dur": dur, "name": pick.choice(["a", "b", "</script>", "\u202e"])}
        if kernel:
            stream = pick.randrange(2)
            events.append({**common, "cat": "kernel", "pid": 0, "tid": stream,
                           "args": {"device": 0, "stream": stream, "correlation": len(events), "grid": [1, 2, 3]}})
            events.append({**common, "cat": "cuda_runtime", "pid": 9, "tid": 1, "name": "cudaLaunchKernel",
                           "args": {"correlation": len(events) - 1}})
        else:
            events.append({**common, "cat": pick.choice(["cpu_op", "user_annotation", "python_function"]), "pid": 9,
                           "tid": pick.randrange(3)})
        if pick.random() < 0.1:
            events.append({"ph": "C", "ts": ts, "pid": 9, "name": "load", "args": {"cpu": pick.random() * 100}})
        if pick.random() < 0.1:
            events.append({"ph": "b", "cat": "x", "id": 7, "ts": ts, "pid": 9, "name": "async"})
            events.append({"ph": "e", "cat": "x", "id": 7, "ts": ts + dur, "pid": 9, "name": "async"})
    return {"schemaVersion": 1, "traceEvents": events}


def check_random(tap, place, seed):
    path = place.path("random.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(random_trace(seed), file)
    store = place.ingest(path)
    with place.open(store) as db:
        meta, tracks = page_of(place, store)
        check_whole(tap, f"random {seed}", db, meta, tracks)
        counted = [(ts, v) for t, s in zip(meta["tracks"], tracks) if t["kind"] == "counter" for ts, v in s]
        tap.same(counted, rows(db, "SELECT ts, value FROM counter ORDER BY track_id, ts, id"),
                 f"random {seed}: all samples of few counters")
        stored = value(db, "SELECT count(*) FROM slice_pack p") and meta["slices"]
        meta, tracks = page_of(place, store, "--max-slices", str(max(1, stored // 2)))
        if meta["bundle_ns"]:
            check_bundles(tap, f"random {seed}", place, db, meta, tracks, stored)


def check_clocks(tap, place, name, groups, want):
    """Ranks that begin 200 us one after another by their files and end collectives of their groups together."""
    paths = []
    for rank, group in enumerate(groups):
        calls = [{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 1000 + rank * 200 + i * 100 + 40 * rank,
                  "dur": 50 - 40 * rank, "args": {"Collective name": "allreduce", "Process Group Name": group}} for i in range(3) if group]
        op = {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 900 + rank * 200, "dur": 600}
        trace = {"schemaVersion": 1, "baseTimeNanoseconds": 10**18, "distributedInfo": {"rank": rank, "world_size": len(groups)},
                 "traceEvents": [op, *calls]}
        paths.append(place.path(f"rank{rank}.json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump(trace, file)
    meta, _ = page_of(place, place.ingest(*paths))
    tap.same(([p["shift"] for p in meta["profiles"]], meta["aligned"]), want, f"clocks: {name}")


def check_ids(tap, place):
    """Streams of which JavaScript's numbers would make one."""
    most = 2**53
    ids = [most, most + 1, -most - 1]
    path = place.path("ids.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": i, "ts": 100, "dur": 50, "args": {"device": 0, "stream": i}} for i in ids] + [
                {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 50, "dur": 50}]}, file)
    meta, _ = page_of(place, place.ingest(path))
    told = [row["stream"] for row in timeline_page.table(place.path("page.html"), "table-streams")]
    want = {most, str(most + 1), str(-most - 1)}
    found = {key for key, data in timeline_page.tables(place.path("page.html")).items() if data.get("slices")}
    tap.same(found, {"table-operators", "table-kernels", "table-flame"}, "which tables lead to slices by their names")
    tap.ok(set(told) == want and {track["tid"] for track in meta["tracks"] if track["kind"] == "stream"} == want,
           "ids of any size are on the page", told, [track["tid"] for track in meta["tracks"]])


# Sanitizers are slow, and find in a few what they find in all.
SHARE = 6 if os.environ.get("SAN") or os.environ.get("VALGRIND") else 1


def main():
    tap = Tap()
    with Workplace() as place:
        check_clocks(tap, place, "as the files say", [None] * 2, ([0, 200000], False))
        check_clocks(tap, place, "by collectives", ["a"] * 2, ([0, 0], True))
        check_clocks(tap, place, "as the files say where two groups share no collective", ["a", "a", "b", "b"],
                     ([0, 200000, 400000, 600000], False))
        check_ids(tap, place)
        for name, path in fixtures()[::SHARE]:
            store = place.ingest(path)
            with place.open(store) as db:
                meta, tracks = page_of(place, store)
                check_whole(tap, name, db, meta, tracks)
                check_details(tap, name, db, meta, tracks)
                if meta["slices"] > 1000:
                    most = meta["slices"] * 3 // 4
                    meta, tracks = page_of(place, store, "--max-slices", str(most))
                    check_bundles(tap, name, place, db, meta, tracks, most)
                    check_window(tap, place, store, meta)
        for seed in range(24 // SHARE):
            check_random(tap, place, seed)
    tap.done()


if __name__ == "__main__":
    main()
