"""Files with planted defects: which, written where, read by ptool, and judged."""
import gzip
import hashlib
import os
import random
import sqlite3
import subprocess
from collections import Counter

import file_defects  # noqa: F401: each of these adds its defects to the list
import list_defects  # noqa: F401
import stores
from defects import DEFECTS
from traces import damaged_bytes, equal_bytes

BATCH = 100     # files of one `ptool ingest`
PLACES = ("first", "last", "between")


class Case:
    """A sound trace, the defects in it, and their bytes."""

    def __init__(self, names, trace, plants, place):
        self.names, self.trace, self.plants, self.place = names, trace, plants, place
        self.damaged = damaged_bytes(trace, plants)
        self.equal = equal_bytes(trace, plants)
        self.path = self.equal_path = None

    def __str__(self):
        return f"{self.trace.name}, {self.place}, {os.path.basename(self.path or '')}"


def places(trace, defect):
    """The events it can be planted at: the first, the last and all others."""
    if defect.fits is None:
        return [-1]
    return [at for at in range(len(trace.events)) if defect.fits(trace.fields(at))]


def single(trace, defect, place, seed):
    """A case, or None where the trace has no such event."""
    fitting = places(trace, defect)
    dice = random.Random(f"{seed} {trace.name} {defect.name} {place}")
    if not fitting or (place != "between" and defect.fits is None):
        return None
    at = {"first": fitting[0], "last": fitting[-1], "between": dice.choice(fitting)}[place]
    plant = defect.plant(trace, at, dice)
    return make((defect.name,), trace, [plant], place) if plant else None


def make(names, trace, plants, place):
    try:
        case = Case(names, trace, plants, place)
    except UnicodeDecodeError:  # bytes that are no UTF-8 are no UTF-16 either
        return None
    return case if case.equal is not None else None


def singles(traces, seed, some, only=""):
    """Each defect at each place; `some`: not of each trace, but of two, one of which is an array where it can be."""
    for defect in DEFECTS:
        if only not in defect.name:
            continue
        for place in PLACES:
            cases = [case for case in (single(trace, defect, place, seed) for trace in traces) if case]
            random.Random(f"{seed} {defect.name} {place}").shuffle(cases)
            if some:
                cases.sort(key=lambda case: case.trace.is_array())
                cases = cases[:1] + cases[1:][-1:]
            yield from cases


def ends_file(plant):
    return plant.cut is not None or plant.tail_cut is not None or plant.unpack


def fit_together(a, b):
    """Can the first defect stand before the second in one file?"""
    if a.whole and b.whole or a.head and b.head or a.pairs and b.pairs or (a.tail and b.tail):
        return False
    if ends_file(a) and a.cut is None or (ends_file(b) and b.cut is None and not b.tail_cut and a.at >= 0):
        return False
    if a.cut is not None or (a.unpack or b.unpack) or (ends_file(b) and a.tail) or (a.whole and b.cut is not None):
        return False
    return a.at < 0 or b.at < 0 or a.at + 2 <= b.at


def pairs(traces, seed, share):
    """That share of all ordered pairs, each in one trace: at two events, or one beside them."""
    for first in DEFECTS:
        for second in DEFECTS:
            dice = random.Random(f"{seed} {first.name} {second.name}")
            if dice.random() >= share:
                continue
            trace = dice.choice(traces)
            before, behind = places(trace, first), places(trace, second)
            if not before or not behind:
                continue
            plants = [first.plant(trace, dice.choice(before), dice), second.plant(trace, dice.choice(behind), dice)]
            if None in plants or not fit_together(*plants):
                continue
            case = make((first.name, second.name), trace, plants, "in pairs")
            if case:
                yield case


class Reader:
    """Writes files, and has ptool read them in as few stores as is quick."""

    def __init__(self, ptool, folder):
        self.ptool, self.folder = ptool, os.path.realpath(folder)
        self.paths, self.known, self.facts = [], {}, {}
        self.nfiles = 0

    def write(self, data, pack=False):
        key = hashlib.sha256(data).digest(), pack
        if key not in self.known:
            path = os.path.join(self.folder, f"{len(self.known)}.json")
            with open(path, "wb") as file:
                file.write(gzip.compress(data, 1, mtime=0) if pack else data)
            self.known[key] = path
            self.paths.append(path)
        return self.known[key]

    def add(self, case):
        self.nfiles += 1
        is_packed = case.damaged[:2] == b"\x1f\x8b"
        case.path = self.write(case.damaged, pack=self.nfiles % 3 == 0 and not is_packed)
        case.equal_path = self.write(case.equal)

    def read(self):
        """What ptool says of all files, by path; one that is missing was refused."""
        store = os.path.join(self.folder, "store.db")
        for start in range(0, len(self.paths), BATCH):
            batch = self.paths[start:start + BATCH]
            done = subprocess.run([self.ptool, "ingest", "-q", "--run", "it", "-o", store, *batch], capture_output=True,
                                  text=True, errors="replace", check=False)
            if done.returncode not in (0, 4):
                raise RuntimeError(f"ptool ingest {batch[0]} ...: exit {done.returncode}: {done.stderr.strip()}")
            try:
                self.facts.update(stores.Store(store).by_path())
            except sqlite3.Error as error:
                raise RuntimeError(f"{store}: {error}") from error
        self.paths = []


