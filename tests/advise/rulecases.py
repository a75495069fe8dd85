"""For each rule of `ptool advise` three traces: one where it fires, with the saving in ns a step that the plan gives
(None: none can be computed), one just below the threshold, one in which it cannot run.
"""
from ruletrace import GPU, STEP, Trace, busy, cpu, frames, gapped, host_only, unlaunched

OLD = dict(GPU, computeMajor=3, computeMinor=0)
PASCAL = dict(GPU, computeMajor=6, computeMinor=1)
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
SOFTMAX = "void at::native::cunn_SoftMaxForward<8, float, float, float, SoftMaxForwardEpilogue>(float*, float const*, int)"
GAP_SHARE = 59  # short gaps of three steps of 20 kernels


def data_loading(ns, name="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
    t = cpu()
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


def ddp(devices, collective="gloo:all_reduce"):
    t = Trace(devices=devices)
    t.host("DistributedDataParallel.forward", 100, 5000)
    if collective:
        t.host(collective, 6000, 1000)
    return [t]


def broadcasting(ns, names=("aten::flatten_dense_tensors", "c10d::broadcast_", "aten::unflatten_dense_tensors", "aten::copy_")):
    """DistributedDataParallel broadcasts buffers for that long, while the device is idle; it is busy at all other times."""
    t = Trace()
    for start in t.starts:
        begin, end = start + 100_000, start + 100_000 + ns
        t.host("DistributedDataParallel.forward", start + 50_000, 800_000, "user_annotation")
        for i, name in enumerate(names):
            t.host(name, begin + ns * i // len(names), ns * (i + 1) // len(names) - ns * i // len(names))
        t.host("aten::conv2d", end, 100_000)
        t.kernel(start, 100_000, max(start - 10, 0))
        t.kernel(end, start + STEP - end, end - 10)
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


def launching(gap, name="aten::mm"):
    """20 kernels a step, and before each but the first a gap in which an operator launches it."""
    t = Trace()
    for i in range(20 * len(t.starts)):
        at = i * STEP // 20
        if i and name:
            t.host(name, at - gap, gap)
        t.kernel(at, STEP // 20 - gap, max(at - 10, 0), took=5)
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


def allocating(steps, dur=60_000, name="cudaMalloc", at=20_000):
    """The device is idle until 100 us after the start of a step."""
    t = Trace()
    for start in t.starts:
        t.kernel(start + 100_000, 800_000, start + 90_000)
    for start in [t.starts[step] for step in steps]:
        t.host(name, start + at, dur, "cuda_runtime")
    return [t]


def filling(total, trains=True):
    t = busy(Trace(), 900_000)
    if trains:
        t.host("autograd::engine::evaluate_function: MmBackward0", 500, 100)
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


ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)"


def host_collective(ns):
    t = cpu()
    for start in t.starts:
        t.host("gloo:all_reduce", start + 1000, ns)
    return [t]


def occupied(pct):
    return [busy(Trace(), 900_000, name=ELEMENTWISE, **{"est. achieved occupancy %": pct, "blocks per SM": 4})]


def host_working(gap):
    """Steps of 100 ms; in the middle of each the device waits for an operator that takes long."""
    t = Trace(lengths=[100 * STEP] * 3)
    for start in t.starts:
        middle = start + 50 * STEP
        t.kernel(start, 50 * STEP, max(start - 40 * STEP, 0))
        t.host("aten::sort", middle, gap)
        t.kernel(middle + gap, 50 * STEP - gap, middle + gap - 10, took=5)
    return [t]


def charging():
    """host_working() for 15 ms: 3 ms of each of three operators, then 6 ms of an optimizer."""
    t = host_working(15 * STEP)[0]
    t.events = [event for event in t.events if event["name"] != "aten::sort"]
    for start in t.starts:
        middle = start + 50 * STEP
        for i in range(3):
            t.host(f"aten::sort{i}", middle + 3 * STEP * i, 3 * STEP)
        t.host("Optimizer.step#SGD.step", middle + 9 * STEP, 6 * STEP - 20, "user_annotation")
    return [t]


def collecting(gap):
    return [gapped(gap, lambda t, a, b: t.host("Python GC", a, b - a))]


def unfused(ns):
    """A product of matrices, then two elementwise kernels, the second of that length."""
    t = Trace()
    for start in t.starts:
        t.kernel(start + 20_000, 500_000, start + 10_000)
        t.kernel(start + 520_000, 200_000, start + 11_000, name=ELEMENTWISE)
        t.kernel(start + 720_000, ns, start + 12_000, name=ELEMENTWISE)
    return [t]


def compiling(ns):
    """torch compiles a frame again in the second step, while the device waits; it is busy at all other times."""
    t = Trace()
    for i, start in enumerate(t.starts):
        begin = start + 100_000
        end = begin + (ns if i == 1 else 0)
        if i < 2:
            t.host("_compile.compile_inner (dynamo_timed)", begin, max(end - begin, 10_000))
            t.host("OutputGraph.call_user_compiler (dynamo_timed)", begin + 10, max(end - begin, 10_000) - 20)
        t.host(f"Torch-Compiled Region: 0/{min(i, 1)}", max(end, begin + 10_000), 50_000)
        t.kernel(start, 100_000, max(start - 10, 0))
        t.kernel(end, start + STEP - end, end - 10)
    return [t]


def compiling_alone():
    """On the CPU alone, without steps: torch compiles nearly all the time; the rest is many small operators, and one long range of it."""
    t = cpu(steps=0)
    t.host("_compile.compile_inner (dynamo_timed)", 0, 8 * STEP)
    t.host("compile_file (dynamo_timed)", STEP, 6 * STEP)
    for i in range(2000):
        t.host(("aten::sqrt", "aten::copy_")[i % 2], 8 * STEP + i * 100, 100)
    t.host("Torch-Compiled Region: 0/0", 9 * STEP, STEP)
    return t


def attending(ns, name=SOFTMAX, between=1):
    """A product of matrices, elementwise kernels, a softmax of that length, a copy and a product."""
    t = Trace()
    for start in t.starts:
        names = ["ampere_sgemm_128x64_nn"] + [ELEMENTWISE] * between + [name, ELEMENTWISE, "ampere_sgemm_128x64_nn"]
        at = start + 20_000
        for i, each in enumerate(names):
            dur = ns if each == name else 100_000 if "gemm" in each else 1000
            t.kernel(at, dur, start + 1000 + i * 100, name=each)
            at += dur
    return [t]


def starting(ns):
    """A launch of that length, the first of its kernel; what follows is launched ahead."""
    t = Trace()
    t.kernel(20_000, 480_000, 10_000, took=3000)
    t.kernel(500_000 + ns, 500_000 - ns, 400_000, name=ELEMENTWISE, took=100_000 + ns)
    for start in t.starts[1:]:
        t.kernel(start, STEP, start - 100_000, name=ELEMENTWISE)
    return [t]


def calling(operators):
    """On the CPU alone: operators of (name, ns) one after another."""
    t = cpu()
    for start in t.starts:
        at = start
        for name, ns in operators:
            t.host(name, at, ns)
            at += ns
    return [t]


def on_threads(n, ns=300_000):
    """On the CPU alone: each thread runs an operator at the same time."""
    t = cpu()
    for start in t.starts:
        for thread in range(n):
            t.host("aten::mm", start, ns if thread else 500_000, tid=1 + thread)
    return [t]


def small(last):
    return calling([("aten::mul", 5000)] * 19 + [("aten::add", last)])


def uneven(ns, shapes=True, steps=4):
    """On the CPU alone, steps of 10 ms: 10 equal products in each, and in all but the first one of that length."""
    t = cpu(steps=steps, lengths=[10 * STEP] * steps)
    t.has_shapes = shapes
    for step, start in enumerate(t.starts):
        for i in range(10):
            t.host("aten::mm", start + i * 100_000, 100_000, **({"Input Dims": [[8, 8], [8, 8]]} if shapes else {}))
        t.host("aten::mm" if step else "aten::sort", start + STEP, ns, **({"Input Dims": [[8, 8], [8, 8]]} if shapes else {}))
    return [t]


def in_loader(ns):
    """uneven(), with all of it in the DataLoader."""
    t = uneven(ns)[0]
    for start in t.starts:
        t.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, 9 * STEP)
    return t


def tiny(n, name="aten::sqrt", shape=(128, 64)):
    """On the CPU alone, a step of 10 ms: calls of 2 ms, no two of one shape."""
    t = cpu(steps=1, lengths=[10 * STEP])
    t.has_shapes = True
    for i in range(n):
        t.host(name, i * 2 * STEP, 2 * STEP, **{"Input Dims": [[shape[0], shape[1] + i]]})
    return t


def one_long(ns):
    """On the CPU alone, steps of 10 ms: equal products, and in the last step one of that length."""
    t = cpu(lengths=[10 * STEP] * 3)
    for start in t.starts:
        for i in range(10):
            t.host("aten::mm", start + i * 100_000, 100_000)
    t.host("aten::mm", t.starts[-1] + STEP, ns)
    return [t]


def launching_unseen():
    """Steps in which an operator launches a kernel, and no kernel was recorded."""
    t = Trace(lengths=[10 * STEP] * 3)
    for start in t.starts:
        t.host("aten::mm", start, 9 * STEP)
        t.host("cudaLaunchKernel", start + 1000, STEP, "cuda_runtime", correlation=7)
    return [t]


def pausing():
    """On the CPU alone, steps of 10 ms: 8 ms of each run nothing."""
    t = cpu(lengths=[10 * STEP] * 3)
    for start in t.starts:
        t.host("aten::mm", start, STEP)
        t.host("aten::add", start + 9 * STEP, STEP)
        t.host("aten::empty", start + 9 * STEP, STEP // 2)
    return t


# Rule: what fires and its saving, what does not fire, what cannot run.
CASES = {
    "data-loading": (data_loading(60_000), 60_000, data_loading(50_000), [frames()]),
    "data-parallel": (data_parallel(2), None, data_parallel(1), data_parallel_host()),
    "ddp-backend": (ddp([GPU]), None, ddp([OLD]), ddp([])),
    "ddp-buffers": (broadcasting(20_001), 20_001, broadcasting(20_000), [frames()]),
    "communication": (host_collective(100_001), 100_001, host_collective(100_000), [frames()]),
    "low-utilization": ([busy(Trace(), 499_999)], 500_001, [busy(Trace(), 500_000)], [host_only()]),
    "mixed-precision": (capable(GPU), 900_000, capable(PASCAL), capable(None)),
    "memory-limit": (filling(901), None, filling(900), [busy(Trace(), 900_000)]),
    "synchronization": (synchronizing(20_001), 20_001, synchronizing(20_000), [unlaunched()]),
    "launch-bound": (launching(1017), GAP_SHARE * 1017 // 3, launching(1016), [unlaunched()]),
    "host-bound": (host_working(2_000_001), 2_000_001, host_working(2_000_000), [unlaunched()]),
    "idle-time": (collecting(20_001), 20_001, collecting(20_000), [host_only()]),
    "first-use": (starting(100_000), None, starting(1000), [unlaunched()]),
    "compiling": (compiling(30_003), 10_001, compiling(30_000), [frames()]),
    "pageable-copies": (copying(20_001), 20_001, copying(20_000), copying(20_001, "CopyHostToDevice")),
    "device-copies": (copying(20_001, "Memcpy DtoD (Device -> Device)"), 20_001, copying(20_000, "Memcpy DtoD (Device -> Device)"), [host_only()]),
    "exposed-communication": (collective(50_001), 50_001, collective(50_000), [host_only()]),
    "stragglers": (late(21_000), None, late(19_000), [busy(Trace(rank=0), 900_000)]),
    "memory-growth": (growing([500, 600, 610, 620, 630]), None, growing([500, 600, 610, 610, 630]),
                      [busy(Trace(), 900_000)]),
    "allocator-churn": (allocating([0, 1, 2]), 60_000, allocating([0, 0, 1]), [host_only()]),
    "low-occupancy": (occupied(14), 60_000, occupied(15), [busy(Trace(), 900_000)]),
    "small-batch": ([busy(Trace(), 900_000, **{"blocks per SM": 0.49})], 459_000,
                    [busy(Trace(), 900_000, **{"blocks per SM": 0.51})], [busy(Trace(), 900_000)]),
    "unfused": (unfused(40_001), 40_001, unfused(40_000), [host_only()]),
    "attention": (attending(20_001), 20_001, attending(20_000), [host_only()]),
    "profiler-overhead": (profiling(20_001), 20_001, profiling(20_000), [unlaunched()]),
    "warm-up": ([busy(Trace(steps=4, lengths=[2 * STEP]), 900_000)], None,
                [busy(Trace(steps=4, lengths=[STEP * 11 // 10]), 900_000)], [busy(Trace(steps=2), 900_000)]),
    "small-operators": (small(5001), 100_001, small(5000), [frames()]),
    "host-copies": (calling([("aten::copy_", 50_001)]), 50_001, calling([("aten::copy_", 50_000)]), [frames()]),
    "python-time": (calling([("aten::mm", STEP - 100_001)]), 100_001, calling([("aten::mm", STEP - 100_000)]), [frames()]),
    "host-reads": (calling([("aten::item", 20_001)]), 20_001, calling([("aten::item", 20_000)]), [frames()]),
    "missing-kernels": (launching_unseen(), None, [host_only()], [frames()]),
    "slow-calls": (uneven(3_100_000), 2_250_000, uneven(1_400_000), uneven(3_100_000, shapes=False)),
    "long-calls": (one_long(3_100_003), 1_000_001, one_long(3_100_000), [frames()]),
    "threads": (on_threads(3), None, on_threads(2, 499_999), [frames()]),
}

# Rules that say no more where another says why.
EXPLAINED = {"low-utilization": "idle-time"}
