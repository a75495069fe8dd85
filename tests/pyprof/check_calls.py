#!/usr/bin/env python3
"""ptool top, callers, callees and tree on call graphs and traces, against sums made here.  timeout: 300 s

The same rows from the dict of the dump; estimated trees that show pstats' cumulative times and
whose whole is the profile's; trees of traces against the slices in the store, by path.
"""
import collections
import json
import marshal
import os
import pstats
import tempfile

from callgraphs import FIXTURES, Tap, fixture_dumps, ptool, random_graph, recorded_graph, shared_dumps, slices_by_path

TRACES = ["t2141_cnn_w0", "t2141_cnn_w0_stack", "t260_ddp_rank0"]


def rows(*args):
    return json.loads(ptool(*args, "--format", "json"))["rows"]


def ns(seconds):
    return round(seconds * 1e9) if seconds == seconds and abs(seconds) < 9e9 else None


def dump(graph, scratch, name):
    path = os.path.join(scratch, name + ".prof")
    with open(path, "wb") as file:
        marshal.dump(graph, file)
    return path


def close_to(want, got):
    """Nanoseconds of a double are rounded once for each; None was not comparable."""
    return all(a == b or (isinstance(a, int) and isinstance(b, int) and abs(a - b) <= 4) for a, b in zip(want, got))


def differences(want, got):
    lines = [f"{key}: {want.get(key)} expected, {got.get(key)} found" for key in want.keys() ^ got.keys()]
    return lines + [f"{key}: {want[key]} expected, {got[key]} found" for key in want
                    if key in got and not close_to(want[key], got[key])]


def edges_of(graph):
    """(caller, callee) -> calls, primitive calls, self, total."""
    edges = {}
    for callee, (_, _, _, _, callers) in graph.items():
        for caller, sums in callers.items():
            edges[caller, callee] = ((sums, None, None, None) if isinstance(sums, int) else
                                     (sums[0], sums[1], ns(sums[2]), ns(sums[3])))
    return edges


def edge_rows(got):
    return {((row["caller_file"], row["caller_line"], row["caller_function"]),
             (row["file"], row["line"], row["function"])):
            (row["calls"], row["primitive_calls"], row["self_ns"], row["total_ns"]) for row in got}


def check_functions(tap, name, graph, path):
    got = {(row["file"], row["line"], row["function"]):
           (row["calls"], row["primitive_calls"], row["self_ns"], row["total_ns"]) for row in rows("top", path, "--limit", "0")}
    want = {key: (nc, cc, ns(tt), ns(ct)) for key, (cc, nc, tt, ct, _) in graph.items()}
    lines = differences(want, got)
    tap.ok(not lines and want, f"{name}: top has every function", lines)


def check_orders(tap, name, graph, path):
    """Each key sorts as Python does; ties keep the order of the recording."""
    by = {"total": (lambda key: graph[key][3], True), "tottime": (lambda key: graph[key][2], True),
          "ncalls": (lambda key: graph[key][1], True), "pcalls": (lambda key: graph[key][0], True),
          "name": (lambda key: key[2].encode(), False), "file": (lambda key: key[0].encode(), False),
          "line": (lambda key: key[1], False), "nfl": (lambda key: (key[2].encode(), key[0].encode(), key[1]), False),
          "stdname": (lambda key: pstats.func_std_string(key).encode(), False), "none": (lambda key: 0, False)}
    for sort, (value, largest_first) in by.items():
        for reverse in (False, True):
            if sort == "none" and reverse:
                want = list(graph)[::-1]
            else:
                want = sorted(graph, key=value, reverse=largest_first != reverse)
            options = ["--reverse"] if reverse else []
            got = [(row["file"], row["line"], row["function"])
                   for row in rows("top", path, "--limit", "7", "--sort", sort, *options)]
            tap.ok(got == want[:7], f"{name}: --sort {sort} {' '.join(options)}", [f"{want[:7]}", f"{got}"])


def check_edges(tap, name, graph, path):
    want = edges_of(graph)
    for command in ("callers", "callees"):
        lines = differences(want, edge_rows(rows(command, ".", path)))
        tap.ok(not lines and want, f"{name}: {command} of all are all edges", lines)
    caller, callee = next(iter(want))
    escaped = "^" + "".join(c if c.isalnum() else "\\x{%x}" % ord(c) for c in pstats.func_std_string(callee)) + "$"
    lines = differences({key: value for key, value in want.items() if key[1] == callee},
                        edge_rows(rows("callers", escaped, path)))
    tap.ok(not lines, f"{name}: callers of one function", lines)


