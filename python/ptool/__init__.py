"""Tables of ptool, which answers from profiles of training code.

    import ptool
    ops = ptool.table("top", "trace.json.gz", sort="cpu_time_total")
    ops.attrs["units"]["self_cpu_ns"]       # "ns"

A table is a pandas.DataFrame where pandas is installed, else a list of dicts, with
`attrs`: units (of each column), notes, total_rows, command.  The program `ptool` comes
with this module; $PTOOL names another.
"""
import json
import os
import shutil
import subprocess
import sysconfig

__all__ = ["Error", "Rows", "program", "run", "table"]


class Error(Exception):
    """ptool's line, and its exit status: 2 a mistake in the call, 3 nothing matched or not recorded,
    4 no such input or an unreadable one, 5 input and output, or memory."""

    def __init__(self, code, line):
        super().__init__(line)
        self.code = code
        self.line = line


class Rows(list):
    """A list of dicts with attrs, where pandas is missing."""

    def __init__(self, rows=(), attrs=None):
        super().__init__(rows)
        self.attrs = attrs or {}


def program():
    """The path of the program: $PTOOL, else the one beside this module, else that of $PATH."""
    if os.environ.get("PTOOL"):
        return os.environ["PTOOL"]
    package = os.path.dirname(os.path.abspath(__file__))
    folders = [sysconfig.get_path("scripts")]
    try:  # pip install --user
        folders.append(sysconfig.get_path("scripts", os.name + "_user"))
    except KeyError:
        pass
    # pip install --target, --prefix
    folders += [os.path.join(package, *[os.pardir] * up, "bin") for up in (1, 4)]
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, "ptool"))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    path = shutil.which("ptool")
    if not path:
        raise Error(4, "the program ptool is missing; install it, or set PTOOL to its path")
    return path


def _words(command, operands, options):
    """sort="calls" is --sort calls, wide=True is --wide, focus=["a", "b"] is both."""
    words = command.split()
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [option] if one is True else [option + "=" + str(one)]
    return words + ["--"] + [os.fspath(path) for path in operands]


def run(command, *operands, **options):
    """What `ptool COMMAND --OPTION VALUE ... OPERANDS` writes to standard output, as bytes."""
    done = subprocess.run([program()] + _words(command, operands, options), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Error(done.returncode, lines[-1] if lines else "ptool ended with %d" % done.returncode)
    return done.stdout


def table(command, *operands, **options):
    """The table that a command prints: table("steps", "trace.json.gz", step="3..5").

    Times are int nanoseconds, sizes int bytes, what is not recorded is None; attrs["units"] has the unit of
    each column.  Raises Error.
    """
    if "format" in options:
        raise TypeError("table() reads JSON; run() gives any other format")
    answer = json.loads(run(command, *operands, format="json", **options))
    attrs = {key: answer[key] for key in answer if key not in ("rows", "columns")}
    attrs["units"] = {column["name"]: column["unit"] for column in answer["columns"]}
    try:
        import pandas
    except ImportError:
        return Rows(answer["rows"], attrs)
    frame = pandas.DataFrame(answer["rows"], columns=list(attrs["units"]))
    # A column of integers that lacks some stays one of integers, exact beyond 2^53.
    for name in frame.columns:
        values = [row[name] for row in answer["rows"]]
        if None in values and all(value is None or type(value) is int for value in values):
            frame[name] = pandas.array(values, dtype="Int64")
    frame.attrs.update(attrs)
    return frame
