"""Traces of several ranks whose collectives, clocks and stragglers are known.

`Job(seed)` plans a job: groups, collectives with sizes, a straggler, what each rank's clock
differs by, and which ranks were not recorded.  `Job.trace(rank)` is that rank's file.
"""
import random

DTYPES = {"Float": 4, "BFloat16": 2, "Half": 2, "Long": 8, "Byte": 1, "Float8_e4m3fn": 1, "Bool": 1}
# What the file says, what it is, and the kernel's part of the name.
KINDS = [("allreduce", "all_reduce", "AllReduce_Sum_f32_RING_LL"), ("_allgather_base", "all_gather", "AllGather_RING_LL128"),
         ("_reduce_scatter_base", "reduce_scatter", "ReduceScatter_Sum_f32_TREE_SIMPLE"),
         ("broadcast", "broadcast", "Broadcast_RING_LL"), ("all_to_allv", "all_to_all", "SendRecv")]
JITTER_NS = 300  # how far apart ranks leave a collective
HOST = {"pid": 100, "tid": 100}


def micros(ns):
    """Exact decimal microseconds, as Kineto writes them."""
    return f"{ns // 1000}.{ns % 1000:03d}"


class Number(str):
    """JSON text of a number that is no double."""


class Job:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.world = r.randint(2, 5)
        self.present = sorted(r.sample(range(self.world), r.randint(2, self.world)))
        self.straggler = r.choice(self.present)
        self.offset = {rank: r.randint(-5_000_000, 5_000_000) for rank in range(self.world)}
        self.groups = [("0", list(range(self.world)))]
        if self.world > 2:
            self.groups.append(("7", sorted(r.sample(range(self.world), 2))))
        self.with_args = r.random() < 0.7  # else only record_param_comms has them
        self.numbered = r.random() < 0.5
        self.calls = {rank: [] for rank in range(self.world)}
        self.plan(r)

    def plan(self, r):
        now = {rank: 100_000_000 for rank in range(self.world)}
        for number in range(r.randint(5, 25)):
            group, ranks = self.groups[0] if r.random() < 0.7 else self.groups[-1]
            spelled, kind, kernel = r.choice(KINDS)
            dtype, elements, n = r.choice(list(DTYPES)), r.randint(1, 1 << 20), len(ranks)
            into, out = elements, elements
            if kind == "all_gather":
                out = elements * n
            elif kind == "reduce_scatter":
                into = elements * n
            for rank in ranks:  # everybody computes, the straggler more
                now[rank] += r.randint(1000, 90_000) + (200_000 if rank == self.straggler else 0)
            transfer = r.randint(1000, 400_000)
            end = max(now[rank] for rank in ranks) + transfer
            for rank in ranks:
                leave = end + r.randint(0, JITTER_NS)
                self.calls[rank].append(dict(
                    start=now[rank], end=leave, kind=kind, spelled=spelled, kernel=kernel, dtype=dtype, into=into,
                    out=out, group=group, ranks=ranks, number=number))
                now[rank] = leave + r.randint(0, 5000)

    def collective_args(self, call):
        args = {"Collective name": call["spelled"], "dtype": call["dtype"], "In msg nelems": call["into"],
                "Out msg nelems": call["out"], "Group size": len(call["ranks"]), "Process Group Name": call["group"],
                "Process Group Ranks": str(call["ranks"])}
        if self.numbered:
            args["Seq"] = call["number"]
        return args

    def trace(self, rank):
        """The JSON text of the rank's trace and its device events as (start, end, what, details)."""
        r = random.Random(self.random.random())
        clock, events, work = self.offset[rank], [], []

        def add(cat, name, start, end, where, args):
            events.append(dict(ph="X", cat=cat, name=name, ts=Number(micros(start)), dur=Number(micros(end - start)),
                               args=args, **where))

        correlation = 0
        for call in self.calls[rank]:
            correlation += 1
            start, end = call["start"] + clock, call["end"] + clock
            host = start - 20_000  # far before: nothing overlaps
            add("cpu_op", "c10d::op", host, host + 900, HOST, {"External id": correlation * 10})
            params = dict(self.collective_args(call), **{"External id": correlation * 10 + 1})
            add("cpu_op", "record_param_comms", host + 100, host + 800, HOST, params)
            add("cuda_runtime", "cudaLaunchKernelExC", host + 300, host + 500, HOST,
                {"correlation": correlation, "External id": correlation * 10 + 1})
            args = {"device": rank, "stream": 20, "correlation": correlation, "External id": correlation * 10 + 1}
            if self.with_args:
                args.update(self.collective_args(call))
            add("kernel", f"ncclDevKernel_{call['kernel']}(ncclDevKernelArgsStorage<4096ul>)", start, end,
                {"pid": rank, "tid": 20}, args)
            work.append((start, end, "comm", call))
        lo = min([c["start"] for c in self.calls[rank]], default=100_000_000)
        hi = max([c["end"] for c in self.calls[rank]], default=200_000_000)
        for i in range(r.randint(3, 40)):
            start = r.randint(lo, hi) + clock
            end = start + r.randint(0, 60_000)
            add("kernel", f"gemm_{i % 3}", start, end, {"pid": rank, "tid": 7 + i}, {"device": rank, "stream": 7 + i})
            work.append((start, end, "compute", None))
        r.shuffle(events)
        head = {"schemaVersion": 1, "baseTimeNanoseconds": 0,
                "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": self.world}, "traceEvents": events}
        return dump(head), work


def dump(value):
    """JSON in which a Number stands bare."""
    if isinstance(value, Number):
        return str.__str__(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dump(k)}: {dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",\n".join(dump(v) for v in value) + "]"
    if isinstance(value, str):
        return '"' + value + '"'
    return str(value)
