#!/usr/bin/env python3
"""check_names.py: names of replayed kernels, by a recording of the same program in which they are
launched one by one, or by a capture, on random made pairs: `kernels --by op`, `top`, `modules`,
`tree` and `graphs` against a slow computation, and no name that is not the true one.
TAP.   timeout: 120 s
"""
import collections
import contextlib
import json
import os
import random
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), HERE]
import pairs  # noqa: E402
from storetap import Tap, Workplace  # noqa: E402

LEAST = 4


def rows(place, command, store, *options):
    done = place.ptool(command, store, "--format", "json", *options, check=False)
    return json.loads(done.stdout)["rows"] if done.returncode == 0 else []


def agreed(steps):
    """What the launches agree in: the whole path, or its operators alone."""
    steps = list(steps)
    if all(s == steps[0] for s in steps):
        return steps[0]
    return ((), steps[0][1]) if all(s[1] == steps[0][1] for s in steps) else None


def slow_names(sequence, source):
    """The path of each kernel of a sequence, or None.  `source`: (name, path)s of launches."""
    found, at, pieces = [None] * len(sequence), 0, collections.defaultdict(list)
    names = [name for name, _ in source]
    while at < len(sequence):
        length, places = 0, list(range(len(names)))
        while at + length < len(sequence):
            fits = [p for p in places if p + length < len(names) and names[p + length] == sequence[at + length]]
            if not fits:
                break
            places, length = fits, length + 1
        if length == len(sequence) or length >= LEAST:
            pieces[tuple(places), length].append(at)
        at += max(length, 1)
    for (places, length), starts in pieces.items():
        turn = len(starts) if len(places) % len(starts) == 0 else 1
        for number, start in enumerate(starts):
            mine = places[number % turn::turn]
            for i in range(length):
                if all(b - a >= length for a, b in zip(places, places[1:])):
                    found[start + i] = agreed(source[p + i][1] for p in mine)
                else:
                    found[start + i] = agreed(path for name, path in source if name == sequence[start + i])
    return found


def around(step):
    """What the launch of a step is in, as its path tells it."""
    return (step[0], tuple(step[1]))


def without(rng, program, share):
    return [step for step in program if rng.random() >= share]


def check_sums(place, store, program, replays, found, is_captured=False):
    """What differs in the tables, when `found` are the paths of the program's kernels, or None."""
    ops, modules, totals = collections.Counter(), collections.Counter(), collections.Counter()
    named = sum(step[3] for step, path in zip(program, found) if path) * replays * pairs.US
    for step, path in zip(program, found):
        ns = step[3] * replays * pairs.US
        ops[step[2], path[1][-1] if path else "CompiledGraph"] += ns
        if not path:
            continue
        for depth in range(1, len(path[0]) + 1):
            modules[";".join(path[0][:depth])] += ns
        for op in set(path[1]):
            totals[op] += ns
    told = {(r["name"], r["op"]): r["total_ns"] for r in rows(place, "kernels", store, "--by", "op", "--copies")}
    if told != dict(ops):
        yield f"kernels --by op: {told}, expected {dict(ops)}"
    told = {r["path"]: r["total_device_ns"] for r in rows(place, "modules", store) if r["total_device_ns"]}
    if told != dict(modules):
        yield f"modules: {told}, expected {dict(modules)}"
    host = {r["name"]: r for r in rows(place, "top", store) if r["kind"] == "host"}
    whole = sum(step[3] for step in program) * replays * pairs.US
    for op, ns in totals.items():
        if op not in host or host[op]["total_device_ns"] != ns or bool(host[op]["calls"]) != is_captured:
            yield f"top: {op} {host.get(op)}, expected {ns}"
    if host["CompiledGraph"]["self_device_ns"] != whole - named or host["CompiledGraph"]["total_device_ns"] != whole:
        yield f"top: the launch has {host['CompiledGraph']}, expected {whole - named} of {whole}"
    if sum(r["self_device_ns"] for r in host.values()) != whole:
        yield "top: own device times do not add up to all"
    tree = rows(place, "tree", store, "--kernels", "--depth", "0", "--min", "0")
    launches = [r["total_device_ns"] for r in tree if r["name"] == "CompiledGraph"]
    if launches != [whole]:
        yield f"tree: {launches}, expected {whole}"
    graphs = rows(place, "graphs", store)
    if sum(r["named_ns"] for r in graphs) != named:
        yield f"graphs: {sum(r['named_ns'] for r in graphs)} named, expected {named}"


