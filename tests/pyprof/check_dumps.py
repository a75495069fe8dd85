#!/usr/bin/env python3
"""check_dumps.py: profile dumps, against Python's own marshal and what recorded them.

../shared/data/pyprof, beside the checkout, has dumps of Python 2.7 to 3.14 and PyPy with
their contents as JSON, and damaged ones; others are generated here, in every version of the
format that this machine's Python writes, and then damaged: what both Python and ptool accept
must be the same.
timeout: 900 s
"""
import csv
import importlib.util
import marshal
import os
import random
import resource
import subprocess

from graphs import PYPROF, PTOOL, SANITIZED, SHARED, Tap, Workplace, differences, graph_of_rows, graph_of_store, read_json, recorded_dumps

MEMORY = 1 << 30
SECONDS = 10
# Of the damaged dumps: those that CPython accepts are accepted, with a finding where something
# was repaired; all others are refused, and the message has these words.
FINDINGS = {
    "m_bad_utf8": "utf8", "m_dup_keys": "duplicate_function", "m_surrogate": "utf8", "m_trailing_garbage": "trailing_bytes",
    "m_two_dumps": "trailing_bytes", "m_val_float_counts": "count_not_whole"
}
ACCEPTED = ("m_bad_utf8", "m_mixed_caller_kinds", "m_sampled_false", "m_gzip")
REFUSED = {
    "m_callers_": "not a dict", "m_caller_key": "a key is a string", "m_caller_": "a count or (calls", "m_crlf": "text mode",
    "m_cycle_callers": "a count or (calls", "m_cycle_dict": "of another shape", "m_cycle_tuple": "the file of a key is a tuple",
    "m_deep_": "nested too deep", "m_empty": "the file is empty", "m_ftext_": "the text of a float is not a number",
    "m_huge_": "2147483647 items or bytes are announced", "m_key_line": "line number out of range", "m_key_": "a key ",
    "m_json": "JSON", "m_lprof": "line_profiler", "m_pyc": ".pyc", "m_long_bad": "digit of a number is out of range",
    "m_long_unn": "begins with a zero", "m_long_": "runs past the end", "m_neg_": "a count of -1",
    "m_no_terminator": "truncated", "m_trunc_": "truncated", "m_slice": "truncated", "m_null_in": "a NULL in place of",
    "m_only_null": "a NULL in place of", "m_only_brace": "ends inside", "m_py2_R": "a reference to object 5 of 0",
    "m_ref_bomb": "the file holds a list", "m_ref_": "a reference to object", "m_sampled_only": "holds no functions",
    "m_zero": "holds no functions", "m_stopiter": "a key ", "m_text": "pstats listing", "m_top_": "not a profile: the file holds",
    "m_unknown": "unknown type code 0x3f", "m_val_4": "of another shape", "m_val_6": "of another shape",
    "m_val_": "not a number", "m_ff": "no known format"
}


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def ingest(place, path, store="dump.db"):
    """(what was done, the graph or None, the codes of findings)."""
    if os.path.exists(place.path(store)):
        os.remove(place.path(store))
    done = subprocess.run([PTOOL, "ingest", "-q", "-o", place.path(store), path], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=SECONDS * (10 if SANITIZED else 1), preexec_fn=None if SANITIZED else limits)
    if done.returncode:
        return done, None, []
    db = place.open(place.path(store))
    return done, graph_of_store(db), [code for code, in db.execute("SELECT code FROM finding")]


def check_recorded(tap, place):
    dumps = recorded_dumps()
    if not dumps:
        tap.skip("recorded dumps", "no ../shared/data/pyprof")
        return
    bad, graphs = [], {}
    for dump in dumps:
        wanted = graph_of_rows(read_json(dump)["rows"])
        path = dump[:-len(".dump.json")] + ".prof"
        done, got, _ = ingest(place, path)
        graphs[path] = got or {}
        found = differences(got, wanted) if got is not None else [done.stderr] * bool(wanted)
        bad += [f"{os.path.relpath(dump, PYPROF)}: {line}" for line in found]
    tap.ok(not bad, f"{len(dumps)} recorded dumps are read as their interpreters read them", *bad)
    check_reference(tap, graphs)


