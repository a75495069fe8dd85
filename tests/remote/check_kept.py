#!/usr/bin/env python3
"""check_kept.py: what comes back from a server that keeps what is pushed, and lies about it: pull replaces a
file as every other writer of stores does, and no answer takes more of the disk or the memory than it should.
"""
import fcntl
import os
import re
import resource
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "robust")]
from check_hostile import Fake, number, ptool, text, wrong
from storetap import FIXTURES, INTERRUPTED_ENV, PTOOL, Tap

TRACE = os.path.join(FIXTURES, "gpu", "everything.json")
# The columns of `profile` before those of a store: of a text, else a number.
OWN = {"run_id": 0, "run": 1, "key": 0, "push_id": 0, "deleted": 0, "schema": 0, "ptool": 1, "pushed": 0,
       "store_key": 0, "place": 0, "counts": 1, "largest": 0, "store_push": 0, "store_bytes": 0, "sha256": 1}


def split(row):
    """(columns of its own, the rest of the row)."""
    own, at = {}, 0
    for name, is_text in OWN.items():
        if not is_text:
            own[name], at = struct.unpack_from("<q", row, at)[0], at + 8
            continue
        size = shift = 0
        while True:
            size |= (row[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if row[at - 1] < 128:
                break
        own[name], at = row[at:at + size], at + size
    return own, row[at:]


class Keeping:
    """Keeps the rows of a push, and answers with them; `edit` changes the row of the profile, `hangs` is a
    part of the question that is never answered, `keys` the number of profiles of a run that is deleted.
    """

    def __init__(self):
        self.taken, self.asked = {}, []
        self.edit, self.hangs, self.keys = (lambda own: own), None, 0

    def __call__(self, h):
        words = urllib.parse.parse_qs(urllib.parse.urlparse(h.path).query)
        sql = words.get("query", [""])[0] or h.data.decode(errors="replace")
        self.asked.append(sql)
        if self.hangs and self.hangs in sql:
            time.sleep(30)
        elif sql.startswith("INSERT INTO"):
            self.taken.setdefault(sql.split()[2], []).append(h.data)
            h.answer(b"")
        elif "FROM store_chunk" in sql:
            h.answer(b"".join(data[16:] for data in self.taken["store_chunk"]))
        elif self.keys and "profile_key" in sql:
            h.answer(number(1) * self.keys)
        elif "ORDER BY push_id DESC" in sql:
            h.answer(number(split(self.taken["profile"][0])[0]["run_id"]))
        elif "profile_key" in sql:
            own, rest = split(self.taken["profile"][0])
            h.answer(b"".join(text(v) if OWN[k] else number(v) for k, v in self.edit(own).items()) + rest)
        else:
            h.answer(number(0) if "max(push_id)" in sql else b"")


class Place:
    """A folder with a pushed store in it, and its server."""

    def __init__(self, folder):
        self.folder = folder
        self.store = os.path.join(folder, "a.db")
        subprocess.run([PTOOL, "ingest", "-q", "-o", self.store, TRACE], check=True)
        self.keeping = Keeping()
        self.fake = Fake(self.keeping)
        self.url = f"clickhouse://me@127.0.0.1:{self.fake.port}/d"
        self.ptool("push", "-q", "--with-store", self.url, self.store)
        with open(self.store, "rb") as file:
            self.bytes = file.read()

    def ptool(self, *argv):
        return ptool(self.folder, *argv)

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def is_pulled(self, path):
        with open(path, "rb") as file:
            return file.read() == self.bytes

    def interrupt(self, signal_number, *argv, hangs):
        """(exit status, stderr, files of `folder` while it waits) of a command that is ended."""
        env = {k: v for k, v in dict(INTERRUPTED_ENV, TMPDIR=self.folder).items() if "proxy" not in k.lower()}
        before = len(self.keeping.asked)
        self.keeping.hangs = hangs
        child = subprocess.Popen([PTOOL, *argv], env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        while not any(hangs in sql for sql in self.keeping.asked[before:]) and child.poll() is None:
            time.sleep(0.01)
        during = os.listdir(self.folder)
        child.send_signal(signal_number)
        err = child.communicate(timeout=20)[1]
        self.keeping.hangs = None
        return child.returncode, err, during


def check_pull(tap, place):
    """As `ptool ingest` and `merge` replace a store."""
    real, link = place.path("real.db"), place.path("link.db")
    shutil.copy(place.store, real)
    sqlite3.connect(real).execute("PRAGMA user_version = 1").connection.close()
    os.chmod(real, 0o600)
    os.symlink("real.db", link)
    done = place.ptool("pull", "-f", "-o", link, place.url)
    tap.ok(done.returncode == 0 and os.path.islink(link) and place.is_pulled(real), "a link stays, and what it points at is replaced", done.stderr)
    tap.same(stat.S_IMODE(os.stat(real).st_mode), 0o600, "which keeps its mode")
    notes = place.path("notes.txt", b"my notes\n")
    done = place.ptool("pull", "-f", "-o", notes, place.url)
    with open(notes, "rb") as file:
        tap.ok(done.returncode == 2 and b"notes.txt: exists and is not a ptool store" in done.stderr and file.read() == b"my notes\n",
               "what is not a store stays", done.stderr)
    other = place.path("other.db", place.bytes[:4096])
    journal = place.path("other.db-journal", b"x" * 512)
    done = place.ptool("pull", "-f", "-o", other, place.url)
    tap.ok(done.returncode == 5 and b"another program is changing the store" in done.stderr and os.path.getsize(other) == 4096,
           "and so does one that another program is changing", done.stderr)
    os.unlink(journal)
    tap.same(place.ptool("pull", "-o", "-", place.url).returncode, 2, "a store is not written to standard output")
    done = place.ptool("pull", "-q", "-o", place.path("new.db"), place.url)
    tap.ok(done.returncode == 0 and not done.stderr and place.is_pulled(place.path("new.db")), "a new one is there, byte for byte", done.stderr)
    tap.ok(not [name for name in os.listdir(place.folder) if ".lock" in name or ".tmp" in name], "and nothing beside them", os.listdir(place.folder))


def check_interrupted(tap, place):
    code, err, during = place.interrupt(signal.SIGINT, "pull", "-f", "-o", place.path("new.db"), place.url, hangs="FROM store_chunk")
    left = [name for name in os.listdir(place.folder) if name.startswith("new.db.")]
    tap.ok(code == 130 and err.count(b"\n") == 1 and b"new.db: interrupted" in err and not left and place.is_pulled(place.path("new.db")),
           "Ctrl-C leaves the old store, and nothing beside it", code, err, left)
    tap.ok("new.db.lock" in during, "others wait while it is pulled", during)
    for number_of in (signal.SIGINT, signal.SIGTERM):
        code, err, during = place.interrupt(number_of, "top", place.url, hangs="GLOBAL ALL INNER JOIN")
        left = [name for name in os.listdir(place.folder) if name.startswith("ptool-")]
        tap.ok(code == 130 and err.count(b"\n") == 1 and b": interrupted" in err and not left,
               f"{number_of.name} while rows come says so, and leaves nothing in the temporary folder", code, err, left)
        tap.ok(any(name.startswith("ptool-") for name in during), "where there was something", during)


def check_meanwhile(tap, place):
    """Without -f what another process makes while this one waits is not replaced."""
    path = place.path("meanwhile.db")
    env = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = subprocess.Popen([PTOOL, "pull", "-o", path, place.url], env=env, stderr=subprocess.PIPE)
        time.sleep(0.3)
        place.path("meanwhile.db", b"of another")
    err = child.communicate(timeout=20)[1]
    tap.ok(child.returncode == 2 and b"meanwhile.db: exists; -f replaces it" in err and os.path.getsize(path) == 10,
           "what another process makes meanwhile is not replaced", err)
    os.unlink(path)


def check_no_room(tap, place):
    """It is the machine's disk that is full, not the server's."""
    env = {k: v for k, v in dict(os.environ, TMPDIR=place.folder).items() if "proxy" not in k.lower()}
    done = subprocess.run([PTOOL, "top", place.url], env=env, check=False, capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    tap.ok(done.returncode == 5 and b": cannot write '" + place.folder.encode() in done.stderr, "no room for rows is told of the file", done.stderr)


def check_counts(tap, place):
    """Profiles that say they have 2^62 rows: nobody writes down what a server sends without end."""
    place.keeping.edit = lambda own: dict(own, counts=re.sub(rb"=\d+", b"=4611686018427387904", own["counts"]))
    place.keeping.asked.clear()
    done = place.ptool("top", place.url)
    bad = wrong(done, 5, place.folder)
    rows = [sql for sql in place.keeping.asked if "GLOBAL ALL INNER JOIN" in sql]
    tap.ok(not bad and not rows and b"more rows than one command reads" in done.stderr, "an impossible number of rows is not asked for", len(rows), *bad)
    place.keeping.edit = lambda own: own


def check_deleted(tap, place):
    """A row for each key, made as it is sent."""
    n = 200_000
    place.keeping.keys = n
    place.keeping.taken["profile"][1:] = []
    env = {k: v for k, v in dict(os.environ, TMPDIR=place.folder).items() if "proxy" not in k.lower()}
    child = subprocess.Popen([PTOOL, "rm", "-q", place.url + "?run=x"], env=env)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    sent = place.keeping.taken["profile"][1:]
    size = sum(len(data) for data in sent)
    tap.ok(child.returncode == 0 and size and size % n == 0, "each profile of a run is deleted", child.returncode, size)
    if os.environ.get("SAN") or os.environ.get("TSAN") or os.environ.get("VALGRIND"):
        tap.skip("in little memory", "this one has a memory of its own")
    else:
        tap.ok(usage.ru_maxrss < 48 << 10, "in little memory", f"{usage.ru_maxrss} KiB")
    place.keeping.keys = 1_000_001
    place.keeping.taken["profile"][1:] = []
    done = place.ptool("rm", place.url + "?run=x")
    bad = wrong(done, 5, place.folder)
    tap.ok(not bad and not place.keeping.taken["profile"][1:], "more profiles than a database lists are not believed", *bad)
    place.keeping.keys = 0


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="kept.") as folder:
        if b"without libcurl" in ptool(folder, "gc", "clickhouse://127.0.0.1:1/d").stderr:
            tap.skip("servers", "this ptool was built without libcurl")
            tap.done()
        place = Place(folder)
        check_pull(tap, place)
        check_interrupted(tap, place)
        check_no_room(tap, place)
        check_meanwhile(tap, place)
        check_counts(tap, place)
        check_deleted(tap, place)
        place.fake.close()
    tap.done()


if __name__ == "__main__":
    main()