def check_eager(tap, place, seed):
    """One recording has the kernels one by one, some of which may be missing; so may some of the graph."""
    rng = random.Random(seed)
    program = pairs.program(rng, rng.randrange(1, 5), distinct=rng.random() < .2)
    share = rng.choice([0, 0, .05, .2])
    eager, graph = pairs.Recording(), pairs.Recording()
    source = []
    for number in range(rng.randrange(1, 4)):
        turn = without(rng, program, share)
        eager.iteration(number, turn)
        source += [(step[2], around(step)) for step in turn]
    replayed = without(rng, program, share / 2) or program[:1]
    replays = rng.randrange(1, 4)
    ids = rng.random() < .5
    for _ in range(replays):
        graph.replay(replayed, 7 if ids else None, rng if ids and rng.random() < .5 else None)
    store = place.path("g.db")
    place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("eager.json")),
                graph.save(place.path("graph.json")))
    found = slow_names([step[2] for step in replayed], source)
    wrong = [f"{step} is {path}" for step, path in zip(replayed, found)
             if path and path[1] != around(step)[1] and share == 0]
    wrong += check_sums(place, store, replayed, replays, found)
    tap.ok(not wrong, f"pair {seed}: {sum(f is not None for f in found)} of {len(found)} named", *wrong)
    os.remove(store)


def check_captured(tap, place, seed):
    """The recording itself has the captures, which tell no names: alone, and beside others."""
    rng = random.Random(1_000 + seed)
    program = pairs.program(rng, 2)
    other = [step for step in pairs.program(rng, 3) if len(program) > 1]
    trace = pairs.Recording()
    trace.capture(program)
    kinds = [step[2][:6] if step[2].startswith("Mem") else "" for step in program]
    confused = [step[2][:6] if step[2].startswith("Mem") else "" for step in other] == kinds
    if seed % 2:
        trace.capture(other)
    replays = rng.randrange(1, 4)
    for _ in range(replays):
        trace.replay(program, 3 if seed % 3 else None, rng if seed % 3 else None)
    store = place.ingest(trace.save(place.path("t.json")))
    found = [around(step) for step in program]
    wrong = [] if confused and seed % 2 else list(check_sums(place, store, program, replays, found, True))
    tap.ok(not wrong, f"capture {seed}", *wrong)


def check_ranks(tap, place):
    """The work of each rank's replays is in the rows of its calls, on each axis."""
    program, tables = [(("Net_0",), ["aten::mm"], "gemm", 10)], {}
    os.mkdir(place.path("ranks"))
    for rank in range(2):
        trace = pairs.Recording()
        trace.capture(program)
        trace.replay(program, 5)
        trace.save(place.path(f"ranks/a-TP-{rank}-DP-0.trace.json"))
    store = place.ingest(place.path("ranks"))
    for axis in ("tp", "profile"):
        told = [r for r in rows(place, "top", store, "--by", axis, "--limit", "0") if r["kind"] == "host"]
        tables[axis] = [(r["name"], r["calls"], r["self_device_ns"]) for r in told if r["self_device_ns"]]
    tap.same(tables, dict.fromkeys(tables, [("aten::mm", 1, 10 * pairs.US)] * 2), "captures of two ranks, by axis")


def check_ambiguous(tap, place):
    """Two graphs of the same kinds and one capture, or kernels that several operators launch: no name."""
    a = [(("Net_0",), ["aten::mm"], "gemm", 3), (("Net_0",), ["aten::add"], "add", 4)]
    b = [(("Net_0",), ["aten::bmm"], "gemm_b", 5), (("Net_0",), ["aten::sub"], "sub", 6)]
    trace = pairs.Recording()
    trace.capture(a)
    trace.replay(a)
    trace.replay(b)
    store = place.ingest(trace.save(place.path("t.json")))
    tap.same([r["named_ns"] for r in rows(place, "graphs", store)], [0, 0], "two graphs, one capture: no name")
    eager, graph = pairs.Recording(), pairs.Recording()
    eager.iteration(0, a + [((), ["aten::matmul"], "gemm", 1), ((), ["aten::add_"], "add", 1)])
    graph.replay(a)
    store = place.path("a.db")
    place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("e.json")),
                graph.save(place.path("g.json")))
    tap.same([r["named_ns"] for r in rows(place, "graphs", store)], [0], "launched in two places: no name")


