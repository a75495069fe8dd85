#!/usr/bin/env python3
"""Twice as much of anything takes about twice the work and memory.  timeout: 600 s

The short form of tests/bench/linear.py: one recording with 2,000 of each structure, and the
commands of SHORT on it, every fourth of them on each, and those of DEAR on fewer.  Most cost
next to nothing there and are fine.  One that does not is tried with 8,000: above the cost of
starting it may cost at most 8 times as much, where 4 is proportional and 16 quadratic.  Work
is instructions where the kernel counts them, else processor time, the least of several runs;
how fast the machine is does not matter.

With LONG all commands are tried on each structure, with 4,000 and 16,000; LINEAR=RE tries
only the structures whose names match, with all commands.  Skipped under SAN, TSAN and
VALGRIND, whose own work and memory are not in proportion.
"""
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "store")]
import command_lines  # noqa: E402  pylint: disable=wrong-import-position
import edits  # noqa: E402  pylint: disable=wrong-import-position
import linear  # noqa: E402  pylint: disable=wrong-import-position
import other_files  # noqa: E402  pylint: disable=wrong-import-position
import report_files  # noqa: E402  pylint: disable=wrong-import-position
import stack_files  # noqa: E402  pylint: disable=wrong-import-position
import store_files  # noqa: E402  pylint: disable=wrong-import-position
import storetap  # noqa: E402  pylint: disable=wrong-import-position
import structures  # noqa: E402  pylint: disable=wrong-import-position

LONG = os.environ.get("LONG")
SMALL, LARGE, MOST = (4000, 16000, 8) if LONG else (2000, 8000, 8)
SUSPECT = {"instructions": 150e6, "seconds": 0.02, "bytes": 24 << 20}  # above the cost of starting
SHARE = 4  # each structure is tried with one of so many commands
DEAR_SHARE = 8 * SHARE
RUNS = (1, 2, 6)  # again, when the runs before say that it is too much: a busy machine makes some dear
SECONDS = 20
RUNS_SMALL = 300
SECTIONS_SMALL = 30000
OPERANDS_SMALL = 8000
SOURCES_SMALL = 256
GAPS_SMALL = 256  # of 1,024 slices around a gap all are looked at
PROFILES_SMALL = 250
LANES_SMALL = 8000
LINES_SMALL = 16000  # a comparison or a move each costs little
STORES_SMALL = 32
MANY_FILES = 16  # so many times fewer of those that are a file each

# One line a way through the code, not one a mode.
SHORT = [line.split(" ", 1) for line in """
ingest -q -j1 -o OUT TRACE
ingest -q --memory-limit 1M -o OUT TRACE
top --by step,thread,shape STORE
top --by stack STORE
top --cat cpu_op STORE
top --by annotation --limit 0 STORE
top --tensor-cores STORE
list --sort name STORE
doctor STORE
info STORE
steps STORE
steps --phases STORE
devices STORE
streams --by-time 50 STORE
timeline --time 0.. STORE
kernels --launches --copies --by step --limit 0 STORE
gaps --by frame STORE
gaps --root STORE
gaps --causes hta STORE
overview STORE
advise STORE
transfers --by step STORE
comm --ranks STORE
comm --by size STORE
modules --depth 0 --format csv STORE
compile --by region --format csv STORE
memory --stats STORE
memory --live --by step --format csv STORE
memory --events STORE
memory --leaks STORE
tree --depth 0 --min 0 --format csv STORE
tree --depth 0 --min 0 --kernels STORE
flame --inverted STORE
flame --to html STORE
pstats --callers STORE
diff STORE STORE
diff --by name STORE STORE
diff --by idle STORE STORE
top --by thread --limit 0 STORE
gate -f BUDGETS STORE STORE
list STORE
ranks STORE
ranks --what-if STORE
callers --limit 0 --format csv . STORE
callees --limit 0 --format csv . STORE
rm -q -o COPY it
roofline --limit 0 --format csv STORE
sql STORE @SELECT * FROM v_op
lines --limit 0 --format csv STORE
graphs STORE
""".strip().splitlines()]

