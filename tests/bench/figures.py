"""From samples to medians, one table, its CSV, and the ratios that are held to limits."""
import csv
import dataclasses
import statistics

from plan import ANALYSES, DIFF, EMPTY_START, INGEST, JSON_LOAD, PSTATS, PYTHON_PSTATS, PYTHON_STACKS, SAMPLES, STACKS
from plan import START, VIEWS, WALK

MIB = 1 << 20


@dataclasses.dataclass
class Sample:
    wall_s: float
    cpu_s: float
    peak_bytes: int
    status: int


@dataclasses.dataclass
class Figure:
    """A row of plan.py with what its runs came to."""

    row: object
    samples: list = dataclasses.field(default_factory=list)
    facts: dict = dataclasses.field(default_factory=dict)  # store_facts()

    def failed(self):
        """The first exit status that is not 0, or 0."""
        return next((sample.status for sample in self.samples if sample.status), 0)

    def median(self, name):
        return statistics.median(getattr(sample, name) for sample in self.samples)

    @property
    def wall_s(self):
        return self.median("wall_s")

    @property
    def cpu_s(self):
        return self.median("cpu_s")

    @property
    def peak_bytes(self):
        return max(sample.peak_bytes for sample in self.samples)

    @property
    def s_a_byte(self):
        """Seconds, or None: it reads no trace, or failed."""
        return self.wall_s / self.row.bytes if self.row.bytes and not self.failed() else None


def find(figures, what, kind, source=None):
    """The figure of a row that went well, or None."""
    for figure in figures:
        row = figure.row
        if row.what == what and row.kind == kind and source in (None, row.source):
            return figure if not figure.failed() else None
    return None


def ratio(figure, other):
    """Seconds a byte against those of another row; None where one is missing."""
    if not figure or not other or not figure.s_a_byte or not other.s_a_byte:
        return None
    return figure.s_a_byte / other.s_a_byte


# title, name in the CSV, format of the table, value from (figure, all figures)
COLUMNS = [
    ("what", "what", "", lambda f, _: f.row.what),
    ("input", "input", "", lambda f, _: f.row.source),
    ("MB", "bytes", "mega", lambda f, _: f.row.bytes or None),
    ("wall s", "wall_s", ".3f", lambda f, _: f.wall_s),
    ("MB/s", "mb_per_s", ".0f", lambda f, _: f.row.bytes / 1e6 / max(f.wall_s, 1e-4) if f.row.bytes else None),
    ("x walk", "times_walk", ".2f", lambda f, all_: ratio(f, find(all_, WALK, f.row.kind))),
    ("x ptool", "times_ptool", ".2f", lambda f, all_: ratio(f, find(all_, INGEST, f.row.kind))),
    ("CPU s", "cpu_s", ".2f", lambda f, _: f.cpu_s),
    ("peak MB", "peak_rss_bytes", "mega", lambda f, _: f.peak_bytes),
    ("events", "events", "d", lambda f, _: f.row.events or None),
    ("slices", "slices", "d", lambda f, _: f.facts.get("slices")),
    ("db MB", "store_bytes", "mega", lambda f, _: f.facts.get("store_bytes")),
    ("B/slice", "bytes_per_slice", ".0f", lambda f, _: bytes_a_slice(f)),
]
NFIRST = 2  # columns of text
# More of each row for those who compute with it.
CSV_MORE = [
    ("min_wall_s", lambda f: min(sample.wall_s for sample in f.samples)),
    ("max_wall_s", lambda f: max(sample.wall_s for sample in f.samples)),
    ("runs", lambda f: len(f.samples)),
    ("exit_status", lambda f: f.failed()),
]


def bytes_a_slice(figure):
    facts = figure.facts
    return facts["store_bytes"] / facts["slices"] if facts.get("slices") else None


def cell(value, how):
    if value is None:
        return "-"
    if how == "mega":
        return f"{value / 1e6:.0f}" if value >= 1e7 else f"{value / 1e6:.1f}"
    return format(value, how)


