"use strict";
/*
 * A frame of the timeline: tracks by the painter, and over them the ruler with its steps, the
 * names of the tracks, the strip of the whole recording, what is selected and its arrows.
 */
class TimelineFrames {
	static MINI = 46; /* pixels: the strip's height */
	static ARROWS = 40;
	static STEP_TEXT = 12; /* pixels of a step that has room for its number */

	constructor(view) {
		this.view = view;
		this.isAsked = false;
		this.painted = null; /* what the tracks on the canvas were painted for */
		this.miniImage = null;
		this.times = []; /* of the last frames, in ms: for tests */
	}

	resize(width, height) {
		this.forgetTracks();
		const ratio = Math.min(3, devicePixelRatio || 1);
		for (const [canvas, high] of [[this.view.over, height], [this.view.mini, TimelineFrames.MINI]]) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(high * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = high + "px";
		}
		this.ratio = ratio;
		this.forgetMini();
	}

	forgetTracks() {
		this.painted = null;
	}

	forgetMini() {
		this.miniImage = null;
	}

	ask() {
		if (this.isAsked)
			return;
		this.isAsked = true;
		requestAnimationFrame(now => this.frame(now));
	}

	frame(now) {
		const { view } = this;
		this.isAsked = false;
		if (!view.width || !view.layout)
			return;
		view.input.glide(now);
		const began = performance.now();
		const marks = timelineLayout.ticks(view.from, view.to, Math.max(3, view.width / 130));
		this.paintTracks(marks);
		this.drawOver(marks);
		this.drawMini();
		this.times.push(performance.now() - began);
		if (this.times.length > 600)
			this.times.shift();
	}

	/* Not when only what is over them has changed: the mouse moved, or another slice is selected. */
	paintTracks(marks) {
		const { view } = this;
		const { painter, layout } = view;
		const { palette } = painter;
		const top = view.view.scrollTop;
		const now = [view.from, view.to, top, painter.width, painter.height, painter.match, palette.full];
		if (this.painted?.every((value, i) => value === now[i]))
			return;
		this.painted = now;
		const height = view.view.clientHeight;
		painter.begin(layout.left, view.from, view.to);
		for (const mark of marks.times)
			painter.line(mark, timelineColors.mix(palette.line, palette.panel, 0.5));
		const color = timelineColors.mix(palette.line, [128, 128, 128], 0.5);
		let drawn = null; /* of steps that share a pixel one is enough */
		for (const step of view.meta.steps) {
			const x = Math.round(painter.x(step.start));
			if (x !== drawn)
				painter.line(step.start, color);
			drawn = x;
		}
		for (const lane of this.lanesInSight()) {
			if (lane.track.kind === "counter")
				painter.counter(lane.track, lane.top - top, lane.tops[1]);
			else
				this.paintRows(lane, top, height);
		}
		painter.end();
	}

	/* With their names, which may stand above them. */
	lanesInSight() {
		const { lanes } = this.view.layout;
		const top = this.view.view.scrollTop;
		const from = top + timelineLayout.RULER;
		const to = top + this.view.view.clientHeight + 2 * timelineLayout.NAME;
		return lanes.filter(lane => lane.bottom + timelineLayout.NAME > from && lane.top - timelineLayout.NAME < to);
	}

	paintRows(lane, top, height) {
		for (let row = 0; row < lane.track.rows; row++) {
			const y = lane.top + lane.tops[row] - top;
			const high = lane.tops[row + 1] - lane.tops[row];
			if (y > height)
				break;
			if (y + high > timelineLayout.RULER)
				this.view.painter.row(lane.track, row, y, high);
		}
	}

	drawOver(marks) {
		const { view } = this;
		const context = view.over.getContext("2d");
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		context.clearRect(0, 0, view.width, view.view.clientHeight);
		this.drawNames(context);
		this.drawRuler(context, marks);
		context.save();
		context.beginPath();
		context.rect(view.left, timelineLayout.RULER, view.width, view.view.clientHeight);
		context.clip();
		this.drawArea(context);
		this.drawArrows(context);
		this.drawSelection(context);
		context.restore();
	}

