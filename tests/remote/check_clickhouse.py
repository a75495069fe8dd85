#!/usr/bin/env python3
"""check_clickhouse.py: what is pushed into ClickHouse answers as the store it came from, byte for
byte; nothing is lost, doubled or half visible, whoever is killed.   timeout: 300 s

Two servers of Debian 12's 18.16, and of a current release where LIBCHDB names npm's
libchdb.so (servers.py); skipped where neither is there.  LONG: 1,000 killed pushes and 100 killed servers.
"""
import functools
import os
import random
import re
import signal
import sqlite3
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "gen"), HERE]
import fleet
import servers as ch
from storetap import PTOOL, Tap

LONG = bool(os.environ.get("LONG"))
RANKS = 64 if LONG else 4
RUN = "odd ' \" \\ \n \t ; DROP TABLE profile -- ü"
KILLS = 1000 if LONG else 12

# What whole profiles answer; the first of a database is the newest run.
QUESTIONS = """top
top --format json
top -n 0 --format csv
top -n 0 --sort none --format tsv
top --sort calls --format markdown
top --sort cpu_time_total -n 3
top --focus gemm
top --ignore gemm --format ndjson
top --focus nothing_has_this_name
top --by rank -n 0 --format csv
top --by rank --format json
top --by profile
top --by shape --format json
top --by shape -n 0 --format csv
top --by step -n 0 --format csv
top --by step,rank --format csv
top --step 1..2
top --step 2 --format json
top --by annotation
top --by annotation --format csv
top --rank 1
top --rank 1..2 --format json
top --rank 99
top --profile 2
top --flops
top --top-level --format csv
top --run nobody
top --by nothing
diff --by step --format csv
diff
steps
steps --format csv
steps --format json
steps --phases
steps --phases --format csv
steps --rank 1
steps --step 1..2 --format json
steps --sort total -n 3
steps --by phase --format csv
steps --device 0
steps --device 99
gaps
gaps --format csv
gaps --by step --format json
gaps --rank 1
devices
devices --format csv
devices --rank 1 --format json
streams
streams --format csv
ranks
ranks --format csv
comm --format csv
comm --ranks
kernels --format csv
memory
memory --live --format csv
doctor
doctor --format json
info --format csv
info --rank 1 --format json
top --phase decode --by rank --format csv
top --by tp
steps --phases --phase prefill
gaps --by stream --format json
gaps --by annotation
kernels --by family
kernels --by rank --copies --format csv
transfers --by op
comm --by pp --format csv
comm --ranks --by rank --format csv
comm --ranks --phase decode
ranks --by step --format csv
ranks --by tp --rank 1
ranks --what-if
diff --by memory
diff --rank 1 --format csv
diff --rank 1..2
diff --phase decode
trend --format csv
advise --rule exposed-communication --rule stragglers --rule low-utilization:below_pct=99 --format json
advise --rule memory-limit --rule warm-up --rule data-loading --evidence --format csv""".splitlines()
if os.environ.get("SAN"):
    QUESTIONS = QUESTIONS[::6]


