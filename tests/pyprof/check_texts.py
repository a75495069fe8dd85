#!/usr/bin/env python3
"""check_texts.py: listings of pstats, against the numbers of the dumps they were made of.

The listings are under ../shared/data/pyprof, beside the checkout, each printed by the
interpreter that recorded; what is small and general is made here with this machine's pstats.
timeout: 600 s
"""
import contextlib
import io
import os
import re

from graphs import (PYPROF, Tap, Workplace, differences, graph_of_rows, graph_of_store, read_json, recorded_dumps, rows,
                    share, stats_of)

FULL = ("nosort", "time", "cumulative", "calls", "filename", "line", "name", "nfl", "pcalls", "stdname", "strip.cumulative",
        "strip.time.name.reverse", "strip.cumulative.r1.0", "strip.cumulative.rneg", "strip.cumulative.rbadregex")
CALLS = ("strip.stdname.callers", "strip.stdname.callees")


def shown(seconds):
    """What "%8.3f" leaves of a time."""
    return float("%.3f" % seconds)


def rounded(graph):
    """The graph as a listing shows it: no calls."""
    return {key: (cc, nc, shown(tt), shown(ct), {}) for key, (cc, nc, tt, ct, _) in graph.items()}


def rounded_calls(graph):
    """{(callee, caller): numbers} as tables of callers show them."""
    calls = {}
    for callee, (*_, callers) in graph.items():
        for caller, v in callers.items():
            calls[callee, caller] = (v[0], v[1], shown(v[2]), shown(v[3])) if isinstance(v, tuple) else v
    return calls


def without_calls(graph):
    return {key: (*row[:4], {}) for key, row in graph.items()}


def calls_of(graph):
    return {(callee, caller): v for callee, row in graph.items() for caller, v in row[4].items()}


def stripped(graph):
    return stats_of({key: (*row[:4], dict(row[4])) for key, row in graph.items()}).strip_dirs().stats


def overwritten(graph):
    """Calls of which strip_dirs() keeps the last in the order of the dump, which is not recorded."""
    seen, again = set(), set()
    for callee, (*_, callers) in graph.items():
        for caller in callers:
            short = tuple((os.path.basename(f), l, n) for f, l, n in (callee, caller))
            (again if (short, callee) in seen else seen).add((short, callee))
    return {short for short, _ in again}


def check_listing(tap, place, base, kind, graph):
    path = f"{base}.{kind}.txt"
    name = os.path.relpath(path, PYPROF)
    wanted = stripped(graph) if kind.startswith("strip") else graph
    calls = rounded_calls(wanted)
    if kind.endswith("callees"):  # pstats asks functions that it has a row of
        calls = {(callee, caller): v for (callee, caller), v in calls.items() if caller in wanted}
    done = place.ptool("ingest", "-q", "-o", place.path("text.db"), path, check=False)
    if not (calls if kind in CALLS else wanted):
        tap.ok(done.returncode == 4, f"{name}: refused, as nothing is in it", done.stderr)
        return
    if done.returncode:
        tap.ok(False, name, done.stderr.strip())
        return
    got = graph_of_store(place.open(place.path("text.db")))
    if kind in CALLS:
        have, want, any_of = calls_of(got), calls, overwritten(graph)
        found = [f"{k!r}: got {have.get(k)}, expected {want[k]}" for k in want if have.get(k) != want[k] and k not in any_of]
        tap.ok(not found and set(have) == set(want), name, *found, *[f"not expected {k!r}: {have[k]}" for k in have if k not in want])
    else:
        found = differences(without_calls(got), rounded(wanted))
        tap.ok(not found and not calls_of(got), name, *found)


