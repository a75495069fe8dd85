#!/usr/bin/env python3
"""ptool export --to pstats: a dump that was read comes out as it was.  timeout: 300 s

Generated dumps of every marshal version, compared with the dict they were made from; the
shared dumps, compared with what a decoder of their own says of them; and the listings that
Python's pstats makes of the original and of the copy, byte for byte.
"""
import contextlib
import io
import importlib.util
import marshal
import os
import pstats
import re
import subprocess
import tempfile

from callgraphs import FIXTURES, SHARED, Tap, fixture_dumps, ptool, random_graph, recorded_graph, shared_dumps

MTIME = 1704164645
ORDERS = [(), ("cumulative",), ("time",), ("stdname",), ("nfl",), ("calls", "pcalls")]


def listings(path):
    """All that pstats prints of a dump; addresses of code objects are not its contents."""
    out = io.StringIO()
    for order in ORDERS:
        for strip in (False, True):
            stats = pstats.Stats(path, stream=out)
            if strip:
                stats.strip_dirs()
            if order:
                stats.sort_stats(*order)
            for show in (stats.print_stats, stats.print_callers, stats.print_callees):
                try:
                    show()
                except (KeyError, TypeError, AttributeError) as error:
                    out.write(f"{type(error).__name__}\n")
    return re.sub(r" at 0x[0-9a-f]+", "", out.getvalue()).splitlines()


def same_listings(tap, name, original, copy, scratch):
    """Both under one name, because pstats prints it."""
    texts = []
    for source in (original, copy):
        path = os.path.join(scratch, "listed.prof")
        with open(source, "rb") as read, open(path, "wb") as written:
            written.write(read.read())
        os.utime(path, (MTIME, MTIME))
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                texts.append(listings(path))
        except Exception as error:  # pstats cannot read the original: old marshal, a bug of its time
            tap.skip(f"{name}: listings", f"pstats: {type(error).__name__} for {os.path.basename(source)}")
            if source == copy:
                tap.ok(False, f"{name}: pstats reads the copy")
            return
    wrong = [f"{a!r} became {b!r}" for a, b in zip(*texts) if a != b]
    tap.ok(texts[0] == texts[1] and len(texts[0]) > 10, f"{name}: pstats lists the copy the same", wrong)


def exported(dump, scratch, *args):
    path = os.path.join(scratch, "copy.prof")
    ptool("export", "--to", "pstats", "-f", "-o", path, *args, dump)
    return path


def load(path):
    with open(path, "rb") as file:
        return marshal.load(file)


def same(a, b):
    """nan is nan and -0.0 is not 0.0; the order of keys counts."""
    return repr(a) == repr(b)


def differences(want, got):
    if list(want) != list(got):
        return ["other keys, or another order of them"]
    return [f"{key}: {want[key]!r} became {got[key]!r}" for key in want if not same(want[key], got[key])]


def check_generated(tap, scratch):
    for seed in range(20):
        graph = random_graph(seed, functions=60, pure=seed % 4 == 3)
        dump = os.path.join(scratch, f"random{seed}.prof")
        with open(dump, "wb") as file:
            marshal.dump(graph, file, seed % 5)
        copy = exported(dump, scratch)
        lines = differences(graph, load(copy))
        tap.ok(not lines, f"random graph {seed}, marshal version {seed % 5}", lines)
    for seed in range(4):
        dump = os.path.join(scratch, f"recorded{seed}.prof")
        with open(dump, "wb") as file:
            marshal.dump(recorded_graph(seed), file)
        same_listings(tap, f"recorded graph {seed}", dump, exported(dump, scratch), scratch)


def check_names(tap, scratch):
    """File names that are no UTF-8 stand in dumps as surrogates."""
    files = ["/x/\udcff.py", "/x/\udc80\udcc3.py", "/x/ok.py", "/x/�.py"]
    graph = {(file, 3, "f"): (1, 1, 0.5, 0.5, {(files[0], 3, "f"): (1, 1, 0.5, 0.5)}) for file in files}
    dump = os.path.join(scratch, "names.prof")
    with open(dump, "wb") as file:
        marshal.dump(graph, file)
    lines = differences(graph, load(exported(dump, scratch)))
    tap.ok(not lines, "names of files that are no UTF-8", lines)