	/* Of tracks: beside them, or above where there is no room. */
	drawNames(context) {
		const { view } = this;
		const { palette } = view.painter;
		const top = view.view.scrollTop;
		context.textBaseline = "alphabetic";
		if (view.left) {
			context.fillStyle = palette.panelText;
			context.fillRect(0, 0, view.left - 1, view.view.clientHeight);
		}
		for (const lane of this.lanesInSight()) {
			const y = (view.layout.isNarrow ? lane.top - timelineLayout.NAME : lane.top) - top;
			if (lane.heading)
				this.drawHeading(context, lane.heading, y - 8);
			const room = view.left ? view.left - 20 : view.width * 0.62;
			context.fillStyle = palette.ink;
			context.font = "600 12px system-ui, sans-serif";
			const title = this.fit(context, lane.title, room);
			const used = context.measureText(title).width;
			context.fillText(title, view.left ? 12 : 6, y + 12);
			context.fillStyle = palette.soft;
			context.font = "11px system-ui, sans-serif";
			if (view.left)
				context.fillText(this.fit(context, lane.about, room), 12, y + 27);
			else
				context.fillText(lane.about, used + 18, y + 12);
			context.fillStyle = base.css("--line");
			context.fillRect(0, Math.round(lane.bottom - top + 3), view.width, 1);
		}
	}

	drawHeading(context, text, y) {
		context.fillStyle = this.view.painter.palette.soft;
		context.font = "600 11px system-ui, sans-serif";
		context.fillText(text.toUpperCase(), this.view.left ? 12 : 6, y);
	}

	fit(context, whole, room) {
		const text = whole.slice(0, TimelinePainter.LETTERS);
		if (context.measureText(text).width <= room)
			return text;
		let length = text.length;
		while (length > 1 && context.measureText(text.slice(0, length) + "\u2026").width > room)
			length--;
		return text.slice(0, length) + "\u2026";
	}

	drawRuler(context, marks) {
		const { view } = this;
		const { palette } = view.painter;
		const height = timelineLayout.RULER;
		context.fillStyle = palette.panelText;
		context.fillRect(0, 0, view.width, height);
		context.font = "11px system-ui, sans-serif";
		this.drawSteps(context);
		context.fillStyle = palette.soft;
		marks.times.forEach((time, i) => {
			const x = view.x(time);
			if (x >= view.left - 1)
				context.fillText(marks.texts[i], x + 3, 35);
		});
		if (view.left) {
			context.fillStyle = palette.panelText;
			context.fillRect(0, 0, view.left, height - 1);
			context.fillStyle = palette.soft;
			context.fillText(units.ns(view.to - view.from) + " in sight", 12, 16);
		}
		context.fillStyle = base.css("--line");
		context.fillRect(0, height - 1, view.width, 1);
	}

	/* Bands of the steps, as the host marked them. */
	drawSteps(context) {
		const { view } = this;
		const { palette } = view.painter;
		const first = view.meta.steps[0]?.profile;
		const line = base.css("--line");
		let drawn = null; /* of steps that share a pixel the first is drawn */
		view.meta.steps.forEach((step, i) => {
			const x0 = Math.max(view.left, view.x(step.start));
			const x1 = Math.min(view.width, view.x(step.end));
			if (step.profile !== first || x1 <= x0 || Math.floor(x0) === drawn)
				return;
			drawn = x1 - x0 < 1 ? Math.floor(x0) : null;
			context.fillStyle = line;
			context.globalAlpha = i % 2 ? 0.55 : 1;
			context.fillRect(x0, 3, Math.max(1, x1 - x0 - 1), 17);
			context.globalAlpha = 1;
			if (x1 - x0 < TimelineFrames.STEP_TEXT)
				return;
			context.fillStyle = palette.ink;
			const texts = [`step ${step.number} \u00b7 ${units.ns(step.end - step.start)}`, `step ${step.number}`, String(step.number)];
			const text = texts.find(one => context.measureText(one).width < x1 - x0 - 8);
			if (text)
				context.fillText(text, x0 + 5, 16);
		});
	}

	drawArea(context) {
		const { view } = this;
		if (!view.area)
			return;
		const [from, to] = view.area.map(time => view.x(time));
		context.fillStyle = base.css("--accent");
		context.globalAlpha = 0.14;
		context.fillRect(from, 0, to - from, view.view.clientHeight);
		context.globalAlpha = 1;
		context.fillRect(from, 0, 1, view.view.clientHeight);
		context.fillRect(to, 0, 1, view.view.clientHeight);
	}

	/* From launches to the work that they started. */
	drawArrows(context) {
		const { view } = this;
		const arrows = view.choice.arrows.slice(0, TimelineFrames.ARROWS);
		context.strokeStyle = context.fillStyle = view.painter.palette.ink;
		context.globalAlpha = arrows.length > 4 ? 0.4 : 0.9;
		for (const [from, to] of arrows) {
			const a = view.box(from);
			const z = view.box(to);
			if (a && z)
				this.drawArrow(context, a, z, arrows.length <= 4);
		}
		context.globalAlpha = 1;
	}

