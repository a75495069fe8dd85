#!/usr/bin/env python3
"""A store is whole whatever happens to its writer: killed at any call or any
moment, interrupted, out of disk, beside other writers and readers.

KILLS=N in the environment: as many kills into a new store and into an old one, with
readers and a second writer at work.  ONLY=text: tests with that in their name.

LONG=1: the kills at calls and moments more often.

Speaks TAP.  timeout: 400 s
"""
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

PTOOL = os.environ["PTOOL"]
FIXTURES = os.environ["FIXTURES"]
HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(os.path.dirname(HERE), "bench")
LONG = bool(os.environ.get("LONG"))
BIG_BYTES = 10_000_000
SMALL = os.path.join(FIXTURES, "gpu", "copies.json")
MIDDLE = os.path.join(FIXTURES, "gpu", "one_stream.json")

# A shell that started us in the background has SIGINT ignored, and so would our children.
signal.signal(signal.SIGINT, signal.default_int_handler)

KILLS_AT_CALLS = 100 if LONG else 30  # of each kind of write
KILLS_AT_TIMES = 60 if LONG else 20
INTERRUPTS = 24 if LONG else 9
KILLS_AMONG_OTHERS = int(os.environ.get("KILLS", "4"))

# Records of this lie in files: 64 KiB is what an array may take before it counts.
SPILLED = ["--memory-limit", "64K", "-j", "1", "--run", "new"]
SPILLED_BYTES = 2_500_000


class Skip(Exception):
    pass


def compile_c(output, *arguments):
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", output, *arguments], check=True)


def compile_fault(output):
    """The library that makes calls fail; sanitizers have a malloc of their own."""
    flags = ["-DWITHOUT_MALLOC"] if os.environ.get("SAN") else []
    compile_c(output, "-shared", "-fPIC", *flags, os.path.join(HERE, "fault.c"), "-ldl")


