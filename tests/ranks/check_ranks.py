#!/usr/bin/env python3
"""ptool ranks against a slow second computation, and against what was planted.

Every row's five parts add up to its time, and all waiting ends in what some rank did, on
the fixtures of several ranks and on made fleets (tests/gen/fleet.py).  The sums of fleets
are computed again here, from what the machine of fleet.py did.  A chain of lateness over
three ranks ends where it began.  Each plant is named, and nothing else: over 20 fleets,
with LONG over 200, which is also where the rate of false alarms of ptool-ranks(1) is from.
"""
# timeout: 300 s
import csv
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store", "gen", "gaps", "comm", "bench")]
import fleet  # noqa: E402
import gaptrace  # noqa: E402
import other_files  # noqa: E402
import planted  # noqa: E402
from storetap import FIXTURES, Tap, Workplace  # noqa: E402

PARTS = ("compute_ns", "copy_ns", "transfer_ns", "wait_ns", "idle_ns")
FLEETS = 200 if os.environ.get("LONG") else 15
NAMES = {"slow_rank": "slow_compute", "slow_link": "slow_link", "late_host": "late_host"}


def table(place, store, *options):
    return list(csv.DictReader(io.StringIO(place.ptool("ranks", store, "--format", "csv", *options).stdout)))


def number(row, column):
    return int(row[column] or 0)


def what_does_not_close(rows, steps):
    """Rows whose parts do not add up; and whether steps add up to ranks, and waits to their causes."""
    wrong = [row for row in rows + steps if number(row, "wall_ns") != sum(number(row, p) for p in PARTS)]
    for column in PARTS + ("wall_ns",):
        for row in rows:
            total = sum(number(s, column) for s in steps if s["profile"] == row["profile"])
            wrong += [(column, row)] if total != number(row, column) else []
    waited, late = (sum(number(row, column) for row in rows) for column in ("wait_ns", "late_ns"))
    return wrong + ([("waits", waited, late)] if waited != late else [])


def closes(tap, place, store, name):
    rows, steps = table(place, store), table(place, store, "--by", "step")
    wrong = what_does_not_close(rows, steps)
    tap.ok(rows and not wrong, f"{name}: parts add up to the time, and waits to what they end in", *wrong)
    return rows, steps


