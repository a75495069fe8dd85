#!/usr/bin/env python3
"""check_roads.py: a store with summaries answers as one without, byte for byte: what the views
read from step_part and its like is what slices give; so does one whose slices were left out.   timeout: 300 s
"""
import concurrent.futures
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "store"))
sys.path.insert(1, os.path.join(HERE, "..", "gaps"))
import check_ranks
from storetap import FIXTURES, SHARED, Tap, Workplace, fixtures

# Of each command: the first question is asked in all forms, the others in one, and where there
# is nothing to show, not at all.
QUESTIONS = [
    ["gaps", "gaps --by op", "gaps --by frame", "gaps --by annotation", "gaps --by step", "gaps --by stream"],
    ["steps", "steps --phases", "steps --step 1..2", "steps --device 0", "steps --sort total"],
    ["devices"],
    ["streams"],
    ["ranks", "ranks --by step"],
    ["kernels --limit 0", "kernels --by family", "kernels --by device,stream --copies", "kernels --by rank --focus gemm", "kernels --device 0"],
    ["comm", "comm --by size", "comm --by rank", "comm --list", "comm --list --step 1..2 --focus reduce"],
    ["memory", "memory --by size", "memory --by step", "memory --live --limit 0", "memory --live --focus aten", "memory --live --by size",
     "memory --live --by step --device cpu", "memory --step 1..2", "memory --device cuda"],
    ["transfers", "transfers --by op", "transfers --by step", "transfers --by device"],
    ["comm --ranks", "comm --ranks --by rank", "comm --ranks --by size", "comm --ranks --list"],
]
# The rules of `ptool advise` that need no slices.
RULES = ("data-loading:min_pct=0 data-parallel ddp-backend communication:min_pct=0 low-utilization:below_pct=99 memory-limit:min_pct=0 "
         "exposed-communication:min_pct=0 stragglers warm-up:min_pct=0 small-operators host-copies:min_pct=0 host-reads:min_pct=0 threads")
QUESTIONS[1].append("advise " + " ".join("--rule " + rule for rule in RULES.split()))
FORMS = ("json", "csv", "table")
EMPTY = 3  # the exit status


def asked(place, store, question, form):
    done = place.ptool(question.split()[0], store, *question.split()[1:], "--format", form, check=False)
    if done.returncode not in (0, EMPTY):
        raise RuntimeError(f"{question}: exit {done.returncode}: {done.stderr}")  # both could crash alike
    return done.returncode, done.stdout.replace(store, "STORE"), done.stderr.replace(store, "STORE")


# Questions that look at slices beside their rows, or name them.
WITH_SLICES = ("ranks", "comm --list", "memory --step")
ROADS = {"slices": ("--summaries", "no"), "summaries": ("--summaries", "yes"), "alone": ("--summary-only",)}


def differences(place, name, files):
    """The questions that the roads answer differently; without slices there is but one road."""
    stores = {road: place.ingest(*files, store=f"{name}.{road[:2]}.db", options=(*options, "--run", "r"))
              for road, options in ROADS.items()}
    bad = []
    for first, *others in QUESTIONS:
        for question, form in [(first, form) for form in FORMS] + [(other, FORMS[0]) for other in others]:
            wanted = asked(place, stores["slices"], question, form)
            roads = ["summaries"]
            if wanted[0] == 0 and not question.startswith(WITH_SLICES):
                roads.append("alone")
            bad += [f"{question} --format {form}: {road}" for road in roads
                    if asked(place, stores[road], question, form) != wanted]
            if wanted[0] == EMPTY:
                break
    for store in stores.values():
        os.remove(store)
    return bad


def inputs():
    found = [(name, [path]) for name, path in fixtures()]
    for folder, kind in (("chrome", "*.json"), ("pyprof", "*.prof"), ("samples", "*.json")):
        found += [(f"{folder}-{os.path.basename(p)}", [p])
                  for p in sorted(glob.glob(os.path.join(FIXTURES, folder, kind)))[:8]]
    gpu = os.path.join(FIXTURES, "gpu")
    found.append(("collectives", [os.path.join(gpu, f"collectives_rank{i}.json") for i in (0, 1)]))
    found.append(("ddp", [os.path.join(FIXTURES, "torch", f"t260_ddp_rank{i}", "trace.json.gz") for i in (0, 1)]))
    found.append(("many", [os.path.join(gpu, f) for f in ("two_devices.json", "one_stream.json", "memory.json")]))
    return found


def late_ranks(place):
    """Two ranks, of which one is late; and with another clock."""
    return [place_of.save(place.path(f"late{rank}.json"), shift=check_ranks.SKEW * rank)
            for rank in (0, 1) for place_of in [check_ranks.trace_of(rank, [30_000, 90_000, 200_000])]]


def recordings():
    """Real ones, where they lie beside the checkout."""
    return [(f"shared-{os.path.basename(p)}", [p]) for folder in ("gpu", "cases")
            for p in sorted(glob.glob(os.path.join(SHARED, "data", folder, "*.json.gz")))]


def main():
    tap = Tap()
    with Workplace() as place, concurrent.futures.ThreadPoolExecutor(2) as pool:
        share = 4 if os.environ.get("SAN") else 1  # of the inputs, one in so many
        those = inputs()[::share] + [("late", late_ranks(place))]
        real = recordings() if os.environ.get("LONG") else recordings()[:4]
        for (name, files), bad in zip(those + real, pool.map(lambda i: differences(place, *i), those + real)):
            tap.ok(not bad, f"{name}: both roads give the same", *bad)
        if not real:
            tap.skip("real recordings", "../shared is not there")
    tap.done()


if __name__ == "__main__":
    main()
