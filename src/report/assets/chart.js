"use strict";
/*
 * Charts as SVG: they take their colours from the style sheet, print, and have a title on
 * each mark.  <div class="chart" data-chart="parts" data-of="chart-step"> is drawn from
 * the data of that id.
 */
const charts = (() => {
	const kinds = {};

	async function fill(section) {
		for (const box of section.querySelectorAll(".chart[data-chart]")) {
			const data = await pageData(box.dataset.of);
			if (data && kinds[box.dataset.chart])
				kinds[box.dataset.chart](box, data);
		}
	}

	return { fill, kinds };
})();
