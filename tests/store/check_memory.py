#!/usr/bin/env python3
"""Ingest stays within 64 MiB + the bytes of each event + the distinct text.  timeout: 300 s

Traces of a million events, each of one kind or as a training has them, and smaller ones
of dear kinds, are written into a pipe while ptool reads them; the peak is the resident
size that the kernel tells of the finished process.  An event is an object of the list,
both ends of an arrow and samples of counters too, and takes 64 bytes, or what
ptool-ingest(1) tells of its kind; text is what the store holds of it, args included.
"""
import os
import sqlite3
import subprocess
import tempfile
import threading

from storetap import PTOOL, Tap

EVENTS = 1_000_000
CHUNK = 20_000  # events that are written at once
FIXED = 64 << 20
PER_EVENT = 64

TORCH_HEAD = '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A GPU"}], "traceEvents": [\n'
TEXT_SIZE = """SELECT (SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM string) +
               (SELECT coalesce(sum(length(CAST(args AS BLOB))), 0) FROM slice_args)"""


def complete(i):
    return f'{{"ph":"X","name":"call {i % 50}","cat":"c","pid":1,"tid":{i % 4},"ts":{i * 10}.{i % 1000:03},"dur":7.5}}'


def begin_and_end(i):
    return (f'{{"ph":"B","name":"f{i % 70}","pid":1,"tid":1,"ts":{i}}}' if i % 4 < 2 else
            f'{{"ph":"E","pid":1,"tid":1,"ts":{i}}}')


def operator(i):
    return (f'{{"ph":"X","cat":"cpu_op","name":"aten::op{i % 90}","pid":9,"tid":{i % 2},"ts":{i * 10}.001,"dur":'
            f'{25 if i % 3 else 9}.5,"args":{{"External id":{i},"Sequence number":{i // 3},"Fwd thread id":0,'
            f'"Input Dims":[[{i % 64},8],[]]}}}}')


def frame(i):
    return (f'{{"ph":"X","cat":"python_function","name":"m.py({i % 90}): f","pid":9,"tid":1,"ts":{i * 2},"dur":'
            f'{90 if i % 5 == 0 else 1},"args":{{"Python id":{i},"Python parent id":{i - i % 5}}}}}')


def memory(i):
    size = (i % 500 + 1) * 512 * (-1 if i % 2 else 1)
    return (f'{{"ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","pid":9,"tid":1,"ts":{i * 10}.5,'
            f'"args":{{"Total Allocated":{5 * 10**9 + i},"Total Reserved":{6 * 10**9},"Device Id":0,"Device Type":1,'
            f'"Bytes":{size},"Addr":{139_000_000_000_000 + i * 512},"Ev Idx":{i}}}}}')


def training(i):
    """An operator, its launch, the kernel and the arrow between them, and an allocation now and then."""
    n, part = divmod(i, 6)
    at = n * 50
    if part == 0:
        return operator(n * 5)
    if part == 1:
        return (f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":0,"ts":{at + 2}.25,"dur":4.5,'
                f'"args":{{"cbid":211,"External id":{n * 5},"correlation":{n}}}}}')
    if part == 2:
        return (f'{{"ph":"X","cat":"kernel","name":"kernel{n % 40}","pid":0,"tid":7,"ts":{at + 9}.125,"dur":30.75,'
                f'"args":{{"External id":{n * 5},"queued":0,"device":0,"context":1,"stream":7,"correlation":{n},'
                f'"registers per thread":32,"shared memory":0,"blocks per SM":{n % 30}.5,"warps per SM":8,'
                f'"grid":[{n % 300 + 1},1,1],"block":[128,1,1],"est. achieved occupancy %":50}}}}')
    if part == 3:
        return f'{{"ph":"s","id":{n},"pid":9,"tid":0,"ts":{at + 2}.25,"cat":"ac2g","name":"ac2g"}}'
    if part == 4:
        return f'{{"ph":"f","id":{n},"pid":0,"tid":7,"ts":{at + 9}.125,"cat":"ac2g","name":"ac2g","bp":"e"}}'
    return memory(n * 5)


def counter(i):
    return f'{{"ph":"C","name":"bytes","pid":1,"ts":{i},"args":{{"used":{i * 3.5}}}}}'


def with_args(i):
    return (f'{{"ph":"X","name":"call {i % 50}","pid":1,"tid":1,"ts":{i * 10},"dur":5,'
            f'"args":{{"url":"/path/{i}","bytes":{i * 7},"ok":true}}}}')


