"""Traces for the tests of `ptool gaps`: what a host and a device did, as Kineto writes it.

Times are integer nanoseconds.  A Trace keeps what it was told in plain lists, so that the
slow reference (slowblame.py) reads the same facts and never the JSON.
"""
import json


class Slice:
    """A span on a thread."""

    def __init__(self, cat, name, ts, dur, tid, args):
        self.cat, self.name, self.ts, self.dur, self.tid, self.args = cat, name, ts, dur, tid, args
        self.end = ts + dur


class Work:
    """A piece of device work; launch is the Slice that launched it, or None."""

    def __init__(self, cat, name, ts, dur, stream, device, launch):
        self.cat, self.name, self.ts, self.dur, self.stream, self.device = cat, name, ts, dur, stream, device
        self.launch = launch
        self.end = ts + dur


class Trace:
    """Facts in the order in which they are told."""

    def __init__(self, rank=None, base=1_000_000):
        self.slices, self.works, self.waits, self.order = [], [], [], []
        self.rank, self.base, self.correlation = rank, base, 100

    def host(self, name, ts, dur, cat="cpu_op", tid=1, **args):
        self.slices.append(Slice(cat, name, ts, dur, tid, args))
        self.order.append(self.slices[-1])
        return self.slices[-1]

    def call(self, name, ts, dur, tid=1):
        return self.host(name, ts, dur, "cuda_runtime", tid)

    def step(self, number, ts, dur, tid=1):
        return self.host(f"ProfilerStep#{number}", ts, dur, "user_annotation", tid)

    def work(self, ts, dur, launch=None, name="kernel_a", cat="kernel", stream=7, device=0, correlation=None, **args):
        """launch: a Slice of call(), or None for work whose launch is not in the trace: then with that
        correlation (0: without any), or one of its own."""
        work = Work(cat, name, ts, dur, stream, device, launch)
        if launch is None:
            work.correlation = self.lost_call() if correlation is None else correlation
        else:
            if "correlation" not in launch.args:
                self.correlation += 1
                launch.args["correlation"] = self.correlation
            work.correlation = launch.args["correlation"]
        work.args = args
        self.works.append(work)
        self.order.append(work)
        return work

    def lost_call(self):
        """The correlation of a call that is not in the trace."""
        self.correlation += 1
        return self.correlation

    def run(self, ts, dur, launched, api="cudaLaunchKernel", took=5, tid=1, **more):
        """Work with a launching call of its own."""
        return self.work(ts, dur, self.call(api, launched, took, tid), **more)

    def wait(self, ts, dur, stream, on, device=0):
        self.waits.append((ts, dur, stream, on, device))
        self.order.append(self.waits[-1])

    def event(self, fact, renamed):
        pid = 4242 + renamed * 1000
        if isinstance(fact, Slice):
            args = dict(fact.args)
            if "correlation" in args:
                args["correlation"] += renamed * 100000
            return dict(ph="X", cat=fact.cat, name=fact.name, pid=pid, tid=fact.tid + renamed * 77, ts=fact.ts,
                        dur=fact.dur, args=args)
        if isinstance(fact, Work):
            stream = fact.stream * (1 + renamed)
            args = dict(fact.args, device=fact.device, stream=stream)
            if fact.correlation:
                args["correlation"] = fact.correlation + renamed * 100000
            return dict(ph="X", cat=fact.cat, name=fact.name, pid=fact.device, tid=stream, ts=fact.ts, dur=fact.dur,
                        args=args)
        ts, dur, stream, on, device = fact
        stream, on = stream * (1 + renamed), on * (1 + renamed) if on > 0 else on
        return dict(ph="X", cat="cuda_sync", name="Stream Wait Event", pid=device, tid=stream, ts=ts, dur=dur,
                    args={"cuda_sync_kind": "Stream Wait Event", "stream": stream, "wait_on_stream": on,
                          "wait_on_cuda_event_id": 9, "wait_on_cuda_event_record_corr_id": 1, "device": device,
                          "correlation": 7})

    def events(self, renamed=0):
        return [self.event(fact, renamed) for fact in self.order]

    def save(self, path, renamed=0, shift=0, shuffle=None, extra=()):
        events = self.events(renamed) + list(extra)
        if shuffle:
            shuffle.shuffle(events)
        lines = []
        for e in events:
            e = dict(e)
            ts, dur = e.pop("ts") + self.base + shift, e.pop("dur")
            text = json.dumps(e)
            lines.append(f'{text[:-1]}, "ts": {ts // 1000}.{ts % 1000:03d}, "dur": {dur // 1000}.{dur % 1000:03d}}}')
        head = '"schemaVersion": 1, "deviceProperties": []'
        if self.rank is not None:
            head += f', "distributedInfo": {{"backend": "nccl", "rank": {self.rank}, "world_size": 2}}'
        with open(path, "w", encoding="utf-8") as out:
            out.write(f'{{{head}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n")
        return path
