"""The defects of strings, values and fields: each plants itself into an event of a sound trace.

A defect is a function (trace, index of the event, dice) -> Plant, with the test of the events that it
fits.  What is expected is the meaning of a text a person would read into it, and what ptool-findings
says that is done.
"""
import json
from dataclasses import dataclass

from traces import Plant


@dataclass(frozen=True)
class Defect:
    name: str
    fits: object    # (the event's fields) -> bool; None: it fits the trace as a whole
    plant: object   # (trace, at, dice) -> Plant, or None: nothing in this trace to do it to


DEFECTS = []


def defect(name, fits):
    def add(function):
        DEFECTS.append(Defect(name, fits, function))
        return function
    return add


def is_slice(e):
    return e["ph"] == "X" and e.get("cat") not in (None, "Trace") and isinstance(e.get("args"), dict)


def is_op(e):
    return e["ph"] == "X" and e.get("cat") == "cpu_op" and isinstance(e.get("args"), dict)


def is_kernel(e):
    return e["ph"] == "X" and e.get("cat") in ("kernel", "gpu_memcpy")


def is_timed(e):
    return e["ph"] in "XiC" and e.get("cat") != "Trace"


def is_any(e):
    return "ph" in e


# Strings: what stands between the quotes, what it means, what is found.
REPLACED = "\ufffd"
STRINGS = [
    ("an unescaped quote at the beginning", '"abc', '"abc', "name_repaired"),
    ("an unescaped quote in the middle", 'a"bc', 'a"bc', "name_repaired"),
    ("an unescaped quote at the end", 'abc"', 'abc"', "name_repaired"),
    ("two unescaped quotes", 'say "abc" twice', 'say "abc" twice', "name_repaired"),
    ("an unescaped quote, a comma and a blank", 'a", b', 'a", b', "name_repaired"),
    ("unescaped JSON", 'f.py: {"device": "cpu"} g', 'f.py: {"device": "cpu"} g', "name_repaired"),
    ("lone backslashes", r"C:\path\some\dir", "C:\\path\\some\\dir", "escape"),
    ("a backslash before q", r"a\qb", "a\\qb", "escape"),
    ("a backslash before x41", r"a\x41b", "a\\x41b", "escape"),
    ("half a surrogate pair", r"a\ud83db", f"a{REPLACED}b", "escape"),
    ("the other half alone", r"a\ude80b", f"a{REPLACED}b", "escape"),
    ("a raw control character", "a\x01b", "a\x01b", "control_character"),
    ("a raw newline", "a\nb", "a\nb", "control_character"),
    ("a raw tab", "a\tb", "a\tb", "control_character"),
    ("a raw NUL", "a\0b", "a\0b", "control_character"),
    ("a byte that is no UTF-8", "a\udcffb", f"a{REPLACED}b", "utf8"),
    ("half a UTF-8 sequence", "a\udce6\udcbcb", f"a{REPLACED * 2}b", "utf8"),
    ("a surrogate in UTF-8", "a\udced\udca0\udc80b", f"a{REPLACED * 3}b", "utf8"),
]


def add_strings(place, fits, put):
    """One defect for each string, at a place of the event."""
    for label, raw, meaning, code in STRINGS:
        def plant(trace, at, dice, raw=raw, meaning=meaning, code=code):
            event = trace.event(at)
            return Plant(at, put(event, f'"{raw}"').text(), put(event, json.dumps(meaning)).text(), codes=(code,))
        defect(f"{label} in {place}", fits)(plant)


add_strings("a name", is_slice, lambda e, text: e.put("name", text))
add_strings("args", is_slice, lambda e, text: e.put_arg("note", text))
add_strings("a thread's name", lambda e: e["ph"] == "M" and "name" in e["args"],
            lambda e, text: e.put_arg("name", text))


@defect("a backslash before the closing quote of a name", is_slice)
def backslash_at_end(trace, at, dice):
    event = trace.event(at)
    return Plant(at, event.put("name", r'"C:\dir\"').text(), event.put("name", r'"C:\\dir\\"').text(),
                 codes=("escape|name_repaired|event_syntax",), may=frozenset(("escape", "name_repaired")))


