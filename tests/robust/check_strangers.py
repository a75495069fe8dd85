#!/usr/bin/env python3
"""A stranger's store is only data: whatever stands in its rows, each command ends
with an answer or with one line that says what is wrong.  Each column of each table
holds boundary values, in its first row or in all of them; and those edits that once
crashed a command are tried with that command and some others.

STRANGERS=1 in the environment tries each boundary value in each column, STRANGERS=all
all commands on each edit too: hours.  Without it one in seven of the values is tried
(one in 14 under SAN, where each command takes four times as long), always the same.

Speaks TAP.  timeout: 400 s
"""
import itertools
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from edits import share_texts

PTOOL = os.environ["PTOOL"]
FIXTURES = os.environ["FIXTURES"]
EVERYTHING = os.environ.get("STRANGERS") == "all"
# One of so many values of a column, and of the commands beside those once crashed.
SHARE = 1 if os.environ.get("STRANGERS") else 14 if os.environ.get("SAN") else 7
TIMEOUT_S = 60
SPACE = 4 << 30  # address space of a command, where no sanitizer needs terabytes
LITTLE_SPACE = 128 << 20


def limit_of(space):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))


HAS_LIMITS = not (os.environ.get("SAN") or os.environ.get("VALGRIND"))

VALUES = (-1, 0, 3, 2**31, 2**32, 2**63 - 1, -2**63)
TEXTS = ("''", "char(0)", "'\x1b[31m'", "'-1'", "'9223372036854775808'", "printf('%5000c', 'x')")
BLOBS = ("x''", "x'00'", "x'ffffffffffffffffffff01'", "zeroblob(5000)")

COMMANDS = [line.split() for line in """
top
top --thread 1
top --by thread --sort calls
top --by category
top --by annotation
top --by step --format csv
top --cat cpu_op
top --min-dur 1ns
top --time 0..
top --profile 1
top --tensor-cores
top --format torch
list
list --sort name
list --sort self
list --sort dur --limit 3
info
doctor
steps
steps --phases
steps --by phase
devices
streams
timeline
kernels --by family
gaps
memory
comm
comm --ranks
transfers
modules
compile
tree
pstats
pstats --callers
callers .
callees .
advise
diff STORE
diff STORE --by name
overview
timeline --time 0.. --limit 0 --format csv
graphs
roofline --limit 0 --format csv
ranks --what-if
trend
flame --to html
memory --live --by step
memory --events
compile --by region
gaps --by frame
gaps --by step
transfers --list
diff STORE --by memory
diff STORE --by idle
report -q -o OUT
report -q -o OUT STORE
export --to pstats -o OUT
export --to speedscope -o OUT
export --to pprof -o OUT
export --to folded -o OUT
export --to callgrind -o OUT
export --to chrome -o OUT
export --to pftrace -o OUT
export --to parquet --table slice -o OUT
export --to parquet --table step_part -o OUT
lines
tree --kernels --depth 0 --min 0
diff STORE --within-run
flame --to svg
merge -q -f -o OUT
migrate -q -f -o OUT
ingest -q --run more TRACE
rm absent
rm it
""".strip().splitlines()]
COMMANDS[:0] = [["sql", "SELECT * FROM slice"], ["sql", "SELECT * FROM v_step"]]

