"use strict";
/*
 * Which colour a slice has.  One colour means one thing in all tabs; operators of the host
 * have muted tones by their names, so that patterns show and no meaning is claimed.
 */
const timelineColors = (() => {
	const TONES = 4;
	const KEYS = ["kernel", "comm", "memcpy", "memset", "data", "runtime", "other", "python", "note", "cpu"];
	const MUTED = [[205, 26], [228, 24], [255, 22], [178, 22], [150, 16], [32, 24], [345, 20], [285, 20]];
	const BY_CLASS = {
		memcpy: "memcpy", memset: "memset", python: "python", collective: "comm", bundle: "other",
		runtime: "runtime", driver: "runtime", overhead: "runtime", sync: "runtime",
		annotation: "note", device_annotation: "note", span: "note",
	};

	const COMMUNICATES = /nccl|rccl|AllReduce|cross_device|^(nccl:|gloo:|c10d::|record_param_comms)/i;
	const MARKS_STEP = /^ProfilerStep#\d+$/;
	const LOADS_DATA = /^enumerate\(Data(Loader|Pipe)\)|DataLoader.*__next__/;

	/* The key of a colour of the style sheet; "op": one of the muted tones. */
	function keyOf(name, className) {
		if (className === "kernel" || className === "accelerator")
			return COMMUNICATES.test(name) ? "comm" : "kernel";
		if (MARKS_STEP.test(name))
			return "note";
		if (LOADS_DATA.test(name))
			return "data";
		if (COMMUNICATES.test(name) && className !== "python")
			return "comm";
		return BY_CLASS[className] ?? "op";
	}

	/* [r, g, b] of any colour that CSS writes. */
	function parse(context, color) {
		context.fillStyle = color;
		const text = context.fillStyle;
		return [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
	}

	const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
	const packed = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
	const isDark = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b < 140;

	/* The same for names that differ in numbers alone: ProfilerStep#5 and #6. */
	function hash(name) {
		let h = 7;
		for (const c of name.replace(/\d+/g, "").slice(0, 60))
			h = h * 31 + c.charCodeAt(0) | 0;
		return h >>> 3;
	}

	/* The colours of the theme, and of each name the place of its own. */
	class Palette {
		constructor(context, meta) {
			this.context = context;
			this.keys = meta.names.map((name, i) => keyOf(name, meta.classes[meta.class[i]]));
			for (const [name, key] of meta.colors)
				this.keys[name] = key;
			this.hashes = meta.names.map(hash);
			this.ofName = new Uint16Array(meta.names.length);
			this.update();
		}

		/* When the theme has changed. */
		update() {
			const color = name => parse(this.context, base.css(name));
			this.panel = color("--panel");
			this.line = color("--line");
			this.ink = base.css("--ink");
			this.soft = base.css("--soft");
			this.panelText = base.css("--panel");
			this.full = [];
			this.dim = []; /* of what a search did not find */
			this.pale = []; /* behind slices that are too short to be seen one by one */
			this.dark = []; /* labels are white */
			for (const key of KEYS)
				this.addTones(key, color("--" + key));
			this.addMuted();
			this.ofName = this.ofName.map((_, i) => this.placeOf(i));
			this.full = Uint32Array.from(this.full);
			this.dim = Uint32Array.from(this.dim);
			this.pale = Uint32Array.from(this.pale);
		}

		addTones(key, color) {
			const isSoft = key === "note" || key === "python";
			const middle = isSoft ? mix(color, this.panel, 0.55) : color;
			for (let tone = 0; tone < TONES; tone++)
				this.add(mix(middle, tone % 2 ? [255, 255, 255] : [0, 0, 0], [0, 0.14, 0.1, 0.28][tone]));
		}

		addMuted() {
			const light = document.documentElement.dataset.theme === "dark" ? 52 : 66;
			for (const [hue, saturation] of MUTED)
				this.add(parse(this.context, `hsl(${hue} ${saturation}% ${light}%)`));
		}

		add(color) {
			this.full.push(packed(color));
			this.dim.push(packed(mix(color, this.panel, 0.82)));
			this.pale.push(packed(mix(color, this.panel, 0.8)));
			this.dark.push(isDark(color));
		}

		ofKey(key) {
			return KEYS.indexOf(key) * TONES;
		}

		placeOf(name) {
			if (this.keys[name] === "op")
				return KEYS.length * TONES + this.hashes[name] % MUTED.length;
			return KEYS.indexOf(this.keys[name]) * TONES + this.hashes[name] % TONES;
		}
	}

	return { Palette, mix, packed };
})();
