/* What is said above and below a flame graph, the same in the terminal and in pictures. */
#ifndef PTOOL_REPORT_FLAME_WORDS_H
#define PTOOL_REPORT_FLAME_WORDS_H

#include "base/apart.h"
#include "base/buf.h"
#include "base/flame.h"

/* How a flame graph is drawn. */
struct flame_draw {
	const char *title;      /* what the user calls the recording */
	const char *base_title; /* and what it is compared with; NULL */
	bool is_by_runs;        /* amounts are scaled to runs, not to steps */
	int width, height;      /* terminal cells; height 0: as many lines as it takes */
	bool color;             /* of a terminal */
	double min_pct;         /* share and amount of a box that is drawn at least */
	int64_t min_amount;
	apart_shorten_fn *shorten; /* of names */
};

/* "Host time of a.json: 100% is 473.888 ms". */
void flame_words_caption(const struct flame *flame, const struct flame_draw *draw,
			 struct buf *out);
/*
 * What is left out of the tree or put together in it; whole sentences, a line each,
 * nothing where there is nothing to say.
 */
void flame_words_notes(const struct flame *flame, const struct flame_draw *draw,
		       struct buf *out);
/* The last part of a path, cut in its middle when it is long; safe to print. */
void flame_words_title(const char *path, struct buf *out);
/* "12.3%": the share of the whole; "+4.0%": the change. */
void flame_words_share(const struct flame *flame, int64_t amount, struct buf *out);
void flame_words_change(const struct flame *flame, const struct flame_node *node,
			struct buf *out);
/* An amount with its unit. */
void flame_words_amount(const struct flame *flame, int64_t amount, struct buf *out);

#endif
