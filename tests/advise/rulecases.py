"""For each rule of `ptool advise` three traces: one where it fires, with the saving in ns a step that the plan gives
(None: none can be computed), one just below the threshold, one in which it cannot run.
"""
from ruletrace import GPU, STEP, Trace, busy, frames, gapped, host_only, unlaunched

OLD = dict(GPU, computeMajor=3, computeMinor=0)
PASCAL = dict(GPU, computeMajor=6, computeMinor=1)
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
GAP_SHARE = 59  # short gaps of three steps of 20 kernels


def data_loading(ns, name="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
    t = Trace()
    for start in t.starts:
        t.host(name, start + 10, ns)
        t.host("aten::mm", start + 500_000, 1000)
    return [t]


def data_parallel(devices):
    t = Trace()
    t.host("DataParallel.forward", 100, 5000)
    for device in range(devices):
        t.kernel(20_000, 100_000, 10_000 + 10 * device, device=device)
    return [t]


def data_parallel_host():
    t = Trace()
    t.host("DataParallel.forward", 100, 5000)
    return [t]


def ddp(devices):
    t = Trace(devices=devices)
    t.host("DistributedDataParallel.forward", 100, 5000)
    return [t]


def collective(ns):
    """Computes for 100 us, then communicates."""
    t = Trace()
    for start in t.starts:
        t.kernel(start + 20_000, 100_000, start + 10_000)
        t.kernel(start + 120_000, ns, start + 11_000, name=NCCL)
    return [t]


def capable(device, name="ampere_sgemm_128x64_nn"):
    t = Trace(devices=[device] if device else [])
    for start in t.starts:
        t.host("aten::mm", start + 5000, 20_000)
        t.kernel(start + 40_000, 900_000, start + 10_000, name=name)
    return [t]


def synchronizing(gap):
    return [gapped(gap, lambda t, a, b: t.host("cudaDeviceSynchronize", a, b - a, "cuda_runtime"))]


def profiling(gap):
    return [gapped(gap, lambda t, a, b: t.host("Activity Buffer Request", a, b - a, "overhead"))]


def launching(gap):
    """20 kernels a step, and before each but the first a gap in which it is launched."""
    t = Trace()
    for i in range(20 * len(t.starts)):
        at = i * STEP // 20
        t.kernel(at, STEP // 20 - gap, max(at - 1000, 0), took=10)
    return [t]


def launching_behind_waits(gap, wait):
    """The same, and in the first gap of each step behind the first a wait of that length."""
    t = launching(gap)[0]
    for start in t.starts[1:]:
        t.host("cudaDeviceSynchronize", start - gap + 1000, wait, "cuda_runtime")
    return [t]


def copying(ns, name="Memcpy HtoD (Pageable -> Device)"):
    t = busy(Trace(), 100_000)
    for start in t.starts:
        t.kernel(start + 130_000, ns, start + 12_000, name=name, cat="gpu_memcpy")
    return [t]


def allocating(steps, dur=7000, name="cudaMalloc", at=2000):
    """The device is idle until 20 us after the start of a step."""
    t = busy(Trace(), 900_000)
    for start in [t.starts[step] for step in steps]:
        t.host(name, start + at, dur, "cuda_runtime")
    return [t]


def filling(total):
    t = busy(Trace(), 900_000)
    t.memory(1000, total, total)
    t.memory(2000, -total, 0)
    return [t]


def growing(ends):
    t = busy(Trace(steps=len(ends)), 900_000)
    before = 0
    for start, end in zip(t.starts, ends):
        t.memory(start + 1000, end - before, end)
        before = end
    return [t]


def reduces(t, number, begin, end, group=0):
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 1000,
            "Group size": 2, "Process Group Name": str(group), "Process Group Ranks": "[0, 1]", "Seq": number}
    t.kernel(begin, end - begin, t.starts[number] + 10_000, name=NCCL, stream=20 + group, **args)


def late(ns):
    """Two ranks, a collective a step, to which rank 1 comes later."""
    ranks = [Trace(rank=rank) for rank in range(2)]
    for rank, t in enumerate(ranks):
        for number, start in enumerate(t.starts):
            reduces(t, number, start + 100_000 + rank * ns, start + 500_000)
    return ranks


def late_in_groups(groups, computes):
    """Rank 1 comes 300 us later to collectives of that many groups at once, beside which the others compute."""
    ranks = [Trace(rank=rank) for rank in range(2)]
    for rank, t in enumerate(ranks):
        for number, start in enumerate(t.starts):
            for group in range(groups):
                reduces(t, number, start + 100_000 + rank * 300_000, start + 500_000, group)
            if computes:
                t.kernel(start + 50_000, computes, start + 10_000)
    return ranks


def first_is_late(jitter):
    """Rank 0, whose clock the other is aligned with, comes 30 us late; rank 1 leaves that much earlier or later."""
    ranks = [Trace(rank=rank) for rank in range(2)]
    for rank, t in enumerate(ranks):
        for number, start in enumerate(t.starts):
            end = start + 500_000 + rank * (number - 1) * jitter
            reduces(t, number, start + 100_000 + (1 - rank) * 30_000, end)
    return ranks


def too_late():
    """In two of five steps rank 1 comes when rank 0, there for 100 us, has left for long."""
    ranks = [Trace(rank=rank, steps=5) for rank in range(2)]
    for rank, t in enumerate(ranks):
        for number, start in enumerate(t.starts):
            begin = start + 100_000 + (400_000 if rank and number > 2 else 0)
            reduces(t, number, begin, begin + 100_000)
    return ranks


# Rule: what fires and its saving, what does not fire, what cannot run.
CASES = {
    "data-loading": (data_loading(60_000), 60_000, data_loading(50_000), [frames()]),
    "data-parallel": (data_parallel(2), None, data_parallel(1), data_parallel_host()),
    "ddp-backend": (ddp([GPU]), None, ddp([OLD]), ddp([])),
    "communication": (collective(100_001), 100_001, collective(100_000), [frames()]),
    "low-utilization": ([busy(Trace(), 499_999)], None, [busy(Trace(), 500_000)], [host_only()]),
    "mixed-precision": (capable(GPU), None, capable(PASCAL), capable(None)),
    "memory-limit": (filling(901), None, filling(900), [busy(Trace(), 900_000)]),
    "synchronization": (synchronizing(20_001), 20_001, synchronizing(20_000), [unlaunched()]),
    "launch-bound": (launching(5085), GAP_SHARE * 5085 // 3, launching(5084), [unlaunched()]),
    "pageable-copies": (copying(10_001), 10_001, copying(10_000), copying(10_001, "CopyHostToDevice")),
    "exposed-communication": (collective(50_001), 50_001, collective(50_000), [host_only()]),
    "stragglers": (late(21_000), None, late(19_000), [busy(Trace(rank=0), 900_000)]),
    "memory-growth": (growing([500, 600, 610, 620, 630]), None, growing([500, 600, 610, 610, 630]),
                      [busy(Trace(), 900_000)]),
    "allocator-churn": (allocating([0, 1, 2]), 7000, allocating([0, 0, 1]), [host_only()]),
    "low-occupancy": ([busy(Trace(), 900_000, **{"est. achieved occupancy %": 14})], None,
                      [busy(Trace(), 900_000, **{"est. achieved occupancy %": 15})], [busy(Trace(), 900_000)]),
    "small-batch": ([busy(Trace(), 900_000, **{"blocks per SM": 0.49})], None,
                    [busy(Trace(), 900_000, **{"blocks per SM": 0.51})], [busy(Trace(), 900_000)]),
    "profiler-overhead": (profiling(10_001), None, profiling(10_000), [unlaunched()]),
    "warm-up": ([busy(Trace(steps=4, lengths=[2 * STEP]), 900_000)], None,
                [busy(Trace(steps=4, lengths=[STEP * 11 // 10]), 900_000)], [busy(Trace(steps=2), 900_000)]),
}