	drawArrow(context, a, z, hasBoxes) {
		const x0 = a.x + Math.min(a.width, 4);
		const y0 = a.y + a.height / 2;
		const y1 = z.y + z.height / 2;
		const bend = Math.max(18, Math.abs(z.x - x0) / 2);
		context.lineWidth = 1.4;
		context.beginPath();
		context.moveTo(x0, y0);
		context.bezierCurveTo(x0 + bend, y0, z.x - bend, y1, z.x, y1);
		context.stroke();
		context.beginPath();
		context.moveTo(z.x + 1, y1);
		context.lineTo(z.x - 7, y1 - 4);
		context.lineTo(z.x - 7, y1 + 4);
		context.fill();
		context.lineWidth = 1;
		for (const box of hasBoxes ? [a, z] : [])
			context.strokeRect(box.x + 0.5, box.y + 0.5, box.width, box.height - 2);
	}

	drawSelection(context) {
		const { view } = this;
		const box = view.selected && view.box(view.selected);
		if (!box)
			return;
		const { palette } = view.painter;
		context.strokeStyle = palette.ink;
		context.lineWidth = 2;
		context.strokeRect(box.x, box.y, box.width, box.height - 1);
		context.strokeStyle = palette.panelText;
		context.lineWidth = 1;
		context.strokeRect(box.x + 1.5, box.y + 1.5, Math.max(1, box.width - 3), Math.max(1, box.height - 4));
	}

	/* How much the devices are used over all of the recording; without any, the threads. */
	drawMini() {
		const { view } = this;
		const { mini } = view;
		const context = mini.getContext("2d");
		const height = TimelineFrames.MINI;
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.miniImage ??= this.paintMini();
		context.putImageData(this.miniImage, 0, 0);
		const scale = view.width / view.meta.dur;
		const x0 = view.from * scale;
		const x1 = Math.max(x0 + 3, view.to * scale);
		context.fillStyle = view.painter.palette.panelText;
		context.globalAlpha = 0.62;
		context.fillRect(0, 0, x0, height);
		context.fillRect(x1, 0, view.width - x1, height);
		context.globalAlpha = 1;
		context.strokeStyle = base.css("--accent");
		context.lineWidth = 2;
		context.strokeRect(x0 + 1, 1, x1 - x0 - 2, height - 2);
	}

	paintMini() {
		const { view } = this;
		const { painter } = view;
		const width = view.mini.width;
		const height = view.mini.height;
		const image = new ImageData(width, height);
		const pixels = new Uint32Array(image.data.buffer);
		const tracks = this.miniTracks();
		pixels.fill(timelineColors.packed(painter.palette.panel));
		const sum = new Float64Array(width);
		const longest = new Float64Array(width);
		const tone = new Uint16Array(width);
		const scale = width / view.meta.dur;
		for (const track of tracks) {
			const row = this.miniRow(track);
			for (let place = track.first[row]; place < track.first[row + 1]; place++)
				TimelineFrames.addToMini(track, place, { sum, longest, tone, scale, palette: painter.palette });
		}
		const full = height - 8 * this.ratio;
		const most = tracks[0]?.kind === "stream" ? tracks.length : sum.reduce((a, b) => Math.max(a, b), 1);
		for (let x = 0; x < width; x++) {
			const high = Math.round(Math.min(1, sum[x] / most) * full);
			for (let y = 0; y < high; y++)
				pixels[(height - 1 - y) * width + x] = painter.palette.full[tone[x]];
		}
		return image;
	}

	/* Of a thread the first row that is no mere frame around the others. */
	miniRow(track) {
		const count = row => track.first[row + 1] - track.first[row];
		const rows = Array.from({ length: track.rows }, (_, row) => row);
		const most = rows.reduce((n, row) => Math.max(n, count(row)), 0);
		return track.kind === "thread" ? rows.find(row => count(row) >= most / 4) : 0;
	}

	/* The busiest stream of each device, or all threads. */
	miniTracks() {
		const tracks = this.view.layout.lanes.map(lane => lane.track);
		const streams = tracks.filter(track => track.kind === "stream");
		if (!streams.length)
			return tracks.filter(track => track.kind === "thread");
		const best = new Map();
		for (const track of streams) {
			const key = `${track.profile} ${track.device}`;
			const other = best.get(key);
			if (!other || timelineLayout.busy(track) > timelineLayout.busy(other))
				best.set(key, track);
		}
		return [...best.values()];
	}

	/* A slice's share of each pixel that it covers. */
	static addToMini(track, place, to) {
		const start = track.start[place] * to.scale;
		const end = (track.start[place] + track.dur[place]) * to.scale;
		for (let x = Math.floor(start); x < end && x < to.sum.length; x++) {
			to.sum[x] += timelineData.within(track, place, x / to.scale, (x + 1) / to.scale) * to.scale;
			if (track.dur[place] > to.longest[x]) {
				to.longest[x] = track.dur[place];
				to.tone[x] = to.palette.ofName[track.what[place]];
			}
		}
	}
}
