"use strict";
/*
 * The timeline on the page: which time is in sight, and the frames in which it is drawn.
 * Painted at one pixel of the screen while it moves, sharp a tenth of a second after.
 */
class TimelineView {
	static SHARP_MS = 100;
	static LEAST_NS = 20; /* in sight */

	constructor(box, meta, tracks) {
		this.meta = meta;
		this.tracks = tracks;
		this.links = new TimelineLinks(meta, tracks);
		this.from = 0;
		this.to = Math.max(1, meta.dur);
		this.selected = null;
		this.area = null; /* [from, to) */
		this.build(box);
		this.painter = new TimelinePainter(this.canvas, meta);
		this.frames = new TimelineFrames(this);
		this.choice = new TimelineChoice(this);
		this.search = new TimelineSearch(this);
		this.sums = new TimelineSums(this);
		this.input = new TimelineInput(this);
		new ResizeObserver(() => this.resize()).observe(this.view);
	}

	build(box) {
		this.mini = el("canvas", { class: "tl-mini", "aria-hidden": "true" });
		this.canvas = el("canvas", { "aria-hidden": "true" });
		this.over = el("canvas", { class: "tl-over", "aria-hidden": "true" });
		this.space = el("div", { "aria-hidden": "true" });
		this.view = el("div", {
			class: "tl-view", tabindex: 0, role: "application", "aria-describedby": "tl-details",
			"aria-label": "timeline: w and s zoom, a and d pan, Enter selects, arrows go to neighbours, parent and child",
		}, this.canvas, this.over, this.space);
		this.tip = el("div", { class: "tl-tip", hidden: true });
		this.details = el("div", { class: "tl-details", id: "tl-details", role: "status", "aria-live": "polite" });
		this.controls = el("div", { class: "controls" });
		box.replaceChildren(this.controls, el("div", { class: "tl" }, this.mini, this.view, this.tip, this.details));
	}

	get width() {
		return this.view.clientWidth;
	}

	get left() {
		return this.layout.left;
	}

	x(time) {
		return this.left + (time - this.from) * (this.width - this.left) / (this.to - this.from);
	}

	time(x) {
		return this.from + (x - this.left) * (this.to - this.from) / (this.width - this.left);
	}

	theme() {
		this.painter.palette.update();
		this.frames.forgetMini();
		this.ask();
	}

	resize() {
		const width = this.width;
		if (!width)
			return;
		this.layout = timelineLayout.make(this.meta, this.tracks, width);
		this.view.style.height = Math.max(220, this.layout.height + 4) + "px";
		const height = this.view.clientHeight;
		this.space.style.height = Math.max(0, this.layout.height - height) + "px";
		this.view.style.setProperty("--up", -height + "px");
		this.setSharp(true);
		this.frames.resize(width, height);
		this.ask();
	}

	/* Sharp, or quick: as many pixels as the screen has, or as the page has. */
	setSharp(isSharp) {
		const ratio = isSharp ? Math.min(3, devicePixelRatio || 1) : 1;
		const height = this.view.clientHeight;
		const { canvas } = this.painter;
		const isSame = canvas.width === Math.round(this.width * ratio) && canvas.height === Math.round(height * ratio);
		if (isSame && this.painter.ratio === ratio)
			return;
		this.painter.size(this.width, height, ratio);
		this.frames.forgetTracks(); /* a canvas that gets a size is empty */
	}

	ask() {
		this.frames.ask();
	}

	/* The view moves: until it rests it is painted quickly. */
	moved() {
		this.setSharp(false);
		clearTimeout(this.resting);
		this.resting = setTimeout(() => {
			this.setSharp(true);
			this.ask();
			this.onRest?.();
		}, TimelineView.SHARP_MS);
		this.ask();
	}

	show(from, to) {
		const length = Math.min(this.meta.dur, Math.max(TimelineView.LEAST_NS, to - from));
		const middle = (from + to) / 2;
		this.from = Math.min(Math.max(0, middle - length / 2), Math.max(0, this.meta.dur - length));
		this.to = this.from + length;
		this.moved();
	}

	zoom(factor, at = (this.from + this.to) / 2) {
		this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	pan(time) {
		const length = this.to - this.from;
		this.from = Math.min(Math.max(0, this.from + time), Math.max(0, this.meta.dur - length));
		this.to = this.from + length;
		this.moved();
	}

	showAll() {
		this.show(0, this.meta.dur);
	}

	/* The slice and a little around it. */
	showSlice(slice) {
		const start = this.links.start(slice);
		const length = Math.max(100, slice.track.dur[slice.place]);
		this.show(start - length, start + 2 * length);
		this.reveal(slice);
	}

	laneOf(track) {
		return this.layout.lanes.find(lane => lane.track === track) ?? null;
	}

	/* Where a slice is on the screen; null: its track is not shown. */
	box({ track, place }) {
		const lane = this.laneOf(track);
		if (!lane)
			return null;
		const row = timelineData.rowOf(track, place);
		const x = this.x(track.start[place]);
		return {
			x,
			y: lane.top + lane.tops[row] - this.view.scrollTop,
			width: Math.max(2, this.x(track.start[place] + track.dur[place]) - x),
			height: lane.tops[row + 1] - lane.tops[row],
		};
	}

	/* Brings the slice into sight, and moves no more than that takes. */
	reveal(slice) {
		const start = this.links.start(slice);
		const end = this.links.end(slice);
		const length = this.to - this.from;
		if (end < this.from || start > this.to)
			this.show((start + end - length) / 2, (start + end + length) / 2);
		const box = this.box(slice);
		if (!box)
			return;
		const top = timelineLayout.RULER + 8;
		const bottom = this.view.clientHeight - 8;
		if (box.y < top)
			this.view.scrollTop += box.y - top;
		else if (box.y + box.height > bottom)
			this.view.scrollTop += box.y + box.height - bottom;
		this.ask();
	}

	/* The counter under the mouse and its value then, as text; null: there is none. */
	valueAt(x, y) {
		const found = y < timelineLayout.RULER || x < this.left ? null : timelineLayout.at(this.layout, y + this.view.scrollTop);
		if (!found || !found.lane.track.time)
			return null;
		const { track, title } = found.lane;
		const place = timelineData.lowerBound(track.time, 0, track.time.length, this.time(x)) - 1;
		return place < 0 ? null : `${title}  ${units.text(track.values, track.value[place])}`;
	}

	/* What is under the mouse: the longest of what shares a pixel, or lies `near` so many; or null. */
	hit(x, y, near = 2) {
		const found = y < timelineLayout.RULER || x < this.left ? null : timelineLayout.at(this.layout, y + this.view.scrollTop);
		if (!found || !found.lane.track.start)
			return null;
		const { track } = found.lane;
		const time = this.time(x);
		const to = this.time(x + near);
		let best = null;
		let longest = -1;
		const last = track.first[found.row + 1];
		let place = timelineData.firstAfter(track, found.row, this.time(x - near + 1));
		for (; place < last && track.start[place] <= to; place++) {
			const end = track.start[place] + track.dur[place];
			const isInside = track.start[place] <= time && time < end;
			const weight = track.dur[place] + (isInside ? 1e18 : 0);
			if (weight > longest) {
				longest = weight;
				best = { track, place };
			}
		}
		return best;
	}

	select(slice) {
		this.choice.select(slice);
	}
}