def step(i):
    """A step with an operator, its launch and a kernel."""
    n, part = divmod(i, 4)
    at = n * 100
    if part == 0:
        return f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{n}","pid":9,"tid":1,"ts":{at},"dur":98.5}}'
    if part == 1:
        return f'{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":1,"ts":{at + 1},"dur":20}}'
    if part == 2:
        return (f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":{at + 2},"dur":5,'
                f'"args":{{"correlation":{n}}}}}')
    return (f'{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{at + 30},"dur":40,'
            f'"args":{{"device":0,"stream":7,"correlation":{n}}}}}')


def process(i):
    return f'{{"ph":"X","name":"a","pid":{i},"tid":{i},"ts":{i},"dur":1}}'


def open_for_ever(i):
    return f'{{"ph":"b","cat":"c","id":{i},"name":"a","pid":1,"tid":1,"ts":{i}}}'


def collective(i):
    return (f'{{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":7,"ts":{i * 10},'
            f'"dur":5,"args":{{"device":0,"stream":7,"correlation":{i},"Collective name":"allreduce",'
            f'"In msg nelems":{i % 9000},"Out msg nelems":{i % 9000},"Group size":8,"dtype":"Float",'
            f'"Process Group Name":"0"}}}}')


# name, event, head, options, share of the events that is enough to tell, bytes of an event
SHAPES = [
    ("complete events", complete, "[", [], 1, PER_EVENT),
    ("begins and ends", begin_and_end, "[", [], 1, PER_EVENT),
    ("operators", operator, TORCH_HEAD, [], 1, PER_EVENT),
    ("Python frames", frame, TORCH_HEAD, [], 1, PER_EVENT),
    ("a training with kernels, arrows and memory", training, TORCH_HEAD, [], 1, PER_EVENT),
    ("memory events", memory, TORCH_HEAD, [], 1.5, PER_EVENT),
    ("counters", counter, "[", [], 1, PER_EVENT),
    ("args that are kept", with_args, "[", ["--keep", "args"], 0.5, PER_EVENT),
    ("steps with work", step, TORCH_HEAD, [], 0.2, (1800 + 2 * PER_EVENT + 110) // 4),
    ("threads of processes of their own", process, "[", [], 0.2, 450),
    ("asynchronous events without an end", open_for_ever, "[", [], 0.2, 230),
    ("collectives", collective, TORCH_HEAD, [], 0.3, 230),
]


def write(pipe, shape, count):
    event, head = shape[1:3]
    try:
        with pipe:
            pipe.write(head.encode())
            for first in range(0, count, CHUNK):
                numbers = range(first, min(first + CHUNK, count))
                pipe.write(((",\n" if first else "") + ",\n".join(map(event, numbers))).encode())
            pipe.write(b"]" if head == "[" else b"]}")
    except BrokenPipeError:
        pass  # its exit status says why


def ingest(shape, count, store):
    """(exit status, peak bytes)"""
    with subprocess.Popen([PTOOL, "ingest", "-q", *shape[3], "-o", store, "-"], stdin=subprocess.PIPE) as child:
        writer = threading.Thread(target=write, args=(child.stdin, shape, count))
        writer.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        writer.join()
    return child.returncode, usage.ru_maxrss * 1024


def check(tap, shape):
    name, count, each = shape[0], int(EVENTS * shape[4]), shape[5]
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store.db")
        status, peak = ingest(shape, count, store)
        if status:
            tap.ok(False, name, f"exit {status}")
            return
        db = sqlite3.connect(store)
        text = db.execute(TEXT_SIZE).fetchone()[0]
        db.close()
    allowed = FIXED + each * count + text
    tap.ok(peak <= allowed, f"{name} stay within 64 MiB + {each} bytes an event + the text",
           f"peak {peak:,} bytes, allowed {allowed:,}: {count:,} events, {text:,} bytes of text")
    if os.environ.get("VERBOSE"):
        print(f"# {name}: peak {peak:,} of {allowed:,}")


def main():
    tap = Tap()
    for shape in SHAPES:
        if os.environ.get("SAN") or os.environ.get("VALGRIND"):
            tap.skip(shape[0], "the tool takes memory of its own")
        else:
            check(tap, shape)
    tap.done()


if __name__ == "__main__":
    main()
