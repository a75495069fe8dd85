#!/usr/bin/env python3
"""Ranks by axes: what pairs with what, against a slow second computation.

Made jobs of pipeline stages, data parallel replicas and tensor parallel ranks, whose traces
are named as SGLang names them and record no process group: the k-th all_reduce of the
tensor parallel ranks of one stage and replica is one collective, and no other rank's.
"""
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store",)]
from storetap import Tap, Workplace  # noqa: E402

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def fleet(r, sizes):
    """By (pp, dp, tp): the (start, end) of its collectives; those of a group end at once."""
    calls = {}
    for pp in range(sizes[0]):
        for dp in range(sizes[1]):
            now = [1000] * sizes[2]
            for _ in range(r.randint(3, 9)):
                now = [t + r.randint(5, 90) for t in now]
                end = max(now) + r.randint(5, 60)
                for tp in range(sizes[2]):
                    calls.setdefault((pp, dp, tp), []).append((now[tp], end))
                now = [end] * sizes[2]
    return calls


def trace(calls, info=None, **group):
    """JSON of one rank: kernels, with what launched them."""
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python3"}},
              {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "ts": 0, "args": {"labels": "GPU 0"}}]
    for k, (start, end) in enumerate(calls, 1):
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100,
                    "ts": start - 4, "dur": 1, "args": {"correlation": k}},
                   {"ph": "X", "cat": "kernel", "name": NCCL, "pid": 0, "tid": 7, "ts": start, "dur": end - start,
                    "args": dict({"device": 0, "stream": 7, "correlation": k, "Collective name": "allreduce",
                                  "dtype": "Float", "In msg nelems": 100, "Out msg nelems": 100}, **group)}]
    head = {"schemaVersion": 1, "baseTimeNanoseconds": 0, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}
    if info:
        head["distributedInfo"] = info
    return dict(head, traceEvents=events)


def rows(place, command, *operands):
    return json.loads(place.ptool(*command.split(), *operands, "--format", "json").stdout)["rows"]


def expected(calls):
    """By (pp, dp): calls, time that ranks waited for the last, time behind that."""
    out = {}
    for (pp, dp, tp), own in calls.items():
        others = [c for (p, d, _), c in calls.items() if (p, d) == (pp, dp)]
        last = [max(c[k][0] for c in others) for k in range(len(own))]
        row = out.setdefault((pp, dp), [len(own), 0, 0])
        row[1] += sum(late - start for (start, _), late in zip(own, last)) * 1000
        row[2] += sum(end - late for (_, end), late in zip(own, last)) * 1000
    return out


def check_pairs(tap, place, seed):
    r = random.Random(seed)
    sizes = r.choice([(2, 1, 2), (2, 2, 2), (1, 2, 3), (3, 1, 2)])
    calls = fleet(r, sizes)
    folder = place.path(f"pairs{seed}")
    os.mkdir(folder)
    for (pp, dp, tp), own in calls.items():
        with open(os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}-PP-{pp}.trace.json"), "w") as out:
            json.dump(trace(own), out)
    store = place.path(f"pairs{seed}.db")
    place.ptool("ingest", "-q", "-o", store, folder)
    want = {}
    for (pp, dp), row in expected(calls).items():
        name = ", ".join(([f"pp {pp}"] if sizes[0] > 1 else []) + ([f"dp {dp}"] if sizes[1] > 1 else []))
        want[name] = tuple(row)
    for how in (store, folder):
        got = {row["group"]: (row["calls"], row["wait_ns"], row["transfer_ns"])
               for row in rows(place, "comm --ranks", how)}
        tap.ok(got == want, f"seed {seed}, {sizes}: collectives pair within stage and replica", got, want)
    ranks = {row["rank"]: row for row in rows(place, "info", store)}
    tap.ok(all(ranks[(dp * sizes[0] + pp) * sizes[2] + tp]["tp"] == tp for pp, dp, tp in calls),
           f"seed {seed}: tensor parallel ranks follow each other")


