#!/usr/bin/env python3
"""ptool pstats against what Python's pstats printed.  timeout: 300 s

Each listing of tests/fixtures/pyprof, and of the larger collection that lies beside
some checkouts (../shared/data/pyprof/cprofile; one in four, LONG=1: all), was printed by the interpreter that
wrote the dump; its name tells the options.  Byte for byte, with these exceptions:

* the address of a code object is that of the process that printed it: left out here
  and there, and with it the blanks that depend on its length;
* a dict of Python 2.7 or PyPy's is in an order of its own while it is printed, so rows
  that are equal in the order asked for may stand in another one;
* Python 2's print leaves out the last blank of "name -> ";
* where pstats fails (EXCEPTION, TypeError), ptool lists.
"""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

PTOOL = os.path.abspath(os.environ.get("PTOOL", "build/ptool"))
FIXTURES = os.path.abspath(os.environ.get("FIXTURES", "tests/fixtures"))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLLECTION = os.path.join(os.path.dirname(ROOT), "shared", "data", "pyprof", "cprofile")

MTIME = 1704164645  # 2024-01-02 03:04:05 UTC
KEYS = {"time", "cumulative", "calls", "pcalls", "filename", "line", "name", "nfl", "stdname"}
RESTRICTIONS = {
    "r20": ["--limit", "20"],
    "r10": ["--limit", "10"],
    "r0": ["--limit", "0"],
    "r0.1": ["--fraction", "0.1"],
    "r1.0": ["--fraction", "1.0"],
    "r0.5_regex_json_3": ["--fraction", "0.5", "--match", "[a-f].*:", "--limit", "3"],
    "rregex_builtin": ["--match", "built-in|method"],
    "rnone": ["--match", "no_such_function_xyz"],
    "rbadregex": ["--match", "(unclosed"],
    "rneg": ["--limit=-5"],
}
BARE_ARROW = re.compile(rb"((?:->|<-)) +$", re.M)
ADDRESS = re.compile(rb"(<code object [^\n]*?) at 0x[0-9a-f]+")


def options_of(words):
    """What 'strip.time.name.reverse' asks for, as ptool's options."""
    options, keys = [], []
    text = ".".join(words)
    restriction = re.search(r"\.(r\d[^.]*(\.\d[^.]*)?|r[a-z]+(_[a-z]+)?)$", text)
    if restriction and restriction.group(1) != "reverse":
        options += RESTRICTIONS[restriction.group(1)]
        text = text[: restriction.start()]
    for word in text.split("."):
        if word in KEYS:
            keys.append(word)
        elif word == "strip":
            options.append("--strip-dirs")
        elif word in ("callers", "callees", "reverse"):
            options.append("--" + word)
        elif word != "nosort":
            raise ValueError(f"what is '{word}' in {'.'.join(words)}?")
    return options + (["--sort", ",".join(keys)] if keys else [])


def of_names(folder):
    """(listing, dumps, options) of a folder of <dump>.prof and <dump>.<words>.txt."""
    for dump in sorted(glob.glob(os.path.join(folder, "*.prof"))):
        stem = dump[: -len(".prof")]
        for listing in sorted(glob.glob(glob.escape(stem) + ".*.txt")):
            words = os.path.basename(listing)[len(os.path.basename(stem)) + 1 : -len(".txt")].split(".")
            dumps = [dump]
            options = []
            if words[0] == "add_self_twice":
                words, dumps, options = words[1:], [dump, dump], ["--limit", "15"]
            yield listing, dumps, options_of(words) + options


def of_merge(folder):
    """Dumps that were added."""
    a, b, c = (os.path.join(folder, name + ".prof") for name in "abc")
    for name, dumps, options in (
        ("a_add_c.nostrip.time.txt", [a, c], ["--sort", "time", "--limit", "25"]),
        ("abc.cumulative.txt", [a, b, c], ["--strip-dirs", "--sort", "cumulative", "--limit", "20"]),
        ("abc.callers.txt", [a, b, c], ["--strip-dirs", "--sort", "stdname", "--callers"]),
        ("abc.callees.txt", [a, b, c], ["--strip-dirs", "--sort", "stdname", "--callees"]),
    ):
        listing = os.path.join(folder, name)
        if os.path.exists(listing):
            yield listing, dumps, options


def of_torch(folder):
    """<dump>_txt/<what>_<keys>_<restrictions>_strip<0|1>.txt"""
    for listing in sorted(glob.glob(os.path.join(folder, "*_txt", "*_strip?.txt"))):
        dump = os.path.dirname(listing)[: -len("_txt")] + ".prof"
        what, *words, strip = os.path.basename(listing)[: -len(".txt")].split("_")
        options = [] if what == "stats" else ["--" + what]
        options += ["--sort", "cumulative"] if words == ["re"] else []
        options += ["--strip-dirs"] if strip == "strip1" else []
        with open(listing, encoding="utf-8") as text:
            patterns = [ast.literal_eval(s) for s in re.findall(r"restriction <(['\"].*)>$", text.read(), re.M)]
        for word in words:
            if word == "re":
                options += ["--match", patterns.pop(0) if patterns else "forward|main"]
            elif word == "nomatch":
                options += ["--match", "no_such_function_xyz"]
            elif word in ("zero", "unsorted", "all"):
                options += ["--limit", "0"] if word == "zero" else []
            elif word == "reverse":
                options += ["--reverse"]
            elif re.fullmatch(r"[\d.]+", word):
                options += ["--fraction" if "." in word else "--limit", word]
            else:
                options += ["--sort", word.replace("+", ",")]
        yield listing, [dump], options
    for name, dumps, options in (
        ("added_cnn+transformer_cumulative_20.txt", ["cnn_w0.prof", "transformer.prof"],
         ["--sort", "cumulative", "--limit", "20"]),
        ("added_recur_twice_ncalls_20_strip1.txt", ["recur.prof"] * 2,
         ["--sort", "ncalls", "--limit", "20", "--strip-dirs"]),
    ):
        dumps = [os.path.join(folder, dump) for dump in dumps]
        if all(map(os.path.exists, dumps)):
            yield os.path.join(folder, name), dumps, options


