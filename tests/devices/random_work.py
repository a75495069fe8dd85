"""Small random GPU traces, and what is true of them, counted tick by tick.

A trace is some hundred ticks long, so that ties, touching ends, work of no length and work side by
side are common.  The truth is counted in sets of ticks: no interval is ever merged.
"""
from fractions import Fraction

KERNELS = ["void at::native::vectorized_elementwise_kernel<4>", "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn",
           "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", "triton_poi_fused_add_0"]
COLLECTIVES = ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "ncclKernel_AllGather_RING_LL_Sum_int8_t",
               "void vllm::cross_device_reduce_1stage<__half, 8>"]
COPIES = [("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"), ("gpu_memset", "Memset (Device)"),
          ("gpu_memcpy", "Memcpy DtoD (Device -> Device)")]
TENSOR = {KERNELS[1], KERNELS[2]}
HOST = 4000


class Work:
    """A piece of device work; times in ticks."""

    def __init__(self, rng, span):
        self.kind = rng.choice(["compute", "compute", "communication", "memory"])
        self.category, self.name = rng.choice(COPIES) if self.kind == "memory" else (
            "kernel", rng.choice(KERNELS if self.kind == "compute" else COLLECTIVES))
        self.start = rng.randrange(span)
        self.end = self.start + rng.choice([0, 1, 1, 2, 5, 13])
        self.device, self.stream = rng.randrange(2), rng.choice([0, 7, 7, 20])
        is_kernel = self.category == "kernel"
        self.blocks = rng.choice([None, "0.1", "0.3", "0.6", "0.7", "1.25", "109.2"]) if is_kernel else None
        self.occupancy = rng.choice([None, 0, 13, 50, 100]) if is_kernel else None
        self.launch = None  # ticks

    def ticks(self):
        return range(self.start, self.end)


class Trace:
    """Work, and the calls that launched it: some launch several pieces, some are not there."""

    def __init__(self, rng):
        self.tick_ns = rng.choice([1, 250, 1000])
        self.span = rng.choice([40, 150, 400])
        self.text_streams = rng.random() < 0.3
        self.work = [Work(rng, self.span) for _ in range(rng.choice([1, 3, 20, 60]))]
        self.calls = []  # (start, name, correlation)
        waiting = list(self.work)
        rng.shuffle(waiting)
        while waiting:
            pieces = [waiting.pop() for _ in range(min(len(waiting), rng.choice([1, 1, 1, 4])))]
            correlation = len(self.calls) + 1
            for piece in pieces:
                piece.correlation = correlation
            first = min(piece.start for piece in pieces)
            is_known = rng.random() < 0.85
            start = max(0, first - rng.randrange(40) + 3)  # now and then behind the work: two clocks
            self.calls.append((start, "cudaGraphLaunch" if len(pieces) > 1 else "cudaLaunchKernel", correlation, is_known))
            for piece in pieces:
                piece.launch = start if is_known else None
        last = max([w.end for w in self.work] + [start + 1 for start, *_ in self.calls])
        self.end = max(last, self.span)

    def time(self, ticks):
        """In microseconds, as Kineto writes it."""
        ns = ticks * self.tick_ns
        return f"{ns // 1000}.{ns % 1000:03d}"

    def event(self, category, name, place, times, args):
        pid, tid = place
        start, end = times
        text = ", ".join(f'"{key}": {value}' for key, value in args.items() if value is not None)
        return (f'{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, '
                f'"ts": {self.time(start)}, "dur": {self.time(end - start)}, "args": {{{text}}}}}')

    def json(self):
        events = [self.event("cpu_op", "aten::mm", (HOST, HOST), (0, self.end), {"External id": 1})]
        for start, name, correlation, is_known in self.calls:
            if is_known:
                events.append(self.event("cuda_runtime", name, (HOST, HOST), (start, start + 1),
                                         {"correlation": correlation}))
        for w in self.work:
            tid = f'"stream {w.stream}"' if self.text_streams else w.stream
            events.append(self.event(w.category, w.name, (w.device, tid), (w.start, w.end), {
                "device": w.device, "stream": w.stream, "correlation": w.correlation, "blocks per SM": w.blocks,
                "est. achieved occupancy %": w.occupancy}))
        return '{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(events) + "\n]}\n"


def clip(work, window):
    """The pieces that are in [from, to) at all, cut off there."""
    kept = []
    for w in work:
        if (w.start < window[1] and w.end > window[0]) or (w.start == w.end and window[0] <= w.start < window[1]):
            cut = Work.__new__(Work)
            cut.__dict__.update(w.__dict__, start=max(w.start, window[0]), end=min(w.end, window[1]))
            kept.append(cut)
    return kept


def times(work, tick_ns):
    """The columns of times that devices and streams share."""
    ran = {kind: {t for w in work if w.kind == kind for t in w.ticks()} for kind in
           ("compute", "communication", "memory")}
    compute, communication, memory = ran["compute"], ran["communication"], ran["memory"]
    busy = compute | communication | memory
    start, end = min(w.start for w in work), max(w.end for w in work)
    found = {"span_ns": end - start, "busy_ns": len(busy), "idle_ns": end - start - len(busy), "compute_ns": len(compute),
             "communication_ns": len(communication), "memory_ns": len(memory),
             "overlap_ns": len(compute & communication), "exposed_comm_ns": len(communication - compute),
             "exposed_copy_ns": len(memory - compute - communication), "start_ns": start}
    return dict({name: ticks * tick_ns for name, ticks in found.items()}, events=len(work))


def queue(work, window, tick_ns):
    """The queue of a stream's work, between its first launch and its last start, or in the window."""
    launched = [w for w in work if w.launch is not None]
    if not launched:
        return {"queue_max": None, "queue_wait_ns": None, "queue_ns": None}
    first = max(min(w.launch for w in launched), window[0])
    last = min(max(w.start for w in launched), window[1])
    lengths = [sum(w.launch <= t < w.start for w in launched) for t in range(first, last)]
    return {"queue_max": max(lengths, default=0), "queue_wait_ns": sum(lengths) * tick_ns,
            "queue_ns": max(last - first, 0) * tick_ns}


def figures(work, window):
    """The percentages of the plugin over the window of ticks, as fractions; None: not known."""
    kernels = [w for w in work if w.category == "kernel"]
    inside = [(w, [t for t in w.ticks() if window[0] <= t < window[1]]) for w in kernels]
    length = window[1] - window[0]
    blocks, weighted, weight, has_blocks = {}, 0, 0, False
    for w, ticks in inside:
        for t in ticks if w.blocks else ():
            blocks[t] = blocks.get(t, 0) + Fraction(w.blocks)
            has_blocks = True
        if w.occupancy is not None and not (w.occupancy == 0 and float(w.blocks or 0) >= 0.5):  # no estimate
            weighted += w.occupancy * len(ticks)
            weight += len(ticks)
    total = sum(w.end - w.start for w in kernels)
    return {
        "utilization_tensorboard_pct": Fraction(100 * len({t for _, ticks in inside for t in ticks}), length),
        "sm_efficiency_pct": 100 * sum(min(b, 1) for b in blocks.values()) / length if has_blocks else None,
        "occupancy_pct": Fraction(weighted, weight) if weight else None,
        "tensor_core_pct": Fraction(100 * sum(w.end - w.start for w in kernels if w.name in TENSOR), total)
        if total else None,
    }
