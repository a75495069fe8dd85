#!/usr/bin/env python3
"""What ptool exports of a store with edited rows is an error line that leaves nothing behind,
or a file that an independent reader of the format reads.  timeout: 400 s

Edits are boundary values, texts that mean something somewhere, and changed bytes of packed
columns; always the same ones.  STORES=N in the environment tries N stores of each recording,
SEED=N others.  Speaks TAP.
"""
import collections
import contextlib
import gzip
import html.parser
import io
import json
import os
import pstats
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "pyprof")]
import edits  # noqa: E402  pylint: disable=wrong-import-position
import proto  # noqa: E402  pylint: disable=wrong-import-position
import storetap  # noqa: E402  pylint: disable=wrong-import-position

STORES = int(os.environ.get("STORES", 0 if os.environ.get("VALGRIND") else 2 if os.environ.get("SAN") else 6))
TIMEOUT_S = 120
RECORDINGS = """gpu/everything.json gpu/phases_of_chrome.json gpu/python_stack.json gpu/graph.json gpu/collectives_rank0.json
compile/compile_annotated.json.gz pyprof/app.prof samples/evented.speedscope.json samples/go_heap.pb.gz samples/node.cpuprofile
samples/pyspy_fork.chrometrace.json.gz samples/pyspy_raw.txt lines/lp503.lprof lines/memory061.txt mprof/basic.dat
snapshot/two_devices_p5.pickle timeline/small.json""".split()
# What a reader of some format refused once, or what crashed.
ONCE_WRONG = {
    "gpu/everything.json": ["UPDATE string SET text = text || CAST(x'ff' AS TEXT)", "UPDATE thread SET name = CAST(x'ed' AS TEXT)",
                            "UPDATE profile SET metadata = metadata || char(0)"],
    "gpu/phases_of_chrome.json": ["UPDATE track SET name = ''", "UPDATE slice_args SET args = args || char(0)"],
    "gpu/python_stack.json": ["UPDATE profile SET first_op_detail_id = -9223372036854775807 - 1"],
    "pyprof/app.prof": ["UPDATE function SET id = 0 WHERE id = 1", "UPDATE function SET file_id = 2147483647"],
    "samples/evented.speedscope.json": ["UPDATE sample_row SET ts = 2147483648 WHERE id = 2", "UPDATE sample_series SET start_at = 4294967296"],
    "samples/node.cpuprofile": ["UPDATE sample_sum SET samples = -1", "UPDATE string SET text = char(8232) || text"],
    "samples/pyspy_raw.txt": ["UPDATE sample_sum SET weight = -1"],
    "lines/lp503.lprof": ["UPDATE line_stat SET line = -1"],
}
STACKS = ("folded", "speedscope", "pprof")
COMMANDS = [["export", "--to", name] for name in ("pstats", *STACKS, "callgrind", "chrome", "pftrace")] + \
    [["export", "--weight", "device", "--to", name] for name in STACKS] + \
    [["flame", "--to", "svg"], ["flame", "--to", "html"], ["report"]]
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def lines_of(data):
    lines = data.decode().split("\n")
    assert all(not CONTROL.search(line) for line in lines), "a control in a line"
    return lines


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def json_of(data):
    return json.loads(data.decode(), parse_constant=no_constant)


def read_pstats(path):
    with contextlib.redirect_stdout(io.StringIO()):
        stats = pstats.Stats(path)
        for show in (stats.print_stats, stats.print_callers, stats.print_callees):
            show()
    for (file, line, name), (primitive, calls, _, _, callers) in stats.stats.items():
        assert (type(file), type(line), type(name), type(primitive), type(calls)) == (str, int, str, int, int)
        assert all(caller in stats.stats for caller in callers)


def read_folded(data):
    """The sum of the weights."""
    matches = [re.fullmatch(r".* (\d+(?:\.\d+)?)", line) for line in lines_of(data)[:-1]]
    return sum(float(match[1]) if "." in match[1] else int(match[1]) for match in matches)