def dates(listing):
    """Seconds of the ctime() above the totals, by file."""
    out = {}
    for line in listing.decode(errors="replace").splitlines():
        head = re.fullmatch(r"(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})    (.*)", line)
        if not head:
            break
        seconds = time.mktime(time.strptime(head.group(1)))
        out[head.group(2)] = seconds
    return out


def ptool(scratch, listing, dumps, options):
    """Standard output and errors of ptool pstats on copies with the listing's time."""
    times = dates(listing)
    for dump in dumps:
        name = os.path.basename(dump)
        copy = os.path.join(scratch, name)
        shutil.copyfile(dump, copy)
        seconds = times.get(name, MTIME)
        os.utime(copy, (seconds, seconds))
    ran = subprocess.run(
        [PTOOL, "pstats", *options, *map(os.path.basename, dumps)],
        cwd=scratch, capture_output=True, check=False, env={**os.environ, "TZ": "UTC", "PTOOL_CACHE": os.path.join(scratch, "cache")},
    )
    return ran


def plain(text):
    """Without what depends on the addresses of code objects."""
    if b"<code object" not in text:
        return text
    return re.sub(rb" +", b" ", ADDRESS.sub(rb"\1", text))


def is_escaped(ours, theirs):
    """Bytes that are no UTF-8: pstats prints them, ptool what they are, in wider columns."""
    escaped = re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte.group()) - 0xDC00:02x}", theirs.decode(errors="surrogateescape"))
    if escaped.encode() == theirs:
        return False
    return re.sub(rb" +", b" ", ours) == re.sub(rb" +", b" ", escaped.encode())


def is_of_old_dict(listing):
    return re.search(r"py27|_27\.|pypy39", listing) is not None


def rows_agree(ours, theirs, options):
    """Line for line but for rows that are equal in the order asked for."""
    mine, others = ours.split(b"\n"), theirs.split(b"\n")
    if len(mine) != len(others):
        return False
    if sorted(mine) == sorted(others):
        return True
    # cut among equal rows: what is sorted by is the same all the way down
    return "--limit" in options and [row[:45] for row in mine] == [row[:45] for row in others]


def check(scratch, listing, dumps, options):
    """None, or what is wrong."""
    with open(listing, "rb") as text:
        theirs = text.read()
    ran = ptool(scratch, theirs, dumps, options)
    if re.search(rb"^(EXCEPTION|TypeError: )", theirs, re.M):
        if b"EXCEPTION TypeError: Cannot create" in theirs or b"object from" in theirs:
            return None if ran.returncode == 4 else f"exit {ran.returncode}, not 4"
        return None if ran.returncode == 0 and ran.stdout else f"exit {ran.returncode}: {ran.stderr.decode()}"
    emptied = "--match" in options and b"filename:lineno" not in theirs and b"Function" not in theirs
    if ran.returncode != (3 if emptied else 0):
        return f"exit {ran.returncode}: {ran.stderr.decode()}"
    ours, theirs = plain(ran.stdout), plain(theirs)
    if is_of_old_dict(listing):
        ours, theirs = BARE_ARROW.sub(rb"\1", ours), BARE_ARROW.sub(rb"\1", theirs)
    if ours == theirs or (is_of_old_dict(listing) and rows_agree(ours, theirs, options)):
        return None
    if is_escaped(ours, theirs):
        return None
    for mine, other in zip(ours.split(b"\n"), theirs.split(b"\n")):
        if mine != other:
            return f"{mine!r}\n#   pstats: {other!r}"
    return f"{len(ours)} bytes, pstats prints {len(theirs)}"


def share(cases):
    """One in four, always the same, of every dump and of every form; all with LONG=1."""
    return [case for case in cases if os.environ.get("LONG") or zlib.crc32(os.path.basename(case[0]).encode()) % 4 == 0]


def collect(folder):
    for where in sorted(glob.glob(os.path.join(folder, "*", ""))):
        name = os.path.basename(os.path.dirname(where))
        if name == "torch":
            yield name, list(of_torch(where))
        elif name == "merge":
            yield name, list(of_merge(where))
        else:
            yield name, list(of_names(where))


def main():
    os.environ["TZ"] = "UTC"
    time.tzset()
    sources = [("fixtures", os.path.join(FIXTURES, "pyprof", "pstats")), ("collection", COLLECTION)]
    number = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for source, folder in sources:
            sets = [(name, share(cases) if folder == COLLECTION else cases) for name, cases in collect(folder) if cases]
            for name, cases in sets:
                wrong = [(case[0], said) for case in cases if (said := check(scratch, *case))]
                number += 1
                failed += bool(wrong)
                print(f"{'not ' if wrong else ''}ok {number} - {source}: {name}: {len(cases)} listings")
                for listing, said in wrong[:20]:
                    print(f"# {os.path.relpath(listing, folder)}: {said}")
            if not sets:
                number += 1
                print(f"ok {number} - {source} # skip it is not there")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