class Place:
    """A database, and how ptool is asked about it."""

    def __init__(self, server, database):
        self.url = f"clickhouse://ptool@127.0.0.1:{server.http}/{database}"
        self.server, self.database = server, database

    @staticmethod
    def ptool(*argv, password=ch.PASSWORD, **env):
        env = dict(os.environ, PTOOL_PASSWORD=password, COLUMNS="120", **env)
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            env.pop(name, None)
        done = subprocess.run([PTOOL, *argv], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape")

    def push(self, *argv, **env):
        return self.ptool("push", self.url, "-q", *argv, **env)

    def count(self, table):
        return int(self.server.ask(f"SELECT count() FROM {table}", self.database))


@functools.lru_cache(maxsize=None)
def of_store(line, whole):
    return answer(Place, line, whole)


def answer(place, line, operand):
    operands = [operand, operand] if line.startswith("diff") else [operand]
    code, out, err = place.ptool(*line.split(), *operands)
    return code, out.replace(operand, "OPERAND"), err.replace(operand, "OPERAND")


def make_stores(folder):
    """Traces of ranks: one store of all of them, and one of each."""
    traces = os.path.join(folder, "traces")
    os.makedirs(traces)
    files = fleet.Serving(7, "slow_rank", ranks=RANKS, steps=4).save(traces)
    whole = os.path.join(folder, "whole.db")
    subprocess.run([PTOOL, "ingest", "-q", "--run", RUN, "-o", whole, traces], check=True)
    os.mkdir(os.path.join(folder, "stores"))
    stores = []
    for i, file in enumerate(files):
        stores.append(os.path.join(folder, "stores", f"r{i}.db"))
        subprocess.run([PTOOL, "ingest", "-q", "--run", RUN, "-o", stores[-1], file], check=True)
    return whole, stores


def compare(tap, place, whole, name):
    bad = []
    for line in QUESTIONS:
        local, remote = of_store(line, whole), answer(place, line, place.url)
        if local != remote:
            bad.append(f"{line}: exit {local[0]} and {remote[0]}")
            bad += [f"  {a[:110]!r} | {b[:110]!r}" for a, b in
                    zip((local[1] + local[2]).splitlines(), (remote[1] + remote[2]).splitlines()) if a != b][:2]
    tap.ok(not bad, f"{name}: {len(QUESTIONS)} questions, answered as by the store", *bad)


def check_overview(tap, place, whole, name):
    """Operators and kernels of one rank: rows of several ranks are not added up then."""
    def sections(operand):
        text = place.ptool(operand, "--rank", "1")[1].replace(operand, "OPERAND")
        blocks = re.split(r"^(?=\S)", text, flags=re.M)
        return [re.sub(" +", " ", block).splitlines()[:3] for block in blocks if re.match("Operators|Kernels", block)]
    local, remote = sections(whole), sections(place.url)
    tap.ok(len(local) == 2 and local == remote, f"{name}: the first screen of a rank", local, remote)


def check_runs(tap, place, whole, stores, name):
    """Runs that are not the newest are compared by their names."""
    place.push("--run", "other", stores[0])
    lines = []
    for operand in (whole, place.url):
        other = stores[0] if operand == whole else operand
        runs = ("--run", RUN, "--run", RUN if operand == whole else "other")
        lines.append(place.ptool("diff", "--format", "csv", *runs, operand, other))
    tap.ok(lines[0] == lines[1] and lines[0][0] == 0, f"{name}: two runs of a database are compared by name", *lines)
    place.ptool("rm", "-q", place.url + "?run=other")


class Folder:
    """Stores as an operand; what was read of them is told, but not with -q."""

    def __init__(self, url):
        self.url = url

    def ptool(self, *argv):
        return Place.ptool(*argv, "-q")


def check_refusals(tap, place, whole, name):
    code, out, err = place.ptool("tree", place.url)
    tap.ok(code == 3 and not out and "ptool pull" in err, f"{name}: what needs slices says so", code, err)
    code, out, err = place.ptool("top", place.url, password="wrong")
    tap.ok(code == 5 and "refuses user 'ptool'" in err and "wrong" not in err.replace("is wrong", "").replace("password is", ""),
           f"{name}: a wrong password", code, err)
    code, _, err = place.ptool("push", place.url.replace("ptool@", "viewer@"), whole)
    tap.ok(code == 5 and "may not" in err and ch.PASSWORD not in err, f"{name}: a user without rights", code, err)
    code, _, err = place.ptool("top", place.url.replace("ptool@", "viewer@"))
    tap.ok(code == 0 and not err, f"{name}: a user who only reads", code, err)
    code, _, err = place.ptool("top", place.url + "_not")
    tap.ok(code == 4 and "no database" in err, f"{name}: a database that is not there", code, err)
    code, _, err = place.ptool("top", place.url.replace("/" + place.database, "/default"))
    tap.ok(code == 4 and "ptool schema" in err, f"{name}: a database without tables", code, err)


def check_again(tap, place, whole, name):
    before = answer(place, "top -n 0 --format csv", place.url)
    for _ in range(2):
        place.push(whole)
    tap.ok(answer(place, "top -n 0 --format csv", place.url) == before, f"{name}: pushed three times is pushed once")
    env = dict(os.environ, PTOOL_PASSWORD=ch.PASSWORD)
    both = [subprocess.Popen([PTOOL, "push", "-q", place.url, whole], env=env) for _ in range(2)]
    tap.ok(not any([push.wait() for push in both]) and answer(place, "top -n 0 --format csv", place.url) == before,
           f"{name}: twice at the same time, too")
    place.server.ask("INSERT INTO op_stat SELECT * FROM op_stat LIMIT 1" if "cluster" not in name else
                     "INSERT INTO op_stat_local SELECT * FROM op_stat_local LIMIT 1", place.database)
    # perhaps of an old push: of the newest there are too many by now
    push = place.server.ask("SELECT max(push_id) FROM profile", place.database).strip()
    columns = "* FROM op_stat WHERE grain = 0 AND push_id = " + push + " LIMIT 1"
    place.server.ask(f"INSERT INTO op_stat SELECT {columns}", place.database)
    for _ in range(200):  # a shard gets it when it can
        code, _, err = place.ptool("top", place.url)
        if code or "cluster" not in name:
            break
        time.sleep(0.1)
    tap.ok(code == 5 and "rows of op_stat" in err, f"{name}: a row too many is no answer", code, err)
    code, _, err = place.push(whole)
    tap.ok(code == 0 and answer(place, "top -n 0 --format csv", place.url) == before, f"{name}: a new push mends it", err)


def check_kills(tap, place, stores, name):
    """kill -9 of push at random moments: the old answer stands, or the new one."""
    random.seed(1)
    started = time.monotonic()
    place.push("--run", "k", stores[0])
    usual = time.monotonic() - started
    good = answer(place, "top -n 0 --format csv", place.url + "?run=k")
    bad, killed = [], 0
    for _ in range(KILLS):
        env = dict(os.environ, PTOOL_PASSWORD=ch.PASSWORD)
        push = subprocess.Popen([PTOOL, "push", "-q", "--run", "k", place.url, stores[0]], env=env)
        time.sleep(random.uniform(0, usual))
        push.kill()
        killed += push.wait() != 0
        if not LONG or random.random() < 0.1:
            got = answer(place, "top -n 0 --format csv", place.url + "?run=k")
            bad += [] if got == good else [got]
    place.push("--run", "k", stores[0])
    tap.ok(not bad and answer(place, "top -n 0 --format csv", place.url + "?run=k") == good,
           f"{name}: {killed} of {KILLS} pushes killed, and nobody saw a part of one", *bad)
    live = place.ptool("info", place.url + "?run=k", "--format", "csv")[1]
    tap.ok(len(live.splitlines()) == 2, f"{name}: and it is there once", live)
    place.ptool("rm", "-q", place.url + "?run=k")
    code, _, err = place.ptool("gc", place.url, "--days", "0")
    for _ in range(100):
        if code or "cluster" in name or place.count("op_stat") == int(place.server.ask(
                "SELECT count() FROM op_stat WHERE push_id IN (SELECT max(push_id) FROM profile GROUP BY profile_key)",
                place.database)):
            break
        time.sleep(0.1)
    else:
        code = "rows of dead pushes stay"
    tap.ok(code == 0, f"{name}: ptool gc deletes what they left", code, err)


def check_stores(tap, place, whole, folder, name):
    code, _, err = place.push("--with-store", whole)
    back = os.path.join(folder, "back.db")
    if code == 0:
        code, _, err = place.ptool("pull", "-q", "-f", "-o", back, place.url)
    with open(whole, "rb") as a, open(back, "rb") as b:
        same = code == 0 and a.read() == b.read()
    tap.ok(same, f"{name}: a store comes back byte for byte", code, err)
    code, _, err = place.ptool("pull", "-o", back, place.url)
    tap.ok(code == 2, f"{name}: and does not replace a file", code, err)


def check_slices(tap, place, whole, folder, name):
    """push --slices: every slice is a row there; questions are answered as before."""
    db = sqlite3.connect(whole)
    want = db.execute("SELECT count(*), sum(s.dur), sum(s.self_ns), sum(s.parent_id - p.first_slice_id), sum(st.number) FROM profile p "
                      "JOIN slice_row s ON s.id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1 "
                      "LEFT JOIN step st ON st.id = s.step_id").fetchone()
    db.close()
    before = answer(place, "top -n 0 --format csv", place.url)
    code, _, err = place.push("--slices", whole)
    got = place.server.ask("SELECT count(), sum(dur), sum(self_ns), sum(parent_seq), sum(step) FROM slice WHERE push_id IN "
                           "(SELECT max(push_id) FROM profile GROUP BY profile_key)", place.database).split()
    tap.ok(code == 0 and got == [str(n) for n in want] and answer(place, "top -n 0 --format csv", place.url) == before,
           f"{name}: slices are rows for SQL there", code, err, got, want)
    small = os.path.join(folder, "small.db")
    subprocess.run([PTOOL, "ingest", "-q", "--summary-only", "-o", small, os.path.join(os.path.dirname(whole), "traces")], check=True)
    code, _, err = place.push("--slices", small)
    tap.ok(code == 3 and "left out of this store" in err, f"{name}: a store without slices is refused", code, err)


class Proxy:
    """Passes on what a client sends until it was `most` bytes of a connection; then calls `then`, once."""

    def __init__(self, server):
        self.to, self.most, self.then, self.longest = server.http, 1 << 60, None, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.http = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.to))
            for of in ((client, server, self.most), (server, client, 1 << 60)):
                threading.Thread(target=self.move, args=of, daemon=True).start()

    def move(self, source, sink, most):
        passed = 0
        try:
            while piece := source.recv(min(65536, most - passed)) if passed < most else b"":
                sink.sendall(piece)
                passed += len(piece)
                if self.to == sink.getpeername()[1]:
                    self.longest = max(self.longest, passed)
            if passed < most:
                sink.shutdown(socket.SHUT_WR)
            elif self.then:
                self.then()
        except OSError:
            pass


