#!/usr/bin/env python3
"""check_cases.py: what `ptool advise` says of real recordings is true of them, and what matters is not missing: the
truths of ../shared/data/cases, and what holds for every recording under ../shared/data.   timeout: 300 s
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import SHARED, Tap, Workplace
from table import recordings

WINDOWS = {"mean_step_ns", "recording_ns"}
IDLE_RULES = {"launch-bound", "host-bound", "synchronization", "idle-time", "data-loading", "communication",
              "allocator-churn", "profiler-overhead", "low-utilization", "first-use", "ddp-buffers"}


def share(row):
    """Of the step: what it saves, or what the finding says where another recording tells more and nothing is saved."""
    said = re.match("([0-9.]+)% of", row["finding"])
    return row["saving_pct"] if row["saving_pct"] is not None else float(said[1]) if said else 0


class Answer:
    """What it says of one recording."""

    def __init__(self, work, path):
        store = work.ingest(path)
        done = work.ptool("advise", store, "--format", "json", check=False)
        evidence = work.ptool("advise", store, "--evidence", "--format", "json", check=False)
        self.windows = {row["value"] for row in json.loads(evidence.stdout)["rows"] if row["item"] in WINDOWS
                        and row["rule"] != "warm-up"} if evidence.returncode == 0 else set()
        self.answer = json.loads(done.stdout) if done.returncode == 0 else {"rows": [], "notes": []}
        self.rows = [row for row in self.answer["rows"] if row["severity"] != "not_run"]
        self.lacks = [row for row in self.answer["rows"] if row["severity"] == "not_run"]
        self.notes = self.answer["notes"]
        self.rules = [row["rule"] for row in self.rows]
        self.text = " ".join(f"{row['finding']} {row['suggestion'] or ''}" for row in self.rows)

    def first(self, rule, pct):
        """The weightiest finding is of that rule, and of so much of the step."""
        return bool(self.rows) and self.rows[0]["rule"] == rule and share(self.rows[0]) >= pct

    def busy_pct(self):
        """Of the device that is judged; None: there is none, or several, or it is not judged."""
        busy = re.search(r"is busy ([0-9.]+)% of", self.notes[0]) if len(self.notes) == 1 else None
        return float(busy[1]) if busy and "to judge" not in self.notes[0] else None

    def idle_pct(self):
        return sum(share(row) for row in self.rows if row["rule"] in IDLE_RULES)

    def __str__(self):
        return "; ".join(f"{row['rule']} {row['saving_pct']}: {row['finding']}" for row in self.rows)


# A part of the file's name: (what is said, in words; whether it is).
CASES = {
    "t2141_transformer": [("calls that wait for a core, not copies", lambda a: a.first("slow-calls", 30) and "host-copies" not in a.rules)],
    "t2141_oneshot/train_step_0": [("calls that wait for a core, sqrt above all", lambda a: a.first("slow-calls", 70) and "mostly aten::sqrt" in a.text)],
    "t2141_oneshot/train_step_3": [("one call", lambda a: a.first("long-calls", 60) and "aten::_log_softmax takes 4.810 ms (the only call" in a.text)],
    "t2141_accev/acc1_cycle1": [("calls unlike others of their names", lambda a: a.first("long-calls", 25) and "aten::convolution_backward takes 44.096 ms (call 1 of 2" in a.text)],
    "t2141_memtl": [("calls unlike others of their names, first ones above all", lambda a: a.rules == ["long-calls"] and "(call 1 of 2" in a.text)],
    "t2141_cnn_w0": [("calls that wait for a core", lambda a: a.first("slow-calls", 40))],
    "t2141_tb_cnn": [("calls that wait for a core", lambda a: a.first("slow-calls", 30))],
    "k113_oneshot/train_step_0": [("one call", lambda a: a.first("long-calls", 60) and "aten::nll_loss_forward takes 7.723 ms" in a.text)],
    "k113_oneshot/train_step_4": [("its pause", lambda a: a.first("python-time", 80) and "one pause of 8.0" in a.text)],
    "k113_cnn_w0/": [("4 ms of loading data once", lambda a: a.rules[:2] == ["slow-calls", "data-loading"] and "aten::normal_" not in a.text)],
    "t2141_oneshot/train_step_1": [("a third is one operator", lambda a: "most of all aten::sqrt (3" in a.notes[0])],
    "t2141_jitmod": [("one call that compiles waits for no core", lambda a: "slow-calls" not in a.rules and a.first("long-calls", 80))],
    "t260_cnn_w0": [("calls that wait for a core", lambda a: a.first("slow-calls", 10))],
    "deepseek-v3": [("nothing of occupancy, precision or idle time", lambda a: not {"low-occupancy", "mixed-precision"} & set(a.rules) and a.idle_pct() < 2)],
    "execution_trace-benchmark": [("four pieces of work in 19.7 s are too little to judge, but for the first use of the device", lambda a: a.rules == ["first-use"] and a.first("first-use", 90) and "19.696 s" in a.notes[0] and "too little" in a.notes[0])],
    "timesformer": [("the host's work before the first kernel first", lambda a: a.first("host-bound", 50) and "before the first" in a.text),
                    ("nothing to fuse for idle time", lambda a: "idle-time" not in a.rules),
                    ("68.7 of 158 ms are a softmax between products", lambda a: a.rules[1:2] == ["attention"] and 17 < a.rows[1]["saving_pct"] < 19)],
    "falconsai": [("launches first", lambda a: a.first("launch-bound", 60)), ("no occupancy that was not recorded", lambda a: "low-occupancy" not in a.rules)],
    "h100-qwen": [("elementwise kernels", lambda a: "unfused" in a.rules), ("no idle time above 10 %", lambda a: a.idle_pct() < 12)],
    "sglang_decode": [("no launching less often for one stall", lambda a: "launch less" not in a.text and "batch" not in a.text), ("the stall first", lambda a: a.first("idle-time", 90))],
    "sglang_prefilldecode": [("no launching less often for one stall", lambda a: "launch less" not in a.text and "batch" not in a.text),
                             ("the stall first", lambda a: a.first("idle-time", 40))],
    "vllm_decode": [("no graphs for a graph, no memory", lambda a: "CUDA graph" not in a.text and "memory-limit" not in a.rules)],
    "xdit_sd_3.5": [("it is compiled already", lambda a: "reduce-overhead" in a.rows[0]["suggestion"] and "compiled model" in a.rows[0]["suggestion"]),
                    ("the host's launches first", lambda a: a.first("launch-bound", 25)), ("the 40 % that it is idle", lambda a: 30 <= a.idle_pct() <= 45)],
    "mi300-resnet": [("exposed communication first, once", lambda a: a.first("exposed-communication", 50) and "communication" not in a.rules),
                     ("17.6 MB in 9 ms may be a late rank", lambda a: "--ranks" in a.rows[0]["suggestion"])],
    "cupti_profiler": [("kernels were launched and not recorded, and nothing else", lambda a: a.rules == ["missing-kernels"] and "profiler_metrics" in a.text)],
    "trace_diff_test": [("14 of 16 ms of copies are on the device", lambda a: any(row["rule"] == "device-copies" and 11 < row["saving_pct"] < 12 for row in a.rows)),
                        ("a third of kernel time is volta_sgemm", lambda a: a.first("mixed-precision", 13))],
    "mtia_inference": [("nothing of CUDA", lambda a: "CUDA" not in a.text + " ".join(row["suggestion"] or "" for row in a.lacks))],
    "nccl_parser": [("operators of the host first", lambda a: a.first("launch-bound", 45)), ("37 ms of each step are DDP's broadcast of buffers", lambda a: "ddp-buffers" in a.rules[:2] and "broadcast_buffers=False" in a.text),
                    ("most of the 76 % that it is idle", lambda a: 60 <= a.idle_pct() <= 80)],
    "negative_queue": [("no warm-up, no graphs for a graph", lambda a: "warm-up" not in a.rules and "CUDA graph" not in a.text), ("its idle time", lambda a: a.idle_pct() >= 40)],
    "torch_compile_triton": [("nothing for 11 ns of idle time", lambda a: not IDLE_RULES & set(a.rules))],
}


def check_case(tap, name, answer):
    for part, truths in CASES.items():
        if part in name:
            for what, holds in truths:
                tap.ok(holds(answer), f"{name}: {what}", answer)


def check_any(tap, name, answer):
    """Whatever the recording: shares are parts, findings are ordered, one time is told once."""
    shares = [row["saving_pct"] for row in answer.rows if row["saving_pct"] is not None]
    tap.ok(all(2 <= pct <= 100 for pct in shares) and answer.idle_pct() <= 100.01, f"{name}: findings save 2 to 100 %", answer)
    tap.ok(not {"communication", "exposed-communication"} <= set(answer.rules), f"{name}: communication is told once", answer)
    tap.ok(len(answer.windows) <= 1, f"{name}: evidence is of one window", answer.windows)
    if answer.busy_pct() is not None:
        tap.ok(100 - answer.busy_pct() - answer.idle_pct() < 10, f"{name}: no cause of a tenth of the time is missing", answer)
    if answer.notes and "no device work" in answer.notes[0]:
        tap.ok("CUDA" not in " ".join(row["suggestion"] or "" for row in answer.lacks), f"{name}: the CPU needs no CUDA")


def main():
    tap = Tap()
    if not os.path.isdir(os.path.join(SHARED, "data", "cases")):
        tap.skip("real recordings", "no ../shared/data/cases")
        tap.done()
    with Workplace() as work:
        for path in recordings():
            name = os.path.relpath(path, os.path.join(SHARED, "data"))
            answer = Answer(work, path)
            check_any(tap, name, answer)
            check_case(tap, name, answer)
    tap.done()


main()
