#!/usr/bin/env python3
"""pipeline.py OUTFILE [SEED [DP PP TP CHUNKS MICROBATCHES STEPS]]: a timeline as ByteDance's StragglerAnalysis draws it.

A job trains with pipelines of PP stages: 1F1B, interleaved where a stage has several chunks.
Workers are threads of processes: a process is a data parallel replica, and the tids of a
worker are five times its rank and more.  `Pipeline(seed, ...)` keeps each operation as a
dict in `ops` (times in ns), so that a slow reference reads the same facts and never the JSON.

Operations run on streams: each begins once those before it have ended, and some launch delay
later; what joins several workers (a send and its receive, collectives) moves its bytes once
the last of them has begun.  Each op knows the keys of those that it comes after, and what it
joins.  Planted: a worker, a stage, a replica or a kind that is slow; receives and sends that
join nobody, as the profiler records too many of them; clocks that differ.
"""
import json
import random
import sys

KINDS = ("compute", "pp-comm", "tp-comm", "dp-comm", "misc")
THREAD = {"forward-compute": 0, "backward-compute": 0, "gc": 0, "optimizer": 0, "data-load": 0, "forward-send": 1,
          "forward-recv": 1, "backward-send": 1, "backward-recv": 1, "tp-allreduce": 2}
DELTA = {"forward": 1, "backward": -1}


def schedule(stage, stages, chunks, microbatches):
    """(direction, place) of each computation of a stage: Megatron-LM's 1F1B, interleaved or not."""
    total = chunks * microbatches
    warm = min(total, stages - stage - 1 if chunks == 1 else (stages - stage - 1) * 2 + (chunks - 1) * stages)
    order = [("forward", k) for k in range(warm)]
    for k in range(total - warm):
        order += [("forward", warm + k), ("backward", k)]
    return order + [("backward", k) for k in range(total - warm, total)]


def chunk_of(direction, place, stages, chunks):
    chunk = place % (stages * chunks) // stages
    return chunk if direction == "forward" else chunks - 1 - chunk


def microbatch_of(place, stages, chunks):
    return place // (stages * chunks) * stages + place % stages if chunks > 1 else place


