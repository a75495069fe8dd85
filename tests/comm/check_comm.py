#!/usr/bin/env python3
"""ptool comm against a slow second computation from the same files, to the nanosecond.

Generated jobs of several ranks, with planted stragglers, missing ranks and clocks that
differ; the cases of the TensorBoard plugin's own tests; and real recordings, where the
sums of exact integers are known.
"""
import glob
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import planted  # noqa: E402
import storetap  # noqa: E402

SEEDS = range(60)
FACTOR = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n,
          "reduce_scatter": lambda n: (n - 1) / n, "all_to_all": lambda n: (n - 1) / n, "broadcast": lambda n: 1.0}
TORCH = {"Float": "float32", "BFloat16": "bfloat16", "Half": "float16", "Long": "int64", "Byte": "uint8",
         "Float8_e4m3fn": "float8_e4m3fn", "Bool": "bool"}


def comm(place, store, *options):
    return json.loads(place.ptool("comm", store, "--format", "json", *options).stdout)["rows"]


def points(intervals):
    """The union as a list of disjoint intervals, the slow way."""
    out = []
    for start, end in sorted(i for i in intervals if i[1] > i[0]):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def shared(a, b):
    return sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in points(a) for y in points(b))


def length(a):
    return sum(end - start for start, end in points(a))


def size_of(call):
    n = planted.DTYPES[call["dtype"]]
    return n * {"all_gather": call["out"]}.get(call["kind"], call["into"])


def close(a, b):
    return a is None and b is None or a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def check_sums(tap, place, store, job, work):
    """A row for each collective, type and group of each rank, and one for each rank."""
    expected, ranks = {}, {}
    for rank, events in work.items():
        compute = [(s, e) for s, e, what, _ in events if what == "compute"]
        everything = [(s, e) for s, e, what, _ in events if what == "comm"]
        if everything:
            ranks[rank] = (len(everything), sum(e - s for s, e in everything),
                           length(everything) - shared(everything, compute), shared(everything, compute))
        for start, end, what, call in events:
            if what == "comm":
                key = (rank, call["kind"], TORCH[call["dtype"]], call["group"], len(call["ranks"]))
                expected.setdefault(key, []).append((start, end, call))
        for key, calls in expected.items():
            if key[0] != rank:
                continue
            ran = [(s, e) for s, e, _ in calls]
            size, ns = sum(size_of(c) for _, _, c in calls), sum(e - s for s, e, _ in calls)
            expected[key] = (len(calls), size, ns, length(ran) - shared(ran, compute), shared(ran, compute),
                             size / ns, size / ns * FACTOR[key[1]](key[4]))
    rows = comm(place, store)
    got = {(r["rank"], r["collective"], r["dtype"], r["group"], r["group_size"]):
           (r["calls"], r["bytes"], r["total_ns"], r["exposed_ns"], r["overlap_ns"], r["algbw_gbps"], r["busbw_gbps"])
           for r in rows}
    bad = [(k, got.get(k), expected.get(k)) for k in set(got) | set(expected)
           if k not in got or k not in expected or got[k][:5] != expected[k][:5]
           or not all(close(a, b) for a, b in zip(got[k][5:], expected[k][5:]))]
    by_rank = {r["rank"]: (r["calls"], r["total_ns"], r["exposed_ns"], r["overlap_ns"])
               for r in comm(place, store, "--by", "rank")}
    closes = all(r["busy_ns"] == r["exposed_ns"] + r["overlap_ns"] for r in rows)
    return bad or by_rank != ranks or not closes, bad[:3], by_rank, ranks


