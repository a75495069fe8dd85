#!/usr/bin/env python3
"""check_samples.py: sampled stacks against a reader of our own, function by function.

Files are those of tests/fixtures/samples and, where it is, of ../shared/data/pyprof beside the checkout.
"""
import collections
import csv
import decimal
import fractions
import glob
import gzip
import io
import json
import os
import re
import sys
import xml.etree.ElementTree

from graphs import PYPROF, Tap, Workplace, rows
from proto import message, varint

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import gen_stacks

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "samples")
NUMBER = re.compile(r"^(.*)[ \t](\d+(?:\.\d*)?|\.\d+)$", re.S)
PY_SPY = re.compile(r"^(.+) \((.+):(\d+)\)$|^(.+) \((.+\.pyx?|<.+>)\)$", re.S)
COLONS = re.compile(r"^(.+):([^:]+):(\d+)$", re.S)
TORCH = re.compile(r"^(.+)\((\d+)\):_(.+)$", re.S)


def function_of(text):
    """(file, name) of a frame."""
    m = PY_SPY.match(text)
    if m:
        return (m[2], m[1]) if m[1] else (m[5], m[4])
    m = COLONS.match(text)
    if m and ("/" in m[1] or "\\" in m[1] or re.search(r"\.pyx?$|^<.*>$", m[1])):
        return m[1], m[2]
    m = TORCH.match(text)
    return (m[1], m[3]) if m else ("", text)


class Sums:
    """Self and total by function; the sum of all."""

    def __init__(self):
        self.self_, self.total, self.all = collections.Counter(), collections.Counter(), fractions.Fraction(0)

    def add(self, stack, weight):
        """stack: functions, the outermost first."""
        self.all += weight
        if stack:
            self.self_[stack[-1]] += weight
        for function in set(stack):
            self.total[function] += weight

    def rows(self):
        return {f: (float(self.self_[f]), float(t)) for f, t in self.total.items() if t or self.self_[f]}


def read_text(path):
    with open(path, "rb") as f:
        data = f.read()
    for mark, code in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(code, "replace")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def strip_thread(stack):
    stack = re.sub(r'^(process \d+:".*?";)+', "", stack, flags=re.S)
    return re.sub(r"^thread \([^)]*\)[^;]*;|^P\d+;T[^;]*(;|$)|^tid:\d+;", "", stack)


def collapsed(path):
    """Sums of a file of collapsed stacks; Austin's: microseconds as ns."""
    sums, text = Sums(), read_text(path)
    is_austin = "# austin:" in text
    factor = 1000 if is_austin else 1
    for line in text.split("\n"):
        line = line.rstrip("\r \t")
        if is_austin:
            line = re.sub(r",\d,-?\d+$", "", line)
        m = NUMBER.match(line)
        if not m or line.startswith("#"):
            continue
        frames = strip_thread(m[1])
        stack = [function_of(frame) for frame in frames.split(";")] if frames else []
        if TORCH.match(m[1].rsplit(";")[-1]):
            factor = 1000
        sums.add(stack, fractions.Fraction(m[2]) * factor)
    return sums


NS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 1000, "nanoseconds": 1}


def scaled(number, unit):
    """A weight as ptool keeps it: whole nanoseconds, half to even; others as they are."""
    number = fractions.Fraction(decimal.Decimal(number))
    return fractions.Fraction(round(number * NS[unit])) if unit in NS else number


def evented(profile, unit, functions, sums):
    stack, last = [], None
    for event in profile["events"]:
        at = scaled(event["at"], unit)
        if stack and at > last:
            sums.add([functions[i] for i in stack if functions[i]], at - last)
        last = at
        stack.append(event["frame"]) if event["type"] == "O" else stack.pop()
    end = scaled(profile["endValue"], unit)
    if stack and end > last:
        sums.add([functions[i] for i in stack if functions[i]], end - last)


