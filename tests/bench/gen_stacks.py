#!/usr/bin/env python3
"""gen_stacks.py collapsed|speedscope BYTES [DISTINCT [DEPTH]]: sampled stacks on standard output,
always the same, as py-spy writes them: so many distinct ones (50,000 of 200 MB) of about so many
frames (30), each written again and again, the frequent ones more often.

A new stack leaves the innermost few frames of an older one away and goes on with some of its own:
as in a program, outer frames are shared by many stacks and inner ones by few.
"""
import itertools
import random
import sys

FUNCTIONS = 3000
BYTES_A_STACK = 4000
PART = 4096  # stacks that are written at once


def function(i):
    return (f"{'_' * (i % 3 == 0)}step_{i % 89}_of_stage{i}", f"package{i % 41}/module_{i % 233}.py", i % 997 + 1)


def make_stacks(distinct, depth):
    random_ = random.Random(1)
    frames = [(i, random_.randint(0, 3)) for i in range(FUNCTIONS)]
    stacks = [tuple(random_.choices(frames, k=depth))]
    known = set(stacks)
    while len(stacks) < distinct:
        old = random_.choice(stacks)
        left = min(len(old) - 1, int(random_.expovariate(1 / 3)))
        more = 1 + int(random_.expovariate(1 / 3)) if len(old) <= depth else random_.randint(0, 1)
        stack = old[:len(old) - left] + tuple(random_.choices(frames, k=more))
        if stack not in known:
            known.add(stack)
            stacks.append(stack)
    return stacks


def in_order(stacks):
    """All once, and then for ever by weight: of a hundred, one has half of all samples."""
    random_ = random.Random(2)
    yield range(len(stacks))
    sums = list(itertools.accumulate(1 / (i + 10) for i in range(len(stacks))))
    while True:
        yield random_.choices(range(len(stacks)), cum_weights=sums, k=PART)


def collapsed(stacks, size, out):
    def frame(key):
        name, file, line = function(key[0])
        return f"{name} ({file}:{line + key[1]})"

    lines = [";".join(map(frame, stack)) for stack in stacks]
    random_ = random.Random(3)
    written = 0
    for part in in_order(stacks):
        for i in part:
            written += out.write(f"{lines[i]} {random_.randint(1, 9)}\n")
            if written >= size:
                return


def speedscope(stacks, size, out):
    keys = sorted({key for stack in stacks for key in stack})
    place = {key: i for i, key in enumerate(keys)}
    lists = [f"[{','.join(str(place[key]) for key in stack)}]" for stack in stacks]
    names = ",".join('{"name":"%s","file":"%s","line":%d,"col":null}' % function(key[0]) for key in keys)
    written = out.write('{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled",'
                        '"name":"Thread 140 \\"MainThread\\"","unit":"seconds","startValue":0.0,"endValue":%s,"samples":['
                        % "1e9")
    n = 0
    for part in in_order(stacks):
        texts = ",".join(lists[i] for i in part)
        written += out.write(("," if n else "") + texts) + len(",0.01") * len(part)
        n += len(part)
        if written >= size:
            break
    out.write(f'],"weights":[{",".join(["0.01"] * n)}]}}],"shared":{{"frames":[{names}]}},'
              '"activeProfileIndex":0,"exporter":"py-spy@0.4.0","name":"a program"}')


def main():
    kind, size = sys.argv[1], int(float(sys.argv[2]))
    distinct = int(sys.argv[3]) if len(sys.argv) > 3 else max(1, size // BYTES_A_STACK)
    depth = int(sys.argv[4]) if len(sys.argv) > 4 else 30
    {"collapsed": collapsed, "speedscope": speedscope}[kind](make_stacks(distinct, depth), size, sys.stdout)


if __name__ == "__main__":
    main()
