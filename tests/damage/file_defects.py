"""Defects of the file: its ends, its bytes, and what stands beside the events; see defects.py."""
import gzip
import zlib

from defects import defect, is_any
from list_defects import LOG_LINE
from traces import Plant


def of_bytes(name, change, codes, may=(), **more):
    @defect(name, None)
    def plant(trace, at, dice):
        return Plant(whole=change, codes=codes, may=frozenset(may), anywhere=True, **more)


of_bytes("a byte order mark", lambda b: b"\xef\xbb\xbf" + b, ("byte_order_mark",))
for codec, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
    of_bytes(f"{codec} with a mark", lambda b, c=codec, m=mark: m + b.decode().encode(c), ("utf16",), ("byte_order_mark",))
    of_bytes(f"{codec} without a mark", lambda b, c=codec: b.decode().encode(c), ("utf16",))


# gzip.
def packed(data):
    return gzip.compress(data, mtime=0)


def unpacked(data):
    return zlib.decompressobj(31).decompress(data)


of_bytes("a wrong checksum of gzip", lambda b: packed(b)[:-8] + b"\1\2\3\4" + packed(b)[-4:], ("compression",))
of_bytes("gzip without its last 4 bytes", lambda b: packed(b)[:-4], ("compression",))
for part in (0.3, 0.6, 0.95):
    def half(data, part=part):
        return packed(data)[:int(len(packed(data)) * part)]
    of_bytes(f"{part:.0%} of a gzip file", half, ("compression",), ("truncated",),
             unpack=lambda b, half=half: unpacked(half(b)))


# The end.
for label, rest in (("letters", "garbage"), ("brackets", "]}"), ("another trace", '\n{"traceEvents": []}'),
                    ("a log line", "\n" + LOG_LINE)):
    @defect(f"{label} behind the end", None)
    def garbage(trace, at, dice, rest=rest):
        return Plant(tail=lambda tail: tail + rest, codes=("trailing_bytes",))


def cut(name, place, in_array=("truncated",)):
    @defect(name, is_any)
    def plant(trace, at, dice):
        codes = in_array if trace.is_array() else ("truncated",)
        return Plant(at, cut=place(trace.events[at], dice), codes=codes, anywhere=True)


cut("the end within an event", lambda text, dice: dice.randrange(1, len(text) - 1))
cut("the end behind an event's first byte", lambda text, dice: 1)
cut("the end before an event's last byte", lambda text, dice: len(text) - 1)
cut("the end behind an event", lambda text, dice: len(text), ())
cut("the end behind a comma", lambda text, dice: 0, ())
cut("the end before a comma", lambda text, dice: -1, ())


@defect("the end behind the list", None)
def cut_behind_list(trace, at, dice):
    return None if trace.is_array() else Plant(tail_cut=trace.tail.index("]") + 1, codes=("truncated",), anywhere=True)


@defect("the end before the last bracket", None)
def cut_before_bracket(trace, at, dice):
    place = len(trace.tail.rstrip()) - 1
    return None if trace.is_array() else Plant(tail_cut=place, codes=("truncated",), anywhere=True)


@defect("the end behind the events", None)
def cut_behind_events(trace, at, dice):
    first = trace.tail.index("]") + 2
    last = len(trace.tail.rstrip()) - 1
    if trace.is_array() or first >= last:
        return None
    return Plant(tail_cut=dice.randrange(first, last), codes=("truncated",), anywhere=True)


# Beside the events.
NOTES = [
    ("an unescaped quote", '"a "b" c"', "name_repaired|event_syntax"), ("a raw newline", '"a\nb"', "control_character"),
    ("a lone backslash", r'"C:\path"', "escape"), ("a byte that is no UTF-8", '"a\udcffb"', "utf8"),
    ("NaN", "NaN", "not_finite"), ("-inf", "-inf", "not_finite"), ("N/A", "N/A", "not_finite|event_syntax"),
    ("bare letters", "none at all", "stray_text|number_syntax|event_syntax"), ("no value", "", "event_syntax|extra_comma"),
]
for label, text, code in NOTES:
    @defect(f"{label} in an entry before the events", None)
    def note_before(trace, at, dice, text=text, code=code):
        return None if trace.is_array() else Plant(
            head=lambda head: head.replace("{", '{"note": ' + text + ",", 1), codes=(code,), loose=True)

    @defect(f"{label} in an entry behind the events", None)
    def note_behind(trace, at, dice, text=text, code=code):
        return None if trace.is_array() else Plant(
            tail=lambda tail: tail.replace("]", '], "note": ' + text, 1), codes=(code,), loose=True)


@defect("a log line among the entries", None)
def log_line(trace, at, dice):
    return None if trace.is_array() else Plant(head=lambda head: head.replace("{", "{\n" + LOG_LINE, 1),
                                               codes=("stray_text|event_syntax",), loose=True)


@defect("an entry twice", None)
def entry_twice(trace, at, dice):
    return None if trace.is_array() or '"schemaVersion"' not in trace.head else Plant(
        head=lambda head: head.replace("{", '{"schemaVersion": 99,', 1), codes=("duplicate_key",), loose=True,
        anywhere=True)    # the second one shows it


@defect("two event lists", is_any)
def two_lists(trace, at, dice):
    return None if trace.is_array() or at == 0 else Plant(at, separator='],\n"traceEvents": [', codes=("duplicate_key",))