def sampled(profile, unit, functions, sums):
    weights = [scaled(w, unit) for w in profile["weights"]]
    lasts = scaled(profile["endValue"], unit) - scaled(profile["startValue"], unit)
    if unit in NS and weights and all(w == NS[unit] for w in weights) and lasts < sum(weights):  # py-spy 0.3.8
        n = len(weights)
        weights = [lasts // n + (i < lasts % n) for i in range(n)]
    for stack, weight in zip(profile["samples"], weights):
        sums.add([functions[i] for i in stack if functions[i]], weight)


def speedscope(path):
    """Sums of the profiles that have the unit of the active one."""
    with open(path, encoding="utf-8-sig") as f:
        file = json.load(f, parse_float=str, parse_int=int)
    functions = [(f.get("file") or "", f["name"]) for f in file["shared"]["frames"]]
    functions = [None if not f and re.match(r'process \d+:"|thread \(|\[self\]$', n) else (f, n) for f, n in functions]
    kind = {"bytes": 1, "none": 2}
    units = [kind.get(p["unit"], 0) for p in file["profiles"]]
    active, sums = file.get("activeProfileIndex") or 0, Sums()
    for profile, unit in zip(file["profiles"], units):
        if unit == units[active]:
            (sampled if profile["type"] == "sampled" else evented)(profile, profile["unit"], functions, sums)
    return sums


def numbers(values):
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


def pprof(path):
    """Sums of the default sample type."""
    with open(path, "rb") as f:
        file = message(gzip.decompress(f.read()))
    texts, sums = [t.decode() for t in file[6]], Sums()
    functions = {f[1][0]: f for f in map(message, file[5])}
    frames = {}
    for location in map(message, file[4]):
        called = [functions[message(line)[1][0]] for line in reversed(location[4])]
        frames[location[1][0]] = [(texts[f[4][0]] if f[4] else "", texts[f[2][0]]) for f in called]
    types = [message(t) for t in file[1]]
    chosen = file[14][0] if file[14] else types[-1][1][0]
    at = [t[1][0] for t in types].index(chosen)
    for sample in map(message, file[2]):
        stack = [frame for place in reversed(numbers(sample[1])) for frame in frames[place]]
        sums.add(stack, fractions.Fraction(numbers(sample[2])[at]))
    return sums


def cpuprofile(path):
    """Sums of a profile of V8: a sample lasts until the next one."""
    with open(path, encoding="utf-8") as f:
        file = json.load(f)
    times = [file["startTime"] + sum(file["timeDeltas"][:i + 1]) for i in range(len(file["samples"]))]
    names = {n["id"]: (n["callFrame"]["url"], n["callFrame"]["functionName"] or "(anonymous)") for n in file["nodes"]}
    parents = {child: n["id"] for n in file["nodes"] for child in n.get("children", [])}
    sums, moments = Sums(), sorted(zip(times, range(len(times))))
    for (at, i), (until, _) in zip(moments, moments[1:] + [(file["endTime"], 0)]):
        node, lasts, stack = file["samples"][i], max(until - at, 0), []
        while node:
            stack.insert(0, names[node])
            node = parents.get(node)
        sums.add([function for function in stack if function[1] != "(root)"], fractions.Fraction(lasts * 1000))
    return sums


def seconds(text):
    return fractions.Fraction(round(fractions.Fraction(decimal.Decimal(text)) * 10**9))


def pyisession(path):
    """Sums of a session of pyinstrument: the outermost frame is the thread."""
    with open(path, encoding="utf-8") as f:
        file, sums = json.load(f, parse_float=str), Sums()
    for frames, lasts in file["frame_records"]:
        parts = [frame.split("\1")[0].split("\0") for frame in frames]
        sums.add([(p[1] if len(p) > 1 else "", p[0]) for p in parts if p[1:2] != ["<thread>"]], seconds(lasts))
    return sums


def pyinstrument_json(path):
    """Sums of pyinstrument's tree: what a function has that no child has is its own, and so is [self]."""
    with open(path, encoding="utf-8") as f:
        file, sums = json.load(f, parse_float=str), Sums()

    def walk(node, stack):
        parts = (node.get("identifier") or "\0".join((node.get("function"), node.get("file_path")))).split("\0")
        function, own = (parts[1] if len(parts) > 1 else "", parts[0]), seconds(node["time"])
        inner = stack if function[1] == "[self]" and not node["children"] else stack + [function]
        for child in node["children"]:
            own -= seconds(child["time"])
            walk(child, inner)
        sums.add(inner, max(own, 0))

    walk(file.get("root_frame") or file["frame_tree"], [])
    return sums


def check_pyinstrument_text(tap, place, path, text):
    """Functions of pyinstrument's own report have the times that it prints, three digits of them."""
    sums, above = collections.defaultdict(lambda: [0, 0]), []
    for line in open(text, encoding="utf-8"):
        m = re.match(r"^(\W*)(\d+\.\d+) (\S+)  (\S+)$", line)
        if not m or m[3] == "[self]":
            continue
        depth = len(m[1]) // 3
        name = m[3].rsplit(".", 1)[-1] if m[4] != "<built-in>" else m[3]
        key = (os.path.basename(m[4]).split(":")[0], name)
        above[depth:] = [key]
        if key not in above[:depth]:
            sums[key][0] += float(m[2])
            sums[key][1] += 0.00051
    got = collections.Counter()
    for (file, name), (_, total) in of_ptool(place, path).items():
        got[os.path.basename(file), name] += total / 1e9
    wrong = [f"{k}: {got.get(k)} and {v[0]}" for k, v in sums.items() if not abs(got.get(k, -1) - v[0]) <= v[1]]
    tap.ok(sums and not wrong, f"{os.path.basename(text)}: {len(sums)} functions", *wrong[:5])


def check_bad_pyinstrument(tap, place):
    frame = "f\0a.py\0001\001l2"
    good = {"start_call_stack": [], "sample_count": 1, "duration": 1, "frame_records": [[[frame], 0.5]]}
    bad = {"a sample without a time": {"frame_records": [[[frame]]]}, "a negative time": {"frame_records": [[[frame], -1]]},
           "a frame that is no text": {"frame_records": [[[5], 1]]}, "no samples": {"frame_records": []},
           "samples that are no list": {"frame_records": 7}, "a tree of nothing": {"frame_records": [], "root_frame": None},
           "a function without a time": {"frame_records": None, "root_frame": {"function": "f", "children": []}}}
    for name, part in {"what is right": {}, **bad}.items():
        file = {k: v for k, v in {**good, **part}.items() if v is not None or k == "root_frame"}
        with open(place.path("x.pyisession"), "w", encoding="utf-8") as f:
            json.dump(file, f)
        done = place.ptool("ingest", "-o", place.path("pyi.db"), place.path("x.pyisession"), check=False)
        tap.ok(done.returncode == (4 if part else 0) and done.stderr.count("\n") == 1, f"pyinstrument: {name}", done.stderr)


def chrometrace(path):
    """Sums of py-spy's trace events: a stack lasts until the next event of its thread id, whatever its process."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        events = json.load(f)
    stacks, last, sums = collections.defaultdict(list), {}, Sums()
    for e in events:
        tid, name, file = e["tid"], e["name"], e["args"]["filename"]
        stack = [(f, n) for n, f in stacks[tid] if f or not re.match(r'process \d+:"|thread \(', n)]
        if stacks[tid] and e["ts"] > last[tid]:
            sums.add(stack, fractions.Fraction(e["ts"] - last[tid]) * 1000)
        last[tid] = e["ts"]
        if e["ph"] == "B":
            stacks[tid].append((name, file))
        else:
            assert stacks[tid].pop() == (name, file)
    return sums


EVENT = {"args": {"filename": "a.py", "line": 3}, "cat": "py-spy", "name": "f", "ph": "B", "pid": 1, "tid": 7, "ts": 1}
BAD_EVENTS = {  # events after one that begins; the words of the line, or None where they are read
    "what is right": ([{"ph": "E", "ts": 9}], None),
    "a frame that never ends": ([{"name": "g", "tid": 8}, {"name": "g", "tid": 8, "ph": "E", "ts": 5}], None),
    "an end without a begin": ([{"ph": "E", "tid": 8}], "ends 'f', and no frame is open"),
    "an end of another frame": ([{"name": "g"}, {"ph": "E", "ts": 5}], "which is not the innermost"),
    "time that runs back": ([{"ph": "E", "ts": 0}], "event 2 is before the one before it"),
    "an event of another program": ([{"cat": "cpu_op"}], "--input-format chrome"),
    "a phase of traces": ([{"ph": "X"}], "event 2 is malformed"), "no time": ([{"ts": None}], "event 2 is malformed"),
    "a time beyond 64 bits": ([{"ts": 10**20}], "event 2 is malformed"), "times far apart": ([{"ts": 9 * 10**15}, {"ts": 10**16}], ""),
    "nothing lasts": ([{"ph": "E"}], "no samples"),
}


def check_bad_chrometrace(tap, place):
    for name, (events, words) in BAD_EVENTS.items():
        with open(place.path("bad.json"), "w", encoding="utf-8") as f:
            json.dump([EVENT] + [{**EVENT, **e} for e in events], f)
        done = place.ptool("ingest", "-o", place.path("bad.db"), place.path("bad.json"), check=False)
        tap.ok(done.returncode == (0 if words is None else 4) and done.stderr.count("\n") == 1 and (words or "") in done.stderr,
               f"chrometrace: {name}", done.stderr)


def gecko_functions(thread):
    """(file, name) of each frame of a thread, None for the root."""
    strings, funcs, resources = thread["stringArray"], thread["funcTable"], thread["resourceTable"]
    for func in thread["frameTable"]["func"]:
        file, resource = funcs["fileName"][func], funcs["resource"][func]
        if file is None and resource is not None and resource >= 0:
            file = resources["name"][resource]
        yield ("" if file is None else strings[file], strings[funcs["name"][func]])


def gecko(path, weigh=None):
    """Sums of a processed profile: the weights of threads that count samples, or what `weigh` says of each."""
    sums = Sums()
    with open(path, encoding="utf-8") as f:
        threads = json.load(f)["threads"]
    for thread in threads:
        functions, stacks, samples = list(gecko_functions(thread)), thread["stackTable"], thread["samples"]
        for i, at in enumerate(samples["stack"]):
            if not weigh and samples["weightType"] != "samples":
                continue
            stack = []
            while at is not None:
                stack.insert(0, functions[stacks["frame"][at]])
                at = stacks["prefix"][at]
            sums.add(stack, fractions.Fraction(weigh(samples, i) if weigh else samples["weight"][i]))
    return sums


def rows_of(table, columns):
    """A table as Firefox records it, with a schema; nulls at the end of rows are left out."""
    data = [[table[name][i] for name in columns] for i in range(table["length"])]
    for row in data:
        while row and row[-1] is None:
            row.pop()
    return {"data": data, "schema": {name: i for i, name in enumerate(columns)}}


def unprocessed(profile):
    """The same before it is processed; the last thread is in a process that was started 5 ms after the other."""
    def convert(thread):
        strings = thread["stringArray"] + ["(root)"]
        locations = [f"{name} (in {file})" if file else name for file, name in gecko_functions(thread)]
        frames = {"length": len(locations) + 1, "location": [], "line": [None] * (len(locations) + 1)}
        for text in locations + ["(root)"]:
            strings.append(text)
            frames["location"].append(len(strings) - 1)
        stacks = thread["stackTable"]
        root = stacks["length"]
        stacks = {"length": root + 1, "prefix": [root if p is None else p for p in stacks["prefix"]] + [None],
                  "frame": stacks["frame"] + [len(locations)]}
        samples, at = {"length": thread["samples"]["length"], "stack": thread["samples"]["stack"], "time": []}, 0
        for delta in thread["samples"]["timeDeltas"]:
            samples["time"].append(at := at + delta)
        samples["threadCPUDelta"] = thread["samples"]["threadCPUDelta"]
        return {"name": thread["name"], "tid": int(thread["tid"].split(".")[0]), "pid": int(thread["pid"]),
                "samples": rows_of(samples, ["stack", "time", "threadCPUDelta"]), "markers": {"schema": {"name": 0}, "data": [[0]]},
                "stackTable": rows_of(stacks, ["prefix", "frame"]), "frameTable": rows_of(frames, ["location", "line"]),
                "stringTable": strings}
    meta = {**profile["meta"], "gcpoison": 0}
    *threads, last = map(convert, profile["threads"])
    child = {"meta": {**meta, "startTime": meta["startTime"] + 5}, "threads": [last], "processes": []}
    return {"meta": meta, "libs": [], "processes": [child], "threads": threads}


def shared(profile, functions):
    """The first thread alone, its tables where newer versions have them, its files in a table of sources."""
    thread = dict(profile["threads"][0])
    strings = thread.pop("stringArray")
    files = [None if not file else strings.index(file) for file, _ in functions]
    funcs = thread.pop("funcTable")
    sources = {"length": len(files), "filename": [0 if f is None else f for f in files]}
    funcs = {"length": funcs["length"], "name": funcs["name"], "source": [None if f is None else i for i, f in enumerate(files)]}
    tables = {name: thread.pop(name) for name in ("stackTable", "frameTable", "resourceTable")}
    return {"meta": profile["meta"], "threads": [thread], "shared": {**tables, "funcTable": funcs, "sources": sources, "stringArray": strings}}


def check_gecko(tap, place):
    """The three spellings of a profile; times of CPU; files that are cut or wrong."""
    path = os.path.join(FIXTURES, "fxprof.json")
    with open(path, encoding="utf-8") as f:
        profile = json.loads(f.read())

    def write(name, what):
        with open(place.path(name), "w", encoding="utf-8") as f:
            json.dump(what, f)
        return place.path(name)

    cpu = gecko(path, lambda samples, i: samples["threadCPUDelta"][i] * 1000)
    compare(tap, "gecko: CPU time", of_ptool(place, path, "--mode", "cpu"), cpu)
    raw = write("raw.json", unprocessed(profile))
    compare(tap, "gecko: before it is processed", of_ptool(place, raw), gecko(path, lambda samples, i: 1))
    compare(tap, "gecko: CPU time before", of_ptool(place, raw, "--mode", "cpu"), cpu)
    place.ptool("ingest", "-q", "-o", place.path("raw.db"), raw)
    got = rows(place.open(place.path("raw.db")), "SELECT min(ts) FROM sample_row WHERE thread_id = 3")[0][0]
    first = unprocessed(profile)["processes"][0]["threads"][0]["samples"]["data"][0][1]
    tap.same(got, round((first + 5) * 10**6), "gecko: times of a process that began later")
    texts = ["(root)", "run (https://x/a b.js:3:12)", "f (in lib.so)", "0x12", "g (b.js:7)", "h (i) j", "(k.js:1)"]
    stacks = {"schema": {"prefix": 0, "frame": 1}, "data": [[i - 1 if i else None, i] for i in range(len(texts))]}
    thread = {"samples": {"schema": {"stack": 0, "time": 1}, "data": [[len(texts) - 1, 2.5]]}, "stackTable": stacks, "stringTable": texts,
              "frameTable": {"schema": {"location": 0, "line": 4}, "data": [[i, 0, 0, 0, 40] for i in range(len(texts))]}}
    places = write("places.json", {"meta": {"gcpoison": 0}, "threads": [thread]})
    want = {("https://x/a b.js", "run"), ("lib.so", "f"), ("", "0x12"), ("b.js", "g"), ("", "h (i) j"), ("", "(k.js:1)")}
    tap.same(sorted(of_ptool(place, places)), sorted(want), "gecko: where functions are, in their names")
    devtools = write("devtools.json", {"fileType": "Recorded Performance Data", "version": 1, "markers": [{}], "profile": {"threads": [thread]}})
    tap.same(sorted(of_ptool(place, devtools)), sorted(want), "gecko: what DevTools of Firefox up to 58 saved")
    one = write("one.json", {**profile, "threads": profile["threads"][:1]})
    tables = write("shared.json", shared(profile, list(gecko_functions(profile["threads"][0]))))
    compare(tap, "gecko: tables that threads share", of_ptool(place, tables), gecko(one))
    with open(path, "rb") as f:
        whole, wrong = f.read().rstrip(), []
    for n in range(0, len(whole) - 1, 1 if os.environ.get("LONG") else 199):
        with open(place.path("cut.json"), "wb") as f:
            f.write(whole[:n])
        done = place.ptool("ingest", "-o", place.path("cut.db"), place.path("cut.json"), check=False)
        if done.stderr.count("\n") != 1 or done.returncode not in (0, 4) or (done.returncode == 0 and "1 warning or error" not in done.stderr):
            wrong.append(f"{n} bytes: {done.returncode} {done.stderr}")
    tap.ok(not wrong, "gecko: cut anywhere", *wrong[:5])
    check_bad_gecko(tap, place, profile, write)


def check_bad_gecko(tap, place, profile, write):
    deep = {"meta": profile["meta"], "threads": []}
    for _ in range(40):
        deep = {**deep, "processes": [deep]}
    bad = {  # what becomes of the first thread, and the words
        "a stack below itself": ("stackTable", {"prefix": [1, 0], "frame": [0, 0], "length": 2}, "is below itself"),
        "a stack that is not there": ("samples", {"stack": [10**15], "length": 1}, "stack 1000000000000000 of"),
        "a negative stack": ("samples", {"stack": [-1], "length": 1}, "stack -1 of"),
        "a stack without prefixes": ("stackTable", {"frame": [0], "length": 1}, "0 prefixes and 1 frames"),
        "a frame that is not there": ("stackTable", {"prefix": [None] * 99, "frame": [10**9] * 99}, "names frame 1000000000 of"),
        "a frame without function": ("frameTable", {"func": [99] * 99}, "frame 0 has no function"),
        "a string that is not there": ("funcTable", {"name": [77] * 99}, "string 77 of"),
        "a string that is none": ("stringArray", [1], "an entry of the string table is not a string"),
        "a place that is half": ("stackTable", {"prefix": [None], "frame": [0.5]}, "not a whole number"),
        "a time that is a word": ("samples", {"stack": [0], "time": ["x"]}, "a time or a weight is not a number"),
        "a column behind the 64th": ("stackTable", {"schema": {"prefix": 0, "frame": 64}, "data": [[None] * 64 + [0]]}, "has 1 prefixes and 0 frames"),
        "rows that are none": ("samples", {"schema": {"stack": 0}, "data": [3]}, "a row of a table is not a list"),
    }
    for name, (key, value, words) in bad.items():
        thread = {**profile["threads"][0], key: value}
        if key != "samples":
            thread["samples"] = {"stack": [0], "length": 1}
        done = place.ptool("ingest", "-o", place.path("bad.db"), write("bad.json", {**profile, "threads": [thread]}), check=False)
        tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1 and words in done.stderr, f"gecko: {name}", done.stderr)
    for name, what, words in (("no threads", {"meta": profile["meta"]}, "has no threads"), ("no samples", {**profile, "threads": [{}]}, "no thread has samples"),
                              ("processes in processes", deep, "nested too deep"), ("an array", {**profile, "threads": [[]]}, "no thread has samples")):
        done = place.ptool("ingest", "-o", place.path("bad.db"), write("bad.json", what), check=False)
        tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1 and words in done.stderr, f"gecko: {name}", done.stderr)


FG = "{http://github.com/jonhoo/inferno}"
TITLE = re.compile(r"^(.*) \(([\d,]+) ([^,]*), [\d.]+%\)$", re.S)


def flame(path):
    """Sums of a flame graph that says its places in samples: a frame lies on the one that holds its place."""
    frames, sums = [], Sums()
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        for group in xml.etree.ElementTree.parse(f).iter("{http://www.w3.org/2000/svg}g"):
            title, rect = group[0].text, group[1].attrib
            name, count, unit = TITLE.match(title).groups()
            start = int(rect[FG + "x"])
            frames.append((float(rect["y"]), start, start + int(rect[FG + "w"]), name, int(count.replace(",", "")), unit))
    root = next(f for f in frames if f[3] == "all" and f[2] - f[1] == max(g[2] - g[1] for g in frames))
    frames.sort(key=lambda f: abs(f[0] - root[0]))
    for frame in frames:
        def holds(other, frame=frame):
            return other[1] <= frame[1] and frame[2] <= other[2]
        def is_next(a, b):
            return abs(abs(a[0] - root[0]) - abs(b[0] - root[0]) - 16) < 1
        under = [f for f in frames if f != frame and holds(f) and abs(f[0] - root[0]) < abs(frame[0] - root[0])]
        on_it = [f for f in frames if is_next(f, frame) and frame[1] <= f[1] and f[2] <= frame[2]]
        own = max(frame[4] - sum(f[4] for f in on_it), 0)
        stack = [f[3] for f in under + [frame]][1:]
        while stack and re.match(r'process \d+:"|thread \(', stack[0]):
            stack.pop(0)
        factor = {"us": 1000, "us.": 1000}.get(frame[5], 1)
        if own:
            sums.add([function_of(name) for name in stack], own * factor)
    return sums


def check_pictures(tap, place):
    """What flame graphs were drawn of comes back; flamegraph.pl's of then has () for <>, and was said to count us."""
    want = collapsed(os.path.join(FIXTURES, "flame.txt"))
    compare(tap, "inferno's flame graph", of_ptool(place, os.path.join(FIXTURES, "inferno_icicle.svg.gz")), want)
    with open(os.path.join(FIXTURES, "flame.txt"), encoding="utf-8") as f, open(place.path("pl.txt"), "w", encoding="utf-8") as to:
        for line in f.read().translate({60: 40, 62: 41}).splitlines():
            to.write(line + "000\n")
    compare(tap, "flamegraph.pl's", of_ptool(place, os.path.join(FIXTURES, "flamegraph_pl.svg.gz")), collapsed(place.path("pl.txt")))
    with gzip.open(os.path.join(FIXTURES, "inferno_icicle.svg.gz")) as f:
        whole, wrong = f.read(), []
    for n in range(0, len(whole) - 8, 1 if os.environ.get("LONG") else 151):
        with open(place.path("cut.svg"), "wb") as f:
            f.write(whole[:n])
        done = place.ptool("ingest", "-o", place.path("cut.db"), place.path("cut.svg"), check=False)
        told = done.returncode == 0 and rows(place.open(place.path("cut.db")), "SELECT count(*), (SELECT weight FROM sample_series)"
                                            " FROM finding WHERE code = 'truncated'")[0]
        if done.stderr.count("\n") != 1 or (done.returncode != 4 and not (told and told[0] and told[1] <= want.all)):
            wrong.append(f"{n} bytes: {done.returncode} {told} {done.stderr}")
    tap.ok(not wrong, "a flame graph cut anywhere", *wrong[:5])


PICTURE = '<svg total_samples="9"><g><title>all (9 samples, 100%)</title><rect x="0" y="48" width="90"/></g>{}</svg>'
FRAME = '<g><title>{} ({} {}, 9.00%)</title><rect x="{}" y="{}" width="{}"/></g>'
BAD_PICTURES = {  # the words of the line; None: read
    "right": (FRAME.format("f", 9, "samples", 0, 32, 90), None),
    "two units": (FRAME.format("f", 9, "bytes", 0, 32, 90), "counts 'bytes', others 'samples'"),
    "a frame on no other": (FRAME.format("f", 9, "samples", 200, 32, 90), "has no frame below it"),
    "an entity of its own": ('<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "<g>">]>' + FRAME.format("&b;&#0;&lt;", 9, "samples", 0, 32, 90), None),
    "frames that are none": (FRAME.format("f", "1e9", "samples", "-", 32, 90) + "<title>(9%)</title><rect/>", None),
    "numbers beyond 64 bits": (FRAME.format("f", "9" * 40, "samples", "9" * 30, 32, 90), None),
    "samples beyond 64 bits": (FRAME.format("f", "9" * 18, "samples", 0, 32, 90) * 20, None),
}


def check_bad_pictures(tap, place):
    for name, (frames, words) in {**BAD_PICTURES, "no frame": ("", None)}.items():
        with open(place.path("bad.svg"), "w", encoding="utf-8") as f:
            f.write('<svg xmlns:fg="x"></svg>' if name == "no frame" else PICTURE.format(frames))
        done = place.ptool("ingest", "-o", place.path("bad.db"), place.path("bad.svg"), check=False)
        is_read = words is None and name != "no frame"
        tap.ok(done.returncode == (0 if is_read else 4) and done.stderr.count("\n") == 1 and (words or "") in done.stderr,
               f"flame graph: {name}", done.stderr)


def check_bad_cpuprofile(tap, place):
    node = {"callFrame": {"functionName": "f", "url": "", "lineNumber": 0}}
    good = {"nodes": [dict(node, id=1)], "startTime": 0, "endTime": 9, "samples": [1], "timeDeltas": [2]}
    bad = {"a node below itself": {"nodes": [dict(node, id=1, children=[2]), dict(node, id=2, children=[1])]},
           "a sample without a node": {"samples": [7]}, "samples without times": {"timeDeltas": []},
           "no sample": {"samples": [], "timeDeltas": []}, "a sample that is no number": {"samples": ["x"]}}
    for name, part in {"what is right": {}, **bad}.items():
        with open(place.path("v8.cpuprofile"), "w", encoding="utf-8") as f:
            json.dump({**good, **part}, f)
        done = place.ptool("ingest", "-o", place.path("v8.db"), place.path("v8.cpuprofile"), check=False)
        tap.ok(done.returncode == (4 if part else 0) and done.stderr.count("\n") == 1, f"V8: {name}", done.stderr)
    late = {"nodes": [dict(node, id=1), {**node, "id": 2, "callFrame": {"functionName": "g", "url": "", "lineNumber": 0}}],
            "startTime": 0, "endTime": 100, "samples": [1, 2, 1, 2], "timeDeltas": [10, 50, -20, 30]}
    with open(place.path("late.cpuprofile"), "w", encoding="utf-8") as f:
        json.dump(late, f)
    compare(tap, "V8: a sample that was taken late", of_ptool(place, f.name), cpuprofile(f.name))
    old = {"head": {"functionName": "(root)", "children": [{"functionName": "f", "url": "a.js", "lineNumber": 3, "id": 7, "hitCount": 1, "children": [
        {"children": [], "functionName": "g", "id": 9, "url": "", "lineNumber": 0, "hitCount": 2}]}], "id": 1, "hitCount": 0},
        "startTime": 5, "endTime": 5.0001, "samples": [7, 9, 9], "timestamps": [5000010, 5000030, 5000020]}
    for name, part, want in (("before 2016", {}, {("a.js", "f"): (10000, 90000), ("", "g"): (80000, 80000)}),
                             ("before 2016, hits", {"timestamps": []}, {("a.js", "f"): (1, 3), ("", "g"): (2, 2)})):
        with open(place.path("old.cpuprofile"), "w", encoding="utf-8") as f:
            json.dump({**old, **part}, f)
        tap.same(of_ptool(place, f.name), want, f"V8: {name}")
    for name, part in (("a sample without a node", {"samples": [7, 9, 8]}), ("two times for three samples", {"timestamps": [1, 2]}), ("no node", {"head": 3})):
        with open(place.path("old.cpuprofile"), "w", encoding="utf-8") as f:
            json.dump({**old, **part}, f)
        done = place.ptool("ingest", "-o", place.path("v8.db"), f.name, check=False)
        tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1, f"V8 before 2016: {name}", done.stderr)
    hits = {"nodes": [dict(node, id=1, hitCount=3, children=[2]), dict(late["nodes"][1], hitCount=4)], "startTime": 0, "endTime": 100}
    with open(place.path("hits.cpuprofile"), "w", encoding="utf-8") as f:
        json.dump(hits, f)
    tap.ok(of_ptool(place, f.name) == {("", "f"): (3, 7), ("", "g"): (4, 4)}, "V8: hits where no samples are listed")