# Those that read or write all of a store.  They are too dear for each fourth structure, and are
# tried with such as one of the first two lines is, whose large recording is then there mostly.
DEAR = [line.split(" ", 1) for line in """
report -f -o OUT STORE
export --to chrome -f -o OUT STORE
export --to pprof -f -o OUT STORE
export --to pftrace -f -o OUT STORE
baseline -q --dir FOLDER save main STORE
merge -q -f -o OUT STORE
migrate -q -f -o OUT COPY
sql STORE @SELECT * FROM slice
""".strip().splitlines()]


def is_tried(number, i):
    """Is the structure of the number tried with line i of SHORT and DEAR?"""
    if i < len(SHORT):
        return (number + i) % SHARE == 0
    half, odd = divmod(i - len(SHORT), 2)
    return (number + SHARE * half + odd) % DEAR_SHARE == 0


class Recording:
    """A structure in two sizes, each made when it is needed."""

    def __init__(self, name, root):
        self.name, self.root, self.places = name, root, {}

    def cost(self, cell, size, tool, runs=1):
        if size not in self.places:
            n = size // MANY_FILES if self.name in structures.FOLDERS else size
            self.places[size] = linear.Place(self.name, n, self.root, has_other=False)
        return least([self.places[size].run(cell, tool, SECONDS) for _ in range(runs)])


def least(runs):
    """The smallest costs; None when one of the runs failed."""
    if any(run.failed() for run in runs):
        return None
    return {measure: min(run.costs[measure] for run in runs) for measure in runs[0].costs}


def excess(recording, cell, tool, start):
    """What costs too much of the large recording, as text, or None."""
    small = recording.cost(cell, SMALL, tool)
    suspects = [measure for measure in start if small is None or small[measure] - start[measure] > SUSPECT[measure]]
    for runs in RUNS:
        if not suspects:
            return None
        small = recording.cost(cell, SMALL, tool, runs)
        large = recording.cost(cell, LARGE, tool, runs)
        if small is None or large is None:
            return f"{cell.command} {cell.line}: fails, or takes more than {SECONDS} s"
        suspects = [measure for measure in suspects
                    if large[measure] - start[measure] > MOST * max(small[measure] - start[measure], SUSPECT[measure] / 2)]
    return f"{cell.command} {cell.line}: {', '.join(f'{small[m]:.4g} -> {large[m]:.4g} {m}' for m in suspects)}" if suspects else None


# Of these some have an answer to each line; the first has one to most.
ANSWERING = ("everything_of_an_engine", "ranks_of_axes", "callers_of_a_function", "functions_of_a_source_file", "lines_of_a_function",
             "stacks_of_threads", "ranks_of_experts")


def check_answers(tap, root):
    """A line that has no answer to any recording costs nothing, and measures nothing."""
    left = [*command_lines.all_lines(), *map(tuple, SHORT + DEAR)]
    for name in ANSWERING:
        place = linear.Place(name, 64, root)
        left = [(command, line) for command, line in left
                if place.run(linear.Cell(name, command, line), None, SECONDS).status != command_lines.ANSWERS.get(line, 0)]
    tap.same([f"{command} {line}" for command, line in left], [], "each line has an answer to some recording")


def check_formats(tap, root):
    """A file that is read as another format measures that one."""
    for name, (form, dialect, command) in report_files.READ_AS.items():
        place = linear.Place(name, 8, root, has_other=False)
        with sqlite3.connect(place.words["STORE"]) as db:
            read_as = db.execute("SELECT DISTINCT format, dialect FROM profile").fetchall()
        db.close()
        status = place.run(linear.Cell(name, command, "STORE"), None, SECONDS).status
        tap.same((read_as, status), ([(form, dialect)], 0), f"{name.replace('_', ' ')}: {dialect or form}")


