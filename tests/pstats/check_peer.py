#!/usr/bin/env python3
"""ptool pstats against this machine's pstats, on dumps made by chance.  timeout: 300 s

Random call graphs with ties, recursion, names that meet without directories, names of
any script, odd numbers (nan, infinite, negative, counts beyond 64 bits) and callers that
are counts alone; random options.  Byte for byte; the tables against sums of the same
numbers.
"""
import contextlib
import io
import json
import marshal
import math
import os
import pstats
import random
import subprocess
import sys
import tempfile
import time
import warnings

PTOOL = os.path.abspath(os.environ.get("PTOOL", "build/ptool"))
CASES = 40
END = 2**63 - 1
LISTINGS = 4  # of each case
FILES = ["/a/b.py", "/c/b.py", "b.py", "/a/k.py", "~", "", "<string>", "/x/ñ.py", "/x/\U0001f40d.py", "C:\\d\\e.py", "/y/a (b):12(c).py", "dir/"]
NAMES = ["f", "g", "<lambda>", "<module>", "<built-in method len>", "größe", "名前", "a b", "{x}", "<", "__init__", "F", "don't", "x\"y"]
KEYS = ["calls", "ncalls", "pcalls", "time", "tottime", "cumulative", "cumtime", "filename", "module", "line", "name", "nfl", "stdname", "cu", "to", "f", "l", "p", "s", "nc", "na"]
PATTERNS = [r"b\.py", "^/", "[fg]\\)$", "(?i)F", "é|ñ", r"\d+\(", r"\w+\Z", "(bad", "x{,2}b", "[[:]", r"\bb\b", "*", r"(?P<q>\()f", "<", "'", r"a\zb", "(?<=/)b", "\"", "'\"", "\t", r"\u00f1"]


def make_count(r, big):
    roll = r.random()
    if big and roll < 0.15:
        return r.choice([2**31, 2**63 - 1, 2**63, 2**70, 10**30, -(2**63), -(2**65)])
    return r.choice([0, 1, 1, 2, 3, 20, 100, -1])


def make_time(r, odd):
    roll = r.random()
    if odd and roll < 0.2:
        return r.choice([math.inf, -math.inf, -0.0, -1.5, 1e300, 1e-320, 12345678.9])
    return r.choice([0.0, 0.0005, 0.5, 1.0, 1, 0.1, r.random(), r.random() * 1e-3, r.random() * 1e4])


def make_dump(r, n, with_nan):
    """A dict as cProfile dumps it."""
    big, odd = r.random() < 0.3, r.random() < 0.3
    counts_alone = r.random() < 0.2
    keys = set()
    while len(keys) < n:
        line = r.choice([0, 0, 1, 2, 10, 10, 100])
        keys.add((r.choice(FILES), line, r.choice(NAMES) + r.choice(["", "", str(r.randrange(n))])))
    keys = list(keys)
    r.shuffle(keys)
    stats = {}
    for key in keys:
        callers = {}
        for _ in range(r.choice([0, 0, 1, 1, 2, 5])):
            caller = r.choice(keys)
            if counts_alone:
                callers[caller] = make_count(r, big)
            else:
                callers[caller] = (make_count(r, big), make_count(r, big), make_time(r, odd), make_time(r, odd))
        # more primitive calls than calls are yappi's, and are put right
        cc, nc = sorted((make_count(r, big), make_count(r, big)))
        stats[key] = (cc, nc, make_time(r, odd), make_time(r, odd), callers)
    if with_nan and r.random() < 0.5:
        for key in r.sample(keys, 1):
            cc, nc, _, ct, callers = stats[key]
            stats[key] = (cc, nc, math.nan, ct, callers)
    return stats


def make_options(r):
    """Options of ptool, and what they are to pstats."""
    keys = r.sample(KEYS, r.choice([0, 1, 1, 2, 3]))
    what = r.choice(["stats", "stats", "callers", "callees"])
    strip, reverse = r.random() < 0.4, r.random() < 0.3
    options, cuts = [], []
    for _ in range(r.choice([0, 0, 1, 2, 3])):
        kind = r.choice("nfm")
        cut = {"n": r.choice([0, 1, 3, 10, 1000, -3]),
               "f": r.choice([0.0, 0.1, 0.5, 1.0, 0.30000000000000004, 1e-05, r.random()]),
               "m": r.choice(PATTERNS)}[kind]
        cuts.append(cut)
        options += [{"n": "--limit", "f": "--fraction", "m": "--match"}[kind] + "=" + str(cut)]
    if keys:
        options += ["--sort", ",".join(keys)] if r.random() < 0.5 else [o for key in keys for o in ("-s", key)]
    options += ["--" + what] * (what != "stats") + ["--strip-dirs"] * strip + ["--reverse"] * reverse
    return options, (keys, what, strip, reverse, cuts)


def peer(files, wanted):
    """What pstats prints."""
    keys, what, strip, reverse, cuts = wanted
    out = io.StringIO()
    stats = pstats.Stats(*files, stream=out)
    if strip:
        stats.strip_dirs()
    if keys:
        stats.sort_stats(*keys)
    if reverse:
        stats.reverse_order()
    getattr(stats, "print_" + what)(*cuts)
    return out.getvalue().encode("utf-8", "surrogateescape")


def ptool(scratch, *args):
    return subprocess.run([PTOOL, "pstats", *args], cwd=scratch, capture_output=True, check=False,
                          env={**os.environ, "TZ": "Asia/Kolkata", "PTOOL_CACHE": os.path.join(scratch, "cache")})