def check_bad_pprof(tap, place):
    """Cut anywhere the names, which come last, are lost; a sample that names nothing is refused."""
    with open(os.path.join(FIXTURES, "go_heap.pb.gz"), "rb") as f:
        whole, wrong = gzip.decompress(f.read()), []
    for n in range(1, len(whole) - 1, 1 if os.environ.get("LONG") else 61):
        with open(place.path("cut.pb"), "wb") as f:
            f.write(whole[:n])
        done = place.ptool("ingest", "-o", place.path("cut.db"), place.path("cut.pb"), check=False)
        is_told = done.returncode == 4 or "1 warning or error" in done.stderr or n > len(whole) - 40
        if not is_told or done.stderr.count("\n") != 1:
            wrong.append(f"{n} bytes: {done.returncode} {done.stderr}")
    tap.ok(not wrong, "a file of pprof cut anywhere", *wrong[:5])
    head, tail = b"\x0a\x04\x08\x01\x10\x02", b"\x32\x00\x32\x01a\x32\x05count"
    bad = {"a location that is not there": head + b"\x12\x06\x0a\x01\x07\x12\x01\x05" + tail,
           "two values of one type": head + b"\x12\x04\x12\x02\x05\x06" + tail, "no sample": head + tail}
    for name, data in bad.items():
        with open(place.path("bad.pb"), "wb") as f:
            f.write(data)
        done = place.ptool("ingest", "-o", place.path("bad.db"), place.path("bad.pb"), check=False)
        tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1, f"pprof: {name}", done.stderr)


