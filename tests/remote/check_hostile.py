#!/usr/bin/env python3
"""check_hostile.py: whatever a server answers, ptool ends with one clear line, the right exit code
and nothing left behind, and says the password to nobody but the server that it asks.
"""
import glob
import http.server
import os
import shutil
import sqlite3
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("store", "robust")]
from check_crash import compile_fault, spread
from storetap import FIXTURES, PTOOL, Tap

SECRET = "hunter2-of-mine"
TRACE = os.path.join(FIXTURES, "gpu", "everything.json")
EXCEPTION = b"Code: 241. DB::Exception: Memory limit exceeded, e.what() = DB::Exception"


def number(n):
    return struct.pack("<q", n)


def text(data):
    n, head = len(data), b""
    while n >= 128:
        head, n = head + bytes([n & 127 | 128]), n >> 7
    return head + bytes([n]) + data


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as self.server.behave says."""

    protocol_version = "HTTP/1.1"
    nth = 0

    def log_message(self, *unused):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = []
            while size := int(self.rfile.readline() or b"0", 16):
                data.append(self.rfile.read(size + 2)[:-2])
            self.rfile.readline()
            return b"".join(data)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, data, status=200, length=None, **headers):
        self.send_response(status)
        if self.close_connection:
            self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        self.nth += 1  # question of this connection
        if self.nth > 1 and self.server.drops:
            self.server.drops -= 1
            self.close_connection = True
            return  # what was sent is not read: the connection is reset
        self.server.asked.append((self.path, dict(self.headers)))
        self.close_connection = not self.server.keeps
        try:
            self.data = self.body()
            self.server.behave(self)
        except OSError:
            pass


def endless(piece, status=200):
    def behave(h):
        h.send_response(status)
        h.end_headers()
        while True:
            h.wfile.write(piece)
    return behave


def endless_trailers(h):
    h.send_response(200)
    h.send_header("Transfer-Encoding", "chunked")
    h.end_headers()
    h.wfile.write(b"0\r\n")
    while True:
        h.wfile.write(b"X-More: and more\r\n" * 4096)


def taken_without_end(h):
    if "INTO" in h.path:
        endless(b"\0" * 65536)(h)
    h.answer(number(0))


def half_a_head(h):
    h.wfile.write(b"HTTP/1.1 200 OK\r\nX-ClickH")


def taken_with_half_a_head(h):
    if "INTO" in h.path:
        half_a_head(h)
    else:
        h.answer(number(0))


def slow(h):
    h.send_response(200)
    h.end_headers()
    for _ in range(100):
        h.wfile.write(b"\0")
        h.wfile.flush()
        time.sleep(0.3)


def nobody(h):
    time.sleep(20)


BEHAVIOURS = {
    "garbage": lambda h: h.answer(bytes(range(256)) * 64),
    "an exception with status 200": lambda h: h.answer(EXCEPTION),
    "an exception": lambda h: h.answer(EXCEPTION + b" " + SECRET.encode(), 500),
    "a page": lambda h: h.answer(b"<html>It works!</html>"),
    "a length that is cut": lambda h: h.answer(number(1)[:5], length=1000),
    "half a row": lambda h: h.answer(number(7) + text(b"run")[:2]),
    "a text of exabytes": lambda h: h.answer((number(7) + b"\xff" * 9 + b"\x01") * 3),
    "zeroes without end": endless(b"\0" * 65536),
    "rows without end": endless((number(1) * 8192)),
    "an error without end": endless(b"x" * 65536, 500),
    "headers without end behind its answer": endless_trailers,
    "without end where rows are sent": taken_without_end,
    "half of the head": half_a_head,
    "half of the head where rows are sent": taken_with_half_a_head,
    "a byte in a while": slow,
    "nothing at all": nobody,
    "a redirect": lambda h: h.answer(b"", 302, Location=f"http://127.0.0.1:{h.server.other}/"),
    "no entry": lambda h: h.answer(b"go away", 403),
    "nothing": lambda h: h.answer(b""),
    "a colour": lambda h: h.answer(b"Code: 1, \x1b[31mred\x1b[0m\nsecond line", 500),
}


class Fake:
    """A server with a behaviour; `context`: of TLS; `drops`: how often it closes a connection that
    it had kept, when the next question comes (None: it keeps none).
    """

    def __init__(self, behave, context=None, drops=None):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.behave, self.http.asked, self.http.other = behave, [], 1
        self.http.keeps, self.http.drops = drops is not None, drops or 0
        if context:
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.http.handle_error = lambda *unused: None
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
        self.port = self.http.server_address[1]

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def ptool(folder, *argv, **env):
    env = {k: v for k, v in dict(os.environ, TMPDIR=folder, PTOOL_CACHE=os.path.join(folder, "cache"),
                                 **env).items() if "proxy" not in k.lower()}
    return subprocess.run([PTOOL, *argv], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def wrong(done, code, folder):
    """What is wrong with how it ended, as a list."""
    err = done.stderr.decode(errors="replace")
    bad = [] if done.returncode == code else [f"exit {done.returncode}"]
    bad += [] if err.count("\n") == 1 and "\x1b" not in err else [err[:300]]
    bad += ["it prints"] if done.stdout else []
    bad += ["it tells the password"] if SECRET in err else []
    return bad + ["left behind: " + p for p in glob.glob(os.path.join(folder, "ptool-*"))]


def check_behaviours(tap, folder, store):
    target = Fake(lambda h: h.answer(b""))
    for name, behave in BEHAVIOURS.items():
        fake = Fake(behave)
        fake.http.other = target.port
        url = f"clickhouse://me@127.0.0.1:{fake.port}/d"
        out = os.path.join(folder, "out.db")
        env = {"PTOOL_PASSWORD": SECRET, **({"PTOOL_TIMEOUT": "1"} if behave in (slow, nobody) else {})}
        bad = wrong(ptool(folder, "top", url, **env), 3 if name == "nothing" else 5, folder)
        bad += wrong(ptool(folder, "pull", "-o", out, url, **env), 3 if name == "nothing" else 5, folder)
        if name != "nothing":  # it takes all that it is given
            bad += wrong(ptool(folder, "push", "-q", url, store, **env), 5, folder)
        bad += ["it leaves a file"] if glob.glob(out + "*") else []
        bad += ["the password is in the address"] if any(SECRET in path for path, _ in fake.http.asked) else []
        fake.close()
        tap.ok(not bad, f"a server that answers {name}", *bad)
    tap.ok(not target.http.asked, "nobody follows a redirect with the password", *target.http.asked)
    target.close()


def check_full_disk(tap, folder, store):
    """The first inserts are taken, the others are not: nothing is published, and it is said why."""
    full = b"Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space"
    fake = Fake(lambda h: h.answer(number(0)) if len(h.server.asked) < 5 else h.answer(full, 500))
    done = ptool(folder, "push", "-q", f"clickhouse://me@127.0.0.1:{fake.port}/d", store)
    bad = wrong(done, 5, folder) + ([] if b"not enough space" in done.stderr else [done.stderr])
    bad += ["it publishes"] if any("INTO%20profile%20" in path for path, _ in fake.http.asked) else []
    fake.close()
    tap.ok(not bad and len(fake.http.asked) == 5, "a server whose disk is full", len(fake.http.asked), *bad)


def check_unread(tap, folder, store):
    """Reads of the store fail with EIO: it is named, not the server, and nothing is published."""
    if os.environ.get("VALGRIND"):
        tap.skip("a store that cannot be read", "valgrind and preloading do not mix")
        return
    library, count = os.path.join(folder, "fault.so"), os.path.join(folder, "count")
    compile_fault(library)
    fake = Fake(lambda h: h.answer(number(0)))
    url = f"clickhouse://me@127.0.0.1:{fake.port}/d"

    def push(**fault):
        fake.http.asked.clear()
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return ptool(folder, "push", "-q", "--with-store", url, store, LD_PRELOAD=library, ASAN_OPTIONS=options,
                     FAULT_CALL="read", FAULT_FILE=os.path.basename(store), **fault)

    bad = [] if push(FAULT_COUNT=count).returncode == 0 else ["it fails anyway"]
    with open(count, encoding="ascii") as file:
        n = int(file.read())
    midway = 0
    for point in spread(n, 12):
        done = push(FAULT="fail", FAULT_AT=str(point), FAULT_ERRNO="5")
        bad += [(point, what) for what in wrong(done, done.returncode if done.returncode == 4 else 5, folder)]
        bad += [] if done.stderr.startswith(b"ptool: push: " + store.encode() + b": ") else [(point, done.stderr)]
        bad += [(point, "it publishes")] if any("INTO%20profile%20" in path for path, _ in fake.http.asked) else []
        midway += any("INTO" in path for path, _ in fake.http.asked)
    fake.close()
    tap.ok(not bad and n > 3 and midway, "a store that cannot be read is named, not the server", n, midway, *bad)


def check_dropped(tap, folder, store):
    """A server that closes a connection which it had kept, while rows are on their way."""
    fake = Fake(lambda h: h.answer(number(0) if "INTO" not in h.path else b""), drops=1)
    done = ptool(folder, "push", f"clickhouse://me@127.0.0.1:{fake.port}/d", store)
    published = sum("INTO%20profile%20" in path for path, _ in fake.http.asked)
    fake.close()
    tap.ok(done.returncode == 0 and b"closed the connection; trying again" in done.stderr and published == 1 and not fake.http.drops,
           "a kept connection that is lost is asked again on a new one", published, done.stderr)


class Taking:
    """Takes what is pushed, as [(table, body)]; refuses the first rows of op_stat."""

    def __init__(self, ids):
        self.ids, self.taken = ids, []

    def __call__(self, h):
        table = h.path.partition("INTO%20")[2].partition("%20")[0]
        if not table:
            h.answer(number(0))
            return
        if table == "op_stat":
            self.ids.append(h.data[8:16])
        self.taken.append((table, h.data))
        refused = table == "op_stat" and len(self.ids) == 1
        h.answer(b"Code: 252. DB::Exception: Too many parts" if refused else b"", 500 if refused else 200)

    def of(self, table):
        return [data for name, data in self.taken if name == table]


def check_shared(tap, folder, store):
    """Stores share the inserts, also when they are sent again; a large one goes by itself."""
    stores = [os.path.join(folder, f"share{i}.db") for i in range(4)]
    for path in stores:
        shutil.copy(store, path)
    taking = Taking([])
    fake = Fake(taking)
    url = f"clickhouse://me@127.0.0.1:{fake.port}/d"
    done = ptool(folder, "push", url, *stores)
    tables, err = [name for name, _ in taking.taken], done.stderr.decode()
    again, rows = taking.of("op_stat")[1:], taking.of("profile")
    bad = [] if done.returncode == 0 and err.count("pushed 1 profile,") == 4 and "trying again" in err else [err]
    bad += [] if len(again) == len(rows) == 1 and tables[-1] == "profile" else [tables]
    ids = {row[8:16] for row in (again[0][at:] for at in range(len(again[0]))) if row[:8] == again[0][:8]} if not bad else set()
    bad += [] if len(ids) == 4 and taking.ids[0] not in ids and all(i in rows[0] for i in ids) else [ids]
    tap.ok(not bad, "four stores share an insert a table, under fresh ids when it is sent again", *bad)
    db = sqlite3.connect(stores[1])
    db.execute("UPDATE string SET text = text || hex(randomblob(400000)) WHERE id IN (SELECT name_id FROM op_stat LIMIT 12)")
    db.commit()
    db.close()
    taking.taken.clear()
    done = ptool(folder, "push", url, *stores)
    sizes, rows = [len(data) for data in taking.of("op_stat")], taking.of("profile")
    tap.ok(done.returncode == 0 and len(sizes) == len(rows) == 3 and max(sizes) == sizes[1] > 9e6 and done.stderr.count(b"pushed") == 4,
           "a store that is too large to share goes by itself, after those before it", sizes, done.stderr)
    fake.close()


def check_login(tap, folder):
    fake = Fake(lambda h: h.answer(b""))
    url = f"clickhouse://me@127.0.0.1:{fake.port}/d"
    secret = os.path.join(folder, "password")
    with open(secret, "w", encoding="utf-8") as file:
        file.write(SECRET + "\nanother line\n")
    os.makedirs(os.path.join(folder, "home"))
    with open(os.path.join(folder, "home", ".netrc"), "w", encoding="utf-8") as file:
        file.write(f"machine 127.0.0.1 login me password {SECRET}\n")

    def header(name, *argv, **env):
        fake.http.asked.clear()
        ptool(folder, *argv, **env)
        return fake.http.asked[0][1].get(name) if fake.http.asked else None

    gc = ("gc", url)
    tap.same(header("X-ClickHouse-Key", *gc, PTOOL_PASSWORD=SECRET, CLICKHOUSE_PASSWORD="no"), SECRET, "PTOOL_PASSWORD is sent")
    tap.same(header("X-ClickHouse-Key", *gc, CLICKHOUSE_PASSWORD=SECRET), SECRET, "or CLICKHOUSE_PASSWORD")
    tap.same(header("X-ClickHouse-Key", *gc, "--password-file", secret, PTOOL_PASSWORD="no"), SECRET, "or the first line of a file")
    for bad, why in ((SECRET.encode() + b"\0more\n", b"has a NUL byte"), (b"x" * 5000, b"is too long")):
        with open(secret, "wb") as file:
            file.write(bad)
        done = ptool(folder, *gc, "--password-file", secret)
        tap.ok(done.returncode == 4 and done.stderr == b"ptool: gc: --password-file '" + secret.encode() + b"': its first line " + why + b"\n",
               f"not of a file whose first line {why.decode()}", done.stderr)
    tap.ok((header("Authorization", *gc, HOME=os.path.join(folder, "home")) or "").startswith("Basic "), "or what netrc has")
    done = ptool(folder, "gc", url.replace("me@", f"me:{SECRET}@"))
    tap.ok(done.returncode == 2 and SECRET.encode() not in done.stderr, "a password in the URL is refused and not repeated", done.stderr)
    done = ptool(folder, "gc", url, PTOOL_PASSWORD="a\nX-Evil: 1")
    tap.ok(done.returncode == 2, "nor one that is a header of its own", done.stderr)
    fake.close()


def check_tls(tap, folder):
    if not shutil.which("openssl"):
        tap.skip("certificates", "openssl is not installed")
        return
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    fake = Fake(lambda h: h.answer(b""), context)
    url = f"clickhouses://me@localhost:{fake.port}/d"
    done = ptool(folder, "top", url, PTOOL_PASSWORD=SECRET)
    tap.ok(done.returncode == 5 and b"certificate" in done.stderr and not fake.http.asked, "a certificate of nobody is refused", done.stderr)
    done = ptool(folder, "top", url, PTOOL_PASSWORD=SECRET, PTOOL_CACERT=cert)
    tap.ok(done.returncode == 3 and fake.http.asked, "that of an authority which is named is taken", done.stderr)
    done = ptool(folder, "top", url.replace("localhost", "127.0.0.1"), PTOOL_CACERT=cert)
    tap.ok(done.returncode == 5 and b"certificate" in done.stderr, "that of another host is refused", done.stderr)
    fake.close()


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="hostile.") as folder:
        store = os.path.join(folder, "a.db")
        subprocess.run([PTOOL, "ingest", "-q", "-o", store, TRACE], check=True)
        if b"without libcurl" in ptool(folder, "gc", "clickhouse://127.0.0.1:1/d").stderr:
            tap.skip("servers", "this ptool was built without libcurl")
            tap.done()
        done = ptool(folder, "push", "clickhouse://127.0.0.1:1/d", store)
        tap.ok(not wrong(done, 5, folder), "a server that is down", done.stderr)
        check_behaviours(tap, folder, store)
        check_full_disk(tap, folder, store)
        check_unread(tap, folder, store)
        check_dropped(tap, folder, store)
        check_shared(tap, folder, store)
        check_login(tap, folder)
        check_tls(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
