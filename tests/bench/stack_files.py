"""stack_files.py: files of sampling and line profilers with n of something; as other_files.py has them."""
import json
import marshal
import math
import os
import struct

from other_files import save

KINDS = {}


def kind(make):
    KINDS[make.__name__] = make
    return make


# Sampled stacks.

def speedscope(folder, frames, profiles):
    file = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f"f{i}"} for i in range(frames)]},
            "profiles": profiles}
    return save(folder, "a.speedscope.json", json.dumps(file).encode())


def sampled(name, samples, stretch):
    return {"type": "sampled", "name": name, "unit": "nanoseconds", "startValue": 0, "endValue": len(samples) * stretch,
            "samples": samples, "weights": [stretch] * len(samples)}


@kind
def samples_of_a_thread(n, folder, stretch):
    """A sample each, of m stacks of which each goes on where another ends."""
    m = max(1, math.isqrt(n))
    return speedscope(folder, 64, [sampled("all", [[j for j in range(i % m + 1) if j < 64] for i in range(n)], stretch)])


@kind
def series_of_samples(n, folder, stretch):
    return speedscope(folder, 64, [sampled(f"Thread {i} \"t{i}\"", [[0, i % 63 + 1]], stretch) for i in range(n)])


@kind
def deep_events_of_samples(n, folder, stretch):
    """n functions open, one within the other, and close."""
    events = [{"type": "O", "frame": i, "at": i * stretch} for i in range(n)]
    events += [{"type": "C", "frame": n - 1 - i, "at": (n + i) * stretch} for i in range(n)]
    return speedscope(folder, n, [{"type": "evented", "name": "all", "unit": "nanoseconds", "startValue": 0, "endValue": 2 * n * stretch,
                                   "events": events}])


@kind
def stacks_of_threads(n, folder, stretch):
    """A thread each, with functions of its own below one that all have."""
    lines = [f"thread ({i}): t{i};main (a.py:1);{';'.join(f'f{i}_{j} (b.py:{j + 1})' for j in range(8))} {stretch}" for i in range(n)]
    return save(folder, "a.collapsed", "\n".join(lines + [""]).encode())


@kind
def deep_stack_of_samples(n, folder, stretch):
    return save(folder, "a.collapsed", f"{';'.join(f'f{i}' for i in range(n))} {stretch}\n".encode())


def script(i):
    return {"functionName": f"f{i}", "scriptId": "1", "url": "a.js", "lineNumber": i, "columnNumber": 0}


@kind
def deep_tree_of_samples(n, folder, stretch):
    """Node's tree: each function calls the next, and was sampled itself."""
    nodes = [{"id": i + 1, "callFrame": script(i), "hitCount": 1, "children": [i + 2] if i + 1 < n else []} for i in range(n)]
    file = {"nodes": nodes, "startTime": 0, "endTime": round(1000 * n * stretch), "samples": list(range(1, n + 1)), "timeDeltas": [round(1000 * stretch)] * n}
    return save(folder, "a.cpuprofile", json.dumps(file).encode())


@kind
def wide_tree_of_samples(n, folder, stretch):
    nodes = [{"id": 1, "callFrame": script(0), "hitCount": 0, "children": list(range(2, n + 2))}]
    nodes += [{"id": i + 2, "callFrame": script(i + 1), "hitCount": 1} for i in range(n)]
    file = {"nodes": nodes, "startTime": 0, "endTime": round(1000 * n * stretch), "samples": list(range(2, n + 2)), "timeDeltas": [round(1000 * stretch)] * n}
    return save(folder, "a.cpuprofile", json.dumps(file).encode())


