"use strict";
/*
 * Paints an icicle on a canvas as large as what is in sight: colours, labels, and boxes that
 * are narrower than a pixel, which are put together and never left out.
 */
const flamePainter = (() => {
	const ROW = 20;
	const LABEL_FROM = 24; /* pixels of a box that has a label */
	const PADDING = 4;
	const FOLDERS = 6; /* colours of Python frames: FLAME_FOLDERS of flame_color.h */
	const KINDS = ["other", "op", "note", "python", "module", "runtime", "kernel", "comm", "memcpy", "rest"];
	const WORDS = [
		"other", "operator", "annotation", "Python", "module", "runtime call", "kernel", "communication",
		"copy, memset", "not followed",
	];
	const HUES = [262, 222, 305, 160, 32, 62];
	/* From much less to much more, as flame_color.c has it; all bear black text. */
	const CHANGES = ["#3f8fdb", "#78b4ea", "#abd0f3", "#d6e6f7", "#e4e6ea", "#fbe0cd", "#f7bd93", "#f0955a", "#e56a1f"];
	/* What identifiers have in front, and narrow boxes have no room for. */
	const HEAD = /^(nn\.Module: |<built-in (?:method|function) |\w+::)/;
	const STRENGTHS = [0.01, 0.05, 0.2, 0.5];

	/* -1 gone to 1 new: as flame_change() of flame.h. */
	function change(icicle, node) {
		const now = icicle.total[node];
		const before = icicle.base ? icicle.base[node] : now;
		const larger = Math.max(now, before);
		return larger > 0 ? (now - before) / larger : 0;
	}

	function hueOf(name) {
		let hash = 7;
		for (const c of name.replace(/[0-9]+/g, "").slice(0, 200))
			hash = (hash * 31 + c.codePointAt(0)) % 1009;
		return hash % 8;
	}

	class Painter {
		constructor(canvas, tree, meta) {
			this.canvas = canvas;
			this.context = canvas.getContext("2d", { alpha: false });
			this.tree = tree;
			this.meta = meta;
			this.widths = new Map();
			this.theme();
		}

		/* Colours change with the theme. */
		theme() {
			this.fills = new Map();
			this.inks = new Map();
			this.ground = base.css("--panel");
			this.ink = base.css("--ink");
			this.accent = base.css("--accent");
			this.isDark = document.documentElement.dataset.theme === "dark";
		}

		colorOf(node, icicle) {
			if (this.meta.hasBase) {
				const amount = change(icicle, node);
				const strength = STRENGTHS.filter(least => Math.abs(amount) >= least).length;
				return CHANGES[4 + Math.sign(amount) * strength];
			}
			const color = this.tree.color[node];
			if (color < FOLDERS)
				return `hsl(${HUES[color]} 45% ${this.isDark ? 66 : 82}%)`;
			const kind = KINDS[color - FOLDERS];
			if (kind === "op")
				return `hsl(${205 + 6 * hueOf(this.meta.names[this.tree.name[node]])} 30% ${this.isDark ? 56 : 72}%)`;
			if (kind === "module")
				return `hsl(88 38% ${this.isDark ? 52 : 66}%)`;
			return base.css("--" + (kind === "rest" ? "other" : kind));
		}

		/* The fill of a box, and black or white, whichever reads better on it. */
		fillOf(node, icicle) {
			const key = this.meta.hasBase ? node : this.tree.color[node] + 16 * this.tree.name[node];
			let fill = this.fills.get(key);
			if (!fill) {
				this.context.fillStyle = this.colorOf(node, icicle);
				fill = this.context.fillStyle;
				this.fills.set(key, fill);
			}
			return fill;
		}

		inkOn(fill) {
			let ink = this.inks.get(fill);
			if (!ink) {
				const [r, g, b] = [1, 3, 5].map(at => parseInt(fill.slice(at, at + 2), 16));
				ink = 0.299 * r + 0.587 * g + 0.114 * b > 125 ? "#14171b" : "#ffffff";
				this.inks.set(fill, ink);
			}
			return ink;
		}

		width(text) {
			let width = this.widths.get(text);
			if (width === undefined) {
				width = this.context.measureText(text).width;
				this.widths.set(text, width);
			}
			return width;
		}

		/* The name, its short form without what is in front, or the beginning of that. */
		fit(node, room, sign) {
			const at = this.tree.name[node];
			const whole = sign + (node === 0 ? "all" : this.meta.shown[at]);
			if (node === 0 || this.width(whole) <= room)
				return whole;
			let short = sign + this.meta.short[at];
			if (this.width(short) <= room)
				return short;
			short = sign + this.meta.short[at].replace(HEAD, "");
			const width = this.width(short);
			if (width <= room)
				return short;
			const letters = Math.floor(short.length * (room - 10) / width);
			return letters > 1 ? short.slice(0, letters) + "\u2026" : "";
		}

		label(node, x, width, y, fill, sign) {
			const text = this.fit(node, width - 2 * PADDING, sign);
			if (!text)
				return;
			this.context.fillStyle = this.inkOn(fill);
			this.context.fillText(text, x + PADDING, y + ROW / 2);
		}

		signOf(node, icicle) {
			if (!this.meta.hasBase)
				return "";
			const amount = change(icicle, node);
			return Math.abs(amount) < STRENGTHS[0] ? "= " : amount > 0 ? "+ " : "\u2212 ";
		}

		/*
		 * view: { icicle, root, width, height, top, skip, matches, selected }; top: pixels
		 * out of sight; skip: rows of callers that are not drawn.
		 */
		paint(view) {
			const { icicle, root, width, height } = view;
			const ratio = Math.min(2, devicePixelRatio || 1);
			const g = this.context;
			this.canvas.width = Math.round(width * ratio);
			this.canvas.height = Math.round(height * ratio);
			g.scale(ratio, ratio);
			g.fillStyle = this.ground;
			g.fillRect(0, 0, width, height);
			g.font = "12px system-ui, -apple-system, \"Segoe UI\", sans-serif";
			g.textBaseline = "middle";
			this.boxes = [];
			const above = [];
			for (let node = root; node !== 0; above.push(node))
				node = this.tree.parent[node];
			above.reverse();
			for (let row = view.skip + Math.floor(view.top / ROW); row < icicle.levels.length; row++) {
				const y = (row - view.skip) * ROW - view.top;
				if (y >= height)
					break;
				if (row < above.length)
					this.box(view, above[row], 0, width, y, 0.55);
				else
					this.level(view, icicle.levels[row], y);
			}
			this.outline(view);
		}

		/* A row: boxes of a pixel or more, and stretches of smaller ones. */
		level(view, level, y) {
			const { icicle, root, width } = view;
			const from = icicle.start[root];
			const scale = width / icicle.total[root];
			const end = from + icicle.total[root];
			let tiny = -1; /* where a stretch of small boxes begins */
			let tinyEnd = 0;
			for (let k = flameData.firstAt(icicle, level, from); k < level.length; k++) {
				const node = level[k];
				if (icicle.start[node] >= end)
					break;
				const x = (icicle.start[node] - from) * scale;
				const wide = icicle.total[node] * scale;
				if (tiny >= 0 && (wide >= 1 || x - tinyEnd > 1)) {
					this.stretch(tiny, tinyEnd, y);
					tiny = -1;
				}
				if (wide >= 1) {
					this.box(view, node, x, wide, y, 1);
				} else {
					tiny = tiny < 0 ? x : tiny;
					tinyEnd = x + wide;
				}
			}
			if (tiny >= 0)
				this.stretch(tiny, tinyEnd, y);
		}

		stretch(x, end, y) {
			this.context.globalAlpha = 0.35;
			this.context.fillStyle = this.ink;
			this.context.fillRect(x, y, Math.max(0.5, end - x), ROW - 1);
			this.context.globalAlpha = 1;
		}

		box(view, node, x, width, y, alpha) {
			const g = this.context;
			const isMiss = view.matches && !view.matches.has(this.tree.name[node]);
			const fill = this.fillOf(node, view.icicle);
			g.globalAlpha = isMiss ? 0.22 : alpha;
			g.fillStyle = fill;
			g.fillRect(x, y, width > 3 ? width - 1 : width, ROW - 1);
			if (width >= LABEL_FROM) {
				g.globalAlpha = isMiss ? 0.5 : 1;
				const seen = isMiss || alpha < 1 ? this.mixed() : fill;
				this.label(node, x, width, y, seen, this.signOf(node, view.icicle));
			}
			g.globalAlpha = 1;
			this.boxes.push({ node, x, y, width });
		}

		/* Behind pale boxes is the ground. */
		mixed() {
			return this.isDark ? "#202020" : "#f0f0f0";
		}

		/* What the keys move; of what is enlarged only when they may. */
		outline(view) {
			const box = this.boxes.find(one => one.node === view.selected);
			if (!box || (view.selected === view.root && document.activeElement !== this.canvas))
				return;
			this.context.strokeStyle = this.accent;
			this.context.lineWidth = 2;
			this.context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.width - 3), ROW - 3);
		}

		/* What colours mean: [fill, words]. */
		legend() {
			if (this.meta.hasBase)
				return CHANGES.map((fill, i) => [fill, { 0: "half or less", 4: "same", 8: "twice or more" }[i] ?? ""]);
			const there = new Set(this.tree.color.subarray(1));
			const marks = WORDS.map((words, i) => [i + FOLDERS, words]);
			marks.unshift([[...there].find(color => color < FOLDERS), "Python, by folder"]);
			return marks.filter(([color]) => there.has(color))
				.map(([color, words]) => [this.colorOf(this.tree.color.indexOf(color, 1), null), words]);
		}

		at(x, y) {
			return this.boxes.find(box => y >= box.y && y < box.y + ROW && x >= box.x && x < box.x + box.width)?.node;
		}
	}

	return { Painter, ROW, change };
})();