def check_stalls(tap, place, stores, name):
    """The network, or the server, stands still in the middle of rows."""
    push = ("--run", "stall", "--slices", *stores[:2])
    place.push(*push)
    good = answer(place, "top -n 0 --format csv", place.url + "?run=stall")
    proxy, bad = Proxy(place.server), []
    through = Place(proxy, place.database)
    through.push(*push)
    sent = proxy.longest
    for part, stops in ((0.1, False), (0.5, False), (0.9, False), (0.3, True), (0.7, True)):
        proxy.most = int(sent * part)
        proxy.then = functools.partial(place.server.process.send_signal, signal.SIGSTOP) if stops else None
        code, _, err = through.push(*push, PTOOL_TIMEOUT="1")
        if code != 5 or err.count("\n") != 1 or "too slow" not in err:
            bad.append((part, stops, code, err))
        if stops:
            code, _, err = place.ptool("top", place.url, PTOOL_TIMEOUT="1")
            if code != 5 or err.count("\n") != 1:
                bad.append((part, "top", code, err))
            if name.startswith("18"):
                place.server.process.send_signal(signal.SIGCONT)
            else:  # chlocal's question, which lets it listen, may end when it goes on
                place.server.stop(signal.SIGKILL)
                place.server.start()
        if answer(place, "top -n 0 --format csv", place.url + "?run=stall") != good:
            bad.append((part, stops, "another answer"))
    code, _, err = place.push(*push)
    live = place.ptool("info", place.url + "?run=stall", "--format", "csv")[1]
    tap.ok(not bad and code == 0 and len(live.splitlines()) == 3 and
           answer(place, "top -n 0 --format csv", place.url + "?run=stall") == good,
           f"{name}: a network or a server that stands still is exit 5, and nothing is lost or doubled", code, err, live, *bad)
    place.ptool("rm", "-q", place.url + "?run=stall")


