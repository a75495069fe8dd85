"""What ptool-gaps(1) says, computed slowly from the trace itself: written from that page alone,
never from the C.  Times are whole nanoseconds, as exact as the file's decimal text.

    trace = read("trace.json")
    answer = Blame(trace).answer()             # or Blame(trace, inner=True)
    rows(answer, "cause")                      # as `ptool gaps --by cause --format csv`

An answer has devices and pieces; a piece is idle time that counts, [a, b), of one gap, one
cause, one operator and one step.
"""
import bisect
import collections
import functools
import gzip
import itertools
import json
import math
import re
from decimal import Decimal

KINDS = {"cpu_op": "op", "Operator": "op", "user_annotation": "annotation", "UserAnnotation": "annotation",
         "python_function": "python", "PythonFunction": "python", "overhead": "profiler",
         "kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "set",
         "Memset": "set", "cuda_sync": "wait", "hpu_op": "kernel"}
KINDS.update((f"{who}_{what}", "call") for who in ("cuda", "xpu", "mtia", "glow", "privateuse1")
             for what in ("runtime", "driver"))
KINDS["Runtime"] = "call"
WORK = ("kernel", "copy", "set", "accelerator")
HOST = ("op", "annotation", "python", "call", "profiler")

CAUSES = ("sync device_read blocking_copy allocation dataloader communication_wait compilation garbage_collection "
          "optimizer profiler slow_start operator annotation python runtime_call untraced_host event_wait copy_engine "
          "stream_order graph_launch graph_start graph_between graph_nodes graph_end launch_latency earlier_work launch_unknown late_rank").split()

Piece = collections.namedtuple("Piece", "device gap a b cause blamed op frame annotation stream step", defaults=[None])
Gap = collections.namedtuple("Gap", "number device start end work last")  # last: what ended last before it
Device = collections.namedtuple("Device", "idle span outside windows")


class Event:
    """A slice of the host, a piece of device work or a wait for an event."""

    def __init__(self, e, kind, place):
        args = e.get("args") or {}
        self.kind, self.name, self.place, self.args = kind, e["name"], place, args
        self.ts, dur = ns(e["ts"]), ns(e.get("dur", 0))
        self.dur, self.end = dur, self.ts + dur
        self.thread = (e.get("pid"), e.get("tid"))
        self.correlation = args.get("correlation")
        self.device = args.get("device", e.get("pid"))
        self.stream = args.get("stream", e.get("tid"))
        self.graph = int(args.get("graph id") or 0)
        self.launch = None  # of work: the call
        self.launched = []  # of a call: its work, in the order of the file
        self.parent, self.cut = None, self.end

    def is_of_graph(self):
        return "GraphLaunch" in self.launch.name if self.launch else self.graph != 0


def ns(text):
    return int(Decimal(text) * 1000)


class Trace:
    def __init__(self, events):
        self.host, self.works, self.waits = [], [], []
        self.first = None
        for place, e in enumerate(events):
            if e.get("ph") != "X":
                continue
            kind = KINDS.get(e.get("cat")) if e.get("cat") != "mtia_ccp_events" else kind_of_mtia(e["name"])
            event = Event(e, kind, place)
            if e.get("cat") != "Trace":
                self.first = event.ts if self.first is None else min(self.first, event.ts)
            if kind in WORK:
                self.works.append(event)
            elif kind in HOST:
                self.host.append(event)
            elif kind == "wait" and event.args.get("cuda_sync_kind") == "Stream Wait Event":
                self.waits.append(event)
        calls = {}
        for call in self.host:
            if call.kind == "call" and call.correlation:
                calls.setdefault(call.correlation, call)
        for work in self.works:
            work.launch = calls.get(work.correlation)
            if work.launch:
                work.launch.launched.append(work)
        self.steps = [(s.ts, s.end, int(s.name[len("ProfilerStep#"):]), s) for s in self.host
                      if is_step(s)]
        self.steps.sort(key=lambda s: s[0])
        self.leave_out_empty()

    def leave_out_empty(self):
        """What was left after the last call of step() is no step; of the one process that these traces have."""
        if len(self.steps) < 2:
            return
        (before, until, _, _), (start, end, _, step) = self.steps[-2:]
        begun = any(start <= s.ts < end for s in self.host if s is not step and s.kind in ("op", "annotation", "call"))
        if end - start < (until - before) // 10 and not begun:
            del self.steps[-1]