def check_strip(tap, scratch):
    """Callers whose names meet are added, where pstats keeps the last one."""
    graph = {("/a/x.py", 1, "f"): (5, 5, 0.5, 1.0, {("/a/m.py", 3, "g"): (2, 2, 0.2, 0.4), ("/b/m.py", 3, "g"): (3, 3, 0.3, 0.6)}),
             ("/a/m.py", 3, "g"): (1, 1, 0.1, 1.0, {}), ("/b/m.py", 3, "g"): (1, 1, 0.1, 1.0, {})}
    got = edge_rows(rows("callers", "f", dump(graph, scratch, "strip"), "--strip-dirs"))
    want = {(("m.py", 3, "g"), ("x.py", 1, "f")): (5, 5, 500000000, 1000000000)}
    tap.ok(got == want, "--strip-dirs adds callers that have one name then", [f"{got}"])


def misplaced(tree):
    """Rows whose path or depth is not that of their parent and their name."""
    node = {row["id"]: row for row in tree}
    for row in tree:
        parent = node.get(row["parent_id"])
        path = (parent["path"] + ";" if parent else "") + row["name"]
        if row["path"] != path or row["depth"] != (parent["depth"] + 1 if parent else 0):
            yield f"{row['id']}: {row['path']} below {parent}"


def check_closing(tap, name, tree, depth=0):
    """total = self + children, for each node above the deepest level; and the paths are those of the parents."""
    children = collections.Counter()
    wrong = list(misplaced(tree))
    for row in tree:
        children[row["parent_id"]] += row["total_ns"]
    for row in tree:
        if depth and row["depth"] == depth - 1:
            continue
        if row["total_ns"] != row["self_ns"] + children[row["id"]]:
            wrong.append(f"{row['path']}: {row['total_ns']} is not {row['self_ns']} + {children[row['id']]}")
    tap.ok(not wrong and tree, f"{name}: each node is its self time and its children", wrong)
    tap.ok(not depth or max(row["depth"] for row in tree) < depth, f"{name}: {depth} levels")
    return children[None]


def check_dividing(tap, name, tree):
    """An estimate: no row takes more than its parent, or than all; the sum of the roots."""
    node = {row["id"]: row for row in tree}
    wrong = list(misplaced(tree))
    for row in tree:
        parent = node.get(row["parent_id"])
        if (parent and row["total_ns"] > parent["total_ns"]) or row["self_ns"] > row["total_ns"]:
            wrong.append(f"{row['path']}: {row['total_ns']} and {row['self_ns']} below {parent}")
        if row["total_pct"] and row["total_pct"] > 100.000001:
            wrong.append(f"{row['path']}: {row['total_pct']} %")
    tap.ok(not wrong and tree, f"{name}: no row takes more than its parent", wrong)
    return sum(row["total_ns"] for row in tree if row["parent_id"] is None)


def check_estimate(tap, name, graph, path, whole_ns):
    for options in ([], ["--min", "0", "--depth", "6"], ["--limit", "2"], ["--min", "50us"]):
        tree = rows("tree", path, *options)
        total = check_dividing(tap, f"{name} {' '.join(options)}", tree)
        tap.ok(all(row["is_estimated"] for row in tree), f"{name} {' '.join(options)}: it says estimated")
        tap.ok("--depth" not in options or max(row["depth"] for row in tree) < 6, f"{name}: 6 levels are 6")
        if whole_ns:
            tap.ok(abs(total - whole_ns) <= len(graph) + 2, f"{name} {' '.join(options)}: all of the profile's time",
                   [f"{total} of {whole_ns}"])