class Workshop:
    """A folder with the program's helpers, the inputs, and the store to be hurt."""

    def __init__(self, root, big_bytes=BIG_BYTES):
        self.root = root
        self.fault = os.path.join(root, "fault.so")
        self.big = os.path.join(root, "big.json")
        self.folder = os.path.join(root, "folder")
        self.store = os.path.join(self.folder, "ptool.db")
        self.pristine = os.path.join(root, "pristine.db")
        compile_fault(self.fault)
        gen = os.path.join(root, "gen")
        sources = [os.path.join(BENCH, name) for name in ("gen.c", "gen_steps.c", "gen_text.c")]
        compile_c(gen, "-D_XOPEN_SOURCE=700", *sources)
        self.spilled = os.path.join(root, "spilled.json")
        for path, size in ((self.big, big_bytes), (self.spilled, SPILLED_BYTES)):
            with open(path, "wb") as out:
                subprocess.run([gen, "gpu", str(size)], check=True, stdout=out)
        self.ingest_well("-o", self.pristine, "--run", "old", MIDDLE)
        self.ingest_well("-o", self.pristine, "--run", "older", SMALL)
        with open(self.pristine, "rb") as file:
            self.pristine_bytes = file.read()

    def ingest_well(self, *arguments):
        done = subprocess.run([PTOOL, "ingest", "-q", *arguments], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)

    def begin(self):
        """The folder with the old store in it and nothing else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        shutil.copyfile(self.pristine, self.store)

    def files(self):
        return sorted(os.listdir(self.folder))

    def is_old(self):
        with open(self.store, "rb") as file:
            return file.read() == self.pristine_bytes

    def runs(self):
        """Names of the runs in the store, which is checked to be whole."""
        return runs_of(self.store)

    def start(self, *arguments, fault=None, **options):
        env = dict(os.environ)
        if fault:
            env.update(fault, LD_PRELOAD=self.fault)
            env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return subprocess.Popen([PTOOL, "ingest", "-q", "-o", self.store, *arguments], env=env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def run(self, *arguments, **options):
        """(exit status, what it said); negative: killed by that signal."""
        program = self.start(*arguments, **options)
        out, said = program.communicate()
        assert out == "", out
        return program.returncode, said

    def calls(self, *arguments, fault=None):
        """The letters of all calls that change something, in a run that goes well."""
        log = os.path.join(self.root, "log")
        self.begin()
        status, said = self.run(*arguments, fault={"FAULT_LOG": log, **(fault or {})})
        assert status == 0, said
        with open(log, encoding="ascii") as file:
            return file.read()


def runs_of(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        wrong = """SELECT r.name FROM run r LEFT JOIN profile p ON p.run_id = r.id
                   WHERE p.id IS NULL OR p.slices * p.has_slices <> (SELECT count(*) FROM slice s
                                                      WHERE s.profile_id = p.id)"""
        assert db.execute(wrong).fetchall() == []
        names = [name for name, in db.execute("SELECT name FROM run ORDER BY id")]
    db.close()
    return names


def needs_preload():
    if os.environ.get("VALGRIND"):
        raise Skip("valgrind and preloading do not mix")


def spread(n, most):
    """At most so many of 1..n, the first and the last among them."""
    if n <= most:
        return list(range(1, n + 1))
    return sorted({1 + round(i * (n - 1) / (most - 1)) for i in range(most)})


def points(calls):
    """Where to strike: at every call that is no mere write, at those beside it,
    and at writes all over the file."""
    special = {i for i, letter in enumerate(calls, 1) if letter != "w"}
    beside = {i + d for i in special for d in (-1, 1)}
    return sorted(i for i in special | beside | set(spread(len(calls), KILLS_AT_CALLS))
                  if 1 <= i <= len(calls))


def check_killed(shop, new_runs):
    """After a kill: the old store or the new one; the next writer tidies up."""
    runs = shop.runs()
    assert runs in (["old", "older"], new_runs), runs
    if runs == ["old", "older"]:
        assert shop.is_old()
    shop.ingest_well("-o", shop.store, "--run", "next", SMALL)
    assert shop.files() == ["ptool.db"], shop.files()
    assert shop.runs() == runs + ["next"]
    return runs == new_runs


def kill_at_calls(shop, arguments, new_runs, fault=None):
    needs_preload()
    fault = fault or {}
    calls = shop.calls(*arguments, fault=fault)
    moved = calls.index("m") + 1
    assert calls.count("m") == 1 and "s" in calls[:moved - 1], calls
    for point in points(calls):
        shop.begin()
        status, said = shop.run(*arguments, fault={"FAULT": "kill", "FAULT_AT": str(point), **fault})
        assert status == -signal.SIGKILL, (point, status, said)
        is_new = check_killed(shop, new_runs)
        assert is_new == (point > moved), (point, moved, is_new)


def killed_at_any_call_while_adding_a_run(shop):
    kill_at_calls(shop, ["--run", "new", MIDDLE], ["old", "older", "new"])


def killed_at_any_call_while_replacing_a_run(shop):
    kill_at_calls(shop, ["--run", "old", SMALL], ["older", "old"])


def killed_at_any_call_while_records_lie_in_files(shop):
    arguments = [*SPILLED, shop.spilled]
    calls = shop.calls(*arguments)
    assert calls.count("a") > 9
    kill_at_calls(shop, arguments, ["old", "older", "new"])
    # where the file system knows no files without a name, each is unlinked at once
    named = {"FAULT_NAMED": "1"}
    assert shop.calls(*arguments, fault=named).count("u") > calls.count("u") + 3
    kill_at_calls(shop, arguments, ["old", "older", "new"], named)


def killed_at_any_call_while_making_a_store(shop):
    needs_preload()
    arguments = ["--run", "new", MIDDLE]

    def begin():
        shop.begin()
        os.remove(shop.store)

    log = os.path.join(shop.root, "log")
    begin()
    status, said = shop.run(*arguments, fault={"FAULT_LOG": log})
    assert status == 0, said
    with open(log, encoding="ascii") as file:
        calls = file.read()
    for point in points(calls):
        begin()
        status, said = shop.run(*arguments, fault={"FAULT": "kill", "FAULT_AT": str(point)})
        assert status == -signal.SIGKILL, (point, status, said)
        if os.path.exists(shop.store):
            assert shop.runs() == ["new"] and point > calls.index("m") + 1
        shop.ingest_well("-o", shop.store, "--run", "next", SMALL)
        assert shop.files() == ["ptool.db"], shop.files()


def killed_at_any_moment(shop):
    """By the clock, over the whole of a larger ingest."""
    begun = time.monotonic()
    shop.begin()
    assert shop.run("--run", "new", shop.big)[0] == 0
    whole_s = time.monotonic() - begun
    chance = random.Random(1)
    killed = 0
    for i in range(KILLS_AT_TIMES):
        shop.begin()
        program = shop.start("--run", "new", shop.big)
        time.sleep(whole_s * (i + chance.random()) / KILLS_AT_TIMES)
        program.kill()
        program.communicate()
        killed += program.returncode == -signal.SIGKILL
        check_killed(shop, ["old", "older", "new"])
    assert killed > KILLS_AT_TIMES / 4, killed


class Readers:
    """Threads that read the store all the time, by SQLite and by ptool; what they saw."""

    def __init__(self, shop):
        self.shop, self.over = shop, threading.Event()
        self.looks, self.wrong = 0, []
        self.threads = [threading.Thread(target=self.look, args=(how,))
                        for how in (self.by_sqlite, self.by_ptool)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def look(self, how):
        while not self.over.is_set():
            if os.path.exists(self.shop.store):
                try:
                    how()
                except Exception as error:
                    self.wrong.append(f"{how.__name__}: {error}")
                self.looks += 1
            time.sleep(0.01)

    def by_sqlite(self):
        runs_of(self.shop.store)

    def by_ptool(self):
        done = subprocess.run([PTOOL, "info", self.shop.store, "--format", "csv"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)


def kill_among_others(shop, old):
    """True when the writer was killed before its end; `old`: the runs before it."""
    shop.begin()
    if not old:
        os.remove(shop.store)
    with Readers(shop) as readers:
        victim = shop.start("--run", "new", shop.spilled)
        time.sleep(shop.whole_s * shop.chance.random())
        second = shop.start("--run", "second", SMALL)
        time.sleep(shop.whole_s * shop.chance.random() / 2)
        victim.kill()
        victim.communicate()
        _, said = second.communicate()
        assert second.returncode == 0, said
    shop.looks += readers.looks
    assert not readers.wrong, readers.wrong
    runs = shop.runs()
    assert sorted(set(runs) - {"new"}) == sorted(old + ["second"]), runs
    assert victim.returncode != 0 or "new" in runs, runs
    shop.ingest_well("-o", shop.store, "--run", "next", SMALL)
    assert shop.files() == ["ptool.db"], shop.files()
    assert shop.runs() == runs + ["next"]
    return victim.returncode == -signal.SIGKILL


def killed_among_readers_and_a_second_writer(shop):
    begun = time.monotonic()
    shop.begin()
    assert shop.run("--run", "new", shop.spilled)[0] == 0
    shop.whole_s = time.monotonic() - begun
    shop.chance, shop.looks = random.Random(2), 0
    for old in ([], ["old", "older"]):
        killed = sum(kill_among_others(shop, old) for _ in range(KILLS_AMONG_OTHERS))
        print(f"# {killed} of {KILLS_AMONG_OTHERS} killed before their end, "
              f"{'an old' if old else 'a new'} store, {shop.looks} readings so far", flush=True)


def a_full_disk(shop):
    """Whatever call it is at: exit 5, one line, the old store, nothing left."""
    full_disk(shop, ["--run", "new", MIDDLE])


def a_full_disk_while_records_lie_in_files(shop):
    full_disk(shop, [*SPILLED, shop.spilled])


def full_disk(shop, arguments):
    needs_preload()
    calls = shop.calls(*arguments)
    moved = calls.index("m") + 1
    for point in points(calls):
        if "u" == calls[point - 1] and point > moved:
            continue  # nothing behind it takes space
        shop.begin()
        status, said = shop.run(*arguments, fault={"FAULT": "full", "FAULT_AT": str(point)})
        assert status == 5, (point, calls[point - 1], status, said)
        assert said.startswith(f"ptool: ingest: {shop.store}: ") and said.count("\n") == 1, said
        assert shop.files() == ["ptool.db"], (point, shop.files())
        if point <= moved:
            assert shop.is_old(), point
        else:
            assert shop.runs() == ["old", "older", "new"], point


def a_limit_of_file_size(shop):
    shop.begin()
    shop.ingest_well("-o", shop.store, "--run", "new", shop.big)
    size = os.path.getsize(shop.store)
    for limit in (0, 4096, len(shop.pristine_bytes), size // 2, size - 1):
        shop.begin()
        for options in ([], ["--memory-limit", "1M"]):
            status, said = shop.run(
                *options, "--run", "new", shop.big,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            assert status == 5 and said.endswith(": File too large\n") and said.count("\n") == 1, (limit, options, status, said)
            assert shop.is_old() and shop.files() == ["ptool.db"], (limit, options)


def writers_at_once(shop):
    """All get their turn: every run is in the store."""
    shop.begin()
    names = [f"run {i}" for i in range(6)]
    writers = [shop.start("--run", name, SMALL if i % 2 else MIDDLE)
               for i, name in enumerate(names)]
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said
    runs = shop.runs()
    assert runs[:2] == ["old", "older"] and sorted(runs[2:]) == names, runs
    assert shop.files() == ["ptool.db"], shop.files()


def writers_of_one_run(shop):
    """Of the same name: the last one stays, and nothing of the others."""
    shop.begin()
    writers = [shop.start("--run", "same", MIDDLE) for _ in range(4)]
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said
    assert shop.runs() == ["old", "older", "same"]


def readers_during_a_write(shop):
    """One that has the store open keeps the old one; a new one sees old or new."""
    shop.begin()
    held = sqlite3.connect(f"file:{shop.store}?mode=ro", uri=True)
    rows = held.execute("SELECT count(*) FROM slice").fetchone()
    seen = []
    finished = threading.Event()

    def look():
        while not finished.is_set():
            seen.append(tuple(runs_of(shop.store)))

    reader = threading.Thread(target=look)
    reader.start()
    try:
        status, said = shop.run("--run", "new", shop.big)
    finally:
        finished.set()
        reader.join()
    assert status == 0, said
    assert seen and set(seen) <= {("old", "older"), ("old", "older", "new")}, set(seen)
    assert held.execute("SELECT count(*) FROM slice").fetchone() == rows
    assert held.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    held.close()
    assert shop.runs() == ["old", "older", "new"]


def interrupted(shop):
    """Ctrl-C and its like: exit 130, one line, the old store, nothing left."""
    begun = time.monotonic()
    shop.begin()
    assert shop.run("--run", "new", shop.big)[0] == 0
    whole_s = time.monotonic() - begun
    stopped = 0
    for i in range(INTERRUPTS):
        shop.begin()
        program = shop.start("--run", "new", shop.big)
        time.sleep(whole_s * i / INTERRUPTS)
        program.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3])
        _, said = program.communicate()
        if program.returncode == 0:
            assert shop.runs() == ["old", "older", "new"]
        elif program.returncode < 0:  # it had not yet asked for the signal
            assert shop.is_old()
            continue
        else:
            assert program.returncode == 130, (program.returncode, said)
            assert said == f"ptool: ingest: {shop.store}: interrupted\n", said
            assert shop.is_old()
            stopped += 1
        assert shop.files() == ["ptool.db"], shop.files()
    assert stopped > 0


def interrupted_while_it_waits_for_its_input(shop):
    shop.begin()
    with subprocess.Popen([PTOOL, "ingest", "-o", shop.store, "-"], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as program:
        program.stdin.write('[{"ph": ')
        program.stdin.flush()
        while shop.files() == ["ptool.db"]:
            time.sleep(0.01)
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        said = program.stderr.read()  # until it has ended: the pipe stays open
        assert program.wait() == 130, (program.returncode, said)
    assert said == f"ptool: ingest: {shop.store}: interrupted\n", said
    assert shop.is_old() and shop.files() == ["ptool.db"]


def interrupted_while_another_writes(shop):
    shop.begin()
    with subprocess.Popen([PTOOL, "ingest", "-q", "-o", shop.store, "--run", "slow", "-"],
                          stdin=subprocess.PIPE) as slow:
        while shop.files() == ["ptool.db"]:
            time.sleep(0.01)
        waiting = shop.start("--run", "new", SMALL)
        time.sleep(0.3)
        assert waiting.poll() is None
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate()
        assert waiting.returncode == 130 and said.count("\n") == 1, (waiting.returncode, said)
        with open(SMALL, "rb") as file:
            slow.communicate(file.read())
    assert slow.returncode == 0
    assert shop.runs() == ["old", "older", "slow"]
    assert shop.files() == ["ptool.db"], shop.files()


def ended_while_another_of_the_same_number_writes(shop):
    """Two containers share a folder: the one that waits is ended, and the other one's file stays."""
    needs_preload()
    shop.begin()
    env = {**os.environ, "LD_PRELOAD": shop.fault, "FAULT_PID": "7"}
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    with subprocess.Popen([PTOOL, "ingest", "-q", "-o", shop.store, "--run", "slow", "-"], env=env,
                          stdin=subprocess.PIPE) as slow:
        while len(shop.files()) < 3:
            time.sleep(0.01)
        before = shop.files()
        with subprocess.Popen([PTOOL, "ingest", "-q", "-o", shop.store, "--run", "new", SMALL], env=env,
                              stderr=subprocess.PIPE) as waiting:
            time.sleep(0.3)
            waiting.send_signal(signal.SIGTERM)
            waiting.communicate()
        assert waiting.returncode == 130 and shop.files() == before, (waiting.returncode, before, shop.files())
        with open(SMALL, "rb") as file:
            slow.communicate(file.read())
    assert slow.returncode == 0
    assert shop.runs() == ["old", "older", "slow"]
    assert shop.files() == ["ptool.db"], shop.files()