def check_server_killed(tap, place, whole, name):
    before = answer(place, "top -n 0 --format csv", place.url)
    bad = []
    for _ in range(100 if LONG else 1):
        push = subprocess.Popen([PTOOL, "push", "-q", place.url, whole], env=dict(os.environ, PTOOL_PASSWORD=ch.PASSWORD),
                                stderr=subprocess.PIPE, text=True)
        time.sleep(random.uniform(0, 0.3))
        place.server.stop(signal.SIGKILL)
        _, err = push.communicate()
        if push.returncode not in (0, 5) or (push.returncode == 5) != (err.count("\n") == 1):
            bad.append((push.returncode, err))
        code, _, err = place.ptool("top", place.url)
        if code != 5 or err.count("\n") != 1:
            bad.append((code, err))
        place.server.start()
        if answer(place, "top -n 0 --format csv", place.url) != before:
            bad.append("another answer after the restart")
    tap.ok(not bad, f"{name}: a killed server is exit 5, and answers again after a restart", *bad)


def check_release(tap, release, argv, folder, whole, stores):
    os.makedirs(folder)
    running = ch.start(folder, argv)
    try:
        options = ("--no-codecs",) if release.startswith("18") else ()
        ch.make_tables(PTOOL, running[:1], "one", *options)
        ch.make_tables(PTOOL, running, "two", *options)
        one, two = Place(running[0], "one"), Place(running[1], "two")
        code, _, err = one.push(whole)
        tap.ok(code == 0 and not err, f"{release}: a store of {RANKS} ranks is pushed", code, err)
        compare(tap, one, whole, f"{release}, one server")
        code, _, err = two.push("--run", RUN, *stores)
        tap.ok(code == 0 and not err, f"{release}: and store after store into a cluster", code, err)
        compare(tap, two, whole, f"{release}, cluster")
        check_refusals(tap, one, whole, release)
        check_again(tap, one, whole, release)
        check_kills(tap, one, stores, release)
        check_stores(tap, two, whole, folder, f"{release}, cluster")
        check_slices(tap, one, whole, folder, release)
        check_overview(tap, one, whole, release)
        check_runs(tap, one, whole, stores, release)
        check_stalls(tap, one, stores, release)
        check_server_killed(tap, one, whole, release)
    finally:
        for server in running:
            server.stop()


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ptool-ch.") as folder:
        whole, stores = make_stores(folder)
        compare(tap, Folder(os.path.dirname(stores[0])), whole, "folder")
        releases = ch.kinds(folder)
        if all(isinstance(argv, str) for argv in releases.values()):
            tap.skip("ClickHouse", "; ".join(releases.values()))
            tap.done()
        for release, argv in releases.items():
            if isinstance(argv, str):
                tap.skip(release, argv)
            else:
                check_release(tap, release, argv, os.path.join(folder, release), whole, stores)
    tap.done()


if __name__ == "__main__":
    main()
