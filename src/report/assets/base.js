"use strict";
/*
 * What every other file uses: elements, units, names, embedded data, tabs.
 *
 *	el("td", { class: "text" }, name, el("b", {}, "x"))   text is only ever text
 *	units.ns(1234), units.bytes(n), units.count(n)
 *	pageJson("data-x"), await pageBytes("track-0"), await pageData("table-x")
 *	tabs.add("flame", { draw(section) {}, show(what) {}, key(event) {}, keys: [["/", "search"]] })
 *	go("timeline", { start, end, slice })
 *
 * draw is called once, when the tab is first shown; show whenever go() opens it at a place;
 * key for keys pressed while the tab is in sight, but not in a field; keys are for the list
 * of keys.  theme() and resize(), if there, are called when colours or widths change.
 */
const base = (() => {
	const SVG = "http://www.w3.org/2000/svg";
	const SVG_TAGS = new Set(["svg", "g", "rect", "path", "line", "text", "title", "circle", "polygon", "desc"]);

	function el(tag, attributes = {}, ...children) {
		const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
		for (const [name, value] of Object.entries(attributes))
			if (value !== null && value !== undefined && value !== false)
				node.setAttribute(name, value === true ? "" : value);
		node.append(...children.filter(child => child !== null && child !== undefined));
		return node;
	}

	/* As src/base/units.c: the unit that shows the largest number below a thousand. */
	const LADDERS = {
		ns: [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]],
		bytes: [["B", 1], ["KiB", 1024], ["MiB", 1048576], ["GiB", 1073741824]],
		flops: [["FLOP", 1], ["kFLOP", 1e3], ["MFLOP", 1e6], ["GFLOP", 1e9], ["TFLOP", 1e12]],
	};
	LADDERS.time = LADDERS.ns;
	const DECIMALS = { ns: 3, time: 3, bytes: 2, flops: 3, percent: 2, ratio: 3 };

	/* As printf() rounds: a tie, which only some multiples of 2^-n are, goes to the even digit. */
	function fixed(value, decimals) {
		const halves = Math.abs(value) * 2 ** (decimals + 1);
		if (halves % 2 !== 1)
			return value.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1");
		const below = Math.floor(Math.abs(value) * 10 ** decimals);
		return (Math.sign(value) * (below + below % 2) / 10 ** decimals).toFixed(decimals);
	}

	const GROUPS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

	function grouped(value) {
		return GROUPS.format(value);
	}

	/* { label, divisor, decimals } for numbers up to `largest`. */
	function scale(unit, largest) {
		const ladder = LADDERS[unit];
		if (!ladder)
			return { label: unit === "percent" ? "%" : "", divisor: 1, decimals: DECIMALS[unit] ?? 0 };
		const half = 0.5 / 10 ** DECIMALS[unit];
		let at = 0;
		while (at + 1 < ladder.length && largest / ladder[at][1] + half >= ladder[at + 1][1] / ladder[at][1])
			at++;
		return { label: ladder[at][0], divisor: ladder[at][1], decimals: at ? DECIMALS[unit] : 0 };
	}

	/* "12.345 ms"; decimals: fewer than the unit's own. */
	function withUnit(unit, value, decimals) {
		if (value === null || value === undefined)
			return "-";
		if (!LADDERS[unit])
			return unit === "percent" ? fixed(value, decimals ?? 2) + "%" : grouped(value);
		const s = scale(unit, Math.abs(value));
		return fixed(value / s.divisor, Math.min(s.decimals, decimals ?? s.decimals)) + " " + s.label;
	}

	const units = {
		ns: (value, decimals) => withUnit("ns", value, decimals),
		bytes: (value, decimals) => withUnit("bytes", value, decimals),
		count: value => grouped(value),
		percent: (value, decimals = 1) => fixed(value, decimals) + "%",
		text: withUnit,
		scale,
	};

	/* What nobody would see, or what turns text around, as terminals have it: \u202e. */
	const BLANKS = "\\u00a0\\u034f\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200a" +
		"\\u2028\\u2029\\u202f\\u205f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0";
	const HIDDEN = new RegExp(`[\\p{Cc}\\p{Cf}\\p{Cs}${BLANKS}]|(?<=\\p{M}{2})\\p{M}`, "gu");
	const LETTERS = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

	function escaped(c) {
		const hex = c.codePointAt(0).toString(16);
		if (LETTERS[c])
			return LETTERS[c];
		if (hex.length <= 2)
			return "\\x" + hex.padStart(2, "0");
		return hex.length <= 4 ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
	}

	function visibleName(text) {
		return String(text).replace(HIDDEN, escaped);
	}

	function pageJson(id) {
		const node = document.getElementById(id);
		return node ? JSON.parse(node.textContent) : null;
	}

	/* The element's text is let go: it is asked for once. */
	async function pageBytes(id) {
		const node = document.getElementById(id);
		const text = node.textContent;
		const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text)
			: Uint8Array.from(atob(text), c => c.charCodeAt(0));
		node.remove();
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	/* Reads LEB128 numbers of embedded bytes, one after the other. */
	class Numbers {
		constructor(bytes, at = 0) {
			this.bytes = bytes;
			this.at = at;
		}

		number() {
			let value = 0;
			let scale = 1;
			let byte;
			do {
				byte = this.bytes[this.at++];
				value += (byte & 127) * scale;
				scale *= 128;
			} while (byte > 127);
			return value;
		}
	}

	/* Several may ask for the same. */
	const asked = new Map();
	function pageData(id) {
		if (!asked.has(id))
			asked.set(id, readData(id));
		return asked.get(id);
	}

	async function readData(id) {
		const node = document.getElementById(id);
		if (!node || node.type === "application/json")
			return pageJson(id);
		return JSON.parse(new TextDecoder().decode(await pageBytes(id)));
	}

	/* A failure is told on the page: a blank one helps nobody. */
	function trouble(error) {
		const box = document.getElementById("trouble");
		box.hidden = false;
		box.textContent = "This part of the page failed: " + visibleName(error?.message ?? error);
		console.error(error);
	}

	/* By id: what is to be done when a tab is shown. */
	const offers = new Map();
	const drawn = new Set();
	const tabs = {
		add(id, offer) {
			offers.set(id, [...(offers.get(id) ?? []), offer]);
		},
		all: id => offers.get(id) ?? [],
		everything: () => [...offers.values()].flat(),
		/* Draws it the first time; resolves when it is there. */
		async draw(id) {
			if (drawn.has(id))
				return;
			drawn.add(id);
			const section = document.getElementById(id);
			try {
				for (const offer of tabs.all(id))
					await offer.draw?.(section);
			} catch (error) {
				trouble(error);
			}
		},
		current: () => document.querySelector("section.tab.on"),
		has: id => document.querySelector(`section.tab.full[id="${id}"]`) !== null,
		/* "timeline:t=1s..2s": the tab, and what its offers make of the rest. */
		async showAt(address) {
			const [id, ...place] = address.split(":");
			await tabs.show(id);
			if (place.length)
				for (const offer of tabs.all(id))
					offer.show?.(place.join(":"));
		},
		async show(id) {
			const sections = [...document.querySelectorAll("section.tab")];
			const section = sections.find(one => one.id === id) ?? sections[0];
			if (!section)
				return;
			for (const one of sections)
				one.classList.toggle("on", one === section);
			for (const link of document.querySelectorAll("nav a")) {
				const isOn = link.hash === "#" + section.id;
				link.setAttribute("aria-selected", String(isOn));
				link.tabIndex = isOn ? 0 : -1;
				if (isOn)
					link.scrollIntoView({ block: "nearest", inline: "nearest" });
			}
			scrollTo(0, 0);
			await tabs.draw(section.id);
			for (const offer of tabs.all(section.id))
				offer.resize?.();
		},
	};

	/* Opens a tab at a place. */
	async function go(id, what) {
		if (location.hash.split(":")[0] !== "#" + id)
			history.pushState(null, "", "#" + id);
		await tabs.show(id);
		for (const offer of tabs.all(id))
			offer.show?.(what);
	}

	/* Calls draw now, and whenever the box gets another width. */
	function onWidth(box, draw) {
		let width = 0;
		new ResizeObserver(() => {
			if (!box.clientWidth || box.clientWidth === width)
				return;
			width = box.clientWidth;
			draw(width);
		}).observe(box);
	}

	/* The value of a colour of the style sheet: css("--kernel"). */
	function css(name) {
		return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	}

	return { el, units, Numbers, fixed, grouped, visibleName, pageJson, pageBytes, pageData, trouble, tabs, go, onWidth, css };
})();
const { el, units, visibleName, pageJson, pageBytes, pageData, tabs, go } = base;