class Pipeline:
    def __init__(self, seed=1, dp=None, pp=None, tp=1, chunks=None, microbatches=None, steps=None, cut=None, overlap=None,
                 plain=False, even=False, one_clock=False):
        r = self.random = random.Random(seed)
        self.even = even  # operations of a kind take equally long
        self.dp, self.pp, self.tp = dp or r.randint(1, 4), pp or r.randint(1, 4), tp
        self.chunks = chunks or (r.randint(1, 3) if self.pp > 1 else 1)
        self.microbatches = (microbatches or r.randint(1, 3)) * (self.pp if self.chunks > 1 else r.randint(1, 2))
        self.cut = r.random() < 0.5 if cut is None else cut  # waiting is cut away from what joins workers
        self.overlap = r.random() < 0.5 if overlap is None else overlap
        self.has_params = r.random() < 0.8
        self.spare = not plain and r.random() < 0.4  # a receive more than is needed
        self.skips = not plain and r.random() < 0.5  # the first receive of all, which joins nobody, is not recorded
        skew = 0 if plain or one_clock or r.random() < 0.5 else 30_000 if self.cut else 12_000_000
        self.transfer = r.choice([40_000, 4_000])  # shorter than clocks differ: some end before they begin
        self.clocks = {(d, p, t): r.randint(0, skew) for d in range(self.dp) for p in range(self.pp) for t in range(self.tp)}
        self.slow = {}
        if not plain:
            for _ in range(r.randint(1, 3)):
                self.slow[r.choice([("stage", self.pp - 1), ("worker", (r.randrange(self.dp), r.randrange(self.pp))),
                                    ("replica", r.randrange(self.dp)), ("kind", r.choice(["backward-compute", "forward-send"]))])] = r.uniform(1.2, 2.5)
        self.numbers = sorted(r.sample(range(500), steps or r.randint(1, 4)))
        self.base = {op: r.randint(200_000, 3_000_000) for op in ("forward-compute", "backward-compute", "optimizer")}
        self.ops, now = [], r.randint(0, 10**9)
        for number in self.numbers:
            now = self.step(number, now) + r.randint(0, 10**8)

    def rank(self, dp, pp, tp):
        return (pp * self.dp + dp) * self.tp + tp

    def length(self, name, dp, pp):
        usual = self.base.get(name, self.transfer)
        for what, factor in self.slow.items():
            if what in (("stage", pp), ("worker", (dp, pp)), ("replica", dp), ("kind", name)):
                usual *= factor
        return int(usual) if self.even else max(1, int(self.random.gauss(usual, usual / 20)))

    def plan(self, number, dp, tp):
        """The operations of one replica's step: key -> op, with the keys that each comes after."""
        plan = {}
        for pp in range(self.pp):
            def add(name, seq, after, chunk=None, mb=None, joins=None, pp=pp):
                key = (dp, tp, pp, name, seq)
                plan[key] = {"name": name, "seq": seq, "chunk": chunk, "mb": mb, "dp": dp, "pp": pp, "tp": tp, "step": number,
                             "after": [a for a in after if a], "joins": joins or key, "start": None, "end": None}
                return key
            self.computations(plan, pp, add, (dp, tp))
            self.ending(plan, pp, add, (dp, tp))
        return plan

    def computations(self, plan, pp, add, who):
        before, newest, done = None, {}, {"forward": [], "backward": []}
        order = schedule(pp, self.pp, self.chunks, self.microbatches)
        first_backward = [d for d, _ in order].index("backward")
        sequences, valid = {}, {}
        if self.dp > 1 and self.has_params:
            for chunk in range(self.chunks):
                newest["dp"] = add("params-all-gather", chunk, [newest.get("dp")], chunk, joins=("dp", pp, who[1], "ag", chunk))
                newest["ag", chunk] = newest["dp"]

        def comm(direction, what, after, chunk, is_real):
            name = f"{direction}-{what}"
            seq, k = sequences.get(name, 0), valid.get(name, 0)
            sender = pp if what == "send" else (pp - DELTA[direction]) % self.pp
            joins = (who, "p2p", direction, sender, k)
            key = add(name, seq, [newest.get(name), *after], chunk, joins=joins if is_real else None)
            newest[name], sequences[name], valid[name] = key, seq + 1, k + is_real
            return key

        for place, (direction, k) in enumerate(order):
            chunk = chunk_of(direction, k, self.pp, self.chunks)
            whole = chunk * self.pp + pp
            last = self.pp * self.chunks - 1
            is_first, is_last = (whole == 0, whole == last) if direction == "forward" else (whole == last, whole == 0)
            after = [before]
            records = self.chunks > 1  # also those that join nobody
            if direction == "backward" and place == first_backward and first_backward > 1:
                second = computed[first_backward - 2]
            else:
                second = None
            skips = self.skips and is_first and direction == "forward" and k == 0
            if not is_first or (records and not skips):
                after.append(comm(direction, "recv", [done[direction][-1] if done[direction] else None, second], chunk, not is_first))
            if direction == "forward" and ("ag", chunk) in newest:
                after.append(newest.pop(("ag", chunk)))
            before = add(f"{direction}-compute", k, after, chunk, microbatch_of(k, self.pp, self.chunks))
            done[direction].append(before)
            computed = done.setdefault("all", [])
            computed.append(before)
            newest["computed", direction, chunk] = before
            if not is_last or records:
                comm(direction, "send", [before, second], chunk, not is_last)
        if self.spare and pp > 0 and self.chunks == 1:  # one receive more than is needed, once all is computed
            comm("forward", "recv", [before], 0, False)
        self.state = newest, before

    def ending(self, plan, pp, add, who):
        newest, before = self.state
        gc = add("gc", 0, [before])
        shared = self.dp > 1
        grads = None
        if shared and self.overlap:
            for k, chunk in enumerate(reversed(range(self.chunks))):
                newest["dp"] = grads = add("grads-reduce-scatter", k, [newest.get("dp"), newest["computed", "backward", chunk]], chunk,
                                           joins=("dp", pp, who[1], "rs", k))
        chain = add("layernorm-grads-all-reduce", 0, [gc, grads])
        if pp in (0, self.pp - 1):
            chain = add("embedding-grads-all-reduce", 0, [chain], joins=(who, "embedding"))
        if shared and self.overlap:
            chain = add("separate-grads-all-reduce", 0, [chain], joins=("dp", pp, who[1], "separate"))
        elif shared:
            for k, chunk in enumerate(reversed(range(self.chunks))):
                chain = newest["dp"] = add("grads-reduce-scatter", k, [chain, newest.get("dp")], chunk, joins=("dp", pp, who[1], "rs", k))
        chain = add("optimizer-clip-main-grad", 0, [chain], joins=("all",))
        add("optimizer", 0, [chain])

    def step(self, number, now):
        plan = {}
        for dp in range(self.dp):
            for tp in range(self.tp):
                plan.update(self.plan(number, dp, tp))
        groups = {}
        for key, op in plan.items():
            groups.setdefault(op["joins"], []).append(key)
        waiting = {key: len(op["after"]) for key, op in plan.items()}
        begun, then = {}, {}
        for key, op in plan.items():
            for other in op["after"]:
                then.setdefault(other, []).append(key)
        ready = [key for key, n in waiting.items() if n == 0]
        while ready:
            key = ready.pop()
            op = plan[key]
            delay = 0 if self.random.random() < 0.5 else self.random.randint(0, 30_000)
            op["start"] = max([now] + [plan[a]["end"] for a in op["after"]]) + delay
            group = groups[op["joins"]]
            begun[op["joins"]] = begun.get(op["joins"], 0) + 1
            if begun[op["joins"]] < len(group):
                continue
            moves = max(plan[k]["start"] for k in group)
            for k in group:
                o = plan[k]
                o["end"] = moves + self.length(o["name"], o["dp"], o["pp"])
                for other in then.get(k, []):
                    waiting[other] -= 1
                    if waiting[other] == 0:
                        ready.append(other)
        assert all(op["end"] is not None for op in plan.values()), "operations wait for each other"
        for op in plan.values():
            clock = self.clocks[op["dp"], op["pp"], op["tp"]]
            op["start"], op["end"] = op["start"] + clock, op["end"] + clock
        begun = {group: max(plan[key]["start"] for key in keys) for group, keys in groups.items()}
        for key, op in plan.items():
            op["key"] = key
            if self.cut and len(groups[op["joins"]]) > 1:
                moves = op["end"] - begun[op["joins"]]
                op["start"] = op["end"] - (0 if moves <= -10_000_000 else moves)
        self.ops += sorted(plan.values(), key=lambda op: (self.rank(op["dp"], op["pp"], op["tp"]), op["name"], op["seq"]))
        return max(op["end"] for op in plan.values())

    def events(self):
        events = []
        for op in self.ops:
            rank = self.rank(op["dp"], op["pp"], op["tp"])
            events.append({"name": op["name"], "cat": op["name"], "pid": op["dp"],
                           "tid": rank * len(KINDS) + THREAD.get(op["name"], 3), "ts": op["start"] / 1000,
                           "dur": (op["end"] - op["start"]) / 1000, "ph": "X",
                           "args": {"step": op["step"], "model_chunk": op["chunk"], "mb_id": op["mb"], "seq_id": op["seq"]}})
        for pp in range(self.pp):
            for dp in range(self.dp):
                for tp in range(self.tp):
                    tid = self.rank(dp, pp, tp) * len(KINDS)
                    for i, kind in enumerate(KINDS):
                        events.append({"name": "thread_name", "pid": dp, "tid": tid + i, "ph": "M",
                                       "args": {"name": f"PP rank {pp}, TP rank {tp}, {kind}"}})
                        events.append({"name": "thread_sort_index", "pid": dp, "tid": tid + i, "ph": "M",
                                       "args": {"sort_index": tid + i}})
        return events + [{"name": "process_name", "pid": dp, "ph": "M", "args": {"name": f"DP rank [{dp}]"}}
                         for dp in range(self.dp)]

    def write(self, path):
        with open(path, "w", encoding="ascii") as out:
            json.dump(self.events(), out)


def main():
    sizes = [int(text) for text in sys.argv[3:]]
    names = ("dp", "pp", "tp", "chunks", "microbatches", "steps")
    Pipeline(int(sys.argv[2]) if len(sys.argv) > 2 else 1, **dict(zip(names, sizes))).write(sys.argv[1])


if __name__ == "__main__":
    main()