def check_recorded(tap, place):
    """Every listing of the recorded dumps that shows all."""
    dumps = recorded_dumps()
    if not dumps:
        tap.skip("listings of recorded dumps", "no ../shared/data/pyprof")
    for dump in dumps:
        base = dump[:-len(".dump.json")]
        kinds = [kind for kind in FULL + CALLS if os.path.exists(f"{base}.{kind}.txt")]
        graph = graph_of_rows(read_json(dump)["rows"])
        for kind in kinds:
            with open(f"{base}.{kind}.txt", "rb") as text:
                if b"EXCEPTION" in text.read():  # pstats itself cannot
                    continue
            check_listing(tap, place, base, kind, graph)
            if os.path.exists(place.path("text.db")):
                os.remove(place.path("text.db"))


EXAMPLE = {
    ("/a/b.py", 10, "f"): (1, 3, 0.25, 1.5, {("/a/b.py", 10, "f"): (2, 1, 0.125, 0.5), ("/a/k.py", 1, "<module>"): (1, 1, 0.125, 1.0)}),
    ("/a/k.py", 1, "<module>"): (1, 1, 0.5, 2.0, {("~", 0, "<built-in method builtins.exec>"): (1, 1, 0.5, 2.0)}),
    ("~", 0, "<built-in method builtins.exec>"): (1, 1, 0.0, 2.0, {}),
    ("/x (b):12(c).py", 1, "g h"): (0, 0, 0.0, 0.0, {}),
    ("/c/new\nline.py", 7, "n"): (2, 2, 0.125, 0.125, {("/c/new\nline.py", 8, "größe"): (2, 2, 0.125, 0.125)}),
    ("/c/new\nline.py", 8, "größe"): (1, 1, 1e9, 1e12, {("~", 0, "<built-in method builtins.exec>"): (1, 1, 1e9, 1e12)}),
    ("~", 0, "plain"): (5, 10**20, 0.001, 0.002, {("", 0, "len"): (10**20, 5, 0.001, 0.002)}),
    ("", 0, "len"): (0, 2, 0.5, 0.5, {}),
}


def printed(graph, *calls):
    """What pstats prints: calls are (method, *arguments)."""
    out = io.StringIO()
    stats = stats_of({key: (*row[:4], dict(row[4])) for key, row in graph.items()})
    stats.stream = out
    with contextlib.redirect_stdout(out):
        for method, *arguments in calls:
            getattr(stats, method)(*arguments)
    return out.getvalue()


ALL = (("sort_stats", "cumulative"), ("print_stats", ), ("print_callers", ), ("print_callees", ))


def coloured(text):
    """Each word in a colour of its own, a title of the window, a link."""
    words = re.sub(r"(\S+)", "\x1b[1;31m\\1\x1b[0m", text)
    return "\x1b]0;title\x07" + words.replace("\n", "\x1b[K\n")


def variants(text):
    indented = "".join("        " + line if line.strip() else line for line in text.splitlines(True))
    outdented = "".join(line[3:] if line.startswith("   ncalls") or line.startswith("   Ordered") else line for line in text.splitlines(True))
    yield "as printed", text.encode()
    yield "CRLF", text.replace("\n", "\r\n").encode()
    yield "UTF-8 with a mark", b"\xef\xbb\xbf" + text.encode()
    yield "UTF-16", text.encode("utf-16")
    yield "UTF-16, big end first", b"\xfe\xff" + text.encode("utf-16-be")
    yield "ANSI", coloured(text).encode()
    yield "indented", indented.encode()
    yield "titles without their margin", outdented.encode()
    yield "inside other output", b"{'a': 1}\n[1, 2]\nTraceback:\n  100%|##|\r" + text.encode() + b"\nbye\n  12 apples\n"
    yield "behind output without newline", b"done" + text.encode()