# Values: what stands for the number, the event with that field as it counts, codes.
NOT_FINITE = ("NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "-nan", "N/A")
TIMELESS = frozenset(("no_time", "not_finite", "event_syntax", "number_syntax"))

for spelling in NOT_FINITE:
    @defect(f"{spelling} as dur", is_slice)
    def not_finite_dur(trace, at, dice, spelling=spelling):
        event = trace.event(at)
        return Plant(at, event.put("dur", spelling).text(), event.without("dur").text(), codes=("not_finite",),
                     may=frozenset(("no_duration",)), pairs=True)

    @defect(f"{spelling} as an arg", is_slice)
    def not_finite_arg(trace, at, dice, spelling=spelling):
        event = trace.event(at)
        return Plant(at, event.put_arg("memory bandwidth (GB/s)", spelling).text(),
                     event.put_arg("memory bandwidth (GB/s)", "null").text(), codes=("not_finite",))

    @defect(f"{spelling} as ts", is_timed)
    def not_finite_ts(trace, at, dice, spelling=spelling):
        return Plant(at, trace.event(at).put("ts", spelling).text(), None, codes=("no_time",), may=TIMELESS)

for spelling in ("null", '"abc"', "[]", "{}", '""', "true"):
    @defect(f"{spelling} as ts", is_timed)
    def no_ts(trace, at, dice, spelling=spelling):
        return Plant(at, trace.event(at).put("ts", spelling).text(), None, codes=("no_time",))

    @defect(f"{spelling} as dur", is_slice)
    def no_dur(trace, at, dice, spelling=spelling):
        event = trace.event(at)
        return Plant(at, event.put("dur", spelling).text(), None, codes=("no_duration",), loose=True, kept=True, pairs=True)


@defect("bare letters as ts", is_timed)
def garbage_ts(trace, at, dice):
    return Plant(at, trace.event(at).put("ts", "1x2").text(), None, codes=("no_time|event_syntax",),
                 may=TIMELESS | {"stray_text"})


@defect("no ts", is_timed)
def missing_ts(trace, at, dice):
    return Plant(at, trace.event(at).without("ts").text(), None, codes=("no_time",))


@defect("a number in quotes as ts", is_timed)
def textual_ts(trace, at, dice):
    event = trace.event(at)
    return Plant(at, event.put("ts", f'"{event.get("ts")}"').text(), trace.events[at])


@defect("no dur", is_slice)
def missing_dur(trace, at, dice):
    return Plant(at, trace.event(at).without("dur").text(), None, codes=("no_duration",), loose=True, kept=True, pairs=True)


@defect("a ts beyond 64 bits", is_timed)
def huge_ts(trace, at, dice):
    return Plant(at, trace.event(at).put("ts", "9" * 30).text(), None, codes=("time_range",))


@defect("a ts beyond 64 bits as a power", is_timed)
def powerful_ts(trace, at, dice):
    return Plant(at, trace.event(at).put("ts", "1e300").text(), None, codes=("time_range",))


# Times that cannot be.
def set_apart(key, value, code):
    def plant(trace, at, dice):
        return Plant(at, trace.event(at).put(key, value).text(), None, codes=(code,), apart=True)
    return plant


for value in ("-1", "-11018539704271257", "-0.001"):
    defect(f"a dur of {value}", is_slice)(set_apart("dur", value, "negative_duration"))
defect("a dur of 236 years", is_slice)(set_apart("dur", "7447654321098765", "impossible_duration"))
defect("a dur of 8 days", is_slice)(set_apart("dur", "691200000000", "impossible_duration"))


@defect("a ts of 0 among stamps", is_slice)
def zero_ts(trace, at, dice):
    return Plant(at, trace.event(at).put("ts", "0").text(), None, codes=("impossible_time",), apart=True)


@defect("a ts years after the others", is_slice)
def late_ts(trace, at, dice):
    late = int(float(trace.fields(at)["ts"])) + 3 * 365 * 86400 * 10**6
    return Plant(at, trace.event(at).put("ts", str(late)).text(), None, codes=("impossible_time",), apart=True)


# Keys, and integers that are too large.
def twice(key, other):
    def plant(trace, at, dice):
        event = trace.event(at)
        first = event.copy()
        first.items.insert(0, [first.items[0][0], key, ": ", other, ""])
        return Plant(at, first.text(), event.text(), codes=("duplicate_key",))
    return plant


for key, other in (("name", '"another"'), ("dur", "1"), ("ts", "1"), ("tid", "1"), ("args", '{"correlation": 1}')):
    defect(f"{key} twice", is_slice)(twice(key, other))


@defect("a key of args twice", lambda e: is_slice(e) and "External id" in e["args"])
def arg_twice(trace, at, dice):
    event = trace.event(at)
    args = type(event).parse(event.get("args"))
    args.items.insert(0, [args.items[0][0], "External id", ": ", "123456789", ""])
    return Plant(at, event.put("args", args.text()).text(), event.text(), may=frozenset(("duplicate_key",)))


for key, fits in (("correlation", lambda e: is_slice(e) and "correlation" in e["args"]),
                  ("External id", lambda e: is_slice(e) and "External id" in e["args"])):
    for value, code in (("99999999999999999999", "integer_range"), ('"abc"', None)):
        @defect(f"{key} {value}", fits)
        def bad_id(trace, at, dice, key=key, value=value, code=code):
            event = trace.event(at)
            return Plant(at, event.put_arg(key, value).text(), event.without_arg(key).text(),
                         codes=(code,) if code else (), may=frozenset(("integer_range", "number_syntax")))


@defect("a tid beyond 64 bits", is_slice)
def huge_tid(trace, at, dice):
    return Plant(at, trace.event(at).put("tid", "18446744073709551999").text(), None, codes=("integer_range",),
                 may=frozenset(("no_thread",)), loose=True, kept=True)


# Fields that are missing, or are something else.
@defect("no name", is_slice)
def no_name(trace, at, dice):
    event = trace.event(at)
    return Plant(at, event.without("name").text(), event.put("name", '""').text(), codes=("no_name",),
                 may=frozenset(("no_name",)))


for key, value in (("pid", "0"), ("tid", "0")):
    @defect(f"no {key}", is_slice)
    def no_ident(trace, at, dice, key=key, value=value):
        event = trace.event(at)
        return Plant(at, event.without(key).text(), event.put(key, value).text(), codes=("no_thread",))


@defect("no ph", is_any)
def no_ph(trace, at, dice):
    return Plant(at, trace.event(at).without("ph").text(), None, codes=("no_phase",))


for ph in ('"Q"', '"XX"', "1", "[]"):
    @defect(f"{ph} as ph", is_any)
    def unknown_ph(trace, at, dice, ph=ph):
        return Plant(at, trace.event(at).put("ph", ph).text(), None, codes=("unknown_phase|no_phase",))


@defect("no cat", is_op)
def no_cat(trace, at, dice):
    return Plant(at, trace.event(at).without("cat").text(), None, loose=True, kept=True)


for value in ("null", "[1, 2]", '"__stripped"', "5", "true"):
    @defect(f"{value} as args", is_op)
    def args_no_object(trace, at, dice, value=value):
        event = trace.event(at)
        code = "args_not_object"
        return Plant(at, event.put("args", value).text(), event.put("args", "{}").text(),
                     codes=(code,) if value != "null" else (), may=frozenset((code,)))


# How an object is spelt.
@defect("a key without its opening quote", is_any)
def half_bare_key(trace, at, dice):
    text = trace.events[at]
    return Plant(at, text.replace('"pid"', 'pid"', 1), text, codes=("bare_key",))


@defect("a key without quotes", is_any)
def bare_key(trace, at, dice):
    text = trace.events[at]
    return Plant(at, text.replace('"pid"', "pid", 1), text, codes=("bare_key",))


@defect("an event as Python prints it", is_slice)
def single_quotes(trace, at, dice):
    event = trace.fields(at)
    return Plant(at, repr(event), json.dumps(event), codes=("single_quotes",), may=frozenset(("name_repaired",)))


@defect("a comma behind the last member", is_slice)
def extra_comma(trace, at, dice):
    text = trace.events[at]
    return Plant(at, text[:-1] + ",}", text, codes=("extra_comma",))


@defect("no comma between two members", is_slice)
def no_comma(trace, at, dice):
    text = trace.events[at]
    place = text.index('"tid"')
    comma = text.rindex(",", 0, place)
    return Plant(at, text[:comma] + text[comma + 1:], text, codes=("missing_comma|event_syntax",),
                 may=frozenset(("event_syntax",)), loose=True, gap=True)