def table(figures):
    """The lines of a table for people.  What failed has its exit status for figures."""
    lines = [[title for title, *_ in COLUMNS]]
    for figure in figures:
        if figure.failed():
            lines.append([figure.row.what, figure.row.source, f"exit status {figure.failed()}"])
            continue
        lines.append([cell(value(figure, figures), how) for _, _, how, value in COLUMNS])
    whole = [line for line in lines if len(line) == len(COLUMNS)]
    widths = [max(len(line[i]) for line in whole) for i in range(len(COLUMNS))]
    for i in range(NFIRST):
        widths[i] = max(len(line[i]) for line in lines)
    return ["  ".join(text.ljust(width) if i < NFIRST else text.rjust(width)
                      for i, (text, width) in enumerate(zip(line, widths))).rstrip() for line in lines]


def write_csv(figures, out):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for _, name, *_ in COLUMNS] + [name for name, _ in CSV_MORE])
    for figure in figures:
        values = [value(figure, figures) for *_, value in COLUMNS] + [value(figure) for _, value in CSV_MORE]
        writer.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in values])


@dataclasses.dataclass
class Held:
    """A figure beside its limit."""

    what: str
    value: float  # None: not measured
    limit: float
    unit: str = ""
    at_least: bool = False

    def verdict(self):
        if self.value is None:
            return "not measured"
        holds = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "holds" if holds else "does not hold"

    def line(self):
        value = "-" if self.value is None else f"{self.value:.4g}{self.unit}"
        bound = f"{'at least' if self.at_least else 'at most'} {self.limit:.4g}{self.unit}"
        return f"  {self.what:58} {value:>10}   {bound:20} {self.verdict()}"


def inverse(value):
    return 1 / value if value else None


def growth(figures, kind):
    """How far the seconds a byte of larger traces are from those of the first, in percent."""
    first = find(figures, INGEST, kind, kind)
    larger = [f for f in figures if f.row.what == INGEST and f.row.source.startswith(kind + " x")]
    ratios = [ratio(f, first) for f in larger]
    if not ratios or None in ratios:
        return None
    return 100 * max(abs(r - 1) for r in ratios)


def slowest_ms(figures, kind, rows):
    found = [find(figures, what, kind) for what in rows]
    return max(f.wall_s for f in found) * 1e3 if found and all(found) else None


def promised_bytes(figure):
    return 64 * MIB + 64 * figure.row.events + figure.facts["text_bytes"]


def held(figures, kind):
    """What ptool is held to, of the first kind of this run and of the dump."""
    ingest = find(figures, INGEST, kind, kind)
    pstats, peer = find(figures, PSTATS, "dump"), find(figures, PYTHON_PSTATS, "dump")
    top = find(figures, "ptool top", kind)
    start, empty = find(figures, START, "start"), find(figures, EMPTY_START, "start")
    return [
        Held("ingest, times simdjson's walk of every token", ratio(ingest, find(figures, WALK, kind)), 1.7),
        Held("ingest of .gz, times ingest", ratio(find(figures, "ptool ingest .gz", kind), ingest), 1.2),
        Held("json.load, times ingest", inverse(ratio(ingest, find(figures, JSON_LOAD, kind))), 16, at_least=True),
        Held("ptool --version, times a program that does nothing", start and empty and start.wall_s / empty.wall_s, 4),
        Held("ptool top", top and top.wall_s * 1e3, 20, " ms"),
        Held("the slowest view of a summary", slowest_ms(figures, kind, VIEWS), 50, " ms"),
        Held("the slowest of steps, kernels, gaps and their like", slowest_ms(figures, kind, ANALYSES), 1000, " ms"),
        Held("ptool diff", slowest_ms(figures, kind, [DIFF]), 200, " ms"),
        Held("store, a slice", ingest and bytes_a_slice(ingest), 130, " B"),
        Held("peak memory, of 64 MiB + 64 B an event + distinct text",
             ingest and 100 * ingest.peak_bytes / promised_bytes(ingest), 100, "%"),
        Held("larger traces, seconds a byte away from the first's", growth(figures, kind), 10, "%"),
        Held("Python's pstats, times ptool pstats of the store", pstats and peer and peer.wall_s / pstats.wall_s,
             20, at_least=True),
        *(Held(f"Python's sums of {kind}, times ingest",
               ratio(find(figures, PYTHON_STACKS.format(kind), kind), find(figures, STACKS.format(kind), kind)), 20, at_least=True)
          for kind in SAMPLES),
    ]