# Each of them was a crash, an overflow or gigabytes, in these commands.
ONCE_FATAL = [
    ("UPDATE slice_row SET name_id = 0 WHERE id = 1",
     ["top --thread 1", "top --by thread --sort calls", "top --time 0..", "top --cat cpu_op",
      "top --min-dur 1ns", "top --format torch", "callers .", "callees .", "pstats",
      "export --to pstats -o OUT"]),
    ("UPDATE slice_row SET name_id = 0", ["top --thread 1", "callers .", "export --to pstats -o OUT"]),
    ("UPDATE string SET id = -1 WHERE id = (SELECT max(id) FROM string)", ["list --sort name"]),
    ("UPDATE string SET id = 2147483648 WHERE id = (SELECT max(id) FROM string)",
     ["list --sort name"]),
    ("UPDATE track SET first_slice_id = 3", ["list --sort self"]),
    ("UPDATE profile SET id = 9223372036854775807",
     ["diff STORE", "pstats --callers", "export --to pstats -o OUT"]),
    ("UPDATE call_edge SET caller_id = -9223372036854775807 - 1",
     ["diff STORE", "pstats --callers", "export --to pstats -o OUT"]),
    ("UPDATE slice_row SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM slice_row)",
     ["ingest -q --run more TRACE"]),
    ("UPDATE op_detail SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM op_detail)",
     ["ingest -q --run more TRACE"]),
    ("UPDATE track SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM track)",
     ["ingest -q --run more TRACE"]),
    # ids that follow those of slices
    ("UPDATE slice_pack SET id = 9007199254740993 WHERE id = (SELECT max(id) FROM slice_pack)",
     ["ingest -q --run more TRACE"]),
    ("UPDATE slice_row SET id = -5 WHERE id = (SELECT max(id) FROM slice_row)",
     ["ingest -q --run more TRACE"]),
    ("UPDATE step SET dur = -9223372036854775807 - 1", ["timeline"]),
    ("UPDATE slice_row SET op_id = -1 WHERE id = 2", ["merge -q -f -o OUT"]),
    # of a call at the end of time the end was looked for
    ("UPDATE slice_row SET ts = 9223372036854775807",
     ["diff STORE --by idle", "report -q -o OUT", "gaps"]),
    ("UPDATE profile SET annotation_fudge_ns = -9223372036854775807 - 1", ["pstats --callers"]),
    # of no name 16 GiB were asked for
    ("UPDATE slice_pack SET name_id = x''", ["report -q -o OUT"]),
    # as many slices as no file of that size holds: memory for all of them was asked for
    ("UPDATE profile SET slices = 100000000000000",
     ["report -q -o OUT", "list --sort name", "roofline --limit 0 --format csv", "top --time 0.."]),
    ("UPDATE slice_pack SET name_id = NULL", ["report -q -o OUT", "top --tensor-cores"]),
    # before the first line of the first function
    ("UPDATE line_stat SET line = -1", ["lines", "report -q -o OUT"]),
    ("UPDATE function SET file_id = 2147483647", ["export --to callgrind -o OUT"]),
    ("UPDATE function SET id = 0 WHERE id = 1", ["export --to callgrind -o OUT"]),
    ("UPDATE profile SET first_op_detail_id = -9223372036854775807 - 1", ["report -q -o OUT"]),
    ("UPDATE stream_part SET events = -9223372036854775807 - 1", ["streams", "report -q -o OUT"]),
    ("UPDATE gap_part SET place = 9223372036854775807", ["gaps", "gaps --by frame"]),
    ("UPDATE step_part SET runtime_ns = 9223372036854775807", ["report -q -o OUT", "steps"]),
    ("UPDATE step SET ts = -9223372036854775807 - 1 WHERE rowid = 2", ["gaps --by step"]),
    # shares of a step that add up to more than all: a bar that never ended
    ("UPDATE step_part SET communication_ns = 4294967296", ["overview"]),
    # causes of no total, and totals without a cause
    ("UPDATE gap_part SET level = 2 WHERE level = 1"
     " AND id > (SELECT min(id) FROM gap_part WHERE level = 1)", ["gaps", "gaps --by frame"]),
    ("DELETE FROM gap_part WHERE level = 2", ["gaps", "gaps --by frame"]),
]


# Tables that lose what keeps NULL out of them: each crashed nearly every command once.
NOT_OURS = [("profile", "format"), ("profile", "path"), ("run", "name"), ("track", "kind")]
LOOSEN = """PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), ' NOT NULL', '')
 WHERE name = '{0}';
PRAGMA writable_schema = RESET;
UPDATE {0} SET {1} = NULL"""

