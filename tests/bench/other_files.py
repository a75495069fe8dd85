"""other_files.py: recordings with n of something that are no single Chrome trace: ranks, damaged
texts, dumps of Python's profilers, torch's memory files.  `KINDS` maps a name to a function of n,
a folder to write into and how many times as long everything takes; it returns what to ingest.
"""
import json
import marshal
import math
import os
import pickle
import tarfile
import zipfile

KINDS = {}
SEGMENT = 2 << 20


def kind(make):
    KINDS[make.__name__] = make
    return make


def save(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


# Many files of a run.

def rank_text(rank, world, steps, stretch):
    events = []
    for i in range(steps):
        ts, host = 100 * i * stretch, {"pid": 100, "tid": 100}
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "ts": ts, "dur": 80 * stretch, **host},
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": ts + 1, "dur": 5 * stretch, **host},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": ts + 2, "dur": 1, **host,
             "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", "pid": 0, "tid": 7,
             "ts": ts + 5, "dur": 5 * stretch,
             "args": {"correlation": i + 1, "device": 0, "stream": 7, "Collective name": "allreduce",
                      "In msg nelems": 64, "Out msg nelems": 64, "Group size": 2, "dtype": "Float", "Seq": i,
                      "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}}]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
                       "traceEvents": events}).encode()


def write_ranks(folder, ranks, steps, stretch):
    inner = os.path.join(folder, "ranks")
    os.mkdir(inner)
    for rank in range(ranks):
        save(inner, f"rank{rank}.json", rank_text(rank, ranks, steps, stretch))
    return inner


@kind
def ranks(n, folder, stretch):
    return write_ranks(folder, n, 1, stretch)


@kind
def ranks_of_steps(n, folder, stretch):
    m = max(1, math.isqrt(n))
    return write_ranks(folder, m, m, stretch)


@kind
def profiles_of_one_rank(n, folder, stretch):
    inner = os.path.join(folder, "spans")
    os.mkdir(inner)
    for i in range(n):
        save(inner, f"worker.{1700000000000 + i}.pt.trace.json", rank_text(0, 1, 1, stretch))
    return inner


@kind
def runs(n, folder, stretch):
    """A run each: see RUNS."""
    inner = os.path.join(folder, "runs")
    os.mkdir(inner)
    for i in range(n):
        save(inner, f"run{i}.json", rank_text(0, 1, 1, stretch * (1 + i % 7 / 64)))
    return inner


@kind
def ranks_of_axes(n, folder, stretch):
    """Four tensor parallel ranks a pipeline stage, as SGLang names their files."""
    inner = os.path.join(folder, "axes")
    os.mkdir(inner)
    for i in range(n):
        save(inner, f"1700000000.1-TP-{i % 4}-PP-{i // 4}.trace.json", rank_text(i, n, 1, stretch))
    return inner


@kind
def ranks_of_experts(n, folder, stretch):
    """m ranks, each with m kernels of experts and what was sent to them."""
    inner, m = os.path.join(folder, "experts"), max(2, math.isqrt(n))
    os.mkdir(inner)
    for rank in range(m):
        trace = json.loads(rank_text(rank, m, m, stretch))
        for i, event in enumerate(trace["traceEvents"]):
            if event["cat"] == "kernel" and i % 8 < 4:
                event["args"].update({"Collective name": "all_to_allv", "In split size": f"[{rank + i}, 7]", "Out split size": f"[7, {i}]"})
            elif event["cat"] == "kernel":
                event.update({"name": "fused_moe_kernel", "args": {"correlation": i // 4 + 1, "device": 0, "stream": 7}})
        save(inner, f"rank{rank}.json", json.dumps(trace).encode())
    return inner


def kernels_text(rank, world, steps, kernels):
    """A rank with steps (number, start, end) and kernels (start, end, and of collectives group, ranks and number)."""
    host, device = {"pid": 100, "tid": 100}, {"pid": 0, "tid": 7}
    events = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": ts, "dur": end - ts, **host}
              for number, ts, end in steps]
    for i, (ts, end, *of) in enumerate(kernels, 1):
        args, name = {"correlation": i, "device": 0, "stream": 7}, "gemm"
        if of:
            group, ranks, number = of
            name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)"
            args.update({"Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64, "Group size": len(ranks),
                         "dtype": "Float", "Seq": number, "Process Group Name": str(group), "Process Group Ranks": str(list(ranks))})
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": ts - 3, "dur": 1, **host, "args": {"correlation": i}},
                   {"ph": "X", "cat": "kernel", "name": name, "ts": ts, "dur": end - ts, **device, "args": args}]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
                       "traceEvents": events}).encode()