def check_layers(tap, place):
    """A copy in each layer, which the graph has not, cuts it: layers are told apart by their order."""
    def layer(i):
        return [(("Net_0", f"Layer_{i}"), [f"aten::op{k}"], f"k{k}", 1 + 5 * i + k) for k in range(5)]

    for turns, layers in ((1, 3), (2, 3), (2, 2)):
        eager, graph = pairs.Recording(), pairs.Recording()
        for number in range(turns):
            eager.iteration(number, [s for i in range(3) for s in (*layer(i), (("Net_0",), ["aten::copy_"], "Memcpy", 1))])
        program = [step for i in range(layers) for step in layer(i)]
        graph.replay(program)
        store = place.path("l.db")
        place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("e.json")),
                    graph.save(place.path("g.json")))
        told = {r["path"]: r["total_device_ns"] for r in rows(place, "modules", store)}
        expected = {f"Net_0;Layer_{i}": sum(s[3] for s in layer(i)) * pairs.US for i in range(layers)}
        told.pop("Net_0", None)
        # two of three layers: which ones is not known, but their operators are
        ops = {(r["name"], r["op"]) for r in rows(place, "kernels", store, "--by", "op")}
        tap.ok(told == (expected if layers == 3 else {}) and ops == {(f"k{k}", f"aten::op{k}") for k in range(5)},
               f"{layers} of 3 layers, {turns} turns", told, ops)


def check_damaged(tap, place):
    """Rows that cannot be are told, and nothing is counted by them."""
    program = pairs.program(random.Random(1), 2)
    eager, graph = pairs.Recording(), pairs.Recording()
    eager.iteration(0, program)
    graph.replay(program)
    store = place.path("d.db")
    place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("e.json")),
                graph.save(place.path("g.json")))
    wrong = []
    for change in ("path = 99", "path = -1 WHERE sequence = 1", "place = 7 WHERE id = 2", "sequence = 5 WHERE sequence = 1",
                   "class = 99 WHERE sequence = 0"):
        shutil.copy(store, place.path("x.db"))
        with contextlib.closing(sqlite3.connect(place.path("x.db"))) as db, db:
            db.execute(f"UPDATE graph_name_part SET {change}")
        for command in ("top", "modules", "graphs"):
            done = place.ptool(command, place.path("x.db"), check=False)
            if done.returncode != 4 or "graph_name_part do not fit together" not in done.stderr:
                wrong.append(f"{change}: {command} exits with {done.returncode}: {done.stderr}")
    tap.ok(not wrong, "rows that do not fit together are told", *wrong)
    told = place.ptool("info", store).stdout
    tap.ok("the operators of 100.0% of their device time are known" in told, "info tells how much is named", told)
    os.remove(store)


def check_deep(tap, place):
    """Below so many calls that no path is told, there is no name; a call less deep has one."""
    for depth, named in ((500, 2), (600, 0)):
        program = [(("Net_0",), [f"aten::op{k}" for k in range(depth)], "gemm", 2)]
        eager, graph = pairs.Recording(), pairs.Recording()
        eager.iteration(0, program)
        graph.replay(program)
        store = place.path("deep.db")
        place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("e.json")),
                    graph.save(place.path("g.json")))
        tap.same([r["named_ns"] for r in rows(place, "graphs", store)], [named * pairs.US], f"{depth} calls around")


def check_large(tap, place):
    """Many equal kernels, many graphs: in time that grows with them."""
    one = (("Net_0",), ["aten::mm"], "gemm", 1)
    for name, eager_program, graphs in (("64,000 equal kernels in one graph", [one] * 64_000, [[one] * 64_000]),
                                        ("2,000 graphs", [one] * 2_000, [[one] * (1 + i % 90) for i in range(2_000)])):
        eager, graph = pairs.Recording(), pairs.Recording()
        for step in eager_program:
            eager.launch(step)
        for i, program in enumerate(graphs):
            graph.replay(program)
        store = place.path("large.db")
        place.ptool("ingest", "-q", "-o", store, "--names-from", eager.save(place.path("e.json")),
                    graph.save(place.path("g.json")))
        told = rows(place, "kernels", store, "--by", "op")
        tap.same([(r["op"], r["calls"]) for r in told], [("aten::mm", sum(map(len, graphs)))], name)
        os.remove(store)


def main():
    tap = Tap()
    with Workplace() as place:
        for seed in range(12):
            check_eager(tap, place, seed)
        for seed in range(6):
            check_captured(tap, place, seed)
        check_ranks(tap, place)
        check_ambiguous(tap, place)
        check_layers(tap, place)
        check_deep(tap, place)
        check_damaged(tap, place)
        check_large(tap, place)
    tap.done()


main()