def check_sums(tap, place):
    """What commands say by an axis is the sum of what they say by rank."""
    calls = fleet(random.Random(2), (2, 2, 2))
    folder = place.path("sums")
    os.mkdir(folder)
    for (pp, dp, tp), own in calls.items():
        with open(os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}-PP-{pp}.trace.json"), "w") as out:
            json.dump(trace(own), out)
    store = place.path("sums.db")
    place.ptool("ingest", "-q", "-o", store, folder)
    place_of = {row["rank"]: row for row in rows(place, "info", store)}
    for command, columns in (("ranks", "wall_ns compute_ns wait_ns transfer_ns idle_ns late_ns"),
                             ("comm", "calls total_ns bytes exposed_ns overlap_ns"),
                             ("comm --ranks", "calls wait_ns transfer_ns late_calls late_ns"),
                             ("top -n0", "calls self_device_ns total_device_ns")):
        for axis in ("tp", "pp", "dp"):
            want = {}
            for row in rows(place, f"{command} --by rank", store):
                key = (place_of[row["rank"]][axis], row.get("name"))
                for column in columns.split():
                    want.setdefault(key, dict.fromkeys(columns.split(), 0))[column] += row[column] or 0
            got = {(row[axis], row.get("name")): {c: row[c] or 0 for c in columns.split()}
                   for row in rows(place, f"{command} --by {axis}", store)}
            tap.ok(got == want and len(got) > 1, f"ptool {command} --by {axis} adds up ranks", got, want)
    for command in ("ranks", "comm", "top", "steps", "devices", "kernels"):
        done = place.ptool(command, "--by", "cp", store, check=False)
        tap.ok(done.returncode == 3 and "--by cp: neither" in done.stderr, f"ptool {command} --by cp says that nothing tells it",
               done.returncode, done.stderr)


def steps_of(events, r, calls):
    """Of each rank some steps, of which the last has as much device work as the others."""
    count = r.randint(1, 4)
    for k in range(count):
        start, end = 900 + 3000 * k, 900 + 3000 * k + r.randint(1000, 2900)
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{k}", "pid": 100, "tid": 100, "ts": start,
                       "dur": end - start, "args": {}})
        for n, _ in enumerate(calls):
            at = start + 10 + 50 * n
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": at, "dur": 2,
                        "args": {"correlation": 1000 * (k + 1) + n}},
                       {"ph": "X", "cat": "kernel", "name": f"gemm_{n % 3}", "pid": 0, "tid": 7, "ts": at + 3, "dur": r.randint(1, 40),
                        "args": {"device": 0, "stream": 7, "correlation": 1000 * (k + 1) + n}}]


