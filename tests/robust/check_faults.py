#!/usr/bin/env python3
"""One call of the C library fails: the store is the old one or the new one, the exit
status and the message say which, and nothing lies beside it.

Each of ten functions fails at calls spread over ingests of each kind of input, over
the cache, rm, export and report; those that a command must call are told.  LONG=1 in the environment: at each call of the run, and
commands that read, too; of malloc at the first call with each call stack that no command
before it had, for all calls take hours; MALLOCS=N: at N allocations of each command.

Speaks TAP.  timeout: 300 s
"""
import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

from check_crash import FIXTURES, MIDDLE, PTOOL, SMALL, Skip, Workshop, needs_preload, run_tests, \
    runs_of, spread

LONG = os.environ.get("LONG")
SAN = os.environ.get("SAN")
POINTS = 10**9 if LONG else 3 if SAN else 5
MALLOCS = int(os.environ.get("MALLOCS") or 26)
EACH_STACK = LONG and "MALLOCS" not in os.environ
READING = """top --by shape|list|steps|steps --phases|gaps --by op|gaps --list|advise|overview|kernels --by op
devices|streams|tree|doctor|info|top --by thread --format json|list --sort dur --format csv""".replace("\n", "|").split("|")
EIO, ENOSPC, ENOLCK = "5", "28", "37"
OLD_OUT = b"what was there before\n"


