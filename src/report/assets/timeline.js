"use strict";
/*
 * The tab: unpacks the timeline when it is first shown, and keeps the address in step, so
 * that a place can be linked: #timeline:t=1.2s..1.3s&sel=123.
 */
const timelineTab = (() => {
	const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
	let timeline = null;
	let screenTheme = "light"; /* while it is on paper */

	/* Steps as the painter and the ruler need them. */
	function prepare(meta) {
		meta.dur = Math.max(1, meta.dur); /* a moment alone is shown, too */
		meta.steps = meta.steps.map(([number, start, dur, profile]) => {
			const shift = meta.profiles[profile].shift;
			return { number, start: start + shift, end: start + shift + dur, profile };
		}).sort((a, b) => a.start - b.start);
	}

	function button(text, title, act) {
		const node = el("button", { type: "button", title, "aria-label": title }, text);
		node.addEventListener("click", act);
		return node;
	}

	/* A list of the steps, to go to one. */
	function stepList() {
		const { steps, profiles } = timeline.meta;
		const first = timelineLayout.listed(steps.filter(step => step.profile === steps[0].profile));
		const options = first.map((step, i) => el("option", { value: i }, `step ${step.number}, ${units.ns(step.end - step.start)}`));
		const all = el("option", { value: "" }, profiles.length > 1 ? "all recordings" : "whole recording");
		const list = el("select", { "aria-label": "go to a step" }, all, ...options);
		list.addEventListener("change", () => {
			const step = first[list.value];
			if (step)
				timeline.show(step.start, step.end);
			else
				timeline.showAll();
			timeline.view.focus();
		});
		return list;
	}

	function fillControls() {
		const { search, controls, meta } = timeline;
		controls.append(search.input, ...search.buttons);
		if (meta.steps.length)
			controls.append(stepList());
		controls.append(
			button("+", "zoom in (w)", () => timeline.zoom(0.5)),
			button("\u2212", "zoom out (s)", () => timeline.zoom(2)),
			button("All", "All: the whole recording (0)", () => timeline.showAll()),
			search.found,
		);
	}

	/* What is not drawn slice by slice, and how to have that. */
	function tellBundles(section) {
		const { meta } = timeline;
		if (!meta.bundled)
			return;
		const text = `${units.count(meta.bundled)} of ${units.count(meta.slices)} slices are shorter than ${units.ns(meta.bundle_ns)} ` +
			"and are shown in bundles; \"ptool report --max-slices 0\" shows each.";
		section.append(el("p", { class: "soft tl-note" }, text));
	}

	function tellClocks(section) {
		const { meta } = timeline;
		if (meta.profiles.length < 2)
			return;
		const text = meta.aligned ? "The clocks of the ranks are aligned by the ends of their collectives."
			: "No collectives tell how far the clocks of the ranks are apart: " +
			(meta.profiles.some(profile => profile.shift) ? "they are as recorded." : "all recordings are shown from one start.");
		section.append(el("p", { class: "soft tl-note" }, text));
	}

	async function draw(section) {
		const box = section.querySelector(".tl-box");
		if (!box)
			return;
		box.textContent = "Unpacking the timeline \u2026";
		const meta = await pageData("timeline-meta");
		prepare(meta);
		const tracks = await timelineData.load(meta);
		box.textContent = "";
		timeline = new TimelineView(box, meta, tracks);
		fillControls();
		tellBundles(box);
		tellClocks(box);
		timeline.onRest = timeline.onSelect = keepAddress;
		timeline.resize();
	}

	/* The profile of a rank: tables have the times of its own recording. */
	function placeOf(rank) {
		const { profiles } = timeline.meta;
		return Math.max(0, profiles.findIndex(profile => profile.rank === (rank ?? null)));
	}

	/* Of a table's row: { start, end, rank }; or a part of an address. */
	function show(what) {
		if (!timeline || !what)
			return;
		if (typeof what === "string") {
			readAddress(what);
			return;
		}
		if (what.name) {
			timeline.search.input.value = what.name;
			timeline.search.find(what.name);
			timeline.search.next(1);
			return;
		}
		const profile = placeOf(what.rank);
		const { shift } = timeline.meta.profiles[profile];
		const start = what.start + shift;
		const end = what.end + shift;
		const slice = timeline.links.at(profile, start, end) ?? timeline.links.at(profile, start);
		if (slice) {
			timeline.select(slice);
			timeline.showSlice(slice);
		} else {
			const around = Math.max(100, (end - start) / 2);
			timeline.show(start - around, end + around);
		}
		timeline.view.focus({ preventScroll: true });
	}

	/* "1.2s" in nanoseconds; NaN: it is no time. */
	function parseTime(text) {
		const found = /^([0-9.]+)(ns|us|ms|s)$/.exec(text);
		return found ? found[1] * UNITS[found[2]] : NaN;
	}

	function readAddress(text) {
		const said = new URLSearchParams(text.replace(/^#?timeline:?/, ""));
		const [from, to] = (said.get("t") ?? "").split("..").map(parseTime);
		const slice = said.has("sel") ? timeline.links.find(Number(said.get("sel"))) : null;
		if (slice)
			timeline.select(slice);
		if (to > from)
			timeline.show(from, to);
		if (slice)
			timeline.reveal(slice);
	}

	function timeText(ns) {
		const { label, divisor } = units.scale("ns", ns);
		return +(ns / divisor).toPrecision(12) + label;
	}

	function keepAddress() {
		const { from, to, selected, links } = timeline;
		const isAll = from === 0 && to >= timeline.meta.dur;
		const parts = isAll ? [] : [`t=${timeText(Math.round(from))}..${timeText(Math.round(to))}`];
		if (selected)
			parts.push(`sel=${links.number(selected)}`);
		if (tabs.current()?.id === "timeline")
			history.replaceState(null, "", ["#timeline", parts.join("&")].filter(part => part).join(":"));
	}

	/* Paper is light, whatever the screen is; who never looked at the timeline has its table. */
	function toPaper(isPaper) {
		const root = document.documentElement;
		if (!timeline)
			return;
		if (isPaper) {
			screenTheme = root.dataset.theme;
			root.dataset.theme = "light";
		} else {
			root.dataset.theme = screenTheme;
		}
		timeline.theme();
		timeline.frames.frame(performance.now());
	}

	addEventListener("beforeprint", () => toPaper(true));
	addEventListener("afterprint", () => toPaper(false));
	tabs.add("timeline", {
		draw, show,
		key: event => timeline?.input.key(event),
		keys: TimelineInput.KEYS,
		theme: () => timeline?.theme(),
		resize: () => timeline?.resize(),
		notOnPaper: true,
	});

	return { get view() { return timeline; } };
})();