@kind
def ranks_in_a_line(n, folder, stretch):
    """m ranks, each of which comes late to the next one, as it waited for the one before: m * m / 2 causes."""
    inner, m = os.path.join(folder, "line"), max(2, math.isqrt(n))
    os.mkdir(inner)
    for rank in range(m):
        begin, end = 100 * rank + 50, 100 * rank + 148
        kernels = [(20, begin - 1, rank - 1, (rank - 1, rank), 1)] if rank else []
        kernels += [(begin, end)]
        kernels += [(end, end + 1, rank, (rank, rank + 1), 1)] if rank + 1 < m else []
        kernels = [(start * stretch, stop * stretch, *of) for start, stop, *of in kernels]
        save(inner, f"rank{rank}.json", kernels_text(rank, m, [(1, 0, 100 * m * stretch + 200)], kernels))
    return inner


def two_ranks(folder, make):
    """make(rank): steps and kernels."""
    inner = os.path.join(folder, "two")
    os.mkdir(inner)
    for rank in range(2):
        save(inner, f"rank{rank}.json", kernels_text(rank, 2, *make(rank)))
    return inner


def late_in_turn(n, rank, stretch, late, end):
    """Kernels of one of two ranks: n times work, and a collective to which they come late in turn."""
    for i in range(n):
        ts, come = 100 * i * stretch, (30 + late * ((i + rank) % 2)) * stretch
        yield ts + 10, ts + come
        yield ts + come, ts + end * stretch, 0, (0, 1), i


@kind
def collectives_of_a_step(n, folder, stretch):
    """Two ranks that come late in turn."""
    return two_ranks(folder, lambda rank: ([(1, 0, 100 * n * stretch)], late_in_turn(n, rank, stretch, 10, 90)))


@kind
def steps_of_one_rank_each(n, folder, stretch):
    """Two ranks that come late in turn, each in steps whose numbers the other one lacks."""
    return two_ranks(folder, lambda rank: ([(rank * n + i, 100 * i * stretch, (100 * i + 90) * stretch) for i in range(n)], late_in_turn(n, rank, stretch, 20, 80)))


