"use strict";
/*
 * Paints rows of slices: one pass over what is in sight, whatever its number.  A slice of a
 * pixel or more is drawn as it is; of those that share a pixel the longest gives the colour,
 * and the pixel is filled as high as they cover it, over a pale ground.  So a stream seen
 * from afar is a curve of its use, and nothing is left out.
 */
class TimelinePainter {
	static LETTERS = 400; /* of a label at most: measuring a name of a megabyte kills a tab */

	constructor(canvas, meta) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
		this.palette = new timelineColors.Palette(this.context, meta);
		this.names = meta.names.map((name, i) => visibleName(meta.short[i] ?? name));
		this.widths = new Map(); /* of names, in pixels of the page */
		this.labels = [];
		this.match = null; /* by name: does the search want it? */
	}

	/* The size in pixels of the page, and how many of the device each is. */
	size(width, height, ratio) {
		const canvas = this.canvas;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
		this.width = canvas.width;
		this.height = canvas.height;
		this.ratio = ratio;
		this.image = new ImageData(this.width, this.height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.color = new Uint32Array(this.width);
		this.ground = new Uint32Array(this.width);
		this.filled = new Uint16Array(this.width); /* how high */
	}

	/* A frame that shows [from, to) from `left` on. */
	begin(left, from, to) {
		this.left = Math.round(left * this.ratio);
		this.from = from;
		this.to = to;
		this.scale = (this.width - this.left) / (to - from);
		this.pixels.fill(timelineColors.packed(this.palette.panel));
		this.labels.length = 0;
		this.drawn = 0; /* marks that were made: for tests */
	}

	x(time) {
		return this.left + (time - this.from) * this.scale;
	}

	/* A line from top to bottom at a time. */
	line(time, color) {
		const x = Math.round(this.x(time));
		const value = timelineColors.packed(color);
		if (x < this.left || x >= this.width)
			return;
		for (let at = x; at < this.pixels.length; at += this.width)
			this.pixels[at] = value;
	}

	/* A row of a track; y and height in pixels of the page. */
	row(track, row, y, height) {
		const top = Math.round(y * this.ratio);
		const rows = Math.max(1, Math.round((y + height) * this.ratio) - top);
		const last = track.first[row + 1];
		const small = 1 / this.scale;
		let place = timelineData.firstAfter(track, row, this.from);
		if (place >= last || track.start[place] >= this.to)
			return;
		this.filled.fill(0, this.left);
		this.ground.fill(0, this.left);
		const most = rows - (rows > 6 ? Math.ceil(this.ratio) : 0);
		while (place < last && track.start[place] < this.to) {
			if (track.dur[place] >= small)
				place = this.large(track, place, top, rows, most);
			else
				place = this.small(track, place, last, most, small);
			this.drawn++;
		}
		this.copy(top, rows, most);
	}

	large(track, place, top, rows, most) {
		const { left, width, palette, color, filled, ratio } = this;
		const name = track.what[place];
		const tone = palette.ofName[name];
		const isHit = !this.match || this.match[name];
		const x = this.x(track.start[place]);
		const x0 = x < left ? left : x | 0;
		const x1 = Math.min(width, Math.max(x0 + 1, (x + track.dur[place] * this.scale) | 0));
		const own = isHit ? palette.full[tone] : palette.dim[tone];
		let high = most;
		if (track.bundled?.[place]) {
			high = Math.max(1, Math.round(most * track.busy[place] / track.dur[place]));
			this.ground.fill(palette.pale[tone], x0, x1);
		}
		color.fill(own, x0, x1);
		filled.fill(high, x0, x1);
		if (x1 - x0 > 3 && x1 < width)
			color[x1 - 1] = palette.pale[tone]; /* a seam between neighbours */
		if (x1 - x0 > 26 * ratio && rows > 12 * ratio)
			this.labels.push(x0, top, x1 - x0, rows, name, isHit ? tone : -1);
		return place + 1;
	}

	/* All slices that begin in one pixel and are shorter than that: by blocks where they fit. */
	small(track, place, last, most, small) {
		const { start, dur, what } = track;
		const { match, palette, filled } = this;
		const busy = track.busy ?? dur;
		const x = Math.max(this.left, this.x(start[place]) | 0);
		const edge = this.from + (x + 1 - this.left) / this.scale;
		let sum = 0;
		let longest = -1;
		let tone = 0;
		let isHit = !match;
		do {
			const size = this.blockAt(track, place, last, edge, small);
			const level = size > 1 ? track.levels[Math.log2(size) / 4 - 1] : null;
			const best = level ? level.longest[place / size] : place;
			sum += level ? level.sum[place / size] : busy[place];
			if (match && (level ? track.marks[place >> 4] : match[what[place]]))
				isHit = true;
			if (dur[best] > longest) {
				longest = dur[best];
				tone = palette.ofName[what[best]];
			}
			place += size;
		} while (place < last && start[place] < edge && dur[place] < small);
		if (x >= this.width)
			return place;
		const high = Math.max(1, Math.round(Math.min(1, sum * this.scale) * most));
		if (high >= filled[x]) {
			this.color[x] = isHit ? palette.full[tone] : palette.dim[tone];
			filled[x] = high;
		}
		if (track.kind !== "idle")
			this.ground[x] = isHit ? palette.pale[tone] : palette.dim[tone];
		return place;
	}

	/* The largest block that starts here, ends before the pixel does and has nothing larger than it. */
	blockAt(track, place, last, edge, small) {
		let best = 1;
		for (let k = 0, size = 16; k < track.levels.length; k++, size *= 16) {
			const isWhole = (place & size - 1) === 0 && place + size <= last && track.start[place + size - 1] < edge;
			if (!isWhole || (this.match && k > 0) || track.dur[track.levels[k].longest[place / size]] >= small)
				break;
			best = size;
		}
		return best;
	}

	/* The row's colours become lines of pixels. */
	copy(top, rows, most) {
		const { left, width, filled, ground, color, pixels } = this;
		const end = Math.min(this.height, top + rows);
		for (let y = Math.max(0, top); y < end; y++) {
			const level = top + rows - y;
			const line = y * width;
			if (level > most)
				continue;
			for (let x = left; x < width; x++) {
				if (filled[x] >= level)
					pixels[line + x] = color[x];
				else if (ground[x])
					pixels[line + x] = ground[x];
			}
		}
	}

	/* A counter, as an area below its values; the largest value of a pixel counts. */
	counter(track, y, height) {
		const { time, value } = track;
		const top = Math.round(y * this.ratio);
		const rows = Math.round(height * this.ratio);
		const span = track.most - track.least || 1;
		const tone = this.palette.full[this.palette.ofKey(track.values === "bytes" ? "memcpy" : "cpu")];
		let at = Math.max(0, timelineData.lowerBound(time, 0, time.length, this.from) - 1);
		this.filled.fill(0, this.left);
		this.ground.fill(0, this.left);
		for (let x = this.left; x < this.width && at < time.length; x++) {
			const edge = this.from + (x + 1 - this.left) / this.scale;
			let most = time[at] < edge ? value[at] : null;
			while (at + 1 < time.length && time[at + 1] < edge) {
				at++;
				most = most === null ? value[at] : Math.max(most, value[at]);
			}
			if (most === null)
				continue;
			this.filled[x] = Math.max(1, Math.round((most - track.least) / span * rows));
			this.color[x] = tone;
		}
		this.copy(top, rows, rows);
	}

	/* Brings the pixels to the canvas, and labels on top of them. */
	end() {
		const { context, ratio, labels, palette } = this;
		context.putImageData(this.image, 0, 0);
		context.font = `${11 * ratio}px system-ui, sans-serif`;
		context.textBaseline = "middle";
		for (let i = 0; i < labels.length; i += 6) {
			const [x, y, width, height, name, tone] = labels.slice(i, i + 6);
			const text = this.fit(name, (width - 8 * ratio) / ratio);
			if (!text)
				continue;
			context.fillStyle = tone < 0 ? palette.soft : palette.dark[tone] ? "#fff" : "#111418";
			context.fillText(text, x + 4 * ratio, y + height / 2);
		}
	}

	/* As much of the name as there is room for. */
	fit(name, room) {
		const text = this.names[name].slice(0, TimelinePainter.LETTERS);
		let width = this.widths.get(name);
		if (width === undefined) {
			width = this.context.measureText(text).width / this.ratio;
			this.widths.set(name, width);
		}
		if (width <= room)
			return text;
		const letters = Math.floor(text.length * (room - 9) / width);
		return letters < 2 ? "" : text.slice(0, letters) + "\u2026";
	}
}
