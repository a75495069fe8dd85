/*
 * Charts of a page: data, from which chart.js draws, and what says the same in words.  Those
 * of one page have different ids.  A colour is a word of style.css ("kernel"); all else is
 * text of anybody.
 */
#ifndef PTOOL_REPORT_PAGE_CHART_H
#define PTOOL_REPORT_PAGE_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/table.h"
#include "report/page.h"

struct page_part {
	const char *color;
	struct str label;
	int64_t value; /* 0 or more */
};

/* One bar of parts with a title, and below it what each is: those of 0 are left out. */
struct page_bar {
	const char *id;
	struct str title, about;
	enum unit unit;
	const struct page_part *parts;
	size_t nparts;
	int64_t whole; /* what the bar's full width is; 0: what the parts add up to */
	bool is_thin;
};

void page_bar(struct page *p, const struct page_bar *bar);

/* A chart that another tab may have, again, in a panel; its data are there once. */
void page_chart_again(struct page *p, const char *kind, const char *id, const char *title,
		      const char *about);

/* Stacked columns, one a row. */
struct page_columns {
	const char *id, *what; /* "step" */
	enum unit unit;
	const struct page_part *parts; /* from below; values are not looked at */
	size_t nparts;
	const struct str *labels; /* by column */
	const int64_t *values;    /* ncolumns * nparts */
	const int64_t *places; /* ncolumns * (start, end) on the timeline; NULL: none */
	size_t ncolumns;
	int64_t mean; /* a line across; 0: none */
};

void page_columns(struct page *p, const struct page_columns *columns);

/* A bucket of time with the levels in it. */
struct page_level {
	int64_t at_ns, low, high, last;
};

struct page_series {
	const char *color;
	struct str label;
	bool is_dashed;
	struct page_level *levels; /* by time */
	size_t n, cap;
};

struct page_curve {
	const char *id;
	enum unit unit;
	int64_t length_ns; /* of the recording */
	const struct page_series *series;
	size_t nseries;
	const int64_t *marks_ns; /* lines, with their labels */
	const struct str *marks;
	size_t nmarks;
};

void page_curve(struct page *p, const struct page_curve *curve);

/* Columns and dots that a browser draws at once, and a screen has room for. */
#define PAGE_MARKS_MOST 2000
#define PAGE_MARKS_TEXT "2,000"

/* A dot for each value, side below side. */
struct page_side {
	const char *color;
	struct str label;
	const int64_t *values;
	size_t n; /* at least one */
	int64_t median;
};

void page_strip(struct page *p, const char *id, enum unit unit,
		const struct page_side *sides, size_t n);

#endif
