#!/usr/bin/env python3
"""ptool flame: the tree in its page, node by node, against the slices of the store by path and
against folded stacks; sums that close, the order of siblings, two sides laid over each other.

The page's data are decoded here as src/report/page_flame.h describes them.
"""
import base64
import collections
import json
import marshal
import os
import re
import tempfile
import zlib

from callgraphs import FIXTURES, Tap, ptool, recorded_graph, slices_by_path

TRACES = ["torch/t2141_cnn_w0/trace.json.gz", "torch/t2141_cnn_w0_stack/trace.json.gz", "gpu/everything.json",
          "gpu/sync.json"]
OTHERS = ["pyprof/pstats/sys311/w_gen.prof"]


def element(page, name):
    """A data element's bytes, deflated or not."""
    kind, text = re.search(rf'<script type="application/([a-z-]+)" id="{name}">(.*?)</script>', page, re.S).groups()
    return text.encode() if kind == "json" else zlib.decompress(base64.b64decode(text), -15)


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def column(self, n):
        lengths = [self.number() for _ in range(self.number())]
        planes = []
        for length in lengths:
            planes.append(iter(self.data[self.at:self.at + length]))
            self.at += length
        numbers = []
        for _ in range(n if planes else 0):
            value = 0
            for k, plane in enumerate(planes):
                byte = next(plane)
                value |= (byte & 127) << 7 * k
                if byte < 128:
                    break
            numbers.append(value)
        return numbers or [0] * n


def flame(*args):
    """[{path, calls, self, total: {amount: ns}, base}] in the page's order."""
    page = ptool("flame", "-q", "--to", "html", *args).decode()
    meta = json.loads(element(page, "flame-graph-meta"))
    data = Bytes(element(page, "flame-graph"))
    n = data.number()
    depth, name, _ = (data.column(n) for _ in range(3))
    sides = [[data.column(n) for _ in range(3)] for _ in range(1 + meta["hasBase"])]
    assert data.at == len(data.data)
    nodes, path = [], []
    for i in range(n):
        del path[depth[i]:]
        path.append("" if i == 0 else meta["names"][name[i]])
        nodes.append({"path": tuple(path[1:]), "depth": depth[i], "calls": sides[0][0][i],
                      "self": {"host": sides[0][1][i], "device": sides[0][2][i]},
                      "base": sides[1][1][i] if meta["hasBase"] else 0})
    return nodes


def totals(nodes, amount):
    total = [node["self"][amount] for node in nodes]
    parents = []
    above = []
    for i, node in enumerate(nodes):
        del above[node["depth"]:]
        parents.append(above[-1] if above else None)
        above.append(i)
    for i in range(len(nodes) - 1, 0, -1):
        total[parents[i]] += total[i]
    return total, parents


def folded(*args):
    sums = collections.Counter()
    for line in ptool("export", "-q", "--to", "folded", *args).decode().splitlines():
        path, _, value = line.rpartition(" ")
        sums[tuple(path.split(";"))] += int(value)
    return sums


def by_path(nodes, amount):
    sums = collections.Counter()
    for node in nodes:
        if node["self"][amount]:
            sums[tuple(name.replace(";", ":") for name in node["path"])] += node["self"][amount]
    return sums


def unequal(want, got):
    return [f"{key}: {want.get(key)} expected, {got.get(key)} found" for key in want.keys() | got.keys()
            if want.get(key) != got.get(key)]


def check_order(tap, name, nodes):
    """Siblings: the largest first, equal ones by name."""
    total, parents = totals(nodes, "host")
    newest, wrong = {}, []
    for i in range(1, len(nodes)):
        before = newest.get(parents[i])
        if before is not None and (total[before], ) < (total[i], ):
            wrong.append(f"{nodes[i]['path']}: after a smaller one")
        newest[parents[i]] = i
    tap.ok(not wrong, f"{name}: siblings are in order of their size", wrong)
    tap.ok(total[0] == sum(node["self"]["host"] for node in nodes), f"{name}: the whole is all self times")


def check_trace(tap, path, scratch):
    name = os.path.relpath(path, FIXTURES)
    store = os.path.join(scratch, name.replace("/", "-") + ".db")
    ptool("ingest", "-q", "-o", store, path)
    nodes = flame(store)
    want = {path: (calls, max(0, self_ns)) for path, (calls, self_ns) in slices_by_path(store).items()}
    host = {node["path"]: (node["calls"], node["self"]["host"]) for node in nodes[1:] if not node["self"]["device"]}
    lines = [f"{path}: {want.get(path)} expected, {got} found" for path, got in host.items() if want.get(path) != got]
    tap.ok(not lines and len(host) > 3, f"{name}: every path of the slices", lines)
    lost = [path for path, (_, self_ns) in want.items() if self_ns and path not in host]
    tap.ok(not lost, f"{name}: no path with time is lost", [f"{path}" for path in lost])
    lines = unequal(folded(store), by_path(nodes, "host"))
    tap.ok(not lines, f"{name}: host times are those of folded stacks", lines)
    check_order(tap, name, nodes)
    if any(node["self"]["device"] for node in nodes):
        lines = unequal(folded("--weight", "device", store), by_path(nodes, "device"))
        tap.ok(not lines, f"{name}: device times are those of folded stacks", lines)