@kind
def deep_table_of_stacks(n, folder, stretch):
    """Firefox's: each stack is one before it and a function more, and was sampled itself."""
    count = list(range(n))
    thread = {"name": "a", "pid": "1", "tid": 1, "isMainThread": True, "processType": "default",
              "markers": {"length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": []},
              "stackTable": {"length": n, "prefix": [None, *count[:-1]], "frame": count},
              "frameTable": {"length": n, "address": [-1] * n, "inlineDepth": [0] * n, "category": [0] * n, "func": count,
                             "line": [None] * n, "column": [None] * n},
              "funcTable": {"length": n, "name": count, "isJS": [False] * n, "resource": [-1] * n,
                            "fileName": [None] * n, "lineNumber": [None] * n, "columnNumber": [None] * n},
              "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []}, "nativeSymbols": {"length": 0},
              "samples": {"length": n, "stack": count, "timeDeltas": [stretch] * n, "weight": None, "weightType": "samples"},
              "stringArray": [f"f{i}" for i in range(n)]}
    meta = {"interval": 1, "startTime": 0, "preprocessedProfileVersion": 47, "version": 27, "product": "a", "processType": 0,
            "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}]}
    return save(folder, "a.json", json.dumps({"meta": meta, "libs": [], "threads": [thread]}).encode())


# pprof's messages.

def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    """Of a number, or of bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


def pprof(folder, *parts, texts=(b"f",)):
    """texts are the strings from number 3 on."""
    return save(folder, "a.pb", b"".join([field(1, field(1, 1) + field(2, 2)), *parts, *(field(6, text) for text in (b"", b"samples", b"count", *texts))]))


def lines_of_a_location(n):
    return field(4, field(1, 1) + b"".join(field(4, field(1, 1) + field(2, i + 1)) for i in range(n)))


@kind
def fields_of_a_function_of_pprof(n, folder, stretch):
    """Which nobody reads; n lines that ran are of it."""
    return pprof(folder, field(5, field(1, 1) + field(2, 3) + field(3, 0) * n), lines_of_a_location(n),
                 field(2, packed(1, [1]) + packed(2, [round(16 * stretch)])))


@kind
def fields_of_a_mapping_of_pprof(n, folder, stretch):
    """Likewise, with n addresses in it, each sampled."""
    return pprof(folder, field(3, field(1, 1) + field(5, 3) + field(4, 0) * n),
                 *(field(4, field(1, i + 1) + field(2, 1) + field(3, i)) for i in range(n)),
                 *(field(2, packed(1, [i + 1]) + packed(2, [round(16 * stretch)])) for i in range(n)))


@kind
def samples_of_inlined_calls(n, folder, stretch):
    """Each of the same n calls."""
    return pprof(folder, field(5, field(1, 1) + field(2, 3)), lines_of_a_location(n),
                 field(2, packed(1, [1]) + packed(2, [round(16 * stretch)])) * n)


@kind
def functions_of_a_name_of_pprof(n, folder, stretch):
    """Of 16 n bytes; each is sampled, and they are one function."""
    return pprof(folder, *(field(5, field(1, i + 1) + field(2, 3)) for i in range(n)),
                 *(field(4, field(1, i + 1) + field(4, field(1, i + 1))) for i in range(n)),
                 *(field(2, packed(1, [i + 1]) + packed(2, [round(16 * stretch)])) for i in range(n)), texts=(b"x" * 16 * n,))


@kind
def samples_of_a_label_of_pprof(n, folder, stretch):
    """The name of a thread, likewise long."""
    return pprof(folder, field(5, field(1, 1) + field(2, 3)), lines_of_a_location(1),
                 field(2, packed(1, [1]) + packed(2, [round(16 * stretch)]) + field(3, field(1, 4) + field(2, 5))) * n,
                 texts=(b"f", b"thread", b"x" * 16 * n))


# Of a function with a name of 20 n bytes, which not each row may have for itself: tests/robust/check_linear.py.

LONG_FUNCTION = field(5, field(1, 1) + field(2, 4))


def sampled_at(*locations):
    return field(2, packed(1, locations) + packed(2, [1]))


def location(number, function, line):
    return field(4, field(1, number) + field(4, field(1, function) + field(2, line)))


def lines_of_a_long_name(n, folder, _stretch=1):
    return pprof(folder, LONG_FUNCTION, *(location(i + 1, 1, i + 1) + sampled_at(i + 1) for i in range(n)), texts=(b"thread", b"x" * 20 * n))


def threads_of_a_long_name(n, folder, _stretch=1):
    return pprof(folder, LONG_FUNCTION, location(1, 1, 1),
                 *(field(2, packed(1, [1]) + packed(2, [1]) + field(3, field(1, 3) + field(2, i + 5))) for i in range(n)),
                 texts=(b"thread", b"x" * 20 * n, *(b"t%d" % i for i in range(n))))


def stacks_of_a_long_name(n, folder, _stretch=1):
    """It calls n others."""
    return pprof(folder, LONG_FUNCTION, location(1, 1, 1),
                 *(field(5, field(1, i + 2) + field(2, i + 5)) + location(i + 2, i + 2, 1) + sampled_at(i + 2, 1) for i in range(n)),
                 texts=(b"thread", b"x" * 20 * n, *(b"g%d" % i for i in range(n))))


def calls_of_a_long_name(n, folder, _stretch=1):
    """A dump of cProfile; it is called by n others."""
    name = ("/a.py", 1, "x" * 20 * n)
    others = [("/a.py", i + 2, f"g{i}") for i in range(n)]
    return save(folder, "a.prof", marshal.dumps({name: (1, 1, 0.1, 5.0, {}), **{other: (1, 1, 0.001, 0.002, {name: (1, 1, 0.001, 0.002)}) for other in others}}))


def firefox(folder, n, names, strings, stretch, **frames):
    """A thread of n stacks of one frame, each sampled."""
    thread = {"name": "a", "pid": "1", "tid": 1, "stackTable": {"length": n, "prefix": [None] * n, "frame": list(range(n))},
              "frameTable": {"length": n, "line": [None] * n, **frames},
              "funcTable": {"length": n, "name": names, "fileName": [1] * len(names), "lineNumber": [1] * n, "resource": [-1] * n},
              "samples": {"length": n, "stack": list(range(n)), "timeDeltas": [stretch] * n}, "stringArray": strings}
    meta = {"interval": 1, "startTime": 0, "preprocessedProfileVersion": 47}
    return save(folder, "a.json", json.dumps({"meta": meta, "libs": [], "threads": [thread]}).encode())


# No kinds: to list all n samples as JSON takes n times these bytes.

def functions_of_a_file_of_firefox(n, folder, stretch):
    """Whose name has 16 n bytes, the first of them escaped."""
    return firefox(folder, n, [0] * n, ["f", "\n" + "x" * 16 * n], stretch, func=list(range(n)))


def frames_of_a_location_of_firefox(n, folder, stretch):
    """Which has as many bytes."""
    return firefox(folder, n, [], ["f (\n" + "x" * 16 * n + ":3)"], stretch, location=[0] * n)


@kind
def comments_of_pprof(n, folder, stretch):
    """Of one text of 16 n bytes."""
    return pprof(folder, field(5, field(1, 1) + field(2, 3)), lines_of_a_location(1), field(2, packed(1, [1]) + packed(2, [round(16 * stretch)])),
                 field(13, 4) * n, texts=(b"f", b"x" * 16 * n))


def pyinstrument_frame(i, children):
    return (f'{{"function": "f{i}", "file_path_short": "a.py", "file_path": "/a.py", "line_no": {i + 1}, "time": 0.5, "await_time": 0.0, '
            f'"is_application_code": true, "children": [{children}')


@kind
def deep_tree_of_pyinstrument(n, folder, stretch):
    head = {"start_time": 1.7e9, "duration": 0.5 * stretch, "sample_count": n, "target_description": "a", "cpu_time": 0.1}
    tree = "".join(pyinstrument_frame(i, "") for i in range(n)) + "]}" * n
    return save(folder, "a.json", (json.dumps(head)[:-1] + ', "root_frame": ' + tree + "}").encode())


# Lines.

def line_report(i, lines, stretch):
    rows = "".join(f"{j + 1:6d}{1:10d}{stretch:13.1f}{stretch:9.1f}{0.1:9.1f}  x = {j}\n" for j in range(1, lines))
    return (f"Total time: {lines * stretch * 1e-6:g} s\nFile: a{i}.py\nFunction: f{i} at line 1\n\n"
            "Line #      Hits         Time  Per Hit   % Time  Line Contents\n" + "=" * 62 + "\n"
            + " " * 5 + "1" + " " * 43 + f"def f{i}():\n" + rows + "\n")


@kind
def lines_of_a_function(n, folder, stretch):
    return save(folder, "a.txt", ("Timer unit: 1e-06 s\n\n" + line_report(0, n + 1, stretch)).encode())


@kind
def functions_with_lines(n, folder, stretch):
    return save(folder, "a.txt", ("Timer unit: 1e-06 s\n\n" + "".join(line_report(i, 3, stretch) for i in range(n))).encode())


def pickled(text):
    return b"X" + len(text).to_bytes(4, "little") + text.encode()


def line_dump(folder, n, source, stretch=1, last=None):
    """line_profiler's, of functions that begin at lines 1, 3 and so on, or 1, 2 and so on where the last is told."""
    path = b"cline_profiler._line_profiler\nLineStats\n)\x81}("
    functions = b"".join(b"%s%s%s\x87](%s%s%s\x87e" % (
        pickled(source), pickled_int(i + 1 if last else 2 * i + 1), pickled(f"f{i}"),
        pickled_int(last or 2 * i + 2), pickled_int(5), pickled_int(int(100 * stretch) + i)) for i in range(n))
    return save(folder, "a.lprof", b"\x80\x02" + path + pickled("timings") + b"}(" + functions + b"u" + pickled("unit") + b"G" +
                struct.pack(">d", 1e-6) + b"ub.")


def pickled_int(value):
    return b"J" + value.to_bytes(4, "little")


@kind
def functions_of_a_source_file(n, folder, stretch):
    source = save(folder, "a.py", b"".join(b"def f%d():\n    return %d\n" % (i, i) for i in range(n)))
    return line_dump(folder, n, os.path.abspath(source), stretch)


@kind
def runs_of_mprof(n, folder, stretch):
    """A run each, in one file."""
    lines = "".join(f"CMDLINE a\nMEM 10.5 {1700000000 + i}.1\nMEM 11.5 {1700000000 + i}.{stretch:.0f}5\n" for i in range(n))
    return save(folder, "mprofile_1.dat", lines.encode())
