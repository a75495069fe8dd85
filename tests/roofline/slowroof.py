"""slowroof.py: FLOPs, bytes and owners of operators from a store's rows, one call after the other, by
formulas of its own: what check_roofline.py holds `ptool roofline` to.
"""
import collections
import math
import os
import re
import sqlite3

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPOSITE = {"aten::linear", "aten::matmul", "aten::scaled_dot_product_attention", "aten::prelu"}
SIZE = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "int8": 1, "uint8": 1, "bool": 1, "int32": 4,
        "int64": 8, "int16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1}
DTYPE_OF_NUMBER = {5: "float16", 6: "float32", 15: "bfloat16"}
UNARY = set("""relu silu gelu sigmoid tanh exp neg rsqrt sqrt cos sin pow clamp_min reciprocal log abs""".split())
BINARY = set("""add sub mul div rsub threshold_backward gelu_backward silu_backward maximum _prelu_kernel""".split())
COMPARE = set("eq ne lt gt le ge".split())


def names():
    """Operators of ptool's table."""
    with open(os.path.join(ROOT, "src", "trace", "op_work.c"), encoding="utf-8") as file:
        found = re.findall(r'^\t\{ "([^"]+)", op_rule', file.read(), re.M)
    return {n if "::" in n else "aten::" + n for n in found}


KNOWN = names()


def counts(name):
    if name.startswith("triton_"):
        return True
    return name not in COMPOSITE and (name in KNOWN or name.startswith("aten::") and name[-1] == "_" and name[:-1] in KNOWN)


class Tensor:
    def __init__(self, dims, dtype):
        self.dims, self.dtype = dims, dtype
        self.n = math.prod(dims)
        self.bytes = self.n * SIZE[dtype]


class Inputs:
    def __init__(self, shapes, types, values):
        self.dims = eval(shapes)
        types, values = types.split(";"), values.split(";") if values else []
        self.types = types + [""] * (len(self.dims) - len(types))
        self.values = values + [""] * (len(self.dims) - len(values))

    def tensor(self, i):
        return Tensor(self.dims[i], self.types[i]) if i < len(self.dims) and self.types[i] in SIZE else None

    def value(self, i, missing=None):
        return eval(self.values[i]) if i < len(self.values) and self.values[i] else missing

    def tensors(self):
        return [t for t in map(self.tensor, range(len(self.dims))) if t]

    def dtypes(self):
        return ", ".join(dict.fromkeys(t.dtype for t in self.tensors() if t.dims)) or None


def broadcast(shapes):
    out = []
    for shape in shapes:
        shape, out = [1] * (len(out) - len(shape)) + shape, [1] * (len(shape) - len(out)) + out
        out = [b if a == 1 else a for a, b in zip(out, shape)]
    return out


def promoted(tensors):
    whole = [t for t in tensors if t.dims] or tensors
    rank = {"bool": 0, "uint8": 1, "int8": 1, "int16": 1, "int32": 1, "int64": 1}
    return max((t.dtype for t in whole), key=lambda d: (rank.get(d, 2), SIZE[d]))


def product(batch, m, n, k, read, out):
    return 2 * batch * m * n * k, sum(t.bytes for t in read if t) + batch * m * n * SIZE[out]


def matmul(a, b):
    lead = broadcast([a.dims[:-2], b.dims[:-2]])
    m = a.dims[-2] if len(a.dims) > 1 else 1
    n = b.dims[-1] if len(b.dims) > 1 else 1
    return product(math.prod(lead), m, n, a.dims[-1], [a, b], a.dtype)


