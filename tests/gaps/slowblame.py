"""The blame of idle time once more, slowly: every moment asks every slice.

Nothing of it is shared with ptool: unions come from a sweep over moments, what covers a moment
from a search through all slices, and the names' causes from the table here.
"""
import collections

# What the names in the random traces tell.
TAGS = {
    "aten::item": "device_read", "aten::_local_scalar_dense": "device_read",
    "cudaStreamSynchronize": "sync", "cudaDeviceSynchronize": "sync", "hipDeviceSynchronize": "sync",
    "cudaMalloc": "allocation", "cudaFree": "allocation",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": "dataloader",
    "c10d::allreduce_": "communication_wait", "Optimizer.step#AdamW.step": "optimizer",
    "torch/optim/adamw.py(10): step": "optimizer", "compile_fx_inner": "compilation",
    "torch/utils/data/dataloader.py(701): __next__": "dataloader",
    "<built-in method collect of module gc>": "garbage_collection",
}
GENERAL = {"cpu_op": "operator", "user_annotation": "annotation", "python_function": "python"}


def is_mark(s):
    return s.name.startswith("ProfilerStep#")


def stacks_of(slices):
    """For each slice the end that its callers leave it, in the order of nesting."""
    placed = []
    for s in sorted(slices, key=lambda s: (s.ts, -s.end)):
        if s.dur == 0:
            continue
        end = min([s.end] + [e for p, e in placed if p.ts <= s.ts < e])
        placed.append((s, end))
    return placed


def charge(stack):
    """(cause, blamed) of a stack of slices, outermost first."""
    tagged = [(TAGS[s.name], s.name) for s in stack if s.name in TAGS]
    if tagged:
        cause, name = tagged.pop()
        if cause == "sync" and tagged and tagged[-1][0] in ("device_read", "communication_wait"):
            cause, name = tagged.pop()
        while tagged and tagged[-1][0] == cause:
            name = tagged.pop()[1]
        return cause, name
    covering = [s for s in stack if not is_mark(s)]
    general = [s for s in covering if s.cat in GENERAL]
    if general:
        return GENERAL[general[-1].cat], general[-1].name
    return ("runtime_call", covering[0].name) if covering else ("untraced_host", None)


def gaps_of(works):
    """(start, end, before, after) of one device."""
    edges = sorted({w.ts for w in works} | {w.end for w in works})
    gaps = []
    for a, b in zip(edges, edges[1:]):
        if any(w.ts <= a and w.end >= b for w in works):
            continue
        if gaps and gaps[-1][1] == a:
            gaps[-1][1] = b
        else:
            gaps.append([a, b])
    found = []
    for a, b in gaps:
        ends = [w for w in works if w.ts == b and w.dur > 0] or [w for w in works if w.ts == b]
        found.append((a, b, min(ends, key=lambda w: w.stream)))
    return found


def queued(trace, works, gap):
    """(cause, blamed) of work that was launched before the gap began."""
    start, end, after = gap
    mine = [w for w in works if w.stream == after.stream and w is not after and w.ts < after.ts]
    before = max(mine, key=lambda w: w.ts) if mine else None
    for ts, _, stream, on, device in sorted(trace.waits, reverse=True):
        if (device, stream) != (after.device, after.stream) or ts > after.launch.ts:
            continue
        if before and before.launch and ts <= before.launch.ts:
            continue
        others = [w.end for w in works if w.stream == on and w.ts < end]
        free = not mine or max(w.end for w in mine) < start
        if on == stream or not others or max(others) >= start or free:
            return "event_wait", f"stream {on}"
    if after.launch.end > start:
        return "launch_latency", after.launch.name
    if after.cat == "gpu_memcpy":
        return "copy_engine", after.name
    if mine and max(w.end for w in mine) == start:
        return "stream_order", before.name
    return "launch_latency", after.launch.name


def blame(trace):
    """Every piece: (device, gap start, from, to, cause, blamed, innermost op)."""
    pieces = []
    stacks = {tid: stacks_of([s for s in trace.slices if s.tid == tid]) for tid in {s.tid for s in trace.slices}}
    for device in sorted({w.device for w in trace.works}):
        works = [w for w in trace.works if w.device == device]
        for gap in gaps_of(works):
            start, end, after = gap
            if after.launch is None:
                pieces.append((device, start, start, end, "launch_unknown", after.name, None))
            elif after.launch.ts <= start:
                pieces.append((device, start, start, end, *queued(trace, works, gap), None))
            else:
                pieces += host(stacks[after.launch.tid], device, gap)
    return pieces


def host(placed, device, gap):
    start, end, after = gap
    until = min(after.launch.ts, end)
    edges = sorted({start, until} | {t for s, e in placed for t in (s.ts, e) if start < t < until})
    pieces = []
    for a, b in zip(edges, edges[1:]):
        stack = [s for s, e in placed if s.ts <= a and e >= b]
        ops = [s.name for s in stack if s.cat == "cpu_op"]
        pieces.append((device, start, a, b, *charge(stack), ops[-1] if ops else None))
    if until < end:
        pieces.append((device, start, until, end, "launch_latency", after.launch.name, None))
    return pieces


def by_cause(pieces):
    """{(device, cause): (idle, gaps)}, of all and of what is in [from, to)."""
    sums, seen = collections.Counter(), collections.defaultdict(set)
    for device, gap, a, b, cause, *_ in pieces:
        sums[device, cause] += b - a
        seen[device, cause].add(gap)
    return {key: (sums[key], len(seen[key])) for key in sums}


def clipped(pieces, start, end):
    return [(d, g, max(a, start), min(b, end), *rest) for d, g, a, b, *rest in pieces
            if max(a, start) < min(b, end)]
