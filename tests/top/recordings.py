"""Recordings of torch.profiler with what torch itself said of them.

Each is a trace, the key_averages.json.gz of the same process, and perhaps printed
tables.  The fixtures are always there; the larger collection lies beside some
checkouts, in ../shared/data/torch, and is skipped where it does not.
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys

PTOOL = os.environ.get("PTOOL", "build/ptool")
FIXTURES = os.environ.get("FIXTURES", "tests/fixtures")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLLECTION = os.path.join(os.path.dirname(ROOT), "shared", "data", "torch")


class Recording:
    """A trace, ingested into a store of its own when it is first asked."""

    def __init__(self, name, trace, truth, scratch):
        self.name = name
        self.trace = trace
        self.folder = os.path.dirname(truth)
        with gzip.open(truth, "rt", encoding="utf-8") as text:
            self.truth = json.load(text)
        self.store = os.path.join(scratch, name.replace("/", "_") + ".db")

    def ptool(self, *args):
        """ptool top with these arguments: its standard output; None when nothing matched."""
        if not os.path.exists(self.store):
            subprocess.run([PTOOL, "ingest", "-q", "-o", self.store, self.trace], check=True)
        ran = subprocess.run([PTOOL, "top", self.store, *args], capture_output=True, check=False)
        if ran.returncode == 3:
            return None
        if ran.returncode != 0:
            raise RuntimeError(f"ptool top {' '.join(args)}: exit {ran.returncode}: {ran.stderr.decode()}")
        return ran.stdout.decode("utf-8")

    def rows(self, *args):
        """The rows of the table as dicts, all of them."""
        text = self.ptool("--limit", "0", "--format", "json", *args)
        return json.loads(text)["rows"] if text else []

    def tables(self):
        """Paths of the tables that torch printed."""
        return sorted(glob.glob(os.path.join(self.folder, "table_*.txt")))


def of_fixtures(scratch):
    """Those that are committed."""
    for truth in sorted(glob.glob(os.path.join(FIXTURES, "torch", "*", "key_averages.json.gz"))):
        folder = os.path.dirname(truth)
        name = os.path.basename(folder)
        yield Recording(name, os.path.join(folder, "trace.json.gz"), truth, scratch)


def traces_of_case(case):
    """(name, trace, folder of the truth) for each trace of a case of the collection."""
    folder = os.path.join(COLLECTION, case)
    yield case, os.path.join(folder, "trace.json.gz"), folder
    for trace in sorted(glob.glob(os.path.join(folder, "train_step_*.json.gz"))):
        step = "step" + re.search(r"_(\d+)\.json", trace).group(1)
        yield f"{case}/{step}", trace, os.path.join(folder, step)
    # the table is of the last cycle; acc_events kept those before it too
    yield case + "/acc0", os.path.join(folder, "acc0_cycle1.json.gz"), os.path.join(folder, "acc0")
    for i, trace in enumerate(sorted(glob.glob(os.path.join(folder, "logdir", "*")))):
        rank = re.match(r"rank\d+", os.path.basename(trace))
        part = rank.group(0) if rank else f"cycle{i}"
        yield f"{case}/{part}", trace, os.path.join(folder, part)


def of_collection(scratch):
    """Those beside the checkout; none where there is no such folder."""
    cases = sorted(os.listdir(COLLECTION)) if os.path.isdir(COLLECTION) else []
    for case in cases:
        for name, trace, folder in traces_of_case(case):
            truth = os.path.join(folder, "key_averages.json.gz")
            if os.path.exists(trace) and os.path.exists(truth):
                yield Recording("collection/" + name, trace, truth, scratch)


class Tap:
    """Results as the Test Anything Protocol, the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, passed, what, why=()):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {what}")
        if not passed:
            for line in list(why)[:12]:
                print(f"# {line}")

    def skip(self, what, why):
        self.count += 1
        print(f"ok {self.count} - {what} # SKIP {why}")

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