def convolution(i):
    x, w = i.tensor(0), i.tensor(1)
    stride, padding, dilation, transposed, more, groups = (i.value(k) for k in range(3, 9))
    if stride is None:
        return None, None
    spread = lambda v, k: v[0] if len(v) == 1 else v[k]
    y = [x.dims[0], w.dims[1] * groups if transposed else w.dims[0]]
    for k in range(len(x.dims) - 2):
        s, p, d, size, f = spread(stride, k), spread(padding, k), spread(dilation, k), x.dims[2 + k], w.dims[2 + k]
        y.append((size - 1) * s - 2 * p + d * (f - 1) + spread(more, k) + 1 if transposed
                 else (size + 2 * p - d * (f - 1) - 1) // s + 1)
    points = math.prod((x.dims if transposed else y)[2:]) * x.dims[0]
    bias = i.tensor(2)
    return 2 * points * w.n, x.bytes + w.bytes + math.prod(y) * SIZE[x.dtype] + (bias.bytes if bias else 0)


def convolution_backward(i):
    g, x, w = (i.tensor(k) for k in range(3))
    if i.value(10) is None:
        return None, None
    transposed, groups, mask = i.value(7), i.value(9), i.value(10)
    points = math.prod((x if transposed else g).dims[2:])
    flops = 2 * points * w.n * x.dims[0] * sum(mask[:2])  # each gradient multiplies what the convolution does
    moved = g.bytes + (w.bytes + x.bytes) * sum(mask[:2])
    return flops, moved + (g.dims[1] * SIZE[g.dtype] if mask[2] else 0)


def seen(sq, sk, mask):
    """Pairs that a causal mask leaves, counted one by one: 1 from the first query, 2 to the last."""
    if not mask:
        return sq * sk
    return sum(min(q + 1, sk) if mask == 1 else max(0, min(sk, q + 1 + sk - sq)) for q in range(sq))


def attention(q, k, v, mask, lengths_first=False, forward=True):
    length, heads = (1, 2) if lengths_first else (2, 1)
    if len(q.dims) != 4:
        return None
    pairs = q.dims[0] * q.dims[heads] * seen(q.dims[length], k.dims[length], mask)
    wide, deep = q.dims[3], v.dims[3]
    return pairs * (2 * wide + 2 * deep if forward else 6 * wide + 4 * deep)


def attention_call(name, i):
    short = name[6:]
    backward = short.endswith("_backward")
    q, k, v = (i.tensor(n + backward) for n in range(3))
    place = {"_scaled_dot_product_flash_attention": 4, "_scaled_dot_product_efficient_attention": 6,
             "_flash_attention_forward": 8, "scaled_dot_product_attention": 5,
             "_scaled_dot_product_flash_attention_backward": 11, "_scaled_dot_product_flash_attention_for_cpu": 4,
             "_scaled_dot_product_flash_attention_for_cpu_backward": 7,
             "_scaled_dot_product_cudnn_attention_backward": 14,
             "_scaled_dot_product_efficient_attention_backward": 11}.get(short)
    if place is None or not q:
        return None
    first = short == "_flash_attention_forward"
    flops = attention(q, k, v, (2 if first else 1) if i.value(place) else 0, first, not backward)
    result = q.n // q.dims[-1] * v.dims[-1] * SIZE[q.dtype]
    moved = q.bytes + k.bytes + v.bytes
    return flops, 2 * (moved + result) if backward else moved + result


def paged(i, note):
    q, k = i.tensor(0), i.tensor(1)
    if not note:
        return None, None
    heads, width = k.dims[-2:]
    pairs = keys = 0
    for sq, sk, sqsq, sqsk in note:
        pairs += sqsk - (sqsq - sq) // 2
        keys += sk
    return 4 * q.dims[1] * width * pairs, 2 * q.bytes + 2 * keys * heads * width * SIZE[k.dtype]


def elementwise(name, i):
    n = 2 if name in BINARY | COMPARE else 1
    tensors = [t for t in map(i.tensor, range(n)) if t]
    out = math.prod(broadcast([t.dims for t in tensors]))
    dtype = "bool" if name in COMPARE else promoted(tensors)
    return out, sum(t.bytes for t in tensors) + out * SIZE[dtype]


def lists(i, read, written, each, dtype):
    """Lists of tensors, whose shapes are their values."""
    n = {k: sum(map(math.prod, i.value(k))) for k in {*read, *written} if k < len(i.values) and "[[" in i.values[k]}
    if 0 not in n:
        return (None if each else 0), None
    moved = sum(n.get(k, 0) for k in (*read, *written))
    return n[0] * each, moved * SIZE[dtype] if dtype else None


def convolution_old(i, y):
    """Without values: the result's shape is that of the gradient that autograd is given."""
    x, w = i.tensor(0), i.tensor(1)
    if not y:
        return None, None
    plain = y[1] == w.dims[0] and x.dims[1] % w.dims[1] == 0
    turned = x.dims[1] == w.dims[0] and y[1] % w.dims[1] == 0 and (not plain or any(a > b for a, b in zip(y[2:], x.dims[2:])))
    bias = i.tensor(2) if len(x.dims) == len(w.dims) else None
    points = math.prod((x.dims if turned else y)[2:]) * x.dims[0]
    return 2 * points * w.n, x.bytes + w.bytes + math.prod(y) * SIZE[x.dtype] + (bias.bytes if bias else 0)


def work(name, i, note=None, told=(None, None, 0)):
    """(FLOPs, bytes) of a call, None where not known; False where this file has no formula."""
    short = name.removeprefix("aten::")
    t = i.tensor
    if name.startswith("triton_"):
        extents = [i.value(k) for k in range(len(i.dims)) if not t(k) and isinstance(i.value(k), int)]
        most = math.prod(extents) if extents else math.inf
        return None, sum(min(x.n, most) * SIZE[x.dtype] for x in i.tensors())
    if short == "mm":
        return matmul(t(0), t(1))
    if short == "addmm":
        flops, moved = matmul(t(1), t(2))
        return flops, moved + t(0).bytes
    if short == "bmm":
        return matmul(t(0), t(1))
    if short == "linear":
        x, w, b = t(0), t(1), t(2)
        return product(1, x.n // x.dims[-1], w.dims[0], w.dims[1], [x, w, b], x.dtype)
    if short == "matmul":
        return matmul(t(0), t(1))
    if short == "_scaled_mm":
        out = DTYPE_OF_NUMBER.get(i.value(6), t(0).dtype)
        return product(1, t(0).dims[0], t(1).dims[1], t(0).dims[1], [t(0), t(1), t(4)], out)
    if short == "_grouped_mm" and len(t(0).dims) == 2 and len(t(1).dims) == 3:
        return product(1, t(0).dims[0], t(1).dims[2], t(0).dims[1], [t(0), t(1), t(2)], t(0).dtype)
    if short == "convolution":
        return convolution(i) if i.value(3) else convolution_old(i, told[1])
    if short == "cudnn_convolution_backward":
        x, g, w = t(0), t(1), t(2)
        points = math.prod(g.dims[2:]) * g.dims[0]
        return (2 * points * w.n * told[2], g.bytes + told[2] * (x.bytes + w.bytes)) if told[2] else (None, None)
    if short == "convolution_backward":
        return convolution_backward(i)
    if name in ("vllm::unified_attention_with_output", "aiter::mha_batch_prefill"):
        return paged(i, note)
    if "attention" in short:
        return attention_call(name, i) or False
    if short == "copy_":
        return 0, t(0).bytes + t(1).bytes
    if short in ("fill_", "zero_"):
        return 0, t(0).bytes
    if short == "cat":
        return lists(i, [0], [0], 0, told[0])
    if short == "_foreach_add_":
        return lists(i, [0, 1], [0], 1, told[0])
    if short == "_fused_adamw_":
        return lists(i, range(5), [0, 2, 3, 4], 14, told[0])
    if short == "sum" and i.values[1]:
        dims = {d % len(t(0).dims) for d in i.value(1)} or set(range(len(t(0).dims)))
        left = math.prod(n for k, n in enumerate(t(0).dims) if k not in dims)
        return t(0).n, t(0).bytes + left * SIZE[t(0).dtype]
    if short == "_softmax":
        return 5 * t(0).n, 2 * t(0).bytes
    if short == "native_layer_norm":
        return 8 * t(0).n, 2 * t(0).bytes + sum(x.bytes for x in (t(2), t(3)) if x)
    if short == "embedding":
        return 0, t(1).bytes + 2 * t(1).n * t(0).dims[1] * SIZE[t(0).dtype]
    if short.rstrip("_") in UNARY | BINARY | COMPARE and i.tensors():
        return elementwise(short.rstrip("_"), i)
    return False


Row = collections.namedtuple("Row", "calls time flops bytes known")


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.text = dict(self.db.execute("SELECT id, text FROM string"))
        classes = dict(self.db.execute("SELECT name, id FROM slice_class"))
        work_classes = {i for i, w in self.db.execute("SELECT id, is_device_work FROM slice_class") if w}
        self.details = {r[0]: [self.text.get(x, "") for x in r[1:]] for r in self.db.execute(
            "SELECT id, shapes_id, types_id, values_id FROM op_detail")}
        self.slices, self.ops, self.work = {}, {}, []
        for row in self.db.execute(
                "SELECT id, ts, dur, name_id, class, parent_id, op_id, op_detail_id, flags, step_id FROM slice_row ORDER BY id"):
            if row[8] and row[8] & 4:
                continue  # set apart
            self.slices[row[0]] = row
            if row[4] == classes["op"]:
                self.ops[row[0]] = row
            elif row[4] in work_classes:
                self.work.append(row)
        self.classes = classes

    def around(self, id_):
        """Operators around a slice, itself first."""
        while id_ is not None and id_ in self.slices:
            if id_ in self.ops:
                yield id_
            id_ = self.slices[id_][5]

    def name(self, id_):
        return self.text[self.slices[id_][3]]

    def told(self):
        """{operator: (element type of its lists, shape of its result, gradients inside it)} by what is around it."""
        owners, _ = self.owners()
        types, gradients = collections.defaultdict(set), collections.Counter()
        for w in self.work:
            if w[6] in owners:
                found = re.search(r"OpaqueType<(\d+)|Functor<(?:c10::)?(\w+)", self.text[w[3]])
                known = {"1": "uint8", "2": "float16", "4": "float32", "8": "float64", "float": "float32", "Half": "float16",
                         "BFloat16": "bfloat16"}.get(found[1] or found[2]) if found else None
                if known:
                    types[owners[w[6]]].add(known)
        inside = collections.defaultdict(set)
        for op, owner in owners.items():
            if op != owner:
                gradients[owner] += bool(re.search("_backward_(input|weights?)$", self.name(op)))
                given = self.details.get(self.slices[op][7], ("", "", ""))[1].split(";")
                if given[0] in SIZE and (len(given) < 2 or given[1] not in SIZE or given[1] == given[0]):
                    inside[owner].add(given[0])
        sequence = dict(self.db.execute("SELECT id, sequence FROM slice_row WHERE sequence IS NOT NULL"))
        nodes = collections.defaultdict(set)
        for op in self.ops:
            if re.fullmatch(r"\w*(Conv|MaxPool)\w*Backward\d*", self.name(op)):
                nodes[sequence.get(op)].add(self.details.get(self.slices[op][7], ("",))[0])
        out = {}
        for op in self.ops:
            given = types[op] or inside[op]
            shapes = nodes.get(sequence.get(op, 0), ())
            result = eval(next(iter(shapes)))[0] if len(shapes) == 1 else None
            out[op] = (next(iter(given)) if len(given) == 1 else None, result, gradients[op])
        return out

    def owners(self):
        """(owner of each operator, composites in which something counts)."""
        inner = set()
        for op in self.ops:
            if counts(self.name(op)):
                inner.update(list(self.around(op))[1:])
        found = {}
        for op in self.ops:
            chain = list(self.around(op))
            counting = [x for x in chain if counts(self.name(x))]
            composite = [x for x in chain if self.name(x) in COMPOSITE and x not in inner]
            found[op] = counting[-1] if counting else composite[-1] if composite else op
        return found, inner

    def note(self, op):
        """Sums that vLLM's annotation around an operator tells of lengths, or None."""
        at = self.slices[op][5]
        while at is not None:
            found = re.match(r"execute_.*?context_\d+\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\).*?generation_\d+"
                             r"\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\)", self.name(at))
            if found and self.slices[at][4] == self.classes["annotation"]:
                numbers = list(map(int, found.groups()))
                return [numbers[:4], numbers[4:]]
            at = self.slices[at][5]
        return None

    def rows(self):
        """What each row of `ptool roofline` must be: {(name, shapes, dtypes): Row}."""
        owners, inner = self.owners()
        self.around_calls = self.told()
        times, single = collections.Counter(), []
        if self.work:
            for w in self.work:
                name = self.text[w[3]]
                moved = re.search("HtoD|DtoH|HostToDevice|DeviceToHost", name) and w[4] == self.classes["memcpy"]
                if w[6] in owners and not moved:
                    times[owners[w[6]]] += w[2]
                else:
                    single.append((name, w[2]))
        else:
            for op, row in self.ops.items():
                times[owners[op]] += row[2]
                parent = next(iter(list(self.around(op))[1:]), None)
                if parent:
                    times[owners[parent]] -= row[2]
        out = {}
        for op, ns in times.items():
            key, found = self.key(op, inner)
            add(out, key, ns, found)
        for name, ns in single:
            add(out, (name, None, None), ns, (None, None))
        return out

    def steps(self, peaks):
        """{number: (known FLOPs, time of those calls, time of all, ns of them at the peak)}, without collectives."""
        owners, inner = self.owners()
        self.around_calls = self.told()
        number = dict(self.db.execute("SELECT id, number FROM step"))
        calls, out = collections.defaultdict(int), collections.defaultdict(lambda: [0, 0, 0, 0.0])
        for w in self.work:
            if w[6] in owners:
                calls[owners[w[6]], number.get(w[9])] += w[2]
            elif w[9]:
                out[number[w[9]]][2] += w[2]
        for op, row in self.ops.items() if not self.work else ():
            calls[owners[op], number.get(self.slices[owners[op]][9])] += row[2]
            parent = next(iter(list(self.around(op))[1:]), None)
            if parent:
                calls[owners[parent], number.get(self.slices[owners[parent]][9])] -= row[2]
        for (op, step), ns in calls.items():
            (_, _, _), found = self.key(op, inner)
            flops = found[0] if found else None
            out[step][2] += ns
            if flops is not None:
                first = [t for t in self.inputs(op).tensors() if t.dims]
                out[step][0] += flops
                out[step][1] += ns
                out[step][3] += flops / peaks.get(self.type(op, first), math.inf) / 1e3
        return {step: tuple(v) for step, v in out.items() if step is not None}

    def inputs(self, op):
        return Inputs(*self.details[self.slices[op][7]])

    def type(self, op, tensors):
        """The element type of its arithmetic."""
        short = self.name(op).removeprefix("aten::").rstrip("_")
        if short in ("_foreach_add", "_fused_adamw"):
            return self.around_calls[op][0]
        if short in BINARY | COMPARE:
            return promoted(tensors)
        return tensors[0].dtype if tensors else None

    def key(self, op, inner):
        shapes, types, values = self.details.get(self.slices[op][7], ("", "", ""))
        name = self.name(op)
        found = (None, None)
        dtypes = None
        if shapes and types:
            i = Inputs(shapes, types, values)
            dtypes = i.dtypes()
            if counts(name) or name in COMPOSITE and op not in inner:
                found = work(name, i, self.note(op), self.around_calls[op])
        return (name, shapes or None, dtypes), found


def add(out, key, ns, found):
    row = out.get(key, Row(0, 0, 0, 0, True))
    total = lambda a, b: None if a is None or b is None else a + b
    flops, moved = found or (None, None)
    out[key] = Row(row.calls + 1, row.time + ns, total(row.flops, flops), total(row.bytes, moved),
                   row.known and found is not False)
