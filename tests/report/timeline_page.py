"""The timeline of a page of `ptool report`, unpacked as ptool-report(1) describes it, without a
line of what the page itself runs.
"""
import base64
import json
import re
import struct
import zlib


class Bytes:
    """LEB128 numbers, one after the other."""

    def __init__(self, data, at):
        self.data = data
        self.at = at

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def column(self, n):
        """n numbers whose k-th bytes lie together."""
        planes = self.number()
        lengths = [self.number() for _ in range(planes)]
        starts = []
        for length in lengths:
            starts.append(self.at)
            self.at += length
        ends = [a + length for a, length in zip(starts, lengths)]
        values = [0] * n
        for i in range(n if planes else 0):
            for k in range(planes):
                byte = self.data[starts[k]]
                starts[k] += 1
                values[i] |= (byte & 0x7F) << 7 * k
                if byte < 0x80:
                    break
        assert not planes or starts == ends, "planes that are not used up"
        return values


def signed(code):
    return code >> 1 ^ -(code & 1)


class Slice:
    """start and dur in ns, name and detail as places, launch and op as ordinals or None; a bundle
    says of how many it is and what they take."""

    def __init__(self, **said):
        self.__dict__.update(said)


def unpack_slices(data, meta):
    b = Bytes(data, meta["at"])
    n, ncolumns = b.number(), b.number()
    assert n == meta["n"]
    gap, dur, name, row, detail = (b.column(n) for _ in range(5))
    more = [b.column(n) for _ in range(ncolumns - 5)]
    unit, ends, slices = meta["unit"], [0] * meta["rows"], []
    before, last_row, at_detail, at_launch = 0, -1, 0, 0
    for i in range(n):
        start = signed(gap[i]) + (before if row[i] > last_row else ends[row[i]])
        at_detail += signed(detail[i])
        s = Slice(start=start * unit, dur=dur[i] * unit, name=name[i], row=row[i], detail=at_detail,
                  launch=None, op=None, bundled=0, busy=0)
        if more and meta["bundles"]:
            s.bundled, s.busy = more[0][i], more[1][i] * unit
        elif more:
            if more[0][i]:
                at_launch += signed(more[0][i] - 1)
                s.launch = at_launch - 1
            if more[1][i]:
                s.op = at_launch - signed(more[1][i] - 1) - 1
        ends[row[i]], before, last_row = start + dur[i], start, row[i]
        slices.append(s)
    return b.at, slices


def unpack_samples(data, meta):
    b = Bytes(data, meta["at"])
    n, ncolumns = b.number(), b.number()
    assert n == meta["n"] and ncolumns == 1
    at, times = 0, []
    for gap in b.column(n):
        at += gap
        times.append(at)
    planes = data[b.at:b.at + 8 * n]
    assert len(planes) == 8 * n
    b.at += 8 * n
    return b.at, [(ts, struct.unpack("<d", bytes(planes[i::n] if n else b""))[0]) for i, ts in enumerate(times)]


def blobs(page):
    """What the script elements of the page carry, by id."""
    found = re.findall(r'<script type="application/octet-stream" id="([^"]+)">([^<]*)</script>', page)
    return {key: zlib.decompress(base64.b64decode(text, validate=True), -15) for key, text in found}


def tables(path):
    """The tables by their ids."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    found = dict(re.findall(r'<script type="application/json" id="(table-[^"]+)">([^<]*)</script>', page))
    found |= {key: data for key, data in blobs(page).items() if key.startswith("table-")}
    return {key: json.loads(data) for key, data in found.items()}


def table(path, key):
    """The rows of a table, by the names of its columns."""
    data = tables(path)[key]
    return [dict(zip((column["name"] for column in data["columns"]), row)) for row in data["rows"]]


def read(path):
    """(what is said of all, the slices or samples of each track)."""
    with open(path, encoding="utf-8") as file:
        data = blobs(file.read())
    meta = json.loads(data["timeline-meta"])
    tracks, ends = [], {}
    for track in meta["tracks"]:
        unpack = unpack_samples if track["kind"] == "counter" else unpack_slices
        element = f"tracks-{track['element']}"
        assert ends.get(element, 0) == track["at"], "a track begins where the one before it ends"
        ends[element], track_data = unpack(data[element], track)
        tracks.append(track_data)
    assert ends == {key: len(value) for key, value in data.items() if key.startswith("tracks-")}
    return meta, tracks