def a_folder_that_may_not_be_written(shop):
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    shop.begin()
    os.chmod(shop.folder, 0o555)
    try:
        status, said = shop.run("--run", "new", SMALL)
        assert status == 5 and said.endswith("Permission denied\n"), (status, said)
        assert shop.is_old() and shop.files() == ["ptool.db"]
    finally:
        os.chmod(shop.folder, 0o755)


TESTS = [
    killed_at_any_call_while_adding_a_run,
    killed_at_any_call_while_replacing_a_run,
    killed_at_any_call_while_making_a_store,
    killed_at_any_call_while_records_lie_in_files,
    killed_at_any_moment,
    killed_among_readers_and_a_second_writer,
    a_full_disk,
    a_full_disk_while_records_lie_in_files,
    a_limit_of_file_size,
    writers_at_once,
    writers_of_one_run,
    readers_during_a_write,
    interrupted,
    interrupted_while_it_waits_for_its_input,
    interrupted_while_another_writes,
    ended_while_another_of_the_same_number_writes,
    a_folder_that_may_not_be_written,
]


def run_tests(tests, prefix, stage_of, label=""):
    """TAP of tests that take a stage, which is made in a folder of its own; the exit status.

    ONLY in the environment: those whose name has it.
    """
    failed = 0
    only = os.environ.get("ONLY", "")
    tests = [test for test in tests if only in test.__name__]
    print(f"1..{len(tests)}", flush=True)
    with tempfile.TemporaryDirectory(prefix=prefix) as root:
        stage = stage_of(root)
        for number, test in enumerate(tests, 1):
            name = label + test.__name__.replace("_", " ")
            try:
                test(stage)
                print(f"ok {number} - {name}", flush=True)
            except Skip as why:
                print(f"ok {number} - {name} # SKIP {why}", flush=True)
            except Exception as error:  # an assertion, or a store that does not open
                failed += 1
                line = error.__traceback__
                while line.tb_next:
                    line = line.tb_next
                print(f"not ok {number} - {name}\n# line {line.tb_lineno}: "
                      f"{type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_tests(TESTS, "ptool-crash.", Workshop))