def median(numbers):
    return sorted(numbers)[(len(numbers) - 1) // 2]


def clocks(made):
    """What each rank's clock is ahead, from the ends of collectives: ptool-comm(1), ACROSS RANKS."""
    ends = {}
    for rank, work in enumerate(made.work):
        for _, end, what, call in work:
            if call:
                ends.setdefault((call[2], call[3]), {})[rank] = end + made.clock[rank]
    known = {0: 0}
    for rank in range(1, made.nranks):
        apart = []
        for match in ends.values():
            other = min((r for r in match if r in known), default=None)
            if rank in match and other is not None:
                apart.append(match[rank] - (match[other] - known[other]))
        known[rank] = median(apart)
    return known


def reference(made):
    """By (rank, step): compute, transfer, wait and idle time, and by rank whom it waited for how long."""
    ahead, starts, sums, late = clocks(made), {}, {}, {}
    for rank, work in enumerate(made.work):
        for start, _, _, call in work:
            if call:
                starts.setdefault((call[2], call[3]), []).append((start + made.clock[rank] - ahead[rank], -rank))
    for rank, work in enumerate(made.work):
        for step, begin, end in made.steps[rank]:
            compute = transfer = wait = 0
            for start, ended, _, call in work:
                if not begin <= start < end:
                    continue
                if not call:
                    compute += ended - start
                    continue
                came, who = max(starts[call[2], call[3]])
                waits = 0 if -who == rank else came - (start + made.clock[rank] - ahead[rank])
                waits = max(0, min(waits, ended - start))
                wait, transfer = wait + waits, transfer + ended - start - waits
                late[rank, -who] = late.get((rank, -who), 0) + waits
            sums[rank, step] = (compute, transfer, wait, end - begin - compute - transfer - wait)
    return sums, late


def check_sums(tap, place, seed):
    made = fleet.Fleet(seed, fleet.PLANTS[seed % 4], ranks=6, steps=5)
    store = place.ingest(*made.save(place.folder.name))
    rows, steps = closes(tap, place, store, f"fleet {seed}")
    sums, late = reference(made)
    got = {(number(r, "rank"), number(r, "step")): tuple(number(r, p) for p in PARTS if p != "copy_ns") for r in steps}
    tap.ok(got == sums, f"fleet {seed}: the sums are those of a slow second computation",
           *[(key, got.get(key), value) for key, value in sums.items() if got.get(key) != value])
    most = {r: max((ns, -who) for (rank, who), ns in late.items() if rank == r) for r in range(made.nranks)}
    got = {number(r, "rank"): (number(r, "late_rank_ns"), -number(r, "late_rank")) for r in rows if r["late_rank"]}
    tap.same(got, {r: most[r] for r in most if most[r][0]}, f"fleet {seed}: whom each rank waited for most")


def segments(made, ahead):
    """By rank, a step after the other: [(compute, idle) of its three segments], and ends of the two collectives."""
    steps = [[] for _ in made.work]
    for rank, work in enumerate(made.work):
        for _, begin, end in made.steps[rank]:
            calls = [(start, ended, call) for start, ended, _, call in work if call and begin <= start < end]
            bounds = [begin] + [at for start, ended, _ in calls for at in (start, ended)] + [end]
            parts = []
            for low, high in zip(bounds[::2], bounds[1::2]):
                compute = sum(ended - start for start, ended, _, call in work if not call and low <= start < high)
                parts.append((compute, high - low - compute))
            shift = made.clock[rank] - ahead[rank]
            steps[rank].append((begin + shift, parts, [(s + shift, e + shift, c) for s, e, c in calls]))
    return steps


def replay(made, ideal):
    """How long the run takes when played again, the ranks `ideal` without stragglers: man ptool-ranks, WHAT IF."""
    steps = segments(made, clocks(made))
    came, usual, mean = {}, {}, {}
    for rank in steps:
        for _, parts, calls in rank:
            for start, _, call in calls:
                came[call[2], call[3]] = max(came.get((call[2], call[3]), start), start)
            for place, part in enumerate(parts):
                for kind, ns in enumerate(part):
                    mean.setdefault((place, kind), []).append(ns)
    for rank in steps:
        for _, _, calls in rank:
            for _, ended, call in calls:
                usual.setdefault(len(call[0]), []).append(max(0, ended - came[call[2], call[3]]))
    usual = {size: median(ns) for size, ns in usual.items()}
    mean = {key: sum(ns) // len(ns) for key, ns in mean.items()}
    now = [rank[0][0] for rank in steps]
    first = min(now)
    for step in range(made.nsteps):
        for place in range(3):
            arrived = {}
            for rank, line in enumerate(steps):
                _, parts, calls = line[step]
                now[rank] += sum(mean[place, kind] if rank in ideal else ns for kind, ns in enumerate(parts[place]))
                if place < 2:
                    arrived.setdefault(calls[place][2][2], []).append(rank)
            for ranks in arrived.values():
                last = max(now[rank] for rank in ranks)
                for rank in ranks:
                    _, ended, call = steps[rank][step][2][place]
                    took = usual[len(call[0])] if rank in ideal else max(0, ended - came[call[2], call[3]])
                    now[rank] = max(now[rank], last + took)
    return max(now) - first


class Pipeline(fleet.Fleet):
    """Of stages of two ranks, which the names of the files tell."""

    def name(self, rank):
        return f"17.2-TP-{rank % 2}-PP-{rank // 2}.trace.json"


def check_last_stage(tap, place, seed):
    made = Pipeline(seed, fleet.PLANTS[seed % 4], ranks=6, steps=5)
    rows = table(place, place.ingest(*made.save(place.folder.name)), "--what-if")
    row = [row for row in rows if row["what"] == "last_stage"]
    times = [replay(made, ranks) for ranks in ((), (4, 5), range(6))]
    share = 100 * (times[0] - times[1]) / (times[0] - times[2])
    tap.ok(len(row) == 1 and number(row[0], "time_ns") == times[1] and abs(float(row[0]["recovered_pct"]) - share) < 1e-9,
           f"fleet {seed}: without stragglers on the last stage, as a slow second program has it", row, times, share)
    tap.ok(made.who < 4 or share > 60, f"fleet {seed}: which cures what was planted there", share, made.who)
    return made.who >= 4


def check_what_if(tap, place, seed):
    made = fleet.Fleet(seed, fleet.PLANTS[seed % 4], ranks=6, steps=5)
    rows = table(place, place.ingest(*made.save(place.folder.name)), "--what-if")
    tap.ok("last_stage" not in [row["what"] for row in rows], f"fleet {seed}: no stage is known")
    time = {row["what"]: number(row, "time_ns") for row in rows if row["what"] not in ("kind", "rank")}
    tap.same([time["replayed"], time["ideal"]], [replay(made, ()), replay(made, range(6))],
             f"fleet {seed}: played again, and without stragglers, as a slow second program has it")
    tap.ok(abs(time["replayed"] - time["recorded"]) <= 1_000, f"fleet {seed}: played again it takes as long", time)
    kind = max((float(row["slowdown"]), row["kind"]) for row in rows if row["what"] == "kind")[1]
    worst = max((float(row["slowdown"]), number(row, "rank")) for row in rows if row["what"] == "rank")[1]
    what = {"slow_rank": "compute", "slow_link": "transfer"}.get(made.plant, "idle")
    tap.ok(kind == what and worst in (made.pair(made.who) if what == "transfer" else [made.who]),
           f"fleet {seed}: {made.plant} is what slows it down", kind, worst, made.who)


def chain(place):
    """Rank 2 pauses, keeps 1 waiting, and so 1 keeps 0 waiting: [paths]."""
    traces = [gaptrace.Trace(rank=rank) for rank in range(3)]

    def collective(ranks, starts, end, group, seq):
        for rank, start in zip(ranks, starts):
            traces[rank].run(start, end - start, start - 4_000, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                             **{"Collective name": "allreduce", "Process Group Name": group, "Seq": seq,
                                "Process Group Ranks": str(ranks), "Group size": len(ranks), "dtype": "Float",
                                "In msg nelems": 64, "Out msg nelems": 64})

    for step in range(6):
        at, pause = 1_000_000 + step * 1_000_000, 300_000 if step == 3 else 0
        for rank, trace in enumerate(traces):
            trace.step(step, at, 1_000_000)
            wait = pause if rank == 2 else 0
            if wait:
                trace.host("cudaStreamSynchronize", at + 1_000, wait, "cuda_runtime")
            trace.run(at + 20_000 + wait, 100_000, at + 10_000 + wait, name="gemm")
        second = at + 130_000 + pause
        collective([1, 2], [at + 130_000, second], second + 50_000, "right", step)
        collective([0, 1], [at + 140_000, second + 60_000], second + 100_000, "left", step)
        collective([0, 1, 2], [second + 110_000, second + 110_000, second + 110_000], second + 150_000, "world", step)
    return [trace.save(place.path(f"rank{rank}.json"), shift=1_000 * rank) for rank, trace in enumerate(traces)]


def check_chain(tap, place):
    store = place.ingest(*chain(place))
    _, steps = closes(tap, place, store, "a chain")
    rows = {number(r, "rank"): r for r in steps if r["step"] == "3"}
    others = [r for r in steps if r["step"] == "1"]
    tap.same([(rows[r]["late_rank"], number(rows[r], "wait_ns")) for r in (0, 1)], [("1", 350_000), ("2", 300_000)],
             "0 waits for 1, and 1 for 2")
    usual = sum(number(r, "wait_ns") for r in others)  # what is in every step, for 1's collective with 2
    tap.ok(590_000 <= number(rows[2], "late_ns") <= 600_000 + usual, "nearly all of it ends in what 2 did",
           rows[2]["late_ns"], usual)
    tap.same(rows[2]["late_why"], "sync", "which is a cause of ptool gaps")


def line(place, n):
    """n ranks, each of which is late as it waited for the one before and then computed: [paths]."""
    folder = place.path(str(n))
    os.mkdir(folder)
    made = other_files.ranks_in_a_line(n * n, folder, 1000)
    return [os.path.join(made, name) for name in os.listdir(made)]


def check_line(tap, place):
    """A wait has so many causes at most; the others are the late rank's, without a cause."""
    for n, has_all in ((300, True), (1_300, False)):
        rows, _ = closes(tap, place, place.ingest(*line(place, n)), f"a line of {n} ranks")
        late = [number(r, "late_ns") for r in sorted(rows, key=lambda r: number(r, "rank"))]
        none = [number(r, "late_why_ns") for r in rows if r["late_why"] == "none"]
        tap.same(bool(none), not has_all, f"causes of {n} ranks are known, or not all")
        tap.ok(late[0] > max(late[-20:]), f"what the first of {n} caused is more than what the last ones did", late[0])


def check_fixtures(tap, place):
    gpu = [os.path.join(FIXTURES, "gpu", f"collectives_rank{rank}.json") for rank in (0, 1)]
    rows, _ = closes(tap, place, place.ingest(*gpu), "collectives_rank0 and 1")
    tap.same([r["wait_ns"] for r in rows], ["243859", "0"], "they wait as ptool comm --ranks says")
    for seed in range(6):
        job, paths = planted.Job(seed), []
        for rank in job.present:
            paths.append(place.path(f"rank{rank}.json"))
            with open(paths[-1], "w", encoding="utf-8") as out:
                out.write(job.trace(rank)[0])
        closes(tap, place, place.ingest(*paths), f"planted job {seed}")


def named(place, made):
    """What is said of a fleet: {(what, rank or step)}."""
    store = place.ingest(*made.save(place.folder.name))
    said = {(word, number(r, "rank")) for r in table(place, store) for word in r["unlike"].split(",") if word}
    return said | {("slow_step", number(r, "step")) for r in table(place, store, "--by", "step")
                   if "slow_step" in r["unlike"]}


def truth(made):
    if made.plant == "slow_link":
        return {("slow_link", rank) for rank in made.pair(made.who)}
    if made.plant == "noisy_step":
        return {("slow_step", made.when)}
    return {(NAMES[made.plant], made.who)} if made.plant else set()


def check_plants(tap, place):
    right = said = there = alarms = 0
    for seed in range(FLEETS):
        made = fleet.Fleet(1000 + seed, (fleet.PLANTS + (None,))[seed % 5])
        got, true = named(place, made), truth(made)
        right, said, there = right + len(got & true), said + len(got), there + len(true)
        alarms += bool(got) and not made.plant
        if got != true:
            print(f"# fleet {1000 + seed}, {made.plant}: {sorted(got)}, not {sorted(true)}")
    print(f"# {FLEETS} fleets: precision {right / said:.4f}, recall {right / there:.4f}, {alarms} false alarms")
    tap.ok(right >= 0.975 * said, f"of what {FLEETS} fleets are said to have 97.5 % was planted", right, said)
    tap.ok(right >= 0.975 * there, f"of what was planted in {FLEETS} fleets 97.5 % is named", right, there)


def main():
    tap = Tap()
    with Workplace() as place:
        check_fixtures(tap, place)
        for seed in range(4):
            check_sums(tap, place, seed)
            check_what_if(tap, place, seed)
        there = sum(check_last_stage(tap, place, seed) for seed in range(8))
        tap.ok(0 < there < 8, "the plant is on the last stage of some", there)
        check_chain(tap, place)
        check_line(tap, place)
        check_plants(tap, place)
    tap.done()


if __name__ == "__main__":
    main()
