#!/usr/bin/env python3
"""Snapshots of the caching allocator: what ptool makes of them against who made them, and
pickles that would do more than hold data, which are refused by name."""
import glob
import json
import os
import pickle
import random

from memory_tables import SHARED, Tap, Workplace, table
from storetap import FIXTURES

FOLDER = os.path.join(FIXTURES, "snapshot")


class Harm:
    """Runs when it is unpickled."""

    def __reduce__(self):
        return (os.mkdir, ("/nonexistent/harm",))


def ingest(place, data, detect=False):
    path = place.path("it.pickle")
    with open(path, "wb") as out:
        out.write(data)
    store = place.path("it.db")
    if os.path.exists(store):
        os.remove(store)
    chosen = [] if detect else ["--input-format", "snapshot"]
    return place.ptool("ingest", "-q", *chosen, "-o", store, path, check=False)


def check_fixture(tap, place, path):
    name = os.path.basename(path)[:-len(".pickle")]
    with open(path[:-len(".pickle")] + ".truth.json", encoding="utf-8") as text:
        truth = json.load(text)
    with open(path, "rb") as text:
        data = pickle.load(text)  # our own
    store = place.ingest(path)
    peaks = {row["device"]: row for row in table(place, store)}
    for device, facts in zip(data["device_traces"], truth):
        got = peaks[facts["device"]]
        tap.same([got["events"] - got["out_of_memory"], got["allocated_peak_bytes"], got["end_bytes"],
                  got["reserved_peak_bytes"], got["mismatches"]],
                 [facts["events"], facts["peak_bytes"], facts["end_bytes"], facts["reserved_bytes"], 0],
                 f"{name}: {facts['device']}: events, peak, end and reserved")
        curve = table(place, store, "--curve", "--device", facts["device"])
        told = [e for e in device if e["action"] in ("alloc", "free_requested", "oom")]
        sign = {"alloc": 1, "free_requested": -1, "oom": 1}
        tap.same([(row["bytes"], row["addr"]) for row in curve],
                 [(sign[e["action"]] * e["size"], e.get("addr")) for e in told], f"{name}: {facts['device']}: each entry")
        frames = [next(f"{f['filename']}({f['line']}): {f['name']}" for f in e["frames"] if f["filename"] == "train.py")
                  for e in told]
        tap.same([row["op"] for row in curve], frames, f"{name}: {facts['device']}: the innermost frames of Python")
        live = table(place, store, "--live", "--device", facts["device"])
        tap.same(sum(row["bytes"] for row in live), facts["peak_bytes"], f"{name}: {facts['device']}: live at the peak")
        if facts["peak_us"] is not None:
            first = min(e["time_us"] for d in data["device_traces"] for e in d if e["action"] in sign)
            tap.same(got["at_ns"], (facts["peak_us"] - first) * 1000, f"{name}: {facts['device']}: time of the peak")


def rounded(kept, block_of):
    """A device that is asked for 1000 and 700 bytes before the entries that are kept, for 100 in them,
    and frees the 700.  Its blocks are multiples of 512."""
    def entry(action, time_us, addr, size):
        return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time_us, "frames": []}

    trace = [entry("segment_alloc", 1, 0, 2 << 20), entry("alloc", 2, 0, 1000), entry("alloc", 3, 1024, 700),
             entry("alloc", 4, 2048, 100), entry("free_requested", 5, 1024, 700), entry("free_completed", 6, 1024, 700)]
    blocks = [block_of(0, 1024, 1000, "active_allocated"), block_of(1024, 1024, 700, "inactive"),
              block_of(2048, 512, 100, "active_allocated"), block_of(2560, (2 << 20) - 2560, 0, "inactive")]
    return {"segments": [{"device": 0, "address": 0, "total_size": 2 << 20, "allocated_size": 1536, "active_size": 1536,
                          "blocks": blocks}], "device_traces": [trace[-kept:]]}


def check_rounded(tap, place):
    """Entries tell what was asked for, allocated_size adds up blocks: the base comes from the requests."""
    def new(address, size, asked, state):
        return {"address": address, "size": size, "requested_size": asked, "state": state, "frames": []}

    def old(_address, size, asked, state):  # torch 1.13 and 2.0
        past = {"history": [{"addr": 0, "real_size": asked, "frames": []}]} if asked else {}
        return {"size": size, "state": state, **past}

    for name, block_of in (("requested_size", new), ("history", old)):
        for kept, base in ((6, 0), (3, 1700)):
            got = ingest(place, pickle.dumps(rounded(kept, block_of)))
            row = table(place, place.path("it.db"))[0] if got.returncode == 0 else {}
            tap.same([row.get("base_bytes"), row.get("allocated_peak_bytes"), row.get("end_bytes"), row.get("reserved_peak_bytes")],
                     [base, 1800, 1100, 2 << 20], f"{name}, the last {kept} entries: base, peak, end and reserved")


