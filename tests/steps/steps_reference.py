"""Steps worked out slowly from the events of a trace, as tensorboard-plugin.md 9.1 and 9.2 have it.

Nothing is shared with ptool: bounds by the plugin's own walk over all runtime calls, categories
by a sweep over every moment at which anything begins or ends.  Where ptool means to differ from
the plugin (collectives by the names of their kernels, driver calls, copies that a tracer shows as
kernels, no annotation of a device), this does too.
"""
import gzip
import json
import re
from decimal import Decimal

CATEGORIES = ["kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other"]
RUNTIME = {"runtime", "cuda_runtime", "cuda_driver", "mtia_runtime", "glow_runtime", "xpu_runtime", "xpu_driver",
           "privateuse1_runtime", "privateuse1_driver"}
DEVICE = {"kernel": "kernel", "memcpy": "memcpy", "gpu_memcpy": "memcpy", "memset": "memset", "gpu_memset": "memset",
          "mtia_ccp_events": "kernel"}
HOST = {"cpu_op", "operator", "user_annotation", "userannotation"}
COLLECTIVE = re.compile(r"nccl|rccl|hccl|nvshmem|\bep::(internode|intranode|cuda::get_dispatch_layout)", re.I)
WAITS = ("event_wait", "event_record")  # of MTIA
COMMUNICATION = re.compile("(nccl|rccl|hccl|xccl|gloo|ucc|mpi):")
DATA = re.compile(r"enumerate\(DataLoader\)#.*\.__next__$|enumerate\(DataPipe\)#")


ENGINES = re.compile(r"execute_(\d+_)?context_\d+\(.*\)_generation_\d+\(.*\)$|execute_new_\d+_cached_\d+$|step\[\w+ bs=.*\]$|"
                     r"\[Executor\] _forward_step (?P<number>\d+): |execute_diffusion_\d+_\d+x\d+$")


def told(names):
    """(phase, requests, tokens) by the annotations of a step, the outermost first."""
    phase = requests = tokens = None
    for name in names:
        if match := re.match(r"execute_(?:\d+_)?context_(\d+)\((?:sq)?(\d+).*?\)_generation_(\d+)\((?:sq)?(\d+)", name):
            prompts, q, decodes, generated = map(int, match.groups())
            says = (prompts, decodes), prompts + decodes, q + generated
        elif match := re.match(r"execute_new_(\d+)_cached_(\d+)", name):
            new, cached = map(int, match.groups())
            says = (new, cached), new + cached, None if new or cached else 0
        elif match := re.match(r"\[Executor\] _forward_step \d+: (\d+) ctx reqs, (\d+) gen", name):
            prompts, decodes = map(int, match.groups())
            says = (prompts, decodes), prompts + decodes, None if prompts else decodes
        elif match := re.match(r"step\[(\w+) bs=(\d+)(?: toks=(\d+))?", name):
            size = int(match[2])
            says = match[1], size, int(match[3]) if match[3] else size if match[1] == "DECODE" else None
        else:
            says = "other", 1, None
        kind = says[0] if isinstance(says[0], str) else {(True, True): "mixed", (True, False): "prefill", (False, True): "decode",
                                                         (False, False): "other"}[says[0][0] > 0, says[0][1] > 0]
        kind = {"DECODE": "decode", "EXTEND": "prefill", "IDLE": "other"}.get(kind, kind)
        if phase in (None, "other") and kind != "other":  # what the ones around say of the batch is of less account
            phase, tokens = kind, says[2]
            requests = says[1] if says[1] is not None else requests
        elif phase in (None, "other", kind):  # another phase within is of other requests
            phase = phase or kind
            requests = says[1] if requests is None else requests
            tokens = says[2] if tokens is None else tokens
    return phase, requests, tokens