def check_other(tap, path):
    name = os.path.basename(path)
    nodes = flame(path)
    lines = unequal(folded(path), by_path(nodes, "host"))
    tap.ok(not lines and len(nodes) > 2, f"{name}: times are those of folded stacks", lines)
    check_order(tap, name, nodes)


def check_recursion(tap, scratch):
    """Functions that call each other: all paths together have no more than the profile's time."""
    for seed in range(3):
        graph = recorded_graph(seed)
        whole = sum(round(row[2] * 1e9) for row in graph.values())
        path = os.path.join(scratch, f"recorded{seed}.prof")
        with open(path, "wb") as file:
            marshal.dump(graph, file)
        sums = [sum(node["self"]["host"] for node in flame(path, *options)) for options in ([], ["--min", "5"])]
        tap.ok(all(0.75 * whole < got <= whole + 4000 for got in sums), f"recorded {seed}: not more than the profile's time",
               [f"{sums} of {whole}"])


def check_inverted(tap, path):
    """The first level is what functions have themselves; below are callers."""
    nodes = flame(path, "--inverted")
    total, _ = totals(nodes, "host")
    want = collections.Counter()
    for names, value in by_path(flame(path), "host").items():
        want[names[-1]] += value
    got = {node["path"][0].replace(";", ":"): total[i] for i, node in enumerate(nodes) if node["depth"] == 1}
    lines = unequal(want, {name: value for name, value in got.items() if value})
    tap.ok(not lines, "--inverted begins with the self times of functions", lines)


def check_sides(tap, scratch):
    sides = {}
    for side, text in (("before", "a;b 50\na;c 20\na;gone;x 7\n"), ("after", "a;b 40\na;c 60\na;new 5\n")):
        sides[side] = os.path.join(scratch, side + ".folded")
        with open(sides[side], "w", encoding="utf-8") as file:
            file.write(text)
    nodes = flame(sides["after"], "--base", sides["before"])
    got = {node["path"]: (node["self"]["host"], node["base"]) for node in nodes}
    want = {(): (0, 0), ("a", ): (0, 0), ("a", "b"): (40, 50), ("a", "c"): (60, 20), ("a", "new"): (5, 0),
            ("a", "gone"): (0, 0), ("a", "gone", "x"): (0, 7)}
    tap.ok(got == want, "two sides are laid over each other by path", unequal(want, got))


def check_steps(tap, scratch):
    """A base of one step is scaled to the two of the other side."""
    paths = []
    for steps in (1, 2):
        events = [{"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": 1, "ts": 1000 * n, "dur": dur}
                  for n in range(steps) for kind, name, dur in (("user_annotation", f"ProfilerStep#{n}", 100), ("cpu_op", "aten::mm", 40))]
        paths.append(os.path.join(scratch, f"steps{steps}.json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
    got = {node["path"]: (node["self"]["host"], node["base"]) for node in flame(paths[1], "--base", paths[0])}
    want = {(): (0, 0), ("ProfilerStep*", ): (120000, 120000), ("ProfilerStep*", "aten::mm"): (80000, 80000)}
    tap.ok(got == want, "a base of fewer steps is scaled", unequal(want, got))
    for options, scaled in ((["--cat", "cpu_op"], 80000), (["--root-at", "aten::mm"], 80000), (["--step", "0"], 40000),
                            (["--time", "0..900ns"], 40000), (["--by", "step"], 40000)):
        base = sum(node["base"] for node in flame(paths[1], "--base", paths[0], *options) if node["path"][-1:] == ("aten::mm", ))
        tap.ok(base == scaled, f"as many steps as {options[0]} leaves", f"{base}, expected {scaled}")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PTOOL_CACHE"] = os.path.join(scratch, "cache")
        for name in TRACES:
            check_trace(tap, os.path.join(FIXTURES, name), scratch)
        for name in OTHERS:
            check_other(tap, os.path.join(FIXTURES, name))
        check_recursion(tap, scratch)
        check_inverted(tap, os.path.join(FIXTURES, TRACES[0]))
        check_sides(tap, scratch)
        check_steps(tap, scratch)
    tap.done()


main()
