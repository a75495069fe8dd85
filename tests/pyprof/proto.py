"""Messages of protocol buffers, read: what pprof's profiles and Perfetto's traces are made of."""
import collections


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def message(data):
    """{field: [values]}"""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        fields[tag >> 3].append(value)
    return fields