def kind_of_mtia(name):
    if name.startswith(("event_", "wait", "sync", "barrier", "semaphore")):
        return None
    return "copy" if name.startswith("dma_") else "accelerator"


def is_step(slice_):
    """Recordings of 2021 have the annotations of steps among the operators."""
    return slice_.kind in ("annotation", "op") and bool(re.fullmatch(r"ProfilerStep#\d+", slice_.name))


def marks_step(slice_):
    """Those of inference engines, too, whether or not steps are made of them."""
    engines = r"execute_\d+_context_\d+\(.*\)_generation_\d+\(.*\)|step\[[A-Z_]+ bs=.*\]"
    return is_step(slice_) or slice_.kind == "annotation" and bool(re.fullmatch(engines, slice_.name))


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as text:
        return Trace(json.load(text, parse_float=Decimal, strict=False)["traceEvents"])


# What a slice tells by its name ---------------------------------------------------------------

ALLOCATES = ("Malloc", "Free", "HostAlloc", "HostRegister", "HostUnregister")
ALLOCATES_FIRST = ("cuMemAlloc", "cuMemCreate", "cuMemMap", "cuMemUnmap", "cuMemRelease", "cuMemSetAccess",
                   "cuMemAddress", "hipMemCreate", "hipMemMap")
READS = ("aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal", "aten::nonzero")
COLLECTIVES = ("c10d::", "nccl:", "rccl:", "record_param_comms", "_c10d_functional::", "c10d_functional::")
EVERY_CALL = ("run", "wrapper", "runner", "__call__", "launch", "launch_metadata", "__getitem__", "__getattribute__")
CONVERTS = ("aten::to", "aten::_to_copy", "aten::copy_")


def plain(name):
    """An operator's, of whatever overload."""
    return re.sub(r"^(\w+::\w+)\.\w+$", r"\1", name)


def converts(name):
    return plain(name) in CONVERTS


def has(name, *parts):
    return any(part in name for part in parts)


def is_read(name):
    return has(name, "DtoH", "DeviceToHost")


def told_by_op(slice_):
    name = slice_.name
    if slice_.kind == "op" and plain(name) in READS:
        return "device_read"
    if has(name, "DataLoader", "enumerate(DataPipe)", "dataloader_next"):
        return "dataloader"
    if plain(name) in ("c10d::barrier", "c10d::monitored_barrier_") or name.startswith(("gloo:", "mpi:")):
        return "communication_wait"
    if has(name, "(dynamo_timed)", "compile_fx", "call_user_compiler") or name.startswith("triton_compile"):
        return "compilation"
    if name.startswith(("Python GC", "gc.collect")) or "arbage collect" in name:
        return "garbage_collection"
    if "zero_grad" not in name and (name.startswith("Optimizer.step") or
                                    slice_.kind == "annotation" and name.startswith("optimizer")):
        return "optimizer"
    return None


@functools.lru_cache(None)
def told_by_frame(name):
    function = name.rpartition("): ")[2]
    if "torch/utils/data/" in name:
        return "dataloader"
    if has(name, "): barrier", "): monitored_barrier", "method wait of torch._C._distributed_c10d"):
        return "communication_wait"
    if "torch/_dynamo/convert_frame.py" in name:
        return "compilation"
    if has(name, "torch/_inductor/compile", "torch/_inductor/async_compile.py", "torch/_inductor/codecache.py",
           "triton/compiler/") and function not in EVERY_CALL:
        return "compilation"
    if name.startswith(("Python GC", "gc.collect")) or has(name, "arbage collect", "built-in function collect",
                                                           "built-in method collect of module gc"):
        return "garbage_collection"
    if "torch/optim/" in name and "zero_grad" not in name:
        return "optimizer"
    return None


def is_collective(slice_):
    if slice_.kind in ("op", "annotation"):
        return slice_.name.startswith(COLLECTIVES)
    return slice_.kind == "python" and "torch/distributed/distributed_c10d.py" in slice_.name


