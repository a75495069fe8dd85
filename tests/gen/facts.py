"""What is true of a run: kept while the machine runs, summed up at its end."""
from dataclasses import dataclass, field

KERNEL_WAIT_NS = 30000


class Intervals:
    """A set of disjoint half-open intervals, kept merged; touching ones fuse."""

    def __init__(self):
        self.parts = []

    def add(self, start, end):
        inside = [p for p in self.parts if p[0] <= end and start <= p[1]]
        apart = [p for p in self.parts if not (p[0] <= end and start <= p[1])]
        merged = (min([start] + [p[0] for p in inside]), max([end] + [p[1] for p in inside]))
        self.parts = sorted(apart + [merged])

    def total(self):
        return sum(end - start for start, end in self.parts)

    def span(self):
        return self.parts[0][0], self.parts[-1][1]

    def gaps(self):
        return [[a[1], b[0]] for a, b in zip(self.parts, self.parts[1:])]


class Device:
    def __init__(self):
        self.busy, self.count, self.sum_ns = Intervals(), 0, 0

    def add(self, start, end):
        self.busy.add(start, end)
        self.count += 1
        self.sum_ns += end - start

    def facts(self, device):
        start, end = self.busy.span()
        busy = self.busy.total()
        return {"device": device, "events": self.count, "start_ns": start, "end_ns": end, "span_ns": end - start,
                "busy_ns": busy, "idle_ns": end - start - busy, "sum_ns": self.sum_ns, "gaps": self.busy.gaps()}


def note_gap(stream, start, called_at):
    """Work begins on a stream at start, launched at called_at (None: nobody saw the launch)."""
    if stream.last_end is None or start <= stream.last_end:
        return
    if called_at is None:
        cause = "launch_unknown"
    elif called_at > stream.last_end:
        cause = "host_wait"
    else:
        cause = "kernel_wait" if start - stream.last_end < KERNEL_WAIT_NS else "other"
    stream.gaps.append({"start_ns": stream.last_end, "end_ns": start, "cause": cause})


@dataclass
class Pool:
    """One allocator: type and id as PyTorch writes them, running totals, and what they reached."""
    device_type: int
    device_id: int
    base_bytes: int = 0
    allocated: int = 0
    reserved: int = 0
    peak: tuple = (0, 0)
    peak_reserved: int = 0
    records: int = 0
    out_of_memory: list = field(default_factory=list)


class Memory:
    """[memory] records, 700 ns away from every range boundary on both sides.

    torch 2.4 to 2.10 compare them with the ranges in a double that steps by 256 ns.
    """
    AWAY = 700

    def __init__(self, machine):
        self.machine = machine
        self.pools = {"cpu": Pool(0, -1), "cuda": Pool(1, 0)}
        self.next_address = 139864267840512
        self.unowned = {"cpu": [0, 0], "cuda": [0, 0]}      # records outside every range: count, bytes

    def start_from(self, device, allocated, reserved):
        """What was allocated before the recording began."""
        pool = self.pools[device]
        pool.base_bytes = pool.allocated = allocated
        pool.reserved = pool.peak_reserved = reserved

    def change(self, device, size, grow=0, address=None):
        pool = self.pools[device]
        pool.allocated += size
        pool.reserved += grow
        address = address or self.next_address
        self.next_address += 1 << 20
        self.machine.cpu(self.AWAY)
        now = self.machine.thread.now
        if pool.records == 0 or pool.allocated > pool.peak[0]:
            pool.peak = (pool.allocated, now)
        pool.peak_reserved = max(pool.peak_reserved, pool.reserved)
        pool.records += 1
        self.charge(device, size)
        self.record("[memory]", pool, now, size, f'"Addr": {address}, ')
        self.machine.cpu(self.AWAY)
        return device, size, address

    def release(self, block):
        device, size, address = block
        self.change(device, -size, address=address)

    def charge(self, device, size):
        """Every range open now on any thread owns the record."""
        owners = [f for t in self.machine.threads for f in t.open
                  if f.cat != "python_function" or self.machine.dialect == "F"]
        for frame in owners:
            frame.mem["cpu" if device == "cpu" else "device"] += size
        if not owners:
            self.unowned[device][0] += 1
            self.unowned[device][1] += size

    def refuse(self, device, size):
        pool = self.pools[device]
        self.machine.cpu(self.AWAY)
        now = self.machine.thread.now
        pool.out_of_memory.append({"ts_ns": now, "bytes": size})
        self.record("[OutOfMemory]", pool, now, size, "")
        self.machine.cpu(self.AWAY)

    def record(self, name, pool, now, size, address):
        self.machine.instants.append((name, self.machine.thread.tid, now, (
            f'"Total Reserved": {pool.reserved}, "Total Allocated": {pool.allocated}, "Bytes": {size}, '
            f'{address}"Device Id": {pool.device_id}, "Device Type": {pool.device_type}')))

    def facts(self):
        return [{"device_type": p.device_type, "device_id": p.device_id, "records": p.records,
                 "base_bytes": p.base_bytes, "final_bytes": p.allocated, "peak_bytes": p.peak[0],
                 "peak_ts_ns": p.peak[1], "final_reserved_bytes": p.reserved,
                 "peak_reserved_bytes": p.peak_reserved, "out_of_memory": p.out_of_memory,
                 "outside_every_range": {"count": self.unowned[k][0], "bytes": self.unowned[k][1]}}
                for k, p in self.pools.items() if p.records or p.out_of_memory]


