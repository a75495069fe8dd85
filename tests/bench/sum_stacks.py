#!/usr/bin/env python3
"""sum_stacks.py FILE: what a careful reader of sampled stacks does in Python: self and total of each
function, recursion counted once, of a collapsed or speedscope file.  Equal stacks are added up
before they are taken apart.  Prints the ten with the largest self."""
import json
import sys
from collections import Counter


def collapsed(path):
    stacks = Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, _, count = line.rstrip("\n").rpartition(" ")
            stacks[stack] += int(count)
    return ((stack.split(";"), weight) for stack, weight in stacks.items())


def speedscope(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    names = [f"{frame['name']} ({frame['file']}:{frame['line']})" for frame in data["shared"]["frames"]]
    stacks = Counter()
    for profile in data["profiles"]:
        for sample, weight in zip(profile["samples"], profile["weights"]):
            stacks[tuple(sample)] += weight
    return (([names[i] for i in stack], weight) for stack, weight in stacks.items())


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        read = speedscope if file.read(1) == b"{" else collapsed
    own, total = Counter(), Counter()
    for frames, weight in read(path):
        own[frames[-1]] += weight
        for name in set(frames):
            total[name] += weight
    for name, weight in own.most_common(10):
        print(weight, total[name], name)


if __name__ == "__main__":
    main()