@kind
def groups_of_sizes(n, folder, stretch):
    """Two ranks in n groups; each second one has up to 63 ranks more, which were not recorded."""
    def kernels(rank):
        for i in range(n):
            ts, come = 100 * i * stretch, (30 + 10 * ((i + rank) % 2)) * stretch
            yield ts + come, ts + 90 * stretch, i, (0, 1, *range(2, 2 + (i // 2 % 64) * (i % 2))), i
    return two_ranks(folder, lambda rank: ([], kernels(rank)))


def merge(folder, texts):
    """One file in which each process is of a rank."""
    events = []
    for i, text in enumerate(texts):
        for event in json.loads(text)["traceEvents"]:
            events.append({**event, "pid": f"[TP00-DP{i:02d}] {event['pid']}"})
    return save(folder, "merged.json", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())


@kind
def ranks_merged(n, folder, stretch):
    return merge(folder, (rank_text(i, n, 1, stretch) for i in range(n)))


@kind
def ranks_of_two_groups(n, folder, stretch):
    """Each rank has a group with the one before and one with the next."""
    def kernels(rank):
        for k in (rank - 1, rank):
            if 0 <= k < n - 1:
                yield (100 * k + 10 * (rank % 3)) * stretch, (100 * k + 90) * stretch, k, (k, k + 1), 0
    return merge(folder, (kernels_text(rank, n, [], kernels(rank)) for rank in range(n)))


@kind
def ranks_in_pairs(n, folder, stretch):
    """Each rank has a group with one other, and nothing ties their clocks to those of all others."""
    def kernels(rank):
        first = rank // 2 * 2
        for i in range(8):
            yield (100 * i + 10 * ((rank + i) % 3)) * stretch, (100 * i + 90) * stretch, first, (first, first + 1), i
    return merge(folder, (kernels_text(rank, n, [], kernels(rank)) for rank in range(n // 2 * 2)))


@kind
def names_of_graphs_of_profiles(n, folder, stretch):
    """Profiles, each of which captures a graph and replays it."""
    inner = os.path.join(folder, "spans")
    os.mkdir(inner)
    host = {"pid": 100, "tid": 100, "dur": 1}
    for i in range(n):
        calls = [("cudaStreamBeginCapture", 0), ("cudaLaunchKernel", 7), ("cudaStreamEndCapture", 0), ("cudaGraphLaunch", 8)]
        events = [{"ph": "X", "cat": "cuda_runtime", "name": name, "ts": 10 * j, **host, "args": {"correlation": correlation}}
                  for j, (name, correlation) in enumerate(calls)]
        events += [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 9, **host, "dur": 5},
                   {"ph": "X", "cat": "kernel", "name": "add_kernel", "pid": 0, "tid": 7, "ts": 50, "dur": 5 * stretch,
                    "args": {"correlation": 8, "device": 0, "stream": 7, "graph id": 1, "graph node id": 0}}]
        save(inner, f"worker.{1700000000000 + i}.pt.trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())
    return inner


@kind
def small_files(n, folder, stretch):
    """Folders of m files, of which one in eight is a trace and the others are of no format."""
    inner, m = os.path.join(folder, "files"), max(1, math.isqrt(n))
    for i in range(n):
        below = os.path.join(inner, f"folder{i // m}")
        os.makedirs(below, exist_ok=True)
        save(below, f"file{i}.json", rank_text(i // 8, n, 1, stretch) if i % 8 == 0 else b"not a trace\n")
    return inner


def archived(n, folder, stretch, name, opened, add):
    path = os.path.join(folder, name)
    with opened(path) as archive:
        for rank in range(n):
            trace = save(folder, "rank.json", rank_text(rank, n, 1, stretch))
            add(archive, trace, f"ranks/rank{rank}.json")
    return path


@kind
def members_of_a_tar(n, folder, stretch):
    return archived(n, folder, stretch, "a.tar", lambda path: tarfile.open(path, "w"), tarfile.TarFile.add)


@kind
def members_of_a_zip(n, folder, stretch):
    return archived(n, folder, stretch, "a.zip", lambda path: zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), zipfile.ZipFile.write)


@kind
def files_beside_names(n, folder, stretch):
    """Small files beside one with 64 names for each of them."""
    events = [{"ph": "X", "cat": "cpu_op", "name": f"name {i}", "pid": 1, "tid": 1, "ts": i * stretch, "dur": 1} for i in range(64 * n)]
    save(folder, "a.json", json.dumps({"traceEvents": events}).encode())
    for i in range(n):
        save(folder, f"file{i}.json", rank_text(i, n, 1, stretch))
    return folder


RUNS = ("runs",)  # of these each file is ingested as a run of its own
FOLDERS = ("ranks", "profiles_of_one_rank", "runs", "ranks_of_axes", "ranks_merged", "ranks_of_two_groups", "ranks_in_pairs",
           "names_of_graphs_of_profiles", "small_files", "files_beside_names", "listings_in_a_log", "members_of_a_tar", "members_of_a_zip",
           "reports_of_lightning")  # a file each


# Texts that no reader takes as they are; they are looked at several times, in search of a reading.

EVENT = '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}'


def damaged(unit):
    return lambda n, folder, stretch: save(folder, "trace.json", f'[{EVENT},{{"ph":"X",{unit * n},{EVENT}]'.encode())


for title, part in (("quotes_on_lines", '\n{"ph":\'a'), ("events_in_events", ',{"ph"z'), ("quotes_on_a_line", '"a'),
                    ("keys_without_end", ',{"x'), ("strings_without_end", '"name":"a"( ')):
    KINDS[title] = damaged(part)


@kind
def events_that_are_skipped(n, folder, stretch):
    bad = ",\n".join(f'{{"ph": "X", "name": "b{i}", "pid": 1, "tid": 1, "ts": "never", "dur": {i}}}' for i in range(n))
    return save(folder, "trace.json", f"[{EVENT},\n{bad}]".encode())


@kind
def nested_arguments(n, folder, stretch):
    return save(folder, "trace.json", f'[{EVENT[:-1]}, "args": {{"a": {"[" * n}{"]" * n}}}}}]'.encode())


# cProfile.

def dump(folder, stats):
    return save(folder, "a.prof", marshal.dumps(stats))


def function(i):
    return (f"/srv/module{i % 100}.py", i + 1, f"function_{i}")


def times(i, stretch):
    return (i % 7 + 1, i % 7 + 1, 1e-3 * stretch * (i % 11 + 1), 2e-3 * stretch * (i % 11 + 1))


@kind
def functions(n, folder, stretch):
    return dump(folder, {function(i): (*times(i, stretch), {}) for i in range(n)})


@kind
def callers_of_a_function(n, folder, stretch):
    stats = {function(i): (*times(i, stretch), {}) for i in range(1, n)}
    stats[function(0)] = (n, n, 1.0, 1.0, {function(i): times(i, stretch) for i in range(1, n)})
    return dump(folder, stats)


@kind
def callees_of_a_function(n, folder, stretch):
    stats = {function(i): (*times(i, stretch), {function(0): times(i, stretch)}) for i in range(1, n)}
    stats[function(0)] = (1, 1, 1.0, 9.0, {})
    return dump(folder, stats)


@kind
def chain_of_functions(n, folder, stretch):
    return dump(folder, {function(i): (1, 1, 1e-3, 1e-3 * (n - i) * stretch, {function(i - 1): (1, 1, 1e-3, 1e-3 * (n - i))} if i else {})
                         for i in range(n)})


@kind
def ring_of_functions(n, folder, stretch):
    return dump(folder, {function(i): (2, 1, 1e-3, 1.0 * stretch, {function((i - 1) % n): (2, 1, 1e-3, 1.0 * stretch)})
                         for i in range(n)})


@kind
def calls_to_and_fro(n, folder, stretch):
    """Each function calls the one before and the one after."""
    return dump(folder, {function(i): (2, 1, 1e-3, 1.0 * stretch, {function(j): (1, 1, 1e-3, 1.0) for j in (i - 1, i + 1) if 0 <= j < n})
                         for i in range(n)})


@kind
def all_call_all(n, folder, stretch):
    m = max(2, math.isqrt(n))
    return dump(folder, {function(i): (m, 1, 1e-3, 1.0 * stretch, {function(j): (1, 1, 1e-3, 1.0) for j in range(m)})
                         for i in range(m)})


@kind
def functions_that_recurse(n, folder, stretch):
    return dump(folder, {function(i): (2, 1, 1e-3, 1.0 * stretch, {function(i): (2, 1, 1e-3, 1.0 * stretch)}) for i in range(n)})


@kind
def same_function_in_folders(n, folder, stretch):
    return dump(folder, {(f"/srv/{i}/module.py", 1, "f"): (*times(i, stretch), {(f"/srv/{i - 1}/module.py", 1, "f"): times(i, stretch)})
                         for i in range(n)})


def listing(n, stretch):
    lines = [f"{1:9d} {0.001 * stretch:8.3f} {0.001:8.3f} {0.002 * stretch:8.3f} {0.002:8.3f} module{i % 100}.py:{i + 1}(function_{i})" for i in range(n)]
    return (f"         {n} function calls in {n * 0.001:.3f} seconds\n\n   Ordered by: standard name\n\n"
            "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n" + "\n".join(lines) + "\n\n\n")


@kind
def listing_of_pstats(n, folder, stretch):
    return save(folder, "a.txt", listing(n, stretch).encode())


@kind
def listings_in_a_log(n, folder, stretch):
    """A profile each, all of one name."""
    return save(folder, "a.log", "".join(f"epoch {i}\n{listing(2, stretch)}" for i in range(n)).encode())


def long_text(n):
    """A text that is shared by n, and costs nothing but what each does with it."""
    return "x" * 64 * n


def reference(number):
    return b"r" + number.to_bytes(4, "little")


def shared(data):
    """An object that later ones refer to, by its number among those."""
    return bytes([data[0] | 0x80]) + data[1:]


def shared_calls(folder, n, value, key=shared(marshal.dumps(("a.py", 1, "g"), 2)), stretch=1):
    """A function that one caller called n times; callers and what they have are references from the second on."""
    times = marshal.dumps((1, 1, 1.0 * stretch, 1.0 * stretch), 2)[5:]
    calls = key + shared(value) + (reference(0) + reference(1)) * n
    return save(folder, "a.prof", b"{" + marshal.dumps(("a.py", 1, "f"), 2) + b"(\5\0\0\0" + times + b"{" + calls + b"00")


def long_integer(digits):
    """Of so many digits of 15 bits."""
    return b"l" + digits.to_bytes(4, "little") + b"\1\0" * digits


@kind
def callers_of_a_long_integer(n, folder, stretch):
    """The time that all have is a number of 32 n digits."""
    return shared_calls(folder, n, b"(\4\0\0\0" + marshal.dumps(1, 2) * 2 + long_integer(32 * n) + marshal.dumps(1.0, 2), stretch=stretch)


# No kinds: tables have the name n times.

def callers_of_a_long_name(n, folder, stretch):
    """n functions that one dict of callers is of, whose one key has a long name."""
    callers = shared(b"{" + marshal.dumps((long_text(n), 1, "g"), 2) + marshal.dumps((1, 1, 1.0, 1.0), 2) + b"0")
    times = marshal.dumps((1, 1, 1.0 * stretch, 1.0 * stretch), 2)[5:]
    rows = (marshal.dumps(("a.py", i, "f"), 2) + b"(\5\0\0\0" + times + (reference(0) if i else callers) for i in range(n))
    return save(folder, "a.prof", b"{" + b"".join(rows) + b"0")


def functions_of_a_file_of_lprof(n, folder, stretch):
    """Of a long name."""
    text = lambda t: b"X" + len(t).to_bytes(4, "little") + t  # noqa: E731
    keys = b"".join(b"h\1J" + i.to_bytes(4, "little") + b"h\2\x87](K\5K\1K" + bytes([round(7 * stretch) % 256]) + b"\x87e" for i in range(n))
    return save(folder, "a.lprof", b"\x80\2cline_profiler._line_profiler\nLineStats\n)\x81}(" + text(b"timings") + b"}(" +
                text(long_text(n).encode()) + b"q\1K\1" + text(b"f") + b"q\2\x87]" + keys + b"u" + text(b"unit") + b"G>\xb0\xc6\xf7\xa0\xb5\xed\x8dub.")


def modules_of_a_long_one(n, folder, stretch):
    """What -X importtime prints of n that one imports."""
    lines = ["import time: self [us] | cumulative | imported package", *(f"import time: {round(16 * stretch)} | {round(16 * stretch)} |   m{i}" for i in range(n)),
             f"import time: 1 | {round(16 * stretch) * n} | {long_text(n)}"]
    return save(folder, "a.txt", "\n".join(lines).encode() + b"\n")


# Torch's memory files.

def frames(i, deep=2):
    return [{"filename": f"m{i % 100}.py", "line": i + j + 1, "name": f"f{j}"} for j in range(deep)]


def snapshot(folder, segments, traces):
    return save(folder, "a.pickle", pickle.dumps({"segments": segments, "device_traces": traces}, protocol=4))


def segment(i, blocks, device=0):
    return {"device": device, "address": (1 << 44) + i * SEGMENT, "total_size": SEGMENT, "stream": 0, "segment_type": "small",
            "allocated_size": 512 * len(blocks), "active_size": 512 * len(blocks), "blocks": blocks}


def part(j, i=0):
    return {"size": 512, "requested_size": 500, "state": "active_allocated", "address": (1 << 44) + i * SEGMENT + 512 * j,
            "frames": frames(j)}


def entry(i, action, address, stack=None, stretch=1, **more):
    return {"action": action, "addr": (1 << 44) + 512 * address, "size": 512, "stream": 0, "time_us": 10 ** 15 + 10 * i * stretch,
            "frames": frames(i) if stack is None else stack, **more}


@kind
def segments_of_a_snapshot(n, folder, stretch):
    trace = [entry(i, "segment_alloc", i, stretch=stretch) for i in range(n)]
    return snapshot(folder, [segment(i, [part(0, i)]) for i in range(n)], [trace])


@kind
def blocks_of_a_segment(n, folder, stretch):
    return snapshot(folder, [segment(0, [part(j) for j in range(n)])], [[entry(j, "alloc", j, stretch=stretch) for j in range(n)]])


@kind
def allocations_of_a_snapshot(n, folder, stretch):
    trace = [entry(i, ("alloc", "free_requested", "free_completed")[i % 3], i // 3 % 100, stretch=stretch) for i in range(3 * n)]
    return snapshot(folder, [segment(0, [])], [trace])


@kind
def stacks_of_a_snapshot(n, folder, stretch):
    """Each entry has a stack of its own; m of m frames."""
    m = max(1, math.isqrt(n))
    return snapshot(folder, [segment(0, [])], [[entry(i, "alloc", i, frames(i, m), stretch) for i in range(m)]])


@kind
def deep_stack_of_a_snapshot(n, folder, stretch):
    stack = frames(0, n)
    return snapshot(folder, [segment(0, [])], [[entry(i, "alloc", i, stack, stretch) for i in range(n)]])


@kind
def devices_of_a_snapshot(n, folder, stretch):
    """As many devices as a machine may have, in turn."""
    m = min(n, 64)
    return snapshot(folder, [segment(i, [part(0, i)], device=i % m) for i in range(n)],
                    [[entry(i, "alloc", i, stretch=stretch) for i in range(j, n, m)] for j in range(m)])


@kind
def entries_of_an_action(n, folder, stretch):
    """Of a long name that nobody knows."""
    action = long_text(n)
    trace = [entry(0, "alloc", 0), *(entry(i, action, i, [], stretch) for i in range(1, n))]
    return snapshot(folder, [segment(0, [])], [trace])


@kind
def timeline(n, folder, stretch):
    events = [[10 ** 18 + 1000 * i * stretch, 2 if i % 2 == 0 else 4, 512 if i % 2 == 0 else -512, i // 2 % 8] for i in range(2 * n)]
    return save(folder, "a.raw.json", json.dumps(events).encode())


@kind
def calls_of_mprof(n, folder, stretch):
    """A sample and a call at each moment."""
    at = [f"{1700000000 + i * stretch / 100:.4f}" for i in range(n + 1)]
    lines = [f"MEM {10 + i % 97}.5 {at[i]}\n" for i in range(n)] + [f"FUNC m.f{i % 9} 1.5 {at[i]} 2.5 {at[i + 1]} 0\n" for i in range(n)]
    return save(folder, "mprofile_1.dat", "".join(["CMDLINE a\n", *lines]).encode())


@kind
def children_of_mprof(n, folder, stretch):
    """Each child is sampled once; m of them at a time."""
    m = max(1, math.isqrt(n))
    lines = [f"CHLD {i} 5.5 {1700000000 + i // m * stretch / 100:.4f}\n" for i in range(n)]
    for i in range(0, n, m):
        lines[i] = f"MEM 10.5 {1700000000 + i // m * stretch / 100:.4f}\n{lines[i]}"
    return save(folder, "mprofile_1.dat", "".join(["CMDLINE a\n", *lines]).encode())
