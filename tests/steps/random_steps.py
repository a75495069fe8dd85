"""Small random traces of training: steps, threads, streams, devices, and what goes wrong with them."""
import random


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.correlation = [], 0
        # One kind of label a trace: with all of them labels would tell every phase.
        self.label = self.random.choice(["## forward ##", "loss.backward", "my range", "optimizer", "load data"])
        self.devices = self.random.choice([[0], [0], [0, 1], [3], []])
        self.engine = ["vLLM", "new", "SGLang", "TensorRT-LLM"][seed % 4] if seed % 3 == 0 else None

    def span(self, category, name, start, dur, pid=1, tid=1, **args):
        """Times in ns; written as microseconds with three digits."""
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                            "ts": start / 1000, "dur": dur / 1000, "args": args})

    def work(self, call_start, call_end, linked=True):
        pick = self.random
        self.correlation += 1
        device, stream = pick.choice(self.devices), pick.choice([7, 20])
        category, name = pick.choice([("kernel", "gemm"), ("kernel", "gemm"), ("kernel", "ncclDevKernel_AllReduce"),
                                      ("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"), ("gpu_memset", "Memset (Device)")])
        start = call_start + pick.randrange(0, 4000)
        args = {"correlation": self.correlation} if linked else {}
        self.span(category, name, start, pick.randrange(0, 3000), device, stream, device=device, stream=stream, **args)
        if linked:
            self.span(pick.choice(["cuda_runtime", "cuda_runtime", "cuda_driver"]), "cudaLaunchKernel", call_start,
                      call_end - call_start, tid=pick.choice([1, 2]), correlation=self.correlation)

    def busy_host(self, start, end):
        pick = self.random
        for _ in range(pick.randrange(0, 12)):
            at = pick.randrange(start, end)
            dur = pick.randrange(0, max(1, (end - start) // 3))
            category, name = pick.choice([
                ("cpu_op", "aten::mm"), ("cpu_op", "aten::add"), ("cpu_op", "aten::to"), ("cpu_op", "aten::copy_"),
                ("cpu_op", "autograd::engine::evaluate_function: MmBackward0"), ("cpu_op", "MmBackward0"), ("user_annotation", self.label),
                ("user_annotation", "nccl:all_reduce"), ("cpu_op", "gloo:broadcast"),
                ("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
                ("user_annotation", "Optimizer.step#SGD.step"), ("python_function", "train.py(1): f"),
                ("gpu_user_annotation", "## forward ##")])
            args = {}
            if category == "cpu_op" and pick.random() < 0.5:
                args["Sequence number"] = pick.randrange(0, 9)
                args["Fwd thread id"] = 1 if name == "MmBackward0" else 0
            self.span(category, name, at, dur, tid=pick.choice([1, 2]), **args)
        for _ in range(pick.randrange(0, 10) if self.devices else 0):
            at = pick.randrange(start, end)
            self.work(at, at + pick.randrange(0, 600), pick.random() < 0.9)

    def mark(self, number, at, dur):
        """The annotation of a step; vLLM's of requests that are new may hold one that says more."""
        prompts, decodes = self.random.choice([(0, 8), (3, 0), (2, 5), (0, 0)])
        name = {"vLLM": f"execute_context_{prompts}({prompts * 9})_generation_{decodes}({decodes})",
                "new": f"execute_new_{prompts}_cached_{decodes}",
                "SGLang": self.random.choice(["step[DECODE bs=8]", "step[EXTEND bs=3 toks=27]", "step[IDLE bs=0]"]),
                "TensorRT-LLM": f"[Executor] _forward_step {number + 4}: {prompts} ctx reqs, {decodes} gen reqs",
                None: f"ProfilerStep#{number + 4}"}[self.engine]
        self.span("user_annotation", name, at, dur)
        if self.engine == "new" and dur > 20 and self.random.random() < 0.7:
            self.span("user_annotation", f"step[DECODE bs={decodes}]", at + 5, dur - 10)

    def make(self):
        pick = self.random
        at = 1_000_000 + pick.randrange(0, 1000)
        self.span("cpu_op", "aten::empty", at, 10)
        for number in range(pick.choice([0, 1, 2, 3, 5])):
            dur = pick.choice([pick.randrange(1, 8000), pick.randrange(1, 300)])
            self.mark(number, at, dur)
            if not self.engine and pick.random() < 0.2:
                self.span("gpu_user_annotation", f"ProfilerStep#{number + 4}", at + 50, dur, 0, 7)
            if pick.random() < 0.8:
                self.busy_host(at, at + dur)
            at += dur + pick.choice([0, 0, 13, 500])
        if pick.random() < 0.5:
            self.busy_host(at, at + 3000)
        pick.shuffle(self.events)
        return {"schemaVersion": 1, "traceEvents": self.events}


def trace(seed):
    return Maker(seed).make()
