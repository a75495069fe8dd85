#!/usr/bin/env python3
"""check_recordings.py: `ptool gaps` of real recordings against the slow computation of ptool-gaps(1),
every row.   timeout: 200 s
"""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import check_random
import slowblame
from check_random import check_windows, same_rows
from storetap import SHARED, Tap, Workplace

# Compressed: larger ones take the slow computation minutes; with the sanitizers only ptool is new.
MOST_BYTES = 150_000 if os.environ.get("SAN") else 1_200_000
MOST_WORK = 5_000
# Larger, but the only one of its kind: by cause alone, and not when the sanitizers slow everything down.
ALSO = () if os.environ.get("SAN") else ("inference-xdit_sd_3.5-profile_trace_rank_0",)


def by_place(numbers):
    """Devices by their place: how a recording numbers them is not the question here."""
    return {device: place for place, device in enumerate(sorted(set(numbers)))}


def relabelled(rows):
    places = by_place(int(r["device"]) for r in rows)
    return [dict(r, device=places[int(r["device"])]) for r in rows]


def compare(tap, place, store, trace, name, by_all):
    places = by_place(w.device for w in trace.works)
    for event in trace.works + trace.waits:
        event.device = places.get(event.device, event.device)
    for inner in (False, True) if by_all else (False,):
        answer = slowblame.Blame(trace, inner=inner).answer()
        for by in ("cause", "op", "frame", "annotation", "step") if by_all and not inner else ("cause",):
            got = relabelled(check_random.table(place, store, "--by", by, *["--inner"] * inner))
            same_rows(tap, got, slowblame.rows(answer, by), by, f"{name}: by {by}{' --inner' * inner}")


def main():
    tap = Tap()
    found = [p for folder in ("gpu", "cases") for p in glob.glob(os.path.join(SHARED, "data", folder, "*.json.gz"))]
    with Workplace() as place:
        for path in sorted(found, key=os.path.basename):
            name = os.path.basename(path)[:-len(".json.gz")]
            if os.path.getsize(path) > MOST_BYTES and name not in ALSO:
                continue
            trace = slowblame.read(path)
            if 0 < len(trace.works) <= MOST_WORK or name in ALSO:
                # The reference knows steps of PyTorch's profiler alone; tests/steps has those of engines.
                store = place.ingest(path, options=("--step-name", r"^ProfilerStep#(\d+)$"))
                compare(tap, place, store, trace, name, name not in ALSO)
                check_windows(tap, place, store, name)
    if not found:
        tap.skip("real recordings", "no shared/data")
    tap.done()


if __name__ == "__main__":
    main()
