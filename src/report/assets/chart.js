"use strict";
/*
 * Charts as SVG: they take their colours from the style sheet, print, and have a title on
 * each mark.  <div class="chart" data-chart="parts" data-of="ID"> is drawn from the data of
 * that id, which src/report/page_chart.h writes.
 */
const charts = (() => {
	/* Ink that is read on a colour. */
	function inkOn(key) {
		const hex = base.css("--" + key);
		const [red, green, blue] = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
		return .299 * red + .587 * green + .114 * blue > 145 ? "on-light" : "on-dark";
	}

	/* About `most` round numbers from low to high. */
	function ticks(low, high, most) {
		const raw = (high - low) / Math.max(1, most) || 1;
		const power = 10 ** Math.floor(Math.log10(raw));
		const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= raw);
		const list = [];
		const first = Math.ceil(low / step);
		/* counted: one step further may be the same number */
		for (let i = 0; i <= Math.max(1, most) + 1 && (first + i) * step <= high + step / 1e6; i++)
			list.push(Number(((first + i) * step).toPrecision(12)));
		return list;
	}

	function picture(width, height, label) {
		return el("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
	}

	function share(value, total) {
		return units.percent(total ? 100 * value / total : 0);
	}

	/* A word of an axis, centred. */
	function put(svg, text, x, y) {
		svg.append(el("text", { class: "soft", x, y, "text-anchor": "middle" }, text));
	}

	/* One bar of parts; labels stand inside where they fit. */
	function parts(box, data) {
		const total = data.parts.reduce((sum, part) => sum + part.value, 0);
		const height = data.thin ? 22 : 34;
		base.onWidth(box, width => {
			const svg = picture(width, height, data.parts.map(part => `${part.label} ${share(part.value, total)}`).join(", "));
			let x = 0;
			for (const part of data.parts) {
				const wide = width * part.value / (data.whole ?? total);
				const title = `${part.label}: ${units.text(data.unit, part.value)}, ${share(part.value, total)}`;
				const group = el("g", {}, el("rect", { class: "f-" + part.key, x, width: Math.max(0, wide - 1), height }, el("title", {}, title)));
				const label = `${part.label} ${share(part.value, total)}`;
				if (wide > label.length * 7.5 + 12)
					group.append(el("text", { class: inkOn(part.key), x: x + 8, y: height / 2 + 4 }, label));
				else if (wide > 46)
					group.append(el("text", { class: inkOn(part.key), x: x + 6, y: height / 2 + 4 }, share(part.value, total)));
				svg.append(group);
				x += wide;
			}
			box.replaceChildren(svg);
		});
		return box;
	}

	/* Lines across at round values, with the numbers left of them. */
	function grid(svg, unit, most, height, place) {
		const scale = units.scale(unit, most);
		for (const tick of ticks(0, most / scale.divisor, height / 40)) {
			const y = place(tick * scale.divisor);
			svg.append(el("line", { class: "l-grid", x1: LEFT, x2: svg.getAttribute("width"), y1: y, y2: y }));
			svg.append(el("text", { class: "soft", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, `${base.grouped(tick)} ${scale.label}`));
		}
	}
	const LEFT = 74;
	const BELOW = 20;

	/* Stacked columns: { unit, labels, keys: [{ key, label }], rows: [[...]], mean } */
	function columns(box, data) {
		const sums = data.rows.map(row => row.reduce((sum, value) => sum + value, 0));
		const most = Math.max(...sums, data.mean ?? 0) * 1.04 || 1;
		const height = 210;
		base.onWidth(box, width => {
			const svg = picture(width, height, `${data.rows.length} columns: ${data.keys.map(key => key.label).join(", ")}`);
			const place = value => (height - BELOW) * (1 - value / most);
			const wide = (width - LEFT) / data.rows.length;
			grid(svg, data.unit, most, height, place);
			data.rows.forEach((row, i) => {
				const x = LEFT + i * wide;
				const column = el("g", {}, el("title", {}, columnTitle(data, i, sums[i])));
				let under = 0;
				row.forEach((value, k) => {
					if (value > 0)
						column.append(el("rect", {
							class: "f-" + data.keys[k].key,
							x: x.toFixed(2),
							y: place(under + value).toFixed(2),
							width: Math.max(.5, wide - Math.min(2, wide / 5)).toFixed(2),
							height: ((height - BELOW) * value / most).toFixed(2),
						}));
					under += value;
				});
				if (data.places && tabs.has("timeline")) {
					column.setAttribute("class", "place");
					column.addEventListener("click", () => go("timeline", { start: data.places[i][0], end: data.places[i][1] }));
				}
				svg.append(column);
			});
			const every = Math.ceil(data.rows.length * 46 / (width - LEFT));
			for (let i = 0; i < data.rows.length; i += every)
				put(svg, data.labels[i], LEFT + (i + .5) * wide, height - 5);
			if (data.mean) {
				const y = place(data.mean);
				const title = el("title", {}, `mean: ${units.text(data.unit, data.mean)}`);
				svg.append(el("line", { class: "l-mean", x1: LEFT, x2: width, y1: y, y2: y }, title));
			}
			box.replaceChildren(svg);
		});
	}

	function columnTitle(data, i, sum) {
		const lines = data.keys.map((key, k) => data.rows[i][k] > 0 ? `\n${key.label}: ${units.text(data.unit, data.rows[i][k])}` : "");
		return `${data.what ?? ""} ${data.labels[i]}: ${units.text(data.unit, sum)}${lines.join("")}`;
	}

	/*
	 * Levels over time: { unit, length, series: [{ label, key, dashed, at, low, high, last }],
	 * marks: [[time, label]] }.  A point of a series is a bucket: its extremes are kept.
	 */
	function curve(box, data) {
		const most = data.series.reduce((top, series) => series.high.reduce((a, b) => Math.max(a, b), top), 1) * 1.04;
		const height = 240;
		base.onWidth(box, width => {
			const peak = series => units.text(data.unit, Math.max(...series.high));
			const said = data.series.map(series => `${series.label}, at most ${peak(series)}`);
			const svg = picture(width, height, said.join("; "));
			const x = time => LEFT + (width - LEFT) * time / (data.length || 1);
			const y = value => (height - BELOW) * (1 - value / most);
			grid(svg, data.unit, most, height, y);
			timeAxis(svg, data.length, width, height, x);
			for (const [time, label] of data.marks ?? [])
				svg.append(el("line", { class: "l-grid", x1: x(time), x2: x(time), y1: 0, y2: height - BELOW }, el("title", {}, label)));
			for (const series of data.series)
				svg.append(...seriesOf(series, data.length, x, y));
			addReader(svg, data, width, height);
			box.replaceChildren(svg);
		});
	}

	function timeAxis(svg, length, width, height, x) {
		const scale = units.scale("ns", length);
		for (const tick of ticks(0, length / scale.divisor, (width - LEFT) / 110))
			put(svg, `${base.grouped(tick)} ${scale.label}`, Math.min(x(tick * scale.divisor), width - 30), height - 5);
	}

	/* Down to the lowest and up to the highest of each bucket, then on from the last. */
	function seriesOf(series, length, x, y) {
		let path = "";
		let level = null;
		series.at.forEach((time, i) => {
			const px = x(time).toFixed(1);
			path += level === null ? `M${px} ${y(series.high[i]).toFixed(1)}` : `H${px}`;
			for (const value of [series.low[i], series.high[i], series.last[i]])
				path += `V${y(value).toFixed(1)}`;
			level = series.last[i];
		});
		path += `H${x(length).toFixed(1)}`;
		const line = el("path", { class: `s-${series.key}${series.dashed ? " dashed" : ""}`, d: path });
		if (series.dashed)
			return [line];
		const first = x(series.at[0] ?? 0).toFixed(1);
		return [el("path", { class: "area a-" + series.key, d: `${path}V${y(0)}H${first}Z` }), line];
	}

	/* What the levels are where the pointer is. */
	function addReader(svg, data, width, height) {
		const line = el("line", { class: "l-mean", y1: 0, y2: height - BELOW, visibility: "hidden" });
		const text = el("text", { y: 12, visibility: "hidden" });
		svg.append(line, text);
		svg.addEventListener("pointermove", event => {
			const at = event.clientX - svg.getBoundingClientRect().left;
			const time = Math.max(0, (at - LEFT) / (width - LEFT) * data.length);
			const levels = data.series.map(series => `${series.label} ${units.text(data.unit, levelAt(series, time))}`);
			text.textContent = `${units.ns(time, 1)}: ${levels.join(", ")}`;
			text.setAttribute("text-anchor", at > width / 2 ? "end" : "start");
			text.setAttribute("x", at > width / 2 ? at - 6 : at + 6);
			line.setAttribute("x1", at);
			line.setAttribute("x2", at);
			for (const mark of [line, text])
				mark.setAttribute("visibility", at < LEFT ? "hidden" : "visible");
		});
	}

	function levelAt(series, time) {
		let low = 0;
		let high = series.at.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (series.at[middle] <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low ? series.last[low - 1] : 0;
	}

	/* A dot each, and the median as a line: { unit, sides: [{ label, key, values, median }] } */
	function strip(box, data) {
		const all = data.sides.flatMap(side => side.values);
		const room = (Math.max(...all) - Math.min(...all) || Math.max(...all) || 1) * .08;
		const low = Math.max(0, Math.min(...all) - room);
		const high = Math.max(...all) + room;
		const row = 56;
		const height = row * data.sides.length + BELOW;
		base.onWidth(box, width => {
			const median = side => units.text(data.unit, side.median);
			const said = data.sides.map(side => `${side.label}: ${side.values.length} dots, median ${median(side)}`);
			const svg = picture(width, height, said.join("; "));
			const x = value => LEFT + (width - LEFT - 12) * (value - low) / (high - low || 1);
			const scale = units.scale(data.unit, high);
			for (const tick of ticks(low / scale.divisor, high / scale.divisor, (width - LEFT) / 110)) {
				const at = x(tick * scale.divisor);
				svg.append(el("line", { class: "l-grid", x1: at, x2: at, y1: 0, y2: height - BELOW }));
				put(svg, `${base.grouped(tick)} ${scale.label}`, at, height - 5);
			}
			data.sides.forEach((side, i) => {
				const middle = row * i + row / 2;
				svg.append(el("text", { x: 0, y: middle + 4 }, side.label));
				side.values.forEach((value, k) => {
					const place = { cx: x(value).toFixed(1), cy: middle + (k % 3 - 1) * 6, r: 4.5 };
					const title = el("title", {}, units.text(data.unit, value));
					svg.append(el("circle", { class: "dot f-" + side.key, ...place }, title));
				});
				const at = x(side.median);
				const title = el("title", {}, `median: ${median(side)}`);
				svg.append(el("line", { class: "l-median", x1: at, x2: at, y1: middle - 16, y2: middle + 16 }, title));
			});
			box.replaceChildren(svg);
		});
	}

	/* Of a chart that stands on two tabs, on the second: C wrote that of the first. */
	function legend(data) {
		const total = (data.parts ?? []).reduce((sum, part) => sum + part.value, 0);
		const used = data.parts ?? data.keys.filter((_, k) => data.rows.some(row => row[k] > 0));
		const amount = value => value === undefined ? null : ` ${share(value, total)}, ${units.text(data.unit, value)}`;
		const items = used.map(one => el("li", { class: "k-" + one.key }, el("b", {}, one.label), amount(one.value)));
		return el("ul", { class: "keys" }, ...items);
	}

	const kinds = { parts, columns, curve, strip };

	async function fill(section) {
		for (const box of section.querySelectorAll(".chart[data-chart]")) {
			const data = await pageData(box.dataset.of);
			const again = box.closest(".again");
			if (data)
				kinds[box.dataset.chart](box, data);
			else
				again?.remove();
			if (data && again)
				again.append(legend(data));
		}
	}

	return { fill, ticks, inkOn };
})();
