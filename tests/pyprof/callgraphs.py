"""Call graphs as dicts of Python's pstats: random ones, and what is left of shared dumps.

{(file, line, name): (primitive calls, calls, self, total, {caller: the same or a count})}
"""
import glob
import os
import random
import re
import sqlite3
import subprocess
import sys

PTOOL = os.environ.get("PTOOL", "build/ptool")
FIXTURES = os.environ.get("FIXTURES", "tests/fixtures")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
FILES = ["/usr/lib/python3/json/decoder.py", "/home/u/train.py", "/home/v/train.py", "train.py", "<string>",
         "<frozen importlib._bootstrap>", "C:\\work\\a.py", "/a b/ñ.py", "/tmp/a (b):12(c).py"]
NAMES = ["<lambda>", "<module>", "forward", "__init__", "encode;x", "naïve", "測試", "f", "g", "h", "fetch"]
BUILTINS = ["<built-in method builtins.len>", "<method 'append' of 'list' objects>", "<built-in method x>"]


class Tap:
    """Results as TAP; the plan comes last."""

    def __init__(self):
        self.n = 0
        self.failed = False

    def ok(self, good, name, lines=()):
        self.n += 1
        self.failed |= not good
        print(f"{'' if good else 'not '}ok {self.n} - {name}")
        for line in [] if good else list(lines)[:20]:
            print(f"#   {line}")

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name} # skip {why}")

    def done(self):
        print(f"1..{self.n}")
        sys.exit(1 if self.failed else 0)


def ptool(*args, status=0):
    """Standard output, as bytes."""
    ran = subprocess.run([PTOOL, *args], capture_output=True, check=False)
    if ran.returncode != status:
        raise RuntimeError(f"ptool {' '.join(args)}: exit {ran.returncode}: {ran.stderr.decode(errors='replace')}")
    return ran.stdout


def random_key(rng):
    if rng.random() < 0.2:
        return ("~", 0, rng.choice(BUILTINS))
    return (rng.choice(FILES), rng.choice([0, 1, 7, 12, 300, 70000]), rng.choice(NAMES))


def random_count(rng, big):
    if big and rng.random() < 0.2:
        return rng.choice([2**31 - 1, 2**31, 2**45, 2**62, 2**63 - 1, 2**63, 10**30])
    return rng.randrange(1, 5000)


def random_seconds(rng, odd):
    if odd and rng.random() < 0.2:
        return rng.choice([float("nan"), float("inf"), float("-inf"), -0.25, -0.0, 1e-300, 1e22, 0.1 + 0.2])
    return rng.random() * rng.choice([1e-6, 1e-3, 1, 100])


def random_graph(seed, functions=40, pure=False, odd=True):
    """pure: as profile.Profile writes it; odd: counts and times beyond what is usual."""
    rng = random.Random(seed)
    keys = list(dict.fromkeys(random_key(rng) for _ in range(functions)))
    graph = {}
    for key in keys:
        callers = {}
        for _ in range(rng.choice([0, 1, 1, 2, 5])):
            caller = rng.choice(keys) if rng.random() < 0.9 else random_key(rng)
            callers[caller] = (rng.randrange(1, 99) if pure else
                               (random_count(rng, odd), random_count(rng, odd), random_seconds(rng, odd),
                                random_seconds(rng, odd)))
        # no fewer calls than primitive ones, which only yappi writes, and which are put right
        cc, nc = sorted((random_count(rng, odd), random_count(rng, odd)))
        graph[key] = (cc, nc, random_seconds(rng, odd),
                      random_seconds(rng, odd), callers)
    return graph


def recorded_graph(seed, functions=30, steps=4000):
    """What cProfile would write of a random program: its sums fit together; with recursion."""
    rng = random.Random(seed)
    keys = list(dict.fromkeys(random_key(rng) for _ in range(functions)))
    calls = {key: rng.sample(keys, min(len(keys), 4)) for key in keys}
    stats = {}
    stack = []  # (key, start, time of children)
    now = 0

    def leave():
        nonlocal now
        key, start, inner = stack.pop()
        took = now - start
        row = stats.setdefault(key, [0, 0, 0, 0, {}])
        outer = all(key != other for other, _, _ in stack)
        row[1] += 1
        row[2] += took - inner
        row[0] += outer
        row[3] += took if outer else 0
        if not stack:
            return
        caller = stack[-1][0]
        stack[-1][2] += took
        edge = row[4].setdefault(caller, [0, 0, 0, 0])
        again = any(a[0] == caller and b[0] == key for a, b in zip(stack, stack[1:]))
        edge[0] += 1
        edge[2] += took - inner
        edge[1] += not again
        edge[3] += 0 if again else took

    stack.append([keys[0], 0, 0])
    for _ in range(steps):
        now += rng.randrange(1, 2000)
        if len(stack) > 1 and (len(stack) > 12 or rng.random() < 0.5):
            leave()
        else:
            stack.append([rng.choice(calls[stack[-1][0]]), now, 0])
    while stack:
        now += 1
        leave()
    return {key: (cc, nc, tt / 1e9, ct / 1e9, {caller: (e[0], e[1], e[2] / 1e9, e[3] / 1e9) for caller, e in callers.items()})
            for key, (cc, nc, tt, ct, callers) in stats.items()}


def dumps_in(folder):
    """All but those without a function, which are refused."""
    paths = glob.glob(os.path.join(folder, "**", "*.prof"), recursive=True)
    return sorted(path for path in paths if not os.path.basename(path).startswith("empty_"))


def fixture_dumps():
    """Dumps that are committed."""
    return dumps_in(os.path.join(FIXTURES, "pyprof"))


def shared_dumps():
    """Dumps of the collection that lies beside some checkouts; none where it does not."""
    return dumps_in(os.path.join(SHARED, "data", "pyprof", "cprofile"))


def slices_by_path(store):
    """path -> [calls, self], from the slices of threads."""
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    query = ("SELECT s.id, s.parent_id, s.name, s.self_ns, s.class FROM slice s JOIN track t ON t.id = s.track_id "
             "WHERE t.kind = 'thread' AND s.is_set_apart = 0 ORDER BY s.track_id, s.ts, s.id")
    paths, sums = {}, {}
    for number, parent, name, self_ns, kind in db.execute(query):
        above = paths.get(parent, ())
        if kind in ("memory", "span"):
            paths[number] = above
            continue
        paths[number] = above + (re.sub(r"^ProfilerStep#\d+$", "ProfilerStep*", name),)
        entry = sums.setdefault(paths[number], [0, 0])
        entry[0] += 1
        entry[1] += self_ns
    db.close()
    return sums