def load(path):
    """The events of a trace."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        trace = json.loads(file.read(), parse_float=Decimal)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def nanoseconds(value):
    return value * 1000 if isinstance(value, int) else int(round(Decimal(value) * 1000))


class Recording:
    """What of the events counts: host ranges by category, calls, device work, steps."""

    def __init__(self, events):
        self.host = {name: [] for name in CATEGORIES}
        self.calls, self.work, self.steps, self.operators, self.engines, self.told = [], [], [], [], [], {}
        # ROCm numbers agents: which GPU each is, is no matter of steps
        self.has_agents = any(str(e.get("name", "")).startswith("hip") for e in events)
        self.ranges = []  # of the host, with what phases are told from
        self.begun = []  # starts of what makes a step of the range that it begins in
        origin = []
        for event in events:
            if event.get("ph") != "X" or "dur" not in event:
                if event.get("ph") in ("X", "i", "I", "B", "E", "C") and "ts" in event and event.get("cat") != "Trace":
                    origin.append(nanoseconds(event["ts"]))
                continue
            start = nanoseconds(event["ts"])
            origin.append(start)
            self.add(event, start, start + nanoseconds(event["dur"]))
        self.origin = min(origin, default=0)
        self.steps.sort(key=lambda step: step[0])
        self.leave_out_empty()
        self.is_engines = bool(self.engines and not self.steps)
        if self.is_engines:
            self.add_engines()

    def leave_out_empty(self):
        """What was left after the last call of step() is no step; of the one process that the traces have."""
        if len(self.steps) < 2:
            return
        (before, until, _), (start, end, _) = self.steps[-2:]
        if 10 * (end - start) <= until - before - 10 and not any(start <= at < end for at in self.begun):
            del self.steps[-1]

    def add_engines(self):
        """The outermost annotations of each thread; of the one process that the random traces have."""
        outer = {}
        for start, _, name, thread, end in sorted(self.engines):
            if thread in outer and start < outer[thread][1]:
                outer[thread][2].append(name)
            else:
                outer[thread] = (start, end, [name])
                self.steps.append(outer[thread])
        self.steps.sort(key=lambda step: step[0])
        numbers = [ENGINES.match(names[0])["number"] for _, _, names in self.steps]
        self.told = {start: told(names) for start, _, names in self.steps}
        self.steps = [(start, end, n if number is None else int(number))
                      for n, ((start, end, _), number) in enumerate(zip(self.steps, numbers))]

    def windows(self):
        """From the work that the calls in each step launched."""
        launched = {call[2]: call[0] for call in self.calls if call[2]}
        windows, reached = [], None
        for start, end, number in self.steps:
            later = [s for s, _, _ in self.steps if s > start]
            work = [w for w in self.work if start <= launched.get(w[4], start - 1) < min([end] + later)]
            if not work:
                windows.append((number, start, end))
                reached = start if reached is None else reached
                continue
            first, last = min(w[0] for w in work), max(w[1] for w in work)
            begin = first if reached is None else max(reached, min(start, first))
            reached = max(begin, last)
            windows.append((number, begin, reached))
        return windows

    def add(self, event, start, end):
        category, name, args = str(event.get("cat")).lower(), event["name"], event.get("args") or {}
        if category in RUNTIME | HOST and not name.startswith("ProfilerStep#"):
            self.begun.append(start)
        if category in DEVICE:
            if category == "mtia_ccp_events" and name in WAITS:
                return
            kind = "communication" if COLLECTIVE.search(name) else "memcpy" if name == "dma_request" else DEVICE[category]
            device = args.get("device", event.get("pid"))
            self.work.append((start, end, kind, str(device), args.get("correlation"), name))
        elif category in RUNTIME:
            self.calls.append((start, end, args.get("correlation"), (event["pid"], event["tid"])))
            self.host["runtime"].append((start, end))
        elif category in HOST and ENGINES.match(name):
            self.engines.append((start, -end, name, (event["pid"], event["tid"]), end))
        elif category in HOST:
            if not name.startswith("ProfilerStep#"):
                self.ranges.append((start, end, name, args, category in ("cpu_op", "operator"), (event["pid"], event["tid"])))
            if category != "user_annotation" or name.startswith("ProfilerStep#"):
                self.operators.append((start, end))
            if name.startswith("ProfilerStep#"):
                self.steps.append((start, end, int(name.split("#")[1])))
            elif DATA.match(name):
                self.host["dataloader"].append((start, end))
            elif COMMUNICATION.match(name):
                self.host["communication"].append((start, end))
            else:
                self.host["cpu_exec"].append((start, end))


def whole(spans):
    return [(min(s[0] for s in spans), max(s[1] for s in spans), 0)] if spans else []


def host_bounds(recording):
    """[(number, start, end, dropped)]: as recorded; without steps all operators and device work."""
    steps = recording.steps or whole(recording.operators + [w[:2] for w in recording.work])
    if recording.is_engines:
        return [(*window, False) for window in recording.windows()]
    return [(n, s, e, False) for s, e, n in steps]


def tensorboard_bounds(recording):
    """[(number, start, end, dropped)], by 9.1, word for word."""
    steps = list(recording.steps)
    if not steps and not recording.operators:
        return host_bounds(recording)
    steps = steps or whole(recording.operators)
    by_correlation = {}
    for index, work in enumerate(recording.work):
        if work[4]:
            by_correlation.setdefault(work[4], []).append(index)
    calls = sorted(recording.calls, key=lambda call: call[0])
    device, count, matched = [None] * len(steps), [0] * len(steps), set()
    i = r = 0
    while i < len(steps) and r < len(calls):
        start, end, correlation, _ = calls[r]
        if start < steps[i][0]:
            r += 1
        elif end <= steps[i][1]:
            for index in by_correlation.get(correlation, []):
                work = recording.work[index]
                low, high = device[i] or (work[0], work[1])
                device[i] = (min(low, work[0]), max(high, work[1]))
                count[i] += 1
                matched.add(index)
            r += 1
        elif start < steps[i][1]:
            r += 1
        else:
            i += 1
    if not matched:
        return [(n, s, e, False) for s, e, n in steps]
    previous = steps[0][0]
    if device[0]:
        ends = [w[1] for k, w in enumerate(recording.work) if k not in matched and w[1] < device[0][0]]
        previous = max([previous] + ends)
    moved = []
    for (start, end, number), on_device in zip(steps, device):
        start = max(previous, start)
        end = max(end, on_device[1] if on_device else start, start)
        moved.append((number, start, end))
        previous = end
    keep = len(moved)
    if len(moved) > 1:
        k = max(n for n in range(len(moved)) if count[n] > 0)
        keep = k + 1
        if k > 0 and count[k - 1] * 0.8 > count[k]:
            keep = k
    return [(*step, n >= keep) for n, step in enumerate(moved)]


def covered(ranges, points):
    """For each stretch between neighbours of the sorted points: is it within any of the ranges?"""
    change = {}
    for start, end in ranges:
        if end > start:
            change[start] = change.get(start, 0) + 1
            change[end] = change.get(end, 0) - 1
    depth, result, keys = 0, [], sorted(change)
    at = 0
    for point in points[:-1]:
        while at < len(keys) and keys[at] <= point:
            depth += change[keys[at]]
            at += 1
        result.append(depth > 0)
    return result


def sweep(layers, steps):
    """For each step the time of each layer, the first of those that run having it, and of none."""
    points = sorted({p for ranges in layers for r in ranges for p in r} | {p for s in steps for p in s})
    runs = [covered(ranges, points) for ranges in layers]
    first = [next((k for k, run in enumerate(runs) if run[n]), len(layers)) for n in range(len(points) - 1)]
    place = {point: n for n, point in enumerate(points)}
    result = []
    for start, end in steps:
        times = [0] * (len(layers) + 1)
        for n in range(place[start], place[end]):
            times[first[n]] += points[n + 1] - points[n]
        result.append(times)
    return result


def work_of(recording, kinds, device=None):
    return [(w[0], w[1]) for w in recording.work if w[2] in kinds and device in (None, w[3])]


def running(recording, start, end):
    """How many pieces of device work run in the step; those of no length where they stand."""
    return sum(1 for w in recording.work if w[0] < end and max(w[1], w[0] + 1) > start) if end > start else 0


def table(recording, whose="host"):
    """The rows of ptool steps but the mean, as dictionaries of the columns that are computed."""
    steps = host_bounds(recording) if whose == "host" else tensorboard_bounds(recording)
    spans = [(s, e) for _, s, e, _ in steps]
    layers = [work_of(recording, {name}) + recording.host[name] for name in CATEGORIES[:-1]]
    categories = sweep(layers, spans)
    rows = []
    for device in sorted({w[3] for w in recording.work}, key=lambda d: (not d.isdigit(), int(d) if d.isdigit() else 0, d)) or [None]:
        views = sweep([work_of(recording, {"kernel"}, device), work_of(recording, {"communication"}, device),
                       work_of(recording, {"memcpy", "memset"}, device)], spans) if device is not None else None
        for n, (number, start, end, dropped) in enumerate(steps):
            row = {**({} if recording.has_agents else {"device": device}), "step": str(number), "start_ns": start - recording.origin, "total_ns": end - start,
                   "is_dropped": int(dropped), "bounds": whose}
            if whose == "host":
                on_host = recording.steps[n] if recording.is_engines else (start, end)
                row.update({"host_start_ns": on_host[0] - recording.origin, "host_ns": on_host[1] - on_host[0],
                            "device_events": running(recording, start, end),
                            "bounds": "host" if (start, end) == tuple(on_host[:2]) else "device"})
                row.update(zip(("phase", "requests", "tokens"), recording.told.get(on_host[0], ()) if recording.is_engines else ()))
            row.update({f"{name}_ns": categories[n][k] for k, name in enumerate(CATEGORIES)})
            if views:
                compute, communication, copies, idle = views[n]
                row.update({"gpu_busy_ns": compute + communication + copies, "gpu_idle_ns": idle,
                            "gpu_compute_ns": compute, "exposed_comm_ns": communication, "exposed_copy_ns": copies})
            rows.append(row)
    return rows


def says(name, words):
    """Is it a label with just one phase's words, and that one's?"""
    if "::" in name or name.startswith(("ProfilerStep#", "enumerate(DataPipe)#", "Optimizer.", "nccl:", "gloo:")) or DATA.match(name):
        return False
    found = set(re.findall("[a-z0-9]+", name.lower()))
    phases = [{"dataloader", "dataloading"}, {"forward", "fwd"}, {"backward", "bwd"}, {"optimizer", "optim"}]
    told = [bool(found & phase) for phase in phases]
    told[0] |= bool(found & {"data", "batch"}) and bool(found & {"load", "loading", "loader", "fetch", "next"})
    return sum(told) == 1 and told[words]


def is_backward(name, args, is_operator):
    engine = name.startswith("autograd::engine::evaluate_function")
    return engine or (is_operator and (name == "torch::autograd::AccumulateGrad" or args.get("Fwd thread id", 0) > 0))


def copies_to_device(recording):
    """The calls that started a copy to a device, and the transfers that the next of them lies in."""
    copies = {work[4] for work in recording.work if work[2] == "memcpy" and work[4] and "HtoD" in work[5]}
    calls = [call for call in recording.calls if call[2] in copies]
    found = [(call[0], call[1]) for call in calls]
    for start, end, name, _, _, thread in recording.ranges:
        if name in ("aten::to", "aten::_to_copy", "aten::copy_"):
            inside = [(c[0], c[1]) for c in calls if c[3] == thread and c[0] >= start]
            if inside and min(inside)[1] <= end:
                found.append((start, end))
    return found


PHASES = ["data_loading_ns", "host_to_device_ns", "optimizer_ns", "backward_ns", "forward_ns", "other_ns"]


def phases(recording):
    """For each step the time of each phase; None where nothing tells it."""
    told = [
        (0, [r for r in recording.ranges if DATA.match(r[2])]),
        (None, []),
        (3, [r for r in recording.ranges if r[2].startswith("Optimizer.")]),
        (2, [r for r in recording.ranges if is_backward(*r[2:5])]),
        (1, [r for r in recording.ranges if not is_backward(*r[2:5]) and "Sequence number" in r[3]]),
    ]
    layers, fills = [], []
    for words, ranges in told:
        labels = [r for r in recording.ranges if words is not None and says(r[2], words)]
        layers.append([(r[0], r[1]) for r in labels or ranges])
        fills.append(not labels and words in (1, 2))
    layers[1] = copies_to_device(recording)
    result = []
    for start, end, _ in recording.steps or [(s, e, n) for n, s, e, _ in host_bounds(recording)]:
        points = sorted({start, end} | {p for ranges in layers for r in ranges for p in r if start < p < end})
        runs = [covered(ranges, points) for ranges in layers]
        first = [next((k for k, run in enumerate(runs) if run[n]), 5) for n in range(len(points) - 1)]
        known = [n for n, phase in enumerate(first) if phase != 5]
        for a, b in zip(known, known[1:]):
            if first[a] == first[b] and fills[first[a]]:
                first[a:b] = [first[a]] * (b - a)
        times = [0] * 6
        for n, phase in enumerate(first):
            times[phase] += points[n + 1] - points[n]
        any_time = [any(e > s for s, e in ranges) for ranges in layers] + [True]
        result.append({name: times[k] if any_time[k] else None for k, name in enumerate(PHASES)})
    return result
