#!/usr/bin/env python3
"""What tools make of the traces of several ranks, a file of all: split(merge(x)) gives x.

Fixtures of two ranks are merged as SGLang (merge_profiles), TraceLens (TraceFuse) and others
do it, and each command says of the one file what it says of the files.  Timelines of workers
as ByteDance's StragglerAnalysis writes them become a rank for each.
"""
import csv
import io
import json
import gzip
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("store",)]
import check_axes  # noqa: E402
from storetap import FIXTURES, PTOOL, Tap, Workplace  # noqa: E402

COMMANDS = ["top -n0", "top -n0 --by rank", "kernels -n0", "steps", "gaps", "devices", "streams", "transfers", "comm",
            "comm --by rank", "comm --ranks", "ranks", "memory", "tree", "list"]
FEW = ["top -n0", "steps", "comm --ranks", "list"]
LONG = os.environ.get("LONG")
# What counts profiles and slices of the whole store; and axes, which labels tell and files do not.
NUMBERED = {"profile", "id", "parent", "correlation", "parent_id", "tp", "dp", "pp", "ep", "cp"}


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        return json.load(f)


def put_together(traces, change):
    """The events of all, changed, and of everything else the first one's."""
    merged, devices = {"traceEvents": []}, []
    for rank, trace in enumerate(traces):
        trace = json.loads(json.dumps(trace))
        merged["traceEvents"] += [change(rank, event) for event in trace.pop("traceEvents")]
        devices += trace.pop("deviceProperties", [])
        for key, value in trace.items():
            merged.setdefault(key, value)
    if devices:
        merged["deviceProperties"] = devices
    return merged


def sglang(traces):
    def change(rank, event):
        event["pid"] = f"[TP{rank:02d}-PP00] {event['pid']}"
        return event
    return put_together(traces, change)


def tagged(traces):
    """Numbers apart by a million, the rank in names."""
    def change(rank, event):
        if isinstance(event["pid"], str):
            event["pid"] = f"[rank {rank}] {event['pid']}"
        else:
            event["pid"] += rank * 1000000
        if "name" in event.get("args", {}):
            event["args"]["name"] = f"[rank {rank}] {event['args']['name']}"
        return event
    return put_together(traces, change)


def fused(traces):
    """TraceFuse: pids and ids far apart, what they were in args."""
    def change(rank, event):
        args = event.setdefault("args", {})
        args["rank"] = rank
        for into, key in ((event, "id"), (event, "pid"), (args, "correlation")):
            if key in into:
                args[key + "_raw"] = into[key]
                if isinstance(into[key], int):
                    into[key] += rank * 10 ** 9
        return event
    return put_together(traces, change)


def bytedance(calls):
    """Workers as threads of processes: replicas are processes, stages and tensor parallel ranks threads."""
    events = []
    for (pp, dp, tp), own in calls.items():
        thread = {"pid": dp, "tid": (pp * 8 + tp) * 5}
        events.append(dict(thread, ph="M", name="thread_name", args={"name": f"PP rank {pp}, TP rank {tp}, compute"}))
        events += [dict(thread, ph="X", cat="forward-compute", name="forward-compute", ts=start, dur=end - start, args={})
                   for start, end in own]
    events += [{"ph": "M", "name": "process_name", "pid": dp, "args": {"name": f"DP rank [{dp}]"}}
               for dp in sorted({dp for _, dp, _ in calls})]
    return {"traceEvents": events}


def rows(place, command, store, without=NUMBERED):
    done = place.ptool(*command.split(), "--format", "csv", store, check=False)
    table = [{k: v for k, v in row.items() if k not in without} for row in csv.DictReader(io.StringIO(done.stdout))]
    return done.returncode, table


def plain(text):
    return text


def zstd(text):
    return subprocess.run(["zstd", "-q", "-c"], input=text, stdout=subprocess.PIPE, check=True).stdout


def pipe(store, **stdin):
    subprocess.run([PTOOL, "ingest", "-q", "-o", store, "--run", "x", "-"], check=True, **stdin)


