"""The rows of the bench: what is run on which input."""
import dataclasses
import os
import shutil
import subprocess
import sys

from inputs import HERE, size_of

RANKS = 64
SPILL = "64M"
# sqlite3 holds a text of at most a billion bytes, and all of its tokens beside it.
JSON_EACH_BYTES = 100_000_000

WALK = "simdjson, all tokens"
INGEST = "ptool ingest"
START = "ptool --version"
EMPTY_START = "true"
JSON_LOAD = "python json.load"
PSTATS = "ptool pstats"
PYTHON_PSTATS = "python pstats"
# Formats of sampled stacks: {} is the ingest, and a Python program that adds them up.
SAMPLES = ("collapsed", "speedscope")
STACKS = "{}, ingest"
PYTHON_STACKS = "python, {}"

READ_JSON = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
READ_DUMP = "import pstats, sys; pstats.Stats(sys.argv[1]).sort_stats('cumulative').print_stats(10)"
EACH = """SELECT count(*), sum(json_extract(value, '$.dur'))
          FROM json_each(readfile('{}'), '$.traceEvents')"""
BY_NAME = "SELECT name, count(*) AS n, sum(dur) AS dur_ns FROM slice GROUP BY name ORDER BY 3 DESC LIMIT 20"

# Answers of summaries alone; {} is the store.  Issue 4 holds them to 50 ms.
VIEWS = {
    "ptool top": ["top", "{}"],
    "ptool top --by shape": ["top", "{}", "--by", "shape"],
    "ptool top --by step": ["top", "{}", "--by", "step"],
    "ptool sql, v_op": ["sql", "{}", "SELECT * FROM v_op"],
    "ptool sql, v_kernel": ["sql", "{}", "SELECT * FROM v_kernel"],
    "ptool sql, v_step": ["sql", "{}", "SELECT * FROM v_step"],
}
SLICES = {
    "ptool list": ["list", "{}", "--limit", "20"],
    "ptool list --sort dur": ["list", "{}", "--sort", "dur", "--limit", "20"],
    "ptool sql, by name": ["sql", "{}", BY_NAME],
}
# Each within a second, of a gigabyte (issues 6 to 8); a diff within 200 ms (issue 9).
ANALYSES = {' '.join(words): [words[0], "{}", *words[1:]] for words in (
    ["steps"], ["steps", "--phases"], ["devices"], ["streams"], ["kernels"], ["kernels", "--by", "op", "--launches"],
    ["gaps"], ["gaps", "--root"], ["gaps", "--list"], ["memory"], ["memory", "--stats"], ["memory", "--events"],
    ["transfers"], ["advise"], ["top", "--tensor-cores"], ["tree", "--kernels"])}
DIFF = "ptool diff, with itself"


@dataclasses.dataclass
class Row:
    what: str
    kind: str    # its peers are the rows of this kind
    source: str  # as the table names it
    argv: list
    bytes: int = 0    # of JSON text; 0: it reads a store
    events: int = 0
    store: str = ""   # that it makes
    keeps: bool = False  # the store is read by rows behind it

    @property
    def key(self):
        return (self.what, self.source)


def accepts_memory_limit(ptool):
    said = subprocess.run([ptool, "ingest", "--help"], capture_output=True, text=True).stdout
    return "--memory-limit" in said


