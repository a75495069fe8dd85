"""Defects of the event list, and of what events mean together; see defects.py."""
import json

from defects import defect, is_any, is_kernel, is_op, is_slice
from traces import Plant

LOG_LINE = "INFO:2026-03-01 12:00:00 1234:1234 output_json.cpp:417] Completed Stage: Post Processing\n"

# Before an event: what stands between the last comma and it.
ENTRIES = [
    ("null", "null", "event_not_object"), ("a number", "-1.5e3", "event_not_object"),
    ("a string", '"an event"', "event_not_object"), ("an array", '[1, {"ph": "X"}]', "event_not_object"),
    ("true", "true", "event_not_object"), ("{}", "{}", "empty_event"),
    ("an empty entry", "", "extra_comma"),
]
for label, text, code in ENTRIES:
    @defect(f"{label} as an event", is_any)
    def no_event(trace, at, dice, text=text, code=code):
        return Plant(at, before=text + ",\n", codes=(code,))


@defect("a comma behind the last event", None)
def trailing_comma(trace, at, dice):
    return Plant(tail=lambda tail: tail.replace("]", ",]", 1), codes=("extra_comma",))


@defect("no comma between two events", is_any)
def missing_comma(trace, at, dice):
    return Plant(at, separator="\n", codes=("missing_comma",)) if at else None


for n in (1, 7, 4096, 100_000):
    @defect(f"{n} NULs between events", is_any)
    def nuls_between(trace, at, dice, n=n):
        return Plant(at, before="\0" * n, codes=("nul_bytes",))

    @defect(f"{n} NULs at the end", None)
    def nuls_at_end(trace, at, dice, n=n):
        return Plant(tail=lambda tail: tail + "\0" * n, codes=("nul_bytes|trailing_bytes",))


@defect("a log line behind a comma", is_any)
def log_line(trace, at, dice):
    return Plant(at, before="\n" + LOG_LINE, codes=("stray_text|event_syntax|event_not_object",),
                 may=frozenset(("event_syntax", "missing_comma")))


@defect("a log line before a comma", is_any)
def log_line_before(trace, at, dice):
    return Plant(at, separator="\n" + LOG_LINE + ",\n", codes=("stray_text|event_syntax|event_not_object",),
                 may=frozenset(("event_syntax", "missing_comma"))) if at else None


@defect("an event cut in the middle, the next one whole", is_slice)
def half_event(trace, at, dice):
    event = trace.event(at)
    event.items = event.items[:dice.randrange(1, len(event.items))]
    return Plant(at, event.text()[:-1], None, codes=("event_syntax",), may=frozenset(("missing_comma",)))


# Large or deep, and sound.
@defect("arrays 10,000 deep in args", is_op)
def deep_arrays(trace, at, dice):
    event = trace.event(at)
    return Plant(at, event.put_arg("deep", "[" * 10_000 + "]" * 10_000).text(), event.text())


@defect("objects 10,000 deep in args", is_op)
def deep_objects(trace, at, dice):
    event = trace.event(at)
    return Plant(at, event.put_arg("deep", '{"a":' * 10_000 + "1" + "}" * 10_000).text(), event.text())


@defect("a name of 100 kB", is_slice)
def long_name(trace, at, dice):
    return Plant(at, trace.event(at).put("name", json.dumps("n" * 100_000)).text(), None, loose=True, kept=True)


# What events mean together.
def time_inside(trace, at):
    event = trace.fields(at)
    return event["pid"], event["tid"], event["ts"]


@defect("an E without a B", is_op)
def lone_end(trace, at, dice):
    pid, tid, ts = time_inside(trace, at)
    event = {"ph": "E", "name": "lone", "pid": pid, "tid": tid, "ts": ts}
    return Plant(at, before=json.dumps(event) + ",\n", codes=("end_without_begin",), pairs=True)


@defect("a B without an E", is_op)
def lone_begin(trace, at, dice):
    pid, tid, ts = time_inside(trace, at)
    event = {"ph": "B", "name": "lone", "pid": pid, "tid": tid, "ts": ts}
    return Plant(at, before=json.dumps(event) + ",\n", codes=("begin_without_end",), loose=True, kept=True, pairs=True,
                 may=frozenset(("child_overruns",)))


@defect("a flow without an id", lambda e: e["ph"] in "sf")
def no_flow_id(trace, at, dice):
    return Plant(at, trace.event(at).without("id").text(), None, codes=("no_id",))


@defect("ProfilerStep#x", is_op)
def no_step_number(trace, at, dice):
    event = trace.event(at).put("name", '"ProfilerStep#x"').put("cat", '"user_annotation"')
    return Plant(at, event.text(), None, loose=True, kept=True)


@defect("a kernel that runs into the next", is_kernel)
def overlap(trace, at, dice):
    this = trace.fields(at)
    later = [e["ts"] for e in map(trace.fields, range(len(trace.events)))
             if is_kernel(e) and e["pid"] == this["pid"] and e["tid"] == this["tid"] and e["ts"] > this["ts"]]
    if not later:
        return None
    dur = min(later) - this["ts"] + 0.002
    return Plant(at, trace.event(at).put("dur", f"{dur:.3f}").text(), None, codes=("stream_overlap",), loose=True,
                 kept=True, anywhere=True)
