"""A small machine that runs a training program, and writes down what is true as it happens.

The machine has CPU threads, each with a clock and a stack of open ranges, and GPU streams, each
a queue that runs one piece of work after another.  A program in cases.py opens ranges, spends
time, launches work, allocates memory and waits.  Every fact (who launched what, what a gap was
due to, whose self time passed) is noted at the moment the machine decides it, so the truth
never depends on reading a trace back.

All times are integer ns since base_ns, all sizes bytes.
"""
import contextlib
from dataclasses import dataclass, field

import emit
import facts


class Dice:
    """A fixed sequence of numbers, the same under every Python."""

    def __init__(self, text):
        self.state = sum((i + 1) * ord(c) for i, c in enumerate(text)) * 2654435761 % 2**64

    def roll(self, low, high):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (self.state >> 33) % (high - low + 1)


@dataclass(eq=False)
class Frame:
    """A range on a CPU thread: an operator, an annotation, a runtime call or a Python frame."""
    cat: str
    name: str
    thread: "Thread"
    start: int
    parent: "Frame" = None              # in the operator table's tree, None for a root
    children: list = field(default_factory=list)
    end: int = None
    ext_id: int = 0                     # 0: it has none
    args: list = field(default_factory=list)
    is_async: bool = False              # c10d ranges: in no tree, self time 0
    work: list = field(default_factory=list)       # device work whose External id is this one's
    launched: list = field(default_factory=list)   # annotations: all work launched inside
    rows: dict = field(default_factory=dict)       # annotations: (device, stream) -> GPU span
    mem: dict = field(default_factory=lambda: {"cpu": 0, "device": 0})
    seq: int = None
    correlation: int = 0

    @property
    def dur(self):
        return self.end - self.start


@dataclass(eq=False)
class Work:
    """A kernel, copy or memset on a stream."""
    cat: str
    name: str
    device: int
    stream: int
    start: int
    end: int
    correlation: int
    args: str
    launch: Frame                       # None: the call is not in the trace
    operator: Frame
    step: int                           # the step open at its launch

    @property
    def dur(self):
        return self.end - self.start


class Thread:
    def __init__(self, tid, now, first_id):
        self.tid, self.now, self.next_id = tid, now, first_id
        self.open = []

    def innermost(self, cat):
        return next((f for f in reversed(self.open) if f.cat == cat), None)


class Stream:
    """An in-order queue.  free_at is when its last work ends, or a wait lets it go on."""

    def __init__(self):
        self.free_at, self.last_end, self.gaps, self.busy = 0, None, [], facts.Intervals()
        self.count = 0


