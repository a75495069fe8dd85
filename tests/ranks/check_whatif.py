#!/usr/bin/env python3
"""ptool ranks --what-if of timelines of StragglerAnalysis, against exact fractions.

Made pipelines (tests/gen/pipeline.py) know what each operation comes after and whom it
joins.  Here they are played again by that alone, with the durations that the paper (Lin and
others 2025) gives them: S, S_t, S_w, M_W and M_S agree to the nanosecond.
"""
# timeout: 300 s
import csv
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store", "gen")]
import pipeline  # noqa: E402
from storetap import PTOOL, Tap, Workplace  # noqa: E402

JOBS = 320 if os.environ.get("LONG") else 32
TRANSFERS = ("forward-send", "forward-recv", "backward-send", "backward-recv")
JOINED = TRANSFERS + ("params-all-gather", "grads-reduce-scatter", "separate-grads-all-reduce", "embedding-grads-all-reduce",
                      "optimizer-clip-main-grad")
MEDIANS = JOINED + ("layernorm-grads-all-reduce",)


def kind(op):
    return op["name"].split("-")[0] + "-pp-comm" if op["name"] in TRANSFERS else op["name"]


class Played:
    """A job's steps, which can be played again."""

    def __init__(self, made, without):
        self.made, self.steps = made, {}
        for op in made.ops:
            if op["step"] == without:
                continue
            self.steps.setdefault(op["step"], {})[op["key"]] = op
        self.took, lists, self.order = {}, {}, []
        for number, ops in self.steps.items():
            groups = {}
            for key, op in ops.items():
                groups.setdefault(op["joins"], []).append(key)
            for keys in groups.values():
                begun = max(ops[key]["start"] for key in keys)
                for key in keys:
                    op = ops[key]
                    ns = op["end"] - (begun if op["name"] in JOINED else op["start"])
                    self.took[number, key] = 0 if op["name"] in JOINED and ns <= -10_000_000 else ns
                    lists.setdefault(op["name"], []).append(self.took[number, key])
            self.groups = groups  # of each step the same
        self.usual = {name: self.typical(name, sorted(ns)) for name, ns in lists.items()}
        self.sort()

    @staticmethod
    def typical(name, ns):
        if name in MEDIANS:
            return Fraction(ns[(len(ns) - 1) // 2] + ns[len(ns) // 2], 2)
        return Fraction(sum(ns), len(ns))

    def sort(self):
        """An order in which groups can end."""
        ops = next(iter(self.steps.values()))
        left = {group: {a for key in keys for a in ops[key]["after"]} for group, keys in self.groups.items()}
        done, order = set(), []
        while left:
            ready = [group for group, after in left.items() if after <= done]
            assert ready
            for group in ready:
                order.append(group)
                done.update(self.groups[group])
                del left[group]
        self.order = order

    def play(self, is_kept):
        """The steps' times together, whole and to the last optimizer; operations that are not kept take what is usual."""
        whole = optimizers = Fraction(0)
        for number, ops in self.steps.items():
            begun, ended = {}, {}
            for group in self.order:
                keys = self.groups[group]
                begun.update((key, max((ended[a] for a in ops[key]["after"]), default=Fraction(0))) for key in keys)
                moves = max(begun[key] for key in keys)
                for key in keys:
                    ended[key] = moves + (self.took[number, key] if is_kept(ops[key]) else self.usual[ops[key]["name"]])
            whole += max(ended.values()) - min(begun.values())
            optimizers += max(ns for key, ns in ended.items() if ops[key]["name"] == "optimizer")
        return whole, optimizers

    def recorded(self):
        return sum(max(op["end"] for op in ops.values()) - min(op["start"] for op in ops.values()) for ops in self.steps.values())


def expected(made, without=None):
    played = Played(made, without)
    recorded, (replayed, _), (cured, ideal) = played.recorded(), played.play(lambda op: True), played.play(lambda op: False)
    rows = [("recorded", "", "", recorded), ("replayed", "", "", replayed), ("ideal", "", "", ideal)]
    for name in {kind(op) for op in made.ops}:
        rows.append(("kind", name, "", played.play(lambda op, name=name: kind(op) == name)[1]))
    if made.pp > 1:
        rows.append(("last_stage", "", "", played.play(lambda op: op["pp"] != made.pp - 1)[0]))
    stages = [played.play(lambda op, pp=pp: op["pp"] == pp)[1] for pp in range(made.pp)]
    replicas = [played.play(lambda op, dp=dp: op["dp"] == dp)[1] for dp in range(made.dp)]
    workers = {made.rank(dp, pp, tp): min(stages[pp], replicas[dp])
               for dp in range(made.dp) for pp in range(made.pp) for tp in range(made.tp)}
    rows += [("rank", "", str(rank), ns) for rank, ns in workers.items()]
    worst = sorted(workers, key=lambda rank: (-workers[rank], rank))[:-(-len(workers) * 3 // 100)]
    rows.append(("slowest", "", "", played.play(lambda op: made.rank(op["dp"], op["pp"], op["tp"]) not in worst)[0]))
    return rows, replayed, ideal, cured


def write(place, made, name="made"):
    path = place.path(name + ".json")
    with open(path, "w", encoding="ascii") as out:
        json.dump(made.events(), out)
    place.ptool("ingest", "-q", "--run", "made", "-o", path + ".db", path)
    return path + ".db"


def ask(place, store, begin=None):
    done = subprocess.run([PTOOL, "ranks", "--what-if", "--format", "csv", store], capture_output=True, text=True, check=False, preexec_fn=begin)
    return done.returncode, list(csv.DictReader(io.StringIO(done.stdout))), done.stderr


def near(text, number, parts=10**9):
    return abs(Fraction(text) - number) <= abs(number) / parts + Fraction(1, parts)


def check_job(tap, place, seed, **sizes):
    made = pipeline.Pipeline(seed, **sizes)
    _, got, said = ask(place, write(place, made))
    got = {(row["what"], row["kind"], row["rank"]): row for row in got}
    rows, replayed, ideal, cured = expected(made)
    wrong = []
    for what, name, rank, ns in rows:
        row = got.pop((what, name, rank), None)
        share = 100 * (replayed - ns) / (replayed - cured) if what in ("slowest", "last_stage") and replayed > cured else None
        if not row or abs(int(row["time_ns"]) - ns) > Fraction(501, 1000) or not near(row["slowdown"], ns / ideal if ideal > 0 else 0):
            wrong.append((what, name, rank, float(ns), row))
        elif (share is None) != (row["recovered_pct"] == "") or (share is not None and not near(row["recovered_pct"], share, 10**6)):
            wrong.append((what, name, rank, share and float(share), row))
    tap.ok(not wrong and not got and not said,
           f"job {seed}: {made.dp} replicas, {made.pp} stages, {made.tp} of each, {made.chunks} chunks, {made.microbatches} microbatches",
           said, *wrong, *got)


def sizes_of(seed):
    """All of few replicas, stages and tensor parallel ranks, and never one worker alone."""
    dp, pp, tp = 1 + seed % 4, 1 + seed // 4 % 4, 1 + seed // 16 % 2
    return {"dp": dp if pp * tp > 1 else max(dp, 2), "pp": pp, "tp": tp}


def check_even(tap, place):
    """Operations of a kind that take equally long have no stragglers."""
    made = pipeline.Pipeline(4, dp=2, pp=3, chunks=1, microbatches=4, plain=True, cut=False, even=True)
    _, got, _ = ask(place, write(place, made))
    tap.same({float(row["slowdown"]) for row in got if row["what"] != "recorded"}, {1.0}, "no stragglers: no row is slower than the ideal")


def check_parts(tap, place):
    """A step that lacks an operation is not played; a run of some stages, or of some replicas, is."""
    made = pipeline.Pipeline(11, dp=3, pp=2, chunks=2, microbatches=2, steps=3, plain=True)
    lost = made.numbers[1]
    gone = next(op for op in made.ops if op["step"] == lost and op["name"] == "backward-recv" and op["dp"] == 2)
    made.ops.remove(gone)
    store = write(place, made)
    _, got, _ = ask(place, store)
    rows = expected(made, without=lost)[0]
    times = {(row["what"], row["kind"], row["rank"]): int(row["time_ns"]) for row in got}
    tap.ok(all(abs(times[what, name, rank] - ns) <= Fraction(501, 1000) for what, name, rank, ns in rows) and len(times) == len(rows),
           "a step that lacks an operation of a worker is left out", *times.items())
    tap.ok("1 of 3 steps are left out" in place.ptool("ranks", "--what-if", store).stdout, "and a note says so")
    made = pipeline.Pipeline(13, dp=2, pp=2, chunks=1, microbatches=2, steps=4, plain=True)
    rows = expected(made, without=made.numbers[2])[0]
    made.ops.append(dict(next(op for op in made.ops if op["step"] == made.numbers[2] and op["name"] == "gc"), seq=1))
    _, got, said = ask(place, write(place, made))
    tap.same({(row["what"], row["kind"], row["rank"]): int(row["time_ns"]) for row in got}, {(*row[:3],): round(row[3]) for row in rows},
             "a step with an operation more is left out, the others are played")
    made = pipeline.Pipeline(12, dp=4, pp=2, chunks=1, microbatches=2, steps=2, plain=True)
    made.ops = [op for op in made.ops if op["dp"] in (1, 3)]
    _, got, _ = ask(place, write(place, made))
    tap.same({row["rank"] for row in got if row["what"] == "rank"}, {str(made.rank(dp, pp, 0)) for dp in (1, 3) for pp in (0, 1)},
             "a timeline of some replicas: each of their workers has a row")


def refuses(tap, place, events, why, name, begin=None):
    path = place.path("odd.json")
    with open(path, "w", encoding="ascii") as out:
        json.dump(events, out)
    place.ptool("ingest", "-q", "--run", "odd", "-o", path + ".db", path)
    code, rows, said = ask(place, path + ".db", begin)
    tap.ok(code == 3 and not rows and why in said, name, code, said, rows)


def check_refused(tap, place):
    made = pipeline.Pipeline(5, dp=2, pp=2, chunks=1, microbatches=2, steps=1, plain=True)
    events = made.events()
    refuses(tap, place, [e for e in events if e["ph"] == "X"], "names of threads", "without the names of threads")
    refuses(tap, place, [e for e in events if e["ph"] != "X" or e["tid"] < 5], "only one worker", "one worker alone")
    half = [e for e in events if e["ph"] != "X" or e["tid"] >= 5 or e["name"] != "forward-compute"]
    refuses(tap, place, half, "no step has the same operations", "a worker that lacks operations in all steps")
    twice = events + [dict(e, ts=e["ts"] + 1) for e in events if e["name"] == "gc"]
    refuses(tap, place, twice, "no step has the same operations", "operations that are there twice")
    refuses(tap, place, [dict(e, name="data-load", cat="data-load") if e["ph"] == "X" else e for e in events],
            "no operation that the simulation knows", "operations that have no place in a pipeline")
    far = [dict(e, args={"name": e["args"]["name"].replace("PP rank 1", "PP rank 256")}) if e["name"] == "thread_name" else e for e in events]
    refuses(tap, place, far, "stage 256: a pipeline of more than 256", "a stage that no pipeline has")
    swapped = [dict(e, ts=10**6 - e["ts"] % 10**6) if e["name"] == "backward-compute" else e for e in events]
    for event in swapped:  # each computation is where another one was
        if event["name"] == "forward-compute" and event["ph"] == "X":
            event["args"] = dict(event["args"], seq_id=event["args"]["seq_id"] ^ 1)
    refuses(tap, place, swapped, "in a circle", "operations in an order that cannot be")


def check_strange(tap, place):
    """Numbers that no recording has, in a trace and in a store."""
    made = pipeline.Pipeline(5, dp=2, pp=2, chunks=1, microbatches=2, steps=1, plain=True)
    for op in made.ops:
        op["seq"] = op["seq"] or 2**63 - 1
    code, _, said = ask(place, write(place, made))
    tap.ok(code == 0 and not said, "operations that are numbered up to 2^63 - 1", code, said)
    made = pipeline.Pipeline(5, dp=2, pp=2, chunks=1, microbatches=2, steps=1, plain=True)
    store = write(place, made)
    for column, table, value, good in (("pp", "profile", -5, 3), ("pp", "profile", 2**62, 3), ("dp", "profile", -2**63, 3), ("tp", "profile", 2**63 - 1, 0),
                                       ("args", "slice_args", '{"step":1,"model_chunk":-9223372036854775807,"seq_id":0}', 3),
                                       ("args", "slice_args", "", 3), ("ts", "slice_row", 2**63 - 1, 0), ("dur", "slice_row", -2**63, 0)):
        db = sqlite3.connect(store)
        db.execute(f"UPDATE {table} SET {column} = ?", (value,))
        db.commit()
        code, _, said = ask(place, store)
        tap.ok(code == good and said.count("\n") == (code > 0), f"{column} of {value}", code, said)
        db.close()
        store = write(place, made)


def check_lone(tap, place):
    """Replicas that lack what one of them has: nothing is made room for that no step has."""
    op = {"name": "forward-compute", "cat": "forward-compute", "dur": 1, "ph": "X"}
    events = [dict(op, pid=p, tid=5 * p, ts=p, args={"step": 1, "model_chunk": 0, "mb_id": 0, "seq_id": 0}) for p in range(400)]
    events += [dict(op, pid=0, tid=0, ts=k, args={"step": 1, "model_chunk": 0, "mb_id": k, "seq_id": k}) for k in range(1, 20000)]
    events += [{"name": "thread_name", "pid": p, "tid": 5 * p, "ph": "M", "args": {"name": "PP rank 0, TP rank 0, compute"}} for p in range(400)]
    limit = None if os.environ.get("SAN") else lambda: resource.setrlimit(resource.RLIMIT_AS, (128 << 20, 128 << 20))
    refuses(tap, place, events, "no step has the same operations", "replicas that lack what one of them has, in 128 MiB", limit)


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(1, JOBS + 1):
            check_job(tap, place, seed, **sizes_of(seed))
        check_even(tap, place)
        check_parts(tap, place)
        check_refused(tap, place)
        check_strange(tap, place)
        check_lone(tap, place)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