class Yard(Workshop):
    """The workshop, and the commands that are to meet a fault."""

    def __init__(self, root):
        super().__init__(root, 300_000)
        self.cache = os.path.join(root, "cache")
        self.count_file = os.path.join(root, "count")
        self.struck_file = os.path.join(root, "struck")
        self.counts, self.whole = {}, {}
        packed = {name: os.path.join(root, "trace.json." + name) for name in ("gz", "zst", "zip")}
        with open(MIDDLE, "rb") as file:
            data = file.read()
        with gzip.open(packed["gz"], "wb") as out:
            out.write(data)
        subprocess.run(["zstd", "-q", MIDDLE, "-o", packed["zst"]], check=True)
        with zipfile.ZipFile(packed["zip"], "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("trace.json", data)
        other, format7 = os.path.join(root, "other.db"), os.path.join(root, "format7.db")
        self.ingest_well("-o", other, "--run", "other", SMALL)
        subprocess.run(["zstd", "-qd", os.path.join(FIXTURES, "store", "format7.db.zst"), "-o", format7],
                       check=True)
        ranks = os.path.join(root, "ranks")
        os.mkdir(ranks)
        for rank in (0, 1):
            shutil.copy(os.path.join(FIXTURES, "gpu", f"collectives_rank{rank}.json"), ranks)
        self.out = out = os.path.join(self.folder, "out")
        new = ["ingest", "-q", "-o", self.store, "--run", "new"]
        self.commands = {
            "plain": [*new, "-j1", MIDDLE],
            "two threads": [*new, "-j2", MIDDLE],
            **{name: [*new, "-j2", path] for name, path in packed.items()},
            **{name + " -j1": [*new, "-j1", path] for name, path in packed.items()},
            "spill": [*new, "--memory-limit", "64K", "-j1", self.big],
            "spill -j2": [*new, "--memory-limit", "64K", "-j2", self.big],
            "summary only": [*new, "--summary-only", MIDDLE],
            "of a folder": [*new, ranks],
            "replacing": ["ingest", "-q", "-o", self.store, "--run", "old", SMALL],
            "rm": ["rm", "-q", "old", "-o", self.store],
            "cache": ["info", "-q", MIDDLE, "--format", "csv"],
            "export": ["export", "--to", "pstats", "-o", out, self.store, "--run", "old"],
            "export over": ["export", "--to", "chrome", "-f", "-o", out, self.store, "--run", "old"],
            "report": ["report", "-q", "-o", out, self.store, "--run", "old"],
            "report over": ["report", "-q", "-f", "-o", out, self.store, "--run", "old"],
            "merge": ["merge", "-q", "-o", out, other],
            "migrate": ["migrate", "-q", "-o", out, format7],
            "baseline": ["baseline", "-q", "save", "--dir", os.path.join(self.cache, "baselines"),
                         "main", self.store, "--run", "old"],
        }

        if LONG:
            for line in READING:
                command, *options = line.split()
                self.commands["read " + line] = [command, *options, "--run", "old", self.store]
            self.commands["read sql"] = ["sql", self.store, "SELECT * FROM v_op ORDER BY name"]
            self.commands["read diff"] = ["diff", self.store, self.store, "--run", "old"]

    def try_once(self, name, **fault):
        """(exit status, what it said) of a command with the fault."""
        self.begin()
        if name in OVER:
            with open(self.out, "wb") as file:
                file.write(OLD_OUT)
        if os.path.exists(self.struck_file):
            os.remove(self.struck_file)
        shutil.rmtree(self.cache, ignore_errors=True)
        os.mkdir(self.cache)
        env = {**os.environ, **fault, "LD_PRELOAD": self.fault, "PTOOL_CACHE": self.cache,
               "FAULT_STRUCK": self.struck_file}
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        same_addresses = ["setarch", "-R"] if "FAULT_STACK" in fault or "FAULT_STACKS" in fault else []
        done = subprocess.run([*same_addresses, PTOOL, *self.commands[name]], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stderr.decode()

    def stacks_of(self, name):
        """The call stacks of all allocations, as numbers, in their order."""
        path = os.path.join(self.root, "stacks")
        if os.path.exists(path):
            os.remove(path)
        status, said = self.try_once(name, FAULT_CALL="malloc", FAULT_STACKS=path)
        assert status == 0, (name, status, said)
        with open(path, encoding="ascii") as file:
            return file.read().split()

    def calls_of(self, name, call, **fault):
        key = name, call, *fault.items()
        if key not in self.counts:
            status, said = self.try_once(name, FAULT_CALL=call, FAULT_COUNT=self.count_file, **fault)
            assert status == 0, (name, status, said)
            with open(self.count_file, encoding="ascii") as file:
                self.counts[key] = int(file.read())
            self.whole[name] = self.out_bytes()
            assert self.counts[key] or call not in calls_made_by(name), f"{name} makes no call of {call}"
        return self.counts[key]

    def out_bytes(self):
        """What the file of -o holds; None: it is not there."""
        if not os.path.exists(self.out):
            return None
        with open(self.out, "rb") as file:
            return file.read()

    def fail_once(self, name, call, point, number, **fault):
        """(exit status, what it said, whether a call failed)."""
        status, said = self.try_once(name, FAULT="fail", FAULT_CALL=call, FAULT_AT=str(point),
                                     FAULT_ERRNO=number, **fault)
        return status, said, os.path.exists(self.struck_file)


AFTER = {"rm": ["older"], "replacing": ["older", "old"]}
OVER = ("export over", "report over")
OUTPUTS = ("export", "report", *OVER)
OUT = (*OUTPUTS, "merge", "migrate")
READS_STORE = (*OUTPUTS, "baseline", "migrate")
WRITE_ELSEWHERE = ("cache", "merge", *READS_STORE)
# commands that differ little from another one: fewer points
ALIKE = ("gz -j1", "zst -j1", "zip -j1", "spill -j2", "summary only", "of a folder", *OVER)


def calls_made_by(name):
    """What a command calls: where it does so no longer, nothing fails, and the test says so."""
    if name.startswith("read "):
        return {"malloc", "read", "close"}
    calls = {"malloc", "read", "write", "mmap", "close"}
    if name in OUTPUTS:
        return calls | ({"rename"} if name in OVER else {"link", "unlink"})
    calls |= {"fsync", "rename", "unlink", "flock"}
    return calls - {"mmap"} if name == "migrate" else calls


def check_end(yard, name, call, status, said):
    """What must hold, whatever failed."""
    assert status == 5 or call not in ("write", "rename"), (status, said)
    assert status != 5 or said.count("\n") == 1, said
    # a trace that cannot be read is refused as one that is missing, and so is a store of those that
    # are merged; what is no store's fault, such as memory, is not
    is_input = status == 4 and call == "read" and name not in READS_STORE
    is_input |= status == 4 and call != "malloc" and name in ("merge", "baseline")
    if name == "zip" and call == "malloc" and status == -signal.SIGSEGV:
        # libarchive 3.6 writes through the NULL in two places; the old store is whole,
        # and the next writer clears what is left
        assert yard.is_old()
        return
    if name == "zip" and call == "malloc" and (status == 127 or "the library is missing" in said):
        # libarchive is loaded then: the C library ends the program, or says that there is no such file
        assert yard.is_old()
        return
    assert status in (0, 5) or is_input, (status, said)
    assert (status == 0) or said.startswith("ptool: ") or "libarchive" in said, said
    # what is wrong with a file names one; a lack of memory has none
    assert status != 5 or call in ("malloc", "mmap") or re.search(r"\.(db|lock|zip|json|gz|zst)\b|/out\b", said), said
    assert "Sanitizer" not in said and "runtime error" not in said, said
    runs = runs_of(yard.store)
    after = AFTER.get(name, ["old", "older", "new"])
    is_in_place = call == "fsync" and "is in place" in said
    if name in WRITE_ELSEWHERE or name.startswith("read "):
        assert yard.is_old()
    elif status == 0:
        assert runs == after, runs
    elif call == "malloc" and runs == after:
        pass  # it ran out behind the end, which nobody can undo
    elif is_in_place:
        assert runs == after, runs
    else:
        assert yard.is_old(), (runs, said)
    if call == "unlink":
        return
    left = [file for file in yard.files() if file not in ("ptool.db", "out")]
    left += [file for _, _, files in os.walk(yard.cache) for file in files if not file.endswith(".db")]
    assert not left, left
    check_out(yard, name, status == 0 or is_in_place)
    # of stores no two are alike
    if status == 0 and name in OUTPUTS:
        assert without_size(yard.out_bytes()) == without_size(yard.whole[name]), "a part is missing"


def without_size(page):
    """That of the store is left out of a page where it cannot be read."""
    return re.sub(rb", [\d.]+ KiB</p>", b"</p>", page)


def check_out(yard, name, is_made):
    """The file of -o is there; or else the old one is, or none."""
    there = yard.out_bytes()
    if not is_made:
        assert there == (OLD_OUT if name in OVER else None), (name, there and there[:80])
    elif name in OUT:
        assert there not in (None, OLD_OUT), (name, there)


def points_of(name, points):
    return points if LONG or name not in ALIKE else 4 if points > POINTS else 2


def fail_each(yard, call, points, number=EIO):
    failed = 0
    for name in yard.commands:
        n = yard.calls_of(name, call)
        struck = 0
        for point in spread(n, points_of(name, points)) if n else []:
            status, said, is_struck = yard.fail_once(name, call, point, number)
            struck += is_struck
            try:
                check_end(yard, name, call, status, said)
            except AssertionError as error:
                raise AssertionError(f"{name}: {call} {point} of {n} failing with {number}: "
                                     f"exit {status}: {error}") from error
        assert struck or not n, f"{name}: none of {n} calls of {call} failed"
        failed += struck
    assert failed, f"no call of {call} failed"
    print(f"# {failed} calls failed")


def fail_each_stack(yard):
    """The first allocation with each call stack; those whose stack is gone in another run go well."""
    tried, calls, wrong = set(), 0, []
    for name in yard.commands:
        stacks = yard.stacks_of(name)
        new = [stack for stack in dict.fromkeys(stacks) if stack not in tried]
        tried.update(new)
        calls += len(stacks)
        for stack in new:
            status, said = yard.try_once(name, FAULT_CALL="malloc", FAULT_STACK=stack)
            try:
                check_end(yard, name, "malloc", status, said)
            except AssertionError as error:
                wrong.append(f"{name}: allocation of stack {stack}: exit {status}: {error}")
                print("# " + wrong[-1], flush=True)
        print(f"# {name}: {len(stacks)} allocations, {len(new)} new stacks", flush=True)
    print(f"# {calls} allocations, {len(tried)} stacks")
    assert not wrong, wrong


def test_of(call, points, number=EIO, name=None):
    def test(yard):
        needs_preload()
        if call == "malloc" and SAN:
            raise Skip("the sanitizer has malloc")
        if call == "malloc" and EACH_STACK:
            fail_each_stack(yard)
            return
        fail_each(yard, call, points, number)

    test.__name__ = name or f"a_failing_{call}"
    return test


def ask_a_folder(yard):
    """Makes the command "folder", which asks a folder of two stores."""
    needs_preload()
    folder = tempfile.mkdtemp(dir=yard.root)
    for rank in (0, 1):
        yard.ingest_well("-o", os.path.join(folder, f"{rank}.db"),
                         os.path.join(FIXTURES, "gpu", f"collectives_rank{rank}.json"))
    yard.commands["folder"] = ["top", "-q", "--by", "rank", folder]


def who_makes_it_opens_it(yard):
    """The cached store of a folder was made, and its note is yet to come: another command makes it again, and both answer."""
    ask_a_folder(yard)
    log = os.path.join(yard.root, "log")

    def begin(**fault):
        env = {**os.environ, "PTOOL_CACHE": yard.cache, "LD_PRELOAD": yard.fault, "FAULT_LOG": log, **fault}
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return subprocess.Popen([PTOOL, *yard.commands["folder"]], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def calls():
        assert begin().wait() == 0
        with open(log, encoding="ascii") as file:
            return file.read()

    def stopped_at(call):
        process = begin(FAULT="stop", FAULT_AT=str(call + 1))
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        return process

    def forget(what):
        for name in os.listdir(yard.cache):
            if name.endswith(what):
                os.remove(os.path.join(yard.cache, name))

    shutil.rmtree(yard.cache, ignore_errors=True)
    os.mkdir(yard.cache)
    first = calls()
    forget(".note")
    second = calls()
    forget("")
    one = stopped_at(first.index("o", first.rindex("m")))
    other = stopped_at(second.index("m"))
    for process in (one, other):
        process.send_signal(signal.SIGCONT)
        out, said = process.communicate()
        assert process.returncode == 0 and out and not said, (process.returncode, said, first, second)
    del yard.commands["folder"]


def a_fault_is_not_remembered(yard):
    """A folder of stores, of which one cannot be read: it is left out, and the next command reads it."""
    ask_a_folder(yard)

    def ask():
        env = {**os.environ, "PTOOL_CACHE": yard.cache}
        done = subprocess.run([PTOOL, *yard.commands["folder"]], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr.decode()

    n = yard.calls_of("folder", "read")
    whole, left_out = ask(), 0
    assert whole[0] == 0 and whole[2] == "", whole
    for point in spread(n, 10**9 if LONG else 40):
        _, said = yard.try_once("folder", FAULT="fail", FAULT_CALL="read", FAULT_AT=str(point), FAULT_ERRNO=EIO)
        left_out += ".db: " in said
        assert ask() == whole, (point, said, ask())
    del yard.commands["folder"]
    assert left_out > 0
    print(f"# {left_out} times a store was left out")


def without_locks_it_goes_on(yard):
    """Each flock() fails with ENOLCK, as where a network file system has none."""
    needs_preload()
    for name in yard.commands:
        for point in range(1, yard.calls_of(name, "flock") + 1):
            status, said = yard.try_once(name, FAULT="fail", FAULT_CALL="flock",
                                         FAULT_AT=str(point), FAULT_ERRNO=ENOLCK)
            assert status == 0, (name, point, status, said)
            check_end(yard, name, "flock", status, said)


def a_result_that_cannot_be_written(yard):
    """Each write and the close of the file of -o: it is named, and what was there stays."""
    needs_preload()
    for name in OUTPUTS:
        for call in ("write", "close"):
            n = yard.calls_of(name, call, FAULT_FILE="/out.")
            for point in spread(n, points_of(name, POINTS)):
                status, said, is_struck = yard.fail_once(name, call, point, EIO, FAULT_FILE="/out.")
                where = name, call, point, n, status, said
                assert is_struck and status == 5, where
                assert said == f"ptool: {name.split()[0]}: {yard.out}: Input/output error\n", where
                assert set(yard.files()) <= {"out", "ptool.db"}, where
                check_out(yard, name, False)


def a_source_is_named(yard):
    """A store of those that are merged cannot be read: it is named, not what is made of them."""
    needs_preload()
    fault = {"FAULT_CALL": "read", "FAULT_FILE": "other.db"}
    status, said = yard.try_once("merge", **fault, FAULT_COUNT=yard.count_file)
    assert status == 0, said
    with open(yard.count_file, encoding="ascii") as file:
        n = int(file.read())
    for point in spread(n, POINTS):
        status, said = yard.try_once("merge", **fault, FAULT="fail", FAULT_AT=str(point), FAULT_ERRNO=EIO)
        assert status in (4, 5), (point, n, status, said)
        assert "other.db: " in said and "/out: " not in said, (point, n, said)
    assert n > 3


def a_store_is_made_shorter(yard):
    """While it is open, another program leaves its first page alone; at each store that a command opens."""
    needs_preload()
    tried, other = 0, os.path.join(yard.root, "other.db")
    for name in yard.commands:
        fault = {"FAULT": "shrink", "FAULT_CALL": "none"}
        status, said = yard.try_once(name, **fault, FAULT_AT=str(10**9), FAULT_COUNT=yard.count_file)
        assert status == 0, (name, status, said)
        with open(yard.count_file, encoding="ascii") as file:
            n = int(file.read())
        for point in spread(n, POINTS) if n else []:
            where = name, point, n
            status, said = yard.try_once(name, **fault, FAULT_AT=str(point))
            tried += 1
            # it may have been checked only after it was made shorter
            is_refused = status == 4 and "malformed" in said
            # its own that is yet to be put in place has a name that ends in a number
            is_told = re.search(r"\.db(\.tmp\.\d+)?: a part of it cannot be read", said)
            is_told = is_told and said.startswith(f"ptool: {yard.commands[name][0]}: ")
            assert is_refused or (status == 5 and is_told), (where, status, said)
            assert all(line.startswith("ptool: ") for line in said.splitlines()), (where, said)
            left = [file for file in yard.files() if file not in ("ptool.db", "out")]
            left += [file for _, _, files in os.walk(yard.cache) for file in files if not file.endswith(".db")]
            assert not left, (where, left)
            check_out(yard, name, False)
            if name == "merge":
                os.remove(other)
                yard.ingest_well("-o", other, "--run", "other", SMALL)
    print(f"# {tried} stores made shorter")
    assert tried > 5


def several_runs_are_deleted_at_once(yard):
    """The store is written and put in place once, not once for each run."""
    yard.commands["rm all"] = ["rm", "-q", "old", "older", "-o", yard.store]
    n = yard.calls_of("rm all", "rename")
    del yard.commands["rm all"]
    assert n == 1, n


def no_other_folder_can_be_written(yard):
    """As in a container: what takes a temporary file has it beside the store."""
    needs_preload()
    folder = tempfile.mkdtemp(dir=yard.root)
    trace, store = os.path.join(folder, "names.json"), os.path.join(folder, "names.db")
    with open(trace, "w", encoding="ascii") as file:
        file.write('{"traceEvents": [\n' + ",\n".join(
            f'{{"ph": "X", "cat": "cpu_op", "name": "{i:0100}", "ts": {i}, "dur": 1, "pid": 1, "tid": 1}}'
            for i in range(20_000)) + "]}")
    for run in ("one", "two"):
        yard.ingest_well("-o", store, "--run", run, trace)
    yard.commands["rm names"] = ["rm", "-q", "two", "-o", store]
    yard.commands["save names"] = ["baseline", "-q", "save", "--dir", os.path.join(folder, "baselines"), "main", store]
    for name in ("rm names", "save names"):
        status, said = yard.try_once(name, FAULT_CALL="none", FAULT_FOLDER=folder)
        assert status == 0, (name, status, said)
        del yard.commands[name]


def a_trace_is_changed_within_a_tick(yard):
    """Where files have times of whole seconds: what it held before is not taken for what it holds now."""
    needs_preload()
    trace = os.path.join(yard.root, "changed.json")
    env = {**os.environ, "LD_PRELOAD": yard.fault, "FAULT_SECONDS": "1", "PTOOL_CACHE": yard.cache}
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    for name in ("one", "two"):
        with open(trace, "w", encoding="ascii") as file:
            file.write('[{"ph": "X", "name": "%s", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]' % name)
        done = subprocess.run([PTOOL, "top", "-q", trace, "--format", "csv"], env=env, check=True, capture_output=True)
        assert f'"{name}"'.encode() in done.stdout, done.stdout


TESTS = [
    test_of("malloc", MALLOCS, name="out_of_memory"),
    *[test_of(call, POINTS) for call in
      ("read", "write", "fsync", "rename", "link", "unlink", "mmap", "flock", "close")],
    test_of("write", POINTS, ENOSPC, "a_write_that_finds_the_disk_full"),
    a_result_that_cannot_be_written,
    a_fault_is_not_remembered,
    who_makes_it_opens_it,
    a_source_is_named,
    a_store_is_made_shorter,
    several_runs_are_deleted_at_once,
    a_trace_is_changed_within_a_tick,
    no_other_folder_can_be_written,
    without_locks_it_goes_on,
]


if __name__ == "__main__":
    sys.exit(run_tests(TESTS, "ptool-faults.", Yard))