def check_example(tap, place):
    text = printed(EXAMPLE, *ALL)
    wanted = {key: (*row[:4], {}) for key, row in rounded(EXAMPLE).items()}
    for name, content in variants(text):
        path = place.path("listing")
        with open(path, "wb") as out:
            out.write(content)
        done = place.ptool("ingest", "-q", "-o", place.path("example.db"), path, check=False)
        if done.returncode:
            tap.ok(False, f"{name}: listing, callers and callees", done.stderr)
            continue
        db = place.open(place.path("example.db"))
        got = graph_of_store(db)
        found = differences(without_calls(got), wanted)
        have, want = calls_of(got), rounded_calls(EXAMPLE)
        found += [f"calls {k!r}: got {have.get(k)}, expected {want.get(k)}" for k in {**have, **want} if have.get(k) != want.get(k)]
        tap.ok(not found, f"{name}: listing, callers and callees", *found)
        codes = {code for code, in rows(db, "SELECT code FROM finding")}
        tap.ok("rounded" in codes and not codes & {"row_syntax", "rows_from_callers", "several_profiles", "duplicate_function"},
               f"{name}: findings", repr(codes))
        os.remove(place.path("example.db"))


def ingest_text(place, text):
    if os.path.exists(place.path("one.db")):
        os.remove(place.path("one.db"))
    with open(place.path("one"), "w", encoding="utf-8") as out:
        out.write(text)
    done = place.ptool("ingest", "-q", "-o", place.path("one.db"), place.path("one"), check=False)
    if done.returncode:
        return done, None, None
    db = place.open(place.path("one.db"))
    return done, graph_of_store(db), [tuple(row) for row in rows(db, "SELECT code, count, excerpt FROM finding ORDER BY id")]


def check_several(tap, place):
    """Orders of one profile are one; other totals are another profile."""
    other = {("o.py", 1, "o"): (1, 1, 3.0, 3.0, {})}
    twice = printed(EXAMPLE, ("sort_stats", "time"), ("print_stats", 2), ("sort_stats", "name"), ("print_stats", ))
    _, got, found = ingest_text(place, twice)
    tap.ok(not differences(without_calls(got), rounded(EXAMPLE)), "of two listings of a profile the longer one counts", *differences(got, rounded(EXAMPLE)))
    tap.ok([code for code, *_ in found] == ["count_range", "rounded"], "and that is no finding", repr(found))
    _, got, found = ingest_text(place, printed(other, ("print_stats", )) + twice)
    tap.ok(list(got) == list(other), "of two profiles the first one is read", repr(got))
    told = [(code, example) for code, _, example in found if code == "several_profiles"]
    tap.ok(told == [("several_profiles", "1 function calls in 3.000 seconds")], "and it is said which", repr(found))
    _, got, found = ingest_text(place, printed(EXAMPLE, ("sort_stats", "cumulative"), ("print_stats", 2)))
    tap.ok(len(got) == 2 and "listing_reduced" in [code for code, *_ in found], "a restricted listing is partial", repr(found))
    _, got, _ = ingest_text(place, printed(EXAMPLE, ("sort_stats", "cumulative"), ("print_stats", ), ("strip_dirs", ), ("print_callers", )))
    tap.ok(set(got) == set(EXAMPLE) and calls_of(got), "callers that strip_dirs() shortened are those of the listing", repr(got))


def check_cut(tap, place):
    """A text that ends anywhere gives the rows before, or is refused."""
    text = printed(EXAMPLE, *ALL)
    wanted, bad = rounded(EXAMPLE), []
    for end in share(range(0, len(text), 7 if os.environ.get("LONG") else 31), 3):
        done, got, _ = ingest_text(place, text[:end])
        if done.returncode not in (0, 4) or (done.returncode == 4 and done.stderr.count("\n") != 1):
            bad.append(f"{end}: exit {done.returncode}: {done.stderr}")
        # only a name that holds a newline can be cut without a sign of it
        for key in got or {}:
            if key not in wanted and end < text.index("Function  ") and text[end - 1] != "\n":
                bad.append(f"{end}: {key!r}")
    tap.ok(not bad, "cut anywhere, a listing gives whole rows or is refused", *bad)


