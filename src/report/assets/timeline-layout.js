"use strict";
/*
 * Where tracks lie below each other: of each rank its device work, idle time and collectives,
 * then counters and threads, the busiest first.  What is never needed is thin.
 */
const timelineLayout = (() => {
	const RULER = 40;
	const GUTTER = 176; /* names of tracks stand there */
	const NARROW = 700; /* pixels: below, names stand above their tracks */
	const NAME = 17; /* the height of such a name */
	const LISTED = 2000; /* steps, in the list of them */
	const GAP = 9;
	const HEIGHTS = { stream: 26, collectives: 18, idle: 16, counter: 34, notes: 15 };
	const ORDER = { stream: 0, notes: 1, collectives: 2, idle: 3, counter: 4, thread: 5, async: 6 };
	const THIN = 4;
	const DEEP = 12; /* rows: of lower stacks none is thin */

	/* Rows of deep stacks that one slice fills, or that hold next to nothing. */
	function thinRows(track) {
		if (track.thin)
			return track.thin;
		track.thin = new Uint8Array(track.rows);
		if (track.kind !== "thread" || track.rows < DEEP)
			return track.thin;
		const span = track.end + track.shift - track.start[0];
		for (let row = 0; row < track.rows; row++) {
			let busy = 0;
			let longest = 0;
			for (let place = track.first[row]; place < track.first[row + 1]; place++) {
				busy += track.dur[place];
				longest = Math.max(longest, track.dur[place]);
			}
			track.thin[row] = longest > 0.85 * span || busy < 0.003 * span ? 1 : 0;
		}
		return track.thin;
	}

	/* Streams of a device together, each with its annotations. */
	function compare(a, b) {
		if (a.profile !== b.profile)
			return a.profile - b.profile;
		const byKind = (ORDER[a.kind] > 4) - (ORDER[b.kind] > 4);
		if (byKind || ORDER[a.kind] > 4)
			return byKind || ORDER[a.kind] - ORDER[b.kind] || b.n - a.n;
		const byDevice = a.device === b.device ? 0 : (a.device ?? 1e9) < (b.device ?? 1e9) ? -1 : 1;
		const isLane = track => track.kind === "stream" || track.kind === "notes";
		if (byDevice && a.device !== null && b.device !== null)
			return byDevice;
		if (isLane(a) && isLane(b) && a.tid !== b.tid)
			return a.tid < b.tid ? -1 : 1;
		return ORDER[a.kind] - ORDER[b.kind];
	}

	/* Of a device, or where nobody says which. */
	function deviceName(track) {
		if (track.device === null)
			return "device";
		return typeof track.device === "number" ? `device ${track.device}` : visibleName(track.device);
	}

	function title(track) {
		const name = visibleName(track.name).trim();
		switch (track.kind) {
		case "stream":
			return `${deviceName(track)} \u00b7 ${name || "stream " + track.tid}`;
		case "notes":
			return `${name || "stream " + track.tid}: marks`;
		case "idle":
			return `${deviceName(track)} \u00b7 idle`;
		case "collectives":
			return "collectives";
		case "counter":
			return name || "counter";
		case "async":
			return name || "asynchronous";
		default:
			return name.replace(/^thread (\d+) \((.*)\)$/, "$2 $1") || (track.tid === null ? "thread" : `thread ${visibleName(track.tid)}`);
		}
	}

	function busy(track) {
		track.total ??= (track.busy ?? track.dur).reduce((sum, dur) => sum + dur, 0);
		return track.total;
	}

	function about(track, duration) {
		switch (track.kind) {
		case "stream":
			return `${units.percent(100 * busy(track) / duration)} busy \u00b7 ${units.count(track.n)}`;
		case "idle":
			return `${units.percent(100 * busy(track) / duration)} \u00b7 ${units.count(track.n)} gaps`;
		case "counter":
			return `${units.text(track.values, track.least)} to ${units.text(track.values, track.most)}`;
		default:
			track.slices ??= track.bundled ? track.bundled.reduce((sum, n) => sum + (n || 1), 0) : track.n;
			return `${units.count(track.slices)} ${track.slices === 1 ? "slice" : "slices"}`;
		}
	}

	/* Tracks of marks that the profiler made for itself hold nothing to look at. */
	function isShown(track) {
		return track.n > 0 && !(track.kind === "thread" && track.n === 1 && !/^-?\d+$/.test(track.tid));
	}

	/* { lanes: [{ track, title, about, top, tops, bottom }], height, left } */
	function make(meta, tracks, width) {
		const isNarrow = width < NARROW;
		const shown = tracks.filter(isShown).sort(compare);
		const several = meta.profiles.length > 1;
		let y = RULER + 4;
		let profile = -1;
		const lanes = shown.map(track => {
			const heading = several && track.profile !== profile ? rankName(meta.profiles[track.profile]) : null;
			profile = track.profile;
			if (heading)
				y += NAME + 6;
			const top = y + (isNarrow ? NAME : 0);
			const tops = [0];
			const thin = thinRows(track);
			for (let row = 0; row < track.rows; row++)
				tops.push(tops[row] + (thin[row] ? THIN : HEIGHTS[track.kind] ?? 17));
			const lane = {
				track, heading, top, tops,
				get title() {
					return title(track);
				},
				get about() {
					return about(track, meta.profiles[track.profile].dur);
				},
				bottom: top + Math.max(tops[track.rows], isNarrow ? 0 : 30),
			};
			y = lane.bottom + GAP;
			return lane;
		});
		return { lanes, height: y, left: isNarrow ? 0 : GUTTER, isNarrow };
	}

	function rankName(profile) {
		return profile.rank === null ? visibleName(profile.path.split("/").pop()) : `rank ${profile.rank}`;
	}

	/* What is at a height: { lane, row }, or null. */
	function at(layout, y) {
		const lane = layout.lanes.find(one => y >= one.top && y < one.top + one.tops[one.track.rows]);
		if (!lane)
			return null;
		const row = timelineData.lowerBound(lane.tops, 0, lane.tops.length, y - lane.top + 1e-9) - 1;
		return { lane, row: Math.max(0, row) };
	}

	/* Round times between the two, about so many, and how they are written. */
	function ticks(from, to, most) {
		const { label, divisor } = units.scale("ns", to);
		const raw = (to - from) / most / divisor;
		const power = 10 ** Math.floor(Math.log10(raw));
		const step = [1, 2, 5, 10].find(factor => factor * power >= raw) * power;
		const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
		const times = [];
		const texts = [];
		const first = Math.ceil(from / divisor / step);
		/* counted: one step further may be the same number */
		for (let i = 0; i <= most + 1; i++) {
			const at = (first + i) * step;
			if (!(at * divisor <= to))
				break;
			times.push(at * divisor);
			texts.push(`${at.toFixed(decimals)} ${label}`);
		}
		return { times, texts };
	}

	/* Of very many steps as many as a list has room for: the longest of each place. */
	function listed(steps) {
		const n = Math.min(steps.length, LISTED);
		const longer = (a, b) => b.end - b.start > a.end - a.start ? b : a;
		return Array.from({ length: n }, (_, i) =>
			steps.slice(Math.floor(i * steps.length / n), Math.floor((i + 1) * steps.length / n)).reduce(longer));
	}

	return { make, at, ticks, listed, title, busy, rankName, RULER, NAME };
})();