def check_stores(tap, tool):
    """A folder of stores that is read for the first time, and one that becomes a store."""
    lines = {"info": ["info"], "merge": ["merge", "-q", "-f", "-o", "OUT"]}
    costs = {name: [] for name in lines}
    for n in (STORES_SMALL, 4 * STORES_SMALL):
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
            stores = structures.write("stores", n * store_files.SHARE, folder)
            for name, argv in lines.items():
                argv = [os.path.join(folder, "out.db") if word == "OUT" else word for word in argv]
                runs = []
                for i in range(2):
                    scratch = os.path.join(folder, f"{name}{i}")  # with a cache of its own
                    os.mkdir(scratch)
                    runs.append(linear.run([*argv, stores], tool, scratch, SECONDS))
                costs[name].append(least(runs))
    for name, of_sizes in costs.items():
        told(tap, of_sizes, f"{name} of a folder of {STORES_SMALL} and {4 * STORES_SMALL} stores")


# Copied for each run; the others belong to no profile, or trend does not read them.
OF_A_RUN = ("step", "device", "step_part", "summary")


def store_of_runs(n, folder):
    """A run with summaries, n times: one ingest for each would take too long."""
    store = os.path.join(folder, f"{n}.db")
    trace = structures.write("ranks", 1, folder, 1)
    subprocess.run([storetap.PTOOL, "ingest", "-q", "--summaries", "yes", "-o", store, trace], check=True)
    db = sqlite3.connect(store)
    columns = {table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in ("profile", *OF_A_RUN)}
    for i in range(1, n):
        db.execute("INSERT INTO run (name) VALUES (?)", (f"night {i}",))
        new = {"id": "NULL", "run_id": "(SELECT max(id) FROM run)"}
        db.execute(f"INSERT INTO profile SELECT {', '.join(new.get(name, name) for name in columns['profile'])} FROM profile WHERE id = 1")
        new = {"id": "NULL", "profile_id": "(SELECT max(id) FROM profile)"}
        for table in OF_A_RUN:
            names = dict(new)
            if table == "summary":
                names["first_row_id"] = f"CASE part WHEN 'step_part' THEN first_row_id + row_count * {i} ELSE 1 END"
                names["row_count"] = "CASE part WHEN 'step_part' THEN row_count ELSE 0 END"
            db.execute(f"INSERT INTO {table} SELECT {', '.join(names.get(name, name) for name in columns[table])} "
                       f"FROM {table} WHERE profile_id = 1 ORDER BY id")
    db.commit()
    db.close()
    return store


def check_runs(tap, tool):
    """What trend reads of each run must not grow with the number of runs, nor may a baseline that
    keeps the last ones make all of them.
    """
    lines = {"trend": ["trend", "--limit", "1"], "baseline save": ["baseline", "-q", "--dir", "DIR", "--keep", "10", "save", "main"]}
    costs = {name: [] for name in lines}
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        for n in (RUNS_SMALL, 4 * RUNS_SMALL):
            inner = os.path.join(folder, str(n))
            os.mkdir(inner)
            store = store_of_runs(n, inner)
            for name, argv in lines.items():
                argv = [os.path.join(inner, "baselines") if word == "DIR" else word for word in argv]
                costs[name].append(least([linear.run([*argv, store], tool, inner, SECONDS) for _ in range(3)]))
    for name, (small, large) in costs.items():
        measure = next(iter(word for word in small if word != "bytes")) if small and large else None
        tap.ok(measure and large[measure] < MOST * small[measure], f"{name} of {RUNS_SMALL} and {4 * RUNS_SMALL} runs", small, large)


def check_profiles(tap, tool):
    """Which rows the store has of all profiles must not be asked again for each: not for names, nor by a run that is added."""
    lines = {"graphs": ["graphs"], "one more run": ["ingest", "-q", "--summaries", "yes", "--run", "more", "-o"]}
    costs = {name: [] for name in lines}
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        for n in (PROFILES_SMALL, 4 * PROFILES_SMALL):
            inner = os.path.join(folder, str(n))
            os.mkdir(inner)
            store = os.path.join(inner, "store.db")
            subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, structures.write("names_of_graphs_of_profiles", n, inner)], check=True)
            os.mkdir(os.path.join(inner, "one"))
            one = structures.write("steps", 1, os.path.join(inner, "one"))
            for name, argv in lines.items():
                argv = [*argv, store, *([one] if argv[0] == "ingest" else [])]
                costs[name].append(least([linear.run(argv, tool, inner, SECONDS) for _ in range(3)]))
    for name, (small, large) in costs.items():
        measure = next(iter(word for word in small if word != "bytes")) if small and large else None
        tap.ok(measure and large[measure] < MOST * small[measure], f"{name} of {PROFILES_SMALL} and {4 * PROFILES_SMALL} profiles", small, large)


