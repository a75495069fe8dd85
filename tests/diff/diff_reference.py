"""What ptool diff must say, computed slowly: from the events of random runs, by fractions."""
import collections
import fractions
import itertools
import json
import math

KERNEL = "void gemm_%dx%d<float>(float*)"


class Run:
    """A made recording: steps with nested operators on one thread, and kernels they launch."""

    def __init__(self, random, speed, names, kernel, gaps=True):
        self.events, self.rows, self.steps = [], [], []
        self.rows = collections.defaultdict(lambda: [0, 0, 0])  # (step, name): calls, self, total
        self.kernels = collections.defaultdict(lambda: [0, 0])  # (step, name): calls, ns
        self.next_correlation = 1
        now = random.randrange(1000) * 1000
        for number in range(random.randrange(1, 5)):
            now = self.add_step(random, speed, names, kernel, number, now)
            now += random.randrange(0, 5000) * (1 if gaps else 0)
        self.dur_ns = max(e["end"] for e in self.events) - min(e["start"] for e in self.events)

    def add(self, cat, name, start, end, tid=1, **args):
        self.events.append({"cat": cat, "name": name, "start": start, "end": end, "tid": tid, "args": args})

    def count(self, step, name, self_ns, total_ns):
        row = self.rows[step, name]
        row[0] += 1
        row[1] += self_ns
        row[2] += total_ns

    def add_step(self, random, speed, names, kernel, number, start):
        at, children = start + 10, 0
        for _ in range(random.randrange(1, 8)):
            name = random.choice(names)
            dur = int(random.randrange(200, 90000) * speed)
            inner = random.randrange(0, dur // 2) if random.random() < .5 else 0
            self.add("cpu_op", name, at, at + dur)
            self.count(number, name, dur - inner, dur)
            if inner:
                self.add("cpu_op", "aten::inner", at + 1, at + 1 + inner)
                self.count(number, "aten::inner", inner, inner)
            elif dur > 1000:
                self.launch(random, number, kernel, at)
                self.rows[number, name][1] -= 100
            children += dur
            at += dur + 7
        self.add("user_annotation", f"ProfilerStep#{number}", start, at)
        self.count(number, f"ProfilerStep#{number}", at - start - children, at - start)
        self.steps.append((number, start, at))
        return at

    def launch(self, random, number, kernel, at):
        correlation, dur = self.next_correlation, random.randrange(100, 40000)
        self.next_correlation += 1
        self.add("cuda_runtime", "cudaLaunchKernel", at + 50, at + 150, correlation=correlation)
        self.count(number, "cudaLaunchKernel", 100, 100)
        start = at + 200 + random.randrange(3000)
        self.add("kernel", kernel, start, start + dur, tid=7, correlation=correlation, stream=7, device=0)
        self.count(number, kernel, dur, dur)
        self.kernels[number, kernel][0] += 1
        self.kernels[number, kernel][1] += dur

    def write(self, path):
        us = lambda ns: f"{ns // 1000}.{ns % 1000:03}"  # noqa: E731
        lines = []
        for e in self.events:
            pid = 0 if e["cat"] == "kernel" else 1
            lines.append(f'{{"ph":"X","cat":"{e["cat"]}","name":{json.dumps(e["name"])},"pid":{pid},"tid":{e["tid"]},'
                         f'"ts":{us(e["start"])},"dur":{us(e["end"] - e["start"])},"args":{json.dumps(e["args"])}}}')
        with open(path, "w", encoding="utf-8") as out:
            out.write('{"schemaVersion":1,"traceEvents":[\n' + ",\n".join(lines) + "\n]}\n")

    def accounting(self):
        """The parts of its steps on its device: compute, idle (nothing else is in these runs)."""
        work = sorted((e["start"], e["end"]) for e in self.events if e["cat"] == "kernel")
        busy = 0
        for _, start, end in self.steps:
            reached = start
            for a, b in work:
                a, b = max(a, reached), min(b, end)
                if a < b:
                    busy += b - a
                    reached = b
        total = sum(end - start for _, start, end in self.steps)
        return busy, total - busy


def round_away(value):
    """A fraction to the nearest whole number, halves away from 0."""
    floor = math.floor(abs(value) + fractions.Fraction(1, 2))
    return floor if value >= 0 else -floor


def exact_p(base, new):
    """Mann and Whitney's p by counting: of all ways to choose, how many are as far from the middle."""
    ranks = {v: i for i, v in enumerate(sorted(base + new))}
    m, n = len(base), len(new)
    u = sum(ranks[v] for v in new) - n * (n - 1) // 2
    far = abs(2 * u - m * n)
    counts = collections.Counter({(0, 0): 1})
    for rank in range(m + n):
        for (size, total), ways in list(counts.items()):
            counts[size + 1, total + rank] += ways
    all_ways = hits = 0
    for (size, total), ways in counts.items():
        if size == n:
            all_ways += ways
            hits += ways if abs(2 * (total - n * (n - 1) // 2) - m * n) >= far else 0
    return hits / all_ways


def normal_p(base, new):
    m, n, everything = len(base), len(new), base + new
    u = sum((b > a) + (a == b) / 2 for a, b in itertools.product(base, new))
    ties = sum(t ** 3 - t for t in collections.Counter(everything).values())
    variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
    if variance <= 0:
        return 1.0
    return min(1.0, math.erfc((max(u, m * n - u) - m * n / 2 - .5) / math.sqrt(variance) / math.sqrt(2)))


def p_of(base, new):
    base, new = [float(v) for v in base], [float(v) for v in new]
    if len(base) < 2 or len(new) < 2:
        return None
    least = min(1.0, 2 / math.comb(len(base) + len(new), len(new)))
    return exact_p(base, new) if len(set(base + new)) == len(base + new) else max(normal_p(base, new), least)


def shift_of(base, new, alpha=.05):
    """Hodges and Lehmann's shift and its interval, from all differences in order, as R's wilcox.test(exact=TRUE)."""
    m, n = len(base), len(new)
    differences = sorted(b - a for a, b in itertools.product(base, new))
    at_most, place = 0, 0
    ways = [1] + [0] * (m * n)  # of subsets of n ranks by U: Gaussian binomial, factor by factor
    for i in range(1, n + 1):
        for u in range(m * n, m + i - 1, -1):
            ways[u] -= ways[u - m - i]
        for u in range(i, m * n + 1):
            ways[u] += ways[u - i]
    limit = fractions.Fraction(str(alpha)) / 2 * math.comb(m + n, n)
    while at_most + ways[place] < limit:
        at_most, place = at_most + ways[place], place + 1
    place = max(place, 1)
    middle = (differences[(m * n - 1) // 2] + differences[m * n // 2]) / 2
    return middle, differences[place - 1], differences[m * n - place]


def verdict_of(base, new, p, shift, alpha=.05, min_effect=1.0):
    if 2 / math.comb(len(base) + len(new), len(new)) >= alpha:
        return "undecided"
    if not p < alpha or not abs(100 * shift / (sum(base) / len(base))) > min_effect:
        return "no_change"
    return "increase" if shift > 0 else "decrease"


def q_of(ps):
    order, q, least = sorted(range(len(ps)), key=lambda i: ps[i]), [0] * len(ps), 1.0
    for place in range(len(ps), 0, -1):
        least = min(least, ps[order[place - 1]] * len(ps) / place)
        q[order[place - 1]] = least
    return q


class Side:
    """Runs of one side, reduced to what a row is made of."""

    def __init__(self, runs, metric, per_step, kernels=False, within=False):
        self.per_step, self.metric, self.names = per_step, metric, set()
        self.samples, self.units = [], []  # by replicate: {name: (calls, ns)}, and its divisor
        for run in runs:
            rows = run.kernels if kernels else run.rows
            by_step = collections.defaultdict(dict)
            for (step, name), row in rows.items():
                by_step[step][name] = (row[0], row[0] if metric == "calls" else row[2 if metric == "total" and not kernels else 1])
            parts = [by_step[s[0]] for s in run.steps] if within else [add_up(by_step.values())]
            self.samples += parts
            self.units += [1] * len(parts) if within or not per_step else [len(run.steps)]
        for sample in self.samples:
            self.names |= set(sample)
        self.all_units = sum(self.units) if per_step else len(runs)

    def calls(self, name):
        return fractions.Fraction(sum(s.get(name, (0, 0))[0] for s in self.samples), self.all_units)

    def ns(self, name):
        return fractions.Fraction(sum(s.get(name, (0, 0))[1] for s in self.samples), self.all_units)

    def values(self, name):
        return [s.get(name, (0, 0))[1] / u for s, u in zip(self.samples, self.units)]


def add_up(samples):
    total = collections.defaultdict(lambda: (0, 0))
    for sample in samples:
        for name, (calls, ns) in sample.items():
            total[name] = (total[name][0] + calls, total[name][1] + ns)
    return total


def row_of(base, new, old_name, new_name, status):
    n0, n1 = base.calls(old_name), new.calls(new_name)
    a0, a1 = base.ns(old_name), new.ns(new_name)
    row = {"name": old_name, "new_name": new_name if old_name != new_name else None, "base_calls": n0, "new_calls": n1,
           "base": round_away(a0), "new": round_away(a1)}
    if status is None:
        status = "equal" if (n0, a0) == (n1, a1) else "changed"
    delta = row["new"] - row["base"]
    one_sided = status in ("added", "removed")
    old, more = (n0, n1 - n0) if base.metric == "calls" else (row["base"], delta)  # counts need not be whole
    from_calls = delta if one_sided else round_away((n1 - n0) * (a0 / n0 + a1 / n1) / 2)
    row.update(status=status, delta=delta, from_calls=from_calls, from_duration=delta - from_calls,
               delta_pct=None if one_sided or old == 0 else float(100 * more / old),
               p=p_of(base.values(old_name), new.values(new_name)), q=None, significant=None)
    return row


def diff(base, new, renamed=(), alpha=.05, min_effect=1.0, whole=None):
    """The rows; `renamed` are pairs of names that are known to be one row."""
    rows, old, fresh = [], dict(renamed), {b for _, b in renamed}
    for name in sorted(base.names | new.names):
        if name in old:
            rows.append(row_of(base, new, name, old[name], "renamed"))
        elif name not in fresh:
            status = "added" if name not in base.names else "removed" if name not in new.names else None
            rows.append(row_of(base, new, name, name, status))
    total = whole if whole else sum(abs(row["base"]) for row in rows)
    tested = [row for row in rows if total > 0 and abs(row["base"]) * 200 >= total and row["p"] is not None]
    for row, q in zip(tested, q_of([row["p"] for row in tested])):
        change = math.inf if row["status"] in ("added", "removed") else abs(row["delta_pct"] or 0)
        row.update(q=q, significant=q < alpha and change > min_effect)
    rows.sort(key=lambda r: (-abs(r["delta"]), -(r["base"] + r["new"]), r["name"].encode()))
    return rows
