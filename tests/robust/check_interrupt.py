#!/usr/bin/env python3
"""Ctrl-C at any moment of an ingest leaves the old store as it was and nothing beside it.

By the clock, at many moments (LONG=1: more) of ingests of each kind of input, and at each call that
changes a file.  What it costs in time is measured by tests/bench/interrupt.py.

Speaks TAP.  timeout: 400 s
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial

from check_crash import MIDDLE, PTOOL, SMALL, Skip, Workshop, needs_preload, points, run_tests

BIG_BYTES = 20_000_000
MOMENTS = 40 if os.environ.get("LONG") else 16  # of each kind of ingest
SLOW = os.environ.get("SAN") or os.environ.get("VALGRIND")


class Stage(Workshop):
    """The workshop, with the large trace in other forms too."""

    def __init__(self, root):
        super().__init__(root, BIG_BYTES // 4 if SLOW else BIG_BYTES)
        self.gz = self.big + ".gz"
        with open(self.gz, "wb") as out:
            subprocess.run(["gzip", "-1", "-c", self.big], check=True, stdout=out)
        self.ranks = os.path.join(root, "ranks")
        os.mkdir(self.ranks)
        for rank in range(8):
            shutil.copyfile(MIDDLE, os.path.join(self.ranks, f"rank{rank}.json"))
        os.link(self.big, os.path.join(self.ranks, "rank8.json"))
        self.cache = os.path.join(root, "cache")
        self.temporary = os.path.join(root, "tmp")

    def check_stopped(self, status, said, name):
        """What an interrupted ingest left.  True: it was stopped."""
        if status == 0:
            assert name in self.runs(), self.runs()
            assert self.files() == ["ptool.db"], self.files()
            return False
        assert self.is_old()
        if status == -signal.SIGINT:  # it had not yet asked for the signal
            assert said == "", said
            return False
        assert status == 130, (status, said)
        assert said == f"ptool: ingest: {self.store}: interrupted\n", said
        assert self.files() == ["ptool.db"], self.files()
        return True

    def seconds(self, begin):
        """That a whole run takes, from begin() to its end."""
        begun = time.monotonic()
        program = begin()
        program.communicate()
        assert program.returncode == 0, program.returncode
        return time.monotonic() - begun


def interrupt_at_moments(stage, *arguments, run="new"):
    def begin():
        stage.begin()
        return stage.start("--run", run, *arguments)

    whole_s = stage.seconds(begin)
    chance = random.Random(1)
    stopped = 0
    for i in range(MOMENTS):
        program = begin()
        time.sleep(whole_s * (i + chance.random()) / MOMENTS)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate()
        stopped += stage.check_stopped(program.returncode, said, run)
    assert stopped > MOMENTS / 4, stopped


def while_it_reads_with_threads(stage):
    interrupt_at_moments(stage, "-j3", stage.big)


def while_it_reads_with_one_thread(stage):
    interrupt_at_moments(stage, "-j1", stage.big)


def while_it_reads_a_compressed_trace(stage):
    interrupt_at_moments(stage, stage.gz)


def while_it_reads_a_folder(stage):
    interrupt_at_moments(stage, stage.ranks)


def while_it_replaces_a_run(stage):
    """The old store is copied then, without the run."""
    interrupt_at_moments(stage, stage.big, run="old")


def at_any_call_that_changes_a_file(stage):
    needs_preload()
    for arguments in (["--run", "new", MIDDLE], ["--run", "old", SMALL]):
        calls = stage.calls(*arguments)
        moved = calls.index("m") + 1
        for point in points(calls):
            stage.begin()
            status, said = stage.run(*arguments, fault={"FAULT": "interrupt", "FAULT_AT": str(point)})
            is_stopped = stage.check_stopped(status, said, arguments[1])
            assert is_stopped == (point <= moved), (point, moved, calls, status)


def interrupt_at_calls(stage, run):
    """run(**fault) is a command that reads, and begins with what it is to find."""
    log = os.path.join(stage.root, "log")
    done = run(FAULT_LOG=log)
    assert done.returncode == 0, done
    with open(log, encoding="ascii") as file:
        calls = file.read()
    assert calls
    ends = set()
    for point in points(calls):
        done = run(FAULT="interrupt", FAULT_AT=str(point))
        ends.add(done.returncode)
        assert done.returncode in (0, 130, -signal.SIGINT), (point, calls, done)
        assert os.listdir(stage.temporary) == [] and set(stage.files()) <= {"ptool.db", "out.html"}, (point, calls, done)
    assert ends & {130, -signal.SIGINT}, ends


def at_any_call_of_a_command_that_reads(stage):
    """What it makes of standard input and in the cache, and what -o makes, is not left behind half done."""
    needs_preload()
    stores = os.path.join(stage.root, "stores")
    os.mkdir(stores)
    for trace in (SMALL, MIDDLE):
        stage.ingest_well("-o", os.path.join(stores, os.path.basename(trace) + ".db"), trace)

    def run(command, is_cached=False, **fault):
        stage.begin()
        for folder in [stage.temporary] + [stage.cache] * (not is_cached):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        env = {**os.environ, "PTOOL_CACHE": stage.cache, "TMPDIR": stage.temporary, "LD_PRELOAD": stage.fault, **fault}
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        with open(SMALL, "rb") as trace:
            return subprocess.run([PTOOL, *command, "-q"], env=env, stdin=trace, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False)

    for command in (["top", "-"], ["report", "-o", os.path.join(stage.folder, "out.html"), stage.store],
                    ["top", SMALL], ["top", stores]):
        interrupt_at_calls(stage, partial(run, command))
        if command[1] in (SMALL, stores):
            assert run(command).returncode == 0 and os.listdir(stage.cache)
            interrupt_at_calls(stage, partial(run, command, is_cached=True))


def read(stage, **options):
    """`ptool top` of the large trace, with folders of its own for what it makes."""
    for folder in (stage.cache, stage.temporary):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    env = {**os.environ, "PTOOL_CACHE": stage.cache, "TMPDIR": stage.temporary}
    return subprocess.Popen([PTOOL, "top", "--limit", "1", options.pop("operand")], env=env,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)


def interrupt_reading(stage, operand, begin):
    whole_s = stage.seconds(begin)
    stopped = 0
    for i in range(MOMENTS // 2):
        program = begin()
        time.sleep(whole_s * i / (MOMENTS // 2))
        program.send_signal(signal.SIGINT)
        _, said = program.communicate()
        if program.returncode != 130:
            assert program.returncode in (0, -signal.SIGINT), (program.returncode, said)
            continue
        is_read = " slices read " in said  # the store was whole already
        assert said.splitlines()[is_read:] == [f"ptool: top: {operand}: interrupted"], said
        assert (is_read or os.listdir(stage.cache) == []) and os.listdir(stage.temporary) == []
        stopped += 1
    assert stopped > MOMENTS / 8, stopped


def while_a_reading_command_fills_the_cache(stage):
    interrupt_reading(stage, stage.big, lambda: read(stage, operand=stage.big))


def while_a_reading_command_reads_a_pipe(stage):
    def begin():
        with open(stage.gz, "rb") as trace:
            return read(stage, operand="-", stdin=trace)

    interrupt_reading(stage, "-", begin)


TESTS = [
    while_it_reads_with_threads,
    while_it_reads_with_one_thread,
    while_it_reads_a_compressed_trace,
    while_it_reads_a_folder,
    while_it_replaces_a_run,
    at_any_call_that_changes_a_file,
    at_any_call_of_a_command_that_reads,
    while_a_reading_command_fills_the_cache,
    while_a_reading_command_reads_a_pipe,
]


sys.exit(run_tests(TESTS, "ptool-interrupt.", Stage, "Ctrl-C "))