def check_growth(tap, tool, structure, least_n, command, name):
    """The command on a store of the structure, and on one of four times as much."""
    costs = []
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        for n in (least_n, 4 * least_n):
            store, inner = os.path.join(folder, f"{n}.db"), os.path.join(folder, str(n))
            os.mkdir(inner)
            subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, structures.write(structure, n, inner)], check=True)
            costs.append(least([linear.run([*command, "-q", "-f", "-o", os.path.join(folder, "out"), store], tool, folder, SECONDS)
                                for _ in range(3)]))
    small, large = costs
    measure = next(iter(word for word in small if word != "bytes")) if small and large else None
    tap.ok(measure and large[measure] < MOST * small[measure], f"{' '.join(command)} of {least_n} and {4 * least_n} {name}", small, large)


def check_texts(tap, tool):
    """What n others refer to, a text or a number, is looked at once."""
    for make in (stack_files.functions_of_a_file_of_firefox, stack_files.frames_of_a_location_of_firefox, stack_files.comments_of_pprof,
                 other_files.callers_of_a_long_integer, other_files.callers_of_a_long_name, other_files.functions_of_a_file_of_lprof,
                 other_files.modules_of_a_long_one, other_files.entries_of_an_action):
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
            costs = [least([linear.run(["ingest", "-q", "-o", os.path.join(folder, f"{n}.{i}.db"), make(n, folder, 1)], tool, folder, SECONDS)
                            for i in range(3)]) for n in (SMALL, 4 * SMALL)]
        small, large = costs
        measure = next(iter(word for word in small if word != "bytes")) if small and large else None
        tap.ok(measure and large[measure] < MOST * max(small[measure], SUSPECT[measure] / 2),
               f"{SMALL} and {4 * SMALL} of {make.__name__.replace('_', ' ')}", small, large)


LONG_NAMES = {
    stack_files.functions_of_a_source_file: ["lines --limit 0", "report -f -o OUT"],
    stack_files.lines_of_a_long_name: ["top --by line", "top --by line --limit 0", "export --to speedscope -f -o OUT"],
    stack_files.threads_of_a_long_name: ["top --by thread --limit 0"],
    stack_files.stacks_of_a_long_name: ["export --to folded -f -o OUT", "flame --min 0 --to svg -f -o OUT"],
    stack_files.calls_of_a_long_name: ["export --to pstats -f -o OUT"],
}


def check_long_names(tap, tool):
    """A file's text, or a name of 20 n bytes, that n rows have; what is written counts as memory."""
    for make, commands in LONG_NAMES.items():
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
            costs = {command: [] for command in commands}
            for n in (SMALL, 4 * SMALL):
                store, out = os.path.join(folder, f"{n}.db"), os.path.join(folder, "out")
                subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, make(n, folder, 1)], check=True)
                for command in commands:
                    argv = [out if word == "OUT" else word for word in command.split()]
                    cost = least([linear.run([*argv, "-q", store], tool, folder, SECONDS) for _ in range(2)])
                    written = os.path.getsize(out) if "OUT" in command else 0
                    costs[command].append(cost and {measure: value + written * (measure == "bytes") for measure, value in cost.items()})
        for command, (small, large) in costs.items():
            tap.ok(small and large and all(large[measure] < MOST * max(small[measure], SUSPECT[measure] / 2) for measure in small),
                   f"{command} of {SMALL} and {4 * SMALL} {make.__name__.replace('_', ' ')}", small, large)


