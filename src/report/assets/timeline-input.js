"use strict";
/*
 * Mouse, touch and keys of the timeline: w s a d are held and move smoothly, as in Perfetto;
 * a drag sums up an area, with Shift or a finger it pans; two fingers and Ctrl-wheel zoom.
 */
class TimelineInput {
	static KEYS = [
		["w s", "zoom in, out"], ["a d", "pan"], ["0", "the whole recording"], ["f", "fit the selected slice"],
		["m", "mark the selected slice's time: sum it up"], ["[ ]", "from device work to its launch, and back"],
		["Enter", "select the first slice in sight"], ["left right", "the slice before, after"],
		["up down", "the slice around, within"], ["/", "search"], ["n p", "next, previous that the search found"], ["Esc", "let go"],
	];
	static ZOOM_MS = 260; /* held so long a key zooms by a factor of e */
	static PAN_MS = 900; /* held so long a key pans by what is in sight */
	static FINGER = 10; /* pixels: no finger hits one */
	static CLICK = 4; /* pixels: less is no drag */

	constructor(timeline) {
		this.timeline = timeline;
		this.held = new Set();
		this.pointers = new Map();
		this.mouse = null;
		this.drag = null;
		this.listen(timeline.view);
		this.listenMini(timeline.mini);
	}

	listen(view) {
		view.addEventListener("wheel", event => this.wheel(event), { passive: false });
		view.addEventListener("scroll", () => this.timeline.ask(), { passive: true });
		view.addEventListener("pointerdown", event => this.down(event));
		view.addEventListener("pointermove", event => this.move(event));
		view.addEventListener("pointerup", event => this.up(event));
		view.addEventListener("pointercancel", event => this.up(event));
		view.addEventListener("pointerleave", () => this.leave());
		view.addEventListener("dblclick", event => this.doubled(event));
		addEventListener("keyup", event => this.held.delete(event.key.toLowerCase()));
		addEventListener("blur", () => this.held.clear());
	}

	place(event) {
		const box = this.timeline.view.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}

	/* A frame: the keys that are held move the view. */
	glide(now) {
		const { timeline, held } = this;
		if (held.size === 0) {
			this.last = null;
			return;
		}
		const passed = Math.min(50, now - (this.last ?? now - 16));
		const at = this.mouse && this.mouse.x > timeline.left ? timeline.time(this.mouse.x) : undefined;
		const step = (timeline.to - timeline.from) * passed / TimelineInput.PAN_MS;
		this.last = now;
		if (held.has("w"))
			timeline.zoom(Math.exp(-passed / TimelineInput.ZOOM_MS), at);
		if (held.has("s"))
			timeline.zoom(Math.exp(passed / TimelineInput.ZOOM_MS), at);
		if (held.has("a"))
			timeline.pan(-step);
		if (held.has("d"))
			timeline.pan(step);
	}

