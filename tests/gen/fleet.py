#!/usr/bin/env python3
"""fleet.py OUTDIR [SEED [PLANT]]: traces of the ranks of one made job, a file a rank.

A machine of two clocks a rank runs it: the host prepares a step and launches kernels, the
device runs them in order; collectives begin on each rank when it comes to them and end on
all when the last has come and the bytes are over.  Two plants may be in it, or none:

  slow_rank   all kernels of one rank take longer
  slow_link   the transfers of one pair of ranks take longer
  late_host   one rank's host prepares each step for longer
  noisy_step  in one step one rank's host pauses

`Fleet(seed, plant)` keeps what happened in plain lists, so that a slow reference reads the
same facts and never the JSON: `work[rank]` is (start, end, what, call) of the device.
"""
import os
import random
import sys

PLANTS = ("slow_rank", "slow_link", "late_host", "noisy_step")
KERNELS = (("gemm_128x64", 180_000), ("layer_norm", 30_000), ("flash_fwd", 120_000), ("elementwise", 20_000),
           ("gemm_256x128", 240_000), ("optimizer", 60_000))
LAUNCH_NS = 5_000
HOST = {"pid": 100, "tid": 100}


def micros(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


class Fleet:
    def __init__(self, seed, plant=None, ranks=None, steps=None):
        r = self.random = random.Random(seed)
        self.plant = plant
        self.nranks = ranks or 2 * r.randint(4, 8)
        self.nsteps = steps or r.randint(10, 16)
        self.who = r.randrange(self.nranks)
        self.when = r.randrange(1, self.nsteps)
        self.factor = {"slow_rank": r.uniform(1.15, 1.6), "slow_link": r.uniform(1.8, 4),
                       "late_host": r.uniform(0.2, 0.8), "noisy_step": r.uniform(0.6, 3)}.get(plant, 0)
        self.clock = [r.randint(-5_000_000, 5_000_000) for _ in range(self.nranks)]
        self.work = [[] for _ in range(self.nranks)]     # of the device
        self.steps = [[] for _ in range(self.nranks)]    # (number, start, end) of the host
        self.launches = [[] for _ in range(self.nranks)]  # start, by place in work
        self.now = [50_000_000 + r.randint(0, 20_000) for _ in range(self.nranks)]
        self.busy = list(self.now)
        for number in range(self.nsteps):
            self.step(number)

    def about(self, ns, part=0.01):
        return max(1, int(self.random.gauss(ns, part * ns)))

    def pair(self, rank):
        return [rank - rank % 2, rank - rank % 2 + 1]

    def compute(self, rank, kernels):
        for name, ns in kernels:
            ns = self.about(ns) * (self.factor if self.plant == "slow_rank" and rank == self.who else 1)
            start = max(self.busy[rank], self.now[rank] + LAUNCH_NS) + self.random.randint(1_000, 2_000)
            self.add(rank, start, start + int(ns), name, None)

    def add(self, rank, start, end, what, call):
        self.launches[rank].append(self.now[rank])
        self.work[rank].append((start, end, what, call))
        self.now[rank] += LAUNCH_NS
        self.busy[rank] = end

    def collective(self, ranks, elements, group, number):
        starts = {rank: max(self.busy[rank], self.now[rank] + LAUNCH_NS) + 1_500 for rank in ranks}
        ns = self.about(elements // 4, 0.03)
        if self.plant == "slow_link" and len(ranks) == 2 and self.who in ranks:
            ns = int(ns * self.factor)
        end = max(starts.values()) + ns
        for rank in ranks:
            self.add(rank, starts[rank], end + self.random.randint(0, 200), "all_reduce",
                     (ranks, elements, group, number))

    def step(self, number):
        begin = list(self.now)
        for rank in range(self.nranks):
            prepare = self.about(200_000, 0.03)
            if self.plant == "late_host" and rank == self.who:
                prepare += int(self.factor * 1_000_000)
            if self.plant == "noisy_step" and rank == self.who and number == self.when:
                prepare += int(self.factor * 1_500_000)
            self.now[rank] += prepare
            self.compute(rank, KERNELS[:4])
        for first in range(0, self.nranks, 2):
            self.collective(self.pair(first), 400_000, f"pair{first // 2}", number)
        for rank in range(self.nranks):
            self.compute(rank, KERNELS[4:])
        self.collective(list(range(self.nranks)), 800_000, "world", number)
        for rank in range(self.nranks):  # the host waits for its device
            self.now[rank] = self.busy[rank] + self.random.randint(3_000, 5_000)
            self.steps[rank].append((number, begin[rank], self.now[rank]))

    def events(self, rank):
        """Lines of JSON, on the rank's own clock."""
        clock = self.clock[rank]

        def line(cat, name, start, end, where, args):
            where = ", ".join(f'"{k}": {v}' for k, v in where.items())
            args = ", ".join(f'"{k}": {v}' for k, v in args.items())
            return (f'{{"ph": "X", "cat": "{cat}", "name": "{name}", {where}, "ts": {micros(start + clock)}, '
                    f'"dur": {micros(end - start)}, "args": {{{args}}}}}')

        for number, start, end in self.steps[rank]:
            yield line("user_annotation", f"ProfilerStep#{number}", start, end, HOST, {})
        for i, (start, end, what, call) in enumerate(self.work[rank]):
            launch = self.launches[rank][i]
            yield line("cuda_runtime", "cudaLaunchKernel", launch, launch + 3_000, HOST, {"correlation": i + 1})
            args = {"device": rank, "stream": 7, "correlation": i + 1}
            if call:
                ranks, elements, group, number = call
                args.update({"Collective name": '"allreduce"', "dtype": '"Float"', "In msg nelems": elements,
                             "Out msg nelems": elements, "Group size": len(ranks), "Seq": number,
                             "Process Group Name": f'"{group}"', "Process Group Ranks": f'"{ranks}"'})
                what = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
            yield line("kernel", what, start, end, {"pid": rank, "tid": 7}, args)

    def name(self, rank):
        return f"rank{rank}.json"

    def save(self, folder):
        """The paths, in the order of the ranks."""
        paths = []
        for rank in range(self.nranks):
            paths.append(os.path.join(folder, self.name(rank)))
            head = (f'{{"schemaVersion": 1, "baseTimeNanoseconds": 0, "distributedInfo": {{"backend": "nccl", '
                    f'"rank": {rank}, "world_size": {self.nranks}}}, "traceEvents": [\n')
            with open(paths[-1], "w", encoding="utf-8") as out:
                out.write(head + ",\n".join(self.events(rank)) + "\n]}\n")
        return paths


class Serving(Fleet):
    """The same of an inference engine: phases of steps, operators with shapes, experts, memory, and tensor parallel ranks."""

    def name(self, rank):
        return f"17.2-TP-{rank % 2}-PP-{rank // 2}.trace.json"

    def events(self, rank):
        moe = '"fused_moe_kernel(float*)"'
        for event in super().events(rank):
            for number, _, _ in self.steps[rank]:
                word = f"EXTEND bs=2 toks={64 + number}" if number % 3 == 0 else f"DECODE bs={4 + number}"
                event = event.replace(f'"ProfilerStep#{number}"', f'"step[{word}]"')
            yield event.replace('"flash_fwd"', moe)
        for i, start in enumerate(self.launches[rank]):
            yield (f'{{"ph": "X", "cat": "cpu_op", "name": "aten::{"mm" if i % 3 else "copy_"}", "pid": 100, "tid": 100, '
                   f'"ts": {micros(start - 500 + self.clock[rank])}, "dur": {micros(4_000)}, "args": '
                   f'{{"Input Dims": [[{8 + i % 4}, 16], [16, 4]], "Input type": ["float", "float"]}}}}')
        total = 1 << 20
        for number, start, end in self.steps[rank]:
            for k, (ts, size) in enumerate(((start + 700, 4096 * (number + 1 + rank)), (start + 900, 65536), (end - 900, -65536))):
                total += size
                yield (f'{{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 100, '
                       f'"ts": {micros(ts + self.clock[rank])}, "args": {{"Bytes": {size}, "Addr": {4096 * (number * 2 if k == 0 else 1) + 64}, '
                       f'"Device Type": 1, "Device Id": {rank}, "Total Allocated": {total}, "Total Reserved": {1 << 22}}}}}')


if __name__ == "__main__":
    Fleet(int((sys.argv[2:] + [0])[0]), (sys.argv[3:] + [None])[0]).save(sys.argv[1])
