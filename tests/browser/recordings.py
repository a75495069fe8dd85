"""The recordings whose pages are opened in a browser, and a hostile one, which is made."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gen"))

import training  # noqa: E402

PTOOL = os.environ["PTOOL"]
FIXTURES = os.environ["FIXTURES"]
# Nothing of these may run, and each is to be seen.
ATTACKS = [
    "<script>window.hit=1</script>", "</script><script>window.hit=1</script>",
    "<!--<script>", "<img src=x onerror=window.hit=1>", "\"onmouseover=\"window.hit=1",
    "'><svg onload=window.hit=1>", "javascript:window.hit=1", "{{title}}", "]]>", "&lt;b&gt;",
    "a\u202egnp.exe", "\u0007bell\u001b[31m", "\u2028line\u2029", "__proto__", "constructor",
    "</title><h1>", "</textarea><style>*{display:none}</style>", "\U0001f600",
]
LONG_NAME = "x" * 1_000_000


def fixture(*parts):
    return os.path.join(FIXTURES, *parts)


# By name: what ptool report is given.
RECORDINGS = {
    "gpu": [fixture("gpu", "everything.json")],
    "cpu": [fixture("torch", "t2141_cnn_w0", "trace.json.gz")],
    "compiled": [fixture("compile", "compile_broken.json.gz")],
    "memory": [fixture("gpu", "memory.json")],
    "snapshot": [fixture("snapshot", "one_device_p4.pickle")],
    "cprofile": [fixture("pyprof", "app.prof")],
    "samples": [fixture("samples", "pyspy_raw.txt")],
    "lines": [fixture("lines", "lp503.lprof")],
    "table": [fixture("torch", "t2141_cnn_w0", "table_cpu_time_total_all.txt")],
}
COMPARED = [fixture("torch", "t260_cnn_w0", "trace.json.gz"),
            fixture("torch", "t2141_cnn_w0", "trace.json.gz")]


def write_json(path, events, **more):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": events, **more}, out)
    return path


def two_ranks(folder):
    """A store of two ranks."""
    path = os.path.join(folder, "ranks.db")
    files = [fixture("gpu", f"collectives_rank{rank}.json") for rank in (0, 1)]
    subprocess.run([PTOOL, "ingest", "-q", "-o", path, *files], check=True)
    return path


def engine(folder):
    """Prefills and decodes of an engine, in compiled code; decodes are replays of a graph."""
    events, correlation = [], 0

    def add(category, name, ts, dur, pid=1, tid=1, **args):
        events.append({"ph": "X", "cat": category, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "args": args})

    for n in range(12):
        at, is_prefill = n * 100, n < 2
        add("user_annotation", "step[EXTEND bs=2 toks=64]" if is_prefill else f"step[DECODE bs={n}]", at, 50)
        add("cpu_op", f"Torch-Compiled Region: {n % 3}/0", at, 40)
        add("cpu_op", "aten::mm", at, 30, **{"Input Dims": [[64, 128 * (n + 1)], [128 * (n + 1), 256]],
                                             "Input type": ["c10::BFloat16", "c10::BFloat16"]})
        correlation += 1
        add("cuda_runtime", "cudaLaunchKernel" if is_prefill else "cudaGraphLaunch", at + 1, 3, correlation=correlation)
        for k, name in enumerate(["flash_fwd_kernel", "nvjet_tst_64x8", f"triton_poi_fused_add_{n}"]):
            add("kernel", name, at + 10 + k * 20, 15 + n, 0, 7, device=0, stream=7, correlation=correlation)
    return write_json(os.path.join(folder, "engine.json"), events, schemaVersion=1)


def hostile(folder):
    """A trace with the attacks in every text: operators, kernels, threads, devices, shapes."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": ATTACKS[1]}}]
    for at, text in enumerate([*ATTACKS, LONG_NAME]):
        thread, ts = 10 + at, 100 * at + 10
        events += [
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": thread, "args": {"name": text}},
            {"ph": "X", "cat": "cpu_op", "name": text, "pid": 1, "tid": thread, "ts": ts, "dur": 50,
             "args": {"External id": at + 1, "Input Dims": [[at, 2]], "Input type": [text]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": thread,
             "ts": ts + 5, "dur": 5, "args": {"correlation": at + 1, "External id": at + 1}},
            {"ph": "X", "cat": "kernel", "name": text, "pid": 0, "tid": 7, "ts": ts + 20, "dur": 20,
             "args": {"correlation": at + 1, "External id": at + 1, "device": 0, "stream": 7,
                      "grid": [1, 1, 1], "block": [32, 1, 1]}},
            {"ph": "X", "cat": "user_annotation", "name": text, "pid": 1, "tid": thread,
             "ts": ts - 5, "dur": 60},
        ]
    return write_json(os.path.join(folder, "<b>hostile & \"quoted\".json"), events,
                      deviceProperties=[{"id": 0, "name": ATTACKS[0], "totalGlobalMem": 1 << 34}])


def page_of(folder, name, operands):
    """Writes the page; its path."""
    path = os.path.join(folder, name + ".html")
    subprocess.run([PTOOL, "report", "-q", "-f", "-o", path, *operands], check=True)
    return path


def answer(line, operands):
    """The rows of a command, as dictionaries; None: it has nothing to say of them."""
    done = subprocess.run([PTOOL, *line.split(), "--format", "json", "-q", *operands],
                          capture_output=True, check=False)
    if done.returncode == 3:
        return None
    assert done.returncode == 0, (line, operands, done.stderr)
    said = json.loads(done.stdout)
    return said["rows"] if isinstance(said, dict) else said
