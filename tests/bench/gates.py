#!/usr/bin/env python3
"""gates.py PTOOL FOLDER [GATES]: how often ptool gate cries wolf, and what it finds.

Gates (1000) over made recordings of 8 runs a side, which alternate on a machine as CI has
them: steps vary by 1.7 %, runs by 0.8 %, the machine drifts (0.45 % a run, of which 0.7
stays), one step in 20 takes 1.5 to 3 times as long, one run in 20 is 5 to 20 % slower: 2 % in
all, outliers apart.  Each gate is asked twice: of one program, and with one that is 3 %
slower; the budgets are the median step with tolerances of 1, 2 and 3 %.  Prints how many of
100 fail and are inconclusive.  Asserts nothing; the same seeds give the same recordings.
tests/unit/test_gate.c is its short form.

  GATE_RUN_PCT   how much runs vary among themselves (0.8); with 2, and 0 for the others,
                 every run is one value of 2 % noise
  GATE_STEP_PCT  steps of a run (1.7)
  GATE_DRIFT_PCT (0.45)
"""
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

RUNS = 8
STEPS = 20
TOLERANCES = (1, 2, 3)
SLOWER = 0.03


def setting(name, default):
    return float(os.environ.get(name) or default) / 100


RUN = setting("GATE_RUN_PCT", 0.8)
STEP = setting("GATE_STEP_PCT", 1.7)
DRIFT = setting("GATE_DRIFT_PCT", 0.45)


def record(rng, path, level):
    level *= 1 + rng.gauss(0, RUN)
    if rng.random() < .05:
        level *= rng.uniform(1.05, 1.2)
    events, at = [], 0.0
    for step in range(STEPS):
        dur = level * (1 + rng.gauss(0, STEP))
        if rng.random() < .05:
            dur *= rng.uniform(1.5, 3)
        for name, cat in ((f"ProfilerStep#{step}", "user_annotation"), ("aten::mm", "cpu_op")):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1,
                           "ts": round(at, 3), "dur": round(dur, 3), "args": {}})
        at += dur + 10
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "traceEvents": events}, out)


def budget(path, base):
    with open(path, "w", encoding="utf-8") as out:
        for tolerance in TOLERANCES:
            print(f"[{tolerance} %]\nview = steps\ncolumn = total_ns\nagainst = {base}/*.json\n"
                  f"tolerance = {tolerance} %", file=out)


def ask(ptool, place, side, env):
    done = subprocess.run([ptool, "gate", "-q", "-f", os.path.join(place, "budget"), "--format", "json",
                           *(os.path.join(place, side, f"run{i}.json") for i in range(RUNS))],
                          stdout=subprocess.PIPE, env=env, check=False)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"gates: ptool gate ended with {done.returncode}")
    return [row["verdict"] for row in json.loads(done.stdout)["rows"]]


def gate(ptool, folder, seed):
    rng = random.Random(seed)
    place = tempfile.mkdtemp(dir=folder)
    env = {**os.environ, "PTOOL_CACHE": os.path.join(place, "cache")}
    try:
        for side in ("base", "same", "slower"):
            os.mkdir(os.path.join(place, side))
        drift = 0.0
        for i in range(RUNS):
            drift = .7 * drift + rng.gauss(0, DRIFT)
            for side in ("base", "same", "slower"):
                record(rng, os.path.join(place, side, f"run{i}.json"),
                       1000 * (1 + drift) * (1 + SLOWER * (side == "slower")))
        budget(os.path.join(place, "budget"), os.path.join(place, "base"))
        return [ask(ptool, place, side, env) for side in ("same", "slower")]
    finally:
        shutil.rmtree(place)


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    ptool, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    gates = int(sys.argv[3]) if len(sys.argv) == 4 else 1000
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda seed: gate(ptool, folder, seed), range(gates)))
    print(f"{gates} gates of {RUNS} v {RUNS} runs; noise of steps {100 * STEP:g} %, of runs {100 * RUN:g} %, "
          f"drift {100 * DRIFT:g} %, and outliers")
    print(f"{'tolerance':>9}  {'same: fail':>10}  {'inconclusive':>12}  {'+3 %: fail':>10}  {'inconclusive':>12}  {'pass':>5}")
    for at, tolerance in enumerate(TOLERANCES):
        same, slower = ([answer[side][at] for answer in answers] for side in (0, 1))
        counts = (same.count("fail"), same.count("inconclusive"), slower.count("fail"), slower.count("inconclusive"),
                  slower.count("pass"))
        print(f"{tolerance:>7} %  " + "  ".join(f"{100 * n / gates:{w}.1f}" for n, w in zip(counts, (10, 12, 10, 12, 5))))


if __name__ == "__main__":
    main()
