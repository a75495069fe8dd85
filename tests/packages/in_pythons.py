#!/usr/bin/env python3
"""in_pythons.py WHEEL TRACE: installs the wheel into the oldest and the newest Python that are here (pyenv's and
Debian's, but no older than 3.6), with pandas where pip can get it and without, and asks both roads.  Prints TAP."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

ASK = """
import csv, io, subprocess, sys
import ptool
trace, wanted = sys.argv[1:]
table = ptool.table("top", trace, sort="cpu_time_total", limit=0)
assert type(table).__name__ == wanted, type(table)
assert table.attrs["units"]["self_cpu_ns"] == "ns" and table.attrs["total_rows"] == len(table)
rows = table if wanted == "Rows" else table.astype(object).where(table.notna(), None).to_dict("records")
text = ptool.run("top", trace, sort="cpu_time_total", limit=0, format="csv").decode()
other = list(csv.DictReader(io.StringIO(text)))
assert len(other) == len(rows) > 10
for row, line in zip(rows, other):
    for name in ("name", "calls", "self_cpu_ns", "self_device_ns"):
        assert ("" if row[name] is None else str(row[name])) == line[name], (row, line)
assert len(ptool.table("list", trace, focus="^aten::", cat=["cpu_op"], limit=3)) == 3
for code, call in ((2, ("topp",)), (2, ("top --sort=nothing", trace)), (4, ("top", "none.json"))):
    try:
        ptool.table(*call)
        raise SystemExit("no error of %s" % (call,))
    except ptool.Error as error:
        assert error.code == code and str(error).startswith("ptool:") and error.line, error
try:
    ptool.table("top", trace, focus="^nothing$")
    raise SystemExit("no error of nothing")
except ptool.Error as error:
    assert error.code == 3, error
assert subprocess.run(["ptool", "--version"], stdout=subprocess.PIPE).stdout.startswith(b"ptool ")
print(ptool.program())
"""
DONE = {"ok": 0, "not ok": 0, "skip": 0}


def tell(what, ok, why=""):
    kind = "skip" if ok is None else "ok" if ok else "not ok"
    DONE[kind] += 1
    print("%s %d - wheel: %s%s" % ("ok" if ok is None else kind, sum(DONE.values()), what,
                                   " # SKIP " + why if ok is None else ""))
    if ok is False:
        print("# " + why.replace("\n", "\n# "))


def pythons():
    """(version, path) of the oldest and the newest, and Debian's own."""
    found = {}
    for path in glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")) + ["/usr/bin/python3"]:
        if os.path.exists(path):
            out = subprocess.run([path, "-c", "import sys, ensurepip; print(sys.version_info[0], sys.version_info[1])"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if out.returncode == 0:
                found[tuple(map(int, out.stdout.split()))] = path
    some = sorted(version for version in found if version >= (3, 6))
    return [(version, found[version]) for version in sorted({some[0], some[-1]})] if some else []


def tidy(path):
    return subprocess.run(path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)


def try_python(version, python, wheel, trace, folder):
    name = "Python %d.%d" % version
    home = os.path.join(folder, "env%d.%d" % version)
    made = tidy([python, "-m", "venv", home])
    if made.returncode == 0:
        made = tidy([home + "/bin/pip", "install", "--no-index", "--no-deps", wheel])
    tell("pip install under " + name, made.returncode == 0, made.stdout[-2000:])
    if made.returncode:
        return
    env = dict(os.environ, PATH=home + "/bin:/usr/bin:/bin", PTOOL_CACHE=os.path.join(folder, "cache"))
    env.pop("PTOOL", None)
    for wanted, needs in (("Rows", None), ("DataFrame", "pandas")):
        what = "table() gives %s under %s" % ("a list" if needs is None else "a DataFrame", name)
        if needs:
            got = tidy([home + "/bin/pip", "install", "-q", "--only-binary", ":all:", needs])
            if got.returncode:
                tell(what, None, "pip cannot get pandas")
                continue
        asked = subprocess.run([home + "/bin/python3", "-c", ASK, trace, wanted], stdout=subprocess.PIPE, cwd=folder,
                               stderr=subprocess.STDOUT, universal_newlines=True, env=env)
        tell(what, asked.returncode == 0 and asked.stdout.startswith(home), asked.stdout[-2000:])
    gone = tidy([home + "/bin/pip", "uninstall", "-y", "ptool"])
    left = glob.glob(home + "/**/ptool*", recursive=True)
    tell("pip uninstall leaves nothing under " + name, gone.returncode == 0 and not left, str(left))


def main():
    wheel, trace = map(os.path.abspath, sys.argv[1:])
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        tell("has the program, executable, and the module", "ptool/__init__.py" in names and any(
            re.search(r"\.data/scripts/ptool$", name) and files.getinfo(name).external_attr >> 16 & 0o111 for name in names),
            str(names))
    some = pythons()
    if not some:
        tell("pip install", None, "no Python with pip here")
    with tempfile.TemporaryDirectory() as folder:
        for version, python in some:
            try_python(version, python, wheel, trace, folder)
        audit = os.path.join(folder, "audit")
        got = tidy([sys.executable, "-m", "venv", audit])
        if got.returncode == 0:
            got = tidy([audit + "/bin/pip", "install", "-q", "auditwheel"])
        if got.returncode:
            tell("auditwheel agrees with the tag", None, "pip cannot get auditwheel")
        else:
            told = tidy([audit + "/bin/auditwheel", "show", wheel])
            tag = re.search(r'platform tag:\s+"(\w+)"', told.stdout)
            tell("auditwheel agrees with the tag", bool(tag) and tag.group(1) in os.path.basename(wheel), told.stdout)
    print("1..%d" % sum(DONE.values()))
    sys.exit(DONE["not ok"] > 0)


if __name__ == "__main__":
    main()