def check_imports(tap, scratch):
    """exec runs the program, which imports a module, which exec runs, too: both have their cumulative time."""
    ex, main, load, module = ("~", 0, "exec"), ("main.py", 1, "<module>"), ("boot.py", 1, "load"), ("m.py", 1, "<module>")
    graph = {ex: (1, 2, 0.5, 10.0, {load: (1, 1, 0.25, 7.0)}), main: (1, 1, 1.5, 9.5, {ex: (1, 1, 1.5, 9.5)}),
             load: (1, 1, 1.0, 8.0, {main: (1, 1, 1.0, 8.0)}), module: (1, 1, 7.0, 7.0, {ex: (1, 1, 7.0, 7.0)})}
    path = dump(graph, scratch, "imports")
    got = {row["path"]: (row["kind"], row["total_ns"] / 1e9, row["self_ns"] / 1e9, row["total_pct"]) for row in rows("tree", path)}
    want = {"exec": ("call", 10, 0.5, 100), "exec;main.py:1(<module>)": ("call", 9.5, 1.5, 95),
            "exec;main.py:1(<module>);boot.py:1(load)": ("call", 8, 1, 80),
            "exec;main.py:1(<module>);boot.py:1(load);exec (recursion)": ("recursion", 7, 0, 70),
            "exec;m.py:1(<module>)": ("call", 7, 7, 70)}
    tap.ok(got == want, "recursion through exec leaves pstats' cumulative times", [f"{got}"])
    got = [(row["depth"], row["name"], row["total_ns"] / 1e9, row["total_pct"]) for row in rows("tree", path, "--root-at", "load|m.py")]
    tap.ok(got[:2] == [(0, "boot.py:1(load)", 8, 100), (1, "exec", 7, 87.5)] and [row[0] for row in got].count(0) == 1,
           "--root-at begins where it says, with all of its time", [f"{got}"])


def check_call_counts(tap, scratch):
    """`python -m profile` knows no times of edges, and none of what it begins with."""
    top, code, ex = ("profile", 0, "profiler"), ("p.py", 1, "<module>"), ("", 0, "exec")
    graph = {top: (0, 0, 0, 0, {}), code: (1, 1, 0.25, 4.0, {top: 1}), ex: (1, 3, 3.75, 3.75, {code: 1, ex: 2})}
    got = [(row["depth"], row["name"], row["total_ns"] / 1e9) for row in rows("tree", dump(graph, scratch, "counts"))]
    tap.ok(got == [(0, "profile:0(profiler)", 4), (1, "p.py:1(<module>)", 4), (2, ":0(exec)", 3.75)],
           "a dump of profile is no tree of zeros", [f"{got}"])


