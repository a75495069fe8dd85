#!/usr/bin/env python3
"""Memory timelines, events and curve of one run, against who made them; and damaged ones."""
import json
import os

from memory_tables import Tap, Workplace, table
from storetap import FIXTURES

FOLDER = os.path.join(FIXTURES, "timeline")


def check_fixture(tap, place, name, truth):
    store = place.ingest(os.path.join(FOLDER, name))
    peak = table(place, store)[0]
    tap.same([peak["device"], peak["allocated_peak_bytes"], peak["end_bytes"], peak["mismatches"]],
             ["device", truth["peak_bytes"], truth["end_bytes"], 0], f"{name}: the peak and the end")
    live = {row["op"]: row["bytes"] for row in table(place, store, "--live")}
    tap.same(live, truth["at_the_peak"], f"{name}: what each category held at the peak, and no other")
    curve = table(place, store, "--curve")
    level, wrong = 0, 0
    for row in curve:
        level += row["bytes"]
        wrong += level != row["allocated_bytes"]
    tap.ok(not wrong and curve, f"{name}: {len(curve)} totals are running sums")
    return peak, curve


def check_raw(tap, curve, peak, truth):
    with open(os.path.join(FOLDER, "small.raw.json"), encoding="utf-8") as text:
        raw = json.load(text)
    first = min(t for t, *_ in raw if t >= 0)
    tap.same([(row["ts_ns"], row["bytes"]) for row in curve], [(max(t, first) - first, size) for t, _, size, _ in raw],
             f"raw: all {len(raw)} events, those before at the time of the first")
    start = 1_700_000_000_000_000_123
    tap.same(peak["at_ns"], start + truth["peak_after_start_ns"] - first, "raw: the time of the peak, to the nanosecond")


def check_empty_category(tap, place):
    """Category 3 is freed before the peak of category 2: it is no row of what was live there."""
    path = place.path("empty.raw.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump([[10, 2, 64, 3], [20, 4, -64, 3], [30, 2, 512, 2], [40, 4, -512, 2]], out)
    live = [(row["op"], row["blocks"], row["bytes"]) for row in table(place, place.ingest(path), "--live")]
    tap.same(live, [("INPUT", None, 512)], "a category that holds nothing at the peak has no row")


def check_refused(tap, place):
    for name, text, said in [
            ("three numbers", "[[1, 2, 3], 4]", "fewer than four"),
            ("five numbers", "[[1, 2, 3, 4, 5], 4]", "more than four"),
            ("action 9", "[[1, 9, 3, 4]]", "the action of an event is not 1 to 4"),
            ("category 8", "[[1, 2, 3, 8]]", "the category of an event is not 0 to 7"),
            ("cut", "[[1, 2, 3, 4], [2, 2, 3", "byte"),
            ("text", '[[1, 2, "3", 4]]', "a whole number"),
            ("a number beyond 64 bits", "[[1, 2, 99999999999999999999, 4]]", "a whole number"),
            ("more sizes than times", "[[1.5], [[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,0,0,0,0]]]", "more sizes than times"),
            ("fewer sizes than times", "[[1.5, 2.5], [[0,1,0,0,0,0,0,0,0]]]", "fewer sizes than times"),
            ("ten categories", "[[1.5], [[0,1,0,0,0,0,0,0,0,0,0]]]", "more than eight")]:
        path = place.path("bad.json")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        ran = place.ptool("ingest", "-q", "-o", place.path("bad.db"), path, check=False)
        tap.ok(ran.returncode == 4 and said in ran.stderr and ran.stderr.count("\n") == 1, f"{name}: refused", ran.stderr)


def check_pages(tap, place):
    """What torch draws of a timeline or a snapshot holds a picture or a program: the refusal names the data."""
    for name, text, said in [
            ("export_memory_timeline_html", '<html>\n<head><meta charset="utf-8" /><title>GPU Memory Timeline HTML</title>'
             "</head>\n<body>\n  <img src='data:image/png;base64,iVBORw0KGgo='>\n</body>\n</html>", ".raw.json.gz"),
            ("_memory_viz", '\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type="module">\nimport '
             '{add_local_files} from "https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js"\n'
             'const local_files = [{"name": "snapshot.pickle", "base64": "gASV"}]\n</script>\n</body>\n', "snapshot")]:
        path = place.path("page.html")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        ran = place.ptool("ingest", "-q", "-o", place.path("page.db"), path, check=False)
        tap.ok(ran.returncode == 4 and said in ran.stderr and ran.stderr.count("\n") == 1, f"a page of {name}: refused", ran.stderr)


def main():
    tap = Tap()
    with open(os.path.join(FOLDER, "small.truth.json"), encoding="utf-8") as text:
        truth = json.load(text)
    with Workplace() as place:
        check_fixture(tap, place, "small.json", truth)
        peak, curve = check_fixture(tap, place, "small.raw.json", truth)
        check_raw(tap, curve, peak, truth)
        check_empty_category(tap, place)
        check_refused(tap, place)
        check_pages(tap, place)
    tap.done()


if __name__ == "__main__":
    main()