def read_speedscope(data):
    file = json_of(data)
    frames, profiles = file["shared"]["frames"], file["profiles"]
    assert all(type(frame["name"]) is str and type(frame.get("file", "")) is str and type(frame.get("line", 0)) is int for frame in frames)
    assert profiles and 0 <= file["activeProfileIndex"] < len(profiles)
    for profile in profiles:
        last, opened = profile["startValue"], []
        assert profile["unit"] in ("nanoseconds", "bytes", "none") and profile["endValue"] >= last
        for event in profile.get("events", []):
            assert event["at"] >= last and 0 <= event["frame"] < len(frames)
            last = event["at"]
            if event["type"] == "O":
                opened.append(event["frame"])
            else:
                assert opened.pop() == event["frame"]
        assert not opened and profile["endValue"] >= last
        assert len(profile.get("samples", [])) == len(profile.get("weights", []))
        assert all(weight >= 0 for weight in profile.get("weights", []))
        assert all(0 <= frame < len(frames) for stack in profile.get("samples", []) for frame in stack)


def numbers(data):
    at = 0
    while at < len(data):
        value, at = proto.varint(data, at)
        yield value


def read_pprof(data):
    """The sums of the values that are not negative."""
    profile = proto.message(gzip.decompress(data))
    texts = [text.decode() for text in profile[6]]
    functions = [proto.message(function) for function in profile[5]]
    locations = [proto.message(location) for location in profile[4]]
    known = {function[1][0] for function in functions}
    assert texts[0] == "" and len(known) == len(functions) and len({at[1][0] for at in locations}) == len(locations)
    assert all(n < len(texts) for function in functions for field in (2, 3, 4) for n in function[field])
    assert all(n < len(texts) for kind in map(proto.message, profile[1]) for field in (1, 2) for n in kind[field])
    assert all(proto.message(line)[1][0] in known for location in locations for line in location[4])
    sums = [0] * len(profile[1])
    places = {location[1][0] for location in locations}
    for sample in map(proto.message, profile[2]):
        values = [n for packed in sample[2] for n in numbers(packed)]
        assert len(values) == len(sums) and all(place in places for packed in sample[1] for place in numbers(packed))
        sums = [total + (n if n < 1 << 63 else 0) for total, n in zip(sums, values)]
    return sums[1]


def read_callgrind(data):
    named, total, told, is_call = set(), 0, None, False
    for line in lines_of(data):
        name = re.fullmatch(r"(?:(fl|cfi)|fn|cfn)=\((\d+)\)( .*)?", line)
        if name:
            is_file = name[1] is not None  # files and functions have numbers of their own
            assert ((is_file, name[2]) in named) == (name[3] is None), "named twice, or never"
            named.add((is_file, name[2]))
        elif re.fullmatch(r"\d+ \d+", line):
            total += 0 if is_call else int(line.split()[1])
        elif line.startswith(("summary: ", "totals: ")):
            assert told in (None, int(line.split()[1]))
            told = int(line.split()[1])
        else:
            assert re.fullmatch(r"(# callgrind format|version: 1|creator: .*|positions: line|event: .*|events: \w+|calls=\d+ \d+|)", line), line
        is_call = line.startswith("calls=")
    assert told in (total, 2**63 - 1)


def read_chrome(data):
    for event in json_of(data)["traceEvents"]:
        assert event["ph"] in "XiMCsfbneSF" and type(event["name"]) is str and type(event.get("args", {})) is dict
        assert event["ph"] == "M" or type(event["ts"]) in (int, float)
        assert event["ph"] != "X" or type(event["dur"]) in (int, float)


def read_pftrace(data):
    tracks, texts, events = {}, {3: {}, 10: {}}, collections.defaultdict(list)
    for packet in map(proto.message, proto.message(data)[1]):
        for interned in map(proto.message, packet[12]):
            for part, field in ((1, 3), (2, 10)):
                for entry in map(proto.message, interned[part]):
                    texts[field][entry[1][0]] = entry[2][0].decode()
        for track in map(proto.message, packet[60]):
            assert track[1][0] not in tracks and all(parent in tracks for parent in track[5])
            for name in track[2] + [n for p in track[3] for n in proto.message(p)[6]] + [n for t in track[4] for n in proto.message(t)[5]]:
                name.decode()
            tracks[track[1][0]] = track
        for event in map(proto.message, packet[11]):
            assert all(n in texts[field] for field in (3, 10) for n in event[field]) and packet[8][0] < 1 << 63
            for note in map(proto.message, event[4]):
                for text in note[9]:
                    json_of(text)
                for text in note[6]:
                    text.decode()
            if event[9][0] == 4:
                assert tracks[event[11][0]][8] and abs(struct.unpack("<d", event[44][0])[0]) < float("inf")
            events[event[11][0]].append((packet[8][0], event[9][0]))
    for track, of_track in events.items():
        depth = 0
        for _, kind in sorted(of_track, key=lambda event: event[0]):
            depth += (kind == 1) - (kind == 2)
            assert depth >= 0
        assert track in tracks and depth == 0


