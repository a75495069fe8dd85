"use strict";
/*
 * The selected slice: what is known of it, what it launched or was launched by, what it lies
 * in, and the steps of the keyboard from one slice to another.
 */
class TimelineChoice {
	static CHAIN = 60; /* slices of a chain that are named; of a longer one its ends */
	static LONG = 34; /* letters: a longer fact has a line of its own */
	static KINDS = {
		op: "operator", python: "Python frame", runtime: "call of the runtime", driver: "call of the driver",
		overhead: "the profiler's own", memcpy: "copy", memset: "memory set", accelerator: "device work",
		sync: "wait, as the device shows it", device_annotation: "annotation, on the device", span: "the recording",
	};

	constructor(timeline) {
		this.timeline = timeline;
		this.links = timeline.links;
		this.arrows = []; /* [from, to]: launches and what they launched */
		this.sayHint();
	}

	sayHint() {
		const hint = "Click a slice, or press Enter. Drag to sum up a span of time; drag with Shift, or press a and d, to pan; " +
			"Ctrl and wheel, or w and s, to zoom; [ and ] follow a launch to its kernel and back.";
		this.timeline.details.replaceChildren(el("p", { class: "soft" }, hint));
	}

	select(slice) {
		const { timeline } = this;
		timeline.selected = slice;
		this.arrows = [];
		if (slice) {
			this.findLinks(slice);
			this.tell(slice);
		} else {
			this.sayHint();
		}
		timeline.onSelect?.(slice);
		timeline.ask();
	}

	/* Nothing is selected; what is told of it stays until something else is. */
	forget() {
		this.timeline.selected = null;
		this.arrows = [];
	}

	findLinks(slice) {
		const { track, place } = slice;
		const { links } = this;
		this.launch = this.op = this.work = null;
		if (track.launch) {
			this.launch = links.find(track.launch[place]);
			this.op = links.find(track.op[place]);
			if (this.launch)
				this.arrows = [[this.launch, slice]];
		} else if (track.kind === "thread") {
			this.work = links.launched(slice);
			this.arrows = this.work.first.map(work => [links.find(work.track.launch[work.place]), work]);
		}
	}

	/* One line: for the mouse. */
	brief(slice) {
		const { track, place } = slice;
		const name = this.timeline.painter.names[track.what[place]];
		const length = units.ns(track.dur[place]);
		if (track.bundled?.[place])
			return `${units.count(track.bundled[place])} short slices  ${units.ns(track.busy[place])} in ${length}`;
		return `${name}  ${length}`;
	}

	link(slice, text) {
		const name = text ?? this.timeline.painter.names[slice.track.what[slice.place]];
		const button = el("button", { type: "button" }, name);
		button.addEventListener("click", () => this.goTo(slice));
		return button;
	}

	goTo(slice) {
		this.select(slice);
		this.timeline.reveal(slice);
	}

	/* What is known of the slice, as [what, value]. */
	facts(slice) {
		const { track, place } = slice;
		const { links, timeline } = this;
		const start = links.start(slice);
		const facts = [["Duration", units.ns(track.dur[place])]];
		if (track.kind === "thread" && !track.bundled?.[place])
			facts.push(["Self time", units.ns(links.selfTime(slice))]);
		if (track.bundled?.[place])
			facts.push(["Short slices", units.count(track.bundled[place])], ["They take", units.ns(track.busy[place])]);
		facts.push(["Start", units.ns(start - track.shift)], ["Kind", this.kind(slice)]);
		facts.push(["On", timelineLayout.title(track)]);
		if (timeline.meta.profiles.length > 1)
			facts.push(["Of", timelineLayout.rankName(timeline.meta.profiles[track.profile])]);
		const step = links.step(track, start);
		if (step)
			facts.push(["Step", `${step.number}, ${units.ns(start - step.start)} after it began`]);
		return [...facts, ...this.linkFacts(slice), ...this.detailFacts(slice)];
	}

	kind(slice) {
		const name = this.links.className(slice);
		return name.startsWith("idle ") ? "idle time" : TimelineChoice.KINDS[name] ?? name;
	}