def check_added(tap, scratch):
    """Several profiles are Stats(first, second, ...)."""
    paths = []
    for seed in (1, 2, 3):
        paths.append(os.path.join(scratch, f"part{seed}.prof"))
        with open(paths[-1], "wb") as file:
            marshal.dump(random_graph(seed, odd=False), file)
    store = os.path.join(scratch, "added.db")
    ptool("ingest", "-q", "-o", store, *paths)
    want = pstats.Stats(*paths).stats
    got = load(exported(store, scratch))
    tap.ok(list(got) == list(want), "several profiles: the order of Stats.add()")
    lines = [f"{key}: {want[key]} became {got.get(key)}" for key in want if not same(want[key], got.get(key))]
    tap.ok(not lines, "several profiles: the sums of Stats.add()", lines)


def check_fixtures(tap, scratch):
    for dump in fixture_dumps():
        name = os.path.relpath(dump, FIXTURES)
        same_listings(tap, name, dump, exported(dump, scratch), scratch)


def reference():
    path = os.path.join(SHARED, "tools", "marshal_reference.py")
    if not os.path.exists(path):
        return None
    spec = importlib.util.spec_from_file_location("marshal_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(value, ref):
    """A name as ptool keeps it."""
    if isinstance(value, ref.Code):
        return f'<code object {value.name}, file "{value.fn}", line {value.line}>'
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def plain_sums(value):
    if not isinstance(value, tuple):
        return value
    fours = [value[i:i + 4] for i in range(0, len(value), 4)]  # of Python 2.6
    added = [sum(column) for column in zip(*fours)]
    return (added[0], added[1], float(added[2]), float(added[3]))


def plain_graph(graph, ref):
    rows = {}
    for key, (cc, nc, tt, ct, callers) in graph.items():
        rows[tuple(plain(part, ref) for part in key)] = (cc, nc, float(tt), float(ct), {
            tuple(plain(part, ref) for part in caller): plain_sums(sums) for caller, sums in callers.items()})
    return rows


def check_shared(tap, scratch):
    ref = reference()
    if not ref or not shared_dumps():
        tap.skip("the shared dumps", "no ../shared here")
        return
    for dump in shared_dumps():
        name = os.path.relpath(dump, os.path.join(SHARED, "data", "pyprof", "cprofile"))
        with open(dump, "rb") as file:
            graph = ref.load(file.read())[0]
        copy = exported(dump, scratch)
        lines = differences(plain_graph(graph, ref), load(copy))
        tap.ok(not lines, f"{name}: every number and name", lines)
        same_listings(tap, name, dump, copy, scratch)


def check_python2(tap, scratch):
    """One that is there reads a dump as its own."""
    dump = os.path.join(scratch, "two.prof")
    with open(dump, "wb") as file:
        marshal.dump(recorded_graph(9), file, 2)
    copy = exported(dump, scratch)
    with open(copy, "rb") as file:
        first = file.read(13)
    tap.ok(first[:6] == b"{(\3\0\0\0" and first[6:7] == b"t", "no code is used that Python 2.7 does not know")
    program = "import pstats,sys; pstats.Stats(sys.argv[1]).print_stats()"
    try:
        subprocess.run(["python2.7", "-c", ""], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        tap.skip("Python 2.7 reads it", "no Python 2.7 here")
        return
    ran = subprocess.run(["python2.7", "-c", program, copy], capture_output=True, check=False)
    tap.ok(ran.returncode == 0, "Python 2.7 reads it", ran.stderr.decode().splitlines())


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PTOOL_CACHE"] = os.path.join(scratch, "cache")
        check_generated(tap, scratch)
        check_names(tap, scratch)
        check_added(tap, scratch)
        check_python2(tap, scratch)
        check_fixtures(tap, scratch)
        check_shared(tap, scratch)
    tap.done()


main()