class Plan:
    """Makes the inputs as it goes."""

    def __init__(self, ptool, inputs, size):
        self.ptool, self.inputs, self.size = ptool, inputs, size
        self.rows = []
        self.walker = inputs.walker()

    def add(self, what, kind, source, argv, **more):
        self.rows.append(Row(what, kind, source, argv, **more))

    def ingest(self, what, kind, path, *options, source="", text=None, keeps=False):
        """`text`: the trace's own, when the path is packed."""
        source = source or kind
        name = (what + " " + source).replace(" ", "_").replace("/", "_")
        store = self.inputs.path(f"{name}.db")
        self.add(what, kind, source, [self.ptool, "ingest", "-q", *options, "-o", store, path],
                 bytes=size_of(text or path), events=self.inputs.events(text or path),
                 store=store, keeps=keeps)
        return store

    def of_kind(self, kind):
        """What is compared on every kind: the floor, the ingest, the first answer."""
        trace = self.inputs.trace(kind, self.size)
        if self.walker:
            self.add(WALK, kind, kind, [self.walker, trace], bytes=size_of(trace))
        store = self.ingest(INGEST, kind, trace, keeps=True)
        self.add("ptool top", kind, kind + ".db", [self.ptool, "top", store])

    def of_main(self, kind):
        """All that there is, on the first kind."""
        trace = self.inputs.trace(kind, self.size)
        self.of_kind(kind)
        store = self.rows[-2].store
        self.ingest("ptool ingest -j1", kind, trace, "-j1")
        for suffix in ("gz", "zst"):
            packed = self.inputs.packed(trace, suffix)
            if packed:
                self.ingest(f"ptool ingest .{suffix}", kind, packed, source=f"{kind}.{suffix}", text=trace)
        if accepts_memory_limit(self.ptool):
            self.ingest("ptool ingest, spill", kind, trace, "--memory-limit", SPILL)
        ranks = self.inputs.ranks(kind, self.size, RANKS)
        self.ingest("ptool ingest, folder", kind, ranks, source=f"{RANKS} x {kind}")
        self.peers(kind, trace)
        for what, arguments in {**VIEWS, **SLICES, **ANALYSES, DIFF: ["diff", "{}", "{}"]}.items():
            if what != "ptool top":
                self.add(what, kind, kind + ".db",
                         [self.ptool, *(word.format(store) for word in arguments)])

    def peers(self, kind, trace):
        packed = self.inputs.packed(trace, "gz")
        if packed:
            self.add("gzip -dc", kind, f"{kind}.gz", ["gzip", "-dc", packed], bytes=size_of(trace))
        self.add(JSON_LOAD, kind, kind, [sys.executable, "-c", READ_JSON, trace], bytes=size_of(trace))
        if shutil.which("sqlite3"):
            part = self.inputs.trace(kind, min(self.size, JSON_EACH_BYTES))
            share = size_of(part) / size_of(trace)
            self.add("sqlite3 json_each", kind, kind if share == 1 else f"{share:.0%} of {kind}",
                     ["sqlite3", ":memory:", EACH.format(part.replace("'", "''"))], bytes=size_of(part))

    def of_start(self):
        """What every command costs before it does anything, beside a program that does nothing."""
        self.add(START, "start", "-", [self.ptool, "--version"])
        self.add(EMPTY_START, "start", "-", ["true"])

    def of_dump(self, functions):
        """A dump of cProfile, which is no JSON: into a store, from it, and by Python's pstats."""
        dump = self.inputs.dump(functions)
        kind, store = "dump", self.inputs.path("dump.db")
        self.add("dump of cProfile, ingest", kind, kind, [self.ptool, "ingest", "-q", "-o", store, dump],
                 store=store, keeps=True)
        self.add(PSTATS, kind, "dump.db", [self.ptool, "pstats", "--sort", "cumulative", "--limit", "10", store])
        self.add(PYTHON_PSTATS, kind, kind, [sys.executable, "-c", READ_DUMP, dump])

    def of_samples(self, size):
        """Sampled stacks, into a store, and added up by Python."""
        for kind in SAMPLES:
            path, store = self.inputs.samples(kind, size), self.inputs.path(f"{kind}.db")
            self.add(STACKS.format(kind), kind, "stacks", [self.ptool, "ingest", "-q", "-o", store, path],
                     bytes=size_of(path), store=store)
            self.add(PYTHON_STACKS.format(kind), kind, "stacks",
                     [sys.executable, os.path.join(HERE, "sum_stacks.py"), path], bytes=size_of(path))

    def larger(self, kind, factors):
        """The same kind in more bytes: time is to grow with them, memory is not."""
        for factor in factors:
            trace = self.inputs.trace(kind, factor * self.size)
            self.ingest(INGEST, kind, trace, source=f"{kind} x{factor}")
            if accepts_memory_limit(self.ptool):
                self.ingest("ptool ingest, 1 GB", kind, trace, "--memory-limit", "1G",
                            source=f"{kind} x{factor}")


def without_what_is_left(folder):
    """Stores that an earlier run left behind would be added to."""
    for name in os.listdir(folder):
        if ".db" in name:
            os.remove(os.path.join(folder, name))