def check_pprof_types(tap, place):
    """Units are those of pprof's own tool; more types than are read are said to be too many."""
    for unit, want in (("nanosecond", ("ns", 5)), ("Seconds", ("ns", 5 * 10**9)), ("byte", ("bytes", 5)), ("kb", ("bytes", 5120)),
                       ("GB", ("bytes", 5 << 30)), ("things", ("count", 5))):
        texts = b"".join(bytes((0x32, len(text))) + text.encode() for text in ("", "a", unit))
        with open(place.path("unit.pb"), "wb") as f:
            f.write(b"\x0a\x04\x08\x01\x10\x02" + b"\x12\x03\x12\x01\x05" + texts)
        place.ptool("ingest", "-q", "-o", place.path("unit.db"), f.name)
        tap.same(rows(place.open(place.path("unit.db")), "SELECT unit, weight FROM sample_series"), [want], f"pprof: {unit}")
    with open(place.path("types.pb"), "wb") as f:
        f.write(b"\x0a\x04\x08\x01\x10\x02" * 65 + b"\x12\x43\x12\x41" + b"\x05" * 65 + b"\x32\x00\x32\x01a\x32\x05count")
    done = place.ptool("ingest", "-o", place.path("types.db"), f.name, check=False)
    tap.ok(done.returncode == 4 and done.stderr.endswith("has more than 64 sample types\n"), "pprof: 65 types", done.stderr)