# An index that says what its table said before: rows of it are those of other profiles.
STALE = """PRAGMA writable_schema = ON;
CREATE TEMP TABLE kept AS SELECT rowid AS place, * FROM sqlite_schema WHERE name = '{0}';
DELETE FROM sqlite_schema WHERE name = '{0}';
PRAGMA writable_schema = RESET;
UPDATE {1} SET {2} = {3};
PRAGMA writable_schema = ON;
INSERT INTO sqlite_schema (rowid, type, name, tbl_name, rootpage, sql) SELECT * FROM kept;
PRAGMA writable_schema = RESET"""


class Shop:
    """A folder with sound stores: of a trace, of a call graph, with summaries of several traces,
    and of other profiles, so that nearly every table has rows in one of them.
    """

    def __init__(self, root):
        self.root = root
        self.trace = os.path.join(FIXTURES, "gpu", "everything.json")
        self.store = os.path.join(root, "edited.db")
        self.bases = []
        dumps = os.path.join(FIXTURES, "pyprof")
        graph = next(os.path.join(folder, name) for folder, _, names in sorted(os.walk(dumps))
                     for name in sorted(names) if name.endswith((".prof", ".pstats")))
        others = [[os.path.join(FIXTURES, name) for name in names.split()] for names in (
            "gpu/everything.json gpu/python_stack.json compile/compile_annotated.json.gz",
            "samples/evented.speedscope.json samples/go_heap.pb.gz samples/pyspy_fork.chrometrace.json.gz "
            "lines/lp503.lprof lines/memory061.txt mprof/basic.dat snapshot/two_devices_p5.pickle")]
        for number, paths in enumerate(([self.trace], [graph], ["--summaries", "yes", *others[0]], others[1])):
            base = os.path.join(root, f"base{number}.db")
            subprocess.run([PTOOL, "ingest", "-q", "-o", base, "--run", "it", *paths], check=True)
            self.bases.append(base)

    def edit(self, base, sql):
        """False where SQLite itself refuses the edit."""
        shutil.copyfile(base, self.store)
        db = sqlite3.connect(self.store, isolation_level=None)
        try:
            db.execute("PRAGMA foreign_keys = OFF")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA journal_mode = OFF")
            db.executescript(sql)
        except sqlite3.Error:
            return False
        finally:
            db.close()
        return True

    def run(self, command, good=(0, 2, 3, 4), space=SPACE):
        """What is wrong with how it ended, or None."""
        out = os.path.join(self.root, "out")
        places = {"STORE": self.store, "TRACE": self.trace, "OUT": out}
        words = [places.get(word, word) for word in command]
        if words[0] in ("ingest",):
            words[1:1] = ["-o", self.store]
        elif words[0] in ("callers", "callees"):
            words.append(self.store)
        elif words[0] != "rm":
            words.insert(1, self.store)
        env = dict(os.environ, PTOOL_STORE=self.store)
        try:
            done = subprocess.run([PTOOL, *words], env=env, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIMEOUT_S,
                                  preexec_fn=limit_of(space) if HAS_LIMITS else None)
        except subprocess.TimeoutExpired:
            return f"still running after {TIMEOUT_S} s"
        finally:
            if os.path.exists(out):
                os.unlink(out)
        if done.returncode not in good:
            said = done.stderr.decode(errors="replace")
            return f"exit status {done.returncode}: {said[:2000]}"
        return None


