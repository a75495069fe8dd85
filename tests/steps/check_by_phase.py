#!/usr/bin/env python3
"""`ptool steps --by phase` against a slow computation on random traces of engines, and, on every
recording under ../shared/data/cases, against single kernels of single steps.  TAP."""
import collections
import glob
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))
import storetap  # noqa: E402  pylint: disable=wrong-import-position

DATA = os.path.join(storetap.SHARED, "data")
MOST_BYTES = 150_000 if os.environ.get("SAN") else 1_300_000  # compressed, of a recording
SEEDS = 3 if os.environ.get("SAN") else 8
# Families with a column of their own; all others are "other".
OWN = ("attention", "linear", "moe", "norm", "sampling", "communication", "unknown")
KERNELS = {
    "nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT": "linear", "kernel_unified_attention_3d": "attention",
    "fused_moe_kernel": "moe", "void vllm::rms_norm_kernel<c10::BFloat16, 8>(int)": "norm",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(int)": "communication", "main_kernel": "unknown",
    "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>(int)": "sampling",
    "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(int)": "rope", "triton_poi_fused_3": "elementwise",
}
COPIES = {"gpu_memcpy": "Memcpy DtoD (Device -> Device)", "gpu_memset": "Memset (Device)"}


def ask(place, command, *options):
    done = place.ptool(command, *options, "--format", "json", check=False)
    if done.returncode == 3:
        return []
    if done.returncode:
        raise RuntimeError(f"ptool {command} {options}: {done.stderr}")
    return json.loads(done.stdout)["rows"]


def annotation(r):
    """Its name, and what it tells: phase, requests, tokens."""
    n, q = r.randint(1, 40), r.randint(2, 500)
    return r.choice((
        (f"step[DECODE bs={n}]", "decode", n, n),
        (f"step[EXTEND bs={n} toks={n * q}]", "prefill", n, n * q),
        (f"step[IDLE bs={n}]", "other", n, None),
        (f"execute_context_{n}({n * q})_generation_0(0)", "prefill", n, n * q),
        (f"execute_context_0(0)_generation_{n}({n})", "decode", n, n),
        (f"execute_context_1({q})_generation_{n}({n})", "mixed", n + 1, q + n),
        (f"execute_new_0_cached_{n}", "decode", n, None),
    ))


