"""The blame of idle time once more, slowly: every moment asks every slice.

Nothing of it is shared with ptool: unions come from a sweep over moments, what covers a moment
from a search through all slices, and the names' causes from the table here.
"""
import collections

# What the names in the random traces tell.
TAGS = {
    "aten::item": "device_read", "aten::_local_scalar_dense": "device_read",
    "cudaStreamSynchronize": "sync", "cudaDeviceSynchronize": "sync", "hipDeviceSynchronize": "sync",
    "cudaMalloc": "allocation", "cudaFree": "allocation", "c10d::barrier": "communication_wait",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": "dataloader",
    "Optimizer.step#AdamW.step": "optimizer",
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
        elif cause == "sync":
            inside = [s.name for s in stack]
            around = inside[:len(inside) - 1 - inside[::-1].index(name)]
            collectives = [n for n in around if n.startswith("c10d::")]
            if collectives:
                return "communication_wait", collectives[0]
        while tagged and tagged[-1][0] == cause:
            name = tagged.pop()[1]
        return cause, name
    covering = [s for s in stack if not is_mark(s)]
    general = [s for s in covering if s.cat in GENERAL]
    if general:
        return GENERAL[general[-1].cat], general[-1].name
    return ("runtime_call", covering[0].name) if covering else ("untraced_host", None)


class Gap:
    """[start, end); after is None where no work ends it."""

    def __init__(self, start, end, before, after):
        self.start, self.end, self.before, self.after = start, end, before, after


def gaps_of(works, windows):
    """The gaps of one device, whose works are in order; with what windows leave around them."""
    found = []
    moments = sorted({w.ts for w in works} | {w.end for w in works} | {windows[0][0], windows[-1][1]})
    for a, b in zip(moments, moments[1:]):
        if any(w.ts <= a and w.end >= b for w in works):
            continue
        if found and found[-1].end == a and not any(w.ts == a and w.dur for w in works):
            found[-1].end = b
        else:
            found.append(Gap(a, b, None, None))
    for gap in found:
        here = [w for w in works if w.ts == gap.end]
        longer = [w for w in here if w.dur]
        gap.after = (longer or here or [None])[0]
        done = [w for w in works if w.end <= gap.start and w.ts < gap.start]
        latest = max((w.end for w in done), default=None)
        gap.before = next((w for w in done if w.end == latest), None)
    return found


def cut_at_ends(gaps, works):
    """The last work without length ends the device's span, and with it a gap."""
    last = works[-1].ts
    cut = []
    for gap in gaps:
        if gap.start < last < gap.end:
            cut.append(Gap(gap.start, last, gap.before, next(w for w in works if w.ts == last)))
            gap = Gap(last, gap.end, works[-1], None)
        first = works[0]
        if gap.start < first.ts < gap.end:
            cut.append(Gap(gap.start, first.ts, None, first))
            gap = Gap(first.ts, gap.end, first, gap.after)
        cut.append(gap)
    return cut


def lower_median(values):
    return values[(len(values) - 1) // 2]


def ordinary(samples, own, few, least):
    """The bound by the samples {gap: length} of one kind but `own`."""
    others = sorted(ns for gap, ns in samples.items() if gap is not own)
    if len(others) < 20:
        return few
    percentile = others[-(-99 * len(others) // 100) - 1]
    return max(least, min(percentile, 10 * lower_median(others)))


class Device:
    """What is judged of one device."""

    def __init__(self, trace, number, windows):
        works = [w for w in trace.works if w.device == number]
        place = {id(w): i for i, w in enumerate(trace.works)}
        self.works = sorted(works, key=lambda w: (w.ts, w.stream, -w.dur, place[id(w)]))
        self.trace, self.number = trace, number
        self.gaps = cut_at_ends(gaps_of(self.works, windows), self.works)

    def earlier(self, work):
        """The work of its stream before it, in the order of the device."""
        at = next(i for i, w in enumerate(self.works) if w is work)
        return [w for w in self.works[:at] if w.stream == work.stream]

    def told(self, gap, limit):
        """The waits of the stream asked for until `limit` and since the launch before."""
        mine = self.earlier(gap.after)
        before = mine[-1].launch if mine else None
        return [w for w in sorted(self.trace.waits, key=lambda w: w[0])
                if (w[4], w[2]) == (self.number, gap.after.stream) and w[0] <= limit
                and not (before and w[0] <= before.ts)]

    def holding(self, gap):
        mine, at = self.earlier(gap.after), next(i for i, w in enumerate(self.works) if w is gap.after)
        for wait in reversed(self.told(gap, gap.after.launch.ts)):
            on = wait[3]
            ends = [w.end for w in self.works[:at] if w.stream == on]
            free = not mine or max(w.end for w in mine) < gap.start
            if on == gap.after.stream or not ends or max(ends) >= gap.start or free:
                return wait
        asked = [w for w in sorted(self.trace.waits, key=lambda w: w[0])
                 if (w[4], w[2]) == (self.number, gap.after.stream) and w[0] < gap.end]
        if asked:
            ts, dur = asked[-1][:2]
            common = min(ts + dur, gap.end) - max(ts, gap.start)
            if common > 0 and 2 * common >= gap.end - gap.start:
                return asked[-1]
        return None


def rule_of(device, gap):
    """(rule, cause, blamed) before anything is known of what is ordinary."""
    work = gap.after
    if work is None:
        return 1, None, None
    if work.launch is None:
        return 2, "launch_unknown", work.name
    call, late = work.launch, work.launch.ts > gap.start
    of_call = [w for w in device.works if w.launch is call]
    if "GraphLaunch" in call.name and of_call[0] is not work:
        return 4, "graph_nodes", call.name
    wait = None if late else device.holding(gap)
    if wait:
        return 5, "event_wait", f"stream {wait[3]}"
    if "GraphLaunch" in call.name:
        return 6, "graph_start", call.name
    mine = device.earlier(work)
    if not late and call.end <= gap.start:
        if mine and max(w.end for w in mine) == gap.start:
            p = mine[-1]
            copies = "gpu_memcpy" in (p.cat, work.cat)
            cause = ("graph_end" if p.launch and "GraphLaunch" in p.launch.name else
                     "copy_engine" if copies else "stream_order")
            return 7, cause, work.name if work.cat == "gpu_memcpy" else p.name
        if gap.before and gap.before.cat == work.cat == "gpu_memcpy":
            return 7, "copy_engine", work.name
    return 8, None, None


def on_its_way(device, gap, bound):
    """(from, to, cause, blamed) of rule 8."""
    work, call = gap.after, gap.after.launch
    start, late = max(gap.start, call.ts), call.ts > gap.start
    told = device.told(gap, call.ts) if late else []
    if told and gap.end - call.ts > bound:
        return [(start, gap.end, "event_wait", f"stream {told[-1][3]}")]
    pieces, since = [], call.ts
    if call.end - call.ts > bound:
        cause = "slow_start"
        if "Memcpy" in call.name:
            cause = "device_read" if "DtoH" in work.name else "blocking_copy"
        pieces.append((start, min(call.end, gap.end), cause, call.name))
        since = call.end
    at = max(start, since) if pieces else start
    pieces.append((at, min(since + bound, gap.end), "launch_latency", call.name))
    at = max(at, since + bound)
    known = any(w.name == work.name for w in device.works[:device.works.index(work)])
    cause = "slow_start" if late and device.earlier(work) and not known else "earlier_work"
    pieces.append((at, gap.end, cause, work.name))
    return [p for p in pieces if p[0] < p[1]]


def innermost(stack):
    ops = [s.name for s in stack if s.cat == "cpu_op"]
    return ops[-1] if ops else None


def windows_of(trace):
    """Steps, or without any all of the operators and the work."""
    steps = sorted((s.ts, s.end) for s in trace.slices if is_mark(s))
    if not steps:
        all_of = [(s.ts, s.end) for s in trace.slices if s.cat == "cpu_op"] + [(w.ts, w.end) for w in trace.works]
        steps = [(min(a for a, _ in all_of), max(b for _, b in all_of))]
    return steps


def blame(trace):
    """Every piece: (device, gap start, from, to, cause, blamed, innermost op), in windows and outside."""
    windows = windows_of(trace)
    extent = [(windows[0][0], max(b for _, b in windows))]
    stacks = {tid: stacks_of([s for s in trace.slices if s.tid == tid]) for tid in {s.tid for s in trace.slices}}
    devices = [Device(trace, n, extent) for n in sorted({w.device for w in trace.works})]
    rules = [(d, g, rule_of(d, g)) for d in devices for g in d.gaps]
    launches, queued = collections.defaultdict(dict), collections.defaultdict(dict)
    for device, gap, (rule, cause, _) in rules:
        if rule == 7:
            queued[device.number, gap.after.stream, cause][gap] = gap.end - gap.start
        elif rule == 8 and gap.after.launch.ts > gap.start and not device.told(gap, gap.after.launch.ts):
            launches[gap.after.launch.name, gap.after.cat][gap] = gap.end - gap.after.launch.ts
    pieces = []
    for device, gap, (rule, cause, blamed) in rules:
        work, start = gap.after, gap.start
        if rule == 1:
            pieces += host(stacks[thread_of(trace, device)], device.number, gap, gap.end)
            continue
        op = None
        if work.launch:
            until = min(work.launch.ts, gap.end)
            if until > gap.start:
                pieces += host(stacks[work.launch.tid], device.number, gap, until)
                start = until
            at = work.launch
            order = [s for s, _ in stacks[at.tid]]
            op = innermost([s for s, e in stacks[at.tid] if s.ts <= at.ts < e and s is not at
                            and order.index(s) < order.index(at)])
        if rule == 8:
            bound = ordinary(launches[work.launch.name, work.cat], gap, 100_000, 20_000)
            found = on_its_way(device, gap, bound)
        else:
            found = [(start, gap.end, cause, blamed)] if start < gap.end else []
            bound = ordinary(queued[device.number, work.stream, cause], gap, 20_000, 10_000)
            if rule == 7 and gap.end - gap.start > bound:
                found = [(start, gap.end, "earlier_work", work.name)]
        pieces += [(device.number, gap.start, *p, op) for p in found]
    return pieces


def thread_of(trace, device):
    marks = sorted((s for s in trace.slices if is_mark(s)), key=lambda s: s.ts)
    if marks:
        return marks[0].tid
    tids = collections.Counter(w.launch.tid for w in device.works if w.launch)
    return min(tids, key=lambda tid: (-tids[tid], tid))


def host(placed, device, gap, until):
    start = gap.start
    edges = sorted({start, until} | {t for s, e in placed for t in (s.ts, e) if start < t < until})
    pieces = []
    for a, b in zip(edges, edges[1:]):
        stack = [s for s, e in placed if s.ts <= a and e >= b]
        pieces.append((device, start, a, b, *charge(stack), innermost(stack)))
    return pieces


def in_windows(trace, pieces):
    """What counts: in the union of the windows."""
    union = []
    for a, b in windows_of(trace):
        if union and a <= union[-1][1]:
            union[-1][1] = max(b, union[-1][1])
        else:
            union.append([a, b])
    return [p for a, b in union for p in clipped(pieces, a, b)]


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
