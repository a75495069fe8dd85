"""A machine's run as a trace file and its truth file, in the order Kineto's exporter has."""
import json
import os

import facts
import kineto


def host_args(frame, index):
    ids = f'"External id": {frame.ext_id},"Record function id": 0, ' if frame.ext_id else ""
    rest = "".join(f'"{k}": {v}, ' for k, v in frame.args)
    return f'{ids}{rest}"Ev Idx": {index}'


def host_event(machine, frame, args):
    return dict(ph="X", cat=frame.cat, name=frame.name, pid=machine.pid, tid=frame.thread.tid,
                ts=frame.start, dur=frame.dur, args=args)


def flows_of(machine):
    """The arrows that begin or end at a range or a piece of work, keyed by its identity."""
    arrows = {}
    for ph, cat, number, frame in machine.flows:
        arrows.setdefault(id(frame), []).append(
            dict(ph=ph, cat=cat, id=number, pid=machine.pid, tid=frame.thread.tid, ts=frame.start))
    return arrows


def host_events(machine, arrows):
    """Operators and annotations a thread at a time, other threads first; memory; Python frames."""
    index = 0
    rank = {t.tid: i for i, t in enumerate(machine.threads)}
    ranges = sorted((f for f in machine.frames if f.cat in ("cpu_op", "user_annotation")),
                    key=lambda f: (-rank[f.thread.tid], f.start, -f.end))
    for f in ranges:
        yield host_event(machine, f, host_args(f, index))
        yield from arrows.get(id(f), [])
        index += 1
    unfinished = '"finished": false, ' if machine.dialect == "F" else ""
    for name, tid, ts, args in machine.instants:
        yield dict(ph="i", cat="cpu_instant_event", s="t", name=name, pid=machine.pid, tid=tid, ts=ts,
                   args=f'{args}, {unfinished}"Ev Idx": {index}')
        index += 1
    for f in (f for f in machine.frames if f.cat == "python_function"):
        yield host_event(machine, f, host_args(f, index))
        index += 1


def gpu_events(machine, arrows):
    """Runtime calls, device work and waits as CUPTI hands them over, then the labels' GPU rows."""
    for kind, item in machine.gpu_events:
        if kind == "sync":
            yield item
        elif kind == "runtime":
            yield host_event(machine, item, item.args)
            yield from arrows.get(id(item), [])
        else:
            yield dict(ph="X", cat=item.cat, name=item.name, pid=item.device, tid=item.stream, ts=item.start,
                       dur=item.dur, args=item.args)
            yield dict(ph="f", cat="ac2g", id=item.correlation, pid=item.device, tid=item.stream, ts=item.start)
    nudge = (0, 0) if machine.dialect == "C" else (1, 2)    # so that the row encloses its work
    for f in (f for f in machine.frames if f.rows):
        for (device, stream), (start, end) in sorted(f.rows.items()):
            yield dict(ph="X", cat="gpu_user_annotation", name=f.name, pid=device, tid=stream,
                       ts=start - nudge[0], dur=end - start + nudge[1], args=f'"External id": {f.ext_id}')


def names(machine, ts):
    def process(pid, name, label, sort):
        for key, arg in (("process_name", f'"name": "{name}"'), ("process_labels", f'"labels": "{label}"'),
                         ("process_sort_index", f'"sort_index": {sort}')):
            yield dict(ph="M", name=key, ts=ts, pid=pid, tid=0, args=arg)

    def thread(pid, tid, name):
        yield dict(ph="M", name="thread_name", ts=ts, pid=pid, tid=tid, args=f'"name": "{name}"')
        yield dict(ph="M", name="thread_sort_index", ts=ts, pid=pid, tid=tid, args=f'"sort_index": {tid}')

    yield from process(machine.pid, "python3", "CPU", machine.pid)
    for device in sorted(machine.devices):
        yield from process(device, "python3", f"GPU {device}", 0x1000000 + device)
    for device, stream in sorted(machine.streams):
        yield from thread(device, stream, f"stream {stream} ")
    for t in machine.threads * 2:       # the exporter repeats itself, too
        yield from thread(machine.pid, t.tid, f"thread {t.tid} (python3)")


def frame_of_recording(machine):
    ends = [f.end for f in machine.frames] + [w.end for w in machine.work]
    start, end = machine.start_ns, max(ends) + 200 * 1000
    end = end // machine.quantum * machine.quantum
    return start, end, end + 40 * 1000


def recording_events(start, end, window_end):
    yield dict(ph="X", cat="Trace", name="PyTorch Profiler (0)", pid="Spans", tid="PyTorch Profiler", ts=start,
               dur=end - start, args='"Op count": 0')
    yield dict(ph="M", name="process_sort_index", ts=start, pid="Spans", tid=0, args='"sort_index": 536870912')
    yield dict(ph="i", s="g", name="Iteration Start: PyTorch Profiler", pid="Traces", tid="Trace PyTorch Profiler",
               ts=start)
    yield dict(ph="i", s="g", name="Record Window End", pid="", tid="", ts=window_end)


def count_slices(events):
    """By name and category, what the file says (a label's GPU row is 2 ns longer than its work)."""
    rows = {}
    for e in (e for e in events if e["ph"] == "X" and e["cat"] != "Trace"):
        rows.setdefault((e["name"], e["cat"]), []).append(e["dur"])
    return [{"name": name, "category": cat, "count": len(d), "sum_ns": sum(d), "min_ns": min(d), "max_ns": max(d)}
            for (name, cat), d in sorted(rows.items())]


def save(machine, folder):
    arrows = flows_of(machine)
    start, end, window_end = frame_of_recording(machine)
    events = [*host_events(machine, arrows), *gpu_events(machine, arrows), *names(machine, start + 60 * 1000),
              *recording_events(start, end, window_end)]
    truth = facts.truth(machine, count_slices(events), {"start_ns": start, "end_ns": end, "window_end_ns": window_end})
    text = kineto.writer(machine.dialect).document(events, machine.base_ns, machine.metadata, f"{machine.case}.json")
    write(folder, f"{machine.case}.json", text)
    write(folder, f"{machine.case}.truth.json", pretty(truth))


def pretty(truth):
    """One fact a line, so that a diff of truth can be read."""
    lines = []
    for key, value in truth.items():
        if isinstance(value, list) and value:
            items = ",\n".join("  " + json.dumps(v) for v in value)
            lines.append(f" {json.dumps(key)}: [\n{items}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as f:
        f.write(text)
