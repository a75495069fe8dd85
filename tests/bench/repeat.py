#!/usr/bin/env python3
"""repeat.py SOURCE BYTES: a recording of PyTorch, again and again, until it has so many bytes.

Prints one Chrome trace: the text of the recording's events as its exporter wrote them, layouts and
order included, with each repetition's times behind those of the one before, and with ids that no
other repetition has (correlations, external ids, flows, steps, sequence numbers, Python calls).
What generated traces do not have is in it: many layouts, and threads as Kineto interleaves them.
"""
import gzip
import json
import re
import sys

# What tells one repetition from another: a key, and the digits behind it.
NUMBERED = re.compile(
    rb'("(?:ts|id|correlation|External id|Sequence number|Ev Idx|Record function id|'
    rb'Python id|Python parent id|python_id)": ?"?|"ProfilerStep#)(\d{1,18})(?=[^\d])')
EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def events_of(text, start):
    """The texts of the events from `start` to the list's end, and where that is."""
    decoder, at, events = json.JSONDecoder(), start, []
    whole = text.decode("latin-1")
    while True:
        while whole[at] in " \t\r\n,":
            at += 1
        if whole[at] == "]":
            return events, at
        _, end = decoder.raw_decode(whole, at)
        events.append(text[at:end])
        at = end


def pattern_of(events):
    """All events as one pattern for %, with the numbers that stand in its places."""
    pattern, numbers, largest_us, largest_id = [], [], 0, 0
    for event in events:
        if re.search(rb'"ph": ?"M"', event):
            continue
        at = 0
        for found in NUMBERED.finditer(event):
            is_time, number = found.group(1).startswith(b'"ts"'), int(found.group(2))
            numbers.append((is_time, number))
            pattern.append(event[at:found.start(2)].replace(b"%", b"%%") + b"%d")
            at = found.end(2)
            if not is_time and number < 1 << 40:
                largest_id = max(largest_id, number)
        pattern.append(event[at:].replace(b"%", b"%%") + b",\n")
    times = [number for is_time, number in numbers if is_time]
    largest_us = max(times) - min(times) + 1000
    return b"".join(pattern), numbers, largest_us, largest_id + 1


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text, size = read(sys.argv[1]), int(sys.argv[2])
    start = EVENTS.search(text).end()
    events, end = events_of(text, start)
    pattern, numbers, span_us, ids = pattern_of(events)
    out, written, turn = sys.stdout.buffer, 0, 0

    named = b",\n".join(event for event in events if re.search(rb'"ph": ?"M"', event))
    out.write(text[:start] + b"\n" + named)
    while written < size or turn == 0:
        part = pattern % tuple(number + turn * span_us if is_time
                               else number + turn * ids if number < 1 << 40 else number
                               for is_time, number in numbers)
        out.write(b",\n" + part[:-2])
        written += len(part)
        turn += 1
    out.write(b"\n" + text[end:])


if __name__ == "__main__":
    main()