def check_cut(tap, place, name, read, step):
    """A file that is cut anywhere: what is read is a beginning of what is there, and told."""
    path = os.path.join(FIXTURES, name)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        whole, wrong = f.read().rstrip(), []
    total = read(path).all
    for n in range(0, len(whole) - 1, 1 if os.environ.get("LONG") else step):
        with open(place.path("cut.json"), "wb") as f:
            f.write(whole[:n])
        done = place.ptool("ingest", "-o", place.path("cut.db"), place.path("cut.json"), check=False)
        if done.returncode == 0:
            db = place.open(place.path("cut.db"))
            got = rows(db, "SELECT sum(weight) FROM sample_series WHERE unit = 'ns'")[0][0]
            told = rows(db, "SELECT count(*) FROM finding WHERE code = 'truncated'")[0][0]
            if not told or not 0 < got <= total:
                wrong.append(f"{n} bytes: {got}, told {told}")
        elif done.returncode != 4 or done.stderr.count("\n") != 1:
            wrong.append(f"{n} bytes: {done.stderr}")
    tap.ok(not wrong, f"{name} cut anywhere", *wrong[:5])


BAD = {  # what a line must have in it; None: read, with or without findings
    "s_frame_oob": "sample or event 2: frame index 7", "s_frame_neg": "not a frame index", "s_frame_float": "not a frame index",
    "s_weights_short": "2 samples and 1 weights", "s_weights_missing": "no weights", "s_weights_neg": "negative",
    "s_weights_huge": "too large", "s_weights_vs_end": None, "s_unit_unknown": "unknown unit 'fortnights'",
    "s_type_unknown": "unknown type", "s_no_shared": "shared.frames is missing", "s_no_profiles": "no profiles",
    "s_close_without_open": "event 1 closes frame 0, which is not open", "s_close_wrong_frame": "event 3",
    "s_never_closed": None, "s_time_backwards": "event 2 is before event 1", "s_end_before_event": None,
    "s_null_name": "no name", "s_trunc": "byte 200: the file is cut off", "s_nan": "NaN", "s_bom": None, "s_deep": "",
    "s_dup_keys": None, "c_no_count": "line 1: no sample count", "c_bad_count": "line 1", "c_neg": "line 1: a negative count",
    "c_two_counts": "two counts", "c_float": None, "c_overflow": "line 1: the count is too large", "c_empty_frames": None,
    "c_mixed_garbage": None, "c_crlf": None, "c_nul": None, "c_deep": None,
}