	wheel(event) {
		const { timeline } = this;
		const { x } = this.place(event);
		const pixels = event.deltaMode ? 16 : 1;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			timeline.zoom(Math.exp(event.deltaY * pixels / 240), timeline.time(x));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			timeline.pan((event.deltaX || event.deltaY) * pixels * (timeline.to - timeline.from) / timeline.width);
		}
	}

	down(event) {
		const { timeline } = this;
		const at = this.place(event);
		if (event.button)
			return;
		this.pointers.set(event.pointerId, at);
		timeline.view.setPointerCapture(event.pointerId);
		this.drag = {
			...at, from: timeline.from, to: timeline.to, top: timeline.view.scrollTop,
			isPan: event.shiftKey || event.pointerType === "touch", isMouse: event.pointerType === "mouse", isMoved: false, pinch: null,
		};
		timeline.tip.hidden = true;
	}

	move(event) {
		const at = this.place(event);
		this.mouse = at;
		if (!this.pointers.has(event.pointerId)) {
			this.hover(at, event.pointerType);
			return;
		}
		this.pointers.set(event.pointerId, at);
		if (!this.drag)
			return;
		if (this.pointers.size === 2) {
			this.pinch();
			return;
		}
		const isFar = Math.abs(at.x - this.drag.x) + Math.abs(at.y - this.drag.y) > TimelineInput.CLICK;
		this.drag.isMoved ||= isFar;
		if (!this.drag.isMoved)
			return;
		if (this.drag.isPan)
			this.panTo(at);
		else
			this.markTo(at);
	}

	panTo(at) {
		const { timeline, drag } = this;
		const scale = (drag.to - drag.from) / (timeline.width - timeline.left);
		timeline.from = drag.from;
		timeline.to = drag.to;
		timeline.pan((drag.x - at.x) * scale);
		if (drag.isMouse) /* a finger scrolls by itself */
			timeline.view.scrollTop = drag.top + drag.y - at.y;
	}

	markTo(at) {
		const { timeline, drag } = this;
		const [from, to] = [drag.x, at.x].sort((a, b) => a - b)
			.map(x => timeline.time(Math.min(timeline.width, Math.max(timeline.left, x))));
		const area = [Math.max(0, from), Math.min(timeline.meta.dur, to)];
		timeline.choice.forget();
		timeline.area = area[0] < area[1] ? area : null;
		timeline.ask();
	}

	/* Two fingers: what was between them stays there. */
	pinch() {
		const { timeline, drag } = this;
		const [a, b] = [...this.pointers.values()];
		const apart = Math.abs(a.x - b.x) || 1;
		drag.pinch ??= { apart, from: timeline.from, to: timeline.to, at: timeline.time((a.x + b.x) / 2) };
		const { at, from, to } = drag.pinch;
		const factor = drag.pinch.apart / apart;
		timeline.show(at - (at - from) * factor, at + (to - at) * factor);
		drag.isMoved = true;
	}

	up(event) {
		const { timeline, drag } = this;
		if (!this.pointers.delete(event.pointerId) || !drag)
			return;
		if (!drag.isMoved && event.type === "pointerup") {
			timeline.area = null;
			timeline.select(timeline.hit(drag.x, drag.y, drag.isMouse ? 2 : TimelineInput.FINGER));
		} else if (!drag.isPan && timeline.area) {
			timeline.sums.sumUp();
		}
		if (this.pointers.size === 0)
			this.drag = null;
	}

	leave() {
		this.mouse = null;
		this.timeline.tip.hidden = true;
	}

	doubled(event) {
		const at = this.place(event);
		const slice = this.timeline.hit(at.x, at.y);
		if (slice)
			this.timeline.showSlice(slice);
	}

	hover(at, pointer) {
		const { timeline } = this;
		const slice = pointer === "mouse" ? timeline.hit(at.x, at.y) : null;
		const text = slice ? timeline.choice.brief(slice) : pointer === "mouse" ? timeline.valueAt(at.x, at.y) : null;
		const { tip } = timeline;
		tip.hidden = !text;
		if (!text)
			return;
		tip.textContent = text;
		const right = timeline.width - tip.offsetWidth - 6;
		tip.style.left = Math.max(0, Math.min(at.x + 14, right)) + "px";
		tip.style.top = at.y + timeline.view.offsetTop + 18 + "px";
	}

	/* Of the page, while the tab is in sight. */
	key(event) {
		const { timeline } = this;
		const key = event.key.toLowerCase();
		const steps = { arrowleft: "before", arrowright: "after", arrowup: "around", arrowdown: "within" };
		if (event.target.closest?.("nav, button, .scroll, a, dialog") && (key === "enter" || key.startsWith("arrow")))
			return;
		const acts = {
			0: () => timeline.showAll(),
			f: () => timeline.selected && timeline.showSlice(timeline.selected),
			m: () => timeline.sums.markSelected(),
			"/": () => timeline.search.focus(),
			n: () => timeline.search.next(1),
			p: () => timeline.search.next(-1),
			"[": () => timeline.choice.follow(false),
			"]": () => timeline.choice.follow(true),
			enter: () => timeline.choice.selectFirst(),
			escape: () => this.letGo(),
		};
		if (key.length === 1 && "wasd".includes(key)) {
			this.held.add(key);
			timeline.ask();
		} else if (steps[key]) {
			timeline.choice.step(steps[key]);
		} else if (Object.hasOwn(acts, key)) {
			acts[key]();
		} else {
			return;
		}
		timeline.tip.hidden = true;
		event.preventDefault();
	}

	letGo() {
		this.timeline.area = null;
		this.timeline.select(null);
	}

	/* On the strip: a drag shows that time, a click goes there. */
	listenMini(mini) {
		const { timeline } = this;
		let from = null;
		const time = event => {
			const box = mini.getBoundingClientRect();
			return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * timeline.meta.dur;
		};
		const isDrag = event => Math.abs(time(event) - from) > timeline.meta.dur / 200;
		mini.addEventListener("pointerdown", event => {
			from = time(event);
			mini.setPointerCapture(event.pointerId);
		});
		mini.addEventListener("pointermove", event => {
			if (from !== null && isDrag(event))
				timeline.show(Math.min(from, time(event)), Math.max(from, time(event)));
		});
		mini.addEventListener("pointerup", event => {
			const half = (timeline.to - timeline.from) / 2;
			if (from !== null && !isDrag(event))
				timeline.show(from - half, from + half);
			from = null;
		});
		mini.addEventListener("pointercancel", () => from = null);
	}
}
