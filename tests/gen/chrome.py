"""phases_of_chrome: the Trace Event Format without PyTorch, in its array form.

The script below says what happened and notes each fact beside the events that tell it.  Every
event is one line; lines are then moved about by a fixed rule, which the format allows: in
phases_of_chrome duration events stay in order on their thread, in phases_unsorted nothing does.
"""
import json

import emit
from machine import Dice


def us(ns):
    """Microseconds in the shortest spelling, as hand-written tracers print them."""
    text = f"{ns // 1000}.{ns % 1000:03d}".rstrip("0").rstrip(".")
    return Literal(text)


class Literal(str):
    """JSON text that goes into the file as it stands."""


def dump(value):
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{dump(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


class Script:
    def __init__(self):
        self.lines, self.slices, self.flows, self.asyncs, self.counters = [], [], [], [], []
        self.instants, self.processes, self.threads, self.other = [], {}, {}, {}

    def say(self, ph, ts=None, **keys):
        event = {"ph": ph, **({"ts": ts if isinstance(ts, (Literal, str)) else us(ts)} if ts is not None else {}), **keys}
        self.lines.append((ph, dump(event)))

    def slice(self, name, thread, start, end, told_by, **facts):
        row = {"name": name, "pid": str(thread[0]), "tid": str(thread[1]), "start_ns": start, "end_ns": end,
               "told_by": told_by, **facts}
        self.slices.append(row)
        return len(self.slices) - 1

    def complete(self, name, thread, start, end, **keys):
        self.say("X", start, dur=us(end - start), name=name, pid=thread[0], tid=thread[1], cat="toplevel", **keys)
        return self.slice(name, thread, start, end, "X")


def durations(s):
    """B and E: nested, the thread spelt as number and as text, E without name, arguments merged."""
    number, text = (1, 1), ("1", "1")
    s.say("B", 100_000, name="outer", cat="app", pid=1, tid=1, args={"x": 1, "y": 1})
    s.say("B", 200_000, name="first", cat="app", pid="1", tid="1")
    s.say("E", 300_500, name="first", pid=1, tid=1)
    s.say("B", 300_501, name="second", cat="app,gpu", pid=1, tid=1)
    s.say("E", 450_001, pid=1, tid="1")
    s.say("E", 900_000, pid=1, tid=1, args={"y": 2, "z": "end"})
    s.slice("outer", number, 100_000, 900_000, "B/E", args={"x": 1, "y": 2, "z": "end"})
    s.slice("first", text, 200_000, 300_500, "B/E")
    s.slice("second", number, 300_501, 450_001, "B/E")


def broken_durations(s):
    crossed, ends, opens = ("Browser", "main"), (1, 140737353934656), (2, "io")
    s.say("B", 100_000, name="a", cat="app", pid="Browser", tid="main")
    s.say("B", 150_000, name="b", cat="app", pid="Browser", tid="main")
    s.say("E", 250_000, name="a", pid="Browser", tid="main")
    s.say("E", 400_000, name="b", pid="Browser", tid="main")
    # An E ends what has its name, as in Perfetto; by the stack alone, as in catapult, a would be the longer.
    s.slice("a", crossed, 100_000, 250_000, "B/E", by_stack=[100_000, 400_000])
    s.slice("b", crossed, 150_000, 400_000, "B/E", by_stack=[150_000, 250_000])
    s.say("E", 120_000, name="nobody", pid=ends[0], tid=ends[1])
    s.say("B", 500_000, name="left open", cat="app", pid=opens[0], tid=opens[1])
    s.slice("left open", opens, 500_000, None, "B")         # ends with the trace
    s.say("X", 600_000, name="no dur", cat="app", pid=opens[0], tid=opens[1])
    s.slice("no dur", opens, 600_000, None, "X")


def completes(s):
    thread = (1, -5)
    s.complete("parent", thread, 100_000, 500_000)
    s.complete("child", thread, 100_000, 300_000, args={"note": "zwei Wörter \U0001f680 \"quoted\" \\ back"})
    s.complete("instantaneous", thread, 350_000, 350_000)
    s.say("X", 360_000, dur=2, name=Literal('"caf\\u00e9 \\ud83d\\ude80"'), pid=1, tid=-5, cat="toplevel")
    s.slice("caf\u00e9 \U0001f680", thread, 360_000, 362_000, "X")
    overlap = (1, 77)
    s.complete("early", overlap, 100_000, 200_000)
    s.complete("late", overlap, 150_000, 250_000)           # partial overlap: both are kept
    odd = (1, 78)                                           # spellings of one number
    s.say("X", Literal("700.0005"), dur=Literal("10.0015"), name="below 1 ns", pid=1, tid=78, cat="app")
    s.slice("below 1 ns", odd, 700_000, 710_002, "X")       # half to even, ts and dur each
    s.say("X", "720.25", dur="1.5", name="text", pid=1, tid="78", cat="app")
    s.slice("text", odd, 720_250, 721_750, "X")
    s.say("X", Literal("7.3e2"), dur=Literal("25e-1"), name="exponent", pid=1, tid=78, cat="app")
    s.slice("exponent", odd, 730_000, 732_500, "X")


def instants(s):
    for ph, scope, name in (("i", "g", "flush"), ("i", "p", "ready"), ("i", "t", "tick"), ("I", None, "old style"),
                            ("R", None, "mark")):
        ts = 210_000 + 1000 * len(s.instants)
        s.say(ph, ts, name=name, cat="app", pid=1, tid=1, **({"s": scope} if scope else {}))
        s.instants.append({"name": name, "phase": ph, "ts_ns": ts, "scope": scope or "t"})


def counters(s):
    for ts, depth, size in ((100_000, 3, "12"), (200_000, 5, "24"), (300_000, 0, "0")):
        s.say("C", ts, name="queue", pid=1, tid=1, args={"depth": depth, "bytes": size})
        s.counters += [{"name": "queue", "series": "depth", "id": None, "ts_ns": ts, "value": depth},
                       {"name": "queue", "series": "bytes", "id": None, "ts_ns": ts, "value": int(size)}]
    s.say("C", 250_000, name="queue", id="0xa", pid=1, args={"depth": 1.5})
    s.counters.append({"name": "queue", "series": "depth", "id": "0xa", "ts_ns": 250_000, "value": 1.5})


def asyncs(s):
    def note(name, start, end, ident, **more):
        s.asyncs.append({"name": name, "id": ident, "start_ns": start, "end_ns": end, **more})

    s.say("b", 100_000, name="request", cat="net", id="0x1", pid=1, tid=1)
    s.say("b", 120_000, name="dns", cat="net", id="0x1", pid=1, tid=-5)
    s.say("n", 125_000, name="answer", cat="net", id="0x1", pid=1, tid=-5)
    s.say("e", 130_000, name="dns", cat="net", id="0x1", pid=1, tid=-5)
    s.say("e", 180_000, name="request", cat="net", id="0x1", pid=1, tid=77)     # ends on another thread
    note("request", 100_000, 180_000, "0x1")
    note("dns", 120_000, 130_000, "0x1", instants=[125_000])
    for pid in (1, 2):                                      # local ids are a process's own
        s.say("b", 300_000 + pid, name="load", cat="net", id2={"local": "0x9"}, pid=pid, tid=1, scope="tab")
        s.say("e", 310_000 + pid, name="load", cat="net", id2={"local": "0x9"}, pid=pid, tid=1, scope="tab")
        note("load", 300_000 + pid, 310_000 + pid, "0x9", pid=str(pid))
    s.say("S", 400_000, name="job", cat="old", id=5, pid=1, tid=1)
    s.say("T", 410_000, name="job", cat="old", id=5, pid=1, tid=1, args={"step": "parse"})
    s.say("F", 450_000, name="job", cat="old", id=5, pid=1, tid=1)
    note("job", 400_000, 450_000, 5, steps=[{"step": "parse", "start_ns": 410_000, "end_ns": 450_000}])
    s.say("S", 500_000, name="job", cat="old", id=6, pid=1, tid=1)
    s.say("p", 520_000, name="job", cat="old", id=6, pid=1, tid=1, args={"step": "fetch"})
    s.say("F", 530_000, name="job", cat="old", id=6, pid=1, tid=1)
    note("job", 500_000, 530_000, 6, steps=[{"step": "fetch", "start_ns": 500_000, "end_ns": 520_000}])


def flows(s):
    """Arrows between slices; each is a list of indices into slices, in the order of the arrow."""
    sender, relay, enclosing, following = (3, 1), (3, 2), (3, 3), (3, 4)
    a = s.complete("send", sender, 100_000, 200_000)
    b = s.complete("relay", relay, 210_000, 260_000)
    c = s.complete("receive", enclosing, 300_000, 400_000)
    s.say("s", 150_000, name="msg", cat="ipc", id=31, pid=3, tid=1)
    s.say("t", 220_000, name="msg", cat="ipc", id=31, pid=3, tid=2)
    s.say("f", 310_000, name="msg", cat="ipc", id=31, pid=3, tid=3, bp="e")
    s.flows.append([a, b, c])
    s.complete("earlier", following, 100_000, 320_000)      # encloses the f, which does not bind to it
    d = s.complete("next", following, 350_000, 380_000)
    s.say("s", 160_000, name="msg", cat="other", id="0x1f", pid=3, tid=1)       # same number, other category
    s.say("f", 315_000, name="msg", cat="other", id="0x1f", pid=3, tid=4)       # no bp: the next slice
    s.flows.append([a, d])
    e = s.complete("produce", sender, 500_000, 510_000, bind_id="0x77", flow_out=True)
    f = s.complete("step on", relay, 520_000, 530_000, bind_id="0x77", flow_in=True, flow_out=True)
    g = s.complete("consume", enclosing, 540_000, 550_000, bind_id="0x77", flow_in=True)
    s.flows.append([e, f, g])


def metadata(s):
    def say(name, pid, tid, args):
        s.say("M", None, name=name, pid=pid, tid=tid, args=args)

    say("process_name", 1, 0, {"name": "first name"})
    say("process_name", 1, 0, {"name": "browser"})          # the last one counts
    say("process_labels", 1, 0, {"labels": "one,two"})
    say("process_sort_index", 1, 0, {"sort_index": -3})
    say("process_uptime_seconds", 1, 0, {"uptime": 42})
    say("thread_name", 1, 1, {"name": "main"})
    say("thread_name", "1", "-5", {"name": "worker"})
    say("thread_sort_index", 1, 1, {"sort_index": 9})
    say("num_cpus", 1, 0, {"number": 8})
    say("trace_config_of_somebody", 1, 0, {"value": {"deep": [1, [2, {"name": "traceEvents"}]]}})
    s.processes["1"] = {"name": "browser", "labels": "one,two", "sort_index": -3}
    s.threads.update({"1/1": {"name": "main", "sort_index": 9}, "1/-5": {"name": "worker"}})


def others(s):
    """Phases that tell of no slice."""
    s.say("N", 100_000, name="Widget", id="0x1000", pid=1, tid=1)
    s.say("O", 200_000, name="Widget", id="0x1000", pid=1, tid=1, args={"snapshot": {"ph": "X", "ts": 5, "dur": 5}})
    s.say("D", 300_000, name="Widget", id="0x1000", pid=1, tid=1)
    s.say("P", 150_000, name="sample", cat="prof", pid=1, tid=1, sf=7)
    s.say("v", 160_000, name="periodic", id="0xd", pid=1, tid=1, args={"dumps": {"process_totals": {"rss": "1f"}}})
    s.say("c", 170_000, name="clock_sync", pid=1, tid=1, args={"sync_id": "guid", "issue_ts": 168})
    s.say("(", 180_000, name="context", id="0x5", pid=1, tid=1)
    s.say(")", 190_000, name="context", id="0x5", pid=1, tid=1)
    s.say("Z", 195_000, name="of the future", pid=1, tid=1)
    s.other.update({ph: 1 for ph in "NODPvc()Z"})


def shuffled(lines, in_order):
    """A fixed shuffle, but for the phases in_order: they take each other's places in their order."""
    dice, order = Dice("shuffle"), list(lines)
    for i in range(len(order) - 1, 0, -1):
        j = dice.roll(0, i)
        order[i], order[j] = order[j], order[i]
    rest = iter([text for ph, text in lines if ph in in_order])
    return [next(rest) if ph in in_order else text for ph, text in order]


def tell():
    s = Script()
    for part in (durations, broken_durations, completes, instants, counters, asyncs, flows, metadata, others):
        part(s)
    end = max(r["end_ns"] for r in s.slices if r["end_ns"])
    for row in (r for r in s.slices if r["end_ns"] is None):
        row.update(end_ns=end, unfinished=True)
    return s, end


def save(folder):
    s, end = tell()
    truth = {"trace_end_ns": end, "slices": s.slices, "instants": s.instants, "counters": s.counters,
             "asyncs": s.asyncs, "flows": s.flows, "processes": s.processes, "threads": s.threads,
             "other_phases": s.other, "unmatched_ends": 1, "unfinished": 2, "crossed_ends": 0,
             "metadata_events": 10}
    # The closing bracket is optional, a last comma allowed.
    for case, in_order, ending in (("phases_of_chrome", "BEM", "\n]\n"), ("phases_unsorted", "M", ",\n")):
        body = ",\n".join(shuffled(s.lines, in_order))
        emit.write(folder, f"{case}.json", f"[\n{body}{ending}")
        emit.write(folder, f"{case}.truth.json", emit.pretty({"case": case, **truth}))