def check_bad(tap, place):
    """The damaged files of ../shared, and those of the corpus, which are the same."""
    corpus = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "stacks")
    for name, words in BAD.items():
        source = glob.glob(os.path.join(corpus, name)) or glob.glob(os.path.join(PYPROF, "bad", name + ".*"))
        if not source:
            tap.skip(name, "no ../shared/data/pyprof")
            continue
        with open(source[0], "rb") as f, open(place.path(name), "wb") as to:
            to.write(f.read()[1:] if source[0].startswith(corpus) else f.read())
        done = place.ptool("ingest", "-o", place.path("bad.db"), place.path(name), check=False)
        if words is None:
            tap.ok(done.returncode == 0, f"{name}: read", done.stderr)
        else:
            tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1 and words in done.stderr, f"{name}: one line", done.stderr)


def of_ptool(place, path, *options):
    done = place.ptool("top", "-q", "--limit", "0", "--format", "csv", *options, path, check=False)
    if done.returncode:
        return done.stderr.strip()
    rows = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        total = [float(row[k]) for k in row if re.match(r"^(self|total)_(ns|bytes|count)$", k)]
        rows[row["file"], row["function"]] = tuple(total)
    return rows


def compare(tap, name, got, sums):
    want = sums.rows()
    if isinstance(got, str):
        tap.ok(not want, name, got)
        return
    bad = [f"{f}: got {got.get(f)}, expected {want.get(f)}" for f in {*got, *want} if got.get(f) != want.get(f)]
    tap.ok(not bad, f"{name}: {len(want)} functions", *bad[:5])


