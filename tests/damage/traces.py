"""Sound traces to be damaged, as a head, events and a tail; and the text of a damaged one."""
import gzip
import json
import os
import re
from dataclasses import dataclass, field, replace

from event_text import Object, entries

MARK = b"\xef\xbb\xbf"      # of the byte order
KEPT_FIRST, KEPT_LAST = 60, 16      # events of a recording: enough of each kind, and small


@dataclass(frozen=True)
class Trace:
    name: str
    head: str       # to the '[' of the events, which is its last character
    events: tuple   # texts
    tail: str       # from the ']'
    between: str = ",\n"

    def text(self):
        return self.head + self.between.join(self.events) + self.tail

    def as_array(self):
        return replace(self, name=self.name + " as an array", head="[\n", tail="\n]\n")

    def is_array(self):
        return self.head.strip() == "["

    def event(self, at):
        return Object.parse(self.events[at])

    def fields(self, at):
        return json.loads(self.events[at])


def load(path, name, trim=False):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        text = file.read()
    opening = re.search(r'"traceEvents"\s*:\s*\[', text).end() - 1
    places, end = entries(text, opening)
    events = [text[a:b] for a, b in places]
    if trim and len(events) > KEPT_FIRST + KEPT_LAST:
        events = events[:KEPT_FIRST] + events[-KEPT_LAST:]
    return Trace(name, text[:places[0][0]], tuple(events), text[places[-1][1]:end] + text[end:])


def sound_traces(fixtures):
    """One that the generator made, and real recordings of four dialects; two of them as arrays, too."""
    def torch(name):
        return load(os.path.join(fixtures, "torch", name, "trace.json.gz"), name, trim=True)

    made = load(os.path.join(fixtures, "gpu", "api_names.json"), "api_names")
    old = torch("k113_oneshot_step0")
    return [made, old, torch("t260_ddp_rank0"), torch("t2141_accev_acc0"),
            load(os.path.join(fixtures, "gpu", "memory.json"), "memory", trim=True),
            made.as_array(), old.as_array()]


@dataclass
class Plant:
    """What a defect does to a trace, and what must come of it."""
    at: int = -1            # index of the event that it touches or stands before; -1: none
    text: str = None        # instead of the event; None: the event stays
    equal: str = None       # sound text of the same meaning; None: the event is lost
    before: str = ""        # between the comma and the event
    separator: str = None   # instead of the comma
    cut: int = None         # the file ends behind so many characters of the event; -1: before its comma
    tail_cut: int = None    # or of the tail
    head: object = None     # what becomes of the head, the tail, all bytes: functions
    tail: object = None
    whole: object = None
    unpack: object = None   # the bytes that a reader gets of those; None: all
    codes: tuple = ()       # each must be found; "a|b": one of them
    may: frozenset = frozenset()    # codes that may be found, too
    loose: bool = False     # what the other events say counts, not what is derived from all together
    kept: bool = False      # loose: its slice is there
    apart: bool = False     # the event is kept, but set apart
    anywhere: bool = False  # the place of the defect is not one byte
    gap: bool = False       # it shows behind the blanks that follow it
    pairs: bool = False     # it begins or ends a slice by itself: not two of those in one file
    spans: list = field(default_factory=list)   # of bytes in the damaged text, that a finding may name

    def touches_list(self):
        return self.text is not None or self.before or self.separator is not None


def common(a, b):
    """Lengths of the common beginning and end of two byte strings."""
    n = min(len(a), len(b))
    start = next((i for i in range(n) if a[i] != b[i]), n)
    end = next((i for i in range(n - start) if a[-1 - i] != b[-1 - i]), n - start)
    return start, end


def encode(text):
    """Surrogates stand for bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def changed_part(trace, part, plants):
    """The head or the tail, as the plants make it, as bytes; its plants know where they are in it."""
    sound = encode(getattr(trace, part))
    for plant in plants:
        change = getattr(plant, part)
        if change:
            changed = encode(change(getattr(trace, part)))
            start, end = common(changed, sound)
            plant.spans = [(start - 1, len(changed) - end + 1)]
            sound = changed
    return sound


def add_event(out, trace, at, plant):
    """Appends the event with what stands before it."""
    separator = trace.between if at else ""
    if plant and plant.separator is not None:
        separator = plant.separator
    begun = len(out)
    out += encode(separator + (plant.before if plant else ""))
    start = len(out)
    if not plant or plant.text is None:
        out += encode(trace.events[at])
        if plant:
            plant.spans = [(begun, start)]
        return
    text = encode(plant.text)
    first, last = common(text, encode(trace.events[at]))
    plant.spans = [(start, start), (start + first - 1, start + len(text) - last + 1)]
    out += text


def behind_blanks(text, at):
    while text[at:at + 1].isspace():
        at += 1
    return at


def damaged_bytes(trace, plants):
    """The bytes with all plants in them; each plant learns which of them may be named."""
    touched = {plant.at: plant for plant in plants if plant.touches_list()}
    cut = next((plant for plant in plants if plant.cut is not None), None)
    out = bytearray(changed_part(trace, "head", plants))
    for at, event in enumerate(trace.events):
        if cut and cut.at == at:
            out += encode((trace.between if at and cut.cut >= 0 else "") + event[:max(cut.cut, 0)])
            break
        add_event(out, trace, at, touched.get(at))
    else:
        tail = changed_part(trace, "tail", plants)
        for plant in plants:
            if plant.tail:
                plant.spans = [(len(out) + first, len(out) + last) for first, last in plant.spans]
            if plant.tail_cut is not None:
                tail = tail[:plant.tail_cut]
        out += tail
    whole = bytes(out)
    for plant in plants:
        if plant.gap:
            plant.spans = [(first, behind_blanks(whole, last)) for first, last in plant.spans]
    for plant in plants:
        if plant.whole:
            whole = plant.whole(whole)
    if whole.startswith(MARK):
        for plant in plants:
            plant.spans = [(first + len(MARK), last + len(MARK)) for first, last in plant.spans]
    return whole


def kept_tail(trace, size):
    """The tail's entries that lie whole before that many characters of it."""
    for end in range(size, 0, -1):
        if trace.tail[end - 1] in " ,\n" or trace.tail[end].isdigit():
            continue
        try:
            json.loads('{"traceEvents": [' + trace.tail[:end] + "}")
            return trace.tail[:end] + "}"
        except ValueError:
            continue
    return None


def whole_events(trace, text):
    """How many events of the trace are whole in the beginning of its text."""
    end, n = len(trace.head), 0
    for n, event in enumerate(trace.events):
        end += len(event) + (len(trace.between) if n else 0)
        if end > len(text):
            return n
    return len(trace.events)


def equal_bytes(trace, plants):
    """The bytes of the sound trace that must give the same store; None: nothing of it is left."""
    events = list(trace.events)
    n, tail = len(events), trace.tail
    closing = "]" if trace.is_array() else "]}"
    for plant in plants:
        if plant.text is not None:
            events[plant.at] = plant.equal
        if plant.cut is not None:
            n, tail = plant.at + (plant.cut == len(trace.events[plant.at])), closing
        if plant.tail_cut is not None:
            tail = kept_tail(trace, plant.tail_cut)
        if plant.unpack:
            n = whole_events(trace, plant.unpack(encode(trace.text())).decode("utf-8", "ignore"))
    if n < len(trace.events):
        tail = closing
    events = [event for event in events[:n] if event is not None]
    if not events and trace.is_array():
        return None
    return encode(replace(trace, events=tuple(events), tail=tail).text())
