"""What the check_*.py of this folder share: TAP output, and stores made by PTOOL.

Environment: PTOOL is the program under test, FIXTURES the folder of the fixtures; both have
defaults, so that a check can be run by hand.
"""
import glob
import os
import signal
import sqlite3
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PTOOL = os.environ.get("PTOOL", os.path.join(ROOT, "build", "ptool"))
FIXTURES = os.environ.get("FIXTURES", os.path.join(ROOT, "tests", "fixtures"))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")  # big recordings, beside some checkouts
# A shell that started us in the background has SIGINT ignored, and so would our children.
signal.signal(signal.SIGINT, signal.default_int_handler)

# For a program that Ctrl-C shall end: it leaves at once, with its threads at work.
INTERRUPTED_ENV = dict(os.environ, TSAN_OPTIONS=os.environ.get("TSAN_OPTIONS", "") + ":report_thread_leaks=0")

SHOWN = 6  # differences of one test that are shown

DEVICE_WORK = "(SELECT id FROM slice_class WHERE is_device_work)"


class Tap:
    """Numbers the tests and prints one line each; `done` prints the plan and the exit status."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, passed, name, *details):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}", flush=True)
        for detail in details[:SHOWN] if not passed else []:
            print(f"#   {detail}")

    def same(self, got, expected, name):
        """Two lists as multisets, or two values; says what is missing and what is too much."""
        if not isinstance(expected, list):
            self.ok(got == expected, name, f"got {got!r}", f"expected {expected!r}")
            return
        missing, extra = list(expected), []
        for row in got:
            if row in missing:
                missing.remove(row)
            else:
                extra.append(row)
        self.ok(not missing and not extra, name, *[f"missing {row!r}" for row in missing[:SHOWN // 2]],
                *[f"not expected {row!r}" for row in extra[:SHOWN // 2]])

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def done(self):
        print(f"1..{self.count}")
        raise SystemExit(1 if self.failed else 0)


def fixtures():
    """Every trace among the fixtures: (its name, its path)."""
    found = []
    for path in sorted(glob.glob(os.path.join(FIXTURES, "gpu", "*.json"))):
        if not path.endswith(".truth.json"):
            found.append((os.path.basename(path)[:-len(".json")], path))
    for path in sorted(glob.glob(os.path.join(FIXTURES, "torch", "*", "trace.json.gz"))):
        found.append((os.path.basename(os.path.dirname(path)), path))
    return found


def share(items, few):
    """All of them.  Under SAN one in so many: the same program without it has given all answers, and
    what reads and writes memory is the same code for each."""
    items = list(items)
    return items[::few] if os.environ.get("SAN") else items


class Workplace:
    """A temporary folder with stores in it; use it in a `with`."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ptool-store.")
        return self

    def __exit__(self, *unused):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def ptool(self, *argv, check=True):
        """Runs ptool; what it printed on stderr is the message of a failure."""
        done = subprocess.run([PTOOL, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise RuntimeError(f"ptool {' '.join(argv)}: exit {done.returncode}: {done.stderr.strip()}")
        return done

    def ingest(self, *files, store="store.db", fresh=True, options=()):
        """The path of a store with these files in it."""
        path = self.path(store)
        if fresh and os.path.exists(path):
            os.remove(path)
        self.ptool("ingest", "-q", "-o", path, *options, *files)
        return path

    def open(self, path):
        """A connection that only reads, whose rows have names."""
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        return db


def rows(db, sql, *values):
    """The rows as tuples."""
    return [tuple(row) for row in db.execute(sql, values)]


def value(db, sql, *values):
    return db.execute(sql, values).fetchone()[0]


def union(intervals):
    """The total of the union of (start, end), and the gaps between its parts."""
    busy, gaps, reached = 0, [], None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            if reached is not None:
                gaps.append([reached, start])
            busy += end - start
            reached = end
        elif end > reached:
            busy += end - reached
            reached = end
    return busy, gaps