def check_many(tap, place):
    """Stacks that share outer frames and come again: the tree and the sum of each, of both formats."""
    stacks = gen_stacks.make_stacks(400, 12)
    stacks += [stack[:i] for i, stack in enumerate(stacks[:20], start=1)]
    prefixes = {stack[:i + 1] for stack in stacks for i in range(len(stack))}
    for write in (gen_stacks.collapsed, gen_stacks.speedscope):
        path, store = place.path(write.__name__), place.path(write.__name__ + ".db")
        with open(path, "w", encoding="utf-8") as out:
            write(stacks, 1e6 if write == gen_stacks.collapsed else 2e5, out)
        want = collections.Counter()
        if write == gen_stacks.collapsed:
            for line in read_text(path).splitlines():
                stack, _, weight = line.rpartition(" ")
                want[";".join(function_of(frame)[1] for frame in stack.split(";"))] += int(weight)
        else:
            with open(path, encoding="utf-8") as f:
                file = json.load(f)
            names = [frame["name"] for frame in file["shared"]["frames"]]
            for stack in file["profiles"][0]["samples"]:
                want[";".join(names[i] for i in stack)] += 10**7
        place.ptool("ingest", "-o", store, path)
        db = place.open(store)
        got = collections.Counter()
        for stack, weight in rows(db, "SELECT stack, weight FROM sample_sum JOIN v_stack USING (node_id)"):
            got[stack] += weight
        tap.same(got, want, f"{write.__name__}: sums of many stacks")
        tap.same(rows(db, "SELECT count(*) FROM sample_node")[0][0], len(prefixes), f"{write.__name__}: one node for each")


