/*
 * A table in a page: its first rows as HTML, and all of them as data, from which table.js
 * draws what is in sight, sorted and filtered.  Units and decimals are those of people's
 * tables (report/people.h); the numbers are those of machine formats.
 *
 *	{ "label": "kernels",
 *	  "columns": [{ "name": "total_ns", "title": "Total", "heading": "Total (ms)",
 *	                "unit": "ns", "divisor": 1e6, "decimals": 3, "scales": false,
 *	                "about": "sum of the durations", "bar": "kernel" }],
 *	  "slices": true, "rows": [[...]], "short": { "0": [null, "gemm_..."] } }
 *
 * scales: each cell has a unit of its own.  short: of a column's long texts.
 */
#ifndef PTOOL_REPORT_PAGE_TABLE_H
#define PTOOL_REPORT_PAGE_TABLE_H

#include "base/apart.h"
#include "base/err.h"
#include "base/table.h"
#include "report/page.h"

struct page_table {
	const char *id;    /* of the data: unique in the page */
	const char *title; /* of its panel */
	const char *about; /* one line beside the title; NULL: none */
	const char *bar;   /* "total_ns kernel": the column with bars, and their colour */
	/* "share_pct idle time;* the step": what percentages are of, for headings. */
	const char *of;
	const char *only; /* columns that are shown, blank-separated; NULL: all */
	size_t rows;      /* of HTML at most; 0: 50 */
	bool has_slices;  /* its names are those of slices of the timeline */
	bool is_bare;     /* without what stands above the first of them */
	apart_shorten_fn *shorten;
};

/*
 * Adds it and those that hang on it to the tab that was begun last, in a panel, with its
 * caption and notes; nothing where it has no rows.  Pulls all rows.  1, 0 where there are
 * none, or -1 with err set.
 */
int page_table(struct page *p, const struct page_table *how, struct table *t,
	       struct err *err);

#endif