def nearest(values, percent):
    return sorted(values)[-(-len(values) * percent // 100) - 1]


def check_steps(tap, place):
    """What steps, devices and kernels say by an axis, from what they say of single ranks; from slices, summaries, folders."""
    r = random.Random(5)
    calls = fleet(r, (2, 2, 2))
    folder, stores, bare = place.path("steps"), place.path("steps.d"), place.path("steps.bare.db")
    os.mkdir(folder)
    os.mkdir(stores)
    for (pp, dp, tp), own in calls.items():
        made = trace(own[:1])
        if (pp, dp, tp) != (1, 1, 1):  # that has no step
            steps_of(made["traceEvents"], r, own)
        # of one rank two recordings, as SGLang writes them by stage
        file = os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}-PP-{pp}.trace.json")
        if (pp, dp, tp) == (0, 1, 0):
            with open(file.replace(".trace", "-DECODE.trace"), "w") as out:
                json.dump(made, out)
        with open(file, "w") as out:
            json.dump(made, out)
        place.ptool("ingest", "-q", "--run", "x", "-o", os.path.join(stores, f"{pp}{dp}{tp}.db"), file,
                    *([file.replace(".trace", "-DECODE.trace")] if (pp, dp, tp) == (0, 1, 0) else []))
    store = place.path("steps.db")
    place.ptool("ingest", "-q", "-o", store, folder)
    place.ptool("ingest", "-q", "--summary-only", "-o", bare, folder)
    place_of = {row["profile"]: row for row in rows(place, "info", store)}
    single = [row for row in rows(place, "steps", store) if row["step"] != "mean" and not row["is_dropped"]]
    by_step = ("kernel_ns memcpy_ns communication_ns runtime_ns cpu_exec_ns other_ns gpu_busy_ns gpu_idle_ns gpu_compute_ns "
               "exposed_comm_ns").split()
    devices, sums = rows(place, "devices", store), "span_ns busy_ns idle_ns compute_ns events kernel_ns steps_ns busy_in_steps_ns".split()
    for axis in ("tp", "dp", "pp"):
        want, wanted = [], []
        for at in (0, 1):
            own = [row for row in single if place_of[row["profile"]][axis] == at]
            lengths = [row["total_ns"] for row in own]
            want.append([at, len({row["rank"] for row in own}), len(own), sum(lengths), sum(lengths) / len(own), min(lengths),
                         nearest(lengths, 50), nearest(lengths, 95), max(lengths), *[sum(row[c] for row in own) for c in by_step]])
            own = [row for row in devices if place_of[row["profile"]][axis] == at]
            busy = [row["utilization_pct"] for row in own if row["utilization_pct"] is not None]
            wanted.append([at, len({row["rank"] for row in own}), len(own), min(busy), max(busy), *[sum(row[c] for row in own) for c in sums]])
        for how in (store, bare, stores):
            got = [[row[c] for c in (axis, "ranks", "steps", "total_ns", "mean_ns", "min_ns", "p50_ns", "p95_ns", "max_ns", *by_step)]
                   for row in rows(place, f"steps --by {axis}", how)]
            tap.ok(got == want, f"ptool steps --by {axis} {os.path.basename(how)}", got, want)
            got = [[row[c] for c in (axis, "ranks", "devices", "least_utilization_pct", "most_utilization_pct", *sums)]
                   for row in rows(place, f"devices --by {axis}", how)]
            tap.ok(got == wanted, f"ptool devices --by {axis} {os.path.basename(how)}", got, wanted)
            want_k = {}
            for row in rows(place, "kernels -n0 --by name,rank", how):
                key = (row["name"], next(p[axis] for p in place_of.values() if p["rank"] == row["rank"]))
                old = want_k.get(key, (0, 0, 0))
                want_k[key] = (old[0] + row["calls"], old[1] + row["total_ns"], max(old[2], row["max_ns"]))
            got_k = {(row["name"], row[axis]): (row["calls"], row["total_ns"], row["max_ns"])
                     for row in rows(place, f"kernels -n0 --by name,{axis}", how)}
            tap.ok(got_k == want_k and len(got_k) > 4, f"ptool kernels --by {axis} {os.path.basename(how)}", got_k, want_k)


def check_imbalance(tap, place, uneven):
    """Experts between exchanges: ranks that take longer wait less in the exchange behind them."""
    r = random.Random(uneven)
    folder, work = place.path(f"experts{uneven}"), {}
    os.mkdir(folder)
    layers = r.randint(4, 12)
    for pp in range(2):
        ends = [1000 + 400 * k for k in range(layers + 1)]
        for ep in range(3):
            calls, events = [], []
            for k in range(layers + (uneven if ep == 2 else 0)):
                pieces = [r.randint(1, 90) for _ in range(r.randint(1, 3))]
                now = ends[min(k, layers - 1)] + 10 + (200 if k >= layers else 0)
                for dur in pieces:
                    events.append(("fused_moe_kernel", now, dur))
                    now += dur
                exchange = (ends[k + 1] if k < layers else now + 30) - now
                # of layer 1 rank 2 does not tell its tokens, of layer 2 they contradict, layer 3 has a cut list
                tokens = None if k in (1, 2, 3) and ep == 2 else sum(pieces) // 7 + ep
                split = {1: "[]", 2: "[77]", 3: "[1, ..., 3]"}.get(k, "[]") if tokens is None else f"[{tokens}, 0]"
                events += [("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", now, exchange, split, "[5, 5]"),
                           ("rms_norm_kernel", now + exchange, 5)]
                if k % 2 == 0:  # a dispatch before it
                    events.insert(-2 - len(pieces), ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", events[-2 - len(pieces)][1] - 3,
                                                     2, "[1, 1]", f"[{tokens if tokens is not None else 78}]"))
                calls.append((sum(pieces), exchange, tokens))
            work[pp, ep] = calls
            data = trace([])
            data["traceEvents"] += [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur,
                                     "args": dict({"device": 0, "stream": 7}, **({
                                         "Collective name": "all_to_allv", "In split size": split[0], "Out split size": split[1],
                                         "In msg nelems": 100, "Out msg nelems": 100} if split else {}))}
                                    for name, ts, dur, *split in events]
            with open(os.path.join(folder, f"17.2-TP-{ep}-PP-{pp}-EP-{ep}.trace.json"), "w") as out:
                json.dump(data, out)
    if uneven:  # nothing pairs: totals
        work = {key: [(sum(c[0] for c in calls), sum(c[1] for c in calls), sum(c[2] for c in calls) if all(
            c[2] is not None for c in calls) else None)] for key, calls in work.items() if key}
    want = {}
    for pp in range(2):
        mine = [work[pp, ep] for ep in range(3)]
        largest = sum(max(c[k][0] for c in mine) for k in range(len(mine[0])))
        total = sum(call[0] for c in mine for call in c)
        known = [k for k in range(len(mine[0])) if all(c[k][2] is not None for c in mine)]
        tokens = sum(c[k][2] for c in mine for k in known)
        most = sum(max(c[k][2] for c in mine) for k in known)
        want[f"pp {pp}"] = (len(mine[0]), total * 1000, largest * 1000, (largest * 1000 - total * 1000 // 3),
                            round(3 * largest / total, 9), sum(call[1] for c in mine for call in c) * 1000,
                            tokens if known else None, most if known else None, len(known),
                            round(3 * most / tokens, 9) if known else None)
    got = {row["group"]: (row["calls"], row["expert_ns"], row["max_ns"], row["cost_ns"], round(row["imbalance"], 9), row["then_ns"],
                          row["tokens"], row["max_tokens"], row["token_calls"], row["token_imbalance"] and round(row["token_imbalance"], 9))
           for row in rows(place, "comm --imbalance", folder)}
    tap.ok(got == want, f"imbalance of experts, uneven {uneven}", got, want)
    ranks = rows(place, "comm --imbalance --by rank", folder)
    tap.ok(sorted((row["expert_ns"], row["then_ns"]) for row in ranks) ==
           sorted((sum(call[0] for call in c) * 1000, sum(call[1] for call in c) * 1000) for c in work.values()),
           f"experts of each rank, uneven {uneven}", ranks)
    tap.ok(sum(row["tokens"] or 0 for row in ranks) == sum(w[6] or 0 for w in want.values()), f"tokens of each rank, uneven {uneven}",
           ranks)
    if not uneven:
        stores = place.path("stores")
        os.mkdir(stores)
        for file in os.listdir(folder):
            place.ptool("ingest", "-q", "--run", "x", "-o", os.path.join(stores, file + ".db"), os.path.join(folder, file))
        tap.same(rows(place, "comm --imbalance", stores), rows(place, "comm --imbalance", folder), "a folder of stores says the same")
        tap.ok(len({row["expert_ns"] + row["then_ns"] for row in ranks}) == 1, "who computes longer waits less")
        tap.ok(len(rows(place, "comm --imbalance --list", folder)) == 2 * layers, "a row for each call")


def check_groups(tap, place):
    """What torch writes of a device mesh of 2 stages, 2 shards and 2 tensor parallel ranks; and who contradicts it."""
    def config(number, description, ranks):
        return {"pg_name": str(number), "pg_desc": description, "backend_config": "cuda:nccl", "pg_size": len(ranks), "ranks": ranks}

    folder = place.path("mesh")
    os.mkdir(folder)
    for rank in range(8):
        groups = [config(0, "default_pg", list(range(8))), config(2, "mesh_pp", [rank % 4, rank % 4 + 4]),
                  config(8, "mesh_dp_shard", [rank & ~2, rank | 2]), config(11, "mesh_tp", [rank & ~1, rank | 1]),
                  config(14, "mesh_dp_tp", [(rank & ~3) + k for k in range(4)])]
        if rank == 3:  # and one of another model
            groups.append(config(20, "mesh_tp", [rank, 7]))
        name = "TP-0-PP-1" if rank == 6 else "TP-1-PP-0"
        with open(os.path.join(folder, f"17.{rank}-{name}.trace.json" if rank in (5, 6) else f"rank{rank}.json"), "w") as out:
            json.dump(trace([(1000, 1100)], {"backend": "nccl", "rank": rank, "world_size": 8, "pg_count": 15, "pg_config": groups}), out)
    store = place.path("mesh.db")
    place.ptool("ingest", "-q", "-o", store, folder)
    got = [(row["rank"], row["pp"], row["dp"], row["tp"]) for row in rows(place, "info", store)]
    want = [(r, None if r == 5 else r // 4, r // 2 % 2, None if r == 3 else r % 2) for r in range(8)]
    tap.ok(sorted(got) == want, "places in a device mesh, but where something contradicts them", got, want)
    told = [(row["rank"], row["detail"], row["excerpt"]) for row in rows(place, "doctor", store) if row["code"] == "axes_differ"]
    tap.ok(sorted(told) == [(3, "tp", "process groups 1 and others"), (5, "pp", "process groups 1, the file's name 0")],
           "who contradicts whom is told", told)


def check_replicas(tap, place):
    """Two jobs of two ranks, which record the same groups of the same ranks."""
    calls = fleet(random.Random(1), (1, 2, 2))
    folder = place.path("replicas")
    os.mkdir(folder)
    for (_, dp, tp), own in calls.items():
        with open(os.path.join(folder, f"17.2-TP-{tp}-DP-{dp}.trace.json"), "w") as out:
            json.dump(trace(own, {"backend": "nccl", "rank": tp, "world_size": 2}, **{
                "Process Group Name": "3", "Process Group Ranks": "[0, 1]", "Group size": 2}), out)
    got = [(row["group"], row["calls"], row["wait_ns"], row["transfer_ns"]) for row in rows(place, "comm --ranks", folder)]
    want = [(f"replica {dp}: 3 [0, 1]", *row) for (_, dp), row in sorted(expected(calls).items())]
    tap.ok(sorted(got) == want, "groups of replicas that are jobs of their own are kept apart", got, want)


def check_captures(tap, place):
    """SGLang's files of one rank, by stage or by capture, are of that rank: no ranks of a job, whose collectives pair."""
    calls = {key: own for key, own in fleet(random.Random(2), (1, 1, 2)).items()}
    for tps, stages in (((0,), ("-EXTEND", "-DECODE")), ((0, 1), ("-EXTEND", "-DECODE"))):
        folder = place.path(f"stages{len(tps)}")
        os.mkdir(folder)
        for (_, _, tp), own in calls.items():
            for stage in stages if tp in tps else ():
                with open(os.path.join(folder, f"17.2-TP-{tp}{stage}.trace.json"), "w") as out:
                    json.dump(trace(own), out)
        got = sorted((os.path.basename(row["path"])[:-len(".json")], row["rank"]) for row in rows(place, "info", folder))
        want = sorted((f"17.2-TP-{tp}{stage}.trace", tp) for tp in tps for stage in stages)
        tap.ok(got == want, f"{len(got)} files of {len(tps)} ranks", got, want)
        text = place.ptool("info", folder).stdout
        tap.ok(all(name in text for name, _ in want), "names tell files of one rank apart", text)
        done = place.ptool("comm", "--ranks", folder, check=False)
        tap.ok((done.returncode == 0) == (len(tps) > 1), "one rank is not compared with itself", done.stderr)


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(4):
            check_pairs(tap, place, seed)
        check_replicas(tap, place)
        check_captures(tap, place)
        check_groups(tap, place)
        check_sums(tap, place)
        check_steps(tap, place)
        check_imbalance(tap, place, 0)
        check_imbalance(tap, place, 1)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