def read_svg(data):
    xml.etree.ElementTree.fromstring(data)


class Page(html.parser.HTMLParser):
    """No handler in an attribute, and no script that is not ptool's."""

    def __init__(self):
        super().__init__()
        self.scripts, self.is_script = [], False

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        self.is_script = tag == "script" and dict(attrs).get("type") is None
        if self.is_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.is_script = False

    def handle_data(self, data):
        if self.is_script:
            self.scripts[-1] += data


def read_page(data):
    page = Page()
    page.feed(data.decode())
    assert len(page.scripts) == 1 and "alert(1)" not in page.scripts[0] and b"\0" not in data


READERS = {"folded": read_folded, "speedscope": read_speedscope, "pprof": read_pprof, "callgrind": read_callgrind, "chrome": read_chrome,
           "pftrace": read_pftrace, "svg": read_svg, "html": read_page, "report": read_page}


def wrong_of(store, command, folder, sums):
    """What is wrong with the answer, or None."""
    out = os.path.join(folder, "out")
    for left in os.listdir(folder):  # by a command that crashed
        os.unlink(os.path.join(folder, left))
    done = subprocess.run([storetap.PTOOL, *command, "-q", "-f", "-o", out, store], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 2, 3, 4):
        return f"exit status {done.returncode}: {said[:1500]}"
    if done.returncode:
        return None if said.count("\n") == 1 and os.listdir(folder) == [] else f"{said!r}, and leaves {os.listdir(folder)}"
    try:
        if command[-1] == "pstats":
            read_pstats(out)
        else:
            with open(out, "rb") as file:
                sums[" ".join(command)] = READERS[command[-1]](file.read())
    except Exception as error:  # whatever a reader does not like  pylint: disable=broad-except
        return f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        os.unlink(out)
    return None


def edit_as_once(store, sql):
    db = sqlite3.connect(store, isolation_level=None)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute(sql)
    db.close()
    return [sql]


def check(tap, rng, recording, root):
    base, store, folder = (os.path.join(root, name) for name in ("base.db", "s.db", "place"))
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(base):
        os.unlink(base)
    subprocess.run([storetap.PTOOL, "ingest", "-q", "--keep", "args", "--run", "it", "-o", base, os.path.join(storetap.FIXTURES, recording)],
                   check=True, stderr=subprocess.DEVNULL)
    columns, bad, read = edits.columns_of(base), [], 0
    # the first is as it was made
    ways = [list, *(lambda sql=sql: edit_as_once(store, sql) for sql in ONCE_WRONG.get(recording, [])),
            *[lambda: edits.edit(rng, store, columns)] * STORES]
    for way in ways:
        shutil.copyfile(base, store)
        edited, sums = way(), {}
        for command in COMMANDS:
            wrong = wrong_of(store, command, folder, sums)
            if wrong:
                bad.append(f"{edited}; ptool {' '.join(command)}: {wrong}")
        read += len(sums)
        folded, pprof = sums.get("export --to folded"), sums.get("export --to pprof")
        if type(folded) is int and pprof is not None and folded != pprof < 2**62:
            bad.append(f"{edited}: folded weighs {folded}, pprof {pprof}")
    tap.ok(not bad and read, f"{recording}: {read} files of {len(ways)} stores are read", *bad)


def main():
    tap = storetap.Tap()
    rng = random.Random(int(os.environ.get("SEED", 1)))
    with tempfile.TemporaryDirectory(prefix="ptool-decoded.") as root:
        for recording in RECORDINGS:
            check(tap, rng, recording, root)
    tap.done()


main()