def main():
    tap = Tap()
    paths = [(path, collapsed) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.txt")))]
    paths += [(path, speedscope) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.speedscope.json")))]
    paths += [(path, pprof) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.pb.gz")))]
    paths += [(path, cpuprofile) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.cpuprofile")))]
    paths += [(path, pyisession) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.pyisession")))]
    paths += [(path, pyinstrument_json) for path in sorted(glob.glob(os.path.join(FIXTURES, "pyinstrument*.json")))]
    paths += [(path, chrometrace) for path in sorted(glob.glob(os.path.join(FIXTURES, "*.chrometrace.json.gz")))]
    paths.append((os.path.join(FIXTURES, "..", "chrome", "pyspy.json.gz"), chrometrace))
    paths.append((os.path.join(FIXTURES, "fxprof.json"), gecko))
    paths += [(os.path.join(FIXTURES, name), flame) for name in ("pyspy.svg.gz", "pyspy_0.3.svg.gz", "inferno_us.svg.gz")]
    shared = []
    for pattern in ("pyspy/raw*.txt", "collapsed/speedscope/*.txt", "collapsed/inferno/flamegraph/*/*.txt"):
        shared += [(path, collapsed) for path in sorted(glob.glob(os.path.join(PYPROF, pattern)))]
    for pattern in ("pyspy/speedscope_*.json", "speedscope/upstream/0*/*.json", "pyinstrument/*.speedscope.json"):
        shared += [(path, speedscope) for path in sorted(glob.glob(os.path.join(PYPROF, pattern)))]
    shared += [(path, chrometrace) for path in sorted(glob.glob(os.path.join(PYPROF, "pyspy/chrometrace*.json")))]
    shared += [(path, pyisession) for path in sorted(glob.glob(os.path.join(PYPROF, "pyinstrument/*.pyisession")))]
    shared += [(path, pyinstrument_json) for path in sorted(glob.glob(os.path.join(PYPROF, "pyinstrument/*py3??.json")))]
    pictures = sorted(glob.glob(os.path.join(PYPROF, "collapsed/inferno/flamegraph/*/*.svg")))
    shared += [(path, flame) for path in pictures if "empty" not in path]
    if not shared:
        tap.skip("files of profilers", "no ../shared/data/pyprof")
    with Workplace() as place:
        for path, read in paths + shared:
            compare(tap, os.path.basename(path), of_ptool(place, path), read(path))
        check_bad(tap, place)
        check_pictures(tap, place)
        check_bad_pictures(tap, place)
        check_bad_chrometrace(tap, place)
        check_gecko(tap, place)
        check_bad_pprof(tap, place)
        check_pprof_types(tap, place)
        check_bad_cpuprofile(tap, place)
        check_bad_pyinstrument(tap, place)
        for kind in ("pyisession", "json"):
            file = os.path.join(FIXTURES, "pyinstrument_5.")
            check_pyinstrument_text(tap, place, file + kind, file + "text")
        check_cut(tap, place, "evented.speedscope.json", speedscope, 97)
        check_cut(tap, place, "pyspy_fork.chrometrace.json.gz", chrometrace, 9973)
        check_cut(tap, place, "pyinstrument_5.pyisession", pyisession, 389)
        check_cut(tap, place, "pyinstrument_5.json", pyinstrument_json, 389)
        check_many(tap, place)
    tap.done()


main()
