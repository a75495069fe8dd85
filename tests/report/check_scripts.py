#!/usr/bin/env python3
"""What the page computes, by node: round numbers of axes end, whatever the numbers of a store are, and
deep stacks are whole and in order, and of long chains the ends and of many steps the longest are shown.

Speaks TAP.
"""
import json
import os
import shutil
import subprocess

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "report", "assets")
FILES = "base.js", "chart.js", "timeline-data.js", "timeline-layout.js", "timeline-links.js", "timeline-choice.js"
# A thread of so many calls, each within the one before.
DEEP = """
function deep(rows) {
	const track = { kind: "thread", rows, n: rows, base: 0, first: Uint32Array.from({ length: rows + 1 }, (_, i) => i),
		start: Float64Array.from({ length: rows }, (_, i) => i), dur: Float64Array.from({ length: rows }, (_, i) => 2 * (rows - i)) };
	return new TimelineLinks({}, [track]).stack({ track, place: rows - 1 }).map(slice => slice.place);
}
function steps(n) {
	return Array.from({ length: n }, (_, i) => ({ number: i, start: i * 10, end: i * 10 + (i % 100 === 70 ? 9 : 1) }));
}
"""
CASES = {
    "a usual time": "timelineLayout.ticks(0, 3000, 8).times",
    "a usual chart": "charts.ticks(3.2, 3.9, 4)",
    "a chart without room": "charts.ticks(0, 1, -0.6)",
    "no time at all": "timelineLayout.ticks(0, 0, 8).times",
    "times that doubles do not tell apart": "timelineLayout.ticks(3.9e18, 3.9e18 + 1500, 8).times.length <= 10",
    "values that doubles do not tell apart": "charts.ticks(3.9e9, 3.9e9 + 1e-6, 8).length <= 10",
    "a stack from the outermost": "deep(5)",
    "a deep stack": "deep(60000).every((place, i) => place === i)",
    "the ends of a long chain": "[TimelineChoice.ends(deep(60)).length, TimelineChoice.ends(deep(90)).slice(28, 33)]",
    "a list of some steps": "timelineLayout.listed(steps(3)).map(step => step.number)",
    "a list of very many": "(list => [list.length, list[0].number, list[1].number])(timelineLayout.listed(steps(200000)))",
}
EXPECTED = [[0, 500, 1000, 1500, 2000, 2500, 3000], [3.2, 3.4, 3.6, 3.8], [0, 1], [], True, True,
            [0, 1, 2, 3, 4], True, [60, [28, 29, None, 60, 61]], [0, 1, 2], [2000, 70, 170]]


def answers():
    sources = [open(os.path.join(ASSETS, name), encoding="utf-8").read() for name in FILES]
    cases = ", ".join(CASES.values())
    program = "\n".join(source.replace('"use strict";', "") for source in sources) + DEEP + f"\nconsole.log(JSON.stringify([{cases}]));"
    return json.loads(subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True, timeout=20).stdout)


def main():
    print(f"1..{len(CASES)}")
    found = answers() if shutil.which("node") else None
    for i, (name, expected) in enumerate(zip(CASES, EXPECTED)):
        if found is None:
            print(f"ok {i + 1} - {name} # SKIP node is not installed")
        else:
            print(f"{'ok' if found[i] == expected else 'not ok'} {i + 1} - {name}: {found[i]}")
    raise SystemExit(found not in (None, EXPECTED))


if __name__ == "__main__":
    main()
