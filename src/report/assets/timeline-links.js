"use strict";
/*
 * What slices have to do with each other: a slice is { track, place }, and each has a number,
 * its ordinal on the page, by which launches and links of the page name it.
 */
class TimelineLinks {
	constructor(meta, tracks) {
		this.meta = meta;
		this.tracks = tracks;
		this.counted = tracks.filter(track => track.start).sort((a, b) => a.base - b.base);
	}

	/* The slice of a number; null: there is none. */
	find(number) {
		const track = this.counted.find(one => number >= one.base && number < one.base + one.n);
		if (!track || !(number >= 0))
			return null;
		return { track, place: track.places ? track.places[number - track.base] : number - track.base };
	}

	number({ track, place }) {
		if (!track.places)
			return track.base + place;
		if (!track.order) {
			track.order = new Uint32Array(track.n);
			track.places.forEach((at, i) => track.order[at] = i);
		}
		return track.base + track.order[place];
	}

	name({ track, place }) {
		return this.meta.names[track.what[place]];
	}

	className({ track, place }) {
		return this.meta.classes[this.meta.class[track.what[place]]];
	}

	start({ track, place }) {
		return track.start[place];
	}

	end({ track, place }) {
		return track.start[place] + track.dur[place];
	}

	/* The slice around it, in the next row above that has one. */
	parent({ track, place }) {
		if (track.kind !== "thread" && track.kind !== "notes")
			return null;
		const start = track.start[place];
		const end = start + track.dur[place];
		for (let row = timelineData.rowOf(track, place) - 1; row >= 0; row--) {
			const first = track.first[row];
			const at = timelineData.lowerBound(track.start, first, track.first[row + 1], start + 0.5) - 1;
			if (at >= first && track.start[at] + track.dur[at] >= end)
				return { track, place: at };
		}
		return null;
	}

	/* From the outermost to the slice itself. */
	stack(slice) {
		const around = [slice];
		for (let up = this.parent(slice); up; up = this.parent(up))
			around.push(up);
		return around.reverse();
	}

	/* The first slice within it. */
	child({ track, place }) {
		const row = timelineData.rowOf(track, place) + 1;
		if (row >= track.rows)
			return null;
		const at = timelineData.lowerBound(track.start, track.first[row], track.first[row + 1], track.start[place]);
		if (at === track.first[row + 1] || track.start[at] >= track.start[place] + track.dur[place])
			return null;
		return { track, place: at };
	}

	/* Its duration less that of the slices right below it. */
	selfTime({ track, place }) {
		const row = timelineData.rowOf(track, place) + 1;
		const end = track.start[place] + track.dur[place];
		let self = track.dur[place];
		if (row >= track.rows)
			return self;
		for (let at = timelineData.firstAfter(track, row, track.start[place]); at < track.first[row + 1] && track.start[at] < end; at++)
			self -= timelineData.within(track, at, track.start[place], end);
		return self;
	}

	/* Device work that was launched within a slice of the host: how much, and the first of it. */
	launched(slice, most = 40) {
		const { track, place } = slice;
		const end = this.end(slice);
		const startOf = track.places ? i => track.start[track.places[i]] : i => track.start[i];
		const from = this.number(slice);
		let low = from - track.base;
		let high = track.n;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (startOf(middle) < end)
				low = middle + 1;
			else
				high = middle;
		}
		const to = track.dur[place] > 0 ? track.base + low : from + 1;
		const work = { n: 0, total: 0, first: [] };
		for (const device of this.tracks)
			if (device.kind === "stream")
				this.addLaunched(device, from, to, work, most);
		work.first.sort((a, b) => this.start(a) - this.start(b));
		return work;
	}

	addLaunched(device, from, to, work, most) {
		for (let at = 0; at < device.n; at++) {
			const launch = device.launch[at];
			if (launch < from || launch >= to)
				continue;
			work.n++;
			work.total += device.dur[at];
			if (work.first.length < most)
				work.first.push({ track: device, place: at });
		}
	}

	/* [column, value] of what more is known of it. */
	details({ track, place }) {
		const { columns, rows } = this.meta.details;
		const row = rows[track.detail[place]] ?? [];
		const said = [];
		for (let i = 0; i < row.length; i += 2)
			said.push([columns[row[i]], row[i + 1]]);
		return said;
	}

	/* The step that a time lies in, of the profile of a track. */
	step(track, time) {
		return this.meta.steps.findLast(step => step.profile === track.profile && step.start <= time && time < step.end) ?? null;
	}

	/* The profile's slice that begins and ends then: of device work, idle time, then the host. */
	at(profile, start, end) {
		const kinds = ["stream", "idle", "thread", "notes", "async"];
		let found = null;
		let best = kinds.length;
		for (const track of this.counted) {
			const rank = kinds.indexOf(track.kind);
			if (track.profile !== profile || rank < 0 || rank >= best)
				continue;
			for (let row = 0; row < track.rows; row++) {
				let place = timelineData.lowerBound(track.start, track.first[row], track.first[row + 1], start);
				for (; place < track.first[row + 1] && track.start[place] === start; place++) {
					if (end !== undefined && track.start[place] + track.dur[place] !== end)
						continue;
					found ??= null;
					if (rank < best) {
						found = { track, place };
						best = rank;
					}
				}
			}
		}
		return found;
	}
}