def told(tap, costs, what):
    """Costs of a size, and of one of four times as much."""
    small, large = costs
    measure = next(iter(word for word in small if word != "bytes")) if small and large else None
    tap.ok(measure and large[measure] < MOST * max(small[measure], SUSPECT[measure] / 2), what, small, large)


def check_lines(tap, tool):
    """Of structures that need one command, which need not be that which is tried with them."""
    for structure, n, line in (("blocks_of_deep_threads", SMALL, "memory --events --limit 0 --format csv"),
                               ("gaps_under_deep_operators", GAPS_SMALL, "gaps --list --limit 0 --format csv"),
                               ("grids", LINES_SMALL * 3 // 2, "kernels"),
                               ("modules_of_threads", LINES_SMALL, "modules")):
        costs = []
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
            for size in (n, 4 * n):
                store, trace = os.path.join(folder, f"{size}.db"), structures.write(structure, size, folder)
                subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, trace], check=True)
                costs.append(least([linear.run([*line.split(), store], tool, folder, SECONDS) for _ in range(3)]))
        told(tap, costs, f"{line} of {n} and {4 * n} {structure.replace('_', ' ')}")


def check_findings(tap, tool):
    """A store may have a finding for each of n details, which are told apart."""
    costs = []
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        store = os.path.join(folder, "store.db")
        subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, structures.write("steps", 1, folder)], check=True)
        for n in (SMALL, 4 * SMALL):
            with sqlite3.connect(store) as db:
                db.execute("DELETE FROM finding")
                db.executemany("INSERT INTO finding (profile_id, severity, code, detail, count, first_offset, excerpt) "
                               "SELECT id, 'info', 'no_stacks', ?, 1, 0, '' FROM profile", [(f"{i}",) for i in range(n)])
            db.close()
            costs.append(least([linear.run(["doctor", store], tool, folder, SECONDS) for _ in range(3)]))
    told(tap, costs, f"doctor of {SMALL} and {4 * SMALL} findings")


def check_rows(tap, tool):
    """A text of 100 n bytes that n rows of a summary have is looked at once."""
    trace = os.path.join(os.environ["FIXTURES"], "gpu", "everything.json")
    for table, column, where, line in (("comm_part", "name_id", "device NOT NULL", "comm --limit 1"),
                                       ("transfer_part", "op_id", "grain = 2", "transfers --by op --limit 1")):
        costs = []
        with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
            for n in (SMALL, 4 * SMALL):
                store = os.path.join(folder, f"{n}.db")
                subprocess.run([storetap.PTOOL, "ingest", "-q", "--summaries", "yes", "-o", store, trace], check=True)
                with sqlite3.connect(store) as db:
                    db.executescript(edits.share_texts(table, column, where, n, 100 * n))
                db.close()
                costs.append(least([linear.run([*line.split(), store], tool, folder, SECONDS) for _ in range(3)]))
        told(tap, costs, f"{line} of {SMALL} and {4 * SMALL} rows with a long text")


def check_sources(tap, tool):
    """What n files of Inductor say of a kernel is joined once, not for each of n regions with it."""
    costs = []
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        for n in (SOURCES_SMALL, 4 * SOURCES_SMALL):
            inner = os.path.join(folder, str(n))
            os.mkdir(inner)
            with open(os.path.join(inner, "inductor_generated_kernel_to_post_grad_nodes.json"), "w", encoding="utf-8") as out:
                out.write("{" + ",".join(f'"triton_poi_fused_add_0": ["n{i:03d}"]' for i in range(n)) + "}")
            store = os.path.join(folder, f"{n}.db")
            trace = structures.write("versions_of_a_frame", n, folder)
            subprocess.run([storetap.PTOOL, "ingest", "-q", "-o", store, trace], check=True)
            argv = ["compile", "--by", "kernel", "--provenance", inner, store]
            costs.append(least([linear.run(argv, tool, folder, SECONDS) for _ in range(3)]))
    told(tap, costs, f"compile of {SOURCES_SMALL} and {4 * SOURCES_SMALL} kernels with as many nodes")


