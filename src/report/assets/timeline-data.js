"use strict";
/*
 * The slices of a page, unpacked: ptool-report(1), EMBEDDED TIMELINE, describes the bytes.
 *
 * A track has its slices row after row, each row by time: those of row r are at the places
 * first[r] to first[r + 1] - 1 of start, dur, name and detail.  In a row no slice begins
 * before the one before it ends, so that a binary search finds what is at a time.
 */
const timelineData = (() => {
	const CHUNK = 32768;
	const PATIENCE_MS = 20; /* then the browser may do something else */
	const BLOCK = 16; /* slices of a block; blocks of the next level are as many blocks */
	const LEVELS = 3;

	/* A column of LEB128 numbers: the first bytes of all together, then the second ones ... */
	class Column {
		constructor(reader) {
			this.bytes = reader.bytes;
			this.at = [];
			const lengths = [];
			for (let planes = reader.number(); planes > 0; planes--)
				lengths.push(reader.number());
			for (const length of lengths) {
				this.at.push(reader.at);
				reader.at += length;
			}
		}

		/* The next n numbers. */
		read(into, n) {
			const { bytes, at } = this;
			if (at.length === 0) {
				into.fill(0, 0, n);
				return;
			}
			let low = at[0];
			for (let i = 0; i < n; i++) {
				const byte = bytes[low++];
				into[i] = byte < 128 ? byte : this.long(byte & 127);
			}
			at[0] = low;
		}

		/* The rest of a number of several bytes. */
		long(value) {
			const { bytes, at } = this;
			let scale = 128;
			let byte;
			let plane = 1;
			do {
				byte = bytes[at[plane]++];
				value += (byte & 127) * scale;
				scale *= 128;
				plane++;
			} while (byte > 127);
			return value;
		}
	}

	const signed = code => code % 2 ? -(code + 1) / 2 : code / 2;

	/* Lets the browser paint and listen. */
	function pause() {
		return new Promise(resolve => {
			const channel = new MessageChannel();
			channel.port1.onmessage = resolve;
			channel.port2.postMessage(0);
		});
	}

	class Patience {
		constructor() {
			this.since = performance.now();
		}

		async wait() {
			if (performance.now() - this.since < PATIENCE_MS)
				return;
			await pause();
			this.since = performance.now();
		}
	}

	/* Places: where each row begins, and of each slice in the order of the bytes. */
	function sortIntoRows(rows, nrows) {
		const first = new Uint32Array(nrows + 1);
		for (const row of rows)
			first[row + 1]++;
		for (let row = 0; row < nrows; row++)
			first[row + 1] += first[row];
		if (nrows === 1)
			return { first, places: null };
		const next = first.slice();
		const places = rows;
		for (let i = 0; i < rows.length; i++)
			places[i] = next[rows[i]]++;
		return { first, places };
	}

	/* Room for what is decoded at once. */
	function makeChunk() {
		const names = ["gap", "dur", "name", "detail", "launch", "op"];
		return Object.fromEntries(names.map(name => [name, new Float64Array(CHUNK)]));
	}

	async function unpackSlices(bytes, meta, chunk, patience) {
		const reader = new base.Numbers(bytes, meta.at);
		const n = reader.number();
		const ncolumns = reader.number();
		const columns = {};
		for (const name of ["gap", "dur", "name", "row", "detail", "launch", "op"].slice(0, ncolumns))
			columns[name] = new Column(reader);
		const rowOf = new Uint32Array(n);
		columns.row.read(rowOf, n);
		const rows = rowOf.slice();
		const { first, places } = sortIntoRows(rowOf, meta.rows);
		const links = ncolumns > 5 && !meta.bundles;
		const track = {
			...meta, first, places,
			start: new Float64Array(n),
			dur: new Float64Array(n),
			what: new Uint32Array(n),
			detail: new Uint32Array(n),
			launch: links ? new Int32Array(n).fill(-1) : null,
			op: links ? new Int32Array(n).fill(-1) : null,
			bundled: meta.bundles ? new Uint32Array(n) : null,
			busy: meta.bundles ? new Float64Array(n) : null,
		};
		const state = { before: 0, lastRow: -1, detail: 0, launch: 0, ends: new Float64Array(meta.rows) };
		for (let from = 0; from < n; from += CHUNK) {
			const length = Math.min(CHUNK, n - from);
			for (const [name, column] of Object.entries(columns))
				if (name !== "row")
					column.read(chunk[name], length);
			addTimes(track, chunk, rows, from, length, state);
			if (links)
				addLinks(track, chunk, from, length, state);
			if (meta.bundles)
				addBundles(track, chunk, from, length);
			await patience.wait();
		}
		track.levels = makeLevels(track.busy ? busyOf(track) : track.dur, track.dur);
		return track;
	}

	function addTimes(track, chunk, rows, from, length, state) {
		const { start, dur, what, detail, places, unit, shift } = track;
		const { ends } = state;
		for (let i = 0; i < length; i++) {
			const row = rows[from + i];
			const place = places ? places[from + i] : from + i;
			const reference = row > state.lastRow ? state.before : ends[row];
			const at = reference + signed(chunk.gap[i]);
			start[place] = at * unit + shift;
			dur[place] = chunk.dur[i] * unit;
			what[place] = chunk.name[i];
			state.detail += signed(chunk.detail[i]);
			detail[place] = state.detail;
			ends[row] = at + chunk.dur[i];
			state.before = at;
			state.lastRow = row;
		}
	}

	function addLinks(track, chunk, from, length, state) {
		for (let i = 0; i < length; i++) {
			const place = track.places ? track.places[from + i] : from + i;
			if (chunk.launch[i]) {
				state.launch += signed(chunk.launch[i] - 1);
				track.launch[place] = state.launch - 1;
			}
			if (chunk.op[i])
				track.op[place] = state.launch - signed(chunk.op[i] - 1) - 1;
		}
	}

	function addBundles(track, chunk, from, length) {
		for (let i = 0; i < length; i++) {
			const place = track.places ? track.places[from + i] : from + i;
			track.bundled[place] = chunk.launch[i];
			track.busy[place] = chunk.op[i] * track.unit;
		}
	}

	/* What each slice takes: a bundle less than it lasts. */
	function busyOf(track) {
		return track.dur.map((dur, i) => track.bundled[i] ? track.busy[i] : dur);
	}

	/* Of 16, 256 and 4096 slices in a row of places: their time, and the place of the longest. */
	function makeLevels(busy, dur) {
		const levels = [];
		let below = null;
		let n = dur.length;
		for (let k = 0; k < LEVELS; k++) {
			n = Math.floor(n / BLOCK);
			const sum = new Float64Array(n);
			const longest = new Uint32Array(n);
			for (let block = 0; block < n; block++) {
				let total = 0;
				let best = -1;
				for (let i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
					const place = below ? below.longest[i] : i;
					total += below ? below.sum[i] : busy[i];
					if (dur[place] > best) {
						best = dur[place];
						longest[block] = place;
					}
				}
				sum[block] = total;
			}
			below = { sum, longest };
			levels.push(below);
		}
		return levels;
	}

	function unpackSamples(bytes, meta) {
		const reader = new base.Numbers(bytes, meta.at);
		const n = reader.number();
		reader.number(); /* of columns: one */
		const gaps = new Float64Array(n);
		new Column(reader).read(gaps, n);
		const time = new Float64Array(n);
		const value = new Float64Array(n);
		const view = new DataView(new ArrayBuffer(8));
		let at = meta.shift;
		for (let i = 0; i < n; i++) {
			at += gaps[i];
			time[i] = at;
			for (let plane = 0; plane < 8; plane++)
				view.setUint8(plane, bytes[reader.at + plane * n + i]);
			value[i] = view.getFloat64(0, true);
		}
		const most = value.reduce((a, b) => Math.max(a, b), 0);
		const least = value.reduce((a, b) => Math.min(a, b), 0);
		return { ...meta, rows: 1, time, value, most, least };
	}

	/* The first place in [from, to) whose start is at or after the time. */
	function lowerBound(start, from, to, time) {
		while (from < to) {
			const middle = (from + to) >>> 1;
			if (start[middle] < time)
				from = middle + 1;
			else
				to = middle;
		}
		return from;
	}

	/* The first place of a row that ends after the time. */
	function firstAfter(track, row, time) {
		const from = track.first[row];
		const place = lowerBound(track.start, from, track.first[row + 1], time);
		if (place > from && track.start[place - 1] + track.dur[place - 1] > time)
			return place - 1;
		return place;
	}

	/* What a slice takes between two times that it reaches; of a bundle in proportion to what it spans. */
	function within(track, at, from, to) {
		const span = Math.min(to, track.start[at] + track.dur[at]) - Math.max(from, track.start[at]);
		return track.bundled?.[at] ? Math.round(span * track.busy[at] / (track.dur[at] || 1)) : span;
	}

	/* The row of a place. */
	function rowOf(track, place) {
		let low = 0;
		let high = track.rows;
		while (low + 1 < high) {
			const middle = (low + high) >>> 1;
			if (track.first[middle] <= place)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	/* Device work first: it is what is looked at. */
	function loadOrder(tracks) {
		const weight = { stream: 0, idle: 1, collectives: 1, counter: 2 };
		const of = i => weight[tracks[i].kind] ?? 3;
		return tracks.map((_, i) => i).sort((a, b) => of(a) - of(b) || a - b);
	}

	async function load(meta) {
		const patience = new Patience();
		const chunk = makeChunk();
		const tracks = [];
		const elements = new Map(); /* each holds many tracks, and is unpacked once */
		for (const i of loadOrder(meta.tracks)) {
			const said = { ...meta.tracks[i], shift: meta.profiles[meta.tracks[i].profile].shift };
			if (!elements.has(said.element))
				elements.set(said.element, await pageBytes("tracks-" + said.element));
			const bytes = elements.get(said.element);
			tracks[i] = said.kind === "counter" ? unpackSamples(bytes, said) : await unpackSlices(bytes, said, chunk, patience);
			await patience.wait();
		}
		return tracks;
	}

	return { load, lowerBound, firstAfter, within, rowOf };
})();