def check_simple(tap, scratch):
    """A graph that has one tree only: then the estimate is the truth."""
    f, g, h, k = [("a.py", line, name) for line, name in enumerate("fghk")]
    graph = {f: (1, 1, 1.0, 10.0, {}), g: (2, 2, 2.0, 5.0, {f: (2, 2, 2.0, 5.0)}), h: (4, 4, 3.0, 3.0, {g: (4, 4, 3.0, 3.0)}),
             k: (1, 1, 4.0, 4.0, {f: (1, 1, 4.0, 4.0)})}
    tree = rows("tree", dump(graph, scratch, "simple"))
    got = [(row["depth"], row["name"], row["calls"], row["self_ns"] // 10**9, row["total_ns"] // 10**9) for row in tree]
    want = [(0, "a.py:0(f)", 1, 1, 10), (1, "a.py:1(g)", 2, 2, 5), (2, "a.py:2(h)", 4, 3, 3), (1, "a.py:3(k)", 1, 4, 4)]
    tap.ok(got == want, "a graph with one path to each function is its tree", [f"{got}"])


def check_shares(tap, scratch):
    """g is called from two places: what it calls is shared out as its time is."""
    a, b, g, h = [("a.py", line, name) for line, name in enumerate("abgh")]
    graph = {a: (1, 1, 1.0, 4.0, {}), b: (1, 1, 1.0, 2.0, {}), g: (4, 4, 2.0, 4.0, {a: (3, 3, 1.5, 3.0), b: (1, 1, 0.5, 1.0)}),
             h: (8, 8, 2.0, 2.0, {g: (8, 8, 2.0, 2.0)})}
    tree = rows("tree", dump(graph, scratch, "shares"))
    got = {row["path"]: (row["calls"], row["self_ns"], row["total_ns"]) for row in tree}
    want = {"a.py:0(a);a.py:2(g);a.py:3(h)": (6, 1500000000, 1500000000), "a.py:1(b);a.py:2(g);a.py:3(h)": (2, 500000000, 500000000)}
    tap.ok(all(got.get(path) == value for path, value in want.items()), "callees are split by the callers' shares", [f"{got}"])


def check_recursion(tap, scratch):
    """A ring is gone through once; what it calls itself is cut, and the time is all there."""
    top, a, b = ("t.py", 1, "top"), ("r.py", 1, "a"), ("r.py", 2, "b")
    graph = {top: (1, 1, 1.0, 7.0, {}), a: (1, 3, 3.0, 6.0, {top: (1, 1, 1.0, 6.0), b: (2, 2, 2.0, 4.0)}),
             b: (1, 2, 3.0, 5.0, {a: (2, 1, 3.0, 5.0)})}
    path = dump(graph, scratch, "ring")
    tree = rows("tree", path, "--min", "0")
    kinds = [(row["depth"], row["kind"]) for row in tree]
    tap.ok(kinds == [(0, "call"), (1, "call"), (2, "call"), (3, "recursion")], "a ring is cut where it closes", [f"{kinds}"])
    tap.ok(check_dividing(tap, "ring", tree) == 7 * 10**9, "a ring takes what it took")


def check_trace(tap, name, scratch):
    trace = os.path.join(FIXTURES, "torch", name, "trace.json.gz")
    store = os.path.join(scratch, name + ".db")
    ptool("ingest", "-q", "-o", store, trace)
    want = slices_by_path(store)
    tree = rows("tree", store, "--min", "0", "--depth", "0")
    node = {}
    for row in tree:
        node[row["id"]] = node.get(row["parent_id"], ()) + (row["name"],)
    got = {node[row["id"]]: [row["calls"], row["self_ns"]] for row in tree}
    lines = [f"{path}: {want.get(path)} expected, {got.get(path)} found" for path in sorted(want.keys() | got.keys())
             if want.get(path) != got.get(path)]
    tap.ok(not lines and len(want) > 10, f"{name}: every path of the slices", lines)
    total = check_closing(tap, name, tree)
    tap.ok(total == sum(self_ns for _, self_ns in want.values()), f"{name}: all self times")
    for options in (["--min", "5"], ["--depth", "3"], ["--limit", "1"], ["--focus", "mm"], ["--ignore", "aten::"],
                    ["--min", "1ms"]):
        depth = int(options[1]) if options[0] == "--depth" else 0
        part = check_closing(tap, f"{name} {' '.join(options)}", rows("tree", store, *options), depth)
        if options[0] not in ("--focus", "--ignore"):
            tap.ok(part == total, f"{name} {' '.join(options)}: what is cut is summed")
    focused = rows("tree", store, "--focus", "mm", "--min", "0", "--depth", "0")
    wanted = sum(self_ns for path, (_, self_ns) in want.items() if any("mm" in part for part in path))
    tap.ok(sum(row["self_ns"] for row in focused) == wanted, f"{name}: --focus keeps the time of paths with the name")
    ignored = rows("tree", store, "--ignore", "aten::", "--min", "0", "--depth", "0")
    wanted = sum(self_ns for path, (_, self_ns) in want.items() if not any("aten::" in part for part in path))
    tap.ok(sum(row["self_ns"] for row in ignored) == wanted, f"{name}: --ignore drops what lies below the name")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PTOOL_CACHE"] = os.path.join(scratch, "cache")
        for seed in range(6):
            graph = random_graph(seed, functions=50, pure=seed == 3, odd=False)
            path = dump(graph, scratch, f"random{seed}")
            check_functions(tap, f"random {seed}", graph, path)
            check_edges(tap, f"random {seed}", graph, path)
            check_estimate(tap, f"random {seed}", graph, path, 0)
        check_orders(tap, "random 0", random_graph(0, functions=50, odd=False), os.path.join(scratch, "random0.prof"))
        for seed in range(3):
            graph = recorded_graph(seed)
            path = dump(graph, scratch, f"recorded{seed}")
            whole = sum(ns(row[2]) for row in graph.values())
            check_estimate(tap, f"recorded {seed}", graph, path, whole)
        odd = random_graph(40, odd=True)
        check_estimate(tap, "odd numbers", odd, dump(odd, scratch, "odd"), 0)
        check_strip(tap, scratch)
        check_simple(tap, scratch)
        check_shares(tap, scratch)
        check_recursion(tap, scratch)
        check_imports(tap, scratch)
        check_call_counts(tap, scratch)
        for name in TRACES:
            check_trace(tap, name, scratch)
        for path in fixture_dumps() + shared_dumps():
            check_dividing(tap, os.path.basename(path), rows("tree", path))
    tap.done()


main()
