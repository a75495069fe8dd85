#!/usr/bin/env python3
"""check_ranks.py: two ranks, one of which comes late to a barrier by a known time, their clocks
apart by a known time: the waiting rank's idle time is charged to the late one.
"""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import gaptrace
from storetap import Tap, Workplace

PERIOD = 1_000_000
SKEW = 123_456_789  # what rank 1's clock is ahead
GROUP = {"Collective name": "barrier", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2,
         "dtype": "Byte", "In msg nelems": 0, "Out msg nelems": 0}


def trace_of(rank, late, jitter=0):
    """In period n rank 1 comes late[n] after rank 0 to the barrier, which ends at 400 us."""
    trace = gaptrace.Trace(rank=rank)
    for number, wait in enumerate(late):
        at = number * PERIOD
        trace.run(at + 10_000, 40_000, at + 1_000, name="compute")
        came = at + 50_000 + (wait if rank else 0)
        trace.host("c10d::barrier", came, at + 400_000 - came)
        trace.host("record_param_comms", came, at + 400_000 - came - 10, Rank=rank, Seq=number, **GROUP)
        end = at + 600_000 + (jitter if rank and number == 0 else 0)
        trace.run(at + 420_000, end - at - 420_000, at + 400_000, name="ncclDevKernel_AllReduce", **GROUP)
    return trace


def exchange_of(rank, names):
    """Rank 3 comes 100 us late to each of these collectives, of which no group is recorded."""
    trace = gaptrace.Trace(rank=rank)
    for number, name in enumerate(names):
        at = number * PERIOD
        args = {"Collective name": name, "dtype": "Float", "In msg nelems": 100, "Out msg nelems": 100}
        trace.run(at + 10_000, 40_000, at + 1_000, name="compute")
        came = at + 50_000 + (100_000 if rank == 3 else 0)
        trace.host("gloo:" + name, came, at + 400_000 - came)
        trace.host("record_param_comms", came, at + 400_000 - came - 10, Rank=rank, Seq=number, **args)
        trace.run(at + 420_000, 180_000, at + 400_000, name="ncclDevKernel_SendRecv", **args)
    return trace


def waits_by_axes(tap, place):
    """Of two tensor and two data parallel ranks: who exchanges tokens does so with all, who reduces
    with those of his stage of the model alone, as ptool comm says."""
    names = ["all_to_all", "allreduce", "all_to_all", "all_to_all", "allreduce"]
    for summaries in ("no", "yes"):
        paths = [exchange_of(rank, names).save(place.path(f"TP-{rank % 2}-DP-{rank // 2}_rank{rank}.json"))
                 for rank in range(4)]
        store = place.ingest(*paths, store=f"axes {summaries}.db", options=("--summaries", summaries))
        tap.same([charged(place, store, rank) for rank in range(4)],
                 [[("rank 3", 300_000, 3)], [("rank 3", 300_000, 3)], [("rank 3", 500_000, 5)], []],
                 f"all-to-alls are of all ranks, without a recorded group (summaries: {summaries})")


def table(place, store, *options):
    done = place.ptool("gaps", store, "--format", "csv", *options)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def charged(place, store, rank, *options):
    return [(r["blamed"], int(r["idle_ns"]), int(r["gaps"])) for r in table(place, store, *options)
            if r["rank"] == str(rank) and r["cause"] == "late_rank"]


def main():
    tap = Tap()
    late = [30_000, 90_000, 200_000]
    with Workplace() as place:
        paths = [trace_of(rank, late).save(place.path(f"rank{rank}.json"), shift=SKEW * rank) for rank in (0, 1)]
        store = place.ingest(*paths)
        tap.same(charged(place, store, 0), [("rank 1", sum(late), len(late))], "rank 0 waits for rank 1, exactly")
        tap.same(charged(place, store, 1), [], "rank 1 waits for nobody")
        tap.same(charged(place, store, 0, "--rank", "0"), [("rank 1", sum(late), len(late))],
                 "also when only rank 0 is asked for")
        total = sum(int(r["idle_ns"]) for r in table(place, store, "--rank", "0"))
        tap.same(total, 3 * 370_000 + 2 * 410_000, "rank 0's idle time is all charged")
        listed = [r for r in table(place, store, "--list", "--rank", "0") if r["cause"] == "late_rank"]
        tap.same([(int(r["start_ns"]) % PERIOD, r["cause_ns"]) for r in listed], [(49_000, "200000")],
                 "the gap that is mostly rank 1's says so")
        alone = place.ingest(paths[0], store="alone.db")
        tap.same(charged(place, alone, 0), [], "alone, nothing is said of other ranks")
        others = [trace_of(rank, waits).save(place.path(f"one{rank}.json"), shift=SKEW * rank)
                  for rank, waits in enumerate((late, late, [60_000, 10_000, 0]))]
        three = place.ingest(*others, store="three.db")
        tap.same([charged(place, three, rank) for rank in range(3)],
                 [[("rank 1", 350_000, 3)], [("rank 2", 30_000, 1)], [("rank 1", 280_000, 2)]],
                 "of three ranks each waits for the last of the others")
        paths[1] = trace_of(1, late, jitter=50_000).save(place.path("rank1.json"), shift=SKEW)
        store = place.ingest(*paths)
        tap.same(charged(place, store, 0), [("rank 1", 290_000, 2)], "a wait shorter than the clocks' error is not")
        waits_by_axes(tap, place)
        notes = place.ptool("gaps", store).stdout
        tap.ok("within 50.000 us" in notes, "the clocks' error is said", notes)
    tap.done()


if __name__ == "__main__":
    main()
