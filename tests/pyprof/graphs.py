"""What the check_*.py of this folder share: call graphs of stores, and of Python's pstats."""
import glob
import json
import math
import os
import pstats
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))

from storetap import PTOOL, SHARED, Tap, Workplace, rows, share  # noqa: E402,F401

PYPROF = os.path.join(SHARED, "data", "pyprof")
SANITIZED = bool(os.environ.get("SAN"))


def recorded_dumps():
    """The *.dump.json that lie beside their dumps; none where there is no ../shared."""
    found = []
    for folder in ("cprofile", "marshal_versions", "pyinstrument", "yappi"):
        found += glob.glob(os.path.join(PYPROF, folder, "**", "*.dump.json"), recursive=True)
    return sorted(path for path in found if os.path.exists(path[:-len(".dump.json")] + ".prof"))


def printable(text):
    """As the store has it: halves of pairs are U+FFFD."""
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


def label(name):
    """A function's name: pstats takes a code object, which JSON holds as its parts."""
    if isinstance(name, dict):
        name = '<code object %s, file "%s", line %s>' % tuple(name["code"])
    return printable(name)


def key_of(key):
    return (printable(key[0]), key[1], label(key[2]))


MINUS_ZERO = -5e-324  # what the store has for it: SQLite keeps -0.0 as 0


def number(x):
    if x == MINUS_ZERO:
        return -0.0
    return None if isinstance(x, float) and math.isnan(x) else x


def graph_of_rows(listed):
    """{key: (cc, nc, tt, ct, {caller: numbers})} of a *.dump.json, as pstats has it."""
    graph = {}
    for key, numbers, callers in listed:
        calls = {key_of(k): tuple(v) if isinstance(v, list) else v for k, v in callers}
        if numbers[0] > numbers[1]:  # yappi swaps them
            numbers = [numbers[1], numbers[0], *numbers[2:]]
        graph[key_of(key)] = (*numbers, calls)
    return graph


def graph_of_store(db):
    """The same of a store that holds one profile."""
    keys = {
        i: (file, line, name)
        for i, file, line, name in rows(
            db, "SELECT f.id, a.text, f.line, b.text FROM function f "
            "JOIN string a ON a.id = f.file_id JOIN string b ON b.id = f.name_id")
    }
    graph = {}
    for i, nc, cc, tt, ct, big_nc, big_cc in rows(
            db, "SELECT function_id, calls, primitive_calls, self_s, total_s, calls_text, "
            "primitive_calls_text FROM function_stat ORDER BY id"):
        graph[keys[i]] = (int(big_cc or cc), int(big_nc or nc), tt, ct, {})
    for callee, caller, nc, cc, tt, ct, big_nc, big_cc in rows(
            db, "SELECT callee_id, caller_id, calls, primitive_calls, self_s, total_s, calls_text, "
            "primitive_calls_text FROM call_edge ORDER BY id"):
        numbers = int(big_nc or nc) if cc is None else (int(big_nc or nc), int(big_cc or cc), tt, ct)
        graph[keys[callee]][4][keys[caller]] = numbers
    return graph


def plain(graph):
    """Comparable: numbers that are none are None, whole ones and reals the same."""
    def numbers(values):
        return tuple(number(v) for v in values) if isinstance(values, tuple) else values

    return {key: (*numbers(tuple(row[:4])), {k: numbers(v) for k, v in row[4].items()}) for key, row in graph.items()}


def differences(got, wanted):
    """Lines that tell how two graphs differ, none when they do not."""
    got, wanted = plain(got), plain(wanted)
    found = [f"missing {key!r}" for key in wanted if key not in got]
    found += [f"not expected {key!r}" for key in got if key not in wanted]
    found += [f"{key!r}: got {got[key]!r}, expected {wanted[key]!r}" for key in wanted if key in got and got[key] != wanted[key]]
    return found


class Recorded:
    """What pstats.Stats() takes instead of a file."""

    def __init__(self, graph):
        self.stats = graph

    def create_stats(self):
        pass


def stats_of(graph):
    return pstats.Stats(Recorded(graph))


def read_json(path):
    with open(path, encoding="utf-8") as text:
        return json.load(text)
