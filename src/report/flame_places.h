/*
 * Where the boxes of a flame graph are in terminal cells.  A box is as many cells wide as its
 * share of the width, and its children lie below it.  Where the largest child left takes
 * less than a cell, it and its smaller siblings are one stretch.
 */
#ifndef PTOOL_REPORT_FLAME_PLACES_H
#define PTOOL_REPORT_FLAME_PLACES_H

#include "report/flame_words.h"

struct flame_box {
	size_t row;
	size_t from, to;      /* cells */
	uint32_t node;        /* of a chain its last */
	uint32_t chain;       /* nodes above it that have the same box */
	bool is_rest, is_odd; /* too small to draw; of neighbours every other one */
};

struct flame_places {
	const struct flame *flame; /* borrowed, as is draw */
	const struct flame_draw *draw;
	size_t width, levels;    /* to be filled: cells, and rows at most */
	bool folds;              /* callers that call one function alone share its box */
	struct flame_box *boxes; /* owned; those of a row from left to right */
	size_t n, cap, rows;
	size_t nsmall, nchains; /* calls that are too small; boxes of several calls */
	int64_t small;          /* amount of the small ones */
	uint32_t deeper;        /* levels that found no room */
};

/* Into as many levels as there are; chains are folded only where there are too few. */
void flame_places_fill(struct flame_places *p);
/* Also of a zeroed one. */
void flame_places_release(struct flame_places *p);

#endif