def columns_of(base):
    with sqlite3.connect(f"file:{base}?mode=ro", uri=True) as db:
        tables = [name for name, in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        found = [(table, row[1], row[2]) for table in tables
                 if db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                 for row in db.execute(f"PRAGMA table_info({table})")]
    db.close()
    return found


def edits_of(base):
    """One of SHARE values in each column, all values over SHARE columns."""
    turn = itertools.cycle((0, 1))
    for number, (table, column, kind) in enumerate(columns_of(base)):
        values = ("NULL", *{"TEXT": TEXTS, "BLOB": BLOBS}.get(kind, VALUES))
        for value in values[number % SHARE::SHARE]:
            first = f" WHERE rowid = (SELECT min(rowid) FROM {table})"
            for where in (first, "") if EVERYTHING else ((first, "")[next(turn)],):
                yield f"UPDATE {table} SET {column} = {value}{where}"


def try_edits(shop, base, edits):
    """Of pairs of an edit and the commands to try."""
    tried = refused = 0
    for sql, commands in edits:
        if not shop.edit(base, sql):
            refused += 1
            continue
        for command in commands:
            tried += 1
            wrong = shop.run(command)
            assert wrong is None, f"{sql}; ptool {' '.join(command)}: {wrong}"
    assert tried > 0
    print(f"# {tried} commands, {refused} edits that SQLite refused")


def what_was_fatal_once_is_told(shop):
    def edits():
        for number, (sql, fatal) in enumerate(ONCE_FATAL):
            fatal = [command.split() for command in fatal]
            assert all(command in COMMANDS for command in fatal), fatal
            step = SHARE
            others = [command for command in COMMANDS[number % step::step] if command not in fatal]
            yield sql, fatal + others

    for base in shop.bases:
        try_edits(shop, base, edits())


def tables_that_take_null_are_refused(shop):
    """By every command, those that write too."""
    turns = 0
    for number, (table, column) in enumerate(NOT_OURS):
        assert shop.edit(shop.bases[0], LOOSEN.format(table, column))
        for command in COMMANDS[number % SHARE::SHARE] + COMMANDS[-2:]:
            turns += 1
            wrong = shop.run(command, good=(4,))
            assert wrong is None, f"{table}.{column}: ptool {' '.join(command)}: {wrong}"
    print(f"# {turns} commands")


def boundary_values_in_each_column_are_told(shop):
    turn = itertools.cycle(COMMANDS)
    for base in shop.bases:
        try_edits(shop, base, ((sql, COMMANDS if EVERYTHING else [next(turn)])
                               for sql in edits_of(base)))


def rows_of_other_profiles_are_told(shop):
    """Profiles that share rows would each read all of them."""
    flame = ["flame", "--profile", "evented.speedscope.json"]
    sums = """UPDATE sample_series SET first_sum_id = (SELECT min(id) FROM sample_sum),
        sums = (SELECT count(*) FROM sample_sum)"""
    export = ["export", "--to", "speedscope", "--profile", "go_heap.pb.gz", "-o", "OUT"]
    edits = [(3, "UPDATE sample_node SET profile_id = 1000", flame),
             (3, "UPDATE function SET profile_id = 1000", flame),
             (3, "UPDATE sample_series SET nodes = nodes + 1000", flame),
             (3, sums, export),
             (0, "UPDATE profile SET op_details = 100000000", ["roofline"]),
             (0, "UPDATE profile SET op_details = -1", ["roofline"])]
    for base, sql, command in edits:
        assert shop.edit(shop.bases[base], sql)
        wrong = shop.run(command, good=(4,))
        assert wrong is None, f"{sql}; ptool {' '.join(command)}: {wrong}"


def indexes_of(base):
    """(index, table, column) of those whose table has rows."""
    with sqlite3.connect(f"file:{base}?mode=ro", uri=True) as db:
        found = [(index, table, column)
                 for index, table in db.execute("SELECT name, tbl_name FROM sqlite_schema"
                                                " WHERE type = 'index' AND sql NOT NULL ORDER BY name")
                 if db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                 for _, _, column in db.execute(f"PRAGMA index_info({index})")]
    db.close()
    return found


def indexes_of_other_rows_are_told(shop):
    """What is read by an index may be another profile's."""
    turn = itertools.cycle(range(SHARE))
    for base in (shop.bases[0], *shop.bases[2:]):   # that of a call graph has none
        try_edits(shop, base, ((STALE.format(*index, value), COMMANDS[next(turn)::SHARE])
                               for index in indexes_of(base)
                               for value in (f"{index[2]} + 1", "0")))
    for command in ("list", "tree --kernels --depth 0 --min 0", "diff STORE --by name", "timeline",
                    "modules", "export --to speedscope -o OUT"):
        assert shop.edit(shop.bases[0], STALE.format("track_profile", "track", "profile_id", 1000))
        wrong = shop.run(command.split(), good=(4,))
        assert wrong is None, f"tracks of another profile: ptool {command}: {wrong}"


def slices_of_two_tracks_are_told(shop):
    """Who reads slices by tracks would read them twice: wrong sums, and the product of both."""
    again = """INSERT INTO track SELECT 1000, profile_id, kind, upid, utid, tid, name, first_slice_id, slices
        FROM track WHERE kind = '{}' ORDER BY slices DESC LIMIT 1"""
    commands = ("top --by thread", "list --sort self", "modules", "pstats", "steps", "timeline", "advise", "flame",
                "top --by category", "export --to pstats -o OUT")
    of_devices = ("kernels", "kernels --by op", "streams", "transfers", "gaps", "steps")
    for kind, refuse in (("thread", commands), ("stream", of_devices)):
        assert shop.edit(shop.bases[0], again.format(kind))
        for command in refuse:
            wrong = shop.run(command.split(), good=(4,))
            assert wrong is None, f"{kind}: ptool {command}: {wrong}"


def long_names_that_functions_share_are_told(shop):
    """400 functions of one file with a name of 500 kB: 200 MB of names."""
    share = """INSERT INTO string SELECT max(id) + 1, printf('%.500000c', 'x') FROM string;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO function SELECT last.id + i, last.profile_id, text.id, i, last.name_id, NULL
        FROM n, (SELECT max(id) AS id FROM string) text,
             (SELECT * FROM function ORDER BY id DESC LIMIT 1) last;"""
    stats = """INSERT INTO function_stat SELECT id, id, 1, 1, 5, 5, 5e-9, 5e-9, NULL, NULL FROM function
        WHERE id > (SELECT max(id) FROM function_stat);"""
    cases = [(1, share + stats, ["flame"]), (1, share + stats, ["callers", "."])]
    for base, sql, command in cases:
        assert shop.edit(shop.bases[base], sql)
        wrong = shop.run(command, good=(4,))
        assert wrong is None, f"ptool {' '.join(command)}: {wrong}"


def long_texts_that_rows_of_summaries_share_are_kept_once(shop):
    """1,000 rows in place of those of a profile, with two texts of 200 kB in turn: 200 MB, row by row."""
    cases = [("step_part", "grew_slice_id", "true", "steps"),
             ("gap_part", "device_name_id", "level = 0", "gaps"),
             ("comm_part", "device_name_id", "device NOT NULL", "comm --limit 1"),
             ("transfer_part", "device_name_id", "grain = 1", "transfers --limit 1")]
    for table, column, where, command in cases:
        assert shop.edit(shop.bases[2], share_texts(table, column, where, 1000, 200000))
        wrong = shop.run(command.split(), good=(0,), space=LITTLE_SPACE)
        assert wrong is None, f"{table}.{column}: ptool {command}: {wrong}"


def a_range_that_all_series_share_is_read_once(shop):
    """8,000 series that say they are among the same 100,000 samples: 800 million, one by one."""
    share = """CREATE TEMP TABLE one AS SELECT * FROM sample_series WHERE sample_rows > 1 LIMIT 1;
        CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                               SELECT i FROM n;
        INSERT INTO sample_row SELECT 1000000 + i, one.id, NULL, 0, one.first_node_id, 1 FROM one, n;
        UPDATE one SET id = 1000000, first_sample_id = 1000001, sample_rows = 100000, sums = 0, is_default = 0;
        CREATE TEMP TABLE copies AS SELECT one.*, i FROM one, n WHERE i <= 8000;
        UPDATE copies SET id = id + i;
        ALTER TABLE copies DROP COLUMN i;
        INSERT INTO sample_series SELECT * FROM copies;"""
    chosen = ["--profile", "evented.speedscope.json"]
    for command in (["list", *chosen], ["list", "--limit", "0", *chosen],
                    ["export", "--to", "speedscope", *chosen, "-o", "OUT"]):
        assert shop.edit(shop.bases[3], share)
        wrong = shop.run(command, good=(0,))
        assert wrong is None, f"ptool {' '.join(command)}: {wrong}"


def in_circles(path, table, levels=4, children=100):
    """The table's pages refer to each other until it has children ** levels times its rows."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        root, = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    size = int.from_bytes(data[16:18], "big")
    old = data[(root - 1) * size:root * size]
    data += old
    for level in range(levels):
        child = (len(data) // size).to_bytes(4, "big")
        page, cells = bytearray(size), []
        for key in range(children):
            cells.append(size - 8 * (key + 1))
            page[cells[-1]:cells[-1] + 5] = child + bytes([key])
        head = b"\5\0\0" + children.to_bytes(2, "big") + cells[-1].to_bytes(2, "big") + b"\0" + child
        page[:12] = head
        for number, cell in enumerate(cells):
            page[12 + 2 * number:14 + 2 * number] = cell.to_bytes(2, "big")
        if level < levels - 1:
            data += page
        else:
            data[(root - 1) * size:root * size] = page
    data[28:32] = (len(data) // size).to_bytes(4, "big")
    with open(path, "wb") as file:
        file.write(data)


def refer_to_itself(path, choose):
    """The page of that number is of a chain, and its first word names the next one."""
    with open(path, "r+b") as file:
        data = file.read()
        size = int.from_bytes(data[16:18], "big")
        number = choose([data[at:at + size] for at in range(0, len(data), size)])
        file.seek((number - 1) * size)
        file.write(number.to_bytes(4, "big"))


LONG_TEXT = "UPDATE string SET text = printf('%.9000c', 'x') WHERE id = 1;"


def overflow_in_circles(path):
    refer_to_itself(path, lambda pages: 1 + next(
        number for number, page in enumerate(pages) if set(page[4:]) == {ord("x")}))


def free_pages_in_circles(path):
    refer_to_itself(path, lambda pages: int.from_bytes(pages[0][32:36], "big"))


def pages_that_go_in_circles_are_told(shop):
    """Such a store costs what it weighs, which is no second; to write to it, too."""
    cases = [("", lambda path: in_circles(path, "slice_row"), [["tree"], *COMMANDS[-3:]]),
             ("", lambda path: in_circles(path, "profile"), COMMANDS[-3:]),
             ("UPDATE string SET text = printf('%.3000c', 'x')",
              lambda path: in_circles(path, "string"), [["list", "--sort", "name"]]),
             ("", lambda path: in_circles(path, "string", 25, 1), COMMANDS[-3:]),
             (LONG_TEXT, overflow_in_circles, COMMANDS[-3:]),
             (LONG_TEXT + "UPDATE string SET text = '' WHERE id = 1", free_pages_in_circles,
              COMMANDS[-3:])]
    for number, (sql, damage, commands) in enumerate(cases):
        assert shop.edit(shop.bases[0], sql)
        damage(shop.store)
        for command in commands:
            if command != ["rm", "absent"]:
                wrong = shop.run(command, good=(4,))
                assert wrong is None, f"case {number}: ptool {' '.join(command)}: {wrong}"


def main():
    tests = (what_was_fatal_once_is_told, tables_that_take_null_are_refused,
             rows_of_other_profiles_are_told, indexes_of_other_rows_are_told,
             slices_of_two_tracks_are_told,
             long_names_that_functions_share_are_told,
             long_texts_that_rows_of_summaries_share_are_kept_once,
             a_range_that_all_series_share_is_read_once, pages_that_go_in_circles_are_told,
             boundary_values_in_each_column_are_told)
    print(f"1..{len(tests)}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="strangers.") as root:
        os.environ["PTOOL_CACHE"] = os.path.join(root, "cache")
        shop = Shop(root)
        for number, test in enumerate(tests, 1):
            try:
                test(shop)
                print(f"ok {number} - {test.__name__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {test.__name__}", flush=True)
                print("\n".join("# " + line for line in str(error).splitlines()))
    sys.exit(1 if failed else 0)


main()