def compare(tap, place, name, files, merged, commands, packed=None):
    """From a file; or through a pipe, where `packed` says how it is compressed."""
    apart, one = place.path(name + ".apart.db"), place.path(name + ".one.db")
    file = place.path(name + ".merged.json")
    place.ptool("ingest", "-q", "-o", apart, "--run", "x", *files)
    if packed:
        pipe(one, input=packed(json.dumps(merged).encode()))
    else:
        with open(file, "w") as out:
            json.dump(merged, out)
        place.ptool("ingest", "-q", "-o", one, "--run", "x", file)
    for command in commands:
        want, got = rows(place, command, apart), rows(place, command, one)
        first = [(a, b) for a, b in zip(want[1], got[1]) if a != b][:1]
        tap.ok(want == got and want[0] in (0, 3), f"{name}: ptool {command}", want[0], got[0], len(want[1]), len(got[1]),
               *[{k: (a[k], b[k]) for k in a if a[k] != b.get(k)} for a, b in first])


def check_pipes(tap, place, files):
    """A pipe is read twice, as a file is; also what is damaged, and a file as standard input."""
    traces = [load(file) for file in files]
    for how, packed in ((sglang, plain), (tagged, gzip.compress), (fused, zstd)):
        compare(tap, place, f"piped-{how.__name__}-{packed.__name__}", files, how(traces), FEW, packed)
    text = json.dumps(sglang(traces)).encode()
    cuts = {"text": text[:len(text) * 2 // 3], "gzip": gzip.compress(text)[:-300]}
    for name, data in cuts.items():
        piped, file, stdin = (place.path(f"cut-{name}.{what}") for what in ("piped.db", "json", "stdin.db"))
        with open(file, "wb") as out:
            out.write(data)
        place.ptool("ingest", "-q", "-o", file + ".db", "--run", "x", file)
        pipe(piped, input=data)
        with open(file, "rb") as source:
            pipe(stdin, stdin=source)
        for command in ("top -n0 --by rank", "doctor", "info"):
            want = rows(place, command, file + ".db", {*NUMBERED, "path", "mtime", "bytes", "name"})
            for store in (piped, stdin):
                got = rows(place, command, store, {*NUMBERED, "path", "mtime", "bytes", "name"})
                tap.ok(want == got and len(want[1]) > 1, f"cut {name}: ptool {command} {os.path.basename(store)}", want, got)


def main():
    tap = Tap()
    gpu = [os.path.join(FIXTURES, "gpu", f"collectives_rank{rank}.json") for rank in (0, 1)]
    ddp = [os.path.join(FIXTURES, "torch", f"t260_ddp_rank{rank}", "trace.json.gz") for rank in (0, 1)]
    with Workplace() as place:
        traces = [load(file) for file in gpu]
        compare(tap, place, "gpu-sglang", gpu, sglang(traces), COMMANDS)
        for how in (tagged, fused):
            compare(tap, place, f"gpu-{how.__name__}", gpu, how(traces), FEW)
        check_pipes(tap, place, gpu)
        traces = [load(file) for file in ddp]
        for how in (sglang, tagged, fused) if LONG else (sglang,):
            compare(tap, place, f"ddp-{how.__name__}", ddp, how(traces), COMMANDS if LONG else FEW)
        calls = check_axes.fleet(random.Random(3), (2, 3, 2))
        with open(place.path("workers.json"), "w") as out:
            json.dump(bytedance(calls), out)
        place.ptool("ingest", "-q", "-o", place.path("workers.db"), place.path("workers.json"))
        _, got = rows(place, "info", place.path("workers.db"), ())
        want = [((dp * 2 + pp) * 2 + tp, tp, dp, pp, len(own), (max(end for _, end in own) - own[0][0]) * 1000)
                for (pp, dp, tp), own in calls.items()]
        tap.same(sorted(tuple(int(row[c]) for c in ("rank", "tp", "dp", "pp", "slices", "span_ns")) for row in got),
                 sorted(want), "workers as threads of processes are ranks")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
