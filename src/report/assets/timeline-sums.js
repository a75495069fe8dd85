"use strict";
/* A span of time summed up by name, host and device apart: a table below the timeline. */
class TimelineSums {
	static COLUMNS = [
		{ name: "name", heading: "Name", unit: "text" },
		{ name: "where", heading: "Where", unit: "text" },
		{ name: "slices", heading: "Slices", unit: "count", number: true, divisor: 1, decimals: 0 },
		{
			name: "ns", heading: "In the span", unit: "ns", number: true, scales: true, bar: "kernel",
			about: "time within the span; that of slices around others holds theirs",
		},
		{ name: "longest_ns", heading: "Longest", unit: "ns", number: true, scales: true, about: "the longest slice, also beyond the span" },
	];
	static WHERE = { stream: "device", idle: "idle", collectives: "device", notes: "marks" };

	constructor(timeline) {
		this.timeline = timeline;
	}

	/* From the selected slice. */
	markSelected() {
		const { timeline } = this;
		const slice = timeline.selected;
		if (!slice)
			return;
		timeline.area = [timeline.links.start(slice), timeline.links.end(slice)];
		this.sumUp();
	}

	/* Rows by name and place: [name, where, slices, ns, longest]. */
	gather([from, to]) {
		const sums = new Map();
		const short = []; /* of the names of the rows, or null */
		const where = new Map();
		for (const { track } of this.timeline.layout.lanes) {
			if (!track.start || track.kind === "collectives")
				continue;
			const place = TimelineSums.WHERE[track.kind] ?? "host";
			if (!where.has(place))
				where.set(place, where.size);
			for (let row = 0; row < track.rows; row++)
				this.addRow(track, row, from, to, { sums, short, code: where.get(place), place });
		}
		return { rows: [...sums.values()], short };
	}

	addRow(track, row, from, to, { sums, short, code, place }) {
		const { start, dur, what } = track;
		const last = track.first[row + 1];
		for (let at = timelineData.firstAfter(track, row, from); at < last && start[at] < to; at++) {
			const key = what[at] * 8 + code;
			let sum = sums.get(key);
			if (!sum) {
				sum = [this.timeline.meta.names[what[at]], place, 0, 0, null];
				short.push(this.timeline.meta.short[what[at]]);
				sums.set(key, sum);
			}
			sum[2] += track.bundled?.[at] || 1;
			sum[3] += timelineData.within(track, at, from, to);
			if (!track.bundled?.[at])
				sum[4] = Math.max(sum[4], dur[at]);
		}
	}

	sumUp() {
		const { timeline } = this;
		const [from, to] = timeline.area;
		const { rows, short } = this.gather(timeline.area);
		const box = el("div", { class: "table tl-sums" });
		const title = el("h3", {}, `${units.ns(to - from)} from ${units.ns(from)}`);
		timeline.details.replaceChildren(title, box);
		const columns = TimelineSums.COLUMNS.map(column => ({ ...column }));
		const table = new tables.Table(box, { label: "slices in the span, by name", slices: true, columns, rows, short: { 0: short } });
		table.sortBy(3);
		timeline.ask();
	}
}
