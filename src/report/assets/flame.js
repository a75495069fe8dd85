"use strict";
/*
 * The tab of the call tree: an icicle with search, zoom, breadcrumbs, keys, and a line that
 * says what a box took.  Its data: src/report/page_flame.c.
 */
const flame = (() => {
	const HIGHEST = 0.7; /* of the window's height */
	const CALLERS = 3; /* rows above what is enlarged */
	const CRUMBS = 40; /* callers that the path names */
	const NAMES_FOUND = 2000; /* boxes that n and p go through */
	const ABOUT = "call tree as an icicle; arrows move, Enter enlarges, Backspace goes back, Escape shows all; the table below says the same";
	const LONGEST = 400; /* letters of a name that are shown */
	const LABELS = { host: "Host time", device: "Device time" };
	const MOVES = { ArrowLeft: "before", ArrowRight: "after", ArrowUp: "up", ArrowDown: "down" };

	class Flame {
		constructor(box, tree, meta) {
			this.box = box;
			this.tree = tree;
			this.meta = meta;
			this.root = 0;
			this.selected = 0;
			this.icicles = new Map();
			this.build();
			this.painter = new flamePainter.Painter(this.canvas, tree, meta);
			this.showKey();
			this.choose(meta.by);
			base.onWidth(this.view, () => this.draw());
		}

		build() {
			this.input = el("input", { type: "search", placeholder: "Search names", "aria-label": "Search names in the call tree" });
			this.title = this.box.closest(".panel").querySelector("h3");
			this.reset = el("button", { type: "button" }, "Whole tree");
			this.amounts = el("select", { "aria-label": "what boxes are wide" });
			this.found = el("span", { class: "count", "aria-live": "polite" });
			this.path = el("p", { class: "flame-path", "aria-label": "callers" });
			this.detail = el("p", { class: "flame-detail", "aria-live": "polite" });
			this.canvas = el("canvas", { tabindex: "0", role: "application", "aria-label": ABOUT });
			this.key = el("p", { class: "flame-key" });
			this.spacer = el("div", { class: "flame-spacer" });
			this.view = el("div", { class: "flame-view" }, this.canvas, this.spacer);
			for (const amount of this.meta.hasDevice ? flameData.AMOUNTS : [])
				this.amounts.append(el("option", { value: amount, selected: amount === this.meta.by }, LABELS[amount]));
			const controls = el("div", { class: "controls" }, this.input, this.reset);
			if (this.meta.hasDevice)
				controls.append(this.amounts);
			controls.append(this.found);
			this.box.replaceChildren(controls, this.path, this.detail, this.view, this.key);
			this.listen();
		}

		listen() {
			this.input.addEventListener("input", () => this.search(this.input.value));
			this.input.addEventListener("keydown", event => event.key === "Enter" && this.next(event.shiftKey ? -1 : 1));
			this.reset.addEventListener("click", () => this.zoom(0));
			this.amounts.addEventListener("change", () => this.choose(this.amounts.value));
			this.canvas.addEventListener("click", event => this.clicked(event));
			this.canvas.addEventListener("mousemove", event => this.say(this.hit(event) ?? this.selected));
			this.canvas.addEventListener("mouseleave", () => this.say(this.selected));
			this.canvas.addEventListener("keydown", event => this.moved(event));
			this.view.addEventListener("scroll", () => this.draw());
			this.canvas.addEventListener("focus", () => this.draw());
			this.canvas.addEventListener("blur", () => this.draw());
		}

		choose(amount) {
			if (!this.icicles.has(amount))
				this.icicles.set(amount, flameData.layout(this.tree, amount));
			this.amount = amount;
			this.icicle = this.icicles.get(amount);
			this.painter.fills.clear();
			this.title.textContent = this.meta.captions[amount];
			this.zoom(this.icicle.total[this.root] > 0 ? this.root : 0);
			this.count();
		}

		hit(event) {
			const area = this.canvas.getBoundingClientRect();
			return this.painter.at(event.clientX - area.left, event.clientY - area.top);
		}

		clicked(event) {
			const node = this.hit(event);
			this.canvas.focus({ preventScroll: true });
			if (node !== undefined)
				this.zoom(node);
		}

		zoom(node) {
			this.root = node;
			this.selected = node;
			this.view.scrollTop = 0;
			this.showPath();
			this.say(node);
			this.draw();
		}

		/* Callers of what is enlarged, each a button that enlarges it. */
		showPath() {
			const callers = [];
			for (let node = this.root; node !== 0 && callers.length < CRUMBS; node = this.tree.parent[node])
				callers.unshift(node);
			const left = this.tree.depth[this.root] - callers.length;
			const crumb = node => {
				const isLast = node === this.root;
				const button = el("button", { type: "button", "aria-current": isLast ? "true" : null }, this.nameOf(node, true));
				button.addEventListener("click", () => this.zoom(node));
				return button;
			};
			this.path.replaceChildren(crumb(0), left ? ` \u203a (${left} more)` : "", ...callers.flatMap(node => [" \u203a ", crumb(node)]));
		}

		nameOf(node, isShort) {
			if (node === 0)
				return "all";
			const at = this.tree.name[node];
			return isShort ? this.meta.short[at] : this.meta.shown[at];
		}

		amountText(value) {
			const { unit, decimals } = this.meta;
			if (unit === "ns")
				return units.ns(value);
			if (unit === "bytes")
				return units.bytes(value);
			return units.count(value / 10 ** decimals) + " samples";
		}

		callsText(node) {
			const calls = this.tree.calls[node];
			return `${units.count(calls)} ${this.meta.isSampled ? "sample" : "call"}${calls === 1 ? "" : "s"}`;
		}

		changeText(node) {
			const now = this.icicle.total[node];
			const before = this.icicle.base[node];
			if (before === 0)
				return "new";
			const percent = 100 * (now - before) / before;
			return `${percent > 0 ? "+" : ""}${base.fixed(percent, 1)}% from ${this.amountText(before)}`;
		}

		say(node) {
			const { total, self } = this.icicle;
			const share = value => total[0] > 0 ? ` (${base.fixed(100 * value / total[0], 1)}%)` : "";
			const parts = [`total ${this.amountText(total[node])}${share(total[node])}`, `self ${this.amountText(self[node])}${share(self[node])}`];
			if (node !== 0 && this.meta.hasCalls && this.meta.unit !== "count")
				parts.push(this.callsText(node));
			if (this.meta.hasBase)
				parts.push(this.changeText(node));
			this.detail.replaceChildren(el("b", {}, this.nameOf(node)), " ", parts.join(", "));
		}

		/* Names that contain the words; a match within another counts once. */
		search(text) {
			const words = text.trim().toLowerCase();
			this.matches = null;
			if (words) {
				this.matches = new Set();
				this.meta.names.forEach((name, at) => name.toLowerCase().includes(words) && this.matches.add(at));
			}
			this.count();
			this.draw();
		}

		count() {
			if (!this.matches) {
				this.found.textContent = "";
				return;
			}
			const { tree, icicle } = this;
			let [n, sum] = [0, 0];
			let end = 0;
			this.hits = [];
			for (let node = 1; node < tree.n; node++) {
				if (!this.matches.has(tree.name[node]) || icicle.total[node] <= 0)
					continue;
				n++;
				if (this.hits.length < NAMES_FOUND)
					this.hits.push(node);
				if (node < end)
					continue;
				sum += icicle.total[node];
				end = node + tree.span[node];
			}
			const share = icicle.total[0] > 0 ? 100 * sum / icicle.total[0] : 0;
			this.found.textContent = n ? `${units.count(n)} found, ${base.fixed(share, 1)}%` : "nothing found";
		}

		/* The next match, enlarged. */
		next(step) {
			if (!this.hits?.length || !this.matches)
				return;
			const at = this.hits.indexOf(this.selected);
			const to = at < 0 ? (step > 0 ? 0 : this.hits.length - 1) : (at + step + this.hits.length) % this.hits.length;
			this.zoom(this.hits[to]);
		}

		neighbour(where) {
			const { tree, icicle, selected } = this;
			if (where === "up")
				return tree.parent[selected];
			const level = icicle.levels[tree.depth[selected] + (where === "down" ? 1 : 0)] ?? [];
			const at = flameData.firstAt(icicle, level, icicle.start[selected]);
			if (where === "down")
				return level[at] !== undefined && tree.parent[level[at]] === selected ? level[at] : selected;
			return level[where === "before" ? at - 1 : at + 1] ?? selected;
		}

		/* A box out of sight is brought into it. */
		select(node) {
			const { tree, icicle } = this;
			this.selected = node;
			while (this.root !== 0 && (node < this.root || node >= this.root + tree.span[this.root]) && this.root !== node)
				this.root = tree.parent[this.root];
			const y = (tree.depth[node] - this.skipped()) * flamePainter.ROW;
			if (y < this.view.scrollTop || y + flamePainter.ROW > this.view.scrollTop + this.view.clientHeight)
				this.view.scrollTop = Math.max(0, y - this.view.clientHeight / 2);
			this.showPath();
			this.say(icicle.total[node] > 0 ? node : 0);
			this.draw();
		}

		moved(event) {
			if (event.ctrlKey || event.metaKey || event.altKey)
				return;
			if (MOVES[event.key])
				this.select(this.neighbour(MOVES[event.key]));
			else if (event.key === "Enter")
				this.zoom(this.selected);
			else if (event.key === "Escape" || event.key === "Backspace")
				this.zoom(event.key === "Escape" ? 0 : this.tree.parent[this.root]);
			else
				return;
			event.preventDefault();
		}

		/* Levels down to the deepest call of what is enlarged. */
		levelsBelow() {
			const { tree, root, icicle } = this;
			let deepest = tree.depth[root];
			for (let node = root; node < root + tree.span[root]; node++)
				if (tree.depth[node] > deepest && icicle.total[node] > 0)
					deepest = tree.depth[node];
			return deepest + 1;
		}

		/* Callers of what is enlarged stand in its path: few of them are drawn. */
		skipped() {
			return Math.max(0, this.tree.depth[this.root] - CALLERS);
		}

		draw() {
			const width = this.view.clientWidth;
			const rows = (this.levelsBelow() - this.skipped()) * flamePainter.ROW;
			const height = Math.min(rows, Math.max(200, Math.floor(innerHeight * HIGHEST)));
			if (!width)
				return;
			this.canvas.style.width = `${width}px`;
			this.canvas.style.height = `${height}px`;
			this.view.style.height = `${height}px`;
			this.spacer.style.height = `${rows - height}px`;
			const { icicle, root, matches, selected } = this;
			this.painter.paint({ icicle, root, width, height, top: this.view.scrollTop, skip: this.skipped(), matches, selected });
		}

		showKey() {
			const square = fill => el("svg", { width: 11, height: 11, "aria-hidden": "true" }, el("rect", { width: 11, height: 11, fill }));
			const mark = ([fill, words]) => el("span", {}, square(fill), words ? " " + words : null);
			this.key.replaceChildren(...this.painter.legend().map(mark));
		}

		theme() {
			this.painter.theme();
			this.showKey();
			this.draw();
		}
	}

	let drawn = null;

	async function draw(section) {
		const box = section.querySelector("[data-flame]");
		if (!box)
			return;
		const meta = await pageData(`${box.dataset.flame}-meta`);
		meta.shown = meta.names.map(name => visibleName(name.length > LONGEST ? name.slice(0, LONGEST) + "\u2026" : name));
		meta.short = meta.shown.map((shown, at) => meta.short[at] ? visibleName(meta.short[at]) : shown);
		const tree = flameData.unpack(await pageBytes(box.dataset.flame), meta);
		drawn = new Flame(box, tree, meta);
	}

	/* go("flame", { search: "aten::conv2d" }) */
	function show(what) {
		if (!drawn || !what?.search)
			return;
		drawn.input.value = what.search;
		drawn.search(what.search);
	}

	function key(event) {
		if (!drawn)
			return;
		if (event.key === "/") {
			drawn.input.focus();
			event.preventDefault();
		} else if (event.key === "n" || event.key === "p") {
			drawn.next(event.key === "n" ? 1 : -1);
		} else if (event.key === "0") {
			drawn.zoom(0);
		}
	}

	/* Paper is white, whatever the screen is. */
	function paper() {
		const root = document.documentElement;
		const theme = root.dataset.theme;
		root.dataset.theme = "light";
		drawn?.theme();
		root.dataset.theme = theme;
	}

	addEventListener("beforeprint", paper);
	addEventListener("afterprint", () => drawn?.theme());
	tabs.add("flame", {
		draw,
		show,
		key,
		theme: () => drawn?.theme(),
		resize: () => drawn?.draw(),
		keys: [["/ n p", "call tree: search, next and previous match"], ["0", "call tree: all of it"]],
	});

	return { draw };
})();