def check_counters(tap, tool):
    """The page has the samples of each counter, which must not be looked for among all."""
    check_growth(tap, tool, "counters", SMALL, ["report"], "counters")


def check_lanes(tap, tool):
    """Slices that overlap are put on lanes, all of which must not be looked at for each slice."""
    check_growth(tap, tool, "all_crossing_operators", LANES_SMALL, ["export", "--to", "pftrace"], "lanes")


def check_sections(tap, tool):
    """All sections of a file of budgets are read before the first is refused, which has no view."""
    costs = []
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        trace = structures.write("steps", 1, folder)
        for n in (SECTIONS_SMALL, 4 * SECTIONS_SMALL):
            path = os.path.join(folder, "budgets")
            with open(path, "w", encoding="utf-8") as budgets:
                budgets.writelines(f"[{i:x}]\n" for i in range(n))
            runs = [linear.run(["gate", "-f", path, trace], tool, folder, SECONDS) for _ in range(3)]
            costs.append({name: min(run.costs[name] for run in runs) for name in runs[0].costs} | {"status": runs[0].status})
    measure = next(iter(name for name in costs[0] if name != "bytes"))
    tap.ok(costs[1]["status"] == 2 and costs[1][measure] < MOST * costs[0][measure],
           f"gate by {SECTIONS_SMALL} and {4 * SECTIONS_SMALL} budgets", costs)


def check_operands(tap, tool):
    """Which of them is named twice; none is there."""
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as folder:
        costs = [linear.run(["ingest", "-q", "-o", os.path.join(folder, "out.db"), *(f"missing{i:06d}" for i in range(n))], tool, folder, SECONDS)
                 for n in (OPERANDS_SMALL, 4 * OPERANDS_SMALL)]
    measure = next(iter(name for name in costs[0].costs if name != "bytes"))
    small, large = (max(run.costs[measure], SUSPECT[measure]) for run in costs)
    tap.ok(costs[1].status == 4 and large < MOST * small, f"ingest of {OPERANDS_SMALL} and {4 * OPERANDS_SMALL} operands", small, large)


def main():
    tap = storetap.Tap()
    if any(os.environ.get(name) for name in ("SAN", "TSAN", "VALGRIND")):
        tap.skip("work and memory in proportion", "a sanitizer's are not")
        tap.done()
    tap.same(command_lines.missing(linear.PTOOL), [], "each command has lines in tests/bench/command_lines.py")
    tool = "perf" if linear.has_perf() else None
    wanted = os.environ.get("LINEAR")
    everything = wanted or LONG
    with tempfile.TemporaryDirectory(prefix="ptool-linear.") as root:
        cells = [linear.Cell("", command, line) for command, line in SHORT + DEAR]
        tiny = Recording("steps", root)
        starts = [tiny.cost(cell, linear.FIXED, tool, RUNS[1]) for cell in cells]
        tap.same([cell.line for cell, start in zip(cells, starts) if start is None], [], "each command runs")
        for number, name in enumerate(structures.names_of_all()):
            if wanted and not re.search(wanted, name):
                continue
            with tempfile.TemporaryDirectory(dir=root) as inner:
                recording = Recording(name, inner)
                found = [excess(recording, cell, tool, start) for i, (cell, start) in enumerate(zip(cells, starts))
                         if start and (everything or is_tried(number, i)) and not ("TRACE" in cell.line and name in structures.STORES)]
            found = [text for text in found if text]
            tap.ok(not found, f"{SMALL} and {LARGE} of {name.replace('_', ' ')}", *found)
        check_formats(tap, root)
        check_answers(tap, root)
    check_stores(tap, tool)
    check_runs(tap, tool)
    check_profiles(tap, tool)
    check_texts(tap, tool)
    check_long_names(tap, tool)
    check_lines(tap, tool)
    check_findings(tap, tool)
    check_rows(tap, tool)
    check_sources(tap, tool)
    check_counters(tap, tool)
    check_lanes(tap, tool)
    check_sections(tap, tool)
    check_operands(tap, tool)
    tap.done()


main()
