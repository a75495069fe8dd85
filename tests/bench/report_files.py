"""report_files.py: files of other programs than torch with n of something; as other_files.py has them.

`READ_AS` says for each what its profile must be, so that none is measured as something else.
"""
import json
import marshal
import math
import os

from other_files import function, save

KINDS = {}
READ_AS = {}  # by kind: the format, the dialect, and a command that has an answer


def kind(*read_as):
    def add(make):
        KINDS[make.__name__] = make
        READ_AS[make.__name__] = read_as
        return make
    return add


# Scalene.

def scalene(folder, files, stretch):
    """Files as (name, number of functions), each of two lines."""
    total = sum(functions for _, functions in files)

    def share(name, number):
        return {"line": name, "lineno": number, "memory_samples": [], "n_cpu_percent_python": 50 / total, "n_cpu_percent_c": 10 / total,
                "n_sys_percent": 1 / total, "n_peak_mb": 1.5, "n_malloc_mb": 1.5, "n_usage_fraction": 1 / total}

    def lines(i):
        yield {**share(f"def f{i}():\n", 2 * i + 1), "start_region_line": 2 * i + 1, "end_region_line": 2 * i + 2}
        yield {**share(f"    return {i}\n", 2 * i + 2), "start_region_line": 2 * i + 1, "end_region_line": 2 * i + 2}
    listed = {name: {"functions": [share(f"f{i}", 2 * i + 1) for i in range(n)], "imports": [], "leaks": {},
                     "lines": [line for i in range(n) for line in lines(i)], "percent_cpu_time": 100 * n / total} for name, n in files}
    return save(folder, "a.json", json.dumps({"alloc_samples": total, "elapsed_time_sec": 2.0 * stretch, "files": listed, "gpu": False, "growth_rate": 0,
                                              "max_footprint_mb": 50.5, "memory": True, "program": "a.py", "samples": []}).encode())


@kind("scalene", None, "lines")
def functions_of_scalene(n, folder, stretch):
    return scalene(folder, [("a.py", n)], stretch)


@kind("scalene", None, "lines")
def files_of_scalene(n, folder, stretch):
    return scalene(folder, [(f"m{i}.py", 1) for i in range(n)], stretch)


# py-spy's chrometrace.

def pyspy(folder, events):
    return save(folder, "a.json", json.dumps([{"args": {"filename": "/a.py", "line": len(name)}, "cat": "py-spy", "name": name, "ph": ph,
                                               "pid": 1, "tid": tid, "ts": ts} for ph, name, tid, ts in events]).encode())


@kind("samples", "py-spy", "flame")
def ticks_of_chrometrace(n, folder, stretch):
    """At each a function ends and one more begins, below up to 64 that stay."""
    def events():
        stack = []
        for i in range(n):
            ts = round(10000 * i * stretch)
            if stack:
                yield "E", stack.pop(), 1, ts
            while len(stack) > i % 64:
                yield "E", stack.pop(), 1, ts
            for j in range(len(stack), i % 64 + 1):
                stack.append(f"f{j}" if j < i % 64 else f"leaf{i % 1000}")
                yield "B", stack[-1], 1, ts
        for name in reversed(stack):
            yield "E", name, 1, round(10000 * n * stretch)
    return pyspy(folder, events())


@kind("samples", "py-spy", "flame")
def deep_stack_of_chrometrace(n, folder, stretch):
    return pyspy(folder, [*(("B", f"f{i}", 1, round(100 * i * stretch)) for i in range(n)),
                          *(("E", f"f{n - 1 - i}", 1, round(100 * (n + i) * stretch)) for i in range(n))])


@kind("samples", "py-spy", "flame")
def threads_of_chrometrace(n, folder, stretch):
    return pyspy(folder, [(ph, name, i + 1, ts) for ph, ts in (("B", 0), ("E", round(10000 * stretch)))
                          for i in range(n) for name in (("main", f"f{i}") if ph == "B" else (f"f{i}", "main"))])


# Flame graphs.

def flamegraph(folder, total, boxes):
    """As py-spy draws them; boxes are (name, first sample, samples, level)."""
    def box(name, first, samples, level):
        percent = 100 / total
        share = "100" if level == 0 else f"{samples * percent:.2f}"
        return (f'<g><title>{name} ({samples:,} samples, {share}%)</title><rect x="{first * percent:.4f}%" y="{36 + 16 * level}" '
                f'width="{samples * percent:.4f}%" height="15" fill="rgb(227,0,7)" fg:x="{first}" fg:w="{samples}"/>'
                f'<text x="{first * percent + 0.25:.4f}%" y="{46.5 + 16 * level:.2f}"></text></g>')
    head = ('<?xml version="1.0" standalone="no"?><svg version="1.1" width="1200" height="400" viewBox="0 0 1200 400" '
            'xmlns="http://www.w3.org/2000/svg" xmlns:fg="http://github.com/jonhoo/inferno">'
            '<text id="title" x="50.0000%" y="24.00">py-spy</text><svg id="frames" x="10" width="1180" '
            f'total_samples="{total}">')
    return save(folder, "a.svg", (head + "".join(box(*each) for each in boxes) + "</svg></svg>\n").encode())


