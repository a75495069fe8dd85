#!/usr/bin/env python3
"""What the page computes, by node: round numbers of axes end, whatever the numbers of a store are, and
deep stacks are whole and in order, and of long chains the ends and of many steps the longest are shown; bundles count as
what their slices take.

Speaks TAP.
"""
import json
import os
import shutil
import subprocess

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "report", "assets")
FILES = "base.js", "chart.js", "timeline-data.js", "timeline-layout.js", "timeline-links.js", "timeline-choice.js", \
    "timeline-sums.js", "timeline-search.js", "timeline-input.js", "timeline-frames.js", \
    "table.js", "flame-draw.js"
# A thread of so many calls, each within the one before.
DEEP = """
function deep(rows) {
	const track = { kind: "thread", rows, n: rows, base: 0, first: Uint32Array.from({ length: rows + 1 }, (_, i) => i),
		start: Float64Array.from({ length: rows }, (_, i) => i), dur: Float64Array.from({ length: rows }, (_, i) => 2 * (rows - i)) };
	return new TimelineLinks({}, [track]).stack({ track, place: rows - 1 }).map(slice => slice.place);
}
/* Rows of [start, dur, name, slices of a bundle, their time]. */
function track(rows, more) {
	const all = rows.flat();
	const column = k => all.map(slice => slice[k] ?? 0);
	return { kind: "thread", rows: rows.length, n: all.length, base: 0, first: rows.reduce((at, row) => [...at, at.at(-1) + row.length], [0]),
		start: column(0), dur: column(1), what: column(2), bundled: column(3), busy: column(4), ...more };
}
function view(...tracks) {
	const meta = { names: ["a", "b", "short slices"], short: [0, 0, 0], bundled: 10, dur: 1000 };
	const timeline = { meta, layout: { lanes: tracks.map(track => ({ track })) }, links: new TimelineLinks(meta, tracks), painter: {}, ask() {} };
	timeline.search = Object.assign(Object.create(TimelineSearch.prototype), { timeline, found: {}, buttons: [] });
	return timeline;
}
/* 100 ns that hold 5 of 10 ns that a bundle of 10 slices takes, which spans 20 ns. */
const bundles = view(track([[[0, 100, 0]], [[10, 20, 2, 10, 5], [40, 20, 1]]]));
function found(text) {
	bundles.search.find(text);
	return bundles.search.found.textContent;
}
function mini() {
	const to = { sum: [0, 0, 0, 0], longest: [0, 0, 0, 0], tone: [], scale: 0.1, palette: { ofName: [] } };
	TimelineFrames.addToMini(bundles.layout.lanes[0].track, 1, to);
	return to.sum.map(pixels => Math.round(10 * pixels));
}
/* Nested calls that begin together, a lane that has one then too, and what begins before and after. */
const together = view(track([[[5, 100, 0]], [[5, 60, 0], [70, 10, 0]], [[5, 20, 1], [30, 5, 0]]]), track([[[1, 2, 0], [5, 10, 0]]]));
function searched(by, n) {
	const order = [];
	Object.assign(together, { from: 0, to: 1000, selected: null, choice: { goTo: slice => {
		together.selected = slice;
		order.push([together.layout.lanes.findIndex(lane => lane.track === slice.track), slice.place]);
	} } });
	together.search.find("a");
	for (let i = 0; i < n; i++)
		together.search.next(by);
	return order;
}
/* 10 pixels are the column of names, 100 pixels in all; a pixel is 10 ns. */
function dragged(x, to) {
	const timeline = { left: 10, width: 100, meta: { dur: 900 }, time: pixel => (pixel - 10) * 10, choice: { forget() {} }, ask() {} };
	TimelineInput.prototype.markTo.call({ timeline, drag: { x } }, { x: to });
	return timeline.area;
}
/* Boxes of [color, name]. */
function fills(...boxes) {
	const painter = { meta: {}, fills: new Map(), context: {}, colorOf: node => String(node),
		tree: { color: boxes.map(box => box[0]), name: boxes.map(box => box[1]) } };
	return boxes.map((_, node) => flamePainter.Painter.prototype.fillOf.call(painter, node));
}
const twins = [0, 1].map(profile => track([[[5, 10, 0]]], { kind: "idle", profile, base: profile }));
function sorted(values) {
	const table = Object.assign(Object.create(tables.Table.prototype), { rows: values.map(value => [value]), by: 0, shown: values.map((_, i) => i) });
	table.order();
	return table.shown.map(i => values[i]);
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
    "a span with half of a bundle": "new TimelineSums(bundles).gather([20, 50]).rows",
    "self time around a bundle": "bundles.links.selfTime({ track: bundles.layout.lanes[0].track, place: 0 })",
    "what a search says of bundles": "[found('b'), found('short')]",
    "a bundle on the strip": "mini()",
    "ids of any size in order": "sorted(['mean', '9007199254740995', '-9223372036854775808', 9007199254740992, '10000000000000001', '9007199254740993', null, 3])",
    "what a search found, forwards": "searched(1, 7)",
    "what a search found, backwards": "searched(-1, 7)",
    "drags within the names, out of them, into them and beyond the edge": "[dragged(2, 8), dragged(5, 30), dragged(30, 5), dragged(50, 200)]",
    "the slice of a rank": "[0, 1].map(profile => new TimelineLinks({}, twins).at(profile, 5, 15)?.track.profile ?? null)",
    "colours of boxes with many names": "fills([1, 0], [0, 65536], [15, 3], [0, 4])",
    "names of slices in a table of calls": "['step', '· · step', '· '.repeat(24) + '[30] step', '· [1] x'].map(tables.sliceName)",
    "a search for one of several names": "[found('b*'), found('*B c')]",
    "a list of some steps": "timelineLayout.listed(steps(3)).map(step => step.number)",
    "a list of very many": "(list => [list.length, list[0].number, list[1].number])(timelineLayout.listed(steps(200000)))",
}
EXPECTED = [[0, 500, 1000, 1500, 2000, 2500, 3000], [3.2, 3.4, 3.6, 3.8], [0, 1], [], True, True,
            [0, 1, 2, 3, 4], True, [60, [28, 29, None, 60, 61]],
            [["a", "host", 1, 30, 100], ["short slices", "host", 10, 3, None], ["b", "host", 1, 10, 20]], 75,
            ["1 slice, 20 ns; 10 in bundles are not searched", "0 slices, 0 ns; 10 in bundles are not searched"], [0, 3, 3, 0],
            ["-9223372036854775808", 3, 9007199254740992, "9007199254740993", "9007199254740995", "10000000000000001", "mean", None],
            [[1, 0], [0, 0], [0, 1], [1, 1], [0, 4], [0, 2]], [[0, 2], [0, 4], [1, 1], [0, 1], [0, 0], [1, 0]],
            [None, [0, 200], [0, 200], [400, 900]], [0, 1], ["0", "1", "2", "3"],
            ["step", "step", "step", "[1] x"], ["1 slice, 20 ns; 10 in bundles are not searched", "0 slices, 0 ns; 10 in bundles are not searched"],
            [0, 1, 2], [2000, 70, 170]]


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
