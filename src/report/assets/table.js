"use strict";
/*
 * Tables: all rows of one, sorted by any column and filtered by text; only those in sight
 * are elements.  What one holds is told in src/report/page_table.h.
 */
const tables = (() => {
	const ROW = 27; /* pixels, as in style.css */
	const AHEAD = 10; /* rows drawn above what is in sight */
	const DRAWN = 80;
	const FILTERED_FROM = 8; /* shorter tables are looked through by eye */
	const WHOLE_AT_ONCE = 60; /* shorter tables are drawn whole: paper and ears have them */

	/* As src/base/units.c writes a cell. */
	function cellText(column, value) {
		if (value === null || value === undefined)
			return "-";
		if (typeof value === "string")
			return visibleName(value);
		if (typeof value === "boolean" || column.unit === "bool")
			return value ? "yes" : "no";
		if (column.scales)
			return value === 0 ? "0" : units.text(column.unit, value).replace(" ", "");
		if (column.unit === "any" || column.id)
			return String(value);
		const text = base.fixed(value / column.divisor, column.decimals);
		return column.unit === "count" ? text.replace(/\B(?=(\d{3})+(?!\d))/g, ",") : text;
	}

	/* Ids that are no exact numbers are texts on the page. */
	function exact(value) {
		return typeof value === "string" && /^-?\d{16,19}$/.test(value) ? BigInt(value) : value;
	}

	/* Words ("mean") behind numbers and null last, whatever the direction. */
	function compare(a, b, sign) {
		if (a === b)
			return 0;
		if (a === null || a === undefined)
			return 1;
		if (b === null || b === undefined)
			return -1;
		const [x, y] = [exact(a), exact(b)];
		if ((typeof x === "string") !== (typeof y === "string"))
			return typeof x === "string" ? 1 : -1;
		return (x < y ? -1 : 1) * sign;
	}

	function copy(text) {
		if (navigator.clipboard)
			return navigator.clipboard.writeText(text);
		const box = el("textarea", {});
		box.value = text;
		document.body.append(box);
		box.select();
		const isCopied = document.execCommand("copy");
		box.remove();
		return isCopied ? Promise.resolve() : Promise.reject(new Error("the browser refuses to copy"));
	}

	function headClass(column) {
		if (column.unit === "percent")
			return "number percent";
		return column.number ? "number" : "text";
	}

	/* A name without the levels that page_flame_table.c puts before it. */
	function sliceName(name) {
		return name.replace(/^((\u00b7 ){24}\[\d+\] |(\u00b7 )+)/, "");
	}

	class Table {
		constructor(box, data) {
			this.box = box;
			this.columns = data.columns;
			this.rows = data.rows;
			this.short = data.short ?? {};
			this.label = data.label;
			this.slices = data.slices && tabs.has("timeline"); /* its names are theirs */
			this.shown = data.rows.map((_, i) => i);
			this.largest = data.columns.map((c, k) => c.bar ? data.rows.reduce((most, row) => Math.max(most, Math.abs(row[k] ?? 0)), 0) : 0);
			this.texts = null; /* by row, lower case: what the filter looks at */
			this.place = new Map(data.columns.map((c, k) => [c.name, k]));
			this.build();
			this.draw();
		}

		build() {
			const heads = this.columns.map((column, k) => {
				const button = el("button", { type: "button" }, column.heading);
				button.addEventListener("click", () => this.sortBy(k));
				return el("th", { scope: "col", class: headClass(column), title: column.about }, button);
			});
			this.body = el("tbody");
			this.table = el("table", {}, el("thead", {}, el("tr", {}, ...heads)), this.body);
			this.view = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": this.label }, this.table);
			this.view.addEventListener("scroll", () => this.draw(), { passive: true });
			this.whole = el("p", { class: "whole", "aria-live": "polite", hidden: true });
			this.box.replaceChildren(this.controls(), this.whole, this.view);
			this.input.hidden = this.rows.length < FILTERED_FROM;
		}

		controls() {
			this.input = el("input", { type: "search", placeholder: "Filter", "aria-label": "filter " + this.label });
			this.input.addEventListener("input", () => this.filter(this.input.value));
			const button = el("button", { type: "button" }, "Copy as CSV");
			button.addEventListener("click", () => {
				copy(this.csv()).then(() => "Copied", () => "The browser refuses").then(text => {
					button.textContent = text;
					setTimeout(() => button.textContent = "Copy as CSV", 1500);
				});
			});
			this.count = el("span", { class: "count", "aria-live": "polite" });
			return el("div", { class: "controls" }, this.input, button, this.count);
		}

		isFound(column) {
			return this.slices && column.name === "name";
		}

		textOf(row) {
			return row.filter(value => typeof value === "string").join("\n").toLowerCase();
		}

		filter(text) {
			const words = text.toLowerCase().split(/\s+/).filter(word => word);
			this.texts ??= this.rows.map(row => this.textOf(row));
			this.shown = this.rows.map((_, i) => i).filter(i => words.every(word => this.texts[i].includes(word)));
			this.order();
			this.view.scrollTop = 0;
			this.draw();
		}

		/* Numbers the largest first, names from A; the same column again turns it around. */
		sortBy(k) {
			this.descends = this.by === k ? !this.descends : Boolean(this.columns[k].number);
			this.by = k;
			this.order();
			[...this.table.tHead.rows[0].cells].forEach((head, i) => {
				if (i === k)
					head.setAttribute("aria-sort", this.descends ? "descending" : "ascending");
				else
					head.removeAttribute("aria-sort");
			});
			this.view.scrollTop = 0;
			this.draw();
		}

		order() {
			if (this.by === undefined)
				return;
			const sign = this.descends ? -1 : 1;
			this.shown.sort((a, b) => compare(this.rows[a][this.by], this.rows[b][this.by], sign) || a - b);
		}

		draw() {
			const n = this.shown.length;
			const isWhole = n <= WHOLE_AT_ONCE;
			const first = isWhole ? 0 : Math.min(Math.max(0, Math.floor(this.view.scrollTop / ROW) - AHEAD), n);
			const last = isWhole ? n : Math.min(n, first + DRAWN);
			const rows = this.shown.slice(first, last).map(i => this.row(i));
			if (first > 0)
				rows.unshift(this.space(first));
			if (last < n)
				rows.push(this.space(n - last));
			this.body.replaceChildren(...rows);
			this.table.setAttribute("aria-rowcount", String(n + 1));
			const all = this.rows.length;
			const of = n === all ? "" : ` of ${units.count(all)}`;
			this.count.textContent = `${units.count(n)}${of} ${all === 1 ? "row" : "rows"}`;
		}

		/* The room of rows that are out of sight. */
		space(rows) {
			return el("tr", { "aria-hidden": "true" }, el("td", { class: "room", colspan: this.columns.length, height: rows * ROW }));
		}

		row(i) {
			const cells = this.columns.map((column, k) => this.cell(column, k, i));
			return el("tr", {}, ...cells);
		}

		cell(column, k, i) {
			const value = this.rows[i][k];
			const short = this.short[k]?.[i];
			const text = short ? short : cellText(column, value);
			if (short || (value && this.isFound(column))) {
				const title = short ? visibleName(value).slice(0, 500) : null;
				const button = el("button", { type: "button", class: short ? "name cut" : "name", title }, text);
				button.addEventListener("click", () => this.tell(column, value));
				return el("td", { class: "text" }, button);
			}
			const place = this.placeOf(column, i);
			if (place) {
				const link = el("button", { type: "button", class: "place", title: "show on the timeline" }, text);
				link.addEventListener("click", () => go("timeline", place));
				return el("td", { class: column.number ? "number" : "text" }, link);
			}
			return el("td", { class: column.number ? "number" : "text" }, text, column.bar ? this.bar(column, k, value) : null);
		}

		/* Where on the timeline the row is; only cells of a start lead there. */
		placeOf(column, i) {
			if (column.unit !== "time" || !column.name.startsWith("start") || !tabs.has("timeline"))
				return null;
			const value = name => this.place.has(name) ? this.rows[i][this.place.get(name)] : null;
			const start = value(column.name);
			const length = value("dur_ns") ?? value("total_ns") ?? value("span_ns");
			if (start === null)
				return null;
			return { start, end: start + (length ?? 0), rank: value("rank"), slice: value("slice_id") ?? value("id") };
		}

		bar(column, k, value) {
			const share = this.largest[k] ? 100 * Math.abs(value ?? 0) / this.largest[k] : 0;
			const svg = el("svg", { class: "share", "aria-hidden": "true" });
			if (column.bar === "delta") {
				const x = value > 0 ? 50 : 50 - share / 2;
				const place = { x: x.toFixed(1) + "%", width: (share / 2).toFixed(1) + "%", height: 8 };
				svg.append(el("rect", { class: value > 0 ? "f-slower" : "f-faster", ...place }));
				svg.append(el("rect", { class: "f-soft", x: "50%", width: 1, height: 8 }));
			} else {
				svg.append(el("rect", { class: "f-" + column.bar, width: share.toFixed(1) + "%", height: 8 }));
			}
			return svg;
		}

		/* The whole of a name, and where to see what it names. */
		tell(column, name) {
			const close = el("button", { type: "button" }, "Close");
			const find = el("button", { type: "button" }, "Find on the timeline");
			close.addEventListener("click", () => this.whole.hidden = true);
			find.addEventListener("click", () => go("timeline", { name: sliceName(name) }));
			this.whole.replaceChildren(el("code", {}, visibleName(name)), this.isFound(column) ? find : "", close);
			this.whole.hidden = false;
		}

		csv() {
			const quoted = text => `"${text.replaceAll("\"", "\"\"")}"`;
			const cell = value => value === null || value === undefined ? "" : typeof value === "string" ? quoted(value) : String(value);
			const lines = this.shown.map(i => this.rows[i].map(cell).join(","));
			return [this.columns.map(column => column.name).join(","), ...lines].join("\n") + "\n";
		}
	}

	/* All tables of a section. */
	async function fill(section) {
		for (const box of section.querySelectorAll(".table[data-table]")) {
			const data = await pageData(box.dataset.table);
			if (data)
				box.table = new Table(box, data);
		}
	}

	return { Table, fill, cellText, sliceName };
})();
