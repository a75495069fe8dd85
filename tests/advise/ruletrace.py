"""Traces for the tests of `ptool advise`: what a host and devices did, in integer ns, as
Kineto writes it.  Three steps of 1 ms unless a test says otherwise.
"""
import json

STEP = 1_000_000
BASE = 1_000_000  # of the file's clock
GPU = {"id": 0, "name": "Test GPU", "totalGlobalMem": 1000, "computeMajor": 8, "computeMinor": 0, "numSms": 10}
SGEMM = "ampere_sgemm_128x64_nn"


class Trace:
    """A trace being made; times count from the start of its first step."""

    def __init__(self, devices=(GPU,), rank=None, steps=3, lengths=()):
        self.events, self.devices, self.rank, self.correlation = [], list(devices), rank, 100
        self.has_shapes, self.backend = False, "nccl"
        at = 0
        self.starts = []
        for i in range(steps):
            length = lengths[i] if i < len(lengths) else STEP
            self.starts.append(at)
            self.host(f"ProfilerStep#{i}", at, length, "user_annotation")
            at += length

    def event(self, **event):
        self.events.append(event)

    def host(self, name, ts, dur, cat="cpu_op", tid=1, **args):
        self.event(ph="X", cat=cat, name=name, pid=42, tid=tid, ts=ts, dur=dur, args=args)

    def kernel(self, ts, dur, launched=None, name=SGEMM, device=0, stream=7, cat="kernel", took=5, **args):
        """launched: when its call began; None: no call was recorded."""
        self.correlation += 1
        if launched is not None:
            self.host("cudaLaunchKernel", launched, took, "cuda_runtime", correlation=self.correlation)
        self.event(ph="X", cat=cat, name=name, pid=device, tid=stream, ts=ts, dur=dur,
                   args=dict(args, device=device, stream=stream, correlation=self.correlation))

    def out_of_memory(self, ts, size):
        self.event(ph="i", s="t", cat="cpu_instant_event", name="[OutOfMemory]", pid=42, tid=1, ts=ts,
                   args={"Device Type": 1, "Device Id": 0, "Bytes": size, "Total Allocated": 0, "Total Reserved": 0})

    def memory(self, ts, size, total, device=0):
        self.event(ph="i", s="t", cat="cpu_instant_event", name="[memory]", pid=42, tid=1, ts=ts,
                   args={"Device Type": 1, "Device Id": device, "Bytes": size, "Addr": 4096 + ts, "Total Allocated": total,
                         "Total Reserved": 1000})

    def save(self, path):
        lines = []
        for event in self.events:
            event = dict(event)
            ts, dur = event.pop("ts") + BASE, event.pop("dur", None)
            text = json.dumps(event)[:-1] + f', "ts": {ts // 1000}.{ts % 1000:03d}'
            if dur is not None:
                text += f', "dur": {dur // 1000}.{dur % 1000:03d}'
            lines.append(text + "}")
        head = f'"schemaVersion": 1, "deviceProperties": {json.dumps(self.devices)}'
        if self.has_shapes:
            head += ', "record_shapes": 1'
        if self.rank is not None:
            head += f', "distributedInfo": {{"backend": "{self.backend}", "rank": {self.rank}, "world_size": 2}}'
        with open(path, "w", encoding="utf-8") as out:
            out.write(f'{{{head}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n")
        return path


def cpu(**more):
    """A machine without a device."""
    return Trace(devices=[], **more)


def host_only():
    """Steps and an operator, and no device."""
    t = cpu()
    t.host("aten::mm", 100, 1000)
    return t


def unlaunched():
    """Device work whose calls were not recorded."""
    t = Trace()
    t.kernel(20_000, 900_000)
    return t


def frames():
    """Nothing but Python: neither steps nor operators."""
    t = Trace(steps=0)
    t.host("train.py(3): main", 0, 1000, "python_function")
    return t


def busy(t, dur, **more):
    """A kernel of that length in each step."""
    for start in t.starts:
        t.kernel(start + 20_000, dur, start + 10_000, **more)
    return t


def gapped(gap, fill=None, tail=0):
    """In each step a gap of that length; the host is ahead of the device everywhere else.

    Between the launches fill(trace, from, to) puts what the host did; the launch behind the gap begins `tail` before
    its end.
    """
    t = Trace()
    for start in t.starts:
        end = start + 500_000 + gap
        t.kernel(start + 20_000, 480_000, start + 10_000, took=3000)
        if fill:
            fill(t, start + 400_000, end - tail)
        t.kernel(end, start + STEP + 20_000 - end, end - tail, took=10)
    return t