class Machine:
    def __init__(self, case, dialect="D", base_ns=1790857026000000000, start_ns=4311020981081440,
                 pid=4242, quantum=1):
        self.case, self.dialect, self.pid, self.quantum = case, dialect, pid, quantum
        self.base_ns = 0 if dialect == "C" else base_ns
        self.start_ns = (base_ns + start_ns) // 1000 * 1000 if dialect == "C" else start_ns
        self.dice = Dice(case)
        self.thread = self.main = Thread(pid, self.start_ns + 100 * 1000, 1)
        self.threads = [self.main]
        self.frames, self.work, self.gpu_events, self.instants, self.flows = [], [], [], [], []
        self.streams, self.devices, self.steps = {}, {}, []
        self.step_open = None
        self.memory = facts.Memory(self)
        self.next_correlation, self.next_python, self.next_flow = 70001, 1, 1
        self.metadata, self.useless_ids, self.syncs, self.extra = [], False, [], {}

    # Time and threads

    def cpu(self, ns):
        """The current thread computes for ns."""
        assert ns >= self.quantum and ns % self.quantum == 0
        self.thread.now += ns

    def until(self, when):
        """The current thread computes until that time."""
        self.cpu(when - self.thread.now)

    def some(self, low, high):
        """A duration from the case's own fixed sequence, in the case's resolution."""
        return max(self.dice.roll(low, high) // self.quantum, 1) * self.quantum

    @contextlib.contextmanager
    def on(self, tid):
        """Another thread takes over while this one waits for it (autograd does that)."""
        waiting = self.thread
        other = next((t for t in self.threads if t.tid == tid), None)
        if other is None:
            other = Thread(tid, 0, 1 + 512 * len(self.threads))
            self.threads.append(other)
        other.now = waiting.now + self.some(4000, 8000)
        self.thread = other
        yield other
        self.thread = waiting
        waiting.now = other.now + self.some(4000, 8000)

    # Ranges

    def enclosing(self):
        """The open range that a new one would be a child of, by torch's rules."""
        return next((f for f in reversed(self.thread.open) if self.in_table(f.cat, f.is_async)), None)

    def in_table(self, cat, is_async):
        return not is_async and (cat != "python_function" or self.dialect == "F")

    def begin(self, cat, name, is_async=False, under=None):
        frame = Frame(cat, name, self.thread, self.thread.now, is_async=is_async)
        if self.in_table(cat, is_async):
            frame.parent = under or self.enclosing()
        if frame.parent:
            frame.parent.children.append(frame)
        self.thread.open.append(frame)
        self.frames.append(frame)
        return frame

    def finish(self, frame):
        frame.end = self.thread.now
        self.thread.open.remove(frame)

    def give_id(self, frame):
        frame.ext_id, self.thread.next_id = self.thread.next_id, self.thread.next_id + 1

    @contextlib.contextmanager
    def op(self, name, before=(400, 2500), after=(300, 1500), **detail):
        """A cpu_op; its own work is before and after what the body does."""
        with self.range("cpu_op", name, before, after, **detail) as frame:
            yield frame

    @contextlib.contextmanager
    def annotation(self, name, before=(300, 1200), after=(300, 1200), **detail):
        with self.range("user_annotation", name, before, after, **detail) as frame:
            yield frame

    @contextlib.contextmanager
    def range(self, cat, name, before, after, is_async=False, args=(), seq=None, fwd=0):
        frame = self.begin(cat, name, is_async)
        self.give_id(frame)
        frame.args = list(args)
        if seq is not None:
            frame.seq = seq
            frame.args = [("Sequence number", seq), ("Fwd thread id", fwd)] + frame.args
        self.cpu(self.some(*before))
        yield frame
        self.cpu(self.some(*after))
        self.finish(frame)
        self.cpu(self.some(100, 900))

    @contextlib.contextmanager
    def step(self, n):
        with self.annotation(f"ProfilerStep#{n}") as frame:
            self.step_open = n
            yield frame
        self.step_open = None
        self.steps.append((n, frame))

    @contextlib.contextmanager
    def python(self, name, before=(200, 900), after=(200, 900), under=None):
        """A frame of Python code, as with_stack records them."""
        frame = self.begin("python_function", name, under=under)
        above = [f for f in self.thread.open[:-1] if f.cat == "python_function"]
        frame.args = [("Python id", self.next_python)]
        if above:
            frame.args.insert(0, ("Python parent id", above[-1].args[-1][1]))
        if self.dialect == "F":
            frame.args.insert(0, ("CallFrom", '"train.py:17"'))
        self.next_python += 1
        self.cpu(self.some(*before))
        yield frame
        self.cpu(self.some(*after))
        self.finish(frame)
        self.cpu(self.some(100, 400))

    @contextlib.contextmanager
    def python_annotation(self, label):
        """record_function under with_stack: it begins inside __enter__ and ends inside __exit__.

        So it overlaps both frames and nests in neither: by torch's rule the two frames
        are its siblings, and only what stands between them is its child.
        """
        where, outer = "torch/autograd/profiler.py", self.enclosing()
        with self.python(f"{where}(730): __enter__"):
            with self.python("<built-in method _record_function_enter_new of PyCapsule object>"):
                frame = self.begin("user_annotation", label, under=outer)
                self.give_id(frame)
        yield frame
        with self.python(f"{where}(736): __exit__", under=outer):
            with self.python("<built-in method _record_function_exit_new of PyCapsule object>"):
                self.finish(frame)

    # Runtime calls and device work

    def correlation(self):
        self.next_correlation += 1 + self.dice.roll(0, 3)
        return self.next_correlation

    def external_id(self, op, correlation):
        """Device work names its operator; what has none named itself until October 2024."""
        if self.useless_ids or (not op and self.dialect in "CD"):
            return correlation
        return op.ext_id if op else 0

    def runtime(self, name, host_ns, cat="cuda_runtime", cbid=211, correlation=None, flow="f", extra=""):
        """A call into the CUDA runtime or driver that takes host_ns."""
        call = self.begin(cat, name)
        call.correlation = correlation or self.correlation()
        op = self.thread.innermost("cpu_op")
        ext = self.external_id(op, call.correlation)
        head = f'"External id": {ext},      ' if ext else "            "
        call.args = f'{head}"cbid": {cbid}, "correlation": {call.correlation}{extra}'
        self.cpu(host_ns)
        self.finish(call)
        self.gpu_events.append(("runtime", call))
        self.flows.append((flow, "ac2g", call.correlation, call))
        return call

    def launch(self, work, api="cudaLaunchKernel", host_ns=None, latency=None, recorded=True, **detail):
        """Launch one piece of work (a list: a graph) and return it."""
        pieces = work if isinstance(work, list) else [work]
        correlation, began = self.correlation(), self.thread.now
        host_ns = host_ns or self.some(3000, 6000)
        latency = latency or self.some(2500, 5000)
        done = [self.enqueue(p, correlation, began, began + latency, recorded) for p in pieces]
        if recorded:
            call = self.runtime(api, host_ns, correlation=correlation, flow="s", **detail)
            for w in done:
                w.launch = call
        else:
            self.cpu(host_ns)
        for w in done:
            self.gpu_events.append(("work", w))
        self.cpu(self.some(200, 600))
        return done if isinstance(work, list) else done[0]

    def enqueue(self, piece, correlation, called_at, ready, recorded):
        stream = self.streams.setdefault((piece["device"], piece["stream"]), Stream())
        start = max(ready, stream.free_at) - piece.get("early", 0)
        end = start + piece["dur"]
        facts.note_gap(stream, start, called_at if recorded else None)
        stream.last_end = max(end, stream.last_end or 0)
        stream.free_at = stream.last_end + piece.get("pause", self.some(700, 1500))
        stream.busy.add(start, end)
        stream.count += 1
        self.devices.setdefault(piece["device"], facts.Device()).add(start, end)
        op = self.thread.innermost("cpu_op") if recorded else None
        ext = self.external_id(op, correlation)
        head = f'"External id": {ext},      ' if ext else "            "
        work = Work(piece["cat"], piece["name"], piece["device"], piece["stream"], start, end, correlation,
                    head + piece["args"](correlation, end - start), None, op,
                    self.step_open if recorded else None)
        self.work.append(work)
        if op:
            op.work.append(work)
        if recorded:
            self.under_annotations(work)
        return work

    def under_annotations(self, work):
        labels = [f for f in self.thread.open if f.cat == "user_annotation"]
        for label in labels:
            label.launched.append(work)
        if labels:
            rows = labels[-1].rows
            was = rows.get((work.device, work.stream), (work.start, work.end))
            rows[work.device, work.stream] = (min(was[0], work.start), max(was[1], work.end))

    def wait_for(self, stream, other, device=0):
        """cudaStreamWaitEvent: stream goes on only after what other has queued so far."""
        there = self.streams[device, other]
        here = self.streams.setdefault((device, stream), Stream())
        here.free_at = max(here.free_at, there.last_end or 0)
        recorded = self.runtime("cudaEventRecord", self.some(900, 1800), cbid=135)
        call = self.runtime("cudaStreamWaitEvent", self.some(900, 1800), cbid=147, flow="s")
        self.sync_event("Stream Wait Event", call, device, stream, call.start + 300 * self.quantum, 400 * self.quantum,
                        f'      "wait_on_stream": {other},      "wait_on_cuda_event_record_corr_id": '
                        f'{recorded.correlation},      "wait_on_cuda_event_id": 9,')

    def synchronize(self, name="cudaStreamSynchronize", device=0, stream=7):
        """The host waits until the stream (or the device) has nothing left to do."""
        keys = [k for k in self.streams if k[0] == device and (k[1] == stream or "Device" in name)]
        last = max(self.streams[k].last_end or 0 for k in keys)
        began = self.thread.now
        host_ns = max(last - began, 0) + self.some(1500, 3000)
        call = self.runtime(name, host_ns, cbid=165 if "Device" in name else 131, flow="s")
        kind, row = ("Context Sync", -1) if "Device" in name else ("Stream Sync", stream)
        self.sync_event(kind, call, device, row, began + self.quantum, host_ns - 2 * self.quantum, "")
        op = self.thread.innermost("cpu_op")
        self.syncs.append({"name": name, "start_ns": began, "end_ns": call.end,
                           "operator": op.name if op else None, "waited_until_ns": last})
        self.cpu(self.some(200, 500))

    def sync_event(self, kind, call, device, stream, start, dur, extra):
        tid = 1 if stream == -1 else stream         # the exporter writes |tid|
        ext = f'"External id": {call.correlation},      ' if self.dialect in "CD" else "      "
        self.gpu_events.append(("sync", dict(
            ph="X", cat="cuda_sync", name=kind, pid=device, tid=tid, ts=start, dur=dur,
            args=f'{ext}"cuda_sync_kind": "{kind}",{extra}      "stream": {stream}, '
                 f'"correlation": {call.correlation},      "device": {device}, "context": {device + 1}')))

    def connect_backward(self, forward, backward):
        """The fwdbwd arrow between an operator and its gradient."""
        for ph, frame in (("s", forward), ("f", backward)):
            self.flows.append((ph, "fwdbwd", self.next_flow, frame))
        self.next_flow += 1

    # Memory

    def malloc(self, size, device="cuda", grow=0):
        """Allocate; grow is what the caching allocator reserves anew for it.  Returns the block."""
        return self.memory.change(device, size, grow)

    def free(self, block):
        self.memory.release(block)

    def out_of_memory(self, size):
        self.memory.refuse("cuda", size)

    def save(self, folder):
        """CASE.json and CASE.truth.json."""
        assert not any(t.open for t in self.threads), "a range was left open"
        emit.save(self, folder)