def listing_differs(scratch, files, options, wanted):
    """None, or what is wrong."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = peer(files, wanted)
    except (TypeError, KeyError, OverflowError):
        return None  # pstats' own faults, which are no listing
    ran = ptool(scratch, *options, *files)
    if ran.returncode not in (0, 3) or (ran.returncode == 3) != (b"no function matches" in ran.stderr):
        return f"exit {ran.returncode}: {ran.stderr.decode()}"
    if ran.stdout == theirs:
        return None
    for mine, other in zip(ran.stdout.split(b"\n"), theirs.split(b"\n")):
        if mine != other:
            return f"{mine!r}\n#   pstats: {other!r}"
    return "one is longer"


def ns(seconds):
    if math.isnan(seconds):
        return None
    product = seconds * 1e9
    if math.isinf(product):
        return END if product > 0 else -END
    return max(-END, min(END, round(product)))


def cell(number):
    """A count as it stands in JSON: text beyond 64 bits."""
    return number if number is None or -(2**63) <= number < 2**63 else str(number)


def add_cells(old, new):
    """Sums of (calls, primitive, ns, ns), which stick at the ends of int64."""
    def add(a, b):
        return None if a is None or b is None else max(-END, min(END, a + b))

    calls, primitive = (None, None) if None in (old[0], new[0]) else (old[0] + new[0], old[1] + new[1])
    return (calls, primitive, add(old[2], new[2]), add(old[3], new[3]))


def edges_differ(scratch, name, stats):
    """The corrected edges: callers that meet without directories are added."""
    wanted = {}
    for (file, line, func), value in stats.items():
        for (caller_file, caller_line, caller), edge in value[4].items():
            if not isinstance(edge, tuple):
                return None
            key = (os.path.basename(caller_file), caller_line, caller, os.path.basename(file), line, func)
            nc, cc, tt, ct = edge
            # calls of -1 are not known, nor is any sum with them
            more = (None if nc == -1 else nc, None if nc == -1 else cc, ns(tt), ns(ct))
            wanted[key] = add_cells(wanted[key], more) if key in wanted else more
    ran = ptool(scratch, "--strip-dirs", "--callers", "--format", "json", name)
    rows = json.loads(ran.stdout)["rows"]
    fields = ["caller_file", "caller_line", "caller_function", "file", "line", "function"]
    got = {tuple(row[f] for f in fields): (row["calls"], row["primitive_calls"], row["self_ns"], row["total_ns"]) for row in rows}
    if len(got) != len(rows):
        return "an edge is there twice"
    wanted = {key: (cell(v[0]), cell(v[1]), v[2], v[3]) for key, v in wanted.items()}
    if got == wanted:
        return None
    key = next(k for k in {**got, **wanted} if got.get(k) != wanted.get(k))
    return f"{key}: {got.get(key)}, not {wanted.get(key)}"


def check(seed, scratch):
    r = random.Random(seed)
    os.chdir(scratch)
    files, dumps = [], []
    several = r.choice([1, 1, 2, 3])
    # what is no number is sorted as Python 3.13 does, of lists that it sorts by insertion
    with_nan = several == 1 and sys.version_info >= (3, 13)
    for i in range(several):
        dumps.append(make_dump(r, r.choice([1, 5, 40, 60]), with_nan))
        files.append(f"case{seed}_{i}.prof")
        with open(files[-1], "wb") as out:
            marshal.dump(dumps[-1], out)
        os.utime(files[-1], ns=(0, r.randrange(2 * 10**18)))
    for _ in range(LISTINGS):
        options, wanted = make_options(r)
        said = listing_differs(scratch, files, options, wanted)
        if said:
            return f"{' '.join(map(repr, options))} {files}: {said}"
    return edges_differ(scratch, files[0], dumps[0])


def abbreviations():
    """Every word that pstats takes, and those that it refuses."""
    taken = pstats.Stats().get_sort_arg_defs()
    words = {key[:n] for key in pstats.Stats.sort_arg_dict_default for n in range(1, len(key) + 1)} | {"x", "callss", ""}
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "one.prof"), "wb") as out:
            marshal.dump({("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}, out)
        for word in sorted(words):
            ran = ptool(scratch, "--sort=" + word, "one.prof")
            title = f"   Ordered by: {taken[word][1]}\n".encode() if word in taken else None
            if word == "cum":  # as in pprof
                title = b"   Ordered by: cumulative time\n"
            if title and title not in ran.stdout:
                return f"{word}: {ran.stdout.decode()}{ran.stderr.decode()}"
            if not title and (ran.returncode != 2 or b"tottime" not in ran.stderr):
                return f"{word}: exit {ran.returncode}: {ran.stderr.decode()}"
    return None


def main():
    os.environ["TZ"] = "Asia/Kolkata"
    warnings.simplefilter("ignore")  # "possible nested set"
    time.tzset()
    seeds = [int(arg) for arg in sys.argv[1:]] or range(CASES)
    print(f"1..{len(seeds) + 1}")
    said = abbreviations()
    print(f"{'not ' if said else ''}ok 1 - abbreviations of sort keys{f' - {said}' if said else ''}")
    failed = bool(said)
    for number, seed in enumerate(seeds, 2):
        with tempfile.TemporaryDirectory() as scratch:
            said = check(seed, scratch)
            os.chdir("/")
        failed |= bool(said)
        print(f"{'not ' if said else ''}ok {number} - random dumps {seed}")
        if said:
            print(f"# {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