def check_programs(tap, place):
    """Output of whole programs: the rows add up to the totals, but for rounding."""
    paths = sorted(os.listdir(os.path.join(PYPROF, "profile_text"))) if os.path.isdir(PYPROF) else []
    for name in paths:
        if name.startswith(("pstats_browser", "python315", "python25")):
            continue
        with open(os.path.join(PYPROF, "profile_text", name), encoding="utf-8", errors="replace") as text:
            content = text.read()
        totals = re.search(r"(\d+) function calls(?: \((\d+) primitive calls\))? in ([\d.]+) seconds", content)
        _, got, found = ingest_text(place, content)
        calls, primitive, seconds = (sum(row[i] for row in got.values()) for i in (1, 0, 2))
        tap.ok((calls, primitive) == (int(totals[1]), int(totals[2] or totals[1])) and
               abs(seconds - float(totals[3])) <= 0.0005 * (len(got) + 1), f"{name}: rows add up to the totals",
               f"{calls} {primitive} {seconds}, not {totals[0]}")
        tap.ok([code for code, *_ in found] == ["rounded"], f"{name}: no other finding", repr(found))


SAMPLES = """Profile Stats:
       nsamples   sample%   tottime (ms)    cumul%   cumtime (ms)  filename:lineno(function)
    52660/52661      88.6     52660.500      88.6     52661.000  foof.py:7(l3)
           6076      10.2         6.076      10.2         6.076  foof.py:6(l3)
        0/59450       0.0         0.000     100.0        59.450  foof.py:25(<module>)

Legend:
  nsamples: Direct/Cumulative samples (direct executing / on call stack)
"""
OLD = """Sun Jul 20 11:02:33 2008    prof.out

         2706 function calls (2004 primitive calls) in 4.504 CPU seconds

   Ordered by: standard name

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        2    0.006    0.003    0.953    0.477 pobject.py:75(save_objects)
     43/3    0.533    0.012    0.749    0.250 pobject.py:99(evaluate)
"""


def check_others(tap, place):
    _, got, found = ingest_text(place, SAMPLES)
    tap.same(sorted((*key, *row[:4]) for key, row in got.items()), [
        ("foof.py", 6, "l3", 6076, 6076, 0.006076, 0.006076),
        ("foof.py", 7, "l3", 52660, 52661, 52.6605, 52.661),
        ("foof.py", 25, "<module>", 0, 59450, 0.0, 0.05945),
    ], "profiling.sampling of Python 3.15: samples, in the unit of the title")
    tap.ok("counts_are_samples" in [code for code, *_ in found], "and its counts are samples", repr(found))
    _, got, _ = ingest_text(place, OLD)
    tap.same(list(got.values()), [(2, 2, 0.006, 0.953, {}), (3, 43, 0.533, 0.749, {})], "Python 2.5's CPU seconds")
    db = place.open(place.path("one.db"))
    tap.same(rows(db, "SELECT format, dialect, json_extract(metadata, '$.files'), json_extract(metadata, '$.totals'), "
                  "json_extract(metadata, '$.order') FROM profile"),
             [("pstats", "text", "Sun Jul 20 11:02:33 2008    prof.out",
               "2706 function calls (2004 primitive calls) in 4.504 CPU seconds", "Ordered by: standard name")],
             "what stands above the listing is kept")


def check_refused(tap, place):
    for name, text, byte, words in (
        ("totals alone", "x\n         6 function calls in 0.001 seconds\n", 2, "the pstats listing has no rows"),
        ("letters in numbers", OLD.replace("0.006", "0.0o6").replace("43/3", "xx"), 214, "no row of the pstats listing can be read"),
    ):
        done, _, _ = ingest_text(place, text)
        tap.ok(done.returncode == 4 and done.stderr.count("\n") == 1 and f"byte {byte}: " in done.stderr and words in done.stderr,
               f"{name}: one line that says so", done.stderr)
    done, got, found = ingest_text(place, OLD.replace("0.006", "0.0o6"))
    tap.ok(len(got) == 1 and ("row_syntax", 1) in [row[:2] for row in found], "a bad row is skipped with a finding", repr(found))


def main():
    tap = Tap()
    with Workplace() as place:
        check_example(tap, place)
        check_several(tap, place)
        check_others(tap, place)
        check_refused(tap, place)
        check_cut(tap, place)
        check_programs(tap, place)
        check_recorded(tap, place)
    tap.done()


main()