def percentile_99(values):
    return values[-(-99 * len(values) // 100) - 1]


def median(values):
    return values[(len(values) - 1) // 2]


def ordinary(values, own, floor, few):
    """The bound of what is ordinary among `values`, of which `own` is left out when it is one."""
    values = sorted(values)
    if own is not None:
        values.remove(own)
    if len(values) < 20:
        return few
    return max(min(percentile_99(values), 10 * median(values)), floor)


class Thread:
    """What a thread was in at each moment."""

    def __init__(self, slices):
        slices = sorted((s for s in slices if s.dur > 0), key=lambda s: (s.ts, -s.end, s.place))
        self.at, self.inner, stack = [], [], []
        for s in slices:
            self.leave(stack, s.ts)
            if stack:
                s.parent, s.cut = stack[-1], min(s.end, stack[-1].cut)
            stack.append(s)
            self.mark(s.ts, s)
        self.leave(stack, None)

    def mark(self, at, slice_):
        if self.at and self.at[-1] == at:
            self.inner[-1] = slice_
        else:
            self.at.append(at)
            self.inner.append(slice_)

    def leave(self, stack, until):
        while stack and (until is None or stack[-1].cut <= until):
            left = stack.pop()
            self.mark(left.cut, stack[-1] if stack else None)

    def innermost(self, at):
        found = bisect.bisect_right(self.at, at) - 1
        return self.inner[found] if found >= 0 else None

    def stretches(self, a, b):
        """[a, b) as (start, end, innermost slice)."""
        while a < b:
            found = bisect.bisect_right(self.at, a)
            end = min(b, self.at[found]) if found < len(self.at) else b
            yield a, end, self.innermost(a)
            a = end


def around(slice_):
    """From the innermost outwards; a step's own annotation covers nothing."""
    while slice_:
        if not marks_step(slice_):
            yield slice_
        slice_ = slice_.parent


class Blame:
    def __init__(self, trace, inner=False, windows=None):
        self.trace, self.inner = trace, inner
        threads = collections.defaultdict(list)
        for s in trace.host:
            threads[s.thread].append(s)
        self.threads = {key: Thread(slices) for key, slices in threads.items()}
        self.durations = collections.defaultdict(list)
        for s in trace.host:
            if s.kind == "call":
                self.durations[s.name].append(s.dur)
        for of in self.durations.values():
            of.sort()
        self.steps = [(a, b, number) for a, b, number, _ in trace.steps]
        ends = [s[0] for s in self.steps[1:]] + [math.inf]
        self.belonging = [(a, min(b, end), number) for (a, b, number), end in zip(self.steps, ends)]
        self.windows = windows if windows is not None else self.find_windows()
        self.devices = collections.defaultdict(list)
        for work in trace.works:
            self.devices[work.device].append(work)
        for works in self.devices.values():
            works.sort(key=lambda w: (w.ts, w.stream, -w.dur, w.place))
            for place, work in enumerate(works):
                work.order = place
        self.costs, self.told, self.copies = {}, {}, None

    # Windows and gaps

    def find_windows(self):
        if self.steps:
            return [(a, b) for a, b, _ in self.steps]
        spans = [(e.ts, e.end) for e in self.trace.host if e.kind == "op"] + [(w.ts, w.end) for w in self.trace.works]
        return [(min(a for a, _ in spans), max(b for _, b in spans))] if spans else []

    def find_gaps(self):
        """All gaps of all devices, whole."""
        gaps = []
        for device, works in sorted(self.devices.items()):
            reached, last = works[0].ts, None
            if not self.inner and self.windows and min(self.windows)[0] < reached:
                reached = min(self.windows)[0]
            for at, work in enumerate(works):
                if work.dur == 0:
                    continue
                if work.ts > reached:
                    gaps.append(Gap(len(gaps), device, reached, work.ts, work, last))
                if work.end >= reached and (last is None or work.end > last.end):
                    last = work
                reached = max(reached, work.end)
            if works[-1].ts > reached:  # all that follows has no length
                ends = [w for w in works if w.ts == works[-1].ts][0]
                gaps.append(Gap(len(gaps), device, reached, ends.ts, ends, last))
                reached, last = ends.ts, ends
            until = max((b for _, b in self.windows), default=reached)
            if not self.inner and until > reached:
                gaps.append(Gap(len(gaps), device, reached, until, None, last))
        return gaps

    # How a gap is charged

    def previous(self, work):
        return self.previous_of[work]

    def stream_end(self, device, stream, order):
        """The latest end of work of the stream before place `order`."""
        ends = self.ends.get((device, stream))
        found = bisect.bisect_left(ends[0], order) if ends else 0
        return ends[1][found - 1] if found else None

    def prepare(self):
        self.ends, self.first_name, self.previous_of, last = {}, {}, {}, {}
        for device, works in self.devices.items():
            for w in works:
                orders, ends = self.ends.setdefault((device, w.stream), ([], []))
                orders.append(w.order)
                ends.append(max(w.end, ends[-1]) if ends else w.end)
                self.first_name.setdefault((device, w.name), w)
                self.previous_of[w] = last.get((device, w.stream))
                last[device, w.stream] = w
        self.stream_waits = collections.defaultdict(list)
        for wait in sorted(self.trace.waits, key=lambda w: (w.ts, w.place)):
            self.stream_waits[wait.device, wait.stream].append(wait)
        self.told_works = set()
        if not self.trace.waits:
            self.find_told_by_calls()

    def find_told_by_calls(self):
        threads = collections.defaultdict(list)
        for s in self.trace.host:
            if s.kind == "call":
                threads[s.thread].append(s)
        for calls in threads.values():
            told = False
            for call in sorted(calls, key=lambda c: (c.ts, -c.end, c.place)):
                if call.launched and told:
                    self.told_works.add(min(call.launched, key=lambda w: (w.ts, w.stream, -w.dur, w.place)))
                    told = False
                if "StreamWaitEvent" in call.name:
                    told = True

    def is_later_node(self, work):
        """Of work without a launch: does other work of its replay come before it on the device?"""
        def is_like(other):
            return other is not None and not other.launch and (other.graph, other.correlation or 0) == of

        of = work.graph, work.correlation or 0
        before = self.devices[work.device][:work.order]
        if not work.is_of_graph():
            return False
        if work.correlation:
            return any(is_like(other) for other in before)
        return is_like(self.previous(work)) or is_like(before[-1] if before else None)

    def waits_for(self, work):
        """The waits that the stream of the work was told before it, the last first."""
        since = self.previous(work)
        since = since.launch.ts if since and since.launch else None
        return [w for w in reversed(self.stream_waits[work.device, work.stream])
                if w.ts <= work.launch.ts and (since is None or w.ts > since)]

    def was_told(self, work):
        return work in self.told_works or bool(self.waits_for(work))

    def waited_on(self, wait):
        on = wait.args.get("wait_on_stream")
        return on if on is not None and int(on) >= 0 else None

    def blamed_on_wait(self, wait, work):
        on = self.waited_on(wait) if wait else None
        return work.name if on is None else f"stream {on}"

    def may_last(self, wait, gap):
        work, on = gap.work, self.waited_on(wait)
        own = self.stream_end(gap.device, work.stream, work.order)
        if on is None or on == work.stream or own is None or own < gap.start:
            return True
        end = self.stream_end(gap.device, on, work.order)
        return end is None or end >= gap.start

    def event_wait(self, gap):
        """Rule 5: what is blamed, or None."""
        work = gap.work
        if work in self.told_works:
            return work.name
        for wait in self.waits_for(work)[:64]:
            if self.may_last(wait, gap):
                return self.blamed_on_wait(wait, work)
        asked = [w for w in self.stream_waits[work.device, work.stream] if w.ts < gap.end]
        if asked:
            covered = min(asked[-1].end, gap.end) - max(asked[-1].ts, gap.start)
            if covered >= -(-(gap.end - gap.start) // 2):
                return self.blamed_on_wait(asked[-1], work)
        return None

    def rule(self, gap):
        """The number of the first rule that fits what is left, of 4 to 8, and what rule 5 or 7 tells."""
        work, call = gap.work, gap.work.launch
        if work.is_of_graph() and any(w.order < work.order for w in call.launched if w.device == work.device):
            return 4, None
        if call.ts <= gap.start:
            told = self.event_wait(gap)
            if told:
                return 5, told
        if work.is_of_graph():
            if call.end > gap.start:
                return 6, ("graph_launch", max(0, gap.end - call.end))
            before = self.previous(work)
            if not before or self.stream_end(gap.device, work.stream, work.order) != gap.start:
                before = gap.last
            return 6, ("graph_between" if before and before.is_of_graph() else "graph_start", gap.end - gap.start)
        if call.ts <= gap.start and call.end <= gap.start:
            before = self.previous(work)
            if before and self.stream_end(gap.device, work.stream, work.order) == gap.start:
                cause = ("graph_end" if before.is_of_graph() else
                         "copy_engine" if "copy" in (work.kind, before.kind) else "stream_order")
                return 7, (cause, work.name if work.kind == "copy" else before.name)
            if gap.last and work.kind == gap.last.kind == "copy":
                return 7, ("copy_engine", work.name)
        return 8, None

    def collect_ordinary(self, gaps):
        """The values that rules 7 and 8 compare with."""
        self.latencies, self.lengths, self.rules = collections.defaultdict(list), collections.defaultdict(list), {}
        for gap in gaps:
            if not gap.work or not gap.work.launch:
                continue
            number, told = self.rules[gap] = self.rule(gap)
            call = gap.work.launch
            if number == 6 and told[0] != "graph_launch":
                self.lengths[gap.device, gap.work.stream, told[0]].append(told[1])
            if number == 6 and told[0] == "graph_launch" and not self.was_told(gap.work):
                self.latencies[call.name, gap.work.kind].append(told[1])
            if number == 7:
                self.lengths[gap.device, gap.work.stream, told[0]].append(gap.end - gap.start)
            if number == 8 and call.ts > gap.start and not self.was_told(gap.work):
                self.latencies[call.name, gap.work.kind].append(gap.work.ts - call.ts)

    def rule_6(self, gap, cause, length):
        work, call = gap.work, gap.work.launch
        at = max(gap.start, min(call.ts, gap.end))
        if cause != "graph_launch":
            bound = ordinary(self.lengths[gap.device, work.stream, cause], length, 10_000, 20_000)
            yield at, gap.end, "graph_nodes" if length > bound else cause, call.name
            return
        told = self.was_told(work)
        bound = ordinary(self.latencies[call.name, work.kind], None if told else length, 20_000, 100_000)
        end = min(gap.end, call.end + bound)
        yield at, end, cause, call.name
        if told:
            waits = self.waits_for(work)
            yield end, gap.end, "event_wait", self.blamed_on_wait(waits[0] if waits else None, work)
        else:
            yield end, gap.end, "graph_nodes", call.name

    def rule_8(self, gap):
        work, call, inside = gap.work, gap.work.launch, gap.work.launch.ts > gap.start
        own = work.ts - call.ts if inside and not self.was_told(work) else None
        bound = ordinary(self.latencies[call.name, work.kind], own, 20_000, 100_000)
        at = max(gap.start, min(call.ts, gap.end))
        if inside and self.was_told(work) and work.ts - call.ts > bound:
            told = self.waits_for(work)
            yield at, gap.end, "event_wait", self.blamed_on_wait(told[0] if told else None, work)
            return
        counted = call.ts
        if call.dur > bound:
            cause = ("slow_start" if "Memcpy" not in call.name else
                     "device_read" if is_read(work.name) else "blocking_copy")
            end = max(at, min(call.end, gap.end))
            yield at, end, cause, call.name
            at, counted = end, call.end
        end = max(at, min(counted + bound, gap.end))
        yield at, end, "launch_latency", call.name
        first = self.first_name[work.device, work.name] is work
        slow = inside and self.previous(work) is not None and first
        yield end, gap.end, "slow_start" if slow else "earlier_work", work.name

    def charge_device(self, gap):
        """What is left of a gap after the host's part: (a, b, cause, blamed)."""
        work, call = gap.work, gap.work.launch
        at = max(gap.start, min(call.ts, gap.end))
        number, told = self.rules[gap]
        if number == 4:
            yield at, gap.end, "graph_nodes", call.name
        elif number == 5:
            yield at, gap.end, "event_wait", told
        elif number == 6:
            yield from self.rule_6(gap, *told)
        elif number == 7:
            length = gap.end - gap.start
            bound = ordinary(self.lengths[gap.device, work.stream, told[0]], length, 10_000, 20_000)
            if length > bound:
                told = ("earlier_work", work.name)
            yield at, gap.end, *told
        else:
            yield from self.rule_8(gap)

    def first_thread(self, device):
        """Rule 1: the thread that is charged when no work ends a gap."""
        if self.trace.steps:
            return self.trace.steps[0][3].thread
        counts = collections.Counter(w.launch.thread for w in self.devices[device] if w.launch)
        if not counts:
            return None
        most = max(counts.values())
        places = {}
        for s in self.trace.host:
            places.setdefault(s.thread, s.place)
        return min((t for t, n in counts.items() if n == most), key=places.get)

    def charge(self, gap):
        work = gap.work
        if not work:
            yield from self.charge_host(gap, gap.start, gap.end, self.first_thread(gap.device))
        elif not work.launch:
            cause, blamed = (("graph_nodes", f"graph {work.graph}") if self.is_later_node(work) else
                             ("launch_unknown", work.name))
            yield Piece(gap.device, gap.number, gap.start, gap.end, cause, blamed, None, None, None, work.stream)
        else:
            call = work.launch
            yield from self.charge_host(gap, gap.start, min(call.ts, gap.end), call.thread)
            op, frame, note = self.labels(self.threads[call.thread].innermost(call.ts))
            for a, b, cause, blamed in self.charge_device(gap):
                if a < b:
                    yield Piece(gap.device, gap.number, a, b, cause, blamed, op, frame, note, work.stream)

    # What the host is charged for

    def charge_host(self, gap, a, b, thread):
        stream = gap.work.stream if gap.work else None
        if thread not in self.threads:
            if a < b:
                yield Piece(gap.device, gap.number, a, b, "untraced_host", None, None, None, None, stream)
            return
        for start, end, inner in self.threads[thread].stretches(a, b):
            if inner not in self.costs:
                self.costs[inner] = (*self.host_cause(list(around(inner))), *self.labels(inner))
            yield Piece(gap.device, gap.number, start, end, *self.costs[inner], stream)

    def labels(self, inner):
        """The innermost operator, frame and annotation."""
        found = {}
        for s in around(inner):
            found.setdefault(s.kind, s.name)
        return found.get("op"), found.get("python"), found.get("annotation")

    def is_slow(self, call):
        if call.dur <= 1_000_000:
            return False
        others = list(self.durations[call.name])
        del others[bisect.bisect_left(others, call.dur)]
        return not others or call.dur > 10 * median(others)

    def tells(self, s):
        if s not in self.told:
            self.told[s] = self.tells_by_name(s)
        return self.told[s]

    def tells_by_name(self, s):
        if s.kind in ("op", "annotation"):
            return told_by_op(s)
        if s.kind == "python":
            return told_by_frame(s.name)
        if s.kind == "profiler":
            return "profiler"
        name = s.name
        if not has(name, "ynchronize", "Memcpy") and self.is_slow(s):
            return "slow_start"
        if "ynchronize" in name:
            return "sync"
        if has(name, *ALLOCATES) or name.startswith(ALLOCATES_FIRST):
            return "allocation"
        if "Memcpy" in name:
            copies = [w.name for w in s.launched if w.kind == "copy"]
            if "Async" not in name or any("Pageable" in c for c in copies):
                return "device_read" if any(is_read(c) for c in copies) else "blocking_copy"
        return None

    def host_cause(self, stack):
        """(cause, blamed) of a moment; the stack is from the innermost outwards."""
        charged = None
        for at in reversed(range(len(stack))):
            told = self.tells(stack[at]), stack[at].name
            if told[0] == "sync":
                told = self.sync_cause(stack, at, charged)
            if told[0] and (charged is None or told[0] != charged[0]):
                charged = told  # else the outermost of those that tell the same is blamed
        if charged:
            return charged
        for s in stack:
            if s.kind in ("op", "annotation", "python"):
                return {"op": "operator"}.get(s.kind, s.kind), s.name
        return ("runtime_call", stack[-1].name) if stack else ("untraced_host", None)

    def sync_cause(self, stack, at, around_it):
        if around_it and around_it[0] in ("device_read", "blocking_copy", "communication_wait"):
            return around_it
        collectives = [s.name for s in stack[at:] if is_collective(s)]
        if collectives:
            return "communication_wait", collectives[-1]
        ops = [s for s in stack[at:] if s.kind == "op"]
        if not ops or not converts(ops[0].name):
            return "sync", stack[at].name
        before = [w for s in self.copies_in(ops[0]) if s.ts < stack[at].ts for w in s.launched]
        cause = "device_read" if before and is_read(before[-1].name) else "blocking_copy"
        return cause, list(itertools.takewhile(lambda s: converts(s.name), ops))[-1].name

    def copies_in(self, op):
        """The calls that launched copies and whose innermost operator is this one, in their order."""
        if self.copies is None:
            self.copies = collections.defaultdict(list)
            for s in sorted(self.trace.host, key=lambda s: s.ts):
                if any(w.kind == "copy" for w in s.launched):
                    self.copies[next((p for p in around(s) if p.kind == "op"), None)].append(s)
        return self.copies[op]

    # What counts

    def counts(self, device):
        """The spans in which idle time of the device counts, apart and in order."""
        works = self.devices[device]
        if self.inner:
            return [(works[0].ts, max(w.end for w in works))]
        return merged(self.windows)

    def answer(self, clip=None):
        """clip: spans to which --time or --step cut."""
        self.prepare()
        gaps = self.find_gaps()
        self.collect_ordinary(gaps)
        self.gaps = {gap.number: gap for gap in gaps}
        pieces = []
        spans = {device: self.counts(device) for device in self.devices}
        if clip is not None:
            spans = {device: overlap(of, merged(clip)) for device, of in spans.items()}
        for gap in gaps:
            for piece in self.charge(gap):
                for a, b in overlap([(piece.a, piece.b)], spans[gap.device]):
                    pieces += self.by_step(piece._replace(a=a, b=b))
        devices = {}
        for device, works in self.devices.items():
            outside, last = 0, max(w.end for w in works)
            for gap in gaps:
                if gap.device == device:
                    a, b = max(gap.start, works[0].ts), min(gap.end, last)
                    if a < b:
                        outside += b - a - total(overlap([(a, b)], merged(self.windows)))
            devices[device] = Device(sum(p.b - p.a for p in pieces if p.device == device), total(spans[device]),
                                     None if self.inner or clip is not None else outside,
                                     sum(1 for s in self.belonging if overlap([s[:2]], spans[device])))
        return devices, pieces

    def by_step(self, piece):
        """A moment belongs to the step that began last before it, where that still lasts."""
        at = piece.a
        for a, b, number in self.belonging:
            if at < a < piece.b:
                yield piece._replace(a=at, b=a)
                at = a
            if a <= at < b and at < piece.b:
                yield piece._replace(a=at, b=min(b, piece.b), step=number)
                at = min(b, piece.b)
        if at < piece.b:
            yield piece._replace(a=at)


def merged(spans):
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        elif a < b:
            out.append((a, b))
    return out


def overlap(spans, others):
    found = [(max(a, c), min(b, d)) for a, b in spans for c, d in others]
    return [(a, b) for a, b in found if a < b]


def total(spans):
    return sum(b - a for a, b in spans)


def rows(answer, by):
    """{(device, what the row is for): its columns}; blamed is the set of those that tie."""
    devices, pieces = answer
    groups = collections.defaultdict(list)
    for piece in pieces:
        groups[piece.device, getattr(piece, by)].append(piece)
    found = {}
    for (device, key), group in groups.items():
        gaps, causes, blamed = collections.Counter(), collections.Counter(), collections.Counter()
        for p in group:
            gaps[p.gap] += p.b - p.a
            causes[p.cause] += p.b - p.a
            blamed[p.cause, p.blamed] += p.b - p.a
        idle, cause = sum(gaps.values()), max(causes, key=lambda c: (causes[c], -CAUSES.index(c)))
        most = max(n for (c, _), n in blamed.items() if c == cause)
        of, steps = devices[device], devices[device].windows
        inside = sum(p.b - p.a for p in group if p.step is not None)
        found[device, key] = dict(
            cause=cause, blamed={b for (c, b), n in blamed.items() if c == cause and n == most}, idle_ns=idle,
            gaps=len(gaps), mean_ns=idle // len(gaps), longest_ns=max(gaps.values()), share_pct=100 * idle / of.idle,
            idle_per_step_ns=inside // steps if steps and by != "step" else None, device_idle_ns=of.idle,
            device_span_ns=of.span, outside_ns=of.outside)
    return found
