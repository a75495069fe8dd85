#!/usr/bin/env python3
"""gen_pstats.py FILE [FUNCTIONS [CALLERS]]: a dump as cProfile writes it, of so many
functions (1,000,000) with so many callers each (3), the same each time."""
import marshal
import sys


def main():
    path = sys.argv[1]
    functions = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    callers = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    keys = [(f"/srv/app/package{i // 997}/module{i // 31}.py", i % 4999 + 1, f"function_{i}") for i in range(functions)]
    stats = {}
    state = 1
    for key in keys:
        edges = {}
        calls = 0
        for _ in range(callers):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            n = (state >> 33) % 1000 + 1
            edges[keys[(state >> 20) % functions]] = (n, n, n * 1.25e-6, n * 7.75e-6)
            calls += n
        stats[key] = (calls, calls, calls * 1.25e-6, calls * 7.75e-6, edges)
    with open(path, "wb") as out:
        marshal.dump(stats, out)


if __name__ == "__main__":
    main()