def median(numbers):
    return sorted(numbers)[(len(numbers) - 1) // 2]


def matches_of(job, work):
    """{(kind, group, k): {rank: (start, end)}} of at least two ranks."""
    out = {}
    for rank, events in work.items():
        counts = {}
        for start, end, _, call in sorted((e for e in events if e[2] == "comm"), key=lambda e: e[0]):
            key = (call["kind"], call["group"])
            k = call["number"] if job.numbered else counts.get(key, 0)
            counts[key] = counts.get(key, 0) + 1
            out.setdefault(key + (k,), {})[rank] = (start, end)
    return {key: ranks for key, ranks in out.items() if len(ranks) > 1}


def offsets_of(job, matches):
    """Rank by rank as the page says; {rank: (clock, offset, error)}."""
    known, clock = {}, 0
    while len(known) < len(job.present):
        first = min(r for r in job.present if r not in known)
        known[first] = (clock, 0, None)
        progress = True
        while progress:
            progress = False
            for only in (True, False):
                for rank in job.present:
                    if rank in known:
                        continue
                    found = []
                    for (kind, _, _), ranks in matches.items():
                        others = sorted(r for r in ranks if r in known)
                        if rank in ranks and others and not (only and kind == "broadcast"):
                            other = others[0]
                            found.append(ranks[rank][1] - ranks[other][1] + known[other][1])
                    if found:
                        middle = median(found)
                        known[rank] = (clock, middle, median([abs(f - middle) for f in found]))
                        progress = True
                if progress:
                    break
        clock += 1
    return known


def judge(ranks, offsets):
    starts = {r: s - offsets[r][1] for r, (s, _) in ranks.items()}
    last = max(starts.values())
    wait = {r: min(max(last - starts[r], 0), e - s) for r, (s, e) in ranks.items()}
    late = min(r for r in starts if starts[r] == last)
    second = sorted(starts.values())[-2]
    return wait, late, last - second, last - min(starts.values())


def check_ranks(tap, place, store, job, work):
    matches = matches_of(job, work)
    if not matches:
        done = place.ptool("comm", store, "--ranks", check=False)
        return done.returncode != 3, "no match", done.returncode, done.stderr
    offsets = offsets_of(job, matches)
    singles = {(r["collective"], r["group"], r["sequence"]):
               (r["ranks"], r["total_ns"], r["wait_ns"], r["transfer_ns"], r["shortest_ns"], r["skew_ns"], r["late_ns"],
                r["late_rank"], r["missing_ranks"]) for r in comm(place, store, "--ranks", "--list")}
    expected, waits, late_calls, kinds = {}, {}, {}, {}
    members = dict(job.groups)
    for key, ranks in matches.items():
        wait, late, late_ns, skew = judge(ranks, offsets)
        durs = {r: e - s for r, (s, e) in ranks.items()}
        missing = str([r for r in members[key[1]] if r not in ranks])
        expected[key] = (len(ranks), sum(durs.values()), sum(wait.values()), sum(durs.values()) - sum(wait.values()),
                         min(durs.values()), skew, late_ns, late if late_ns else None, missing)
        for r in ranks:
            waits.setdefault(r, [0, 0, 0])
            waits[r] = [waits[r][0] + 1, waits[r][1] + wait[r], waits[r][2] + durs[r] - wait[r]]
        if late_ns:
            late_calls[late] = late_calls.get(late, 0) + 1
        kind = kinds.setdefault(key[:2], [0, 0, 0])
        kinds[key[:2]] = [kind[0] + 1, kind[1] + sum(wait.values()), max(kind[2], skew)]
    by_rank = {r["rank"]: r for r in comm(place, store, "--ranks", "--by", "rank")}
    got_waits = {r: [row["calls"], row["wait_ns"], row["transfer_ns"]] for r, row in by_rank.items() if row["calls"]}
    got_offsets = {r: (row["clock"], row["clock_offset_ns"], row["clock_error_ns"]) for r, row in by_rank.items()}
    got_late = {r: row["late_calls"] for r, row in by_rank.items() if row["late_calls"]}
    got_kinds = {(r["collective"], r["group"]): [r["calls"], r["wait_ns"], r["skew_ns"]]
                 for r in comm(place, store, "--ranks")}
    failed = (singles != expected or got_waits != waits or got_offsets != offsets or got_late != late_calls
              or got_kinds != kinds)
    return failed, [(k, singles.get(k), expected.get(k)) for k in set(singles) | set(expected)
                    if singles.get(k) != expected.get(k)][:2], (got_waits, waits), (got_offsets, offsets)


def check_planted(job, place, store):
    """What was planted is found: the clocks to within the jitter, and who is late."""
    rows = {r["rank"]: r for r in comm(place, store, "--ranks", "--by", "rank")}
    reference = {}
    for rank in sorted(rows):
        reference.setdefault(rows[rank]["clock"], rank)
    wrong = [(rank, row["clock_offset_ns"], job.offset[rank] - job.offset[reference[row["clock"]]])
             for rank, row in rows.items()
             if row["calls"] >= 3 and abs(row["clock_offset_ns"] - job.offset[rank]
                                          + job.offset[reference[row["clock"]]]) > 2 * planted.JITTER_NS]
    latest = max(rows.values(), key=lambda r: (r["late_calls"], r["late_ns"]))
    return wrong, latest["rank"]


def check_jobs(tap):
    failures, found, sought = [], 0, 0
    for seed in SEEDS:
        job = planted.Job(seed)
        with storetap.Workplace() as place:
            files, work = [], {}
            for rank in job.present:
                text, work[rank] = job.trace(rank)
                files.append(place.path(f"r{rank}.json"))
                with open(files[-1], "w", encoding="utf-8") as out:
                    out.write(text)
            store = place.ingest(*files)
            if not any(e[2] == "comm" for events in work.values() for e in events):
                continue
            for name, check in ("sums", check_sums), ("ranks", check_ranks):
                bad, *details = check(tap, place, store, job, work)
                if bad:
                    failures.append((seed, name, *details))
            if matches_of(job, work):
                wrong, latest = check_planted(job, place, store)
                if wrong:
                    failures.append((seed, "clocks", wrong))
                sought += 1
                found += latest == job.straggler
    tap.ok(not failures, f"{len(SEEDS)} jobs: sums, exposure, bandwidths, waits, clocks and missing ranks",
           *failures)
    tap.ok(found >= 0.9 * sought > 0, f"the planted straggler is the one that comes last ({found} of {sought})")


def plugin_cases(tap):
    """The numbers that the TensorBoard plugin's own tests assert."""
    folder = os.path.join(storetap.SHARED, "data", "tb-cases")
    if not os.path.isdir(folder):
        tap.skip("the plugin's distributed cases", "no shared material here")
        return
    for number in (21, 22, 23, 24):
        path = glob.glob(os.path.join(folder, f"{number}-*.json"))[0]
        with open(path, encoding="utf-8") as file:
            case = json.load(file)
        with storetap.Workplace() as place:
            check_plugin_case(tap, place, number, case)


def check_plugin_case(tap, place, number, case):
    traces = case.get("traces") or {"worker0": case["trace"]}
    files = []
    for worker, events in traces.items():
        files.append(place.path(f"{worker}.json"))
        with open(files[-1], "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": events,
                       "distributedInfo": {"rank": int(worker[-1]), "world_size": len(traces)}}, out)
    store = place.ingest(*files)
    rows = comm(place, store)
    if number == 24:
        tap.same([(r["collective"], r["calls"], r["side"]) for r in rows], [("all_reduce", 1, "launch")],
                 "case 24: an annotation of NCCL is a collective")
        return
    must = case["expect"]["must"]["distributed"]
    wanted = {(int(w[-1]), name.split(":")[1]): (calls, size) for w, ops in must["comm_ops"].items()
              for name, calls, size, *_ in ops}
    tap.same({(r["rank"], r["collective"]): (r["calls"], r["bytes"]) for r in rows}, wanted,
             f"case {number}: calls and bytes of every rank and operator")
    if number == 21:
        check_nccl_case(tap, place, store, traces, must)
        return
    overlap = {int(w[-1]): (v[1], v[2]) for w, v in must["steps_to_overlap"]["0"].items()}
    tap.same({r["rank"]: (r["overlap_ns"] // 1000, r["exposed_ns"] // 1000) for r in comm(place, store, "--by", "rank")},
             overlap, f"case {number}: overlap and exposed of every rank")
    check_transfer(tap, place, store, {}, must, number)


def check_transfer(tap, place, store, host, must, number):
    """
    The plugin takes the shortest of all ranks off each range's end: a transfer is that
    from there on, and all of it a union.  `host` are ranges that it counts beside ours.
    """
    shortest = {(r["collective"], r["sequence"]): r["shortest_ns"] for r in comm(place, store, "--ranks", "--list")}
    ranges, real, counts = {}, {}, {}
    for row in comm(place, store, "--list"):
        key = row["rank"], row["collective"]
        k = counts[key] = counts.get(key, -1) + 1
        end = row["start_ns"] + row["dur_ns"]
        ranges.setdefault(key, []).append((row["start_ns"], end))
        real.setdefault(key, []).append((end - shortest[row["collective"], k], end))
    for key, (mine, transfer) in host.items():
        ranges[key].append(mine)
        real[key].append(transfer)
    got = {key: (length(ranges[key]) // 1000, length(real[key]) // 1000) for key in ranges}
    wanted = {(int(w[-1]), name.split(":")[1]): (latency, transfer) for w, ops in must["comm_ops"].items()
              for name, _, _, _, latency, _, transfer, _ in ops}
    tap.same(got, wanted, f"case {number}: latency and transfer by the plugin's rule from ptool's calls")


def check_nccl_case(tap, place, store, traces, must):
    """It counts the launching range, too: ours and that are its numbers."""
    host, shortest = {}, {}
    starts = {int(w[-1]): min(e["ts"] for e in events) for w, events in traces.items()}
    for events in traces.values():
        for e in events:
            if e["name"].startswith("nccl:"):
                shortest[e["name"]] = min(e["dur"], shortest.get(e["name"], 1 << 60))
    for worker, events in traces.items():
        rank = int(worker[-1])
        for e in events:
            if e["name"].startswith("nccl:"):
                start, end = (e["ts"] - starts[rank]) * 1000, (e["ts"] + e["dur"] - starts[rank]) * 1000
                host[rank, e["name"].split(":")[1]] = (start, end), (end - shortest[e["name"]] * 1000, end)
    check_transfer(tap, place, store, host, must, 21)


def exact_recordings(tap):
    """Unions of exact integers of real recordings, computed elsewhere."""
    names = {"trace_diff_test": "trace_diff__test__test", "trace_diff_control": "trace_diff__control__control"}
    for name, oracle in names.items():
        path = os.path.join(storetap.SHARED, "data", "gpu", f"{name}.json.gz")
        if not os.path.exists(path):
            tap.skip(name, "no shared material here")
            continue
        with open(os.path.join(storetap.SHARED, "data", "exact-oracle", f"{oracle}.json"), encoding="utf-8") as file:
            truth = json.load(file)["timeline"]
        with storetap.Workplace() as place:
            store = place.ingest(path)
            row = comm(place, store, "--by", "rank")[0]
            tap.same((row["busy_ns"], row["exposed_ns"], row["overlap_ns"]),
                     (truth["comm_union"], truth["exposed_comm"], truth["comm_comp_overlap"]),
                     f"{name}: union, exposed and overlap of the collectives")
            check_sizes(tap, place, store, path, name)


def check_sizes(tap, place, store, path, name):
    """Bytes of all kernels whose launch and range the recording has."""
    widths = {"float": 4, "int": 4, "long int": 8}
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    wanted = 0
    for e in events:
        args = e.get("args", {})
        if e.get("name", "").startswith("nccl:all_to_all") and args.get("Input type", [""])[0] in widths:
            product = widths[args["Input type"][0]]
            for n in args["Input Dims"][0]:
                product *= n
            wanted += product
    got = sum(r["bytes"] or 0 for r in comm(place, store) if r["collective"] == "all_to_all")
    tap.same(got, wanted, f"{name}: bytes of its all_to_alls")


def main():
    tap = storetap.Tap()
    check_jobs(tap)
    plugin_cases(tap)
    exact_recordings(tap)
    tap.done()


if __name__ == "__main__":
    main()
