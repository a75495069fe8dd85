#!/usr/bin/env python3
"""Timelines of ByteDance's StragglerAnalysis: each worker of a pipeline is a rank, with its place, steps and times.

Pipelines of tests/gen/pipeline.py are read, and what tables say of each worker is what its
operations say.  What looks like such a timeline and is none stays what it is; damaged ones
give what can be known, and say what cannot.
"""
# timeout: 240 s
import csv
import io
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store", "gen")]
import pipeline  # noqa: E402
from storetap import Tap, Workplace  # noqa: E402

PARTS = ("compute_ns", "copy_ns", "transfer_ns", "wait_ns", "idle_ns")
JOBS = 40 if os.environ.get("LONG") else 8
OP = {"name": "forward-compute", "cat": "forward-compute", "pid": 0, "tid": 5, "ts": 1.5, "dur": 2.25, "ph": "X",
      "args": {"step": 3, "model_chunk": 0, "mb_id": None, "seq_id": 0}}
OTHER = dict(OP, ts=9.0, args=dict(OP["args"], seq_id=1))


def table(place, command, store, *options):
    return list(csv.DictReader(io.StringIO(place.ptool(command, store, "--format", "csv", *options).stdout)))


def ingest(place, events, name="made"):
    path = place.path(name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        out.write(events if isinstance(events, str) else json.dumps(events))
    place.ptool("ingest", "-q", "--run", "made", "-o", path + ".db", path)
    return path + ".db"


def covered(spans):
    total, end = 0, None
    for start, stop in sorted(spans):
        total += max(0, stop - (start if end is None else max(start, end)))
        end = stop if end is None else max(end, stop)
    return total


def is_comm(name):
    return pipeline.THREAD.get(name, 3) in (1, 2, 3)


def check_job(tap, place, seed):
    made = pipeline.Pipeline(seed, tp=1 + seed % 2, one_clock=True)
    store, workers = ingest(place, made.events()), {}
    for op in made.ops:
        workers.setdefault((made.rank(op["dp"], op["pp"], op["tp"]), op["tp"], op["dp"], op["pp"]), []).append(op)
    want = sorted((*who, len(own), len(made.numbers), max(o["end"] for o in own) - min(o["start"] for o in own))
                  for who, own in workers.items())
    got = sorted(tuple(int(row[c]) for c in ("rank", "tp", "dp", "pp", "slices", "steps", "span_ns"))
                 for row in table(place, "info", store))
    tap.same(got, want, f"job {seed}: a worker is a rank, with its place, its operations and its steps")
    tap.same(table(place, "doctor", store), [], f"job {seed}: nothing in it is odd")
    if len(workers) < 2:
        return
    steps, wrong = table(place, "ranks", store, "--by", "step"), []
    sums = {}
    for (rank, *_), own in workers.items():
        for number in made.numbers:
            ops = [op for op in own if op["step"] == number]
            sums[rank, number] = (covered((op["start"], op["end"]) for op in ops if not is_comm(op["name"])),
                                  max(op["end"] for op in ops) - min(op["start"] for op in ops),
                                  covered((op["start"], op["end"]) for op in ops))
    for row in steps:
        wall, parts = int(row["wall_ns"]), [int(row[p]) for p in PARTS]
        compute, length, busy = sums.pop((int(row["rank"]), int(row["step"])))
        if (wall, parts[0], wall - parts[4]) != (length, compute, busy) or sum(parts) != wall:
            wrong.append((row, compute, length, busy))
    tap.ok(not wrong and not sums, f"job {seed}: computing, idle and all time of each step of each worker", *wrong, sums)


def formats(place, *events):
    return {(row["format"], row["rank"], row["dp"], row["pp"]) for row in table(place, "info", ingest(place, list(events)))}


def check_what_it_is(tap, place):
    tap.same(formats(place, OP), {("stragglers", "1", "0", "")}, "one operation without names: the rank is the tid's, the replica the pid")
    for what, change in {
            "the name is not the category": {"name": "forward"}, "an arg more": {"args": dict(OP["args"], rank=1)},
            "no microbatch": {"args": {"step": 3, "model_chunk": 0, "seq_id": 0}}, "no step": {"args": dict(OP["args"], step=None)},
            "a step that is a text": {"args": dict(OP["args"], step="3")}, "a step below 0": {"args": dict(OP["args"], step=-1)},
            "a chunk that is a list": {"args": dict(OP["args"], model_chunk=[0])}, "no args": {"args": {}},
            "another arg in place of one": {"args": {"step": 3, "model_chunk": 0, "mb_id": 0, "seq": 0}},
            "a begin": {"ph": "B"}}.items():
        tap.same(formats(place, OP, dict(OTHER, **change)), {("chrome", "", "", "")}, f"no such timeline: {what}")
    tap.same(formats(place, OP, dict(OP, pid=2**63 - 1)), {("stragglers", "1", "0", ""), ("stragglers", "1", "", "")},
             "a pid that is no place is no replica")
    twice = json.dumps([OTHER]).replace('"seq_id"', '"step"')
    tap.same({row["format"] for row in table(place, "info", ingest(place, twice))}, {"chrome"}, "no such timeline: an arg twice")


def check_damage(tap, place):
    made = pipeline.Pipeline(5, dp=2, pp=2, chunks=1, microbatches=2, steps=2)
    events = made.events()
    text = json.dumps(events)
    store = ingest(place, text[:text.index("thread_name")])
    got = {(int(row["rank"]), int(row["dp"]), row["pp"], int(row["slices"])) for row in table(place, "info", store)}
    want = {(made.rank(dp, pp, 0), dp, "", sum(op["dp"] == dp and op["pp"] == pp for op in made.ops)) for dp in range(2) for pp in range(2)}
    tap.same(got, want, "cut before its names: ranks and replicas are known, stages are not")
    names = [e for e in events if e["name"] == "thread_name"]
    names[1]["args"]["name"] = "PP rank 7, TP rank 0, pp-comm"
    store = ingest(place, events)
    tap.same(sorted((row["rank"], row["pp"]) for row in table(place, "info", store)), [("0", "0"), ("1", "0"), ("2", "1"), ("3", "1")],
             "threads of one worker that say two stages: the first counts")
    tap.ok([row["rank"] for row in table(place, "doctor", store) if row["code"] == "axes_differ"] == ["0"], "and it is told")
    odd = [dict(OP, tid=tid, ts=9.5 + i) for i, tid in enumerate((-3, "x", 5 << 24, 2**63 - 1))]
    store = ingest(place, [OP, dict(OP, tid=10), *odd])
    tap.same(sorted((row["rank"], int(row["slices"])) for row in table(place, "info", store)), [("1", 5), ("2", 1)],
             "tids that are no worker's belong to the first one of their process")
    many = place.path("many.json")
    with open(many, "w", encoding="utf-8") as out:
        json.dump([dict(OP, tid=5 * i, ts=i) for i in range(16385)], out)
    done = place.ptool("ingest", "-q", "-o", many + ".db", many, check=False)
    tap.ok(done.returncode == 4 and "more than 16384 ranks in one file" in done.stderr, "more workers than a job has are refused", done.stderr)
    store = ingest(place, [dict(OP, name=name, cat=name, ts=3 * i, dur=5, tid=tid, args=dict(OP["args"], seq_id=i))
                           for i in range(2) for tid, name in ((5, "forward-compute"), (6, "forward-send"), (8, "grads-reduce-scatter"))])
    tap.same([(row["code"], row["count"]) for row in table(place, "doctor", store)], [("stream_overlap", "1")], "computations that overlap are told, not sends")
    store = ingest(place, [dict(OP, dur=-1.5), OTHER, dict(OTHER, tid=10)])
    tap.same(sorted((row["rank"], row["code"]) for row in table(place, "doctor", store)), [("1", "negative_duration")], "a length below 0 is told")


def check_advice(tap, place):
    """No launch is in such a file: to record with another option of PyTorch's is no advice."""
    store = ingest(place, pipeline.Pipeline(3, dp=2, pp=4, chunks=1, microbatches=4, steps=3, cut=True).events())
    said = "".join(place.ptool(command, store).stdout for command in ("advise", "gaps", "ranks"))
    tap.ok(said.count("ranks --what-if") == 3 and "ProfilerActivity" not in said, "idle time: what to do about it", said)


def check_export(tap, place):
    """What is exported of a worker is the same worker again."""
    made = pipeline.Pipeline(6, dp=2, pp=2, chunks=1, microbatches=2, steps=2, one_clock=True)
    store = ingest(place, made.events())
    place.ptool("export", "-q", "--rank", "3", "-o", place.path("one.json"), store)
    place.ptool("ingest", "-q", "-o", place.path("one.db"), place.path("one.json"))
    columns = ("format", "rank", "tp", "dp", "pp", "slices", "steps", "span_ns")
    want = [[row[c] for c in columns] for row in table(place, "info", store) if row["rank"] == "3"]
    tap.same([[row[c] for c in columns] for row in table(place, "info", place.path("one.db"))], want, "an exported worker is the same again")


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(1, JOBS + 1):
            check_job(tap, place, seed)
        check_what_it_is(tap, place)
        check_damage(tap, place)
        check_advice(tap, place)
        check_export(tap, place)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