def check_reference(tap, graphs):
    """A decoder that was written from the description alone."""
    spec = importlib.util.spec_from_file_location("reference", os.path.join(SHARED, "tools", "marshal_reference.py"))
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    bad = []
    for path, got in graphs.items():
        with open(path, "rb") as dump:
            wanted = graph_of_rows(reference.canon(reference.load(dump.read())[0]))
        bad += differences(got, wanted)
    tap.ok(not bad, "marshal_reference.py agrees on all of them", *bad)


def check_damaged(tap, place):
    """As MANIFEST.tsv says of each."""
    manifest = os.path.join(PYPROF, "bad", "MANIFEST.tsv")
    if not os.path.exists(manifest):
        tap.skip("damaged dumps", "no ../shared/data/pyprof")
        return
    with open(manifest, encoding="utf-8", newline="") as text:
        rows = [row for row in csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if row[0].startswith("m_")]
    for name, _, what, *_, python in rows:
        stem = name.split(".")[0]
        if stem == "m_lprof_given":  # which is read
            continue
        done, got, codes = ingest(place, os.path.join(PYPROF, "bad", name))
        words = next((REFUSED[start] for start in REFUSED if stem.startswith(start)), None)
        if stem in ACCEPTED or python.startswith("OK") and stem != "m_key_line_neg":
            tap.ok(done.returncode == 0 and got and (stem not in FINDINGS or FINDINGS[stem] in codes),
                   f"{name} ({what}): accepted", done.stderr, repr(codes))
        else:
            tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1 and words is not None and words in done.stderr,
                   f"{name} ({what}): refused", done.stderr, f"wanted: {words}")


def sample_function(a, b=2, *c, d=(1, (2.5, None, ...)), **e):
    def inner(x):
        return [a, b, c, d, e, x, 1j, b"bytes", frozenset((1, 2)), "größe", 2**70]

    return inner


NAMES = ("f", "g", "<module>", "<lambda>", "<built-in method builtins.len>", "größe", "函数", "x" * 300, "", "a\nb", "sur\udc80")
FILES = ("a.py", "/usr/lib/b.py", "~", "", "C:\\d\\m.py", "größe.py", "x" * 256, "<frozen importlib._bootstrap>")


def random_graph(rng):
    """As profilers write it: keys and names are shared objects, or are not."""
    keys = [(rng.choice(FILES), rng.randrange(-5, 1 << rng.choice((4, 20, 31))), rng.choice(NAMES)) for _ in range(rng.randrange(1, 30))]
    codes = [sample_function.__code__, sample_function.__code__.co_consts[1]]
    codes = [code for code in codes if isinstance(code, type(sample_function.__code__))]
    keys += [("profile", 0, code) for code in codes if rng.random() < 0.3]
    pure = rng.random() < 0.3
    kinds = (lambda: rng.randrange(9), lambda: rng.randrange(1 << 40), lambda: rng.randrange(1 << 80))
    graph = {}

    def numbers():
        n = rng.choice(kinds)()
        return (n, n + rng.choice((0, 0, 3)), rng.choice((0.0, rng.random(), 1e-300, 7)), rng.choice((rng.random(), 1e9, float("inf"))))

    for key in keys:
        callers = {rng.choice(keys): rng.randrange(1 << 40) if pure else numbers() for _ in range(rng.randrange(4))}
        if rng.random() < 0.3:  # an equal key that is another object
            key = tuple([*key])
        graph[key] = (*numbers(), callers)
    return graph


def canonical(key):
    file, line, name = key
    if not isinstance(name, str) and not isinstance(name, bytes):
        name = {"code": (name.co_name, name.co_filename, name.co_firstlineno)}
    text = [x.decode("utf-8", "replace") if isinstance(x, bytes) else x for x in (file, name)]
    return [text[0], int(line), text[1]]


def python_graph(bytes_):
    """What pstats makes of it, or None: it is none, or has what no listing can show."""
    try:
        stats = marshal.loads(bytes_)
    except (ValueError, EOFError, TypeError, MemoryError, UnicodeDecodeError, OverflowError, SystemError):
        return None
    try:
        found = [[canonical(key), [float(x) if isinstance(x, float) else int(x) for x in value[:4]],
                  [[canonical(k), list(v) if isinstance(v, tuple) else v] for k, v in value[4].items()]]
                 for key, value in stats.items() if len(value) == 5]
        return graph_of_rows(found) if len(found) == len(stats) else None
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        return None