def check_harm(tap, place):
    for protocol in range(2, 6):
        data = {"segments": [], "device_traces": [[{"action": Harm(), "size": 1}]]}
        ran = ingest(place, pickle.dumps(data, protocol=protocol))
        tap.ok(ran.returncode == 4 and "refused: the pickle names posix.mkdir" in ran.stderr,
               f"protocol {protocol}: a call is refused by name", ran.stderr)
    loop = []
    loop.append(loop)
    entry = {"action": "alloc", "addr": 1, "size": 1}
    bomb = [[entry] * 1000]
    segment = {"device": 0, "total_size": 1, "allocated_size": 1}
    blocks = [{"state": "inactive"}] * 1000
    for name, data, said in [
            ("no snapshot", {"a": 1}, "no segments and no device_traces"),
            ("a list", [1], "is a list, not a dict"),
            ("segments that are none", {"segments": 3, "device_traces": []}, "segments is a number"),
            ("traces that are none", {"segments": [], "device_traces": {}}, "device_traces is a dict"),
            ("entries that are none", {"segments": [], "device_traces": [[3]]}, "is a number, not a dict"),
            ("a list within itself", {"segments": [], "device_traces": loop}, "is a list, not a dict"),
            ("no action", {"segments": [], "device_traces": [[{"size": 1}]]}, "no action"),
            ("no size", {"segments": [], "device_traces": [[{"action": "alloc", "addr": 1}]]}, "alloc has no valid size"),
            ("no address", {"segments": [], "device_traces": [[{"action": "alloc", "size": 1}]]}, "alloc has no addr"),
            ("a negative size", {"segments": [], "device_traces": [[{**entry, "size": -1}]]}, "alloc has no valid size"),
            ("a size beyond 64 bits", {"segments": [], "device_traces": [[{**entry, "size": 1 << 64}]]}, "has no valid size"),
            ("a time beyond 64 bits", {"segments": [], "device_traces": [[{**entry, "time_us": 1 << 62}]]}, "time_us"),
            ("device 5000", {"segments": [{"device": 5000, "total_size": 1, "allocated_size": 1}], "device_traces": []},
             "impossible numbers"),
            ("blocks that are none", {"segments": [{**segment, "blocks": 3}], "device_traces": []}, "blocks is a number"),
            ("a block that is none", {"segments": [{**segment, "blocks": [3]}], "device_traces": []}, "is a number, not a dict"),
            ("a block has no size", {"segments": [{**segment, "blocks": [{"state": "active_allocated"}]}],
                                        "device_traces": []}, "a block has no size"),
            ("blocks again and again", {"segments": [{**segment, "blocks": blocks} for _ in range(900)], "device_traces": []},
             "more entries than the file has dicts"),
            ("lists again and again", {"segments": [], "device_traces": bomb * 900}, "more entries than the file has dicts"),
            ("1025 devices", {"segments": [], "device_traces": [[]] * 1025}, "more than 1024 devices")]:
        ran = ingest(place, pickle.dumps(data))
        tap.ok(ran.returncode == 4 and said in ran.stderr, f"{name}: refused, and says why", ran.stderr)


def check_shared(tap, place):
    found = sorted(glob.glob(os.path.join(SHARED, "data", "pyprof", "bad", "p_*")))
    if not found:
        tap.skip("hostile pickles", "no ../shared/data/pyprof/bad")
    for path in found:
        with open(path, "rb") as data:
            ran = ingest(place, data.read())
        tap.ok(ran.returncode == 4 and ran.stderr.count("\n") == 1 and "byte" in ran.stderr,
               f"{os.path.basename(path)}: refused", ran.stderr)


def check_lacks(tap, place):
    """What a snapshot does not tell is said in its own words, not in a trace's."""
    without = place.path("without.pickle")
    with open(without, "wb") as out:
        pickle.dump({"segments": [], "device_traces": [[], []]}, out)
    for path, option, said in ((without, "--curve", "_record_memory_history()"),
                               (os.path.join(FOLDER, "one_device_p4.pickle"), "--growth", "snapshots and memory timelines")):
        ran = place.ptool("memory", place.ingest(path), option, check=False)
        tap.ok(ran.returncode == 3 and said in ran.stderr and "profiler.step" not in ran.stderr,
               f"{os.path.basename(path)} {option}: what lacks", ran.stderr)


def check_protocols(tap, place):
    """Of protocols 0 and 1, which torch does not write, the refusal says what they are or name."""
    for protocol in (0, 1):
        for what, data in (("snapshot", {"segments": [], "device_traces": []}), ("is a list", [1]),
                           ("names storetap.Workplace", Workplace)):
            ran = ingest(place, pickle.dumps(data, protocol), detect=True)
            tap.ok(ran.returncode == 4 and what in ran.stderr and "pickle" in ran.stderr,
                   f"{what} of protocol {protocol}: named", ran.stderr)


def check_damage(tap, place):
    with open(os.path.join(FOLDER, "one_device_p4.pickle"), "rb") as text:
        good = text.read()
    cuts = [n for n in range(0, len(good), 97) if ingest(place, good[:n]).returncode != 4]
    tap.ok(not cuts, "cut anywhere it is refused", cuts)
    rng = random.Random(5)
    wrong = []
    for _ in range(150):
        data = bytearray(good)
        data[rng.randrange(2, len(data))] ^= 1 << rng.randrange(8)
        if ingest(place, bytes(data)).returncode not in (0, 4):
            wrong.append(bytes(data))
    tap.ok(not wrong, "with any bit turned it is read or refused", *wrong)


def main():
    tap = Tap()
    with Workplace() as place:
        for path in sorted(glob.glob(os.path.join(FOLDER, "*.pickle"))):
            check_fixture(tap, place, path)
        check_rounded(tap, place)
        check_harm(tap, place)
        check_shared(tap, place)
        check_lacks(tap, place)
        check_protocols(tap, place)
        check_damage(tap, place)
    tap.done()


if __name__ == "__main__":
    main()
