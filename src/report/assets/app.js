"use strict";
/* Starts the page: colours, tabs, keys, paper. */
const app = (() => {
	const root = document.documentElement;
	const KEYS = [
		["1 ... 9", "tabs"],
		["left right", "the tab beside, in the list of tabs"],
		["t", "dark or light"],
		["?", "this list"],
	];

	/* A page that was opened as a file may have no storage. */
	function stored(theme) {
		try {
			if (theme)
				localStorage.setItem("ptool-theme", theme);
			return localStorage.getItem("ptool-theme");
		} catch {
			return null;
		}
	}

	function setTheme(theme) {
		root.dataset.theme = theme;
		for (const offer of tabs.everything())
			offer.theme?.();
	}

	function startTheme() {
		const system = matchMedia("(prefers-color-scheme: dark)");
		const ofSystem = () => system.matches ? "dark" : "light";
		setTheme(stored() ?? ofSystem());
		system.addEventListener("change", () => stored() ?? setTheme(ofSystem()));
		document.getElementById("theme").addEventListener("click", () => {
			const theme = root.dataset.theme === "dark" ? "light" : "dark";
			setTheme(theme);
			stored(theme);
		});
	}

	function listKeys() {
		const dialog = document.getElementById("keys");
		const offered = tabs.everything().flatMap(offer => offer.keys ?? []);
		const shown = key => key === "..." ? " \u2026 " : el("kbd", {}, key);
		const items = [...KEYS, ...offered].flatMap(([keys, what]) => [
			el("dt", {}, ...keys.split(" ").map(shown)),
			el("dd", {}, what),
		]);
		dialog.querySelector("dl").replaceChildren(...items);
		dialog.showModal();
	}

	function isField(node) {
		return /^(INPUT|SELECT|TEXTAREA)$/.test(node.tagName) || node.isContentEditable;
	}

	function pressed(event) {
		const links = [...document.querySelectorAll("nav a")];
		if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (document.getElementById("keys").open)
			return;
		if (event.key === "?")
			listKeys();
		else if (event.key === "t")
			document.getElementById("theme").click();
		else if (/^[1-9]$/.test(event.key) && links[event.key - 1])
			links[event.key - 1].click();
		else
			for (const offer of tabs.all(tabs.current()?.id))
				offer.key?.(event);
	}

	/* The list of tabs has one place for the tab key; arrows move within. */
	function pressedInTabs(event) {
		const links = [...document.querySelectorAll("nav a")];
		const at = links.indexOf(document.activeElement);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
		if (at < 0 || to === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		const link = links[(to + links.length) % links.length];
		link.focus();
		link.click();
	}

	/* Paper shows every tab, also those that nobody looked at. */
	function toPaper() {
		for (const section of document.querySelectorAll("section.tab"))
			if (!tabs.all(section.id).some(offer => offer.notOnPaper))
				tabs.draw(section.id);
	}

	function start() {
		for (const section of document.querySelectorAll("section.tab")) {
			tabs.add(section.id, { draw: charts.fill });
			tabs.add(section.id, { draw: tables.fill });
		}
		root.classList.add("js");
		startTheme();
		document.querySelector("nav").addEventListener("keydown", pressedInTabs);
		addEventListener("keydown", pressed);
		addEventListener("hashchange", () => tabs.showAt(location.hash.slice(1)));
		addEventListener("popstate", () => tabs.showAt(location.hash.slice(1)));
		addEventListener("beforeprint", toPaper);
		document.getElementById("help").addEventListener("click", listKeys);
		document.getElementById("print").addEventListener("click", () => print());
		document.querySelector("#keys button").addEventListener("click", () => document.getElementById("keys").close());
		return tabs.showAt(location.hash.slice(1));
	}

	return { start };
})();
app.start();
