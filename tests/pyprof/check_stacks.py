#!/usr/bin/env python3
"""ptool export --to folded, speedscope, pprof and callgrind: what `ptool tree` and `ptool callers` say.

Readers of their own, and where they are installed the programs that the formats are for:
flamegraph.pl, go tool pprof, callgrind_annotate.
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import tempfile

from callgraphs import FIXTURES, Tap, ptool
from proto import message, varint

FILES = ["torch/t2141_cnn_w0_stack/trace.json.gz", "torch/t2141_cnn_w0/trace.json.gz", "gpu/sync.json",
         "pyprof/pstats/sys311/w_gen.prof", "pyprof/app.prof"]
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"


def table(*args):
    return list(csv.DictReader(io.StringIO(ptool(*args, "--format", "csv", "-q").decode())))


def split(name):
    """(function, file, line) of a name in a tree."""
    torch = re.fullmatch(r"(?s)(.*)\((\d+)\): (.*)", name)
    if torch:
        return torch[3], torch[1], int(torch[2])
    pstats = re.fullmatch(r"(?s)(.+?):(\d+)\((.*)\)", name)
    return (pstats[3], pstats[1], int(pstats[2])) if pstats else (name, "", 0)


def stacks_of_tree(path, has_device):
    """{stack: [calls, host ns, device ns]} of what each path has itself."""
    names, stacks = {}, {}
    kernels = ["--kernels"] if has_device else []
    for row in table("tree", path, "--min", "0", "--limit", "0", "--depth", "0", *kernels):
        if row["kind"] == "recursion":
            continue
        stack = names.get(row["parent_id"], ()) + (row["name"],)
        names[row["id"]] = stack
        is_device = row["kind"] == "device"
        stacks[stack] = [int(row["calls"]), 0 if is_device else int(row["self_ns"]),
                         int(row["total_device_ns"]) if is_device else 0]
    return {stack: values for stack, values in stacks.items() if any(values)}


def by_weight(stacks, place, rename=lambda frame: frame):
    sums = collections.Counter()
    for stack, values in stacks.items():
        if values[place] > 0:
            sums[tuple(map(rename, stack))] += values[place]
    return sums


def folded_name(name):
    return re.sub(r"[\x00-\x1f\x7f]", " ", name.replace(";", ":"))


def read_folded(text):
    sums = collections.Counter()
    for line in text.splitlines():
        stack, _, ns = line.rpartition(" ")
        sums[tuple(stack.split(";"))] += int(ns)
    return sums


def read_speedscope(text):
    file = json.loads(text)
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [(f["name"], f.get("file", ""), f.get("line", 0)) for f in file["shared"]["frames"]]
    profiles = []
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        sums = collections.Counter()
        for sample, weight in zip(profile["samples"], profile["weights"]):
            sums[tuple(frames[i] for i in sample)] += weight
        profiles.append(sums)
    return profiles


def packed(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value - (1 << 64) if value >> 63 else value)
    return out


def only(data):
    """A message whose fields come once."""
    return {number: values[0] for number, values in message(data).items()}


def read_pprof(data):
    """(types, {stack of (function, file, line): values}, default type)"""
    file = message(gzip.decompress(data))
    texts = [text.decode() for text in file[6]]
    assert texts[0] == ""
    functions = {f[1]: f for f in map(only, file[5])}
    frames = {}
    for location in map(only, file[4]):
        line = only(location[4])
        function = functions[line[1]]
        assert line.get(2, 0) == function.get(5, 0)
        frames[location[1]] = (texts[function[2]], texts[function[4]], line.get(2, 0))
    types = [(texts[t[1]], texts[t[2]]) for t in map(only, file[1])]
    stacks = {}
    for sample in map(only, file[2]):
        stack = tuple(frames[i] for i in reversed(packed(sample[1])))
        assert stack not in stacks
        stacks[stack] = packed(sample[2])
        assert len(stacks[stack]) == len(types)
    return types, stacks, texts[file[14][0]]


def read_callgrind(text):
    """({(file, function): self ns}, {(caller, callee): [calls, ns]}, total)"""
    names, own, calls = {}, collections.Counter(), collections.defaultdict(lambda: [0, 0])
    here, callee, count, total = {}, {}, None, None
    for line in text.splitlines():
        name = re.fullmatch(r"(c?f[lni]|cfi)=\((\d+)\)(?: (.*))?", line)
        if name:
            place, kind = callee if name[1].startswith("c") else here, name[1].lstrip("c").replace("fi", "fl")
            if name[3] is not None:  # as KCachegrind has it: a function's number is that of a function in its file
                names[kind, name[2]] = (place["fl"], name[3]) if kind == "fn" else name[3]
            place[kind] = names[kind, name[2]]
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
        elif line[:1].isdigit():
            ns = int(line.split()[1])
            function = here["fn"]
            if count is None:
                own[function] += ns
            else:
                edge = calls[function, callee["fn"]]
                edge[0] += count
                edge[1] += ns
                count = None
        elif line.startswith("summary: "):
            total = int(line[9:])
    return own, calls, total


def check_callgrind(tap, name, path):
    own, calls, total = read_callgrind(ptool("export", "--to", "callgrind", path, "-q").decode())
    want_own, want_calls = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    callers = table("callers", ".", path, "--limit", "0")
    lines = collections.defaultdict(set)
    for row in callers:
        for who in ("", "caller_"):
            lines[row[who + "file"], row[who + "function"]].add(row[who + "line"])

    def key(row, who=""):
        file, function = row[who + "file"], row[who + "function"]
        return file, f"{function}:{row[who + 'line']}" if len(lines[file, function]) > 1 else function

    for row in table("pstats", path):
        lines[row["file"], row["function"]].add(row["line"])
    for row in table("pstats", path):
        want_own[key(row)] += max(int(row["self_ns"]), 0)  # the format has no others
    for row in callers:
        edge = want_calls[key(row, "caller_"), key(row)]
        edge[0] += int(row["calls"])
        edge[1] += int(row["total_ns"])
    tap.ok(+own == +want_own and total == sum(own.values()) and len(own) > 2, f"{name}: callgrind: own time",
           [f"{k}: {own[k]} for {want_own[k]}" for k in set(own) | set(want_own) if own[k] != want_own[k]])
    tap.ok(calls == want_calls and calls, f"{name}: callgrind: calls",
           [f"{k}: {calls[k]} for {want_calls[k]}" for k in set(calls) | set(want_calls) if calls[k] != want_calls[k]])


def check_stacks(tap, name, path):
    has_device = name.startswith("gpu")
    want = stacks_of_tree(path, has_device)
    folded = read_folded(ptool("export", "--to", "folded", path, "-q").decode())
    tap.ok(folded == by_weight(want, 1, folded_name) and len(folded) > 2, f"{name}: folded")
    profiles = read_speedscope(ptool("export", "--to", "speedscope", path, "-q"))
    tap.ok(profiles[0] == by_weight(want, 1, split) and len(profiles) == 1 + has_device, f"{name}: speedscope")
    types, stacks, default = read_pprof(ptool("export", "--to", "pprof", path, "-q"))
    same = {tuple(map(split, stack)): values[:2 + has_device] for stack, values in want.items()}
    tap.ok(stacks == same and default == "host" and types[:2] == [("calls", "count"), ("host", "nanoseconds")],
           f"{name}: pprof")
    if has_device:
        on_device = read_folded(ptool("export", "--to", "folded", "--weight", "device", path, "-q").decode())
        tap.ok(on_device == by_weight(want, 2, folded_name) and on_device and
               profiles[1] == by_weight(want, 2, split) and types[2] == ("device", "nanoseconds"),
               f"{name}: device time")


def run(*command):
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.stdout if ran.returncode == 0 else f"exit {ran.returncode}: {ran.stderr}"


def check_programs(tap, path, scratch):
    """The programs that the formats are for read them, and show our sums."""
    want = stacks_of_tree(path, False)
    total = sum(values[1] for values in want.values())
    out = {}
    for form in ("folded", "pprof", "callgrind"):
        out[form] = os.path.join(scratch, form)
        ptool("export", "--to", form, path, "-q", "-o", out[form])
    if os.path.exists(FLAMEGRAPH):
        svg = run("perl", FLAMEGRAPH, out["folded"])
        tap.ok(f"all ({total:,} samples, 100%)" in svg, "flamegraph.pl", svg.splitlines()[:3])
    else:
        tap.skip("flamegraph.pl", "not installed (libdevel-nytprof-perl)")
    if shutil.which("go"):
        text = run("go", "tool", "pprof", "-top", "-nodecount=9999", "-nodefraction=0", "-unit=ns", "-sample_index=host",
                   out["pprof"])
        own = sum(float(row.split()[0][:-2]) for row in text.splitlines() if re.match(r" *[\d.e+]+ns ", row))
        tap.ok(abs(own - total) <= total * 1e-4, "go tool pprof", [f"{own} of {total}"] + text.splitlines()[:8])
    else:
        tap.skip("go tool pprof", "not installed (golang-go)")
    if shutil.which("callgrind_annotate"):
        text = run("callgrind_annotate", out["callgrind"])
        tap.ok(f"{total:,} (100.0%)  PROGRAM TOTALS" in text, "callgrind_annotate", text.splitlines()[:20])
    else:
        tap.skip("callgrind_annotate", "not installed (valgrind)")


def main():
    tap = Tap()
    for name in FILES:
        path = os.path.join(FIXTURES, name)
        check_stacks(tap, name, path)
        check_callgrind(tap, name, path)
    with tempfile.TemporaryDirectory() as scratch:
        check_programs(tap, os.path.join(FIXTURES, FILES[1]), scratch)
    tap.done()


if __name__ == "__main__":
    main()
