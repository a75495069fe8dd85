"use strict";
/*
 * Zoom and search in a flame graph that stands alone.  Boxes keep the place they were drawn
 * at; text of the profile is only read and set as text.
 */
(() => {
	const MARGIN = 10;
	const WIDTH = 1200 - 2 * MARGIN;
	const CELL = 7.23;
	const PADDING = 3;
	const byId = (id) => document.getElementById(id);

	/* What a box says, and where it was drawn. */
	const readBox = (group) => {
		const rect = group.querySelector("rect");
		const [name, amounts] = group.querySelector("title").textContent.split("\n");
		const label = group.querySelector("text");
		return {
			group,
			rect,
			label,
			name,
			amounts,
			drawnLabel: label ? label.textContent : "",
			x: Number(rect.getAttribute("x")),
			y: Number(rect.getAttribute("y")),
			width: Number(rect.getAttribute("width")),
		};
	};
	const boxes = Array.from(byId("boxes").children, readBox);
	const whole = boxes[0];
	let words = "";

	/* What stands around the word that says most: files, lines, namespaces, return types. */
	const AROUND = [
		[/^.*\(\d+\): (.+)$/, "$1"],
		[/^.*:\d+\((.+)\)$/, "$1"],
		[/^(\S+) \([^()]*\)$/, "$1"],
		[/^(?:nn\.Module: |<built-in (?:method|function) |\{built-in method )/, ""],
		[/^(?:void )?(?:(?:\w+|\(anonymous namespace\))::)+/, ""],
		[/^void /, ""],
	];

	const shorten = (box, width) => {
		const cells = Math.floor((width - 2 * PADDING) / CELL);
		if (cells < 3)
			return "";
		if (box.name.length <= cells)
			return box.name;
		const word = AROUND.reduce((name, [pattern, kept]) => name.replace(pattern, kept), box.name.slice(0, 1000));
		return word.length <= cells ? word : word.slice(0, cells - 1) + "…";
	};

	const setLabel = (box, x, text) => {
		if (!box.label) {
			if (!text)
				return;
			box.label = document.createElementNS("http://www.w3.org/2000/svg", "text");
			box.label.setAttribute("y", box.y + 13);
			box.group.append(box.label);
		}
		box.label.setAttribute("x", x + PADDING);
		box.label.textContent = text;
	};

	const place = (box, x, width) => {
		const isDrawn = x === box.x && width === box.width;
		box.group.removeAttribute("display");
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", width);
		setLabel(box, x, isDrawn ? box.drawnLabel : shorten(box, width));
	};

	/* The box fills the width, and its callers above it, too. */
	const zoom = (target) => {
		const scale = WIDTH / target.width;
		const slack = target.width * 1e-6 + 0.002;
		const end = target.x + target.width;
		for (const box of boxes) {
			const isAbove = box.y < target.y;
			const isCaller = isAbove && box.x <= target.x + slack && box.x + box.width >= end - slack;
			const isInside = !isAbove && box.x >= target.x - slack && box.x + box.width <= end + slack;
			box.group.classList.toggle("above", isCaller);
			if (isCaller)
				place(box, MARGIN, WIDTH);
			else if (isInside && target === whole)
				place(box, box.x, box.width);
			else if (isInside)
				place(box, MARGIN + (box.x - target.x) * scale, box.width * scale);
			else
				box.group.setAttribute("display", "none");
		}
		byId("reset").textContent = target === whole ? "" : "Whole tree";
	};

	/* How wide all matches are together; one inside another counts once. */
	const matched = (hits) => {
		let sum = 0;
		let end = -1;
		hits.sort((a, b) => a.x - b.x || a.y - b.y);
		for (const box of hits) {
			if (box.x + 0.002 < end)
				continue;
			sum += box.width;
			end = box.x + box.width;
		}
		return sum / whole.width;
	};

	const search = (text) => {
		words = (text || "").toLowerCase();
		const hits = [];
		for (const box of boxes) {
			const isHit = box.name.toLowerCase().includes(words);
			box.group.classList.toggle("miss", words !== "" && !isHit);
			if (isHit)
				hits.push(box);
		}
		const share = (100 * matched(hits)).toFixed(1);
		byId("search").textContent = words ? `${hits.length} found, ${share}%` : "Search (/)";
	};

	const ask = () => {
		const text = prompt("Names that contain", words);
		if (text !== null)
			search(text);
	};

	const boxOf = (target) => {
		const group = target.closest("#boxes > g");
		return group && boxes.find((box) => box.group === group);
	};

	const say = (event) => {
		const box = boxOf(event.target);
		byId("detail").textContent = box ? `${box.name}: ${box.amounts}` : "";
	};

	byId("boxes").addEventListener("click", (event) => zoom(boxOf(event.target)));
	byId("boxes").addEventListener("mouseover", say);
	byId("boxes").addEventListener("mouseleave", say);
	byId("search").addEventListener("click", ask);
	byId("reset").addEventListener("click", () => zoom(whole));
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			search("");
			zoom(whole);
		} else if (event.key === "/") {
			event.preventDefault();
			ask();
		}
	});
	search("");
})();
