"""What the bench reads and the programs beside ptool: built in one folder, kept, used again."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GEN_SOURCES = ("gen.c", "gen_steps.c", "gen_text.c")
CHUNK = 1 << 24
# A kind that is no generated one: what a profiler wrote, again and again.
RECORDED = "recorded"
RECORDING = os.environ.get("BENCH_RECORDING") or os.path.join(
    HERE, "..", "fixtures", "torch", "t2141_cnn_w0_stack", "trace.json.gz")
PACKERS = {"gz": ["gzip", "-6", "-n", "-c"], "zst": ["zstd", "-q", "-3", "-c"]}


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def end(number, frame):
    raise KeyboardInterrupt


def run_main(main):
    """Ends on a signal as on Ctrl-C, so that what is to be removed is; timed.c ends the rest."""
    signal.signal(signal.SIGTERM, end)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)


def write_whole(path, command):
    """What the command prints, as a file that is there whole or not at all."""
    if os.path.exists(path):
        return path
    with open(path + ".tmp", "wb") as out:
        subprocess.run(command, check=True, stdout=out)
    os.rename(path + ".tmp", path)
    return path


class Inputs:
    """Traces by kind and size, packed, and as a folder of ranks."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.gen = self.path("gen")
        self.timed = self.path("timed")
        self.log = self.path("stderr.log")
        self.compile_c(self.gen, *GEN_SOURCES)
        self.compile_c(self.timed, "timed.c")

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile_c(self, output, *sources):
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O2", "-D_XOPEN_SOURCE=700", "-o", output,
                        *(os.path.join(HERE, name) for name in sources)], check=True)

    def walker(self):
        """The program that visits every token with simdjson; None where it cannot be built."""
        program, log = self.path("simdjson_visit"), self.path("simdjson.log")
        # On-Demand is compiled in, so it uses what instructions we allow here.
        command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native", "-DNDEBUG",
                   "-o", program, os.path.join(HERE, "simdjson_visit.cpp"), "-lsimdjson"]
        with open(log, "wb") as out:
            try:
                done = subprocess.run(command, stdout=out, stderr=out).returncode == 0
            except FileNotFoundError:
                done = False
        if not done:
            say(f"no simdjson row, see {log}")
        return program if done else None

    def trace(self, kind, size):
        if kind == RECORDED:
            return write_whole(self.path(f"{kind}-{size}.json"),
                               [sys.executable, os.path.join(HERE, "repeat.py"), RECORDING, str(size)])
        return write_whole(self.path(f"{kind}-{size}.json"), [self.gen, kind, str(size)])

    def packed(self, trace, suffix):
        """None where the packer is missing."""
        command = PACKERS[suffix]
        if not shutil.which(command[0]):
            say(f"no {suffix} row: {command[0]} is missing")
            return None
        return write_whole(f"{trace}.{suffix}", [*command, trace])

    def dump(self, functions):
        """What cProfile writes of so many functions, with three callers each."""
        path = self.path(f"{functions}.prof")
        if not os.path.exists(path):
            subprocess.run([sys.executable, os.path.join(HERE, "gen_pstats.py"), path + ".tmp", str(functions)],
                           check=True)
            os.rename(path + ".tmp", path)
        return path

    def samples(self, format_, size):
        """Sampled stacks, as text of that format."""
        return write_whole(self.path(f"{format_}-{size}"),
                           [sys.executable, os.path.join(HERE, "gen_stacks.py"), format_, str(size)])

    def ranks(self, kind, size, count):
        """A folder of so many traces, which take `size` bytes together."""
        folder = self.path(f"{kind}-{size}-ranks")
        os.makedirs(folder, exist_ok=True)
        first = None
        for rank in range(count):
            path = os.path.join(folder, f"rank{rank}.json")
            first = first or path
            write_whole(path, [self.gen, kind, str(size // count)] if path == first else ["cat", first])
        return folder

    def events(self, path):
        """How many events a trace or a folder of them has; counted once for each file."""
        if os.path.isdir(path):
            return sum(self.events(os.path.join(path, name)) for name in os.listdir(path))
        known = self.path("events.json")
        counts = {}
        if os.path.exists(known):
            with open(known, encoding="utf-8") as file:
                counts = json.load(file)
        key = f"{path} {os.path.getsize(path)}"
        if key not in counts:
            counts[key] = count_text(path, b'"ph":')
            with open(known, "w", encoding="utf-8") as file:
                json.dump(counts, file)
        return counts[key]


def count_text(path, text):
    """How often the text stands in the file."""
    count, tail = 0, b""
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            count += (tail + chunk).count(text)
            tail = chunk[-(len(text) - 1):]
    return count


def size_of(path):
    """Bytes of a file, or of all files in a folder."""
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def store_facts(path):
    """Of a store: its bytes, slices, and bytes of distinct text."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        slices, = db.execute("SELECT sum(slices) FROM profile").fetchone()
        text, = db.execute("SELECT sum(length(CAST(text AS BLOB))) FROM string").fetchone()
    db.close()
    return {"store_bytes": os.path.getsize(path), "slices": slices, "text_bytes": text}