def differences(got, expected, what):
    lines = []
    for table in sorted(set(got) | set(expected)):
        a, b = got.get(table, Counter()), expected.get(table, Counter())
        lines += [f"{what}: {table} has not {row!r}" for row in list(b - a)[:1]]
        lines += [f"{what}: {table} has {row!r}" for row in list(a - b)[:1]]
    return lines


def without_lost_arrows(case, got, expected):
    """An arrow with an end in a slice that is set apart is left out, and binds to no other."""
    if not any(plant.apart for plant in case.plants):
        return expected.derived
    flows = expected.derived.get("flow", Counter())
    return {**expected.derived, "flow": flows & got.derived.get("flow", Counter())}


def judge_facts(case, got, expected):
    """The others are as if the defect was not there."""
    if not any(plant.loose for plant in case.plants):
        problems = differences(got.plain, expected.plain, "said")
        return problems or differences(got.derived, without_lost_arrows(case, got, expected), "derived")
    problems = []
    for table, rows in expected.plain.items():
        missing = rows - got.plain.get(table, Counter())
        problems += [f"lost: {table} {row!r}" for row in list(missing)[:2]]
    extra = sum((got.plain.get("slice", Counter()) - expected.plain.get("slice", Counter())).values())
    kept = sum(plant.kept for plant in case.plants)
    if extra != kept:
        problems.append(f"{extra} touched slices are there, {kept} expected")
    return problems


def judge_apart(case, got):
    wanted = sorted(plant.codes[0] for plant in case.plants if plant.apart)
    found = sorted(str(code) for _, _, code in got.apart)
    return [] if wanted == found else [f"set apart: {found}, expected {wanted}"]


def judge_findings(case, got, expected):
    """Each plant's codes, counted, at its bytes; and no other."""
    new = {code: found[0] - expected.findings.get(code, [0])[0] for code, found in got.findings.items()}
    problems = [f"finding {code}: {n} less than without the damage" for code, n in new.items() if n < 0]
    may = frozenset().union(*(plant.may for plant in case.plants))
    wanted = {}
    for plant in case.plants:
        for codes in plant.codes:
            # Of alternatives, one that is there.
            code = next((c for c in codes.split("|") if new.get(c, 0) > wanted.get(c, (0,))[0]), None)
            if code is None:
                problems.append(f"no finding {codes}")
                continue
            n, plants = wanted.get(code, (0, []))
            wanted[code] = (n + 1, plants + [plant])
    for code, (n, plants) in wanted.items():
        if new[code] != n and code not in may:
            problems.append(f"finding {code}: {new[code]} times, expected {n}")
        plants += [plant for plant in case.plants if code in plant.may]
        if code not in expected.findings and not names_place(got.findings[code][1], plants):
            problems.append(f"finding {code} at byte {got.findings[code][1]}, expected {[p.spans for p in plants]}")
    is_loose = any(plant.loose for plant in case.plants)
    for code, n in new.items():
        if code == "flow_unbound" and any(plant.apart for plant in case.plants):
            continue
        if n > 0 and code not in wanted and code not in may and not (is_loose and got.findings[code][2] == "info"):
            problems.append(f"finding {code}: not expected")
    return problems


def names_place(offset, plants):
    return any(plant.anywhere or any(low <= offset <= high for low, high in plant.spans) for plant in plants)


def judge(case, facts):
    """What is wrong with what ptool made of it: lines, none when all is well."""
    got, expected = facts.get(case.path), facts.get(case.equal_path)
    if expected is None:
        return ["the sound file was refused"]
    if got is None:
        return ["the file was refused"]
    return judge_facts(case, got, expected) + judge_apart(case, got) + judge_findings(case, got, expected)
