#!/usr/bin/env python3
"""ptool export --to pftrace: an independent reader of the protobuf wire format finds the trace in it.

Slices are built from begins and ends as Perfetto builds them: sorted by time, ends closing the newest
on their track.  Names, counts, durations, arrows, counters and idle time are those of the recording.
"""
import collections
import csv
import io
import json
import os
import struct

from callgraphs import FIXTURES, Tap, ptool
from proto import message

FILES = ["gpu/everything.json", "gpu/two_streams.json", "gpu/phases_of_chrome.json", "torch/t260_ddp_rank0/trace.json.gz"]


class Trace:
    def __init__(self, data):
        self.tracks, self.slices, self.samples = {}, [], []
        self.flows = collections.defaultdict(dict)
        names, categories, events = {}, {}, []
        for packet in message(data)[1]:
            packet = message(packet)
            assert packet[10] == [1]
            for interned in packet[12]:
                for part, texts in ((1, categories), (2, names)):
                    for entry in message(interned)[part]:
                        entry = message(entry)
                        texts[entry[1][0]] = entry[2][0].decode()
            for track in packet[60]:
                track = message(track)
                assert track[1][0] not in self.tracks and all(parent in self.tracks for parent in track[5])
                self.tracks[track[1][0]] = track
            for event in packet[11]:
                events.append((packet[8][0], len(events), message(event)))
        stacks = collections.defaultdict(list)
        for ts, _, event in sorted(events, key=lambda e: e[:2]):
            kind, track = event[9][0], event[11][0]
            assert track in self.tracks
            if kind == 2:
                slice_ = stacks[track].pop()
                slice_["dur"] = ts - slice_["ts"]
            elif kind == 4:
                self.samples.append((self.tracks[track][2][0].decode(), ts, struct.unpack("<d", event[44][0])[0]))
            else:
                slice_ = {"name": names[event[10][0]], "ts": ts, "dur": 0, "instant": kind == 3, "track": track,
                          "category": categories[event[3][0]] if event[3] else None,
                          "args": {message(a)[10][0].decode(): message(a) for a in event[4]}}
                self.slices.append(slice_)
                if kind == 1:
                    stacks[track].append(slice_)
                for field in (47, 48):
                    for flow in event[field]:
                        self.flows[flow][field] = slice_
        assert not any(stacks.values()), "slices that never end"

    def track_name(self, slice_):
        return self.tracks[slice_["track"]][2][0].decode() if self.tracks[slice_["track"]][2] else "thread"


def rows(*args):
    return list(csv.DictReader(io.StringIO(ptool(*args, "--format", "csv", "-q").decode())))


def is_idle(trace, slice_):
    return trace.track_name(slice_).startswith("idle time (ptool)")


def check(tap, name, window):
    path = os.path.join(FIXTURES, name)
    trace = Trace(ptool("export", "--to", "pftrace", path, "-q", *window))
    title = " ".join([name, *window])
    ours = collections.Counter((s["name"], s["dur"]) for s in trace.slices if not is_idle(trace, s))
    listed = rows("list", path, "--limit", "0", *window)
    want = collections.Counter((row["name"], max(int(row["dur_ns"]), 0)) for row in listed)
    launches = ours - want
    tap.ok(not want - ours and ours and (window or not launches), f"{title}: slices",
           [str(pair) for pair in list((want - ours) + launches)[:10]])
    tap.ok(all(name.startswith(("cuda", "hip", "cu")) for name, _ in launches), f"{title}: only launches are added",
           [str(pair) for pair in launches])
    idle = sorted((s["name"], s["dur"]) for s in trace.slices if is_idle(trace, s))
    if name.startswith("gpu/phases") or not name.startswith("gpu"):
        tap.ok(not idle, f"{title}: no idle time")
    else:
        gaps = sorted((row["cause"], int(row["dur_ns"])) for row in rows("gaps", "--list", path, *window))
        tap.ok(gaps == idle and idle, f"{title}: idle time")
    wrong = [str(ends) for ends in trace.flows.values() if set(ends) != {47, 48} or ends[47]["ts"] > ends[48]["ts"]]
    flows = int(rows("sql", path, "SELECT count(*) AS n FROM flow")[0]["n"])
    tap.ok(not wrong and (window or len(trace.flows) == flows), f"{title}: arrows", wrong)
    samples = rows("sql", path, "SELECT t.name, c.value FROM counter c JOIN track t ON t.id = c.track_id")
    if not window:
        tap.ok(sorted((row["name"], float(row["value"])) for row in samples) ==
               sorted((name, value) for name, _, value in trace.samples), f"{title}: counters")
        kernels = [json.loads(s["args"]["args"][9][0]) for s in trace.slices if s["category"] == "kernel"]
        tap.ok(all("correlation" in args or "stream" in args for args in kernels), f"{title}: args of kernels")


def check_schema(tap):
    """Perfetto's own classes know every field that is written."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError:
        tap.skip("Perfetto's schema", "not installed (pip install perfetto)")
        return
    trace = perfetto_trace_pb2.Trace.FromString(
        ptool("export", "--to", "pftrace", os.path.join(FIXTURES, FILES[0]), "-q"))
    kinds = collections.Counter(p.WhichOneof("data") for p in trace.packet)
    tap.ok(kinds["track_event"] > 100 and kinds["track_descriptor"] > 4 and len(kinds) == 3, "Perfetto's schema",
           [str(kinds)])


def main():
    tap = Tap()
    check_schema(tap)
    for name in FILES:
        check(tap, name, [])
    check(tap, FILES[0], ["--step", "1"])
    check(tap, FILES[1], ["--time", "100us..400us"])
    tap.done()


if __name__ == "__main__":
    main()
