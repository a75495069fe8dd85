"""pipeline_files.py: timelines of StragglerAnalysis with n operations, as structures.py's.

`KINDS` maps a name to a function of (n, folder, stretch) that makes the file.
"""
import json

from other_files import save

PARTS = (("forward-recv", 1), ("forward-compute", 0), ("forward-send", 1), ("backward-recv", 1), ("backward-compute", 0), ("backward-send", 1))


def operations(dp, pp, rank, step, numbers):
    """Those of one worker's step: a forward and a backward computation of each number, with transfers."""
    for number in numbers:
        for part, (name, thread) in enumerate(PARTS):
            ts = 100 * (len(PARTS) * (step + number) + part) + pp
            yield {"name": name, "cat": name, "ph": "X", "pid": dp, "tid": 5 * rank + thread, "ts": ts, "dur": 90,
                   "args": {"step": step, "model_chunk": 0, "mb_id": number, "seq_id": number}}


def timeline(replicas, stages, steps, microbatches):
    for dp in range(replicas):
        for pp in range(stages):
            rank = dp * stages + pp
            for step in range(steps):
                yield from operations(dp, pp, rank, step, range(microbatches))
            for thread, kind in enumerate(("compute", "pp-comm")):
                yield {"name": "thread_name", "ph": "M", "pid": dp, "tid": 5 * rank + thread,
                       "args": {"name": f"PP rank {pp}, TP rank 0, {kind}"}}
        yield {"name": "process_name", "ph": "M", "pid": dp, "args": {"name": f"DP rank [{dp}]"}}


def write(folder, stretch, *sizes):
    events = list(timeline(*sizes))
    for event in events:
        for key in ("ts", "dur") if event["ph"] == "X" else ():
            event[key] *= stretch
    return save(folder, "timeline.json", json.dumps(events).encode())


def microbatches_of_a_pipeline(n, folder, stretch):
    return write(folder, stretch, 2, 2, 1, max(1, n // 24))


def steps_of_a_pipeline(n, folder, stretch):
    return write(folder, stretch, 2, 2, max(1, n // 24), 1)


def replicas_of_a_pipeline(n, folder, stretch):
    return write(folder, stretch, max(2, n // 192), 2, 1, 16)


KINDS = {make.__name__: make for make in (microbatches_of_a_pipeline, steps_of_a_pipeline, replicas_of_a_pipeline)}