	linkFacts(slice) {
		const facts = [];
		if (this.launch) {
			const waited = this.links.start(slice) - this.links.end(this.launch);
			facts.push(["Launched by", this.link(this.launch)]);
			facts.push(["Began after the launch", waited < 0 ? "while it ran" : units.ns(waited)]);
		}
		if (this.op)
			facts.push(["Operator", this.link(this.op)]);
		if (this.work?.n) {
			facts.push(["Device work launched", `${units.count(this.work.n)}, ${units.ns(this.work.total)}`]);
			facts.push(["First of it", this.link(this.work.first[0])]);
		}
		return facts;
	}

	/* Of device work those of its operator too: the shapes of its inputs. */
	detailFacts(slice) {
		const own = this.links.details(slice);
		const ofOp = this.op ? this.links.details(this.op) : [];
		const all = [...own, ...ofOp.filter(([column]) => !own.some(([other]) => other === column))];
		const text = ({ unit }, value) => unit === "text" ? visibleName(value) : units.text(unit, value);
		return all.map(([column, value]) => [column.title, text(column, value)]);
	}

	tell(slice) {
		const { timeline } = this;
		const facts = this.facts(slice).map(([what, value]) => {
			const isLong = typeof value === "string" && value.length > TimelineChoice.LONG;
			return el("div", { class: isLong ? "tl-fact tl-long" : "tl-fact" }, el("dt", {}, what), el("dd", {}, value));
		}).sort((a, b) => a.classList.length - b.classList.length);
		const parts = [el("h3", {}, visibleName(this.links.name(slice))), el("dl", {}, ...facts)];
		const around = this.links.stack(slice).slice(0, -1);
		if (around.length)
			parts.push(this.chain("Within ", around));
		if (this.launch)
			parts.push(this.chain("Launched from ", this.links.stack(this.launch)));
		timeline.details.replaceChildren(...parts);
	}

	/* All of a short chain; of others the outermost, null, and the innermost. */
	static ends(slices) {
		const half = TimelineChoice.CHAIN / 2;
		return slices.length > TimelineChoice.CHAIN ? [...slices.slice(0, half), null, ...slices.slice(-half)] : slices;
	}

	/* Slices from the outermost to the innermost. */
	chain(label, slices) {
		const steps = TimelineChoice.ends(slices).flatMap(slice => [
			el("span", { "aria-hidden": "true" }, "\u203a"),
			slice === null ? `${units.count(slices.length - TimelineChoice.CHAIN)} more` : this.link(slice),
		]);
		return el("p", { class: "tl-stack" }, el("span", { class: "soft" }, label), ...steps.slice(1));
	}

	/* The first slice in sight, from the top; marks of a stream are behind all others. */
	selectFirst() {
		const { timeline } = this;
		const tracks = timeline.layout.lanes.map(lane => lane.track).filter(track => track.start);
		const isMarks = track => track.kind === "notes";
		for (const track of [...tracks.filter(one => !isMarks(one)), ...tracks.filter(isMarks)]) {
			const place = timelineData.firstAfter(track, 0, timeline.from);
			if (place < track.first[1] && track.start[place] < timeline.to) {
				this.goTo({ track, place });
				return;
			}
		}
	}

	/* To the slice before or after it in its row, around it or within it; without one the view moves. */
	step(where) {
		const { timeline, links } = this;
		const slice = timeline.selected;
		if (!slice) {
			const length = (timeline.to - timeline.from) / 8;
			if (where === "before" || where === "after")
				timeline.pan(where === "before" ? -length : length);
			else
				timeline.view.scrollTop += where === "around" ? -40 : 40;
			return;
		}
		const next = {
			before: () => this.neighbour(slice, -1),
			after: () => this.neighbour(slice, 1),
			around: () => links.parent(slice),
			within: () => links.child(slice),
		}[where]();
		if (next)
			this.goTo(next);
	}

	neighbour({ track, place }, by) {
		const row = timelineData.rowOf(track, place);
		const next = place + by;
		return next >= track.first[row] && next < track.first[row + 1] ? { track, place: next } : null;
	}

	/* Along an arrow: from a launch to its work, or back. */
	follow(isForward) {
		const { timeline } = this;
		const slice = timeline.selected;
		if (!slice)
			return;
		const isHost = slice.track.kind === "thread";
		if (isForward === isHost && this.arrows.length)
			this.goTo(this.arrows[0][isForward ? 1 : 0]);
	}
}
