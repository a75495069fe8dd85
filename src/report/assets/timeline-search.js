"use strict";
/* Search over the names of slices: what it does not find is dimmed; next and previous in time. */
class TimelineSearch {
	constructor(timeline) {
		this.timeline = timeline;
		this.input = el("input", { type: "search", placeholder: "Search slices ( / )", "aria-label": "search slices" });
		this.found = el("span", { class: "count", role: "status", "aria-live": "polite" });
		this.input.addEventListener("input", () => this.find(this.input.value));
		this.input.addEventListener("keydown", event => this.key(event));
		this.buttons = [this.button("\u2039", "previous (p)", -1), this.button("\u203a", "next (n)", 1)];
	}

	button(text, title, by) {
		const button = el("button", { type: "button", title, "aria-label": title, hidden: true }, text);
		button.addEventListener("click", () => this.next(by));
		return button;
	}

	focus() {
		this.input.focus();
		this.input.select();
	}

	key(event) {
		if (event.key === "Enter") {
			event.preventDefault();
			this.next(event.shiftKey ? -1 : 1);
		} else if (event.key === "Escape") {
			this.input.value = "";
			this.find("");
			this.timeline.view.focus();
		}
	}

	/* All its words are in the name; "step*", as tables have it of several names, is one of them. */
	find(text) {
		const { timeline } = this;
		const words = text.toLowerCase().split(/[\s*]+/).filter(word => word);
		this.lower ??= timeline.meta.names.map(name => name.toLowerCase());
		const match = words.length ? Uint8Array.from(this.lower, name => words.every(word => name.includes(word)) ? 1 : 0) : null;
		timeline.painter.match = match;
		this.found.textContent = "";
		if (match) {
			const { count, time } = this.mark(match);
			const { bundled } = timeline.meta;
			this.found.textContent = `${units.count(count)} ${count === 1 ? "slice" : "slices"}, ${units.ns(time)}` +
				(bundled ? `; ${units.count(bundled)} in bundles are not searched` : "");
		}
		for (const button of this.buttons)
			button.hidden = !match;
		timeline.ask();
	}

	/* Counts what is found, and marks the blocks that it is in, for the painter. */
	mark(match) {
		let count = 0;
		let time = 0;
		for (const { track } of this.timeline.layout.lanes) {
			if (!track.start)
				continue;
			const { what, dur } = track;
			const counts = track.kind !== "collectives"; /* they are on their streams, too */
			const marks = new Uint8Array((track.n >> 4) + 1);
			track.marks = marks;
			for (let place = 0; place < track.n; place++) {
				if (!match[what[place]])
					continue;
				marks[place >> 4] = 1;
				if (counts && !track.bundled?.[place]) {
					count++;
					time += dur[place];
				}
			}
		}
		return { count, time };
	}

	/* The next one after the selected slice, or before it: in time, and of those that begin together from the top. */
	next(by) {
		const { timeline } = this;
		const { selected } = timeline;
		if (!timeline.painter.match)
			return;
		const from = selected ? timeline.links.start(selected) : by > 0 ? timeline.from : timeline.to;
		const tracks = timeline.layout.lanes.map(lane => lane.track).filter(track => track.start);
		const rows = tracks.flatMap(track => Array.from({ length: track.rows }, (_, row) => ({ track, row })));
		const own = rows.findIndex(({ track, row }) => track === selected?.track && row === timelineData.rowOf(track, selected.place));
		let best = null;
		for (let k = 0; k < rows.length; k++) {
			const i = by > 0 ? k : rows.length - 1 - k;
			const { track, row } = rows[i];
			/* above the selected slice those that begin with it come before it */
			const at = timelineData.lowerBound(track.start, track.first[row], track.first[row + 1], i < own ? from + 0.5 : from);
			const place = this.nextInRow(track, row, i === own ? selected.place + by : at - (by < 0 ? 1 : 0), by);
			if (place >= 0 && (!best || (track.start[place] - timeline.links.start(best)) * by < 0))
				best = { track, place };
		}
		if (best)
			timeline.choice.goTo(best);
	}

	nextInRow(track, row, place, by) {
		const { match } = this.timeline.painter;
		const first = track.first[row];
		const last = track.first[row + 1];
		while (place >= first && place < last && !match[track.what[place]])
			place += by;
		return place >= first && place < last ? place : -1;
	}
}