def machine(seed):
    """Events of a trace, and of each step what its annotation tells and the work that it launched."""
    r, steps, now, correlation = random.Random(seed), [], 1000, 0
    events, free, devices = [], collections.Counter(), r.choice((1, 2))

    def event(cat, name, tid, ts, dur, pid=1, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    for _ in range(r.randint(1, 12)):
        name, phase, requests, tokens = annotation(r)
        launches, gap, work = r.choice((0, 1, 5, 12)), r.choice((0, 15, 400)), []
        event("user_annotation", name, 1, now, 10 * launches + 20)
        for i in range(launches + (gap == 400)):  # the last may be after the step
            correlation += 1
            inside, launched = i < launches, now + 10 * i + (5 if i < launches else 100)
            event("cuda_runtime", "cudaLaunchKernel", 1, launched, 3, correlation=correlation)
            device, stream, dur = r.randrange(devices), r.choice((7, 20)), r.randint(1, 60)
            cat = r.choice(("kernel",) * 8 + tuple(COPIES))
            kernel = COPIES.get(cat) or r.choice(list(KERNELS))
            start = max(launched + 2, free[device, stream])
            free[device, stream] = start + dur
            event(cat, kernel, stream, start, dur, pid=device, correlation=correlation, device=device, stream=stream)
            if inside:
                work.append((KERNELS.get(kernel, "copy"), 1000 * dur))
        steps.append((phase, requests, tokens, work))
        now += 10 * launches + 20 + gap
    return events, steps


def sums(steps, lengths):
    """Rows by phase: of each the columns that follow from what steps tell and launched."""
    out = {}
    for phase in {s[0] for s in steps}:
        own = [(s, ns) for s, ns in zip(steps, lengths) if s[0] == phase]
        requests, tokens = ([s[i] for s, _ in own if s[i] is not None] for i in (1, 2))
        made = [(s[1] if phase == "decode" else s[2], ns) for s, ns in own]
        made = [(n, ns) for n, ns in made if n is not None]
        families = collections.Counter()
        for step, _ in own:
            for family, ns in step[3]:
                families[family if family in OWN else "other"] += ns
        total, work = sum(ns for _, ns in own), sum(families.values())
        row = {"steps": len(own), "requests": sum(requests) if requests else None, "tokens": sum(tokens) if tokens else None,
               "mean_requests": sum(requests) / len(requests) if requests else None,
               "total_ns": total, "mean_ns": total / len(own), "tpot_ns": total / len(own) if phase == "decode" else None,
               "token_ns": sum(ns for _, ns in made) / sum(n for n, _ in made) if made and sum(n for n, _ in made) else None,
               "device_work_ns": work or None}
        row.update({f"{f}_pct": 100 * families[f] / work if work else None for f in OWN + ("other",)})
        out[phase] = row
    return out


def differences(rows, want):
    got = {row["phase"]: row for row in rows}
    if len(got) != len(rows) or set(got) != set(want):
        yield f"phases {[row['phase'] for row in rows]}, not {sorted(want, key=str)}"
        return
    for phase, columns in want.items():
        for column, value in columns.items():
            there = got[phase][column]
            if there != value and (value is None or there is None or abs(there - value) > 1e-9 * max(1, abs(value))):
                yield f"{phase}: {column} {there}, not {value}"
        shares = [v for c, v in got[phase].items() if c.endswith("_pct") and c != "utilization_pct"]
        if got[phase]["device_work_ns"] and abs(sum(shares) - 100) > 1e-6:
            yield f"{phase}: shares add up to {sum(shares)}"


def busy(rows, steps):
    """Busy time and the time that there was, of all devices, by phase."""
    out = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        if row["device"] is not None:
            out[steps[row["step"]]][0] += row["gpu_busy_ns"]
            out[steps[row["step"]]][1] += row["total_ns"]
    return out


def wrong_busy(got, single, phases):
    of = busy(single, phases)
    for row in got:
        ns, whole = of.get(row["phase"], (None, 0))
        if row["gpu_busy_ns"] != ns or (whole and abs(row["utilization_pct"] - 100 * ns / whole) > 1e-9):
            yield f"{row['phase']}: busy {row['gpu_busy_ns']} {row['utilization_pct']}, not {ns} of {whole}"


# Functions that run a step, of recordings without annotations, by phase; SGLang runs mixed batches as prefills.
FRAMES = {"prefill": "sglang/srt/model_executor/model_runner.py(1151): forward_extend",
          "decode": "/opt/sglang/python/sglang/srt/model_executor/cuda_graph_runner.py(744): replay",
          "other": "sglang/srt/model_executor/model_runner.py(1170): forward_idle"}
FRAMES["mixed"] = FRAMES["prefill"]


def as_frames(r, events, steps):
    """The same recording by an engine that writes no annotation, with stacks."""
    marks, at = [event for event in events if event["cat"] == "user_annotation"], iter(steps)
    for event in marks:
        event.update(cat="python_function", name=FRAMES[next(at)[0]])
        events.append(dict(event, name="sglang/srt/managers/scheduler.py(2049): run_batch", ts=event["ts"] - 1,
                           dur=event["dur"] + 2))
        if r.random() < 0.5:  # in a step
            events.append(dict(event, name="sglang/srt/layers/attention/triton_backend.py(9): forward_decode",
                               ts=event["ts"] + 1, dur=event["dur"] - 2))
    return events, [("prefill" if phase == "mixed" else phase, None, None, work) for phase, _, _, work in steps]


def check_random(tap, place):
    for seed in range(2 * SEEDS):
        events, steps = machine(seed % SEEDS)
        if seed >= SEEDS:
            events, steps = as_frames(random.Random(seed), events, steps)
        path = place.path("engine.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "traceEvents": events}, out)
        store = place.ingest(path)
        single = [row for row in ask(place, "steps", store) if row["step"] != "mean"]
        lengths = {row["step"]: row["total_ns"] for row in single}
        phases = {str(i): step[0] for i, step in enumerate(steps)}
        got = ask(place, "steps", store, "--by", "phase")
        wrong = list(differences(got, sums(steps, [lengths[str(i)] for i in range(len(steps))])))
        wrong += wrong_busy(got, single, phases)
        some = ask(place, "steps", store, "--by", "phase", "--step", "1..3")
        wrong += differences(some, sums(steps[1:4], [lengths[str(i)] for i in range(len(steps))][1:4]))
        tap.ok(not wrong, f"random engine {seed}: {len(steps)} steps{', by frames' if seed >= SEEDS else ''}", *wrong[:5])
        if seed == SEEDS:
            text = place.ptool("info", store).stdout
            tap.ok("steps from: SGLang frames\n" in text, "info says that frames are the steps", text)
            again = place.ingest(path, "--step-name", r"scheduler\.py\(\d+\): run_batch")
            rows = {row["step"] for row in ask(place, "steps", again)} - {"mean"}
            tap.ok(len(rows) == len(steps), "--step-name finds frames, where it finds no annotation", rows)


def check_cases(tap, place):
    """What each step launched, by the slices themselves; phases by the rows of the steps."""
    cases = sorted(glob.glob(os.path.join(DATA, "cases", "*.json.gz")))
    if not cases:
        tap.skip("recordings", "no ../shared/data/cases")
    for path in cases:
        if os.path.getsize(path) > MOST_BYTES:
            continue
        store = place.ingest(path)
        single = [row for row in ask(place, "steps", store) if row["step"] != "mean"]
        if len({row["step"] for row in single}) * len({row["device"] for row in single}) != len(single):
            continue  # steps of several processes that have one number
        first = [row for row in single if row["device"] == single[0]["device"]]
        work = collections.defaultdict(list)
        for row in ask(place, "kernels", store, "--by", "step,family", "--copies", "--limit", "0"):
            work[str(row["step"])].append((row["family"], row["total_ns"]))
        if len(first) == 1 and "None" in work and len(work) == 1:
            work[first[0]["step"]] = work["None"]  # all of the recording is the step
        steps = [(row["phase"], row["requests"], row["tokens"], work[row["step"]]) for row in first]
        if all(row["phase"] is None for row in first):
            done = place.ptool("steps", store, "--by", "phase", check=False)
            tap.ok(done.returncode == 3 and "no annotation of an inference engine" in done.stderr,
                   f"{os.path.basename(path)[:40]}: no phases", done.stderr)
            continue
        got = ask(place, "steps", store, "--by", "phase")
        wrong = list(differences(got, sums(steps, [row["total_ns"] for row in first])))
        wrong += wrong_busy(got, single, {row["step"]: row["phase"] for row in first})
        tap.ok(not wrong, f"{os.path.basename(path)[:40]}: {len(steps)} steps", *wrong[:5])


def main():
    tap = storetap.Tap()
    with storetap.Workplace() as place:
        check_random(tap, place)
        check_cases(tap, place)
    tap.done()


main()