@kind("samples", "flamegraph", "flame")
def boxes_of_a_flamegraph(n, folder, stretch):
    """Beside each other."""
    each = round(16 * stretch)
    return flamegraph(folder, each * n, [("all", 0, each * n, 0), *((f"f{i} (a.py:{i + 1})", each * i, each, 1) for i in range(n))])


@kind("samples", "flamegraph", "flame")
def levels_of_a_flamegraph(n, folder, stretch):
    """Each with a sample of its own."""
    each = round(16 * stretch)
    return flamegraph(folder, each * n, [("all" if i == 0 else f"f{i} (a.py:{i})", each * i, each * (n - i), i) for i in range(n)])


# yappi.  Its callgrind files are refused as all of those: tests/cli/input_formats.bats.

@kind("pstats", "yappi", "pstats")
def functions_of_yappi(n, folder, stretch):
    """What it saves as pstats: calls and primitive calls are swapped."""
    def times(i):
        return (i % 7 + 2, i % 7 + 1, 1e-3 * stretch, 2e-3 * stretch)
    return save(folder, "a.prof", marshal.dumps({function(i): (*times(i), {function(i // 2): times(i)}) for i in range(n)}))


@kind("pstats", "yappi", "pstats")
def rows_of_yappi(n, folder, stretch):
    rows = "".join(f"{f'../module{i % 100}.py:{i + 1} f{i}':38}{i % 99 + 1:<7}{0.001 * stretch:<10.6f}{0.002 * stretch:<10.6f}{0.0001 * stretch:.6f}\n" for i in range(n))
    return save(folder, "a.txt", ("\nClock type: WALL\nOrdered by: totaltime, desc\n\n" + f"{'name':38}{'ncall':7}{'tsub':10}{'ttot':10}{'tavg':10}\n" + rows + "\n").encode())


# Reports for people.

@kind("pstats", "importtime", "tree")
def modules_of_importtime(n, folder, stretch):
    """Chains of eight, which one module imports."""
    at = round(16 * stretch)
    rows = [f"import time: {at:9d} | {at * (8 - i % 8):10d} | {'  ' * (8 - i % 8)}p{i // 8}.m{i}" for i in reversed(range(n // 8 * 8))]
    rows = ["import time: self [us] | cumulative | imported package", *rows, f"import time: {at:9d} | {at * (n // 8 * 8 + 1):10d} | app"]
    return save(folder, "a.txt", "\n".join(rows).encode() + b"\n")


TORCH_COLUMNS = ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls")


@kind("torch_table", None, "top")
def rows_of_a_table_of_torch(n, folder, stretch):
    """Operators and kernels in turn."""
    rule = "  ".join(["-" * 40] + ["-" * 14] * len(TORCH_COLUMNS)) + "  "

    def row(name, *cells):
        return "  ".join([f"{name:>40}", *(f"{cell:>14}" for cell in cells)]) + "  "

    def rows():
        for i in range(n):
            share, host, device = f"{100 / n:.2f}%", f"{16 * stretch * (1 - i % 2):.3f}us", f"{8 * stretch:.3f}us"
            yield row(f"kernel_{i}" if i % 2 else f"aten::op_{i}", share if i % 2 == 0 else "0.00%", host, share if i % 2 == 0 else "0.00%", host, host,
                      device, share, device, device, 1)
    total = [f"Self CPU time total: {16 * stretch * ((n + 1) // 2) / 1000:.3f}ms", f"Self CUDA time total: {8 * stretch * n / 1000:.3f}ms"]
    return save(folder, "a.txt", "\n".join([rule, row("Name", *TORCH_COLUMNS), rule, *rows(), rule, *total, ""]).encode())


def lightning(title, actions, stretch):
    cells = [("Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %")]
    cells += [("Total", "-", f"{len(actions)}", f"{len(actions) * stretch:.5g}", "100 %")]
    cells += [(name, f"{stretch:.5g}", "1", f"{stretch:.5g}", f"{100 / len(actions):.5g}") for name in actions]
    lines = [f"|  {name:60}\t|  {mean:17}\t|  {calls:9}\t|  {total:15}\t|  {percent:14}\t|" for name, mean, calls, total, percent in cells]
    rule = "-" * 150
    return "\n".join([f"{title} Profiler Report\n", rule, lines[0], rule, lines[1], rule, *lines[2:], rule, ""])


@kind("pstats", "lightning", "top")
def actions_of_lightning(n, folder, stretch):
    return save(folder, "a.txt", lightning("FIT", [f"[Callback]C{i}.on_train_start" for i in range(n)], stretch).encode())


@kind("pstats", "lightning", "top")
def reports_of_lightning(n, folder, stretch):
    """A profile each, of the same name."""
    return save(folder, "a.log", "\n".join(f"epoch {i}\n" + lightning("FIT", ["run_training_epoch", f"a{i}"], stretch) for i in range(n)).encode())


@kind("samples", "deepspeed", "flame")
def modules_of_deepspeed(n, folder, stretch):
    """Blocks of eight, and a chain of as many modules as blocks have place in a square: the text indents them."""
    m = max(1, math.isqrt(n))

    def numbers(of):
        return f"{of} K = 1% Params, {of} MMACs = 1% MACs, {of * stretch:.6g} ms = 1% latency, 1 TFLOPS"

    def text():
        yield f"Net(\n  {numbers(8 * (n // 8) + m)}"
        for i in range(n // 8):
            yield f"  ({i}): Block{i % 50}(\n    {numbers(8)}"
            yield from (f"    (f{j}): Linear({numbers(1)}, in_features={j}, out_features=8, bias=True)" for j in range(8))
            yield "  )"
        for i in range(m):
            yield f"{'  ' * (i + 1)}(d{i}): Chain(\n{'  ' * (i + 2)}{numbers(m - i)}"
        for i in reversed(range(m)):
            yield f"{'  ' * (i + 1)})"
        yield ")"
    head = ["-------------------------- DeepSpeed Flops Profiler --------------------------", "Profile Summary at step 5:",
            f"fwd latency:                                                            {(n + m) * stretch:.6g} ms", "",
            "------------------------------ Detailed Profile per GPU ------------------------------",
            "Each module profile is listed after its name in the following order: ",
            "params, percentage of total params, MACs, percentage of total MACs, fwd latency, percentage of total fwd latency, fwd FLOPS", ""]
    return save(folder, "a.txt", "\n".join([*head, *text(), "-" * 78, ""]).encode())


# XProf: names of rows, then events without a category.

def xprof(folder, rows, events, stretch):
    """Rows are (pid, process, tid, thread), events what stands in them."""
    heads = [{"args": {"name": name}, "name": key, "ph": "M", "pid": pid, **({"tid": tid} if key == "thread_name" else {})}
             for pid, process, tid, thread in rows for key, name in (("process_name", process), ("thread_name", thread))]
    slices = [{**event, "ph": "X", "ts": event["ts"] * stretch, "dur": event["dur"] * stretch} for event in events]
    return save(folder, "a.trace.json", json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": [*heads, *slices]}).encode())


HOST_ROW = (701, "/host:CPU", 100, "python")


@kind("xprof", None, "kernels")
def steps_of_xprof(n, folder, stretch):
    """With a Python frame, a launch and a kernel."""
    def events():
        for i in range(n):
            group = {"group_id": str(i)}
            for name, ts, dur, args in ((f"train {i}", 0, 80, {"step_num": str(i), "step_name": f"train {i}"}), ("$train.py:10 step", 2, 70, {}),
                                        ("cuLaunchKernel", 5, 8, {"correlation_id": str(i + 1), "device_id": "0"})):
                yield {"pid": 701, "tid": 100, "ts": 100 * i + ts, "dur": dur, "name": name, "args": {**group, **args}}
            yield {"pid": 2, "tid": 1, "ts": 100 * i + 20, "dur": 50, "name": f"fusion_{i % 100}",
                   "args": {**group, "correlation_id": str(i + 1), "kernel_details": "regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1 occ_pct:100"}}
    return xprof(folder, [(2, "/device:GPU:0", 1, "Stream #13(Compute)"), HOST_ROW], events(), stretch)


@kind("xprof", None, "devices")
def operations_of_a_tpu(n, folder, stretch):
    """Two within a loop each."""
    def events():
        for i in range(n // 2):
            for name, ts, dur in (("while", 0, 90), ("fusion", 1, 30), ("fusion", 41, 30)):
                yield {"pid": 2, "tid": 3, "ts": 100 * i + ts, "dur": dur, "name": f"{name}.{i}", "args": {"hlo_category": name, "group_id": str(i // 8)}}
    return xprof(folder, [(2, "/device:TPU:0", 3, "XLA Ops"), (2, "/device:TPU:0", 1, "Steps"), HOST_ROW], events(), stretch)


@kind("xprof", None, "top")
def threads_of_xprof(n, folder, stretch):
    rows = [(701, "/host:CPU", i + 1, f"thread/{i}") for i in range(min(n, 32000))]
    return xprof(folder, rows, [{"pid": 701, "tid": i % 32000 + 1, "ts": 10 * i, "dur": 8, "name": f"op {i % 100}", "args": {}} for i in range(n)], stretch)
