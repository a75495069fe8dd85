#!/usr/bin/env python3
"""Every command gives a step the same length, and its device the same idle time.  timeout: 300 s

`steps`, `top --by annotation`, `diff`, `gaps` and `devices` of every fixture and, where they
are, of every recording under ../shared/data.
"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

DATA = os.path.join(storetap.SHARED, "data")


def ask(place, command, *options):
    """The rows; none where there is nothing to show."""
    done = place.ptool(command, *options, "--format", "json", check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(f"ptool {command}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["rows"]


def overlap(rows):
    """Do steps of a device share time?  Then `gaps` counts it for the one that began last."""
    spans = sorted((row["device"] is not None, row["device"], row["start_ns"], row["start_ns"] + row["total_ns"]) for row in rows)
    return any(a[:2] == b[:2] and a[3] > b[2] for a, b in zip(spans, spans[1:]))


def is_recorded(rows):
    """Steps that are slices of the host: not the whole of a recording or file."""
    return len(rows) > 0 and all(row["step"] != "0" for row in rows)


def wrong_lengths(place, store, rows):
    """`top` and `diff`, which know nothing of the windows of `steps`."""
    first = [row for row in rows if row["device"] == rows[0]["device"]]
    total, wrong = sum(row["total_ns"] for row in first), []
    named = [row for row in ask(place, "top", store, "--by", "annotation", "--focus", "^ProfilerStep") if row["host_ns"]]
    # an annotation without a step: what was left after the last call of step()
    left = sum(row["dur_ns"] for row in ask(place, "list", store, "--focus", "^ProfilerStep") if row["step"] is None and row["class"] == "annotation" and row["stream"] is None)
    if is_recorded(rows) and named and sum(row["host_ns"] for row in named) - left != total:
        wrong.append(f"top: {sum(row['host_ns'] for row in named)} - {left}, not {total}")
    compared = [row for row in ask(place, "diff", store, store, "--headline") if row["subject"] == "step"]
    if is_recorded(rows) and len({row["step"] for row in first}) == len(first) and compared and \
            abs(compared[0]["base_ns"] * len(first) - total) >= len(first):
        wrong.append(f"diff: {compared[0]['base_ns']} is not the mean of {total} in {len(first)} steps")
    return wrong


def wrong_idle(place, store, rows):
    """Idle time of each device in the steps: that of `gaps`, and what utilization leaves."""
    wrong, gaps = [], {}
    for row in ask(place, "gaps", store, "--by", "step"):
        if row["step"] is not None or not is_recorded(rows):
            gaps[row["device"]] = gaps.get(row["device"], 0) + row["idle_ns"]
    for device in ask(place, "devices", store):
        idle = sum(row["gpu_idle_ns"] for row in rows if row["device"] == device["device"])
        if device["steps_ns"] - device["busy_in_steps_ns"] != idle:
            wrong.append(f"devices: {device['steps_ns']} - {device['busy_in_steps_ns']} is not {idle}")
        if gaps.get(device["device"], 0) != idle:
            wrong.append(f"gaps: {gaps.get(device['device'], 0)}, not {idle}")
    return wrong


def check(tap, place, name, path):
    store = place.ingest(path)
    rows = [row for row in ask(place, "steps", store) if row["step"] != "mean"]
    if not rows:
        return
    wrong = wrong_lengths(place, store, rows)
    if rows[0]["device"] is not None and not overlap(rows):
        wrong += wrong_idle(place, store, rows)
    tap.ok(not wrong, f"{name}: one length of a step, one idle time", *wrong)


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        for name, path in storetap.fixtures():
            check(tap, place, name, path)
        recordings = [path for folder in ("gpu", "cases", "torch/*") for path in
                      sorted(glob.glob(os.path.join(DATA, *folder.split("/"), "*.json.gz"))) if "key_averages" not in path]
        for path in recordings:
            check(tap, place, os.path.relpath(path, DATA), path)
        if not recordings:
            tap.skip("real recordings", "no ../shared/data here")
    tap.done()


main()