def fold_same_name(frame):
    """A range whose only child has its name stands for both (torch's _remove_dup_nodes)."""
    for child in frame.children:
        fold_same_name(child)
    while len(frame.children) == 1 and table_name(frame.children[0]) == table_name(frame):
        child = frame.children[0]
        frame.children, frame.work, frame.rows = child.children, child.work, child.rows
        child.end = None        # it has no row of its own any more


def table_name(frame):
    return "ProfilerStep*" if frame.name.startswith("ProfilerStep#") else frame.name


def device_self(frame):
    """An annotation counts its GPU rows as work of its own (so torch counts that time twice)."""
    if frame.is_async:
        return 0
    return sum(w.dur for w in frame.work) + sum(end - start for start, end in frame.rows.values())


def device_total(frame):
    return device_self(frame) + sum(device_total(c) for c in frame.children)


def operators(frames):
    """key_averages() by torch's rules, one row a (name, annotation or not), in no order that matters."""
    for root in (f for f in frames if f.parent is None and not f.is_async):
        fold_same_name(root)
    rows = {}
    for frame in (f for f in frames if f.end is not None and f.cat != "python_function"):
        key = (table_name(frame), frame.cat == "user_annotation")
        row = rows.setdefault(key, dict.fromkeys(
            ("calls", "total_ns", "self_ns", "device_self_ns", "device_total_ns", "cpu_bytes", "self_cpu_bytes",
             "device_bytes", "self_device_bytes"), 0))
        row["calls"] += 1
        row["total_ns"] += frame.dur
        row["cpu_bytes"] += frame.mem["cpu"]
        row["device_bytes"] += frame.mem["device"]
        if frame.is_async:
            continue
        row["self_ns"] += frame.dur - sum(c.dur for c in frame.children)
        row["self_cpu_bytes"] += frame.mem["cpu"] - sum(c.mem["cpu"] for c in frame.children)
        row["self_device_bytes"] += frame.mem["device"] - sum(c.mem["device"] for c in frame.children)
        row["device_self_ns"] += device_self(frame)
        row["device_total_ns"] += device_total(frame)
    return [{"name": name, "is_annotation": note, **row} for (name, note), row in sorted(rows.items())]


def union(works):
    parts = Intervals()
    for w in works:
        parts.add(w.start, w.end)
    return parts


def steps(machine):
    rows = []
    for n, frame in machine.steps:
        mine = [w for w in machine.work if w.step == n]
        rows.append({"step": n, "start_ns": frame.start, "end_ns": frame.end, "device_events": len(mine),
                     "device_ns": sum(w.dur for w in mine), "device_busy_ns": union(mine).total()})
    return rows


def annotations(frames):
    """Each call of each label; device_* covers all work launched inside, by the same thread."""
    rows = {}
    for f in (f for f in frames if f.cat == "user_annotation"):
        row = rows.setdefault(f.name, {"label": f.name, "calls": 0, "host_ns": 0, "device_events": 0,
                                       "device_ns": 0, "device_busy_ns": 0, "device_span_ns": 0, "instances": []})
        parts = union(f.launched)
        span = parts.span() if f.launched else None
        row["calls"] += 1
        row["host_ns"] += f.dur
        row["device_events"] += len(f.launched)
        row["device_ns"] += sum(w.dur for w in f.launched)
        row["device_busy_ns"] += parts.total()
        row["device_span_ns"] += span[1] - span[0] if span else 0
        row["instances"].append({
            "start_ns": f.start, "end_ns": f.end, "device_span": span,
            "gpu_rows": [{"device": d, "stream": s, "start_ns": r[0], "end_ns": r[1]}
                         for (d, s), r in sorted(f.rows.items())]})
    return [rows[label] for label in sorted(rows)]


def device_work(machine):
    return [{"name": w.name, "category": w.cat, "device": w.device, "stream": w.stream, "start_ns": w.start,
             "end_ns": w.end, "correlation": w.correlation, "step": w.step,
             "launch": w.launch and {"name": w.launch.name, "start_ns": w.launch.start, "thread": w.launch.thread.tid},
             "operator": w.operator and {"name": w.operator.name, "start_ns": w.operator.start,
                                         "thread": w.operator.thread.tid}}
            for w in sorted(machine.work, key=lambda w: (w.device, w.stream, w.start))]


def kernels(machine):
    rows = {}
    for w in machine.work:
        row = rows.setdefault((w.cat, w.name), [])
        row.append(w.dur)
    return [{"category": cat, "name": name, "count": len(d), "sum_ns": sum(d), "min_ns": min(d), "max_ns": max(d)}
            for (cat, name), d in sorted(rows.items())]


def truth(machine, slices, recording):
    m = machine
    return {
        "case": m.case, "dialect": m.dialect, "base_ns": m.base_ns, "recording": recording, "slices": slices,
        "devices": [m.devices[d].facts(d) for d in sorted(m.devices)],
        "streams": [{"device": d, "stream": s, "events": q.count, "busy_ns": q.busy.total(), "gaps": q.gaps}
                    for (d, s), q in sorted(m.streams.items()) if q.count],
        "device_work": device_work(m), "kernels": kernels(m), "steps": steps(m),
        "annotations": annotations(m.frames), "memory": m.memory.facts(), "host_waits": m.syncs,
        **m.extra,
        "operators": operators(m.frames),
    }
