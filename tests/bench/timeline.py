#!/usr/bin/env python3
"""timeline.py PTOOL ARGUMENT...: where the time of one command goes, by stage and thread.

    tests/bench/timeline.py build/ptool ingest -q -j2 trace.json -o /tmp/trace.db

Samples the processor time of all threads with perf (cpu-clock, 500 a second), and tells for each
stage of an ingest: milliseconds of the first thread and of all others, and the share of the wall time
in which it ran and nothing else did.  On a busy machine threads wait for each other, and the shares
say little; the milliseconds still do.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

HZ = 500
SLOT_S = 0.01  # who has a sample in it ran in all of it

# The first stage one of whose functions is on the stack has the sample.
STAGES = (
    ("copy the old store", "publish_begin_keep"),
    ("order", "order_rows count_part scatter_part sort_track sort_piece copy_piece merge_piece number_part "
              "move_part apart_find args_of_ends"),
    ("nest", "nest_rows nest_part"),
    ("arrows", "flow_rows bind_part"),
    ("links and steps", "link_rows search_part index_part build_table launch_part charge_part"),
    ("health", "health_rows"),
    ("summaries", "summary_begin summary_part summary_end summary_make"),
    ("rows through SQLite", "bulk_insert write_texts"),
    ("rows as pages", "bulk_write make_stretch bulk_team_rows insert_numbers write_lists_make"),
    ("sync and rename", "publish_commit"),
    ("read and parse", "reading_read run_thread parse_part"),
    ("free memory", "loader_free importing_release"),
)


def record(command):
    with tempfile.TemporaryDirectory(prefix="timeline.") as folder:
        data = os.path.join(folder, "perf.data")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HZ), "--call-graph", "dwarf,8192",
                        "-o", data, *command], check=True)
        return subprocess.run(["perf", "script", "-i", data, "-F", "tid,time,ip,sym"], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def samples(text):
    """(seconds, thread, stage)"""
    stage_of = {function: stage for stage, functions in reversed(STAGES) for function in functions.split()}
    for block in text.split("\n\n"):
        head = re.match(r"\s*(\d+)\s+([\d.]+):", block)
        if head:
            found = {stage_of[name] for name in re.findall(r"^\s+[0-9a-f]+ (\w+)", block, re.M) if name in stage_of}
            stage = next((stage for stage, _ in STAGES if stage in found), "other")
            yield float(head[2]), int(head[1]), stage


def main():
    rows = sorted(samples(record(sys.argv[1:])))
    first_s, first_thread = rows[0][:2]
    spent = collections.Counter()
    slots = collections.defaultdict(set)
    for seconds, thread, stage in rows:
        spent[stage, thread == first_thread] += 1000 / HZ
        slots[int((seconds - first_s) / SLOT_S)].add((thread, stage))
    alone = collections.Counter()
    for slot in slots.values():
        if len({thread for thread, _ in slot}) == 1:
            for _, stage in slot:
                alone[stage] += 1 / len(slot)
    nslots = max(slots) + 1
    print(f"{'stage':20} {'first ms':>9} {'others ms':>9} {'alone':>6}   of {nslots * SLOT_S:.2f} s")
    for stage in [stage for stage, _ in STAGES] + ["other"]:
        first, others = spent[stage, True], spent[stage, False]
        if first or others:
            print(f"{stage:20} {first:9.0f} {others:9.0f} {100 * alone[stage] / nslots:5.1f}%")


main()