def near(graph):
    """Times as the reals they are; whole numbers are times too."""
    def numbers(v):
        return (*v[:2], float(v[2]), float(v[3])) if isinstance(v, tuple) else v

    return {key: (*numbers(tuple(row[:4])), {k: numbers(v) for k, v in row[4].items()}) for key, row in graph.items()}


def check_generated(tap, place):
    rng = random.Random(5)
    for version in range(marshal.version + 1):
        bad = []
        for _ in range(25):
            data = marshal.dumps(random_graph(rng), version)
            with open(place.path("generated.prof"), "wb") as out:
                out.write(data)
            done, got, _ = ingest(place, place.path("generated.prof"))
            bad += differences(got, near(python_graph(data))) if got is not None else [done.stderr]
        tap.ok(not bad, f"generated dumps of version {version}", *bad)


def python_2(graph):
    """The same as Python 2 writes it: names are interned once, and referred to."""
    interned = []

    def name(text):
        raw = text.encode()
        if raw in interned:
            return b"R" + interned.index(raw).to_bytes(4, "little")
        interned.append(raw)
        return b"t" + len(raw).to_bytes(4, "little") + raw

    def whole(n):
        return b"i" + n.to_bytes(4, "little", signed=True) if abs(n) < 1 << 31 else b"I" + n.to_bytes(8, "little", signed=True)

    def key(k):
        return b"(\3\0\0\0" + name(k[0]) + whole(k[1]) + name(k[2])

    def value(v):
        return b"".join(marshal.dumps(float(x), 2) if i > 1 else whole(x) for i, x in enumerate(v))

    out = b"{"
    for k, (cc, nc, tt, ct, callers) in graph.items():
        out += key(k) + b"(\5\0\0\0" + value((cc, nc, tt, ct)) + b"{"
        out += b"".join(key(c) + b"(\4\0\0\0" + value(v) for c, v in callers.items()) + b"0"
    return out + b"0"


def check_python_2(tap, place):
    graph = {
        ("a.py", 1, "f"): (1, 3, 0.5, 1.5, {("a.py", 1, "f"): (2, 2, 0.25, 0.5), ("a.py", 9, "größe"): (1, 1, 0.25, 1.0)}),
        ("a.py", 9, "größe"): (1 << 40, 1 << 40, 0.0, 2.0, {}),
        ("f", -1, "a.py"): (1, 1, 0.0, 0.0, {("a.py", 1, "f"): (1, 1, 0.0, 0.0)}),
    }
    with open(place.path("two.prof"), "wb") as out:
        out.write(python_2(graph))
    done, got, _ = ingest(place, place.path("two.prof"))
    tap.ok(got is not None and not differences(got, graph), "Python 2's interned names and 64-bit integers", done.stderr, *differences(got or {}, graph))


def check_mutated(tap, place):
    """What both take for a profile has the same numbers."""
    rng = random.Random(7)
    bad, both, crashed = [], 0, []
    for number in range(500 if os.environ.get("LONG") else 100):
        data = bytearray(marshal.dumps(random_graph(rng), rng.randrange(marshal.version + 1)))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(1, len(data))
            data[at] = rng.choice((rng.randrange(256), data[at] ^ 1 << rng.randrange(8), rng.choice(b"0NTFigz(){}[rsutaA")))
        if rng.random() < 0.2:
            del data[rng.randrange(1, len(data)):]
        with open(place.path("mutated.prof"), "wb") as out:
            out.write(data)
        done, got, codes = ingest(place, place.path("mutated.prof"))
        if done.returncode not in (0, 4) or done.returncode == 4 and done.stderr.count("\n") != 1:
            crashed.append(f"{number}: exit {done.returncode}: {done.stderr}")
        wanted = python_graph(bytes(data)) if got is not None else None
        if wanted is None or "utf8" in codes or "count_not_whole" in codes:
            continue
        both += 1
        bad += [f"{number}: {line}" for line in differences(got, near(wanted))]
    tap.ok(not crashed, "damaged dumps are read, or refused in one line", *crashed)
    tap.ok(not bad and both > 10, f"of {both} damaged dumps that Python reads too the numbers are Python's", *bad)


def main():
    tap = Tap()
    with Workplace() as place:
        check_generated(tap, place)
        check_python_2(tap, place)
        check_mutated(tap, place)
        check_recorded(tap, place)
        check_damaged(tap, place)
    tap.done()


main()
